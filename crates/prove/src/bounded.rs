//! Bounded model checking: the circuit written out move by move from the first state. Finds shortest lines to what can be reached,
//! and states that come again.

use batsat::Lit;
use groundrules_gdl::index::index32;
use groundrules_net::{Kind, Literal};

use crate::circuit::Circuit;
use crate::clock::Clock;
use crate::known::Known;
use crate::playouts::Line;
use crate::sat::{Frame, Sat};
use crate::step::add_legal_moves;

/// The circuit over several moves.
pub(crate) struct Unrolled<'c> {
    circuit: &'c Circuit,
    pub(crate) sat: Sat,
    frames: Vec<Frame>,
    latches: Vec<Vec<Lit>>,
    known: Known,
}

impl<'c> Unrolled<'c> {
    /// Begins in the first state, or in any state where the known invariants hold.
    pub(crate) fn new(circuit: &'c Circuit, known: &Known, from_first: bool, clock: &Clock) -> Self {
        if from_first {
            return Unrolled::from_state(circuit, known, circuit.init(), clock);
        }
        let mut sat = Sat::new(clock);
        let latches = (0..circuit.latch_count()).map(|_| sat.fresh()).collect();
        Unrolled::begin(circuit, known, sat, latches)
    }

    /// Begins in a state that play can reach.
    pub(crate) fn from_state(circuit: &'c Circuit, known: &Known, state: &[bool], clock: &Clock) -> Self {
        let sat = Sat::new(clock);
        let latches = state.iter().map(|&value| sat.constant(value)).collect();
        Unrolled::begin(circuit, known, sat, latches)
    }

    fn begin(circuit: &'c Circuit, known: &Known, sat: Sat, latches: Vec<Lit>) -> Self {
        let mut unrolled =
            Unrolled { circuit, sat, frames: Vec::new(), latches: Vec::new(), known: known.clone() };
        unrolled.push(latches);
        unrolled
    }

    fn push(&mut self, latches: Vec<Lit>) {
        let mut frame = Frame::new(self.circuit);
        for (latch, &lit) in latches.iter().enumerate() {
            frame.set(self.circuit.latch_literal(latch).node(), lit);
        }
        self.known.assume(&mut self.sat, &latches);
        self.frames.push(frame);
        self.latches.push(latches);
    }

    /// How many moves are written out.
    pub(crate) fn moves(&self) -> usize {
        self.frames.len() - 1
    }

    /// How many variables the solver has.
    pub(crate) fn variables(&self) -> usize {
        self.sat.variables()
    }

    /// Writes one more legal joint move out.
    pub(crate) fn extend(&mut self) {
        let last = self.frames.len() - 1;
        add_legal_moves(self.circuit, &mut self.sat, &mut self.frames[last], None);
        let latches = (0..self.circuit.latch_count())
            .map(|latch| self.sat.literal(self.circuit, &mut self.frames[last], self.circuit.next(latch)));
        let latches = latches.collect();
        self.push(latches);
    }

    /// What says that a literal holds after so many moves.
    pub(crate) fn literal(&mut self, moves: usize, literal: Literal) -> Lit {
        self.sat.literal(self.circuit, &mut self.frames[moves], literal)
    }

    /// What a latch is after so many moves.
    pub(crate) fn latch(&self, moves: usize, latch: usize) -> Lit {
        self.latches[moves][latch]
    }

    /// What says that the state after so many moves is the same as another one.
    pub(crate) fn same(&mut self, one: usize, other: usize) -> Lit {
        let mut equal = Vec::new();
        for latch in 0..self.circuit.fluent_count() {
            let (a, b) = (self.latches[one][latch], self.latches[other][latch]);
            if a == b {
                continue;
            }
            if a == !b {
                return self.sat.constant(false);
            }
            let both = self.sat.gate(Kind::And, vec![a, b]);
            let neither = self.sat.gate(Kind::And, vec![!a, !b]);
            equal.push(self.sat.gate(Kind::Or, vec![both, neither]));
        }
        self.sat.gate(Kind::And, equal)
    }

    /// The line of the last answer yes, up to a number of moves.
    pub(crate) fn line(&mut self, moves: usize) -> Line {
        let mut line = vec![vec![u32::MAX; self.circuit.roles]; moves];
        for (joint, frame) in line.iter_mut().zip(0..moves) {
            for input in 0..self.circuit.input_count() {
                let literal = self.circuit.input_literal(input);
                let lit = self.sat.literal(self.circuit, &mut self.frames[frame], literal);
                if self.sat.holds(lit) {
                    joint[self.circuit.movers[input] as usize] = index32(input, "inputs");
                }
            }
        }
        line
    }
}
