//! The embedded page is the one that its sources give. `scripts/studio` rebuilds it, and writes the digest with this test
//! (`STUDIO_DIGEST=write`). What the page is made of: the folder `studio` and the crates `studio` and `web`. The crates below them change
//! more often than what they mean to the page; how old the engine in the page is, is told and not judged.

use std::fs;
use std::path::{Path, PathBuf};

/// What the page is made of, below the repository.
const SOURCES: [&str; 10] = [
    "studio/index.html",
    "studio/src",
    "studio/public",
    "studio/package.json",
    "studio/package-lock.json",
    "studio/tsconfig.json",
    "studio/vite.config.ts",
    "crates/studio/src",
    "crates/web/src",
    "scripts/studio",
];

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).expect("a folder") {
            collect(&entry.expect("an entry").path(), files);
        }
    } else {
        files.push(path.to_owned());
    }
}

fn digest(root: &Path) -> String {
    let mut files = Vec::new();
    SOURCES.iter().for_each(|source| collect(&root.join(source), &mut files));
    files.sort();
    let mut hasher = blake3::Hasher::new();
    for file in files {
        let name = file.strip_prefix(root).expect("below the root").to_string_lossy().replace('\\', "/");
        let bytes = fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        hasher
            .update(name.as_bytes())
            .update(&[0])
            .update(&(bytes.len() as u64).to_le_bytes())
            .update(&bytes);
    }
    hasher.finalize().to_hex().to_string()
}

#[test]
fn the_page_is_built_from_these_sources() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = own.join("../..");
    if !root.join("studio/index.html").exists() {
        return groundrules_oracle::skip("there is no folder studio");
    }
    let (digest, file) = (digest(&root.canonicalize().expect("the repository")), own.join("dist/digest.txt"));
    if std::env::var_os("STUDIO_DIGEST").is_some() {
        fs::write(&file, format!("{digest}\n")).expect("the digest is written");
    }
    let written = fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(written.trim(), digest, "the page is older than its sources: run scripts/studio");
}
