//! Every way to satisfy the body of a rule. The conditions are tried one after the other, with backtracking;
//! at each point the next one is the one with the fewest candidates, and a test is made as soon as its
//! variables are bound. A conjunction means the same in any order, so the order decides only how long it
//! takes.
//!
//! Two kinds of result are wanted: the heads that follow, or the rule instantiated in every way
//! ([`GroundRule`]), where the literals of the rule's own group are written down instead of decided.

use groundrules_gdl::limits::Exhausted;
use groundrules_gdl::symbol::Symbols;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::error::OracleError;
use crate::ground::{Ground, GroundTerms};
use crate::pattern::{Bindings, Pattern};
use crate::program::{Atom, Formula, Literal, Place, Rule, Test};
use crate::steps::StepBudget;
use crate::table::{Candidates, Row, Table};

/// How many conditions may wait for each other. Each takes some stack.
const DEEPEST: usize = 1_000;

/// What it costs to write down one argument of what was found, beside a step for each row tried: about as
/// much as its place in the tables takes.
const NOTING: usize = 5;

/// An atom that may hold: a relation's index and the arguments.
pub(crate) type GroundAtom = (usize, Row);

/// A rule without variables, reduced to the literals of its own group.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct GroundRule {
    pub(crate) head: GroundAtom,
    pub(crate) positive: Vec<GroundAtom>,
    pub(crate) negative: Vec<GroundAtom>,
}

/// The rows that one recursive literal of a rule may use: those from a number on, by relation.
#[derive(Clone, Copy)]
pub(crate) struct OnlyNew<'a> {
    /// Which of the rule's recursive literals.
    pub(crate) literal: usize,
    /// For each relation, the first row that is new.
    pub(crate) from: &'a [usize],
}

/// What the evaluation of a rule needs.
pub(crate) struct World<'a> {
    pub(crate) tables: &'a [Table],
    pub(crate) terms: &'a mut GroundTerms,
    pub(crate) symbols: &'a Symbols,
    pub(crate) steps: &'a mut StepBudget,
}

/// The heads that a rule gives and that do not hold yet. Negative literals of the rule's own group are passed
/// over.
pub(crate) fn heads(
    rule: &Rule,
    only_new: Option<OnlyNew<'_>>,
    world: World<'_>,
) -> Result<Vec<Row>, OracleError> {
    let mut search = Search::new(rule, only_new, world, Found::Heads(IndexSet::default()));
    search.run()?;
    match search.found {
        Found::Heads(rows) => Ok(rows.into_iter().collect()),
        Found::Rules(_) => Ok(Vec::new()),
    }
}

/// The ways to satisfy a rule, each as a ground rule.
pub(crate) fn ground_rules(rule: &Rule, world: World<'_>) -> Result<Vec<GroundRule>, OracleError> {
    let mut search = Search::new(rule, None, world, Found::Rules(IndexSet::default()));
    search.run()?;
    match search.found {
        Found::Rules(rules) => Ok(rules.into_iter().collect()),
        Found::Heads(_) => Ok(Vec::new()),
    }
}

type Set<Item> = IndexSet<Item, FxBuildHasher>;

enum Found {
    Heads(Set<Row>),
    Rules(Set<GroundRule>),
}

enum Stop {
    Exhausted,
    Unsafe,
    TooDeep,
}

impl From<Exhausted> for Stop {
    fn from(_: Exhausted) -> Self {
        Stop::Exhausted
    }
}

struct Search<'a> {
    rule: &'a Rule,
    only_new: Option<OnlyNew<'a>>,
    world: World<'a>,
    bindings: Bindings,
    found: Found,
    depth: usize,
}

/// What to do next.
enum Choice<'t> {
    /// All the conditions are met.
    Solved,
    /// One of them is not.
    Failed,
    /// The condition with this number is met.
    Met(usize),
    /// The condition with this number is an atom; try these rows for it.
    Try(usize, Candidates<'t>),
    /// The condition with this number is a disjunction; try its alternatives.
    Split(usize),
}

impl<'a> Search<'a> {
    fn new(rule: &'a Rule, only_new: Option<OnlyNew<'a>>, world: World<'a>, found: Found) -> Self {
        Search { rule, only_new, world, bindings: Bindings::new(rule.variables), found, depth: 0 }
    }

    fn run(&mut self) -> Result<(), OracleError> {
        let mut conditions: Vec<&'a Formula> = self.rule.body.iter().collect();
        let rule = || self.rule.text.clone();
        self.satisfy(&mut conditions, 0).map_err(|stop| match stop {
            Stop::Exhausted => OracleError::OutOfSteps { rule: rule() },
            Stop::Unsafe => OracleError::Unsafe { rule: rule() },
            Stop::TooDeep => OracleError::LargeRule { rule: rule() },
        })
    }

