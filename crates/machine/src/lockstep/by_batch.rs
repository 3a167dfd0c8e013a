//! Lanes for engines that keep no columns: packed states, asked about by the engine's [`Batch`].

use crate::batch::Batch;
use crate::machine::{MachineError, Move};
use crate::playout::Choices;
use crate::rows::Rows;
use crate::views::Views;

use super::{
    ActionNumber, Actions, Arrays, LaneLayout, LaneOptions, Legal, Lockstep, Observations, Rolled, StepError,
    check_length, turn, with_numbers,
};

/// Lanes as packed states. See the [module](super).
pub struct ByBatch {
    batch: Box<dyn Batch>,
    layout: LaneLayout,
    options: LaneOptions,
    states: Rows,
    /// What is seen in the states.
    views: Views,
    steps: Vec<u32>,
    terminal: Vec<bool>,
    truncated: Vec<bool>,
    held: Vec<bool>,
}

impl ByBatch {
    /// Lanes in the initial state. States of the engine must have a bit for each fluent of the ground game.
    pub(crate) fn new(
        batch: Box<dyn Batch>,
        layout: LaneLayout,
        options: LaneOptions,
    ) -> Result<Self, MachineError> {
        let lanes = layout.lanes;
        let initial = batch.initial();
        let states = Rows::of_rows(batch.row_width(), (0..lanes).map(|_| initial.words()));
        let mut new = ByBatch {
            batch,
            layout,
            options,
            states,
            views: Views::default(),
            steps: vec![0; lanes],
            terminal: vec![false; lanes],
            truncated: vec![false; lanes],
            held: vec![false; lanes],
        };
        new.look()?;
        (0..lanes).for_each(|lane| new.judge(lane));
        Ok(new)
    }

    fn look(&mut self) -> Result<(), MachineError> {
        self.batch.look(&self.states, &mut self.views)
    }

    fn is_over(&self, lane: usize) -> bool {
        self.terminal[lane] || self.truncated[lane]
    }

    /// Whether a lane makes no move.
    fn rests(&self, lane: usize) -> bool {
        self.is_over(lane) || self.held[lane]
    }

    fn is_stuck(&self, lane: usize) -> bool {
        (0..self.layout.roles()).any(|role| self.views.legal(lane, role).is_empty())
    }

    /// Finds whether a lane's match is over where it stands.
    fn judge(&mut self, lane: usize) {
        self.terminal[lane] = self.views.is_terminal(lane);
        let is_late = self.steps[lane] >= self.options.max_steps;
        self.truncated[lane] = !self.terminal[lane] && (is_late || self.is_stuck(lane));
    }

    /// The joint moves of the lanes that go on.
    fn read<N: ActionNumber>(
        &self,
        numbers: &[N],
        is_joint: bool,
        checked: bool,
    ) -> Result<(Vec<u32>, Vec<Move>), StepError> {
        let roles = self.layout.roles();
        let (mut from, mut joints) = (Vec::new(), Vec::new());
        for lane in (0..self.layout.lanes).filter(|&lane| !self.rests(lane)) {
            from.push(crate::index::index32(lane));
            let mover = self.mover(lane);
            if !is_joint && mover.is_none() {
                return Err(StepError::SeveralChoose { lane });
            }
            for role in 0..roles {
                let legal = self.views.legal(lane, role);
                let given = if is_joint { numbers[lane * roles + role] } else { numbers[lane] };
                if !is_joint && mover != Some(role) {
                    joints.extend(legal.first());
                    continue;
                }
                let moves = self.layout.actions(role);
                let Some(&made) = moves.get(given.index()) else {
                    let (action, count) = (given.wide(), moves.len());
                    return Err(StepError::NoSuchAction { lane, role, action, count });
                };
                if checked && !legal.contains(&made) {
                    return Err(StepError::Illegal { lane, role, action: given.index(), made });
                }
                joints.push(made);
            }
        }
        Ok((from, joints))
    }

    /// The role that alone has the turn.
    fn mover(&self, lane: usize) -> Option<usize> {
        let roles = 0..self.layout.roles();
        let mut choosing = roles.clone().filter(|&role| self.views.legal(lane, role).len() > 1);
        match (choosing.next(), choosing.next()) {
            (Some(role), None) => Some(role),
            (Some(_), Some(_)) => None,
            (None, _) => {
                let matters = |&made: &Move| self.layout.matters(made);
                let acts = |&role: &usize| self.views.legal(lane, role).iter().any(matters);
                roles.clone().find(acts).or_else(|| roles.clone().next())
            }
        }
    }

