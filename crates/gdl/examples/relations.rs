//! Reads a description and prints its verdict, the relations with their arities, and the diagnostics:
//! `cargo run -p groundrules-gdl --example relations -- games/tic-tac-toe.kif`.

use groundrules_gdl::{Options, read};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which description?")?;
    let checked = read(&std::fs::read(&path)?, &Options::default());
    println!("{path}: {}", checked.verdict.words());
    for diagnostic in &checked.diagnostics {
        println!("  {}: {}", diagnostic.code.id, diagnostic.message);
    }
    let Some(game) = &checked.game else { return Ok(()) };
    for (relation, _) in game.relations() {
        let rules = game.rules_of(relation).count();
        if rules > 0 {
            println!("  {}: {rules} rules", game.relation_name(relation));
        }
    }
    Ok(())
}
