//! Ground terms, each stored once: two are equal exactly when their [`Ground`]s are. Arguments are stored
//! before the terms that hold them. Nothing here recurses, so a tape nested a million deep is as good as a
//! constant; and the length of a term as text is kept with it, because a term that shares its parts can be
//! short here and longer than any memory when written.

use std::cmp::Ordering;

use groundrules_gdl::index::index32;
use groundrules_gdl::symbol::{Symbol, Symbols};
use indexmap::{Equivalent, IndexSet};
use rustc_hash::FxBuildHasher;

use crate::error::OracleError;

/// The longest term that is written as text, in bytes.
const LONGEST_TEXT: u64 = 1 << 24;

/// A ground term of one [`Oracle`](crate::Oracle): a fluent, a move, a role or a goal value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ground(u32);

impl Ground {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A name applied to terms; a constant has none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Node {
    name: Symbol,
    arguments: Box<[Ground]>,
}

/// A node to look for without making it.
#[derive(Hash)]
struct Sought<'a> {
    name: Symbol,
    arguments: &'a [Ground],
}

impl Equivalent<Node> for Sought<'_> {
    fn equivalent(&self, node: &Node) -> bool {
        self.name == node.name && *self.arguments == *node.arguments
    }
}

/// The table of ground terms.
#[derive(Clone, Debug, Default)]
pub(crate) struct GroundTerms {
    nodes: IndexSet<Node, FxBuildHasher>,
    /// The length of each term as text.
    lengths: Vec<u64>,
}

impl GroundTerms {
    /// Stores a term, or finds it where it is stored.
    pub(crate) fn intern(&mut self, name: Symbol, arguments: &[Ground], symbols: &Symbols) -> Ground {
        if let Some(found) = self.find(name, arguments) {
            return found;
        }
        let inside = arguments.iter().map(|&argument| self.length(argument).saturating_add(1));
        let brackets = if arguments.is_empty() { 0 } else { 2 };
        let own = symbols.spelling(name).len() as u64 + brackets;
        self.lengths.push(inside.fold(own, u64::saturating_add));
        let (index, _) = self.nodes.insert_full(Node { name, arguments: arguments.into() });
        ground_at(index)
    }

    /// The term, if it is stored. One that is not stored is in no relation.
    pub(crate) fn find(&self, name: Symbol, arguments: &[Ground]) -> Option<Ground> {
        self.nodes.get_index_of(&Sought { name, arguments }).map(ground_at)
    }

    /// The name and the arguments.
    pub(crate) fn parts(&self, term: Ground) -> (Symbol, &[Ground]) {
        let node = &self.nodes[term.index()];
        (node.name, &node.arguments)
    }

    fn length(&self, term: Ground) -> u64 {
        self.lengths[term.index()]
    }

    /// Compares two terms by their names from left to right, functions before constants as in the order of
    /// their texts. The order does not depend on when the terms were made.
    pub(crate) fn compare(&self, left: Ground, right: Ground, symbols: &Symbols) -> Ordering {
        let (mut left, mut right) = (left, right);
        loop {
            let ((left_name, left_parts), (right_name, right_parts)) = (self.parts(left), self.parts(right));
            let by_name = symbols.folded(left_name).cmp(symbols.folded(right_name));
            let by_kind = left_parts.is_empty().cmp(&right_parts.is_empty());
            let by_head = by_kind.then(by_name).then(left_parts.len().cmp(&right_parts.len()));
            let differing = left_parts.iter().zip(right_parts).find(|(l, r)| l != r);
            match (by_head, differing) {
                (Ordering::Equal, Some((&l, &r))) => (left, right) = (l, r),
                _ => return by_head,
            }
        }
    }

