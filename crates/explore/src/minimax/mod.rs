//! Values of two-player zero-sum games whose states are too many to explore: alpha-beta search with null windows (MTD) and a
//! transposition table of bounded size.
//!
//! Every bound rests on a finite proof: a bound of a state is derived from ends of the game and from bounds that were
//! derived before. So nothing is taken for granted about states that the search does not come to. In each state that it comes to it
//! checks that a single role chooses, that no role is stuck, that ends give each role exactly one goal, and that these always add up to the
//! same; a game in which that fails is not solved here. The same holds where play comes back to a state of the line that is searched:
//! alpha-beta has no sound value for it.
//!
//! Moves are ordered by the table, by what refuted the same move before, and by how often a move refuted anything. The table has whole
//! states, so no two are ever confused.

mod ordering;
mod table;

use std::time::Duration;

use groundrules_gdl::time::{Cancelled, Instant, Stopwatch};
use groundrules_machine::{Compiled, Machine, MachineError, Move, State};
use hashbrown::HashSet;

use crate::budget::{Observer, Progress, Stage, Stop};
use crate::checkpoint::Checkpoints;
use crate::error::ExploreError;
use crate::lines::Line;
use crate::options::Options;
use ordering::Ordering;
pub(crate) use table::FILE;
use table::{Known, Table};

/// The memory of the table where no budget says otherwise.
const TABLE_BYTES: usize = 1 << 30;

/// Lines of play that are longer are not searched.
const DEEPEST: usize = 100_000;

/// The first goal that is tried.
const FIRST_GUESS: i32 = 50;

/// How often the clock and the cancel flag are looked at, in states expanded.
const LOOK_EVERY: u64 = 1 << 10;

/// What alpha-beta search found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Minimax {
    /// The first role can force at least this, if anything is known.
    pub lower: Option<i32>,
    /// The second role can hold it to at most this, if anything is known.
    pub upper: Option<i32>,
    /// What the goals of both roles add up to at every end that was seen.
    pub sum: Option<i64>,
    /// Best play to the end of the game, where the value is known.
    pub line: Line,
    /// How many states were expanded, with repetitions.
    pub expanded: u64,
    /// Why the value is not known, if it is not.
    pub stop: Option<Stop>,
}

/// Why a search ended without a bound.
#[derive(Debug)]
enum Halt {
    Error(ExploreError),
    Stop(Stop),
    /// It is no game for this search, for a reason.
    Unfit(String),
}

impl From<MachineError> for Halt {
    fn from(error: MachineError) -> Self {
        Halt::Stop(Stop::Engine(error.to_string()))
    }
}

impl From<Cancelled> for Halt {
    fn from(cancelled: Cancelled) -> Self {
        Halt::Error(cancelled.into())
    }
}

/// Searches for the value of a game with two roles, within the budgets of time and memory. Gives a reason in words where the
/// game is not one that alpha-beta search solves.
pub fn minimax(game: &Compiled, options: &Options) -> Result<Result<Minimax, String>, ExploreError> {
    if game.roles().len() != 2 || game.roles().nature().is_some() {
        return Ok(Err("alpha-beta search is for two roles and no chance".to_owned()));
    }
    let machine = game.machine()?;
    let Some(width) = machine.row_width() else {
        return Ok(Err(
            "alpha-beta search needs an engine whose states have a fixed width, such as net".to_owned()
        ));
    };
    let bytes = options.budget.memory.unwrap_or(TABLE_BYTES);
    let mut table = Table::new(width, bytes);
    let mut sum = None;
    if let Some(checkpoints) = options.checkpoints.as_ref().filter(|checkpoints| checkpoints.resume) {
        sum = table.read(checkpoints)?;
    }
    let mut search = Search {
        game,
        machine,
        table,
        ordering: Ordering::default(),
        on_line: HashSet::new(),
        levels: Vec::new(),
        sum,
        expanded: 0,
        bounds: [None, None],
        stopwatch: Stopwatch::start(),
        time: options.budget.time,
        observer: &*options.observer,
        checkpoints: options.checkpoints.as_ref(),
        saved: Instant::now(),
    };
    search.run()
}

struct Search<'o> {
    game: &'o Compiled,
    machine: Box<dyn Machine>,
    table: Table,
    ordering: Ordering,
    /// The states of the line that is searched.
    on_line: HashSet<Box<[u64]>>,
    /// Memory for the successors of each depth.
    levels: Vec<Vec<Child>>,
    sum: Option<i64>,
    expanded: u64,
    /// What is known of the value of the initial state.
    bounds: [Option<i32>; 2],
    stopwatch: Stopwatch,
    time: Option<Duration>,
    observer: &'o dyn Observer,
    checkpoints: Option<&'o Checkpoints>,
    saved: Instant,
}

