//! The rules in the form in which they are evaluated: variables numbered, ground terms taken over into the
//! oracle's own table, conjunctions flat. Nothing is simplified or reordered; each rule here is one rule of
//! the description.

use groundrules_gdl::Game;
use groundrules_gdl::game as gdl;
use groundrules_gdl::game::RelationId;

use crate::ground::GroundTerms;
use crate::pattern::{Pattern, Piece, Variables};
use crate::strata::Strata;
use crate::table::Lookup;

/// A relation applied to patterns.
#[derive(Clone, Debug)]
pub(crate) struct Atom {
    /// The index of the relation.
    pub(crate) relation: usize,
    /// One for each argument.
    pub(crate) patterns: Box<[Pattern]>,
}

/// What a literal asks.
#[derive(Clone, Debug)]
pub(crate) enum Test {
    /// Whether an atom holds.
    Atom(Atom),
    /// Whether two terms are equal.
    Equal(Pattern, Pattern),
}

/// A test, or the negation of one.
#[derive(Clone, Debug)]
pub(crate) struct Literal {
    pub(crate) test: Test,
    pub(crate) positive: bool,
    /// Its variables, each once.
    pub(crate) variables: Box<[usize]>,
    /// How it stands to the group of the rule's head.
    pub(crate) place: Place,
}

/// Whether a literal's relation belongs to the group that its rule helps to define.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// It does not, or the literal compares terms: what it asks is settled.
    Below,
    /// It does; the number counts such literals of the rule. What it asks is being found out.
    Recursive(usize),
    /// It does, and is negated.
    NegatedRecursive,
}

/// A condition.
#[derive(Clone, Debug)]
pub(crate) enum Formula {
    /// A literal must hold.
    Literal(Literal),
    /// All the conditions of one of the alternatives must.
    Or(Box<[Box<[Formula]>]>),
}

/// A rule.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) head: Atom,
    pub(crate) body: Box<[Formula]>,
    /// How many variables it has.
    pub(crate) variables: usize,
    /// The variables of the head, each once.
    pub(crate) head_variables: Box<[usize]>,
    /// How many literals are [`Place::Recursive`].
    pub(crate) recursive: usize,
    /// The rule as KIF, for messages.
    pub(crate) text: String,
}

/// All the rules, in the order of the text.
pub(crate) fn rules_of(game: &Game, strata: &Strata, terms: &mut GroundTerms) -> Vec<Rule> {
    game.rules().iter().map(|rule| RuleReader::read(game, strata, terms, rule)).collect()
}

struct RuleReader<'a> {
    game: &'a Game,
    strata: &'a Strata,
    terms: &'a mut GroundTerms,
    variables: Variables,
    group: usize,
    recursive: usize,
}

impl<'a> RuleReader<'a> {
    fn read(game: &'a Game, strata: &'a Strata, terms: &'a mut GroundTerms, rule: &gdl::Rule) -> Rule {
        let group = strata.group_of(rule.head.relation.index());
        let mut reader =
            RuleReader { game, strata, terms, variables: Variables::default(), group, recursive: 0 };
        let head = reader.atom(&rule.head);
        let body = reader.conjunction(&rule.body);
        let head_variables = each_once(head.patterns.iter().flat_map(Pattern::variables));
        let (variables, recursive) = (reader.variables.len(), reader.recursive);
        Rule { head, body, variables, head_variables, recursive, text: game.kif(rule).to_string() }
    }

    fn conjunction(&mut self, parts: &[gdl::Formula]) -> Box<[Formula]> {
        let mut conditions = Vec::new();
        for part in parts {
            match part {
                gdl::Formula::Literal(literal) => conditions.push(Formula::Literal(self.literal(literal))),
                gdl::Formula::And(inner) => conditions.extend(self.conjunction(inner)),
                gdl::Formula::Or(alternatives) => {
                    let alternatives =
                        alternatives.iter().map(|one| self.conjunction(std::slice::from_ref(one)));
                    conditions.push(Formula::Or(alternatives.collect()));
                }
            }
        }
        conditions.into()
    }

    fn literal(&mut self, literal: &gdl::Literal) -> Literal {
        let place = self.place(literal);
        let (test, variables) = match &literal.test {
            gdl::Test::Atom(atom) => {
                let atom = self.atom(atom);
                let variables = each_once(atom.patterns.iter().flat_map(Pattern::variables));
                (Test::Atom(atom), variables)
            }
            gdl::Test::Equal([left, right]) => {
                let (left, right) = (self.pattern(*left), self.pattern(*right));
                let variables = each_once(left.variables().chain(right.variables()));
                (Test::Equal(left, right), variables)
            }
        };
        Literal { test, positive: literal.positive, variables, place }
    }

    fn place(&mut self, literal: &gdl::Literal) -> Place {
        let inside = |atom: &gdl::Atom| self.strata.group_of(atom.relation.index()) == self.group;
        match (literal.atom().is_some_and(inside), literal.positive) {
            (false, _) => Place::Below,
            (true, false) => Place::NegatedRecursive,
            (true, true) => {
                self.recursive += 1;
                Place::Recursive(self.recursive - 1)
            }
        }
    }

    fn atom(&mut self, atom: &gdl::Atom) -> Atom {
        let patterns = atom.arguments.iter().map(|&argument| self.pattern(argument)).collect();
        Atom { relation: atom.relation.index(), patterns }
    }

    fn pattern(&mut self, term: groundrules_gdl::term::TermId) -> Pattern {
        Pattern::of(self.game, term, self.terms, &mut self.variables)
    }
}

fn each_once(variables: impl Iterator<Item = usize>) -> Box<[usize]> {
    let mut once = Vec::new();
    for variable in variables {
        if !once.contains(&variable) {
            once.push(variable);
        }
    }
    once.into()
}

/// By what the rows of each relation will be looked up: for each argument, what the bodies ask of it.
pub(crate) fn lookups_of(game: &Game, rules: &[Rule]) -> Vec<Box<[Lookup]>> {
    let none = |(_, relation): (RelationId, &gdl::Relation)| vec![Lookup::default(); relation.arity].into();
    let mut lookups: Vec<Box<[Lookup]>> = game.relations().map(none).collect();
    rules.iter().for_each(|rule| add_lookups(&rule.body, &mut lookups));
    lookups
}

fn add_lookups(conditions: &[Formula], lookups: &mut [Box<[Lookup]>]) {
    for condition in conditions {
        match condition {
            Formula::Or(alternatives) => alternatives.iter().for_each(|one| add_lookups(one, lookups)),
            Formula::Literal(literal) => {
                let Test::Atom(atom) = &literal.test else { continue };
                for (pattern, lookup) in atom.patterns.iter().zip(&mut lookups[atom.relation]) {
                    match pattern.head() {
                        Some(Piece::Function(..)) => lookup.inside = true,
                        _ => lookup.whole = true,
                    }
                }
            }
        }
    }
}
