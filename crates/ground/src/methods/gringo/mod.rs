//! Grounding with gringo, as Schiffel described it: the game becomes an answer set program whose parts are the game, all
//! states, all joint moves, and what can ever hold; gringo instantiates it; the instances of the game's part are the
//! ground rules. Writing the program is always possible; running gringo is a feature of its own.
//!
//! `names` and `vocabulary` say how things are called there, `program` writes, `aspif` and `atoms` read what gringo
//! answers, `answer` makes a draft of it, and `run` keeps the process within its limits.

#[cfg(feature = "gringo")]
mod answer;
#[cfg(feature = "gringo")]
mod aspif;
#[cfg(feature = "gringo")]
mod atoms;
#[cfg(feature = "gringo")]
mod error;
#[cfg(feature = "gringo")]
mod heard;
mod names;
mod program;
#[cfg(feature = "gringo")]
mod run;
mod vocabulary;

#[cfg(feature = "gringo")]
pub use error::GringoError;
#[cfg(feature = "gringo")]
pub use run::Gringo;

use groundrules_gdl::Game;

use crate::clause::{Body, Clause, Mode, Pattern, PatternAtom, PredicateId, Program};
use crate::error::GroundError;
use crate::options::Switches;
use crate::passes;
use crate::table::Table;

/// The answer set program of a game.
pub(crate) fn answer_set_program(game: &Game, switches: Switches) -> Result<String, GroundError> {
    Ok(program::write(game, &clauses(game, switches)?))
}

/// The clauses that the program is made of, after the two savings of the paper.
fn clauses(game: &Game, switches: Switches) -> Result<Program, GroundError> {
    let mut program = Program::of(game)?;
    let questions = passes::rewrite_as_published(game, &mut program, switches);
    for (predicate, table) in &questions {
        program.clauses.extend(facts(*predicate, table));
    }
    Ok(program)
}

/// A table as clauses without bodies.
fn facts(predicate: PredicateId, table: &Table) -> impl Iterator<Item = Clause> {
    (0..table.len()).map(move |row| {
        let columns = table.row(row).iter().copied().map(Pattern::Ground).collect();
        Clause {
            head: PatternAtom { predicate, mode: Mode::Plain, columns },
            body: Body::default(),
            conditions: Vec::new(),
            variables: Vec::new(),
            rule: 0,
        }
    })
}
