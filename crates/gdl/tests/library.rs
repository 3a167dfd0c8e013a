//! The games of this repository are what they say: valid, without a warning, in canonical layout.

use groundrules_gdl::format::format;
use groundrules_gdl::turing::Machine;
use groundrules_gdl::{Limits, Options, Severity, Verdict, read};

fn files(folder: &str, extension: &str) -> Vec<(String, String)> {
    let folder = format!("{}/../../{folder}", env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|found| found == extension));
    files.sort();
    let name = |path: &std::path::Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    files.iter().map(|path| (name(path), std::fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn every_game_is_valid_without_a_warning_and_in_canonical_layout() {
    let games = files("games", "kif");
    assert!(games.len() >= 20);
    for (name, text) in games {
        let checked = read(text.as_bytes(), &Options::default());
        let said: Vec<_> =
            checked.diagnostics.iter().filter(|found| found.severity != Severity::Note).collect();
        assert!(said.is_empty(), "{name}: {said:?}");
        let expected = if name.starts_with("busy-beaver") { Verdict::Valid } else { Verdict::Bounded };
        assert_eq!(checked.verdict, expected, "{name}");
        assert_eq!(
            format(text.as_bytes(), &Limits::default()).unwrap(),
            text.as_bytes(),
            "{name}: run `groundrules fmt games`"
        );
        let players = text.lines().find_map(|line| line.strip_prefix(";;; players: ")).unwrap();
        assert_eq!(players.parse(), Ok(checked.figures.roles.len()), "{name}: the header counts the roles");
    }
}

#[test]
fn the_busy_beaver_is_the_machine_written_as_a_game() {
    let machines = files("machines", "toml");
    let (_, machine) = machines.iter().find(|(name, _)| name == "busy-beaver-3").unwrap();
    let (_, game) = files("games", "kif").into_iter().find(|(name, _)| name == "busy-beaver").unwrap();
    assert_eq!(
        Machine::from_toml(machine).unwrap().to_gdl(),
        game,
        "run `groundrules tm busy-beaver-3 -o games/busy-beaver.kif`"
    );
}
