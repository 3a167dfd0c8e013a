//! The one game that a command is about: found, read and checked, with its faults drawn when it has any.

use std::path::Path;

use anyhow::{Result, bail};
use groundrules_gdl::{Game, Options, Severity, read};

use crate::render::Painter;
use crate::source::{Resolved, Source, resolve};

/// A game with the name to show and its text.
pub(crate) struct Loaded {
    /// The name to show.
    pub(crate) name: String,
    /// The description.
    pub(crate) text: Vec<u8>,
    /// The game.
    pub(crate) game: Game,
}

/// The description that a word on the command line stands for.
pub(crate) fn source(word: &Path) -> Result<Source> {
    let Resolved { mut sources, mut faults, has_folder } = resolve(&[word.to_owned()]);
    if has_folder {
        bail!("give one game: {} is a folder", word.display());
    }
    match (sources.pop(), faults.pop()) {
        (Some(source), None) => Ok(source),
        (_, Some(fault)) => Err(fault),
        (None, None) => bail!("there is no game {}", word.display()),
    }
}

/// Reads and checks a description. If it is not GDL, its faults are drawn on standard error and there is no game.
pub(crate) fn load(source: &Source) -> Result<Option<Loaded>> {
    let options = Options::default();
    let (name, text) = (source.name(), source.read(options.limits.bytes)?);
    let checked = read(&text, &options);
    let Some(game) = checked.game else {
        let painter = Painter::new(&name, &text);
        let errors = checked.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
        errors.for_each(|error| anstream::eprintln!("{}\n", painter.paint(error)));
        anstream::eprintln!("{name} is not GDL; `groundrules check` tells more");
        return Ok(None);
    };
    Ok(Some(Loaded { name, text, game }))
}
