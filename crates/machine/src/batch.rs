//! The questions of a match for many states at once, and random playouts from them. An engine that works on many states in
//! parallel implements [`Batch`] itself; every other [`Machine`] does through [`OneByOne`].
//!
//! States, moves and seeds are given; answers come in flat arrays that are used again from call to call, so that asking
//! costs no allocation in the long run. Which states to ask about is left to searches.
//!
//! ```
//! use groundrules_machine::{Batch, Move, Outcomes, Views};
//!
//! /// Whether every role has a legal move in each state that is not terminal.
//! fn is_playable(batch: &mut dyn Batch, states: &[groundrules_machine::State]) -> bool {
//!     let mut views = Views::default();
//!     let roles = batch.roles().len();
//!     batch.look(states, &mut views).is_ok()
//!         && (0..states.len()).all(|state| {
//!             views.is_terminal(state) || (0..roles).all(|role| !views.legal(state, role).is_empty())
//!         })
//! }
//! ```

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use crate::machine::{Machine, MachineError, Move, State};
use crate::playout::Setting;

/// A game that can be asked about many states at once.
pub trait Batch: Send {
    /// The roles as KIF, in the order of joint moves.
    fn roles(&self) -> &[String];

    /// The initial state.
    fn initial(&self) -> State;

    /// How many states are best asked about at once. Fewer cost nearly as much.
    fn width(&self) -> usize;

    /// Looks at some states: whether the match is over, the legal moves, the goals.
    fn look(&mut self, states: &[State], views: &mut Views) -> Result<(), MachineError>;

    /// Makes a joint move in each state, which becomes the next one. `joints` has the moves of the first state, one for
    /// each role in their order, then those of the second, and so on. They must be legal: that is not asked again, and
    /// engines take it for granted.
    fn advance(&mut self, states: &mut [State], joints: &[Move]) -> Result<(), MachineError>;

    /// Plays random playouts to the end, `each` from every state, and gives what they came to. The seed decides all of it.
    fn play_out(
        &mut self,
        states: &[State],
        each: usize,
        limits: PlayOut,
        outcomes: &mut Outcomes,
    ) -> Result<(), MachineError>;

    /// Plays one of the playouts of such a call again and gives its moves: for each joint move one for each role, in their
    /// order. `number` counts the playouts from the first state first, then those from the second, and so on. Nothing if
    /// the moves cannot be told, because there are too many to choose from.
    fn retrace(
        &mut self,
        states: &[State],
        each: usize,
        limits: PlayOut,
        number: usize,
    ) -> Result<Option<Vec<Move>>, MachineError>;

    /// Another one for another thread. Moves and states may be passed between the two.
    fn fork(&self) -> Box<dyn Batch>;
}

/// What holds for playouts from given states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayOut {
    /// The seed.
    pub seed: u64,
    /// Playouts end after so many joint moves.
    pub max_steps: u64,
}

/// What there is to see in some states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Views {
    roles: usize,
    terminal: Vec<bool>,
    moves: Lists<Move>,
    goals: Lists<i32>,
}

/// A list for each state and role, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Lists<T> {
    items: Vec<T>,
    ends: Vec<usize>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Lists { items: Vec::new(), ends: Vec::new() }
    }
}

impl<T> Lists<T> {
    fn clear(&mut self) {
        self.items.clear();
        self.ends.clear();
    }

    fn end_list(&mut self) {
        self.ends.push(self.items.len());
    }

    fn range(&self, index: usize) -> Range<usize> {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        start..self.ends[index]
    }
}

impl Views {
    /// How many states were looked at.
    pub fn len(&self) -> usize {
        self.terminal.len()
    }

    /// Whether no state was looked at.
    pub fn is_empty(&self) -> bool {
        self.terminal.is_empty()
    }

    /// Whether the match is over in a state.
    pub fn is_terminal(&self, state: usize) -> bool {
        self.terminal[state]
    }

    /// The legal moves of a role in a state.
    pub fn legal(&self, state: usize, role: usize) -> &[Move] {
        &self.moves.items[self.moves.range(state * self.roles + role)]
    }

    /// The goal values of a role in a state, ascending.
    pub fn goals(&self, state: usize, role: usize) -> &[i32] {
        &self.goals.items[self.goals.range(state * self.roles + role)]
    }

    /// Forgets everything; a game of so many roles is looked at.
    pub fn clear(&mut self, roles: usize) {
        self.roles = roles;
        self.terminal.clear();
        self.moves.clear();
        self.goals.clear();
    }

    /// Adds a state, whose roles' moves and goals must follow in order.
    pub fn push_state(&mut self, terminal: bool) {
        self.terminal.push(terminal);
    }

    /// Adds the next role's moves and goals in the last state.
    pub fn push_role(&mut self, moves: impl IntoIterator<Item = Move>, goals: impl IntoIterator<Item = i32>) {
        self.moves.items.extend(moves);
        self.moves.end_list();
        self.goals.items.extend(goals);
        self.goals.end_list();
    }
}

/// What playouts from some states came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    roles: usize,
    /// For each state and role the sum of its goals.
    sums: Vec<i64>,
    /// For each state and role the playouts that ended with exactly one goal.
    counts: Vec<u64>,
    /// For each state and role its highest goal, and the number of the first playout that ended with it.
    best: Vec<Option<(i32, usize)>>,
    /// All joint moves made.
    pub states: u64,
    /// Playouts that came to the limit of steps.
    pub unfinished: u64,
    /// Playouts in which a role had no legal move.
    pub unplayable: u64,
}

