//! Joins: every way to satisfy the positive literals of a clause. A [`Plan`] fixes the order in which the literals are
//! looked up, which index each uses, and when each test can be made; [`Join`] runs it. The order is chosen greedily: the
//! literal with the most bound columns for its size comes next.

use std::ops::Range;

use groundrules_gdl::term::{Term, TermId, Terms};

use crate::clause::{Clause, Pattern, PatternAtom};
use crate::tuples::{IndexId, Tuples};

/// How one literal is looked up.
#[derive(Clone, Debug)]
struct Step {
    /// The literal's place among the positive ones.
    literal: usize,
    /// The index over its bound columns, unless it has none.
    index: Option<IndexId>,
    key: Vec<Pattern>,
    /// The columns that are not part of the key: to be bound or compared.
    rest: Vec<(usize, Pattern)>,
    /// The variables that are bound here.
    fresh: Vec<usize>,
    /// The tests that can be made once this literal is satisfied.
    tests: Vec<usize>,
    /// The static negative literals that can be decided then.
    refuted: Vec<usize>,
}

/// The order of a join.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    steps: Vec<Step>,
    /// Tests and negative literals without variables.
    first_tests: Vec<usize>,
    first_refuted: Vec<usize>,
}

impl Plan {
    /// Plans a clause. The literal `first`, if there is one, is looked up before all others: it is the one restricted to
    /// new tuples. `decided` says of each negative literal whether its predicate is complete, so that it can be tested.
    pub(crate) fn of(clause: &Clause, first: Option<usize>, decided: &[bool], tuples: &mut [Tuples]) -> Self {
        let mut bound = vec![false; clause.variables];
        let mut left: Vec<usize> = (0..clause.positive.len()).collect();
        let mut tests: Vec<usize> = (0..clause.tests.len()).collect();
        let mut negatives: Vec<usize> = (0..clause.negative.len()).filter(|&index| decided[index]).collect();
        let mut plan = Plan { steps: Vec::new(), first_tests: Vec::new(), first_refuted: Vec::new() };
        take_ready(
            clause,
            &bound,
            &mut tests,
            &mut negatives,
            &mut plan.first_tests,
            &mut plan.first_refuted,
        );
        while !left.is_empty() {
            let next = match first.filter(|_| plan.steps.is_empty()) {
                Some(first) => left.iter().position(|&literal| literal == first).unwrap_or(0),
                None => cheapest(clause, &left, &bound, tuples),
            };
            let literal = left.remove(next);
            plan.steps.push(step(literal, &clause.positive[literal], &bound, tuples));
            clause.positive[literal].columns.iter().for_each(|column| bind(column, &mut bound));
            if let Some(step) = plan.steps.last_mut() {
                take_ready(clause, &bound, &mut tests, &mut negatives, &mut step.tests, &mut step.refuted);
            }
        }
        plan
    }
}

fn take_ready(
    clause: &Clause,
    bound: &[bool],
    tests: &mut Vec<usize>,
    negatives: &mut Vec<usize>,
    ready_tests: &mut Vec<usize>,
    ready_negatives: &mut Vec<usize>,
) {
    let is_bound = |pattern: &Pattern| is_bound(pattern, bound);
    let test_ready = |&index: &usize| is_bound(&clause.tests[index].0) && is_bound(&clause.tests[index].1);
    let negative_ready = |&index: &usize| clause.negative[index].columns.iter().all(is_bound);
    ready_tests.extend(tests.extract_if(.., |index| test_ready(index)));
    ready_negatives.extend(negatives.extract_if(.., |index| negative_ready(index)));
}

fn is_bound(pattern: &Pattern, bound: &[bool]) -> bool {
    match pattern {
        Pattern::Ground(_) => true,
        Pattern::Variable(variable) => bound[*variable],
        Pattern::Function(_, arguments) => arguments.iter().all(|argument| is_bound(argument, bound)),
    }
}

fn bind(pattern: &Pattern, bound: &mut [bool]) {
    match pattern {
        Pattern::Ground(_) => {}
        Pattern::Variable(variable) => bound[*variable] = true,
        Pattern::Function(_, arguments) => arguments.iter().for_each(|argument| bind(argument, bound)),
    }
}

/// The literal that promises the fewest tuples: its size, less a factor of its fan-out for every bound column.
fn cheapest(clause: &Clause, left: &[usize], bound: &[bool], tuples: &[Tuples]) -> usize {
    let estimate = |&literal: &usize| {
        let atom = &clause.positive[literal];
        let size = f64::from(tuples[atom.predicate.index()].len().max(1));
        let arity = atom.columns.len().max(1);
        let bound_columns = atom.columns.iter().filter(|column| is_bound(column, bound)).count();
        size.powf(1.0 - bound_columns as f64 / arity as f64)
    };
    let costs: Vec<f64> = left.iter().map(estimate).collect();
    (0..left.len()).min_by(|&a, &b| costs[a].total_cmp(&costs[b])).unwrap_or(0)
}

