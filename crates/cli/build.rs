//! Finds the commit that is built, for `--version`. Without git, or outside the repository, the version stands alone.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=GROUNDRULES_COMMIT");
    let commit = given().or_else(packaged).or_else(checked_out);
    let commit = commit.map_or_else(String::new, |commit| format!(" ({commit})"));
    println!("cargo:rustc-env=GROUNDRULES_COMMIT={commit}");
}

/// A commit given from outside, for builds from an archive.
fn given() -> Option<String> {
    std::env::var("GROUNDRULES_COMMIT").ok().filter(|commit| !commit.is_empty())
}

/// The commit that `cargo package` noted in the package.
fn packaged() -> Option<String> {
    let text = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, behind) = text.split_once("\"sha1\"")?;
    let commit = behind.split('"').nth(1)?;
    commit.get(..9).map(str::to_owned)
}

/// The commit of the working copy, if this package is part of one.
fn checked_out() -> Option<String> {
    // A package that was unpacked inside somebody else's repository is not part of that.
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2)?.canonicalize().ok()?;
    let found = Path::new(&git(&["rev-parse", "--show-toplevel"])?).canonicalize().ok()?;
    if top != found {
        return None;
    }
    // Every commit, reset and checkout adds a line to this file.
    println!("cargo:rerun-if-changed={}", git(&["rev-parse", "--git-path", "logs/HEAD"])?);
    git(&["rev-parse", "--short=9", "HEAD"])
}

fn git(arguments: &[&str]) -> Option<String> {
    let output =
        Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}
