//! Renaming, such that the description describes the same game. What would clash with another name, or is a name that
//! GDL gives a meaning to, is refused.

use std::fmt;

use groundrules_gdl::keyword::Keyword;
use groundrules_gdl::roles::NATURE;
use groundrules_gdl::{Edit, Span};

use crate::names::{Kind, Name, NameId, Occurrence};
use crate::reading::Reading;

/// Why something is not renamed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no name at the place.
    NoName,
    /// The name has a meaning of its own.
    Fixed(String),
    /// The new name is not one.
    NotAName(String),
    /// The new name is taken.
    Taken(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::NoName => write!(out, "there is no name here"),
            Refusal::Fixed(why) | Refusal::NotAName(why) | Refusal::Taken(why) => write!(out, "{why}"),
        }
    }
}

impl std::error::Error for Refusal {}

/// The name at an offset that can be renamed: where it stands, and how it is spelled.
pub fn prepare(reading: &Reading, offset: usize) -> Result<(Span, String), Refusal> {
    let word = reading.names().at(offset).ok_or(Refusal::NoName)?;
    renameable(reading, word)?;
    Ok((word.span, reading.slice(word.span).to_owned()))
}

/// Renames what stands at an offset, wherever it stands.
pub fn rename(reading: &Reading, offset: usize, new: &str) -> Result<Vec<Edit>, Refusal> {
    let names = reading.names();
    let word = names.at(offset).ok_or(Refusal::NoName)?;
    renameable(reading, word)?;
    acceptable(reading, word.name, new)?;
    Ok(names.uses(word.name).map(|word| Edit::replace(word.span, new)).collect())
}

fn renameable(reading: &Reading, word: &Occurrence) -> Result<(), Refusal> {
    let (tree, names) = (reading.tree(), reading.names());
    let spelling = names.spelling(tree, word.name);
    match names.name(word.name) {
        Name::Keyword(keyword) => Err(Refusal::Fixed(format!("`{}` is a keyword of GDL", keyword.name()))),
        Name::Constant(_) if names.kind(word.name) == Kind::Role && is_nature(spelling) => {
            Err(Refusal::Fixed(format!("the role `{spelling}` moves by chance because of its name")))
        }
        Name::Constant(_) if may_be_goal(reading, spelling) => {
            Err(Refusal::Fixed(format!("`{spelling}` can be the value of a goal, which is a number")))
        }
        _ => Ok(()),
    }
}

fn is_nature(name: &str) -> bool {
    name.eq_ignore_ascii_case(NATURE)
}

/// Whether a constant may be the value of a goal: a number, where some rule gives that value or any.
fn may_be_goal(reading: &Reading, name: &str) -> bool {
    if name.parse::<u8>().is_err() {
        return false;
    }
    let (tree, names) = (reading.tree(), reading.names());
    let Some(goal) = names.find(Name::Keyword(Keyword::Goal)) else { return false };
    names.uses(goal).filter(|word| word.in_head).any(|word| {
        let around = crate::setting::lists_around(tree, reading.text(), word.span.start as usize);
        let value = around.last().and_then(|&(list, _)| tree.children(list).get(2).copied());
        let value = value.and_then(|value| tree.word(value)).map(|symbol| tree.symbols.folded(symbol));
        value.is_none_or(|value| value == name || value.starts_with('?'))
    })
}