fn step(literal: usize, atom: &PatternAtom, bound: &[bool], tuples: &mut [Tuples]) -> Step {
    let (mut columns, mut key, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    for (column, pattern) in atom.columns.iter().enumerate() {
        if is_bound(pattern, bound) {
            columns.push(column);
            key.push(pattern.clone());
        } else {
            rest.push((column, pattern.clone()));
        }
    }
    let mut after = bound.to_vec();
    rest.iter().for_each(|(_, pattern)| bind(pattern, &mut after));
    let fresh = (0..bound.len()).filter(|&variable| after[variable] && !bound[variable]).collect();
    let index = (!columns.is_empty()).then(|| tuples[atom.predicate.index()].index(&columns));
    Step { literal, index, key, rest, fresh, tests: Vec::new(), refuted: Vec::new() }
}

/// A join under way.
pub(crate) struct Join<'a> {
    pub(crate) clause: &'a Clause,
    pub(crate) plan: &'a Plan,
    pub(crate) tuples: &'a [Tuples],
    /// The rows that each positive literal may use.
    pub(crate) ranges: &'a [Range<u32>],
    pub(crate) terms: &'a Terms,
    /// The values of the variables.
    pub(crate) values: Vec<Option<TermId>>,
    /// The row that satisfies each positive literal.
    pub(crate) rows: Vec<u32>,
    /// Scratch for the key of a look-up.
    pub(crate) key: Vec<TermId>,
    /// How many rows have been tried.
    pub(crate) tried: u64,
    /// Asked now and then whether to give up: a join can try very many rows and find nothing.
    pub(crate) is_over: &'a dyn Fn() -> bool,
}

/// Whether a join should go on.
pub(crate) type Flow = std::ops::ControlFlow<()>;

impl Join<'_> {
    /// Calls `found` with every way to satisfy the clause.
    pub(crate) fn run(&mut self, found: &mut impl FnMut(&Self) -> Flow) -> Flow {
        let plan = self.plan;
        if self.passes(&plan.first_tests, &plan.first_refuted) {
            self.step(0, found)
        } else {
            Flow::Continue(())
        }
    }

    fn step(&mut self, depth: usize, found: &mut impl FnMut(&Self) -> Flow) -> Flow {
        let (plan, tuples) = (self.plan, self.tuples);
        let Some(step) = plan.steps.get(depth) else { return found(self) };
        let table = &tuples[self.clause.positive[step.literal].predicate.index()];
        let range = self.ranges[step.literal].clone();
        match step.index {
            None => {
                for row in range {
                    self.try_row(depth, step, table, row, found)?;
                }
            }
            Some(index) => {
                self.key.clear();
                for pattern in &step.key {
                    match self.value(pattern) {
                        Some(value) => self.key.push(value),
                        // A term that was never made is in no tuple.
                        None => return Flow::Continue(()),
                    }
                }
                for &row in table.lookup(index, &self.key, &range) {
                    self.try_row(depth, step, table, row, found)?;
                }
            }
        }
        Flow::Continue(())
    }

    fn try_row(
        &mut self,
        depth: usize,
        step: &Step,
        table: &Tuples,
        row: u32,
        found: &mut impl FnMut(&Self) -> Flow,
    ) -> Flow {
        self.tried += 1;
        if self.tried.is_multiple_of(1 << 16) && (self.is_over)() {
            return Flow::Break(());
        }
        let tuple = table.row(row);
        let matches = step.rest.iter().all(|(column, pattern)| self.matches(pattern, tuple[*column]));
        if matches && self.passes(&step.tests, &step.refuted) {
            self.rows[step.literal] = row;
            self.step(depth + 1, found)?;
        }
        for &variable in &step.fresh {
            self.values[variable] = None;
        }
        Flow::Continue(())
    }

    /// Makes a pattern equal to a ground term, binding variables.
    fn matches(&mut self, pattern: &Pattern, term: TermId) -> bool {
        match pattern {
            Pattern::Ground(ground) => *ground == term,
            Pattern::Variable(variable) => match self.values[*variable] {
                Some(value) => value == term,
                None => {
                    self.values[*variable] = Some(term);
                    true
                }
            },
            Pattern::Function(name, arguments) => match self.terms.get(term) {
                Term::Function(found, parts) if found == name && parts.len() == arguments.len() => {
                    arguments.iter().zip(parts).all(|(argument, &part)| self.matches(argument, part))
                }
                _ => false,
            },
        }
    }

    /// The ground term of a bound pattern; nothing if it was never made.
    pub(crate) fn value(&self, pattern: &Pattern) -> Option<TermId> {
        match pattern {
            Pattern::Ground(term) => Some(*term),
            Pattern::Variable(variable) => self.values[*variable],
            Pattern::Function(name, arguments) => {
                let arguments: Option<Vec<TermId>> =
                    arguments.iter().map(|argument| self.value(argument)).collect();
                self.terms.find_function(*name, &arguments?)
            }
        }
    }

    fn passes(&self, tests: &[usize], refuted: &[usize]) -> bool {
        tests.iter().all(|&index| {
            let (left, right, equal) = &self.clause.tests[index];
            // Terms that were never made differ from all that were; two of them are compared by their shape.
            let same = match (self.value(left), self.value(right)) {
                (Some(left), Some(right)) => left == right,
                (None, None) => self.same_shape(left, right),
                _ => false,
            };
            same == *equal
        }) && refuted.iter().all(|&index| {
            let atom = &self.clause.negative[index];
            let tuple: Option<Vec<TermId>> = atom.columns.iter().map(|column| self.value(column)).collect();
            tuple.is_none_or(|tuple| self.tuples[atom.predicate.index()].find(&tuple).is_none())
        })
    }

    fn same_shape(&self, left: &Pattern, right: &Pattern) -> bool {
        match (left, right) {
            (Pattern::Function(f, xs), Pattern::Function(g, ys)) => {
                f == g && xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| self.same_shape(x, y))
            }
            _ => match (self.value(left), self.value(right)) {
                (Some(left), Some(right)) => left == right,
                _ => false,
            },
        }
    }
}
