//! Static relations that are too large to enumerate, evaluated on demand. A query with some columns bound is answered
//! once, by the clauses of its predicate, and its answers become rows of the predicate's table. Recursive queries are
//! iterated until no answer is new. A query that depends on its own negation has no meaning and is an error; relations
//! that are stratified only by their arguments therefore get their meaning here. Whether a single tuple holds is not
//! stored where a few look-ups decide it.

use std::rc::Rc;

use groundrules_gdl::term::TermId;
use rustc_hash::FxHashMap;

use crate::clause::{Clause, Program};
use crate::error::{GroundError, Halt};
use crate::join::{ALL, Join, Match, Sink};
use crate::plan::{JoinPlan, Task};
use crate::store::Store;

/// A question: the predicate, which columns are given, and their values.
type Goal = (usize, Box<[usize]>, Box<[TermId]>);

/// A clause of a predicate, by their places, and which columns of its head are given.
type Slot = (usize, usize, Box<[usize]>);

/// How far a question is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answered {
    /// The question is being worked on, at this place of the stack.
    Active(usize),
    /// As far as the question at this place of the stack allows.
    Partly(usize),
    Fully,
}

/// A question that is being worked on.
#[derive(Debug)]
struct Frame {
    /// The outermost question that this one came back to.
    lowest: usize,
    /// Whether some question came back to this one.
    is_cycle: bool,
}

/// What is asked and answered.
#[derive(Default)]
pub(crate) struct Lazy {
    pub(crate) is_lazy: Vec<bool>,
    clauses: Vec<Vec<Rc<Clause>>>,
    goals: FxHashMap<Goal, Answered>,
    /// Questions answered in part, in the order in which they were left.
    partly: Vec<Goal>,
    stack: Vec<Frame>,
    plans: FxHashMap<Slot, Rc<JoinPlan>>,
    /// How many answers were found in all.
    answers: u64,
    /// Of each predicate that was asked about, how many look-ups tell whether a tuple holds; `None` if they do not.
    look_ups: FxHashMap<usize, Option<usize>>,
}

impl Lazy {
    pub(crate) fn new(predicates: usize) -> Self {
        Lazy { is_lazy: vec![false; predicates], clauses: vec![Vec::new(); predicates], ..Lazy::default() }
    }

    /// Makes a predicate one that is evaluated on demand.
    pub(crate) fn postpone(&mut self, predicate: usize, program: &Program) {
        self.is_lazy[predicate] = true;
        let clauses = program.clauses.iter().filter(|clause| clause.head.predicate.index() == predicate);
        self.clauses[predicate] = clauses.cloned().map(Rc::new).collect();
    }

    /// Forgets the questions that were being worked on when the work was given up.
    pub(crate) fn interrupt(&mut self) {
        if !self.stack.is_empty() {
            self.stack.clear();
            self.partly.clear();
            self.goals.retain(|_, answered| *answered == Answered::Fully);
        }
    }

    /// How many look-ups tell whether a tuple of a predicate holds, if they are few: its clauses have no variables but
    /// those of their heads, and rest on others of that kind.
    fn look_ups(&mut self, predicate: usize) -> Option<usize> {
        const MOST_LOOK_UPS: usize = 256;
        if !self.is_lazy[predicate] {
            return Some(1);
        }
        if let Some(&known) = self.look_ups.get(&predicate) {
            return known;
        }
        // What comes back to itself is no matter of looking up.
        self.look_ups.insert(predicate, None);
        let mut count = 0;
        for clause in self.clauses[predicate].clone() {
            let mut given = vec![false; clause.variables.len()];
            clause.head.for_each_variable(&mut |variable| given[variable] = true);
            let mut all_given = true;
            clause.body.for_each_variable(&mut |variable| all_given &= given[variable]);
            count += 1;
            for atom in clause.body.positive.iter().chain(&clause.body.negative) {
                count += self.look_ups(atom.predicate.index())?;
            }
            if !all_given || count > MOST_LOOK_UPS {
                return None;
            }
        }
        self.look_ups.insert(predicate, Some(count));
        Some(count)
    }
}

