//! Unordered plans: sets of moves that should lead to a goal, whatever their order. Many puzzles fill something in: what a move
//! writes stays, and no other move fits there any more. The final state then follows from the set of moves made, so it can be
//! searched for as a whole. A satisfiability solver finds compatible moves and a terminal state with the wanted goal, in a
//! formula of one state instead of as many as the match has.
//!
//! Which fluents persist and what moves do to them is read off the network (`effects`), and so are mutually exclusive moves
//! (`exclusion`). The solver gets the rest (`formula`) and the counting arguments that resolution finds hard
//! (`pigeonholes`). A plan may fail, because the order matters or because a fluent that does not persist was left open. Carrying
//! plans out is left to [`solvers`](crate::solvers).

mod effects;
mod exclusion;
mod formula;
mod pigeonholes;
mod sat;

use std::sync::Arc;

use groundrules_machine::{Move, Rows};
use groundrules_net::Network;

use crate::outlook::Outlook;
use effects::{Cases, Effects};
use exclusion::Exclusion;
use formula::Formula;

/// Moves that should lead to a goal, in any order, and what must not happen on the way.
#[derive(Clone, Debug, Default)]
pub struct UnorderedPlan {
    /// The goal.
    pub goal: i32,
    /// The moves, ascending.
    pub moves: Vec<Move>,
    /// Fluents that persist once true and are false at the end, and those that persist once false and are true at the end.
    never_true: Vec<u64>,
    never_false: Vec<u64>,
}

impl UnorderedPlan {
    /// Whether the planned end is still possible from a packed state, judged by the fluents that persist.
    pub fn allows(&self, state: &[u64]) -> bool {
        let never = self.never_true.iter().zip(&self.never_false);
        state
            .iter()
            .zip(never)
            .all(|(state, (never_true, never_false))| state & never_true == 0 && !state & never_false == 0)
    }
}

/// The answer to a request for a plan.
#[derive(Clone, Debug)]
pub enum Answer {
    /// There is one.
    Plan(UnorderedPlan),
    /// There is none, or none is left.
    None,
    /// The effort was too small to decide; ask again.
    Open,
}

/// What is known about the effects of moves.
#[derive(Default)]
enum Known {
    #[default]
    Nothing,
    /// The cases to evaluate.
    Cases(Cases),
    Effects(Effects),
    /// Nothing persists, or there are too many cases.
    Useless,
}

/// Finds unordered plans for games with one role.
pub struct UnorderedPlanner {
    network: Arc<Network>,
    known: Known,
    formula: Option<Formula>,
}

impl UnorderedPlanner {
    /// A planner for a network, which may be simplified for legal play in reachable states.
    pub fn new(network: Arc<Network>) -> Self {
        UnorderedPlanner { network, known: Known::Nothing, formula: None }
    }

    /// Learns from states of random matches, the more the better. Returns the work that [`begin`](Self::begin) will be, in
    /// nodes evaluated: some ten million per second.
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

    /// Begins at a packed state. `length` is the number of moves of every match from there, if all have the same. Returns
    /// whether there is anything to plan.
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

    /// A plan for the highest possible goal above a bound. `effort` limits the conflicts of the solver.
    pub fn plan(&mut self, above: i32, effort: u64) -> Answer {
        self.formula.as_mut().map_or(Answer::None, |formula| formula.plan(above, effort))
    }

    /// Refuses the last plan: it is not returned again for its goal.
    pub fn refuse(&mut self) {
        self.formula.iter_mut().for_each(Formula::refuse);
    }
}

#[cfg(test)]
mod tests;
