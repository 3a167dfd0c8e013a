//! The incremental solver behind the proofs, and circuits as clauses. Questions stop at a deadline.
//!
//! Gates that depend on each other are encoded as their completion, which has more models than the least fixpoint. Whenever a
//! model is not the least one, a loop formula that excludes it is added, and the question is asked again: answers are exact.
//!
//! Writing clauses takes time and memory, too. When the limit of either is met there, the solver gives up: from then on it takes no
//! clause and answers nothing.

use std::ops::Range;
use std::rc::Rc;

use batsat::{Lit, Solver, SolverInterface, SolverOpts, lbool};
use groundrules_net::{Kind, Literal, NodeId};
use rustc_hash::FxHashSet;

use crate::circuit::{Circuit, Node};
use crate::clock::{Clock, Memory};

/// What a solver takes: for a variable its values, activities and lists; for a clause also what is learnt.
const BYTES_PER_VARIABLE: usize = 160;
const BYTES_PER_CLAUSE: usize = 48;
const BYTES_PER_LITERAL: usize = 8;

impl Drop for Sat {
    fn drop(&mut self) {
        self.memory.give_back(self.bytes + self.solver.cb().learnt());
    }
}

/// A component of one frame, by the literals of its gates.
struct Fixpoint {
    gates: Vec<FixpointGate>,
}

struct FixpointGate {
    own: Lit,
    kind: Kind,
    /// Operands in the component, by place, and others.
    inside: Vec<u32>,
    outside: Vec<Lit>,
}

/// The solver.
pub(crate) struct Sat {
    solver: Solver<Clock>,
    /// What its clauses and variables take, as estimated.
    memory: Rc<Memory>,
    bytes: usize,
    truth: Lit,
    fixpoints: Vec<Fixpoint>,
    scratch: Vec<Lit>,
    /// When writing clauses has to stop, and whether it had to.
    limit: Clock,
    has_given_up: bool,
    polled: u32,
}

/// After so many variables and clauses the limit is looked at.
const UNTIL_POLLED: u32 = 1024;

/// The nodes of a circuit at one time, as far as they are encoded.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    nodes: Vec<Option<Lit>>,
}

impl Frame {
    pub(crate) fn new(circuit: &Circuit) -> Self {
        Frame { nodes: vec![None; circuit.node_count()] }
    }

    /// The same, where some nodes are not encoded.
    pub(crate) fn without(&self, which: &[bool]) -> Self {
        let nodes = self.nodes.iter().zip(which);
        Frame { nodes: nodes.map(|(lit, &is_left_out)| lit.filter(|_| !is_left_out)).collect() }
    }

    /// Says what a node is, before anything that needs it is encoded.
    pub(crate) fn set(&mut self, node: NodeId, lit: Lit) {
        self.nodes[node.index()] = Some(lit);
    }
}

impl Sat {
    pub(crate) fn new(clock: &Clock) -> Sat {
        let mut solver = Solver::new(SolverOpts::default(), clock.with_learnt(0));
        let truth = Lit::new(solver.new_var_default(), true);
        solver.add_clause_reuse(&mut vec![truth]);
        let memory = Rc::clone(clock.memory());
        Sat {
            solver,
            memory,
            bytes: 0,
            truth,
            fixpoints: Vec::new(),
            scratch: Vec::new(),
            limit: clock.clone(),
            has_given_up: false,
            polled: 0,
        }
    }

    /// Whether clauses were left out for lack of time or memory: then there are no answers any more.
    pub(crate) fn has_given_up(&mut self) -> bool {
        self.polled += 1;
        if self.polled >= UNTIL_POLLED {
            self.polled = 0;
            self.has_given_up |= self.limit.is_over();
        }
        self.has_given_up
    }

    /// When answers have to stop from now on. The limit for writing clauses stays.
    pub(crate) fn set_clock(&mut self, clock: &Clock) {
        let learnt = self.solver.cb().learnt();
        *self.solver.cb_mut() = clock.with_learnt(learnt);
    }

