//! What an exploration observes: counts, the first states that violate a property, and the first terminal states with
//! each goal.
//!
//! "First" does not depend on the number of workers: it means least depth, then least row. Findings of several workers
//! merge in any order.

use groundrules_machine::{Rows, Views};
use serde::{Deserialize, Serialize};

use crate::expand::Successors;

/// A state worth a line of moves that leads to it, and perhaps one move further.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Finding {
    /// How many joint moves the whole line has.
    pub length: usize,
    /// How deep the state is.
    pub depth: usize,
    /// The state.
    pub row: Vec<u64>,
    /// The role that it concerns.
    pub role: usize,
    /// The joint move that the line ends with, if it goes on from the state.
    pub joint: Option<Vec<u32>>,
}

/// A goal value that a role has in some terminal state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Reached {
    /// The role.
    pub role: usize,
    /// The value.
    pub goal: i32,
    /// Where it has it first.
    pub first: Finding,
}

/// What was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    /// States that were looked at.
    pub expanded: u64,
    /// Joint moves that were made.
    pub edges: u64,
    /// Terminal states.
    pub terminal: u64,
    /// Whether a joint move led to a state of the same depth or less.
    pub turns_back: bool,
    /// A state that is not terminal where a role has no legal move.
    pub stuck: Option<Finding>,
    /// A terminal state where a role has no goal value or several.
    pub no_utility: Option<Finding>,
    /// A state where a role has no goal value or several, or a move by which a role's goal falls.
    pub not_monotone: Option<Finding>,
    /// The goals in terminal states.
    pub reached: Vec<Reached>,
    /// Whether two roles, without nature, had a choice in the same state.
    pub simultaneous: bool,
    /// What the goals of all roles, without nature, add up to in terminal states.
    pub sums: GoalSums,
}

/// What the goals of all roles add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum GoalSums {
    /// There was no terminal state yet.
    #[default]
    None,
    /// Always the same.
    One(i64),
    /// Not always the same.
    Several,
}

impl GoalSums {
    fn add(self, other: GoalSums) -> GoalSums {
        match (self, other) {
            (GoalSums::None, sums) | (sums, GoalSums::None) => sums,
            (GoalSums::One(a), GoalSums::One(b)) if a == b => self,
            _ => GoalSums::Several,
        }
    }
}

/// Which checks of monotonicity are still worth their time. Decided when a level begins, by what all workers know then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MonotonicityChecks {
    /// Look at the goals of every state.
    pub(crate) states: bool,
    /// Compare goals along every move.
    pub(crate) moves: bool,
}

impl Findings {
    /// What to check in a level.
    pub(crate) fn checks(&self, depth: usize) -> MonotonicityChecks {
        match &self.not_monotone {
            None => MonotonicityChecks { states: true, moves: true },
            Some(found) => MonotonicityChecks { states: found.length >= depth, moves: false },
        }
    }

    /// Looks at a block of states.
    pub(crate) fn observe(
        &mut self,
        depth: usize,
        checks: MonotonicityChecks,
        block: &Rows,
        views: &Views,
        roles: usize,
        judged: &[usize],
    ) {
        self.expanded += block.len() as u64;
        for state in 0..block.len() {
            let finding = |role: usize| Finding {
                length: depth,
                depth,
                row: block.row(state).to_vec(),
                role,
                joint: None,
            };
            let unsound = judged.iter().copied().find(|&role| views.goals(state, role).len() != 1);
            if views.is_terminal(state) {
                self.terminal += 1;
                if let Some(role) = unsound {
                    keep_first(&mut self.no_utility, depth, block.row(state), || finding(role));
                }
                self.observe_end(depth, state, block, views, roles, judged);
            } else {
                for role in (0..roles).filter(|&role| views.legal(state, role).is_empty()) {
                    keep_first(&mut self.stuck, depth, block.row(state), || finding(role));
                }
                let choosing = judged.iter().filter(|&&role| views.legal(state, role).len() > 1).count();
                self.simultaneous |= choosing > 1;
            }
            if checks.states
                && let Some(role) = unsound
            {
                keep_first(&mut self.not_monotone, depth, block.row(state), || finding(role));
            }
        }
    }

