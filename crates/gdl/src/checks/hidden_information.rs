//! Hidden information: rules for `sees` (GDL-II). They are valid, and they change what commands can promise, so a note says what a role
//! is told and what is not supported. Percepts themselves are computed by later crates.

use super::{Check, Subject};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use crate::game::{Game, RelationId};
use crate::term::Term;

pub(super) const CHECK: Check = Check { codes: &[&HIDDEN], run };

static HIDDEN: Code = Code {
    id: "G517",
    severity: Severity::Note,
    title: "the game has hidden information",
    explanation: "\
There are rules for `sees`, so the description is GDL-II: after each joint move a role is told its percepts, the instances
of `(sees role percept)`, and neither the state nor the other roles' moves. A role for which no such rule holds is told nothing.

`play` and `step --as ROLE` show a role only its percepts, its own moves and its legal moves. Information sets are not
supported beyond that: players see the whole state, `solve` and `verify` judge the game as if everybody did, and `host`
sends all moves to every player.

If everybody is to know everything, remove the rules for `sees`.",
    wrong: "(role dealer)\n(role guest)\n(<= (sees guest (got ?c)) (does dealer (deal ?c)))",
    right: "(role dealer)\n(role guest)\n(<= (next (has guest ?c)) (does dealer (deal ?c)))",
};

fn run(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    let game = subject.game;
    let Some((_, first)) = game.rules_of(RelationId::SEES).next() else { return };
    let rules = match game.rules_of(RelationId::SEES).count() {
        1 => "one rule for `sees` says".to_owned(),
        count => format!("{count} rules for `sees` say"),
    };
    let message = format!("the game has hidden information: {rules} what roles are told");
    let mut diagnostic = Diagnostic::new(&HIDDEN, game.span(first.head_node), message).help(
        "`play` and `step --as ROLE` show a role only what it sees; other commands see the whole state",
    );
    let untold = untold(game);
    if !untold.is_empty() {
        let (names, are) = (untold.join("`, `"), if untold.len() == 1 { "is" } else { "are" });
        diagnostic =
            diagnostic.help(format!("`{names}` {are} never told anything: no rule for `sees` names it"));
    }
    diagnostics.push(diagnostic);
}

/// The roles that no rule for `sees` can be about; nature needs none.
fn untold(game: &Game) -> Vec<String> {
    let mut told = Vec::new();
    for (_, rule) in game.rules_of(RelationId::SEES) {
        match game.terms().get(rule.head.arguments[0]) {
            Term::Constant(name) => told.push(game.symbols().folded(*name)),
            _ => return Vec::new(),
        }
    }
    let roles = game.rules_of(RelationId::ROLE).filter_map(|(_, rule)| {
        match game.terms().get(rule.head.arguments[0]) {
            Term::Constant(name) => Some(*name),
            _ => None,
        }
    });
    let untold = roles.filter(|&name| {
        let folded = game.symbols().folded(name);
        folded != "random" && !told.contains(&folded)
    });
    untold.map(|name| game.symbols().folded(name).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use crate::testing::{codes, help, messages};

    const ROLES: &str = "(role a) (role b) (role random) (legal random toss)";

    #[test]
    fn it_is_said_once() {
        let text = format!("{ROLES} (<= (sees a ?m) (does b ?m)) (<= (sees b ?m) (does a ?m))");
        let found = messages(&text, "G517");
        assert_eq!(found, ["the game has hidden information: 2 rules for `sees` say what roles are told"]);
        assert!(!codes(ROLES).contains(&"G517"));
    }

    #[test]
    fn roles_without_percepts_are_named() {
        let help = |text: &str| help(&format!("{ROLES} {text}"), "G517").into_iter().nth(1);
        assert_eq!(
            help("(<= (sees a ?m) (does b ?m))").as_deref(),
            Some("`b` is never told anything: no rule for `sees` names it")
        );
        assert_eq!(help("(<= (sees ?r ?m) (role ?r) (does b ?m))"), None);
        assert_eq!(help("(<= (sees a ?m) (does b ?m)) (<= (sees B ?m) (does a ?m))"), None);
    }
}
