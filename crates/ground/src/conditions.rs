//! Conditions on the move alone. In a frame rule such as
//!
//! ```text
//! (<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)) (does ?r (mark ?u ?v)) (distinct ?x ?u))
//! ```
//!
//! the last two literals say "some move of a certain set is made", and the set depends on `?x` only. Instantiated move by
//! move that is moves × cells rules. Each role makes exactly one move, so "one of this set is made" is "none of the
//! others is made": a condition becomes one literal over an atom for the smaller of the two sets. Equal sets share
//! their atom, whatever rules they come from.

use std::rc::Rc;

use groundrules_gdl::term::TermId;
use rustc_hash::FxHashMap;

use crate::clause::{Body, Clause, Mode, Pattern, PatternAtom, Predicate, PredicateId, Program};
use crate::draft::{Rules, literal};
use crate::error::Halt;
use crate::join::{ALL, Join, Match, Sink};
use crate::numbering::Numbering;
use crate::plan::{Plan, Task};
use crate::store::Store;
use crate::table::Table;

/// Takes the conditions on the move alone out of every clause that has some.
pub(crate) fn take_out(program: &mut Program) {
    let mut clauses = std::mem::take(&mut program.clauses);
    clauses.iter_mut().for_each(|clause| take_out_of(program, clause));
    program.clauses = clauses;
}

/// Takes the conditions on the move alone out of a clause.
pub(crate) fn take_out_of(program: &Program, clause: &mut Clause) {
    if program.is_dynamic(&clause.head) {
        while let Some(condition) = condition(program, clause) {
            clause.conditions.push(condition);
        }
    }
}

/// One condition on the move alone, taken out of a clause.
fn condition(program: &Program, clause: &mut Clause) -> Option<Body> {
    let places = 0..clause.body.positive.len();
    let chosen = { places }.find_map(|place| {
        let mut inner = inner_variables(program, clause, place)?;
        let parts = connected(program, clause, place, &mut inner);
        is_decided_by_head(clause, &parts, &inner).then_some(parts)
    })?;
    let mut condition = Body {
        positive: take(&mut clause.body.positive, &chosen.positive),
        negative: take(&mut clause.body.negative, &chosen.negative),
        tests: take(&mut clause.body.tests, &chosen.tests),
    };
    // The move stands first.
    let does = condition.positive.iter().position(|atom| atom.mode == Mode::Does)?;
    condition.positive.swap(0, does);
    Some(condition)
}

fn take<T>(list: &mut Vec<T>, chosen: &[bool]) -> Vec<T> {
    let mut chosen = chosen.iter();
    list.extract_if(.., |_| chosen.next().copied().unwrap_or(false)).collect()
}

/// Which literals of a body belong to a condition.
struct Chosen {
    positive: Vec<bool>,
    negative: Vec<bool>,
    tests: Vec<bool>,
}

/// The variables that a literal about a move shares with nothing that the state decides.
fn inner_variables(program: &Program, clause: &Clause, place: usize) -> Option<Vec<bool>> {
    let does = &clause.body.positive[place];
    if does.mode != Mode::Does {
        return None;
    }
    let mut inner = vec![false; clause.variables.len()];
    does.for_each_variable(&mut |variable| inner[variable] = true);
    let outer = outer_variables(program, clause, place);
    inner.iter_mut().zip(outer).for_each(|(inner, outer)| *inner &= !outer);
    inner.contains(&true).then_some(inner)
}

/// The variables of the head and of all other literals that the state or a move decides.
fn outer_variables(program: &Program, clause: &Clause, place: usize) -> Vec<bool> {
    let mut outer = vec![false; clause.variables.len()];
    clause.head.for_each_variable(&mut |variable| outer[variable] = true);
    for (other, atom) in clause.body.positive.iter().enumerate() {
        if other != place && program.is_dynamic(atom) {
            atom.for_each_variable(&mut |variable| outer[variable] = true);
        }
    }
    for atom in clause.body.negative.iter().filter(|atom| program.is_dynamic(atom)) {
        atom.for_each_variable(&mut |variable| outer[variable] = true);
    }
    for condition in &clause.conditions {
        condition.for_each_variable(&mut |variable| outer[variable] = true);
    }
    outer
}

