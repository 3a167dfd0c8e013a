//! The satisfiability solver behind a formula: clauses, cardinality constraints, and queries with limited effort.

use std::cell::Cell;

use batsat::{Callbacks, ClauseKind, Lit, Solver, SolverInterface, SolverOpts, lbool};

/// The effort of a query, counted and not timed, so that the answer is the same everywhere.
#[derive(Clone, Debug, Default)]
pub(super) struct Patience {
    pub(super) conflicts: Cell<u64>,
    pub(super) decisions: Cell<u64>,
}

fn one_less(left: &Cell<u64>) -> bool {
    let before = left.get();
    left.set(before.saturating_sub(1));
    before == 0
}

impl Callbacks for Patience {
    fn on_new_clause(&mut self, _: &[Lit], kind: ClauseKind) {
        if kind == ClauseKind::Learnt {
            one_less(&self.conflicts);
        }
    }

    /// The solver asks before every decision.
    fn stop(&self) -> bool {
        self.conflicts.get() == 0 || one_less(&self.decisions)
    }
}

/// A solver.
pub(super) struct Sat {
    solver: Solver<Patience>,
}

impl Sat {
    pub(super) fn new() -> Sat {
        Sat { solver: Solver::new(SolverOpts::default(), Patience::default()) }
    }

    pub(super) fn fresh(&mut self) -> Lit {
        Lit::new(self.solver.new_var_default(), true)
    }

    pub(super) fn clause(&mut self, literals: impl IntoIterator<Item = Lit>) {
        let mut clause: Vec<Lit> = literals.into_iter().collect();
        self.solver.add_clause_reuse(&mut clause);
    }

    pub(super) fn variables(&self) -> u64 {
        u64::from(self.solver.num_vars())
    }

    /// Whether all clauses and these literals can be true; nothing if that takes longer. What is left of the patience is
    /// what was not used.
    pub(super) fn ask(&mut self, literals: &[Lit], patience: &Patience) -> Option<bool> {
        *self.solver.cb_mut() = patience.clone();
        let answer = self.solver.solve_limited(literals);
        patience.conflicts.set(self.solver.cb().conflicts.get());
        patience.decisions.set(self.solver.cb().decisions.get());
        [(lbool::TRUE, true), (lbool::FALSE, false)]
            .into_iter()
            .find(|(own, _)| *own == answer)
            .map(|(_, is)| is)
    }

    /// Whether a literal was true in the last answer that was yes.
    pub(super) fn holds(&self, lit: Lit) -> bool {
        self.solver.value_lit(lit) == lbool::TRUE
    }

    /// What says that of these literals exactly so many hold: a counter that goes from one to the next.
    pub(super) fn count(&mut self, literals: &[Lit], count: usize) -> Lit {
        let is_so = self.fresh();
        // Whether more than `place` of the first ones hold.
        let mut before: Vec<Lit> = Vec::new();
        for &lit in literals {
            let width = (before.len() + 1).min(count + 1);
            let now: Vec<Lit> = (0..width).map(|_| self.fresh()).collect();
            for (place, &own) in now.iter().enumerate() {
                let (old, less) = (before.get(place).copied(), place.checked_sub(1).map(|less| before[less]));
                // It was so before, or one less and this one holds.
                old.into_iter().for_each(|old| self.clause([!old, own]));
                self.clause([!lit, own].into_iter().chain(less.map(|less| !less)));
                self.clause([!own, lit].into_iter().chain(old));
                less.into_iter().for_each(|less| self.clause([!own, less].into_iter().chain(old)));
            }
            before = now;
        }
        if before.len() < count {
            self.clause([!is_so]);
        } else {
            let least = count.checked_sub(1).map(|least| before[least]);
            least.into_iter().for_each(|least| self.clause([!is_so, least]));
            before.get(count).into_iter().for_each(|&most| self.clause([!is_so, !most]));
        }
        is_so
    }
}
