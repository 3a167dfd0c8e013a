//! Solves a puzzle with the portfolio and prints the line, and what is proved about it:
//!
//! ```sh
//! cargo run --release -p groundrules-puzzle --example solve -- games/peg-solitaire.kif 10
//! ```

use std::time::Duration;

use groundrules_machine::Compiled;
use groundrules_puzzle::{Limits, Portfolio};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: solve FILE [SECONDS]")?;
    let seconds: u64 = arguments.next().map_or(Ok(10), |text| text.parse())?;
    let checked = groundrules_gdl::read(&std::fs::read(&path)?, &groundrules_gdl::Options::default());
    let compiled = Compiled::new(checked.game.ok_or("the description has errors")?);
    if compiled.roles().len() != 1 {
        return Err("a puzzle has one role".into());
    }
    let mut batch = compiled.batch()?;
    let start = batch.initial();
    let mut portfolio = Portfolio::new(&compiled.network()?, &mut *batch, &start, 1 << 28)?;
    let limits = Limits { time: Some(Duration::from_secs(seconds)), ..Limits::default() };
    let outcome = portfolio.solve(&mut *batch, &start, &limits, &mut |_| true)?;
    let Some(line) = outcome.line else {
        println!("no line to an end was found");
        return Ok(());
    };
    let proof = if outcome.is_proved { "proved" } else { "a lower bound" };
    println!("goal {} ({proof}), by {}", line.goal(), outcome.solver.unwrap_or("nobody"));
    for &made in line.moves() {
        println!("{}", compiled.move_text(made)?);
    }
    Ok(())
}
