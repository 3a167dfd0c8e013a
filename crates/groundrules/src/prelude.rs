//! What nearly every program needs: `use groundrules::prelude::*;`.

pub use crate::board::{Last, Layout, TextStyle};
pub use crate::gdl::time::Cancel;
pub use crate::gdl::{Diagnostic, Game, Severity, Verdict};
pub use crate::machine::engines::Engine;
pub use crate::machine::{Compiled, Machine, Move, State};
pub use crate::search::{Player, Seat, Settings, Turn};
pub use crate::{LoadError, Loaded, Source, load, load_source, load_text};
