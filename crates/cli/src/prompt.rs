//! The lines that a person types: with editing and history on a terminal, as they come from a pipe.

use std::io::{BufRead, IsTerminal, Write};

use anyhow::Result;
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

use crate::output;

/// Where lines come from.
pub(crate) enum Prompt {
    Terminal(Box<DefaultEditor>),
    Pipe,
}

impl Prompt {
    /// The terminal if there is one at both ends, else standard input as it is.
    pub(crate) fn new() -> Self {
        let is_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        match is_terminal.then(DefaultEditor::new) {
            Some(Ok(editor)) => Prompt::Terminal(Box::new(editor)),
            _ => Prompt::Pipe,
        }
    }

    /// The next line; nothing at the end of the input, or when the person interrupts.
    pub(crate) fn line(&mut self) -> Result<Option<String>> {
        match self {
            Prompt::Terminal(editor) => match editor.readline("> ") {
                Ok(line) => {
                    // A line that is not remembered is still a line.
                    let _ = editor.add_history_entry(line.trim());
                    Ok(Some(line))
                }
                Err(ReadlineError::Eof | ReadlineError::Interrupted) => Ok(None),
                Err(error) => Err(error.into()),
            },
            Prompt::Pipe => piped(),
        }
    }

    /// What is printed before a state, so that boards stay in their place on a terminal.
    pub(crate) fn clear(&self) -> &'static str {
        match self {
            Prompt::Terminal(_) if std::env::var_os("TERM").is_some_and(|term| term != "dumb") => {
                "\x1b[H\x1b[2J"
            }
            _ => "",
        }
    }
}

fn piped() -> Result<Option<String>> {
    let mut out = anstream::stdout().lock();
    out.write_all(b"> ")?;
    out.flush()?;
    drop(out);
    let mut line = Vec::new();
    if std::io::stdin().lock().read_until(b'\n', &mut line)? == 0 {
        output::print("\n")?;
        return Ok(None);
    }
    let line = String::from_utf8_lossy(&line).into_owned();
    // What a terminal shows because it was typed there.
    output::print(&format!("{}\n", output::printable(line.trim_end())))?;
    Ok(Some(line))
}
