//! Unification of atoms whose variables belong to different rules. Used where the rules' names alone are too coarse:
//! `(goal ?r 0)` does not depend on `(goal ?r 100)`.

use rustc_hash::FxHashMap;

use crate::limits::{Budget, Exhausted};
use crate::symbol::Symbol;
use crate::term::{Term, TermId, Terms};

/// A term with the side its variables belong to.
type Sided = (TermId, bool);

/// Whether two sequences of terms can be made equal when their variables are kept apart. Does not look whether a
/// variable would have to contain itself, so it may say yes too often, never no too often.
pub(crate) fn may_unify(
    terms: &Terms,
    left: &[TermId],
    right: &[TermId],
    budget: &mut Budget,
) -> Result<bool, Exhausted> {
    if left.len() != right.len() {
        return Ok(false);
    }
    let mut bindings: FxHashMap<(Symbol, bool), Sided> = FxHashMap::default();
    let mut pairs: Vec<(Sided, Sided)> =
        left.iter().zip(right).map(|(&l, &r)| ((l, false), (r, true))).collect();
    // Each round binds a variable or takes a function apart; without the occurs check the latter need not end.
    const MOST_ROUNDS: usize = 10_000;
    let mut rounds = 0;
    while let Some((left, right)) = pairs.pop() {
        let (left, right) = (resolve(terms, &bindings, left), resolve(terms, &bindings, right));
        budget.spend(1)?;
        rounds += 1;
        if rounds > MOST_ROUNDS {
            return Ok(true);
        }
        if left == right {
            continue;
        }
        match (terms.get(left.0), terms.get(right.0)) {
            (Term::Variable(name), _) => drop(bindings.insert((*name, left.1), right)),
            (_, Term::Variable(name)) => drop(bindings.insert((*name, right.1), left)),
            (Term::Function(f, xs), Term::Function(g, ys)) if f == g && xs.len() == ys.len() => {
                pairs.extend(xs.iter().zip(ys).map(|(&x, &y)| ((x, left.1), (y, right.1))));
            }
            _ if left.0 == right.0 => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}

fn resolve(terms: &Terms, bindings: &FxHashMap<(Symbol, bool), Sided>, mut at: Sided) -> Sided {
    while let Term::Variable(name) = terms.get(at.0) {
        match bindings.get(&(*name, at.1)) {
            Some(&bound) => at = bound,
            None => break,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::game;

    fn unify(left: &str, right: &str) -> bool {
        let game = game(&format!("{left} {right}"));
        let [a, b] = game.rules() else { panic!("two facts") };
        let mut budget = Budget::steps(100_000);
        may_unify(game.terms(), &a.head.arguments, &b.head.arguments, &mut budget).unwrap()
    }

    #[test]
    fn arguments_decide() {
        assert!(!unify("(goal ?r 0)", "(goal ?r 100)"));
        assert!(unify("(goal ?r 0)", "(goal white ?v)"));
        assert!(unify("(p ?x (f ?x))", "(p (g ?x) ?y)"));
        assert!(!unify("(p ?x ?x)", "(p a b)"));
        assert!(unify("(p ?x ?x)", "(p ?y (f ?y))"), "no occurs check: too often yes is allowed");
        assert!(!unify("(p (f a))", "(p (f b))"));
        assert!(unify("(p ?x ?y ?x ?x ?y ?y)", "(p ?z ?z ?u (f ?u ?u) ?v (f ?v ?v))"), "it ends");
    }
}
