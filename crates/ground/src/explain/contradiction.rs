//! Instances of rules that the supersets allow and that still can never apply: because of a literal that contradicts
//! another one, or that is decided for good in the ground game.

use groundrules_gdl::game::{Atom, Literal};

use super::MOST_SHOWN;
use super::answer::{Fault, Instance, RuleAt};
use super::lookup::Found;
use super::superset::{Binding, Reading, Superset};
use crate::error::GroundError;
use crate::ground_game::GroundGame;

/// The first instances of the rules for an atom, with what is wrong with them in view of a ground game with all atoms.
pub(super) fn instances(
    superset: &mut Superset<'_, '_>,
    atom: &Atom,
    everything: &GroundGame,
) -> Result<Vec<Instance>, GroundError> {
    let mut instances = Vec::new();
    for reading in superset.readings(atom)? {
        let left = MOST_SHOWN - instances.len();
        if left == 0 {
            break;
        }
        for way in superset.ways(&reading, reading.literals.len(), left)? {
            instances.push(instance(superset, atom, &reading, &way, everything));
        }
    }
    Ok(instances)
}

fn instance(
    superset: &mut Superset<'_, '_>,
    head: &Atom,
    reading: &Reading<'_>,
    way: &Binding,
    everything: &GroundGame,
) -> Instance {
    let literals: Vec<&Literal> = reading.literals.iter().map(|(literal, _)| *literal).collect();
    let body = literals.iter().map(|literal| superset.literal_text(literal, way)).collect();
    let blamed = literals.iter().find_map(|literal| {
        let fault = fault(superset, head, literal, &literals, way, everything)?;
        Some((superset.literal_text(literal, way), fault))
    });
    Instance { rule: RuleAt::of(superset.game, reading.rule), body, blamed }
}

/// What is wrong with a literal of an instance.
fn fault(
    superset: &mut Superset<'_, '_>,
    head: &Atom,
    literal: &Literal,
    body: &[&Literal],
    way: &Binding,
    everything: &GroundGame,
) -> Option<Fault> {
    let atom = superset.instance(literal.atom()?, way);
    if superset.is_static(&atom) {
        return None;
    }
    if literal.positive && atom == *head {
        return Some(Fault::Itself);
    }
    let opposite = { body.iter() }
        .filter(|other| other.positive != literal.positive)
        .filter_map(|other| other.atom())
        .any(|other| superset.instance(other, way) == atom);
    if opposite {
        return Some(Fault::Contradiction);
    }
    let name = superset.game.relation_name(atom.relation);
    let found = Found::of(everything, name, &atom.arguments, &superset.store.terms);
    match (found, literal.positive) {
        (None, true) => Some(Fault::NeverHolds),
        (Some(found), false) if found.is_always(everything) => Some(Fault::AlwaysHolds),
        _ => None,
    }
}
