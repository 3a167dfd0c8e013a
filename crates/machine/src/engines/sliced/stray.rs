//! Playouts from states that fit no phase of the game. No match comes to such a state, but callers may make one up. It is played
//! step by step with the circuits that answer questions about states, which assume nothing: slower, and right.

use crate::batch::{Batch, PlayoutLimits};
use crate::machine::{MachineError, Move};
use crate::outcomes::Outcomes;
use crate::playout::Choices;
use crate::rows::Rows;
use crate::views::Views;

use super::batch::Lanes;
use super::vector::Vector;

/// A playout on its way: its number, its state's place among the rows, and its choices.
struct Going {
    number: usize,
    choices: Choices,
}

impl<V: Vector> Lanes<V> {
    /// Plays `each` playouts from every state, by questions alone. If the moves of one of them are wanted, they are given.
    pub(super) fn play_strays(
        &mut self,
        rows: &Rows,
        each: usize,
        limits: PlayoutLimits,
        outcomes: &mut Outcomes,
        wanted: Option<usize>,
    ) -> Result<Vec<Move>, MachineError> {
        let roles = self.roles().len();
        let going = |number| Going { number, choices: Choices::new(limits.seed, number as u64) };
        let mut going: Vec<Going> = (0..rows.len() * each).map(going).collect();
        let mut states =
            Rows::of_rows(rows.width(), going.iter().map(|playout| rows.row(playout.number / each)));
        let (mut views, mut made) = (Views::default(), Vec::new());
        for step in 0.. {
            self.look(&states, &mut views)?;
            let (mut from, mut joints, mut left) = (Vec::new(), Vec::new(), Vec::new());
            for (state, mut playout) in going.into_iter().enumerate() {
                if views.is_terminal(state) {
                    for role in 0..roles {
                        if let [goal] = *views.goals(state, role) {
                            outcomes.add(playout.number / each, playout.number, role, goal);
                        }
                    }
                    continue;
                }
                if step >= limits.max_steps {
                    outcomes.unfinished += 1;
                    continue;
                }
                let chosen = (0..roles).map(|role| playout.choices.one_of(views.legal(state, role)));
                let Some(joint) = chosen.collect::<Option<Vec<Move>>>() else {
                    outcomes.unplayable += 1;
                    continue;
                };
                if wanted == Some(playout.number) {
                    made.extend(&joint);
                }
                from.push(super::batch::slot(state));
                joints.extend(joint);
                left.push(playout);
            }
            outcomes.states += left.len() as u64;
            going = left;
            if going.is_empty() {
                break;
            }
            let mut next = Rows::new(rows.width());
            self.advance(&states, &from, &joints, &mut next)?;
            states = next;
        }
        Ok(made)
    }
}
