//! The merge operations: how the rows of an AND node are combined with what a condition gives. New, True and Combine
//! complete rows; Verify, Check and their negations keep rows or not; Distinct compares columns; OR unites what its
//! alternatives make of the rows.

use super::domains::DomainId;
use super::node::{Access, Alternative, And, AndStep, Recursion, Source, Value};
use super::prove::{Prover, Tree};
use super::row_set::{NONE, RowSet};
use super::rows::Rows;
use crate::MachineError;
use crate::index::index32;

impl Access {
    /// The code of the key that a row gives.
    #[inline]
    fn code(&self, row: &[u32]) -> u64 {
        let mut code = self.base;
        for &(slot, factor) in &self.parts {
            code = code.wrapping_add(u64::from(row[slot]).wrapping_mul(factor));
        }
        code
    }

    /// Whether a row of the source that the code gives really matches.
    #[inline]
    fn matches(&self, row: &[u32], found: &[u32]) -> bool {
        (!self.compares
            || self.columns.iter().zip(&self.key).all(|(&column, value)| found[column] == value.of(row)))
            && self.same.iter().all(|&(left, right)| found[left] == found[right])
    }

    /// Whether some row of the source matches; the row itself does not matter.
    #[inline]
    fn exists(&self, row: &[u32], set: &RowSet) -> bool {
        let index = set.index(self.index);
        let mut found = index.latest(self.code(row), set.len());
        if !self.compares && self.same.is_empty() {
            return found != NONE;
        }
        while found != NONE && !self.matches(row, set.row(found)) {
            found = index.before(found);
        }
        found != NONE
    }
}

impl Prover {
    /// Performs the merge operation of a step.
    pub(super) fn step(
        &mut self,
        tree: &Tree,
        and: &And,
        step: &AndStep,
        rows: &mut Rows,
    ) -> Result<(), MachineError> {
        self.spend(tree, and.or, rows.count)?;
        match step {
            AndStep::Join { consumer: Some(consumer), .. } => self.wait(tree, and, step, *consumer, rows),
            AndStep::Join { access, keep, take, sieve, .. } => {
                self.find(tree, and, access, false, rows)?;
                self.join(tree, and, access, (keep, take), NONE, rows)?;
                self.sift(*sieve, rows);
                Ok(())
            }
            AndStep::Test { access, negated, .. } => {
                self.find(tree, and, access, *negated, rows)?;
                let set = self.set(access);
                rows.retain(|row| access.exists(row, set) != *negated);
                Ok(())
            }
            AndStep::Compare { pairs, equal } => {
                compare(pairs, *equal, rows);
                Ok(())
            }
            AndStep::TakeApart { whole, name, known, take } => {
                self.take_apart(*whole, *name, known, take, rows);
                Ok(())
            }
            AndStep::PutTogether { domain, name, parts, nested } => {
                self.put_together(tree, and, *domain, *name, (parts, nested), rows)
            }
            AndStep::Or { alternatives, width, adds } => {
                self.unite(tree, and, alternatives, *width, *adds, rows)
            }
        }
    }

    fn put_together(
        &mut self,
        tree: &Tree,
        and: &And,
        domain: DomainId,
        name: u32,
        (parts, nested): (&[Value], &[bool]),
        rows: &mut Rows,
    ) -> Result<(), MachineError> {
        let mut out = Rows::new(self.pool.pop().unwrap_or_default(), rows.width + 1);
        let mut values = std::mem::take(&mut self.row);
        for row in rows.iter() {
            values.clear();
            values.extend(parts.iter().map(|part| part.of(row)));
            let term = self.terms.intern(domain, name, &values, nested);
            if self.terms.depth(term) > tree.options.depth || self.terms.bytes() > tree.options.bytes {
                return Err(self.too_large(tree, and, term));
            }
            let new = out.push();
            new[..row.len()].copy_from_slice(row);
            new[row.len()] = term;
        }
        self.row = values;
        self.pool.push(std::mem::replace(rows, out).into_cells());
        Ok(())
    }

    fn too_large(&self, tree: &Tree, and: &And, term: u32) -> MachineError {
        let relation = tree.names[and.or].clone();
        if self.terms.depth(term) > tree.options.depth {
            MachineError::TooDeep { relation, depth: tree.options.depth }
        } else {
            MachineError::TooMuchMemory { relation, bytes: tree.options.bytes }
        }
    }

