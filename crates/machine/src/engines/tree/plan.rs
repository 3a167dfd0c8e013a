//! The order of the conditions of a rule, and the merge operation that each becomes. The order is greedy: next comes what
//! promises the fewest rows for each row at hand, judged by the sizes of tables and the number of different values in
//! their columns. A row has columns only for variables that are needed later.

use super::build::{Builder, Demand};
use super::node::{Access, Alternative, Merge, Source, Step, Value};
use super::program::{Atom, Condition, Operand};
use super::statistics::Expected;

/// The conditions of a body while they are planned.
pub(super) struct Planner<'b, 'p> {
    pub(super) builder: &'b mut Builder<'p>,
    /// The variables of the columns of the current rows.
    pub(super) layout: Vec<u32>,
    /// In how many conditions of the rule, or its head, a variable occurs; a disjunction is one condition.
    pub(super) occurrences: Vec<u32>,
    /// The same, where what is inside a disjunction counts one by one.
    pub(super) uses: Vec<u32>,
    /// The recursion group of the head's predicate, if it is recursive, and whether it depends on its own negation.
    pub(super) group: Option<(usize, bool)>,
    pub(super) steps: Vec<Step>,
    /// Whether some earlier condition had a column: the difference between a New and a Combine merge.
    pub(super) has_rows: bool,
}

/// What is known of a condition's place in the order.
#[derive(Clone, Copy, Debug)]
enum Readiness {
    /// Variables are missing.
    Waiting,
    /// It can come next; what has the lowest number comes first.
    Ready(f64),
}

/// What a derived test counts as, so that tests of facts come before it and what multiplies rows comes after.
const DERIVED_TEST: f64 = 0.9;

impl Planner<'_, '_> {
    /// Plans conditions; afterwards the layout has the variables that `wanted` says, and perhaps others.
    pub(super) fn plan(&mut self, conditions: &[Condition], wanted: &[bool]) {
        let mut left: Vec<&Condition> = conditions.iter().collect();
        while let Some(next) = self.choose(&left) {
            let condition = left.remove(next);
            let mut needed = wanted.to_vec();
            for condition in &left {
                condition.for_each_variable(&mut |variable| needed[variable as usize] = true);
            }
            self.emit(condition, &needed, !left.is_empty());
        }
    }

    fn choose(&self, left: &[&Condition]) -> Option<usize> {
        let ready = left.iter().enumerate().filter_map(|(place, condition)| {
            match self.readiness(condition) {
                Readiness::Waiting => None,
                Readiness::Ready(rows) => Some((place, rows)),
            }
        });
        let mut best: Option<(usize, f64)> = None;
        for (place, rows) in ready {
            if !self.builder.options.join_order {
                return Some(place);
            }
            if best.is_none_or(|(_, least)| rows < least) {
                best = Some((place, rows));
            }
        }
        // Checked rules are safe: something is always ready. If not, what is left is false anyway.
        best.map(|(place, _)| place).or((!left.is_empty()).then_some(0))
    }

    fn is_bound(&self, variable: u32) -> bool {
        self.layout.contains(&variable)
    }

    fn is_known(&self, operand: Operand) -> bool {
        operand.variable().is_none_or(|variable| self.is_bound(variable))
    }

    fn readiness(&self, condition: &Condition) -> Readiness {
        match condition {
            Condition::Compare { pairs, .. } => {
                let known = pairs.iter().all(|&(left, right)| self.is_known(left) && self.is_known(right));
                if known { Readiness::Ready(-1.0) } else { Readiness::Waiting }
            }
            Condition::Compose { whole, parts, .. } => {
                let parts_known = parts.iter().all(|&part| self.is_known(part));
                match (self.is_known(*whole), parts_known) {
                    (true, _) => Readiness::Ready(-0.5),
                    (false, true) => Readiness::Ready(-0.4),
                    (false, false) => Readiness::Waiting,
                }
            }
            Condition::Atom { atom, positive: true } => Readiness::Ready(self.rank_of(atom)),
            Condition::Atom { atom, positive: false } => {
                let is_missing = |variable: u32| {
                    !self.is_bound(variable) && self.uses[variable as usize] > 1
                };
                if atom.variables().any(is_missing) {
                    return Readiness::Waiting;
                }
                let is_fact = self.builder.table_of(atom.predicate).is_some();
                let rank = if is_fact { 0.3 } else { self.derived_test(1.0, atom) };
                Readiness::Ready(self.later_if_recursive(atom, rank))
            }
            Condition::Or(alternatives) => self.or_readiness(alternatives),
        }
    }

