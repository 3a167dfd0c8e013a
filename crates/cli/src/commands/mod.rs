//! The subcommands, one file each.

mod analyse;
mod check;
mod completions;
mod explain;
mod fmt;
mod games;
mod ground;
mod host;
mod lsp;
mod man;
mod matches;
mod net;
mod new;
mod perft;
mod play;
mod prove;
mod replay;
mod run;
mod serve;
mod solve;
mod step;
mod studio;
mod tm;
mod tournament;
mod verify;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

/// What the program can be asked to do.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Write a small annotated game to start from
    New(new::Arguments),
    /// Check descriptions: mistakes, verdict, figures
    Check(check::Arguments),
    /// Format descriptions, or convert infix syntax to KIF
    Fmt(fmt::Arguments),
    /// Explain a diagnostic code
    Explain(explain::Arguments),
    /// List the games of the library; describe or print one of them
    Games(games::Arguments),
    /// Ground a game: fluents, moves, rules without variables
    Ground(ground::Arguments),
    /// Build the network of a game: gates over fluents and moves
    Net(net::Arguments),
    /// Analyse a game: symmetries, subgames, turns, clocks, latches, boards
    Analyse(analyse::Arguments),
    /// Play random matches: how fast the game runs, what each role scores
    Run(run::Arguments),
    /// Play a game in the terminal against a player
    Play(play::Arguments),
    /// Play matches between players: how often each wins
    Match(matches::Arguments),
    /// Replay recorded matches and compare every state and move
    Replay(replay::Arguments),
    /// Play a match step by step
    Step(step::Arguments),
    /// Verify a game: explore its states, decide every property
    Verify(verify::Arguments),
    /// Prove properties of a game of any size without visiting its states
    Prove(prove::Arguments),
    /// Solve a game: exact values of the initial state
    Solve(solve::Arguments),
    /// Count sequences of joint moves, and states, by depth
    Perft(perft::Arguments),
    /// Serve a player to hosts over the network
    Serve(serve::Arguments),
    /// Host matches over the protocol, between local and remote players
    Host(host::Arguments),
    /// Play a tournament: a round robin over games and players, with ratings
    Tournament(tournament::Arguments),
    /// Open the studio: edit, play, search and inspect games in a browser
    Studio(studio::Arguments),
    /// Run the language server for editors
    Lsp(lsp::Arguments),
    /// Write a Turing machine as a game, or run it
    Tm(tm::Arguments),
    /// Run benchmarks of this program
    Bench(groundrules_bench::Arguments),
    /// Write a completion script for a shell
    Completions(completions::Arguments),
    /// Write the manual pages
    Man(man::Arguments),
}

/// Carries a command out.
pub(crate) fn run(command: &Command) -> Result<ExitCode> {
    match command {
        Command::New(arguments) => new::run(arguments),
        Command::Check(arguments) => check::run(arguments),
        Command::Fmt(arguments) => fmt::run(arguments),
        Command::Explain(arguments) => explain::run(arguments),
        Command::Games(arguments) => games::run(arguments),
        Command::Ground(arguments) => ground::run(arguments),
        Command::Net(arguments) => net::run(arguments),
        Command::Analyse(arguments) => analyse::run(arguments),
        Command::Play(arguments) => play::run(arguments),
        Command::Lsp(arguments) => lsp::run(arguments),
        Command::Match(arguments) => matches::run(arguments),
        Command::Run(arguments) => run::run(arguments),
        Command::Replay(arguments) => replay::run(arguments),
        Command::Step(arguments) => step::run(arguments),
        Command::Host(arguments) => host::run(arguments),
        Command::Prove(arguments) => prove::run(arguments),
        Command::Perft(arguments) => perft::run(arguments),
        Command::Serve(arguments) => serve::run(arguments),
        Command::Solve(arguments) => solve::run(arguments),
        Command::Studio(arguments) => studio::run(arguments),
        Command::Tournament(arguments) => tournament::run(arguments),
        Command::Verify(arguments) => verify::run(arguments),
        Command::Tm(arguments) => tm::run(arguments),
        Command::Bench(arguments) => groundrules_bench::run(arguments),
        Command::Completions(arguments) => completions::run(arguments),
        Command::Man(arguments) => man::run(arguments),
    }
}
