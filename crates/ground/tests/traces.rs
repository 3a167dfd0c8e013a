//! The ground game means what the description means: played directly, it reproduces the public traces. Games whose
//! grounding passes the limits set here are counted, never taken for agreement.

mod support;

use std::fs::{self, File};
use std::path::Path;

use groundrules_gdl::{Options, read};
use groundrules_ground::{Options as GroundOptions, ground};
use groundrules_oracle::trace::{Outcome, matches, replay};
use support::Player;

/// Letter case counts for the program that recorded these, and not for GDL.
const JUDGED: [&str; 2] = ["alexChess", "wargame03"];

#[test]
fn ground_games_play_as_the_reference_did() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let Ok(entries) = fs::read_dir(shared.join("traces")) else {
        println!("SKIPPED: there are no traces in {}", shared.display());
        return;
    };
    let (mut same, mut states, mut too_large, mut differences) = (0, 0, Vec::new(), Vec::new());
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "gz"));
    paths.sort();
    for path in &paths {
        let name = path.file_name().unwrap().to_string_lossy().replace(".jsonl.gz", "");
        let text = fs::read(shared.join("games").join(format!("{name}.kif"))).unwrap();
        let game = read(&text, &Options::default()).game.expect("a valid description");
        let mut options = GroundOptions::default();
        (options.limits.rules, options.limits.atoms) = (60_000, 200_000);
        let start = std::time::Instant::now();
        let Ok(ground) = ground(&game, &options) else {
            too_large.push(name);
            continue;
        };
        let mut player = Player::new(&ground).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut agrees = true;
        for recorded in matches(File::open(path).unwrap()) {
            let result = replay(&mut player, &recorded.unwrap());
            states += result.states;
            if let Outcome::Differs(words) = result.outcome {
                agrees = false;
                if !JUDGED.contains(&name.as_str()) {
                    differences.push(format!("{name}: {words}"));
                }
            }
        }
        if start.elapsed().as_secs_f64() > 1.0 {
            eprintln!("SLOW {name} {:?}", start.elapsed());
        }
        same += usize::from(agrees);
    }
    println!("{} games: {same} agree in full, {states} states; past the limits: {too_large:?}", paths.len());
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(same * 10 >= paths.len() * 7, "too few games are compared: {same} of {}", paths.len());
}
