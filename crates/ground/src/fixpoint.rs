//! Least fixpoints by semi-naive evaluation. In each round every clause is joined once per literal that has new rows,
//! with the literals before it restricted to old rows, so no combination of rows is tried twice. A branch is cut as
//! soon as its head is known to hold.

use groundrules_gdl::term::TermId;

use crate::clause::{Clause, Mode, Program};
use crate::error::Halt;
use crate::join::{ALL, Join, Match, Rows, Sink};
use crate::plan::{JoinPlan, Task};
use crate::store::Store;
use crate::table::Table;

/// Which clauses to apply, and how.
pub(crate) struct Saturation<'p> {
    pub(crate) program: &'p Program,
    /// The clauses by index.
    pub(crate) clauses: Vec<usize>,
    /// Of each predicate whether its negation can be tested; other negative literals are passed over.
    pub(crate) decided: Vec<bool>,
}

/// A clause with the plans made for it so far.
struct PlannedClause {
    clause: usize,
    /// The plan for each first literal, with the size of the tables when it was made; the last is the one without.
    plans: Vec<Option<(JoinPlan, u64)>>,
}

/// Where the fluents and moves go that an application of all clauses makes, where they are not to count at once.
pub(crate) type Aside = Vec<Table>;

impl Saturation<'_> {
    /// Applies the clauses until nothing new follows. With `aside`, what is next and what is legal goes there.
    pub(crate) fn run(&self, store: &mut Store<'_>, mut aside: Option<&mut Aside>) -> Result<(), Halt> {
        let grows = self.growing(aside.is_some());
        let mut planned: Vec<PlannedClause> = self
            .clauses
            .iter()
            .map(|&clause| PlannedClause { clause, plans: vec![None; self.literals(clause) + 1] })
            .collect();
        for entry in &mut planned {
            let positive = &self.program.clauses[entry.clause].body.positive;
            if positive.iter().all(|atom| !grows[atom.predicate.index()]) {
                let ranges = vec![ALL; positive.len()];
                self.apply(entry, None, &ranges, store, aside.as_deref_mut())?;
            }
        }
        let mut old: Vec<u32> = vec![0; store.tables.len()];
        loop {
            let new: Vec<u32> = store.tables.iter().map(Table::len).collect();
            if (0..new.len()).all(|predicate| !grows[predicate] || old[predicate] == new[predicate]) {
                return Ok(());
            }
            for entry in &mut planned {
                for literal in 0..self.literals(entry.clause) {
                    if let Some(ranges) = self.ranges(entry.clause, literal, &grows, &old, &new) {
                        self.apply(entry, Some(literal), &ranges, store, aside.as_deref_mut())?;
                    }
                }
            }
            old = new;
        }
    }

    fn literals(&self, clause: usize) -> usize {
        self.program.clauses[clause].body.positive.len()
    }

    fn growing(&self, is_aside: bool) -> Vec<bool> {
        let mut grows = vec![false; self.program.predicates.len()];
        for &clause in &self.clauses {
            let head = &self.program.clauses[clause].head;
            grows[head.predicate.index()] |= !(is_aside && matches!(head.mode, Mode::Next | Mode::Legal));
        }
        grows
    }

    /// The rows that the literals of a clause may use when one of them is restricted to the new ones.
    fn ranges(
        &self,
        clause: usize,
        literal: usize,
        grows: &[bool],
        old: &[u32],
        new: &[u32],
    ) -> Option<Vec<Rows>> {
        let positive = &self.program.clauses[clause].body.positive;
        let predicate = positive[literal].predicate.index();
        if !grows[predicate] || old[predicate] == new[predicate] {
            return None;
        }
        let range = |(index, atom): (usize, &crate::clause::PatternAtom)| {
            let predicate = atom.predicate.index();
            match index.cmp(&literal) {
                _ if !grows[predicate] => ALL,
                std::cmp::Ordering::Less => (0, old[predicate]),
                std::cmp::Ordering::Equal => (old[predicate], new[predicate]),
                std::cmp::Ordering::Greater => (0, new[predicate]),
            }
        };
        let ranges: Vec<Rows> = positive.iter().enumerate().map(range).collect();
        ranges.iter().all(|(start, end)| start < end).then_some(ranges)
    }

    /// Joins a clause and stores what follows.
    fn apply(
        &self,
        entry: &mut PlannedClause,
        first: Option<usize>,
        ranges: &[Rows],
        store: &mut Store<'_>,
        aside: Option<&mut Aside>,
    ) -> Result<(), Halt> {
        let clause = &self.program.clauses[entry.clause];
        let body = &clause.body;
        let size: u64 =
            body.positive.iter().map(|atom| u64::from(store.tables[atom.predicate.index()].len())).sum();
        let slot = first.unwrap_or(body.positive.len());
        // Replan when the tables have grown much: the best order depends on their sizes.
        if entry.plans[slot].as_ref().is_none_or(|(_, planned)| size > 4 * planned + 16) {
            entry.plans[slot] = Some((self.plan(clause, first, store), size));
        }
        let Some((plan, _)) = &entry.plans[slot] else { return Ok(()) };
        plan.refresh(store);
        store.begin(clause);
        let found = Match::new(clause.variables.len(), body.positive.len());
        let mut join = Join { body, plan, ranges, found, key: Vec::new() };
        join.run(store, &mut Heads { clause, tuple: Vec::new(), aside })?;
        Ok(())
    }

    fn plan(&self, clause: &Clause, first: Option<usize>, store: &mut Store<'_>) -> JoinPlan {
        let mut wanted = vec![false; clause.variables.len()];
        clause.head.for_each_variable(&mut |variable| wanted[variable] = true);
        let task = Task {
            body: &clause.body,
            bound: vec![false; clause.variables.len()],
            wanted,
            first,
            decided: clause.body.negative.iter().map(|atom| self.decided[atom.predicate.index()]).collect(),
        };
        JoinPlan::of(&task, store)
    }
}

/// Stores the heads that follow.
struct Heads<'c, 'a> {
    clause: &'c Clause,
    tuple: Vec<TermId>,
    aside: Option<&'a mut Aside>,
}

impl Sink for Heads<'_, '_> {
    fn wants(&mut self, store: &mut Store<'_>, found: &Match) -> bool {
        !found.is_known(&self.clause.head, store, &mut self.tuple)
    }

    fn take(&mut self, store: &mut Store<'_>, found: &Match) -> Result<(), Halt> {
        let head = &self.clause.head;
        found.head(head, store, &mut self.tuple);
        match &mut self.aside {
            Some(aside) if matches!(head.mode, Mode::Next | Mode::Legal) => {
                aside[head.predicate.index()].insert(&self.tuple);
            }
            _ => drop(store.insert(head.predicate.index(), &self.tuple)?),
        }
        Ok(())
    }
}
