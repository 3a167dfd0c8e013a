//! A folder in which ground games and networks are kept, so that a description that was met before is set up in a fraction of
//! the time.
//!
//! ```
//! use std::sync::Arc;
//! use groundrules::cache::Cache;
//! use groundrules::machine::compiled::{Settings, Shelf};
//! use groundrules::prelude::*;
//!
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! let shelf: Arc<dyn Shelf> = Arc::new(Cache::at(folder));
//! let settings = || groundrules::machine::compiled::Settings { shelf: Some(Arc::clone(&shelf)), ..Settings::default() };
//! let first = load("reversi")?.compile_with(settings()).network()?;
//! let again = load("reversi")?.compile_with(settings()).network()?;
//! assert_eq!(first.gate_count(), again.gate_count());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Files are named by a digest of the game, what is kept of it and the version of the program; another version finds nothing.
//! A file has a digest of its contents, and one that is damaged is taken for missing. Files are written beside their place and
//! renamed, so several processes may use the folder at once, and a process that is killed leaves at most a file that is
//! never read. When the folder grows beyond its limit, the files that were not used for the longest time are removed.
//! Where files cannot be written, nothing is kept, and everything else works as ever.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use groundrules_machine::compiled::Shelf;

/// The environment variable that names the folder, or says `off`.
pub const VARIABLE: &str = "GROUNDRULES_CACHE";

/// The folder grows to so many bytes at most, unless told otherwise.
const MOST_BYTES: u64 = 1 << 30;

/// What a file begins with.
const MARK: &[u8; 16] = b"groundrules kept";
/// After the mark come the digest of the name and the digest of the contents.
const HEADER: usize = MARK.len() + 2 * blake3::OUT_LEN;

/// The ends of the names of files: those that are complete, and those that are being written.
const KEPT: &str = "kept";
const COMING: &str = "coming";

/// A file that is being written for so long is not going to be complete.
const ABANDONED: Duration = Duration::from_secs(3600);

/// A folder with what is kept. See the [module](self).
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
    version: String,
    most_bytes: u64,
}

impl Cache {
    /// A folder, which is made when something is kept there first.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Cache { folder: folder.into(), version: version(), most_bytes: MOST_BYTES }
    }

    /// The folder that the environment names: by [`VARIABLE`], or the user's folder for such files. Nothing if the variable says
    /// `off`, or where there is no such folder.
    pub fn of_environment() -> Option<Self> {
        folder(|name| std::env::var_os(name).map(PathBuf::from)).map(Cache::at)
    }

    /// The same folder with another limit.
    #[must_use]
    pub fn with_most_bytes(self, most_bytes: u64) -> Self {
        Cache { most_bytes, ..self }
    }

    /// The same folder for another version of the program, which finds nothing of this one's.
    #[must_use]
    pub fn with_version(self, version: impl Into<String>) -> Self {
        Cache { version: version.into(), ..self }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn digest(&self, name: &[u8]) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new();
        // Whatever the version is, it does not run into the name.
        hasher.update(&(self.version.len() as u64).to_le_bytes());
        hasher.update(self.version.as_bytes());
        hasher.update(name);
        hasher.finalize()
    }

    fn path(&self, digest: &blake3::Hash) -> PathBuf {
        self.folder.join(format!("{digest}.{KEPT}"))
    }

    /// Reads a file; nothing if there is none that is whole.
    fn read(&self, digest: &blake3::Hash) -> Option<Vec<u8>> {
        let mut file = File::open(self.path(digest)).ok()?;
        // A file that is too large is none of ours.
        let length = file.metadata().ok()?.len();
        let mut bytes =
            Vec::with_capacity(usize::try_from(length).ok().filter(|_| length <= self.most_bytes)?);
        Read::by_ref(&mut file).take(self.most_bytes).read_to_end(&mut bytes).ok()?;
        let (header, content) = bytes.split_at_checked(HEADER)?;
        if header != header_of(digest, content) {
            return None;
        }
        // It was of use: it is not among the first to be removed. If that cannot be noted, no harm is done.
        let _ = file.set_modified(SystemTime::now());
        bytes.drain(..HEADER);
        Some(bytes)
    }

    /// Writes a file beside its place and renames it.
    fn write(&self, digest: &blake3::Hash, content: &[u8]) -> io::Result<()> {
        make_folder(&self.folder)?;
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let coming = self.folder.join(format!("{digest}-{}-{count}.{COMING}", std::process::id()));
        let written = || {
            let mut file = File::options().write(true).create_new(true).open(&coming)?;
            file.write_all(&header_of(digest, content))?;
            file.write_all(content)?;
            drop(file);
            fs::rename(&coming, self.path(digest))
        };
        written().inspect_err(|_| {
            // What is left of it is removed later if not now.
            let _ = fs::remove_file(&coming);
        })
    }

    /// Removes what was not used for the longest time until the rest is within the limit, and what nobody will complete.
    fn tidy(&self) -> io::Result<()> {
        let now = SystemTime::now();
        let mut kept = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            // Another process may have removed it by now.
            let Ok((path, data)) = entry.and_then(|entry| Ok((entry.path(), entry.metadata()?))) else {
                continue;
            };
            let used = data.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            match path.extension().and_then(|end| end.to_str()) {
                Some(KEPT) => kept.push((used, data.len(), path)),
                Some(COMING) if now.duration_since(used).is_ok_and(|age| age > ABANDONED) => {
                    let _ = fs::remove_file(path);
                }
                _ => {}
            }
        }
        kept.sort();
        let mut bytes: u64 = kept.iter().map(|&(_, length, _)| length).sum();
        for (_, length, path) in kept {
            if bytes <= self.most_bytes {
                break;
            }
            let _ = fs::remove_file(path);
            bytes -= length;
        }
        Ok(())
    }
}

