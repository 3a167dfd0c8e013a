//! How a test says that it cannot run for lack of something outside the workspace: public traces, another program. One
//! line of one form, so that the script that runs all tests can count such tests and nobody takes them for passed.

use std::fmt;

/// Says on standard error that a test is skipped, and why.
pub fn skipped(test: &str, reason: impl fmt::Display) {
    eprintln!("SKIPPED: {test}: {reason}");
}
