//! A rename describes the same game: the ground games are equal once the name is written back. Sorting keeps every clause.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use groundrules_analysis::names::Kind;
use groundrules_analysis::{Reading, rename, sort};
use groundrules_gdl::fix::apply;
use groundrules_ground::{Limits, Options, ground};

/// Whether every name of every description is tried, of whatever size: `GROUNDRULES_RENAMES=all`. It takes long.
fn is_thorough() -> bool {
    std::env::var("GROUNDRULES_RENAMES").is_ok_and(|value| value == "all")
}

/// A name that no description has.
const NEW: &str = "zz-renamed";

fn descriptions(folder: &Path, largest: u64) -> Vec<PathBuf> {
    let largest = if is_thorough() { u64::MAX } else { largest };
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let small = entries.filter(|entry| entry.metadata().is_ok_and(|data| data.len() <= largest));
    let mut paths: Vec<PathBuf> = small.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "kif"));
    paths.sort();
    paths
}

/// The rules of the ground game, sorted, or nothing if the game is invalid or large.
fn grounded(reading: &Reading) -> Option<Vec<String>> {
    let game = reading.checked().game.as_ref()?;
    let mut limits = Limits::default();
    (limits.rules, limits.atoms, limits.tries) = (3_000, 20_000, 300_000);
    let ground = ground(game, &Options { limits, ..Options::default() }).ok()?;
    let mut lines: Vec<String> = ground.to_kif().lines().map(str::to_owned).collect();
    lines.sort();
    Some(lines)
}

/// The lines with the new name written as the old one.
fn written_back(lines: &[String], old: &str) -> Vec<String> {
    let mut lines: Vec<String> = lines.iter().map(|line| line.replace(NEW, old)).collect();
    lines.sort();
    lines
}

/// Renames the first names of each kind; gives how many renames were tried.
fn try_renames(path: &Path, of_each_kind: usize) -> usize {
    let of_each_kind = if is_thorough() { usize::MAX } else { of_each_kind };
    let Ok(text) = String::from_utf8(std::fs::read(path).unwrap()) else { return 0 };
    let reading = Reading::of(Arc::from(text.as_str()));
    let Some(before) = grounded(&reading) else { return 0 };
    let names = reading.names();
    let mut tried = 0;
    for kind in
        [Kind::Relation, Kind::Fluent, Kind::Move, Kind::Role, Kind::Function, Kind::Constant, Kind::Variable]
    {
        let of_kind = names.all().filter(|&(id, _)| names.kind(id) == kind);
        for (id, _) in of_kind.take(of_each_kind) {
            let new = if kind == Kind::Variable { format!("?{NEW}") } else { NEW.to_owned() };
            let place = names.uses(id).next().expect("a use").span.start as usize;
            let Ok(edits) = rename::rename(&reading, place, &new) else { continue };
            let renamed = String::from_utf8(apply(text.as_bytes(), &edits)).expect("UTF-8");
            let after = grounded(&Reading::of(Arc::from(renamed.as_str())));
            let old = names.spelling(reading.tree(), id);
            let after = after.unwrap_or_else(|| panic!("{} is broken by renaming `{old}`", path.display()));
            let expected: Vec<String> = written_back(&before, old);
            assert_eq!(written_back(&after, old), expected, "{}: `{old}`", path.display());
            tried += 1;
        }
    }
    tried
}

#[test]
fn every_rename_keeps_the_game_the_same() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let own = descriptions(&root.join("games"), 6_000);
    let tried: usize = own.iter().map(|path| try_renames(path, 2)).sum();
    eprintln!("{tried} renames");
    assert!(tried > 50, "only {tried} renames were tried");
}

#[test]
fn renames_keep_public_games_the_same() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/games");
    let public = descriptions(&folder, 2_500);
    if public.is_empty() {
        return groundrules_oracle::skip(format_args!(
            "the public descriptions are not at {}",
            folder.display()
        ));
    }
    let tried: usize = public.iter().map(|path| try_renames(path, 1)).sum();
    eprintln!("{tried} renames");
    assert!(tried > 50, "only {tried} renames were tried");
}

/// The forms as text without layout, sorted.
fn forms(reading: &Reading) -> Vec<String> {
    let tree = reading.tree();
    let mut forms: Vec<String> = tree
        .forms()
        .iter()
        .map(|&form| reading.slice(tree.span(form)).split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    forms.sort();
    forms
}

#[test]
fn sorting_keeps_every_clause_and_comment() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = descriptions(&root.join("games"), u64::MAX);
    paths.extend(descriptions(&root.join("../shared/games"), u64::MAX));
    let mut sorted_texts = 0;
    for path in &paths {
        let Ok(text) = String::from_utf8(std::fs::read(path).unwrap()) else { continue };
        let before = Reading::of(Arc::from(text.as_str()));
        let Some(edit) = sort::clauses(&before) else { continue };
        let sorted = String::from_utf8(apply(text.as_bytes(), &[edit])).expect("UTF-8");
        let after = Reading::of(Arc::from(sorted.as_str()));
        assert_eq!(forms(&before), forms(&after), "{}", path.display());
        assert_eq!(before.tree().comments().len(), after.tree().comments().len(), "{}", path.display());
        assert!(after.checked().game.is_some(), "{}", path.display());
        assert_eq!(sort::clauses(&after), None, "{} is not sorted by sorting", path.display());
        sorted_texts += 1;
    }
    assert!(sorted_texts > 5, "only {sorted_texts} descriptions were sorted");
}
