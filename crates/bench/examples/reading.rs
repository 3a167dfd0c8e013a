//! Measures how fast descriptions are read, as `groundrules bench read` does:
//! `cargo run --release -p groundrules-bench --example reading -- tic-tac-toe`.

use clap::Parser;

/// The flags of the command.
#[derive(Parser)]
struct Program {
    #[command(flatten)]
    bench: groundrules_bench::Arguments,
}

fn main() -> anyhow::Result<()> {
    let words = std::env::args().skip(1);
    let program = Program::parse_from(["bench", "read"].map(String::from).into_iter().chain(words));
    groundrules_bench::run(&program.bench)?;
    Ok(())
}
