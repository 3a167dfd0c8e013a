//! How many moves there are to choose from. Counting that in every step would cost gates in every step, so it is taken from
//! a sample: 64 playouts, a bit of a word each, run gate by gate from the network before it became circuits. The seed
//! decides it like everything else, and it is a fair sample of the states that playouts go through unless the network is so
//! large or the playouts so long that the sample is cut.

use std::ops::Range;

use groundrules_net::{Block, Kind, Literal, Network};

use super::segment::moves_by_role;
use crate::playout::Choices;
use crate::tally::Tally;

/// The most operands that are looked at for a sample: some hundredths of a second.
const MOST_WORK: usize = 40_000_000;

/// Playouts of which every choice is looked at.
pub(super) struct Sample {
    network: Network,
    moves: Vec<Vec<usize>>,
}

impl Sample {
    pub(super) fn new(network: &Network) -> Self {
        Sample { network: network.clone(), moves: moves_by_role(network) }
    }

    /// Plays up to 64 playouts and adds to the tally how many moves there were to choose from.
    pub(super) fn count(&self, playouts: u64, max_steps: u64, mut choices: Choices, tally: &mut Tally) {
        let network = &self.network;
        let mut values = vec![0; network.node_count()];
        for (fluent, &holds) in network.init.iter().enumerate() {
            values[network.fluent(fluent).index()] = if holds { u64::MAX } else { 0 };
        }
        let mut live = if playouts >= 64 { u64::MAX } else { (1 << playouts) - 1 };
        let rounds = MOST_WORK / (2 * network.operand_count() + 1) + 1;
        for _ in 0..max_steps.min(rounds as u64) {
            self.make(|_| 0, &mut values);
            live &= !word(network.outputs.terminal, &values);
            let made = self.choose(&mut live, &values, &mut choices, tally);
            if live == 0 {
                return;
            }
            self.make(|number| made[number], &mut values);
            let next: Vec<u64> = network.outputs.next.iter().map(|&next| word(next, &values)).collect();
            values[1..=next.len()].copy_from_slice(&next);
        }
    }

    /// Evaluates all gates where these moves are made.
    fn make(&self, made: impl Fn(usize) -> u64, values: &mut [u64]) {
        for number in 0..self.network.moves() {
            values[self.network.does(number).index()] = made(number);
        }
        evaluate(&self.network, values);
    }

    /// Chooses a move for every role in the lanes that live, and counts what there was to choose from; lanes in which a
    /// role has no move die. Gives for each move the lanes that make it.
    fn choose(&self, live: &mut u64, values: &[u64], choices: &mut Choices, tally: &mut Tally) -> Vec<u64> {
        let mut made = vec![0; self.network.moves()];
        let mut joint_moves = [1_u128; 64];
        let mut legal: Vec<usize> = Vec::new();
        for moves in &self.moves {
            for (lane, joint_moves) in joint_moves.iter_mut().enumerate() {
                let is_legal = |&&number: &&usize| {
                    word(self.network.outputs.legal[number], values) & *live & 1 << lane != 0
                };
                legal.clear();
                legal.extend(moves.iter().filter(is_legal));
                let Some(chosen) = choices.one_of(&legal) else {
                    *live &= !(1 << lane);
                    continue;
                };
                made[chosen] |= 1 << lane;
                *joint_moves = joint_moves.saturating_mul(legal.len() as u128);
                if legal.len() > 1 {
                    tally.choices.add(legal.len() as u128);
                }
            }
        }
        let living = (0..64).filter(|lane| *live & 1 << lane != 0);
        living.for_each(|lane| tally.branching.add(joint_moves[lane]));
        made
    }
}

fn word(literal: Literal, values: &[u64]) -> u64 {
    let value = values[literal.node().index()];
    if literal.is_complemented() { !value } else { value }
}

/// Evaluates the gates for 64 states at once.
fn evaluate(network: &Network, values: &mut [u64]) {
    for Block { gates, is_component } in network.blocks() {
        if is_component {
            values[network.gate(gates.start).index()..network.gate(gates.end - 1).index() + 1].fill(0);
        }
        while pass(network, gates.clone(), values) && is_component {}
    }
}

/// Evaluates some gates once; gives whether one changed.
fn pass(network: &Network, gates: Range<usize>, values: &mut [u64]) -> bool {
    let mut changed = false;
    for gate in gates {
        let operands = network.operands(gate).iter().map(|&operand| word(operand, values));
        let value = match network.gate_kind(gate) {
            Kind::And => operands.fold(u64::MAX, |all, value| all & value),
            Kind::Or => operands.fold(0, |any, value| any | value),
        };
        changed |= std::mem::replace(&mut values[network.gate(gate).index()], value) != value;
    }
    changed
}
