//! Where descriptions come from: files, folders, standard input, or the library by name.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
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

/// What the words on the command line stand for. A folder stands for all the descriptions in it.
pub(crate) fn resolve(words: &[PathBuf]) -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    for word in words {
        if word.as_os_str() == "-" {
            sources.push(Source::Stdin);
        } else if word.is_dir() {
            let found = descriptions_in(word)?;
            if found.is_empty() {
                bail!("there is no description (*.kif, *.gdl) in the folder {}", word.display());
            }
            sources.extend(found.into_iter().map(Source::File));
        } else if word.exists() {
            sources.push(Source::File(word.clone()));
        } else {
            sources.push(Source::Library(library_id(&word.to_string_lossy())?));
        }
    }
    Ok(sources)
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

/// The descriptions in a folder and the folders below it, in order.
fn descriptions_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries =
            fs::read_dir(&folder).with_context(|| format!("cannot read the folder {}", folder.display()))?;
        for entry in entries {
            let entry = entry.with_context(|| format!("cannot read the folder {}", folder.display()))?;
            // Links are not followed into folders: they may lead round in a circle.
            let kind =
                entry.file_type().with_context(|| format!("cannot read {}", entry.path().display()))?;
            let path = entry.path();
            if kind.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "kif" || extension == "gdl") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
