//! What the commands of the program share: writing results ([`output`]), drawing diagnostics ([`render`]), loading the
//! game that a command is about ([`game`]) and flags that several commands have ([`processes`]). Only commands use this crate; what other front ends need as well is in the library `groundrules`.

pub mod game;
pub mod output;
pub mod processes;
pub mod render;
