//! Descriptions in infix syntax, which the literature calls HRF and which is close to Prolog's: `legal(W, noop) :- role(W) &
//! ~true(control(W))`. They are read into the same [`Tree`] as KIF, with spans into the infix text, so that every check
//! points at what the author wrote. [`to_kif`] writes the tree as KIF.
//!
//! A clause is a head, or a head and a body behind `:-` or `<=`; a full stop may end it. A body joins literals by `&` or `,`,
//! which bind tighter than `|` and `;` for alternatives. `~`, `not` and `\+` negate; `S != T` and `S \= T` stand for `distinct`.
//! Variables begin with an upper-case letter, `_` or `?`; each lone `_` is a variable of its own. Comments begin with `%` or
//! stand between `/*` and `*/`.

mod convert;
mod lexer;

use rustc_hash::{FxHashMap, FxHashSet};

use super::codes::{INFIX, INFIX_SYNTAX, MIXED_SPELLINGS, TEXT_TOO_LARGE, TOO_DEEP};
use super::{NodeId, NodeKind, Tree};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::index::index32;
use crate::limits::Limits;
use crate::span::{MOST_BYTES, Span};
use crate::symbol::Symbol;
use lexer::{Kind, Token, tokens};

pub use convert::to_kif;

/// How deep terms and conditions may nest: they are read by recursion.
const DEEPEST: usize = 200;

/// Reads a text in infix syntax into a tree and says what is wrong with it. A clause with a fault is left out.
pub fn parse_infix(text: &[u8], limits: &Limits, diagnostics: &mut Diagnostics) -> Tree {
    let most = limits.bytes.min(MOST_BYTES);
    if text.len() > most {
        let message = format!("the text has {} bytes, more than the limit of {most}", text.len());
        diagnostics.push(Diagnostic::new(&TEXT_TOO_LARGE, Span::default(), message));
        return Tree::default();
    }
    let (tokens, comments) = tokens(text);
    let lone = |token: &&Token| token.kind == Kind::Word && text[token.span.start as usize] == b'_';
    let taken = tokens.iter().filter(lone).map(|token| &text[token.span.range()]).collect();
    let tree = Tree { comments, ..Tree::default() };
    let mut parser = Parser {
        text,
        tokens,
        at: 0,
        tree,
        diagnostics,
        limits,
        depth: 0,
        taken,
        fresh: 0,
        spelled: FxHashMap::default(),
    };
    parser.run();
    parser.tree
}

/// The diagnostic of a text that was read as KIF and is in infix syntax; nothing if it does not look like that.
pub fn looks_infix(text: &[u8]) -> Option<Diagnostic> {
    let (tokens, _) = tokens(&text[..text.len().min(1 << 16)]);
    let [first, second, ..] = &tokens[..] else { return None };
    let adjacent = first.span.end == second.span.start && second.kind == Kind::Open;
    let is_infix =
        first.kind == Kind::Word && (adjacent || matches!(second.kind, Kind::Implies | Kind::Stop));
    let message = "this text is in infix (HRF) or Prolog syntax, not in KIF";
    is_infix.then(|| {
        Diagnostic::new(&INFIX, Span::new(first.span.start as usize, second.span.end as usize), message)
            .here("a name before its parenthesis")
            .help("to check it, read it with `groundrules check --syntax hrf`")
            .help("to use it, convert it with `groundrules fmt --syntax hrf FILE > game.kif`")
    })
}

/// The clause has a fault, which is reported.
struct Fault;

type Parsed = Result<NodeId, Fault>;

struct Parser<'a> {
    text: &'a [u8],
    tokens: Vec<Token>,
    at: usize,
    tree: Tree,
    diagnostics: &'a mut Diagnostics,
    limits: &'a Limits,
    depth: usize,
    /// The words of the text that begin with `_`: a lone `_` gets a name that is not among them.
    taken: FxHashSet<&'a [u8]>,
    /// How many names were made up.
    fresh: usize,
    /// How each symbol was first spelled, and where.
    spelled: FxHashMap<Symbol, Span>,
}

