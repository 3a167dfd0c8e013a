//! Exact values beside the tree: proof-number search over a graph of states, in the lanes of the engine. It asks whether the player's role can be
//! sure of a goal, against everybody else, and counts for every state how much is missing to prove it and to refute it. The leaves
//! where least is missing are expanded, many at once.
//!
//! A proof rests on ends and on proofs made before, so it is finite and sound whether or not play can come back to a state; a proved state
//! remembers within how many moves, so that who follows proofs comes nearer to the end with each. States in which several roles
//! choose at once, or nature does, are never proved. Proof numbers are weak ones (the largest of a conjunction and the number of the
//! others), since sums count transpositions twice.
//!
//! `pass` calls it between passes; what it proves about the root's moves goes into the tree.

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

use groundrules_machine::{Batch, MachineError, Move, Rows, Views};

use super::bounds::{Bound, FULL};
use super::tree::number;

/// A state's number.
type StateId = u32;

/// Nothing can be proved any more; of a proof number, that the opposite is proved.
const INFINITE: u32 = u32::MAX;

/// What is missing where it is not known how to go on: in a leaf that is being expanded, or where nobody chooses alone.
const UNKNOWN: u32 = 1 << 24;

/// The solver's share of the work, usually and at most.
const SHARE: f64 = 0.08;
const MOST_SHARE: f64 = 0.9;

/// Its share of the time until it has made enough successors to see whether the game is small, and how many those are.
const FIRST_SHARE: f64 = 0.25;
const FIRST: u64 = 60_000;

/// A game counts as small as long as so many of its successors were known before, up to so many successors.
const SMALL_SHARE: f64 = 0.65;
const SMALL: u64 = 1 << 23;

/// Where a state has no further parent.
const NOBODY: u32 = u32::MAX;

/// Leaves that are expanded at once.
const LEAVES: usize = 16;

/// Descents without a leaf, after which the others of the step are left out.
const MOST_FAILURES: usize = 4;

/// States with more moves are not expanded.
const MOST_MOVES: usize = 400;

/// The solver of one role.
pub(super) struct Solver {
    role: usize,
    nature: Vec<bool>,
    width: usize,
    words: Vec<u64>,
    states: Vec<Known>,
    children: Vec<StateId>,
    /// For each of them the state that it is a successor of, and the next such entry of the same successor.
    parents: Vec<(StateId, u32)>,
    index: HashTable<StateId>,
    questions: Vec<Question>,
    stamp: u32,
    /// How many bytes it may take, about.
    limit: usize,
    /// Successors made, and the share of recent ones that were known already.
    pub(super) made: u64,
    known_share: f64,
    /// Whether there was not enough room for everything.
    has_forgotten: bool,
    path: Vec<StateId>,
    memory: Memory,
}

/// What is known of a state.
#[derive(Clone, Copy)]
struct Known {
    first: u32,
    count: u32,
    kind: Kind,
    /// The last entry among the parents.
    last_parent: u32,
    /// The last descent that passed through.
    stamp: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Not expanded yet.
    Leaf,
    /// The role chooses.
    Own,
    /// Another role chooses.
    Other,
    /// Several choose, or nature, or there are too many moves.
    Closed,
    /// An end; what the role gets, in hundredths.
    End(u16),
}

/// Whether the role can be sure of a goal.
struct Question {
    /// The goal, in hundredths, and the next one below it: who cannot be sure of the one gets at most the other, because a match in turn
    /// is worth what one of its ends is.
    least: u16,
    below: u16,
    /// For each state what is missing for a proof, and for a refutation.
    missing: Vec<Missing>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Missing {
    proof: u32,
    refutation: u32,
    /// Within how many moves the proof comes to ends.
    plies: u16,
}

impl Missing {
    const LEAF: Missing = Missing { proof: 1, refutation: 1, plies: 0 };
    const UNKNOWN: Missing = Missing { proof: UNKNOWN, refutation: UNKNOWN, plies: 0 };
    const PROVED: Missing = Missing { proof: 0, refutation: INFINITE, plies: 0 };
    const REFUTED: Missing = Missing { proof: INFINITE, refutation: 0, plies: 0 };

