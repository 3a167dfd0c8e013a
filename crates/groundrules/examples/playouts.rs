//! Plays a game at random for a second on all processors and prints the mean goals:
//! `cargo run --release -p groundrules --example playouts -- connect-four`.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::thread::available_parallelism;
use std::time::Duration;

use groundrules::machine::run::{Options, Until, run};
use groundrules::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let word = std::env::args().nth(1).unwrap_or_else(|| "tic-tac-toe".to_owned());
    let game = load(&word)?.compile();
    let playouts = game.playouts()?;
    let threads = available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let until = Until::Time(Duration::from_secs(1));
    let options = Options { until, seed: 1, threads, max_steps: 10_000, cancel: Cancel::new() };
    let tally = run(&*playouts, &options, &mut |_| ControlFlow::Continue(()))?.tally;
    println!("{word}: {} playouts with the engine {}", tally.playouts, game.decision().engine.name());
    for (role, goals) in playouts.roles().iter().zip(&tally.goals) {
        match goals.moments().mean() {
            Some(mean) => println!("  {role}: mean goal {mean:.2}"),
            None => println!("  {role}: no playout gave it a goal"),
        }
    }
    Ok(())
}
