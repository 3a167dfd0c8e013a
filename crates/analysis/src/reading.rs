//! What is known of one version of a text: what the reader says of it, and the names in it. Everything that not every
//! question needs is found out when first asked for.

use std::sync::{Arc, OnceLock};

use groundrules_gdl::syntax::Tree;
use groundrules_gdl::{Checked, Diagnostic, Limits, Options, Span, read};

use crate::domains::Domains;
use crate::names::Names;
use crate::relations::Relations;

/// What is known of a text.
#[derive(Debug)]
pub struct Reading {
    text: Arc<str>,
    checked: Checked,
    names: OnceLock<Names>,
    relations: OnceLock<Relations>,
    domains: OnceLock<Domains>,
}

impl Reading {
    /// Texts longer than this are not read: an answer would come too late to be of use.
    pub const MOST_BYTES: usize = 16 << 20;

    /// Reads a text.
    pub fn of(text: Arc<str>) -> Self {
        let limits = Limits { bytes: Self::MOST_BYTES, ..Limits::default() };
        let checked = read(text.as_bytes(), &Options { limits, ..Options::default() });
        Reading {
            text,
            checked,
            names: OnceLock::new(),
            relations: OnceLock::new(),
            domains: OnceLock::new(),
        }
    }

    /// The text that was read.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of a span.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// What the reader and the checks found.
    pub fn checked(&self) -> &Checked {
        &self.checked
    }

    /// The diagnostics in the order of the text.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.checked.diagnostics
    }

    /// The lists and words.
    pub fn tree(&self) -> &Tree {
        self.checked.tree()
    }

    /// Which word names what.
    pub fn names(&self) -> &Names {
        self.names.get_or_init(|| Names::of(self.tree()))
    }

    /// What depends on what.
    pub(crate) fn relations(&self) -> &Relations {
        self.relations.get_or_init(|| Relations::of(self.names()))
    }

    /// Which values arguments can have.
    pub(crate) fn domains(&self) -> &Domains {
        self.domains.get_or_init(|| Domains::of(self.tree(), self.names()))
    }
}