    fn is_solved(self) -> bool {
        self.proof == 0 || self.refutation == 0
    }
}

/// Memory that is used again.
struct Memory {
    leaves: Vec<StateId>,
    rows: Rows,
    views: Views,
    from: Vec<u32>,
    joints: Vec<Move>,
    next: Rows,
    ends: Vec<u32>,
    end_rows: Rows,
    end_views: Views,
}

impl Solver {
    /// A solver for a role with such goals, of at most about so many bytes. `nature` tells which roles are nature's.
    pub(super) fn new(role: usize, nature: Vec<bool>, width: usize, goals: &[i32], limit: usize) -> Self {
        let mut goals: Vec<u16> = goals.iter().map(|&goal| Bound::exact(goal).lower).collect();
        goals.sort_unstable();
        goals.dedup();
        // The best goal, and anything better than the worst.
        let asked = match goals[..] {
            [_, .., best] => vec![best, goals[1]],
            _ => vec![FULL],
        };
        let mut questions: Vec<Question> = Vec::new();
        for least in asked {
            if questions.iter().all(|question| question.least != least) {
                // An end without a goal is worth nothing.
                let below = goals.iter().copied().filter(|&goal| goal < least).max().unwrap_or(0);
                questions.push(Question { least, below, missing: Vec::new() });
            }
        }
        Solver {
            role,
            nature,
            width,
            words: Vec::new(),
            states: Vec::new(),
            children: Vec::new(),
            parents: Vec::new(),
            index: HashTable::new(),
            questions,
            stamp: 0,
            limit,
            made: 0,
            known_share: 0.0,
            has_forgotten: false,
            path: Vec::new(),
            memory: Memory::empty(width),
        }
    }

    /// The role that it solves for.
    pub(super) fn role(&self) -> usize {
        self.role
    }

    /// The share of the work that it should do: little, and more where most of what it makes is known already, because then there are not
    /// many states left.
    pub(super) fn share(&self) -> f64 {
        if self.is_full() {
            return 0.0;
        }
        let excess = ((self.known_share - 0.6) / 0.3).clamp(0.0, 1.0);
        let least = if self.made < FIRST { FIRST_SHARE } else { SHARE };
        least + (MOST_SHARE - least) * excess
    }

    /// Whether the game may be so small that it is solved before anything else is done: nothing is known of that yet, or most successors are
    /// states that were met before.
    pub(super) fn may_be_small(&self) -> bool {
        let known = 1.0 - self.states.len() as f64 / self.made.max(1) as f64;
        !self.is_full()
            && !self.has_forgotten
            && (self.made < FIRST || self.made < SMALL && known > SMALL_SHARE)
    }

    fn bytes(&self) -> usize {
        let of_state = size_of::<Known>() + 8 * self.width + 8 + self.questions.len() * size_of::<Missing>();
        self.states.len() * of_state + 12 * self.children.len()
    }

    /// Whether it may not grow any more. Arrays reserve up to twice the room that they use.
    fn is_full(&self) -> bool {
        2 * self.bytes() > self.limit || self.children.len().max(self.words.len()) > u32::MAX as usize / 2
    }

    /// The number of a state, which is added if it is new. If there is no room for a new search, everything else is forgotten.
    pub(super) fn begin(&mut self, row: &[u64]) -> StateId {
        if let Some(known) = self.find(row).filter(|_| !self.is_full()) {
            return known;
        }
        if 4 * self.bytes() > self.limit {
            self.has_forgotten |= !self.states.is_empty();
            self.words.clear();
            self.states.clear();
            self.children.clear();
            self.parents.clear();
            self.index.clear();
            self.questions.iter_mut().for_each(|question| question.missing.clear());
        }
        self.find(row).unwrap_or_else(|| self.add(row, Kind::Leaf))
    }

    fn row(&self, state: StateId) -> &[u64] {
        let first = state as usize * self.width;
        &self.words[first..first + self.width]
    }

    fn find(&self, row: &[u64]) -> Option<StateId> {
        let hash = FxBuildHasher.hash_one(row);
        self.index.find(hash, |&state| self.row(state) == row).copied()
    }

