//! The game: rules made of relations, terms and literals, with keywords given their meaning and negation pushed
//! down to the literals. `build.rs` makes it from a tree; the checks of `checks` judge it; every later crate
//! takes it from [`crate::Checked`], where it only appears when the checks found no error.

mod build;
mod codes;
mod identity;
mod kif;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::index::index32;
use crate::keyword::Keyword;
use crate::span::Span;
use crate::symbol::{Symbol, Symbols};
use crate::syntax::{NodeId, Tree};
use crate::term::{TermId, Terms};
use crate::verdict::Verdict;

pub(crate) use build::build;
pub use codes::CODES;

/// A relation of a [`Game`]: a name with an arity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelationId(u32);

impl RelationId {
    /// `role`
    pub const ROLE: RelationId = RelationId(0);
    /// `init`
    pub const INIT: RelationId = RelationId(1);
    /// `true`
    pub const TRUE: RelationId = RelationId(2);
    /// `does`
    pub const DOES: RelationId = RelationId(3);
    /// `next`
    pub const NEXT: RelationId = RelationId(4);
    /// `legal`
    pub const LEGAL: RelationId = RelationId(5);
    /// `goal`
    pub const GOAL: RelationId = RelationId(6);
    /// `terminal`
    pub const TERMINAL: RelationId = RelationId(7);
    /// `base`
    pub const BASE: RelationId = RelationId(8);
    /// `input`
    pub const INPUT: RelationId = RelationId(9);
    /// `sees`
    pub const SEES: RelationId = RelationId(10);

    /// The relation's index; the keywords come first, in the order of [`Keyword::RELATIONS`].
    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) fn as_u32(self) -> u32 {
        self.0
    }

    /// The keyword whose relation this is.
    pub fn keyword(self) -> Option<Keyword> {
        Keyword::RELATIONS.get(self.index()).copied()
    }
}

/// What is known of a relation by its uses.
#[derive(Clone, Copy, Debug)]
pub struct Relation {
    /// The name.
    pub name: Symbol,
    /// The number of arguments.
    pub arity: usize,
    /// The first rule with it as its head.
    pub defined: Option<NodeId>,
    /// The first literal with it in a body.
    pub used: Option<NodeId>,
}

/// A relation applied to terms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Atom {
    /// The relation.
    pub relation: RelationId,
    /// As many terms as the relation's arity.
    pub arguments: Box<[TermId]>,
}

/// What a literal asks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Test {
    /// Whether an atom holds.
    Atom(Atom),
    /// Whether two terms are equal. `distinct` is the negation of this; neither binds a variable.
    Equal([TermId; 2]),
}

/// A test, or the negation of one.
#[derive(Clone, Debug)]
pub struct Literal {
    /// What is asked.
    pub test: Test,
    /// Whether the answer must be yes.
    pub positive: bool,
    /// Where the atom or the `distinct` stands, without any `not` around it.
    pub node: NodeId,
}

impl Literal {
    /// The atom, if the literal is a positive one.
    pub fn positive_atom(&self) -> Option<&Atom> {
        match &self.test {
            Test::Atom(atom) if self.positive => Some(atom),
            _ => None,
        }
    }

    /// The atom, negated or not.
    pub fn atom(&self) -> Option<&Atom> {
        match &self.test {
            Test::Atom(atom) => Some(atom),
            Test::Equal(_) => None,
        }
    }

    /// The terms of the literal.
    pub fn terms(&self) -> &[TermId] {
        match &self.test {
            Test::Atom(atom) => &atom.arguments,
            Test::Equal(pair) => pair,
        }
    }
}

/// A condition in negation normal form: negation stands at literals only.
#[derive(Clone, Debug)]
pub enum Formula {
    /// A literal.
    Literal(Literal),
    /// All must hold; with none, it is true.
    And(Vec<Formula>),
    /// One must hold; with none, it is false.
    Or(Vec<Formula>),
}

/// The literals of a body; see [`Rule::literals`].
#[derive(Clone, Debug)]
pub struct Literals<'rule> {
    current: std::slice::Iter<'rule, Formula>,
    /// What is left of the formulas around the current one.
    outer: Vec<std::slice::Iter<'rule, Formula>>,
}

impl<'rule> Iterator for Literals<'rule> {
    type Item = &'rule Literal;

    fn next(&mut self) -> Option<&'rule Literal> {
        loop {
            match self.current.next() {
                Some(Formula::Literal(literal)) => return Some(literal),
                Some(Formula::And(parts) | Formula::Or(parts)) => {
                    self.outer.push(std::mem::replace(&mut self.current, parts.iter()));
                }
                None => self.current = self.outer.pop()?,
            }
        }
    }
}

/// A rule; a fact is a rule whose body has no condition.
#[derive(Clone, Debug)]
pub struct Rule {
    /// What holds when the body does.
    pub head: Atom,
    /// The conditions, all of which must hold.
    pub body: Vec<Formula>,
    /// Where the rule stands.
    pub node: NodeId,
    /// Where its head stands.
    pub head_node: NodeId,
}

impl Rule {
    /// The literals of the body, in the order of the text.
    pub fn literals(&self) -> Literals<'_> {
        Literals { current: self.body.iter(), outer: Vec::new() }
    }

    /// The conjunctions of literals that the body stands for, one for each choice among its disjunctions; `None` if they
    /// are more than `most`.
    pub fn alternatives(&self, most: usize) -> Option<Vec<Vec<&Literal>>> {
        alternatives(&self.body, most)
    }

    /// Whether there is no condition.
    pub fn is_fact(&self) -> bool {
        self.body.is_empty()
    }
}

