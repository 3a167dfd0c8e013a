//! Why an atom can never hold: how far each of its rules can be satisfied, and the reasons a few levels down.

use groundrules_gdl::game::{Atom, Literal, RelationId, Test};
use groundrules_gdl::symbol::Symbol;
use groundrules_gdl::term::TermId;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::MOST_SHOWN;
use super::answer::{Failure, Fault, Hint, ImpossibleAtom, RuleAt};
use super::lookup::values_hint;
use super::names::Names;
use super::superset::{Reading, Superset};
use crate::clause::Predicate;
use crate::error::GroundError;

/// How many levels are followed, and how many atoms in all.
const MOST_LEVELS: usize = 5;
const MOST_STEPS: usize = 10;

/// The atoms to look at: each once, with its level.
struct Followed {
    atoms: Vec<(Atom, usize)>,
}

impl Followed {
    /// The number, from one, of the step that tells of an atom, if there is to be one.
    fn number(&mut self, atom: Atom, level: usize) -> Option<usize> {
        if let Some(known) = self.atoms.iter().position(|(other, _)| *other == atom) {
            return Some(known + 1);
        }
        if level >= MOST_LEVELS || self.atoms.len() >= MOST_STEPS {
            return None;
        }
        self.atoms.push((atom, level));
        Some(self.atoms.len())
    }
}

/// How the rules for an atom fail, then how those for the atoms fail that they need.
pub(super) fn follow(
    superset: &mut Superset<'_, '_>,
    atom: &Atom,
) -> Result<Vec<ImpossibleAtom>, GroundError> {
    let mut followed = Followed { atoms: vec![(atom.clone(), 0)] };
    let mut steps = Vec::new();
    while let Some((atom, level)) = followed.atoms.get(steps.len()).cloned() {
        steps.push(step(superset, &atom, level, &mut followed)?);
    }
    Ok(steps)
}

fn step(
    superset: &mut Superset<'_, '_>,
    atom: &Atom,
    level: usize,
    followed: &mut Followed,
) -> Result<ImpossibleAtom, GroundError> {
    let text = superset.text(atom);
    if !superset.moves_if_needed(atom) {
        let hint = Some(Hint::NoRole { role: superset.term_text(atom.arguments[0]) });
        return Ok(ImpossibleAtom { atom: text, failures: Vec::new(), more: 0, hint });
    }
    let readings = superset.readings(atom)?;
    let mut failures = Vec::new();
    let mut rules = 0;
    for alternatives in readings.chunk_by(|a, b| a.rule == b.rule) {
        rules += 1;
        if rules > MOST_SHOWN {
            continue;
        }
        // Of a rule with disjunctions, the choice that gets furthest tells most.
        let mut best: Option<(usize, &Reading<'_>)> = None;
        for reading in alternatives {
            let reach = reach(superset, reading)?;
            if best.is_none_or(|(most, _)| reach > most) {
                best = Some((reach, reading));
            }
        }
        if let Some((reach, reading)) = best
            && let Some(failure) = failure(superset, reading, reach, level, followed)?
        {
            failures.push(failure);
        }
    }
    let hint = if rules == 0 { hint(superset, atom) } else { None };
    Ok(ImpossibleAtom { atom: text, failures, more: rules.saturating_sub(MOST_SHOWN), hint })
}

/// How many of the first literals of a rule can be satisfied together.
fn reach(superset: &mut Superset<'_, '_>, reading: &Reading<'_>) -> Result<usize, GroundError> {
    // What satisfies more of them satisfies fewer, so the border can be searched for by halves.
    let (mut least, mut most) = (0, reading.literals.len());
    while least < most {
        let middle = (least + most).div_ceil(2);
        if superset.satisfy(reading, middle)?.is_some() {
            least = middle;
        } else {
            most = middle - 1;
        }
    }
    Ok(least)
}

/// How a rule fails whose first literals can be satisfied; `None` if all of them can.
fn failure(
    superset: &mut Superset<'_, '_>,
    reading: &Reading<'_>,
    reach: usize,
    level: usize,
    followed: &mut Followed,
) -> Result<Option<Failure>, GroundError> {
    let Some(&(literal, _)) = reading.literals.get(reach) else { return Ok(None) };
    let binding = superset.satisfy(reading, reach)?.unwrap_or_default();
    let satisfied = reading.literals[..reach].iter();
    let satisfied = satisfied.map(|(literal, _)| superset.literal_text(literal, &binding)).collect();
    let named = |(&name, &value): (&Symbol, &TermId)| {
        (superset.symbols.spelling(name).to_string(), superset.term_text(value))
    };
    let mut failure = Failure {
        rule: RuleAt::of(superset.game, reading.rule),
        satisfied,
        binding: binding.iter().map(named).collect(),
        literal: superset.literal_text(literal, &binding),
        fault: fault(literal),
        step: None,
        hint: None,
    };
    if let Some(atom) = literal.positive_atom() {
        let atom = superset.instance(atom, &binding);
        if atom.arguments.iter().all(|&term| superset.store.terms.is_ground(term)) {
            failure.step = followed.number(atom, level + 1);
        } else {
            failure.hint = hint(superset, &atom);
        }
    }
    Ok(Some(failure))
}

fn fault(literal: &Literal) -> Fault {
    match (&literal.test, literal.positive) {
        (Test::Atom(_), true) => Fault::NeverHolds,
        (Test::Atom(_), false) => Fault::AlwaysHolds,
        (Test::Equal(_), true) => Fault::Different,
        (Test::Equal(_), false) => Fault::Same,
    }
}

/// What was probably meant by an atom that no rule fits, or what there is instead.
fn hint(superset: &Superset<'_, '_>, atom: &Atom) -> Option<Hint> {
    let (predicate, columns) = superset.columns(atom);
    let names = Names { game: superset.game, makers: &superset.makers, symbols: &superset.symbols };
    let last = atom.arguments.last().and_then(|&term| superset.store.terms.functor(term));
    let named = match atom.relation {
        RelationId::TRUE | RelationId::NEXT | RelationId::INIT | RelationId::DOES | RelationId::LEGAL => last,
        other => Some((superset.game.relation(other).name, atom.arguments.len())),
    };
    let (name, arity) = named?;
    if let Some(unknown) = names.unknown(atom.relation, name, arity) {
        return Some(unknown);
    }
    values(superset, atom, predicate?, &columns)
}

/// The first argument of an atom that is none of the values that the argument ever has.
fn values(superset: &Superset<'_, '_>, atom: &Atom, predicate: usize, columns: &[TermId]) -> Option<Hint> {
    let store = &superset.store;
    let table = &store.tables[predicate];
    if store.is_lazy(predicate) || table.len() == 0 {
        return None;
    }
    columns.iter().enumerate().filter(|(_, term)| store.terms.is_ground(**term)).find_map(|(column, term)| {
        let values: IndexSet<TermId, FxBuildHasher> =
            (0..table.len()).map(|row| table.row(row)[column]).collect();
        if values.contains(term) {
            return None;
        }
        let relation = superset.game.relation_name(atom.relation);
        let (name, argument) = match superset.program.predicates[predicate] {
            Predicate::Fluent(name, _) => (superset.symbols.spelling(name), column + 1),
            Predicate::Move(name, _) if column > 0 => (superset.symbols.spelling(name), column),
            _ => (relation, column + 1),
        };
        Some(values_hint(name.to_string(), argument, values, &|value| superset.term_text(value)))
    })
}
