//! What an editor shows of a description while it is written: diagnostics with fixes, names and their uses, completion,
//! hover texts, layout, hints. It knows descriptions that are not valid yet, because most of the time they are not.
//!
//! A [`Document`] is a text that changes by edits; a [`Reading`] is what is known of one version of it. `setting` says what
//! may stand at a place of the text, `names` which word names what, `relations` what depends on what, and `domains` which
//! values an argument can have. Everything else asks these: one file per question of an editor, answered with plain data
//! and byte offsets. [`position`] alone converts between offsets and the lines and UTF-16 columns of editors.
//!
//! No protocol, no file, no thread and no clock: `lsp` puts this behind the Language Server Protocol, and a page in a
//! browser can use the same. What takes long ([`grounding`]) is a function with limits that the caller runs where it likes.
//!
//! ```
//! use groundrules_analysis::Document;
//!
//! let mut document = Document::new("(role you) (<= (legal you go) (tru x))".to_owned());
//! assert!(document.reading().diagnostics().iter().any(|found| found.code.id == "G510"));
//! document.edit(31..34, "true");
//! assert!(document.reading().diagnostics().iter().all(|found| found.code.id != "G510"));
//! ```

pub mod complete;
mod document;
mod domains;
pub mod fixes;
pub mod folding;
pub mod grounding;
pub mod hierarchy;
pub mod hints;
pub mod hover;
pub mod layout;
pub mod names;
pub mod navigate;
pub mod outline;
pub mod position;
mod reading;
mod relations;
pub mod rename;
mod setting;
pub mod signature;
pub mod sort;
pub mod tokens;

pub use document::Document;
pub use position::{LineIndex, Position};
pub use reading::Reading;
