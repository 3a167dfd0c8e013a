//! Builds the [`Tree`]. The first pass takes parentheses at their word. Only when they do not match does a second pass
//! guess: where lists are left open, a line that begins like a new rule begins one; where a `)` closes nothing, indented
//! lines behind a rule belong to it. Guessing from the start would break good files, some of which put body literals in column 0.

use std::collections::HashMap;

use rustc_hash::FxHashMap;

use super::codes::{
    BAD_CHARACTER, EMPTY_LIST, EXTRA_CLOSE, INVALID_UTF8, INVALID_UTF8_COMMENT, MIXED_SPELLINGS,
    SYMBOL_TOO_LONG, TEXT_TOO_LARGE, TOO_DEEP, UNCLOSED, UNCLOSED_COMMENT, UNNAMED_VARIABLE,
};
use super::lexer::{Lexer, Token, is_closed};
use super::{NodeId, NodeKind, Tree};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::fix::{Edit, Fix};
use crate::index::index32;
use crate::keyword::Keyword;
use crate::limits::Limits;
use crate::span::{MOST_BYTES, Span};
use crate::symbol::{Symbol, is_invisible};

/// Reads a text into a tree and says what is wrong with it.
pub fn parse(text: &[u8], limits: &Limits, diagnostics: &mut Diagnostics) -> Tree {
    let most = limits.bytes.min(MOST_BYTES);
    if text.len() > most {
        let message = format!("the text has {} bytes, more than the limit of {most}", text.len());
        diagnostics.push(Diagnostic::new(&TEXT_TOO_LARGE, Span::default(), message));
        return Tree::default();
    }
    let mut found = Diagnostics::new(limits.diagnostics_per_code);
    let mut parser = Parser::new(text, limits, None, &mut found);
    let balance = parser.run();
    let tree = parser.tree;
    if balance == Balance::default() {
        diagnostics.append(found);
        return tree;
    }
    let mut parser = Parser::new(text, limits, Some(Recovery::of(text, &balance)), diagnostics);
    parser.early_closes = balance.closed_too_often;
    parser.run();
    parser.tree
}

fn removal(close: Span) -> Fix {
    Fix::new("remove the `)`", vec![Edit::remove(close)])
}

/// What a comment says to the program, if it begins with `groundrules:`.
fn directive(comment: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(comment).ok()?;
    let words = text.trim_start_matches(';').trim_start().strip_prefix("groundrules:")?;
    Some(words.trim().to_owned())
}

/// How the parentheses of a text come out.
#[derive(PartialEq, Eq, Default)]
struct Balance {
    left_open: usize,
    closed_too_often: usize,
}

/// Whether the forms of a text are members of one outer list: it begins with two opening parentheses.
fn is_wrapped(text: &[u8]) -> bool {
    let mut opening = Lexer::new(text).filter(|token| !matches!(token, Token::Comment(_)));
    matches!((opening.next(), opening.next()), (Some(Token::Open(_)), Some(Token::Open(_))))
}

/// How to tell, in a text whose parentheses do not match, where forms begin.
struct Recovery {
    /// Body literals stand in column 0, so a list there need not be a form.
    ragged: bool,
    /// Some list is never closed; without one, no list has to be closed by guessing.
    left_open: bool,
}

impl Recovery {
    fn of(text: &[u8], balance: &Balance) -> Self {
        let inner = ["(true", "(does", "(distinct", "(not", "(or"];
        let ragged = text.split(|&byte| byte == b'\n').any(|line| {
            inner.iter().any(|word| {
                let begins =
                    line.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word.as_bytes()));
                begins && line.get(word.len()).is_none_or(|&next| b" \t\r(".contains(&next))
            })
        });
        Recovery { ragged, left_open: balance.left_open > 0 }
    }

    /// Whether something is the first thing in an indented line of a text that keeps column 0 for forms.
    fn is_indented(&self, text: &[u8], at: usize) -> bool {
        let indent = text[..at].iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        !self.ragged && indent > 0 && indent < at && matches!(text[at - indent - 1], b'\n' | b'\r')
    }

    /// Whether the `(` at `at` begins a form. It must be the first thing in its line, and either be followed by
    /// `<=`, which stands nowhere else, or stand in column 0 of a text that keeps column 0 for forms.
    fn begins_form(&self, text: &[u8], at: usize) -> bool {
        if !self.left_open {
            return false;
        }
        let indent = text[..at].iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let first_in_line = indent == at || text[at - indent - 1] == b'\n' || text[at - indent - 1] == b'\r';
        if !first_in_line {
            return false;
        }
        let inside = &text[at + 1..text.len().min(at + 64)];
        inside.trim_ascii_start().starts_with(b"<=") || (indent == 0 && !self.ragged)
    }
}

