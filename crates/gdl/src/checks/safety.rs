//! Safety: every variable in the head, in a negated literal or in a `distinct` also stands in a positive literal of
//! the body. Without that, a rule would speak of infinitely many things.

use rustc_hash::FxHashSet;

use super::{Check, Subject};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use crate::fix::{Edit, Fix};
use crate::game::{Game, Literal, RelationId, Rule, Test};
use crate::nearest::nearest;
use crate::scope;
use crate::symbol::Symbol;
use crate::syntax::NodeId;
use crate::term::TermId;

pub(super) const CHECK: Check = Check { codes: &[&UNSAFE], run };

static UNSAFE: Code = Code {
    id: "G301",
    severity: Severity::Error,
    title: "a variable is not bound",
    explanation: "\
A variable gets its values from the positive literals of the body. One that stands only in the head, only under `not`
or only in `distinct` gets none: the rule would hold for infinitely many things, and programs differ in what they make
of it (some silently drop the literal). Add a positive literal that says what the variable ranges over. In a
disjunction each alternative has to bind it. An equality, `(not (distinct ?x a))`, tests and does not bind.",
    wrong: "(role white)\n(<= (legal white (mark ?x)) (not (true (marked ?x))))",
    right: "(role white)\n(square 1)\n(<= (legal white (mark ?x)) (square ?x) (not (true (marked ?x))))",
};

fn run(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    for rule in subject.game.rules() {
        // Most descriptions are mostly ground facts.
        let ground = rule.head.arguments.iter().all(|&argument| subject.game.terms().is_ground(argument));
        if !(rule.is_fact() && ground) {
            check_rule(subject.game, rule, diagnostics);
        }
    }
}

