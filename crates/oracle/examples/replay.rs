//! Replays a recorded match file against the oracle and tells what it cost:
//! `cargo run -p groundrules-oracle --example replay -- GAME.kif TRACE.jsonl.gz [STEPS]`

use std::error::Error;
use std::fs::{self, File};
use std::time::Instant;

use groundrules_gdl::trace::{matches, replay};
use groundrules_gdl::{Options, read};
use groundrules_oracle::{Budget, Oracle};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [game, recorded, rest @ ..] = &arguments[..] else {
        return Err("GAME.kif TRACE.jsonl.gz [STEPS]".into());
    };
    let steps = rest.first().map_or(Ok(u64::MAX), |steps| steps.parse())?;
    let checked = read(&fs::read(game)?, &Options { lenient: true, ..Options::default() });
    let game = checked.game.ok_or("not GDL")?;
    let start = Instant::now();
    let mut oracle = Oracle::new(&game, Budget::steps(steps))?;
    println!("static: {} steps, {:.3} s", oracle.steps_taken(), start.elapsed().as_secs_f64());
    for recorded in matches(File::open(recorded)?) {
        let result = replay(&mut oracle, &recorded?);
        let (steps, seconds) = (oracle.steps_taken(), start.elapsed().as_secs_f64());
        println!("{} states, {:?}; {steps} steps, {seconds:.3} s so far", result.states, result.outcome);
    }
    Ok(())
}
