//! All the engines play the public games to the same goals: the means of what roles get, of how long playouts are and of
//! how many moves there are agree within their errors, on fixed seeds. Exact agreement, state for state, is what the replays
//! are for; this finds what only random play reaches.
//!
//! Games with more ground rules than `AGREE_RULES` (20,000) are counted and left out.

use std::fs;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use groundrules_gdl::time::Cancel;
use groundrules_gdl::{Game, Options as ReadOptions, read};
use groundrules_ground::{GroundGame, Limits, Options as GroundOptions, ground};
use groundrules_machine::engines::net::NetMachine;
use groundrules_machine::engines::sliced::{Options as SlicedOptions, Sliced};
use groundrules_machine::engines::tree::{TreeMachine, TreeOptions};
use groundrules_machine::playout::{ByMachine, Playouts};
use groundrules_machine::run::{Options, Until, run};
use groundrules_machine::{Moments, Tally};
use groundrules_net::{Network, simplify};
use groundrules_oracle::skip;

/// Playouts end here: some public games never do.
const MAX_STEPS: u64 = 120;
/// About how many states `tree` and `net` go through in a game.
const STATES: [f64; 2] = [400.0, 8_000.0];
/// How many playouts `sliced` plays.
const PLAYOUTS: u64 = 4096;

/// A number from the environment.
fn setting(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn grounded(game: &Game) -> Option<GroundGame> {
    let rules = setting("AGREE_RULES", 20_000);
    let mut limits = Limits::default().within(Duration::from_secs(60));
    (limits.rules, limits.atoms) = (rules, rules.saturating_mul(5));
    ground(game, &GroundOptions { limits, ..GroundOptions::default() }).ok()
}

fn play(playouts: &dyn Playouts, count: u64) -> Result<Tally, String> {
    let options = Options {
        until: Until::Playouts(count),
        seed: 5,
        threads: NonZeroUsize::MIN,
        max_steps: MAX_STEPS,
        cancel: Cancel::new(),
    };
    run(playouts, &options, &mut |_| ControlFlow::Continue(()))
        .map(|run| run.tally)
        .map_err(|error| error.to_string())
}

/// Whether two means are those of one game. The spread is that of the larger sample; of a small one, two playouts of the
/// rarest kind are allowed for.
fn agree(what: &str, large: Moments, small: Moments, range: f64) -> Result<(), String> {
    let (Some(a), Some(b)) = (large.mean(), small.mean()) else {
        return Ok(());
    };
    let (n, m) = (large.count as f64, small.count as f64);
    let deviation = large.standard_error().unwrap_or(0.0) * n.sqrt();
    let error = deviation * (1.0 / n + 1.0 / m).sqrt();
    let allowed = 5.0 * error + 2.0 * range / m + 1e-9;
    if (a - b).abs() <= allowed { Ok(()) } else { Err(format!("{what}: {a:.3} and {b:.3}, ± {allowed:.3}")) }
}

/// Compares what two engines counted; the first played more.
fn compare(large: &Tally, small: &Tally) -> Result<(), String> {
    for (role, (a, b)) in large.goals.iter().zip(&small.goals).enumerate() {
        let values = || a.histogram.keys().chain(b.histogram.keys());
        let range = values().max().zip(values().min()).map_or(0, |(most, least)| most - least);
        agree(&format!("goals of role {role}"), a.moments(), b.moments(), range.into())?;
    }
    agree("moves of a playout", large.lengths, small.lengths, MAX_STEPS as f64)?;
    let share = |tally: &Tally, part: u64| {
        let mut moments = Moments::default();
        moments.add(1, part);
        moments.add(0, tally.playouts - part);
        moments
    };
    let unfinished = [large, small].map(|tally| share(tally, tally.unfinished));
    agree("playouts at the limit", unfinished[0], unfinished[1], 1.0)?;
    let stuck = [large, small].map(|tally| share(tally, tally.unplayable));
    agree("playouts where a role has no move", stuck[0], stuck[1], 1.0)
}

/// Plays a game with all the engines; gives nothing if it was left out.
fn check(text: &[u8]) -> Option<Result<(), String>> {
    let game = read(text, &ReadOptions::default()).game?;
    let ground = grounded(&game)?;
    let (network, _) = simplify(&Network::of(&ground).ok()?, &groundrules_net::Options::default());
    let roles = ground.roles.iter().map(|&role| ground.term(role)).collect();
    let lanes = Sliced::new(&network, roles, &SlicedOptions::default()).ok()?;
    let tree = TreeMachine::new(&game, TreeOptions::default()).ok()?;
    let net = NetMachine::new(ground).ok()?;
    let all = || {
        let large = play(&lanes, PLAYOUTS)?;
        let length = large.states as f64 / large.playouts.max(1) as f64;
        let engines: [(&str, Box<dyn Playouts>); 2] = [
            ("tree", Box::new(ByMachine::new(Box::new(tree)))),
            ("net", Box::new(ByMachine::new(Box::new(net)))),
        ];
        for ((name, engine), states) in engines.iter().zip(STATES) {
            let count = (states / length.max(1.0)).clamp(4.0, 1000.0) as u64;
            compare(&large, &play(&**engine, count)?)
                .map_err(|fault| format!("sliced and {name}: {fault}"))?;
        }
        Ok(())
    };
    Some(all())
}

#[test]
fn engines_agree_on_public_games() {
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/games");
    let Ok(entries) = fs::read_dir(games) else {
        return skip("there are no public games beside the project");
    };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "kif"));
    paths.sort();
    let (mut agreed, mut left_out, mut faults) = (0, Vec::new(), Vec::new());
    for path in paths {
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let text = fs::read(&path).expect("a public game");
        match check(&text) {
            None => left_out.push(name),
            Some(Ok(())) => agreed += 1,
            Some(Err(fault)) => faults.push(format!("{name}: {fault}")),
        }
    }
    eprintln!("{agreed} games agree; left out: {}", left_out.join(" "));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(agreed > 150, "{agreed} games agree");
}
