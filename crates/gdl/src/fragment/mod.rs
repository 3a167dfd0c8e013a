//! The fragments of GDL: propositional, bounded, valid. Bounded means that no term can grow without end, neither
//! inside a state nor from state to state, so that a finite grounding exists and well-formedness can be decided
//! (Saffidine, "The Game Description Language Is Turing Complete").
//!
//! The paper's general recursion restriction adds `true(f) <- next(f)`, `true(f) <- init(f)` and
//! `does(r, m) <- legal(r, m)` to the description and asks that the recursion restriction hold of the result. To the
//! letter that rejects nearly every real game, for it asks every argument of a move to reappear in the head, needed
//! there or not. So a description counts as bounded when it satisfies the letter, or when, with the same three rules
//! added, every argument has a greatest nesting depth (`depth.rs`). Either suffices for a finite grounding. As in the
//! paper's examples, the arguments of a fluent or of a move count as arguments of their own.

mod depth;

use crate::dependency::Dependencies;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::game::{Atom, Game, RelationId};
use crate::limits::{Budget, Exhausted};
use crate::restriction::offending_arguments;
use crate::span::Span;
use crate::symbol::Symbol;
use crate::term::TermId;

/// The codes of this module.
pub static CODES: [&Code; 2] = [&NOT_BOUNDED, &BOUND_UNDECIDED];

static NOT_BOUNDED: Code = Code {
    id: "G601",
    severity: Severity::Note,
    title: "the description is not bounded",
    explanation: "\
A term can grow without end, from state to state or inside one: a rule takes a value from an argument and puts it back,
wrapped in a function, where it comes round to the same argument. This breaks the general recursion restriction.
The description is valid GDL, but it may have infinitely many states: it has no finite grounding, and whether its
matches end cannot be decided in general, since such rules can simulate any Turing machine. To bound it, let the
growing variable also stand in a positive literal of a relation that does not grow, such as a table of the allowed
values.",
    wrong: "(role r)\n(init (count z))\n(legal r inc)\n(<= (next (count (s ?n))) (true (count ?n)))\n(goal r 100)\n(<= terminal (true (count (s z))))",
    right: "(role r)\n(init (count z))\n(legal r inc)\n(small z)\n(small (s z))\n(<= (next (count (s ?n))) (true (count ?n)) (small ?n))\n(goal r 100)\n(<= terminal (true (count (s z))))",
};

static BOUND_UNDECIDED: Code = Code {
    id: "G602",
    severity: Severity::Note,
    title: "whether the description is bounded was not decided",
    explanation: "\
The search for terms that grow without end ran out of its budget of steps. The description counts as valid but not
bounded. This happens only to enormous descriptions. (No example: it would be long.)",
    wrong: "",
    right: "(role white)",
};

/// Whether terms can grow without end.
#[derive(Debug)]
pub(crate) enum Boundedness {
    /// Every argument has a greatest depth.
    Bounded,
    /// Some argument has none; the diagnostic shows the cycle that grows.
    Grows(Diagnostic),
    /// The budget ran out first.
    Undecided(Diagnostic),
}

impl Boundedness {
    pub(crate) fn of(game: &Game, steps: u64) -> Self {
        if satisfies_the_letter(game) {
            return Boundedness::Bounded;
        }
        match depth::growing_cycle(game, &mut Budget::steps(steps)) {
            Ok(None) => Boundedness::Bounded,
            Ok(Some(diagnostic)) => Boundedness::Grows(diagnostic),
            Err(Exhausted) => {
                let message = "whether terms can grow without end was not decided within the budget";
                Boundedness::Undecided(Diagnostic::new(&BOUND_UNDECIDED, Span::default(), message))
            }
        }
    }
}

/// The general recursion restriction word for word. Where a variable stands for a whole fluent or move, taking
/// others apart into their arguments would compare unlike things, so such descriptions are left to the depths.
fn satisfies_the_letter(game: &Game) -> bool {
    let is_whole = |atom: &Atom| {
        let whole = |(position, _): &(Position, TermId)| {
            matches!(position, Position::Fluent(None, _) | Position::Move(None, _))
        };
        places(game, atom).iter().any(whole)
    };
    let mut atoms = game.rules().iter().flat_map(|rule| {
        let body = rule.literals().filter_map(|literal| literal.atom());
        std::iter::once(&rule.head).chain(body)
    });
    if atoms.any(is_whole) {
        return false;
    }
    let dependencies = Dependencies::across_states(game);
    let arguments = |atom: &Atom| places(game, atom).into_iter().map(|(_, term)| term).collect();
    let keeps = |rule| offending_arguments(game, &dependencies, rule, &arguments).is_empty();
    game.rules().iter().all(keeps)
}

/// A place that holds terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Position {
    /// An argument of an ordinary relation.
    Argument(RelationId, usize),
    /// An argument of a fluent, or with no functor a whole fluent.
    Fluent(Option<(Symbol, usize)>, usize),
    /// An argument of a move, or with no functor a whole move.
    Move(Option<(Symbol, usize)>, usize),
    /// What a variable of a rule can stand for.
    Variable(usize, Symbol),
}

