//! Unordered plans, carried out: a plan says which moves lead to a goal but not in which order, so they are made as they become
//! legal, the deepest state first, and other moves only where none of the plan's is legal. A walk that takes too long is given up,
//! and another plan asked for.

use std::sync::Arc;

use groundrules_machine::playout::Choices;
use groundrules_machine::{Batch, MachineError, Move, PlayoutLimits, Rows, State, Views};
use groundrules_net::Network;
use hashbrown::HashSet;

use super::visited::{moves_to, position_id};
use crate::solver::{Allowance, Found, Progress, Solver, Status};
use crate::unordered::{Answer, UnorderedPlan, UnorderedPlanner};

/// Conflicts of the satisfiability solver in one step.
const EFFORT: u64 = 200;

/// The work of a step of the satisfiability solver, in states evaluated, about.
const EFFORT_WORK: u64 = 1024;

/// States whose moves are made in one step.
const STATES: usize = 16;

/// States whose moves are made for a plan at most, beside two for each of its moves.
const PATIENCE: usize = 32;

/// Plans that are tried from one state.
const PLANS: usize = 64;

/// Random matches that are sampled, and which share of their states.
const MATCHES: usize = 256;
const EVERY: usize = 4;

/// The most steps of these matches, and the most nodes and operands evaluated in them.
const MOST_STEPS: usize = 512;
const MOST_OPERANDS: usize = 20_000_000;

/// Finds unordered plans and carries them out.
pub struct UnorderedPlans {
    planner: UnorderedPlanner,
    /// The size of the network, in nodes and operands.
    size: usize,
    /// Once it is known, how many moves matches have from the state on, if all have the same number.
    length: Option<Option<usize>>,
    start: State,
    stage: Stage,
    /// How many plans were tried.
    tried: usize,
    walk: Walk,
}

/// What is done next.
enum Stage {
    /// Samples random matches.
    Sample,
    /// Builds the formula, which takes so much work.
    Formulate(usize),
    /// Asks for a plan.
    Plan,
    /// Carries a plan out.
    Walk(UnorderedPlan),
    Over,
}

/// States on the way, each with the one before it and the move between them.
#[derive(Default)]
struct Walk {
    rows: Rows,
    origins: Vec<(u32, Move)>,
    /// States whose moves were not made yet, the next one last.
    open: Vec<u32>,
    seen: HashSet<Vec<u64>>,
    /// How many states' moves may still be made.
    left: usize,
    children: Rows,
    views: Views,
}

impl UnorderedPlans {
    /// Plans in a network of this size, in nodes and operands.
    pub fn new(network: Arc<Network>, size: usize) -> Self {
        let planner = UnorderedPlanner::new(network);
        let (start, walk) = (State::default(), Walk::default());
        UnorderedPlans { planner, size, length: None, start, stage: Stage::Over, tried: 0, walk }
    }

    fn sample(&mut self, batch: &mut dyn Batch, limits: PlayoutLimits) -> Result<Progress, MachineError> {
        let (mut seen, mut work) = (Rows::default(), 1);
        if self.length.is_none() {
            let sample = Sample::new(batch, &self.start, limits, self.size)?;
            work = (sample.seen.len() * EVERY) as u64;
            (self.length, seen) = (Some(sample.length), sample.seen);
        }
        self.stage = Stage::Formulate(self.planner.learn(&seen));
        Ok(Progress { work, ..Progress::default() })
    }

    fn formulate(&mut self, needed: usize) -> Progress {
        let can_plan = self.planner.begin(self.start.words(), self.length.flatten());
        self.stage = if can_plan { Stage::Plan } else { Stage::Over };
        // Lanes evaluate as many states as a node has bits.
        let work = (needed / self.size.max(1) * crate::relaxation::LANES) as u64;
        Progress { work, headway: f64::from(u8::from(can_plan)), ..Progress::default() }
    }