fn check_rule(game: &Game, rule: &Rule, diagnostics: &mut Diagnostics) {
    let mut reported: FxHashSet<Symbol> = FxHashSet::default();
    let mut unbound: Vec<(Symbol, NodeId, &'static str)> = Vec::new();
    let bound = scope::walk(&rule.body, &|literal| binds(game, literal), &mut |literal, scope| {
        if literal.positive_atom().is_some() {
            return;
        }
        let place = match (&literal.test, literal.positive) {
            (Test::Atom(_), _) => "in a negated literal",
            (Test::Equal(_), false) => "in `distinct`",
            (Test::Equal(_), true) => "in an equality test",
        };
        for variable in variables(game, literal.terms()) {
            if !scope.provides(variable) && reported.insert(variable) {
                unbound.push((variable, literal.node, place));
            }
        }
    });
    for variable in variables(game, &rule.head.arguments) {
        if !bound.contains(&variable) && reported.insert(variable) {
            unbound.push((
                variable,
                rule.head_node,
                if rule.is_fact() { "in a fact" } else { "in the head" },
            ));
        }
    }
    for (variable, node, place) in unbound {
        diagnostics.push_with(&UNSAFE, Severity::Error, || {
            let mut diagnostic = diagnostic(game, variable, node, place);
            diagnostic.fixes.extend(write_bound_name(game, rule, variable, &bound));
            diagnostic.fixes.extend(bind_role(game, rule, variable));
            diagnostic
        });
    }
}

/// The name of a bound variable that was probably meant.
fn write_bound_name(game: &Game, rule: &Rule, variable: Symbol, bound: &FxHashSet<Symbol>) -> Option<Fix> {
    /// Short names such as ?x1 and ?x2 are alike on purpose, and a rule can have very many.
    const SHORTEST: usize = 5;
    const MOST_COMPARED: usize = 64;
    let name = game.symbols().spelling(variable);
    let mut others: Vec<&str> = bound.iter().map(|&other| game.symbols().spelling(other)).collect();
    others.retain(|other| other.len() >= SHORTEST);
    others.sort_unstable();
    others.truncate(MOST_COMPARED);
    let meant = nearest(name, others.into_iter()).filter(|_| name.len() >= SHORTEST)?;
    let edits = game.tree().occurrences(rule.node, variable).map(|span| Edit::replace(span, meant));
    Some(Fix::new(format!("write `{meant}`"), edits.collect()))
}

/// A variable that stands for a role ranges over the roles.
fn bind_role(game: &Game, rule: &Rule, variable: Symbol) -> Option<Fix> {
    const WITH_ROLE: [RelationId; 5] =
        [RelationId::DOES, RelationId::LEGAL, RelationId::GOAL, RelationId::INPUT, RelationId::SEES];
    let body = rule.literals().filter_map(Literal::atom);
    let is_role = std::iter::once(&rule.head).chain(body).any(|atom| {
        WITH_ROLE.contains(&atom.relation) && game.terms().variable(atom.arguments[0]) == Some(variable)
    });
    let role = format!("(role {})", game.symbols().spelling(variable));
    let head = game.span(rule.head_node);
    let edits = if rule.node == rule.head_node {
        vec![Edit::insert(head.start, "(<= "), Edit::insert(head.end, format!(" {role})"))]
    } else {
        vec![Edit::insert(head.end, format!(" {role}"))]
    };
    is_role.then(|| Fix::new(format!("add `{role}`"), edits))
}

fn diagnostic(game: &Game, variable: Symbol, node: NodeId, place: &str) -> Diagnostic {
    let name = game.symbols().spelling(variable);
    let span = game.tree().occurrences(node, variable).next().unwrap_or(game.span(node));
    let message = format!("the variable `{name}` {place} is bound by no positive literal");
    let help = match place {
        "in a fact" => {
            format!("write a rule whose body says what `{name}` ranges over, or one fact for each value")
        }
        _ => format!("add a positive literal that says what `{name}` ranges over"),
    };
    Diagnostic::new(&UNSAFE, span, message).here("not bound").help(help)
}

/// The variables that a literal gives values to.
fn binds(game: &Game, literal: &Literal) -> Vec<Symbol> {
    literal.positive_atom().map_or_else(Vec::new, |atom| variables(game, &atom.arguments))
}

/// The variables of some terms, in order, with repetitions.
pub(super) fn variables(game: &Game, terms: &[TermId]) -> Vec<Symbol> {
    let mut variables = Vec::new();
    for &term in terms {
        game.terms().for_each_variable(term, |variable, _| variables.push(variable));
    }
    variables
}

#[cfg(test)]
mod tests {
    use crate::testing::{codes, messages};

    #[test]
    fn heads_negations_and_distinct_must_be_bound() {
        let text = "(<= (p ?x) (q ?y) (not (r ?z)) (distinct ?w ?y))";
        let found = messages(text, "G301");
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found.iter().any(|m| m.contains("`?x` in the head")));
        assert!(found.iter().any(|m| m.contains("`?z` in a negated literal")));
        assert!(found.iter().any(|m| m.contains("`?w` in `distinct`")));
    }

    #[test]
    fn every_alternative_must_bind() {
        assert!(codes("(<= (p ?x) (or (q ?x) (r ?x)))").iter().all(|&code| code != "G301"));
        assert!(codes("(<= (p ?x) (or (q ?x) (r ?y)))").contains(&"G301"));
        assert!(codes("(<= (p ?x) (or (q ?x) (and (r ?y) (q ?x))))").iter().all(|&code| code != "G301"));
    }

    #[test]
    fn a_negation_in_an_alternative_sees_what_stands_beside_the_disjunction() {
        assert!(codes("(<= p (q ?x) (or (not (r ?x)) (distinct ?x 1)))").iter().all(|&code| code != "G301"));
        assert!(codes("(<= p (or (q ?x) (not (r ?x))))").contains(&"G301"));
    }

    #[test]
    fn double_negation_binds_and_equality_does_not() {
        assert!(codes("(<= (p ?x) (not (not (q ?x))))").iter().all(|&code| code != "G301"));
        assert!(codes("(<= (p ?x) (not (distinct ?x 1)))").contains(&"G301"));
        assert!(codes("(p ?x)").contains(&"G301"));
    }

    #[test]
    fn de_morgan_needs_bound_variables() {
        assert!(codes("(<= (p ?x) (q ?x) (not (or (r ?x) (s ?x))))").iter().all(|&code| code != "G301"));
    }
}
