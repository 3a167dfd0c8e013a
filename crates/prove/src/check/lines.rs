//! Whether lines of moves show what they should, played by the ground game's evaluator.

use groundrules_gdl::canonical;
use groundrules_ground::evaluator::{Evaluator, View};

use super::{Checker, Refusal};
use crate::verdict::Claim;

/// The states of a line and what there is to see in each.
struct Played {
    states: Vec<Vec<usize>>,
    views: Vec<View>,
}

impl Played {
    fn last(&self) -> &View {
        &self.views[self.views.len() - 1]
    }
}

impl Checker<'_> {
    fn play(&self, line: &[Vec<String>]) -> Result<Played, Refusal> {
        let ground = self.rules.ground;
        let evaluator = Evaluator::new(ground).map_err(|error| Refusal::WrongLine(error.to_string()))?;
        let mut states = vec![ground.init.clone()];
        let mut views = vec![evaluator.view(&ground.init)];
        for (number, joint) in line.iter().enumerate() {
            let (state, view) = (&states[number], &views[number]);
            let mut moves = Vec::new();
            for (role, text) in joint.iter().enumerate() {
                let is_it = |&&made: &&usize| {
                    ground.moves[made].0 == role
                        && canonical(&ground.term(ground.moves[made].1)) == canonical(text)
                };
                let made = view.legal.iter().find(is_it);
                moves.push(*made.ok_or_else(|| {
                    Refusal::WrongLine(format!("{text} is not legal in move {}", number + 1))
                })?);
            }
            if view.is_terminal || moves.len() != self.roles.len() {
                return Err(Refusal::WrongLine(format!("there is no move {}", number + 1)));
            }
            let next = evaluator.next(state, &moves);
            views.push(evaluator.view(&next));
            states.push(next);
        }
        Ok(Played { states, views })
    }

    /// The goals of a role, each value once.
    pub(super) fn goals(&self, view: &View, role: usize) -> Vec<i32> {
        let ground = self.rules.ground;
        let own = view.goals.iter().filter(|goal| goal.0 == ground.roles[role]);
        let mut values: Vec<i32> = own.filter_map(|goal| ground.term(goal.1).parse().ok()).collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    /// Whether for each role that is judged a line leads to its maximal goal.
    pub(super) fn wins(&self, lines: &[Vec<Vec<String>>]) -> Result<(), Refusal> {
        let judged: Vec<usize> = (0..self.roles.len()).filter(|&role| self.stated[role].is_judged).collect();
        if judged.len() != lines.len() {
            return Err(Refusal::WrongLine("there is not a line for each role".to_owned()));
        }
        for (role, line) in judged.into_iter().zip(lines) {
            let played = self.play(line)?;
            let stated = self.stated[role];
            let counts = |value: &i32| match (stated.largest, stated.is_open) {
                (Some(largest), true) => *value >= largest,
                (Some(largest), false) => *value == largest,
                (None, is_open) => is_open,
            };
            if !played.last().is_terminal || !self.goals(played.last(), role).iter().any(counts) {
                return Err(Refusal::WrongLine(format!("{} does not win", self.roles[role])));
            }
        }
        Ok(())
    }

    /// Whether a line shows that a property fails.
    pub(super) fn refutes(&self, claim: &Claim, line: &[Vec<String>]) -> Result<(), Refusal> {
        let played = self.play(line)?;
        let last = played.last();
        let judged = || (0..self.roles.len()).filter(|&role| self.stated[role].is_judged);
        let is_unsound = |view: &View| judged().any(|role| self.goals(view, role).len() != 1);
        let does = match claim {
            Claim::Playability => {
                let ground = self.rules.ground;
                let can = |role: usize| last.legal.iter().any(|&made| ground.moves[made].0 == role);
                !last.is_terminal && (0..self.roles.len()).any(|role| !can(role))
            }
            Claim::Utility => last.is_terminal && is_unsound(last),
            Claim::Monotonicity => {
                let before = played.views.iter().rev().nth(1);
                let falls = |role: usize| {
                    before.is_some_and(|before| {
                        self.goals(last, role).first() < self.goals(before, role).first()
                    })
                };
                is_unsound(last) || judged().any(falls)
            }
            Claim::Termination => {
                let end = &played.states[played.states.len() - 1];
                played.states[..played.states.len() - 1].contains(end)
            }
            Claim::Always(_) | Claim::Never(_) => {
                let end = &played.states[played.states.len() - 1];
                self.is_true(end, last, &self.violation(claim)?)
            }
            Claim::WeakWinnability | Claim::Eventually(_) => false,
        };
        if does {
            Ok(())
        } else {
            Err(Refusal::WrongLine("its end does not violate the property".to_owned()))
        }
    }
}
