//! Collects the statements of gringo that are about the game, until they can be combined: rules come before the names
//! of their atoms. Determines the roles and the initial state.

use std::io::BufRead;

use groundrules_gdl::Game;
use groundrules_gdl::game::RelationId;
use groundrules_gdl::index::index32;
use groundrules_gdl::term::{TermId, Terms};
use groundrules_gdl::time::{Cancel, Cancelled};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::aspif::{Reader, Statement};
use super::atoms;
use super::error::GringoError;
use super::vocabulary::{Meaning, Vocabulary};
use crate::clause::{Mode, Predicate, Program};
use crate::draft::{Draft, Rules, literal};
use crate::limits::Limits;
use crate::tidy;

/// An atom of the game.
pub(super) struct Told {
    pub(super) what: What,
    pub(super) arguments: Box<[TermId]>,
    /// Its number; without one it always holds.
    pub(super) number: Option<u32>,
}

/// What an atom of the game is about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// A fluent or a move.
    Under(Mode),
    /// A relation or a part of a body.
    Own(Predicate),
}

pub(super) type FxIndexSet<T> = IndexSet<T, FxBuildHasher>;

/// Everything that was read.
pub(super) struct Heard {
    pub(super) terms: Terms,
    pub(super) fluents: FxIndexSet<TermId>,
    /// Moves with somebody before them, who need not be a role.
    pub(super) moves: FxIndexSet<(TermId, TermId)>,
    pub(super) told: Vec<Told>,
    /// The rules in gringo's numbers, also those that are no part of the game.
    pub(super) rules: Rules,
    /// The atoms that always hold though they have a number.
    pub(super) always: FxHashSet<u32>,
    /// The atoms that a sum defines.
    pub(super) sums: FxHashSet<u32>,
    /// About how much memory all this takes, the rules aside.
    bytes: usize,
}

impl Heard {
    /// Nothing yet about a game.
    pub(super) fn new(game: &Game) -> Self {
        Heard {
            terms: game.terms().clone(),
            fluents: FxIndexSet::default(),
            moves: FxIndexSet::default(),
            told: Vec::new(),
            rules: Rules::default(),
            always: FxHashSet::default(),
            sums: FxHashSet::default(),
            bytes: 0,
        }
    }

    /// Reads an answer to the end.
    pub(super) fn listen(
        &mut self,
        game: &Game,
        program: &Program,
        input: impl BufRead,
        limits: &Limits,
    ) -> Result<(), GringoError> {
        let vocabulary = Vocabulary::of(game, program);
        let mut reader = Reader::new(input)?;
        let (mut atoms, mut body) = (0, Vec::new());
        loop {
            let line = reader.line();
            let Some(statement) = reader.next()? else { return Ok(()) };
            match statement {
                Statement::Sum { head } => self.set_aside(head, false),
                Statement::Rule { head, body: [] } => self.set_aside(head, true),
                Statement::Rule { head, body: given } => {
                    within("ground rules", self.rules.len() + 1, limits.most_rules() as u64)?;
                    body.clear();
                    body.extend(given.iter().map(|&number| literal(number.unsigned_abs(), number > 0)));
                    self.rules.push(head, &body);
                }
                Statement::Output { text, atom } => {
                    atoms += 1;
                    within("atoms", atoms, limits.most_atoms() as u64)?;
                    let wrong = |what| GringoError::Syntax { line, what };
                    let read = atoms::read(text, game.symbols(), &mut self.terms);
                    let (name, arguments) = read.map_err(wrong)?;
                    let meaning = vocabulary.meaning(name, arguments.len());
                    let meaning = meaning.ok_or_else(|| wrong(format!("`{name}` is not a predicate")))?;
                    self.atom(program, meaning, arguments, atom);
                }
            }
            within("bytes", self.bytes + self.rules.bytes(), limits.most_bytes())?;
        }
    }

    fn set_aside(&mut self, head: u32, is_true: bool) {
        self.bytes += 2 * size_of::<u32>();
        if is_true { &mut self.always } else { &mut self.sums }.insert(head);
    }

