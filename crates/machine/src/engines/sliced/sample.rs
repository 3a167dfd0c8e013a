//! How many moves there are to choose from. Counting that in every step would cost gates in every step, so it is taken from
//! a sample: 64 playouts, a bit of a word each, run gate by gate from the network before it became circuits. The seed
//! decides it like everything else, and it is a fair sample of the states that playouts go through unless the network is so
//! large or the playouts so long that the sample is cut.

use groundrules_net::{Block, Kind, Literal, Network};

use super::segment::moves_by_role;
use crate::index::index32;
use crate::playout::Choices;
use crate::tally::Tally;

/// The most operands that are looked at for a sample: some hundredths of a second.
const MOST_WORK: usize = 40_000_000;

/// Playouts of which every choice is looked at. The network is kept flat: node by node, as indexes and masks.
pub(super) struct Sample {
    init: Vec<bool>,
    nodes: usize,
    first_move: usize,
    gates: Vec<Gates>,
    operands: Vec<Word>,
    /// For each role its moves that are ever legal, with their legality.
    moves: Vec<Vec<(usize, Word)>>,
    all_moves: usize,
    terminal: Word,
    next: Vec<Word>,
}

/// A value of a state: a node's, or the complement of it.
#[derive(Clone, Copy)]
struct Word {
    node: u32,
    mask: u64,
}

impl Word {
    fn of(literal: Literal) -> Word {
        let mask = if literal.is_complemented() { u64::MAX } else { 0 };
        Word { node: index32(literal.node().index()), mask }
    }

    #[inline(always)]
    fn read(self, values: &[u64]) -> u64 {
        values[self.node as usize] ^ self.mask
    }
}

/// A stretch of gates that are evaluated together.
struct Gates {
    /// The node of the first one.
    first: usize,
    /// For each gate whether it is a conjunction, and where its operands end.
    kinds: Vec<(bool, u32)>,
    /// Where the operands of the first one begin.
    start: usize,
    /// Whether they are repeated until nothing changes, beginning with none of them true.
    is_component: bool,
}

impl Sample {
    pub(super) fn new(network: &Network) -> Self {
        let (mut gates, mut operands) = (Vec::<Gates>::new(), Vec::new());
        for Block { gates: range, is_component } in network.blocks() {
            if is_component || gates.last().is_none_or(|last| last.is_component) {
                let first = network.gate(range.start).index();
                gates.push(Gates { first, kinds: Vec::new(), start: operands.len(), is_component });
            }
            for gate in range {
                operands.extend(network.operands(gate).iter().copied().map(Word::of));
                let kind = (network.gate_kind(gate) == Kind::And, index32(operands.len()));
                gates.last_mut().expect("there is a stretch").kinds.push(kind);
            }
        }
        let outputs = &network.outputs;
        let legal = |number: usize| (number, Word::of(outputs.legal[number]));
        Sample {
            init: network.init.clone(),
            nodes: network.node_count(),
            first_move: network.fluents() + 1,
            gates,
            operands,
            moves: moves_by_role(network)
                .into_iter()
                .map(|moves| moves.into_iter().map(legal).collect())
                .collect(),
            all_moves: network.moves(),
            terminal: Word::of(outputs.terminal),
            next: outputs.next.iter().copied().map(Word::of).collect(),
        }
    }

    /// Plays up to 64 playouts and adds to the tally how many moves there were to choose from.
    pub(super) fn count(&self, playouts: u64, max_steps: u64, mut choices: Choices, tally: &mut Tally) {
        let mut values = vec![0; self.nodes];
        for (fluent, &holds) in self.init.iter().enumerate() {
            values[1 + fluent] = if holds { u64::MAX } else { 0 };
        }
        let mut live = if playouts >= 64 { u64::MAX } else { (1 << playouts) - 1 };
        let rounds = MOST_WORK / (2 * self.operands.len() + 1) + 1;
        for _ in 0..max_steps.min(rounds as u64) {
            values[self.first_move..self.first_move + self.all_moves].fill(0);
            self.evaluate(&mut values);
            live &= !self.terminal.read(&values);
            let made = self.choose(&mut live, &values, &mut choices, tally);
            if live == 0 {
                return;
            }
            values[self.first_move..self.first_move + self.all_moves].copy_from_slice(&made);
            self.evaluate(&mut values);
            let next: Vec<u64> = self.next.iter().map(|next| next.read(&values)).collect();
            values[1..=next.len()].copy_from_slice(&next);
        }
    }

    /// Chooses a move for every role in the lanes that live, and counts what there was to choose from; lanes in which a
    /// role has no move die. Gives for each move the lanes that make it.
    fn choose(&self, live: &mut u64, values: &[u64], choices: &mut Choices, tally: &mut Tally) -> Vec<u64> {
        let mut made = vec![0; self.all_moves];
        let mut joint_moves = [1_u128; 64];
        let mut legal: Vec<Vec<usize>> = vec![Vec::new(); 64];
        for moves in &self.moves {
            legal.iter_mut().for_each(Vec::clear);
            for &(number, is_legal) in moves {
                let mut rest = is_legal.read(values) & *live;
                while rest != 0 {
                    legal[rest.trailing_zeros() as usize].push(number);
                    rest &= rest - 1;
                }
            }
            for (lane, joint_moves) in joint_moves.iter_mut().enumerate() {
                let legal = &legal[lane];
                let Some(chosen) = choices.one_of(legal) else {
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

    /// Evaluates the gates for 64 states at once.
    fn evaluate(&self, values: &mut [u64]) {
        for gates in &self.gates {
            if gates.is_component {
                values[gates.first..gates.first + gates.kinds.len()].fill(0);
            }
            while self.pass(gates, values) && gates.is_component {}
        }
    }

    /// Evaluates some gates once; gives whether one changed.
    fn pass(&self, gates: &Gates, values: &mut [u64]) -> bool {
        let mut changed = false;
        let mut start = gates.start;
        for (node, &(is_conjunction, end)) in (gates.first..).zip(&gates.kinds) {
            let operands = self.operands[start..end as usize].iter().map(|operand| operand.read(values));
            let value = if is_conjunction {
                operands.fold(u64::MAX, |all, value| all & value)
            } else {
                operands.fold(0, |any, value| any | value)
            };
            start = end as usize;
            changed |= std::mem::replace(&mut values[node], value) != value;
        }
        changed
    }
}
