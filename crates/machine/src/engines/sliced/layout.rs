//! Where the lanes keep what lasts: one slot for each fluent that is stored, and masks of lanes that wait or are done.

use super::logic::{Formula, Logic};
use super::phases::Phases;

/// The slots.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// For each fluent its slot; nothing for fluents that the phase decides.
    pub(super) fluents: Vec<Option<u32>>,
    /// Lanes whose playout is over and was not yet scored.
    pub(super) done: u32,
    /// For each role the lanes in which it had no legal move; they are done, too.
    pub(super) stuck: Vec<u32>,
    /// For each phase the lanes that wait for it, having had no luck; empty if there is only one phase.
    pub(super) waiting: Vec<u32>,
    /// How many slots last.
    pub(super) lasting: usize,
}

impl Layout {
    /// Slots for a game that is played in some phases.
    pub(super) fn new(logic: &Logic, phases: &Phases) -> Self {
        let mut next = 0_u32;
        let mut slot = || {
            next += 1;
            next - 1
        };
        let scored = scored_fluents(logic);
        let is_stored = |fluent: usize| {
            let values = || phases.known.iter().map(|known| known[fluent]);
            let first = values().next().flatten();
            values().any(|value| value.is_none()) || (scored[fluent] && values().any(|value| value != first))
        };
        let fluents = (0..logic.next.len()).map(|fluent| is_stored(fluent).then(&mut slot)).collect();
        let done = slot();
        let stuck = (0..logic.roles).map(|_| slot()).collect();
        let waiting = if phases.len() > 1 { (0..phases.len()).map(|_| slot()).collect() } else { Vec::new() };
        Layout { fluents, done, stuck, waiting, lasting: next as usize }
    }
}

/// The fluents that goals rest on.
fn scored_fluents(logic: &Logic) -> Vec<bool> {
    let mut seen = vec![false; logic.formulas.len()];
    let mut scored = vec![false; logic.next.len()];
    let mut pending: Vec<usize> = logic.goals.iter().map(|goal| goal.formula.formula).collect();
    while let Some(index) = pending.pop() {
        if std::mem::replace(&mut seen[index], true) {
            continue;
        }
        match &logic.formulas[index] {
            Formula::True(fluent) => scored[*fluent] = true,
            Formula::Does(_) => {}
            Formula::All(terms) | Formula::Any(terms) => pending.extend(terms.iter().map(|term| term.formula)),
        }
    }
    scored
}
