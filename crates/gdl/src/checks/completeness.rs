//! What a game cannot do without: roles, legal moves, goals and an end; and what it rarely does without: a first
//! state and a next one.

use super::{Check, Subject};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use crate::game::{Game, RelationId};
use crate::roles::NATURE;
use crate::span::Span;
use crate::term::TermId;

pub(super) const CHECK: Check = Check {
    codes: &[
        &EMPTY_DESCRIPTION,
        &NO_ROLE,
        &NO_LEGAL,
        &NO_GOAL,
        &NO_TERMINAL,
        &NO_INIT,
        &NO_NEXT,
        &ROLE_LEFT_OUT,
    ],
    run,
};

static EMPTY_DESCRIPTION: Code = Code {
    id: "G214",
    severity: Severity::Error,
    title: "there is no rule",
    explanation: "\
The text holds no rule at all. A game needs at least roles, legal moves, goals and a terminal condition.",
    wrong: "; to be written",
    right: "(role white)",
};

static NO_ROLE: Code = Code {
    id: "G501",
    severity: Severity::Error,
    title: "there is no role",
    explanation: "\
A game has at least one player. Name each with a fact `(role …)`; their order in the text is the order in which their
moves are written down.",
    wrong: "(legal white go)\n(goal white 100)\n(<= terminal (true done))",
    right: "(role white)\n(legal white go)\n(goal white 100)\n(<= terminal (true done))",
};

static NO_LEGAL: Code = Code {
    id: "G502",
    severity: Severity::Error,
    title: "there are no legal moves",
    explanation: "\
No rule says which moves are legal, so nobody can ever move. In every state that is not terminal each role needs a
legal move; a player who has nothing to do usually gets `noop`.",
    wrong: "(role white)\n(goal white 100)\n(<= terminal (true done))",
    right: "(role white)\n(legal white go)\n(goal white 100)\n(<= terminal (true done))",
};

static NO_GOAL: Code = Code {
    id: "G503",
    severity: Severity::Error,
    title: "there are no goals",
    explanation: "\
No rule says what the end of a match is worth. In every terminal state each role needs exactly one goal value from 0 to
100.",
    wrong: "(role white)\n(legal white go)\n(<= terminal (true done))",
    right: "(role white)\n(legal white go)\n(goal white 100)\n(<= terminal (true done))",
};

static NO_TERMINAL: Code = Code {
    id: "G504",
    severity: Severity::Error,
    title: "the game never ends",
    explanation: "\
No rule defines `terminal`, so every match goes on for ever. Say when it is over.",
    wrong: "(role white)\n(legal white go)\n(goal white 100)",
    right: "(role white)\n(legal white go)\n(goal white 100)\n(<= terminal (true done))",
};

static NO_INIT: Code = Code {
    id: "G505",
    severity: Severity::Warning,
    title: "nothing holds at the beginning",
    explanation: "\
No rule defines `init`, so the first state is empty. That is allowed, and a few games rely on it, but usually the first
state was forgotten.",
    wrong: "(role white)\n(<= (next done) (does white go))",
    right: "(role white)\n(init (step 1))\n(<= (next done) (does white go))",
};

static NO_NEXT: Code = Code {
    id: "G506",
    severity: Severity::Warning,
    title: "nothing holds after a move",
    explanation: "\
No rule defines `next`, so every state but the first is empty. That is allowed in a game of a single move; usually the
rules for `next` were forgotten. Nothing stays true by itself: what should stay needs a rule too.",
    wrong: "(role white)\n(init (step 1))",
    right: "(role white)\n(init (step 1))\n(<= (next (step 2)) (true (step 1)))",
};

static ROLE_LEFT_OUT: Code = Code {
    id: "G507",
    severity: Severity::Warning,
    title: "a role never moves, or never scores",
    explanation: "\
The rules for `legal` (or `goal`) name their roles, and this role is not among them. A role without a legal move stops
the match, and one without a goal gets no result. The role `random` needs no goal.",
    wrong: "(role white)\n(role black)\n(legal white go)",
    right: "(role white)\n(role black)\n(legal white go)\n(legal black go)",
};

fn run(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    let game = subject.game;
    if game.tree().forms().is_empty() {
        // Only where reading found nothing wrong: otherwise the rules may have been lost to a fault already reported.
        if !diagnostics.has_errors() {
            let diagnostic =
                Diagnostic::new(&EMPTY_DESCRIPTION, Span::default(), "the description holds no rule");
            diagnostics.push(
                diagnostic.help("write the roles, the rules for `legal`, `next`, `goal` and `terminal`"),
            );
        }
        return;
    }
    let required: [(RelationId, &'static Code, &str, &str); 6] = [
        (RelationId::ROLE, &NO_ROLE, "no role is given", "name each player: `(role white)`"),
        (RelationId::LEGAL, &NO_LEGAL, "no rule says which moves are legal", "write rules for `(legal r m)`"),
        (RelationId::GOAL, &NO_GOAL, "no rule gives a goal", "write rules for `(goal r v)`, v from 0 to 100"),
        (
            RelationId::TERMINAL,
            &NO_TERMINAL,
            "no rule says when the match is over",
            "write rules for `terminal`",
        ),
        (RelationId::INIT, &NO_INIT, "nothing is said to hold at the beginning", "write facts `(init f)`"),
        (RelationId::NEXT, &NO_NEXT, "nothing is said to hold after a move", "write rules for `(next f)`"),
    ];
    for (relation, code, message, help) in required {
        if game.relation(relation).defined.is_none() && !game.may_have_lost(relation) {
            diagnostics.push(Diagnostic::new(code, Span::default(), message).help(help));
        }
    }
    report_roles_left_out(game, diagnostics);
}

fn report_roles_left_out(game: &Game, diagnostics: &mut Diagnostics) {
    for (relation, what) in [(RelationId::LEGAL, "a legal move"), (RelationId::GOAL, "a goal")] {
        let Some(named) = named_roles(game, relation) else { continue };
        for (_, rule) in game.rules_of(RelationId::ROLE).filter(|(_, rule)| rule.is_fact()) {
            let role = rule.head.arguments[0];
            let excused = relation == RelationId::GOAL
                && game.terms().constant(role).is_some_and(|name| game.symbols().folded(name) == NATURE);
            if game.terms().is_ground(role) && !named.contains(&role) && !excused {
                let message = format!("no rule gives the role `{}` {what}", game.kif(&role));
                diagnostics.push(Diagnostic::new(&ROLE_LEFT_OUT, game.span(rule.node), message));
            }
        }
    }
}

/// The roles that the rules for a relation name, unless one of the rules is for whichever role.
fn named_roles(game: &Game, relation: RelationId) -> Option<rustc_hash::FxHashSet<TermId>> {
    game.relation(relation).defined.filter(|_| !game.may_have_lost(relation))?;
    let heads = game.heads().filter(|head| head.relation == relation).map(|head| head.arguments[0]);
    heads.map(|role| game.terms().is_ground(role).then_some(role)).collect()
}

#[cfg(test)]
mod tests {
    use crate::testing::codes;

    #[test]
    fn each_missing_part_is_reported() {
        let found = codes("(succ 1 2)");
        for code in ["G501", "G502", "G503", "G504", "G505", "G506"] {
            assert!(found.contains(&code), "{code} in {found:?}");
        }
        assert_eq!(codes(""), ["G214"]);
    }

    #[test]
    fn random_needs_no_goal() {
        let text = "(role a) (role random) (legal ?r go) (goal a 100)";
        assert!(!codes(text).contains(&"G507"));
        assert!(codes("(role a) (role b) (goal a 100)").contains(&"G507"));
    }
}
