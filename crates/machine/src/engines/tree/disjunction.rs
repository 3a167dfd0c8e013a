//! Disjunctions. Most stay in their rule as one OR merge: its alternatives test the same variables, or bind the same
//! ones. The others are multiplied out, and so are those that take part in a recursion, whose calls stand in
//! rules of their own.

use super::normalise::MOST_RULES_OF_A_RULE;
use super::program::{Condition, Predicate, Rule, bound_by};
use crate::MachineError;

/// Multiplies out the disjunctions that cannot stay.
pub(super) fn multiply_out(rules: Vec<Rule>, predicates: &[Predicate]) -> Result<Vec<Rule>, MachineError> {
    let mut flat = Vec::new();
    for rule in rules {
        if rule.body.iter().all(|condition| !matches!(condition, Condition::Or(_))) {
            flat.push(rule);
            continue;
        }
        let head = &predicates[rule.head.predicate];
        if all_can_stay(&rule, predicates) {
            flat.push(rule);
            continue;
        }
        let bodies = alternatives(&rule.body).ok_or_else(|| MachineError::TooManyRules {
            relation: head.name.clone(),
            rules: MOST_RULES_OF_A_RULE,
        })?;
        let with = |body| Rule { head: rule.head.clone(), body, variables: rule.variables };
        flat.extend(bodies.into_iter().map(with));
    }
    Ok(flat)
}

fn alternatives(body: &[Condition]) -> Option<Vec<Vec<Condition>>> {
    let mut all: Vec<Vec<Condition>> = vec![Vec::new()];
    for condition in body {
        let Condition::Or(parts) = condition else {
            all.iter_mut().for_each(|one| one.push(condition.clone()));
            continue;
        };
        let mut of_part = Vec::new();
        for part in parts {
            of_part.extend(alternatives(part)?);
        }
        if all.len().saturating_mul(of_part.len()) > MOST_RULES_OF_A_RULE {
            return None;
        }
        let with =
            |left: &Vec<Condition>, right: &Vec<Condition>| left.iter().chain(right).cloned().collect();
        all = all.iter().flat_map(|left| of_part.iter().map(move |right| with(left, right))).collect();
    }
    Some(all)
}

fn all_can_stay(rule: &Rule, predicates: &[Predicate]) -> bool {
    let plain = rule.body.iter().filter(|condition| !matches!(condition, Condition::Or(_)));
    let outside = bound_by(plain, |_| false);
    let mut uses = Uses::new(rule.variables);
    rule.head.variables().for_each(|variable| uses.outer[variable as usize] = true);
    rule.body.iter().all(|condition| match condition {
        Condition::Or(alternatives) => {
            let head = &predicates[rule.head.predicate];
            let mut is_recursive = false;
            condition.for_each_atom(&mut |atom, _| {
                is_recursive |= head.is_recursive && predicates[atom.predicate].group == head.group;
            });
            !is_recursive && can_stay(alternatives, condition, rule, &uses, &outside)
        }
        _ => true,
    })
}

struct Uses {
    outer: Vec<bool>,
}

impl Uses {
    fn new(variables: u32) -> Self {
        Uses { outer: vec![false; variables as usize] }
    }
}

/// Whether every variable of a disjunction is bound outside, or by all the alternatives, or belongs to one of them alone.
fn can_stay(
    alternatives: &[Vec<Condition>],
    whole: &Condition,
    rule: &Rule,
    uses: &Uses,
    outside: &[u32],
) -> bool {
    let mut used_outside = uses.outer.clone();
    for condition in rule.body.iter().filter(|&condition| !std::ptr::eq(condition, whole)) {
        condition.for_each_variable(&mut |variable| used_outside[variable as usize] = true);
    }
    let known = |variable: u32| outside.contains(&variable);
    let bound: Vec<Vec<u32>> = alternatives.iter().map(|all| bound_by(all.iter(), known)).collect();
    let variables: Vec<Vec<u32>> = alternatives.iter().map(|all| variables_of(all)).collect();
    let is_fine = |variable: u32| {
        let in_alternatives = variables.iter().filter(|all| all.contains(&variable)).count();
        let is_local = in_alternatives == 1 && !used_outside[variable as usize];
        is_local || outside.contains(&variable) || bound.iter().all(|bound| bound.contains(&variable))
    };
    let nested_fine = alternatives.iter().flatten().all(|condition| match condition {
        // Inside an alternative the same must hold; what is simpler is to allow tests only.
        Condition::Or(_) => {
            variables_of(std::slice::from_ref(condition)).iter().all(|it| outside.contains(it))
        }
        _ => true,
    });
    nested_fine && variables.iter().flatten().all(|&variable| is_fine(variable))
}

fn variables_of(conditions: &[Condition]) -> Vec<u32> {
    let mut found = Vec::new();
    for condition in conditions {
        condition.for_each_variable(&mut |variable| found.push(variable));
    }
    found.sort_unstable();
    found.dedup();
    found
}
