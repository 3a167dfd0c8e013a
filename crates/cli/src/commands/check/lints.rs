//! Lint levels on the command line, and what they do to the diagnostics of a description.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use groundrules_gdl::{Checked, Level, Levels};

/// How diagnostics are reported.
#[derive(clap::Args)]
#[command(next_help_heading = "Lint levels")]
pub(super) struct Lints {
    /// Leave a diagnostic out; `all` stands for every warning. May be given several times.
    #[arg(long, value_name = "CODE|all", value_delimiter = ',')]
    allow: Vec<String>,
    /// Report a diagnostic as a warning.
    #[arg(long, value_name = "CODE|all", value_delimiter = ',')]
    warn: Vec<String>,
    /// Report a diagnostic as an error, with exit code 1.
    #[arg(long, value_name = "CODE|all", value_delimiter = ',')]
    deny: Vec<String>,
}

impl Lints {
    /// The levels; where a code has several, the strictest counts.
    pub(super) fn levels(&self) -> Result<Levels> {
        let mut levels = Levels::default();
        for (option, codes, level) in [
            ("--allow", &self.allow, Level::Allow),
            ("--warn", &self.warn, Level::Warn),
            ("--deny", &self.deny, Level::Deny),
        ] {
            for code in codes {
                levels.set(code, level).with_context(|| format!("{option} {code}"))?;
            }
        }
        Ok(levels)
    }
}

/// Gives each diagnostic the severity of its level, drops those that are allowed, and puts the severest first.
pub(super) fn apply(levels: &Levels, checked: &mut Checked) {
    let found = std::mem::take(&mut checked.diagnostics);
    let had: BTreeSet<&str> = found.iter().map(|diagnostic| diagnostic.code.id).collect();
    checked.diagnostics = found
        .into_iter()
        .filter_map(|diagnostic| {
            let severity = levels.severity(&checked.levels, &diagnostic)?;
            Some(diagnostic.severity(severity))
        })
        .collect();
    // The sort is stable: those of one severity stay in the order of the text.
    checked.diagnostics.sort_by_key(|diagnostic| diagnostic.severity);
    let kept: BTreeSet<&str> = checked.diagnostics.iter().map(|diagnostic| diagnostic.code.id).collect();
    checked.omitted.retain(|code, _| !had.contains(code) || kept.contains(code));
}
