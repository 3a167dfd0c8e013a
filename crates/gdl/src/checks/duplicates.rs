//! Rules given twice, word for word.

use rustc_hash::FxHashMap;

use super::{Check, Subject};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use crate::fix::{Edit, Fix};
use crate::game::{Formula, RelationId, Rule, Test};
use crate::index::index32;
use crate::syntax::NodeId;

pub(super) const CHECK: Check = Check { codes: &[&DUPLICATE_RULE], run };

static DUPLICATE_RULE: Code = Code {
    id: "G211",
    severity: Severity::Warning,
    title: "a rule is given twice",
    explanation: "\
The rules of a description are a set: a second copy changes nothing. It is often a line that was copied and then not
edited.",
    wrong: "(succ 1 2)\n(succ 2 3)\n(succ 2 3)",
    right: "(succ 1 2)\n(succ 2 3)\n(succ 3 4)",
};

fn run(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    let game = subject.game;
    let mut first: FxHashMap<Vec<u32>, NodeId> = FxHashMap::default();
    // Repeated roles have a code of their own.
    for rule in game.rules().iter().filter(|rule| rule.head.relation != RelationId::ROLE || !rule.is_fact()) {
        if let Some(before) = first.insert(key(rule), rule.node) {
            let what = if rule.is_fact() { "fact" } else { "rule" };
            let message = format!("this {what} is given twice");
            let diagnostic = Diagnostic::new(&DUPLICATE_RULE, game.span(rule.node), message);
            let fix =
                Fix::safe(format!("remove the second {what}"), vec![Edit::remove(game.span(rule.node))]);
            diagnostics
                .push(diagnostic.label(game.span(before), "it stands here too").help("remove one").fix(fix));
        }
    }
}

/// The rule as a sequence of numbers; two rules have the same exactly when they are the same.
fn key(rule: &Rule) -> Vec<u32> {
    let mut key = vec![number(rule.head.relation.index())];
    key.extend(rule.head.arguments.iter().map(|argument| number(argument.index())));
    rule.body.iter().for_each(|part| add(part, &mut key));
    key
}

fn add(part: &Formula, key: &mut Vec<u32>) {
    match part {
        Formula::And(parts) | Formula::Or(parts) => {
            let tag = if matches!(part, Formula::And(_)) { 0 } else { 1 };
            key.extend([tag, number(parts.len())]);
            parts.iter().for_each(|part| add(part, key));
        }
        Formula::Literal(literal) => {
            let (tag, relation) = match &literal.test {
                Test::Atom(atom) => (2, number(atom.relation.index())),
                Test::Equal(_) => (4, 0),
            };
            key.extend([tag + u32::from(literal.positive), relation]);
            key.extend(literal.terms().iter().map(|term| number(term.index())));
        }
    }
}

fn number(place: usize) -> u32 {
    index32(place, "terms or relations")
}

#[cfg(test)]
mod tests {
    use crate::testing::messages;

    #[test]
    fn only_exact_copies_count() {
        assert_eq!(messages("(a 1) (A 1) (a 2)", "G211"), ["this fact is given twice"]);
        assert_eq!(messages("(<= p (q ?x) (not (r ?x))) (<= p (q ?x) (r ?x))", "G211").len(), 0);
        assert_eq!(messages("(<= p (or a b)) (<= p a b) (<= p (or a b))", "G211").len(), 1);
    }
}
