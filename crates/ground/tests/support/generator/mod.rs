//! Makes small games from seeds, for every shape of rules that a grounder could get wrong. A game is put together in
//! the order in which its relations may depend on each other: static relations, fluents, what derives from a state,
//! legal moves, the end, the goals, what derives from moves, the next state. Whatever is in the catalogue at that
//! time may be asked for, negated or not, so the negation is stratified.
//!
//! `builder` has the words, `body` makes conditions, the others each make a part of a game; `description` shrinks it.

mod body;
mod builder;
mod derived;
mod description;
mod ending;
mod fluents;
mod frames;
mod moves;
mod statics;

pub(crate) use description::{Description, Descriptions};

use builder::Builder;

/// The game for a seed.
pub(crate) fn description(seed: u64) -> Description {
    let mut builder = Builder::new(seed);
    statics::add(&mut builder);
    moves::name(&mut builder);
    fluents::add(&mut builder);
    derived::of_state(&mut builder);
    moves::add_legal(&mut builder);
    ending::add(&mut builder);
    derived::of_moves(&mut builder);
    frames::add(&mut builder);
    builder.finish()
}
