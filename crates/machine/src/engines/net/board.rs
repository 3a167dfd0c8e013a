//! The current state of a machine with the values of the network, and the transition to the next state.

use super::circuit::Circuit;
use super::program::value;
use super::tables::{NEVER, Tables, TurnTable};
use super::wiring::Lit;
use crate::machine::Move;

/// The state and the values.
#[derive(Clone, Debug)]
pub(super) struct Board {
    pub(super) circuit: Circuit,
    /// A bit for each fluent.
    pub(super) state: Vec<u64>,
    /// Which fluents change; nothing between two moves.
    changes: Vec<u64>,
}

impl Board {
    /// Where no fluent holds.
    pub(super) fn new(tables: &Tables) -> Self {
        let words = tables.init.len();
        let circuit = Circuit::new(&tables.wiring, tables.nodes, tables.outputs.clone());
        Board { circuit, state: vec![0; words], changes: vec![0; words] }
    }

    /// Goes to a state, given word by word.
    pub(super) fn go(&mut self, tables: &Tables, state: impl Fn(usize) -> u64) {
        for (word, changes) in self.changes.iter_mut().enumerate() {
            *changes = state(word) ^ self.state[word];
        }
        self.change(tables);
    }

    /// Whether what never changes in legal play is as it always is.
    pub(super) fn is_usual(&self, tables: &Tables) -> bool {
        tables.fixed.iter().zip(&self.state).all(|(&(mask, values), state)| state & mask == values)
    }

    /// Whose turn it is, if that is clear.
    pub(super) fn whose_turn(&self, tables: &Tables) -> Option<usize> {
        if tables.control.is_empty() {
            return Some(0);
        }
        let holds = |fluent: u32| self.circuit.values[1 + fluent as usize] == 1;
        let mut holding = tables.control.iter().enumerate().filter(|&(_, &fluent)| holds(fluent));
        let (turn, _) = holding.next()?;
        holding.next().is_none().then_some(turn)
    }

    /// Whether all moves are legal here, each for its role.
    pub(super) fn are_legal(&self, turn: &TurnTable, joint: &[Move]) -> bool {
        joint.iter().zip(&turn.legal).all(|(made, own)| {
            let bit = turn.legal_bit.get(made.0 as usize).copied().unwrap_or(NEVER);
            let word = (bit >> 6) as usize;
            let of_role = own.start..own.start + own.moves.len().div_ceil(64);
            of_role.contains(&word) && self.circuit.outputs[word] >> (bit & 63) & 1 == 1
        })
    }

    /// Makes legal moves.
    pub(super) fn advance(&mut self, tables: &Tables, turn: &TurnTable, joint: &[Move]) {
        // Some fluents are wired to the moves; they are read while the moves are being made.
        let first_move = 1 + tables.names.fluents();
        let mut is_wired = false;
        for made in joint {
            let node = first_move + made.0 as usize;
            if tables.wiring.is_used(node) {
                self.circuit.flip(&tables.wiring, node);
                is_wired = true;
            }
        }
        if is_wired {
            self.circuit.settle(&tables.wiring);
        }
        for &(word, mask) in &turn.loose {
            let word = word as usize;
            self.changes[word] = (self.circuit.outputs[turn.default + word] ^ self.state[word]) & mask;
        }
        for made in joint {
            let own = turn.moves[made.0 as usize];
            tables.code.run(own.program, &mut self.circuit.values);
            self.note(&turn.effects[own.start as usize..own.end as usize]);
        }
        if is_wired {
            let nodes = joint.iter().map(|made| first_move + made.0 as usize);
            for node in nodes.filter(|&node| tables.wiring.is_used(node)) {
                self.circuit.flip(&tables.wiring, node);
            }
        }
        self.change(tables);
    }

    /// Notes what a move does, word by word: the fluents ascend.
    fn note(&mut self, effects: &[(u32, Lit)]) {
        let mut effects = effects;
        while let Some(&(first, _)) = effects.first() {
            let word = first >> 6;
            let (mut named, mut next) = (0u64, 0u64);
            while let [(fluent, lit), rest @ ..] = effects
                && fluent >> 6 == word
            {
                named |= 1 << (fluent & 63);
                next |= u64::from(value(*lit, &self.circuit.values)) << (fluent & 63);
                effects = rest;
            }
            let word = word as usize;
            self.changes[word] = self.changes[word] & !named | (next ^ self.state[word]) & named;
        }
    }

    /// Makes the changes that were noted.
    fn change(&mut self, tables: &Tables) {
        for (word, (changes, state)) in self.changes.iter_mut().zip(&mut self.state).enumerate() {
            let mut left = std::mem::take(changes);
            *state ^= left;
            while left != 0 {
                self.circuit.flip(&tables.wiring, 1 + (word << 6 | left.trailing_zeros() as usize));
                left &= left - 1;
            }
        }
        self.circuit.settle(&tables.wiring);
    }
}
