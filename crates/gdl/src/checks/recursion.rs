//! The recursion restriction: where a rule's body asks for a relation that depends on the rule's head, each argument
//! there is ground, an argument of the head, or an argument of a positive literal outside the cycle. It keeps
//! terms from growing without end inside one state.

use super::{Check, Subject};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use crate::game::{Atom, Literal, Rule};
use crate::restriction::offending_arguments;
use crate::term::TermId;

pub(super) const CHECK: Check = Check { codes: &[&RECURSION], run };

static RECURSION: Code = Code {
    id: "G405",
    severity: Severity::Error,
    title: "the recursion restriction is broken",
    explanation: "\
Take a rule with head p and a positive literal q in its body, p and q on one cycle of the dependency graph. Every
argument of that literal must be ground, or be an argument of p, or be an argument of another positive literal whose
relation is not on a cycle with p. This is the specification's recursion restriction. A rule that breaks it may build
ever larger terms within one state. A rule such as `reach(x,z) <- reach(x,y), reach(y,z)` breaks it too, although no
term grows: bind ?y by a relation from outside the cycle. With `--lenient` this is a warning when the arguments cannot
grow.",
    wrong: "(edge a b)\n(<= (reach ?x ?y) (edge ?x ?y))\n(<= (reach ?x ?z) (reach ?x ?y) (reach ?y ?z))",
    right: "(edge a b)\n(<= (reach ?x ?y) (edge ?x ?y))\n(<= (reach ?x ?z) (edge ?x ?y) (reach ?y ?z))",
};

fn run(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    let arguments = |atom: &Atom| atom.arguments.to_vec();
    for rule in subject.game.rules() {
        for (literal, argument) in offending_arguments(subject.game, subject.dependencies, rule, &arguments) {
            report(subject, rule, literal, argument, diagnostics);
        }
    }
}

fn report(
    subject: &Subject<'_>,
    rule: &Rule,
    literal: &Literal,
    argument: TermId,
    diagnostics: &mut Diagnostics,
) {
    let game = subject.game;
    let index = literal.terms().iter().position(|&term| term == argument).unwrap_or(0);
    let place = game.tree().children(literal.node).get(index + 1).copied().unwrap_or(literal.node);
    let head = game.relation_name(rule.head.relation);
    let term = game.kif(&argument).to_string();
    let message = format!(
        "the argument `{term}` of a literal that depends on `{head}` breaks the recursion restriction"
    );
    let harmless = subject.lenient && subject.bounded;
    let severity = if harmless { Severity::Warning } else { Severity::Error };
    diagnostics.push(
        Diagnostic::new(&RECURSION, game.span(place), message)
            .severity(severity)
            .here(format!("not an argument of `{head}`, nor of a literal outside the cycle"))
            .label(game.span(rule.head_node), "the head of the rule")
            .help(format!(
                "add a positive literal that has `{term}` as an argument and does not depend on `{head}`"
            )),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{codes, lenient_errors, messages};

    const DOOP: &str = "(op plus) (<= (doop (= ?a ?b) (= ?c ?d) ?o) (op ?o) (doop ?a ?c ?o) (doop ?b ?d ?o))";

    #[test]
    fn an_argument_inside_a_head_term_is_not_enough() {
        let found = messages(DOOP, "G405");
        assert_eq!(found.len(), 4, "{found:?}");
        assert!(found[0].contains("`?a`"));
    }

    #[test]
    fn linear_recursion_is_fine() {
        let text = "(succ 1 2) (<= (less ?x ?y) (succ ?x ?y)) (<= (less ?x ?z) (succ ?x ?y) (less ?y ?z))";
        assert!(codes(text).iter().all(|&code| code != "G405"));
    }

    #[test]
    fn a_guard_counts_only_where_it_surely_holds() {
        let text = |guard: &str| {
            format!("(e 1 2) (<= (p ?x ?z) (e ?x ?_w) {guard} (p ?y ?z)) (<= (p ?x ?y) (e ?x ?y))")
        };
        assert!(codes(&text("(or (e ?x ?y) (e ?y ?x))")).iter().all(|&code| code != "G405"));
        assert!(codes(&text("(or (e ?x ?y) (e ?x ?x))")).contains(&"G405"));
    }

    #[test]
    fn lenient_reading_forgives_what_cannot_grow() {
        let transitive = "(e 1 2) (<= (p ?x ?y) (e ?x ?y)) (<= (p ?x ?z) (p ?x ?y) (p ?y ?z))";
        assert!(codes(transitive).contains(&"G405"));
        assert!(!lenient_errors(transitive).contains(&"G405"));
        let growing = "(n z) (<= (n (s ?x)) (n ?x))";
        assert!(lenient_errors(growing).contains(&"G405"));
    }
}