    fn add(&mut self, row: &[u64], kind: Kind) -> StateId {
        let id = number(self.states.len());
        self.words.extend_from_slice(row);
        self.states.push(Known { first: 0, count: 0, kind, last_parent: NOBODY, stamp: 0 });
        for question in &mut self.questions {
            question.missing.push(match kind {
                Kind::End(value) if value >= question.least => Missing::PROVED,
                Kind::End(_) => Missing::REFUTED,
                _ => Missing::LEAF,
            });
        }
        let Solver { index, words, width, .. } = self;
        let hash = |&state: &StateId| {
            let first = state as usize * *width;
            FxBuildHasher.hash_one(&words[first..first + *width])
        };
        index.insert_unique(hash(&id), id, hash);
        id
    }

    /// What is proved of a state for the role, as far as it is known.
    pub(super) fn bound(&self, state: StateId) -> Bound {
        let mut bound = Bound::OPEN;
        for question in &self.questions {
            let missing = question.missing[state as usize];
            if missing.proof == 0 && question.least > bound.lower {
                (bound.lower, bound.plies) = (question.least, missing.plies);
            }
            if missing.refutation == 0 {
                bound.upper = bound.upper.min(question.below);
            }
        }
        bound
    }

    /// What is proved of a packed state for the role; nothing if it was not met.
    pub(super) fn bound_of(&self, row: &[u64]) -> Bound {
        self.find(row).map_or(Bound::OPEN, |state| self.bound(state))
    }

    /// The successors of a state by the moves of the only role that chooses there, in their order; nothing where that is not known.
    pub(super) fn successors(&self, state: StateId) -> &[StateId] {
        let Known { first, count, .. } = self.states[state as usize];
        &self.children[first as usize..(first + count) as usize]
    }

    /// One step towards the value of a state: some leaves are expanded. Asks for the best goal, or whether the worst can be avoided. Says
    /// whether there was anything to do.
    pub(super) fn step(
        &mut self,
        batch: &mut dyn Batch,
        from: StateId,
        for_best: bool,
    ) -> Result<bool, MachineError> {
        let question = if for_best { 0 } else { self.questions.len() - 1 };
        let mut paths: Vec<Vec<StateId>> = Vec::new();
        let mut failures = 0;
        self.memory.leaves.clear();
        while self.memory.leaves.len() < LEAVES && failures < MOST_FAILURES && !self.is_full() {
            let is_leaf = self.descend(question, from);
            if is_leaf {
                let leaf = *self.path.last().expect("a path has its start");
                self.memory.leaves.push(leaf);
                self.questions[question].missing[leaf as usize] = Missing::UNKNOWN;
                paths.push(self.path.clone());
            } else {
                failures += 1;
            }
            let path = std::mem::take(&mut self.path);
            let upwards = if is_leaf { &path[..path.len() - 1] } else { &path[..] };
            self.back_up(question, upwards);
            self.path = path;
            if self.questions[question].missing[from as usize].is_solved() {
                break;
            }
        }
        self.expand(batch)?;
        // What is proved at once counts for all questions.
        for leaf in std::mem::take(&mut self.memory.leaves) {
            (0..self.questions.len()).for_each(|question| self.back_up(question, &[leaf]));
        }
        paths.iter().for_each(|path| self.back_up(question, path));
        Ok(!paths.is_empty())
    }

    /// Goes to a leaf where least is missing. Says whether it came to one; the path is kept in any case.
    fn descend(&mut self, question: usize, from: StateId) -> bool {
        self.stamp = self.stamp.wrapping_add(1);
        self.path.clear();
        let mut state = from;
        loop {
            let known = &mut self.states[state as usize];
            // What is on the path already leads nowhere.
            if std::mem::replace(&mut known.stamp, self.stamp) == self.stamp {
                return false;
            }
            self.path.push(state);
            let (kind, missing) = (known.kind, self.questions[question].missing[state as usize]);
            if missing.is_solved() {
                return false;
            }
            match kind {
                Kind::Leaf => return missing != Missing::UNKNOWN,
                Kind::Closed | Kind::End(_) => return false,
                Kind::Own | Kind::Other => {}
            }
            let rank = |child: &&StateId| {
                let missing = self.questions[question].missing[**child as usize];
                match kind {
                    Kind::Own => (missing.proof, missing.refutation),
                    _ => (missing.refutation, missing.proof),
                }
            };
            let Some(&best) = self.successors(state).iter().min_by_key(rank) else { return false };
            state = best;
        }
    }

