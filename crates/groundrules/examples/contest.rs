//! A match between the player `mcts` and a random one, with every joint move:
//! `cargo run --release -p groundrules --example contest -- connect-four`.

use std::time::Duration;

use groundrules::prelude::*;
use groundrules::search::players::{Mcts, Random};
use groundrules::search::referee::{Clocks, Seated, play};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let word = std::env::args().nth(1).unwrap_or_else(|| "tic-tac-toe".to_owned());
    let game = load(&word)?.compile();
    let settings = Settings::default();
    let first = Seat::new(&game, 0, &settings)?;
    let mut seated = Vec::new();
    for role in 0..first.roles().len() {
        let player: Box<dyn Player> =
            if role == 0 { Box::new(Mcts::new(&settings)) } else { Box::new(Random::new(&settings)) };
        seated.push(Seated { seat: first.another(role)?, player });
    }
    let second = Some(Duration::from_millis(100));
    let clocks = Clocks { start: second, play: second, max_steps: 1000, ..Clocks::default() };
    let ending = play(&mut seated, &clocks, &mut |_, joint| println!("{}", joint.join("  ")))?;
    for (role, goal) in first.roles().iter().zip(&ending.goals) {
        println!("{role}: {}", goal.map_or_else(|| "no goal".to_owned(), |goal| goal.to_string()));
    }
    Ok(())
}
