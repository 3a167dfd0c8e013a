//! The simplification of ground rules, by what is seen only once they are ground. `passes` lists these passes in order;
//! each that shortens bodies settles the rules again before the next one runs.

mod exclusion;
mod implied;
mod inline;
mod relevant;
mod settle;

use crate::draft::Draft;

pub(crate) use relevant::keep_relevant;

/// Takes what is decided out of the rules, to a fixpoint.
pub(crate) fn settle(draft: &mut Draft) {
    while settle::settle(draft) {}
}

/// Puts parts back that do not pay.
pub(crate) fn inline(draft: &mut Draft) {
    if inline::inline(draft) {
        settle(draft);
    }
}

/// Drops the rules that need fluents which never hold together.
pub(crate) fn exclude(draft: &mut Draft) {
    if exclusion::exclude(draft) {
        settle(draft);
        inline(draft);
    }
}
