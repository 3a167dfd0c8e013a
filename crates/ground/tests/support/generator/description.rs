//! A generated description as a list of rules, and how it shrinks: by leaving out rules, then single conditions, as
//! long as what is left still fails.

use std::collections::BTreeSet;
use std::fmt;

use proptest::prelude::any;
use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;

/// A rule: a head and the conditions of its body, as KIF.
#[derive(Clone)]
pub(crate) struct Rule {
    pub(crate) head: String,
    pub(crate) body: Vec<String>,
}

/// A description, with the names of the shapes that it was made of.
#[derive(Clone)]
pub(crate) struct Description {
    pub(crate) rules: Vec<Rule>,
    pub(crate) shapes: BTreeSet<&'static str>,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.body.is_empty() {
            return f.write_str(&self.head);
        }
        write!(f, "(<= {}", self.head)?;
        self.body.iter().try_for_each(|literal| write!(f, " {literal}"))?;
        f.write_str(")")
    }
}

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rules.iter().try_for_each(|rule| writeln!(f, "{rule}"))
    }
}

/// What a failing test prints is the description.
impl fmt::Debug for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

/// The descriptions that a function makes from seeds.
#[derive(Debug)]
pub(crate) struct Descriptions(pub(crate) fn(u64) -> Description);

impl Strategy for Descriptions {
    type Tree = Shrinking;
    type Value = Description;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        Ok(Shrinking::of((self.0)(any::<u64>().new_tree(runner)?.current())))
    }
}

/// What can be left out: a whole rule, or one condition of it.
#[derive(Clone, Copy)]
struct Piece {
    rule: usize,
    literal: Option<usize>,
}

/// A description from which pieces are taken out one after the other, over and over until all that are left are
/// needed.
pub(crate) struct Shrinking {
    whole: Description,
    pieces: Vec<Piece>,
    present: Vec<bool>,
    /// The piece to try next.
    next: usize,
    /// The piece taken out last.
    last: Option<usize>,
    /// Whether the present round has taken out a piece for good.
    progress: bool,
}

impl Shrinking {
    fn of(whole: Description) -> Self {
        let rules = (0..whole.rules.len()).map(|rule| Piece { rule, literal: None });
        let of_rule = |rule: usize| {
            (0..whole.rules[rule].body.len()).map(move |index| Piece { rule, literal: Some(index) })
        };
        let pieces: Vec<Piece> = rules.chain((0..whole.rules.len()).flat_map(of_rule)).collect();
        let present = vec![true; pieces.len()];
        Shrinking { whole, pieces, present, next: 0, last: None, progress: false }
    }

    /// Whether a piece is there; the first pieces are the rules, in order.
    fn is_there(&self, piece: usize) -> bool {
        self.present[piece] && self.present[self.pieces[piece].rule]
    }
}

impl ValueTree for Shrinking {
    type Value = Description;

    fn current(&self) -> Description {
        let mut rules: Vec<Option<Rule>> = self
            .whole
            .rules
            .iter()
            .map(|rule| Some(Rule { head: rule.head.clone(), body: Vec::new() }))
            .collect();
        for (index, piece) in self.pieces.iter().enumerate() {
            match (piece.literal, &mut rules[piece.rule]) {
                (None, slot) if !self.present[index] => *slot = None,
                (Some(literal), Some(rule)) if self.present[index] => {
                    rule.body.push(self.whole.rules[piece.rule].body[literal].clone());
                }
                _ => {}
            }
        }
        Description { rules: rules.into_iter().flatten().collect(), shapes: self.whole.shapes.clone() }
    }

    /// Called after a failure, so what was taken out last is not needed.
    fn simplify(&mut self) -> bool {
        self.progress |= self.last.take().is_some();
        loop {
            if self.next == self.pieces.len() {
                if !std::mem::take(&mut self.progress) {
                    return false;
                }
                self.next = 0;
            }
            let piece = self.next;
            self.next += 1;
            if self.is_there(piece) {
                self.present[piece] = false;
                self.last = Some(piece);
                return true;
            }
        }
    }

    /// Called after a success, so what was taken out last is needed.
    fn complicate(&mut self) -> bool {
        if let Some(piece) = self.last.take() {
            self.present[piece] = true;
        }
        self.simplify()
    }
}
