//! What the rules say that a layout rests on: which values each argument of a fluent or a move can have, which relations are
//! successor relations, which neighbourhoods are hexagonal, what the variables are called, what holds at first.
//!
//! Values are found without grounding, by passing them along the variables of each rule until nothing changes: supersets of
//! what can occur. The work is limited by a number of steps, so that the same description gives the same layout everywhere.

mod domains;
mod neighbours;
mod statics;

use std::collections::BTreeMap;

use groundrules_gdl::Game;
use groundrules_gdl::game::{Atom, Literal, RelationId, Rule};
use groundrules_gdl::term::{Term, TermId};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::axis::{Chain, Values};

pub(crate) use neighbours::Slope;

/// A name and a number of arguments.
pub(crate) type Family = (String, usize);

/// The values of every argument of the families of fluents or moves.
pub(crate) type Columns = IndexMap<Family, Vec<Values>, FxBuildHasher>;

/// What the rules say.
pub(crate) struct Rules {
    pub(crate) roles: Values,
    pub(crate) fluents: Columns,
    pub(crate) moves: Columns,
    /// The fluents that hold at first, by facts.
    pub(crate) init: BTreeMap<Family, Vec<Vec<String>>>,
    pub(crate) successors: Vec<Chain>,
    /// How often which variables stand at an argument of a fluent.
    pub(crate) variables: BTreeMap<(Family, usize), BTreeMap<String, usize>>,
    /// The diagonal of a hexagonal neighbourhood, of pairs of coordinates and of places such as `a1`.
    pub(crate) slope: Option<Slope>,
    pub(crate) slope_of_places: Option<Slope>,
    /// The rows of static relations with five arguments. One of them may say where boards lie on a larger one.
    pub(crate) placings: Vec<Vec<Vec<String>>>,
    /// Static relations with two arguments, and their rows. Some may say where walls and targets are.
    pub(crate) pairs: Vec<(String, Vec<Vec<String>>)>,
}

impl Rules {
    pub(crate) fn of(game: &Game) -> Rules {
        let facts = facts(game);
        let mut successors: Vec<Chain> = facts
            .iter()
            .filter(|((_, arity), _)| *arity == 2)
            .flat_map(|(_, rows)| {
                let pairs: Vec<(String, String)> =
                    rows.iter().map(|row| (row[0].clone(), row[1].clone())).collect();
                Chain::of(&pairs)
            })
            .collect();
        successors.sort_by_key(|chain| std::cmp::Reverse(chain.len()));
        let (fluents, moves) = domains::of(game);
        Rules {
            roles: game
                .roles()
                .iter()
                .map(|&role| (text(game, role).to_lowercase(), text(game, role)))
                .collect(),
            fluents,
            moves,
            init: init(game),
            slope: neighbours::slope(game, &facts),
            slope_of_places: neighbours::slope_of_places(&facts),
            placings: statics::with_arity(game, 5).into_iter().map(|(_, rows)| rows).collect(),
            pairs: statics::with_arity(game, 2),
            successors,
            variables: variables(game),
        }
    }
}

/// A term as KIF.
pub(crate) fn text(game: &Game, term: TermId) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = game.terms().write_kif(term, game.symbols(), &mut text);
    text
}

/// An argument of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Argument {
    /// A ground term, folded and as it is spelt.
    Value(String, String),
    Variable(String),
    /// A term with a variable inside it.
    Other,
}

fn argument(game: &Game, term: TermId) -> Argument {
    match game.terms().get(term) {
        Term::Variable(name) => Argument::Variable(game.symbols().folded(*name).to_owned()),
        _ if game.terms().is_ground(term) => {
            let text = text(game, term);
            Argument::Value(text.to_lowercase(), text)
        }
        _ => Argument::Other,
    }
}

/// What a pattern is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Subject {
    Fluent,
    Move,
    Relation,
}

/// An atom as the analyses see it: fluents and moves are taken out of `true`, `does` and their like.
struct Pattern {
    subject: Subject,
    name: String,
    arguments: Vec<Argument>,
}

