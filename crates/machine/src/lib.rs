//! Machines: games that can be played. The [`Compiled`] game holds a game with its ground game, its network and its engines.
//! Each is made once, when it is first needed. It gives whatever answers questions about states:
//!
//! - A [`Machine`] is in one state. It says whether the state is terminal, which moves are legal and what the goals are, and
//!   it advances to the next state.
//! - A [`Batch`] answers the same questions for many states at once.
//! - [`Playouts`](playout::Playouts) play random matches, in blocks.
//! - [`Lockstep`] advances many matches by given moves.
//!
//! ```
//! use groundrules_machine::{Compiled, Rows, Views};
//!
//! let rules = "(role you) (init (n 0)) (s 0 1) (s 1 2) (legal you wait) (<= (legal you go) (true (n ?x)) (s ?x ?y))
//!     (<= (next (n ?y)) (true (n ?x)) (does you go) (s ?x ?y)) (<= (next (n ?x)) (true (n ?x)) (does you wait))
//!     (<= terminal (true (n 2))) (goal you 100)";
//! let game = groundrules_gdl::read(rules.as_bytes(), &groundrules_gdl::Options::default()).game.ok_or("not GDL")?;
//! let compiled = Compiled::new(game);
//!
//! let mut machine = compiled.machine()?;
//! let joint = machine.joint_of(&["go"])?;
//! machine.advance(&joint)?;
//! assert_eq!(machine.fluents(), ["(n 1)"]);
//!
//! let (mut batch, mut views) = (compiled.batch()?, Views::default());
//! let states = Rows::of_row(batch.row_width(), batch.initial().words());
//! batch.look(&states, &mut views)?;
//! assert_eq!(views.legal(0, 0).len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Each engine under [`engines`] implements these traits, and all engines give the same answers. On top of them, [`playout`]
//! defines random matches, [`run()`] plays many of them over several threads, and [`InWords`] replays recorded matches.
//! Choosing good moves is left to later crates.

mod batch;
pub mod compiled;
pub mod engines;
mod index;
pub mod lockstep;
mod machine;
mod moves;
mod one_by_one;
mod outcomes;
mod percepts;
pub mod playout;
mod plays;
mod rows;
pub mod run;
mod tally;
mod views;
mod vocabulary;

pub use batch::{Batch, MoveRecord, PlayoutLimits, Preference, Preferences};
pub use compiled::Compiled;
pub use lockstep::{Actions, Arrays, LaneLayout, LaneOptions, Lockstep, Rolled, StepError};
pub use machine::{Machine, MachineError, Move, State};
pub use moves::MoveError;
pub use one_by_one::OneByOne;
pub use outcomes::Outcomes;
pub use percepts::Percepts;
pub use plays::InWords;
pub use rows::Rows;
pub use run::run;
pub use tally::{Goals, Mean, Moments, Tally};
pub use views::Views;
pub use vocabulary::{Fluent, Vocabulary};
