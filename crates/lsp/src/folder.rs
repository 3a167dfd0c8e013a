//! The descriptions in the folders that an editor has open, for questions about the whole workspace. Files are read when first
//! asked about, and again when they have changed; how many, how large and how deep is limited.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use groundrules_analysis::Document;
use rustc_hash::FxHashMap;

const MOST_FILES: usize = 500;
const MOST_BYTES: u64 = 1 << 20;
const DEEPEST: usize = 4;

/// The folders of a workspace.
#[derive(Default)]
pub(crate) struct Folders {
    roots: Vec<PathBuf>,
    known: FxHashMap<PathBuf, (SystemTime, Arc<Document>)>,
}

impl Folders {
    /// The folders with these addresses; those that are no files are left out.
    pub(crate) fn new<'a>(uris: impl Iterator<Item = &'a str>) -> Self {
        let roots = uris.filter_map(path_of).filter(|path| path.is_dir()).collect();
        Folders { roots, ..Folders::default() }
    }

    /// The descriptions in the folders with their addresses, in the order of those.
    pub(crate) fn documents(&mut self) -> Vec<(String, Arc<Document>)> {
        let mut files = Vec::new();
        for root in &self.roots {
            collect(root, 0, &mut files);
        }
        files.sort();
        files.dedup();
        files.truncate(MOST_FILES);
        self.known.retain(|path, _| files.binary_search(path).is_ok());
        files.into_iter().filter_map(|path| Some((uri_of(&path)?, self.document(&path)?))).collect()
    }

    fn document(&mut self, path: &Path) -> Option<Arc<Document>> {
        let data = std::fs::metadata(path).ok().filter(|data| data.len() <= MOST_BYTES)?;
        let changed = data.modified().ok()?;
        if let Some((then, document)) = self.known.get(path)
            && *then == changed
        {
            return Some(Arc::clone(document));
        }
        let document = Arc::new(Document::new(std::fs::read_to_string(path).ok()?));
        self.known.insert(path.to_owned(), (changed, Arc::clone(&document)));
        Some(document)
    }
}

/// Finds descriptions below a folder. Hidden folders and links are passed over.
fn collect(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.filter_map(Result::ok) {
        let Ok(kind) = entry.file_type() else { continue };
        let path = entry.path();
        if kind.is_dir() {
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            if depth < DEEPEST && !hidden && files.len() < MOST_FILES {
                collect(&path, depth + 1, files);
            }
        } else if kind.is_file() && path.extension().is_some_and(|it| it == "kif" || it == "gdl") {
            files.push(path);
        }
    }
}

/// The path of a file's address.
fn path_of(uri: &str) -> Option<PathBuf> {
    let encoded = uri.strip_prefix("file://")?;
    let encoded = &encoded[encoded.find('/')?..];
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            other => other,
        });
    }
    let path = String::from_utf8(bytes).ok()?;
    // The address of a file on a drive is /C:/…
    let drive = path.as_bytes().get(2) == Some(&b':');
    Some(PathBuf::from(if drive { &path[1..] } else { path.as_str() }))
}

/// The address of a file.
fn uri_of(path: &Path) -> Option<String> {
    let text = path.to_str()?.replace('\\', "/");
    let mut uri = String::from("file://");
    if !text.starts_with('/') {
        uri.push('/');
    }
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'.' | b'_' | b'~') {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    Some(uri)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_paths() {
        let path = Path::new("/a b/é/x.kif");
        let uri = uri_of(path).expect("an address");
        assert_eq!(uri, "file:///a%20b/%C3%A9/x.kif");
        assert_eq!(path_of(&uri).as_deref(), Some(path));
        assert_eq!(path_of("file:///C%3A/games"), Some(PathBuf::from("C:/games")));
        assert_eq!(path_of("untitled:1"), None);
        assert_eq!(path_of("file:///%F"), None);
    }
}