/// A list whose end has not been seen yet.
struct OpenList {
    at: usize,
    first_member: usize,
}

struct Parser<'a> {
    text: &'a [u8],
    valid_utf8: bool,
    /// How many lists are open around a form: one in a text that is wrapped in an outer list.
    depth_of_forms: usize,
    limits: &'a Limits,
    recovery: Option<Recovery>,
    diagnostics: &'a mut Diagnostics,
    tree: Tree,
    open: Vec<OpenList>,
    /// Members of the open lists, innermost last.
    members: Vec<NodeId>,
    /// How many lists are open below the nesting limit, their contents passed over.
    beyond_limit: usize,
    /// The form being read lost a part to the nesting limit and is not kept.
    form_is_cut: bool,
    a_form_was_cut: bool,
    /// Lists are being closed whose `)` is missing.
    closing_unclosed: bool,
    /// How many `)` closed nothing so far.
    stray_closes: usize,
    /// How many `)` closed nothing in the first pass: so many forms may be opened again in the second.
    early_closes: usize,
    /// Where the last token ends that is no comment.
    last_end: usize,
    /// The words met so far, exactly as spelled: most words are, and need no second look.
    spellings: HashMap<&'a [u8], Symbol, foldhash::fast::RandomState>,
    /// Where each symbol was first seen.
    first_seen: FxHashMap<Symbol, Span>,
}

impl<'a> Parser<'a> {
    fn new(
        text: &'a [u8],
        limits: &'a Limits,
        recovery: Option<Recovery>,
        diagnostics: &'a mut Diagnostics,
    ) -> Self {
        Parser {
            text,
            valid_utf8: std::str::from_utf8(text).is_ok(),
            depth_of_forms: usize::from(is_wrapped(text)),
            limits,
            recovery,
            diagnostics,
            tree: Tree::default(),
            open: Vec::new(),
            members: Vec::new(),
            beyond_limit: 0,
            form_is_cut: false,
            a_form_was_cut: false,
            closing_unclosed: false,
            stray_closes: 0,
            early_closes: 0,
            last_end: 0,
            spellings: HashMap::default(),
            first_seen: FxHashMap::default(),
        }
    }

    /// Reads the whole text and says how its parentheses come out.
    fn run(&mut self) -> Balance {
        for token in Lexer::new(self.text) {
            match token {
                Token::Open(at) => self.open_list(at),
                Token::Close(at) => self.close_list(at),
                Token::Word(span) if self.beyond_limit == 0 => self.word(span),
                Token::Word(_) => {}
                Token::Comment(span) => self.comment(span),
            }
            self.last_end = match token {
                Token::Open(at) | Token::Close(at) => at + 1,
                Token::Word(span) => span.end as usize,
                Token::Comment(_) => self.last_end,
            };
        }
        let balance = Balance { left_open: self.open.len(), closed_too_often: self.stray_closes };
        self.close_unclosed(0, self.text.len());
        self.tree.forms = std::mem::take(&mut self.members);
        self.unwrap_outer_list();
        balance
    }

    fn open_list(&mut self, at: usize) {
        if self.open.len() > self.depth_of_forms
            && self.recovery.as_ref().is_some_and(|recovery| recovery.begins_form(self.text, at))
        {
            self.close_unclosed(self.depth_of_forms, at);
        }
        if self.continues_early_closed_rule(at) {
            self.open_last_rule_again();
        }
        if self.open.len() < self.limits.nesting {
            self.open.push(OpenList { at, first_member: self.members.len() });
            return;
        }
        if !self.form_is_cut {
            let message = format!("lists are nested more than {} deep here", self.limits.nesting);
            self.diagnostics.push(Diagnostic::new(&TOO_DEEP, Span::new(at, at + 1), message));
        }
        self.form_is_cut = true;
        self.beyond_limit += 1;
    }

