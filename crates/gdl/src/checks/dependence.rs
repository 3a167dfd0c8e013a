//! What a keyword may depend on. The beginning, the players and the given supersets do not depend on a state; the
//! legal moves, the goals and the end of the game depend on the state but not on the moves being made.

use super::{Check, Subject};
use crate::dependency::Edge;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use crate::game::{Game, RelationId};

pub(super) const CHECK: Check = Check { codes: &[&DEPENDS_ON_STATE, &DEPENDS_ON_MOVE], run };

static DEPENDS_ON_STATE: Code = Code {
    id: "G401",
    severity: Severity::Error,
    title: "`init`, `role`, `base` or `input` depends on the state",
    explanation: "\
The first state, the roles and the sets that `base` and `input` give are the same throughout a match, so the rules for
them may not ask for `true` or `does`, not even through other relations. Rules for them are fine as long as they rest
on static relations alone.",
    wrong: "(role white)\n(<= (init (light on)) (true (power on)))",
    right: "(role white)\n(power on)\n(<= (init (light on)) (power on))",
};

static DEPENDS_ON_MOVE: Code = Code {
    id: "G402",
    severity: Severity::Error,
    title: "`legal`, `goal` or `terminal` depends on the moves made",
    explanation: "\
Which moves are legal, what the goals are and whether the match is over is asked of a state, before anybody moves. The
rules for these may not ask for `does`, not even through other relations. Keep what is needed in the state: let a
`next` rule remember the move.",
    wrong: "(role white)\n(<= terminal (does white resign))",
    right: "(role white)\n(<= (next resigned) (does white resign))\n(<= terminal (true resigned))",
};

fn run(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    let state = [RelationId::TRUE, RelationId::DOES];
    let moves = [RelationId::DOES];
    for start in [RelationId::INIT, RelationId::ROLE, RelationId::BASE, RelationId::INPUT] {
        check(subject, start, &state, &DEPENDS_ON_STATE, diagnostics);
    }
    for start in [RelationId::LEGAL, RelationId::GOAL, RelationId::TERMINAL] {
        check(subject, start, &moves, &DEPENDS_ON_MOVE, diagnostics);
    }
}

fn check(
    subject: &Subject<'_>,
    start: RelationId,
    forbidden: &[RelationId],
    code: &'static Code,
    diagnostics: &mut Diagnostics,
) {
    for &target in forbidden {
        if let Some(path) = subject.dependencies.path(start, target, |_| true) {
            report(subject.game, start, target, &path, code, diagnostics);
        }
    }
}

fn report(
    game: &Game,
    start: RelationId,
    target: RelationId,
    path: &[(RelationId, Edge)],
    code: &'static Code,
    diagnostics: &mut Diagnostics,
) {
    let Some((_, first)) = path.first() else { return };
    let name = |id| game.relation_name(id);
    let mut diagnostic = if path.len() == 1 {
        let message = format!("`{}` depends on `{}`", name(start), name(target));
        Diagnostic::new(code, game.span(first.literal), message)
    } else {
        let chain: Vec<&str> = path.iter().map(|&(from, _)| name(from)).chain([name(target)]).collect();
        let message = format!("`{}` depends on `{}`: {}", name(start), name(target), chain.join(" → "));
        Diagnostic::new(code, game.span(first.literal), message)
            .here(format!("`{}` is asked for here", name(first.to)))
    };
    for (_, edge) in path.iter().skip(1).take(4) {
        diagnostic =
            diagnostic.label(game.span(edge.literal), format!("… which asks for `{}`", name(edge.to)));
    }
    let help = match target {
        RelationId::DOES if code == &DEPENDS_ON_MOVE => {
            "keep what is needed of the move in the state with a `next` rule"
        }
        _ => "these rules may use static relations only",
    };
    diagnostics.push(diagnostic.help(help));
}

#[cfg(test)]
mod tests {
    use crate::testing::messages;

    #[test]
    fn indirect_dependence_is_found_and_the_chain_shown() {
        let text =
            "(<= (legal ?r go) (role ?r) (fine ?r)) (<= (fine ?r) (last ?r)) (<= (last ?r) (does ?r go))";
        assert_eq!(messages(text, "G402"), ["`legal` depends on `does`: legal → fine → last → does"]);
        assert_eq!(messages("(<= (init a) (true b))", "G401"), ["`init` depends on `true`"]);
        assert_eq!(messages("(<= (role ?x) (true (player ?x)))", "G401").len(), 1);
    }

    #[test]
    fn static_rules_for_roles_and_init_are_fine() {
        let text = "(player a) (<= (role ?x) (player ?x)) (<= (init (at ?x)) (player ?x))";
        assert!(messages(text, "G401").is_empty());
    }
}
