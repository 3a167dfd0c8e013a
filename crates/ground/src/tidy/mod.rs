//! Ground rules made fewer without changing what they mean, by what is seen only once they are ground.

mod exclusion;
mod implied;
mod inline;
mod relevant;
mod settle;

use crate::draft::Draft;
use crate::options::Switches;

/// Makes the rules of a draft fewer. No rule of it may say more than another one of the same head, and none does after.
pub(crate) fn tidy(draft: &mut Draft, switches: &Switches) {
    settle(draft);
    if inline::inline(draft) {
        settle(draft);
    }
    if switches.exclusion && exclusion::exclude(draft) {
        settle(draft);
        if inline::inline(draft) {
            settle(draft);
        }
    }
    if switches.demand {
        relevant::keep_relevant(draft);
    }
    draft.rules.shrink();
}

/// Takes what is decided out of the rules, until nothing more is.
pub(crate) fn settle(draft: &mut Draft) {
    while settle::settle(draft) {}
}