    /// Whether a list goes on with a rule that a `)` too many closed: in a text where some `)` close nothing, it is the first
    /// thing in an indented line right behind a rule.
    fn continues_early_closed_rule(&self, at: usize) -> bool {
        let (Some(recovery), Some(&last)) = (&self.recovery, self.members.last()) else { return false };
        let word = self.tree.children(last).first().and_then(|&first| self.tree.word(first));
        self.early_closes > 0
            && self.open.len() == self.depth_of_forms
            && self.forms_read() > 0
            && recovery.is_indented(self.text, at)
            && word.is_some_and(|word| self.tree.symbols.folded(word) == "<=")
    }

    /// How many forms have been read.
    fn forms_read(&self) -> usize {
        self.members.len() - self.open.last().map_or(0, |list| list.first_member)
    }

    /// Takes the last rule's closing parenthesis back and reports it.
    fn open_last_rule_again(&mut self) {
        let Some(rule) = self.members.pop() else { return };
        self.early_closes -= 1;
        let span = self.tree.span(rule);
        let close = Span::new(span.end as usize - 1, span.end as usize);
        let message = "this `)` closes the rule before its end";
        let diagnostic = Diagnostic::new(&EXTRA_CLOSE, close, message);
        self.diagnostics.push(
            diagnostic
                .here("one too many")
                .help("remove it: the lines below belong to the rule")
                .fix(removal(close)),
        );
        self.open.push(OpenList { at: span.start as usize, first_member: self.members.len() });
        let members = self.tree.children(rule).to_vec();
        self.members.extend(members);
    }

    fn close_list(&mut self, at: usize) {
        if self.beyond_limit > 0 {
            self.beyond_limit -= 1;
        } else if let Some(list) = self.open.pop() {
            self.finish_list(&list, at + 1);
        } else {
            self.stray_closes += 1;
            let message = "this `)` closes nothing";
            let diagnostic = Diagnostic::new(&EXTRA_CLOSE, Span::new(at, at + 1), message);
            self.diagnostics.push(
                diagnostic
                    .here("no list is open here")
                    .fix(removal(Span::new(at, at + 1)))
                    .help("remove it, or find the `(` that is missing before it"),
            );
        }
    }

    fn finish_list(&mut self, list: &OpenList, end: usize) {
        let span = Span::new(list.at, end);
        let len = self.members.len() - list.first_member;
        if self.open.len() == self.depth_of_forms && std::mem::take(&mut self.form_is_cut) {
            self.a_form_was_cut = true;
            self.members.truncate(list.first_member);
            return;
        }
        if len == 0 && self.a_form_was_cut && self.open.is_empty() {
            return;
        }
        if len == 0 && !self.form_is_cut && !self.closing_unclosed {
            let diagnostic = Diagnostic::new(&EMPTY_LIST, span, "this list is empty");
            let fix = Fix::new("remove the empty list", vec![Edit::remove(span)]);
            self.diagnostics.push(diagnostic.help("remove it, or write what should stand in it").fix(fix));
        }
        let first = self.tree.children.len();
        self.tree.children.extend(self.members.drain(list.first_member..));
        let kind =
            NodeKind::List { first: index32(first, "list members"), len: index32(len, "list members") };
        let node = self.tree.add(kind, span);
        self.members.push(node);
    }

