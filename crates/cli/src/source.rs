//! Where descriptions come from: files, folders, standard input, or the library by name.

use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use groundrules_gdl::nearest::nearest;

use crate::library;

/// A description to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A file.
    File(PathBuf),
    /// Standard input.
    Stdin,
    /// A game of the library.
    Library(&'static str),
}

impl Source {
    /// The name to show.
    pub(crate) fn name(&self) -> String {
        match self {
            Source::File(path) => path.display().to_string(),
            Source::Stdin => "<stdin>".to_owned(),
            Source::Library(id) => (*id).to_owned(),
        }
    }

    /// The word on the command line that stands for the description.
    pub(crate) fn word(&self) -> OsString {
        match self {
            Source::File(path) => path.clone().into(),
            Source::Stdin => "-".into(),
            Source::Library(id) => (*id).into(),
        }
    }

    /// The bytes of the description, at most one more than `limit`: enough for the reader to see that it is too large.
    pub(crate) fn read(&self, limit: usize) -> Result<Vec<u8>> {
        let mut text = Vec::new();
        let most = limit as u64 + 1;
        match self {
            Source::Library(id) => {
                return Ok(library::game(id).map_or_else(Vec::new, |game| game.text.into()));
            }
            Source::Stdin => {
                std::io::stdin()
                    .lock()
                    .take(most)
                    .read_to_end(&mut text)
                    .context("cannot read standard input")?;
            }
            Source::File(path) => {
                let file = fs::File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
                file.take(most)
                    .read_to_end(&mut text)
                    .with_context(|| format!("cannot read {}", path.display()))?;
            }
        }
        Ok(text)
    }
}

/// What the words on the command line stand for, in order: descriptions, and words that stand for none.
pub(crate) struct Resolved {
    /// The descriptions.
    pub(crate) sources: Vec<Source>,
    /// What could not be found.
    pub(crate) faults: Vec<anyhow::Error>,
    /// Whether one of the words was a folder.
    pub(crate) has_folder: bool,
}

/// Finds the descriptions. A folder stands for all the descriptions in it.
pub(crate) fn resolve(words: &[PathBuf]) -> Resolved {
    let mut resolved = Resolved { sources: Vec::new(), faults: Vec::new(), has_folder: false };
    for word in words {
        if word.as_os_str() == "-" {
            resolved.sources.push(Source::Stdin);
        } else if word.is_dir() {
            resolved.has_folder = true;
            resolved.add_folder(word);
        } else if word.symlink_metadata().is_ok() {
            resolved.sources.push(Source::File(word.clone()));
        } else {
            match library_id(&word.to_string_lossy()) {
                Ok(id) => resolved.sources.push(Source::Library(id)),
                Err(fault) => resolved.faults.push(fault),
            }
        }
    }
    resolved
}

impl Resolved {
    fn add_folder(&mut self, folder: &Path) {
        let is_description =
            |path: &Path| path.extension().is_some_and(|ending| ending == "kif" || ending == "gdl");
        let (found, faults) = files_in(folder, is_description);
        if found.is_empty() && faults.is_empty() {
            let fault = anyhow!("there is no description (*.kif, *.gdl) in the folder {}", folder.display());
            self.faults.push(fault);
        }
        self.sources.extend(found.into_iter().map(Source::File));
        self.faults.extend(faults);
    }
}

/// The wanted files in a folder and the folders below it, in order, and the folders that could not be read.
pub(crate) fn files_in(
    folder: &Path,
    is_wanted: impl Fn(&Path) -> bool,
) -> (Vec<PathBuf>, Vec<anyhow::Error>) {
    let (mut found, mut faults) = (Vec::new(), Vec::new());
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                let context = format!("cannot read the folder {}", folder.display());
                faults.push(anyhow::Error::new(error).context(context));
                continue;
            }
        };
        for entry in entries.flatten() {
            let path = entry.path();
            // Links are not followed into folders, because they may lead round in a circle; pipes and the like
            // would wait for somebody to write to them.
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
            } else if is_wanted(&path) && fs::metadata(&path).map_or(true, |metadata| metadata.is_file()) {
                found.push(path);
            }
        }
    }
    found.sort();
    (found, faults)
}

fn library_id(name: &str) -> Result<&'static str> {
    if let Some(game) = library::game(name) {
        return Ok(game.id);
    }
    let near = nearest(name, library::games().map(|game| game.id));
    let advice = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
    bail!(
        "`{name}` is neither a file nor a game of the library{advice} (`groundrules games` lists the library)"
    )
}