fn alternatives(parts: &[Formula], most: usize) -> Option<Vec<Vec<&Literal>>> {
    let mut all: Vec<Vec<&Literal>> = vec![Vec::new()];
    for part in parts {
        let of_part: Vec<Vec<&Literal>> = match part {
            Formula::Literal(literal) => vec![vec![literal]],
            Formula::And(parts) => alternatives(parts, most)?,
            Formula::Or(parts) => {
                let each: Option<Vec<_>> =
                    parts.iter().map(|part| alternatives(std::slice::from_ref(part), most)).collect();
                each?.into_iter().flatten().collect()
            }
        };
        if all.len().saturating_mul(of_part.len()) > most {
            return None;
        }
        all = all
            .iter()
            .flat_map(|left| of_part.iter().map(move |right| [&left[..], &right[..]].concat()))
            .collect();
    }
    Some(all)
}

/// A game as its rules give it.
#[derive(Clone, Debug)]
pub struct Game {
    tree: Tree,
    terms: Terms,
    relations: IndexMap<(Symbol, usize), Relation, FxBuildHasher>,
    rules: Vec<Rule>,
    /// The rules of each relation, by the relation's index.
    by_head: Vec<Vec<usize>>,
    roles: Vec<TermId>,
    lost: Lost,
    verdict: Verdict,
}

/// What is known of the forms that could not be read as rules, so that what seems to be missing or unused is not reported
/// when it is only lost.
#[derive(Clone, Debug, Default)]
struct Lost {
    /// The heads that could be read.
    heads: Vec<Atom>,
    /// The words that begin the heads that could not, where there is one.
    unreadable_heads: Vec<Option<Symbol>>,
    /// The relations that were asked for.
    uses: Vec<RelationId>,
}

impl Game {
    /// The fragment that the description was found to belong to when it was read.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Whether the game is known to have a finite grounding, because no term can grow without end.
    pub fn is_bounded(&self) -> bool {
        self.verdict >= Verdict::Bounded
    }

    pub(crate) fn set_verdict(&mut self, verdict: Verdict) {
        self.verdict = verdict;
    }

    /// The rules in the order of the text.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Whether there are rules for `sees` (GDL-II): roles see what these give them, and not the whole state.
    pub fn has_hidden_information(&self) -> bool {
        self.rules_of(RelationId::SEES).next().is_some()
    }

    /// The rules with a relation as their head, in the order of the text.
    pub fn rules_of(&self, relation: RelationId) -> impl DoubleEndedIterator<Item = (usize, &Rule)> + Clone {
        let indexes = self.by_head.get(relation.index()).map_or(&[][..], Vec::as_slice);
        indexes.iter().map(|&index| (index, &self.rules[index]))
    }

    /// Whether some form could not be read as a rule.
    pub(crate) fn lost_rules(&self) -> bool {
        !self.lost.heads.is_empty() || !self.lost.unreadable_heads.is_empty()
    }

    /// Whether a rule for a relation may be among the forms whose heads could not be read.
    pub(crate) fn may_have_lost(&self, relation: RelationId) -> bool {
        let name = self.relation(relation).name;
        self.lost.unreadable_heads.iter().any(|&lost| lost.is_none_or(|lost| lost == name))
    }

    /// The heads of all the rules, those included whose bodies could not be read.
    pub(crate) fn heads(&self) -> impl Iterator<Item = &Atom> {
        self.rules.iter().map(|rule| &rule.head).chain(&self.lost.heads)
    }

    /// The relations that rules ask for which could not be read.
    pub(crate) fn lost_uses(&self) -> &[RelationId] {
        &self.lost.uses
    }

    /// The roles given by facts, in the order of the text, each once.
    pub fn roles(&self) -> &[TermId] {
        &self.roles
    }

    /// The terms that occur in the rules.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// The names.
    pub fn symbols(&self) -> &Symbols {
        &self.tree.symbols
    }

    pub(crate) fn into_tree(self) -> Tree {
        self.tree
    }

    /// The text's lists and words.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// All the relations, those of the keywords first.
    pub fn relations(&self) -> impl Iterator<Item = (RelationId, &Relation)> {
        self.relations.values().enumerate().map(|(index, relation)| (relation_at(index), relation))
    }

    /// What is known of a relation.
    pub fn relation(&self, id: RelationId) -> &Relation {
        &self.relations[id.index()]
    }

    /// The relation with a name and an arity.
    pub fn find_relation(&self, name: Symbol, arity: usize) -> Option<RelationId> {
        self.relations.get_index_of(&(name, arity)).map(relation_at)
    }

    /// How many relations there are, those of the keywords included.
    pub fn relation_count(&self) -> usize {
        self.relations.len()
    }

    /// The name of a relation, as first spelled.
    pub fn relation_name(&self, id: RelationId) -> &str {
        self.symbols().spelling(self.relation(id).name)
    }

    /// Where something stands in the text.
    pub fn span(&self, node: NodeId) -> Span {
        self.tree.span(node)
    }
}

fn relation_at(place: usize) -> RelationId {
    RelationId(index32(place, "relations"))
}