    fn plan(&mut self, to_beat: Option<i32>) -> Progress {
        let answer = self.planner.plan(to_beat.unwrap_or(-1), EFFORT);
        let headway = f64::from(u8::from(matches!(answer, Answer::Plan(_))));
        self.stage = match answer {
            Answer::None => Stage::Over,
            Answer::Open => Stage::Plan,
            Answer::Plan(plan) => {
                self.tried += 1;
                self.walk.begin(&self.start, plan.moves.len());
                Stage::Walk(plan)
            }
        };
        Progress { headway, work: EFFORT_WORK, ..Progress::default() }
    }

    fn walk(
        &mut self,
        plan: UnorderedPlan,
        batch: &mut dyn Batch,
        allowance: &Allowance,
    ) -> Result<Progress, MachineError> {
        let before = self.walk.origins.len();
        let found = self.walk.go_on(batch, &plan, allowance)?;
        let work = (self.walk.origins.len() - before) as u64;
        // An end with a lower goal than the plan's may be on its way.
        let best = found.as_ref().map(|found| found.goal).max(allowance.to_beat);
        let is_there = best.is_some_and(|best| best >= plan.goal);
        if self.walk.left == 0 || self.walk.open.is_empty() || is_there {
            self.planner.refuse();
            self.stage = if self.tried < PLANS { Stage::Plan } else { Stage::Over };
        } else {
            self.stage = Stage::Walk(plan);
        }
        Ok(Progress { found, headway: f64::from(u8::from(work > 0)), work, ..Progress::default() })
    }
}

impl Solver for UnorderedPlans {
    fn name(&self) -> &'static str {
        "unordered plans"
    }

    fn begin(&mut self, start: &State, _batch: &mut dyn Batch) -> Result<(), MachineError> {
        if self.start == *start {
            return Ok(());
        }
        self.length = self.length.map(|length| length.and_then(|length| length.checked_sub(1)));
        self.start.clone_from(start);
        self.tried = 0;
        self.stage = Stage::Sample;
        Ok(())
    }

    fn step(&mut self, batch: &mut dyn Batch, allowance: &Allowance) -> Result<Progress, MachineError> {
        match std::mem::replace(&mut self.stage, Stage::Over) {
            Stage::Over => Ok(Progress::default()),
            Stage::Sample => self.sample(batch, allowance.playouts),
            Stage::Formulate(needed) if needed <= allowance.work => Ok(self.formulate(needed)),
            Stage::Formulate(needed) => {
                self.stage = Stage::Formulate(needed);
                Ok(Progress::default())
            }
            Stage::Plan => Ok(self.plan(allowance.to_beat)),
            Stage::Walk(plan) => self.walk(plan, batch, allowance),
        }
    }

    fn status(&self) -> Status {
        if matches!(self.stage, Stage::Over) { Status::GaveUp } else { Status::Running }
    }

    fn indivisible_work(&self) -> usize {
        if let Stage::Formulate(needed) = self.stage { needed } else { 0 }
    }
}

impl Walk {
    fn begin(&mut self, start: &State, moves: usize) {
        self.rows = Rows::of_row(Some(start.words().len()), start.words());
        self.origins = vec![(0, Move(0))];
        self.open = vec![0];
        self.seen.clear();
        self.left = PATIENCE + 2 * moves;
    }

    /// Makes the moves of some states; gives the line if one of them leads to a better end.
    fn go_on(
        &mut self,
        batch: &mut dyn Batch,
        plan: &UnorderedPlan,
        allowance: &Allowance,
    ) -> Result<Option<Found>, MachineError> {
        for _ in 0..STATES {
            let Some(id) = self.open.pop().filter(|_| self.left > 0) else { break };
            self.left -= 1;
            let state = Rows::of_row(self.rows.width(), self.rows.row(id as usize));
            batch.look(&state, &mut self.views)?;
            let (planned, others): (Vec<Move>, Vec<Move>) =
                self.views.legal(0, 0).iter().partition(|made| plan.moves.binary_search(made).is_ok());
            for moves in [planned, others] {
                let before = self.open.len();
                if let Some(found) = self.make(batch, (&state, id), &moves, plan, allowance)? {
                    return Ok(Some(found));
                }
                if self.open.len() > before {
                    break;
                }
            }
        }
        Ok(None)
    }

