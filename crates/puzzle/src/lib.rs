//! Solvers for puzzles, that is, games with one role and no chance, and the portfolio that runs them.
//!
//! A [`Solver`] searches in steps. A step stays within an [`Allowance`] and reports [`Progress`]: a [`Line`] to a higher goal, or
//! a proof that no goal above a bound is reachable. [`solvers`] lists them: exhaustive search, beam search, depth-first search by
//! Warnsdorff's rule, searches guided by landmarks, and unordered plans from a satisfiability solver. No single one is good at all
//! puzzles, so a [`Portfolio`] shares the time among them by what they achieve ([`Schedule`]).
//!
//! Solvers work on the packed states of a network, one bit per fluent, through a
//! [`Batch`](groundrules_machine::Batch). Choosing moves in a match and clocks are left to players, proofs over all
//! reachable states of large games to exploration.
//!
//! ```
//! use groundrules_machine::Compiled;
//! use groundrules_puzzle::{Limits, Portfolio};
//!
//! // Three switches, of which exactly the second must be on before the match ends.
//! let text = "(role you) (switch 1) (switch 2) (switch 3) (legal you stop)
//!     (<= (legal you (turn ?s)) (switch ?s) (not (true (on ?s))))
//!     (<= (next (on ?s)) (does you (turn ?s))) (<= (next (on ?s)) (true (on ?s)))
//!     (<= (next over) (does you stop)) (<= terminal (true over))
//!     (<= right (true (on 2)) (not (true (on 1))) (not (true (on 3))))
//!     (<= (goal you 100) right) (<= (goal you 0) (not right))";
//! let game = groundrules_gdl::read(text.as_bytes(), &groundrules_gdl::Options::default()).game.expect("a game");
//! let compiled = Compiled::new(game);
//! let mut batch = compiled.batch()?;
//! let start = batch.initial();
//! let mut portfolio = Portfolio::new(&compiled.network()?, &mut *batch, &start, 1 << 26)?;
//! let found = portfolio.solve(&mut *batch, &start, &Limits::default(), &mut |_| true)?;
//! let line = found.line.expect("a line to the goal");
//! assert_eq!((line.goal(), line.moves().len(), found.is_proved), (100, 2, true));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod line;
mod outlook;
mod portfolio;
pub mod relaxation;
mod schedule;
mod solver;
pub mod solvers;
mod step_counter;
pub mod unordered;

pub use line::Line;
pub use portfolio::{Limits, Next, Outcome, Portfolio};
pub use schedule::Schedule;
pub use solver::{Allowance, Found, Progress, Solver, Status};
pub use step_counter::StepCounter;
