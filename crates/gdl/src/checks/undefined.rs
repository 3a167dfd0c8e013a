//! Undefined relations: used in a body and defined by no rule. They are false, which is hardly ever meant.

use rustc_hash::FxHashMap;

use super::{Check, Subject};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use crate::game::{Game, Relation, RelationId};
use crate::nearest::nearest;
use crate::symbol::Symbol;

pub(super) const CHECK: Check = Check { codes: &[&UNDEFINED], run };

static UNDEFINED: Code = Code {
    id: "G510",
    severity: Severity::Warning,
    title: "a relation is used and never defined",
    explanation: "\
No rule or fact has this relation as its head, so it never holds. Usually the name is misspelled, or a `true` or `does`
is missing around a fluent or a move.",
    wrong: "(succ 1 2)\n(<= (next (step ?y)) (true (step ?x)) (suc ?x ?y))",
    right: "(succ 1 2)\n(<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))",
};

fn run(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    let game = subject.game;
    let given = [RelationId::TRUE, RelationId::DOES];
    let is_undefined = |id: RelationId, relation: &Relation| {
        let missing = relation.defined.is_none() && !game.may_have_lost(id);
        missing && relation.used.is_some() && !given.contains(&id)
    };
    let functions = dynamic_functions(game);
    for (id, relation) in game.relations().filter(|&(id, relation)| is_undefined(id, relation)) {
        let Some(node) = relation.used else { continue };
        let name = game.relation_name(id);
        let message = format!("the relation `{name}` is used here and never defined: it is false");
        let mut diagnostic = Diagnostic::new(&UNDEFINED, game.span(node), message);
        if !diagnostics.is_full(&UNDEFINED) {
            diagnostic = advise(game, name, relation, &functions, diagnostic);
        }
        diagnostics.push(diagnostic);
    }
}

fn advise(
    game: &Game,
    name: &str,
    relation: &Relation,
    functions: &FxHashMap<(Symbol, usize), &'static str>,
    diagnostic: Diagnostic,
) -> Diagnostic {
    if let Some(what) = functions.get(&(relation.name, relation.arity)) {
        return diagnostic.help(format!("`{name}` is a {what}"));
    }
    let defined =
        game.relations().filter(|(_, other)| other.defined.is_some() && other.arity == relation.arity);
    match nearest(name, defined.map(|(id, _)| game.relation_name(id))) {
        Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
        None => diagnostic.help("write a rule or a fact for it, or remove the literal"),
    }
}

/// The functions at the top of fluents and moves, with what to write around them in a body.
fn dynamic_functions(game: &Game) -> FxHashMap<(Symbol, usize), &'static str> {
    let mut functions = FxHashMap::default();
    for rule in game.rules() {
        let (term, what) = match rule.head.relation {
            RelationId::INIT | RelationId::NEXT => {
                (rule.head.arguments[0], "fluent: ask for it with `(true …)`")
            }
            RelationId::LEGAL => (rule.head.arguments[1], "move: ask for it with `(does r …)`"),
            _ => continue,
        };
        if let Some(functor) = game.terms().functor(term) {
            functions.entry(functor).or_insert(what);
        }
    }
    functions
}

#[cfg(test)]
mod tests {
    use crate::testing::{help, messages};

    #[test]
    fn the_nearest_name_is_offered() {
        let text = "(adjacent 1 2) (<= (p ?x) (adjacnt ?x ?_y))";
        assert_eq!(messages(text, "G510").len(), 1);
        assert_eq!(help(text, "G510"), ["did you mean `adjacent`?"]);
    }

    #[test]
    fn a_forgotten_true_is_recognised() {
        let text = "(init (control white)) (<= terminal (control white))";
        assert_eq!(help(text, "G510"), ["`control` is a fluent: ask for it with `(true …)`"]);
    }
}
