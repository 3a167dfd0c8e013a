//! A match that a person plays at the prompt, by lines typed or piped: what `step` and `play` share. `round.rs` has the match itself, `view.rs`
//! what the person may see of it, `command.rs` reads lines. Who moves for the other roles is left to the commands ([`Rivals`]).

mod command;
mod round;
mod view;

use anyhow::Result;

use crate::output;
use crate::prompt::Prompt;
use command::Command;
pub(crate) use round::Session;
pub(crate) use view::View;

/// Those who move for the roles that the person does not play. Moves are texts: each may have an engine of its own.
pub(crate) trait Rivals {
    /// A move of a role that has a choice, where the match stands.
    fn choose(&mut self, role: usize) -> Result<String>;

    /// The match goes on by a joint move.
    fn advance(&mut self, joint: &[String]) -> Result<()>;

    /// The match goes back to where it stood after these joint moves.
    fn rewind(&mut self, joints: &[Vec<String>]) -> Result<()>;

    /// What they found out about a role's last move, in one line; empty if there is nothing to tell.
    fn report(&self, role: usize) -> String;
}

const HELP: &str = "  3            make the third move (of the one role that has a choice)
  2 5          make these moves, one for each role that has a choice
  (mark 1 1)   the same with the move written out
";

const HELP_FOR_ONE: &str = "  3            make your third move
  (mark 1 1)   the same with the move written out
";

const COMMANDS: &str = "  undo [n]     take back the last move, or the last n
  random [n]   make a random move, or n of them
  hint         search for a second, and tell what a player would do
  state        show the state again
  legal        list the legal moves again
  goals        show the goal values here
  reset        go back to the beginning
  help         show this
  quit         end
";

/// Answers the person's lines until the input ends or the person leaves. The first thing shown is the greeting, which ends where more of the line follows, then the state.
pub(crate) fn converse(mut session: Session, greeting: &str) -> Result<()> {
    let mut prompt = Prompt::new();
    let first = session.begin()?;
    output::print(&format!("{}{greeting} type `help` for the commands\n\n{first}", prompt.clear()))?;
    while let Some(line) = prompt.line()? {
        match answer(&mut session, &line) {
            Answer::Shown(text) => output::print(&format!("{}{text}", prompt.clear()))?,
            Answer::Said(text) => output::print(&text)?,
            Answer::End => break,
        }
    }
    Ok(())
}

/// What comes of a line.
enum Answer {
    /// A state, which is shown in the place of the one before.
    Shown(String),
    /// Anything else.
    Said(String),
    End,
}

/// What to say to a line.
fn answer(session: &mut Session, line: &str) -> Answer {
    let command = match Command::read(line) {
        Ok(command) => command,
        Err(error) => return Answer::Said(format!("{error}\n")),
    };
    let done = match command {
        Command::Nothing => return Answer::Said(String::new()),
        Command::Quit => return Answer::End,
        Command::Help => {
            let moves = if session.is_for_one() { HELP_FOR_ONE } else { HELP };
            return Answer::Said(format!("{moves}{COMMANDS}"));
        }
        Command::Hint => return said(session.hint()),
        Command::Legal => return said(session.legal()),
        Command::Goals => return said(session.goals()),
        Command::State => Ok(session.state()),
        Command::Reset => session.reset(),
        Command::Undo(count) => session.undo(count),
        Command::Random(count) => session.random(count),
        Command::Moves(terms) => session.make(&terms),
    };
    match done {
        Ok(text) => Answer::Shown(text),
        Err(error) => Answer::Said(format!("{error:#}\n")),
    }
}

fn said(text: Result<String>) -> Answer {
    Answer::Said(text.unwrap_or_else(|error| format!("{error:#}\n")))
}
