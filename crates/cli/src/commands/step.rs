//! `groundrules step GAME`: steps through a match interactively, or by commands from a pipe.

mod command;
mod session;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use groundrules_machine::engines::{Engine, EngineError};
use groundrules_machine::{Compiled, Machine};

use crate::engine::{Choice, set_up};
use crate::game::{self, Loaded};
use crate::output;
use crate::prompt::Prompt;
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
  hint         search for a second, and tell what a player would do
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
    game::warn_of_hidden_information(&game, "the whole state is shown");
    let compiled = arguments.engine.compile(game)?;
    let machine = set_up(|| at_once(&compiled, arguments.engine.engine))?;
    let show = Show::of(compiled.game());
    let mut session = Session::new(machine, show, arguments.seed);
    let mut prompt = Prompt::new();
    output::print(&format!("{}{name}: type `help` for the commands\n\n{}", prompt.clear(), session.show()))?;
    while let Some(line) = prompt.line()? {
        match answer(&mut session, &compiled, &line) {
            Answer::Shown(text) => output::print(&format!("{}{text}", prompt.clear()))?,
            Answer::Said(text) => output::print(&text)?,
            Answer::End => break,
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What comes of a line.
enum Answer {
    /// A state, which is shown in the place of the one before.
    Shown(String),
    /// Anything else.
    Said(String),
    End,
}

/// A machine to step with. Nobody steps faster than the rules are interpreted, so unless an engine is named, nothing is
/// built.
fn at_once(compiled: &Compiled, engine: Engine) -> Result<Box<dyn Machine>, EngineError> {
    if engine != Engine::default() {
        return compiled.machine();
    }
    compiled.on(Engine::Tree).machine().or_else(|_| compiled.machine())
}

/// What to say to a line.
fn answer(session: &mut Session, compiled: &Compiled, line: &str) -> Answer {
    let command = match Command::read(line) {
        Ok(command) => command,
        Err(error) => return Answer::Said(format!("{error}\n")),
    };
    let done = match command {
        Command::Nothing => return Answer::Said(String::new()),
        Command::Quit => return Answer::End,
        Command::Help => return Answer::Said(HELP.to_owned()),
        Command::Hint => return said(session.hint(compiled)),
        Command::Legal => return said(session.legal()),
        Command::Goals => return said(session.goals()),
        Command::State => Ok(session.state()),
        Command::Reset => {
            session.reset();
            Ok(session.show())
        }
        Command::Undo(count) => session.undo(count),
        Command::Random(count) => session.random(count),
        Command::Moves(terms) => session.make(&terms),
    };
    match done {
        Ok(text) => Answer::Shown(text),
        Err(error) => Answer::Said(format!("{error}\n")),
    }
}

fn said(text: Result<String>) -> Answer {
    Answer::Said(text.unwrap_or_else(|error| format!("{error}\n")))
}
