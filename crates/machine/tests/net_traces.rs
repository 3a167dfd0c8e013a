//! The engine `net` plays as the reference did: the public traces, state for state. Games whose grounding passes the
//! limits set here are counted, never taken for agreement.

mod net_support;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use groundrules_gdl::trace::{Outcome, matches, replay};
use groundrules_ground::Limits;
use groundrules_oracle::skip;
use net_support::{Asked, game, machine};

/// Letter case counts for the program that recorded these, and not for GDL.
const JUDGED: [&str; 2] = ["alexChess", "wargame03"];

fn shared() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared")
}

/// The files of traces, if they are there.
fn traces() -> Option<Vec<PathBuf>> {
    let entries = fs::read_dir(shared().join("traces")).ok()?;
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "gz"));
    paths.sort();
    Some(paths)
}

/// Limits by what is made, and by time, so that the test has an end. `TRACE_RULES=3000000` compares larger games too.
fn limits() -> Limits {
    let rules = std::env::var("TRACE_RULES").ok().and_then(|rules| rules.parse().ok());
    let time = if rules.is_some() { Duration::from_secs(60) } else { Duration::from_secs(3) };
    let mut limits = Limits::default().within(time);
    limits.rules = rules.unwrap_or(100_000);
    limits.atoms = 3 * limits.rules;
    limits
}

/// Replays the matches of a game; gives the number of states, or the first difference.
fn replay_all(path: &Path, engine: &mut Asked) -> Result<usize, String> {
    let mut states = 0;
    for recorded in matches(File::open(path).unwrap()) {
        let result = replay(engine, &recorded.unwrap());
        states += result.states;
        match result.outcome {
            Outcome::Same => {}
            Outcome::Differs(words) => return Err(words.to_string()),
            Outcome::Stopped(error) => return Err(error.to_string()),
        }
    }
    Ok(states)
}

#[test]
fn the_traces_are_played_as_the_reference_did() {
    let Some(paths) = traces() else {
        return skip(format_args!("there are no traces in {}", shared().display()));
    };
    let (mut same, mut states, mut too_large, mut differences) = (0, 0, Vec::new(), Vec::new());
    for path in &paths {
        let name = path.file_name().unwrap().to_string_lossy().replace(".jsonl.gz", "");
        let text = fs::read(shared().join("games").join(format!("{name}.kif"))).unwrap();
        let Ok(engine) = machine(&game(&text).unwrap(), limits()) else {
            too_large.push(name);
            continue;
        };
        match replay_all(path, &mut Asked(Box::new(engine))) {
            Ok(seen) => (same, states) = (same + 1, states + seen),
            Err(_) if JUDGED.contains(&name.as_str()) => {}
            Err(words) => differences.push(format!("{name}: {words}")),
        }
    }
    println!("{same} of {} games agree, {states} states; too large: {too_large:?}", paths.len());
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(same * 100 >= paths.len() * 85, "only {same} of {} are compared", paths.len());
}
