//! Plans of one player alone, tried out: a plan says which moves lead to a goal but not in which order, so they are made as
//! they become legal, the deepest state first, and other moves only where none of the plan's is. A walk that takes too long is
//! given up, and another plan asked for.

use groundrules_machine::aim::{Aim, Answer, Plan};
use groundrules_machine::playout::Choices;
use groundrules_machine::{Batch, MachineError, Move, PlayoutLimits, Rows, State, Views};
use hashbrown::HashSet;

use super::sweep::{Found, way_to};

/// Conflicts of the solver in one step.
const EFFORT: u64 = 200;

/// States whose moves are made in one step.
const STATES: usize = 16;

/// States whose moves are made for a plan at most, beside two for each of its moves.
const PATIENCE: usize = 32;

/// Plans that are tried from one state.
const PLANS: usize = 64;

/// Matches at random to learn from. Of every so many states of theirs one is looked at.
const MATCHES: usize = 256;
const EVERY: usize = 4;

/// The most steps of these matches, and operands of the network that are gone over in them.
const MOST_STEPS: usize = 512;
const MOST_OPERANDS: usize = 20_000_000;

/// Plans and what becomes of them, step by step.
pub(super) struct Aimed {
    aim: Aim,
    /// How large the network is, in operands.
    operands: usize,
    /// How many moves matches have from the state on, once that is known, if they have the same number.
    length: Option<Option<usize>>,
    start: State,
    stage: Stage,
    /// Plans that were tried.
    tried: usize,
    walk: Walk,
}

/// What is done next.
enum Stage {
    Learn,
    /// It will be so much work to begin.
    Begin(usize),
    Plan,
    Walk(Plan),
    Over,
}

/// States on the way, each with the one that it came from and the move.
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

impl Aimed {
    pub(super) fn new(aim: Aim, operands: usize) -> Self {
        let (start, walk) = (State::default(), Walk::default());
        Aimed { aim, operands, length: None, start, stage: Stage::Over, tried: 0, walk }
    }

    /// Begins at a state: the one before, if more time is given to it, or one a move later.
    pub(super) fn begin(&mut self, start: &State) {
        if self.start != *start {
            self.length = self.length.map(|length| length.and_then(|length| length.checked_sub(1)));
        }
        self.start.clone_from(start);
        self.tried = 0;
        self.stage = Stage::Learn;
    }

    /// Whether what it does next is done once in a match or in a move.
    pub(super) fn is_starting(&self) -> bool {
        matches!(self.stage, Stage::Learn | Stage::Begin(_))
    }

