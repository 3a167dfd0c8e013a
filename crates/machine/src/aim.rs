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
mod sat;

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

/// What is known of what moves do.
#[derive(Default)]
enum Known {
    #[default]
    Nothing,
    /// What is to be looked into.
    Cases(Cases),
    Effects(Effects),
    /// That there is nothing to plan.
    Useless,
}

/// Looks for plans of one player alone.
pub struct Aim {
    network: Arc<Network>,
    known: Known,
    formula: Option<Formula>,
}

impl Aim {
    /// One that goes by a network, which may be one for legal play in reachable states.
    pub fn new(network: Arc<Network>) -> Self {
        Aim { network, known: Known::Nothing, formula: None }
    }

    /// Learns from some states of matches, the more the better. Says how much work it will be to begin, counted in nodes
    /// that are evaluated: some ten million a second.
    pub fn learn(&mut self, seen: &Rows) -> usize {
        if let Known::Nothing = self.known {
            self.known = Cases::of(&self.network, seen).map_or(Known::Useless, Known::Cases);
        }
        let work = exclusion::work(&self.network);
        match &self.known {
            Known::Cases(cases) => cases.work().saturating_add(work),
            Known::Effects(_) => work,
            Known::Nothing | Known::Useless => 0,
        }
    }

    /// Begins at a packed state, from which all matches have so many moves, if they have. Says whether there is anything to
    /// plan, as far as was learnt.
    pub fn begin(&mut self, state: &[u64], length: Option<usize>) -> bool {
        let mut outlook = Outlook::new(Arc::clone(&self.network));
        self.known = match std::mem::take(&mut self.known) {
            Known::Cases(cases) => Effects::of(cases, &mut outlook).map_or(Known::Useless, Known::Effects),
            known => known,
        };
        self.formula = match &self.known {
            Known::Effects(effects) => Exclusion::new(&mut outlook, effects, state)
                .and_then(|exclusion| Formula::new(&self.network, effects, &exclusion, length)),
            _ => None,
        };
        self.formula.is_some()
    }

    /// A plan for a goal above a bound, the highest there is one for. The solver works for so many conflicts at most.
    pub fn plan(&mut self, above: i32, effort: u64) -> Answer {
        self.formula.as_mut().map_or(Answer::None, |formula| formula.plan(above, effort))
    }

    /// The last plan leads nowhere: it is not planned again for its goal.
    pub fn refuse(&mut self) {
        self.formula.iter_mut().for_each(Formula::refuse);
    }
}

#[cfg(test)]
mod tests;