impl Parser<'_> {
    fn run(&mut self) {
        while self.at < self.tokens.len() {
            let start = self.at;
            self.depth = 0;
            match self.clause() {
                Ok(form) => self.tree.forms.push(form),
                Err(Fault) => self.skip_clause(start),
            }
        }
    }

    fn peek(&self) -> Option<Kind> {
        self.tokens.get(self.at).map(|token| token.kind)
    }

    fn take(&mut self, kind: Kind) -> Option<Token> {
        let token = *self.tokens.get(self.at).filter(|token| token.kind == kind)?;
        self.at += 1;
        Some(token)
    }

    /// Goes on behind the clause that begins at the token `start`: behind a full stop, or at the next name in column 0.
    fn skip_clause(&mut self, start: usize) {
        self.at = self.at.max(start + 1);
        while let Some(token) = self.tokens.get(self.at) {
            let before = (token.span.start as usize).checked_sub(1).map(|at| self.text[at]);
            if token.kind == Kind::Word && matches!(before, Some(b'\n' | b'\r')) {
                return;
            }
            self.at += 1;
            if token.kind == Kind::Stop {
                return;
            }
        }
    }

    /// Reports that something else was expected here.
    fn expected(&mut self, what: &str) -> Fault {
        let (span, found) = match self.tokens.get(self.at) {
            Some(token) => {
                (token.span, format!("`{}`", String::from_utf8_lossy(&self.text[token.span.range()])))
            }
            None => (Span::new(self.text.len(), self.text.len()), "the end of the text".to_owned()),
        };
        let message = format!("{what} was expected here, not {found}");
        self.diagnostics.push(Diagnostic::new(&INFIX_SYNTAX, span, message));
        Fault
    }

    fn clause(&mut self) -> Parsed {
        let head = self.literal()?;
        let Some(implies) = self.take(Kind::Implies) else {
            self.take(Kind::Stop);
            return Ok(head);
        };
        let mut members = vec![self.word("<=", implies.span), head];
        let body = self.alternatives()?;
        self.take(Kind::Stop);
        // A conjunction is the body itself.
        match self.and_members(body) {
            Some(literals) => members.extend(literals),
            None => members.push(body),
        }
        Ok(self.list(&members))
    }

    /// The literals of a conjunction.
    fn and_members(&self, node: NodeId) -> Option<Vec<NodeId>> {
        let (first, rest) = self.tree.children(node).split_first()?;
        let word = self.tree.word(*first)?;
        // Only a conjunction that this parser wrote: its first word stands at no place of the text.
        let made = self.tree.span(*first).start == self.tree.span(*first).end;
        (made && self.tree.symbols.folded(word) == "and").then(|| rest.to_vec())
    }

    fn alternatives(&mut self) -> Parsed {
        self.joined(Kind::Or, "or", Self::conjunction)
    }

    fn conjunction(&mut self) -> Parsed {
        self.joined(Kind::And, "and", Self::literal)
    }

    /// Parts with an operator between them; one part alone is itself.
    fn joined(&mut self, operator: Kind, name: &str, part: fn(&mut Self) -> Parsed) -> Parsed {
        let first = part(self)?;
        let mut parts = vec![first];
        while self.peek() == Some(operator) || (operator == Kind::And && self.peek() == Some(Kind::Comma)) {
            self.at += 1;
            parts.push(part(self)?);
        }
        if parts.len() == 1 {
            return Ok(first);
        }
        let start = self.tree.span(first).start as usize;
        parts.insert(0, self.word(name, Span::new(start, start)));
        Ok(self.list(&parts))
    }

    fn literal(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > DEEPEST {
            let span = self.tokens.get(self.at).map_or(Span::default(), |token| token.span);
            let message = format!("terms and conditions are nested more than {DEEPEST} deep here");
            self.diagnostics.push(Diagnostic::new(&TOO_DEEP, span, message));
            return Err(Fault);
        }
        let literal = self.literal_inside();
        self.depth -= 1;
        literal
    }

    fn literal_inside(&mut self) -> Parsed {
        if let Some(not) = self.take(Kind::Not) {
            let inner = self.literal()?;
            let not = self.word("not", not.span);
            return Ok(self.list(&[not, inner]));
        }
        if self.take(Kind::Open).is_some() {
            let inner = self.alternatives()?;
            self.take(Kind::Close).ok_or_else(|| self.expected("`)`"))?;
            return Ok(inner);
        }
        let left = self.term()?;
        let Some(differs) = self.take(Kind::Differs) else { return Ok(left) };
        let right = self.term()?;
        let distinct = self.word("distinct", differs.span);
        Ok(self.list(&[distinct, left, right]))
    }

    fn term(&mut self) -> Parsed {
        let name = self.take(Kind::Word).ok_or_else(|| self.expected("a name"))?;
        let name_node = self.name(name.span)?;
        let applied = self
            .tokens
            .get(self.at)
            .is_some_and(|next| next.kind == Kind::Open && next.span.start == name.span.end);
        if !applied {
            return Ok(name_node);
        }
        self.at += 1;
        let mut members = vec![name_node];
        if self.peek() != Some(Kind::Close) {
            members.push(self.literal()?);
            while self.take(Kind::Comma).is_some() {
                members.push(self.literal()?);
            }
        }
        let close = self.take(Kind::Close).ok_or_else(|| self.expected("`,` or `)`"))?;
        if members.len() == 1 {
            return Ok(name_node);
        }
        let node = self.list(&members);
        self.tree.nodes[node.index()].span = Span::new(name.span.start as usize, close.span.end as usize);
        Ok(node)
    }

    /// The node of a name as it is written: a variable gets its question mark, a quoted name loses its quotes.
    fn name(&mut self, span: Span) -> Parsed {
        let Ok(written) = std::str::from_utf8(&self.text[span.range()]) else {
            return Err(self.refuse(span, "this name is not valid UTF-8"));
        };
        if written.len() > self.limits.symbol_bytes {
            return Err(self.refuse(span, "this name is too long"));
        }
        let bare = written.trim_matches('\'');
        let name = if written == "_" {
            self.fresh_variable()
        } else if written.starts_with(|c: char| c.is_uppercase() || c == '_') {
            format!("?{}", written.to_lowercase())
        } else if bare.is_empty() || bare.contains(|c: char| c.is_whitespace() || "();'".contains(c)) {
            return Err(self.refuse(span, "this quoted name cannot be written in KIF"));
        } else {
            bare.to_owned()
        };
        let node = self.word(&name, span);
        if written != "_" {
            self.compare_spellings(node, written, span);
        }
        Ok(node)
    }

    fn refuse(&mut self, span: Span, message: &str) -> Fault {
        self.diagnostics.push(Diagnostic::new(&INFIX_SYNTAX, span, message));
        Fault
    }

    fn fresh_variable(&mut self) -> String {
        loop {
            self.fresh += 1;
            let name = format!("_{}", self.fresh);
            if !self.taken.contains(name.as_bytes()) {
                return format!("?{name}");
            }
        }
    }

    /// Warns where names that differ here, in letter case, are one name in GDL.
    fn compare_spellings(&mut self, node: NodeId, written: &str, span: Span) {
        let Some(symbol) = self.tree.word(node) else { return };
        let first = *self.spelled.entry(symbol).or_insert(span);
        let before = &self.text[first.range()];
        if before != written.as_bytes() && before.eq_ignore_ascii_case(written.as_bytes()) {
            let before = String::from_utf8_lossy(before);
            let message = format!("`{written}` and `{before}` are the same name, spelled in two ways");
            let diagnostic = Diagnostic::new(&MIXED_SPELLINGS, span, message).here("spelled like this here");
            let help = "letter case does not tell names apart in GDL; rename one of the two";
            self.diagnostics.push(diagnostic.label(first, "first spelled like this").help(help));
        }
    }

    fn word(&mut self, name: &str, span: Span) -> NodeId {
        let symbol = self.tree.symbols.intern(name);
        self.tree.add(NodeKind::Word(symbol), span)
    }

    fn list(&mut self, members: &[NodeId]) -> NodeId {
        let spans = || members.iter().map(|&member| self.tree.span(member));
        let start = spans().map(|span| span.start).min().unwrap_or(0);
        let end = spans().map(|span| span.end).max().unwrap_or(0);
        let first = index32(self.tree.children.len(), "list members");
        self.tree.children.extend(members);
        let kind = NodeKind::List { first, len: index32(members.len(), "list members") };
        self.tree.add(kind, Span { start, end })
    }
}

#[cfg(test)]
mod tests;
