//! `groundrules new NAME`: writes a small annotated game, from which an author goes on.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::output;

/// The game, with NAME for its name. It is in canonical layout, and the tests check, verify and play it.
const TEMPLATE: &str = include_str!("new.kif");

/// Write a small annotated game to start from.
///
/// The game is complete: it checks without a warning, verifies as well-formed and can be played. Change it step by step,
/// and let `groundrules check --watch` tell what is wrong meanwhile.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  groundrules new mygame\n  groundrules new games/mygame.kif --force")]
pub(crate) struct Arguments {
    /// The name of the game, or a file; a name gets the extension .kif.
    #[arg(value_name = "NAME")]
    name: PathBuf,
    /// Replace the file if it exists.
    #[arg(long)]
    force: bool,
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut path = arguments.name.clone();
    let Some(name) = path.file_stem().map(|name| name.to_string_lossy().into_owned()) else {
        bail!("{} is not a file name", path.display());
    };
    if path.extension().is_none_or(|ending| ending != "kif" && ending != "gdl") {
        path.as_mut_os_string().push(".kif");
    }
    let title: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let text = TEMPLATE.replacen("NAME", &title, 1);
    if arguments.force {
        output::write_file(&path, text.as_bytes())?;
    } else {
        let shown = path.display();
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => {
                file.write_all(text.as_bytes()).with_context(|| format!("cannot write {shown}"))?;
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                bail!("{shown} exists already: take another name, or replace it with --force")
            }
            Err(error) => return Err(error).with_context(|| format!("cannot write {shown}")),
        }
    }
    let shown = path.display();
    output::print(&format!(
        "wrote {shown}: two players take sticks in turn. Next:\n  \
         groundrules check --watch {shown}       what is wrong, whenever you save\n  \
         groundrules step {shown}                a match by hand\n  \
         groundrules play {shown} --as first     a match against a player\n  \
         groundrules verify {shown}              every state, every property\n"
    ))?;
    Ok(ExitCode::SUCCESS)
}
