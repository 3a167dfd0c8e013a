//! The interface of every engine. A machine is in one state at a time, because fast engines keep derived data of the
//! current state and update it. States can be saved and entered again, as searches need.

use groundrules_gdl::Roles;

use crate::playout::Choices;

/// A packed state of a game. Two states are equal if and only if the same fluents hold in both. A state is only valid for the
/// machine that saved it and for machines forked from the same one.
#[derive(Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    words: Vec<u64>,
}

impl State {
    /// The packed words. The engine defines their layout.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// A state of these words.
    pub fn of(words: &[u64]) -> Self {
        State { words: words.to_vec() }
    }

    /// Takes the words of another state; its own memory is reused.
    pub fn set(&mut self, words: &[u64]) {
        self.words.clear();
        self.words.extend_from_slice(words);
    }

    /// The words, for an engine to write.
    pub fn words_mut(&mut self) -> &mut Vec<u64> {
        &mut self.words
    }
}

impl Clone for State {
    fn clone(&self) -> Self {
        State { words: self.words.clone() }
    }

    // Searches copy states all the time: the memory of the old one is used again.
    fn clone_from(&mut self, source: &Self) {
        self.words.clone_from(&source.words);
    }
}

/// A move of a role, by number. It is only valid for the machine that returned it and for machines forked from the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(pub u32);

/// Why a machine cannot answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MachineError {
    /// The rules would take too long in this state.
    #[error("{relation} needs more than {steps} steps in this state")]
    TooManySteps {
        /// What was being evaluated.
        relation: String,
        /// The limit.
        steps: u64,
    },
    /// The rules need too much memory.
    #[error("{relation} needs more than {bytes} bytes")]
    TooMuchMemory {
        /// What was being evaluated.
        relation: String,
        /// The limit.
        bytes: usize,
    },
    /// Terms grow without end.
    #[error("terms of {relation} nest deeper than {depth}")]
    TooDeep {
        /// What was being evaluated.
        relation: String,
        /// The limit.
        depth: u32,
    },
    /// Something depends on its own negation, so the rules do not say whether it holds.
    #[error("{atom} depends on its own negation")]
    DependsOnItsNegation {
        /// The atom or the relation.
        atom: String,
    },
    /// A rule would become too many rules when its disjunctions are multiplied out.
    #[error("a rule for {relation} stands for more than {rules} rules")]
    TooManyRules {
        /// The relation of the rule's head.
        relation: String,
        /// The limit.
        rules: usize,
    },
    /// A joint move has one move for each role.
    #[error("a joint move of this game has {roles} moves, one for each role, and {given} were given")]
    WrongJointMove {
        /// The number of roles.
        roles: usize,
        /// How many moves were given.
        given: usize,
    },
}

/// A game in one of its states, at first the initial one.
///
/// The current state may be queried in any order and any number of times. After an error the machine is still in the same
/// state.
pub trait Machine: Send {
    /// The roles as KIF, in the order of joint moves.
    fn roles(&self) -> &Roles;

    /// Enters the initial state.
    fn reset(&mut self);

    /// Enters a saved state.
    fn enter(&mut self, state: &State);

    /// Saves the current state.
    fn save(&self, state: &mut State);

    /// Whether the current state is terminal.
    fn is_terminal(&mut self) -> Result<bool, MachineError>;

    /// The legal moves of a role, each once. Their order depends on the state alone, not on the history of the machine.
    fn legal(&mut self, role: usize) -> Result<&[Move], MachineError>;

    /// One of the legal moves of a role, each with the same chance, and how many there are; `None` if there is none. It is the
    /// one that [`Choices::one_of`] chooses among [`legal`](Self::legal).
    fn draw(&mut self, role: usize, choices: &mut Choices) -> Result<Option<(Move, usize)>, MachineError> {
        let legal = self.legal(role)?;
        Ok(choices.one_of(legal).map(|chosen| (chosen, legal.len())))
    }

    /// The goal values of a role, each once, ascending. A well-formed game has exactly one in a terminal state. Values that are
    /// not whole numbers are omitted.
    fn goals(&mut self, role: usize) -> Result<&[i32], MachineError>;

    /// Makes a joint move, one move per role in their order, and enters the next state. Legality is not checked.
    fn advance(&mut self, joint: &[Move]) -> Result<(), MachineError>;

    /// The fluents that hold here, as KIF, sorted.
    fn fluents(&self) -> Vec<String>;

    /// A move as KIF.
    fn move_text(&self, made: Move) -> String;

    /// The move of a role with this text in KIF, in any letter case. It need not be legal here. `None` if the role has no such
    /// move.
    fn find_move(&mut self, role: usize, text: &str) -> Option<Move>;

    /// Another machine for the same game, for another thread. The two may exchange moves and states.
    fn fork(&self) -> Box<dyn Machine>;

    /// The number of words of a packed state, if it is the same for all states. Packed states are then also valid in other
    /// processes.
    fn row_width(&self) -> Option<usize> {
        None
    }

    /// Performance counters of the engine, by name.
    fn counters(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }
}
