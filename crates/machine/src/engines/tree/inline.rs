//! Removal of redundant relations: a relation with one rule that has one condition, and nothing else, is that condition
//! under another name. Conditions that use it use the other relation instead.

use rustc_hash::FxHashMap;

use super::program::{Atom, Condition, Meaning, Operand, PredicateId, Program, Rule};

/// What a renaming stands for: the columns of its head are the variables in order.
struct Renaming {
    columns: Vec<u32>,
    atom: Atom,
    variables: u32,
}

/// Replaces renamings in all rules.
pub(super) fn replace_renamings(program: &mut Program) {
    let mut order: Vec<PredicateId> = (0..program.predicates.len()).collect();
    // What is depended on comes first, so that renamings of renamings are replaced at once.
    order.sort_by_key(|&predicate| program.predicates[predicate].group);
    let mut renamings: FxHashMap<PredicateId, Renaming> = FxHashMap::default();
    for predicate in order {
        for index in 0..program.predicates[predicate].rules.len() {
            let rule = &mut program.rules[program.predicates[predicate].rules[index]];
            let mut variables = rule.variables;
            let replaced = rule.body.iter().map(|it| replaced(it, &renamings, &mut variables)).collect();
            (rule.body, rule.variables) = (replaced, variables);
        }
        if let Some(renaming) = renaming_of(program, predicate) {
            renamings.insert(predicate, renaming);
        }
    }
}

fn renaming_of(program: &Program, predicate: PredicateId) -> Option<Renaming> {
    let relation = &program.predicates[predicate];
    let (&[rule], []) = (&relation.rules[..], &relation.facts[..]) else { return None };
    let Rule { head, body, variables } = &program.rules[rule];
    let [Condition::Atom { atom, positive: true }] = &body[..] else { return None };
    if relation.is_recursive || !matches!(relation.meaning, Meaning::Relation(_)) {
        return None;
    }
    let columns: Option<Vec<u32>> = head.columns.iter().map(|column| column.variable()).collect();
    let columns = columns?;
    let mut different = columns.clone();
    different.sort_unstable();
    different.dedup();
    (different.len() == columns.len()).then(|| Renaming {
        columns,
        atom: atom.clone(),
        variables: *variables,
    })
}

fn replaced(
    condition: &Condition,
    renamings: &FxHashMap<PredicateId, Renaming>,
    variables: &mut u32,
) -> Condition {
    match condition {
        Condition::Atom { atom, positive } => match renamings.get(&atom.predicate) {
            None => condition.clone(),
            Some(renaming) => {
                Condition::Atom { atom: renaming.applied(&atom.columns, variables), positive: *positive }
            }
        },
        Condition::Or(alternatives) => {
            let mut of_one = |all: &Vec<Condition>| -> Vec<Condition> {
                all.iter().map(|condition| replaced(condition, renamings, variables)).collect()
            };
            Condition::Or(alternatives.iter().map(&mut of_one).collect())
        }
        Condition::Compose { .. } | Condition::Compare { .. } => condition.clone(),
    }
}

impl Renaming {
    /// The atom that stands for the renaming with these columns. Variables of its own get new numbers.
    fn applied(&self, columns: &[Operand], variables: &mut u32) -> Atom {
        let first = *variables;
        *variables += self.variables;
        let operand = |operand: &Operand| match operand {
            Operand::Constant(_) => *operand,
            Operand::Variable(variable) => match self.columns.iter().position(|column| column == variable) {
                Some(place) => columns[place],
                None => Operand::Variable(first + variable),
            },
        };
        Atom { predicate: self.atom.predicate, columns: self.atom.columns.iter().map(operand).collect() }
    }
}
