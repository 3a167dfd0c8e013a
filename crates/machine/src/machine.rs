//! What every engine can be asked. The interface is one of a piece that stands on a board: a machine is in one state at a
//! time, because that is how the fast engines work (they keep what they know of the state and update it), and a state can
//! be saved and entered again, because that is what searches need.

use groundrules_gdl::Roles;

/// A state of a game, packed. It is equal to another exactly when the same fluents hold in both, and means something only
/// to the machine that saved it and to machines forked from the same one.
#[derive(Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    words: Vec<u64>,
}

impl State {
    /// The packed words; how they are packed is the engine's affair.
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

/// A move of a role: a small number with a name. Belongs to the machine that gave it and to machines forked from the same
/// one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(pub u32);

/// Why a machine has no answer.
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
        /// How many roles there are.
        roles: usize,
        /// How many moves were given.
        given: usize,
    },
}

/// A game that can be played, standing in one of its states; at first in the initial one.
///
/// What is asked of the current state may be asked in any order and any number of times. After an error the machine still
/// stands in the same state.
pub trait Machine: Send {
    /// The roles as KIF, in the order of joint moves.
    fn roles(&self) -> &Roles;

    /// Goes to the initial state.
    fn reset(&mut self);

    /// Goes to a state that was saved.
    fn enter(&mut self, state: &State);

    /// Saves the current state.
    fn save(&self, state: &mut State);

    /// Whether the match is over here.
    fn is_terminal(&mut self) -> Result<bool, MachineError>;

    /// The legal moves of a role, each once. Their order depends on the state alone, not on what the machine did before.
    fn legal(&mut self, role: usize) -> Result<&[Move], MachineError>;

    /// The goal values of a role, each once, ascending. A sound game has exactly one in a terminal state; what is not a
    /// whole number is left out.
    fn goals(&mut self, role: usize) -> Result<&[i32], MachineError>;

    /// Makes a joint move, one move for each role in their order, and stands in the next state. Whether the moves are
    /// legal is not asked.
    fn advance(&mut self, joint: &[Move]) -> Result<(), MachineError>;

    /// The fluents that hold here, as KIF, sorted.
    fn fluents(&self) -> Vec<String>;

    /// A move as KIF.
    fn move_text(&self, made: Move) -> String;

    /// The move that a text in KIF gives, in any letter case. A move need not be legal here; nothing if it cannot be
    /// a move of the role at all.
    fn find_move(&mut self, role: usize, text: &str) -> Option<Move>;

    /// Another machine for the same game, for another thread. Moves and states may be passed between the two.
    fn fork(&self) -> Box<dyn Machine>;

    /// How many words a packed state has, if all have the same number; they mean the same in another process then.
    fn row_width(&self) -> Option<usize> {
        None
    }

    /// What the engine counted about its own work so far, by name: for those who tune it.
    fn counters(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }
}
