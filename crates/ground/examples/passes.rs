//! Grounds a description and prints what each optimisation is worth, in ground rules:
//! `cargo run --release -p groundrules-ground --example passes -- games/tic-tac-toe.kif`.

use groundrules_ground::{Options, Switch, Switches, ground};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which description?")?;
    let checked = groundrules_gdl::read(&std::fs::read(&path)?, &groundrules_gdl::Options::default());
    let game = checked.game.ok_or("it is not GDL")?;
    let rules = |switches: Switches| {
        ground(&game, &Options { switches, ..Options::default() }).map(|grounded| grounded.rules().len())
    };
    println!("{path}: {} ground rules", rules(Switches::default())?);
    for switch in Switch::all() {
        let without = rules(Switches::default().without(switch))?;
        println!("  without {}: {without} ({})", switch.name(), switch.about());
    }
    Ok(())
}