    /// Computes again what is missing in the states of a path, the last one first.
    fn back_up(&mut self, question: usize, path: &[StateId]) {
        for &state in path.iter().rev() {
            // A proof stays what it was when it was made: later ones may rest on it.
            if !self.questions[question].missing[state as usize].is_solved() {
                self.compute(question, state);
                if self.questions[question].missing[state as usize].is_solved() {
                    self.spread(question, state);
                }
            }
        }
    }

    /// Computes what is missing in a state from its successors.
    fn compute(&mut self, question: usize, state: StateId) {
        let kind = self.states[state as usize].kind;
        let missing = &self.questions[question].missing;
        let children = self.successors(state).iter().map(|&child| missing[child as usize]);
        let now = match kind {
            Kind::Own => any_of(children),
            Kind::Other => swapped(any_of(children.map(swapped))),
            Kind::Closed => Missing::UNKNOWN,
            Kind::Leaf | Kind::End(_) => return,
        };
        let plies = match kind {
            _ if now.proof != 0 => 0,
            Kind::Own => self.plies(question, state).min().unwrap_or(0).saturating_add(1),
            _ => self.plies(question, state).max().unwrap_or(0).saturating_add(1),
        };
        self.questions[question].missing[state as usize] = Missing { plies, ..now };
    }

    /// Tells all states that lead to a solved one.
    fn spread(&mut self, question: usize, state: StateId) {
        let mut stack = vec![state];
        while let Some(state) = stack.pop() {
            let mut entry = self.states[state as usize].last_parent;
            while entry != NOBODY {
                let (parent, next) = self.parents[entry as usize];
                entry = next;
                if !self.questions[question].missing[parent as usize].is_solved() {
                    self.compute(question, parent);
                    if self.questions[question].missing[parent as usize].is_solved() {
                        stack.push(parent);
                    }
                }
            }
        }
    }

    /// The lengths of the proofs of a state's successors.
    fn plies(&self, question: usize, state: StateId) -> impl Iterator<Item = u16> + '_ {
        let missing = &self.questions[question].missing;
        let proved = self.successors(state).iter().map(|&child| missing[child as usize]);
        proved.filter(|child| child.proof == 0).map(|child| child.plies)
    }

    /// Expands the leaves that were selected.
    fn expand(&mut self, batch: &mut dyn Batch) -> Result<(), MachineError> {
        if self.memory.leaves.is_empty() {
            return Ok(());
        }
        let mut memory = std::mem::replace(&mut self.memory, Memory::empty(self.width));
        let done = self.look(batch, &mut memory).and_then(|()| memory.advance(batch));
        if done.is_ok() {
            self.link(&memory);
        } else {
            // The leaves stay leaves.
            for question in &mut self.questions {
                memory.leaves.iter().for_each(|&leaf| question.missing[leaf as usize] = Missing::LEAF);
            }
        }
        self.memory = memory;
        done
    }

    /// Lists the joint moves of the leaves.
    fn look(&mut self, batch: &mut dyn Batch, memory: &mut Memory) -> Result<(), MachineError> {
        memory.rows.clear();
        memory.from.clear();
        memory.joints.clear();
        memory.leaves.iter().for_each(|&leaf| memory.rows.push(self.row(leaf)));
        batch.look(&memory.rows, &mut memory.views)?;
        let (views, roles) = (&memory.views, self.nature.len());
        for (place, &leaf) in memory.leaves.iter().enumerate() {
            let count = |role: usize| views.legal(place, role).len();
            let mut choosers = (0..roles).filter(|&role| count(role) > 1);
            let key = choosers.next().unwrap_or(self.role);
            let is_alone = choosers.next().is_none() && !(self.nature[key] && count(key) > 1);
            // The first state of a search may be an end; all others are known by then.
            let is_open = !views.is_terminal(place) && (0..roles).all(|role| count(role) > 0);
            let known = &mut self.states[leaf as usize];
            if !is_alone || !is_open || count(key) > MOST_MOVES {
                known.kind = Kind::Closed;
                continue;
            }
            known.kind = if key == self.role { Kind::Own } else { Kind::Other };
            for &made in views.legal(place, key) {
                memory.from.push(number(place));
                let joint =
                    (0..roles).map(|role| if role == key { made } else { views.legal(place, role)[0] });
                memory.joints.extend(joint);
            }
        }
        Ok(())
    }

