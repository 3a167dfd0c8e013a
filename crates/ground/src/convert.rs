//! From what the fixpoint found to the ground game: atoms get their numbers, literals that cannot fail or cannot hold are
//! taken out, and so are the rules that can never apply, until nothing changes.

use groundrules_gdl::Game;
use groundrules_gdl::game::RelationId;
use groundrules_gdl::symbol::Symbol;
use groundrules_gdl::term::{Term, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::clause::{Mode, Predicate};
use crate::ground_game::{AtomKind, GroundGame, GroundLiteral};
use crate::instantiate::{Fixpoint, Instance};

/// What becomes of an atom.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It depends on the state or the moves.
    Open,
    /// It never holds.
    False,
    /// It always holds.
    True,
}

/// Makes the ground game.
pub(crate) fn convert(fixpoint: &Fixpoint<'_>) -> GroundGame {
    let mut numbering = Numbering::of(fixpoint);
    let mut rules = numbering.rules(fixpoint);
    let init = numbering.init(fixpoint);
    simplify(&mut rules, &numbering, &init);
    numbering.compact(fixpoint, rules, &init)
}

/// A ground rule while it is worked on.
struct Draft {
    head: u32,
    /// Atoms with a sign: twice the number, plus one when negated.
    body: Vec<u32>,
}

/// The first number of each predicate's atoms. A fluent has two atoms, `true` and `next`, a move two, `does` and `legal`.
struct Numbering {
    first: Vec<u32>,
    count: u32,
    /// For each atom that another one makes possible, the maker: `true` by `next`, `does` by `legal`.
    makers: Vec<(u32, u32)>,
}

impl Numbering {
    fn of(fixpoint: &Fixpoint<'_>) -> Self {
        let mut numbering = Numbering { first: Vec::new(), count: 0, makers: Vec::new() };
        for (index, predicate) in fixpoint.program.predicates.iter().enumerate() {
            let rows = fixpoint.tuples[index].len();
            numbering.first.push(numbering.count);
            if matches!(predicate, Predicate::Relation(_)) {
                numbering.count += rows;
            } else {
                numbering
                    .makers
                    .extend((0..rows).map(|row| (numbering.count + row, numbering.count + rows + row)));
                numbering.count += 2 * rows;
            }
        }
        numbering
    }

    fn number(&self, fixpoint: &Fixpoint<'_>, predicate: u32, row: u32, mode: Mode) -> u32 {
        let makes = matches!(mode, Mode::Next | Mode::Legal);
        let rows = fixpoint.tuples[predicate as usize].len();
        self.first[predicate as usize] + row + if makes { rows } else { 0 }
    }

    /// The rules with numbered atoms, each once. A negative literal whose atom never holds is left out.
    fn rules(&mut self, fixpoint: &Fixpoint<'_>) -> Vec<Draft> {
        let mut drafts = Vec::new();
        let mut seen: FxHashSet<(u32, Vec<u32>)> = FxHashSet::default();
        let mut start = 0;
        for (index, head) in fixpoint.instances.heads.iter().enumerate() {
            let end = fixpoint.instances.ends[index] as usize;
            let mut body: Vec<u32> = fixpoint.instances.literals[start..end]
                .iter()
                .filter_map(|&(literal, positive)| self.literal(fixpoint, literal, positive))
                .collect();
            start = end;
            body.sort_unstable();
            body.dedup();
            let head = self.number(fixpoint, head.predicate, head.row, head.mode);
            if seen.insert((head, body.clone())) {
                drafts.push(Draft { head, body });
            }
        }
        drafts
    }

    fn literal(&self, fixpoint: &Fixpoint<'_>, literal: Instance, positive: bool) -> Option<u32> {
        let row = if positive {
            literal.row
        } else {
            let predicate = literal.predicate as usize;
            fixpoint.tuples[predicate].find(fixpoint.asked[predicate].row(literal.row))?
        };
        Some(2 * self.number(fixpoint, literal.predicate, row, literal.mode) + u32::from(!positive))
    }

    fn init(&self, fixpoint: &Fixpoint<'_>) -> FxHashSet<u32> {
        fixpoint.initial.iter().map(|&(predicate, row)| self.first[predicate as usize] + row).collect()
    }