    /// Finds all the ways to meet the conditions from number `met` on; those before are met. Leaves the
    /// bindings as they were, and the conditions from `met` on in any order.
    fn satisfy(&mut self, conditions: &mut Vec<&'a Formula>, met: usize) -> Result<(), Stop> {
        let mut met = met;
        loop {
            if self.is_known() {
                return Ok(());
            }
            match self.choose(conditions, met)? {
                Choice::Failed => return Ok(()),
                Choice::Solved => return self.note(conditions),
                Choice::Met(number) => {
                    conditions.swap(met, number);
                    met += 1;
                }
                Choice::Try(number, candidates) => {
                    conditions.swap(met, number);
                    return self.deeper(|search| search.try_rows(conditions, met, candidates));
                }
                Choice::Split(number) => {
                    conditions.swap(met, number);
                    return self.deeper(|search| search.try_alternatives(conditions, met));
                }
            }
        }
    }

    fn deeper(&mut self, try_all: impl FnOnce(&mut Self) -> Result<(), Stop>) -> Result<(), Stop> {
        if self.depth == DEEPEST {
            return Err(Stop::TooDeep);
        }
        self.depth += 1;
        let result = try_all(self);
        self.depth -= 1;
        result
    }

    /// Condition number `met` is an atom: meets it with each of the rows.
    fn try_rows(
        &mut self,
        conditions: &mut Vec<&'a Formula>,
        met: usize,
        candidates: Candidates<'a>,
    ) -> Result<(), Stop> {
        let Formula::Literal(Literal { test: Test::Atom(atom), .. }) = conditions[met] else { return Ok(()) };
        let table = &self.world.tables[atom.relation];
        let mark = self.bindings.mark();
        for number in 0..candidates.len() {
            self.world.steps.spend(1)?;
            let row = table.row(candidates.get(number));
            let (terms, bindings) = (&*self.world.terms, &mut self.bindings);
            let mut pairs = atom.patterns.iter().zip(row);
            if pairs.all(|(pattern, &term)| pattern.matches(term, terms, bindings)) {
                self.satisfy(conditions, met + 1)?;
            }
            self.bindings.undo(mark);
        }
        Ok(())
    }