    /// Closes the lists that are open beyond `depth` as if their `)` stood at `end`, and reports them as one fault.
    fn close_unclosed(&mut self, depth: usize, end: usize) {
        let missing = self.open.len().saturating_sub(depth) + self.beyond_limit;
        self.beyond_limit = 0;
        let Some(innermost) = self.open.get(depth..).and_then(<[OpenList]>::last) else { return };
        let (outermost, innermost) = (self.open[depth].at, innermost.at);
        let message = match missing {
            1 => "this list is never closed: one `)` is missing".to_owned(),
            _ => format!("{missing} lists are never closed: {missing} `)` are missing"),
        };
        let mut diagnostic = Diagnostic::new(&UNCLOSED, Span::new(innermost, innermost + 1), message);
        diagnostic = diagnostic.here("opened here");
        if outermost != innermost {
            diagnostic = diagnostic.label(Span::new(outermost, outermost + 1), "the outermost open list");
        }
        let place = if end == self.text.len() { "the end of the text" } else { "the next rule" };
        /// Nobody forgets more than this by accident.
        const MOST_ADDED: usize = 100;
        if missing <= MOST_ADDED {
            let text = ")".repeat(missing);
            let at = Span::new(self.last_end, self.last_end);
            diagnostic = diagnostic.fix(Fix::new(format!("insert `{text}`"), vec![Edit::replace(at, text)]));
        }
        self.diagnostics.push(diagnostic.help(format!("add what is missing before {place}")));
        let end = self.text[..end].trim_ascii_end().len();
        self.closing_unclosed = true;
        while self.open.len() > depth {
            if let Some(list) = self.open.pop() {
                self.finish_list(&list, end.max(list.at + 1));
            }
        }
    }

    fn comment(&mut self, span: Span) {
        let text = &self.text[span.range()];
        if text.starts_with(b"#|") && span.end as usize == self.text.len() && !is_closed(text) {
            let begin = Span::new(span.start as usize, span.start as usize + 2);
            let diagnostic = Diagnostic::new(&UNCLOSED_COMMENT, begin, "this comment is never closed");
            self.diagnostics.push(diagnostic.here("opened here").help("end it with `|#`"));
        }
        if !self.valid_utf8 && std::str::from_utf8(text).is_err() {
            let message = "this comment is not valid UTF-8";
            self.diagnostics.push(Diagnostic::new(&INVALID_UTF8_COMMENT, span, message));
        }
        self.tree.comments.push(span);
        let words = directive(&self.text[span.range()]);
        self.tree.directives.extend(words.map(|words| (span, words)));
    }

    fn word(&mut self, span: Span) {
        let bytes = &self.text[span.range()];
        let symbol = match self.spellings.get(bytes) {
            Some(&symbol) => symbol,
            None => {
                let symbol = self.new_spelling(bytes, span);
                self.spellings.insert(bytes, symbol);
                symbol
            }
        };
        let node = self.tree.add(NodeKind::Word(symbol), span);
        self.members.push(node);
    }

    /// Interns a word that has not been met in this spelling, and says what is wrong with it.
    fn new_spelling(&mut self, bytes: &[u8], span: Span) -> Symbol {
        if bytes.len() > self.limits.symbol_bytes {
            self.report_long_symbol(span);
            let kept = &bytes[..self.limits.symbol_bytes];
            return self.tree.symbols.intern(&String::from_utf8_lossy(kept));
        }
        let Ok(name) = std::str::from_utf8(bytes) else {
            let message = "this symbol is not valid UTF-8";
            self.diagnostics
                .push(Diagnostic::new(&INVALID_UTF8, span, message).help("save the file as UTF-8"));
            return self.tree.symbols.intern(&String::from_utf8_lossy(bytes));
        };
        let symbol = self.tree.symbols.intern(name);
        match self.first_seen.get(&symbol) {
            Some(&first) => self.report_mixed_spellings(symbol, name, span, first),
            None => {
                self.first_seen.insert(symbol, span);
                self.check_characters(name, span);
            }
        }
        symbol
    }

    fn report_long_symbol(&mut self, span: Span) {
        let (len, most) = (span.range().len(), self.limits.symbol_bytes);
        let message = format!("this symbol has {len} bytes, more than the limit of {most}");
        // The label covers only the beginning: nobody wants to see the rest.
        let word = &self.text[span.range()];
        let shown = (40.min(len)..len).find(|&at| word[at] & 0xC0 != 0x80).unwrap_or(len);
        let begin = Span::new(span.start as usize, span.start as usize + shown);
        self.diagnostics.push(Diagnostic::new(&SYMBOL_TOO_LONG, begin, message));
    }

