//! Recursion through negation that only the arguments stratify: `(goal ?r 0)` through `(not (goal ?r 100))`. Here every
//! question is proven by itself, and a question that comes back to itself is repeated until no answer is new. A negated
//! question must be answered in full before it is used; one that is still being worked on depends on its own
//! negation, and the rules do not say whether it holds.

use rustc_hash::FxHashMap;

use super::node::OrId;
use super::prove::{Prover, Tree};
use crate::MachineError;

/// A question: the OR node and the number of the key.
type Question = (OrId, u32);

/// How far a question is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answered {
    /// The question is being worked on, at this place of the stack.
    Active(usize),
    /// As far as the question at this place of the stack allows.
    Partly(usize),
    Fully,
}

/// A question that is being worked on.
#[derive(Clone, Debug)]
struct Frame {
    /// The outermost question that this one came back to.
    lowest: usize,
    /// Whether some question came back to this one.
    is_cycle: bool,
}

/// The questions that are proven one by one.
#[derive(Clone, Debug, Default)]
pub(super) struct Questions {
    answered: FxHashMap<Question, Answered>,
    /// Questions answered in part, in the order in which they were left.
    partly: Vec<Question>,
    stack: Vec<Frame>,
}

impl Questions {
    /// Forgets what was asked of an OR node.
    pub(super) fn forget(&mut self, or: OrId) {
        if !self.answered.is_empty() {
            self.answered.retain(|question, _| question.0 != or);
        }
    }
}

/// How many questions may wait for each other.
const MOST_WAITING: usize = 200_000;

impl Prover {
    /// Proves what was asked from outside.
    pub(super) fn prove_by_questions(&mut self, tree: &Tree, or: OrId) -> Result<(), MachineError> {
        while self.proofs[or].done < self.proofs[or].asked.len() {
            let question = self.proofs[or].done;
            self.proofs[or].done += 1;
            self.answer_if_new(tree, (or, question))?;
        }
        Ok(())
    }

    /// Asks from within the recursion. A negated question has to be answered in full.
    pub(super) fn ask_question(
        &mut self,
        tree: &Tree,
        or: OrId,
        key: &[u32],
        negated: bool,
    ) -> Result<(), MachineError> {
        let code = self.proofs[or].asked.coding(0).code(key.iter().copied());
        self.ask(tree, or, code, key);
        let number = self.proofs[or].asked.find(key);
        match self.answer_if_new(tree, (or, number))? {
            Answered::Active(_) | Answered::Partly(_) if negated => {
                Err(MachineError::DependsOnItsNegation { atom: tree.names[or].clone() })
            }
            _ => Ok(()),
        }
    }

    fn answer_if_new(&mut self, tree: &Tree, question: Question) -> Result<Answered, MachineError> {
        let known = self.questions.answered.get(&question).copied();
        if let Some(Answered::Active(place)) = known {
            self.questions.stack[place].is_cycle = true;
        }
        if let Some(Answered::Active(place) | Answered::Partly(place)) = known
            && let Some(top) = self.questions.stack.last_mut()
        {
            top.lowest = top.lowest.min(place);
        }
        match known {
            Some(known) => Ok(known),
            None => stacker::maybe_grow(128 << 10, 2 << 20, || self.answer(tree, question)),
        }
    }

    fn answer(&mut self, tree: &Tree, question: Question) -> Result<Answered, MachineError> {
        let place = self.questions.stack.len();
        if place >= MOST_WAITING {
            let relation = tree.names[question.0].clone();
            return Err(MachineError::TooManySteps { relation, steps: tree.options.steps });
        }
        let first_partly = self.questions.partly.len();
        self.questions.stack.push(Frame { lowest: place, is_cycle: false });
        self.questions.answered.insert(question, Answered::Active(place));
        loop {
            let before = self.count_answers(tree, question.0);
            self.run_rules(tree, question)?;
            let frame = &self.questions.stack[place];
            if frame.lowest < place || !frame.is_cycle || self.count_answers(tree, question.0) == before {
                break;
            }
            // Something new was found, so what rests on this question is asked again.
            for question in self.questions.partly.split_off(first_partly) {
                self.questions.answered.remove(&question);
            }
        }
        let lowest = self.questions.stack.pop().map_or(place, |frame| frame.lowest);
        let state = if lowest < place { Answered::Partly(lowest) } else { Answered::Fully };
        if state == Answered::Fully {
            for question in self.questions.partly.split_off(first_partly) {
                self.questions.answered.insert(question, Answered::Fully);
            }
        } else {
            self.questions.partly.push(question);
            if let Some(top) = self.questions.stack.last_mut() {
                top.lowest = top.lowest.min(lowest);
            }
        }
        self.questions.answered.insert(question, state);
        Ok(state)
    }

    /// How many answers the group of an OR node has.
    fn count_answers(&self, tree: &Tree, or: OrId) -> u64 {
        let members = &tree.groups[tree.ors[or].group].0;
        members.iter().map(|&member| u64::from(self.proofs[member].answers.len())).sum()
    }

    fn run_rules(&mut self, tree: &Tree, (or, question): Question) -> Result<(), MachineError> {
        for &and in &tree.ors[or].ands {
            if let Some(rows) = self.entry(&tree.ands[and], (question, question + 1), false) {
                self.run(tree, &tree.ands[and], 0, rows, false)?;
            }
        }
        Ok(())
    }
}