    /// Writes a term as KIF.
    pub(crate) fn write(&self, term: Ground, symbols: &Symbols) -> Result<String, OracleError> {
        enum Piece {
            Term(Ground),
            Text(&'static str),
        }
        let length = self.length(term);
        if length > LONGEST_TEXT {
            return Err(OracleError::LongTerm { length });
        }
        let mut text = String::new();
        let mut stack = vec![Piece::Term(term)];
        while let Some(step) = stack.pop() {
            match step {
                Piece::Text(part) => text.push_str(part),
                Piece::Term(term) => {
                    let (name, arguments) = self.parts(term);
                    text.push_str(if arguments.is_empty() { "" } else { "(" });
                    text.push_str(symbols.spelling(name));
                    stack.push(Piece::Text(if arguments.is_empty() { "" } else { ")" }));
                    stack.extend(
                        arguments.iter().rev().flat_map(|&part| [Piece::Term(part), Piece::Text(" ")]),
                    );
                }
            }
        }
        Ok(text)
    }

    /// Reads a term written as KIF; none if it is no term or has a name that the description does not have.
    pub(crate) fn read(&mut self, text: &str, symbols: &Symbols) -> Option<Ground> {
        let spaced = text.replace('(', " ( ").replace(')', " ) ");
        // Each open list with its name, once that is read, and its arguments; the outermost is the text
        // itself.
        let mut open: Vec<(Option<Symbol>, Vec<Ground>)> = vec![(None, Vec::new())];
        for word in spaced.split_whitespace() {
            let made = match word {
                "(" => {
                    open.push((None, Vec::new()));
                    continue;
                }
                ")" => {
                    let (name, arguments) = open.pop()?;
                    self.intern(name?, &arguments, symbols)
                }
                _ => {
                    let symbol = symbols.find(word).filter(|&symbol| !symbols.is_variable(symbol))?;
                    let inside = open.len() > 1;
                    match open.last_mut() {
                        Some((name @ None, _)) if inside => {
                            *name = Some(symbol);
                            continue;
                        }
                        _ => self.intern(symbol, &[], symbols),
                    }
                }
            };
            let outer_is_list = open.len() > 1;
            let (name, arguments) = open.last_mut()?;
            if outer_is_list && name.is_none() {
                return None; // a list stands where a name must stand
            }
            arguments.push(made);
        }
        match (open.pop(), open.is_empty()) {
            (Some((None, terms)), true) if terms.len() == 1 => terms.first().copied(),
            _ => None,
        }
    }
}

fn ground_at(place: usize) -> Ground {
    // Every term costs a step and hundreds of bytes; memory ends before four billion of them.
    Ground(index32(place, "terms"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbols(names: &str) -> Symbols {
        let mut symbols = Symbols::new();
        for name in names.split(' ') {
            symbols.intern(name);
        }
        symbols
    }

    #[test]
    fn what_is_written_is_read_back() {
        let symbols = symbols("cell 1 b ?x");
        let mut terms = GroundTerms::default();
        for text in ["b", "(cell 1 b)", "(cell (cell 1 1) (b 1))"] {
            let term = terms.read(text, &symbols).unwrap();
            assert_eq!(terms.write(term, &symbols).unwrap(), text);
            assert_eq!(terms.length(term), text.len() as u64);
        }
        assert_eq!(terms.read("( Cell ( 1 )B)", &symbols), terms.read("(cell 1 b)", &symbols));
        for text in ["", "()", "(cell 1", "cell)", "1 1", "(cell ?x)", "(other 1)", "((cell) 1)", ")("] {
            assert_eq!(terms.read(text, &symbols), None, "{text}");
        }
    }

    #[test]
    fn the_order_is_that_of_the_texts() {
        let symbols = symbols("a b 1 10 2");
        let mut terms = GroundTerms::default();
        let texts = ["(a 1 b)", "(a 10 a)", "(a 2 a)", "(b 1)", "1", "10", "2", "a", "b"];
        let mut made: Vec<Ground> =
            texts.iter().rev().map(|text| terms.read(text, &symbols).unwrap()).collect();
        made.sort_by(|&left, &right| terms.compare(left, right, &symbols));
        let written: Vec<String> = made.iter().map(|&term| terms.write(term, &symbols).unwrap()).collect();
        assert_eq!(written, texts);
    }

    #[test]
    fn a_text_beyond_any_memory_is_refused() {
        let symbols = symbols("f a");
        let mut terms = GroundTerms::default();
        let mut term = terms.read("a", &symbols).unwrap();
        let f = symbols.find("f").unwrap();
        for _ in 0..200 {
            term = terms.intern(f, &[term, term], &symbols);
        }
        assert!(matches!(terms.write(term, &symbols), Err(OracleError::LongTerm { length: u64::MAX })));
    }
}
