//! Groups that negate themselves by name but not by atom: the goal 0 that is "not the goal 100".
//! Stratification by relations has no order for them, so the atoms are ordered instead, in three steps.
//!
//! 1. Drop the negative literals of the group's own relations. What follows then is at least all that can
//!    hold.
//! 2. Instantiate the rules over that, in every way. What the groups below say is settled already, so each
//!    ground rule is a head with literals of the group.
//! 3. Order the atoms so that each comes after those that its rules mention. Atoms that mention each other
//!    are settled together by a least fixpoint; if a negation is among them, the rules do not say what holds:
//!    an error.

use groundrules_gdl::limits::Exhausted;
use indexmap::IndexSet;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxBuildHasher;

use crate::error::OracleError;
use crate::fixpoint::Model;
use crate::program::Rule;
use crate::solve::{GroundAtom, GroundRule, ground_rules};
use crate::strata::{Group, dependencies_first};

/// Finds what holds of the relations of a group.
pub(crate) fn evaluate(
    model: &mut Model<'_>,
    group: &Group,
    rules: &[Rule],
    names: &[String],
) -> Result<(), OracleError> {
    model.least_fixpoint(group, rules)?;
    let mut atoms = Atoms::default();
    for &rule in &group.rules {
        for ground in ground_rules(&rules[rule], model.world())? {
            atoms.add(&ground);
        }
    }
    model.clear(group);
    for members in dependencies_first(&atoms.graph) {
        atoms.refuse_negation_inside(&members, model, names)?;
        let spent = |Exhausted| OracleError::OutOfSteps { rule: first_rule(group, rules) };
        atoms.settle(&members, model).map_err(spent)?;
    }
    for (index, (relation, row)) in atoms.atoms.into_iter().enumerate() {
        if atoms.holds[index] {
            model.tables[relation].insert(row, model.terms);
        }
    }
    Ok(())
}

fn first_rule(group: &Group, rules: &[Rule]) -> String {
    group.rules.first().map_or_else(String::new, |&rule| rules[rule].text.clone())
}

/// The atoms of a group with their rules, by number.
#[derive(Default)]
struct Atoms {
    atoms: IndexSet<GroundAtom, FxBuildHasher>,
    holds: Vec<bool>,
    /// For each atom, the bodies of its rules.
    bodies: Vec<Vec<Body>>,
    /// An edge leads from an atom to one that its rules mention; it tells whether without negation.
    graph: DiGraph<(), bool>,
}

struct Body {
    positive: Vec<usize>,
    negative: Vec<usize>,
}

impl Atoms {
    fn add(&mut self, rule: &GroundRule) {
        let head = self.number(&rule.head);
        let positive: Vec<usize> = rule.positive.iter().map(|atom| self.number(atom)).collect();
        let negative: Vec<usize> = rule.negative.iter().map(|atom| self.number(atom)).collect();
        for (mentioned, sign) in [(&positive, true), (&negative, false)] {
            for &atom in mentioned {
                self.graph.add_edge(NodeIndex::new(head), NodeIndex::new(atom), sign);
            }
        }
        self.bodies[head].push(Body { positive, negative });
    }

    fn number(&mut self, atom: &GroundAtom) -> usize {
        if let Some(number) = self.atoms.get_index_of(atom) {
            return number;
        }
        self.graph.add_node(());
        self.holds.push(false);
        self.bodies.push(Vec::new());
        self.atoms.insert_full(atom.clone()).0
    }

    /// The least fixpoint of the rules for atoms that mention each other; all others that they mention are
    /// settled.
    fn settle(&mut self, members: &[usize], model: &mut Model<'_>) -> Result<(), Exhausted> {
        let mut changed = true;
        while changed {
            changed = false;
            for &atom in members {
                model.steps.spend(1 + self.bodies[atom].len())?;
                let met = |body: &Body| {
                    body.positive.iter().all(|&other| self.holds[other])
                        && body.negative.iter().all(|&other| !self.holds[other])
                };
                if !self.holds[atom] && self.bodies[atom].iter().any(met) {
                    self.holds[atom] = true;
                    changed = true;
                }
            }
        }
        Ok(())
    }

    fn refuse_negation_inside(
        &self,
        members: &[usize],
        model: &Model<'_>,
        names: &[String],
    ) -> Result<(), OracleError> {
        let inside = |atom: usize| members.binary_search(&atom).is_ok();
        for &atom in members {
            for body in &self.bodies[atom] {
                if let Some(&negated) = body.negative.iter().find(|&&other| inside(other)) {
                    let cycle = self.cycle(atom, negated, &inside);
                    let words = cycle.into_iter().map(|(atom, sign)| self.words(atom, sign, model, names));
                    return Err(OracleError::NegativeCycle { cycle: words.collect::<Result<_, _>>()? });
                }
            }
        }
        Ok(())
    }

