//! What is known of one version of a text: what the reader says of it, and the names in it. Everything that not every
//! question needs is found out when first asked for.

use std::sync::{Arc, OnceLock};

use groundrules_gdl::levels::Levels;
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
        let mut checked = read(text.as_bytes(), &Options { limits, ..Options::default() });
        apply_levels(&mut checked);
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

    /// The diagnostics in the order of the text, as the comments of the text want them reported.
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

/// Leaves out what comments of the text allow, and reports the rest as they say.
fn apply_levels(checked: &mut Checked) {
    let Checked { diagnostics, levels, .. } = checked;
    diagnostics.retain_mut(|found| match Levels::default().severity(levels, found) {
        Some(severity) => {
            found.severity = severity;
            true
        }
        None => false,
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use groundrules_gdl::Severity;

    #[test]
    fn comments_set_levels() {
        let found = |text: &str| {
            let reading = Reading::of(Arc::from(text));
            let unused = reading.diagnostics().iter().find(|found| found.code.id == "G513");
            unused.map(|found| found.severity)
        };
        assert_eq!(found("(role a) (p 1)"), Some(Severity::Warning));
        assert_eq!(found(";; groundrules: allow G513\n(role a) (p 1)"), None);
        assert_eq!(found(";; groundrules: deny G513\n(role a) (p 1)"), Some(Severity::Error));
    }
}