/// A successor: the move that leads to it and what is known of its value.
#[derive(Clone, Debug)]
struct Child {
    made: Move,
    state: State,
    known: Known,
    rank: (bool, i64),
}

/// A state whose successors are listed.
struct Expanded {
    /// Who chooses.
    mover: usize,
    /// A joint move; the mover's move is a place for the one that it chooses.
    joint: [Move; 2],
    children: Vec<Child>,
}

impl Search<'_> {
    fn run(&mut self) -> Result<Result<Minimax, String>, ExploreError> {
        let result = self.value_of_initial();
        if let (Some(checkpoints), true) = (self.checkpoints, matches!(&result, Ok(_) | Err(Halt::Stop(_)))) {
            self.table.write(checkpoints, self.sum)?;
        }
        let stop = match result {
            Ok(()) => None,
            Err(Halt::Stop(stop)) => Some(stop),
            Err(Halt::Unfit(why)) => return Ok(Err(why)),
            Err(Halt::Error(error)) => return Err(error),
        };
        let [lower, upper] = self.bounds;
        let mut found =
            Minimax { lower, upper, sum: self.sum, line: Line::new(), expanded: self.expanded, stop };
        if found.stop.is_none() {
            // The value is known by now; a line that takes too long is left out.
            if let Ok(line) = self.best_line(lower.unwrap_or_default()) {
                found.line = line;
            }
        }
        Ok(Ok(found))
    }

    /// Narrows the bounds of the initial state until they meet.
    fn value_of_initial(&mut self) -> Result<(), Halt> {
        self.machine.reset();
        let mut state = State::default();
        self.machine.save(&mut state);
        if self.machine.is_terminal()? {
            let value = self.end_value()?;
            self.bounds = [Some(value); 2];
            return Ok(());
        }
        let mut guess = FIRST_GUESS;
        while self.bounds[0].is_none() || self.bounds[0] != self.bounds[1] {
            let bound = self.search(&state, guess, None)?;
            if bound >= guess {
                self.bounds[0] = Some(bound);
                // Where nothing better was seen to be impossible, something better is tried.
                guess = bound.saturating_add(1);
            } else {
                self.bounds[1] = Some(bound);
                guess = bound;
            }
        }
        Ok(())
    }

    /// A bound of a state's value: at least the goal, if the first role can force that much, and less than it otherwise.
    fn search(&mut self, state: &State, goal: i32, before: Option<Move>) -> Result<i32, Halt> {
        self.look_around()?;
        let depth = self.on_line.len();
        if depth >= DEEPEST {
            return Err(Halt::Unfit(format!("there are lines of play with more than {DEEPEST} moves")));
        }
        if !self.on_line.insert(state.words().into()) {
            let why = "play may come back to a state, and alpha-beta search has no value for that";
            return Err(Halt::Unfit(why.to_owned()));
        }
        let nodes = self.expanded;
        let mut expanded = self.expand(state, goal, before)?;
        let Expanded { mover, .. } = expanded;
        let mut best: Option<(i32, Move)> = None;
        for index in 0..expanded.children.len() {
            // What is proved already comes first, so that most often nothing is searched.
            let child = &expanded.children[index];
            let (made, bound) = (child.made, child.known.bound(goal));
            let value = match bound {
                Some(bound) => bound,
                None => {
                    let state = &expanded.children[index].state;
                    stacker::maybe_grow(64 << 10, 1 << 20, || self.search(state, goal, Some(made)))?
                }
            };
            let is_better =
                best.is_none_or(|(known, _)| if mover == 0 { value > known } else { value < known });
            if is_better {
                best = Some((value, made));
            }
            if (value >= goal) == (mover == 0) {
                self.ordering.refuted(depth, before, made, &expanded.children[..index]);
                break;
            }
        }
        expanded.children.clear();
        self.levels[depth] = expanded.children;
        self.on_line.remove(state.words());
        let (value, made) = best.expect("a state that is no end has a move");
        self.table.insert(state.words(), goal, value, made, self.expanded - nodes);
        Ok(value)
    }

    /// Lists the successors of a state, the most promising first.
    fn expand(&mut self, state: &State, goal: i32, before: Option<Move>) -> Result<Expanded, Halt> {
        self.expanded += 1;
        let depth = self.on_line.len() - 1;
        if self.levels.len() <= depth {
            self.levels.resize_with(depth + 1, Vec::new);
        }
        let mut children = std::mem::take(&mut self.levels[depth]);
        self.machine.enter(state);
        let (mover, mut joint) = self.mover()?;
        let moves = self.machine.legal(mover)?.to_vec();
        let recommended = self.table.get(state.words()).and_then(|known| known.best);
        for (index, made) in moves.into_iter().enumerate() {
            if index > 0 {
                self.machine.enter(state);
            }
            joint[mover] = made;
            self.machine.advance(&joint)?;
            let mut child =
                Child { made, state: State::default(), known: Known::default(), rank: (false, 0) };
            self.machine.save(&mut child.state);
            if self.machine.is_terminal()? {
                let value = self.end_value()?;
                child.known = Known::exact(value);
            } else {
                child.known = self.table.get(child.state.words()).unwrap_or_default();
            }
            let is_proved = child.known.bound(goal).is_some_and(|bound| (bound >= goal) == (mover == 0));
            let rank = self.ordering.rank(depth, before, made, recommended == Some(made));
            child.rank = (is_proved, rank);
            children.push(child);
        }
        children.sort_by_key(|child| std::cmp::Reverse(child.rank));
        Ok(Expanded { mover, joint, children })
    }

    /// Who chooses where the machine stands, and a joint move.
    fn mover(&mut self) -> Result<(usize, [Move; 2]), Halt> {
        let mut joint = [Move(0); 2];
        let mut counts = [0; 2];
        for role in 0..2 {
            let legal = self.machine.legal(role)?;
            counts[role] = legal.len();
            match legal.first() {
                Some(&first) => joint[role] = first,
                None => {
                    let name = self.game.roles()[role].clone();
                    return Err(Halt::Unfit(format!("{name} may be stuck without a legal move")));
                }
            }
        }
        match counts {
            [_, 1] => Ok((0, joint)),
            [1, _] => Ok((1, joint)),
            _ => Err(Halt::Unfit("the roles choose at the same time".to_owned())),
        }
    }

    /// The goal of the first role at an end of the game, where the machine stands.
    fn end_value(&mut self) -> Result<i32, Halt> {
        let mut goals = [0; 2];
        for (role, goal) in goals.iter_mut().enumerate() {
            match *self.machine.goals(role)? {
                [one] => *goal = one,
                _ => {
                    let name = self.game.roles()[role].clone();
                    return Err(Halt::Unfit(format!("{name} may not have exactly one goal at the end")));
                }
            }
        }
        let sum = i64::from(goals[0]) + i64::from(goals[1]);
        if *self.sum.get_or_insert(sum) != sum {
            return Err(Halt::Unfit("the goals do not always add up to the same".to_owned()));
        }
        Ok(goals[0])
    }

    /// Best play from the initial state: moves that keep its value.
    fn best_line(&mut self, value: i32) -> Result<Line, Halt> {
        self.on_line.clear();
        let (mut line, mut state) = (Line::new(), State::default());
        self.machine.reset();
        self.machine.save(&mut state);
        let mut seen = HashSet::new();
        loop {
            self.machine.enter(&state);
            if self.machine.is_terminal()? {
                return Ok(line);
            }
            if !seen.insert(state.clone()) {
                return Err(Halt::Unfit("the line comes back to a state".to_owned()));
            }
            self.on_line.insert(state.words().into());
            let Expanded { mover, mut joint, children } = self.expand(&state, value, None)?;
            self.on_line.clear();
            // The first role keeps what is at least the value, the second what is less than anything better.
            let goal = if mover == 0 { value } else { value.saturating_add(1) };
            let mut kept = None;
            for child in children {
                let bound = match child.known.bound(goal) {
                    Some(bound) => bound,
                    None => self.search(&child.state, goal, Some(child.made))?,
                };
                if (bound >= goal) == (mover == 0) {
                    kept = Some(child);
                    break;
                }
            }
            let kept = kept.expect("a move keeps the value of a state");
            joint[mover] = kept.made;
            line.push(joint.to_vec());
            state = kept.state;
        }
    }

    /// Looks at the clock, the cancel flag and whether a checkpoint is due, now and then.
    fn look_around(&mut self) -> Result<(), Halt> {
        if !self.expanded.is_multiple_of(LOOK_EVERY) {
            return Ok(());
        }
        self.game.cancel().check()?;
        if let Some(time) = self.time.filter(|&time| self.stopwatch.elapsed() >= time) {
            return Err(Halt::Stop(Stop::Time(time)));
        }
        if self.observer.is_cancelled() {
            return Err(Halt::Stop(Stop::Cancelled));
        }
        self.observer.progress(&Progress {
            stage: Stage::Minimax,
            depth: self.on_line.len(),
            frontier: 0,
            states: self.expanded,
            edges: 0,
            bytes: self.table.bytes(),
        });
        match self.checkpoints {
            Some(checkpoints) if self.saved.elapsed() >= checkpoints.every => {
                self.table.write(checkpoints, self.sum).map_err(Halt::Error)?;
                self.saved = Instant::now();
            }
            _ => {}
        }
        Ok(())
    }
}
