//! The program `groundrules`: arguments in, text or JSON out. Each subcommand is one file in `commands`, and `bench` a
//! crate of its own. What commands share is in `groundrules_command` and, where it concerns flags of this program alone,
//! in the modules here. Everything else is done by the library.
//!
//! Exit codes: 0 when all is well, 1 when a description is at fault or a check says no, 2 when the command itself could
//! not be carried out.

mod commands;
mod engine;
#[cfg(test)]
mod examples;
mod exploration;
mod player;
mod prompt;
mod service;
mod session;
mod show;
mod syntax;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use groundrules_command::{cache, game, output, processes, render};

use commands::Command;

/// Reads, checks, formats, grounds and plays games written in GDL, the Game Description Language.
#[derive(Parser)]
#[command(name = "groundrules", version = VERSION, max_term_width = 100, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// When to use colours.
    #[arg(long, global = true, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    color: Colour,
    /// Set up games without reading or writing the cache.
    #[arg(long, global = true)]
    no_cache: bool,
}

/// The version, with the commit where it is known.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), env!("GROUNDRULES_COMMIT"));

const EXAMPLES: &str = "\
Examples:
  groundrules new mygame                  write a small annotated game to start from
  groundrules check connect-four          check a game of the library
  groundrules check mygame.kif            check a file: every mistake, with its place and a remedy
  groundrules check games/                check a folder and print a summary
  groundrules fmt --check games/          is every file in canonical layout?
  groundrules explain G301                what a diagnostic means, with a wrong and a right example
  groundrules games                       list the games of the library
  groundrules ground connect-four         the size of the game without variables
  groundrules run connect-four            random playouts: how fast, how long, who wins
  groundrules step tic-tac-toe            a match, move by move
  groundrules play connect-four --as red  a match against the search
  groundrules match reversi --player mcts --player greedy   players against each other
  groundrules verify tic-tac-toe          explore all states, decide every property
  groundrules solve tic-tac-toe           the value of the initial state
  groundrules replay t.jsonl --game g.kif  recorded matches, compared state by state
  groundrules serve                       serve a player to hosts over the network
  groundrules host nim --player mcts --player http://localhost:9147
  groundrules tm busy-beaver-3 --run 20   run a Turing machine; without --run, write it as a game";

#[derive(Clone, Copy, ValueEnum)]
enum Colour {
    Auto,
    Always,
    Never,
}

/// Runs the program with these words, the first of which is its name, and gives its exit code.
pub fn run(words: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments = match Arguments::try_parse_from(words) {
        Ok(arguments) => arguments,
        Err(error) => {
            // What cannot be printed is lost; the exit code tells.
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(USAGE);
        }
    };
    match arguments.color {
        Colour::Auto => {}
        Colour::Always => anstream::ColorChoice::Always.write_global(),
        Colour::Never => anstream::ColorChoice::Never.write_global(),
    }
    if arguments.no_cache {
        cache::turn_off();
    }
    match commands::run(&arguments.command) {
        Ok(code) => number(code),
        // The reader of our output has gone away: not a fault worth a message.
        Err(error) if is_broken_pipe(&error) => 0,
        Err(error) => {
            anstream::eprintln!("groundrules: {}", output::message(&error));
            USAGE
        }
    }
}

/// The exit code when the command itself could not be carried out.
const USAGE: u8 = 2;

/// The number of an exit code, which the standard library keeps to itself.
fn number(code: ExitCode) -> u8 {
    (0..=u8::MAX).find(|&number| ExitCode::from(number) == code).unwrap_or(USAGE)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let is_pipe = |cause: &std::io::Error| cause.kind() == std::io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref::<std::io::Error>().is_some_and(is_pipe))
}
