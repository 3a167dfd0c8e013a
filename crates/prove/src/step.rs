//! One joint move as clauses: the latches before it, the moves, and what the latches are next. The moves are legal, one for each
//! role, where `step` is assumed; without it only the state is meant, and it may be terminal.

use batsat::Lit;
use groundrules_net::Literal;

use crate::circuit::Circuit;
use crate::clock::Clock;
use crate::known::Known;
use crate::sat::{Frame, Sat};
use crate::state::StateLiteral;

/// A state, a joint move and the next state, in a solver.
pub(crate) struct Step<'c> {
    pub(crate) circuit: &'c Circuit,
    pub(crate) sat: Sat,
    pub(crate) frame: Frame,
    /// Assumed where a legal joint move is made.
    pub(crate) step: Lit,
    latches: Vec<Lit>,
    inputs: Vec<Lit>,
}

impl<'c> Step<'c> {
    pub(crate) fn new(circuit: &'c Circuit, clock: &Clock) -> Self {
        let mut step = Step::without_moves(circuit, clock);
        step.add_moves();
        step
    }

    /// The same without the clauses for legal joint moves.
    pub(crate) fn without_moves(circuit: &'c Circuit, clock: &Clock) -> Self {
        let mut sat = Sat::new(clock);
        let mut frame = Frame::new(circuit);
        let step = sat.fresh();
        let mut free = |literal: Literal| {
            let lit = sat.fresh();
            frame.set(literal.node(), lit);
            lit
        };
        let latches = (0..circuit.latch_count()).map(|latch| free(circuit.latch_literal(latch))).collect();
        let inputs = (0..circuit.input_count()).map(|input| free(circuit.input_literal(input))).collect();
        Step { circuit, sat, frame, step, latches, inputs }
    }

    fn add_moves(&mut self) {
        let (circuit, step) = (self.circuit, self.step);
        add_legal_moves(circuit, &mut self.sat, &mut self.frame, Some(step));
    }

    /// What says that a literal holds before the move.
    pub(crate) fn literal(&mut self, literal: Literal) -> Lit {
        self.sat.literal(self.circuit, &mut self.frame, literal)
    }

    /// What says that a latch has its value before the move.
    pub(crate) fn now(&self, literal: StateLiteral) -> Lit {
        signed(self.latches[literal.latch()], literal.is_positive())
    }

    /// What says that a latch has its value after the move.
    pub(crate) fn next(&mut self, literal: StateLiteral) -> Lit {
        let next = self.circuit.next(literal.latch());
        signed(self.literal(next), literal.is_positive())
    }

    /// What says that a latch holds after the move.
    pub(crate) fn next_literal(&mut self, latch: usize) -> Lit {
        self.next(StateLiteral::new(latch, true))
    }

    pub(crate) fn input(&self, input: usize) -> Lit {
        self.inputs[input]
    }

    /// Assumes what is known of every state.
    pub(crate) fn assume(&mut self, known: &Known) {
        known.assume(&mut self.sat, &self.latches);
    }

    /// Adds a clause about the state before the move.
    pub(crate) fn add_now(&mut self, clause: &[StateLiteral], unless: Option<Lit>) {
        let lits: Vec<Lit> = clause.iter().map(|&literal| self.now(literal)).collect();
        self.sat.clause(lits.into_iter().chain(unless));
    }

    /// The state of the last answer yes.
    pub(crate) fn state(&self) -> Vec<bool> {
        self.latches.iter().map(|&latch| self.sat.holds(latch)).collect()
    }

    /// The moves of the last answer yes, where `step` was assumed.
    pub(crate) fn moves(&self) -> Vec<usize> {
        (0..self.inputs.len()).filter(|&input| self.sat.holds(self.inputs[input])).collect()
    }
}

fn signed(lit: Lit, is_positive: bool) -> Lit {
    if is_positive { lit } else { !lit }
}

/// Adds clauses: each role makes exactly one move, a legal one, and the match is not over; where a literal is given, only if it holds.
pub(crate) fn add_legal_moves(circuit: &Circuit, sat: &mut Sat, frame: &mut Frame, only_if: Option<Lit>) {
    let unless = only_if.map(|lit| !lit);
    let terminal = sat.literal(circuit, frame, circuit.terminal);
    sat.clause([!terminal].into_iter().chain(unless));
    for input in 0..circuit.input_count() {
        let does = sat.literal(circuit, frame, circuit.input_literal(input));
        let legal = sat.literal(circuit, frame, circuit.legal[input]);
        sat.clause([!does, legal].into_iter().chain(unless));
    }
    for role in 0..circuit.roles {
        let inputs: Vec<usize> = circuit.inputs_of(role).collect();
        let does: Vec<Lit> =
            inputs.iter().map(|&input| sat.literal(circuit, frame, circuit.input_literal(input))).collect();
        sat.clause(does.iter().copied().chain(unless));
        if does.len() > 1 {
            // That moves exclude each other may be asked for always: a state alone says nothing about them.
            sat.at_most_one(&does);
        }
    }
}
