//! Finds the trace files that the arguments name.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use groundrules::source::files_in;

use super::hosted::Hosted;

const ENDINGS: [&str; 2] = [".jsonl.gz", ".jsonl"];

/// A trace.
pub(super) struct Trace {
    /// The name to show.
    pub(super) shown: String,
    /// The name of its game: the file's name without its ending.
    pub(super) name: String,
    path: PathBuf,
}

impl Trace {
    fn new(path: PathBuf) -> Self {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = ENDINGS.iter().find_map(|ending| file.strip_suffix(ending)).unwrap_or(&file).to_owned();
        Trace { shown: path.display().to_string(), name, path }
    }

    /// The match in it, if a host wrote it.
    pub(super) fn hosted(&self) -> Result<Option<Hosted>> {
        Hosted::read(&self.path)
    }

    /// The bytes of the trace.
    pub(super) fn open(&self) -> Result<File> {
        File::open(&self.path).context("cannot open it")
    }
}

/// Finds the traces. A folder stands for all the traces in it.
pub(super) fn find(words: &[PathBuf]) -> Result<Vec<Trace>> {
    let mut traces = Vec::new();
    for word in words {
        if word.is_dir() {
            let (found, mut errors) = files_in(word, is_trace);
            if let Some(error) = errors.pop() {
                return Err(error.into());
            }
            if found.is_empty() {
                bail!("there is no trace (*.jsonl, *.jsonl.gz) in the folder {}", word.display());
            }
            traces.extend(found);
        } else if word.is_file() {
            traces.push(word.clone());
        } else {
            bail!("there is no trace {}", word.display());
        }
    }
    Ok(traces.into_iter().map(Trace::new).collect())
}

fn is_trace(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    ENDINGS.iter().any(|ending| name.ends_with(ending))
}
