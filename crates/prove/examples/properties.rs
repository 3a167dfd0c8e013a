//! Proves or refutes the properties of a description: `cargo run -p groundrules-prove --example properties [FILE]`.

use std::sync::Arc;

use groundrules_prove::{Claim, Options, Subject, prove};

/// A counter from 0 to 2 that a single player moves up.
const COUNTER: &str = "(role you) (init (n 0)) (succ 0 1) (succ 1 2)
    (<= (legal you up) (true (n ?x)) (succ ?x ?y))
    (<= (next (n ?y)) (does you up) (true (n ?x)) (succ ?x ?y))
    (<= terminal (true (n 2)))
    (<= (goal you 100) (true (n 2)))
    (<= (goal you 0) (not (true (n 2))))";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let text = match std::env::args().nth(1) {
        Some(path) => std::fs::read(path)?,
        None => COUNTER.as_bytes().to_vec(),
    };
    let checked = groundrules_gdl::read(&text, &groundrules_gdl::Options::default());
    let game = checked.game.ok_or("the text is not GDL")?;
    let ground = groundrules_ground::ground(&game, &groundrules_ground::Options::default())?;
    let subject = Subject::new(&game, Arc::new(ground))?;
    for verdict in prove(&subject, &Claim::PROPERTIES, &[], &Options::default()) {
        let outcome = match verdict.holds() {
            Some(true) => "holds",
            Some(false) => "fails",
            None => "is open",
        };
        println!("{} {outcome}", verdict.claim);
    }
    Ok(())
}
