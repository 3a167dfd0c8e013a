//! `groundrules step GAME`: steps through a match interactively, or by commands from a pipe.

mod command;
mod session;

use std::io::{BufRead, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use groundrules_machine::engines::{Engine, EngineError};
use groundrules_machine::{Compiled, Machine};

use crate::engine::{Choice, set_up};
use crate::game::{self, Loaded};
use crate::output;
use crate::show::Show;
use command::Command;
use session::Session;

/// Play a match step by step: see the state and the legal moves, make moves, take them back.
///
/// Moves are given by their numbers or as KIF, one for each role that has a choice, in the order of the roles. Commands
/// may also come from a pipe. Type `help` for the commands.
#[derive(clap::Args)]
#[command(after_help = "\
Moves are given by their numbers or as KIF, one for each role that has a choice. Type `help` for the commands.

Examples:
  groundrules step tic-tac-toe
  echo 'random 5' | groundrules step connect-four")]
pub(crate) struct Arguments {
    /// A file or a name of the library.
    game: PathBuf,
    #[command(flatten)]
    engine: Choice,
    /// The seed of random moves.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
}

const HELP: &str = "\
  3            make the third move (of the one role that has a choice)
  2 5          make these moves, one for each role that has a choice
  (mark 1 1)   the same with the move written out
  undo [n]     take back the last move, or the last n
  random [n]   make a random move for every role, or n of them
  state        show the state again
  legal        list the legal moves again
  goals        show the goal values here
  reset        go back to the beginning
  help         show this
  quit         end
";

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    if arguments.game.as_os_str() == "-" {
        bail!("standard input is for the commands: give a file or a name of the library");
    }
    let source = game::source(&arguments.game)?;
    let Some(Loaded { name, game, .. }) = game::load(&source)? else { return Ok(ExitCode::from(1)) };
    let compiled = arguments.engine.compile(game)?;
    let machine = set_up(|| at_once(&compiled, arguments.engine.engine))?;
    let show = Show::of(compiled.game());
    let mut session = Session::new(machine, show, arguments.seed);
    let interactive = std::io::stdin().is_terminal();
    output::print(&format!("{name}: type `help` for the commands\n\n{}", session.show()))?;
    let mut input = std::io::stdin().lock();
    loop {
        prompt()?;
        let mut line = Vec::new();
        if input.read_until(b'\n', &mut line)? == 0 {
            output::print("\n")?;
            return Ok(ExitCode::SUCCESS);
        }
        let line = String::from_utf8_lossy(&line);
        if !interactive {
            // What a terminal shows because it was typed there.
            output::print(&format!("{}\n", output::printable(line.trim_end())))?;
        }
        match answer(&mut session, &line) {
            Some(text) => output::print(&text)?,
            None => return Ok(ExitCode::SUCCESS),
        }
    }
}

/// A machine to step with. Nobody steps faster than the rules are interpreted, so unless an engine is named, nothing is
/// built.
fn at_once(compiled: &Compiled, engine: Engine) -> Result<Box<dyn Machine>, EngineError> {
    if engine != Engine::default() {
        return compiled.machine();
    }
    compiled.on(Engine::Tree).machine().or_else(|_| compiled.machine())
}

fn prompt() -> Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(b"> ")?;
    out.flush()?;
    Ok(())
}

/// What to say to a line; nothing when it ends the session.
fn answer(session: &mut Session, line: &str) -> Option<String> {
    let command = match Command::read(line) {
        Ok(command) => command,
        Err(error) => return Some(format!("{error}\n")),
    };
    let done = match command {
        Command::Nothing => return Some(String::new()),
        Command::Quit => return None,
        Command::Help => return Some(HELP.to_owned()),
        Command::State => return Some(session.state()),
        Command::Legal => session.legal(),
        Command::Goals => session.goals(),
        Command::Reset => {
            session.reset();
            Ok(session.show())
        }
        Command::Undo(count) => session.undo(count),
        Command::Random(count) => session.random(count),
        Command::Moves(terms) => session.make(&terms),
    };
    Some(done.unwrap_or_else(|error| format!("{error}\n")))
}
