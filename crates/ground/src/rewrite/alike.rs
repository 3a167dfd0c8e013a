//! Arguments that are alike for all values of a domain. In
//!
//! ```text
//! (<= (open ?b ?x) (bit ?b) (true (cell ?x blank)))
//! ```
//!
//! whether `(open ?b ?x)` holds depends on `?x` alone once `?b` is a bit. The relation is as good without the place, if
//! whoever asks for it asks also whether his term is a bit: `(open 0 ?x)` becomes `(bit 0) (open ?x)`, and the static
//! literal leaves no trace. A variable that only goes on to such places of other relations counts as well, so the
//! places go along whole chains; relations that ask each other for them are found as a greatest fixpoint.

use groundrules_gdl::game::RelationId;
use groundrules_gdl::term::TermId;
use rustc_hash::FxHashSet;

use crate::clause::{Body, Clause, Mode, Pattern, PatternAtom, Predicate, PredicateId, Program};

/// Of each place of each predicate the domains for whose values it is alike; nothing where it matters.
type Domains = Vec<Vec<Vec<PredicateId>>>;

/// More candidates than this are not looked at: descriptions of games have a few dozen.
const MOST_CANDIDATES: usize = 1_000_000;

/// Of each predicate the places that are alike for all values of a domain, with the domain.
pub(super) fn find(program: &Program) -> Vec<Vec<Option<PredicateId>>> {
    let mut unary = unary_domains(program);
    if unary.len().saturating_mul(program.arities.iter().sum()) > MOST_CANDIDATES {
        unary.clear();
    }
    let predicates = program.predicates.iter().zip(&program.arities).enumerate();
    let candidates = predicates.map(|(index, (predicate, &arity))| {
        let is_candidate = program.dynamic[index] && may_be_alike(predicate);
        vec![if is_candidate { unary.clone() } else { Vec::new() }; arity]
    });
    let mut domains: Domains = candidates.collect();
    let facts = facts(program);
    let mut changed = !unary.is_empty();
    while changed {
        changed = false;
        for clause in &program.clauses {
            changed |= narrow(clause, &facts, &mut domains);
        }
    }
    domains.into_iter().map(|places| places.into_iter().map(|of| of.first().copied()).collect()).collect()
}

/// Takes the alike places out of every literal; what asks for such a place asks for the domain instead.
pub(super) fn drop_places(program: &mut Program, alike: &[Vec<Option<PredicateId>>]) {
    for clause in &mut program.clauses {
        let mut asked = Vec::new();
        for atom in &mut clause.body.positive {
            asked.extend(taken_out(atom, alike));
        }
        for atom in &mut clause.body.negative {
            // That the term is in the domain is known: `narrow` saw to it.
            taken_out(atom, alike);
        }
        let gone = taken_out(&mut clause.head, alike);
        for (domain, column) in asked {
            clause.body.positive.push(PatternAtom {
                predicate: domain,
                mode: Mode::Plain,
                columns: Box::new([column]),
            });
        }
        // What stood at the head's places stands in questions for domains only; whoever asks for the head asks them.
        clause.body.positive.retain(|atom| match &atom.columns[..] {
            [column] => !gone.iter().any(|(_, place)| place == column),
            _ => true,
        });
    }
    for (arity, places) in program.arities.iter_mut().zip(alike) {
        *arity = places.iter().filter(|place| place.is_none()).count();
    }
}

/// The static relations of one argument.
fn unary_domains(program: &Program) -> Vec<PredicateId> {
    let is_unary = |index: &usize| {
        matches!(program.predicates[*index], Predicate::Relation(_))
            && program.arities[*index] == 1
            && !program.dynamic[*index]
    };
    let id = PredicateId::new;
    (0..program.predicates.len()).filter(is_unary).map(id).collect()
}

/// The facts of relations of one argument.
fn facts(program: &Program) -> FxHashSet<(PredicateId, TermId)> {
    let fact = |clause: &Clause| match clause.head.columns[..] {
        [Pattern::Ground(term)] if clause.body == Body::default() => Some((clause.head.predicate, term)),
        _ => None,
    };
    program.clauses.iter().filter_map(fact).collect()
}

fn may_be_alike(predicate: &Predicate) -> bool {
    let kept = [RelationId::ROLE, RelationId::GOAL, RelationId::TERMINAL, RelationId::SEES];
    matches!(predicate, Predicate::Relation(relation) if !kept.contains(relation))
}

/// Drops the domains that a clause speaks against. Says whether there were any.
fn narrow(clause: &Clause, facts: &FxHashSet<(PredicateId, TermId)>, domains: &mut Domains) -> bool {
    let mut changed = false;
    for place in 0..clause.head.columns.len() {
        let here = &domains[clause.head.predicate.index()][place];
        let kept: Vec<PredicateId> =
            here.iter().copied().filter(|&domain| is_alike(clause, place, domain, domains)).collect();
        changed |= kept.len() < here.len();
        domains[clause.head.predicate.index()][place] = kept;
    }
    for atom in &clause.body.negative {
        for (place, column) in atom.columns.iter().enumerate() {
            let here = &mut domains[atom.predicate.index()][place];
            let before = here.len();
            here.retain(|&domain| is_known(facts, &clause.body, domain, column));
            changed |= here.len() < before;
        }
    }
    changed
}

