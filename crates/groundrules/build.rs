//! Embeds the games and machines of the repository, so that a name works wherever a file does. The folders themselves
//! are the index: a file added there is in the library, with nothing else to edit.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

fn main() -> std::io::Result<()> {
    // A package has its own copy of the folders, a checkout links to them, unless its file system has no links.
    let own = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).to_owned();
    let root = if own.join("games").is_dir() { own } else { own.join("../..") };
    let out = env::var("OUT_DIR").unwrap_or_default();
    let mut code = String::new();
    for (list, folder, extension) in [("GAMES", "games", "kif"), ("MACHINES", "machines", "toml")] {
        let folder = root.join(folder);
        println!("cargo::rerun-if-changed={}", folder.display());
        let mut files: Vec<_> = fs::read_dir(&folder)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
        files.retain(|file| file.extension().is_some_and(|found| found == extension));
        files.sort();
        let _ = writeln!(code, "static {list}: &[(&str, &str)] = &[");
        for file in files {
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let _ = writeln!(code, "    ({name:?}, include_str!({:?})),", file.display().to_string());
        }
        let _ = writeln!(code, "];");
    }
    fs::write(Path::new(&out).join("library.rs"), code)
}
