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
        self.is_so(&tables.fixed)
    }

    /// Whose turn it is, if that is clear.
    pub(super) fn whose_turn(&self, tables: &Tables) -> Option<usize> {
        tables.modes.iter().position(|mode| self.is_so(mode))
    }

    #[inline]
    fn is_so(&self, known: &[(usize, u64, u64)]) -> bool {
        known.iter().all(|&(word, mask, values)| self.state[word] & mask == values)
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
        let is_wired = tables.moves_are_wired && self.flip_moves(tables, joint);
        if is_wired {
            self.circuit.settle(&tables.wiring);
        }
        for &(word, mask) in &turn.loose {
            let word = word as usize;
            self.changes[word] = (self.circuit.outputs[turn.default + word] ^ self.state[word]) & mask;
        }
        if turn.shares.is_empty() {
            joint.iter().for_each(|made| self.act(tables, turn, made.0));
        } else {
            let number = joint.iter().map(|made| turn.shares[made.0 as usize]).sum();
            self.act(tables, turn, number);
        }
        if is_wired {
            self.flip_moves(tables, joint);
        }
        self.change(tables);
    }

    /// Switches moves on or off; says whether anything follows them.
    fn flip_moves(&mut self, tables: &Tables, joint: &[Move]) -> bool {
        let first_move = 1 + tables.names.fluents();
        let mut is_wired = false;
        for made in joint {
            let node = first_move + made.0 as usize;
            if tables.wiring.is_used(node) {
                self.circuit.flip(&tables.wiring, node);
                is_wired = true;
            }
        }
        is_wired
    }

    /// Notes the effects of a list.
    fn act(&mut self, tables: &Tables, turn: &TurnTable, list: u32) {
        let own = &turn.lists[list as usize];
        for ready in &turn.ready[own.ready.start as usize..own.ready.end as usize] {
            let word = ready.word as usize;
            let next = self.circuit.outputs[ready.output as usize] ^ self.state[word];
            self.changes[word] = self.changes[word] & !ready.mask | next & ready.mask;
        }
        tables.code.run(own.program, &mut self.circuit.values);
        self.note(&turn.effects[own.effects.start as usize..own.effects.end as usize]);
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
