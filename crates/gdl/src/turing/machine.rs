//! The machine itself: a deterministic Turing machine with one tape, as in Definition 7 of the paper. A
//! machine that exists is right: its table is total, its names are fit for KIF, and no two of them differ in
//! letter case only.
//!
//! A machine is read from TOML:
//!
//! ```toml
//! name = "busy-beaver-3"              # for the head of the description
//! about = "one sentence"
//! states = ["q0", "q1", "q2"]         # the working states
//! symbols = ["zero", "one"]           # what may stand on the tape
//! blank = "zero"                      # the symbol of a cell that nothing has been written to
//! start = "q0"
//! accept = "accept"                   # the two states in which it halts; not listed among the states
//! reject = "reject"
//! input = []                          # the tape from the head to the right; optional
//! default = "reject"                  # optional, see below
//! transitions = [
//!   # state, symbol read, next state, symbol written, direction: "left" or "right"
//!   ["q0", "zero", "q1", "one", "right"],
//! ]
//! ```
//!
//! Every working state needs a transition for every symbol, unless `default = "reject"` is given: then a pair
//! without one leaves the tape as it is, moves to the right and rejects. Names are compared as GDL compares
//! them, letter case aside; a state and a symbol may have the same name. An input is at most [`MOST_INPUT`]
//! symbols long, and at most [`MOST_DEFAULTS`] pairs may be left to the default.

use crate::index::index32;

use super::fault::MachineError;
use super::reader;
use super::run::Run;
use super::words::Words;

/// The longest input. Its list nests as deep as it is long, and the reader of GDL allows a nesting of 10,000.
pub const MOST_INPUT: usize = 9_000;

/// How many transitions `default = "reject"` may stand for. Each becomes a rule, and without this bound a
/// short text with many states and many symbols would ask for more rules than there is memory.
pub const MOST_DEFAULTS: u64 = 1_000_000;

/// The direction in which the head moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shift {
    /// One cell to the left.
    Left,
    /// One cell to the right.
    Right,
}

/// A state: the working states in their order, then the accepting and the rejecting one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct StateId(pub(super) u32);

/// A symbol of the tape, in the order of the description.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct SymbolId(pub(super) u32);

/// What the machine does in a state at a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Transition {
    pub(super) next: StateId,
    pub(super) write: SymbolId,
    pub(super) shift: Shift,
}

/// A deterministic Turing machine with one tape, together with its input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    pub(super) name: String,
    pub(super) about: String,
    /// The working states, then the accepting and the rejecting one.
    pub(super) states: Vec<Box<str>>,
    pub(super) symbols: Vec<Box<str>>,
    pub(super) blank: SymbolId,
    pub(super) start: StateId,
    pub(super) input: Vec<SymbolId>,
    /// By working state and then by symbol.
    pub(super) table: Vec<Transition>,
    pub(super) words: Words,
}

impl Machine {
    /// Reads a machine, or says everything that is wrong with its description. Malformed TOML is reported by
    /// itself: what such a text means is anyone's guess. The time is linear in the text, give or take a hash.
    pub fn from_toml(text: &str) -> Result<Machine, MachineError> {
        reader::read(text)
    }

    /// The machine's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the machine does, in a sentence.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// The working states: those in which the machine does not halt.
    pub fn states(&self) -> impl ExactSizeIterator<Item = &str> {
        self.states[..self.accepting().0 as usize].iter().map(AsRef::as_ref)
    }

    /// The symbols of the tape.
    pub fn symbols(&self) -> impl ExactSizeIterator<Item = &str> {
        self.symbols.iter().map(AsRef::as_ref)
    }

    /// The symbol of a cell that nothing has been written to.
    pub fn blank(&self) -> &str {
        self.symbol(self.blank)
    }

    /// The state in which the machine starts.
    pub fn start(&self) -> &str {
        self.state(self.start)
    }

    /// The accepting state.
    pub fn accept(&self) -> &str {
        self.state(self.accepting())
    }

    /// The rejecting state.
    pub fn reject(&self) -> &str {
        self.state(self.rejecting())
    }

    /// The input: the tape at the beginning, from the head to the right.
    pub fn input(&self) -> impl ExactSizeIterator<Item = &str> {
        self.input.iter().map(|&symbol| self.symbol(symbol))
    }

    /// The machine at the beginning of its run.
    pub fn run(&self) -> Run<'_> {
        Run::new(self)
    }

    pub(super) fn accepting(&self) -> StateId {
        StateId(id(self.states.len().saturating_sub(2)))
    }

    pub(super) fn rejecting(&self) -> StateId {
        StateId(id(self.states.len().saturating_sub(1)))
    }

    pub(super) fn state(&self, state: StateId) -> &str {
        &self.states[state.0 as usize]
    }

    pub(super) fn symbol(&self, symbol: SymbolId) -> &str {
        &self.symbols[symbol.0 as usize]
    }

    /// What the machine does; nothing in a halting state, for the table ends before them.
    pub(super) fn transition(&self, state: StateId, read: SymbolId) -> Option<Transition> {
        self.table.get(state.0 as usize * self.symbols.len() + read.0 as usize).copied()
    }

    /// The table: state, symbol read, and what the machine then does.
    pub(super) fn transitions(&self) -> impl Iterator<Item = (StateId, SymbolId, Transition)> {
        let pair = |index: usize| {
            (StateId(id(index / self.symbols.len())), SymbolId(id(index % self.symbols.len())))
        };
        self.table.iter().enumerate().map(move |(index, &transition)| {
            let (state, read) = pair(index);
            (state, read, transition)
        })
    }
}

/// An index as the number of a state or symbol. The reader refuses texts that could name too many.
pub(super) fn id(place: usize) -> u32 {
    index32(place, "states or symbols")
}

#[cfg(test)]
mod tests {
    use super::super::samples::shipped;

    #[test]
    fn a_machine_shows_its_parts() {
        let machine = shipped("palindrome");
        assert_eq!(machine.name(), "palindrome");
        assert!(machine.about().ends_with('.'));
        let states: Vec<_> = machine.states().collect();
        assert_eq!(states, ["start", "carry-a", "carry-b", "match-a", "match-b", "back"]);
        assert_eq!(machine.symbols().collect::<Vec<_>>(), ["blank", "a", "b"]);
        assert_eq!((machine.start(), machine.accept(), machine.reject()), ("start", "accept", "reject"));
        assert_eq!(machine.blank(), "blank");
        assert_eq!(machine.input().collect::<Vec<_>>(), ["a", "b", "a", "a", "b", "a"]);
        assert_eq!(machine.transitions().count(), 18);
    }
}
