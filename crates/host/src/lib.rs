//! Players that are spoken to, and programs that speak to them.
pub mod wire;
