//! The canonical layout of a description. One fact per line, or several where the author wrote several in a line
//! and they fit; a rule has its head on the first line and each literal
//! of its body on a line of its own; what does not fit is broken with its arguments under each other. Comments and
//! single blank lines between forms are kept. Formatting twice changes nothing, and the formatted text reads as the
//! same description.
//!
//! The layout works on lists and words alone, so that it also formats descriptions that are not GDL; a text with
//! faulty parentheses or bytes is refused. Like the reader, it never recurses along the nesting of a text.

use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::limits::Limits;
use crate::span::Span;
use crate::syntax::{NodeId, NodeKind, Tree, looks_infix, parse};

/// The longest line, unless a single word or a deep indentation leaves no choice.
const WIDTH: usize = 100;
/// Beyond this column lists are not broken any more: deep nesting would fill the page with white space.
const DEEPEST_INDENT: usize = 60;
/// Arguments are aligned under the first one, unless the name before it is longer than this.
const LONGEST_ALIGNED_NAME: usize = 12;

/// Formats a text, or gives the faults that stand in the way.
pub fn format(text: &[u8], limits: &Limits) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let mut diagnostics = Diagnostics::new(limits.diagnostics_per_code);
    let tree = parse(text, limits, &mut diagnostics);
    // Even where its parentheses match: laid out as KIF, a text in another syntax would be lost.
    if let Some(other_syntax) = looks_infix(text) {
        return Err(vec![other_syntax]);
    }
    if diagnostics.has_errors() {
        let mut faults = diagnostics.into_sorted();
        faults.retain(|diagnostic| diagnostic.severity == Severity::Error);
        return Err(faults);
    }
    Ok(Formatter::new(text, &tree).run())
}

/// How a node is laid out.
#[derive(Clone, Copy)]
enum Layout {
    Flat,
    Broken,
}

/// What is still to be written, innermost first.
enum Pending {
    /// The next member of a broken list.
    Member { list: NodeId, index: usize, indent: usize },
    /// A node, laid out as it needs.
    Node { node: NodeId, indent: usize },
    /// A node on one line.
    Flat(NodeId),
    /// A space inside a flat list.
    Space,
    /// The end of a flat list.
    Close,
    /// The end of a broken list.
    CloseBroken { list: NodeId, indent: usize },
}

/// A comment with what its place says about it.
#[derive(Clone, Copy)]
struct Comment {
    span: Span,
    /// Something stands before it in its line.
    ends_line: bool,
    /// Up to this offset only closing parentheses and white space stand behind it.
    closers_until: u32,
}

struct Formatter<'a> {
    text: &'a [u8],
    tree: &'a Tree,
    /// The width of each node on one line, by the node's index.
    widths: Vec<usize>,
    comments: Vec<Comment>,
    /// How many of the comments are written.
    written: usize,
    out: Vec<u8>,
    column: usize,
    /// A comment that belongs at the end of the current line.
    trailing: Option<Span>,
    /// The current line is a comment, so whatever comes next needs a new one.
    in_comment: bool,
}

impl<'a> Formatter<'a> {
    fn new(text: &'a [u8], tree: &'a Tree) -> Self {
        let widths = flat_widths(tree);
        let out = Vec::with_capacity(text.len());
        Formatter {
            text,
            tree,
            widths,
            comments: tree.comments().iter().map(|&span| comment_at(text, span)).collect(),
            written: 0,
            out,
            column: 0,
            trailing: None,
            in_comment: false,
        }
    }

    fn run(mut self) -> Vec<u8> {
        let mut before = None;
        for &form in self.tree.forms() {
            let span = self.tree.span(form);
            self.write_comments(span.start, 0, true);
            if before.is_some_and(|before| self.shares_line(before, form)) {
                self.write(b" ");
            } else {
                self.start_item(span.start);
            }
            self.write_form(form);
            before = Some(form);
        }
        self.write_comments(u32::MAX, 0, true);
        self.end_line();
        self.out
    }

