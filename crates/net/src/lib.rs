//! Networks: from the [`GroundGame`](groundrules_ground::GroundGame) to gates over fluents and moves.
//!
//! [`Network::of`] builds the network as the rules are written, [`simplify()`] makes it small. Below them, `gates` makes
//! every gate once, `cycles` takes care of gates that depend on each other, `order` sorts. Running a network is left to
//! later crates; [`Network::evaluate`] only says what it means.

mod build;
mod cycles;
mod gates;
mod literal;
mod network;
mod order;
pub mod simplify;

pub use build::NetError;
pub use gates::Kind;
pub use literal::{Literal, NodeId};
pub use network::{Goal, Network, NodeKind, Outputs, holds};
pub use simplify::{Options, PassEffect, simplify};
