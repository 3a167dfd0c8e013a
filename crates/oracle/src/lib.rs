//! A slow, obviously right evaluator of GDL rules. It lives in the support of the tests and judges every
//! faster engine: where an engine and the oracle differ, the engine is wrong until the papers say otherwise.
//!
//! The road through it: `program` takes the rules of a [`Game`](groundrules_gdl::Game) apart; `strata` orders
//! their relations; `solve` finds every way to satisfy a body against the `table`s of what holds; `fixpoint`
//! and `by_atoms` repeat that until nothing new follows; [`Oracle`] asks the questions. `plays` puts
//! the same questions in words, so that recorded matches can be replayed; [`playout`] plays at random.
//!
//! What keeps it right is that it does nothing clever. Nothing is carried over from one state to the next.
//! The order in which the conditions of a body are tried follows the number of candidates, which cannot
//! change what holds. What keeps it from running on is a budget of steps; steps, unlike seconds, are the same
//! on every machine.
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
