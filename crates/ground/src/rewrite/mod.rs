//! Clauses changed before they are instantiated, so that fewer instances say the same. Each change is one file and one
//! switch; `together`, with its `diagram`, comes when the static part is known.

mod alike;
mod arguments;
mod constants;
mod demand;
mod diagram;
pub(crate) mod direct;
pub(crate) mod project;
pub(crate) mod together;

use groundrules_gdl::Game;

use crate::clause::{PredicateId, Program};
use crate::conditions;
use crate::options::Switches;
use crate::table::Table;
use project::Depth;

/// Changes the clauses; gives the questions that constants ask, as tables of their predicates.
pub(crate) fn rewrite(game: &Game, program: &mut Program, switches: &Switches) -> Vec<(PredicateId, Table)> {
    if switches.constants {
        constants::find(program);
    }
    if switches.arguments {
        arguments::drop_useless(program);
    }
    if switches.frames {
        conditions::take_out(program);
    }
    if switches.projection {
        project::project(program, Depth::Full { conditions: switches.frames });
    }
    if switches.demand { demand::restrict(program, game.roles()) } else { Vec::new() }
}

/// The two savings that were published with the method of gringo, and no others.
pub(crate) fn as_published(
    game: &Game,
    program: &mut Program,
    switches: &Switches,
) -> Vec<(PredicateId, Table)> {
    if switches.projection {
        project::project(program, Depth::Plain);
    }
    if switches.demand { demand::restrict(program, game.roles()) } else { Vec::new() }
}

/// Of each predicate the arguments that are dropped, in a program in which constants have been found and nothing else.
pub(crate) fn dropped_arguments(program: &Program) -> Vec<Vec<bool>> {
    arguments::drop_useless(&mut program.clone())
}
