//! Joins: every way to satisfy the positive literals and tests of a body, in the order of a [`JoinPlan`]. What is found goes to
//! a [`Sink`], which may cut a branch short as soon as the variables it wants have values: the rest of the body then
//! need only be possible, and is not searched for a second way.

use groundrules_gdl::symbol::Symbol;
use groundrules_gdl::term::{Term, TermId};

use crate::clause::{Body, Comparison, Pattern, PatternAtom};
use crate::error::Halt;
use crate::lazy;
use crate::plan::{Access, Checks, JoinPlan, Lookup};
use crate::store::Store;
use crate::table::NONE;

/// The rows that a literal may use: from the first to before the second.
pub(crate) type Rows = (u32, u32);

/// All rows, also those to come.
pub(crate) const ALL: Rows = (0, NONE);

/// A way to satisfy a body, as far as it is known.
#[derive(Debug, Default)]
pub(crate) struct Match {
    /// The values of the variables; those without one hold whatever was there before.
    pub(crate) values: Vec<TermId>,
    /// The row that satisfies each positive literal; of one that is only looked up, none.
    pub(crate) rows: Vec<u32>,
}

impl Match {
    /// Room for the variables and literals of a body.
    pub(crate) fn new(variables: usize, literals: usize) -> Self {
        Match { values: vec![TermId::default(); variables], rows: vec![0; literals] }
    }

    /// The ground term of a pattern whose variables have values; `None` if it was never made.
    pub(crate) fn value(&self, pattern: &Pattern, store: &Store<'_>) -> Option<TermId> {
        match pattern {
            Pattern::Ground(term) => Some(*term),
            Pattern::Variable(variable) => Some(self.values[*variable]),
            Pattern::Function(name, arguments) if arguments.is_empty() => {
                store.terms.find(&Term::Constant(*name))
            }
            Pattern::Function(name, arguments) => {
                let arguments: Option<Vec<TermId>> =
                    arguments.iter().map(|argument| self.value(argument, store)).collect();
                store.terms.find_function(*name, &arguments?)
            }
        }
    }

    /// The ground term of a pattern whose variables have values, made if need be.
    pub(crate) fn made(&self, pattern: &Pattern, store: &mut Store<'_>) -> TermId {
        match pattern {
            Pattern::Ground(term) => *term,
            Pattern::Variable(variable) => self.values[*variable],
            Pattern::Function(name, arguments) if arguments.is_empty() => {
                store.terms.intern(Term::Constant(*name))
            }
            Pattern::Function(name, arguments) => {
                let arguments: Vec<TermId> =
                    arguments.iter().map(|argument| self.made(argument, store)).collect();
                store.terms.intern_function(*name, &arguments)
            }
        }
    }

    /// The tuple of an atom, unless a term in it was never made.
    pub(crate) fn tuple(&self, atom: &PatternAtom, store: &Store<'_>, tuple: &mut Vec<TermId>) -> bool {
        tuple.clear();
        for column in &atom.columns {
            match self.value(column, store) {
                Some(value) => tuple.push(value),
                None => return false,
            }
        }
        true
    }

    /// Whether the tuple of a head is already in its table.
    pub(crate) fn is_known(&self, head: &PatternAtom, store: &Store<'_>, tuple: &mut Vec<TermId>) -> bool {
        self.tuple(head, store, tuple) && store.tables[head.predicate.index()].find(tuple).is_some()
    }

    /// The tuple of a head, its terms made if need be.
    pub(crate) fn head(&self, head: &PatternAtom, store: &mut Store<'_>, tuple: &mut Vec<TermId>) {
        tuple.clear();
        tuple.extend(head.columns.iter().map(|column| self.made(column, store)));
    }

    /// Makes a pattern equal to a ground term. Variables that are not bound get their values.
    pub(crate) fn unify(
        &mut self,
        pattern: &Pattern,
        term: TermId,
        bound: &mut [bool],
        store: &Store<'_>,
    ) -> bool {
        match pattern {
            Pattern::Ground(ground) => *ground == term,
            Pattern::Variable(variable) if bound[*variable] => self.values[*variable] == term,
            Pattern::Variable(variable) => {
                self.values[*variable] = term;
                bound[*variable] = true;
                true
            }
            Pattern::Function(name, arguments) => match parts(*name, arguments.len(), term, store) {
                Some(parts) => (0..parts).all(|part| {
                    let term = store.terms.arguments(term)[part];
                    self.unify(&arguments[part], term, bound, store)
                }),
                None => false,
            },
        }
    }

    pub(crate) fn passes(&self, test: &Comparison, store: &Store<'_>) -> bool {
        // Terms that were never made differ from all that were; two of them are compared by their shape.
        let same = match (self.value(&test.left, store), self.value(&test.right, store)) {
            (Some(left), Some(right)) => left == right,
            (None, None) => self.same_shape(&test.left, &test.right, store),
            _ => false,
        };
        same == test.equal
    }

    fn same_shape(&self, left: &Pattern, right: &Pattern, store: &Store<'_>) -> bool {
        match (left, right) {
            (Pattern::Function(f, xs), Pattern::Function(g, ys)) => {
                f == g && xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| self.same_shape(x, y, store))
            }
            _ => match (self.value(left, store), self.value(right, store)) {
                (Some(left), Some(right)) => left == right,
                _ => false,
            },
        }
    }
}

/// The number of arguments, if a term has this name and so many of them.
fn parts(name: Symbol, arity: usize, term: TermId, store: &Store<'_>) -> Option<usize> {
    match store.terms.get(term) {
        Term::Function(found, parts) if *found == name && parts.len() == arity => Some(arity),
        Term::Constant(found) if *found == name && arity == 0 => Some(0),
        _ => None,
    }
}

