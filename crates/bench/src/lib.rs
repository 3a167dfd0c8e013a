//! The command `groundrules bench WHAT`: how fast each part of the program is. Machines differ and are shared, so every
//! figure comes with a yardstick that is measured in the same run: gringo, SWI-Prolog, programs written by hand, a plain
//! pass over the bytes.
//!
//! Each benchmark is a module with its flags and a function `run`: `read`, `ground`, `interpret`, `lsp`, `run`, `lanes`,
//! `play`, `tune`, `prove` and `verify`. They share child processes with limits (`child`), a `journal` of what is done, `statistics`,
//! `tables`, and plots (`chart`, `bars`).
//! Benchmarks that measure processes run the program that they are part of, with its commands.
//!
//! ```no_run
//! use clap::Parser;
//!
//! #[derive(Parser)]
//! struct Program {
//!     #[command(flatten)]
//!     bench: groundrules_bench::Arguments,
//! }
//!
//! let program = Program::parse_from(["bench", "read", "tic-tac-toe"]);
//! groundrules_bench::run(&program.bench)?;
//! # Ok::<(), anyhow::Error>(())
//! ```

mod bars;
mod chart;
mod child;
mod ground;
mod interpret;
mod journal;
mod lanes;
mod lsp;
mod play;
mod prove;
mod read;
mod run;
mod statistics;
mod tables;
mod tune;
mod verify;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use groundrules::library;
use groundrules::source::{Source, resolve};

/// Run benchmarks of this program.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  groundrules bench read                       on the games of the library
  groundrules bench read games/ --json
  groundrules bench ground --runs 5            every method, compared with gringo
  groundrules bench ground games/ --plots out/ with plots
  groundrules bench interpret games/           playing by the rules, compared with SWI-Prolog
  groundrules bench lsp                        how long an editor waits after a key press
  groundrules bench run games/                 every engine, compared with hand-written programs
  groundrules bench lanes games/               what lanes gain, compared with other programs
  groundrules bench play                       how fast the player mcts searches, by engine
  groundrules bench tune --ablation            the effect of each part of the player mcts
  groundrules bench prove games/               verdicts on every property, compared with ABC
  groundrules bench verify                     exploring: states per second, bytes per state")]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Reading and checking, compared with a plain pass over the bytes
    Read(read::Arguments),
    /// Grounding by every method, compared with gringo
    Ground(ground::Arguments),
    /// Interpreting the rules, compared with SWI-Prolog
    Interpret(interpret::Arguments),
    /// How long an editor waits for the language server
    Lsp(lsp::Arguments),
    /// Playing by every engine, compared with hand-written programs
    Run(run::Arguments),
    /// What lanes gain, game by game, compared with other programs and with the processor
    Lanes(lanes::Arguments),
    /// Searching by every engine: simulations per move and second
    Play(play::Arguments),
    /// Two ways to search, match by match, until one is shown to be stronger
    Tune(tune::Arguments),
    /// Verdicts on every property, compared with Berkeley's ABC
    Prove(prove::Arguments),
    /// Exploring all states: how fast, and how much memory
    Verify(verify::Arguments),
}

/// The games to measure: those that are given, or the whole library.
fn sources(files: &[PathBuf]) -> Result<Vec<Source>> {
    if files.is_empty() {
        return Ok(library::games().map(|game| Source::Library(game.id)).collect());
    }
    let resolved = resolve(files);
    match resolved.errors.into_iter().next() {
        Some(error) => Err(error.into()),
        None => Ok(resolved.sources),
    }
}

/// Carries the command out.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    match &arguments.what {
        What::Read(arguments) => read::run(arguments),
        What::Ground(arguments) => ground::run(arguments),
        What::Interpret(arguments) => interpret::run(arguments),
        What::Lsp(arguments) => lsp::run(arguments),
        What::Run(arguments) => run::run(arguments),
        What::Lanes(arguments) => lanes::run(arguments),
        What::Play(arguments) => play::run(arguments),
        What::Tune(arguments) => tune::run(arguments),
        What::Prove(arguments) => prove::run(arguments),
        What::Verify(arguments) => verify::run(arguments),
    }
}

/// The games to measure with the names to show, in the order of the names.
fn games(files: &[PathBuf]) -> Result<Vec<(String, Source)>> {
    let mut sources = sources(files)?;
    if sources.contains(&Source::Stdin) {
        bail!("a bench reads its games more than once: give a file, not -");
    }
    sources.sort_by_cached_key(Source::name);
    sources.dedup();
    let mut games: Vec<_> = names(&sources).into_iter().zip(sources).collect();
    games.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(games)
}

/// Files are called by their names alone, unless two of them have the same.
fn names(sources: &[Source]) -> Vec<String> {
    let short: Vec<String> = sources.iter().map(short_name).collect();
    if short.iter().collect::<BTreeSet<_>>().len() == short.len() {
        return short;
    }
    sources.iter().map(Source::name).collect()
}

fn short_name(source: &Source) -> String {
    match source {
        Source::File(path) => {
            path.file_stem().map_or_else(|| source.name(), |stem| stem.to_string_lossy().into())
        }
        Source::Stdin | Source::Library(_) => source.name(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_sorted_and_called_by_their_short_names() {
        let sources = [Source::File("games/b.kif".into()), Source::Library("a")];
        assert_eq!(names(&sources), ["b", "a"]);
        let sources = [Source::File("x/a.kif".into()), Source::Library("a")];
        assert_eq!(names(&sources), ["x/a.kif", "a"]);
        let all = games(&[]).unwrap();
        assert!(all.is_sorted_by(|a, b| a.0 < b.0));
        let twice = games(&["tic-tac-toe".into(), "breakthrough".into(), "tic-tac-toe".into()]).unwrap();
        assert_eq!(twice.len(), 2);
    }

    #[test]
    fn standard_input_cannot_be_read_twice() {
        assert!(games(&["-".into()]).unwrap_err().to_string().contains("more than once"));
    }
}
