//! Parses the lines of a session: each is a command, or moves.

use anyhow::{Result, bail};

/// What a line asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Command {
    Nothing,
    Quit,
    Help,
    State,
    Legal,
    Hint,
    Goals,
    Reset,
    Undo(usize),
    Random(usize),
    /// Moves: numbers or KIF.
    Moves(Vec<String>),
}

impl Command {
    /// Reads a line.
    pub(super) fn read(line: &str) -> Result<Command> {
        let terms = terms(line)?;
        let words: Vec<&str> = terms.iter().map(String::as_str).collect();
        let Some((&first, rest)) = words.split_first() else { return Ok(Command::Nothing) };
        let command = match (first.to_lowercase().as_str(), rest) {
            ("quit" | "exit" | "q", []) => Command::Quit,
            ("help" | "h" | "?", []) => Command::Help,
            ("state" | "s", []) => Command::State,
            ("legal" | "moves" | "l", []) => Command::Legal,
            ("hint", []) => Command::Hint,
            ("goals" | "goal" | "g", []) => Command::Goals,
            ("reset", []) => Command::Reset,
            ("undo" | "u", rest) => Command::Undo(count(first, rest)?),
            ("random" | "r", rest) => Command::Random(count(first, rest)?),
            _ => Command::Moves(terms),
        };
        Ok(command)
    }
}

/// How often; once if nothing is said.
fn count(command: &str, rest: &[&str]) -> Result<usize> {
    match rest {
        [] => Ok(1),
        [number] => match number.parse() {
            Ok(count) => Ok(count),
            Err(_) => bail!("`{command} {number}`: how often is a number"),
        },
        _ => bail!("`{command}` takes one number"),
    }
}

/// The terms of a line: words, and lists in parentheses.
fn terms(line: &str) -> Result<Vec<String>> {
    let mut terms = Vec::new();
    let (mut term, mut depth) = (String::new(), 0_usize);
    for c in line.chars() {
        match c {
            '(' => {
                if depth == 0 && !term.is_empty() {
                    terms.push(std::mem::take(&mut term));
                }
                depth += 1;
                term.push(c);
            }
            ')' => {
                let Some(outer) = depth.checked_sub(1) else { bail!("there is a `)` without its `(`") };
                depth = outer;
                term.push(c);
                if depth == 0 {
                    terms.push(std::mem::take(&mut term));
                }
            }
            c if c.is_whitespace() || c.is_control() => {
                if depth > 0 {
                    term.push(' ');
                } else if !term.is_empty() {
                    terms.push(std::mem::take(&mut term));
                }
            }
            c => term.push(c),
        }
    }
    if depth > 0 {
        bail!("a `)` is missing");
    }
    terms.extend(Some(term).filter(|term| !term.is_empty()));
    Ok(terms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_commands_or_moves() {
        assert_eq!(Command::read("  \n").unwrap(), Command::Nothing);
        assert_eq!(Command::read("Undo 3").unwrap(), Command::Undo(3));
        assert_eq!(Command::read("r").unwrap(), Command::Random(1));
        let moves = |texts: &[&str]| Command::Moves(texts.iter().map(|&text| text.to_owned()).collect());
        assert_eq!(Command::read("3 noop\n").unwrap(), moves(&["3", "noop"]));
        assert_eq!(Command::read("2(mark (s 1) 1)noop").unwrap(), moves(&["2", "(mark (s 1) 1)", "noop"]));
        assert_eq!(Command::read("quit now").unwrap(), moves(&["quit", "now"]));
    }

    #[test]
    fn what_is_wrong_is_told() {
        for line in ["undo x", "random 1 2", "(a", "a)", "random -1"] {
            assert!(Command::read(line).is_err(), "{line}");
        }
    }
}
