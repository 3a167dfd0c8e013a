//! Loading: from a source or a text to a checked [`Game`], with everything that a caller may want to show on the way.

use std::fmt;
use std::path::Path;

use groundrules_gdl::{Checked, Diagnostic, Game, Lines, Options, Severity, Verdict, read};
use groundrules_machine::Compiled;
use groundrules_machine::compiled::Settings;

use crate::source::{Source, SourceError};

/// A game that was read and checked.
#[derive(Debug)]
pub struct Loaded {
    /// The name to show.
    pub name: String,
    /// The description.
    pub text: Vec<u8>,
    /// The game.
    pub game: Game,
    /// The smallest fragment of GDL that it belongs to.
    pub verdict: Verdict,
    /// What is worth knowing about the description although it is valid: warnings and notes.
    pub diagnostics: Vec<Diagnostic>,
}

/// A description that is not GDL.
#[derive(Debug)]
pub struct Invalid {
    /// The name to show.
    pub name: String,
    /// The description.
    pub text: Vec<u8>,
    /// What was found: at least one error.
    pub checked: Checked,
}

/// Why there is no game.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// There is no description.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The description is not GDL.
    #[error("{0}")]
    Invalid(Box<Invalid>),
}

/// Loads the game that a word stands for: a file, a game of the library, or standard input for `-`.
///
/// ```
/// let loaded = groundrules::load("connect-four")?;
/// assert_eq!(loaded.verdict, groundrules::gdl::Verdict::Bounded);
/// # Ok::<(), groundrules::LoadError>(())
/// ```
pub fn load(word: impl AsRef<Path>) -> Result<Loaded, LoadError> {
    load_source(&Source::find(word.as_ref())?)
}

/// Loads the game of a source.
pub fn load_source(source: &Source) -> Result<Loaded, LoadError> {
    let text = source.read(Options::default().limits.bytes)?;
    load_text(&source.name(), text)
}

/// Loads a game from its description, under a name to show.
///
/// ```
/// let error = groundrules::load_text("draft", "(role you) (<= (legal you ?x))").unwrap_err();
/// assert!(error.to_string().starts_with("draft is not GDL: "));
/// ```
pub fn load_text(name: &str, text: impl Into<Vec<u8>>) -> Result<Loaded, LoadError> {
    let (name, text) = (name.to_owned(), text.into());
    let mut checked = read(&text, &Options::default());
    match checked.game.take() {
        Some(game) => {
            let Checked { verdict, diagnostics, .. } = checked;
            Ok(Loaded { name, text, game, verdict, diagnostics })
        }
        None => Err(LoadError::Invalid(Box::new(Invalid { name, text, checked }))),
    }
}

impl Loaded {
    /// The game, ready to be played, searched and explored on the fastest engine.
    pub fn compile(self) -> Compiled {
        Compiled::new(self.game)
    }

    /// The game, compiled with settings.
    pub fn compile_with(self, settings: Settings) -> Compiled {
        Compiled::with(self.game, settings)
    }
}

impl Invalid {
    /// The errors, in the order of the text.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.checked.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

/// The first error in one line, with its place.
impl fmt::Display for Invalid {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} is not GDL", self.name)?;
        let Some(first) = self.errors().next() else { return Ok(()) };
        // An empty span is no place: the diagnostic is about the whole text.
        let place = first.labels.first().filter(|label| label.span.start < label.span.end);
        match place.map(|label| Lines::new(&self.text).position(label.span.start)) {
            Some(place) => write!(out, ": line {}: {}", place.line, first.message),
            None => write!(out, ": {}", first.message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_descriptions_name_their_first_error() {
        let Err(LoadError::Invalid(invalid)) = load_text("a", "(role you)\n(<= (legal you ?x))") else {
            panic!("the variable is bound by nothing")
        };
        assert!(invalid.errors().count() > 0);
        assert!(invalid.to_string().starts_with("a is not GDL: line 2: "), "{invalid}");
    }

    #[test]
    fn every_game_of_the_library_can_be_loaded() {
        for game in crate::library::games() {
            let loaded = load_source(&Source::Library(game.id)).unwrap();
            assert!(loaded.diagnostics.iter().all(|found| found.severity == Severity::Note), "{}", game.id);
        }
    }
}