    fn observe_end(
        &mut self,
        depth: usize,
        state: usize,
        block: &Rows,
        views: &Views,
        roles: usize,
        judged: &[usize],
    ) {
        let goals = judged.iter().flat_map(|&role| views.goals(state, role));
        self.sums = self.sums.add(GoalSums::One(goals.map(|&goal| i64::from(goal)).sum()));
        for role in 0..roles {
            for &goal in views.goals(state, role) {
                let place = match self.reached.binary_search_by_key(&(role, goal), |one| (one.role, one.goal))
                {
                    Ok(place) if is_first(&self.reached[place].first, depth, block.row(state)) => continue,
                    Ok(place) => {
                        self.reached.remove(place);
                        place
                    }
                    Err(place) => place,
                };
                let row = block.row(state).to_vec();
                let first = Finding { length: depth, depth, row, role, joint: None };
                self.reached.insert(place, Reached { role, goal, first });
            }
        }
    }

    /// Compares the goals along moves; needs what is seen in the successors.
    pub(crate) fn compare(
        &mut self,
        depth: usize,
        block: &Rows,
        successors: &Successors<'_>,
        judged: &[usize],
    ) {
        let seen = successors.seen.expect("comparing goals needs what is seen in the successors");
        for (index, &from) in successors.from.iter().enumerate() {
            let falls = |&role: &usize| match (
                successors.views.goals(from as usize, role),
                seen.goals(index, role),
            ) {
                ([before], [after]) => after < before,
                _ => false,
            };
            let Some(role) = judged.iter().copied().find(falls) else { continue };
            let found = Finding {
                length: depth + 1,
                depth,
                row: block.row(from as usize).to_vec(),
                role,
                joint: Some(successors.joint(index).iter().map(|made| made.0).collect()),
            };
            if self.not_monotone.as_ref().is_none_or(|first| found < *first) {
                self.not_monotone = Some(found);
            }
        }
    }

    /// Adds what another worker saw.
    pub(crate) fn merge(&mut self, other: Findings) {
        self.expanded += other.expanded;
        self.edges += other.edges;
        self.terminal += other.terminal;
        self.turns_back |= other.turns_back;
        self.simultaneous |= other.simultaneous;
        self.sums = self.sums.add(other.sums);
        for (own, found) in [
            (&mut self.stuck, other.stuck),
            (&mut self.no_utility, other.no_utility),
            (&mut self.not_monotone, other.not_monotone),
        ] {
            if let Some(found) = found
                && own.as_ref().is_none_or(|first| found < *first)
            {
                *own = Some(found);
            }
        }
        for reached in other.reached {
            let key = (reached.role, reached.goal);
            match self.reached.binary_search_by_key(&key, |one| (one.role, one.goal)) {
                Ok(place) if self.reached[place].first <= reached.first => {}
                Ok(place) => self.reached[place] = reached,
                Err(place) => self.reached.insert(place, reached),
            }
        }
    }

    /// The findings of all workers together.
    pub(crate) fn merged(all: impl IntoIterator<Item = Findings>) -> Findings {
        all.into_iter().fold(Findings::default(), |mut sum, one| {
            sum.merge(one);
            sum
        })
    }
}

/// Whether a finding comes before a state, or is it.
fn is_first(first: &Finding, depth: usize, row: &[u64]) -> bool {
    (first.length, first.depth, &first.row[..]) <= (depth, depth, row)
}

fn keep_first(place: &mut Option<Finding>, depth: usize, row: &[u64], new: impl FnOnce() -> Finding) {
    if !place.as_ref().is_some_and(|first| is_first(first, depth, row)) {
        *place = Some(new());
    }
}