/// Where the ways to satisfy a body go.
pub(crate) trait Sink {
    /// All wanted variables have values: is it worth finding out whether the rest holds?
    fn wants(&mut self, store: &mut Store<'_>, found: &Match) -> bool;
    /// The body holds.
    fn take(&mut self, store: &mut Store<'_>, found: &Match) -> Result<(), Halt>;
}

/// A join under way.
pub(crate) struct Join<'a> {
    pub(crate) body: &'a Body,
    pub(crate) plan: &'a JoinPlan,
    /// The rows that each positive literal may use.
    pub(crate) ranges: &'a [Rows],
    pub(crate) found: Match,
    /// Scratch for the key of a look-up.
    pub(crate) key: Vec<TermId>,
}

impl Join<'_> {
    /// Gives the sink every way to satisfy the body.
    pub(crate) fn run(&mut self, store: &mut Store<'_>, sink: &mut impl Sink) -> Result<bool, Halt> {
        let plan = self.plan;
        if self.passes(&plan.first_checks, store)? { self.step(0, store, sink) } else { Ok(false) }
    }

    /// Says whether the body could be satisfied.
    fn step(&mut self, depth: usize, store: &mut Store<'_>, sink: &mut impl Sink) -> Result<bool, Halt> {
        let plan = self.plan;
        if depth == plan.wanted_at && !sink.wants(store, &self.found) {
            return Ok(false);
        }
        let Some(step) = plan.steps.get(depth) else {
            sink.take(store, &self.found)?;
            return Ok(true);
        };
        if !self.prepare_key(step, store) {
            return Ok(false);
        }
        if step.is_lazy {
            let key = std::mem::take(&mut self.key);
            let is_find = matches!(step.access, Access::Find);
            let holds = if is_find { lazy::look_up(store, step.table, &key)? } else { None };
            if holds.is_none() {
                lazy::ask(store, step.table, &step.bound, &key)?;
            }
            self.key = key;
            match holds {
                Some(true) => return self.go_on(depth, step, NONE, store, sink),
                Some(false) => return Ok(false),
                None => {}
            }
        }
        let (start, end) = self.ranges[step.literal];
        match step.access {
            Access::Scan => {
                for row in start..end.min(store.tables[step.table].len()) {
                    if self.try_row(depth, step, row, store, sink)? {
                        return Ok(true);
                    }
                }
            }
            Access::Find => {
                if let Some(row) = store.tables[step.table].find(&self.key)
                    && (start..end).contains(&row)
                {
                    return self.try_row(depth, step, row, store, sink);
                }
            }
            Access::Chain(index) => {
                if step.is_lazy {
                    store.tables[step.table].refresh(index);
                }
                let mut row = store.tables[step.table].latest(index, &self.key);
                while row != NONE && row >= start {
                    if row < end && self.try_row(depth, step, row, store, sink)? {
                        return Ok(true);
                    }
                    row = store.tables[step.table].before(index, row);
                }
            }
        }
        Ok(false)
    }

    /// Goes on with a row; says whether one way was found and no other is wanted.
    fn try_row(
        &mut self,
        depth: usize,
        step: &Lookup,
        row: u32,
        store: &mut Store<'_>,
        sink: &mut impl Sink,
    ) -> Result<bool, Halt> {
        store.tick()?;
        if self.matches(step, row, store) { self.go_on(depth, step, row, store, sink) } else { Ok(false) }
    }

    /// Goes on after a row has given the variables their values; [`NONE`] where no row says that the literal holds.
    fn go_on(
        &mut self,
        depth: usize,
        step: &Lookup,
        row: u32,
        store: &mut Store<'_>,
        sink: &mut impl Sink,
    ) -> Result<bool, Halt> {
        if !self.passes(&step.checks, store)? {
            return Ok(false);
        }
        self.found.rows[step.literal] = row;
        let found = self.step(depth + 1, store, sink)?;
        Ok(found && depth >= self.plan.wanted_at)
    }

    fn matches(&mut self, step: &Lookup, row: u32, store: &Store<'_>) -> bool {
        let tuple = store.tables[step.table].row(row);
        for &(column, variable) in &step.binds {
            self.found.values[variable] = tuple[column];
        }
        let shapes = &step.shapes;
        shapes.iter().all(|(column, pattern, bound)| {
            self.found.unify(pattern, tuple[*column], &mut bound.clone(), store)
        }) && step.repeats.iter().all(|&(column, variable)| self.found.values[variable] == tuple[column])
    }

    /// Makes the key of a look-up, unless a term in it was never made.
    fn prepare_key(&mut self, step: &Lookup, store: &mut Store<'_>) -> bool {
        self.key.clear();
        for pattern in &step.key {
            // What is evaluated on demand may hold of a term that nobody made before.
            let value = if step.is_lazy {
                Some(self.found.made(pattern, store))
            } else {
                self.found.value(pattern, store)
            };
            match value {
                Some(value) => self.key.push(value),
                None => return false,
            }
        }
        true
    }

    fn passes(&mut self, checks: &Checks, store: &mut Store<'_>) -> Result<bool, Halt> {
        if !checks.tests.iter().all(|&index| self.found.passes(&self.body.tests[index], store)) {
            return Ok(false);
        }
        for &index in &checks.refuted {
            let atom = &self.body.negative[index];
            let predicate = atom.predicate.index();
            let mut tuple = std::mem::take(&mut self.key);
            let holds = if store.is_lazy(predicate) {
                tuple.clear();
                tuple.extend(atom.columns.iter().map(|column| self.found.made(column, store)));
                lazy::holds(store, predicate, &tuple)?
            } else {
                self.found.tuple(atom, store, &mut tuple) && store.tables[predicate].find(&tuple).is_some()
            };
            self.key = tuple;
            if holds {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