    /// The way from an atom through the one that it negates and back, each with its sign.
    fn cycle(&self, atom: usize, negated: usize, inside: &impl Fn(usize) -> bool) -> Vec<(usize, bool)> {
        let mut came_by: Vec<Option<(usize, bool)>> = vec![None; self.holds.len()];
        let mut queue = std::collections::VecDeque::from([negated]);
        while let (None, Some(at)) = (came_by[atom], queue.pop_front()) {
            for body in &self.bodies[at] {
                let positive = body.positive.iter().map(|&other| (other, true));
                for (other, sign) in positive.chain(body.negative.iter().map(|&other| (other, false))) {
                    if inside(other) && other != negated && came_by[other].is_none() {
                        came_by[other] = Some((at, sign));
                        queue.push_back(other);
                    }
                }
            }
        }
        let mut way = Vec::new();
        let mut at = atom;
        while let Some((from, sign)) = came_by[at] {
            way.push((at, sign));
            at = from;
        }
        way.extend([(negated, false), (atom, true)]);
        way.reverse();
        way
    }

    fn words(
        &self,
        atom: usize,
        sign: bool,
        model: &Model<'_>,
        names: &[String],
    ) -> Result<String, OracleError> {
        let (relation, row) = &self.atoms[atom];
        let mut words = vec![names[*relation].clone()];
        for &term in row {
            words.push(model.terms.write(term, model.symbols)?);
        }
        let text = if row.is_empty() { words.join(" ") } else { format!("({})", words.join(" ")) };
        Ok(if sign { text } else { format!("not {text}") })
    }
}

#[cfg(test)]
mod tests {
    use groundrules_gdl::limits::Budget;
    use groundrules_gdl::symbol::Symbols;

    use super::*;
    use crate::ground::GroundTerms;
    use crate::steps::StepBudget;

    /// Settles propositional rules, each a head, what it asks for and what it negates; gives what holds.
    fn settle(rules: &[(&str, &str, &str)]) -> Result<Vec<String>, OracleError> {
        let names: Vec<String> = "abcdef".chars().map(String::from).collect();
        let number = |name: &str| (names.iter().position(|other| other == name).unwrap(), [].into());
        let list = |names: &str| names.split_whitespace().map(number).collect::<Vec<GroundAtom>>();
        let mut atoms = Atoms::default();
        for (head, positive, negative) in rules {
            atoms.add(&GroundRule { head: number(head), positive: list(positive), negative: list(negative) });
        }
        let (mut terms, symbols, mut steps) =
            (GroundTerms::default(), Symbols::new(), StepBudget::new(Budget::steps(1_000)));
        let mut model = Model { tables: &mut [], terms: &mut terms, symbols: &symbols, steps: &mut steps };
        for members in dependencies_first(&atoms.graph) {
            atoms.refuse_negation_inside(&members, &model, &names)?;
            atoms.settle(&members, &mut model).unwrap();
        }
        let held = atoms.atoms.iter().zip(&atoms.holds).filter(|&(_, &holds)| holds);
        let mut held: Vec<String> = held.map(|((relation, _), _)| names[*relation].clone()).collect();
        held.sort();
        Ok(held)
    }

    #[test]
    fn atoms_are_settled_in_their_own_order() {
        assert_eq!(settle(&[("a", "", "b"), ("b", "", "c"), ("c", "", "d")]).unwrap(), ["a", "c"]);
        assert_eq!(settle(&[("a", "b", ""), ("b", "a", ""), ("c", "", "a")]).unwrap(), ["c"]);
        assert_eq!(
            settle(&[("a", "b", ""), ("b", "a", ""), ("b", "", "f"), ("c", "", "a")]).unwrap(),
            ["a", "b"]
        );
    }

    #[test]
    fn a_cycle_through_negation_is_named() {
        let cycle = |rules| match settle(rules) {
            Err(OracleError::NegativeCycle { cycle }) => cycle.join(" "),
            other => panic!("{other:?}"),
        };
        assert_eq!(cycle(&[("a", "", "a")]), "a not a");
        assert_eq!(cycle(&[("a", "", "b"), ("b", "", "a")]), "a not b not a");
        assert_eq!(
            cycle(&[("a", "b c", ""), ("b", "", "d"), ("d", "e", ""), ("e", "a", "")]),
            "b not d e a b"
        );
    }
}
