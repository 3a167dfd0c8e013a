//! A file with a line of JSON for each game that is done, so that a long run can be interrupted.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};

use super::Measured;

/// What was done before, and where the rest is written.
pub(super) struct Journal {
    done: HashMap<String, Measured>,
    file: Option<File>,
}

impl Journal {
    /// Opens the file, if there is one. A game that was measured with another limit counts if everything was decided within this one.
    pub(super) fn open(path: Option<&Path>, limit: f64) -> Result<Journal> {
        let Some(path) = path else { return Ok(Journal { done: HashMap::new(), file: None }) };
        let text = std::fs::read_to_string(path).unwrap_or_default();
        // The last line may be torn.
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Measured>(line).ok());
        let done = lines.filter(|measured| {
            (measured.limit - limit).abs() < 1e-9 || measured.is_whole() && measured.cpu_seconds <= limit
        });
        let done = done.map(|measured| (measured.game.clone(), measured)).collect();
        let file = OpenOptions::new().create(true).append(true).open(path);
        let mut file = file.with_context(|| format!("cannot write to {}", path.display()))?;
        if !text.is_empty() && !text.ends_with('\n') {
            writeln!(file)?;
        }
        Ok(Journal { done, file: Some(file) })
    }

    pub(super) fn take(&mut self, game: &str) -> Option<Measured> {
        self.done.remove(game)
    }

    pub(super) fn add(&mut self, measured: &Measured) -> Result<()> {
        if let Some(file) = &mut self.file {
            writeln!(file, "{}", serde_json::to_string(measured)?).context("cannot write to the journal")?;
        }
        Ok(())
    }
}