impl Shelf for Cache {
    fn find(&self, name: &[u8]) -> Option<Vec<u8>> {
        self.read(&self.digest(name))
    }

    fn keep(&self, name: &[u8], content: &[u8]) {
        // One thing does not take the place of most others.
        if (content.len() + HEADER) as u64 > self.most_bytes / 4 {
            return;
        }
        // A folder that cannot be written keeps nothing.
        let _ = self.write(&self.digest(name), content).and_then(|()| self.tidy());
    }
}

fn header_of(name: &blake3::Hash, content: &[u8]) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    let (mark, digests) = header.split_at_mut(MARK.len());
    mark.copy_from_slice(MARK);
    let (own, of_content) = digests.split_at_mut(blake3::OUT_LEN);
    own.copy_from_slice(name.as_bytes());
    of_content.copy_from_slice(blake3::hash(content).as_bytes());
    header
}

/// The version of the program. While it is being worked on the version's number stays, but every build has another time.
fn version() -> String {
    let built = std::env::current_exe().and_then(fs::metadata).ok();
    let time = built.as_ref().and_then(|data| data.modified().ok());
    let time = time.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    let length = built.map_or(0, |data| data.len());
    format!("{} {length} {}", env!("CARGO_PKG_VERSION"), time.unwrap_or_default().as_nanos())
}

/// Where the environment wants the folder.
fn folder(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let given = |name: &str| variable(name).filter(|path| !path.as_os_str().is_empty());
    if let Some(named) = given(VARIABLE) {
        return (named.as_os_str() != "off").then_some(named);
    }
    let own = if cfg!(windows) {
        given("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        given("HOME").map(|home| home.join("Library/Caches"))
    } else {
        // A path that is not absolute is to be ignored, says the specification of these folders.
        let named = given("XDG_CACHE_HOME").filter(|path| path.is_absolute());
        named.or_else(|| given("HOME").map(|home| home.join(".cache")))
    };
    own.map(|own| own.join("groundrules"))
}

#[cfg(unix)]
fn make_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    // What somebody plays is nobody else's business.
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn make_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

#[cfg(test)]
mod tests;