    fn write(&self, arrays: &mut Arrays<'_>) {
        let layout = &self.layout;
        for lane in 0..layout.lanes {
            self.write_observation(lane, &mut arrays.observations);
            self.write_mask(lane, &mut arrays.legal);
            if let Some(to_move) = arrays.to_move.get_mut(lane) {
                *to_move = match self.mover(lane) {
                    _ if self.is_over(lane) => turn::TERMINAL,
                    Some(role) => layout.code(role),
                    None => turn::SIMULTANEOUS,
                };
            }
        }
        if !arrays.steps.is_empty() {
            arrays.steps.copy_from_slice(&self.steps);
        }
    }

    fn write_observation(&self, lane: usize, observations: &mut Observations<'_>) {
        let (fluents, row) = (self.layout.fluents(), self.states.row(lane));
        match observations {
            Observations::None => {}
            Observations::Bytes(bytes) => {
                let own = &mut bytes[lane * fluents..(lane + 1) * fluents];
                for (fluent, byte) in own.iter_mut().enumerate() {
                    *byte = (row[fluent / 64] >> (fluent % 64) & 1) as u8;
                }
            }
            Observations::Bits(bits) => bits[lane * row.len()..(lane + 1) * row.len()].copy_from_slice(row),
        }
    }

    fn write_mask(&self, lane: usize, legal: &mut Legal<'_>) {
        let (mask, most) = (self.layout.mask(), self.layout.most_actions());
        let words = mask.div_ceil(64).max(1);
        match legal {
            Legal::None => return,
            Legal::Bytes(bytes) => bytes[lane * mask..(lane + 1) * mask].fill(0),
            Legal::Bits(bits) => bits[lane * words..(lane + 1) * words].fill(0),
        }
        for role in (0..self.layout.roles()).filter(|_| !self.is_over(lane)) {
            let actions =
                self.views.legal(lane, role).iter().filter_map(|&made| self.layout.action(role, made));
            for bit in actions.map(|action| role * most + action) {
                match legal {
                    Legal::None => {}
                    Legal::Bytes(bytes) => bytes[lane * mask + bit] = 1,
                    Legal::Bits(bits) => bits[lane * words + bit / 64] |= 1 << (bit % 64),
                }
            }
        }
    }

    fn write_flags(terminal: &[bool], truncated: &[bool], arrays: &mut Arrays<'_>) {
        for (flags, out) in [(terminal, &mut *arrays.terminal), (truncated, &mut *arrays.truncated)] {
            out.iter_mut().zip(flags).for_each(|(out, &flag)| *out = flag.into());
        }
    }

    fn write_rewards(&self, ended: &[bool], rewards: &mut [f32]) {
        rewards.fill(0.0);
        let roles = self.layout.roles();
        for (index, reward) in rewards.iter_mut().enumerate().filter(|(index, _)| ended[index / roles]) {
            *reward = match self.views.goals(index / roles, index % roles) {
                [goal] => *goal as f32,
                _ => f32::NAN,
            };
        }
    }

    /// Puts some lanes into the initial state.
    fn restart(&mut self, which: &[bool]) -> Result<(), MachineError> {
        let initial = self.batch.initial();
        let rows = self.states.iter().zip(which);
        let rows = rows.map(|(row, &wanted)| if wanted { initial.words() } else { row });
        self.states = Rows::of_rows(self.batch.row_width(), rows);
        self.look()?;
        for lane in (0..which.len()).filter(|&lane| which[lane]) {
            self.steps[lane] = 0;
            self.judge(lane);
        }
        Ok(())
    }
}

impl Lockstep for ByBatch {
    fn layout(&self) -> &LaneLayout {
        &self.layout
    }

    fn reset(&mut self, lanes: Option<&[bool]>, arrays: &mut Arrays<'_>) -> Result<(), StepError> {
        arrays.check(&self.layout)?;
        if let Some(lanes) = lanes {
            check_length("flags", self.layout.lanes, lanes.len())?;
        }
        let all = vec![true; self.layout.lanes];
        self.restart(lanes.unwrap_or(&all))?;
        arrays.rewards.fill(0.0);
        ByBatch::write_flags(&self.terminal, &self.truncated, arrays);
        self.write(arrays);
        Ok(())
    }

