//! The files of the page, packed with gzip as they are sent.

include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// A file of the page.
#[derive(Clone, Copy, Debug)]
pub struct File {
    /// Its path below the page.
    pub path: &'static str,
    /// Its bytes, packed with gzip.
    pub packed: &'static [u8],
}

impl File {
    /// What it is, as HTTP calls it.
    pub fn content_type(&self) -> &'static str {
        match self.path.rsplit('.').next() {
            Some("html") => "text/html; charset=utf-8",
            Some("js") => "text/javascript; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("svg") => "image/svg+xml",
            Some("wasm") => "application/wasm",
            Some("webmanifest") => "application/manifest+json",
            _ => "application/octet-stream",
        }
    }
}

/// All the files.
pub fn all() -> impl Iterator<Item = File> {
    FILES.iter().map(|&(path, packed)| File { path, packed })
}

/// The file at a path; the page itself at the empty one.
pub fn find(path: &str) -> Option<File> {
    let path = if path.is_empty() { "index.html" } else { path };
    all().find(|file| file.path == path)
}
