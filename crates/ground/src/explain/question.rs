//! The atom that is asked about, read from a text with the reader of descriptions. Its names are those of the game, and
//! names that the game does not have are added behind them: then no rule fits, which is an answer too.

use groundrules_gdl::diagnostic::Diagnostics;
use groundrules_gdl::game::{Atom, RelationId};
use groundrules_gdl::keyword::Keyword;
use groundrules_gdl::symbol::{Symbol, Symbols};
use groundrules_gdl::syntax::{self, NodeId, Tree};
use groundrules_gdl::term::{Term, TermId, Terms};
use groundrules_gdl::{Game, Limits};

use crate::error::GroundError;

/// Why there is no explanation.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ExplainError {
    /// The text is no atom.
    #[error("`{text}` is not an atom: {why}; expected one such as `terminal` or `(true (cell 1 1 b))`")]
    NoAtom {
        /// The text, or its beginning.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// The atom has a variable.
    #[error(
        "`{text}` has the variable `{variable}`: only an atom without variables is in a ground game or not"
    )]
    Variable {
        /// The text, or its beginning.
        text: String,
        /// The variable.
        variable: String,
    },
    /// The game could not be grounded.
    #[error(transparent)]
    Ground(#[from] GroundError),
}

/// What is asked about.
pub(super) struct Question {
    /// The names of the game and of the question.
    pub(super) symbols: Symbols,
    /// The terms of the game, and behind them those of the question.
    pub(super) terms: Terms,
    pub(super) name: Symbol,
    relation: Option<RelationId>,
    pub(super) arguments: Vec<TermId>,
}

impl Question {
    /// Reads an atom.
    pub(super) fn read(game: &Game, text: &str) -> Result<Self, ExplainError> {
        let no_atom = |why: String| ExplainError::NoAtom { text: quoted(text), why };
        let mut diagnostics = Diagnostics::new(1);
        let tree = syntax::parse(text.as_bytes(), &Limits::default(), &mut diagnostics);
        if let Some(why) = diagnostics.first_error() {
            return Err(no_atom(why));
        }
        let form = match tree.forms() {
            [form] => *form,
            [] => return Err(no_atom(String::from("it is empty"))),
            forms => return Err(no_atom(format!("it is {} expressions, not one", forms.len()))),
        };
        let variable =
            tree.nodes().filter_map(|node| tree.word(node)).find(|&it| tree.symbols.is_variable(it));
        if let Some(variable) = variable {
            let variable = tree.symbols.spelling(variable).to_string();
            return Err(ExplainError::Variable { text: quoted(text), variable });
        }
        let (mut symbols, mut terms) = (game.symbols().clone(), game.terms().clone());
        let made = terms_of(&tree, &mut symbols, &mut terms);
        let (name, arguments) = match tree.children(form) {
            [] => (tree.word(form), &[][..]),
            [name, arguments @ ..] => (tree.word(*name), arguments),
        };
        let name = name.ok_or_else(|| no_atom(String::from("it begins with a list instead of a name")))?;
        let name = symbols.intern(tree.symbols.spelling(name));
        check_keyword(symbols.folded(name), arguments.len()).map_err(no_atom)?;
        let arguments: Option<Vec<TermId>> =
            arguments.iter().map(|argument| made[argument.index()]).collect();
        let arguments = arguments
            .ok_or_else(|| no_atom(String::from("a list in it begins with a list instead of a name")))?;
        let relation = game.find_relation(name, arguments.len()).map(|it| meant(game, it));
        let name = relation.map_or(name, |relation| game.relation(relation).name);
        Ok(Question { symbols, terms, name, relation, arguments })
    }

    /// The name of its relation.
    pub(super) fn name(&self) -> &str {
        self.symbols.spelling(self.name)
    }

    /// The atom, if the game has the relation.
    pub(super) fn atom(&self) -> Option<Atom> {
        Some(Atom { relation: self.relation?, arguments: self.arguments.clone().into() })
    }

    /// The atom as KIF.
    pub(super) fn text(&self) -> String {
        atom_text(self.symbols.spelling(self.name), &self.arguments, &self.terms, &self.symbols)
    }
}

/// An atom as KIF.
pub(super) fn atom_text(name: &str, arguments: &[TermId], terms: &Terms, symbols: &Symbols) -> String {
    if arguments.is_empty() {
        return name.to_string();
    }
    let mut text = format!("({name}");
    for &argument in arguments {
        text.push(' ');
        // Writing to a string does not fail.
        let _ = terms.write_kif(argument, symbols, &mut text);
    }
    text.push(')');
    text
}

/// The term of each node of a tree, by the node's index; none where a list begins with a list.
fn terms_of(tree: &Tree, symbols: &mut Symbols, terms: &mut Terms) -> Vec<Option<TermId>> {
    let mut made: Vec<Option<TermId>> = Vec::with_capacity(tree.len());
    // Members come before the list that holds them.
    for node in tree.nodes() {
        let members = tree.children(node);
        let name = tree.word(members.first().copied().unwrap_or(node));
        let arguments: Option<Vec<TermId>> =
            members.iter().skip(1).map(|member: &NodeId| made[member.index()]).collect();
        let term = name.zip(arguments).map(|(name, arguments)| {
            let name = symbols.intern(tree.symbols.spelling(name));
            match &arguments[..] {
                [] => terms.intern(Term::Constant(name)),
                some => terms.intern_function(name, some),
            }
        });
        made.push(term);
    }
    made
}

fn check_keyword(folded: &str, arguments: usize) -> Result<(), String> {
    let Some(keyword) = Keyword::named(folded) else { return Ok(()) };
    if !Keyword::RELATIONS.contains(&keyword) {
        return Err(format!("`{}` is not a relation", keyword.name()));
    }
    match keyword.arity() {
        Some(arity) if arity != arguments => {
            Err(format!("`{}` is written {}", keyword.name(), keyword.usage()))
        }
        _ => Ok(()),
    }
}

/// What an atom of a relation is about: see [`super::explain`].
fn meant(game: &Game, relation: RelationId) -> RelationId {
    match relation {
        RelationId::BASE if game.relation(relation).used.is_none() => RelationId::TRUE,
        RelationId::INPUT if game.relation(relation).used.is_none() => RelationId::DOES,
        other => other,
    }
}

/// The beginning of a text, fit to be printed.
fn quoted(text: &str) -> String {
    const LONGEST: usize = 80;
    let mut quoted: String =
        text.chars().take(LONGEST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if quoted.len() < text.len() {
        quoted.push('…');
    }
    quoted
}
