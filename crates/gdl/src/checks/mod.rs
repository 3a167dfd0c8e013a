//! What makes a description right. Each file is one check: its codes, their long texts, the check and its tests. A
//! check looks at a `Subject` and reports; it never changes the game and never depends on another check having
//! run. To add one: write the file, add its line to `CHECKS`.

mod base_input;
mod completeness;
mod dependence;
mod duplicates;
mod goals;
mod hidden_information;
mod never_true;
mod recursion;
mod roles;
mod safety;
mod singletons;
mod stratification;
mod undefined;
mod unused;

use crate::dependency::Dependencies;
use crate::diagnostic::{Code, Diagnostics};
use crate::game::Game;
use crate::limits::Limits;

/// What a check looks at.
pub(crate) struct Subject<'a> {
    pub(crate) game: &'a Game,
    pub(crate) dependencies: &'a Dependencies,
    pub(crate) limits: &'a Limits,
    /// Read leniently: faults that do no harm here become warnings.
    pub(crate) lenient: bool,
    /// The most deeply nested term that any relation can hold is finite (see [`crate::fragment`]).
    pub(crate) bounded: bool,
}

struct Check {
    codes: &'static [&'static Code],
    run: fn(&Subject<'_>, &mut Diagnostics),
}

static CHECKS: [Check; 14] = [
    safety::CHECK,
    singletons::CHECK,
    dependence::CHECK,
    stratification::CHECK,
    recursion::CHECK,
    completeness::CHECK,
    roles::CHECK,
    goals::CHECK,
    undefined::CHECK,
    never_true::CHECK,
    unused::CHECK,
    base_input::CHECK,
    duplicates::CHECK,
    hidden_information::CHECK,
];

/// Runs every check.
pub(crate) fn run_all(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    for check in &CHECKS {
        (check.run)(subject, diagnostics);
    }
}

/// The codes of the checks.
pub(crate) fn codes() -> impl Iterator<Item = &'static Code> {
    CHECKS.iter().flat_map(|check| check.codes).copied()
}