    fn step(
        &mut self,
        actions: Actions<'_>,
        checked: bool,
        arrays: &mut Arrays<'_>,
    ) -> Result<(), StepError> {
        actions.check(&self.layout)?;
        arrays.check(&self.layout)?;
        let is_joint = actions.is_joint();
        let (from, joints) =
            with_numbers!(actions.numbers(), numbers => self.read(numbers, is_joint, checked)?);
        let mut next = Rows::new(self.batch.row_width());
        self.batch.advance(&self.states, &from, &joints, &mut next)?;
        let mut ended = vec![false; self.layout.lanes];
        let mut cut = ended.clone();
        let mut rows = next.iter();
        let over: Vec<bool> = (0..self.layout.lanes).map(|lane| self.rests(lane)).collect();
        let merged = self
            .states
            .iter()
            .zip(&over)
            .map(|(now, &over)| if over { now } else { rows.next().unwrap_or(now) });
        self.states = Rows::of_rows(self.batch.row_width(), merged);
        self.look()?;
        for lane in (0..self.layout.lanes).filter(|&lane| !over[lane]) {
            self.steps[lane] = self.steps[lane].saturating_add(1);
            ended[lane] = self.views.is_terminal(lane);
            cut[lane] = !ended[lane] && (self.steps[lane] >= self.options.max_steps || self.is_stuck(lane));
            self.terminal[lane] |= ended[lane];
            self.truncated[lane] |= cut[lane];
        }
        self.write_rewards(&ended, arrays.rewards);
        if self.options.auto_reset {
            let done: Vec<bool> = ended.iter().zip(&cut).map(|(ended, cut)| ended | cut).collect();
            ByBatch::write_flags(&ended, &cut, arrays);
            if done.contains(&true) {
                self.restart(&done)?;
            }
        } else {
            ByBatch::write_flags(&self.terminal, &self.truncated, arrays);
        }
        self.write(arrays);
        Ok(())
    }

    fn hold_others(&mut self, moving: Option<&[bool]>) -> Result<(), StepError> {
        check_length("flags", self.layout.lanes, moving.map_or(self.layout.lanes, <[bool]>::len))?;
        for (lane, held) in self.held.iter_mut().enumerate() {
            *held = moving.is_some_and(|moving| !moving[lane]);
        }
        Ok(())
    }

    fn random_actions(&mut self, seed: u64, actions: &mut [i32]) -> Result<(), StepError> {
        let roles = self.layout.roles();
        check_length("actions", self.layout.lanes * roles, actions.len())?;
        let mut choices = Choices::new(seed, 0);
        for (place, action) in actions.iter_mut().enumerate() {
            let (lane, role) = (place / roles, place % roles);
            let made = choices.one_of(self.views.legal(lane, role)).filter(|_| !self.rests(lane));
            let number = made.and_then(|made| self.layout.action(role, made));
            *action = number.map_or(0, |number| i32::try_from(number).unwrap_or(0));
        }
        Ok(())
    }

    fn rollout(&mut self, steps: u64, seed: u64, arrays: &mut Arrays<'_>) -> Result<Rolled, StepError> {
        arrays.check(&self.layout)?;
        let (lanes, roles) = (self.layout.lanes, self.layout.roles());
        let mut rolled = Rolled { rewards: vec![0; roles], ..Rolled::default() };
        let (mut actions, mut rewards) = (vec![0; lanes * roles], vec![0.0; lanes * roles]);
        let (mut terminal, mut truncated) = (vec![0; lanes], vec![0; lanes]);
        let mut seeds = Choices::new(seed, 1);
        for _ in 0..steps {
            let going = (0..lanes).filter(|&lane| !self.rests(lane)).count() as u64;
            let (ends, cuts) = (self.terminal.clone(), self.truncated.clone());
            self.random_actions(rand::Rng::next_u64(seeds.generator()), &mut actions)?;
            let mut seen = Arrays {
                rewards: &mut rewards,
                terminal: &mut terminal,
                truncated: &mut truncated,
                ..Arrays::default()
            };
            self.step(Actions::Joint(super::Numbers::I32(&actions)), false, &mut seen)?;
            rolled.moves += going;
            for lane in 0..lanes {
                rolled.matches += u64::from(terminal[lane] == 1 && !ends[lane]);
                rolled.truncated += u64::from(truncated[lane] == 1 && !cuts[lane]);
                for role in 0..roles {
                    rolled.rewards[role] += rewards[lane * roles + role] as i64;
                }
            }
        }
        arrays.rewards.fill(0.0);
        ByBatch::write_flags(&self.terminal, &self.truncated, arrays);
        self.write(arrays);
        Ok(rolled)
    }

    fn save(&self) -> Rows {
        self.states.clone()
    }

    fn steps(&self) -> Vec<u32> {
        self.steps.clone()
    }

    fn load(&mut self, states: &Rows, steps: &[u32], arrays: &mut Arrays<'_>) -> Result<(), StepError> {
        arrays.check(&self.layout)?;
        check_length("states", self.layout.lanes, states.len())?;
        check_length("counts of steps", self.layout.lanes, steps.len())?;
        let (expected, given) = (self.batch.row_width().unwrap_or(0), states.width().unwrap_or(0));
        if expected != given {
            return Err(StepError::OtherStates { expected, given });
        }
        self.states = states.clone();
        self.steps.copy_from_slice(steps);
        self.look()?;
        (0..self.layout.lanes).for_each(|lane| self.judge(lane));
        arrays.rewards.fill(0.0);
        ByBatch::write_flags(&self.terminal, &self.truncated, arrays);
        self.write(arrays);
        Ok(())
    }
}
