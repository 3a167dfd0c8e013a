//! Undefined relations: used in a body and defined by no rule. They are false, which is hardly ever meant.

use rustc_hash::FxHashMap;

use super::{Check, Subject};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use crate::fix::{Edit, Fix};
use crate::game::{Game, Relation, RelationId};
use crate::keyword::Keyword;
use crate::nearest::nearest;
use crate::symbol::Symbol;
use crate::syntax::NodeId;

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

/// Keywords that stand in bodies and that no rule of the game needs to define.
const BODY_KEYWORDS: [Keyword; 5] =
    [Keyword::True, Keyword::Does, Keyword::Distinct, Keyword::Not, Keyword::Or];

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
            diagnostic = advise(game, id, &functions, diagnostic);
        }
        diagnostics.push(diagnostic);
    }
}

fn advise(
    game: &Game,
    id: RelationId,
    functions: &FxHashMap<(Symbol, usize), &'static str>,
    diagnostic: Diagnostic,
) -> Diagnostic {
    let (name, relation) = (game.relation_name(id), game.relation(id));
    if let Some(&what) = functions.get(&(relation.name, relation.arity)) {
        let diagnostic = diagnostic.help(format!("`{name}` is a {what}"));
        return if what == FLUENT { diagnostic.fix(ask_for_fluent(game, id)) } else { diagnostic };
    }
    let defined =
        game.relations().filter(|(_, other)| other.defined.is_some() && other.arity == relation.arity);
    let keywords =
        BODY_KEYWORDS.iter().filter(|keyword| keyword.arity().is_none_or(|arity| arity == relation.arity));
    let keywords = keywords.map(|keyword| keyword.name());
    match nearest(name, keywords.chain(defined.map(|(id, _)| game.relation_name(id)))) {
        Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")).fix(rename_uses(game, id, meant)),
        None => diagnostic.help("write a rule or a fact for it, or remove the literal"),
    }
}

/// What a fluent is told to be, and what to write around it.
const FLUENT: &str = "fluent: ask for it with `(true …)`";

/// The literals that ask for a relation.
fn uses(game: &Game, id: RelationId) -> impl Iterator<Item = NodeId> {
    let literals = game.rules().iter().flat_map(|rule| rule.literals());
    let asked = literals.filter(move |literal| literal.atom().is_some_and(|atom| atom.relation == id));
    asked.map(|literal| literal.node)
}

fn rename_uses(game: &Game, id: RelationId, meant: &str) -> Fix {
    let word = |node: NodeId| game.tree().children(node).first().copied().unwrap_or(node);
    let edits = uses(game, id).map(|node| Edit::replace(game.span(word(node)), meant));
    Fix::new(format!("write `{meant}`"), edits.collect())
}

fn ask_for_fluent(game: &Game, id: RelationId) -> Fix {
    let around = |node: NodeId| {
        let span = game.span(node);
        [Edit::insert(span.start, "(true "), Edit::insert(span.end, ")")]
    };
    Fix::new("ask for the fluent with `true`", uses(game, id).flat_map(around).collect())
}

/// The functions at the top of fluents and moves, with what to write around them in a body.
fn dynamic_functions(game: &Game) -> FxHashMap<(Symbol, usize), &'static str> {
    let mut functions = FxHashMap::default();
    for rule in game.rules() {
        let (term, what) = match rule.head.relation {
            RelationId::INIT | RelationId::NEXT => (rule.head.arguments[0], FLUENT),
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
    fn a_misspelled_keyword_is_recognised() {
        let meant = |literal: &str| help(&format!("(init (a 1)) (<= terminal {literal})"), "G510").remove(0);
        assert_eq!(meant("(ture (a 1))"), "did you mean `true`?");
        assert_eq!(meant("(distnct a b)"), "did you mean `distinct`?");
        assert_eq!(meant("(nto (true (a 1)))"), "did you mean `not`?");
    }

    #[test]
    fn a_forgotten_true_is_recognised() {
        let text = "(init (control white)) (<= terminal (control white))";
        assert_eq!(help(text, "G510"), ["`control` is a fluent: ask for it with `(true …)`"]);
    }
}
