//! What static relations can hold at most, for the closer look at negation. Negated literals are left out of the rules, so the tuples are a superset: enough to exclude a cycle, and to show one in
//! the simple cases. Real evaluation is left to the grounder.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::super::Subject;
use crate::game::{Literal, RelationId, Rule, Test};
use crate::limits::{Budget, Exhausted};
use crate::symbol::Symbol;
use crate::term::{Term, TermId, Terms};

/// How many alternatives of a body are looked at.
pub(super) const MOST_ALTERNATIVES: usize = 64;

/// Ground terms for variables.
pub(super) type Substitution = FxHashMap<Symbol, TermId>;

type Tuples = IndexSet<Box<[TermId]>, FxBuildHasher>;

/// The tuples of some static relations.
pub(super) struct StaticTuples<'a> {
    terms: Terms,
    relations: FxHashMap<RelationId, Tuples>,
    rules: Vec<&'a Rule>,
}

impl<'a> StaticTuples<'a> {
    /// The tuples of the static relations that the rules' positive literals ask for; `None` if one of them holds
    /// things that cannot be enumerated so simply.
    pub(super) fn asked_for_by(
        subject: &Subject<'a>,
        rules: &[&Rule],
        budget: &mut Budget,
    ) -> Result<Option<Self>, Exhausted> {
        let own: FxHashSet<RelationId> = rules.iter().map(|rule| rule.head.relation).collect();
        let is_static =
            |relation: RelationId| !subject.dependencies.is_dynamic(relation) && !own.contains(&relation);
        let mut wanted: IndexSet<RelationId, FxBuildHasher> = IndexSet::default();
        let asked =
            rules.iter().flat_map(|rule| rule.literals()).filter_map(|literal| literal.positive_atom());
        let mut stack: Vec<RelationId> = asked.map(|atom| atom.relation).collect();
        while let Some(relation) = stack.pop() {
            // A relation that depends on the group itself is no condition from outside.
            let outside = is_static(relation)
                && !subject.dependencies.edges(relation).iter().any(|edge| own.contains(&edge.to));
            if outside && wanted.insert(relation) {
                stack.extend(
                    subject
                        .dependencies
                        .edges(relation)
                        .iter()
                        .filter(|edge| edge.positive)
                        .map(|edge| edge.to),
                );
            }
        }
        let relations = wanted.iter().map(|&relation| (relation, Tuples::default())).collect();
        let rules = wanted
            .iter()
            .flat_map(|&relation| subject.game.rules_of(relation))
            .map(|(_, rule)| rule)
            .collect();
        budget.spend(subject.game.terms().len() as u64)?;
        let mut tuples = StaticTuples { terms: subject.game.terms().clone(), relations, rules };
        Ok(tuples.close(budget)?.then_some(tuples))
    }

    /// Applies the rules until nothing is new; false if an instance is not ground or a body has too many alternatives.
    fn close(&mut self, budget: &mut Budget) -> Result<bool, Exhausted> {
        loop {
            let mut grown = false;
            for index in 0..self.rules.len() {
                let rule = self.rules[index];
                budget.spend(1)?;
                let Some(alternatives) = rule.alternatives(MOST_ALTERNATIVES) else { return Ok(false) };
                for literals in alternatives {
                    for substitution in self.join(&literals, budget)? {
                        let Some(tuple) = self.instance(&rule.head.arguments, &substitution) else {
                            return Ok(false);
                        };
                        let tuples = self.relations.entry(rule.head.relation).or_default();
                        grown |= tuples.insert(tuple);
                    }
                }
            }
            if !grown {
                return Ok(true);
            }
        }
    }

