//! The resolution tree: OR nodes, one for each relation and pattern of known columns, and AND nodes, one for each rule of
//! an OR node, whose conditions are merge operations in the order of a plan. OR nodes are shared, so the tree is a graph;
//! where rules are recursive it has cycles. The tree is made once and not changed; what is proven lives in `prove`.

use super::build::Demand;
use super::domains::DomainId;
use super::program::{Level, PredicateId};

/// The number of an OR node.
pub(super) type OrId = usize;

/// The number of an AND node.
pub(super) type AndId = usize;

/// Where a value comes from: a column of the current row, or the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Slot(usize),
    Constant(u32),
}

impl Value {
    #[inline]
    pub(super) fn of(self, row: &[u32]) -> u32 {
        match self {
            Value::Slot(slot) => row[slot],
            Value::Constant(value) => value,
        }
    }
}

/// How an OR node's recursion is proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recursion {
    /// It does not depend on itself.
    None,
    /// It does: its group is brought to a fixpoint together.
    Positive,
    /// It depends on its own negation, with other arguments one must hope: every question is proven by itself.
    Negated,
}

/// A container for the facts of a relation that were asked for.
#[derive(Debug)]
pub(super) struct Or {
    pub(super) predicate: PredicateId,
    /// The columns of the predicate that rows have; the others are constants of the query.
    pub(super) columns: Box<[usize]>,
    /// Which of these columns a filter gives.
    pub(super) key: Box<[usize]>,
    /// What was asked for: constants of the query, columns that a filter gives, and the others.
    pub(super) demand: Vec<Demand>,
    pub(super) level: Level,
    /// OR nodes that depend on each other have the same group.
    pub(super) group: usize,
    pub(super) recursion: Recursion,
    pub(super) ands: Vec<AndId>,
}

impl Or {
    /// Whether the filter gives every column, so that one answer is all there can be.
    pub(super) fn is_test(&self) -> bool {
        self.key.len() == self.columns.len()
    }
}

/// What an AND node asks of the key that it begins with.
#[derive(Clone, Copy, Debug)]
pub(super) enum KeyTest {
    /// A column is this constant.
    Is(usize, u32),
    /// Two columns are equal.
    Same(usize, usize),
}

/// A rule as an OR node uses it.
#[derive(Debug)]
pub(super) struct And {
    pub(super) or: OrId,
    pub(super) tests: Box<[KeyTest]>,
    /// The columns of the key that the first rows have.
    pub(super) entry: Box<[usize]>,
    pub(super) steps: Vec<AndStep>,
    /// The row of the OR node that a row of the last step gives.
    pub(super) head: Box<[Value]>,
}

/// Whose rows a merge operation reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// Facts: of the description, of the state, or the moves made.
    Table(usize),
    /// What an OR node proves.
    Or(OrId),
}

/// How the rows of a condition are found for a row at hand.
#[derive(Clone, Debug)]
pub(super) struct Access {
    pub(super) source: Source,
    pub(super) index: usize,
    /// The part of the key's code that is constant.
    pub(super) base: u64,
    /// The slots of the key and their factors in the code.
    pub(super) parts: Box<[(usize, u64)]>,
    /// The key.
    pub(super) key: Box<[Value]>,
    /// The columns of the key; compared where a code does not tell.
    pub(super) columns: Box<[usize]>,
    pub(super) compares: bool,
    /// Columns that must be equal to each other.
    pub(super) same: Box<[(usize, usize)]>,
}

/// The kinds of merge operations, in the paper's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Merge {
    /// The first variables.
    New,
    /// Variables in common, and new ones.
    True,
    /// New variables, and none in common.
    Combine,
    /// Variables in common, and none new.
    Verify,
    /// No variables.
    Check,
}

/// A step of an AND node.
#[derive(Debug)]
pub(super) enum AndStep {
    /// New, True and Combine merge: rows are completed by matching rows.
    Join {
        access: Access,
        merge: Merge,
        keep: Box<[usize]>,
        take: Box<[usize]>,
        /// Whether rows may come twice, and more than a test depends on them; where that is counted.
        sieve: Option<usize>,
        /// Where rows wait for answers of the same recursion.
        consumer: Option<usize>,
    },
    /// Verify and Check merge, and their negations: rows stay or go.
    Test { access: Access, merge: Merge, negated: bool },
    /// Distinct merge, or its opposite.
    Compare { pairs: Box<[(Value, Value)]>, equal: bool },
    /// An interned term is taken apart: parts that are known are compared, the others are new columns.
    TakeApart { whole: Value, name: u32, known: Box<[(usize, Value)]>, take: Box<[usize]> },
    /// An interned term is put together: a new column.
    PutTogether { domain: DomainId, name: u32, parts: Box<[Value]>, nested: Box<[bool]> },
    /// OR merge: each alternative works on its own copy; then all rows are one set again.
    Or { alternatives: Vec<Alternative>, width: usize, adds: bool },
}

/// An alternative of an OR merge.
#[derive(Debug)]
pub(super) struct Alternative {
    pub(super) steps: Vec<AndStep>,
    /// The columns of its last rows that the rows after the merge have.
    pub(super) keep: Box<[usize]>,
}