fn acceptable(reading: &Reading, id: NameId, new: &str) -> Result<(), Refusal> {
    /// The reader's limit.
    const LONGEST: usize = 4_096;
    let (tree, names) = (reading.tree(), reading.names());
    let is_bad = |c: char| {
        c.is_whitespace()
            || c.is_control()
            || matches!(c, '(' | ')' | ';' | '|' | '"' | '\u{FEFF}')
            || ('\u{200B}'..='\u{200F}').contains(&c)
    };
    if new.is_empty() || new.len() > LONGEST || new.contains(is_bad) || new.starts_with('#') {
        return Err(Refusal::NotAName(format!("`{new}` is not a name: it has to be one word")));
    }
    let is_variable = matches!(names.name(id), Name::Variable(..));
    if new.starts_with('?') != is_variable || new == "?" {
        let message = if is_variable {
            format!("the name of a variable begins with a question mark: `?{}`", new.trim_start_matches('?'))
        } else {
            format!("`{new}` would be a variable: only those begin with a question mark")
        };
        return Err(Refusal::NotAName(message));
    }
    if Keyword::named(&new.to_lowercase()).is_some() {
        return Err(Refusal::Taken(format!("`{new}` is a keyword of GDL")));
    }
    if names.kind(id) == Kind::Role && is_nature(new) {
        return Err(Refusal::Taken(format!("a role called `{new}` moves by chance")));
    }
    let Some(other) = tree.symbols.find(new).filter(|&other| names.symbol(id) != Some(other)) else {
        return Ok(());
    };
    clash(reading, id, other)
}

/// Whether the name `other` is taken: for a variable in its rule, otherwise anywhere.
fn clash(reading: &Reading, id: NameId, other: groundrules_gdl::symbol::Symbol) -> Result<(), Refusal> {
    let names = reading.names();
    let taken = names.all().find(|&(taken, name)| {
        let same_rule = match (names.name(id), name) {
            (Name::Variable(_, form), Name::Variable(_, taken_form)) => form == taken_form,
            _ => true,
        };
        names.symbol(taken) == Some(other) && same_rule
    });
    match taken {
        Some((taken, _)) => {
            let spelling = reading.tree().symbols.spelling(other);
            Err(Refusal::Taken(format!(
                "there is a {} called `{spelling}` already",
                names.kind(taken).word()
            )))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;
    use groundrules_gdl::fix::apply;

    fn renamed(text: &str, word: &str, new: &str) -> Result<String, Refusal> {
        let document = Document::new(text.to_owned());
        let edits = rename(document.reading(), text.find(word).expect("the word"), new)?;
        Ok(String::from_utf8(apply(text.as_bytes(), &edits)).expect("UTF-8"))
    }

    #[test]
    fn each_kind_is_a_name_space() {
        let text = "(p a) (<= (q ?x) (p ?x)) (<= (r ?x) (p ?x) (true (p ?x)))";
        assert_eq!(
            renamed(text, "p a", "s").unwrap(),
            "(s a) (<= (q ?x) (s ?x)) (<= (r ?x) (s ?x) (true (p ?x)))"
        );
        assert_eq!(
            renamed(text, "?x", "?y").unwrap(),
            "(p a) (<= (q ?y) (p ?y)) (<= (r ?x) (p ?x) (true (p ?x)))"
        );
        assert_eq!(
            renamed(text, "p a", "P").unwrap(),
            "(P a) (<= (q ?x) (P ?x)) (<= (r ?x) (P ?x) (true (p ?x)))"
        );
    }

    #[test]
    fn clashes_are_refused() {
        let text = "(role random) (role a) (p a) (<= (q ?x ?y) (p ?x) (p ?y)) (goal a 50) (n 50)";
        for (word, new) in [
            ("p a", "q"),
            ("p a", "A"),
            ("?x", "?Y"),
            ("?x", "x"),
            ("p a", "?p"),
            ("p a", "legal"),
            ("p a", "a b"),
            ("p a", ""),
            ("role", "x"),
            ("random", "chance"),
            ("a)", "random"),
            ("50", "fifty"),
            ("p a", "(x"),
        ] {
            assert!(renamed(text, word, new).is_err(), "{word} to {new}");
        }
        assert!(renamed("(n 50) (goal a 100)", "50", "fifty").is_ok());
        assert!(renamed("(n 50) (<= (goal a ?n) (n ?n))", "50", "fifty").is_err());
    }
}
