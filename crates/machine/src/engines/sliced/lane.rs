//! One match in one lane, while the other lanes are busy with matches of their own. This shows that lanes do not disturb
//! each other, and gives the engine the questions of a [`Machine`]; who asks about many states asks a
//! [`Batch`] at once. Names are those of the engine `net`, which numbers fluents and moves alike.

use crate::batch::{Batch, Views};
use crate::machine::{Machine, MachineError, Move, State};
use crate::playout::Choices;

/// How many lanes play matches of their own beside the first.
const OTHERS: usize = 15;

/// A machine in the first of several lanes.
pub struct InLane {
    names: Box<dyn Machine>,
    batch: Box<dyn Batch>,
    initial: State,
    /// The states of all lanes; ours is the first.
    states: Vec<State>,
    views: Views,
    /// Whether the views are those of the states.
    is_seen: bool,
    /// An illegal move led here, where lanes do not answer; `names` stands here and does.
    is_odd: bool,
    choices: Choices,
    joints: Vec<Move>,
}

impl InLane {
    /// Stands in the initial state of a game. `names` is a machine that numbers fluents and moves as the lanes do.
    pub fn new(names: Box<dyn Machine>, batch: Box<dyn Batch>) -> Self {
        let initial = batch.initial();
        let lanes = batch.width().min(OTHERS + 1);
        let states = vec![initial.clone(); lanes];
        let (views, choices) = (Views::default(), Choices::new(0, 0));
        InLane {
            names,
            batch,
            initial,
            states,
            views,
            is_seen: false,
            is_odd: false,
            choices,
            joints: Vec::new(),
        }
    }

    fn look(&mut self) -> Result<(), MachineError> {
        if !self.is_seen {
            self.batch.look(&self.states, &mut self.views)?;
            self.is_seen = true;
        }
        Ok(())
    }

    fn is_legal(&self, joint: &[Move]) -> bool {
        let mut moves = joint.iter().enumerate();
        moves.all(|(role, made)| self.views.legal(0, role).contains(made))
    }

    /// Makes the moves of every other lane ready: random ones, and a new match where one is over or cannot go on.
    fn choose_for_others(&mut self) -> Result<(), MachineError> {
        let roles = self.batch.roles().len();
        let mut is_new = false;
        for lane in 1..self.states.len() {
            let can_go_on = (0..roles).all(|role| !self.views.legal(lane, role).is_empty());
            if self.views.is_terminal(lane) || !can_go_on {
                self.states[lane].clone_from(&self.initial);
                is_new = true;
            }
        }
        if is_new {
            self.batch.look(&self.states, &mut self.views)?;
        }
        for lane in 1..self.states.len() {
            for role in 0..roles {
                let chosen = self.choices.one_of(self.views.legal(lane, role));
                self.joints.push(chosen.unwrap_or(Move(0)));
            }
        }
        Ok(())
    }

    /// Makes moves that lanes do not expect.
    fn advance_oddly(&mut self, joint: &[Move]) -> Result<(), MachineError> {
        if !self.is_odd {
            self.names.enter(&self.states[0]);
        }
        self.names.advance(joint)?;
        self.names.save(&mut self.states[0]);
        self.is_odd = true;
        Ok(())
    }
}

impl Machine for InLane {
    fn roles(&self) -> &[String] {
        self.batch.roles()
    }

    fn reset(&mut self) {
        self.states[0].clone_from(&self.initial);
        (self.is_seen, self.is_odd) = (false, false);
    }

    fn enter(&mut self, state: &State) {
        self.states[0].clone_from(state);
        (self.is_seen, self.is_odd) = (false, false);
    }

    fn save(&self, state: &mut State) {
        state.clone_from(&self.states[0]);
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
        if !self.is_odd && self.is_legal(joint) && !self.views.is_terminal(0) {
            self.joints.clear();
            self.joints.extend_from_slice(joint);
            self.choose_for_others()?;
            self.batch.advance(&mut self.states, &self.joints)?;
        } else {
            self.advance_oddly(joint)?;
        }
        self.is_seen = false;
        Ok(())
    }

    fn fluents(&self) -> Vec<String> {
        let mut names = self.names.fork();
        names.enter(&self.states[0]);
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
        fork.enter(&self.states[0]);
        fork.is_odd = self.is_odd;
        Box::new(fork)
    }
}
