//! The questions. Each is one variant; `session` sends it to the file that answers it.

use serde::Deserialize;

/// A question with the number that its answer repeats.
#[derive(Clone, Debug, Deserialize)]
pub struct Envelope {
    /// The number.
    #[serde(default)]
    pub id: u64,
    /// The question.
    #[serde(flatten)]
    pub request: Request,
}

/// A question.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Request {
    /// Takes a text as the description: its verdict, diagnostics with fixes, and figures.
    Open {
        /// The description.
        text: String,
    },
    /// What the word at a place means, as Markdown.
    Hover {
        /// The place.
        at: usize,
    },
    /// Where the name at a place is defined, and where it is used.
    Names {
        /// The place.
        at: usize,
    },
    /// What may be written at a place.
    Complete {
        /// The place.
        at: usize,
    },
    /// The edits that rename what stands at a place; without a name only what would be renamed.
    Rename {
        /// The place.
        at: usize,
        /// The new name.
        name: Option<String>,
    },
    /// The edits that lay the text out.
    Format,
    /// The text of a diagnostic code.
    Explain {
        /// The code.
        code: String,
    },
    /// Compiles the description for play, and enters its initial state.
    Compile,
    /// The state: board, moves, fluents, goals.
    State,
    /// Makes a joint move; roles without one of their own make their only move, or any if they move by chance.
    Advance {
        /// A move for each role, or nothing.
        moves: Vec<Option<String>>,
        /// Decides what chance does.
        #[serde(default)]
        seed: u64,
    },
    /// Goes to a step of the match; the steps behind it stay known until another move is made.
    Go {
        /// The step.
        step: usize,
    },
    /// Plays a match again from the beginning.
    Replay {
        /// The joint moves.
        moves: Vec<Vec<String>>,
    },
    /// What clicks on cells come to.
    Click {
        /// Whose move it is to be.
        role: usize,
        /// The cells clicked so far: board and cell.
        cells: Vec<[usize; 2]>,
    },
    /// Begins random playouts from the initial state.
    Run {
        /// The seed.
        seed: u64,
        /// The most joint moves of a playout.
        max_steps: u64,
    },
    /// Goes on with playouts for some milliseconds; gives everything counted so far.
    RunSlice {
        /// How long.
        millis: u64,
    },
    /// Begins to think about a role's move.
    Think {
        /// The role.
        role: usize,
        /// The player: `mcts`, `greedy`, `random` or `legal`.
        player: String,
        /// The seed.
        #[serde(default)]
        seed: u64,
    },
    /// Goes on thinking for some milliseconds; gives the move in hand and what is thought.
    ThinkSlice {
        /// How long.
        millis: u64,
    },
    /// Explores the game, up to so many states, and gives verdicts.
    Verify {
        /// The most states.
        states: u64,
    },
    /// Searches for proofs of the properties, for so many seconds of processor time, and gives verdicts.
    Prove {
        /// How long.
        seconds: f64,
    },
    /// Why an atom holds in the current state, or does not.
    Why {
        /// The atom, as KIF.
        atom: String,
    },
    /// Ground rules whose text has some words.
    Ground {
        /// The words.
        search: String,
    },
    /// The values of atoms in the current state, those whose text has some words.
    Atoms {
        /// The words.
        search: String,
    },
    /// The network around an atom as SVG.
    Network {
        /// The atom; the whole network if there is none and it is small.
        atom: Option<String>,
        /// The most nodes.
        most: usize,
    },
    /// The relations and what they depend on.
    Dependencies,
    /// Reads a match file or a trace.
    Recorded {
        /// The file's text.
        text: String,
    },
}
