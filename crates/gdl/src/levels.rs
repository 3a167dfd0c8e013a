//! Lint levels: which diagnostics are left out, which are warnings and which count as errors. A file sets them in comments
//! (`;; groundrules: allow G513`), a front end by [`Levels::set`]. They change how diagnostics are reported and never what the
//! description means: [`crate::Verdict`] does not depend on them, and an error of the language cannot be allowed.
//!
//! The most specific level wins: a code named by the front end, then a code named in the file, then `all`.

use std::collections::BTreeMap;

use crate::codes;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::nearest::nearest;
use crate::span::Span;
use crate::syntax::codes::UNKNOWN_DIRECTIVE;

/// How a diagnostic is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// Not at all.
    Allow,
    /// As a warning.
    Warn,
    /// As an error.
    Deny,
}

impl Level {
    const NAMES: [(&str, Level); 3] = [("allow", Level::Allow), ("warn", Level::Warn), ("deny", Level::Deny)];

    fn named(name: &str) -> Option<Level> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|&(_, level)| level)
    }
}

/// Why a level cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LevelError {
    /// There is no such code.
    #[error("there is no diagnostic `{0}`; `groundrules explain` lists them")]
    Unknown(String),
    /// The code is an error.
    #[error("{0} is an error: a description with it is not GDL, so it cannot be allowed")]
    IsError(&'static str),
}

/// The levels that were set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    /// For every warning.
    all: Option<Level>,
    by_code: BTreeMap<&'static str, Level>,
}

impl Levels {
    /// Sets the level of a code, or of every warning when the code is `all`. What is set later wins.
    pub fn set(&mut self, code: &str, level: Level) -> Result<(), LevelError> {
        if code.eq_ignore_ascii_case("all") {
            self.all = Some(level);
            return Ok(());
        }
        let found = codes::find(code).ok_or_else(|| LevelError::Unknown(code.to_owned()))?;
        if found.severity == Severity::Error && level != Level::Deny {
            return Err(LevelError::IsError(found.id));
        }
        self.by_code.insert(found.id, level);
        Ok(())
    }

    /// The levels that the comments of a text set; what they name wrongly is reported.
    pub(crate) fn in_comments(text: &[u8], comments: &[Span], diagnostics: &mut Diagnostics) -> Self {
        let mut levels = Levels::default();
        for &comment in comments {
            let Some(words) = directive(&text[comment.range()]) else { continue };
            let mut words = words.split([' ', '\t', ',']).filter(|word| !word.is_empty());
            let Some(name) = words.next().map(str::to_ascii_lowercase) else { continue };
            let Some(level) = Level::named(&name) else {
                report_misspelled(&name, comment, diagnostics);
                continue;
            };
            for code in words {
                if let Err(error) = levels.set(code, level) {
                    diagnostics.push(Diagnostic::new(&UNKNOWN_DIRECTIVE, comment, error.to_string()));
                }
            }
        }
        levels
    }

    /// How a diagnostic is reported under these levels and those of its file; nothing if it is left out.
    pub fn severity(&self, in_file: &Levels, diagnostic: &Diagnostic) -> Option<Severity> {
        if diagnostic.severity == Severity::Error {
            return Some(Severity::Error);
        }
        let by_code = |levels: &Levels| levels.by_code.get(diagnostic.code.id).copied();
        let all = self.all.or(in_file.all).filter(|_| diagnostic.severity == Severity::Warning);
        match by_code(self).or_else(|| by_code(in_file)).or(all) {
            None => Some(diagnostic.severity),
            Some(Level::Allow) => None,
            Some(Level::Warn) => Some(Severity::Warning),
            Some(Level::Deny) => Some(Severity::Error),
        }
    }
}

/// Other words may stand for what other parts of the program read; only a slip is reported.
fn report_misspelled(name: &str, comment: Span, diagnostics: &mut Diagnostics) {
    if let Some(meant) = nearest(name, Level::NAMES.iter().map(|&(known, _)| known)) {
        let message = format!("`{name}` is no level of diagnostics");
        let help = format!("did you mean `{meant}`?");
        diagnostics.push(Diagnostic::new(&UNKNOWN_DIRECTIVE, comment, message).help(help));
    }
}

/// What a comment says to this program: the text behind `groundrules:`.
fn directive(comment: &[u8]) -> Option<&str> {
    let text =
        std::str::from_utf8(comment).ok()?.trim_start_matches([';', '#', '|', '%', '/', '*', ' ', '\t']);
    let words = text.strip_prefix("groundrules:")?;
    Some(words.lines().next().unwrap_or_default().trim_end_matches(['|', '#', '*', '/', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::check;

    /// The severities of G513 in a text, under levels set by the front end.
    fn reported(text: &str, set: &[(&str, Level)]) -> Option<Severity> {
        let mut levels = Levels::default();
        set.iter().for_each(|&(code, level)| levels.set(code, level).unwrap());
        let checked = check(text);
        let unused = checked.diagnostics.iter().find(|found| found.code.id == "G513").unwrap();
        levels.severity(&checked.levels, unused)
    }

    #[test]
    fn the_most_specific_level_wins() {
        use Level::{Allow, Deny, Warn};
        let (plain, allowed) = ("(role a) (p 1)", "(role a) ;; groundrules: allow G513\n(p 1)");
        assert_eq!(reported(plain, &[]), Some(Severity::Warning));
        assert_eq!(reported(plain, &[("all", Deny)]), Some(Severity::Error));
        assert_eq!(reported(plain, &[("all", Deny), ("g513", Allow)]), None);
        assert_eq!(reported(allowed, &[]), None);
        assert_eq!(reported(allowed, &[("all", Deny)]), None);
        assert_eq!(reported(allowed, &[("G513", Warn)]), Some(Severity::Warning));
        assert_eq!(reported("#| groundrules: deny G513 |# (p 1)", &[]), Some(Severity::Error));
    }

    #[test]
    fn errors_cannot_be_allowed_and_codes_must_exist() {
        let mut levels = Levels::default();
        assert_eq!(levels.set("G301", Level::Allow), Err(LevelError::IsError("G301")));
        assert_eq!(levels.set("G999", Level::Warn), Err(LevelError::Unknown("G999".to_owned())));
    }

    #[test]
    fn slips_in_comments_are_reported() {
        let found = |text| crate::testing::messages(text, "G114");
        assert_eq!(found(";; groundrules: alow G513"), ["`alow` is no level of diagnostics"]);
        assert_eq!(found("; groundrules: allow G513 G301").len(), 1);
        assert!(found("; groundrules: board cell").is_empty(), "other words are for others");
        assert!(found("; the groundrules: allow nothing").is_empty());
    }
}
