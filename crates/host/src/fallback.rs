//! A legal move for a player that is late. A player that overruns its clock is still busy with an old state when it is asked about
//! the next one. A thread of its own then finds a legal move on the interpreter. It does nothing as long as players offer moves in
//! time.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use groundrules_machine::{Compiled, Machine, MachineError};
use groundrules_search::Turn;

/// What the match asks the player.
pub(crate) enum Question {
    /// A move, after the last joint move (none at first).
    Play { joint: Vec<String>, turn: Turn },
    /// Nothing; the joint move was made.
    Follow { joint: Vec<String> },
}

/// How long a turn without a clock is left to the player.
const PATIENCE: Duration = Duration::from_secs(1);

/// The match as the fallback knows it.
struct Fallback {
    machine: Box<dyn Machine>,
    role: usize,
    /// The last joint move, the turn after it, and the joint moves that the machine has not made yet.
    last: Vec<String>,
    turn: Option<Turn>,
    pending: Vec<Vec<String>>,
}

/// Answers for a player in a thread of its own, until the questions end.
pub(crate) fn spawn(game: Compiled, role: usize, questions: Receiver<Question>) {
    let work = move || {
        if let Ok(machine) = game.machine() {
            Fallback { machine, role, last: Vec::new(), turn: None, pending: Vec::new() }.answer(&questions);
        }
    };
    // Without a thread the player is on its own.
    let _ = thread::Builder::new().name("fallback".to_owned()).spawn(work);
}

impl Fallback {
    fn answer(&mut self, questions: &Receiver<Question>) {
        let mut next = questions.recv().ok();
        while let Some(question) = next.take() {
            match question {
                Question::Follow { joint } => self.note(joint),
                Question::Play { joint, turn } => {
                    self.note(joint);
                    self.turn = Some(turn.clone());
                    // The player has half of its time to offer something.
                    match questions.recv_timeout(turn.time_left().map_or(PATIENCE, |left| left / 2)) {
                        Ok(question) => {
                            next = Some(question);
                            continue;
                        }
                        Err(RecvTimeoutError::Disconnected) => return,
                        Err(RecvTimeoutError::Timeout) => {}
                    }
                    if turn.in_hand().is_none()
                        && let Ok(Some(made)) = self.legal_move()
                    {
                        turn.offer_fallback(&made);
                    }
                }
            }
            next = questions.recv().ok();
        }
    }

    /// Notes the joint move before a question. The same joint move once more is another step if it has the answer to the last
    /// question in it, and the last question again otherwise.
    fn note(&mut self, joint: Vec<String>) {
        let answer = self.turn.take().and_then(|turn| turn.in_hand());
        let is_answered =
            joint.get(self.role).zip(answer).is_some_and(|(own, answer)| own.eq_ignore_ascii_case(&answer));
        if !joint.is_empty() && (joint != self.last || is_answered) {
            self.pending.push(joint.clone());
            self.last = joint;
        }
    }

    /// The first legal move of the role; nothing if the moves do not fit the match, or it is over.
    fn legal_move(&mut self) -> Result<Option<String>, MachineError> {
        for joint in std::mem::take(&mut self.pending) {
            let Ok(moves) = self.machine.joint_of(&joint) else { return Ok(None) };
            for (role, made) in moves.iter().enumerate() {
                if !self.machine.legal(role)?.contains(made) {
                    return Ok(None);
                }
            }
            self.machine.advance(&moves)?;
        }
        if self.machine.is_terminal()? {
            return Ok(None);
        }
        let first = self.machine.legal(self.role)?.first().copied();
        Ok(first.map(|made| self.machine.move_text(made)))
    }
}