    /// Begins a top-level form or comment on a line of its own, keeping one blank line where there were some.
    fn start_item(&mut self, start: u32) {
        if self.out.is_empty() {
            return;
        }
        self.new_line(0);
        let before = &self.text[..start as usize];
        let gap = &before[before.trim_ascii_end().len()..];
        if gap.iter().filter(|&&byte| byte == b'\n').count() > 1 {
            self.out.push(b'\n');
        }
    }

    /// Whether a form stays on the line of the one before: both are facts, the author wrote them so, and they fit.
    fn shares_line(&self, before: NodeId, form: NodeId) -> bool {
        let between = self.tree.span(before).end as usize..self.tree.span(form).start as usize;
        let spaces_only = |gap: &[u8]| gap.iter().all(|byte| matches!(byte, b' ' | b'\t'));
        let fits = self.column + 1 + self.widths[form.index()] <= WIDTH;
        let plain = self.trailing.is_none() && !self.in_comment && !self.holds_comment(form);
        fits && plain
            && !self.is_rule(before)
            && !self.is_rule(form)
            && self.text.get(between).is_some_and(spaces_only)
    }

    fn is_rule(&self, node: NodeId) -> bool {
        let members = self.tree.children(node);
        let word = members.first().and_then(|&first| self.tree.word(first));
        members.len() > 2 && word.is_some_and(|word| self.tree.symbols.folded(word) == "<=")
    }

    fn write_form(&mut self, form: NodeId) {
        let mut steps = vec![Pending::Node { node: form, indent: 0 }];
        while let Some(step) = steps.pop() {
            match step {
                Pending::Space => self.write(b" "),
                Pending::Close => self.write(b")"),
                Pending::Flat(node) => self.flat(node, &mut steps),
                Pending::Node { node, indent } => match self.layout(node, indent) {
                    Layout::Flat => steps.push(Pending::Flat(node)),
                    Layout::Broken => {
                        self.write(b"(");
                        steps.push(Pending::Member { list: node, index: 0, indent });
                    }
                },
                Pending::Member { list, index, indent } => self.member(list, index, indent, &mut steps),
                Pending::CloseBroken { list, indent } => {
                    self.write_comments(self.tree.span(list).end, indent, false);
                    if self.in_comment {
                        self.new_line(indent);
                    }
                    self.write(b")");
                }
            }
        }
    }

    fn flat(&mut self, node: NodeId, steps: &mut Vec<Pending>) {
        if !self.tree.is_list(node) {
            let word = &self.text[self.tree.span(node).range()];
            return self.write(word);
        }
        self.write(b"(");
        steps.push(Pending::Close);
        for (index, &member) in self.tree.children(node).iter().enumerate().rev() {
            steps.push(Pending::Flat(member));
            if index > 0 {
                steps.push(Pending::Space);
            }
        }
    }

    /// Writes a member of a broken list: the name, then the first argument beside it, then the others under that.
    fn member(&mut self, list: NodeId, index: usize, indent: usize, steps: &mut Vec<Pending>) {
        let members = self.tree.children(list);
        let under = self.argument_indent(list, indent);
        let column = if index == 0 { (indent + 1).min(DEEPEST_INDENT) } else { under };
        let Some(&node) = members.get(index) else {
            return steps.push(Pending::CloseBroken { list, indent: under });
        };
        self.write_comments(self.tree.span(node).start, column, false);
        if index > 1 || self.in_comment || self.trailing.is_some() {
            self.new_line(column);
        } else if index == 1 {
            self.write(b" ");
        }
        steps.push(Pending::Member { list, index: index + 1, indent });
        steps.push(Pending::Node { node, indent: column });
    }

    /// The column of the arguments of a broken list that begins at `indent`.
    fn argument_indent(&self, list: NodeId, indent: usize) -> usize {
        let name = self.tree.children(list).first();
        let step = match name {
            Some(&name) if !self.tree.is_list(name) && self.widths[name.index()] <= LONGEST_ALIGNED_NAME => {
                self.widths[name.index()] + 2
            }
            Some(&name) if !self.tree.is_list(name) => 4,
            _ => 1,
        };
        (indent + step).min(DEEPEST_INDENT)
    }

