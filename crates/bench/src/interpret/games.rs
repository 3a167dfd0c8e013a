//! Which games are measured. A folder may have a `manifest.json`, a list of objects; those with a field `table3` are
//! games of table III of the paper on the interpreter, under the name that they have there.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use groundrules::Source;
use serde::Deserialize;

/// A game to measure.
#[derive(Debug)]
pub(super) struct Named {
    /// The name to show.
    pub(super) name: String,
    /// The description.
    pub(super) source: Source,
}

#[derive(Deserialize)]
struct Entry {
    name: String,
    table3: Option<String>,
}

/// The games that words on the command line stand for, in the order of their names.
pub(super) fn games(words: &[PathBuf], all: bool) -> Result<Vec<Named>> {
    let (mut games, mut others) = (Vec::new(), Vec::new());
    for word in words {
        let of_paper = if all { Vec::new() } else { of_paper(word)? };
        if of_paper.is_empty() {
            others.push(word.clone());
        }
        games.extend(of_paper);
    }
    if !others.is_empty() || words.is_empty() {
        let others = crate::games(&others)?;
        games.extend(others.into_iter().map(|(name, source)| Named { name, source }));
    }
    games.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(games)
}

/// The games of the paper in a folder; none if it has no manifest that names any.
fn of_paper(folder: &Path) -> Result<Vec<Named>> {
    let path = folder.join("manifest.json");
    if !path.is_file() {
        return Ok(Vec::new());
    }
    let text = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let entries: Vec<Entry> = serde_json::from_slice(&text)
        .with_context(|| format!("{} is not a list of games", path.display()))?;
    let mut games = Vec::new();
    for Entry { name, table3 } in entries {
        let Some(shown) = table3 else { continue };
        let file = folder.join(format!("{name}.kif"));
        if !file.is_file() {
            bail!("{} names the game {name}, and there is no {}", path.display(), file.display());
        }
        games.push(Named { name: shown, source: Source::File(file) });
    }
    Ok(games)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_says_which_games_are_those_of_the_paper() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("a.kif", "(role you)");
        write("b.kif", "(role you)");
        let words = [folder.path().to_owned()];
        let names = |all| games(&words, all).unwrap().into_iter().map(|game| game.name).collect::<Vec<_>>();
        assert_eq!(names(false), ["a", "b"]);
        write("manifest.json", r#"[{"name": "a", "rules": 1}, {"name": "b", "table3": "The B"}]"#);
        assert_eq!(names(false), ["The B"]);
        assert_eq!(names(true), ["a", "b"]);
        write("manifest.json", r#"[{"name": "c", "table3": "The C"}]"#);
        assert!(games(&words, false).unwrap_err().to_string().contains("names the game c"));
        write("manifest.json", "{}");
        assert!(games(&words, false).is_err());
    }

    #[test]
    fn without_words_the_library_is_measured() {
        assert!(games(&[], false).unwrap().len() > 30);
    }
}
