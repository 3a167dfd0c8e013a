//! Wide clauses that differ in one literal. A disjunction in a body, or a relation that was split, makes clauses that are
//! alike but for one literal:
//!
//! ```text
//! (<= (blocked ?a ?b ?k ?t) (aims ?k ?t) (path ?a ?b ?t) (true (rook ?t)))
//! (<= (blocked ?a ?b ?k ?t) (aims ?k ?t) (path ?a ?b ?t) (true (queen ?t)))
//! ```
//!
//! All else would be instantiated once for each. The literals get a relation of their own, and one clause asks for that.
//! What does not pay is put back when it is instantiated (`tidy::inline`).

use groundrules_gdl::symbol::Symbol;
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::clause::{Body, Clause, Mode, Pattern, PatternAtom, Program};

/// A clause of fewer variables has too few instances.
const WIDE: usize = 8;
/// The rest must have so many variables that the literal lacks, or it is hardly instantiated more often than the literal.
const FEWEST_OTHERS: usize = 2;

/// What clauses have in common that differ in one literal: head and body, the variables numbered in their order, and those
/// that the literal shares with them.
type Rest = (PatternAtom, Body, Vec<usize>);

/// A clause without one of its literals.
struct Without {
    clause: usize,
    literal: PatternAtom,
    names: Vec<Symbol>,
}

/// Merges clauses until no two differ in one literal.
pub(crate) fn merge(program: &mut Program) {
    while merge_once(program) {}
}

/// Merges each clause with those that differ from it in one literal. Says whether there were any.
fn merge_once(program: &mut Program) -> bool {
    let mut is_merged = vec![false; program.clauses.len()];
    let mut made = Vec::new();
    for ((head, body, shared), mut group) in groups(program) {
        group.retain(|without| !is_merged[without.clause]);
        if group.len() < 2 {
            continue;
        }
        let predicate = program.part(shared.len());
        let columns: Box<[Pattern]> = shared.iter().copied().map(Pattern::Variable).collect();
        let part = PatternAtom { predicate, mode: Mode::Plain, columns };
        for without in &group {
            is_merged[without.clause] = true;
            made.push(Clause {
                head: part.clone(),
                body: Body { positive: vec![without.literal.clone()], ..Body::default() },
                conditions: Vec::new(),
                variables: without.names.clone(),
                rule: program.clauses[without.clause].rule,
            });
        }
        let (rule, variables) = (program.clauses[group[0].clause].rule, group.swap_remove(0).names);
        let mut body = body;
        body.positive.push(part);
        made.push(Clause { head, body, conditions: Vec::new(), variables, rule });
    }
    let mut is_merged = is_merged.into_iter();
    program.clauses.retain(|_| !is_merged.next().unwrap_or(false));
    let changed = !made.is_empty();
    program.clauses.extend(made);
    if changed {
        program.find_dynamic();
    }
    changed
}

/// The wide clauses without each of their literals that the state decides, by what is left.
fn groups(program: &Program) -> IndexMap<Rest, Vec<Without>, FxBuildHasher> {
    let mut groups: IndexMap<Rest, Vec<Without>, FxBuildHasher> = IndexMap::default();
    for (place, clause) in program.clauses.iter().enumerate() {
        if clause.variables.len() < WIDE || !program.is_dynamic(&clause.head) {
            continue;
        }
        for (literal, atom) in clause.body.positive.iter().enumerate() {
            if program.is_dynamic(atom) && atom.mode == Mode::Plain {
                let (rest, without) = without(clause, place, literal);
                let literal_alone = without.literal.variables().len() - rest.2.len();
                if without.names.len() >= rest.2.len() + literal_alone + FEWEST_OTHERS {
                    groups.entry(rest).or_default().push(without);
                }
            }
        }
    }
    groups
}

/// A clause without a literal. The variables of what is left are numbered in their order, then come those of the literal alone.
fn without(clause: &Clause, place: usize, literal: usize) -> (Rest, Without) {
    let mut numbers: FxHashMap<usize, usize> = FxHashMap::default();
    let mut names: Vec<Symbol> = Vec::new();
    let mut number = |variable: usize| {
        *numbers.entry(variable).or_insert_with(|| {
            names.push(clause.variables[variable]);
            names.len() - 1
        })
    };
    let mut body = clause.body.clone();
    let literal = body.positive.remove(literal);
    let head = clause.head.renamed(&mut number);
    let body = body.renamed(&mut number);
    let literal = literal.renamed(&mut number);
    let mut occurs = vec![false; names.len()];
    head.for_each_variable(&mut |variable| occurs[variable] = true);
    body.for_each_variable(&mut |variable| occurs[variable] = true);
    let shared = literal.variables().into_iter().filter(|&variable| occurs[variable]).collect();
    ((head, body, shared), Without { clause: place, literal, names })
}

#[cfg(test)]
mod tests {
    use groundrules_gdl::read;

    use crate::{Options, Switch, Switches, ground};

    #[test]
    fn a_disjunction_in_a_wide_rule_does_not_multiply_it() {
        let numbers: String = (1..6).map(|it| format!("(n {it})")).collect();
        let text = format!(
            "{numbers} (role r) (init (rook 1)) (init (queen 2)) (init (at 1 2)) (init (at 2 3))
            (<= (legal r (go ?a ?b)) (n ?a) (n ?b)) (<= (next (rook ?b)) (does r (go ?a ?b)))
            (<= (next (queen ?a)) (does r (go ?a ?b))) (<= (next (at ?a ?b)) (does r (go ?a ?b)))
            (<= (next (at ?a ?f)) (true (at ?a ?b)) (true (at ?b ?c)) (true (at ?c ?d)) (true (at ?d ?e))
                (true (at ?e ?f)) (true (at ?a ?c)) (true (at ?a ?d)) (true (at ?f ?h)) (true (at ?g ?h))
                (true (at ?g ?a)) (or (true (rook ?a)) (true (queen ?a))))
            (<= terminal (true (rook 5))) (goal r 1)"
        );
        let game = read(text.as_bytes(), &groundrules_gdl::Options::default()).game.expect("valid");
        let rules = |switches| {
            ground(&game, &Options { switches, ..Options::default() }).expect("small").rules().len()
        };
        let (all, without) = (Switches::default(), Switches::default().without(Switch::Splitting));
        assert!(rules(all) < rules(without), "{} {}", rules(all), rules(without));
    }
}
