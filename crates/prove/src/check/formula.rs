//! Formulas of certificates, read and judged apart from the search: as a literal over the clauses, and in a state of a line.

use groundrules_gdl::canonical;
use groundrules_ground::evaluator::View;
use groundrules_ground::ground_game::AtomKind;
use screwsat::solver::Lit;

use super::clauses::{Cnf, Frame};
use super::{Checker, Refusal};
use crate::invariants::words;

/// How deep a formula may nest.
const DEEPEST: usize = 100;

/// A formula about a state.
pub(super) enum Formula {
    Not(Box<Formula>),
    All(Vec<Formula>),
    Any(Vec<Formula>),
    Fluent(usize),
    Legal(usize),
    Goal(usize, i32),
    Terminal,
}

impl Checker<'_> {
    /// Reads a formula.
    pub(super) fn formula(&self, text: &str) -> Result<Formula, Refusal> {
        let own = canonical(text).ok_or_else(|| Refusal::Unknown(text.to_owned()))?;
        self.read(&own, 0)
    }

    fn read(&self, text: &str, depth: usize) -> Result<Formula, Refusal> {
        let unknown = || Refusal::Unknown(text.to_owned());
        let words = words(text);
        let arguments: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        if depth > DEEPEST {
            return Err(unknown());
        }
        let several = || -> Result<Vec<Formula>, Refusal> {
            arguments.iter().map(|inner| self.read(inner, depth + 1)).collect()
        };
        Ok(match (words[0].as_str(), &arguments[..]) {
            ("not", [inner]) => Formula::Not(Box::new(self.read(inner, depth + 1)?)),
            ("and", _) => Formula::All(several()?),
            ("or", _) => Formula::Any(several()?),
            ("true", [fluent]) => {
                let fluent = self.words.find(fluent)?;
                Formula::Fluent(Some(fluent).filter(|&it| it < self.rules.fluents()).ok_or_else(unknown)?)
            }
            ("legal", [role, made]) => {
                let role = self.roles.find(role).ok_or_else(unknown)?;
                let number = self.moves().get(&(role, (*made).to_owned())).copied();
                Formula::Legal(number.ok_or_else(unknown)?)
            }
            ("goal", [role, value]) => {
                let role = self.roles.find(role).ok_or_else(unknown)?;
                Formula::Goal(role, value.parse().map_err(|_| unknown())?)
            }
            ("terminal", []) => Formula::Terminal,
            _ => return Err(unknown()),
        })
    }

    /// What says that a formula holds.
    pub(super) fn says(&self, cnf: &mut Cnf, frame: &Frame, latches: &[Lit], formula: &Formula) -> Lit {
        match formula {
            Formula::Not(inner) => !self.says(cnf, frame, latches, inner),
            Formula::All(inner) => {
                let inner = inner.iter().map(|one| self.says(cnf, frame, latches, one)).collect();
                cnf.and(inner)
            }
            Formula::Any(inner) => {
                let inner = inner.iter().map(|one| self.says(cnf, frame, latches, one)).collect();
                cnf.or(inner)
            }
            Formula::Fluent(fluent) => latches[*fluent],
            Formula::Legal(made) => self.rules.atom(frame, AtomKind::Legal(*made)),
            Formula::Goal(role, value) => {
                let goals = self.rules.goals(frame, *role).into_iter().filter(|goal| goal.0 == *value);
                let goals = goals.map(|goal| goal.1).collect();
                cnf.or(goals)
            }
            Formula::Terminal => self.rules.terminal(cnf, frame),
        }
    }

    /// Whether a formula holds in a state of a line.
    pub(super) fn is_true(&self, state: &[usize], view: &View, formula: &Formula) -> bool {
        match formula {
            Formula::Not(inner) => !self.is_true(state, view, inner),
            Formula::All(inner) => inner.iter().all(|one| self.is_true(state, view, one)),
            Formula::Any(inner) => inner.iter().any(|one| self.is_true(state, view, one)),
            Formula::Fluent(fluent) => state.contains(fluent),
            Formula::Legal(made) => view.legal.contains(made),
            Formula::Goal(role, value) => self.goals(view, *role).contains(value),
            Formula::Terminal => view.is_terminal,
        }
    }
}