    /// Makes some moves of a state. Successors that do not leave the plan come next.
    fn make(
        &mut self,
        batch: &mut dyn Batch,
        (state, id): (&Rows, u32),
        moves: &[Move],
        plan: &UnorderedPlan,
        allowance: &Allowance,
    ) -> Result<Option<Found>, MachineError> {
        self.children = Rows::new(self.rows.width());
        batch.advance(state, &vec![0; moves.len()], moves, &mut self.children)?;
        batch.look(&self.children, &mut self.views)?;
        let mut found: Option<Found> = None;
        for (child, &made) in moves.iter().enumerate() {
            let row = self.children.row(child);
            if self.views.is_terminal(child) {
                if let [goal] = *self.views.goals(child, 0)
                    && allowance.is_beaten_by(goal, found.as_ref())
                {
                    let moves = moves_to(&self.origins, id).into_iter().chain([made]).collect();
                    found = Some(Found { goal, moves });
                }
            } else if plan.allows(row) && self.seen.insert(row.to_vec()) {
                self.open.push(position_id(self.origins.len()));
                self.origins.push((id, made));
                self.rows.push(row);
            }
        }
        Ok(found)
    }
}

/// States of random matches from one state on, and the number of moves of these matches if all have the same.
struct Sample {
    seen: Rows,
    length: Option<usize>,
}

impl Sample {
    /// Plays random matches.
    fn new(
        batch: &mut dyn Batch,
        start: &State,
        limits: PlayoutLimits,
        operands: usize,
    ) -> Result<Sample, MachineError> {
        let most = (MOST_OPERANDS / operands.max(1)).clamp(16, MOST_STEPS);
        let mut choices = Choices::new(limits.seed, 0);
        let width = Some(start.words().len());
        let (mut now, mut next, mut seen) = (Rows::new(width), Rows::new(width), Rows::new(width));
        (0..MATCHES).for_each(|_| now.push(start.words()));
        let (mut views, mut lengths, mut steps) = (Views::default(), Vec::new(), 0);
        while !now.is_empty() && steps < most {
            now.iter().skip(steps % EVERY).step_by(EVERY).for_each(|row| seen.push(row));
            batch.look(&now, &mut views)?;
            let (mut from, mut joints) = (Vec::new(), Vec::new());
            for state in 0..now.len() {
                let made = choices.one_of(views.legal(state, 0)).filter(|_| !views.is_terminal(state));
                match made {
                    Some(made) => {
                        from.push(position_id(state));
                        joints.push(made);
                    }
                    None => lengths.push(steps),
                }
            }
            next.clear();
            batch.advance(&now, &from, &joints, &mut next)?;
            std::mem::swap(&mut now, &mut next);
            steps += 1;
        }
        let is_same = now.is_empty() && lengths.iter().all(|&length| length == lengths[0]);
        Ok(Sample { seen, length: lengths.first().copied().filter(|_| is_same) })
    }
}

#[cfg(test)]
mod tests {
    use groundrules_gdl::{Options, read};
    use groundrules_machine::Compiled;

    use super::*;

    #[test]
    fn matches_are_one_move_shorter_from_the_next_state_on() {
        let text = "(role you) (init (at 1)) (legal you go) (<= (next (at 2)) (true (at 1)))
            (<= terminal (true (at 2))) (<= (goal you 100) (true (at 2))) (<= (goal you 0) (true (at 1)))";
        let game = read(text.as_bytes(), &Options::default()).game.expect("a valid description");
        let compiled = Compiled::new(game);
        let mut batch = compiled.batch().expect("a playable game");
        let mut plans = UnorderedPlans::new(compiled.network().expect("a network"), 1);
        let (first, mut second) = (batch.initial(), batch.initial());
        second.words_mut()[0] ^= 1;
        plans.begin(&first, &mut *batch).expect("a start");
        assert_eq!(plans.length, None);
        plans.length = Some(Some(5));
        for (state, length) in [(&first, 5), (&first, 5), (&second, 4), (&second, 4), (&first, 3)] {
            plans.begin(state, &mut *batch).expect("a start");
            assert_eq!(plans.length, Some(Some(length)));
        }
    }
}