    fn or_readiness(&self, alternatives: &[Vec<Condition>]) -> Readiness {
        let bound = self.bound_by_all(alternatives);
        let mut binds = false;
        let mut is_missing = false;
        let mut derived = false;
        for condition in alternatives.iter().flatten() {
            condition.for_each_variable(&mut |variable| {
                if !self.is_bound(variable) {
                    let by_all = bound.contains(&variable);
                    binds |= by_all;
                    is_missing |= !by_all && !self.is_local(variable, alternatives);
                }
            });
            condition.for_each_atom(&mut |atom, _| {
                derived |= self.builder.table_of(atom.predicate).is_none();
            });
        }
        let many = alternatives.len() as f64;
        match (is_missing, binds, derived) {
            (true, ..) => Readiness::Waiting,
            (_, true, _) => Readiness::Ready(4.0 * many),
            (_, _, true) => Readiness::Ready(DERIVED_TEST + 0.08),
            _ => Readiness::Ready(0.4),
        }
    }

    /// Whether a variable occurs in these alternatives only, and in one of them.
    fn is_local(&self, variable: u32, alternatives: &[Vec<Condition>]) -> bool {
        let occurs = |condition: &Condition| {
            let mut found = false;
            condition.for_each_variable(&mut |other| found |= other == variable);
            found
        };
        // The whole disjunction counts as one condition.
        self.occurrences[variable as usize] <= 1
            && alternatives.iter().filter(|all| all.iter().any(occurs)).count() <= 1
    }

    fn bound_by_all(&self, alternatives: &[Vec<Condition>]) -> Vec<u32> {
        let bound_by = |conditions: &Vec<Condition>| {
            let mut bound = Vec::new();
            for condition in conditions {
                if matches!(condition, Condition::Atom { positive: true, .. } | Condition::Compose { .. }) {
                    condition.for_each_variable(&mut |variable| bound.push(variable));
                }
            }
            bound
        };
        let mut alternatives = alternatives.iter().map(bound_by);
        let mut common = alternatives.next().unwrap_or_default();
        alternatives.for_each(|bound| common.retain(|variable| bound.contains(variable)));
        common
    }

    /// Whether an atom belongs to the recursion of the head.
    fn is_recursive(&self, atom: &Atom) -> bool {
        self.group.is_some_and(|(group, _)| self.builder.program.predicates[atom.predicate].group == group)
    }

    /// What belongs to a recursion through negation comes last, so that nothing is asked that does not matter.
    fn later_if_recursive(&self, atom: &Atom, rows: f64) -> f64 {
        match self.group {
            Some((group, true)) if self.builder.program.predicates[atom.predicate].group == group => {
                1e12 + rows
            }
            _ => rows,
        }
    }

    fn demand(&self, atom: &Atom) -> Vec<Demand> {
        let of_column = |&column: &Operand| match column {
            Operand::Constant(value) => Demand::Constant(value),
            Operand::Variable(variable) if self.is_bound(variable) => Demand::Bound,
            Operand::Variable(_) => Demand::Free,
        };
        atom.columns.iter().map(of_column).collect()
    }

    fn expected(&self, atom: &Atom) -> Expected {
        self.builder.expected(atom.predicate, &self.demand(atom))
    }

    /// Where a test stands that has to be proven: after tests of facts, before what multiplies rows, and among its like by
    /// how many rows it rejects for its price. `negated` is 1 for a negation, else 0.
    fn derived_test(&self, negated: f64, atom: &Atom) -> f64 {
        let Expected { rows, steps } = self.expected(atom);
        let rejected = (1.0 - negated - rows.min(1.0)).abs();
        DERIVED_TEST - 0.1 * rejected / (1.0 + steps)
    }

    /// Where a positive atom stands: by the rows it gives for each row at hand.
    fn rank_of(&self, atom: &Atom) -> f64 {
        let is_test = atom.columns.iter().all(|&column| self.is_known(column));
        let is_fact = self.builder.table_of(atom.predicate).is_some();
        let Expected { rows, steps } = self.expected(atom);
        let rank = match (is_test, is_fact) {
            (true, true) => rows.min(0.5),
            (true, false) => self.derived_test(0.0, atom),
            (false, true) => rows,
            // A derived relation has to be computed before it can be joined, and the more is known the cheaper it is.
            (false, false) => rows.max(1.0) * (1.0 + (1.0 + steps).ln()),
        };
        self.later_if_recursive(atom, rank)
    }

    fn emit(&mut self, condition: &Condition, needed: &[bool], more: bool) {
        match condition {
            Condition::Atom { atom, positive: true } => self.emit_atom(atom, needed, more),
            Condition::Atom { atom, positive: false } => {
                let (access, merge, _) = self.access(atom);
                self.steps.push(Step::Test { access, merge, negated: true });
            }
            Condition::Compare { pairs, equal } => {
                let pairs =
                    pairs.iter().map(|&(left, right)| (self.value(left), self.value(right))).collect();
                self.steps.push(Step::Compare { pairs, equal: *equal });
            }
            Condition::Compose { whole, domain, name, parts, nested } => {
                if self.is_known(*whole) {
                    self.emit_take_apart(*whole, *name, parts);
                } else {
                    let values = parts.iter().map(|&part| self.value(part)).collect();
                    let nested = nested.as_slice().into();
                    self.steps.push(Step::PutTogether { domain: *domain, name: *name, parts: values, nested });
                    self.layout.extend(whole.variable());
                    self.has_rows = true;
                }
            }
            Condition::Or(alternatives) => self.emit_or(alternatives, needed),
        }
    }

