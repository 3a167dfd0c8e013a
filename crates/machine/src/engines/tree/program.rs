//! The flat program: predicates with columns, and rules over them whose arguments are variables and numbered constants.
//! This is what preprocessing makes of a game and what the resolution tree is built from.

use groundrules_gdl::game::RelationId;

use super::domains::{DomainId, Domains, Functor};
use super::terms::Terms;

/// A variable or the number of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Operand {
    Variable(u32),
    Constant(u32),
}

impl Operand {
    pub(super) fn variable(self) -> Option<u32> {
        match self {
            Operand::Variable(variable) => Some(variable),
            Operand::Constant(_) => None,
        }
    }
}

/// The number of a predicate.
pub(super) type PredicateId = usize;

/// A relation applied to operands, one for each column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Atom {
    pub(super) predicate: PredicateId,
    pub(super) columns: Vec<Operand>,
}

impl Atom {
    pub(super) fn variables(&self) -> impl Iterator<Item = u32> {
        self.columns.iter().filter_map(|column| column.variable())
    }
}

/// A condition of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    /// An atom holds, or does not.
    Atom { atom: Atom, positive: bool },
    /// An interned term is a function applied to parts. Takes it apart or puts it together, whichever side is known.
    Compose { whole: Operand, domain: DomainId, name: u32, parts: Vec<Operand>, nested: Vec<bool> },
    /// All pairs are equal, or (with `equal` false) some pair is not.
    Compare { pairs: Vec<(Operand, Operand)>, equal: bool },
    /// One of the alternatives holds.
    Or(Vec<Vec<Condition>>),
}

/// The variables that some conditions bind, where others are known already. Positive atoms bind theirs. A composed term
/// binds its parts where the whole is bound, and the whole where all parts are; for itself it binds nothing.
pub(super) fn bound_by<'c>(
    conditions: impl Iterator<Item = &'c Condition>,
    known: impl Fn(u32) -> bool,
) -> Vec<u32> {
    let (mut bound, mut composed) = (Vec::new(), Vec::new());
    for condition in conditions {
        match condition {
            Condition::Atom { atom, positive: true } => bound.extend(atom.variables()),
            Condition::Compose { whole, parts, .. } => composed.push((whole, parts)),
            _ => {}
        }
    }
    loop {
        let before = bound.len();
        for &(whole, parts) in &composed {
            let is_bound = |operand: &Operand| {
                operand.variable().is_none_or(|variable| known(variable) || bound.contains(&variable))
            };
            if is_bound(whole) || parts.iter().all(is_bound) {
                let new = parts.iter().chain([whole]).filter(|operand| !is_bound(operand));
                let new: Vec<u32> = new.filter_map(|operand| operand.variable()).collect();
                bound.extend(new);
            }
        }
        if bound.len() == before {
            return bound;
        }
    }
}

impl Condition {
    /// Visits every variable, as often as it occurs.
    pub(super) fn for_each_variable(&self, visit: &mut dyn FnMut(u32)) {
        let mut operand = |operand: &Operand| operand.variable().into_iter().for_each(&mut *visit);
        match self {
            Condition::Atom { atom, .. } => atom.columns.iter().for_each(operand),
            Condition::Compose { whole, parts, .. } => {
                operand(whole);
                parts.iter().for_each(operand);
            }
            Condition::Compare { pairs, .. } => pairs.iter().for_each(|(left, right)| {
                operand(left);
                operand(right);
            }),
            Condition::Or(alternatives) => {
                alternatives.iter().flatten().for_each(|condition| condition.for_each_variable(visit));
            }
        }
    }

    /// Visits every atom with whether it is positive.
    pub(super) fn for_each_atom(&self, visit: &mut dyn FnMut(&Atom, bool)) {
        match self {
            Condition::Atom { atom, positive } => visit(atom, *positive),
            Condition::Or(alternatives) => {
                alternatives.iter().flatten().for_each(|condition| condition.for_each_atom(visit));
            }
            Condition::Compose { .. } | Condition::Compare { .. } => {}
        }
    }

    /// The condition with other operands in place of variables.
    pub(super) fn replaced(&self, replace: &mut dyn FnMut(Operand) -> Operand) -> Condition {
        match self {
            Condition::Atom { atom, positive } => Condition::Atom {
                atom: Atom {
                    predicate: atom.predicate,
                    columns: atom.columns.iter().map(|&it| replace(it)).collect(),
                },
                positive: *positive,
            },
            Condition::Compose { whole, domain, name, parts, nested } => Condition::Compose {
                whole: replace(*whole),
                domain: *domain,
                name: *name,
                parts: parts.iter().map(|&part| replace(part)).collect(),
                nested: nested.clone(),
            },
            Condition::Compare { pairs, equal } => Condition::Compare {
                pairs: pairs.iter().map(|&(left, right)| (replace(left), replace(right))).collect(),
                equal: *equal,
            },
            Condition::Or(alternatives) => Condition::Or(
                alternatives
                    .iter()
                    .map(|all| all.iter().map(|condition| condition.replaced(replace)).collect())
                    .collect(),
            ),
        }
    }
}

/// A rule. A fact is a rule without conditions or variables and is kept as a row of its predicate instead.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) head: Atom,
    pub(super) body: Vec<Condition>,
    /// The number of variables.
    pub(super) variables: u32,
}

/// What a predicate stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Meaning {
    /// A relation that is no keyword for fluents.
    Relation(RelationId),
    /// A fluent, under `true`.
    True(Functor),
    /// A fluent, under `init`.
    Init(Functor),
    /// A fluent, under `next`.
    Next(Functor),
}

/// What decides a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// The rules alone.
    Static,
    /// The state.
    State,
    /// The moves made.
    Moves,
}

/// A predicate.
#[derive(Clone, Debug)]
pub(super) struct Predicate {
    pub(super) meaning: Meaning,
    pub(super) name: String,
    /// How many different values each column can have.
    pub(super) sizes: Vec<u64>,
    pub(super) level: Level,
    pub(super) rules: Vec<usize>,
    pub(super) facts: Vec<Vec<u32>>,
    /// Predicates that depend on each other have the same group.
    pub(super) group: usize,
    pub(super) is_recursive: bool,
    /// Whether a rule of the group depends on the negation of one of it.
    pub(super) is_negated: bool,
}

/// The flat program.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) predicates: Vec<Predicate>,
    pub(super) rules: Vec<Rule>,
    pub(super) domains: Domains,
    pub(super) terms: Terms,
}

impl Program {
    /// The predicate with a meaning.
    pub(super) fn find(&self, meaning: Meaning) -> Option<PredicateId> {
        self.predicates.iter().position(|predicate| predicate.meaning == meaning)
    }
}
