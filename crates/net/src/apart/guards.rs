//! Guards: moves of one role of which one is made wherever a literal holds.

use crate::gates::{Block, Kind};
use crate::literal::Literal;
use crate::network::Network;
use groundrules_gdl::index::index32;

/// The most moves of a guard, and of all guards together.
const MOST_MOVES: usize = 512;
const MOST_IN_ALL: usize = 30_000_000;

/// Moves of a role, ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Guard {
    pub(super) role: u32,
    pub(super) moves: Box<[u32]>,
}

/// The guards of all literals that have one.
pub(super) struct Guards {
    /// For each node that of the node and that of its complement.
    of: Vec<[Option<Guard>; 2]>,
    in_all: usize,
}

impl Guards {
    pub(super) fn of(network: &Network) -> Guards {
        let mut guards = Guards { of: vec![[None, None]; network.node_count()], in_all: 0 };
        for (number, &role) in network.movers.iter().enumerate() {
            let moves = Box::new([index32(number, "moves")]);
            guards.of[network.does(number).index()][0] = Some(Guard { role, moves });
        }
        for Block { gates, is_component } in network.blocks() {
            // What depends on itself has no guard.
            if !is_component {
                guards.add(network, gates.start);
            }
        }
        guards
    }

    /// The guard of a literal.
    pub(super) fn get(&self, literal: Literal) -> Option<&Guard> {
        self.of[literal.node().index()][usize::from(literal.is_complemented())].as_ref()
    }

    fn add(&mut self, network: &Network, gate: usize) {
        for complement in [false, true] {
            let seen = || network.operands(gate).iter().map(|operand| operand.complemented_if(complement));
            let guard = match network.gate_kind(gate) {
                kind if (kind == Kind::And) != complement => self.smallest(seen()),
                _ => self.union(seen()),
            };
            if let Some(guard) = guard {
                self.in_all += guard.moves.len();
                if self.in_all <= MOST_IN_ALL {
                    self.of[network.gate(gate).index()][usize::from(complement)] = Some(guard);
                }
            }
        }
    }

    fn smallest(&self, operands: impl Iterator<Item = Literal>) -> Option<Guard> {
        operands.filter_map(|operand| self.get(operand)).min_by_key(|guard| guard.moves.len()).cloned()
    }

    fn union(&self, operands: impl Iterator<Item = Literal>) -> Option<Guard> {
        let mut role = None;
        let mut moves: Vec<u32> = Vec::new();
        for operand in operands {
            let guard = self.get(operand)?;
            if *role.get_or_insert(guard.role) != guard.role {
                return None;
            }
            moves.extend(&guard.moves);
            if moves.len() > 2 * MOST_MOVES {
                return None;
            }
        }
        moves.sort_unstable();
        moves.dedup();
        (moves.len() <= MOST_MOVES).then(|| Guard { role: role.unwrap_or(0), moves: moves.into() })
    }
}
