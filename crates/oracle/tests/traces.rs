//! The public traces: matches played by the field's reference implementation on 299 descriptions. The oracle
//! must see what it saw. Each game gets the same number of steps; what does not fit is counted, never taken
//! for agreement.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use groundrules_gdl::trace::{Outcome, matches, replay};
use groundrules_gdl::{Game, Options, read};
use groundrules_oracle::{Budget, Oracle, OracleError, skip};

/// Enough to replay all but some two dozen of the heaviest games in full, in about a minute.
const STEPS_PER_GAME: u64 = 30_000_000;

/// Where the reference implementation is wrong by `shared/semantics.md`: the game, how the difference begins
/// and why.
const JUDGED: [(&str, &str, &str); 2] = [
    (
        "alexChess",
        "state 2: the moves of white: only here (move",
        "the file mixes `nextRank` and `nextrank`; where case counts, pieces that move in lines are stuck",
    ),
    (
        "wargame03",
        "state 1: the state: only here (health terrorist2 2), (location terrorist2 3 4)",
        "a fact has `VerticalTerrorist` and a rule `verticalTerrorist`; where case counts, one vanishes",
    ),
];

#[derive(Default)]
struct Tally {
    full: usize,
    part: Vec<String>,
    none: Vec<String>,
    matches: usize,
    states: usize,
    differences: Vec<String>,
    judged: Vec<String>,
}

#[test]
fn the_oracle_sees_what_the_reference_saw() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let traces = trace_files(&shared.join("traces"));
    if traces.is_empty() {
        return skip(format_args!("there are no traces in {}", shared.display()));
    }
    let mut tally = Tally::default();
    for trace in &traces {
        let name = trace.file_name().unwrap_or_default().to_string_lossy().replace(".jsonl.gz", "");
        let description = shared.join("games").join(format!("{name}.kif"));
        replay_game(&name, &description, trace, &mut tally);
    }
    let (part, none) = (tally.part.len(), tally.none.len());
    println!("{} games: {} replayed in full, {part} in part, {none} not at all", traces.len(), tally.full);
    println!("{} matches without a difference, {} states compared", tally.matches, tally.states);
    println!("in part: {}", tally.part.join(", "));
    println!("not at all: {}", tally.none.join(", "));
    tally.judged.iter().for_each(|line| println!("judged: {line}"));
    assert!(tally.differences.is_empty(), "differences:\n{}", tally.differences.join("\n"));
    for (name, _, _) in JUDGED {
        assert!(tally.judged.iter().any(|line| line.starts_with(name)), "{name} does not differ any more");
    }
    assert!(tally.full * 100 >= traces.len() * 90, "too few games are replayed in full");
    assert!((tally.full + part) * 100 >= traces.len() * 97, "too few games are replayed at all");
}

fn trace_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "gz")).collect();
    files.sort();
    files
}

fn replay_game(name: &str, description: &Path, trace: &Path, tally: &mut Tally) {
    let (states_before, judged_before) = (tally.states, tally.judged.len());
    let stopped = replay_matches(name, description, trace, tally).err();
    match stopped {
        Some(reason) if tally.states == states_before => tally.none.push(format!("{name} ({reason})")),
        Some(_) => tally.part.push(name.to_owned()),
        None if tally.judged.len() > judged_before => tally.part.push(name.to_owned()),
        None => tally.full += 1,
    }
}

/// Replays the matches of a game until one cannot be brought to its end; says why.
fn replay_matches(name: &str, description: &Path, trace: &Path, tally: &mut Tally) -> Result<(), String> {
    let game = game_of(description)?;
    let mut oracle = Oracle::new(&game, Budget::steps(STEPS_PER_GAME)).map_err(|error| kind(&error))?;
    for recorded in matches(File::open(trace).map_err(|error| error.to_string())?) {
        let recorded = recorded.map_err(|error| error.to_string())?;
        let result = replay(&mut oracle, &recorded);
        tally.states += result.states;
        match result.outcome {
            Outcome::Same => tally.matches += 1,
            Outcome::Stopped(error) => return Err(kind(&error)),
            Outcome::Differs(difference) => {
                let words = difference.to_string();
                match JUDGED.iter().find(|judged| judged.0 == name && words.starts_with(judged.1)) {
                    Some((_, _, reason)) => tally.judged.push(format!("{name}: {words}: {reason}")),
                    None => tally.differences.push(format!("{name}: {words}")),
                }
            }
        }
    }
    Ok(())
}

fn game_of(description: &Path) -> Result<Game, String> {
    let text = fs::read(description).map_err(|error| error.to_string())?;
    let checked = read(&text, &Options::default());
    checked.game.ok_or_else(|| checked.reason.unwrap_or_else(|| "not GDL".to_owned()))
}

fn kind(error: &OracleError) -> String {
    match error {
        OracleError::OutOfSteps { .. } => "out of steps".to_owned(),
        other => other.to_string(),
    }
}