    fn set(&self, access: &Access) -> &RowSet {
        match access.source {
            Source::Table(table) => &self.tables[table],
            Source::Or(or) => &self.proofs[or].answers,
        }
    }

    /// Makes sure that what a condition asks for is there: proves it if it has to be proven, and indexes it.
    fn find(
        &mut self,
        tree: &Tree,
        and: &And,
        access: &Access,
        negated: bool,
        rows: &Rows,
    ) -> Result<(), MachineError> {
        let or = match access.source {
            Source::Table(table) => {
                self.tables[table].refresh(access.index);
                return Ok(());
            }
            Source::Or(or) => or,
        };
        let node = &tree.ors[or];
        if node.recursion == Recursion::Negated && node.group == tree.ors[and.or].group {
            self.ask_each(tree, or, access, negated, rows)?;
        } else {
            if !tree.options.memo && node.level != super::program::Level::Static {
                self.forget_answers(tree, or);
            }
            self.ask_rows(tree, access, or, rows);
            self.prove(tree, or)?;
        }
        self.proofs[or].answers.refresh(access.index);
        Ok(())
    }

    /// Without a memo every query is evaluated again, a recursion from its start.
    fn forget_answers(&mut self, tree: &Tree, or: usize) {
        match tree.ors[or].recursion {
            Recursion::None => self.forget(tree, or),
            Recursion::Positive if !tree.options.table_recurrence => {
                tree.groups[tree.ors[or].group].0.iter().for_each(|&member| self.forget(tree, member));
            }
            Recursion::Positive | Recursion::Negated => {}
        }
    }

    /// Asks what the rows need to know: the filter that is passed to an OR node.
    fn ask_rows(&mut self, tree: &Tree, access: &Access, or: usize, rows: &Rows) {
        if tree.ors[or].key.is_empty() {
            self.ask(tree, or, 0, &[]);
            return;
        }
        let mut key = std::mem::take(&mut self.row);
        for row in rows.iter() {
            key.clear();
            key.extend(access.key.iter().map(|value| value.of(row)));
            self.ask(tree, or, access.code(row), &key);
            if access.parts.is_empty() {
                break;
            }
        }
        self.row = key;
    }

    fn ask_each(
        &mut self,
        tree: &Tree,
        or: usize,
        access: &Access,
        negated: bool,
        rows: &Rows,
    ) -> Result<(), MachineError> {
        for row in rows.iter() {
            let key: Vec<u32> = if tree.ors[or].key.is_empty() {
                Vec::new()
            } else {
                access.key.iter().map(|value| value.of(row)).collect()
            };
            self.ask_question(tree, or, &key, negated)?;
        }
        Ok(())
    }

    /// Completes rows by the matching rows of a condition; of those only the ones before `end`.
    fn join(
        &mut self,
        tree: &Tree,
        and: &And,
        access: &Access,
        (keep, take): (&[usize], &[usize]),
        end: u32,
        rows: &mut Rows,
    ) -> Result<(), MachineError> {
        let mut out = Rows::new(self.pool.pop().unwrap_or_default(), keep.len() + take.len());
        let mut start = 0;
        while start < rows.count {
            // In portions, so that the steps are counted before too many rows are made.
            let stop = (start + 256).min(rows.count);
            let before = out.count;
            let set = self.set(access);
            let index = set.index(access.index);
            for row in start..stop {
                let row = rows.row(row);
                let mut found = index.latest(access.code(row), set.len());
                while found != NONE {
                    let other = set.row(found);
                    if found < end && access.matches(row, other) {
                        out.push_joined(row, keep, other, take);
                    }
                    found = index.before(found);
                }
            }
            self.spend(tree, and.or, out.count - before)?;
            // What is proven is weighed now and then; rows on their way have to be looked at here.
            if out.bytes() > tree.options.bytes {
                let relation = tree.names[and.or].clone();
                return Err(MachineError::TooMuchMemory { relation, bytes: tree.options.bytes });
            }
            start = stop;
        }
        if out.width == 0 {
            out.count = out.count.min(1);
        }
        self.pool.push(std::mem::replace(rows, out).into_cells());
        Ok(())
    }

    /// Removes rows that came twice, where that has turned out to happen.
    fn sift(&mut self, sieve: Option<usize>, rows: &mut Rows) {
        let Some(sieve) = sieve else { return };
        if rows.count < 2 || self.sieves[sieve].is_useless() {
            return;
        }
        let before = rows.count;
        self.places.retain_first(rows);
        self.sieves[sieve].rows += before as u64;
        self.sieves[sieve].removed += (before - rows.count) as u64;
    }

