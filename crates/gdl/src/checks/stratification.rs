//! Stratified negation: nothing may depend on its own negation. First by names, as the specification has it; where
//! that finds a cycle, by arguments, which is what decides: `(goal ?r 0)` through `(not (goal ?r 100))` is harmless.
//! The closer look is [`ground_cycle`]'s: rules of the cycle are instantiated over the static relations.

mod ground_cycle;
mod static_tuples;

use rustc_hash::{FxHashMap, FxHashSet};

use self::ground_cycle::Outcome;
use super::{Check, Subject};
use crate::dependency::Edge;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use crate::game::RelationId;
use crate::limits::Budget;
use crate::syntax::NodeId;

pub(super) const CHECK: Check = Check { codes: &[&UNSTRATIFIED, &STRATIFIED_BY_ARGUMENTS], run };

static UNSTRATIFIED: Code = Code {
    id: "G403",
    severity: Severity::Error,
    title: "something depends on its own negation",
    explanation: "\
If p holds because q does not, and q because p does not, the rules do not say which of the two it is. GDL therefore
requires negation to be stratified: no cycle of the dependency graph passes through a `not`. The message prints the
cycle. Break it by giving one of the relations a definition that does not go through the negation.",
    wrong: "(role white)\n(<= (legal white x) (not (legal white y)))\n(<= (legal white y) (not (legal white x)))",
    right: "(role white)\n(<= (legal white x) (not (true shut)))\n(<= (legal white y) (true shut))",
};

static STRATIFIED_BY_ARGUMENTS: Code = Code {
    id: "G404",
    severity: Severity::Warning,
    title: "negation is stratified only by arguments",
    explanation: "\
By its name a relation depends on its own negation, but once the arguments are looked at no atom does: the goal 0 is
defined as \"not the goal 100\", say. Groundrules evaluates such rules in the order of their atoms. The specification
asks for stratification by names, so other programs may reject the description: give the negated case a relation of its
own.",
    wrong: "(role white)\n(<= (goal white 100) (true won))\n(<= (goal white 0) (not (goal white 100)))",
    right: "(role white)\n(<= (goal white 100) (true won))\n(<= (goal white 0) (not (true won)))",
};

fn run(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    let mut done = FxHashSet::default();
    // One budget for all the groups: a text can have very many.
    let mut budget = Budget::steps(subject.limits.steps);
    let members = members_by_group(subject);
    for (relation, _) in subject.game.relations() {
        let negative = |edge: &&Edge| !edge.positive && subject.dependencies.in_cycle(relation, edge.to);
        let Some(&edge) = subject.dependencies.edges(relation).iter().find(negative) else { continue };
        let group = subject.dependencies.group(relation);
        if done.insert(group) {
            let by_name = cycle_by_name(subject, relation, edge);
            match ground_cycle::look(subject, &members[&group], &mut budget) {
                Outcome::Harmless => report_harmless(subject, relation, edge, &by_name, diagnostics),
                Outcome::Cycle { words, literal, rule } => {
                    let (head, of) = (rule.head_node, rule.head.relation);
                    let cycle = Cycle { words: &words, literal, head, among_atoms: true };
                    report_cycle(subject, of, &cycle, diagnostics);
                }
                Outcome::Unknown => {
                    let head = subject.game.rules()[edge.rule].head_node;
                    let cycle = Cycle { words: &by_name, literal: edge.literal, head, among_atoms: false };
                    report_cycle(subject, relation, &cycle, diagnostics);
                }
            }
        }
    }
}

/// The relations of each recursion group.
fn members_by_group(subject: &Subject<'_>) -> FxHashMap<usize, Vec<RelationId>> {
    let mut members: FxHashMap<usize, Vec<RelationId>> = FxHashMap::default();
    for (relation, _) in subject.game.relations() {
        members.entry(subject.dependencies.group(relation)).or_default().push(relation);
    }
    members
}

/// The cycle in words: each relation, with `not` before the ones that are negated.
fn cycle_by_name(subject: &Subject<'_>, relation: RelationId, edge: Edge) -> Vec<String> {
    let name = |id| subject.game.relation_name(id).to_owned();
    let mut words = vec![name(relation), format!("not {}", name(edge.to))];
    if edge.to == relation {
        return words;
    }
    let inside = |other| subject.dependencies.in_cycle(relation, other);
    for (_, step) in subject.dependencies.path(edge.to, relation, inside).unwrap_or_default() {
        words.push(if step.positive { name(step.to) } else { format!("not {}", name(step.to)) });
    }
    words
}

/// A cycle that stands: in words, with the negated literal and the head of its rule.
struct Cycle<'a> {
    words: &'a [String],
    literal: NodeId,
    head: NodeId,
    among_atoms: bool,
}

fn report_cycle(
    subject: &Subject<'_>,
    relation: RelationId,
    cycle: &Cycle<'_>,
    diagnostics: &mut Diagnostics,
) {
    let name = subject.game.relation_name(relation);
    let message = format!("`{name}` depends on its own negation: {}", cycle.words.join(" → "));
    let diagnostic = Diagnostic::new(&UNSTRATIFIED, subject.game.span(cycle.literal), message)
        .here("negated here")
        .label(subject.game.span(cycle.head), "the head of the rule")
        .help("break the cycle: define one of these without the negation");
    diagnostics.push(if cycle.among_atoms {
        diagnostic
    } else {
        diagnostic
            .help("judged by the relations' names: the arguments could not be told apart without evaluation")
    });
}

