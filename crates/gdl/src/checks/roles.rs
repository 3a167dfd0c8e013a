//! Role names: where a rule speaks of a role by name, that role exists.

use rustc_hash::FxHashSet;

use super::{Check, Subject};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use crate::fix::{Edit, Fix};
use crate::game::{Atom, Game, RelationId};
use crate::nearest::nearest;
use crate::syntax::NodeId;
use crate::term::TermId;

pub(super) const CHECK: Check = Check { codes: &[&UNKNOWN_ROLE], run };

static UNKNOWN_ROLE: Code = Code {
    id: "G508",
    severity: Severity::Warning,
    title: "a role that does not exist",
    explanation: "\
The first argument of `does`, `legal`, `goal`, `input` and `sees` is a role. The constant here is none of the roles
that the description gives, so the literal never holds, or the rule is about nobody.",
    wrong: "(role white)\n(legal wite go)",
    right: "(role white)\n(legal white go)",
};

const WITH_ROLE: [RelationId; 5] =
    [RelationId::DOES, RelationId::LEGAL, RelationId::GOAL, RelationId::INPUT, RelationId::SEES];

fn run(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    let game = subject.game;
    // Roles that rules define are only known after evaluation.
    if game.roles().is_empty() || game.rules_of(RelationId::ROLE).any(|(_, rule)| !rule.is_fact()) {
        return;
    }
    let roles: FxHashSet<TermId> = game.roles().iter().copied().collect();
    for rule in game.rules() {
        check_atom(game, &roles, &rule.head, rule.head_node, diagnostics);
        for literal in rule.literals() {
            if let Some(atom) = literal.atom() {
                check_atom(game, &roles, atom, literal.node, diagnostics);
            }
        }
    }
}

fn check_atom(
    game: &Game,
    roles: &FxHashSet<TermId>,
    atom: &Atom,
    node: NodeId,
    diagnostics: &mut Diagnostics,
) {
    if !WITH_ROLE.contains(&atom.relation) {
        return;
    }
    let role = atom.arguments[0];
    if game.terms().is_ground(role) && !roles.contains(&role) {
        diagnostics.push_with(&UNKNOWN_ROLE, UNKNOWN_ROLE.severity, || diagnostic(game, role, node));
    }
}

fn diagnostic(game: &Game, role: TermId, node: NodeId) -> Diagnostic {
    /// More roles than any game has; strangers' descriptions may name more.
    const MOST_COMPARED: usize = 1_000;
    let name = game.kif(&role).to_string();
    let place = game.tree().children(node).get(1).copied().unwrap_or(node);
    let diagnostic = Diagnostic::new(&UNKNOWN_ROLE, game.span(place), format!("there is no role `{name}`"));
    let roles = game.roles().iter().take(MOST_COMPARED).filter_map(|&role| game.terms().constant(role));
    match nearest(&name, roles.map(|role| game.symbols().spelling(role))) {
        Some(meant) => diagnostic
            .help(format!("did you mean `{meant}`?"))
            .fix(Fix::new(format!("write `{meant}`"), vec![Edit::replace(game.span(place), meant)])),
        None => diagnostic,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::messages;

    #[test]
    fn only_names_that_are_no_roles_are_reported() {
        let text = "(role a) (legal b go) (<= (next x) (does c go) (does ?_r go))";
        assert_eq!(messages(text, "G508"), ["there is no role `b`", "there is no role `c`"]);
        assert!(messages("(p b) (<= (role ?x) (p ?x)) (legal c go)", "G508").is_empty());
    }
}
