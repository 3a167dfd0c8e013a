//! Short cuts for the tests of this crate: a text in, what was said about it out.

use crate::diagnostic::{Diagnostics, Severity};
use crate::game::Game;
use crate::{Checked, Limits, Options, Verdict, read};

pub(crate) fn check(text: &str) -> Checked {
    read(text.as_bytes(), &Options::default())
}

/// The codes of all diagnostics.
pub(crate) fn codes(text: &str) -> Vec<&'static str> {
    check(text).diagnostics.iter().map(|diagnostic| diagnostic.code.id).collect()
}

/// The messages of one code.
pub(crate) fn messages(text: &str, code: &str) -> Vec<String> {
    let found = check(text).diagnostics.into_iter().filter(|diagnostic| diagnostic.code.id == code);
    found.map(|diagnostic| diagnostic.message).collect()
}

/// The advice of the diagnostics of one code.
pub(crate) fn help(text: &str, code: &str) -> Vec<String> {
    let found = check(text).diagnostics.into_iter().filter(|diagnostic| diagnostic.code.id == code);
    found.flat_map(|diagnostic| diagnostic.help).collect()
}

/// The codes of the errors when reading leniently.
pub(crate) fn lenient_errors(text: &str) -> Vec<&'static str> {
    let checked = read(text.as_bytes(), &Options { lenient: true, ..Options::default() });
    let errors = checked.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    errors.map(|diagnostic| diagnostic.code.id).collect()
}

/// The fragment of a description.
pub(crate) fn verdict(text: &str) -> Verdict {
    check(text).verdict
}

/// The game that a text gives, right or wrong.
pub(crate) fn game(text: &str) -> Game {
    let (limits, mut diagnostics) = (Limits::default(), Diagnostics::new(100));
    let tree = crate::syntax::parse(text.as_bytes(), &limits, &mut diagnostics);
    crate::game::build(tree, &limits, false, &mut diagnostics)
}