/// The static literals and tests that share an inner variable, one after the other.
fn connected(program: &Program, clause: &Clause, place: usize, inner: &mut [bool]) -> Chosen {
    let body = &clause.body;
    let outer = outer_variables(program, clause, place);
    let mut chosen = Chosen {
        positive: vec![false; body.positive.len()],
        negative: vec![false; body.negative.len()],
        tests: vec![false; body.tests.len()],
    };
    chosen.positive[place] = true;
    loop {
        let mut grown = false;
        let mut look = |chosen: &mut bool, is_static: bool, visit: &dyn Fn(&mut dyn FnMut(usize))| {
            let mut touches = false;
            visit(&mut |variable| touches |= inner[variable]);
            if *chosen || !is_static || !touches {
                return;
            }
            *chosen = true;
            grown = true;
            visit(&mut |variable| inner[variable] |= !outer[variable]);
        };
        for (index, atom) in body.positive.iter().enumerate() {
            let visit = |f: &mut dyn FnMut(usize)| atom.for_each_variable(&mut |variable| f(variable));
            look(&mut chosen.positive[index], !program.is_dynamic(atom), &visit);
        }
        for (index, atom) in body.negative.iter().enumerate() {
            let visit = |f: &mut dyn FnMut(usize)| atom.for_each_variable(&mut |variable| f(variable));
            look(&mut chosen.negative[index], !program.is_dynamic(atom), &visit);
        }
        for (index, test) in body.tests.iter().enumerate() {
            let visit = |f: &mut dyn FnMut(usize)| test.for_each_variable(&mut |variable| f(variable));
            look(&mut chosen.tests[index], true, &visit);
        }
        if !grown {
            return chosen;
        }
    }
}

/// Whether the head decides the condition, and what is left of the clause still binds every variable that it uses.
fn is_decided_by_head(clause: &Clause, chosen: &Chosen, inner: &[bool]) -> bool {
    let mut bound = vec![false; inner.len()];
    clause.head.for_each_variable(&mut |variable| bound[variable] = true);
    let mut is_decided = true;
    let mut look = |variable: usize| is_decided &= bound[variable] || inner[variable];
    for (atom, _) in clause.body.positive.iter().zip(&chosen.positive).filter(|(_, chosen)| **chosen) {
        atom.for_each_variable(&mut look);
    }
    for (atom, _) in clause.body.negative.iter().zip(&chosen.negative).filter(|(_, chosen)| **chosen) {
        atom.for_each_variable(&mut look);
    }
    for (test, _) in clause.body.tests.iter().zip(&chosen.tests).filter(|(_, chosen)| **chosen) {
        test.for_each_variable(&mut look);
    }
    is_decided
}

/// A condition made ready to be asked.
pub(crate) struct Condition {
    number: usize,
    body: Body,
    plan: Plan,
    /// The variables that decide the set.
    pub(crate) interface: Vec<usize>,
    variables: usize,
    /// The moves of each row of the table of kinds of moves, in ascending order, and whose they are.
    members: Vec<Vec<u32>>,
    roles: Vec<TermId>,
}

/// What a condition comes to.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// No such move exists.
    Never,
    /// Every move of some role is such a move.
    Always,
    /// One of these literals must hold.
    OneOf(Rc<[u32]>),
}

/// All conditions, and the sets of moves that stand in the rules.
pub(crate) struct Conditions {
    /// All moves of each role, in ascending order.
    moves: FxHashMap<TermId, Rc<[u32]>>,
    known: FxHashMap<(usize, Box<[TermId]>), Outcome>,
    /// The sets with their atoms.
    sets: indexmap::IndexMap<Rc<[u32]>, u32, rustc_hash::FxBuildHasher>,
    first_atom: u32,
    count: usize,
    /// Scratch: which moves are in a set.
    marks: Vec<bool>,
}

impl Conditions {
    pub(crate) fn of(program: &Program, numbering: &Numbering, store: &Store<'_>) -> Self {
        let mut moves: FxHashMap<TermId, Vec<u32>> = FxHashMap::default();
        for (index, predicate) in program.predicates.iter().enumerate() {
            if matches!(predicate, Predicate::Move(..)) {
                for row in 0..store.tables[index].len() {
                    let role = store.tables[index].row(row)[0];
                    if !store.roles.contains(&role) {
                        continue;
                    }
                    moves.entry(role).or_default().push(numbering.atom(index, row, Mode::Does));
                }
            }
        }
        let first_atom = 2 * (numbering.fluents + numbering.moves) + numbering.derived;
        Conditions {
            moves: moves
                .into_iter()
                .map(|(role, mut moves)| {
                    moves.sort_unstable();
                    (role, moves.into())
                })
                .collect(),
            known: FxHashMap::default(),
            sets: indexmap::IndexMap::default(),
            first_atom,
            count: 0,
            marks: vec![false; (numbering.fluents + numbering.moves) as usize],
        }
    }

    /// How many atoms for sets there are.
    pub(crate) fn atoms(&self) -> u32 {
        u32::try_from(self.sets.len()).unwrap_or(u32::MAX)
    }

