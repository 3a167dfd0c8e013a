//! Builds the network of a description and prints its size after each pass of simplification, and under the assumption of
//! each turn: `cargo run --release -p groundrules-net --example sizes -- games/tic-tac-toe.kif`.

use groundrules_net::{Network, Options, simplify, specialise, turns};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which description?")?;
    let checked = groundrules_gdl::read(&std::fs::read(&path)?, &groundrules_gdl::Options::default());
    let game = checked.game.ok_or("it is not GDL")?;
    let ground = groundrules_ground::ground(&game, &groundrules_ground::Options::default())?;
    let options = Options::default();
    let (network, effects) = simplify(&Network::of(&ground)?, &options);
    for effect in effects {
        println!("{}: {} gates, {} operands", effect.pass, effect.gates, effect.operands);
    }
    for turn in turns(&ground, &network).into_iter().flatten() {
        let smaller = specialise(&network, &[(turn, true)], &options);
        println!("with {}: {} gates", ground.term(ground.fluents[turn]), smaller.gate_count());
    }
    Ok(())
}
