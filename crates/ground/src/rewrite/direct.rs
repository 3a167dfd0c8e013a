//! Goal direction for relations that turn out too large. A chain that counts the stones on a board, derived without
//! knowing what is asked, counts from every number at every place. Here the questions are derived along with the answers:
//! each literal that asks for such a relation becomes a clause for the questions, bound by the literals beside it, and
//! each clause of the relation gets the question as one more literal. The questions are a domain: they are found with the
//! dynamic predicates, negation passed over, and leave no trace in the ground rules.

use groundrules_gdl::game::RelationId;
use rustc_hash::FxHashMap;

use crate::clause::{Body, Clause, Mode, Pattern, PatternAtom, Predicate, PredicateId, Program};
use crate::plan::is_bound;

/// Derives questions for some relations, as far as that restricts them. Says for how many.
pub(crate) fn direct(program: &mut Program, targets: &[PredicateId]) -> usize {
    let clauses: Vec<Clause> = program.clauses.iter().map(Clause::whole).collect();
    let mut bound = given_columns(program, targets);
    restrict_columns(&clauses, &mut bound);
    bound.retain(|_, columns| columns.contains(&true));
    let mut questions: FxHashMap<PredicateId, PredicateId> = FxHashMap::default();
    for &target in targets {
        if let Some(columns) = bound.get(&target) {
            let arity = columns.iter().filter(|it| **it).count();
            questions.insert(target, program.domain(arity));
        }
    }
    let question = |atom: &PatternAtom| {
        let columns = atom.columns.iter().zip(&bound[&atom.predicate]).filter(|(_, bound)| **bound);
        let columns = columns.map(|(column, _)| column.clone()).collect();
        PatternAtom { predicate: questions[&atom.predicate], mode: Mode::Plain, columns }
    };
    let mut asking = Vec::new();
    for clause in &clauses {
        for (place, atom) in clause.body.positive.iter().chain(&clause.body.negative).enumerate() {
            if bound.contains_key(&atom.predicate) {
                asking.push(asking_clause(program, clause, &bound, &question, (place, atom)));
            }
        }
    }
    for clause in &mut program.clauses {
        if bound.contains_key(&clause.head.predicate) {
            let literal = question(&clause.head);
            clause.body.positive.push(literal);
        }
    }
    program.clauses.extend(asking);
    questions.len()
}

/// All columns of the relations that may be asked for by them.
fn given_columns(program: &Program, targets: &[PredicateId]) -> FxHashMap<PredicateId, Vec<bool>> {
    let kept = [RelationId::GOAL, RelationId::TERMINAL, RelationId::SEES, RelationId::ROLE];
    let may_be_asked = |target: &&PredicateId| match program.predicates[target.index()] {
        Predicate::Relation(relation) => !kept.contains(&relation),
        Predicate::Auxiliary(_) => true,
        _ => false,
    };
    let columns = |&target: &PredicateId| (target, vec![true; program.arities[target.index()]]);
    targets.iter().filter(may_be_asked).map(columns).collect()
}

/// Keeps the columns that are bound wherever the relation is asked for.
fn restrict_columns(clauses: &[Clause], bound: &mut FxHashMap<PredicateId, Vec<bool>>) {
    loop {
        let mut changed = false;
        for clause in clauses {
            for (place, atom) in clause.body.positive.iter().chain(&clause.body.negative).enumerate() {
                let known = known_variables(clause, bound, place);
                let Some(columns) = bound.get_mut(&atom.predicate) else { continue };
                for (is_asked, column) in columns.iter_mut().zip(&atom.columns) {
                    changed |= *is_asked && !is_bound(column, &known);
                    *is_asked &= is_bound(column, &known);
                }
            }
        }
        if !changed {
            return;
        }
    }
}

/// Whether a literal is answered before the one at a place is asked: everything that needs no question, then the others
/// in their order.
fn is_before(clause: &Clause, bound: &FxHashMap<PredicateId, Vec<bool>>, other: usize, place: usize) -> bool {
    other < place || !bound.contains_key(&clause.body.positive[other].predicate)
}

/// The variables of a clause that the question about its head, or a literal answered before, binds.
fn known_variables(clause: &Clause, bound: &FxHashMap<PredicateId, Vec<bool>>, place: usize) -> Vec<bool> {
    let mut known = vec![false; clause.variables.len()];
    if let Some(columns) = bound.get(&clause.head.predicate) {
        for (column, _) in clause.head.columns.iter().zip(columns).filter(|(_, bound)| **bound) {
            column.for_each_variable(&mut |variable| known[variable] = true);
        }
    }
    for (other, atom) in clause.body.positive.iter().enumerate() {
        if is_before(clause, bound, other, place) {
            atom.for_each_variable(&mut |variable| known[variable] = true);
        }
    }
    known
}

/// The clause that asks what a literal of another clause asks, under the literals beside it.
fn asking_clause(
    program: &Program,
    clause: &Clause,
    bound: &FxHashMap<PredicateId, Vec<bool>>,
    question: &dyn Fn(&PatternAtom) -> PatternAtom,
    (place, atom): (usize, &PatternAtom),
) -> Clause {
    let mut body = Body::default();
    if bound.contains_key(&clause.head.predicate) {
        body.positive.push(question(&clause.head));
    }
    let before = clause.body.positive.iter().enumerate();
    let before = before.filter(|(other, _)| is_before(clause, bound, *other, place));
    body.positive.extend(before.map(|(_, atom)| atom.clone()));
    let known = known_variables(clause, bound, place);
    let is_known = |pattern: &Pattern| is_bound(pattern, &known);
    let tests = clause.body.tests.iter().filter(|test| is_known(&test.left) && is_known(&test.right));
    body.tests.extend(tests.cloned());
    let negative = clause.body.negative.iter().filter(|atom| !program.is_dynamic(atom));
    body.negative.extend(negative.filter(|atom| atom.columns.iter().all(is_known)).cloned());
    let head = question(atom);
    Clause { head, body, conditions: Vec::new(), variables: clause.variables.clone(), rule: clause.rule }
}
