//! The merge operation that each condition of a rule becomes, in the order that `order` finds. A row has columns only for
//! variables that are needed later: the intrinsic ones.

use super::build::{Builder, Demand};
use super::node::{Access, Alternative, AndStep, Merge, Source, Value};
use super::order::{Ordering, bound_by_all};
use super::program::{Atom, Condition, Operand, PredicateId};

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
    /// The head's predicate and what its OR node was asked with.
    pub(super) head: PredicateId,
    pub(super) asked: Vec<Demand>,
    pub(super) steps: Vec<AndStep>,
    /// Whether some earlier condition had a column: the difference between a New and a Combine merge.
    pub(super) has_rows: bool,
}

impl Planner<'_, '_> {
    /// Plans conditions; afterwards the layout has the variables that `wanted` says, and perhaps others.
    pub(super) fn plan(&mut self, conditions: &[Condition], wanted: &[bool]) {
        let ordering = Ordering {
            builder: self.builder,
            occurrences: &self.occurrences,
            uses: &self.uses,
            last: self.group.and_then(|(group, is_negated)| is_negated.then_some(group)),
            head: (self.head, &self.asked),
        };
        let mut left = ordering.of(conditions, &self.layout);
        left.reverse();
        while let Some(next) = left.pop() {
            let mut needed = wanted.to_vec();
            for &later in &left {
                conditions[later].for_each_variable(&mut |variable| needed[variable as usize] = true);
            }
            self.emit(&conditions[next], &needed, !left.is_empty());
        }
    }

    fn is_bound(&self, variable: u32) -> bool {
        self.layout.contains(&variable)
    }

    fn is_known(&self, operand: Operand) -> bool {
        operand.variable().is_none_or(|variable| self.is_bound(variable))
    }

    /// Whether an atom belongs to the recursion of the head.
    fn is_recursive(&self, atom: &Atom) -> bool {
        self.group.is_some_and(|(group, _)| self.builder.program.predicates[atom.predicate].group == group)
    }

    fn demand(&self, atom: &Atom) -> Vec<Demand> {
        let of_column = |&column: &Operand| match column {
            Operand::Constant(value) => Demand::Constant(value),
            Operand::Variable(variable) if self.is_bound(variable) => Demand::Bound,
            Operand::Variable(_) => Demand::Free,
        };
        atom.columns.iter().map(of_column).collect()
    }

    fn emit(&mut self, condition: &Condition, needed: &[bool], more: bool) {
        match condition {
            Condition::Atom { atom, positive: true } => self.emit_atom(atom, needed, more),
            Condition::Atom { atom, positive: false } => {
                let (access, merge, _) = self.access(atom);
                self.steps.push(AndStep::Test { access, merge, negated: true });
            }
            Condition::Compare { pairs, equal } => {
                let pairs =
                    pairs.iter().map(|&(left, right)| (self.value(left), self.value(right))).collect();
                self.steps.push(AndStep::Compare { pairs, equal: *equal });
            }
            Condition::Compose { whole, domain, name, parts, nested } => {
                if self.is_known(*whole) {
                    self.emit_take_apart(*whole, *name, parts);
                } else {
                    let values = parts.iter().map(|&part| self.value(part)).collect();
                    let nested = nested.as_slice().into();
                    self.steps.push(AndStep::PutTogether {
                        domain: *domain,
                        name: *name,
                        parts: values,
                        nested,
                    });
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
        self.steps.push(AndStep::TakeApart { whole, name, known: known.into(), take: take.into() });
    }

    fn emit_or(&mut self, alternatives: &[Vec<Condition>], needed: &[bool]) {
        let bound = bound_by_all(alternatives, &|variable| self.is_bound(variable));
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
            let keep = after.iter().map(|&variable| self.slot(variable)).collect();
            planned.push(Alternative { steps, keep });
            (self.layout, self.has_rows) = before.clone();
        }
        self.has_rows |= adds;
        self.layout = after;
        self.steps.push(AndStep::Or { alternatives: planned, width: self.layout.len(), adds });
    }

    fn value(&self, operand: Operand) -> Value {
        match operand {
            Operand::Constant(value) => Value::Constant(value),
            Operand::Variable(variable) => Value::Slot(self.slot(variable)),
        }
    }

    /// The column of a variable in the rows. A missing one would make the rule read another variable's value.
    pub(super) fn slot(&self, variable: u32) -> usize {
        let slot = self.layout.iter().position(|&other| other == variable);
        slot.unwrap_or_else(|| panic!("variable {variable} is used before a condition binds it"))
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
            self.steps.push(AndStep::Test { access, merge, negated: false });
            return;
        }
        let sieve = (drops && more).then(|| self.builder.new_sieve());
        self.layout = layout;
        self.has_rows = true;
        self.steps.push(AndStep::Join {
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
