//! The circuit with a joint move fixed. Most of what comes next then is what was there before: a group whose latches all stay needs no solver,
//! and what is left of the change of a sum is about a few latches, however many the sum has.

use std::collections::BTreeMap;

use batsat::Lit;
use groundrules_net::Kind;
use rustc_hash::FxHashMap;

use crate::circuit::{Circuit, Node};
use crate::clock::Clock;
use crate::sat::{Frame, Sat};
use crate::step::Step;
use crate::sums;

/// The most joint moves.
pub(crate) const MOST_JOINT: usize = 40_000;

/// Latches with weights, in groups of which at most one holds.
pub(crate) type Groups = [Vec<(usize, i64)>];

/// What legal joint moves do to a sum.
pub(crate) enum Effect {
    /// The one of the last answer raises it.
    Rises,
    /// None raises it. These lower it in every state, and all others leave it as it is.
    Falls(Vec<Vec<usize>>),
    /// None raises it, and some lower it in some states alone.
    MayFall,
}

/// What legal joint moves do to a sum. The step is assumed by clauses. Nothing if there was no time, or there are too many joint moves.
pub(crate) fn effect(step: &mut Step<'_>, groups: &Groups, clock: &Clock) -> Option<Effect> {
    step.sat.set_clock(clock);
    let depends = dependent(step.circuit);
    for &(latch, _) in groups.iter().flatten() {
        step.next_literal(latch);
    }
    // Joint moves that were looked at are ruled out only here.
    let on = step.sat.fresh();
    let (mut falls, mut is_mixed) = (Vec::new(), false);
    for _ in 0..MOST_JOINT {
        if clock.is_over() {
            return None;
        }
        if !step.sat.ask(&[on])? {
            step.sat.clause([!on]);
            return Some(if is_mixed { Effect::MayFall } else { Effect::Falls(falls) });
        }
        let joint = step.moves();
        let mut frame = fixed(step, &depends, &joint);
        let (terms, constant) = change(step, &mut frame, groups);
        if !terms.is_empty() || constant != 0 {
            let rises = happens(&mut step.sat, &terms, constant, |change| change > 0);
            if can(step, &joint, rises)? {
                return Some(Effect::Rises);
            }
            let stays = happens(&mut step.sat, &terms, constant, |change| change == 0);
            match can(step, &joint, stays)? {
                true => is_mixed = true,
                false => falls.push(joint.clone()),
            }
        }
        let block: Vec<Lit> = joint.iter().map(|&made| !step.input(made)).chain([!on]).collect();
        step.sat.clause(block);
    }
    None
}

/// Whether something can be with a joint move.
fn can(step: &mut Step<'_>, joint: &[usize], what: Lit) -> Option<bool> {
    if what == step.sat.constant(false) {
        return Some(false);
    }
    let made = joint.iter().map(|&made| step.input(made));
    let assumed: Vec<Lit> = made.chain([what]).collect();
    step.sat.ask(&assumed)
}

/// The nodes that moves decide.
pub(crate) fn dependent(circuit: &Circuit) -> Vec<bool> {
    let mut depends = vec![false; circuit.node_count()];
    let node = |index: usize| groundrules_net::NodeId(index as u32);
    for index in 0..circuit.node_count() {
        depends[index] = match circuit.node(node(index)) {
            Node::Input(_) => true,
            Node::Constant | Node::Latch(_) => false,
            Node::Gate(..) => circuit.operands(node(index)).iter().any(|it| depends[it.node().index()]),
        };
    }
    // The gates of a component depend on each other.
    for range in circuit.components() {
        let gates = range.start as usize..range.end as usize;
        if depends[gates.clone()].contains(&true) {
            depends[gates].fill(true);
        }
    }
    // What comes after a component may have been judged too early.
    for index in 0..circuit.node_count() {
        depends[index] |= circuit.operands(node(index)).iter().any(|it| depends[it.node().index()]);
    }
    depends
}

/// The circuit with these moves and no others.
pub(crate) fn fixed(step: &Step<'_>, depends: &[bool], joint: &[usize]) -> Frame {
    let mut frame = step.frame.without(depends);
    for input in 0..step.circuit.input_count() {
        let value = step.sat.constant(joint.contains(&input));
        frame.set(step.circuit.input_literal(input).node(), value);
    }
    frame
}

/// What says that a sum changes, with the moves of a frame.
pub(crate) fn changes(step: &mut Step<'_>, frame: &mut Frame, groups: &Groups) -> Lit {
    let (terms, constant) = change(step, frame, groups);
    happens(&mut step.sat, &terms, constant, |change| change != 0)
}

/// By how much a sum changes: literals with weights, and a constant.
fn change(step: &mut Step<'_>, frame: &mut Frame, groups: &Groups) -> (Vec<(Lit, i64)>, i64) {
    let mut weights: FxHashMap<Lit, i64> = FxHashMap::default();
    let mut constant = 0;
    let truth = step.sat.truth();
    for &(latch, weight) in groups.iter().flatten() {
        let before = step.now(crate::state::StateLiteral::new(latch, true));
        let after = step.sat.literal(step.circuit, frame, step.circuit.next(latch));
        for (lit, weight) in [(before, -weight), (after, weight)] {
            // A literal is one less its complement.
            if lit == truth {
                constant += weight;
            } else if lit != !truth && lit.sign() {
                *weights.entry(lit).or_default() += weight;
            } else if lit != !truth {
                constant += weight;
                *weights.entry(!lit).or_default() -= weight;
            }
        }
    }
    let mut terms: Vec<(Lit, i64)> = weights.into_iter().filter(|term| term.1 != 0).collect();
    terms.sort_unstable();
    (terms, constant)
}

/// What says that literals with weights, and a constant, add up to a number that is wanted.
fn happens(sat: &mut Sat, terms: &[(Lit, i64)], constant: i64, is_wanted: impl Fn(i64) -> bool) -> Lit {
    let parts: Vec<Vec<(i64, Lit)>> =
        terms.iter().map(|&(lit, weight)| vec![(weight, lit), (0, !lit)]).collect();
    let totals: BTreeMap<i64, Lit> = sums::totals(sat, &parts);
    let found = totals.into_iter().filter(|&(total, _)| is_wanted(total + constant));
    let found = found.map(|(_, lit)| lit).collect();
    sat.gate(Kind::Or, found)
}