    /// Condition number `met` is a disjunction: puts each alternative in its place.
    fn try_alternatives(&mut self, conditions: &[&'a Formula], met: usize) -> Result<(), Stop> {
        let Formula::Or(alternatives) = conditions[met] else { return Ok(()) };
        for alternative in alternatives {
            let mut with_it: Vec<&'a Formula> = conditions.to_vec();
            with_it.extend(alternative);
            self.satisfy(&mut with_it, met + 1)?;
        }
        Ok(())
    }

    /// Chooses among the conditions from number `met` on.
    fn choose(&mut self, conditions: &[&'a Formula], met: usize) -> Result<Choice<'a>, Stop> {
        self.world.steps.spend(conditions.len() - met + 1)?;
        let mut best: Option<(usize, Choice<'a>)> = None;
        for (number, condition) in conditions.iter().enumerate().skip(met) {
            let (count, choice) = match condition {
                Formula::Or(alternatives) => (self.estimate(alternatives)?, Choice::Split(number)),
                Formula::Literal(literal) => match self.test(literal)? {
                    Some(true) => return Ok(Choice::Met(number)),
                    Some(false) => return Ok(Choice::Failed),
                    None => match self.candidates(literal) {
                        Some(candidates) => (candidates.len(), Choice::Try(number, candidates)),
                        None => continue, // a test that waits for its variables
                    },
                },
            };
            if count == 0 {
                return Ok(Choice::Failed);
            }
            if best.as_ref().is_none_or(|(fewest, _)| count < *fewest) {
                best = Some((count, choice));
            }
        }
        match best {
            Some((_, choice)) => Ok(choice),
            None if met == conditions.len() => Ok(Choice::Solved),
            None => Err(Stop::Unsafe),
        }
    }

    /// Decides a literal whose variables are all bound; none if one is not.
    fn test(&mut self, literal: &Literal) -> Result<Option<bool>, Stop> {
        if literal.place == Place::NegatedRecursive {
            return Ok(Some(true)); // decided later, see `by_atoms`
        }
        if !self.bindings.all_bound(&literal.variables) {
            return Ok(None);
        }
        let holds = match &literal.test {
            Test::Equal(left, right) => self.make(left)? == self.make(right)?,
            Test::Atom(atom) => {
                let row: Option<Vec<Ground>> =
                    atom.patterns.iter().map(|pattern| self.find(pattern)).collect();
                let number = row.and_then(|row| self.world.tables[atom.relation].find(&row));
                number.is_some_and(|number| number >= self.first_row(literal, atom))
            }
        };
        Ok(Some(holds == literal.positive))
    }

    /// The term that a pattern with bound variables stands for, if it is stored.
    fn find(&mut self, pattern: &Pattern) -> Option<Ground> {
        let terms = &*self.world.terms;
        pattern.build(&mut self.bindings, |name, arguments| terms.find(name, arguments))
    }

    /// The rows to try for a positive literal.
    fn candidates(&self, literal: &Literal) -> Option<Candidates<'a>> {
        match &literal.test {
            Test::Atom(atom) if literal.positive => {
                let from = self.first_row(literal, atom);
                let tables: &'a [Table] = self.world.tables;
                Some(tables[atom.relation].candidates(&atom.patterns, &self.bindings, from))
            }
            _ => None,
        }
    }

    /// The first row that a literal may use.
    fn first_row(&self, literal: &Literal, atom: &Atom) -> usize {
        match (self.only_new, literal.place) {
            (Some(only_new), Place::Recursive(number)) if number == only_new.literal => {
                only_new.from[atom.relation]
            }
            _ => 0,
        }
    }

    /// About how many ways there are to meet a disjunction: for each alternative, its literal with the fewest
    /// candidates.
    fn estimate(&mut self, alternatives: &'a [Box<[Formula]>]) -> Result<usize, Stop> {
        let mut sum = 0;
        for alternative in alternatives {
            self.world.steps.spend(alternative.len())?;
            let mut fewest = None;
            for condition in alternative {
                let count = match condition {
                    Formula::Or(inner) => Some(self.estimate(inner)?),
                    Formula::Literal(literal) => self.candidates(literal).map(Candidates::len),
                };
                fewest = fewest.into_iter().chain(count).min();
            }
            sum += fewest.unwrap_or(1);
        }
        Ok(sum)
    }

    /// Whether only heads are wanted and this one is known: then there is no need to find it in other ways.
    fn is_known(&mut self) -> bool {
        let Found::Heads(heads) = &self.found else { return false };
        if !self.bindings.all_bound(&self.rule.head_variables) {
            return false;
        }
        let terms = &*self.world.terms;
        let mut find =
            |pattern: &Pattern| pattern.build(&mut self.bindings, |name, parts| terms.find(name, parts));
        let row: Option<Vec<Ground>> = self.rule.head.patterns.iter().map(&mut find).collect();
        let table = &self.world.tables[self.rule.head.relation];
        row.is_some_and(|row| heads.contains(row.as_slice()) || table.find(&row).is_some())
    }

    /// Writes down what follows; all the conditions are met.
    fn note(&mut self, conditions: &[&'a Formula]) -> Result<(), Stop> {
        self.world.steps.spend(NOTING * (1 + self.rule.head.patterns.len()))?;
        let head = self.make_row(&self.rule.head)?;
        if let Found::Heads(heads) = &mut self.found {
            heads.insert(head);
            return Ok(());
        }
        let (mut positive, mut negative) = (Vec::new(), Vec::new());
        for condition in conditions {
            let Formula::Literal(Literal { test: Test::Atom(atom), place, .. }) = condition else { continue };
            match place {
                Place::Below => {}
                Place::Recursive(_) => positive.push((atom.relation, self.make_row(atom)?)),
                Place::NegatedRecursive => negative.push((atom.relation, self.make_row(atom)?)),
            }
        }
        if let Found::Rules(rules) = &mut self.found {
            rules.insert(GroundRule { head: (self.rule.head.relation, head), positive, negative });
        }
        Ok(())
    }

    /// The arguments of an atom whose variables are bound.
    fn make_row(&mut self, atom: &Atom) -> Result<Row, Stop> {
        atom.patterns.iter().map(|pattern| self.make(pattern)).collect()
    }

    /// The term that a pattern with bound variables stands for.
    fn make(&mut self, pattern: &Pattern) -> Result<Ground, Stop> {
        let (terms, symbols, steps) = (&mut *self.world.terms, self.world.symbols, &mut *self.world.steps);
        let mut exhausted = false;
        let term = pattern.build(&mut self.bindings, |name, parts| {
            exhausted |= steps.spend(1 + parts.len()).is_err();
            (!exhausted).then(|| terms.intern(name, parts, symbols))
        });
        term.ok_or(if exhausted { Stop::Exhausted } else { Stop::Unsafe })
    }
}
