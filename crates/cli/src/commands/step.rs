//! `groundrules step GAME`: steps through a match interactively, or by commands from a pipe.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::engine::{Choice, at_once, set_up};
use crate::game::{self, Loaded};
use crate::output::printable;
use crate::session::{Session, View, converse};

/// Play a match step by step: see the state and the legal moves, make moves, take them back.
///
/// Moves are given by their numbers or as KIF, one for each role that has a choice, in the order of the roles. Commands
/// may also come from a pipe. Type `help` for the commands.
///
/// With --as you play one role, the others move at random, and in a game with hidden information you see only what the role sees.
#[derive(clap::Args)]
#[command(after_help = "\
Give moves by their numbers or as KIF, one for each role that has a choice. Type `help` for the commands.

Examples:
  groundrules step tic-tac-toe
  groundrules step kuhn-poker --as elder
  echo 'random 5' | groundrules step connect-four")]
pub(crate) struct Arguments {
    /// A file or a name of the library.
    game: PathBuf,
    /// Play one role, and see what it sees; the others move at random.
    #[arg(long = "as", value_name = "ROLE")]
    role: Option<String>,
    #[command(flatten)]
    engine: Choice,
    /// The seed of random moves.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    if arguments.game.as_os_str() == "-" {
        bail!("standard input is for the commands: give a file or a name of the library");
    }
    let source = game::source(&arguments.game)?;
    let Some(Loaded { name, game, .. }) = game::load(&source)? else { return Ok(ExitCode::from(1)) };
    let instead = match arguments.role {
        None => "the whole state is shown; --as ROLE shows what a role sees",
        Some(_) => "you are shown your percepts and moves only",
    };
    game::warn_of_hidden_information(&game, instead);
    let compiled = arguments.engine.compile(game)?;
    let machine = set_up(|| at_once(&compiled, arguments.engine.engine))?;
    let roles = machine.roles().clone();
    let session = Session::new(compiled.clone(), machine, arguments.seed);
    let name = printable(&name);
    match &arguments.role {
        None => converse(session, &format!("{name}:"))?,
        Some(role) => {
            let view = View::of(&compiled, &roles, role)?;
            let greeting = format!("{name}: you are {};", printable(&roles[view.role]));
            converse(session.for_one(view, None), &greeting)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
