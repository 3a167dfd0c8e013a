//! What static relations can hold at most, for the closer look at negation. Negated literals, `distinct` and
//! disjunctions are left out of the rules, so the tuples are a superset: enough to exclude a cycle, and to show one in
//! the simple cases. Real evaluation is left to the grounder.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::super::Subject;
use crate::game::{Atom, Formula, RelationId, Rule};
use crate::limits::{Budget, Exhausted};
use crate::symbol::Symbol;
use crate::term::{Term, TermId, Terms};

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
    /// The tuples of the static relations that the rules' positive literals ask for; nothing if one of them holds
    /// things that cannot be enumerated so simply.
    pub(super) fn asked_for_by(
        subject: &Subject<'a>,
        rules: &[&Rule],
        budget: &mut Budget,
    ) -> Result<Option<Self>, Exhausted> {
        let own: FxHashSet<RelationId> = rules.iter().map(|rule| rule.head.relation).collect();
        let is_static =
            |relation: RelationId| !subject.dependencies.is_dynamic(relation) && !own.contains(&relation);
        let mut wanted = FxHashSet::default();
        let mut stack: Vec<RelationId> =
            rules.iter().flat_map(|rule| positive(rule)).map(|atom| atom.relation).collect();
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
        let rules = subject.game.rules().iter().filter(|rule| wanted.contains(&rule.head.relation)).collect();
        let mut tuples = StaticTuples { terms: subject.game.terms().clone(), relations, rules };
        Ok(tuples.close(budget)?.then_some(tuples))
    }

    /// Applies the rules until nothing is new; false if an instance is not ground.
    fn close(&mut self, budget: &mut Budget) -> Result<bool, Exhausted> {
        loop {
            let mut grown = false;
            for index in 0..self.rules.len() {
                let rule = self.rules[index];
                let conditions = self.conditions(rule);
                for substitution in self.join(&conditions, budget)? {
                    let Some(tuple) = self.instance(&rule.head.arguments, &substitution) else {
                        return Ok(false);
                    };
                    let tuples = self.relations.entry(rule.head.relation).or_default();
                    grown |= tuples.insert(tuple);
                }
            }
            if !grown {
                return Ok(true);
            }
        }
    }

    /// The conditions of a rule that the tuples can answer.
    pub(super) fn conditions<'r>(&self, rule: &'r Rule) -> Vec<&'r Atom> {
        positive(rule).filter(|atom| self.relations.contains_key(&atom.relation)).collect()
    }

    /// Every substitution under which all the conditions are among the tuples.
    pub(super) fn join(
        &self,
        conditions: &[&Atom],
        budget: &mut Budget,
    ) -> Result<Vec<Substitution>, Exhausted> {
        let mut found = vec![Substitution::default()];
        for condition in conditions {
            let mut extended = Vec::new();
            for substitution in &found {
                for tuple in self.relations.get(&condition.relation).into_iter().flatten() {
                    budget.spend(1)?;
                    let mut candidate = None;
                    if self.matches(&condition.arguments, tuple, substitution, &mut candidate) {
                        // Copies are what costs memory here, so they cost budget too.
                        budget.spend(100)?;
                        extended.push(candidate.unwrap_or_else(|| substitution.clone()));
                    }
                }
            }
            found = extended;
        }
        Ok(found)
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

    /// The ground instance of some terms; nothing if a variable is not bound or a term is nested more than once.
    pub(super) fn instance(
        &mut self,
        terms: &[TermId],
        substitution: &Substitution,
    ) -> Option<Box<[TermId]>> {
        terms.iter().map(|&term| self.ground(term, substitution)).collect()
    }

    fn ground(&mut self, term: TermId, substitution: &Substitution) -> Option<TermId> {
        let plain = |terms: &Terms, term: TermId| match terms.get(term) {
            Term::Variable(name) => substitution.get(name).copied(),
            _ => terms.is_ground(term).then_some(term),
        };
        match self.terms.get(term).clone() {
            Term::Function(name, arguments) if !self.terms.is_ground(term) => {
                let arguments: Option<Vec<TermId>> =
                    arguments.iter().map(|&argument| plain(&self.terms, argument)).collect();
                Some(self.terms.intern_function(name, &arguments?))
            }
            _ => plain(&self.terms, term),
        }
    }

    /// The terms, for writing what was found.
    pub(super) fn into_terms(self) -> Terms {
        self.terms
    }
}

/// The positive literals that must hold for a rule to apply.
fn positive(rule: &Rule) -> impl Iterator<Item = &Atom> {
    rule.body.iter().filter_map(|part| match part {
        Formula::Literal(literal) => literal.positive_atom(),
        Formula::And(_) | Formula::Or(_) => None,
    })
}
