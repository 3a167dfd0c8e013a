//! The words that the construction itself needs beside the machine's own names: `tape`, `cons`, `read` and so
//! on. Relations, functions and constants have name spaces of their own, so a state called `read` would
//! change nothing in the game; but it would confuse people and draw warnings. So a word that the machine uses
//! gets a number behind it.

use crate::symbol::Symbols;

/// The words of the construction, none of which is a name of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Words {
    /// The only player.
    pub(super) player: String,
    /// The fluent `(state q)`.
    pub(super) state: String,
    /// The fluent `(tape left head right)`.
    pub(super) tape: String,
    /// A list of a symbol and a list.
    pub(super) cons: String,
    /// The list of nothing.
    pub(super) nil: String,
    /// The move `(move next-state written-symbol direction)`.
    pub(super) transition: String,
    /// The direction to the left.
    pub(super) left: String,
    /// The direction to the right.
    pub(super) right: String,
    /// The relation that holds of the symbol under the head.
    pub(super) read: String,
}

impl Words {
    /// The words for a machine whose names are `taken`.
    pub(super) fn beside(taken: &Symbols) -> Self {
        let word = |plain: &str| free_word(plain, taken);
        Words {
            player: word("pl"),
            state: word("state"),
            tape: word("tape"),
            cons: word("cons"),
            nil: word("nil"),
            transition: word("move"),
            left: word("left"),
            right: word("right"),
            read: word("read"),
        }
    }
}

fn free_word(plain: &str, taken: &Symbols) -> String {
    let is_free = |word: &str| taken.find(word).is_none();
    if is_free(plain) {
        return plain.to_owned();
    }
    // Among one more words than there are names, one is free.
    let numbered = (2..=taken.len() + 2).map(|number| format!("{plain}-{number}"));
    numbered.into_iter().find(|word| is_free(word)).unwrap_or_else(|| plain.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taken_words_are_numbered() {
        let mut taken = Symbols::new();
        for name in ["READ", "read-2", "nil"] {
            taken.intern(name);
        }
        let words = Words::beside(&taken);
        assert_eq!((&*words.read, &*words.nil, &*words.tape), ("read-3", "nil-2", "tape"));
    }
}