    /// Makes the successors of the leaves known.
    fn link(&mut self, memory: &Memory) {
        let (mut end, mut known) = (0, 0);
        for (place, row) in memory.next.iter().enumerate() {
            let is_end = memory.ends.get(end) == Some(&number(place));
            let kind = if is_end { Kind::End(self.value(&memory.end_views, end)) } else { Kind::Leaf };
            end += usize::from(is_end);
            let found = self.find(row);
            known += usize::from(found.is_some());
            let child = found.unwrap_or_else(|| self.add(row, kind));
            let leaf = memory.leaves[memory.from[place] as usize];
            let parent = &mut self.states[leaf as usize];
            if parent.count == 0 {
                parent.first = number(self.children.len());
            }
            parent.count += 1;
            self.children.push(child);
            let before =
                std::mem::replace(&mut self.states[child as usize].last_parent, number(self.parents.len()));
            self.parents.push((leaf, before));
        }
        let made = memory.next.len();
        self.made += made as u64;
        if made > 0 {
            let share = known as f64 / made as f64;
            self.known_share += 0.02 * (share - self.known_share);
        }
    }

    /// What the role gets at an end, in hundredths; nothing where it has not exactly one goal, or somebody is stuck.
    fn value(&self, views: &Views, view: usize) -> u16 {
        match views.goals(view, self.role) {
            [goal] if views.is_terminal(view) => Bound::exact(*goal).lower,
            _ => 0,
        }
    }
}

impl Memory {
    fn empty(width: usize) -> Self {
        let rows = || Rows::new(Some(width));
        Memory {
            leaves: Vec::new(),
            rows: rows(),
            views: Views::default(),
            from: Vec::new(),
            joints: Vec::new(),
            next: rows(),
            ends: Vec::new(),
            end_rows: rows(),
            end_views: Views::default(),
        }
    }

    /// Makes the joint moves.
    fn advance(&mut self, batch: &mut dyn Batch) -> Result<(), MachineError> {
        self.next.clear();
        self.ends.clear();
        self.end_rows.clear();
        if self.from.is_empty() {
            return Ok(());
        }
        batch.advance_to_ends(&self.rows, &self.from, &self.joints, &mut self.next, &mut self.ends)?;
        self.ends.iter().for_each(|&end| self.end_rows.push(self.next.row(end as usize)));
        batch.look(&self.end_rows, &mut self.end_views)
    }
}

/// What is missing where one of several suffices for a proof.
fn any_of(children: impl Iterator<Item = Missing>) -> Missing {
    let (mut proof, mut refutation, mut open) = (INFINITE, 0_u32, 0_u32);
    for child in children {
        proof = proof.min(child.proof);
        refutation = refutation.max(child.refutation);
        open += u32::from(child.refutation > 0);
    }
    let refutation = match refutation {
        0 | INFINITE => refutation,
        most => most.saturating_add(open - 1).min(INFINITE - 1),
    };
    Missing { proof, refutation, plies: 0 }
}

