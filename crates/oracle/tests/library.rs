//! The games of the workspace's own library play: a few random matches of each, on the oracle. A game is
//! sound when every role always has a move before the end, and one goal value from 0 to 100 at the end.

use std::fs;
use std::path::{Path, PathBuf};

use groundrules_gdl::{Game, Options, read};
use groundrules_oracle::playout::{End, Playout};
use groundrules_oracle::{Budget, Oracle, OracleError, random_playout};

/// For each game; a game that needs more is played as far as that goes.
const STEPS_PER_GAME: u64 = 20_000_000;
const MATCHES: u64 = 5;
const LONGEST_MATCH: usize = 1_100;

#[test]
fn every_game_of_the_library_plays() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
    let files = game_files(&folder);
    assert!(!files.is_empty(), "there are no games in {}", folder.display());
    let (mut ended, mut expected, mut faults) = (0, 0, Vec::new());
    for file in &files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let played = game_of(file).and_then(|game| play(&game).map_err(|error| error.to_string()));
        let played = played.unwrap_or_else(|fault| Played { faults: vec![fault], ..Played::default() });
        println!("{name}: {} matches, {} to the end, {} states", played.matches, played.ended, played.states);
        faults.extend(played.faults.iter().map(|fault| format!("{name}: {fault}")));
        if !may_run_on(&name) {
            expected += 1;
            ended += usize::from(played.ended > 0);
        }
    }
    println!("{} games; {ended} of {expected} that should end have a match played to the end", files.len());
    assert!(faults.is_empty(), "faults:\n{}", faults.join("\n"));
    assert!(ended * 10 >= expected * 9, "too few games come to an end");
}

#[derive(Default)]
struct Played {
    matches: usize,
    ended: usize,
    states: usize,
    faults: Vec<String>,
}

/// Games that may go on for ever.
fn may_run_on(name: &str) -> bool {
    name.ends_with("-endless") || name.contains("turing")
}

fn game_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "kif")).collect();
    files.sort();
    files
}

fn game_of(file: &Path) -> Result<Game, String> {
    let checked = read(&fs::read(file).map_err(|error| error.to_string())?, &Options::default());
    checked.game.ok_or_else(|| checked.reason.unwrap_or_else(|| "not GDL".to_owned()))
}

fn play(game: &Game) -> Result<Played, OracleError> {
    let mut played = Played::default();
    let mut oracle = Oracle::new(game, Budget::steps(STEPS_PER_GAME))?;
    for seed in 0..MATCHES {
        let playout = match random_playout(&mut oracle, seed, LONGEST_MATCH) {
            Ok(playout) => playout,
            Err(OracleError::OutOfSteps { .. }) => break,
            Err(error) => return Err(error),
        };
        played.matches += 1;
        played.states += playout.states.len();
        played.ended += usize::from(playout.end == End::Terminal);
        match judge(&mut oracle, &playout) {
            Ok(faults) => played.faults.extend(faults.iter().map(|fault| format!("match {seed}: {fault}"))),
            Err(OracleError::OutOfSteps { .. }) => break,
            Err(error) => return Err(error),
        }
    }
    Ok(played)
}

/// What is wrong with a match.
fn judge(oracle: &mut Oracle, playout: &Playout) -> Result<Vec<String>, OracleError> {
    let mut faults = Vec::new();
    let roles: Vec<String> = oracle.roles().iter().map(|&role| oracle.kif(role)).collect::<Result<_, _>>()?;
    if let End::NoLegalMove(role) = playout.end {
        faults.push(format!("{} has no legal move after {} steps", roles[role], playout.joints.len()));
    }
    if let (End::Terminal, Some(last)) = (playout.end, playout.states.last()) {
        for (role, values) in roles.iter().zip(oracle.goals(last)?) {
            let values: Vec<String> =
                values.into_iter().map(|value| oracle.kif(value)).collect::<Result<_, _>>()?;
            let sound = matches!(&values[..], [value] if value.parse::<u8>().is_ok_and(|value| value <= 100));
            if !sound && role != "random" {
                faults.push(format!("the goals of {role} are [{}]", values.join(", ")));
            }
        }
    }
    Ok(faults)
}
