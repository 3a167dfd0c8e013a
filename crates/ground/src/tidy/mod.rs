//! Ground rules made fewer without changing what they mean, by what is seen only once they are ground.

mod exclusion;
mod implied;
mod inline;
mod relevant;
mod settle;

use crate::draft::{Draft, Rules};
use crate::options::Switches;
use crate::subsume::Bodies;

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

/// Drops the rules that say no more than another one of the same head, for drafts that were not made head by head.
pub(crate) fn drop_subsumed(draft: &mut Draft) {
    let mut rules = Rules::like(&draft.rules);
    let mut bodies = Bodies::default();
    for (start, end) in draft.rules.runs() {
        if end - start == 1 {
            rules.push(draft.rules.head(start), draft.rules.body(start));
            continue;
        }
        bodies.restart(draft.rules.head(start));
        for rule in start..end {
            bodies.begin();
            draft.rules.body(rule).iter().for_each(|&literal| bodies.add(literal));
            bodies.end();
        }
        let head = bodies.head();
        for body in bodies.finish() {
            rules.push(head, body);
        }
    }
    draft.rules = rules;
}
