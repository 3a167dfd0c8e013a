//! The adapter that makes a [`Batch`] of any [`Machine`]: it enters one state after the other.

use std::sync::atomic::AtomicBool;

use groundrules_gdl::Roles;

use crate::batch::{Batch, PlayoutLimits, check_joints};
use crate::machine::{Machine, MachineError, Move, State};
use crate::outcomes::Outcomes;
use crate::playout::Setting;
use crate::rows::Rows;
use crate::views::Views;

/// A batch that queries a machine one state after the other.
pub struct OneByOne {
    machine: Box<dyn Machine>,
    initial: State,
    /// Memory that is reused from state to state.
    state: State,
    joint: Vec<Move>,
    /// The moves of the last playout.
    made: Vec<Move>,
}

impl OneByOne {
    /// Adapts a machine, which may be in any state.
    pub fn new(mut machine: Box<dyn Machine>) -> Self {
        machine.reset();
        let mut initial = State::default();
        machine.save(&mut initial);
        OneByOne { machine, initial, state: State::default(), joint: Vec::new(), made: Vec::new() }
    }

    fn enter(&mut self, row: &[u64]) {
        self.state.set(row);
        self.machine.enter(&self.state);
    }

    /// Plays one playout from the machine's state.
    fn play(
        &mut self,
        state: usize,
        number: usize,
        setting: &Setting<'_>,
        outcomes: &mut Outcomes,
    ) -> Result<(), MachineError> {
        let mut choices = setting.choices(number as u64);
        let roles = self.machine.roles().len();
        self.made.clear();
        for step in 0.. {
            if self.machine.is_terminal()? {
                break;
            }
            if step >= setting.max_steps {
                outcomes.unfinished += 1;
                return Ok(());
            }
            self.joint.clear();
            for role in 0..roles {
                let legal = self.machine.legal(role)?;
                let Some(chosen) = choices.one_of(legal) else {
                    outcomes.unplayable += 1;
                    return Ok(());
                };
                self.joint.push(chosen);
            }
            self.machine.advance(&self.joint)?;
            self.made.extend_from_slice(&self.joint);
            outcomes.states += 1;
        }
        for role in 0..roles {
            if let [goal] = *self.machine.goals(role)? {
                outcomes.add(state, number, role, goal);
            }
        }
        Ok(())
    }
}

impl Batch for OneByOne {
    fn roles(&self) -> &Roles {
        self.machine.roles()
    }

    fn initial(&self) -> State {
        self.initial.clone()
    }

    fn width(&self) -> usize {
        1
    }

    fn look(&mut self, rows: &Rows, views: &mut Views) -> Result<(), MachineError> {
        let roles = self.machine.roles().len();
        views.clear(roles);
        for row in rows.iter() {
            self.enter(row);
            views.push_state(self.machine.is_terminal()?);
            for role in 0..roles {
                let moves = self.machine.legal(role)?.to_vec();
                views.push_role(moves, self.machine.goals(role)?.iter().copied());
            }
        }
        Ok(())
    }

    fn advance(
        &mut self,
        rows: &Rows,
        from: &[u32],
        joints: &[Move],
        next: &mut Rows,
    ) -> Result<(), MachineError> {
        let roles = self.machine.roles().len();
        check_joints(roles, from, joints)?;
        for (&row, joint) in from.iter().zip(joints.chunks(roles.max(1))) {
            self.enter(rows.row(row as usize));
            self.machine.advance(joint)?;
            self.machine.save(&mut self.state);
            next.push(self.state.words());
        }
        Ok(())
    }

    fn play_out(
        &mut self,
        rows: &Rows,
        each: usize,
        limits: PlayoutLimits,
        outcomes: &mut Outcomes,
    ) -> Result<(), MachineError> {
        outcomes.clear(rows.len(), self.machine.roles().len());
        let stop = AtomicBool::new(false);
        let setting = Setting { seed: limits.seed, max_steps: limits.max_steps, stop: &stop };
        for (index, row) in rows.iter().enumerate() {
            for number in index * each..(index + 1) * each {
                self.enter(row);
                self.play(index, number, &setting, outcomes)?;
            }
        }
        Ok(())
    }

    fn retrace(
        &mut self,
        rows: &Rows,
        each: usize,
        limits: PlayoutLimits,
        number: usize,
    ) -> Result<Option<Vec<Move>>, MachineError> {
        let Some(index) = number.checked_div(each).filter(|&index| index < rows.len()) else {
            return Ok(None);
        };
        let stop = AtomicBool::new(false);
        let setting = Setting { seed: limits.seed, max_steps: limits.max_steps, stop: &stop };
        let mut outcomes = Outcomes::default();
        outcomes.clear(1, self.machine.roles().len());
        self.enter(rows.row(index));
        self.play(0, number, &setting, &mut outcomes)?;
        Ok(Some(self.made.clone()))
    }

    fn fork(&self) -> Box<dyn Batch> {
        Box::new(OneByOne::new(self.machine.fork()))
    }

    fn row_width(&self) -> Option<usize> {
        self.machine.row_width()
    }
}
