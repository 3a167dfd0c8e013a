//! Puzzles beside proofs: whether the only role can reach its maximal goal is a question for the solvers of the crate `puzzle`. Their
//! lines are played again before they count; that there is none is their proof.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use groundrules_explore::move_texts;
use groundrules_gdl::goals::stated_goals;
use groundrules_gdl::time::Stopwatch;
use groundrules_machine::engines::Engine;
use groundrules_machine::{Compiled, MachineError};
use groundrules_puzzle::{Limits, Line, Portfolio};

/// The memory of each solver in bytes where there is no limit of memory.
const MEMORY: usize = 256 << 20;

/// The solvers count time on the wall; on a busy machine that is so many times the processor time at most.
const MOST_WAITING: u32 = 4;

/// A search for lines to the maximal goal of the only role.
pub(super) struct Puzzle {
    game: Compiled,
    /// The goal that is wanted, if the rules name it.
    maximal: i32,
    is_open: bool,
    memory: usize,
    cancelled: Arc<AtomicBool>,
    /// Whether it is proved that there is no line.
    is_impossible: Mutex<bool>,
}

impl Puzzle {
    /// The search, if the game is a puzzle that the solvers can evaluate.
    pub(super) fn of(game: &Compiled, memory: Option<usize>, cancelled: &Arc<AtomicBool>) -> Option<Self> {
        let stated = stated_goals(game.game(), game.roles());
        let [goal] = stated[..] else { return None };
        let maximal = goal.largest.filter(|_| goal.is_judged)?;
        (game.decision().engine != Engine::Tree).then(|| Puzzle {
            game: game.clone(),
            maximal,
            is_open: goal.is_open,
            memory: memory.map_or(MEMORY, |memory| memory / 8),
            cancelled: Arc::clone(cancelled),
            is_impossible: Mutex::new(false),
        })
    }

    /// Whether it was proved that there is no line.
    pub(super) fn is_impossible(&self) -> bool {
        *self.is_impossible.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The goal that is wanted.
    pub(super) fn maximal(&self) -> i32 {
        self.maximal
    }

    /// Lines of moves as texts, found within some processor time. What the solvers cannot evaluate gives none.
    pub(super) fn search(&self, time: Duration) -> Vec<Vec<Vec<String>>> {
        self.line(time).ok().flatten().into_iter().collect()
    }

    fn line(&self, time: Duration) -> Result<Option<Vec<Vec<String>>>, MachineError> {
        let watch = Stopwatch::start();
        let Ok(network) = self.game.network() else { return Ok(None) };
        let Ok(mut batch) = self.game.batch() else { return Ok(None) };
        let start = batch.initial();
        let mut portfolio = Portfolio::new(&network, &mut *batch, &start, self.memory)?;
        let left = time.saturating_sub(watch.elapsed());
        // Only lines to the maximal goal are of interest.
        let limits = Limits {
            to_beat: self.maximal.checked_sub(1),
            time: Some(left.saturating_mul(MOST_WAITING)),
            ..Limits::default()
        };
        let mut go_on = |line: Option<&Line>| {
            line.is_none() && watch.elapsed() < time && !self.cancelled.load(Ordering::Relaxed)
        };
        let found = portfolio.solve(&mut *batch, &start, &limits, &mut go_on)?;
        if found.line.is_none() && found.is_proved && !self.is_open {
            *self.is_impossible.lock().unwrap_or_else(PoisonError::into_inner) = true;
        }
        let Some(line) = found.line else { return Ok(None) };
        let joints = line.moves().iter().map(|&made| move_texts(&self.game, &[made]));
        Ok(joints.collect::<Result<_, _>>().ok())
    }
}
