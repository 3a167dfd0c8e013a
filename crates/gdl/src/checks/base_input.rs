//! `base` and `input`, the sets of possible fluents and moves that some descriptions give. Groundrules takes them for
//! hints and computes its own; here it says where they cannot be right.

use rustc_hash::FxHashSet;

use super::{Check, Subject};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use crate::fix::{Edit, Fix};
use crate::game::{Game, RelationId, Rule};
use crate::symbol::Symbol;
use crate::term::TermId;

pub(super) const CHECK: Check = Check { codes: &[&TOO_SMALL, &TOO_LARGE, &HALF_GIVEN], run };

static TOO_SMALL: Code = Code {
    id: "G514",
    severity: Severity::Warning,
    title: "`base` or `input` leaves something out",
    explanation: "\
`base` must cover every fluent that can ever hold and `input` every move that can ever be legal. The description gives
them, but a rule for `init`, `next` or `legal` makes something that they do not cover. Groundrules computes its own
sets and plays the game all the same; programs that trust the given ones play another game.",
    wrong: "(role white)\n(base (light on))\n(init (light off))",
    right: "(role white)\n(base (light on))\n(base (light off))\n(init (light off))",
};

static TOO_LARGE: Code = Code {
    id: "G515",
    severity: Severity::Warning,
    title: "`base` or `input` names something that never occurs",
    explanation: "\
`base` (or `input`) lists a fluent (or move) whose name no rule for `init`, `next` (or `legal`) ever makes. It does no
harm, since Groundrules trims the sets, but usually a name is misspelled or a rule is missing.",
    wrong: "(role white)\n(base (lihgt on))\n(init (light on))",
    right: "(role white)\n(base (light on))\n(init (light on))",
};

static HALF_GIVEN: Code = Code {
    id: "G516",
    severity: Severity::Warning,
    title: "only one of `base` and `input` is given",
    explanation: "\
Programs that use `base` and `input` need both. With only one of them the description cannot be used there; give both
or none.",
    wrong: "(role white)\n(base (light on))\n(init (light on))\n(legal white go)",
    right: "(role white)\n(base (light on))\n(input white go)\n(init (light on))\n(legal white go)",
};

/// One of the two: what is given, what makes the things it should cover, and in which argument they stand.
struct Given {
    relation: RelationId,
    made_by: &'static [RelationId],
    argument: usize,
    thing: &'static str,
}

const BASE: Given = Given {
    relation: RelationId::BASE,
    made_by: &[RelationId::INIT, RelationId::NEXT],
    argument: 0,
    thing: "fluent",
};
const INPUT: Given =
    Given { relation: RelationId::INPUT, made_by: &[RelationId::LEGAL], argument: 1, thing: "move" };

fn run(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    let game = subject.game;
    if game.lost_rules() {
        return;
    }
    for given in [BASE, INPUT] {
        if game.relation(given.relation).defined.is_some() {
            compare(game, &given, diagnostics);
        }
    }
    let defined = |id: RelationId| game.relation(id).defined;
    let (one, missing) = match (defined(RelationId::BASE), defined(RelationId::INPUT)) {
        (Some(node), None) => (node, "input"),
        (None, Some(node)) => (node, "base"),
        _ => return,
    };
    let given = if missing == "base" { "input" } else { "base" };
    let message = format!("`{given}` is given here, but `{missing}` is not");
    diagnostics.push(Diagnostic::new(&HALF_GIVEN, game.span(one), message).help("give both or none"));
}

fn compare(game: &Game, given: &Given, diagnostics: &mut Diagnostics) {
    let rules_of = |relations: &[RelationId]| -> Vec<&Rule> {
        game.rules().iter().filter(|rule| relations.contains(&rule.head.relation)).collect()
    };
    let (listed, made) = (rules_of(&[given.relation]), rules_of(given.made_by));
    let term = |rule: &Rule| rule.head.arguments[given.argument];
    let functors = |rules: &[&Rule]| -> Option<FxHashSet<(Symbol, usize)>> {
        rules.iter().map(|rule| game.terms().functor(term(rule))).collect()
    };
    let (listed_functors, made_functors) = (functors(&listed), functors(&made));
    let is_ground =
        |rule: &Rule| rule.head.arguments.iter().all(|&argument| game.terms().is_ground(argument));
    let arguments = |rule: &Rule| rule.head.arguments.to_vec();
    let exact = listed.iter().all(|rule| rule.is_fact() && is_ground(rule));
    let listed_terms: FxHashSet<Vec<TermId>> =
        listed.iter().filter(|_| exact).map(|rule| arguments(rule)).collect();
    for rule in &made {
        let functor = game.terms().functor(term(rule));
        let name_missing = functor
            .is_some_and(|functor| listed_functors.as_ref().is_some_and(|listed| !listed.contains(&functor)));
        let term_missing = exact && is_ground(rule) && !listed_terms.contains(&arguments(rule));
        if name_missing || term_missing {
            let name = game.relation_name(given.relation);
            let message = format!("`{name}` does not cover the {} `{}`", given.thing, game.kif(&term(rule)));
            let mut diagnostic = Diagnostic::new(&TOO_SMALL, game.span(rule.head_node), message)
                .help(format!("add it to `{name}`, or leave `{name}` out"));
            if let Some(last) = listed.last().filter(|_| is_ground(rule)) {
                let arguments: Vec<String> =
                    rule.head.arguments.iter().map(|term| game.kif(term).to_string()).collect();
                let fact = format!("({name} {})", arguments.join(" "));
                let edit = Edit::insert(game.span(last.node).end, format!(" {fact}"));
                diagnostic = diagnostic.fix(Fix::new(format!("add `{fact}`"), vec![edit]));
            }
            diagnostics.push(diagnostic);
        }
    }
    let Some(made_functors) = made_functors else { return };
    let mut reported = FxHashSet::default();
    for rule in &listed {
        let Some(functor) = game.terms().functor(term(rule)) else { continue };
        if !made_functors.contains(&functor) && reported.insert(functor) {
            let message = format!("no rule ever makes the {} `{}`", given.thing, game.kif(&term(rule)));
            diagnostics.push(Diagnostic::new(&TOO_LARGE, game.span(rule.head_node), message));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{codes, messages};

    #[test]
    fn rules_for_base_are_compared_by_name() {
        let text = "(n 1) (<= (base (at ?x)) (n ?x)) (input a go) (legal a go) (init (at 1)) (init (far 1))";
        assert_eq!(messages(text, "G514"), ["`base` does not cover the fluent `(far 1)`"]);
    }

    #[test]
    fn facts_for_base_are_compared_exactly() {
        let text = "(base (at 1)) (input a go) (legal a go) (init (at 2))";
        assert_eq!(messages(text, "G514"), ["`base` does not cover the fluent `(at 2)`"]);
        assert!(!codes("(base (at 1)) (input a go) (legal a go) (init (at 1))").contains(&"G514"));
        assert!(
            codes("(base (at 1)) (input a go) (legal a go) (<= (next (at 2)) (true (at 1)))")
                .contains(&"G514")
        );
        assert!(
            codes("(role a) (role b) (base x) (init x) (input a go) (legal a go) (legal b go)")
                .contains(&"G514")
        );
    }
}
