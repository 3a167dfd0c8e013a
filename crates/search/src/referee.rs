//! Matches between players in one program: the referee asks everybody who has a choice for a move, one after the other, makes
//! the joint move at every seat, and gives the goals in the end. Players on other computers are left to later crates.

use std::time::Duration;

use crate::error::SearchError;
use crate::player::Player;
use crate::seat::Seat;
use crate::turn::Turn;

/// A player at its seat.
pub struct Seated {
    /// The seat.
    pub seat: Seat,
    /// The player.
    pub player: Box<dyn Player>,
}

/// How long players may think.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clocks {
    /// Before the first move; nothing for no time at all.
    pub start: Option<Duration>,
    /// About each move; nothing for as long as they want.
    pub play: Option<Duration>,
    /// The match is given up after so many joint moves.
    pub max_steps: usize,
    /// Whether time is the processor time of the calling thread, for players that think in it alone.
    pub by_processor: bool,
}

impl Clocks {
    fn turn(&self, time: Option<Duration>) -> Turn {
        match time {
            None => Turn::without_clock(),
            Some(time) if self.by_processor => Turn::of_processor_time(time),
            Some(time) => Turn::of(time),
        }
    }
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// For each role its goal, if the match came to an end in which it has exactly one.
    pub goals: Vec<Option<i32>>,
    /// How many joint moves were made.
    pub steps: usize,
    /// Whether a terminal state was reached.
    pub is_finished: bool,
}

/// Plays a match. There is one seat for each role, in their order. `tell` hears of each joint move, as texts.
pub fn play(
    seated: &mut [Seated],
    clocks: &Clocks,
    tell: &mut dyn FnMut(&[Seated], &[String]),
) -> Result<Ending, SearchError> {
    for Seated { seat, player } in &mut *seated {
        if clocks.start.is_some() {
            player.prepare(seat, &clocks.turn(clocks.start))?;
        }
        seat.change_over()?;
    }
    let mut steps = 0;
    while steps < clocks.max_steps && !is_over(seated)? {
        let joint = joint_move(seated, clocks)?;
        let texts: Vec<&str> = joint.iter().map(String::as_str).collect();
        for Seated { seat, .. } in &mut *seated {
            seat.advance_texts(&texts)?;
        }
        steps += 1;
        tell(seated, &joint);
    }
    result(seated, steps)
}

/// Whether the match is over: by the rules, or because somebody cannot move.
fn is_over(seated: &mut [Seated]) -> Result<bool, SearchError> {
    let Some(Seated { seat, .. }) = seated.first_mut() else { return Ok(true) };
    if seat.is_terminal()? {
        return Ok(true);
    }
    for role in 0..seat.roles().len() {
        if seat.legal_of(role)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Asks everybody. Who has only one move is not asked.
fn joint_move(seated: &mut [Seated], clocks: &Clocks) -> Result<Vec<String>, SearchError> {
    let moves = seated.iter_mut().map(|Seated { seat, player }| {
        let legal = seat.legal()?;
        let made = match legal[..] {
            [only] => only,
            _ => player.choose(seat, &clocks.turn(clocks.play))?,
        };
        Ok(seat.move_text(made))
    });
    moves.collect()
}

fn result(seated: &mut [Seated], steps: usize) -> Result<Ending, SearchError> {
    let Some(Seated { seat, .. }) = seated.first_mut() else {
        return Ok(Ending { goals: Vec::new(), steps, is_finished: true });
    };
    let is_finished = seat.is_terminal()?;
    let mut goals = Vec::new();
    for role in 0..seat.roles().len() {
        goals.push(match *seat.goals(role)? {
            [goal] if is_finished => Some(goal),
            _ => None,
        });
    }
    Ok(Ending { goals, steps, is_finished })
}
