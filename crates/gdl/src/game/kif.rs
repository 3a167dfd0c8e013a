//! Writes a game as KIF: one rule per line, with the names of the description. Reading the output gives the
//! same game.

use std::fmt::{self, Write};

use super::{Atom, Formula, Game, Literal, Rule, Test};
use crate::term::TermId;

/// A part of a game that can be written as KIF.
pub struct Kif<'game, Part: ?Sized> {
    game: &'game Game,
    part: &'game Part,
}

impl Game {
    /// A rule, atom, literal, formula or term as KIF, for `{}`.
    pub fn kif<'game, Part: ?Sized>(&'game self, part: &'game Part) -> Kif<'game, Part> {
        Kif { game: self, part }
    }

    /// The whole game as KIF.
    pub fn to_kif(&self) -> String {
        let mut text = String::new();
        for rule in self.rules() {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{}", self.kif(rule));
        }
        text
    }
}

impl fmt::Display for Kif<'_, TermId> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.game.terms().write_kif(*self.part, self.game.symbols(), f)
    }
}

impl fmt::Display for Kif<'_, Atom> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.game.relation_name(self.part.relation);
        if self.part.arguments.is_empty() {
            return f.write_str(name);
        }
        write!(f, "({name}")?;
        for argument in &self.part.arguments {
            write!(f, " {}", self.game.kif(argument))?;
        }
        f.write_char(')')
    }
}

impl fmt::Display for Kif<'_, Literal> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.part.test, self.part.positive) {
            (Test::Atom(atom), true) => write!(f, "{}", self.game.kif(atom)),
            (Test::Atom(atom), false) => write!(f, "(not {})", self.game.kif(atom)),
            (Test::Equal([left, right]), positive) => {
                let (open, close) = if positive { ("(not ", ")") } else { ("", "") };
                write!(f, "{open}(distinct {} {}){close}", self.game.kif(left), self.game.kif(right))
            }
        }
    }
}

impl fmt::Display for Kif<'_, Formula> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, parts) = match self.part {
            Formula::Literal(literal) => return write!(f, "{}", self.game.kif(literal)),
            Formula::And(parts) => ("and", parts),
            Formula::Or(parts) => ("or", parts),
        };
        write!(f, "({word}")?;
        for part in parts {
            write!(f, " {}", self.game.kif(part))?;
        }
        f.write_char(')')
    }
}

impl fmt::Display for Kif<'_, Rule> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = self.game.kif(&self.part.head);
        if self.part.is_fact() {
            return write!(f, "{head}");
        }
        write!(f, "(<= {head}")?;
        for part in &self.part.body {
            write!(f, " {}", self.game.kif(part))?;
        }
        f.write_char(')')
    }
}
