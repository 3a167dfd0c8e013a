//! Exhaustive exploration of games: all reachable states, and what holds in them. [`verify`] gives verdicts on the properties that
//! make a game well formed, with counterexamples; [`solve`] gives values of the initial state, and [`minimax`] gives them by alpha-beta
//! search where there are too many states; [`perft`] counts sequences
//! and states by depth; [`search`] only finds the states; [`sample`] gives evidence by random playouts where there are too many.
//!
//! ```
//! use groundrules_explore::{Options, Outcome, Property, verify};
//! use groundrules_machine::Compiled;
//!
//! // Counts to two, and may go back.
//! let text = "(role you) (init (n 0)) (succ 0 1) (succ 1 2)
//!     (<= (legal you up) (true (n ?x)) (succ ?x ?y))
//!     (<= (legal you down) (true (n ?x)) (succ ?y ?x))
//!     (<= (next (n ?y)) (does you up) (true (n ?x)) (succ ?x ?y))
//!     (<= (next (n ?y)) (does you down) (true (n ?x)) (succ ?y ?x))
//!     (<= terminal (true (n 2)))
//!     (<= (goal you 100) (true (n 2)))
//!     (<= (goal you 0) (not (true (n 2))))";
//! let game = groundrules_gdl::read(text.as_bytes(), &groundrules_gdl::Options::default()).game.expect("a game");
//! let found = verify(&Compiled::new(game), &Options::default())?;
//! assert_eq!(found.explored.states(), 3);
//! assert_eq!(found.verdict(Property::Playability).outcome, Outcome::Holds);
//! let termination = found.verdict(Property::Termination);
//! assert_eq!(termination.outcome, Outcome::Fails);
//! assert_eq!(termination.why, "the state after 0 moves comes again after 2 moves");
//! assert_eq!(termination.line.as_ref().map(Vec::len), Some(2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The game is a [`Compiled`](groundrules_machine::Compiled) one, which grounds it and chooses the engine; everything is asked of the
//! engine through [`Batch`](groundrules_machine::Batch). Playing well is left to others. [`Options`] say on how many threads and processes, within which [`Budget`], and
//! with which [`Checkpoints`]. With symmetries, one state of each class of symmetric ones is visited. Files are read and written for checkpoints and for states beyond memory, and nowhere else.
//! Progress is reported to an [`Observer`].
//!
//! The layers, each knowing only those before it: packed states in memory (`arena`, `table`, `shard`), by fingerprint
//! (`fingerprints`) and on disk (`sorted`, `file`), behind one `store`; how they are expanded in blocks (`expand`); how workers
//! communicate (`link`, `exchange`, `processes`); the `search`, which runs on any number of workers and finds every state once,
//! with what it sees on its way (`findings`); further passes over the same states (`lines`, `cycle`, `values`, `expectation`); the answers.
//! Every worker runs the same program on the states that it owns, and workers communicate through a `Link` alone, so
//! threads and processes run the same code.

mod arena;
mod budget;
mod checkpoint;
mod cycle;
mod digest;
mod duplicates;
mod error;
mod exchange;
mod expand;
mod expectation;
mod fetch;
mod file;
mod findings;
mod fingerprints;
mod fraction;
mod hash;
mod lines;
mod link;
mod maximal_goal;
mod minimax;
mod options;
mod perft;
mod portfolio;
mod processes;
mod record;
mod run;
mod sample;
mod search;
mod shard;
mod solve;
mod sorted;
mod store;
mod symmetry;
mod table;
mod values;
mod verify;
mod worker;

pub use budget::{Budget, Observer, Progress, Silent, Stage, Stop};
pub use checkpoint::Checkpoints;
pub use digest::GameId;
pub use error::{ExploreError, Lost};
pub use findings::{Finding, Findings, GoalSums, Reached};
pub use fingerprints::error_probability;
pub use fraction::Fraction;
pub use lines::Line;
pub use minimax::{Minimax, minimax};
pub use options::Options;
pub use perft::{Count, perft};
pub use processes::Cluster;
pub use record::{move_texts, record};
pub use sample::{Sample, SampleOptions, Violation, sample};
pub use search::{Explored, search};
pub use solve::{Bounds, Guarantees, Meaning, Method, Solution, Solved, solve, solve_by};
pub use verify::{Outcome, Property, Verdict, Verification, verify};
