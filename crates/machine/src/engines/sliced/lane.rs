//! A [`Machine`] on top of a batch: one state at a time, in one lane. Names are those of the engine `net`, which
//! numbers fluents and moves alike. Callers with many states query a [`Batch`] instead.

use groundrules_gdl::Roles;

use crate::batch::Batch;
use crate::machine::{Machine, MachineError, Move, State};
use crate::rows::Rows;
use crate::views::Views;

/// A machine in the first lane of a batch.
pub struct InLane {
    names: Box<dyn Machine>,
    batch: Box<dyn Batch>,
    state: State,
    /// The state as the batch takes it, and memory for the next one.
    row: Rows,
    next: Rows,
    views: Views,
    /// Whether the views are those of the state.
    is_seen: bool,
    /// An illegal move led here, where lanes do not answer; `names` stands here and does.
    is_odd: bool,
}

impl InLane {
    /// Stands in the initial state of a game. `names` is a machine that numbers fluents and moves as the lanes do.
    pub fn new(names: Box<dyn Machine>, batch: Box<dyn Batch>) -> Self {
        let (state, width) = (batch.initial(), batch.row_width());
        InLane {
            names,
            batch,
            row: Rows::of_row(width, state.words()),
            state,
            next: Rows::new(width),
            views: Views::default(),
            is_seen: false,
            is_odd: false,
        }
    }

    fn look(&mut self) -> Result<(), MachineError> {
        if !self.is_seen {
            self.row.clear();
            self.row.push(self.state.words());
            self.batch.look(&self.row, &mut self.views)?;
            self.is_seen = true;
        }
        Ok(())
    }

    fn is_legal(&self, joint: &[Move]) -> bool {
        let mut moves = joint.iter().enumerate();
        !self.views.is_terminal(0) && moves.all(|(role, made)| self.views.legal(0, role).contains(made))
    }

    /// Makes moves that lanes do not expect.
    fn advance_oddly(&mut self, joint: &[Move]) -> Result<(), MachineError> {
        if !self.is_odd {
            self.names.enter(&self.state);
        }
        self.names.advance(joint)?;
        self.names.save(&mut self.state);
        self.is_odd = true;
        Ok(())
    }

    fn stand_in(&mut self, state: &State) {
        self.state.clone_from(state);
        (self.is_seen, self.is_odd) = (false, false);
    }
}

impl Machine for InLane {
    fn roles(&self) -> &Roles {
        self.batch.roles()
    }

    fn reset(&mut self) {
        let initial = self.batch.initial();
        self.stand_in(&initial);
    }

    fn enter(&mut self, state: &State) {
        self.stand_in(state);
    }

    fn save(&self, state: &mut State) {
        state.clone_from(&self.state);
    }

    fn is_terminal(&mut self) -> Result<bool, MachineError> {
        if self.is_odd {
            return self.names.is_terminal();
        }
        self.look()?;
        Ok(self.views.is_terminal(0))
    }

    fn legal(&mut self, role: usize) -> Result<&[Move], MachineError> {
        if self.is_odd {
            return self.names.legal(role);
        }
        self.look()?;
        Ok(self.views.legal(0, role))
    }

    fn goals(&mut self, role: usize) -> Result<&[i32], MachineError> {
        if self.is_odd {
            return self.names.goals(role);
        }
        self.look()?;
        Ok(self.views.goals(0, role))
    }

    fn advance(&mut self, joint: &[Move]) -> Result<(), MachineError> {
        let roles = self.batch.roles().len();
        if joint.len() != roles {
            return Err(MachineError::WrongJointMove { roles, given: joint.len() });
        }
        self.look()?;
        if !self.is_odd && self.is_legal(joint) {
            self.next.clear();
            self.batch.advance(&self.row, &[0], joint, &mut self.next)?;
            self.state.set(self.next.row(0));
        } else {
            self.advance_oddly(joint)?;
        }
        self.is_seen = false;
        Ok(())
    }

    fn row_width(&self) -> Option<usize> {
        self.batch.row_width()
    }

    fn fluents(&self) -> Vec<String> {
        let mut names = self.names.fork();
        names.enter(&self.state);
        names.fluents()
    }

    fn move_text(&self, made: Move) -> String {
        self.names.move_text(made)
    }

    fn find_move(&mut self, role: usize, text: &str) -> Option<Move> {
        self.names.find_move(role, text)
    }

    fn fork(&self) -> Box<dyn Machine> {
        let mut fork = InLane::new(self.names.fork(), self.batch.fork());
        fork.stand_in(&self.state);
        fork.is_odd = self.is_odd;
        Box::new(fork)
    }
}