    pub(crate) fn truth(&self) -> Lit {
        self.truth
    }

    pub(crate) fn constant(&self, value: bool) -> Lit {
        if value { self.truth } else { !self.truth }
    }

    fn take(&mut self, bytes: usize) {
        self.bytes += bytes;
        self.memory.take(bytes);
    }

    /// Whether a share of the memory limit, in percent, is exceeded by all solvers together.
    pub(crate) fn exceeds(&self, percent: usize) -> bool {
        self.memory.exceeds(percent)
    }

    pub(crate) fn fresh(&mut self) -> Lit {
        if self.has_given_up() {
            return self.truth;
        }
        self.take(BYTES_PER_VARIABLE);
        Lit::new(self.solver.new_var_default(), true)
    }

    pub(crate) fn variables(&self) -> usize {
        self.solver.num_vars() as usize
    }

    pub(crate) fn clause(&mut self, literals: impl IntoIterator<Item = Lit>) {
        if self.has_given_up() {
            return;
        }
        self.scratch.clear();
        self.scratch.extend(literals);
        self.take(BYTES_PER_CLAUSE + self.scratch.len() * BYTES_PER_LITERAL);
        self.solver.add_clause_reuse(&mut self.scratch);
    }

    /// Whether all clauses and these literals can be true; nothing if there was no time to find out.
    pub(crate) fn ask(&mut self, literals: &[Lit]) -> Option<bool> {
        loop {
            if self.has_given_up || self.solver.cb().is_over() {
                return None;
            }
            let answer = self.solver.solve_limited(literals);
            if answer == lbool::FALSE {
                return Some(false);
            }
            if answer != lbool::TRUE {
                return None;
            }
            let loops: Vec<Vec<Vec<Lit>>> =
                self.fixpoints.iter().filter_map(|fixpoint| fixpoint.loop_formula(&self.solver)).collect();
            if loops.is_empty() {
                return Some(true);
            }
            for mut clause in loops.into_iter().flatten() {
                self.solver.add_clause_reuse(&mut clause);
            }
        }
    }

    /// The assumptions that the last answer no rests on.
    pub(crate) fn core(&self) -> FxHashSet<Lit> {
        // The solver gives the clause that it learnt last: their complements.
        self.solver.unsat_core().iter().map(|&lit| !lit).collect()
    }

    /// Whether a literal was true in the last answer yes.
    pub(crate) fn holds(&self, lit: Lit) -> bool {
        self.solver.value_lit(lit) == lbool::TRUE
    }

    /// Forgets clauses that are satisfied for good.
    pub(crate) fn tidy(&mut self) {
        self.solver.simplify();
    }

    /// What says that a literal of a circuit holds in a frame. Latches and inputs that are not yet known become free variables.
    pub(crate) fn literal(&mut self, circuit: &Circuit, frame: &mut Frame, literal: Literal) -> Lit {
        let lit = match frame.nodes[literal.node().index()] {
            Some(lit) => lit,
            None => self.encode(circuit, frame, literal.node()),
        };
        if literal.is_complemented() { !lit } else { lit }
    }

    fn encode(&mut self, circuit: &Circuit, frame: &mut Frame, root: NodeId) -> Lit {
        let mut open = vec![root];
        while let Some(&node) = open.last() {
            if self.has_given_up() {
                return self.truth;
            }
            if frame.nodes[node.index()].is_some() {
                open.pop();
                continue;
            }
            let before = open.len();
            let component = circuit.component_of(node);
            let gates = component.clone().unwrap_or(node.0..node.0 + 1);
            for gate in gates.clone() {
                for operand in circuit.operands(NodeId(gate)) {
                    let below = operand.node();
                    if frame.nodes[below.index()].is_none() && !gates.contains(&below.0) {
                        open.push(below);
                    }
                }
            }
            if open.len() > before {
                continue;
            }
            open.pop();
            match component {
                Some(range) => self.encode_component(circuit, frame, range),
                None => {
                    let lit = self.encode_node(circuit, frame, node);
                    frame.nodes[node.index()] = Some(lit);
                }
            }
        }
        frame.nodes[root.index()].unwrap_or(self.truth)
    }

