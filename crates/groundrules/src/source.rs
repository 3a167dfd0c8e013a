//! Where descriptions come from: files, folders, standard input, or the library by name.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use groundrules_gdl::nearest::nearest;

use crate::library;

/// A description that can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file.
    File(PathBuf),
    /// Standard input.
    Stdin,
    /// A game of the library.
    Library(&'static str),
}

/// Why a description cannot be found or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// A file cannot be opened.
    #[error("cannot open {}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        error: io::Error,
    },
    /// A file or standard input cannot be read.
    #[error("cannot read {name}")]
    Read {
        /// What cannot be read.
        name: String,
        /// What the system says.
        #[source]
        error: io::Error,
    },
    /// A folder cannot be read.
    #[error("cannot read the folder {}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        #[source]
        error: io::Error,
    },
    /// A folder has no description in it.
    #[error("there is no description (*.kif, *.gdl) in the folder {}", .0.display())]
    EmptyFolder(PathBuf),
    /// One game was wanted and a folder was given.
    #[error("give one game: {} is a folder", .0.display())]
    NotOneGame(PathBuf),
    /// A name is neither that of a file nor that of a game.
    #[error("`{name}` is neither a file nor a game of the library{}", did_you_mean(.nearest))]
    Unknown {
        /// The name.
        name: String,
        /// A game of the library whose name is similar.
        nearest: Option<&'static str>,
    },
}

fn did_you_mean(nearest: &Option<&'static str>) -> String {
    nearest.map_or_else(String::new, |nearest| format!("; did you mean `{nearest}`?"))
}

impl Source {
    /// The source of one game: a file, a name of the library, or `-` for standard input.
    pub fn find(word: &Path) -> Result<Source, SourceError> {
        if word.as_os_str() == "-" {
            return Ok(Source::Stdin);
        }
        if word.is_dir() {
            return Err(SourceError::NotOneGame(word.to_owned()));
        }
        if word.symlink_metadata().is_ok() {
            return Ok(Source::File(word.to_owned()));
        }
        let name = word.to_string_lossy();
        match library::game(&name) {
            Some(game) => Ok(Source::Library(game.id)),
            None => {
                let nearest = nearest(&name, library::games().map(|game| game.id));
                Err(SourceError::Unknown { name: name.into_owned(), nearest })
            }
        }
    }

    /// The name to show.
    pub fn name(&self) -> String {
        match self {
            Source::File(path) => path.display().to_string(),
            Source::Stdin => "<stdin>".to_owned(),
            Source::Library(id) => (*id).to_owned(),
        }
    }

    /// The word by which [`Source::find`] finds it.
    pub fn word(&self) -> OsString {
        match self {
            Source::File(path) => path.clone().into(),
            Source::Stdin => "-".into(),
            Source::Library(id) => (*id).into(),
        }
    }

    /// The bytes of the description, at most one more than `limit`: enough for the reader to see that it is too large.
    pub fn read(&self, limit: usize) -> Result<Vec<u8>, SourceError> {
        match self {
            Source::Library(id) => Ok(library::game(id).map_or_else(Vec::new, |game| game.text.into())),
            Source::Stdin => read_at_most(io::stdin().lock(), limit)
                .map_err(|error| SourceError::Read { name: "standard input".to_owned(), error }),
            Source::File(path) => {
                let file =
                    fs::File::open(path).map_err(|error| SourceError::Open { path: path.clone(), error })?;
                read_at_most(file, limit).map_err(|error| SourceError::Read { name: self.name(), error })
            }
        }
    }
}

fn read_at_most(from: impl Read, limit: usize) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    from.take(limit as u64 + 1).read_to_end(&mut text)?;
    Ok(text)
}

/// The descriptions that some words stand for.
#[derive(Debug, Default)]
pub struct Resolved {
    /// The descriptions, in the order of the words.
    pub sources: Vec<Source>,
    /// The words that stand for no description, and folders that cannot be read.
    pub errors: Vec<SourceError>,
    /// Whether one of the words was a folder.
    pub has_folder: bool,
}

/// Finds the descriptions that words stand for, each like [`Source::find`]. A folder stands for all the descriptions
/// (`*.kif`, `*.gdl`) in it and in the folders below it.
pub fn resolve(words: &[PathBuf]) -> Resolved {
    let mut resolved = Resolved::default();
    for word in words {
        match Source::find(word) {
            Ok(source) => resolved.sources.push(source),
            Err(SourceError::NotOneGame(folder)) => resolved.add_folder(folder),
            Err(error) => resolved.errors.push(error),
        }
    }
    resolved
}

impl Resolved {
    fn add_folder(&mut self, folder: PathBuf) {
        self.has_folder = true;
        let is_description =
            |path: &Path| path.extension().is_some_and(|ending| ending == "kif" || ending == "gdl");
        let (found, errors) = files_in(&folder, is_description);
        if found.is_empty() && errors.is_empty() {
            self.errors.push(SourceError::EmptyFolder(folder));
        }
        self.sources.extend(found.into_iter().map(Source::File));
        self.errors.extend(errors);
    }
}

/// The wanted files in a folder and the folders below it, in order, and the folders that cannot be read.
pub fn files_in(folder: &Path, is_wanted: impl Fn(&Path) -> bool) -> (Vec<PathBuf>, Vec<SourceError>) {
    let (mut found, mut errors) = (Vec::new(), Vec::new());
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                errors.push(SourceError::Folder { path: folder, error });
                continue;
            }
        };
        for entry in entries.flatten() {
            let path = entry.path();
            // Links to folders are not followed, because they may form a cycle. Pipes and the like are left out,
            // because reading them would block.
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
            } else if is_wanted(&path) && fs::metadata(&path).map_or(true, |metadata| metadata.is_file()) {
                found.push(path);
            }
        }
    }
    found.sort();
    (found, errors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_files_folders_or_games() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("below");
        fs::create_dir(&below).unwrap();
        let (a, b) = (folder.path().join("a.kif"), below.join("b.gdl"));
        for file in [&a, &b, &below.join("c.txt")] {
            fs::write(file, "(role you)").unwrap();
        }
        let resolved = resolve(&[folder.path().into(), "nim".into(), "-".into()]);
        assert!(resolved.errors.is_empty() && resolved.has_folder);
        let expected = [Source::File(a.clone()), Source::File(b), Source::Library("nim"), Source::Stdin];
        assert_eq!(resolved.sources, expected);
        assert_eq!(Source::find(&a).unwrap().read(4).unwrap(), b"(role", "one byte more than the limit");
        assert!(matches!(Source::find(folder.path()), Err(SourceError::NotOneGame(_))));
    }

    #[test]
    fn errors_say_what_to_do() {
        let unknown = Source::find(Path::new("tic-tac-to")).unwrap_err().to_string();
        assert!(unknown.contains("neither a file nor a game"), "{unknown}");
        assert!(unknown.ends_with("did you mean `tic-tac-toe`?"), "{unknown}");
        let empty = tempfile::tempdir().unwrap();
        let resolved = resolve(&[empty.path().into()]);
        assert!(matches!(&resolved.errors[..], [SourceError::EmptyFolder(_)]));
    }
}
