//! Aims: what the end of a puzzle might look like, and by which moves, without their order. Many puzzles fill something in:
//! what a move writes stays written, and no other move fits there any more. For those the last state follows from the set of
//! moves made, so that the end can be looked for as a whole: a satisfiability solver finds moves that go together and an end
//! with the wanted goal, in a formula of one state instead of one of as many states as the match has.
//!
//! What stays and what moves do is read off the network (`effects`), and so is which moves never go together (`exclusion`);
//! the solver is given the rest (`formula`), and what it could not see (`pigeonholes`). A plan may still fail, because the order matters or because what does not stay
//! is left open here: making the moves and seeing is left to searches, who ask for another one then.

mod effects;
mod exclusion;
mod formula;
mod pigeonholes;

use std::sync::Arc;

use groundrules_net::Network;

use crate::machine::Move;
use crate::may::Outlook;
use crate::rows::Rows;
use effects::{Cases, Effects};
use exclusion::Exclusion;
use formula::Formula;

/// Moves that should lead to a goal, in no order, and what must never be on the way.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The goal.
    pub goal: i32,
    /// The moves, ascending.
    pub moves: Vec<Move>,
    /// Fluents that stay true and are not at the end, and those that stay false and are true at the end.
    never_true: Vec<u64>,
    never_false: Vec<u64>,
}

impl Plan {
    /// Whether the end is still possible from a packed state, as far as fluents that stay tell.
    pub fn allows(&self, state: &[u64]) -> bool {
        let never = self.never_true.iter().zip(&self.never_false);
        state
            .iter()
            .zip(never)
            .all(|(state, (never_true, never_false))| state & never_true == 0 && !state & never_false == 0)
    }
}

/// The answer to a question for a plan.
#[derive(Clone, Debug)]
pub enum Answer {
    /// There is one.
    Plan(Plan),
    /// There is none, or none is left.
    None,
    /// It takes longer; ask again.
    Open,
}

/// Looks for plans of one player alone.
pub struct Aim {
    network: Arc<Network>,
    /// What moves do; nothing before that was looked into.
    effects: Option<Option<Effects>>,
    formula: Option<Formula>,
}

impl Aim {
    /// One that goes by a network, which may be one for legal play in reachable states.
    pub fn new(network: Arc<Network>) -> Self {
        Aim { network, effects: None, formula: None }
    }

    /// Begins at a packed state, from which all matches have so many moves, if they have. The first time it wants some states of
    /// matches to learn from, the more the better. Says whether there is anything to plan; nothing if to know that would take
    /// more work, which is counted in nodes that are evaluated: some ten million a second.
    pub fn begin(&mut self, state: &[u64], seen: &Rows, length: Option<usize>, work: usize) -> Option<bool> {
        self.formula = None;
        let mut outlook = Outlook::new(Arc::clone(&self.network));
        if self.effects.is_none() {
            let cases = Cases::of(&self.network, seen);
            if cases.as_ref().is_some_and(|cases| cases.work() > work) {
                return None;
            }
            self.effects = Some(cases.and_then(|cases| Effects::of(cases, &mut outlook)));
        }
        self.formula = self.effects.as_ref()?.as_ref().and_then(|effects| {
            let exclusion = Exclusion::new(&mut outlook, effects, state)?;
            Some(Formula::new(&self.network, effects, &exclusion, length))
        });
        Some(self.formula.is_some())
    }

    /// A plan for a goal above a bound, the highest there is one for. The solver works for so many conflicts at most.
    pub fn plan(&mut self, above: i32, effort: u64) -> Answer {
        self.formula.as_mut().map_or(Answer::None, |formula| formula.plan(above, effort))
    }

    /// The last plan leads nowhere: its moves are not planned all together again.
    pub fn refuse(&mut self) {
        self.formula.iter_mut().for_each(Formula::refuse);
    }
}

#[cfg(test)]
mod tests;