fn report_harmless(
    subject: &Subject<'_>,
    relation: RelationId,
    edge: Edge,
    cycle: &[String],
    diagnostics: &mut Diagnostics,
) {
    let name = subject.game.relation_name(relation);
    let message =
        format!("`{name}` depends on its own negation by name ({}), though no atom does", cycle.join(" → "));
    diagnostics.push(
        Diagnostic::new(&STRATIFIED_BY_ARGUMENTS, subject.game.span(edge.literal), message)
            .here("negated here")
            .help("other programs may reject this: give one of the cases a relation of its own"),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{codes, messages};

    #[test]
    fn a_cycle_through_negation_is_printed() {
        let found = messages("(<= p (not q)) (<= q r) (<= r (not s)) (<= s p)", "G403");
        assert_eq!(found, ["`p` depends on its own negation: p → not q → r → not s → p"]);
        assert!(messages("(<= p (not p))", "G403")[0].ends_with("p → not p"));
    }

    #[test]
    fn constants_can_make_it_harmless() {
        let text =
            "(role r) (<= (goal ?x 0) (role ?x) (not (goal ?x 100))) (<= (goal ?x 100) (role ?x) (true won))";
        assert!(codes(text).contains(&"G404"));
        assert!(!codes(text).contains(&"G403"));
    }

    #[test]
    fn facts_can_make_it_harmless() {
        let rules = "(<= (even ?y) (succ ?x ?y) (not (even ?x)))";
        let chain = format!("(succ 0 1) (succ 1 2) (succ 2 3) {rules}");
        assert!(codes(&chain).contains(&"G404"), "{:?}", codes(&chain));
        let ring = format!("(succ 0 1) (succ 1 2) (succ 2 0) {rules}");
        let found = messages(&ring, "G403");
        assert!(found[0].contains("(even 0)") && found[0].contains("not"), "{found:?}");
    }

    #[test]
    fn static_rules_can_make_it_harmless() {
        let text = "(q a b) (q b c) (<= (e ?x ?y) (q ?x ?y)) (<= (win ?x) (e ?x ?y) (not (win ?y)))";
        assert!(codes(text).contains(&"G404"), "{:?}", codes(text));
        let round = format!("{text} (q c a)");
        assert!(messages(&round, "G403")[0].contains("(win a)"));
        let growing = format!("{text} (<= (e (f ?x) ?y) (e ?x ?y))");
        assert!(codes(&growing).contains(&"G403"), "cannot be enumerated: the cycle by name stands");
    }

    #[test]
    fn distinct_and_nested_terms_are_looked_at() {
        let text = "(s a a) (s a b) (<= (q ?x) (s ?x ?y) (distinct ?x ?y) (not (q ?y)))";
        assert!(codes(text).contains(&"G404"), "{:?}", codes(text));
        let nested = "(s (f (g a)) b) (<= (q (f (g ?x))) (s (f (g ?x)) ?y) (not (q ?y)))";
        assert!(codes(nested).contains(&"G404"), "{:?}", codes(nested));
    }

    #[test]
    fn alternatives_are_looked_at_one_by_one() {
        let text = "(u 0 1) (v 1 2) (<= (ev ?y) (or (u ?x ?y) (v ?x ?y)) (not (ev ?x)))";
        assert!(codes(text).contains(&"G404"), "{:?}", codes(text));
    }

    #[test]
    fn the_literal_on_the_cycle_is_shown() {
        let text = "(w c) (<= (p a) (not (p b))) (<= (p ?x) (w ?x) (not (p c)))";
        let checked = crate::testing::check(text);
        let found = checked.diagnostics.iter().find(|found| found.code.id == "G403").expect("the cycle");
        assert_eq!(&text[found.span().range()], "(p c)");
    }

    #[test]
    fn long_chains_are_followed_within_the_budget() {
        let mut text: String = (0..2_400).map(|i| format!("(succ {i} {})\n", i + 1)).collect();
        text.push_str("(<= (win ?x) (succ ?x ?y) (succ ?y ?z) (not (win ?z)))");
        assert!(codes(&text).contains(&"G404"), "{:?}", codes(&text));
    }

    #[test]
    fn what_the_state_decides_is_judged_by_name() {
        let text = "(init (edge a b)) (<= (win ?x) (true (edge ?x ?y)) (not (win ?y)))";
        assert!(codes(text).contains(&"G403"));
    }

    #[test]
    fn negation_outside_the_cycle_is_fine() {
        let text = "(e 1 2) (<= (r ?x ?y) (e ?x ?y)) (<= (r ?x ?z) (e ?x ?y) (r ?y ?z)) (<= (un ?x) (e ?x ?_y) (not (r ?x 2)))";
        assert!(codes(text).iter().all(|&code| code != "G403" && code != "G404"));
    }
}