/// Whether a clause makes the same of every value that a place of its head has in a domain, and of no other value.
fn is_alike(clause: &Clause, place: usize, domain: PredicateId, domains: &Domains) -> bool {
    let Pattern::Variable(variable) = clause.head.columns[place] else { return false };
    let is_it = |column: &Pattern| *column == Pattern::Variable(variable);
    let holds = |column: &Pattern| {
        let mut found = false;
        column.for_each_variable(&mut |it| found |= it == variable);
        found
    };
    let is_free = |atom: &PatternAtom, is_positive: bool| {
        let mut columns = atom.columns.iter().enumerate().filter(|(_, column)| holds(column));
        columns.all(|(place, column)| {
            let asks_domain = is_positive && atom.predicate == domain;
            is_it(column) && (asks_domain || domains[atom.predicate.index()][place].contains(&domain))
        })
    };
    let body = &clause.body;
    clause.head.columns.iter().filter(|column| holds(column)).count() == 1
        && body.positive.iter().all(|atom| is_free(atom, true))
        && body.negative.iter().all(|atom| is_free(atom, false))
        && body.positive.iter().any(|atom| atom.columns.iter().any(is_it))
        && !body.tests.iter().any(|test| holds(&test.left) || holds(&test.right))
}

/// Whether a term of a negative literal is in a domain whenever the rest of the body holds.
fn is_known(
    facts: &FxHashSet<(PredicateId, TermId)>,
    body: &Body,
    domain: PredicateId,
    column: &Pattern,
) -> bool {
    match column {
        Pattern::Ground(term) => facts.contains(&(domain, *term)),
        _ => body.positive.iter().any(|atom| atom.predicate == domain && atom.columns[0] == *column),
    }
}

/// Takes the alike places out of an atom; gives the domains and the terms that stood there.
fn taken_out(atom: &mut PatternAtom, alike: &[Vec<Option<PredicateId>>]) -> Vec<(PredicateId, Pattern)> {
    let places = &alike[atom.predicate.index()];
    if places.iter().all(Option::is_none) {
        return Vec::new();
    }
    let columns = std::mem::take(&mut atom.columns).into_vec();
    let (mut kept, mut out) = (Vec::new(), Vec::new());
    for (column, domain) in columns.into_iter().zip(places) {
        match domain {
            Some(domain) => out.push((*domain, column)),
            None => kept.push(column),
        }
    }
    atom.columns = kept.into();
    out
}

#[cfg(test)]
mod tests {
    use groundrules_gdl::{Options as ReadOptions, read};

    use crate::{Options, ground};

    /// The ground rules of the relations `p` and `q` in a game with some more rules.
    fn rules(more: &str) -> Vec<String> {
        let text = format!(
            "(role r) (init (on 1)) (init (on 2)) (<= (next (on ?x)) (true (on ?x)) (does r stay))
             (legal r stay) (legal r go) (<= terminal (not (true (on 1)))) (goal r 1) (bit 0) (bit 1)
             (<= (p ?b ?x) (bit ?b) (true (on ?x))) {more}"
        );
        let game = read(text.as_bytes(), &ReadOptions::default()).game.expect("a valid description");
        let ground = ground(&game, &Options::default()).expect("a small game");
        let kif = ground.rules().map(|(head, body)| ground.rule_kif(head, body));
        kif.filter(|rule| rule.contains("(p ") || rule.contains("(q ")).collect()
    }

    #[test]
    fn a_place_that_is_alike_goes() {
        let used = rules("(<= (next (on ?x)) (p ?b ?x) (p 0 ?x))");
        assert!(!used.is_empty() && !used.iter().any(|rule| rule.contains("(p 0")), "{used:?}");
    }

    #[test]
    fn a_term_outside_the_domain_never_holds() {
        assert_eq!(rules("(<= (next (on ?x)) (p 7 ?x) (true (on ?x)))"), Vec::<String>::new());
    }

    #[test]
    fn negation_asks_for_the_domain() {
        // 7 is no bit, so (p 7 ?x) never holds and its negation says nothing.
        assert_eq!(rules("(<= (next (off ?x)) (not (p 7 ?x)) (true (on ?x)))"), Vec::<String>::new());
    }

    #[test]
    fn a_place_that_matters_stays() {
        let mattering = "(<= (p 1 ?x) (true (on ?x)) (does r go)) (<= (next (on ?x)) (p 0 ?x))
                         (<= (next (off ?x)) (p 1 ?x))";
        assert!(rules(mattering).iter().any(|rule| rule.contains("(p 1")), "{:?}", rules(mattering));
    }
}
