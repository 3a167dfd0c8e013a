//! What the commands of the program share: output ([`output`]), rendered diagnostics ([`render`]), loading the game that a
//! command is about ([`game`]), what is kept of games ([`cache`]), and flags of several commands ([`processes`]). Only commands use this crate. What every front end needs is in the library `groundrules`.
//!
//! ```
//! use groundrules_command::output::{counted, printable, thousands};
//!
//! assert_eq!(counted(1, "state"), "1 state");
//! assert_eq!(thousands(1_234_567), "1,234,567");
//! assert_eq!(printable("one\u{7}two").contains('\u{7}'), false);
//! ```

pub mod cache;
pub mod game;
pub mod output;
pub mod processes;
pub mod render;
