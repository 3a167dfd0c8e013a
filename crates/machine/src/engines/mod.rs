//! The engines, one folder each. Every engine is a [`Machine`](crate::Machine), or plays many playouts at once.

pub mod net;
pub mod sliced;
