//! The simplification of ground rules, by what is seen only once they are ground. `passes` lists these passes in order;
//! each that shortens bodies settles the rules again before the next one runs. Large games have millions of rules, so every
//! walk over all of them is followed by a look at the cancel flag.

mod exclusion;
mod implied;
mod inline;
mod relevant;
mod settle;

use groundrules_gdl::time::{Cancel, Cancelled};

use crate::draft::Draft;

/// Takes what is decided out of the rules, to a fixpoint.
pub(crate) fn settle(draft: &mut Draft, cancel: &Cancel) -> Result<(), Cancelled> {
    while settle::settle(draft, cancel)? {}
    Ok(())
}

/// Puts parts back that do not pay.
pub(crate) fn inline(draft: &mut Draft, cancel: &Cancel) -> Result<(), Cancelled> {
    if inline::inline(draft, cancel)? { settle(draft, cancel) } else { Ok(()) }
}

/// Drops the rules that need fluents which never hold together.
pub(crate) fn exclude(draft: &mut Draft, cancel: &Cancel) -> Result<(), Cancelled> {
    if exclusion::exclude(draft) {
        settle(draft, cancel)?;
        inline(draft, cancel)?;
    }
    cancel.check()
}

/// Drops the rules that nothing asks for.
pub(crate) fn keep_relevant(draft: &mut Draft, cancel: &Cancel) -> Result<(), Cancelled> {
    relevant::keep_relevant(draft);
    cancel.check()
}
