//! The engines, one folder each. Every engine is a [`Machine`](crate::Machine).

pub mod net;
