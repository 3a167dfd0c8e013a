//! Weighted sums that are always the same: what says that one holds in a state, and that a move changes it.

use std::collections::BTreeMap;

use screwsat::solver::Lit;

use super::clauses::Cnf;
use super::{Checker, Refusal};
use crate::certificate::{WrittenMeasure, WrittenProof};

/// Sums with larger weights, or with more gates, are refused.
const LARGEST: i64 = 1_000_000;
const MOST_GATES: usize = 3_000_000;

/// A sum with latches by number.
pub(super) struct Sum {
    groups: Vec<Vec<(usize, i64)>>,
    total: i64,
}

/// The values that something can have, each with what says that it has it.
type Values = BTreeMap<i64, Lit>;

impl Checker<'_> {
    /// The sums of a proof. Of each group at most one latch holds, as another invariant says.
    pub(super) fn sums(&self, proof: &WrittenProof) -> Result<Vec<Sum>, Refusal> {
        proof.sums.iter().map(|(groups, total)| self.sum(groups, *total, proof)).collect()
    }

    /// The sums of a measure that only fall.
    pub(super) fn falling(
        &self,
        measure: &WrittenMeasure,
        proof: &WrittenProof,
    ) -> Result<Vec<Sum>, Refusal> {
        measure.falling.iter().map(|groups| self.sum(groups, 0, proof)).collect()
    }

    fn sum(&self, groups: &[Vec<(String, i64)>], total: i64, proof: &WrittenProof) -> Result<Sum, Refusal> {
        let mut own = Vec::new();
        for group in groups {
            let latches: Vec<usize> =
                group.iter().map(|term| self.words.find(&term.0)).collect::<Result<_, _>>()?;
            self.is_exclusive(&latches, proof)?;
            if group.iter().any(|term| term.1.abs() > LARGEST) || total.abs() > LARGEST {
                return Err(Refusal::NotProved("the weights of a sum are too large".to_owned()));
            }
            let mut distinct = latches.clone();
            distinct.sort_unstable();
            distinct.dedup();
            if distinct.len() != latches.len() {
                return Err(Refusal::NotProved("a group has a latch twice".to_owned()));
            }
            own.push(latches.into_iter().zip(group.iter().map(|term| term.1)).collect());
        }
        Ok(Sum { groups: own, total })
    }

    /// Adds clauses: the sums hold in a state.
    pub(super) fn assume_sums(&self, cnf: &mut Cnf, sums: &[Sum], latches: &[Lit]) -> Result<(), Refusal> {
        for sum in sums {
            let parts: Vec<Values> = sum.groups.iter().map(|group| values(cnf, group, latches)).collect();
            let holds = adds_up(cnf, &parts, sum.total)?;
            cnf.clause(vec![holds]);
        }
        Ok(())
    }
}

impl Sum {
    /// Whether it holds in a state.
    pub(super) fn holds(&self, state: &[bool]) -> bool {
        let terms = self.groups.iter().flatten().filter(|term| state[term.0]);
        terms.map(|term| i128::from(term.1)).sum::<i128>() == i128::from(self.total)
    }

    /// What says that a move changes it.
    pub(super) fn changes(&self, cnf: &mut Cnf, before: &[Lit], after: &[Lit]) -> Result<Lit, Refusal> {
        let ways = self.differences(cnf, before, after)?;
        let same = ways.get(&0).copied().unwrap_or_else(|| cnf.constant(false));
        Ok(!same)
    }

    /// What says that a move raises it.
    pub(super) fn rises(&self, cnf: &mut Cnf, before: &[Lit], after: &[Lit]) -> Result<Lit, Refusal> {
        let ways = self.differences(cnf, before, after)?;
        let above = ways.into_iter().filter(|&(by, _)| by > 0).map(|(_, lit)| lit).collect();
        Ok(cnf.or(above))
    }

    /// What says by how much a move changes it.
    fn differences(&self, cnf: &mut Cnf, before: &[Lit], after: &[Lit]) -> Result<Values, Refusal> {
        let mut parts = Vec::new();
        for group in &self.groups {
            let (before, after) = (values(cnf, group, before), values(cnf, group, after));
            let mut ways: BTreeMap<i64, Vec<Lit>> = BTreeMap::new();
            for (from, was) in &before {
                for (to, is) in &after {
                    let both = cnf.and(vec![*was, *is]);
                    ways.entry(to - from).or_default().push(both);
                }
            }
            parts.push(ways.into_iter().map(|(value, lits)| (value, cnf.or(lits))).collect());
        }
        totals(cnf, &parts)
    }
}

/// The values of a group: the weight of the latch that holds, or nothing.
fn values(cnf: &mut Cnf, group: &[(usize, i64)], latches: &[Lit]) -> Values {
    let none = group.iter().map(|term| !latches[term.0]).collect();
    let mut ways = BTreeMap::from([(0, vec![cnf.and(none)])]);
    for &(latch, weight) in group {
        ways.entry(weight).or_default().push(latches[latch]);
    }
    ways.into_iter().map(|(value, lits)| (value, cnf.or(lits))).collect()
}

/// What says that values add up to a total.
fn adds_up(cnf: &mut Cnf, parts: &[Values], total: i64) -> Result<Lit, Refusal> {
    let sums = totals(cnf, parts)?;
    Ok(sums.get(&total).copied().unwrap_or_else(|| cnf.constant(false)))
}

/// What says what values add up to, for every number.
fn totals(cnf: &mut Cnf, parts: &[Values]) -> Result<Values, Refusal> {
    let mut sums: Values = BTreeMap::from([(0, cnf.constant(true))]);
    let mut gates = 0;
    for part in parts {
        gates += sums.len() * part.len();
        if gates > MOST_GATES {
            return Err(Refusal::NotProved("a sum is too large to be checked".to_owned()));
        }
        let mut ways: BTreeMap<i64, Vec<Lit>> = BTreeMap::new();
        for (sum, so_far) in &sums {
            for (value, lit) in part {
                let both = cnf.and(vec![*so_far, *lit]);
                ways.entry(sum + value).or_default().push(both);
            }
        }
        sums = ways.into_iter().map(|(sum, lits)| (sum, cnf.or(lits))).collect();
    }
    Ok(sums)
}