/// Whether a tuple holds, if a few look-ups tell it.
pub(crate) fn look_up(
    store: &mut Store<'_>,
    predicate: usize,
    tuple: &[TermId],
) -> Result<Option<bool>, Halt> {
    if store.lazy.look_ups(predicate).is_none() {
        Ok(None)
    } else {
        follows(store, predicate, tuple).map(Some)
    }
}

/// Whether a tuple is in its table, or follows by one of the clauses.
fn follows(store: &mut Store<'_>, predicate: usize, tuple: &[TermId]) -> Result<bool, Halt> {
    if !store.is_lazy(predicate) {
        return Ok(store.tables[predicate].find(tuple).is_some());
    }
    for index in 0..store.lazy.clauses[predicate].len() {
        store.tick()?;
        let clause = Rc::clone(&store.lazy.clauses[predicate][index]);
        let mut found = Match::new(clause.variables.len(), 0);
        let mut bound = vec![false; clause.variables.len()];
        let mut columns = clause.head.columns.iter().zip(tuple);
        if columns.all(|(column, &term)| found.unify(column, term, &mut bound, store))
            && body_holds(store, &clause, &found)?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

fn body_holds(store: &mut Store<'_>, clause: &Clause, found: &Match) -> Result<bool, Halt> {
    if !clause.body.tests.iter().all(|test| found.passes(test, store)) {
        return Ok(false);
    }
    let mut tuple = Vec::new();
    let positive = clause.body.positive.iter().map(|atom| (atom, true));
    for (atom, wanted) in positive.chain(clause.body.negative.iter().map(|atom| (atom, false))) {
        let predicate = atom.predicate.index();
        let holds = if store.is_lazy(predicate) {
            found.head(atom, store, &mut tuple);
            follows(store, predicate, &tuple)?
        } else {
            found.tuple(atom, store, &mut tuple) && store.tables[predicate].find(&tuple).is_some()
        };
        if holds != wanted {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a tuple holds; the predicate is complete or evaluated on demand.
pub(crate) fn holds(store: &mut Store<'_>, predicate: usize, tuple: &[TermId]) -> Result<bool, Halt> {
    if let Some(holds) = look_up(store, predicate, tuple)? {
        return Ok(holds);
    }
    let columns: Vec<usize> = (0..tuple.len()).collect();
    match ask(store, predicate, &columns, tuple)? {
        Answered::Fully => Ok(store.tables[predicate].find(tuple).is_some()),
        Answered::Active(_) | Answered::Partly(_) => {
            let rule = store.lazy.clauses[predicate].first().map_or(0, |clause| clause.rule);
            Err(GroundError::StaticNegation { rule }.into())
        }
    }
}

/// Answers a question: afterwards the rows that have the given values in the given columns are in the table, all of them
/// unless the question is still being worked on.
pub(crate) fn ask(
    store: &mut Store<'_>,
    predicate: usize,
    columns: &[usize],
    key: &[TermId],
) -> Result<Answered, Halt> {
    let goal: Goal = (predicate, columns.into(), key.into());
    let state = store.lazy.goals.get(&goal).copied();
    if let Some(Answered::Active(place)) = state {
        store.lazy.stack[place].is_cycle = true;
    }
    if let Some(Answered::Active(place) | Answered::Partly(place)) = state
        && let Some(top) = store.lazy.stack.last_mut()
    {
        top.lowest = top.lowest.min(place);
    }
    match state {
        Some(state) => Ok(state),
        // A chain of questions can be as long as the description's longest chain of facts.
        None => stacker::maybe_grow(128 << 10, 2 << 20, || answer(store, &goal)),
    }
}

/// How many questions may wait for each other.
const MOST_WAITING: usize = 1_000_000;

fn answer(store: &mut Store<'_>, goal: &Goal) -> Result<Answered, Halt> {
    let place = store.lazy.stack.len();
    if place >= MOST_WAITING {
        return Err(store.over("nested questions", MOST_WAITING as u64));
    }
    let first_partly = store.lazy.partly.len();
    store.lazy.stack.push(Frame { lowest: place, is_cycle: false });
    store.lazy.goals.insert(goal.clone(), Answered::Active(place));
    loop {
        let before = store.lazy.answers;
        apply_clauses(store, goal)?;
        let frame = &store.lazy.stack[place];
        if frame.lowest < place || !frame.is_cycle || store.lazy.answers == before {
            break;
        }
        // Something new was found, so what rests on this question is asked again.
        for goal in store.lazy.partly.split_off(first_partly) {
            store.lazy.goals.remove(&goal);
        }
    }
    let lowest = store.lazy.stack.pop().map_or(place, |frame| frame.lowest);
    let state = if lowest < place { Answered::Partly(lowest) } else { Answered::Fully };
    if state == Answered::Fully {
        for goal in store.lazy.partly.split_off(first_partly) {
            store.lazy.goals.insert(goal, Answered::Fully);
        }
    } else {
        store.lazy.partly.push(goal.clone());
        if let Some(top) = store.lazy.stack.last_mut() {
            top.lowest = top.lowest.min(lowest);
        }
    }
    store.lazy.goals.insert(goal.clone(), state);
    Ok(state)
}

fn apply_clauses(store: &mut Store<'_>, (predicate, columns, key): &Goal) -> Result<(), Halt> {
    for index in 0..store.lazy.clauses[*predicate].len() {
        let clause = Rc::clone(&store.lazy.clauses[*predicate][index]);
        let mut found = Match::new(clause.variables.len(), clause.body.positive.len());
        let mut bound = vec![false; clause.variables.len()];
        let columns_match = columns
            .iter()
            .zip(key)
            .all(|(&column, &term)| found.unify(&clause.head.columns[column], term, &mut bound, store));
        if !columns_match {
            continue;
        }
        let plan = plan(store, &clause, (*predicate, index, columns.clone()), bound);
        plan.refresh(store);
        let before = store.begin(&clause);
        let ranges = vec![ALL; clause.body.positive.len()];
        let mut join = Join { body: &clause.body, plan: &plan, ranges: &ranges, found, key: Vec::new() };
        join.run(store, &mut Answers { clause: &clause, tuple: Vec::new() })?;
        store.resume(before);
    }
    Ok(())
}

/// The plan for a clause when some columns of its head are given.
fn plan(store: &mut Store<'_>, clause: &Clause, slot: Slot, bound: Vec<bool>) -> Rc<JoinPlan> {
    if let Some(plan) = store.lazy.plans.get(&slot) {
        return Rc::clone(plan);
    }
    let mut wanted = vec![false; bound.len()];
    clause.head.for_each_variable(&mut |variable| wanted[variable] = true);
    let decided = vec![true; clause.body.negative.len()];
    let plan =
        Rc::new(JoinPlan::of(&Task { body: &clause.body, bound, wanted, first: None, decided }, store));
    store.lazy.plans.insert(slot, Rc::clone(&plan));
    plan
}

/// Stores the heads that follow.
struct Answers<'c> {
    clause: &'c Clause,
    tuple: Vec<TermId>,
}

impl Sink for Answers<'_> {
    fn wants(&mut self, store: &mut Store<'_>, found: &Match) -> bool {
        !found.is_known(&self.clause.head, store, &mut self.tuple)
    }

    fn take(&mut self, store: &mut Store<'_>, found: &Match) -> Result<(), Halt> {
        let head = &self.clause.head;
        found.head(head, store, &mut self.tuple);
        let (_, is_new) = store.insert(head.predicate.index(), &self.tuple)?;
        store.lazy.answers += u64::from(is_new);
        Ok(())
    }
}
