//! Static relations that are too large to write out, computed as they are asked: a question with some columns given is
//! answered once, by the clauses for its predicate, and the answers are rows of the predicate's table like others.
//! Questions that come back to themselves are repeated until no answer is new. A negation that comes back to itself has
//! no meaning and is an error; so relations that are stratified only by their arguments get their meaning here.

use std::rc::Rc;

use groundrules_gdl::term::TermId;
use rustc_hash::FxHashMap;

use crate::clause::{Clause, Program};
use crate::error::{GroundError, Halt};
use crate::join::{ALL, Join, Match, Sink};
use crate::plan::{Plan, Task};
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
    plans: FxHashMap<Slot, Rc<Plan>>,
    /// How many answers were found in all.
    answers: u64,
}

impl Lazy {
    pub(crate) fn new(predicates: usize) -> Self {
        Lazy { is_lazy: vec![false; predicates], clauses: vec![Vec::new(); predicates], ..Lazy::default() }
    }

    /// Makes a predicate one that is computed as it is asked.
    pub(crate) fn postpone(&mut self, predicate: usize, program: &Program) {
        self.is_lazy[predicate] = true;
        let clauses = program.clauses.iter().filter(|clause| clause.head.predicate.index() == predicate);
        self.clauses[predicate] = clauses.cloned().map(Rc::new).collect();
    }
}

/// Whether a tuple holds; the predicate is complete or computed as it is asked.
pub(crate) fn holds(store: &mut Store<'_>, predicate: usize, tuple: &[TermId]) -> Result<bool, Halt> {
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
        return Err(store.over("nested questions", MOST_WAITING));
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
fn plan(store: &mut Store<'_>, clause: &Clause, slot: Slot, bound: Vec<bool>) -> Rc<Plan> {
    if let Some(plan) = store.lazy.plans.get(&slot) {
        return Rc::clone(plan);
    }
    let mut wanted = vec![false; bound.len()];
    clause.head.for_each_variable(&mut |variable| wanted[variable] = true);
    let decided = vec![true; clause.body.negative.len()];
    let plan = Rc::new(Plan::of(&Task { body: &clause.body, bound, wanted, first: None, decided }, store));
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