impl Outcomes {
    /// The mean of a role's goals in the playouts from a state; nothing if it never had exactly one.
    pub fn mean(&self, state: usize, role: usize) -> Option<f64> {
        let place = state * self.roles + role;
        (self.counts[place] > 0).then(|| self.sums[place] as f64 / self.counts[place] as f64)
    }

    /// The sum of a role's goals, and how many playouts from a state ended with exactly one.
    pub fn sum(&self, state: usize, role: usize) -> (i64, u64) {
        let place = state * self.roles + role;
        (self.sums[place], self.counts[place])
    }

    /// The highest goal of a role in the playouts from a state, and the number of a playout that ended with it, as
    /// [`Batch::retrace`] takes it.
    pub fn best(&self, state: usize, role: usize) -> Option<(i32, usize)> {
        self.best[state * self.roles + role]
    }

    /// Forgets everything; playouts from so many states of a game with so many roles will be counted.
    pub fn clear(&mut self, states: usize, roles: usize) {
        *self = Outcomes { roles, ..Outcomes::default() };
        self.sums.resize(states * roles, 0);
        self.counts.resize(states * roles, 0);
        self.best.resize(states * roles, None);
    }

    /// Counts a goal that was a role's only one at the end of a playout.
    pub fn add(&mut self, state: usize, number: usize, role: usize, goal: i32) {
        let place = state * self.roles + role;
        self.sums[place] += i64::from(goal);
        self.counts[place] += 1;
        // The first playout with the highest goal, in whatever order they end.
        let best = &mut self.best[place];
        if best.is_none_or(|(most, first)| goal > most || goal == most && number < first) {
            *best = Some((goal, number));
        }
    }
}

/// A machine asked about one state after the other.
pub struct OneByOne {
    machine: Box<dyn Machine>,
    initial: State,
    joint: Vec<Move>,
    /// The moves of the last playout.
    made: Vec<Move>,
}

impl OneByOne {
    /// Asks a machine, which may stand in any state.
    pub fn new(mut machine: Box<dyn Machine>) -> Self {
        machine.reset();
        let mut initial = State::default();
        machine.save(&mut initial);
        OneByOne { machine, initial, joint: Vec::new(), made: Vec::new() }
    }

    /// Plays one playout from the machine's state.
    fn play(
        &mut self,
        state: usize,
        number: usize,
        setting: &Setting<'_>,
        outcomes: &mut Outcomes,
    ) -> Result<(), MachineError> {
        let mut choices = setting.choices(number as u64);
        let roles = self.machine.roles().len();
        self.made.clear();
        for step in 0.. {
            if self.machine.is_terminal()? {
                break;
            }
            if step >= setting.max_steps {
                outcomes.unfinished += 1;
                return Ok(());
            }
            self.joint.clear();
            for role in 0..roles {
                let legal = self.machine.legal(role)?;
                let Some(chosen) = choices.one_of(legal) else {
                    outcomes.unplayable += 1;
                    return Ok(());
                };
                self.joint.push(chosen);
            }
            self.machine.advance(&self.joint)?;
            self.made.extend_from_slice(&self.joint);
            outcomes.states += 1;
        }
        for role in 0..roles {
            if let [goal] = *self.machine.goals(role)? {
                outcomes.add(state, number, role, goal);
            }
        }
        Ok(())
    }
}

impl Batch for OneByOne {
    fn roles(&self) -> &[String] {
        self.machine.roles()
    }

    fn initial(&self) -> State {
        self.initial.clone()
    }

    fn width(&self) -> usize {
        1
    }

    fn look(&mut self, states: &[State], views: &mut Views) -> Result<(), MachineError> {
        let roles = self.machine.roles().len();
        views.clear(roles);
        for state in states {
            self.machine.enter(state);
            views.push_state(self.machine.is_terminal()?);
            for role in 0..roles {
                let moves = self.machine.legal(role)?.to_vec();
                views.push_role(moves, self.machine.goals(role)?.iter().copied());
            }
        }
        Ok(())
    }

    fn advance(&mut self, states: &mut [State], joints: &[Move]) -> Result<(), MachineError> {
        let roles = self.machine.roles().len();
        let mut joints = joints.chunks(roles.max(1));
        for state in states {
            self.machine.enter(state);
            self.machine.advance(joints.next().unwrap_or_default())?;
            self.machine.save(state);
        }
        Ok(())
    }

    fn play_out(
        &mut self,
        states: &[State],
        each: usize,
        limits: PlayOut,
        outcomes: &mut Outcomes,
    ) -> Result<(), MachineError> {
        outcomes.clear(states.len(), self.machine.roles().len());
        let stop = AtomicBool::new(false);
        let setting = Setting { seed: limits.seed, max_steps: limits.max_steps, stop: &stop };
        for (index, state) in states.iter().enumerate() {
            for number in index * each..(index + 1) * each {
                self.machine.enter(state);
                self.play(index, number, &setting, outcomes)?;
            }
        }
        Ok(())
    }

    fn retrace(
        &mut self,
        states: &[State],
        each: usize,
        limits: PlayOut,
        number: usize,
    ) -> Result<Option<Vec<Move>>, MachineError> {
        let Some(state) = number.checked_div(each).and_then(|index| states.get(index)) else {
            return Ok(None);
        };
        let stop = AtomicBool::new(false);
        let setting = Setting { seed: limits.seed, max_steps: limits.max_steps, stop: &stop };
        let mut outcomes = Outcomes::default();
        outcomes.clear(1, self.machine.roles().len());
        self.machine.enter(state);
        self.play(0, number, &setting, &mut outcomes)?;
        Ok(Some(self.made.clone()))
    }

    fn fork(&self) -> Box<dyn Batch> {
        Box::new(OneByOne::new(self.machine.fork()))
    }
}