    /// Every substitution under which the positive literals are among the tuples, as far as these can tell, and the
    /// equalities and `distinct`s hold.
    pub(super) fn join(
        &mut self,
        literals: &[&Literal],
        budget: &mut Budget,
    ) -> Result<Vec<Substitution>, Exhausted> {
        let mut found = vec![Substitution::default()];
        for condition in literals.iter().filter_map(|literal| literal.positive_atom()) {
            let Some(tuples) = self.relations.get(&condition.relation) else { continue };
            // All the substitutions bind the same variables, so one look tells which column can be looked up.
            let known = |&term: &TermId| match self.terms.get(term) {
                Term::Variable(name) => found.first().is_some_and(|first| first.contains_key(name)),
                _ => self.terms.is_ground(term),
            };
            let column = condition.arguments.iter().position(known);
            let mut by_value: FxHashMap<Option<TermId>, Vec<&[TermId]>> = FxHashMap::default();
            for tuple in tuples {
                budget.spend(1)?;
                by_value.entry(column.map(|column| tuple[column])).or_default().push(tuple);
            }
            let mut extended = Vec::new();
            for substitution in &found {
                let value = |column: usize| {
                    let term = condition.arguments[column];
                    self.terms
                        .variable(term)
                        .and_then(|name| substitution.get(&name).copied())
                        .unwrap_or(term)
                };
                for tuple in by_value.get(&column.map(value)).into_iter().flatten() {
                    budget.spend(1)?;
                    let mut candidate = None;
                    if self.matches(&condition.arguments, tuple, substitution, &mut candidate) {
                        // Copies are what costs memory here, so they cost budget too.
                        budget.spend(20)?;
                        extended.push(candidate.unwrap_or_else(|| substitution.clone()));
                    }
                }
            }
            found = extended;
        }
        found.retain(|substitution| self.passes_tests(literals, substitution));
        Ok(found)
    }

    fn passes_tests(&mut self, literals: &[&Literal], substitution: &Substitution) -> bool {
        literals.iter().all(|literal| match &literal.test {
            Test::Atom(_) => true,
            Test::Equal(pair) => {
                self.instance(pair, substitution).is_none_or(|pair| (pair[0] == pair[1]) == literal.positive)
            }
        })
    }

    /// Whether the patterns become the ground terms; the substitution is copied when a variable has to be bound.
    fn matches(
        &self,
        patterns: &[TermId],
        ground: &[TermId],
        given: &Substitution,
        extended: &mut Option<Substitution>,
    ) -> bool {
        let mut pairs: Vec<(TermId, TermId)> = patterns.iter().copied().zip(ground.iter().copied()).collect();
        while let Some((pattern, ground)) = pairs.pop() {
            match (self.terms.get(pattern), self.terms.get(ground)) {
                _ if pattern == ground => {}
                (Term::Variable(name), _) => match extended.as_ref().unwrap_or(given).get(name) {
                    Some(&value) if value == ground => {}
                    Some(_) => return false,
                    None => drop(extended.get_or_insert_with(|| given.clone()).insert(*name, ground)),
                },
                (Term::Function(f, xs), Term::Function(g, ys)) if f == g && xs.len() == ys.len() => {
                    pairs.extend(xs.iter().copied().zip(ys.iter().copied()));
                }
                _ => return false,
            }
        }
        true
    }

    /// The ground instance of some terms; `None` if a variable is not bound.
    pub(super) fn instance(
        &mut self,
        terms: &[TermId],
        substitution: &Substitution,
    ) -> Option<Box<[TermId]>> {
        terms.iter().map(|&term| self.ground(term, substitution)).collect()
    }

    /// Terms may nest as deep as the reader allows, so this walks with a stack of its own.
    fn ground(&mut self, root: TermId, substitution: &Substitution) -> Option<TermId> {
        enum Visit {
            Enter(TermId),
            Apply(Symbol, usize),
        }
        let (mut steps, mut made) = (vec![Visit::Enter(root)], Vec::new());
        while let Some(step) = steps.pop() {
            match step {
                Visit::Enter(term) if self.terms.is_ground(term) => made.push(term),
                Visit::Enter(term) => match self.terms.get(term) {
                    Term::Constant(_) => made.push(term),
                    Term::Variable(name) => made.push(*substitution.get(name)?),
                    Term::Function(name, arguments) => {
                        steps.push(Visit::Apply(*name, arguments.len()));
                        steps.extend(arguments.iter().rev().map(|&argument| Visit::Enter(argument)));
                    }
                },
                Visit::Apply(name, arity) => {
                    let from = made.len().checked_sub(arity).expect("arguments come before their function");
                    let term = self.terms.intern_function(name, &made[from..]);
                    made.truncate(from);
                    made.push(term);
                }
            }
        }
        made.pop()
    }

    /// The terms, for writing what was found.
    pub(super) fn into_terms(self) -> Terms {
        self.terms
    }
}
