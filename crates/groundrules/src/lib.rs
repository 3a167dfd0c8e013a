//! Groundrules as a library.

pub mod library;
mod load;
pub mod prelude;
pub mod source;

pub use groundrules_explore as explore;
pub use groundrules_gdl as gdl;
pub use groundrules_ground as ground;
pub use groundrules_host as host;
pub use groundrules_machine as machine;
pub use groundrules_net as net;
pub use groundrules_search as search;

pub use load::{Invalid, LoadError, Loaded, load, load_source, load_text};
pub use source::{Source, SourceError};
