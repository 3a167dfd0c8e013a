//! The predicates of the answer set program. The keywords of fluents and moves stay what they are; `base` and `input` are
//! what the program works out, so the description's own are `base'given` and `input'given`. What can ever hold of a
//! relation `p` is `p'static`. Relations that are no part of the description end in a quote, or have a word after one. In
//! an escaped name quotes come in pairs around a number, and in other names there are none: so nothing collides.

use groundrules_gdl::Game;
use groundrules_gdl::game::RelationId;

use super::names;
use crate::clause::{Mode, Predicate};

/// The predicate of a relation, or of a part of a body. Fluents and moves are terms under keywords, and have none.
pub(super) fn predicate(game: &Game, predicate: Predicate) -> Option<String> {
    Some(match predicate {
        Predicate::Relation(RelationId::BASE) => String::from("base'given"),
        Predicate::Relation(RelationId::INPUT) => String::from("input'given"),
        Predicate::Relation(relation) => {
            names::functor(game.symbols().folded(game.relation(relation).name)).into_owned()
        }
        Predicate::Auxiliary(number) => format!("aux{number}'"),
        Predicate::Whole(mode) => format!("{}'whole", keyword(mode)),
        Predicate::Question(number) => format!("asked{number}'"),
        Predicate::Fluent(..) | Predicate::Move(..) | Predicate::Domain(_) => return None,
    })
}

/// The predicate for what can ever hold of another one.
pub(super) fn copy(predicate: &str) -> String {
    format!("{predicate}'static")
}

/// The keyword of a mode; a fluent in no special mode is true.
pub(super) fn keyword(mode: Mode) -> &'static str {
    match mode {
        Mode::Plain => "true",
        Mode::Init => "init",
        Mode::Next => "next",
        Mode::Legal => "legal",
        Mode::Does => "does",
    }
}

/// The keyword for what can ever hold of a fluent or a move. What holds at first is known, so it stays.
pub(super) fn possible_keyword(mode: Mode) -> &'static str {
    match mode {
        Mode::Init => "init",
        Mode::Plain | Mode::Next => "base",
        Mode::Legal | Mode::Does => "input",
    }
}

#[cfg(feature = "gringo")]
pub(super) use reading::{Meaning, Vocabulary};

/// From predicates back to what they stand for.
#[cfg(feature = "gringo")]
mod reading {
    use rustc_hash::FxHashMap;

    use super::*;
    use crate::clause::Program;

    /// What a predicate of the answer set program is about.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(in super::super) enum Meaning {
        /// A fluent that can ever hold.
        Base,
        /// A move that can ever be legal.
        Input,
        /// A fluent or a move under its keyword.
        Under(Mode),
        /// A relation of the description, or a part of a body.
        Own(Predicate),
        /// What can ever hold of a relation, and what is asked: no part of the game.
        Scaffold,
    }

    /// The meanings of predicates by name and number of arguments.
    pub(in super::super) struct Vocabulary {
        meanings: FxHashMap<String, Vec<(usize, Meaning)>>,
    }

    impl Vocabulary {
        /// The vocabulary of a program.
        pub(in super::super) fn of(game: &Game, program: &Program) -> Self {
            let mut vocabulary = Vocabulary { meanings: FxHashMap::default() };
            vocabulary.add("base".into(), 1, Meaning::Base);
            vocabulary.add("input".into(), 2, Meaning::Input);
            for mode in [Mode::Init, Mode::Plain, Mode::Next, Mode::Legal, Mode::Does] {
                let arity = if matches!(mode, Mode::Legal | Mode::Does) { 2 } else { 1 };
                vocabulary.add(keyword(mode).into(), arity, Meaning::Under(mode));
            }
            for (&given, &arity) in program.predicates.iter().zip(&program.arities) {
                let Some(name) = predicate(game, given) else { continue };
                vocabulary.add(copy(&name), arity, Meaning::Scaffold);
                let is_question = matches!(given, Predicate::Question(_));
                let meaning = if is_question { Meaning::Scaffold } else { Meaning::Own(given) };
                vocabulary.add(name, arity, meaning);
            }
            vocabulary
        }

        fn add(&mut self, name: String, arity: usize, meaning: Meaning) {
            self.meanings.entry(name).or_default().push((arity, meaning));
        }

        /// What a predicate is about.
        pub(in super::super) fn meaning(&self, name: &str, arity: usize) -> Option<Meaning> {
            let known = self.meanings.get(name)?;
            known.iter().find(|(of, _)| *of == arity).map(|(_, meaning)| *meaning)
        }
    }

    #[cfg(test)]
    mod tests {
        use groundrules_gdl::{Options, read};

        use super::*;

        #[test]
        fn no_two_predicates_are_called_the_same() {
            let text =
                "(role r) (init s) (legal r go) (goal r 0) (terminal) (base s) (input r go) (+ 1) (aux0 1)
                (<= (p ?x) (base ?x) (not (input r ?x))) (<= (aux1 ?x ?y) (+ ?x) (aux0 ?y) (true s))";
            let game = read(text.as_bytes(), &Options::default()).game.unwrap();
            let mut program = Program::of(&game).unwrap();
            for number in 0..2 {
                program.predicate(Predicate::Auxiliary(number), 1);
                program.predicate(Predicate::Question(number), 1);
            }
            program.predicate(Predicate::Whole(Mode::Plain), 1);
            let vocabulary = Vocabulary::of(&game, &program);
            for (name, meanings) in &vocabulary.meanings {
                let mut arities: Vec<usize> = meanings.iter().map(|(arity, _)| *arity).collect();
                arities.sort_unstable();
                arities.dedup();
                assert_eq!(arities.len(), meanings.len(), "{name}");
            }
            let base = Meaning::Own(Predicate::Relation(RelationId::BASE));
            assert_eq!(vocabulary.meaning("base'given", 1), Some(base));
            assert_eq!(vocabulary.meaning("base", 1), Some(Meaning::Base));
            assert_eq!(vocabulary.meaning("_x'2b''static", 1), Some(Meaning::Scaffold));
            assert_eq!(vocabulary.meaning("aux0'", 1), Some(Meaning::Own(Predicate::Auxiliary(0))));
            assert_eq!(vocabulary.meaning("aux0", 2), None);
        }
    }
}
