//! A file with a line of JSON for each game that is done, so that a long run can be interrupted.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What was measured of a game.
pub(super) trait Entry: Serialize + DeserializeOwned {
    /// The game's name.
    fn game(&self) -> &str;
}

/// What was done before, and where the rest is written.
pub(super) struct Journal<T> {
    done: HashMap<String, T>,
    file: Option<File>,
}

impl<T: Entry> Journal<T> {
    /// Opens the file, if there is one. Of what it has, only that counts which still does.
    pub(super) fn open(path: Option<&Path>, counts: impl Fn(&T) -> bool) -> Result<Self> {
        let Some(path) = path else { return Ok(Journal { done: HashMap::new(), file: None }) };
        let text = std::fs::read_to_string(path).unwrap_or_default();
        // The last line may be torn.
        let lines = text.lines().filter_map(|line| serde_json::from_str::<T>(line).ok());
        let done = lines.filter(counts).map(|entry| (entry.game().to_owned(), entry)).collect();
        let file = OpenOptions::new().create(true).append(true).open(path);
        let mut file = file.with_context(|| format!("cannot write to {}", path.display()))?;
        if !text.is_empty() && !text.ends_with('\n') {
            writeln!(file)?;
        }
        Ok(Journal { done, file: Some(file) })
    }

    /// What was measured of a game before.
    pub(super) fn take(&mut self, game: &str) -> Option<T> {
        self.done.remove(game)
    }

    /// Keeps what was measured of a game.
    pub(super) fn add(&mut self, entry: &T) -> Result<()> {
        if let Some(file) = &mut self.file {
            writeln!(file, "{}", serde_json::to_string(entry)?).context("cannot write to the journal")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize, Serialize)]
    struct Done(String, u32);

    impl Entry for Done {
        fn game(&self) -> &str {
            &self.0
        }
    }

    #[test]
    fn a_run_goes_on_after_a_torn_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        std::fs::write(&path, "[\"a\",1]\n[\"b\",2]\n[\"c\",").unwrap();
        let mut journal = Journal::<Done>::open(Some(&path), |done| done.1 != 2).unwrap();
        assert_eq!(journal.take("a").map(|done| done.1), Some(1));
        assert!(journal.take("a").is_none() && journal.take("b").is_none() && journal.take("c").is_none());
        journal.add(&Done("c".to_owned(), 3)).unwrap();
        let mut journal = Journal::<Done>::open(Some(&path), |_| true).unwrap();
        assert_eq!(
            ["a", "b", "c"].map(|game| journal.take(game).map(|done| done.1)),
            [Some(1), Some(2), Some(3)]
        );
        assert!(Journal::<Done>::open(None, |_| true).unwrap().take("a").is_none());
    }
}
