//! A reference evaluator of GDL rules: slow and obviously correct. Tests judge every faster engine by it: where an
//! engine and the oracle differ, the engine is wrong unless the papers say otherwise.
//!
//! `program` prepares the rules of a [`Game`](groundrules_gdl::Game), and `strata` orders their relations. `solve`
//! finds every way to satisfy a body against the `table`s of what holds, and `fixpoint` and `by_atoms` iterate that
//! until nothing new follows. [`Oracle`] is the interface. `plays` offers it by text, so that recorded matches can be
//! replayed, and [`playout`] plays at random.
//!
//! The oracle avoids cleverness. It keeps nothing from one state to the next. The conditions of a body are tried in the
//! order of their numbers of candidates, which cannot change what holds. A budget of steps bounds its work; steps,
//! unlike seconds, are the same on every machine.
//!
//! ```
//! use groundrules_gdl::limits::Budget;
//! use groundrules_gdl::{Options, read};
//! use groundrules_oracle::Oracle;
//!
//! let text = "(role you) (init (step 1)) (succ 1 2) (legal you wait)
//!             (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
//!             (<= terminal (true (step 2))) (goal you 100)";
//! let game = read(text.as_bytes(), &Options::default()).game.ok_or("not GDL")?;
//! let mut oracle = Oracle::new(&game, Budget::steps(10_000))?;
//! let first = oracle.initial_state();
//! assert!(!oracle.is_terminal(&first)?);
//! let joint: Vec<_> = oracle.legal(&first)?.iter().map(|moves| moves[0]).collect();
//! let last = oracle.next_state(&first, &joint)?;
//! assert_eq!(oracle.kif(last.fluents()[0])?, "(step 2)");
//! assert!(oracle.is_terminal(&last)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod by_atoms;
mod error;
mod fixpoint;
mod ground;
mod oracle;
mod pattern;
pub mod playout;
mod plays;
mod program;
mod skip;
mod solve;
mod steps;
mod strata;
mod table;

pub use error::OracleError;
pub use ground::Ground;
pub use groundrules_gdl::limits::Budget;
pub use groundrules_gdl::trace::Plays;
pub use oracle::{Oracle, State};
pub use playout::random_playout;
pub use skip::skip;