    /// Renumbers the atoms that are still used and builds the game.
    fn compact(&self, fixpoint: &Fixpoint<'_>, drafts: Vec<Draft>, init: &FxHashSet<u32>) -> GroundGame {
        let used: FxHashSet<u32> = drafts
            .iter()
            .flat_map(|draft| std::iter::once(draft.head).chain(draft.body.iter().map(|literal| literal / 2)))
            .chain(init.iter().copied())
            .collect();
        let roles = roles(fixpoint);
        let mut game = GroundGame {
            symbols: fixpoint.game.symbols().clone(),
            roles,
            fluents: Vec::new(),
            moves: Vec::new(),
            derived: Vec::new(),
            init: Vec::new(),
            heads: Vec::new(),
            ends: Vec::new(),
            literals: Vec::new(),
            terms: fixpoint.terms.clone(),
        };
        let mut kinds: FxHashMap<u32, AtomKind> = FxHashMap::default();
        for (index, predicate) in fixpoint.program.predicates.iter().enumerate() {
            let rows = fixpoint.tuples[index].len();
            for row in 0..rows {
                let number = self.first[index] + row;
                let tuple = fixpoint.tuples[index].row(row);
                let pair_used = used.contains(&number) || used.contains(&(number + rows));
                match *predicate {
                    Predicate::Relation(relation) if used.contains(&number) => {
                        kinds.insert(number, AtomKind::Derived(game.derived.len()));
                        game.derived.push((fixpoint.game.relation_name(relation).to_owned(), tuple.into()));
                    }
                    Predicate::Fluent(name, _) if pair_used => {
                        kinds.insert(number, AtomKind::True(game.fluents.len()));
                        kinds.insert(number + rows, AtomKind::Next(game.fluents.len()));
                        game.init.extend(init.contains(&number).then_some(game.fluents.len()));
                        let fluent = apply(&mut game.terms, name, tuple);
                        game.fluents.push(fluent);
                    }
                    Predicate::Move(name, _) if pair_used => {
                        let Some(role) = game.roles.iter().position(|&role| role == tuple[0]) else {
                            continue;
                        };
                        kinds.insert(number, AtomKind::Does(game.moves.len()));
                        kinds.insert(number + rows, AtomKind::Legal(game.moves.len()));
                        let term = apply(&mut game.terms, name, &tuple[1..]);
                        game.moves.push((role, term));
                    }
                    _ => {}
                }
            }
        }
        for draft in drafts {
            let atom = |number: &u32| kinds.get(number).map(|&kind| game.atom(kind));
            let Some(head) = atom(&draft.head) else { continue };
            let literal =
                |&literal: &u32| Some(GroundLiteral::new(atom(&(literal / 2))?, is_positive(literal)));
            let body: Option<Vec<GroundLiteral>> = draft.body.iter().map(literal).collect();
            let Some(body) = body else { continue };
            game.literals.extend(body);
            game.heads.push(head);
            game.ends.push(u32::try_from(game.literals.len()).unwrap_or(u32::MAX));
        }
        game
    }
}

fn apply(terms: &mut Terms, name: Symbol, arguments: &[TermId]) -> TermId {
    if arguments.is_empty() {
        terms.intern(Term::Constant(name))
    } else {
        terms.intern_function(name, arguments)
    }
}

/// The roles: those given by facts in the order of the text, then those that rules give.
fn roles(fixpoint: &Fixpoint<'_>) -> Vec<TermId> {
    let game: &Game = fixpoint.game;
    let mut roles = game.roles().to_vec();
    let predicate = fixpoint.program.predicates.get_index_of(&Predicate::Relation(RelationId::ROLE));
    if let Some(tuples) = predicate.map(|index| &fixpoint.tuples[index]) {
        let found: Vec<TermId> = (0..tuples.len()).map(|row| tuples.row(row)[0]).collect();
        roles.extend(found.into_iter().filter(|role| !game.roles().contains(role)));
    }
    roles
}

/// Whether a signed atom stands without a negation.
fn is_positive(literal: u32) -> bool {
    literal & 1 == 0
}

/// Takes out what is decided: atoms that nothing supports never hold, derived atoms with an empty body always do.
fn simplify(rules: &mut Vec<Draft>, numbering: &Numbering, init: &FxHashSet<u32>) {
    let kept: FxHashSet<u32> = numbering.makers.iter().flat_map(|&(read, made)| [read, made]).collect();
    loop {
        let mut fate = vec![Fate::False; numbering.count as usize];
        for draft in rules.iter() {
            let certain = draft.body.is_empty() && !kept.contains(&draft.head);
            let slot = &mut fate[draft.head as usize];
            if certain || *slot == Fate::False {
                *slot = if certain { Fate::True } else { Fate::Open };
            }
        }
        for &(read, made) in &numbering.makers {
            let possible = fate[made as usize] != Fate::False || init.contains(&read);
            fate[read as usize] = if possible { Fate::Open } else { Fate::False };
        }
        let before: usize = rules.iter().map(|draft| draft.body.len() + 1).sum();
        rules.retain_mut(|draft| {
            let holds = |literal: u32| match (fate[literal as usize / 2], is_positive(literal)) {
                (Fate::Open, _) => None,
                (Fate::True, positive) => Some(positive),
                (Fate::False, positive) => Some(!positive),
            };
            if draft.body.iter().any(|&literal| holds(literal) == Some(false)) {
                return false;
            }
            draft.body.retain(|&literal| holds(literal).is_none());
            // A rule beside a fact for the same head says nothing.
            fate[draft.head as usize] != Fate::True || draft.body.is_empty()
        });
        if before == rules.iter().map(|draft| draft.body.len() + 1).sum::<usize>() {
            return;
        }
    }
}
