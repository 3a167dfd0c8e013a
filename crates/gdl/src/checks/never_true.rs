//! Fluents and moves that a body asks for and no rule can make: `(true (cel …))` where the fluent is called `cell`.

use rustc_hash::FxHashSet;

use super::{Check, Subject};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use crate::fix::{Edit, Fix};
use crate::game::{Game, RelationId};
use crate::nearest::nearest;
use crate::span::Span;
use crate::symbol::Symbol;
use crate::term::TermId;

pub(super) const CHECK: Check = Check { codes: &[&NEVER_TRUE, &NEVER_DONE], run };

static NEVER_TRUE: Code = Code {
    id: "G511",
    severity: Severity::Warning,
    title: "a fluent that never holds",
    explanation: "\
A body asks whether a fluent holds, but no rule for `init` or `next` makes a fluent of that name and number of
arguments. The literal is always false. Usually the name is misspelled or an argument is missing.",
    wrong: "(init (cell 1 1 blank))\n(<= terminal (true (cell 1 1)))",
    right: "(init (cell 1 1 blank))\n(<= terminal (true (cell 1 1 blank)))",
};

static NEVER_DONE: Code = Code {
    id: "G512",
    severity: Severity::Warning,
    title: "a move that is never legal",
    explanation: "\
A body asks whether a move is made, but no rule for `legal` allows a move of that name and number of arguments. The
literal is always false. Usually the name is misspelled or an argument is missing.",
    wrong: "(role white)\n(legal white (mark 1 1))\n(<= (next done) (does white (marc 1 1)))",
    right: "(role white)\n(legal white (mark 1 1))\n(<= (next done) (does white (mark 1 1)))",
};

type Functors = FxHashSet<(Symbol, usize)>;

fn run(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    let game = subject.game;
    if let Some(fluents) = made(game, &[RelationId::INIT, RelationId::NEXT], 0) {
        check(game, RelationId::TRUE, 0, &fluents, &NEVER_TRUE, diagnostics);
    }
    if let Some(moves) = made(game, &[RelationId::LEGAL], 1) {
        check(game, RelationId::DOES, 1, &moves, &NEVER_DONE, diagnostics);
    }
}

/// The functors that the rules of some relations make in an argument; `None` if they could be any.
fn made(game: &Game, relations: &[RelationId], argument: usize) -> Option<Functors> {
    if relations.iter().any(|&relation| game.may_have_lost(relation)) {
        return None;
    }
    let heads = game.heads().filter(|head| relations.contains(&head.relation));
    let functors: Functors =
        heads.map(|head| game.terms().functor(head.arguments[argument])).collect::<Option<_>>()?;
    // With none at all the missing rules are the fault, and reported as that.
    Some(functors).filter(|functors| !functors.is_empty())
}

fn check(
    game: &Game,
    asked: RelationId,
    argument: usize,
    made: &Functors,
    code: &'static Code,
    diagnostics: &mut Diagnostics,
) {
    for rule in game.rules() {
        for literal in rule.literals() {
            let Some(atom) = literal.atom().filter(|atom| atom.relation == asked) else { continue };
            let term = atom.arguments[argument];
            let Some(functor) = game.terms().functor(term) else { continue };
            if made.contains(&functor) {
                continue;
            }
            diagnostics.push_with(code, code.severity, || {
                let place =
                    game.tree().children(literal.node).get(argument + 1).copied().unwrap_or(literal.node);
                let what = if code == &NEVER_TRUE { "makes it hold" } else { "makes it legal" };
                let message = format!("`{}` is asked for, but no rule ever {what}", game.kif(&term));
                let word = game.tree().children(place).first().copied().unwrap_or(place);
                let diagnostic = Diagnostic::new(code, game.span(place), message);
                advise(game, term, functor, made, game.span(word), diagnostic)
            });
        }
    }
}

fn advise(
    game: &Game,
    term: TermId,
    functor: (Symbol, usize),
    made: &Functors,
    word: Span,
    diagnostic: Diagnostic,
) -> Diagnostic {
    let name = game.symbols().spelling(functor.0);
    let mut arities: Vec<usize> =
        made.iter().filter(|&&(other, _)| other == functor.0).map(|&(_, n)| n).collect();
    arities.sort_unstable();
    if let Some(arity) = arities.first() {
        let given = game.terms().arguments(term).len();
        return diagnostic.help(format!("`{name}` has {arity} arguments elsewhere, here it has {given}"));
    }
    let mut names: Vec<&str> = made.iter().map(|&(other, _)| game.symbols().spelling(other)).collect();
    names.sort_unstable();
    match nearest(name, names.into_iter()) {
        Some(meant) => diagnostic
            .help(format!("did you mean `{meant}`?"))
            .fix(Fix::new(format!("write `{meant}`"), vec![Edit::replace(word, meant)])),
        None => diagnostic,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{codes, help};

    #[test]
    fn misspelled_fluents_and_moves_are_found() {
        let text = "(init (cell 1)) (legal a go) (<= terminal (true (cel 1)))";
        assert_eq!(help(text, "G511"), ["did you mean `cell`?"]);
        assert!(codes("(legal a go) (<= (next x) (does a stop))").contains(&"G512"));
    }

    #[test]
    fn a_rule_that_makes_any_fluent_excuses_everything() {
        let text = "(f (cell 1)) (<= (next ?x) (f ?x)) (<= terminal (true (other 1)))";
        assert!(!codes(text).contains(&"G511"));
    }
}