    /// Makes a condition ready. Moves that agree on what the condition asks about them are one row of a table.
    pub(crate) fn prepare(
        &mut self,
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
        let (table, members, roles) = kinds(does, &keys, variables, numbering, store);
        let mut body = body.clone();
        let mut wanted = vec![false; variables];
        keys.iter().for_each(|&variable| wanted[variable] = true);
        does.columns[0].for_each_variable(&mut |variable| wanted[variable] = true);
        let columns = std::iter::once(does.columns[0].clone()).chain(keys.into_iter().map(Pattern::Variable));
        body.positive[0] =
            PatternAtom { predicate: PredicateId(table), mode: Mode::Does, columns: columns.collect() };
        let decided = vec![true; body.negative.len()];
        let plan = Plan::of(&Task { body: &body, bound, wanted, first: None, decided }, store);
        plan.refresh(store);
        self.count += 1;
        Condition { number: self.count, body, plan, interface, variables, members, roles }
    }

    /// What a condition comes to under the values of a match.
    pub(crate) fn outcome(
        &mut self,
        condition: &Condition,
        found: &Match,
        store: &mut Store<'_>,
    ) -> Result<Outcome, Halt> {
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
        let mut kinds = Kinds { rows: Vec::new() };
        join.run(store, &mut kinds)?;
        kinds.rows.sort_unstable();
        kinds.rows.dedup();
        let outcome = self.literals(condition, &kinds.rows);
        self.known.insert(key, outcome.clone());
        Ok(outcome)
    }

    /// One literal for each role that has such moves.
    fn literals(&mut self, condition: &Condition, kinds: &[u32]) -> Outcome {
        let mut by_role: indexmap::IndexMap<TermId, Vec<u32>> = indexmap::IndexMap::default();
        for &kind in kinds {
            let moves = by_role.entry(condition.roles[kind as usize]).or_default();
            moves.extend_from_slice(&condition.members[kind as usize]);
        }
        let mut choices = Vec::new();
        for (role, mut set) in by_role {
            let Some(all) = self.moves.get(&role).cloned() else { continue };
            if set.len() == all.len() {
                return Outcome::Always;
            }
            let is_direct = 2 * set.len() <= all.len();
            if is_direct {
                set.sort_unstable();
            } else {
                set = self.others(&all, &set);
            }
            let atom = if let [single] = set[..] { single } else { self.set(set) };
            choices.push(literal(atom, is_direct));
        }
        if choices.is_empty() { Outcome::Never } else { Outcome::OneOf(choices.into()) }
    }

    fn others(&mut self, all: &[u32], set: &[u32]) -> Vec<u32> {
        set.iter().for_each(|&atom| self.marks[atom as usize] = true);
        let others = all.iter().copied().filter(|&atom| !self.marks[atom as usize]).collect();
        set.iter().for_each(|&atom| self.marks[atom as usize] = false);
        others
    }

    fn set(&mut self, set: Vec<u32>) -> u32 {
        let next = self.first_atom + self.atoms();
        *self.sets.entry(set.into()).or_insert(next)
    }

    /// The rules for the sets' atoms.
    pub(crate) fn define_sets(&self, rules: &mut Rules) {
        for (set, &atom) in &self.sets {
            set.iter().for_each(|&made| rules.push(atom, &[literal(made, true)]));
        }
    }
}

/// The moves of a table that fit a literal, by what some variables are.
fn kinds(
    does: &PatternAtom,
    keys: &[usize],
    variables: usize,
    numbering: &Numbering,
    store: &mut Store<'_>,
) -> (u32, Vec<Vec<u32>>, Vec<TermId>) {
    let predicate = does.predicate.index();
    let mut kinds = Table::new(keys.len() + 1);
    let (mut members, mut roles): (Vec<Vec<u32>>, Vec<TermId>) = (Vec::new(), Vec::new());
    let mut found = Match::new(variables, 0);
    let mut tuple = Vec::new();
    for row in 0..store.tables[predicate].len() {
        let mut bound = vec![false; variables];
        let columns = store.tables[predicate].row(row);
        if !store.roles.contains(&columns[0]) {
            continue;
        }
        if !does
            .columns
            .iter()
            .zip(columns)
            .all(|(pattern, &term)| found.unify(pattern, term, &mut bound, store))
        {
            continue;
        }
        tuple.clear();
        tuple.push(columns[0]);
        tuple.extend(keys.iter().map(|&variable| found.values[variable]));
        let (kind, is_new) = kinds.insert(&tuple);
        if is_new {
            members.push(Vec::new());
            roles.push(columns[0]);
        }
        members[kind as usize].push(numbering.atom(predicate, row, Mode::Does));
    }
    (store.add_table(kinds), members, roles)
}

/// Collects the kinds of moves that fit.
struct Kinds {
    rows: Vec<u32>,
}

impl Sink for Kinds {
    fn wants(&mut self, _: &mut Store<'_>, _: &Match) -> bool {
        true
    }

    fn take(&mut self, _: &mut Store<'_>, found: &Match) -> Result<(), Halt> {
        self.rows.push(found.rows[0]);
        Ok(())
    }
}
