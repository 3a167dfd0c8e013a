//! How a test says that it, or a part of it, was skipped: by one line of a fixed form, which `./test` counts.

use std::fmt::Display;
use std::io::Write;

/// Reports that a test was skipped, and why. The line is not captured with the test's other output.
pub(crate) fn skipped(test: &str, reason: impl Display) {
    writeln!(std::io::stderr(), "SKIPPED: {test}: {reason}").expect("standard error can be written");
}
