//! Exploring modulo symmetry: a batch whose states are canonical, so that of symmetric ones a single one is visited. Symmetric states have
//! symmetric successors, the same ends and the same goals, so verdicts and values stay what they are. Moves of a line do not:
//! they are those of canonical states, and [`played`] turns them into a line from the initial state.

use std::sync::Arc;

use groundrules_gdl::Roles;
use groundrules_machine::{Batch, Compiled, MachineError, Move, Outcomes, PlayoutLimits, Rows, State, Views};
use groundrules_structure::Group;

use crate::error::ExploreError;
use crate::lines::Line;

/// A batch of canonical states.
pub(crate) struct Quotient {
    batch: Box<dyn Batch>,
    group: Arc<Group>,
    next: Rows,
    row: Vec<u64>,
    memory: Vec<u64>,
}

impl Quotient {
    /// The batch itself, or one of canonical states if there are symmetries.
    pub(crate) fn batch(batch: Box<dyn Batch>, group: Option<&Arc<Group>>) -> Box<dyn Batch> {
        match group.filter(|group| group.order() > 1) {
            None => batch,
            Some(group) => {
                let next = Rows::new(batch.row_width());
                let group = Arc::clone(group);
                Box::new(Quotient { batch, group, next, row: Vec::new(), memory: Vec::new() })
            }
        }
    }
}

impl Batch for Quotient {
    fn roles(&self) -> &Roles {
        self.batch.roles()
    }

    fn initial(&self) -> State {
        let mut state = self.batch.initial();
        self.group.make_canonical(state.words_mut(), &mut Vec::new());
        state
    }

    fn row_width(&self) -> Option<usize> {
        self.batch.row_width()
    }

    fn width(&self) -> usize {
        self.batch.width()
    }

    fn look(&mut self, rows: &Rows, views: &mut Views) -> Result<(), MachineError> {
        self.batch.look(rows, views)
    }

    fn advance(
        &mut self,
        rows: &Rows,
        from: &[u32],
        joints: &[Move],
        next: &mut Rows,
    ) -> Result<(), MachineError> {
        let Quotient { batch, group, next: made, row, memory } = self;
        made.clear();
        batch.advance(rows, from, joints, made)?;
        for state in made.iter() {
            row.clear();
            row.extend_from_slice(state);
            group.make_canonical(row, memory);
            next.push(row);
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
        self.batch.play_out(rows, each, limits, outcomes)
    }

    fn retrace(
        &mut self,
        rows: &Rows,
        each: usize,
        limits: PlayoutLimits,
        number: usize,
    ) -> Result<Option<Vec<Move>>, MachineError> {
        self.batch.retrace(rows, each, limits, number)
    }

    fn fork(&self) -> Box<dyn Batch> {
        Quotient::batch(self.batch.fork(), Some(&self.group))
    }
}

/// The line from the initial state that a line through canonical states stands for.
pub(crate) fn played(game: &Compiled, group: &Group, line: &Line) -> Result<Line, ExploreError> {
    if group.order() == 1 {
        return Ok(line.clone());
    }
    let mut batch = game.batch()?;
    let mut memory = Vec::new();
    let mut state = batch.initial();
    let mut canonical = state.clone();
    group.make_canonical(canonical.words_mut(), &mut memory);
    let mut played = Line::new();
    for joint in line {
        let there = group.between(state.words(), canonical.words());
        let back = there.expect("a canonical state is symmetric to its own").inverse();
        let own: Vec<Move> = joint.iter().map(|made| Move(back.moves[made.0 as usize])).collect();
        state = after(&mut *batch, &state, &own)?;
        canonical = after(&mut *batch, &canonical, joint)?;
        group.make_canonical(canonical.words_mut(), &mut memory);
        played.push(own);
    }
    Ok(played)
}

fn after(batch: &mut dyn Batch, state: &State, joint: &[Move]) -> Result<State, ExploreError> {
    let (rows, mut next) = (Rows::of_row(batch.row_width(), state.words()), Rows::new(batch.row_width()));
    batch.advance(&rows, &[0], joint, &mut next)?;
    Ok(State::of(next.row(0)))
}