    /// Lets rows wait for the answers of their own recursion, and completes them by the answers that others have seen.
    fn wait(
        &mut self,
        tree: &Tree,
        and: &And,
        step: &AndStep,
        consumer: usize,
        rows: &mut Rows,
    ) -> Result<(), MachineError> {
        let AndStep::Join { access, keep, take, .. } = step else { return Ok(()) };
        let Source::Or(or) = access.source else { return Ok(()) };
        let waiting = &mut self.waiting[consumer];
        rows.retain(|row| waiting.rows.insert(row));
        let seen = waiting.seen;
        self.ask_rows(tree, access, or, rows);
        self.proofs[or].answers.refresh(access.index);
        self.join(tree, and, access, (keep, take), seen, rows)
    }

    fn take_apart(
        &mut self,
        whole: Value,
        name: u32,
        known: &[(usize, Value)],
        take: &[usize],
        rows: &mut Rows,
    ) {
        let mut out = Rows::new(self.pool.pop().unwrap_or_default(), rows.width + take.len());
        for row in rows.iter() {
            let term = whole.of(row);
            if self.terms.name(term) != name {
                continue;
            }
            let arguments = self.terms.arguments(term);
            let new = out.push();
            new[..row.len()].copy_from_slice(row);
            for (cell, &place) in new[row.len()..].iter_mut().zip(take) {
                *cell = arguments[place];
            }
            let same = |&(place, value): &(usize, Value)| arguments[place] == value.of(new);
            if !known.iter().all(same) {
                out.pop();
            }
        }
        self.pool.push(std::mem::replace(rows, out).into_cells());
    }

    /// OR merge.
    fn unite(
        &mut self,
        tree: &Tree,
        and: &And,
        alternatives: &[Alternative],
        width: usize,
        adds: bool,
        rows: &mut Rows,
    ) -> Result<(), MachineError> {
        let tests_only = |one: &Alternative| {
            one.steps.iter().all(|step| matches!(step, AndStep::Test { .. } | AndStep::Compare { .. }))
        };
        if !adds && alternatives.iter().all(tests_only) {
            return self.unite_tests(tree, and, alternatives, rows);
        }
        let mut out = Rows::new(self.pool.pop().unwrap_or_default(), width);
        for alternative in alternatives {
            let mut copy = rows.copy(0, rows.count, self.pool.pop().unwrap_or_default());
            for step in &alternative.steps {
                if copy.count > 0 {
                    self.step(tree, and, step, &mut copy)?;
                }
            }
            for row in copy.iter() {
                out.push_joined(row, &alternative.keep, row, &[]);
            }
            self.pool.push(copy.into_cells());
        }
        self.places.retain_first(&mut out);
        self.pool.push(std::mem::replace(rows, out).into_cells());
        Ok(())
    }

    /// OR merge of tests: a row that passed one alternative is not tried with the next.
    fn unite_tests(
        &mut self,
        tree: &Tree,
        and: &And,
        alternatives: &[Alternative],
        rows: &mut Rows,
    ) -> Result<(), MachineError> {
        let mut passed = std::mem::take(&mut self.passed);
        passed.clear();
        passed.resize(rows.count, false);
        for alternative in alternatives {
            let mut copy = Rows::new(self.pool.pop().unwrap_or_default(), rows.width + 1);
            // The number of the row is one more column.
            for (number, row) in rows.iter().enumerate().filter(|&(number, _)| !passed[number]) {
                let new = copy.push();
                new[..row.len()].copy_from_slice(row);
                new[row.len()] = index32(number);
            }
            for step in &alternative.steps {
                if copy.count > 0 {
                    self.step(tree, and, step, &mut copy)?;
                }
            }
            copy.iter().for_each(|row| passed[row[rows.width] as usize] = true);
            self.pool.push(copy.into_cells());
        }
        let mut numbers = passed.iter();
        rows.retain(|_| *numbers.next().expect("there is a mark for each row"));
        self.passed = passed;
        Ok(())
    }
}

/// Distinct merge, and its opposite.
fn compare(pairs: &[(Value, Value)], equal: bool, rows: &mut Rows) {
    match pairs {
        [(left, right)] => rows.retain(|row| (left.of(row) == right.of(row)) == equal),
        _ => rows.retain(|row| pairs.iter().all(|(left, right)| left.of(row) == right.of(row)) == equal),
    }
}
