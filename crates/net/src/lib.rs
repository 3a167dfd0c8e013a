//! Networks: from the [`GroundGame`](groundrules_ground::GroundGame) to gates over fluents and moves.
//!
//! [`Network::of`] builds the network as the rules are written, [`simplify()`] makes it small, [`specialise()`] makes it
//! smaller still under an assumption, such as whose turn it is, which [`turns()`] finds out; [`Parts`] takes it
//! apart by turn and move. Below them, `gates` makes
//! every gate once, `cycles` takes care of gates that depend on each other. Running a network is left to
//! later crates; [`Network::evaluate`] only says what it means.

mod build;
mod changes;
mod cycles;
mod gates;
mod literal;
mod network;
pub mod parts;
pub mod picture;
pub mod simplify;
mod specialise;
mod turns;
mod users;

pub use build::NetError;
pub use changes::{Changes, changes};
pub use gates::{Block, Blocks, Gates, Kind};
pub use literal::{Literal, NodeId};
pub use network::{Goal, Network, NodeKind, Outputs, holds};
pub use parts::Parts;
pub use simplify::{Options, PassEffect, simplify, simplify_cancellable};
pub use specialise::specialise;
pub use turns::turns;