/// The positions of an atom with the terms there. `next` and `init` fill what `true` reads, `legal` what `does` reads.
fn places(game: &Game, atom: &Atom) -> Vec<(Position, TermId)> {
    let taken_apart = |term: TermId, position: fn(Option<(Symbol, usize)>, usize) -> Position| match game
        .terms()
        .functor(term)
    {
        None => vec![(position(None, 0), term)],
        Some(functor) => {
            let arguments = game.terms().arguments(term).iter();
            arguments
                .enumerate()
                .map(|(index, &argument)| (position(Some(functor), index), argument))
                .collect()
        }
    };
    match atom.relation {
        RelationId::TRUE | RelationId::NEXT | RelationId::INIT => {
            taken_apart(atom.arguments[0], Position::Fluent)
        }
        RelationId::DOES | RelationId::LEGAL => {
            let mut places = taken_apart(atom.arguments[1], Position::Move);
            places.push((Position::Argument(RelationId::LEGAL, 0), atom.arguments[0]));
            places
        }
        relation => {
            let arguments = atom.arguments.iter().enumerate();
            arguments.map(|(index, &argument)| (Position::Argument(relation, index), argument)).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Verdict;
    use crate::testing::{help, messages, verdict};

    /// A complete game around some rules.
    fn game(rules: &str) -> String {
        format!(
            "(role r) (init (count z)) (legal r go) (goal r 100) (<= terminal (true (count end))) {rules}"
        )
    }

    #[test]
    fn a_counter_that_only_grows_is_not_bounded() {
        let text = game("(<= (next (count (s ?n))) (true (count ?n)))");
        assert_eq!(verdict(&text), Verdict::Valid);
        assert!(messages(&text, "G601")[0].starts_with("argument 1 of the fluent `count` may grow"));
    }

    #[test]
    fn a_guard_bounds_it() {
        let guarded = "(ok z) (ok (s z)) (<= (next (count (s ?n))) (true (count ?n)) (ok ?n))";
        assert_eq!(verdict(&game(guarded)), Verdict::Bounded);
        let either = "(ok z) (<= (next (count (s ?n))) (or (ok ?n) (true (count ?n))))";
        assert_eq!(verdict(&game(either)), Verdict::Valid);
    }

    #[test]
    fn taking_terms_apart_or_wrapping_once_is_bounded() {
        assert_eq!(verdict(&game("(<= (next (count ?n)) (true (count (s ?n))))")), Verdict::Bounded);
        assert_eq!(verdict(&game("(<= (next (last (s ?n))) (true (count ?n)))")), Verdict::Bounded);
        let swap = "(<= (next (pair (f ?a ?b))) (true (pair (f ?b ?a))))";
        assert_eq!(verdict(&game(swap)), Verdict::Bounded);
    }

    #[test]
    fn growth_round_several_fluents_is_found_and_told() {
        let text = game("(<= (next (b (s ?n))) (true (count ?n))) (<= (next (count ?n)) (true (b ?n)))");
        assert_eq!(verdict(&text), Verdict::Valid);
        assert!(help(&text, "G601")[0].starts_with("the values go round: "));
    }

    #[test]
    fn growth_through_moves_is_found() {
        let text = "(role r) (init (at z)) (<= (legal r (go (s ?n))) (true (at ?n))) \
                    (<= (next (at ?n)) (does r (go ?n))) (goal r 0) (<= terminal (true (at end)))";
        assert_eq!(verdict(text), Verdict::Valid);
    }

    #[test]
    fn growth_inside_a_state_is_found() {
        let text = "(n z) (<= (n (s ?x)) (n ?x) (m ?x)) (<= (m ?x) (n ?x))";
        assert_eq!(verdict(&game(text)), Verdict::NotGdl);
        assert_eq!(messages(&game(text), "G601").len(), 1);
    }

    #[test]
    fn the_letter_of_the_restriction_suffices() {
        // The depths alone would not settle: they do not see that the second argument must be z.
        let text = "(<= (next (p (f ?x) ?x)) (true (p ?x z)))";
        assert_eq!(verdict(&game(text)), Verdict::Bounded);
    }

    #[test]
    fn whole_fluents_carry_growth() {
        let text = game("(<= (next (keep ?f)) (true ?f)) (<= (next ?f) (true (keep ?f)))");
        assert_eq!(verdict(&text), Verdict::Valid);
        assert_eq!(verdict(&game("(<= (next ?f) (true ?f))")), Verdict::Bounded);
    }

    #[test]
    fn what_the_shape_does_not_show_the_depths_do() {
        // The group of p and q takes p's value in deeper, but q hands it out of its wrapping again.
        let text = "(<= (next (p (f ?x))) (true (p ?x)) (true (q ?x))) (<= (next (q ?x)) (true (p (f ?x))))";
        assert_eq!(verdict(&game(text)), Verdict::Bounded);
    }

    #[test]
    fn without_variables_it_is_propositional() {
        assert_eq!(verdict(&game("(<= (next (count end)) (true (count z)))")), Verdict::Propositional);
    }
}
