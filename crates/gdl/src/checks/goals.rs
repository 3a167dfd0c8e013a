//! Goal values: integers from 0 to 100. What can be seen in the rules is checked here; whether a terminal state has
//! exactly one value for each role is a question for evaluation.

use super::{Check, Subject};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use crate::game::RelationId;
use crate::term::Term;

pub(super) const CHECK: Check = Check { codes: &[&GOAL_VALUE], run };

static GOAL_VALUE: Code = Code {
    id: "G509",
    severity: Severity::Error,
    title: "a goal value is not an integer from 0 to 100",
    explanation: "\
The second argument of `goal` is an integer from 0 (lost) to 100 (won). Other values cannot be compared by a player
and are refused by match hosts.",
    wrong: "(role white)\n(goal white win)",
    right: "(role white)\n(goal white 100)",
};

fn run(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    let game = subject.game;
    for (_, rule) in game.rules_of(RelationId::GOAL) {
        let value = rule.head.arguments[1];
        let fine = match game.terms().get(value) {
            Term::Variable(_) => true,
            Term::Constant(name) => is_goal_value(game.symbols().folded(*name)),
            Term::Function(..) => false,
        };
        if !fine {
            let place = game.tree().children(rule.head_node).get(2).copied().unwrap_or(rule.head_node);
            let message = format!("`{}` is not an integer from 0 to 100", game.kif(&value));
            diagnostics.push(Diagnostic::new(&GOAL_VALUE, game.span(place), message));
        }
    }
}

fn is_goal_value(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u8>().is_ok_and(|value| value <= 100)
}

#[cfg(test)]
mod tests {
    use crate::testing::messages;

    #[test]
    fn values_outside_are_errors() {
        for bad in ["101", "-1", "+5", "win", "(f 1)", "999999999999", "5.5"] {
            assert_eq!(messages(&format!("(goal a {bad})"), "G509").len(), 1, "{bad}");
        }
        for good in ["0", "100", "50"] {
            assert!(messages(&format!("(goal a {good})"), "G509").is_empty(), "{good}");
        }
        assert!(messages("(<= (goal ?r ?v) (true (score ?r ?v)))", "G509").is_empty());
    }
}