    fn encode_node(&mut self, circuit: &Circuit, frame: &Frame, node: NodeId) -> Lit {
        let kind = match circuit.node(node) {
            Node::Constant => return !self.truth,
            Node::Latch(_) | Node::Input(_) => return self.fresh(),
            Node::Gate(kind, ..) => kind,
        };
        let operands: Vec<Lit> =
            circuit.operands(node).iter().filter_map(|&operand| known(frame, operand)).collect();
        self.gate(kind, operands)
    }

    /// A literal that holds where all (or some) of these do.
    pub(crate) fn gate(&mut self, kind: Kind, mut operands: Vec<Lit>) -> Lit {
        let deciding = self.constant(kind == Kind::Or);
        operands.retain(|&operand| operand != !deciding);
        operands.sort_unstable();
        operands.dedup();
        if operands.contains(&deciding) || operands.windows(2).any(|pair| pair[0] == !pair[1]) {
            return deciding;
        }
        match operands[..] {
            [] => return !deciding,
            [only] => return only,
            _ => {}
        }
        let own = self.fresh();
        self.define(own, kind, &operands);
        own
    }

    fn define(&mut self, own: Lit, kind: Kind, operands: &[Lit]) {
        let sign = |lit: Lit| if kind == Kind::And { lit } else { !lit };
        for &operand in operands {
            self.clause([!sign(own), sign(operand)]);
        }
        self.clause(operands.iter().map(|&operand| !sign(operand)).chain([sign(own)]));
    }

    fn encode_component(&mut self, circuit: &Circuit, frame: &mut Frame, range: Range<u32>) {
        for gate in range.clone() {
            let own = self.fresh();
            frame.nodes[gate as usize] = Some(own);
        }
        let mut gates = Vec::new();
        for gate in range.clone() {
            let Node::Gate(kind, ..) = circuit.node(NodeId(gate)) else { continue };
            let Some(own) = frame.nodes[gate as usize] else { continue };
            let operands = circuit.operands(NodeId(gate));
            let all: Vec<Lit> = operands.iter().filter_map(|&operand| known(frame, operand)).collect();
            self.define(own, kind, &all);
            let is_inside = |operand: &&Literal| range.contains(&operand.node().0);
            let inside =
                operands.iter().filter(is_inside).map(|operand| operand.node().0 - range.start).collect();
            let outside = operands.iter().filter(|operand| !is_inside(operand));
            let outside = outside.filter_map(|&operand| known(frame, operand)).collect();
            gates.push(FixpointGate { own, kind, inside, outside });
        }
        self.fixpoints.push(Fixpoint { gates });
    }

    /// Adds clauses: at most one of these holds.
    pub(crate) fn at_most_one(&mut self, literals: &[Lit]) {
        if literals.len() <= 6 {
            for (place, &one) in literals.iter().enumerate() {
                for &other in &literals[place + 1..] {
                    self.clause([!one, !other]);
                }
            }
            return;
        }
        // A ladder: whether one of those so far holds.
        let mut before = literals[0];
        for &literal in &literals[1..] {
            let now = self.fresh();
            self.clause([!before, now]);
            self.clause([!literal, now]);
            self.clause([!before, !literal]);
            before = now;
        }
    }
}

fn known(frame: &Frame, literal: Literal) -> Option<Lit> {
    let lit = frame.nodes[literal.node().index()]?;
    Some(if literal.is_complemented() { !lit } else { lit })
}

