//! The invariants that are proved already, as every question to a solver assumes them.

use batsat::Lit;

use crate::invariants::Invariant;
use crate::sat::Sat;
use crate::state::Clause;
use crate::sums::Sum;

/// Invariants as clauses, and as sums where clauses would be too many.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    clauses: Vec<Clause>,
    sums: Vec<Sum>,
}

impl Known {
    /// Adds what was proved.
    pub(crate) fn extend(&mut self, invariants: &[Invariant]) {
        for invariant in invariants {
            match invariant {
                Invariant::Sum(sum) => self.sums.push(sum.clone()),
                other => self.clauses.extend(other.clauses()),
            }
        }
    }

    /// The same without sums, which make every question harder.
    pub(crate) fn without_sums(&self) -> Known {
        Known { clauses: self.clauses.clone(), sums: Vec::new() }
    }

    /// Whether there are sums.
    pub(crate) fn has_sums(&self) -> bool {
        !self.sums.is_empty()
    }

    /// Adds clauses: all of them hold in the state whose latches these literals stand for.
    pub(crate) fn assume(&self, sat: &mut Sat, latches: &[Lit]) {
        let truth = sat.truth();
        for clause in &self.clauses {
            let lits = clause.iter().map(|literal| {
                let lit = latches[literal.latch()];
                if literal.is_positive() { lit } else { !lit }
            });
            let lits: Vec<Lit> = lits.collect();
            if !lits.contains(&truth) {
                sat.clause(lits);
            }
        }
        for sum in &self.sums {
            let holds = sum.encode(sat, |latch| latches[latch]);
            sat.clause([holds]);
        }
    }
}