    fn layout(&self, node: NodeId, indent: usize) -> Layout {
        if self.tree.children(node).is_empty() {
            return Layout::Flat;
        }
        let fits = self.column + self.widths[node.index()] <= WIDTH || indent >= DEEPEST_INDENT;
        if self.is_rule(node) || self.holds_comment(node) || !fits { Layout::Broken } else { Layout::Flat }
    }

    /// Whether a comment stands inside the list so that it must be broken. A single comment behind the last word, at
    /// the end of its line, can be written behind the closing parentheses instead.
    fn holds_comment(&self, list: NodeId) -> bool {
        let span = self.tree.span(list);
        let within = |limit: u32| self.comments.partition_point(|comment| comment.span.start < limit);
        let inside = &self.comments[within(span.start)..within(span.end)];
        let [only] = inside else { return !inside.is_empty() };
        !(only.ends_line && only.closers_until >= span.end)
    }

    /// Writes the comments that stand before an offset.
    fn write_comments(&mut self, limit: u32, indent: usize, top_level: bool) {
        while let Some(&comment) = self.comments.get(self.written)
            && comment.span.start < limit
        {
            self.written += 1;
            let free = self.trailing.is_none() && !self.in_comment && !self.out.is_empty();
            if free && comment.ends_line {
                self.trailing = Some(comment.span);
                continue;
            }
            if top_level {
                self.start_item(comment.span.start);
            } else {
                self.new_line(indent);
            }
            self.write_comment(comment.span);
            self.in_comment = true;
        }
    }

    fn write_comment(&mut self, comment: Span) {
        let text = &self.text[comment.range()];
        self.out.extend_from_slice(text.trim_ascii_end());
    }

    fn write(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
        self.column += bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
    }

    fn end_line(&mut self) {
        if let Some(comment) = self.trailing.take() {
            self.out.push(b' ');
            self.write_comment(comment);
        }
        if !self.out.is_empty() {
            self.out.push(b'\n');
        }
        self.in_comment = false;
        self.column = 0;
    }

    fn new_line(&mut self, indent: usize) {
        self.end_line();
        self.out.resize(self.out.len() + indent, b' ');
        self.column = indent;
    }
}

fn comment_at(text: &[u8], span: Span) -> Comment {
    let is_space = |byte: u8| byte.is_ascii_whitespace() || byte == 0x0B;
    let mut line =
        text[..span.start as usize].iter().rev().take_while(|&&byte| byte != b'\n' && byte != b'\r');
    let behind = &text[span.end as usize..];
    let closers = behind.iter().take_while(|&&byte| byte == b')' || is_space(byte)).count();
    Comment {
        span,
        ends_line: line.any(|&byte| !is_space(byte)),
        closers_until: Span::new(0, span.end as usize + closers).end,
    }
}

