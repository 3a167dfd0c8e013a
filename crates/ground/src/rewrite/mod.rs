//! The rewriting of clauses before they are instantiated, so that fewer instances say the same. Each rewriting is one
//! file; `passes` lists them in order.

mod alike;
pub(crate) mod arguments;
pub(crate) mod constants;
pub(crate) mod demand;
mod diagram;
pub(crate) mod direct;
pub(crate) mod merge;
pub(crate) mod project;
pub(crate) mod split;
pub(crate) mod together;
pub(crate) mod unfold;
mod values;

use crate::clause::Program;

/// Of each predicate the arguments that are dropped, in a program in which constants have been found and nothing else.
pub(crate) fn dropped_arguments(program: &Program) -> Vec<Vec<bool>> {
    arguments::drop_useless(&mut program.clone())
}
