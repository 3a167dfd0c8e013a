//! The order of a join. A [`JoinPlan`] fixes in which order the positive literals of a body are looked up, by which index, and
//! when each test can be made. The order is greedy: next comes the literal that promises the fewest rows, judged by the
//! size of its table and the number of different values in its bound columns.

use std::cmp::Reverse;

use crate::clause::{Body, Pattern, PatternAtom};
use crate::store::Store;
use crate::table::IndexId;

/// How the rows of a literal are found.
#[derive(Clone, Debug)]
pub(crate) enum Access {
    /// No column is bound: all rows.
    Scan,
    /// Some columns are bound.
    Chain(IndexId),
    /// All columns are bound.
    Find,
}

/// What can be decided once certain variables are bound, by place in the body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Checks {
    pub(crate) tests: Vec<usize>,
    /// Negative literals of complete predicates.
    pub(crate) refuted: Vec<usize>,
}

/// How one literal is looked up.
#[derive(Clone, Debug)]
pub(crate) struct Lookup {
    /// The literal's place among the positive ones.
    pub(crate) literal: usize,
    pub(crate) table: usize,
    /// Whether the table is filled on demand.
    pub(crate) is_lazy: bool,
    pub(crate) access: Access,
    /// The bound columns and what they must be.
    pub(crate) bound: Vec<usize>,
    pub(crate) key: Vec<Pattern>,
    /// Columns that give variables their values.
    pub(crate) binds: Vec<(usize, usize)>,
    /// Columns whose variable an earlier column of the same literal gave its value.
    pub(crate) repeats: Vec<(usize, usize)>,
    /// Columns with functions around variables.
    pub(crate) shapes: Vec<(usize, Pattern, Vec<bool>)>,
    pub(crate) checks: Checks,
}

/// The order of a join.
#[derive(Clone, Debug)]
pub(crate) struct JoinPlan {
    pub(crate) first_checks: Checks,
    pub(crate) steps: Vec<Lookup>,
    /// After how many steps all wanted variables have values: what follows need only be possible, in any one way.
    pub(crate) wanted_at: usize,
}

/// What a join is to be planned for.
pub(crate) struct Task<'a> {
    pub(crate) body: &'a Body,
    /// Which variables have values beforehand.
    pub(crate) bound: Vec<bool>,
    /// Which variables' values are wanted.
    pub(crate) wanted: Vec<bool>,
    /// The literal to begin with: the one restricted to new rows.
    pub(crate) first: Option<usize>,
    /// Of each negative literal whether its predicate is complete, so that it can be tested.
    pub(crate) decided: Vec<bool>,
}

impl JoinPlan {
    pub(crate) fn of(task: &Task<'_>, store: &mut Store<'_>) -> Self {
        let Task { body, first, .. } = task;
        let mut bound = task.bound.clone();
        let mut left: Vec<usize> = (0..body.positive.len()).collect();
        let mut waiting = Checks {
            tests: (0..body.tests.len()).collect(),
            refuted: (0..body.negative.len()).filter(|&index| task.decided[index]).collect(),
        };
        let is_done = |bound: &[bool]| task.wanted.iter().zip(bound).all(|(wanted, bound)| !wanted || *bound);
        let first_checks = take_ready(body, &bound, &mut waiting);
        let mut plan = JoinPlan { first_checks, steps: Vec::new(), wanted_at: 0 };
        while !left.is_empty() {
            if !is_done(&bound) {
                plan.wanted_at = plan.steps.len() + 1;
            }
            let next = match first.filter(|_| plan.steps.is_empty()) {
                Some(first) => left
                    .iter()
                    .position(|&literal| literal == first)
                    .expect("the first literal is in the body"),
                None => cheapest(task, &left, &bound, store),
            };
            let literal = left.remove(next);
            let mut step = step(literal, &body.positive[literal], &mut bound, store);
            step.checks = take_ready(body, &bound, &mut waiting);
            plan.steps.push(step);
        }
        plan
    }

    /// Brings the indexes up to date that the plan uses.
    pub(crate) fn refresh(&self, store: &mut Store<'_>) {
        for step in &self.steps {
            if let Access::Chain(index) = step.access {
                store.tables[step.table].refresh(index);
            }
        }
    }
}

