//! From bytes to a tree of lists and words, with exact spans and every comment kept. Reading never fails: a broken
//! text gives the tree that can be made of it and diagnostics. The tree knows nothing of GDL's keywords; that is
//! left to [`crate::game`].
//!
//! Invariant: nodes are stored children before parents and lists own consecutive child ranges, so that everything
//! downstream can walk the tree with a loop or an explicit stack. No recursion follows the nesting of a text.

pub(crate) mod codes;
mod infix;
pub(crate) mod lexer;
mod parser;

use crate::index::index32;
use crate::span::Span;
use crate::symbol::{Symbol, Symbols};

pub use codes::CODES;
pub use infix::{looks_infix, parse_infix, to_kif as infix_to_kif};
pub use parser::parse;

/// A node of a [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

impl NodeId {
    /// The node's index; members come before the list that holds them.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A word: a symbol or a variable.
    Word(Symbol),
    /// A parenthesised list; its members are [`Tree::children`].
    List {
        /// Where the members begin in the tree's table of children.
        first: u32,
        /// How many there are.
        len: u32,
    },
}

#[derive(Clone, Copy, Debug)]
struct Node {
    span: Span,
    kind: NodeKind,
}

/// The lists and words of a text.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    children: Vec<NodeId>,
    forms: Vec<NodeId>,
    comments: Vec<Span>,
    directives: Vec<(Span, String)>,
    /// The names in the text.
    pub symbols: Symbols,
}

impl Tree {
    /// The top-level forms in order. A text wrapped in one more pair of parentheses is unwrapped.
    pub fn forms(&self) -> &[NodeId] {
        &self.forms
    }

    /// The comments in order, each from its semicolon to the end of its line, or from `#|` to `|#`.
    pub fn comments(&self) -> &[Span] {
        &self.comments
    }

    /// The comments of the form `;; groundrules: WORDS`, which speak to the program: where they stand, and their words.
    pub fn directives(&self) -> &[(Span, String)] {
        &self.directives
    }

    /// All the nodes, members before the list that holds them.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> {
        (0..self.len()).map(node_at)
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// What a node is.
    pub fn kind(&self, node: NodeId) -> NodeKind {
        self.nodes[node.index()].kind
    }

    /// Where a node stands.
    pub fn span(&self, node: NodeId) -> Span {
        self.nodes[node.index()].span
    }

    /// The members of a list; a word has none.
    pub fn children(&self, node: NodeId) -> &[NodeId] {
        match self.kind(node) {
            NodeKind::Word(_) => &[],
            NodeKind::List { first, len } => &self.children[first as usize..(first + len) as usize],
        }
    }

    /// The symbol of a word.
    pub fn word(&self, node: NodeId) -> Option<Symbol> {
        match self.kind(node) {
            NodeKind::Word(symbol) => Some(symbol),
            NodeKind::List { .. } => None,
        }
    }

    /// Whether the node is a list.
    pub fn is_list(&self, node: NodeId) -> bool {
        matches!(self.kind(node), NodeKind::List { .. })
    }

    /// The node and everything below it, each list before its members, in the order of the text.
    pub fn descendants(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let mut stack = vec![node];
        std::iter::from_fn(move || {
            let node = stack.pop()?;
            stack.extend(self.children(node).iter().rev());
            Some(node)
        })
    }

    /// Where the word `symbol` stands at or below `node`, in order.
    pub fn occurrences(&self, node: NodeId, symbol: Symbol) -> impl Iterator<Item = Span> + '_ {
        self.descendants(node)
            .filter(move |&below| self.word(below) == Some(symbol))
            .map(|below| self.span(below))
    }

    /// Whether two trees hold the same forms, letter case, spans and comments aside.
    pub fn same_forms(&self, other: &Tree) -> bool {
        let flat = |tree: &Tree| -> Vec<Option<String>> {
            let nodes = tree.forms.iter().flat_map(|&form| tree.descendants(form));
            nodes
                .map(|node| match tree.kind(node) {
                    NodeKind::Word(symbol) => Some(tree.symbols.folded(symbol).to_owned()),
                    // The number of members makes the flat sequence unambiguous.
                    NodeKind::List { len, .. } => Some(format!("({len}")),
                })
                .collect()
        };
        self.forms.len() == other.forms.len() && flat(self) == flat(other)
    }

    fn add(&mut self, kind: NodeKind, span: Span) -> NodeId {
        let id = node_at(self.nodes.len());
        self.nodes.push(Node { span, kind });
        id
    }
}

fn node_at(place: usize) -> NodeId {
    NodeId(index32(place, "words and lists"))
}
