//! Networks: from the [`GroundGame`](groundrules_ground::GroundGame) to a network of gates over fluents and moves.
//!
//! ```
//! use groundrules_net::{Network, Options, holds, simplify};
//!
//! let rules = "(role you) (init off) (legal you push) (<= (next on) (does you push) (true off))
//!     (<= terminal (true on)) (<= (goal you 100) (true on))";
//! let game = groundrules_gdl::read(rules.as_bytes(), &groundrules_gdl::Options::default()).game.ok_or("not GDL")?;
//! let ground = groundrules_ground::ground(&game, &groundrules_ground::Options::default())?;
//! let (network, _) = simplify(&Network::of(&ground)?, &Options::default());
//!
//! // What follows from the initial state when the role makes its only move?
//! let values = network.evaluate(|fluent| ground.init.contains(&fluent), |_| true);
//! assert!(!holds(network.outputs.terminal, &values));
//! let next = (0..network.fluents()).filter(|&fluent| holds(network.outputs.next[fluent], &values));
//! let next: Vec<String> = next.map(|fluent| ground.term(ground.fluents[fluent])).collect();
//! assert_eq!(next, ["on"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Network::of`] builds the network that the rules describe, and [`simplify()`] makes it small. [`specialise()`] makes it
//! smaller under an assumption, such as whose turn it is; [`turns()`] finds the fluents that say so. [`Parts`] splits a network
//! by turn and move; [`moves_apart()`] and [`end_after()`] make it smaller for those who evaluate all gates. `gates` stores every gate once, and `cycles` treats gates that depend on each other. [`picture`] draws
//! networks.
//!
//! Engines run networks, in a later crate. [`Network::evaluate`] defines what a network means.

mod apart;
mod build;
mod changes;
mod cycles;
mod ends;
mod gates;
mod kept;
mod literal;
mod network;
pub mod parts;
pub mod picture;
pub mod simplify;
mod specialise;
mod turns;
mod users;

pub use apart::moves_apart;
pub use build::NetError;
pub use changes::{Changes, changes};
pub use ends::end_after;
pub use gates::{Block, Blocks, Gates, Kind};
pub use literal::{Literal, NodeId};
pub use network::{Goal, Network, NodeKind, Outputs, holds};
pub use parts::Parts;
pub use simplify::{Options, PassEffect, simplify, simplify_cancellable};
pub use specialise::{assume, specialise};
pub use turns::turns;
