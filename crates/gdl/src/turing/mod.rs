//! Turing machines written as games. GDL can simulate any Turing machine, which is why no program can decide
//! in general whether a description's matches end (Saffidine, "The Game Description Language Is Turing
//! Complete", Section III). This module carries that proof out: a [`Machine`] is read from TOML,
//! [`Machine::to_gdl`] writes it as a game for one player, and a [`Run`] runs the machine itself and shows
//! the fluents and moves that the game must have at every step, so that whatever evaluates the game can be
//! held against it.
//!
//! The reader judges a machine's table as strictly as the rest of this crate judges rules, and reports every
//! fault with its place; what it accepts always becomes a valid description.
//!
//! ```
//! use groundrules_gdl::turing::{Machine, Outcome};
//!
//! let machine = Machine::from_toml(
//!     r#"
//!     name = "flip"
//!     about = "Turns every a into b and halts at the first blank."
//!     states = ["scan"]
//!     symbols = ["blank", "a", "b"]
//!     blank = "blank"
//!     start = "scan"
//!     accept = "accept"
//!     reject = "reject"
//!     input = ["a", "a"]
//!     default = "reject"
//!     transitions = [
//!       ["scan", "a", "scan", "b", "right"],
//!       ["scan", "blank", "accept", "blank", "left"],
//!     ]
//!     "#,
//! )?;
//! let mut run = machine.run();
//! assert_eq!(run.configuration().fluents(), ["(state scan)", "(tape nil a (cons a nil))"]);
//! assert_eq!(run.next().map(|made| made.to_string()).as_deref(), Some("(move scan b right)"));
//! assert_eq!(run.configuration().fluents(), ["(state scan)", "(tape (cons b nil) a nil)"]);
//! assert_eq!((run.run_for(100), run.steps()), (Outcome::Accepted, 3));
//! # Ok::<(), groundrules_gdl::turing::MachineError>(())
//! ```

mod fault;
mod gdl;
#[cfg(test)]
mod interpreter;
mod machine;
mod names;
mod reader;
mod run;
#[cfg(test)]
mod samples;
mod table;
mod words;

pub use fault::{Fault, MachineError};
pub use machine::{MOST_DEFAULTS, MOST_INPUT, Machine, Shift};
pub use run::{Configuration, Move, Outcome, Run};
