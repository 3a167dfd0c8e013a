//! The match files of a folder, and of the folders in it: which there are, and what stands in one.

use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::Serialize;

/// The most files that are listed, and the most bytes of one that is read.
const MOST_FILES: usize = 500;
const MOST_BYTES: u64 = 64 << 20;

/// A file as the page lists it.
#[derive(Debug, Serialize)]
pub(crate) struct Listed {
    /// Its path below the folder.
    pub(crate) file: String,
    kind: &'static str,
    /// In milliseconds since 1970.
    modified: u64,
    bytes: u64,
}

/// The files of a folder, the newest first.
pub(crate) fn list(folder: &Path) -> io::Result<Vec<Listed>> {
    let mut found = Vec::new();
    look(folder, "", true, &mut found)?;
    found.sort_by(|a, b| (b.modified, &a.file).cmp(&(a.modified, &b.file)));
    found.truncate(MOST_FILES);
    Ok(found)
}

fn look(folder: &Path, prefix: &str, deeper: bool, found: &mut Vec<Listed>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let (path, file) = (entry.path(), format!("{prefix}{name}"));
        // Links lead elsewhere.
        let Ok(about) = entry.metadata() else { continue };
        if about.is_dir() && deeper {
            let _ = look(&path, &format!("{file}/"), false, found);
        } else if about.is_file()
            && (name.ends_with(".json") || name.ends_with(".jsonl"))
            && let Some(kind) = kind(&path)
        {
            let modified = about.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            let modified = modified.map_or(0, |time| u64::try_from(time.as_millis()).unwrap_or(0));
            found.push(Listed { file, kind, modified, bytes: about.len() });
        }
    }
    Ok(())
}

/// What a file is, by its first line; nothing if it is neither.
fn kind(path: &Path) -> Option<&'static str> {
    let mut line = String::new();
    BufReader::new(fs::File::open(path).ok()?.take(1 << 20)).read_line(&mut line).ok()?;
    match line {
        line if line.contains("\"matchId\"") || line.contains("\"moves\"") => Some("match"),
        line if line.contains("\"players\"") && line.contains("\"games\"") => Some("tournament"),
        _ => None,
    }
}

/// The text of a file that is listed.
pub(crate) fn read(folder: &Path, file: &str) -> io::Result<String> {
    let parts: Vec<&str> = file.split('/').collect();
    let is_plain =
        |part: &&str| !part.is_empty() && !part.starts_with('.') && !part.contains(['\\', ':', '\0']);
    if parts.len() > 2 || !parts.iter().all(is_plain) {
        return Err(io::ErrorKind::NotFound.into());
    }
    let path = parts.iter().fold(PathBuf::from(folder), |path, part| path.join(part));
    let about = fs::symlink_metadata(&path)?;
    if !about.is_file() || about.len() > MOST_BYTES {
        return Err(io::ErrorKind::NotFound.into());
    }
    let mut text = String::new();
    fs::File::open(path)?.take(MOST_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_are_listed_and_nothing_else_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("inner")).unwrap();
        fs::write(at("inner/one.jsonl"), "{\"matchId\":\"m\",\"moves\":[]}\n").unwrap();
        fs::write(at("results.jsonl"), "{\"games\":[],\"players\":[]}\n").unwrap();
        fs::write(at("other.json"), "{}").unwrap();
        fs::write(at("secret.txt"), "\"moves\"").unwrap();
        let mut files: Vec<String> =
            list(folder.path()).unwrap().into_iter().map(|found| found.file).collect();
        files.sort();
        assert_eq!(files, ["inner/one.jsonl", "results.jsonl"]);
        assert!(read(folder.path(), "inner/one.jsonl").unwrap().contains("matchId"));
        for bad in ["../x", "/etc/passwd", "inner/../results.jsonl", "", "inner", ".", "inner/./one.jsonl"] {
            assert!(read(folder.path(), bad).is_err(), "{bad}");
        }
    }
}