fn take_ready(body: &Body, bound: &[bool], waiting: &mut Checks) -> Checks {
    let is_bound = |pattern: &Pattern| is_bound(pattern, bound);
    let test_ready = |index: usize| is_bound(&body.tests[index].left) && is_bound(&body.tests[index].right);
    let negative_ready = |index: usize| body.negative[index].columns.iter().all(is_bound);
    Checks {
        tests: waiting.tests.extract_if(.., |index| test_ready(*index)).collect(),
        refuted: waiting.refuted.extract_if(.., |index| negative_ready(*index)).collect(),
    }
}

pub(crate) fn is_bound(pattern: &Pattern, bound: &[bool]) -> bool {
    match pattern {
        Pattern::Ground(_) => true,
        Pattern::Variable(variable) => bound[*variable],
        Pattern::Function(_, arguments) => arguments.iter().all(|argument| is_bound(argument, bound)),
    }
}

/// The literal that promises the fewest rows; of equal ones that which gives the most wanted variables their values.
fn cheapest(task: &Task<'_>, left: &[usize], bound: &[bool], store: &mut Store<'_>) -> usize {
    let gives = |literal: usize| {
        let variables = task.body.positive[literal].variables().into_iter();
        variables.filter(|&variable| task.wanted[variable] && !bound[variable]).count()
    };
    let costs: Vec<(f64, Reverse<usize>)> = left
        .iter()
        .map(|&literal| (estimate(&task.body.positive[literal], bound, store), Reverse(gives(literal))))
        .collect();
    let order = |&a: &usize, &b: &usize| costs[a].0.total_cmp(&costs[b].0).then(costs[a].1.cmp(&costs[b].1));
    (0..left.len()).min_by(order).expect("a literal is left")
}

/// How many rows a literal promises: the size of its table by the number of values in each bound column, as if columns did
/// not depend on each other.
fn estimate(atom: &PatternAtom, bound: &[bool], store: &mut Store<'_>) -> f64 {
    /// How many answers to expect for each free column of a predicate that is evaluated on demand.
    const LAZY_FAN_OUT: f64 = 1_000.0;
    let index = atom.predicate.index();
    let is_bound = |column: &&Pattern| is_bound(column, bound);
    let bound_columns = atom.columns.iter().filter(is_bound).count();
    if store.is_lazy(index) {
        let free = atom.columns.len() - bound_columns;
        // Even an answer of yes or no costs more than a look into a table.
        let nothing_bound = if bound_columns == 0 && free > 0 { f64::MAX } else { 0.0 };
        return LAZY_FAN_OUT.powf(free as f64) + 1.0 + nothing_bound;
    }
    let table = &mut store.tables[index];
    let mut rows = f64::from(table.len());
    for (column, pattern) in atom.columns.iter().enumerate() {
        if is_bound(&pattern) {
            rows /= f64::from(table.spread(column).max(1));
        }
    }
    // Fully bound literals first: they can only cut.
    if bound_columns == atom.columns.len() { rows.min(0.5) } else { rows }
}

fn step(literal: usize, atom: &PatternAtom, bound: &mut [bool], store: &mut Store<'_>) -> Lookup {
    let table = atom.predicate.index();
    let mut step = Lookup {
        literal,
        table,
        is_lazy: store.is_lazy(table),
        access: Access::Scan,
        bound: Vec::new(),
        key: Vec::new(),
        binds: Vec::new(),
        repeats: Vec::new(),
        shapes: Vec::new(),
        checks: Checks::default(),
    };
    let before = bound.to_vec();
    for (column, pattern) in atom.columns.iter().enumerate() {
        if is_bound(pattern, &before) {
            step.bound.push(column);
            step.key.push(pattern.clone());
            continue;
        }
        match pattern {
            Pattern::Variable(variable) if bound[*variable] => step.repeats.push((column, *variable)),
            Pattern::Variable(variable) => {
                step.binds.push((column, *variable));
                bound[*variable] = true;
            }
            _ => {
                step.shapes.push((column, pattern.clone(), bound.to_vec()));
                pattern.for_each_variable(&mut |variable| bound[variable] = true);
            }
        }
    }
    step.access = match step.bound.len() {
        0 if !atom.columns.is_empty() => Access::Scan,
        some if some == atom.columns.len() => Access::Find,
        _ => Access::Chain(store.tables[table].index(&step.bound)),
    };
    step
}
