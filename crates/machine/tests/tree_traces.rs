//! The public traces: the engine `tree` must see what the field's reference implementation saw, in every match of every
//! game.

mod support;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use groundrules_gdl::trace::{Outcome, matches, replay};
use groundrules_gdl::{Options, read};
use groundrules_machine::engines::tree::{TreeMachine, TreeOptions};
use groundrules_oracle::skip;
use support::Player;

/// Where letter case counts for the program that recorded the traces, and not for GDL: the game, and how the
/// difference begins.
const JUDGED: [(&str, &str); 2] = [
    ("alexChess", "state 2: the moves of white: only here (move"),
    ("wargame03", "state 1: the state: only here (health terrorist2 2), (location terrorist2 3 4)"),
];

fn shared() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared")
}

fn trace_files() -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(shared().join("traces")) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "gz"));
    files.sort();
    files
}

/// What came of the matches of one game.
#[derive(Default)]
struct Seen {
    matches: usize,
    states: usize,
    judged: bool,
    differences: Vec<String>,
}

fn replay_game(name: &str, trace: &Path, options: TreeOptions) -> Seen {
    let text = fs::read(shared().join("games").join(format!("{name}.kif"))).expect("a description");
    let game = read(&text, &Options::default()).game.expect("a valid description");
    let mut seen = Seen::default();
    let mut player = match TreeMachine::new(&game, options) {
        Ok(machine) => Player::new(machine),
        Err(error) => {
            seen.differences.push(format!("{name}: {error}"));
            return seen;
        }
    };
    for recorded in matches(File::open(trace).expect("a trace")) {
        let result = replay(&mut player, &recorded.expect("a match"));
        seen.states += result.states;
        match result.outcome {
            Outcome::Same => seen.matches += 1,
            Outcome::Stopped(error) => seen.differences.push(format!("{name}: {error}")),
            Outcome::Differs(words) => match JUDGED.iter().find(|judged| judged.0 == name) {
                Some(judged) if words.to_string().starts_with(judged.1) => seen.judged = true,
                _ => seen.differences.push(format!("{name}: {words}")),
            },
        }
    }
    seen
}

#[test]
fn every_trace_replays() {
    let traces = trace_files();
    if traces.is_empty() {
        return skip(format_args!("there are no traces in {}", shared().display()));
    }
    let only = std::env::var("GAME").ok();
    let (mut total, mut slow) = (Seen::default(), Vec::new());
    for trace in &traces {
        let name = trace.file_name().unwrap_or_default().to_string_lossy().replace(".jsonl.gz", "");
        if only.as_ref().is_some_and(|only| *only != name) {
            continue;
        }
        let begun = Instant::now();
        let seen = replay_game(&name, trace, TreeOptions::default());
        if begun.elapsed() > Duration::from_millis(500) {
            slow.push(format!("{name} {:?}", begun.elapsed()));
        }
        total.matches += seen.matches;
        total.states += seen.states;
        assert_eq!(seen.judged, JUDGED.iter().any(|judged| judged.0 == name), "{name} is judged by its case");
        total.differences.extend(seen.differences);
    }
    println!("{} matches, {} states without a difference", total.matches, total.states);
    println!("slow: {slow:#?}");
    assert!(total.differences.is_empty(), "{}", total.differences.join("\n"));
}
