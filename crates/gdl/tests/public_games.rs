//! Every public description is classified and compared with the table in `public_verdicts.txt`, and every difference
//! from what the field's reference implementation says of it is explained there. The descriptions are not part of this
//! repository: without them the tests say that they are skipped.

use std::collections::BTreeMap;
use std::path::PathBuf;

use groundrules_gdl::format::format;
use groundrules_gdl::syntax::{Tree, parse};
use groundrules_gdl::{Diagnostics, Limits, Options, Verdict, read};

/// The public descriptions by name, or nothing where they are not to be had; `test` is then skipped.
fn public_games(test: &str) -> Option<BTreeMap<String, Vec<u8>>> {
    let folder = folder();
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("SKIPPED: {test}: the public descriptions are not at {}", folder.display());
        return None;
    };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let games = paths.filter(|path| path.extension().is_some_and(|extension| extension == "kif"));
    Some(
        games
            .map(|path| {
                (path.file_stem().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap())
            })
            .collect(),
    )
}

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/games"))
}

/// The table: name, verdict, reason.
fn table() -> BTreeMap<&'static str, (&'static str, Option<&'static str>)> {
    let lines = include_str!("public_verdicts.txt").lines().filter(|line| !line.starts_with('#'));
    let row = |line: &'static str| {
        let mut words = line.splitn(3, ' ');
        (words.next().unwrap(), (words.next().unwrap(), words.next()))
    };
    lines.map(row).collect()
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::NotGdl => "not-gdl",
        Verdict::Valid => "valid",
        Verdict::Bounded => "bounded",
        Verdict::Propositional => "propositional",
    }
}

#[test]
fn every_description_gets_its_verdict() {
    let Some(games) = public_games("every_description_gets_its_verdict") else { return };
    let table = table();
    let mut differences = Vec::new();
    for (name, text) in &games {
        let verdict = word(read(text, &Options::default()).verdict);
        match table.get(name.as_str()) {
            Some((expected, _)) if *expected == verdict => {}
            Some((expected, _)) => differences.push(format!("{name}: {verdict}, the table says {expected}")),
            None => println!("{name} is not in the table: {verdict}"),
        }
    }
    assert!(differences.is_empty(), "{differences:#?}");
    let missing: Vec<_> = table.keys().filter(|name| !games.contains_key(**name)).collect();
    assert!(missing.is_empty(), "the table speaks of descriptions that are not there: {missing:?}");
}

#[test]
fn differences_from_the_reference_implementation_are_explained() {
    if public_games("differences_from_the_reference_implementation_are_explained").is_none() {
        return;
    }
    let manifest = std::fs::read_to_string(folder().join("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let table = table();
    for entry in manifest.as_array().unwrap() {
        let name = entry["name"].as_str().unwrap();
        let accepted = entry["ggpbase"] == "accepts";
        let Some((verdict, reason)) = table.get(name) else { continue };
        let differs = accepted != (*verdict != "not-gdl");
        assert_eq!(
            differs,
            reason.is_some(),
            "{name}: a reason stands where, and only where, the two differ"
        );
    }
}

#[test]
fn every_description_survives_formatting_and_writing_back() {
    let Some(games) = public_games("every_description_survives_formatting_and_writing_back") else { return };
    let tree = |text: &[u8]| -> Tree { parse(text, &Limits::default(), &mut Diagnostics::new(10)) };
    for (name, text) in &games {
        let once = format(text, &Limits::default()).unwrap_or_else(|faults| panic!("{name}: {faults:?}"));
        assert!(tree(text).same_forms(&tree(&once)), "{name}: formatting changed the forms");
        assert_eq!(tree(text).comments().len(), tree(&once).comments().len(), "{name}: a comment was lost");
        assert_eq!(format(&once, &Limits::default()).unwrap(), once, "{name}: formatting is not idempotent");
        let checked = read(text, &Options::default());
        if let Some(game) = checked.game {
            let written = game.to_kif();
            let again = read(written.as_bytes(), &Options::default());
            assert_eq!(again.verdict, checked.verdict, "{name}");
            assert_eq!(again.game.map(|game| game.to_kif()), Some(written), "{name}");
        }
    }
}
