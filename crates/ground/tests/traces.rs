//! The ground game means what the description means: played directly, it reproduces the public traces, whatever the
//! method and whatever savings are left out. Games whose grounding passes the limits set here are counted, never taken
//! for agreement.

#[path = "support/compare.rs"]
#[allow(dead_code, reason = "only the ways to ground are used here")]
mod compare;
mod support;

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use compare::configurations;
use groundrules_gdl::trace::{Outcome, matches, replay};
use groundrules_gdl::{Game, Options, read};
use groundrules_ground::{GroundGame, Limits};
use groundrules_oracle::skip;
use support::Player;

/// Letter case counts for the program that recorded these, and not for GDL.
const JUDGED: [&str; 2] = ["alexChess", "wargame03"];

/// The files of traces; nothing if they are not there. `GAMES=chess,slaughter` takes only those.
fn traces() -> Option<Vec<PathBuf>> {
    let entries = fs::read_dir(shared().join("traces")).ok()?;
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "gz"));
    if let Some(games) = only() {
        paths.retain(|path| games.split(',').any(|game| game == name(path)));
    }
    paths.sort();
    Some(paths)
}

/// The games that are asked for, if not all are.
fn only() -> Option<String> {
    std::env::var("GAMES").ok()
}

fn shared() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared")
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().replace(".jsonl.gz", "")
}

fn game(name: &str) -> Game {
    let text = fs::read(shared().join("games").join(format!("{name}.kif"))).unwrap();
    read(&text, &Options::default()).game.expect("a valid description")
}

/// Replays the matches of a game; gives the number of states seen, or the first difference.
fn replay_all(path: &Path, ground: &GroundGame) -> Result<usize, String> {
    let mut player = Player::new(ground).map_err(|error| error.to_string())?;
    let mut states = 0;
    for recorded in matches(File::open(path).unwrap()) {
        let result = replay(&mut player, &recorded.unwrap());
        states += result.states;
        if let Outcome::Differs(difference) = result.outcome {
            return Err(difference.to_string());
        }
    }
    Ok(states)
}

/// Replays the traces with some ways to ground, within limits; at least so many percent of the games must fit them.
fn replay_with(wanted: impl Fn(&str) -> bool, limits: fn() -> Limits, percent: usize) {
    let Some(paths) = traces() else {
        return skip(format_args!("there are no traces in {}", shared().display()));
    };
    for (how, grounder) in configurations(limits).into_iter().filter(|(how, _)| wanted(how)) {
        let (mut same, mut states, mut too_large, mut differences) = (0, 0, Vec::new(), Vec::new());
        for path in &paths {
            let name = name(path);
            let Ok(ground) = grounder(&game(&name)) else {
                too_large.push(name);
                continue;
            };
            let result = replay_all(path, &ground);
            println!("{how}, {name}: {} rules, {result:?}", ground.rules().count());
            match result {
                Ok(seen) => (same, states) = (same + 1, states + seen),
                Err(_) if JUDGED.contains(&name.as_str()) => {}
                Err(words) => differences.push(format!("{how}, {name}: {words}")),
            }
        }
        println!("{how}: {same} of {} games agree, {states} states; too large: {too_large:?}", paths.len());
        assert!(differences.is_empty(), "{}", differences.join("\n"));
        let enough = only().is_some() || same * 100 >= paths.len() * percent;
        assert!(enough, "{how}: only {same} of {} are compared", paths.len());
    }
}

/// Limits by work, never by the clock, so that every machine compares the same games. What passes them is not compared.
fn limits(rules: usize, tries: u64) -> Limits {
    let mut limits = Limits::default();
    (limits.rules, limits.atoms, limits.tries) = (rules, 3 * rules, tries);
    limits
}

#[test]
fn ground_games_play_as_the_reference_did() {
    replay_with(|how| how == "one step", || limits(400_000, 100_000_000), 90);
}

#[test]
fn all_methods_and_switches_play_the_same() {
    replay_with(|how| how != "one step", || limits(8_000, 2_000_000), 50);
}

/// Nothing but the largest games is left out above; here they are played too. One game needs a minute and gigabytes.
#[test]
#[ignore = "takes long, even in a release build"]
fn ground_games_of_any_size_play_as_the_reference_did() {
    replay_with(|how| how == "one step", || limits(20_000_000, u64::MAX), 99);
}