impl Fixpoint {
    /// If the gates' values are not the least ones: for each gate that holds without a reason, a clause that asks for a reason
    /// from outside all of them.
    fn loop_formula(&self, solver: &Solver<Clock>) -> Option<Vec<Vec<Lit>>> {
        let is_true = |lit: Lit| solver.value_lit(lit) == lbool::TRUE;
        let mut least = vec![false; self.gates.len()];
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (place, gate) in self.gates.iter().enumerate() {
                if least[place] {
                    continue;
                }
                let mut inside = gate.inside.iter().map(|&other| least[other as usize]);
                let mut outside = gate.outside.iter().map(|&lit| is_true(lit));
                let value = match gate.kind {
                    Kind::And => inside.all(|value| value) && outside.all(|value| value),
                    Kind::Or => inside.any(|value| value) || outside.any(|value| value),
                };
                least[place] = value;
                changed |= value;
            }
        }
        let is_unfounded = |place: usize| !least[place] && is_true(self.gates[place].own);
        let unfounded: Vec<usize> = (0..self.gates.len()).filter(|&place| is_unfounded(place)).collect();
        if unfounded.is_empty() {
            return None;
        }
        let mut reasons = Vec::new();
        for &place in &unfounded {
            let gate = &self.gates[place];
            if gate.kind == Kind::Or {
                reasons.extend(&gate.outside);
                let others = gate.inside.iter().filter(|&&other| !is_unfounded(other as usize));
                reasons.extend(others.map(|&other| self.gates[other as usize].own));
            }
        }
        reasons.sort_unstable();
        reasons.dedup();
        let clause = |&place: &usize| [!self.gates[place].own].into_iter().chain(reasons.clone()).collect();
        Some(unfounded.iter().map(clause).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use super::*;

    fn clock(time: Option<Duration>, memory: Option<usize>) -> Clock {
        Clock::new(time, memory, Arc::new(AtomicBool::new(false)))
    }

    /// More pigeons than holes: no answer yes, and much to learn.
    fn add_pigeons(sat: &mut Sat, holes: usize) {
        let sits: Vec<Vec<Lit>> =
            (0..=holes).map(|_| (0..holes).map(|_| sat.fresh()).collect::<Vec<_>>()).collect();
        sits.iter().for_each(|own| sat.clause(own.clone()));
        for hole in 0..holes {
            let all: Vec<Lit> = sits.iter().map(|own| own[hole]).collect();
            sat.at_most_one(&all);
        }
    }

    #[test]
    fn a_solver_that_left_clauses_out_answers_nothing() {
        let mut sat = Sat::new(&clock(None, Some(100_000)));
        let literal = sat.fresh();
        assert_eq!(sat.ask(&[literal]), Some(true));
        while !sat.has_given_up() {
            sat.fresh();
        }
        // This clause is left out: an answer yes would be wrong, and so would an answer no from clauses that are half written.
        sat.clause([!literal]);
        sat.set_clock(&clock(None, None));
        assert_eq!(sat.ask(&[literal]), None);
        assert_eq!(sat.ask(&[literal, !literal]), None);
    }

    #[test]
    fn what_is_learnt_is_counted_and_given_back() {
        let whole = clock(None, Some(1 << 30));
        let mut sat = Sat::new(&whole);
        add_pigeons(&mut sat, 6);
        let written = sat.bytes;
        assert_eq!(sat.ask(&[]), Some(false));
        assert!(sat.solver.cb().learnt() > written / 4);
        // Another clock does not forget it.
        let learnt = sat.solver.cb().learnt();
        sat.set_clock(&whole.within(Duration::from_secs(1)));
        assert_eq!(sat.solver.cb().learnt(), learnt);
        assert!(whole.memory().exceeds(0));
        drop(sat);
        assert!(!whole.memory().exceeds(0));
    }

    #[test]
    fn learning_stops_at_the_limit_of_memory() {
        let mut sat = Sat::new(&clock(None, Some(400_000)));
        add_pigeons(&mut sat, 11);
        assert_eq!(sat.ask(&[]), None);
        assert!(sat.exceeds(100));
    }
}
