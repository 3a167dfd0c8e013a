//! Recursion in the tree: which OR nodes depend on each other, and where rows of their rules have to wait for answers of
//! their own recursion.

use groundrules_gdl::components::Graph;

use super::build::Builder;
use super::node::{Access, AndStep, KeyTest, OrId, Recursion, Source, Value};
use super::plan::or_of;
use super::prove::{Prover, Tree};

/// A condition whose rows wait for answers of their own recursion.
#[derive(Clone, Debug)]
pub(super) struct Consumer {
    pub(super) and: usize,
    pub(super) step: usize,
    /// Whose answers are awaited.
    pub(super) or: OrId,
    /// How many different values each column of a waiting row can have.
    pub(super) sizes: Box<[u64]>,
    /// The columns of waiting rows that are part of what they ask, and the columns of the answers they are equal to.
    pub(super) slots: Box<[usize]>,
    pub(super) answers: Box<[usize]>,
    /// What else an answer must have.
    pub(super) tests: Box<[KeyTest]>,
}

impl Consumer {
    fn new(and: usize, step: usize, or: OrId, access: &Access, sizes: &[u64]) -> Self {
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        let mut tests: Vec<KeyTest> = Vec::new();
        for (&value, &column) in access.key.iter().zip(&access.columns) {
            match value {
                Value::Constant(value) => tests.push(KeyTest::Is(column, value)),
                Value::Slot(slot) => match pairs.iter().find(|(other, _)| *other == slot) {
                    Some(&(_, first)) => tests.push(KeyTest::Same(first, column)),
                    None => pairs.push((slot, column)),
                },
            }
        }
        tests.extend(access.same.iter().map(|&(left, right)| KeyTest::Same(left, right)));
        pairs.sort_unstable();
        let (slots, answers): (Vec<usize>, Vec<usize>) = pairs.into_iter().unzip();
        Consumer {
            and,
            step,
            or,
            sizes: sizes.into(),
            slots: slots.into(),
            answers: answers.into(),
            tests: tests.into(),
        }
    }
}

impl Builder<'_> {
    /// Finds the recursion among the OR nodes from a number on.
    pub(super) fn link(&mut self, first: usize) {
        let (mut edges, mut negated) = (Vec::new(), Vec::new());
        for and in &self.tree.ands {
            let Some(from) = and.or.checked_sub(first) else { continue };
            for_each_source(&and.steps, &mut |to, positive| {
                if let Some(to) = to.checked_sub(first) {
                    edges.push((from, to));
                    negated.extend((!positive).then_some((from, to)));
                }
            });
        }
        let graph = Graph::from_edges(self.tree.ors.len() - first, edges);
        let components = graph.components();
        for (number, members) in components.iter().enumerate() {
            let own = || members.iter().map(|&member| first + member as usize);
            own().for_each(|or| self.tree.ors[or].group = first + number);
            if components.is_cyclic(number) {
                own().for_each(|or| self.tree.ors[or].recursion = Recursion::Positive);
            }
        }
        for (from, to) in negated {
            let group = components.of(from);
            if group == components.of(to) {
                for &member in components.members(group) {
                    self.tree.ors[first + member as usize].recursion = Recursion::Negated;
                }
            }
        }
        self.add_consumers(first);
    }

    fn add_consumers(&mut self, first: usize) {
        let Tree { ors, ands, consumers, groups, consumers_of, .. } = &mut self.tree;
        groups.resize_with(ors.len(), Default::default);
        for (number, or) in ors.iter().enumerate().skip(first) {
            groups[or.group].0.push(number);
        }
        for (number, and) in ands.iter_mut().enumerate() {
            let own = &ors[and.or];
            if and.or < first || own.recursion != Recursion::Positive {
                continue;
            }
            let asked = &self.prover.proofs[and.or].asked;
            let mut sizes: Vec<u64> = and.entry.iter().map(|&place| asked.sizes()[place]).collect();
            for (place, step) in and.steps.iter_mut().enumerate() {
                if let AndStep::Join { access, consumer, .. } = step
                    && let Some(or) = or_of(access)
                    && ors[or].group == own.group
                {
                    *consumer = Some(consumers.len());
                    groups[own.group].1.push(consumers.len());
                    consumers_of[and.or].push(consumers.len());
                    if or != and.or {
                        consumers_of[or].push(consumers.len());
                    }
                    consumers.push(Consumer::new(number, place, or, access, &sizes));
                    self.prover.add_waiting(&consumers[consumers.len() - 1]);
                }
                sizes = sizes_after(step, &sizes, &self.prover);
            }
        }
    }
}

/// How many different values the columns of rows can have after a step.
fn sizes_after(step: &AndStep, before: &[u64], prover: &Prover) -> Vec<u64> {
    let any = 1 << 32;
    match step {
        AndStep::Join { access, keep, take, .. } => {
            let rows = match access.source {
                Source::Table(table) => prover.tables[table].sizes(),
                Source::Or(or) => prover.proofs[or].answers.sizes(),
            };
            let kept = keep.iter().map(|&slot| before[slot]);
            kept.chain(take.iter().map(|&column| rows[column])).collect()
        }
        AndStep::Test { .. } | AndStep::Compare { .. } => before.to_vec(),
        AndStep::TakeApart { take, .. } => before.iter().copied().chain(take.iter().map(|_| any)).collect(),
        AndStep::PutTogether { .. } => before.iter().copied().chain([any]).collect(),
        AndStep::Or { width, .. } => {
            let mut sizes = before.to_vec();
            sizes.resize(*width, any);
            sizes
        }
    }
}

/// Visits the OR nodes that steps read, with whether they are read without negation.
fn for_each_source(steps: &[AndStep], visit: &mut dyn FnMut(OrId, bool)) {
    for step in steps {
        match step {
            AndStep::Join { access, .. } => or_of(access).into_iter().for_each(|or| visit(or, true)),
            AndStep::Test { access, negated, .. } => {
                or_of(access).into_iter().for_each(|or| visit(or, !negated));
            }
            AndStep::Or { alternatives, .. } => {
                alternatives.iter().for_each(|one| for_each_source(&one.steps, visit));
            }
            AndStep::Compare { .. } | AndStep::TakeApart { .. } | AndStep::PutTogether { .. } => {}
        }
    }
}
