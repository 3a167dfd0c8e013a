//! What of the end still has to be asked. A match that goes on was not over one move ago. Of the conditions that end it, those
//! over fluents that this move could not change do not hold now either: after white's move only white can have made a line.

use crate::gates::{Block, Kind};
use crate::literal::Literal;
use crate::network::{Network, holds};

/// The same network, whose end leaves out the conditions that rest only on fluents that are as they were one move ago. It is
/// right in the first state, and in states after a move that was made where the match was not over.
#[must_use]
pub fn end_after(network: &Network, is_unchanged: impl Fn(usize) -> bool) -> Network {
    let changed = changed(network, is_unchanged);
    let first = network.evaluate(|fluent| network.init[fluent], |_| false);
    let is_open = |&literal: &Literal| changed[literal.node().index()] || holds(literal, &first);
    let all = conditions(network);
    let mut open: Vec<Literal> = all.iter().copied().filter(is_open).collect();
    let mut network = network.clone();
    if open.len() < all.len() {
        network.outputs.terminal = network.gates.make(Kind::Or, &mut open);
    }
    network
}

/// The conditions of which one ends the match.
fn conditions(network: &Network) -> Vec<Literal> {
    let mut seen = vec![false; 2 * network.node_count()];
    let mut conditions = Vec::new();
    let mut pending = vec![network.outputs.terminal];
    while let Some(literal) = pending.pop() {
        if std::mem::replace(&mut seen[literal.0 as usize], true) {
            continue;
        }
        match network.gates.seen(literal) {
            // Inside a cycle the operands of a gate are not all there is to it.
            Some((Kind::Or, gate)) if !network.gates.is_in_component(gate) => {
                let operands = network.operands(gate).iter();
                pending.extend(operands.map(|operand| operand.complemented_if(literal.is_complemented())));
            }
            _ => conditions.push(literal),
        }
    }
    conditions
}

/// Which nodes rest on fluents that may have changed, or on moves.
fn changed(network: &Network, is_unchanged: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut changed = vec![false; network.node_count()];
    (0..network.fluents()).for_each(|fluent| changed[network.fluent(fluent).index()] = !is_unchanged(fluent));
    (0..network.moves()).for_each(|number| changed[network.does(number).index()] = true);
    for Block { gates, .. } in network.blocks() {
        let mut operands = gates.clone().flat_map(|gate| network.operands(gate));
        let any = operands.any(|operand| changed[operand.node().index()]);
        changed[network.gate(gates.start).index()..network.gate(gates.end).index()].fill(any);
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two roles put stones in turn on four cells; two neighbouring stones of a role end it, and so does a full board.
    const LINES: &str = "(role x) (role o) (init (turn x)) (cell 1) (cell 2) (cell 3) (cell 4) (next-to 1 2) (next-to 2 3)
        (next-to 3 4) (<= (taken ?c) (true (stone ?r ?c)))
        (<= (legal ?r (put ?c)) (true (turn ?r)) (cell ?c) (not (taken ?c))) (<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
        (<= (next (stone ?r ?c)) (does ?r (put ?c))) (<= (next (stone ?r ?c)) (true (stone ?r ?c)))
        (<= (next (turn o)) (true (turn x))) (<= (next (turn x)) (true (turn o)))
        (<= (line ?r) (true (stone ?r ?c)) (next-to ?c ?d) (true (stone ?r ?d)))
        (<= free (cell ?c) (not (taken ?c)))
        (<= terminal (line ?r)) (<= terminal (not free)) (<= (goal ?r 100) (line ?r)) (<= (goal ?r 0) (role ?r) (not (line ?r)))";

    fn network() -> (groundrules_ground::GroundGame, Network) {
        let game =
            groundrules_gdl::read(LINES.as_bytes(), &groundrules_gdl::Options::default()).game.unwrap();
        let ground = groundrules_ground::ground(&game, &groundrules_ground::Options::default()).unwrap();
        let network = crate::simplify(&Network::of(&ground).unwrap(), &crate::Options::default()).0;
        (ground, network)
    }

    #[test]
    fn lines_of_who_waited_are_not_asked_for() {
        let (ground, network) = network();
        let of = |fluent: usize, text: &str| ground.term(ground.fluents[fluent]).contains(text);
        let pruned = end_after(&network, |fluent| of(fluent, "stone o"));
        // Every state in which the stones of `o` make no line: there both say the same.
        for state in 0..1u32 << network.fluents() {
            let fluents = |fluent: usize| state >> fluent & 1 == 1;
            let stone = |cell: usize| {
                let text = format!("(stone o {cell})");
                (0..network.fluents()).any(|fluent| fluents(fluent) && of(fluent, &text))
            };
            let line = (1..4).any(|cell| stone(cell) && stone(cell + 1));
            let ends =
                |network: &Network| holds(network.outputs.terminal, &network.evaluate(fluents, |_| false));
            assert!(line || ends(&network) == ends(&pruned), "state {state:b}");
            assert!(ends(&network) || !ends(&pruned));
        }
        let alone = end_after(&network, |fluent| of(fluent, "stone"));
        assert_eq!(alone.outputs.terminal, Literal::FALSE);
        assert_eq!(end_after(&network, |_| false).outputs.terminal, network.outputs.terminal);
    }

    #[test]
    fn what_ends_the_match_at_once_is_asked_for() {
        let (_, mut network) = network();
        network.init.fill(true);
        let same = end_after(&network, |_| true);
        let values = same.evaluate(|_| true, |_| false);
        assert!(holds(same.outputs.terminal, &values));
    }
}