    fn emit_take_apart(&mut self, whole: Operand, name: u32, parts: &[Operand]) {
        let whole = self.value(whole);
        let (mut known, mut take) = (Vec::new(), Vec::new());
        for (place, &part) in parts.iter().enumerate() {
            if self.is_known(part) {
                known.push((place, self.value(part)));
            } else {
                take.push(place);
                self.layout.extend(part.variable());
            }
        }
        // A variable that occurs twice among the parts is taken once and then compared with the new column.
        self.steps.push(Step::TakeApart { whole, name, known: known.into(), take: take.into() });
    }

    fn emit_or(&mut self, alternatives: &[Vec<Condition>], needed: &[bool]) {
        let bound = self.bound_by_all(alternatives);
        let mut after: Vec<u32> = self.layout.clone();
        for &variable in &bound {
            if !after.contains(&variable) && needed[variable as usize] {
                after.push(variable);
            }
        }
        let adds = after.len() > self.layout.len();
        let mut wanted = vec![false; needed.len()];
        after.iter().for_each(|&variable| wanted[variable as usize] = true);
        let before = (self.layout.clone(), self.has_rows);
        let mut planned = Vec::new();
        for alternative in alternatives {
            let outer = std::mem::take(&mut self.steps);
            self.plan(alternative, &wanted);
            let steps = std::mem::replace(&mut self.steps, outer);
            let place = |variable: &u32| self.layout.iter().position(|other| other == variable).unwrap_or(0);
            let keep = after.iter().map(place).collect();
            planned.push(Alternative { steps, keep });
            (self.layout, self.has_rows) = before.clone();
        }
        self.has_rows |= adds;
        self.layout = after;
        self.steps.push(Step::Or { alternatives: planned, width: self.layout.len(), adds });
    }

    fn value(&self, operand: Operand) -> Value {
        match operand {
            Operand::Constant(value) => Value::Constant(value),
            Operand::Variable(variable) => {
                Value::Slot(self.layout.iter().position(|&other| other == variable).unwrap_or(0))
            }
        }
    }

    fn emit_atom(&mut self, atom: &Atom, needed: &[bool], more: bool) {
        let (access, merge, new) = self.access(atom);
        let is_recursive = self.is_recursive(atom);
        let (mut keep, mut layout) = (Vec::new(), Vec::new());
        for (slot, &variable) in self.layout.iter().enumerate() {
            if needed[variable as usize] {
                keep.push(slot);
                layout.push(variable);
            }
        }
        let (mut take, mut drops) = (Vec::new(), keep.len() < self.layout.len());
        for &(column, variable) in &new {
            if needed[variable as usize] {
                take.push(column);
                layout.push(variable);
            } else {
                drops = true;
            }
        }
        if take.is_empty() && !is_recursive {
            let merge = if access.parts.is_empty() { Merge::Check } else { Merge::Verify };
            self.steps.push(Step::Test { access, merge, negated: false });
            return;
        }
        let sieve = (drops && more).then(|| self.builder.new_sieve());
        self.layout = layout;
        self.has_rows = true;
        self.steps.push(Step::Join {
            access,
            merge,
            keep: keep.into(),
            take: take.into(),
            sieve,
            consumer: None,
        });
    }

    /// How the rows of an atom are found, the kind of merge, and the columns that give new variables.
    fn access(&mut self, atom: &Atom) -> (Access, Merge, Vec<(usize, u32)>) {
        let demand = self.demand(atom);
        let (source, columns) = self.builder.source(atom.predicate, &demand);
        let mut key = Vec::new();
        let mut key_columns = Vec::new();
        let mut new: Vec<(usize, u32)> = Vec::new();
        let mut same = Vec::new();
        for (place, &column) in columns.iter().enumerate() {
            match atom.columns[column] {
                Operand::Variable(variable) if !self.is_bound(variable) => {
                    match new.iter().find(|(_, other)| *other == variable) {
                        Some(&(first, _)) => same.push((first, place)),
                        None => new.push((place, variable)),
                    }
                }
                known => {
                    key_columns.push(place);
                    key.push(self.value(known));
                }
            }
        }
        let access = self.builder.access(source, &key_columns, key, same);
        let merge = match (access.parts.is_empty(), new.is_empty(), self.has_rows) {
            (true, false, false) => Merge::New,
            (true, false, true) => Merge::Combine,
            (false, false, _) => Merge::True,
            (false, true, _) => Merge::Verify,
            (true, true, _) => Merge::Check,
        };
        (access, merge, new)
    }
}

/// The source of an access as a node, if it is one.
pub(super) fn or_of(access: &Access) -> Option<usize> {
    match access.source {
        Source::Or(or) => Some(or),
        Source::Table(_) => None,
    }
}
