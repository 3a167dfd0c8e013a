//! Formulas about a state, as a user writes them: `not`, `and`, `or` over `(true F)`, `(legal R M)`, `(goal R V)` and `terminal`. They
//! become gates of the circuit.

use groundrules_gdl::canonical;
use groundrules_net::Literal;

use crate::invariants::words;
use crate::subject::{Memory, Subject};

/// How deep a formula may nest.
const DEEPEST: usize = 100;

/// Why a text is no formula about states of a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormulaError {
    /// It is not one expression.
    #[error("`{0}` is not one expression: check the parentheses")]
    NoExpression(String),
    /// Something in it is neither a connective nor an atom about a state.
    #[error(
        "`{0}` says nothing about a state: expected is (true F), (legal R M), (goal R V), terminal, or not, and, or of these"
    )]
    NoAtom(String),
    /// A connective has the wrong number of arguments.
    #[error("`not` has one argument: `{0}`")]
    Not(String),
    /// The ground game does not have it, so it never holds.
    #[error("{0} never holds: it is not in the ground game")]
    NeverHolds(String),
    /// It nests too deep.
    #[error("the formula nests deeper than {DEEPEST}")]
    TooDeep,
}

impl Subject {
    /// A literal that holds where a formula does.
    pub fn formula(&mut self, text: &str) -> Result<Literal, FormulaError> {
        let text = canonical(text).ok_or_else(|| FormulaError::NoExpression(text.to_owned()))?;
        self.compile(&text, 0)
    }

    /// A literal that holds at the end of a match in which a literal never held. A latch remembers whether it did.
    pub fn never_seen(&mut self, literal: Literal) -> Literal {
        let seen = self.circuit.latch();
        self.memories.push(Memory::Seen);
        let now = self.circuit.or(&[seen, literal]);
        self.circuit.set_next(seen, now);
        self.circuit.and(&[self.circuit.terminal, !now])
    }

    fn compile(&mut self, text: &str, depth: usize) -> Result<Literal, FormulaError> {
        if depth > DEEPEST {
            return Err(FormulaError::TooDeep);
        }
        let words = words(text);
        let arguments: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        match (words[0].as_str(), &arguments[..]) {
            ("not", [inner]) => Ok(!self.compile(inner, depth + 1)?),
            ("not", _) => Err(FormulaError::Not(text.to_owned())),
            ("and" | "or", arguments) => {
                let operands: Result<Vec<Literal>, _> =
                    arguments.iter().map(|inner| self.compile(inner, depth + 1)).collect();
                let operands = operands?;
                Ok(if words[0] == "and" { self.circuit.and(&operands) } else { self.circuit.or(&operands) })
            }
            ("true", [fluent]) => {
                self.fluent(fluent).ok_or_else(|| FormulaError::NeverHolds(text.to_owned()))
            }
            ("legal", [role, made]) => {
                self.legal(role, made).ok_or_else(|| FormulaError::NeverHolds(text.to_owned()))
            }
            ("goal", [role, value]) => {
                self.goal(role, value).ok_or_else(|| FormulaError::NeverHolds(text.to_owned()))
            }
            ("terminal", []) => Ok(self.circuit.terminal),
            _ => Err(FormulaError::NoAtom(text.to_owned())),
        }
    }

    fn fluent(&self, text: &str) -> Option<Literal> {
        let is_it = |&fluent: &usize| canonical(&self.latch_text(fluent)).as_deref() == Some(text);
        (0..self.ground.fluents.len()).find(is_it).map(|fluent| self.circuit.latch_literal(fluent))
    }

    fn legal(&self, role: &str, made: &str) -> Option<Literal> {
        let role = self.roles.find(role)?;
        let is_it = |&(_, &(own, term)): &(usize, &(usize, _))| {
            own == role && canonical(&self.ground.term(term)).as_deref() == Some(made)
        };
        let (number, _) = self.ground.moves.iter().enumerate().find(is_it)?;
        Some(self.circuit.legal[number])
    }

    fn goal(&self, role: &str, value: &str) -> Option<Literal> {
        let (role, value) = (self.roles.find(role)?, value.parse().ok()?);
        let goal = self.circuit.goals.iter().find(|goal| (goal.role, goal.value) == (role, value))?;
        Some(goal.literal)
    }
}