    /// Keeps an atom if it belongs to the game and some state or move decides it, or if it says who plays.
    fn atom(&mut self, program: &Program, meaning: Meaning, arguments: Vec<TermId>, number: Option<u32>) {
        // About a term, its place in a table, and the atom.
        self.bytes += 100 + 8 * arguments.len();
        let what = match (meaning, &arguments[..]) {
            (Meaning::Base, &[fluent]) => {
                self.fluents.insert(fluent);
                return;
            }
            (Meaning::Input, &[role, made]) => {
                self.moves.insert((role, made));
                return;
            }
            (Meaning::Under(mode), _) => What::Under(mode),
            (Meaning::Own(predicate), _) if number.is_some() || is_kept(program, predicate) => {
                What::Own(predicate)
            }
            _ => return,
        };
        self.told.push(Told { what, arguments: arguments.into(), number });
    }

    /// Who plays and what holds at first. Gringo leaves open what depends on a relation that depends on its own negation,
    /// even where no atom does; then the rules are settled here.
    pub(super) fn decided(&self, game: &Game, cancel: &Cancel) -> Result<Decided, GringoError> {
        let mut decided = Decided::default();
        let mut settled: Option<FxHashMap<u32, Option<bool>>> = None;
        for told in &self.told {
            let (word, list) = match told.what {
                What::Under(Mode::Init) => ("init", &mut decided.init),
                What::Own(Predicate::Relation(RelationId::ROLE)) => ("role", &mut decided.roles),
                _ => continue,
            };
            let open = told.number.filter(|number| !self.always.contains(number));
            let holds = match open {
                None => Some(true),
                Some(number) => {
                    let known = match &mut settled {
                        Some(known) => known,
                        None => settled.insert(self.settled(cancel)?),
                    };
                    known.get(&number).copied().flatten()
                }
            };
            let Some(holds) = holds else {
                return Err(GringoError::Undecided {
                    atom: format!("({word} {})", self.kif(game, told.arguments[0])),
                });
            };
            list.extend(holds.then_some(told.arguments[0]));
            decided.numbers.extend(open.map(|number| (number, holds)));
        }
        Ok(decided)
    }

    /// What follows from the rules by themselves, for every atom with a number.
    fn settled(&self, cancel: &Cancel) -> Result<FxHashMap<u32, Option<bool>>, Cancelled> {
        let mut numbers: FxIndexSet<u32> = FxIndexSet::default();
        let mut rules = Rules::default();
        let facts = self.always.iter().map(|&head| (head, &[][..]));
        for (head, body) in self.rules.iter().chain(facts) {
            let mut number = |atom: u32| count(numbers.insert_full(atom).0);
            let head = number(head);
            let body: Vec<u32> = body.iter().map(|&it| literal(number(it / 2), it & 1 == 0)).collect();
            rules.push(head, &body);
        }
        let mut draft = Draft { derived: count(numbers.len()), rules: by_head(&rules), ..Draft::default() };
        tidy::settle(&mut draft, cancel)?;
        let mut fates: FxHashMap<u32, Option<bool>> =
            numbers.iter().map(|&number| (number, Some(false))).collect();
        for (head, body) in draft.rules.iter() {
            fates.insert(numbers[head as usize], body.is_empty().then_some(true));
        }
        Ok(fates)
    }

    /// A term as KIF.
    pub(super) fn kif(&self, game: &Game, term: TermId) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.terms.write_kif(term, game.symbols(), &mut text);
        text
    }
}

/// What must be known before anything else.
#[derive(Default)]
pub(super) struct Decided {
    pub(super) roles: Vec<TermId>,
    pub(super) init: Vec<TermId>,
    /// What gringo had left open of these, by number.
    pub(super) numbers: FxHashMap<u32, bool>,
}

/// Whether atoms of a predicate are of interest though they always hold.
fn is_kept(program: &Program, predicate: Predicate) -> bool {
    let Predicate::Relation(relation) = predicate else { return false };
    let is_dynamic = program.predicates.get_index_of(&predicate).is_some_and(|index| program.dynamic[index]);
    is_dynamic || relation == RelationId::ROLE
}

fn within(what: &'static str, count: usize, limit: u64) -> Result<(), GringoError> {
    if count as u64 > limit { Err(GringoError::Limit { what, limit }) } else { Ok(()) }
}

/// A length as a number of atoms.
pub(super) fn count(length: usize) -> u32 {
    index32(length, "atoms")
}

/// Rules in the order of their heads, those of one head in the order in which they came.
pub(super) fn by_head(rules: &Rules) -> Rules {
    let mut order: Vec<usize> = (0..rules.len()).collect();
    order.sort_by_key(|&rule| rules.head(rule));
    let mut sorted = Rules::like(rules);
    order.iter().for_each(|&rule| sorted.push(rules.head(rule), rules.body(rule)));
    sorted
}
