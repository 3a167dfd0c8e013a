//! The structure of a game, found in its ground rules and its network: symmetries ([`Symmetries`]), whose turn it is, clocks, latches, and
//! independent subgames ([`Structure`]). Everything that is claimed follows from the rules; nothing is guessed from play.
//!
//! ```
//! use groundrules_structure::{RoleChanges, Structure, Symmetries};
//!
//! // Two lamps and one switch for each: the lamps can be exchanged, and neither depends on the other.
//! let text = "(role you) (lamp left) (lamp right) (<= (legal you (push ?l)) (lamp ?l) (not (true (on ?l))))
//!     (<= (next (on ?l)) (does you (push ?l))) (<= (next (on ?l)) (true (on ?l)))
//!     (<= dark (lamp ?l) (not (true (on ?l)))) (<= terminal (not dark)) (<= (goal you 100) (not dark)) (<= (goal you 0) dark)";
//! let game = groundrules_gdl::read(text.as_bytes(), &groundrules_gdl::Options::default()).game.ok_or("not GDL")?;
//! let ground = groundrules_ground::ground(&game, &groundrules_ground::Options::default())?;
//! let symmetries = Symmetries::of(&ground, RoleChanges::Forbidden);
//! assert_eq!(symmetries.order, 2);
//! let structure = Structure::of(&ground)?;
//! assert_eq!(structure.subgames.len(), 2);
//! assert_eq!(structure.latches.iter().filter(|latch| latch.is_on).count(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What is made of it is left to others: who explores visits one state of each class of symmetric ones, and commands print it.

mod dependence;
mod graph;
mod group;
mod latches;
mod structure;
mod symmetries;

pub use dependence::{Clock, Subgame};
pub use group::{Group, Permutation};
pub use latches::Latch;
pub use structure::{Structure, TurnOrder, Whose};
pub use symmetries::{RoleChanges, Symmetries};
