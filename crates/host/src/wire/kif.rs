//! Texts of the wire taken apart into lists and words. The reader is the one of descriptions, so its limits hold here too;
//! what is written back keeps the sender's spelling and has one space where there was any white space or comment.

use groundrules_gdl::syntax::{NodeId, NodeKind, Tree, parse};
use groundrules_gdl::{Diagnostics, Limits, Severity};

/// The largest message, in bytes.
pub(crate) const MOST_BYTES: usize = 16 << 20;

/// Why a text is no message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// It is not made of lists and words, or is too large.
    #[error("the text is not KIF: {0}")]
    NotKif(String),
    /// It is no message of the protocol.
    #[error("{0}")]
    NotUnderstood(String),
}

/// A text and its lists and words.
pub struct Text<'bytes> {
    bytes: &'bytes [u8],
    tree: Tree,
}

impl<'bytes> Text<'bytes> {
    /// Takes a text apart.
    pub fn read(bytes: &'bytes [u8]) -> Result<Self, WireError> {
        let limits = Limits { bytes: MOST_BYTES, diagnostics_per_code: 1, ..Limits::default() };
        let mut diagnostics = Diagnostics::new(limits.diagnostics_per_code);
        let tree = parse(bytes, &limits, &mut diagnostics);
        // An empty list is no GDL, but some hosts write one where they mean NIL.
        let is_fault = |fault: &groundrules_gdl::Diagnostic| {
            fault.severity == Severity::Error && fault.code.id != EMPTY_LIST
        };
        match diagnostics.into_sorted().into_iter().find(is_fault) {
            Some(fault) => Err(WireError::NotKif(fault.message)),
            None => Ok(Text { bytes, tree }),
        }
    }

    /// The lists and words.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The one list or word that the text is.
    pub fn only(&self) -> Option<NodeId> {
        match self.tree.forms() {
            &[only] => Some(only),
            _ => None,
        }
    }

    /// A word or list as it was spelled, on one line.
    pub fn spelled(&self, node: NodeId) -> String {
        let mut text = String::new();
        self.write(node, &mut text, &mut |word, out| out.push_str(word));
        text
    }

    /// The bytes of a word or list as they came.
    pub fn as_sent(&self, node: NodeId) -> &'bytes [u8] {
        self.bytes.get(self.tree.span(node).range()).unwrap_or_default()
    }

    /// Writes a word or list on one line, each word by a function that is given its spelling.
    pub fn write(&self, node: NodeId, out: &mut String, word: &mut dyn FnMut(&str, &mut String)) {
        enum Pending {
            Node(NodeId),
            Close,
        }
        let mut steps = vec![Pending::Node(node)];
        while let Some(step) = steps.pop() {
            let Pending::Node(node) = step else {
                out.push(')');
                continue;
            };
            if !out.is_empty() && !out.ends_with('(') {
                out.push(' ');
            }
            match self.tree.kind(node) {
                NodeKind::Word(_) => word(&String::from_utf8_lossy(self.as_sent(node)), out),
                NodeKind::List { .. } => {
                    out.push('(');
                    steps.push(Pending::Close);
                    steps.extend(self.tree.children(node).iter().rev().map(|&child| Pending::Node(child)));
                }
            }
        }
    }
}

/// The code of the diagnostic about `()`.
const EMPTY_LIST: &str = "G107";

/// The one term that a text is, on one line; nothing if it is none or has a variable.
pub fn one_term(bytes: &[u8]) -> Option<String> {
    let text = Text::read(bytes).ok()?;
    // The reader takes one pair of parentheses off `((a))`, which is the same term.
    let node = text.only()?;
    let has_variable = text.tree.symbols_below(node).any(|name| name.starts_with('?'));
    (!has_variable).then(|| text.spelled(node))
}

/// The rules of a description without comments and line ends, each word by a function that is given its spelling.
pub fn rules_on_one_line(
    description: &[u8],
    word: &mut dyn FnMut(&str, &mut String),
) -> Result<String, WireError> {
    let text = Text::read(description)?;
    let mut out = String::new();
    for &form in text.tree.forms() {
        text.write(form, &mut out, word);
    }
    Ok(out)
}

/// The names of the words at or below a node.
trait Names {
    fn symbols_below(&self, node: NodeId) -> impl Iterator<Item = &str>;
}

impl Names for Tree {
    fn symbols_below(&self, node: NodeId) -> impl Iterator<Item = &str> {
        self.descendants(node).filter_map(|below| self.word(below)).map(|symbol| self.symbols.folded(symbol))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_is_kept_and_space_is_not() {
        assert_eq!(one_term(b" ( Mark  1\n2 ) ").as_deref(), Some("(Mark 1 2)"));
        assert_eq!(one_term(b"NOOP").as_deref(), Some("NOOP"));
        for none in ["", "a b", "(mark 1", "mark)", "(mark ?x)", "\u{0}"] {
            assert_eq!(one_term(none.as_bytes()), None, "{none:?}");
        }
    }

    #[test]
    fn rules_lose_their_comments() {
        let plain = &mut |word: &str, out: &mut String| out.push_str(word);
        let rules = rules_on_one_line(b"; a game\n(role a) ; one\n(<= p\n  (true  q))", plain);
        assert_eq!(rules.as_deref(), Ok("(role a) (<= p (true q))"));
    }

    #[test]
    fn deep_texts_are_no_danger() {
        let deep = [vec![b'('; 9_000], b"a".to_vec(), vec![b')'; 9_000]].concat();
        assert!(one_term(&deep).is_some());
        let deeper = [vec![b'('; 90_000], b"a".to_vec(), vec![b')'; 90_000]].concat();
        assert_eq!(one_term(&deeper), None);
    }
}