/// The width of every node on one line. Members come before their lists, so one pass suffices.
fn flat_widths(tree: &Tree) -> Vec<usize> {
    let mut widths: Vec<usize> = Vec::with_capacity(tree.len());
    for node in tree.nodes() {
        let width = match tree.kind(node) {
            NodeKind::Word(symbol) => tree.symbols.spelling(symbol).chars().count(),
            NodeKind::List { len, .. } => {
                let members = tree.children(node).iter().map(|member| widths[member.index()]).sum::<usize>();
                members + (len as usize).saturating_sub(1) + 2
            }
        };
        widths.push(width);
    }
    widths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(text: &str) -> String {
        let once = format(text.as_bytes(), &Limits::default()).expect("no fault");
        let twice = format(&once, &Limits::default()).expect("no fault");
        let (once, twice) = (String::from_utf8(once).unwrap(), String::from_utf8(twice).unwrap());
        assert_eq!(once, twice, "formatting again changed something");
        let tree = |text: &str| parse(text.as_bytes(), &Limits::default(), &mut Diagnostics::new(10));
        assert!(tree(text).same_forms(&tree(&once)), "formatting changed the description:\n{once}");
        assert_eq!(tree(text).comments().len(), tree(&once).comments().len(), "a comment was lost:\n{once}");
        once
    }

    #[test]
    fn facts_and_rules() {
        let text = "( role   x)(init(cell 1 1 b))\n\n\n\n(<= terminal (true a)(not\n(true b)))";
        let expected = "(role x) (init (cell 1 1 b))\n\n(<= terminal\n    (true a)\n    (not (true b)))\n";
        assert_eq!(formatted(text), expected);
        assert_eq!(formatted("(<= p)"), "(<= p)\n");
        assert_eq!(formatted(""), "");
    }

    #[test]
    fn wrapped_texts_are_unwrapped() {
        assert_eq!(formatted("((role x)\n (role y))"), "(role x)\n(role y)\n");
        assert_eq!(formatted("(((a b)))"), "(a b)\n");
    }

    #[test]
    fn facts_written_in_one_line_stay_there_as_far_as_they_fit() {
        assert_eq!(
            formatted("(s 1 2)   (s 2 3)\n(s 3 4) p (<= p q)\n"),
            "(s 1 2) (s 2 3)\n(s 3 4) p\n(<= p\n    q)\n"
        );
        let many = formatted(&"(succ 1 2) ".repeat(30));
        assert!(many.lines().count() == 4 && many.lines().all(|line| line.len() <= WIDTH), "{many}");
        formatted("(a) (b) ; c\n(d) ; e\n (f (g ; h\n)) (i)");
    }

    #[test]
    fn long_lists_are_broken_under_the_first_argument() {
        let long = "(<= terminal (or (true (first-long-name ?x ?y ?z aaaaaaaaaaaa)) (true (second-long-name ?x ?y ?z bbbbbbbbbbbbbb))))";
        let expected = "(<= terminal\n    (or (true (first-long-name ?x ?y ?z aaaaaaaaaaaa))\n        (true (second-long-name ?x ?y ?z bbbbbbbbbbbbbb))))\n";
        assert_eq!(formatted(long), expected);
    }

    #[test]
    fn comments_stay_where_they_belong() {
        let text = "; top\n(role x) ; one\n\n;; two\n(<= (p ?x) ; head\n; own line\n  (q ?x) ; why\n (r ?x) ; last\n)\n; end";
        let expected = "; top\n(role x) ; one\n\n;; two\n(<= (p ?x) ; head\n    ; own line\n    (q ?x) ; why\n    (r ?x)) ; last\n; end\n";
        assert_eq!(formatted(text), expected);
    }

    #[test]
    fn comments_in_awkward_places() {
        for text in [
            "(p (a b ; one\n ) ; two\n )",
            "( ; here\n p ; there\n a ; everywhere\n ; alone\n )",
            "(p (a b c ; inside\n) d)",
            "(<= ; before\n p ; head\n q)",
            "; only",
            "; a\r\n(p) ; b\r\n",
            "(p ; x\n) ; y\n; z\n(q)",
            "(p\n; c\n) (q) ; d",
            "a ; b\nc ; d",
            "#| one |# (p #| two |# a) #| three |# (q)",
            "(p a #| last |#) #| x\n  y |# ; z\n(q #| 1 |# #| 2 |# ; 3\n b)",
            "(<= p #| a\n  b |#\n q #|c|# (r #|d|#)) #||#",
        ] {
            formatted(text);
        }
    }

    #[test]
    fn deep_nesting_stays_linear() {
        let text = format!("{}a{}", "(f b ".repeat(9_000), ")".repeat(9_000));
        let out = formatted(&text);
        assert!(out.len() < 2 * text.len() + 100_000, "{} bytes", out.len());
    }

    #[test]
    fn faulty_texts_are_refused() {
        assert!(format(b"(a", &Limits::default()).is_err());
        assert!(format(b"a)", &Limits::default()).is_err());
        assert!(format(b"()", &Limits::default()).is_err());
        assert!(format(b"role(white)", &Limits::default()).is_err(), "it is in infix syntax");
    }

    #[test]
    fn comments_keep_their_bytes() {
        assert_eq!(format(b"(a) ; \xFF", &Limits::default()).unwrap(), b"(a) ; \xFF\n");
    }
}
