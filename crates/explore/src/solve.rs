//! Exact values of the initial position. For one role: the best goal and a shortest plan. For several: what each can force
//! against all others; where two roles take turns and their goals always add up to the same, that is the minimax value,
//! and a line shows how it comes about. With moves made at the same time roles could do better by chance: what can be
//! forced is a lower bound then, and said to be one.

use groundrules_machine::Compiled;

use crate::budget::Stop;
use crate::error::ExploreError;
use crate::findings::{Finding, GoalSums};
use crate::lines::Line;
use crate::maximal_goal::{MaximalGoal, maximal_goals};
use crate::options::Options;
use crate::run::on_workers;
use crate::search::Explored;
use crate::verify::no_values;
use crate::worker::Worker;

/// What was found out about the initial position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Solution {
    /// One role.
    Plan {
        /// The best goal at the end of any line of play; nothing if no line ends.
        best: Option<i32>,
        /// A shortest plan for it.
        plan: Line,
        /// Why it may not be the best, if it may not.
        unless: Option<Stop>,
    },
    /// Several roles.
    Forced {
        /// What each role can force; nothing if it cannot force an end.
        goals: Vec<Option<i32>>,
        /// What that means.
        meaning: Meaning,
        /// Play in which each keeps what it can force.
        line: Line,
    },
    /// It was not found out.
    Open(String),
}

/// What it means that roles can force goals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Two roles take turns, and their goals always add up to the same: these are the values.
    Minimax,
    /// Roles take turns, but their goals do not add up to the same, or they are more than two: each value is what the
    /// role gets at least if it wants to be sure.
    Sure,
    /// Moves are made at the same time: by chance a role could do better on average.
    LowerBound,
}

/// The longest principal line.
const LONGEST: usize = 10_000;

/// A solution, and what it rests on.
#[derive(Clone, Debug)]
pub struct Solved {
    /// What was found out.
    pub solution: Solution,
    /// What the search found.
    pub explored: Explored,
}

/// Explores all states of a game, or as many as the budget allows, and computes values of its initial state.
pub fn solve(game: &Compiled, options: &Options) -> Result<Solved, ExploreError> {
    let batch = game.batch()?;
    let most = maximal_goals(game.game(), batch.roles()).iter().map(MaximalGoal::stated).collect::<Vec<_>>();
    on_workers(&*batch, options, "solve", move |worker| {
        let explored = worker.search()?;
        let solution =
            if most.len() == 1 { worker.plan(&explored, most[0])? } else { worker.forced(&explored)? };
        Ok(Solved { solution, explored })
    })
}

impl Worker<'_> {
    fn plan(&mut self, explored: &Explored, most: Option<i32>) -> Result<Solution, ExploreError> {
        let best = explored.findings.reached.iter().max_by_key(|reached| reached.goal);
        let first: Vec<&Finding> = best.iter().map(|reached| &reached.first).collect();
        let plan = self.lines(&first)?.pop().unwrap_or_default();
        let best = best.map(|reached| reached.goal);
        // There is nothing better than the most.
        let unless = explored.stop.clone().filter(|_| best.is_none() || best < most);
        Ok(Solution::Plan { best, plan, unless })
    }

    fn forced(&mut self, explored: &Explored) -> Result<Solution, ExploreError> {
        if let Some(stop) = &explored.stop {
            return Ok(Solution::Open(stop.to_string()));
        }
        let values = match self.values(explored)? {
            Ok(values) => values,
            Err(why) => return Ok(Solution::Open(no_values(why).to_owned())),
        };
        let goals = self.initial_values(&values)?;
        let findings = &explored.findings;
        let meaning = match findings.sums {
            _ if findings.simultaneous => Meaning::LowerBound,
            GoalSums::One(_) if goals.len() == 2 && findings.no_utility.is_none() => Meaning::Minimax,
            _ => Meaning::Sure,
        };
        let line = match meaning {
            Meaning::Minimax => self.principal_line(&values, LONGEST)?,
            Meaning::Sure | Meaning::LowerBound => Line::new(),
        };
        Ok(Solution::Forced { goals, meaning, line })
    }
}
