//! Prepares and evaluates conditions on the moves alone. The set of moves that satisfy one depends on the values of a
//! few variables, and is computed once per combination of values.

use groundrules_gdl::term::TermId;
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::sets::{Choice, Sets};
use crate::clause::{Body, Clause, Mode, Pattern, PatternAtom, Predicate, PredicateId, Program};
use crate::error::Halt;
use crate::join::{ALL, Join, Match, Sink};
use crate::numbering::Numbering;
use crate::plan::{JoinPlan, Task};
use crate::store::Store;
use crate::table::Table;

/// A prepared condition.
pub(crate) struct Condition {
    number: usize,
    body: Body,
    plan: JoinPlan,
    /// The variables that decide the set.
    pub(crate) interface: Vec<usize>,
    variables: usize,
    kinds: Kinds,
}

/// The moves that fit a literal, by what it asks about them: each row of the table stands for some moves of one role.
struct Kinds {
    table: u32,
    members: Vec<Vec<u32>>,
    roles: Vec<TermId>,
}

/// All conditions asked so far.
#[derive(Default)]
pub(crate) struct Conditions {
    known: FxHashMap<(usize, Box<[TermId]>), Choice>,
    count: usize,
}

impl Conditions {
    /// Makes a condition ready. Moves that agree on what the condition asks about them are one row of a table.
    pub(crate) fn prepare(
        &mut self,
        program: &Program,
        clause: &Clause,
        body: &Body,
        numbering: &Numbering,
        store: &mut Store<'_>,
    ) -> Condition {
        let variables = clause.variables.len();
        let does = &body.positive[0];
        let mut elsewhere = vec![false; variables];
        clause.head.for_each_variable(&mut |variable| elsewhere[variable] = true);
        clause.body.for_each_variable(&mut |variable| elsewhere[variable] = true);
        let mut bound = vec![false; variables];
        body.for_each_variable(&mut |variable| bound[variable] |= elsewhere[variable]);
        let interface = (0..variables).filter(|&variable| bound[variable]).collect();
        let mut asked = elsewhere;
        body.positive[1..].iter().chain(&body.negative).for_each(|atom| {
            atom.for_each_variable(&mut |variable| asked[variable] = true);
        });
        body.tests.iter().for_each(|test| test.for_each_variable(&mut |variable| asked[variable] = true));
        let mut of_move = vec![false; variables];
        does.for_each_variable(&mut |variable| of_move[variable] = true);
        let keys: Vec<usize> =
            (0..variables).filter(|&variable| of_move[variable] && asked[variable]).collect();
        let kinds = Kinds::of(program, does, &keys, variables, numbering, store);
        let mut body = body.clone();
        let mut wanted = vec![false; variables];
        keys.iter().for_each(|&variable| wanted[variable] = true);
        does.columns[0].for_each_variable(&mut |variable| wanted[variable] = true);
        let columns = std::iter::once(does.columns[0].clone()).chain(keys.into_iter().map(Pattern::Variable));
        body.positive[0] =
            PatternAtom { predicate: PredicateId(kinds.table), mode: Mode::Does, columns: columns.collect() };
        let decided = vec![true; body.negative.len()];
        let plan = JoinPlan::of(&Task { body: &body, bound, wanted, first: None, decided }, store);
        plan.refresh(store);
        self.count += 1;
        Condition { number: self.count, body, plan, interface, variables, kinds }
    }

    /// The moves that fit a condition under the values of a match.
    pub(crate) fn ask(
        &mut self,
        condition: &Condition,
        found: &Match,
        sets: &mut Sets,
        store: &mut Store<'_>,
    ) -> Result<Choice, Halt> {
        let values: Box<[TermId]> =
            condition.interface.iter().map(|&variable| found.values[variable]).collect();
        let key = (condition.number, values);
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let mut inner = Match::new(condition.variables, condition.body.positive.len());
        inner.values.copy_from_slice(&found.values);
        let ranges = vec![ALL; condition.body.positive.len()];
        let mut join = Join {
            body: &condition.body,
            plan: &condition.plan,
            ranges: &ranges,
            found: inner,
            key: Vec::new(),
        };
        let mut fitting = Fitting { rows: Vec::new() };
        join.run(store, &mut fitting)?;
        fitting.rows.sort_unstable();
        fitting.rows.dedup();
        let choice = condition.kinds.choice(&fitting.rows, sets);
        self.known.insert(key, choice.clone());
        Ok(choice)
    }
}

impl Kinds {
    fn of(
        program: &Program,
        does: &PatternAtom,
        keys: &[usize],
        variables: usize,
        numbering: &Numbering,
        store: &mut Store<'_>,
    ) -> Self {
        let predicate = does.predicate.index();
        let mut kinds = Table::new(keys.len() + 1);
        let (mut members, mut roles): (Vec<Vec<u32>>, Vec<TermId>) = (Vec::new(), Vec::new());
        let mut found = Match::new(variables, 0);
        let mut tuple = Vec::new();
        for row in 0..store.tables[predicate].len() {
            let mut bound = vec![false; variables];
            let columns = store.tables[predicate].row(row);
            let mut pairs = does.columns.iter().zip(columns);
            if !store.roles.contains(&columns[0])
                || !pairs.all(|(pattern, &term)| found.unify(pattern, term, &mut bound, store))
            {
                continue;
            }
            let Some(atom) = move_atom(program, predicate, row, numbering, store) else { continue };
            tuple.clear();
            tuple.push(columns[0]);
            tuple.extend(keys.iter().map(|&variable| found.values[variable]));
            let (kind, is_new) = kinds.insert(&tuple);
            if is_new {
                members.push(Vec::new());
                roles.push(columns[0]);
            }
            members[kind as usize].push(atom);
        }
        Kinds { table: store.add_table(kinds), members, roles }
    }

    /// The moves of some rows, role by role.
    fn choice(&self, rows: &[u32], sets: &mut Sets) -> Choice {
        let mut by_role: IndexMap<TermId, Vec<u32>, FxBuildHasher> = IndexMap::default();
        for &row in rows {
            let moves = by_role.entry(self.roles[row as usize]).or_default();
            moves.extend_from_slice(&self.members[row as usize]);
        }
        by_role.into_iter().map(|(role, moves)| (role, sets.set(role, moves))).collect()
    }
}

/// The atom that says that the move of a row is made; the row is one of a move or of moves as whole terms.
fn move_atom(
    program: &Program,
    predicate: usize,
    row: u32,
    numbering: &Numbering,
    store: &Store<'_>,
) -> Option<u32> {
    if program.predicates[predicate] != Predicate::Whole(Mode::Does) {
        return Some(numbering.atom(predicate, row, Mode::Does));
    }
    let &[role, term] = store.tables[predicate].row(row) else { return None };
    let (name, arity) = store.terms.functor(term)?;
    let index = program.predicates.get_index_of(&Predicate::Move(name, arity))?;
    let tuple: Vec<TermId> =
        std::iter::once(role).chain(store.terms.arguments(term).iter().copied()).collect();
    Some(numbering.atom(index, store.tables[index].find(&tuple)?, Mode::Does))
}

/// Collects the kinds of moves that fit.
struct Fitting {
    rows: Vec<u32>,
}

impl Sink for Fitting {
    fn wants(&mut self, _: &mut Store<'_>, _: &Match) -> bool {
        true
    }

    fn take(&mut self, _: &mut Store<'_>, found: &Match) -> Result<(), Halt> {
        self.rows.push(found.rows[0]);
        Ok(())
    }
}