    fn report_mixed_spellings(&mut self, symbol: Symbol, name: &str, span: Span, first_seen: Span) {
        if Keyword::named(self.tree.symbols.folded(symbol)).is_some() {
            return;
        }
        let first = self.tree.symbols.spelling(symbol);
        let message = format!("`{name}` and `{first}` are the same symbol, spelled in two ways");
        let diagnostic = Diagnostic::new(&MIXED_SPELLINGS, span, message).here("spelled like this here");
        let fix = Fix::safe(format!("write `{first}`"), vec![Edit::replace(span, first)]);
        self.diagnostics.push(
            diagnostic
                .label(first_seen, "first spelled like this")
                .help("letter case does not matter in GDL; use one spelling")
                .fix(fix),
        );
    }

    fn check_characters(&mut self, name: &str, span: Span) {
        if name == "?" {
            let diagnostic = Diagnostic::new(&UNNAMED_VARIABLE, span, "this variable has no name");
            self.diagnostics.push(diagnostic.help("write a name behind the question mark"));
        }
        if let Some((at, bad)) = name.char_indices().find(|&(_, c)| is_invisible(c)) {
            let start = span.start as usize + at;
            let message = format!("the invisible character U+{:04X} stands inside a symbol", u32::from(bad));
            let diagnostic =
                Diagnostic::new(&BAD_CHARACTER, Span::new(start, start + bad.len_utf8()), message);
            let fix = if bad.is_whitespace() {
                let place = Span::new(start, start + bad.len_utf8());
                Fix::new("write a plain space", vec![Edit::replace(place, " ")])
            } else {
                Fix::new(
                    "remove the invisible character",
                    vec![Edit::remove(Span::new(start, start + bad.len_utf8()))],
                )
            };
            self.diagnostics.push(
                diagnostic.help("remove it, or write a plain space if names should be separated").fix(fix),
            );
        }
    }

    /// A text wrapped in one more pair of parentheses, or in several: its only form is a list that begins with a list.
    fn unwrap_outer_list(&mut self) {
        while let [only] = self.tree.forms[..]
            && let [first, ..] = *self.tree.children(only)
            && self.tree.is_list(first)
        {
            self.tree.forms = self.tree.children(only).to_vec();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Tree, Vec<Diagnostic>) {
        read_with(text.as_bytes(), &Limits::default())
    }

    fn read_with(text: &[u8], limits: &Limits) -> (Tree, Vec<Diagnostic>) {
        let mut diagnostics = Diagnostics::new(limits.diagnostics_per_code);
        let tree = parse(text, limits, &mut diagnostics);
        (tree, diagnostics.into_sorted())
    }

    fn codes(text: &str) -> Vec<&'static str> {
        read(text).1.iter().map(|diagnostic| diagnostic.code.id).collect()
    }

    #[test]
    fn forms_have_exact_spans() {
        let (tree, diagnostics) = read("(role x) ; one\n terminal");
        assert!(diagnostics.is_empty());
        let spans: Vec<_> = tree.forms().iter().map(|&form| tree.span(form)).collect();
        assert_eq!(spans, [Span::new(0, 8), Span::new(16, 24)]);
        assert_eq!(tree.comments(), [Span::new(9, 14)]);
    }

    #[test]
    fn an_outer_list_is_unwrapped() {
        let (wrapped, _) = read("( (role x) (<= (legal x m) (true a)) )");
        let (bare, _) = read("(role x)\n(<= (legal x m) (true a))");
        assert!(wrapped.same_forms(&bare));
        assert!(!read("(role y)").0.same_forms(&read("(role z)").0));
    }

    #[test]
    fn every_unclosed_rule_is_reported_and_the_rest_read() {
        let text = "(role x)\n(<= (legal x m) (true a)\n(<= (legal x n)\n    (true b)\n(role y)\n(role z)";
        let (tree, diagnostics) = read(text);
        let found: Vec<_> = diagnostics.iter().map(|d| (d.code.id, d.span().start)).collect();
        assert_eq!(found, [(UNCLOSED.id, 9), (UNCLOSED.id, 34)]);
        assert_eq!(tree.forms().len(), 5);
    }

