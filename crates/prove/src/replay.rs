//! Lines of moves played again on the circuit: what counts as evidence is checked here first.

use groundrules_net::Literal;

use crate::circuit::holds;
use crate::subject::Subject;

/// Plays a line; gives the values of all nodes in its last state, or nothing if a move was not legal.
pub(crate) fn play(subject: &Subject, line: &[Vec<u32>]) -> Option<(Vec<bool>, Vec<Vec<bool>>)> {
    let circuit = &subject.circuit;
    let mut states = vec![circuit.init().to_vec()];
    let mut values = circuit.evaluate(circuit.init(), |_| false);
    for joint in line {
        let is_legal =
            |made: &u32| circuit.legal.get(*made as usize).is_some_and(|&legal| holds(legal, &values));
        let by_roles = joint.iter().enumerate().all(|(role, &made)| {
            circuit.movers.get(made as usize).is_some_and(|&mover| mover as usize == role)
        });
        if holds(circuit.terminal, &values)
            || joint.len() != circuit.roles
            || !by_roles
            || !joint.iter().all(is_legal)
        {
            return None;
        }
        let mut made = vec![false; circuit.input_count()];
        joint.iter().for_each(|&number| made[number as usize] = true);
        let moved = circuit.evaluate(&states[states.len() - 1], |input| made[input]);
        let next = circuit.next_state(&moved);
        values = circuit.evaluate(&next, |_| false);
        states.push(next);
    }
    Some((values, states))
}

pub(crate) fn end_of(subject: &Subject, line: &[Vec<u32>]) -> Vec<bool> {
    play(subject, line).map_or_else(|| vec![false; subject.circuit.node_count()], |(values, _)| values)
}

/// Whether a line is legal and a literal holds at its end.
pub fn leads_to(subject: &Subject, line: &[Vec<u32>], literal: Literal) -> bool {
    play(subject, line).is_some_and(|(values, _)| holds(literal, &values))
}

/// Whether a line is legal and its last state is that after the first moves.
pub fn comes_again(subject: &Subject, line: &[Vec<u32>], first: usize) -> bool {
    let fluents = subject.circuit.fluent_count();
    play(subject, line).is_some_and(|(_, states)| {
        first < line.len() && states[first][..fluents] == states[line.len()][..fluents]
    })
}
