//! Between passes the solver works on the root and on the move that is most likely to be made; what it proves goes into the tree.

use std::time::Duration;

use groundrules_gdl::time::Instant;
use groundrules_machine::MachineError;

use super::bounds::Bound;
use super::pass::Worker;
use super::search::Search;
use super::solver::Solver;
use super::tree::{NodeId, PENDING};

/// Steps between two passes, at most.
const MOST_STEPS: usize = 64;

/// Where states are counted, not time: a state that the solver makes takes about so many times what one of a playout does.
const COST: f64 = 10.0;

/// The time of a turn that passes took, and what the solver did.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shares {
    passes: Duration,
    solver: Duration,
}

impl Shares {
    /// A pass took so long.
    pub(super) fn add_pass(&mut self, time: Duration) {
        self.passes += time;
    }
}

impl Worker {
    /// Lets the solver work as long as its share allows: of the time, if that is what counts and a clock is given. Else small games are
    /// solved first, whatever it takes, and in larger ones its share is one of the states evaluated.
    pub(super) fn solve(
        &mut self,
        search: &mut Search,
        now: Option<&dyn Fn() -> Instant>,
        is_over: &dyn Fn() -> bool,
    ) -> Result<(), MachineError> {
        let Some(mut solver) = search.solver.take() else { return Ok(()) };
        search.shares.add_pass(self.pace.pass);
        let mut done = Ok(true);
        let mut steps = 0;
        while steps < MOST_STEPS || now.is_none() && solver.may_be_small() {
            steps += 1;
            if !matches!(done, Ok(true))
                || search.is_done(solver.role())
                || is_over()
                || !search.is_solvers_turn(&solver, now.is_some())
            {
                break;
            }
            let began = now.map(|now| now());
            done = self.solver_step(search, &mut solver);
            if let (Some(began), Some(now)) = (began, now) {
                search.shares.solver += now().saturating_duration_since(began);
            }
        }
        search.solver = Some(solver);
        done.map(|_| ())
    }

    /// One step of the solver; says whether there was anything to do.
    fn solver_step(&mut self, search: &mut Search, solver: &mut Solver) -> Result<bool, MachineError> {
        let (role, made) = (solver.role(), solver.made);
        let root = solver.begin(search.tree.row(search.root));
        // In turn: whether the best can be had, and whether the most visited of the other moves loses.
        let candidate = search.candidate(role, |pick| {
            solver.successors(root).get(pick).is_some_and(|&successor| !solver.bound(successor).is_exact())
        });
        let candidate = candidate.and_then(|pick| solver.successors(root).get(pick).copied());
        let is_busy = match candidate {
            Some(candidate) if search.count.solver_steps % 2 == 1 => {
                solver.step(self.batch(), candidate, false)?
            }
            _ => false,
        };
        // Where the best cannot be had, the worst may be avoided.
        let is_busy =
            is_busy || solver.step(self.batch(), root, true)? || solver.step(self.batch(), root, false)?;
        search.count.solver_steps += 1;
        search.count.solved += solver.made - made;
        search.take_proofs(solver, root);
        Ok(is_busy)
    }
}

impl Search {
    /// Whether the solver has had less than its share.
    fn is_solvers_turn(&self, solver: &Solver, by_time: bool) -> bool {
        let (own, others) = if by_time {
            (self.shares.solver.as_secs_f64(), self.shares.passes.as_secs_f64())
        } else {
            (COST * self.count.solved as f64, self.count.states as f64)
        };
        if !by_time && solver.may_be_small() {
            return true;
        }
        let share = solver.share();
        own * (1.0 - share) < share * others
    }

    /// The most visited move of a role at the root that is of interest, by its place, if the role is the only one with a choice.
    fn candidate(&self, role: usize, is_of_interest: impl Fn(usize) -> bool) -> Option<usize> {
        let is_own = self.tree.nodes[self.root as usize].key == u16::try_from(role).ok();
        let arms = self.tree.arms(self.root, role).iter().enumerate();
        let arms = arms.filter(|&(pick, _)| is_own && is_of_interest(pick));
        arms.max_by_key(|(_, arm)| arm.visits).map(|(pick, _)| pick)
    }

    /// Takes over what the solver has proved about the root and its moves.
    fn take_proofs(&mut self, solver: &Solver, root: u32) {
        let role = solver.role();
        let mut is_new = self.tighten(self.root, role, solver.bound(root));
        if self.candidate(role, |_| true).is_some() {
            for (pick, &successor) in (0..).zip(solver.successors(root)) {
                let bound = solver.bound(successor);
                if bound == Bound::OPEN {
                    continue;
                }
                let arm = self.tree.arm_mut(self.root, role, pick);
                (arm.lower, arm.upper) = (arm.lower.max(bound.lower), arm.upper.min(bound.upper));
                let child = arm.child;
                is_new |= child < PENDING && self.tighten(child, role, bound);
            }
        }
        if is_new {
            self.tree.update_bounds(self.root);
        }
    }

    fn tighten(&mut self, node: NodeId, role: usize, bound: Bound) -> bool {
        bound != Bound::OPEN && self.tree.stats_mut(node, role).bound.tighten(bound)
    }
}