impl Pattern {
    fn of(game: &Game, atom: &Atom) -> Option<Pattern> {
        let fold = |symbol| game.symbols().folded(symbol).to_owned();
        let inside = |subject, term: TermId| match game.terms().get(term) {
            Term::Constant(name) => Some(Pattern { subject, name: fold(*name), arguments: Vec::new() }),
            Term::Function(name, arguments) => {
                let arguments = arguments.iter().map(|&term| argument(game, term)).collect();
                Some(Pattern { subject, name: fold(*name), arguments })
            }
            Term::Variable(_) => None,
        };
        match atom.relation {
            RelationId::TRUE | RelationId::NEXT | RelationId::INIT | RelationId::BASE => {
                inside(Subject::Fluent, *atom.arguments.first()?)
            }
            RelationId::DOES | RelationId::LEGAL | RelationId::INPUT => {
                inside(Subject::Move, *atom.arguments.get(1)?)
            }
            relation => Some(Pattern {
                subject: Subject::Relation,
                name: fold(game.relation(relation).name),
                arguments: atom.arguments.iter().map(|&term| argument(game, term)).collect(),
            }),
        }
    }

    fn family(&self) -> Family {
        (self.name.clone(), self.arguments.len())
    }
}

/// The positive atoms of a conjunction.
fn positive<'rule>(literals: &[&'rule Literal]) -> impl Iterator<Item = &'rule Atom> {
    literals.iter().filter_map(|literal| literal.positive_atom())
}

/// The ways to satisfy a rule's body; a body with too many disjunctions is taken as one conjunction.
fn bodies(rule: &Rule) -> Vec<Vec<&Literal>> {
    const MOST: usize = 32;
    rule.alternatives(MOST).unwrap_or_else(|| vec![rule.literals().collect()])
}

/// The ground facts of the description's own relations, folded.
fn facts(game: &Game) -> BTreeMap<Family, Vec<Vec<String>>> {
    let mut facts: BTreeMap<Family, Vec<Vec<String>>> = BTreeMap::new();
    for rule in game.rules().iter().filter(|rule| rule.is_fact()) {
        if let Some(pattern) =
            Pattern::of(game, &rule.head).filter(|pattern| pattern.subject == Subject::Relation)
            && let Some(row) = ground_row(&pattern)
        {
            facts.entry(pattern.family()).or_default().push(row);
        }
    }
    facts
}

fn ground_row(pattern: &Pattern) -> Option<Vec<String>> {
    let value = |argument: &Argument| match argument {
        Argument::Value(key, _) => Some(key.clone()),
        _ => None,
    };
    pattern.arguments.iter().map(value).collect()
}

/// What holds at first by facts.
fn init(game: &Game) -> BTreeMap<Family, Vec<Vec<String>>> {
    let mut init: BTreeMap<Family, Vec<Vec<String>>> = BTreeMap::new();
    for (_, rule) in game.rules_of(RelationId::INIT).filter(|(_, rule)| rule.is_fact()) {
        if let Some(pattern) = Pattern::of(game, &rule.head)
            && let Some(row) = ground_row(&pattern)
        {
            init.entry(pattern.family()).or_default().push(row);
        }
    }
    init
}

/// How often which variables stand at an argument of a fluent.
fn variables(game: &Game) -> BTreeMap<(Family, usize), BTreeMap<String, usize>> {
    let mut variables: BTreeMap<(Family, usize), BTreeMap<String, usize>> = BTreeMap::new();
    for rule in game.rules() {
        let atoms = rule.literals().filter_map(Literal::atom).chain([&rule.head]);
        for pattern in atoms.filter_map(|atom| Pattern::of(game, atom)) {
            if pattern.subject != Subject::Fluent {
                continue;
            }
            for (column, argument) in pattern.arguments.iter().enumerate() {
                if let Argument::Variable(name) = argument {
                    let names = variables.entry((pattern.family(), column)).or_default();
                    *names.entry(name.clone()).or_default() += 1;
                }
            }
        }
    }
    variables
}
