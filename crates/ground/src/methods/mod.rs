//! Ways to find the fluents and moves that may ever occur. Each fills the tables of the dynamic predicates with supersets
//! of what can hold in a reachable state; they agree on the result and differ in how they get there. `gringo` stands
//! apart: it hands the whole work to another program.

pub(crate) mod gringo;
pub(crate) mod iterative;
pub(crate) mod one_step;
