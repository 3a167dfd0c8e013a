//! Run-time statistics: how many rows fluents have, how many answers a query has, and what it costs. The first plan
//! uses estimates; after some states the tree is rebuilt with the measurements.

use rustc_hash::FxHashMap;

use super::build::Demand;
use super::node::Or;
use super::program::PredicateId;
use super::prove::Prover;
use super::set_up::Fluent;

/// What was counted of an OR node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Count {
    pub(super) questions: u64,
    pub(super) answers: u64,
    /// Steps, those of the nodes below included.
    pub(super) steps: u64,
    /// How often new questions came.
    pub(super) visits: u64,
}

/// What is expected of a question.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expected {
    /// How many answers it has.
    pub(super) rows: f64,
    /// How many steps it takes.
    pub(super) steps: f64,
}

/// The sizes of fluents, summed up over some states.
#[derive(Clone, Debug, Default)]
pub(super) struct Sizes {
    samples: u32,
    /// For each fluent the rows, and the different values of each column.
    sums: Vec<(f64, Vec<f64>)>,
}

impl Sizes {
    /// Takes a look at the current state.
    pub(super) fn sample(&mut self, prover: &Prover, fluents: &[Fluent]) {
        self.samples += 1;
        self.sums.resize(fluents.len(), (0.0, Vec::new()));
        for (fluent, (rows, spreads)) in fluents.iter().zip(&mut self.sums) {
            let table = &prover.tables[fluent.table];
            *rows += f64::from(table.len());
            spreads.resize(table.stride(), 0.0);
            for (column, spread) in spreads.iter_mut().enumerate() {
                *spread += table.spread(column) as f64;
            }
        }
    }

    /// The mean rows of a fluent, and different values of its columns.
    pub(super) fn of(&self, fluent: usize) -> Option<(f64, Vec<f64>)> {
        let (rows, spreads) = self.sums.get(fluent)?;
        let samples = f64::from(self.samples.max(1));
        Some((rows / samples, spreads.iter().map(|spread| (spread / samples).max(1.0)).collect()))
    }
}

/// What is known of questions, by the pattern of known columns.
#[derive(Clone, Debug, Default)]
pub(super) struct Measured {
    of: FxHashMap<PredicateId, Vec<(Vec<Demand>, Expected)>>,
}

impl Measured {
    /// Adds what was counted of an OR node.
    pub(super) fn add(&mut self, or: &Or, count: Count) {
        if count.questions == 0 {
            return;
        }
        // A few questions without an answer do not mean that there never is one.
        let questions = count.questions as f64;
        let rows = (count.answers as f64 + 0.5) / (questions + 1.0);
        let expected = Expected { rows, steps: count.steps as f64 / questions };
        let of = self.of.entry(or.predicate).or_default();
        match of.iter_mut().find(|(demand, _)| *demand == or.demand) {
            Some((_, known)) => *known = expected,
            None => of.push((or.demand.clone(), expected)),
        }
    }

    /// What to expect of a question that is asked as `asked`, after filters were removed, and joined as `demand`. Where
    /// just that was not measured, the most similar question tells.
    pub(super) fn expected(
        &self,
        predicate: PredicateId,
        asked: &[Demand],
        demand: &[Demand],
        spreads: &[f64],
    ) -> Option<Expected> {
        let distance = |other: &Vec<Demand>| other.iter().zip(asked).filter(|(a, b)| a != b).count();
        let (other, expected) = self.of.get(&predicate)?.iter().min_by_key(|(other, _)| distance(other))?;
        let mut expected = *expected;
        for ((other, demand), spread) in other.iter().zip(demand).zip(spreads) {
            match (other, demand) {
                (Demand::Free, Demand::Free) | (Demand::Bound | Demand::Constant(_), Demand::Bound) => {}
                (Demand::Free, _) => expected.rows /= spread,
                (_, Demand::Free) => {
                    expected.rows = expected.rows.max(0.05) * spread;
                    expected.steps = expected.steps.max(2.0) * spread;
                }
                _ => {}
            }
        }
        Some(expected)
    }
}
