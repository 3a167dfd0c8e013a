//! The manifest of a checkpoint: which files of states count, how much of each, and how far every worker was. It is a JSON
//! object with the name and version of the format, and a digest of the rest.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::digest::{Digest, FORMAT, GameId};
use crate::error::ExploreError;
use crate::search::Position;

/// The name of the manifest's file.
pub(super) const FILE: &str = "manifest.json";

/// The name of the format.
const NAME: &str = "groundrules checkpoint";

/// What the manifest says.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) game: GameId,
    /// Whether states were identified by fingerprint.
    pub(super) fingerprint: bool,
    /// Words of a state.
    pub(super) width: usize,
    pub(super) series: u64,
    /// Which manifest of all this is, from the first one on.
    pub(super) number: u64,
    pub(super) parts: Vec<Part>,
}

/// What the manifest says of a worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Part {
    pub(super) file: String,
    pub(super) rows: u64,
    pub(super) bytes: u64,
    pub(super) digest: Digest,
    /// How many states each level has.
    pub(super) levels: Vec<u64>,
    pub(super) position: Position,
}

/// The manifest as it stands in its file.
#[derive(Serialize, Deserialize)]
struct Sealed {
    format: String,
    version: u32,
    digest: Digest,
    manifest: Manifest,
}

fn digest(manifest: &Manifest) -> Digest {
    let text = serde_json::to_vec(manifest).expect("numbers, texts and lists of them can be written");
    Digest::of("manifest", &[&text])
}

impl Manifest {
    /// Puts the manifest into its place: it is written beside it, synced and renamed.
    pub(super) fn write(&self, folder: &Path) -> Result<(), ExploreError> {
        let path = folder.join(FILE);
        let (format, digest) = (NAME.to_owned(), digest(self));
        let sealed = Sealed { format, version: FORMAT, digest, manifest: self.clone() };
        let written = || -> io::Result<()> {
            let mut file = tempfile::Builder::new().prefix(".manifest-").tempfile_in(folder)?;
            file.write_all(serde_json::to_string(&sealed)?.as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(&path).map_err(|error| error.error)?;
            File::open(folder)?.sync_all()
        };
        written().map_err(|cause| ExploreError::File { path: path.clone(), cause })
    }

    /// Reads the manifest of a folder; whether it is that of a certain game is left to [`check`](Self::check).
    pub(super) fn read(folder: &Path) -> Result<Self, ExploreError> {
        let path = folder.join(FILE);
        let text = fs::read(&path).map_err(|cause| ExploreError::File { path, cause })?;
        Self::parse(&text).map_err(|why| ExploreError::Checkpoint { path: folder.to_owned(), why })
    }

    fn parse(text: &[u8]) -> Result<Self, String> {
        let damaged = |_| "its manifest is damaged".to_owned();
        let value: Value = serde_json::from_slice(text).map_err(damaged)?;
        // The version is looked at first: everything else may have changed its form. The first version had it elsewhere.
        match value.get("version").or_else(|| value.pointer("/manifest/version")) {
            Some(version) if *version == FORMAT => {}
            Some(version) => {
                return Err(format!(
                    "its format has version {version}, and this program reads version {FORMAT}"
                ));
            }
            None => {
                return Err(format!("its format has no version, and this program reads version {FORMAT}"));
            }
        }
        let sealed: Sealed = serde_json::from_value(value).map_err(damaged)?;
        // Written again it must be the same: a changed value would be another text.
        if sealed.format != NAME
            || digest(&sealed.manifest) != sealed.digest
            || !sealed.manifest.is_consistent()
        {
            return Err("its manifest is damaged".to_owned());
        }
        Ok(sealed.manifest)
    }

    /// Whether its numbers go together.
    fn is_consistent(&self) -> bool {
        let Some(Part { position: first, .. }) = self.parts.first() else { return false };
        self.parts.iter().all(|part| {
            let Part { position, levels, .. } = part;
            let at_same_place = (position.depth, position.complete) == (first.depth, first.complete);
            let row = (self.width * size_of::<u64>()) as u64;
            at_same_place
                && levels.len() == position.depth + 2
                && position.done as u64 <= levels[position.depth]
                && levels.iter().try_fold(0_u64, |sum, &states| sum.checked_add(states)) == Some(part.rows)
                && part.rows.checked_mul(row) == Some(part.bytes)
        })
    }

    /// Whether it is that of a game whose states have so many words.
    pub(super) fn check(&self, game: GameId, fingerprint: bool, width: usize) -> Result<(), String> {
        if self.game != game || self.width != width {
            return Err("it is of another game or engine".to_owned());
        }
        match (self.fingerprint, fingerprint) {
            (true, false) => {
                Err("its states are identified by fingerprint, and this run needs exact states".to_owned())
            }
            (false, true) => {
                Err("its states are exact, and this run identifies states by fingerprint".to_owned())
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_version_is_refused_by_its_name() {
        let first = br#"{"crc32":1,"manifest":{"version":1,"game":"x","parts":[]}}"#;
        let why = Manifest::parse(first).unwrap_err();
        assert_eq!(why, "its format has version 1, and this program reads version 2");
        let later = br#"{"format":"groundrules checkpoint","version":3,"contents":{}}"#;
        let why = Manifest::parse(later).unwrap_err();
        assert_eq!(why, "its format has version 3, and this program reads version 2");
        let why = Manifest::parse(b"{}").unwrap_err();
        assert_eq!(why, "its format has no version, and this program reads version 2");
    }
}
