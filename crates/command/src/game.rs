//! Loads the game that a command is about and draws its errors where it is not GDL.

use std::path::Path;

use anyhow::Result;
use groundrules::gdl::Game;
use groundrules::source::{Source, SourceError};
use groundrules::{LoadError, load_source};

use crate::render::Painter;

pub use groundrules::Loaded;

/// The description that a word on the command line stands for.
pub fn source(word: &Path) -> Result<Source, SourceError> {
    Source::find(word)
}

/// Says on standard error that a game has hidden information, which is not supported, and what happens instead.
pub fn warn_of_hidden_information(game: &Game, instead: &str) {
    if game.has_hidden_information() {
        anstream::eprintln!(
            "note: the game has hidden information (`sees`), and information sets are not supported: {instead}"
        );
    }
}

/// Loads a game. If it is not GDL, its errors are drawn on standard error and there is no game.
pub fn load(source: &Source) -> Result<Option<Loaded>> {
    match load_source(source) {
        Ok(loaded) => Ok(Some(loaded)),
        Err(LoadError::Invalid(invalid)) => {
            let painter = Painter::new(&invalid.name, &invalid.text);
            invalid.errors().for_each(|error| anstream::eprintln!("{}\n", painter.paint(error)));
            anstream::eprintln!("{} is not GDL; `groundrules check` says more", invalid.name);
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}
