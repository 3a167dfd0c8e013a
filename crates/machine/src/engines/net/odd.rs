//! Evaluation outside legal play. After an illegal move, which a recorded match may contain, the assumptions of the
//! engine do not hold. The network as the rules are written is then evaluated in full, which is slow.

use groundrules_net::{Network, holds};

use super::NetMachine;
use super::tables::number;
use crate::machine::Move;

/// What there is to see in a state.
#[derive(Clone, Debug)]
pub(super) struct Odd {
    pub(super) terminal: bool,
    /// The legal moves of each role.
    pub(super) legal: Vec<Vec<Move>>,
    /// The goals of each role.
    pub(super) goals: Vec<Vec<i32>>,
}

impl Odd {
    fn of(network: &Network, state: &[u64]) -> Self {
        let values = network.evaluate(|fluent| bit(state, fluent), |_| false);
        let mut legal = vec![Vec::new(); network.roles];
        for (made, &literal) in network.outputs.legal.iter().enumerate() {
            if holds(literal, &values) {
                legal[network.movers[made] as usize].push(Move(number(made)));
            }
        }
        let mut goals = vec![Vec::new(); network.roles];
        for goal in network.outputs.goals.iter().filter(|goal| holds(goal.literal, &values)) {
            goals[goal.role].push(goal.value);
        }
        goals.iter_mut().for_each(Vec::dedup);
        Odd { terminal: holds(network.outputs.terminal, &values), legal, goals }
    }
}

impl NetMachine {
    /// What there is to see here, by the rules as they are written.
    pub(super) fn odd(&mut self) -> &Odd {
        let (tables, state) = (&self.tables, &self.board.state);
        self.odd.get_or_insert_with(|| Odd::of(tables.written(), state))
    }

    /// Makes moves that need not be legal.
    pub(super) fn advance_oddly(&mut self, joint: &[Move]) {
        let (network, state) = (self.tables.written(), &self.board.state);
        let made = |made: usize| joint.get(network.movers[made] as usize) == Some(&Move(number(made)));
        let values = network.evaluate(|fluent| bit(state, fluent), made);
        let mut next = vec![0u64; state.len()];
        for (fluent, &literal) in network.outputs.next.iter().enumerate() {
            next[fluent / 64] |= u64::from(holds(literal, &values)) << (fluent % 64);
        }
        self.go(|word| next[word]);
    }
}

fn bit(state: &[u64], fluent: usize) -> bool {
    state[fluent / 64] >> (fluent % 64) & 1 == 1
}