    /// Whether nothing is left to try.
    pub(super) fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Over)
    }

    /// Goes on for a step; gives a line if it leads to more than `best`. To begin may be much work in one step: it waits
    /// until so much may be done, counted in nodes of the network.
    pub(super) fn step(
        &mut self,
        batch: &mut dyn Batch,
        best: i32,
        limits: PlayoutLimits,
        work: usize,
    ) -> Result<Option<Found>, MachineError> {
        match &self.stage {
            Stage::Over => {}
            Stage::Learn => {
                let mut seen = Rows::default();
                if self.length.is_none() {
                    let sample = Sample::new(batch, &self.start, limits, self.operands)?;
                    (self.length, seen) = (Some(sample.length), sample.seen);
                }
                self.stage = Stage::Begin(self.aim.learn(&seen));
            }
            &Stage::Begin(needed) if needed <= work => {
                let can_plan = self.aim.begin(self.start.words(), self.length.flatten());
                self.stage = if can_plan { Stage::Plan } else { Stage::Over };
            }
            Stage::Begin(_) => {}
            Stage::Plan => self.stage = self.plan(best),
            Stage::Walk(plan) => {
                let found = self.walk.go_on(batch, plan, best)?;
                // An end that is worth less than the plan may be on its way.
                let is_there =
                    found.as_ref().is_some_and(|found| found.goal >= plan.goal) || plan.goal <= best;
                if self.walk.left == 0 || self.walk.open.is_empty() || is_there {
                    self.aim.refuse();
                    self.stage = if self.tried < PLANS { Stage::Plan } else { Stage::Over };
                }
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn plan(&mut self, best: i32) -> Stage {
        match self.aim.plan(best, EFFORT) {
            Answer::None => Stage::Over,
            Answer::Open => Stage::Plan,
            Answer::Plan(plan) => {
                self.tried += 1;
                self.walk.begin(&self.start, plan.moves.len());
                Stage::Walk(plan)
            }
        }
    }
}

impl Walk {
    fn begin(&mut self, start: &State, moves: usize) {
        self.rows = Rows::new(Some(start.words().len()));
        self.rows.push(start.words());
        self.origins = vec![(0, Move(0))];
        self.open = vec![0];
        self.seen.clear();
        self.left = PATIENCE + 2 * moves;
    }

    /// Makes the moves of some states; gives the line if one of them leads to more than `best`.
    fn go_on(
        &mut self,
        batch: &mut dyn Batch,
        plan: &Plan,
        best: i32,
    ) -> Result<Option<Found>, MachineError> {
        for _ in 0..STATES {
            let Some(id) = self.open.pop().filter(|_| self.left > 0) else { break };
            self.left -= 1;
            let mut state = Rows::new(self.rows.width());
            state.push(self.rows.row(id as usize));
            batch.look(&state, &mut self.views)?;
            let (planned, others): (Vec<Move>, Vec<Move>) =
                self.views.legal(0, 0).iter().partition(|made| plan.moves.binary_search(made).is_ok());
            for moves in [planned, others] {
                let before = self.open.len();
                if let Some(found) = self.make(batch, &state, id, &moves, plan, best)? {
                    return Ok(Some(found));
                }
                if self.open.len() > before {
                    break;
                }
            }
        }
        Ok(None)
    }

    /// Makes some moves of a state. Those come next that do not lead away from the plan.
    fn make(
        &mut self,
        batch: &mut dyn Batch,
        state: &Rows,
        id: u32,
        moves: &[Move],
        plan: &Plan,
        best: i32,
    ) -> Result<Option<Found>, MachineError> {
        self.children = Rows::new(self.rows.width());
        batch.advance(state, &vec![0; moves.len()], moves, &mut self.children)?;
        batch.look(&self.children, &mut self.views)?;
        let mut found: Option<Found> = None;
        for (child, &made) in moves.iter().enumerate() {
            let row = self.children.row(child);
            if self.views.is_terminal(child) {
                let to_beat = found.as_ref().map_or(best, |found| found.goal);
                if let [goal] = *self.views.goals(child, 0)
                    && goal > to_beat
                {
                    let moves = way_to(&self.origins, id).into_iter().chain([made]).collect();
                    found = Some(Found { goal, moves });
                }
            } else if plan.allows(row) && self.seen.insert(row.to_vec()) {
                self.open.push(super::tree::number(self.origins.len()));
                self.origins.push((id, made));
                self.rows.push(row);
            }
        }
        Ok(found)
    }
}

/// States of some matches from one on, and how many moves those had if all had the same number.
struct Sample {
    seen: Rows,
    length: Option<usize>,
}

impl Sample {
    /// Plays some matches at random.
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
                        from.push(super::tree::number(state));
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
    use groundrules_machine::relax::Relaxation;

    use super::*;

    #[test]
    fn matches_are_a_move_shorter_from_the_next_state_and_not_before() {
        let text = "(role you) (init (at 1)) (legal you go) (<= (next (at 2)) (true (at 1)))
            (<= terminal (true (at 2))) (<= (goal you 100) (true (at 2))) (<= (goal you 0) (true (at 1)))";
        let game = read(text.as_bytes(), &Options::default()).game.expect("a valid description");
        let compiled = Compiled::new(game);
        let relaxation = Relaxation::new(compiled.network().expect("a network"));
        let batch = compiled.batch().expect("a playable game");
        let mut aimed = Aimed::new(relaxation.aim(), 1);
        let (first, mut second) = (batch.initial(), batch.initial());
        second.words_mut()[0] ^= 1;
        aimed.begin(&first);
        assert_eq!(aimed.length, None);
        aimed.length = Some(Some(5));
        for (state, length) in [(&first, 5), (&first, 5), (&second, 4), (&second, 4), (&first, 3)] {
            aimed.begin(state);
            assert_eq!(aimed.length, Some(Some(length)));
        }
    }
}
