//! `check --watch`: checks again whenever a file changes. Files are asked for their size and time a few times per second,
//! which works on every file system and with editors that replace a file when they save it.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use anyhow::{Result, bail};
use groundrules::source::{Source, resolve};

use crate::output;

/// How often files are looked at.
const INTERVAL: Duration = Duration::from_millis(250);

/// A file with its size and time, as far as they can be known.
type Seen = (PathBuf, Option<(u64, SystemTime)>);

/// Runs a check now and after every change, until the program is interrupted.
pub(super) fn run(words: &[PathBuf], mut check: impl FnMut() -> Result<()>) -> Result<ExitCode> {
    if words.iter().any(|word| word.as_os_str() == "-") {
        bail!("--watch watches files; standard input cannot change");
    }
    loop {
        // Looked at before the check: what changes during it is checked again.
        let before = look(words);
        if std::io::stdout().is_terminal() {
            // Clears the screen and the lines above it.
            output::print("\x1b[2J\x1b[3J\x1b[H")?;
        }
        check()?;
        anstream::eprintln!("watching {}; Ctrl-C ends", output::counted(before.len() as u64, "file"));
        while look(words) == before {
            std::thread::sleep(INTERVAL);
        }
    }
}

/// The files that words stand for, as they are now; folders are searched anew, so new files count.
fn look(words: &[PathBuf]) -> Vec<Seen> {
    let files = resolve(words).sources.into_iter().filter_map(|source| match source {
        Source::File(path) => Some(path),
        Source::Stdin | Source::Library(_) => None,
    });
    files
        .map(|path| {
            let metadata = std::fs::metadata(&path).ok();
            let seen = metadata.and_then(|metadata| Some((metadata.len(), metadata.modified().ok()?)));
            (path, seen)
        })
        .collect()
}