    #[test]
    fn an_unclosed_rule_in_a_ragged_text_ends_at_the_next_rule() {
        let text = "(<= (p ?x)\n(true (f ?x))\n(<= (q ?x)\n(true (g ?x)))\n";
        let (tree, diagnostics) = read(text);
        assert_eq!(diagnostics.len(), 1);
        assert_eq!(tree.forms().len(), 2);
    }

    #[test]
    fn an_unclosed_rule_in_a_wrapped_text() {
        let (tree, diagnostics) = read("((role x)\n(<= a (true b)\n(<= c (true d))\n(init b))");
        assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
        assert_eq!(tree.forms().len(), 4);
    }

    #[test]
    fn a_rule_closed_too_early_is_read_to_its_end() {
        let (tree, diagnostics) =
            read("(role x)\n(<= (next (c ?y)))\n    (true (c ?x))\n    (n ?x ?y))\n(role y)");
        let found: Vec<_> = diagnostics.iter().map(|d| (d.code.id, d.span().start)).collect();
        assert_eq!(found, [(EXTRA_CLOSE.id, 26)]);
        assert_eq!((tree.forms().len(), tree.children(tree.forms()[1]).len()), (3, 4));
    }

    #[test]
    fn extra_closing_parentheses_are_all_reported() {
        assert_eq!(codes("(a b)) (c d)) (e)"), [EXTRA_CLOSE.id, EXTRA_CLOSE.id]);
    }

    #[test]
    fn deep_nesting_is_one_error_and_bounded() {
        let (tree, diagnostics) = read(&"(".repeat(1_000_000));
        assert_eq!(diagnostics.iter().filter(|d| d.code == &TOO_DEEP).count(), 1);
        assert!(tree.nodes.len() <= 10_001);
        let closed = format!("{}a{} (role x)", "(".repeat(20_000), ")".repeat(20_000));
        let (tree, diagnostics) = read(&closed);
        assert_eq!(diagnostics.len(), 1);
        assert_eq!(tree.forms().len(), 1);
    }

    #[test]
    fn a_wrapped_text_loses_only_the_form_that_is_too_deep() {
        let deep = format!("{}a{}", "(f ".repeat(20_000), ")".repeat(20_000));
        let (tree, diagnostics) = read(&format!("((role x) (p {deep}) (role y))"));
        assert_eq!((tree.forms().len(), diagnostics.len()), (2, 1));
    }

    #[test]
    fn a_huge_symbol_is_refused() {
        let (tree, diagnostics) = read(&format!("(role {})", "a".repeat(1 << 20)));
        assert_eq!(diagnostics[0].code, &SYMBOL_TOO_LONG);
        assert!(tree.symbols.spelling(tree.word(tree.children(tree.forms()[0])[1]).unwrap()).len() <= 4_096);
    }

    #[test]
    fn a_text_over_the_limit_is_refused() {
        let (tree, diagnostics) = read_with(b"(role x)", &Limits { bytes: 3, ..Limits::default() });
        assert!(tree.forms().is_empty());
        assert_eq!(diagnostics[0].code, &TEXT_TOO_LARGE);
    }

    #[test]
    fn any_bytes_are_read() {
        let bytes: Vec<u8> = (0..=255).collect();
        let (_, diagnostics) = read_with(&bytes, &Limits::default());
        assert!(!diagnostics.is_empty());
        let (_, diagnostics) = read_with(b"(role a\0b) ; \xFF\n(c \xFE)", &Limits::default());
        let codes: Vec<_> = diagnostics.iter().map(|d| d.code.id).collect();
        assert_eq!(codes, [BAD_CHARACTER.id, INVALID_UTF8_COMMENT.id, INVALID_UTF8.id]);
    }

    #[test]
    fn each_further_spelling_is_reported_once_and_keywords_never() {
        assert_eq!(codes("(role White) (ROLE white) (role WHITE) (role white)"), [MIXED_SPELLINGS.id; 2]);
    }
}
