//! Verifies a small game and solves it: `cargo run -p groundrules-explore --example verify_and_solve [FILE]`.

use std::num::NonZeroUsize;

use groundrules_explore::{Budget, Options, Outcome, Solution, move_texts, solve, verify};
use groundrules_machine::Compiled;

/// Two players take one or two of five matches in turn; the last match wins.
const MATCHES: &str = "
    (role first) (role second) (init (matches 5)) (init (turn first))
    (less 5 4) (less 4 3) (less 3 2) (less 2 1) (less 1 0)
    (other first second) (other second first)
    (<= (legal ?r one) (true (turn ?r)) (true (matches ?n)) (less ?n ?m))
    (<= (legal ?r two) (true (turn ?r)) (true (matches ?n)) (less ?n ?m) (less ?m ?l))
    (<= (legal ?r wait) (true (turn ?s)) (other ?r ?s))
    (<= (next (turn ?r)) (true (turn ?s)) (other ?r ?s))
    (<= (next (matches ?m)) (does ?r one) (true (matches ?n)) (less ?n ?m))
    (<= (next (matches ?l)) (does ?r two) (true (matches ?n)) (less ?n ?m) (less ?m ?l))
    (<= terminal (true (matches 0)))
    (<= (goal ?r 100) (true (turn ?s)) (other ?r ?s))
    (<= (goal ?r 0) (true (turn ?r)))";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let text = match std::env::args().nth(1) {
        Some(path) => std::fs::read(path)?,
        None => MATCHES.as_bytes().to_vec(),
    };
    let checked = groundrules_gdl::read(&text, &groundrules_gdl::Options::default());
    let game = checked.game.ok_or("the text is not GDL")?;
    let game = Compiled::new(game);
    let options = Options {
        threads: NonZeroUsize::MIN.saturating_add(1),
        budget: Budget { states: Some(1_000_000), ..Budget::default() },
        ..Options::default()
    };

    let found = verify(&game, &options)?;
    println!("{} states", found.explored.states());
    for verdict in &found.verdicts {
        let outcome = match verdict.outcome {
            Outcome::Holds => "holds",
            Outcome::Fails => "fails",
            Outcome::Open => "open",
        };
        println!("{:<19} {outcome} {}", verdict.property.name(), verdict.why);
    }

    let solution = solve(&game, &options)?.solution;
    println!("exact values: {}", solution.is_exact());
    if let Solution::Guaranteed(guarantees) = &solution {
        for (role, bounds) in game.roles().iter().zip(&guarantees.values) {
            let Some(lower) = bounds.and_then(|bounds| bounds.lower) else { continue };
            println!("{role} can guarantee {lower}");
        }
    }
    for joint in solution.line() {
        println!("  {}", move_texts(&game, joint)?.join(", "));
    }
    Ok(())
}
