//! Rules that nothing reaches: relations on which no keyword depends.

use super::{Check, Subject};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use crate::fix::{Edit, Fix};
use crate::game::{Game, Relation, RelationId};
use crate::keyword::{Keyword, Place};
use crate::nearest::nearest;

pub(super) const CHECK: Check = Check { codes: &[&UNUSED], run };

static UNUSED: Code = Code {
    id: "G513",
    severity: Severity::Warning,
    title: "rules that nothing reaches",
    explanation: "\
None of `role`, `init`, `next`, `legal`, `goal`, `terminal`, `sees`, `base` and `input` depends on this relation, not
even through other relations. Its rules have no effect on the game. Remove them, or use them.",
    wrong: "(role white)\n(init (step 1))\n(succ 1 2)",
    right: "(role white)\n(init (step 1))\n(succ 1 2)\n(<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))",
};

fn run(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    let game = subject.game;
    let mut reached = vec![false; game.relation_count()];
    let mut stack: Vec<RelationId> =
        game.relations().map(|(id, _)| id).filter(|id| id.keyword().is_some()).collect();
    stack.extend(game.lost_uses());
    while let Some(relation) = stack.pop() {
        if !std::mem::replace(&mut reached[relation.index()], true) {
            stack.extend(subject.dependencies.edges(relation).iter().map(|edge| edge.to));
        }
    }
    let mut rules = vec![0usize; game.relation_count()];
    game.rules().iter().for_each(|rule| rules[rule.head.relation.index()] += 1);
    for (id, relation) in game.relations() {
        let Some(node) = relation.defined.filter(|_| !reached[id.index()]) else { continue };
        let name = game.relation_name(id);
        let message = match rules[id.index()] {
            1 => format!("nothing in the game depends on `{name}`: its rule is unreachable"),
            count => format!("nothing in the game depends on `{name}`: its {count} rules are unreachable"),
        };
        diagnostics.push_with(&UNUSED, UNUSED.severity, || {
            let diagnostic = Diagnostic::new(&UNUSED, game.span(node), message);
            let diagnostic = match meant(game, id, relation) {
                Some(meant) => {
                    diagnostic.help(format!("did you mean `{meant}`?")).fix(rename(game, id, meant))
                }
                None if rules[id.index()] == 1 => diagnostic.help("remove it, or use it"),
                None => diagnostic.help("remove them, or use them"),
            };
            let edits = game.rules_of(id).map(|(_, rule)| Edit::remove(game.span(rule.node)));
            diagnostic.fix(Fix::new(format!("remove the rules of `{name}`"), edits.collect()))
        });
    }
}

/// The name that was probably meant: a keyword that rules can define, or a relation that is used and never defined.
fn meant<'g>(game: &'g Game, id: RelationId, relation: &Relation) -> Option<&'g str> {
    let keywords = Keyword::RELATIONS
        .iter()
        .filter(|keyword| keyword.may_stand(Place::Head) && keyword.arity() == Some(relation.arity))
        .map(|keyword| keyword.name());
    let missing = game.relations().filter(|(other, missing)| {
        let is_missing = missing.defined.is_none() && missing.used.is_some() && other.keyword().is_none();
        is_missing && missing.arity == relation.arity
    });
    nearest(game.relation_name(id), keywords.chain(missing.map(|(other, _)| game.relation_name(other))))
}

/// Renames a relation in the heads of its rules; nothing uses it elsewhere but its own rules.
fn rename(game: &Game, id: RelationId, meant: &str) -> Fix {
    let name = game.relation(id).name;
    let rules = game.rules_of(id).flat_map(|(_, rule)| game.tree().occurrences(rule.node, name).take(1));
    Fix::new(format!("write `{meant}`"), rules.map(|span| Edit::replace(span, meant)).collect())
}

#[cfg(test)]
mod tests {
    use crate::testing::{help, messages};

    #[test]
    fn a_misspelled_keyword_is_recognised() {
        let meant = |text: &str| help(text, "G513").remove(0);
        assert_eq!(meant("(<= (nxt (step 2)) (true (step 1)))"), "did you mean `next`?");
        assert_eq!(meant("(inti (step 1))"), "did you mean `init`?");
        assert_eq!(meant("(<= terminl (true (step 1)))"), "did you mean `terminal`?");
        assert_eq!(meant("(nxt 1 2)"), "remove it, or use it", "`next` has one argument");
        assert_eq!(meant("(sucessor 1 2) (<= terminal (successor 1 2))"), "did you mean `successor`?");
    }

    #[test]
    fn a_rule_that_could_not_be_read_still_uses_things() {
        let text = "(line 1) (<= (next (d 1)) (line ?x) (next ?x)) (<= terminal (true (d 1)))";
        assert_eq!(
            crate::testing::codes(text).iter().filter(|code| ["G511", "G513"].contains(code)).count(),
            0
        );
        assert!(!crate::testing::codes("(role r) (goal r)").contains(&"G503"));
    }

    #[test]
    fn what_only_unused_rules_use_is_unused_too() {
        let found = messages("(a 1) (a 2) (<= (b ?x) (a ?x)) (c 1) (<= terminal (c 1))", "G513");
        assert_eq!(found.len(), 2);
        assert!(found[0].contains("`a`") && found[0].contains("2 rules"));
    }
}