/// Proof and refutation exchanged.
fn swapped(missing: Missing) -> Missing {
    Missing { proof: missing.refutation, refutation: missing.proof, plies: missing.plies }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use groundrules_gdl::{Options, read};
    use groundrules_machine::Compiled;
    use groundrules_machine::engines::Engine;
    use proptest::prelude::*;

    use super::*;

    /// A place of a generated game: an end with what the first of two roles gets, or whose turn it is and where the moves lead, which may
    /// be back.
    #[derive(Clone, Debug)]
    enum Place {
        End(i32),
        Open { chooser: usize, next: Vec<usize> },
    }

    fn places() -> impl Strategy<Value = Vec<Place>> {
        let place = (0..5, 0..2_usize, proptest::collection::vec(0..1000_usize, 1..4), 0..3_usize);
        proptest::collection::vec(place, 3..20).prop_map(|drawn| {
            let count = drawn.len();
            let place = |(index, (kind, chooser, next, goal)): (usize, (i32, usize, Vec<usize>, usize))| {
                if kind == 0 && index > 0 {
                    Place::End([0, 50, 100][goal])
                } else {
                    Place::Open { chooser, next: next.into_iter().map(|to| to % count).collect() }
                }
            };
            drawn.into_iter().enumerate().map(place).collect()
        })
    }

    fn game(places: &[Place]) -> Compiled {
        let mut text = String::from(
            "(role a) (role b) (init (at 0)) (<= (legal ?r ?m) (true (at ?x)) (may ?x ?r ?m))
             (<= (next (at ?y)) (true (at ?x)) (does a ?m) (does b ?n) (arc ?x ?m ?n ?y))
             (<= terminal (true (at ?x)) (end ?x)) (<= (goal ?r ?v) (true (at ?x)) (worth ?x ?r ?v))
             (end none) (worth none a 0) (worth none b 100) (worth none a 50) (worth none a 100)\n",
        );
        for (index, place) in places.iter().enumerate() {
            match place {
                Place::End(goal) => {
                    let _ = writeln!(
                        text,
                        "(end {index}) (worth {index} a {goal}) (worth {index} b {})",
                        100 - goal
                    );
                }
                Place::Open { chooser, next } => {
                    for (made, to) in next.iter().enumerate() {
                        let (role, arc) = match chooser {
                            0 => ("a", format!("(arc {index} {made} wait {to})")),
                            _ => ("b", format!("(arc {index} wait {made} {to})")),
                        };
                        let _ = writeln!(text, "(may {index} {role} {made}) {arc}");
                    }
                    let _ = writeln!(text, "(may {index} {} wait)", ["b", "a"][*chooser]);
                }
            }
        }
        Compiled::new(read(text.as_bytes(), &Options::default()).game.expect("a valid description"))
    }

    /// The places from which the first role can force a goal, or the second can see to it that it gets less: least fixpoints.
    fn forced(places: &[Place], least: i32, for_first: bool) -> Vec<bool> {
        let mut is_forced = vec![false; places.len()];
        loop {
            let before = is_forced.clone();
            for (index, place) in places.iter().enumerate() {
                is_forced[index] = match place {
                    Place::End(goal) => (*goal >= least) == for_first,
                    Place::Open { chooser, next } if (*chooser == 0) == for_first => {
                        next.iter().any(|&to| before[to])
                    }
                    Place::Open { next, .. } => next.iter().all(|&to| before[to]),
                };
            }
            if is_forced == before {
                return is_forced;
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

        #[test]
        fn proofs_are_those_of_brute_force(places in places()) {
            let game = game(&places);
            let mut batch = game.on(Engine::Sliced).batch().expect("an engine");
            let width = batch.row_width().expect("a fixed width");
            let mut solver = Solver::new(0, vec![false; 2], width, &[0, 50, 100], 1 << 24);
            let root = solver.begin(batch.initial().words());
            for for_best in [true, false] {
                // Where nobody can force anything the descents come back to their own path.
                let steps = (0..300).take_while(|_| {
                    let _ = solver.step(&mut *batch, root, for_best).expect("an expansion");
                    !solver.questions[if for_best { 0 } else { solver.questions.len() - 1 }].missing[root as usize].is_solved()
                });
                let _ = steps.count();
            }
            let bound = solver.bound(root);
            let [win, draw] = [100, 50].map(|least| forced(&places, least, true)[0]);
            let [no_win, loss] = [100, 50].map(|least| forced(&places, least, false)[0]);
            let expected = if win { 10_000 } else if draw { 5_000 } else { 0 };
            let most = if loss { 0 } else if no_win { 5_000 } else { 10_000 };
            prop_assert!(bound.lower <= expected, "{:?} {}", bound, expected);
            prop_assert!(bound.upper >= most, "{:?} {}", bound, most);
            // Without a way back everything is found out.
            let is_forward = |(index, place): (usize, &Place)| match place {
                Place::End(_) => true,
                Place::Open { next, .. } => next.iter().all(|&to| to > index),
            };
            if places.iter().enumerate().all(is_forward) {
                prop_assert_eq!((bound.lower, bound.upper), (expected, most));
            }
        }
    }
}
