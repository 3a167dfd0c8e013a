//! What one session may spend. A browser gives a worker about two gigabytes, and a stranger's description must not take the page down.

use std::time::Duration;

use groundrules_gdl::time::Cancel;
use groundrules_machine::compiled::Settings;
use groundrules_machine::engines::auto::Budget;

/// The most bytes of a description.
pub(crate) const MOST_TEXT: usize = 8 << 20;

/// The most lists and rows in one answer.
pub(crate) const MOST_SHOWN: usize = 400;

/// The most fluents of a state in one answer.
pub(crate) const MOST_FLUENTS: usize = 20_000;

/// The most milliseconds of a slice.
pub(crate) const LONGEST_SLICE: u64 = 2_000;

/// The bytes of a search tree.
pub(crate) const TREE_BYTES: usize = 256 << 20;

/// The most states of an exploration in the page.
pub(crate) const MOST_STATES: u64 = 2_000_000;

/// The bytes that states, or the clauses of proofs, may take.
pub(crate) const MOST_BYTES: usize = 400 << 20;

/// The longest search for proofs in the page.
pub(crate) const LONGEST_PROOF: Duration = Duration::from_secs(600);

/// How games are compiled.
pub(crate) fn settings(cancel: &Cancel) -> Settings {
    let budget = Budget { rules: 1_500_000, bytes: 700 << 20, time: Duration::from_secs(20), gates: 200_000 };
    Settings { budget, cancel: cancel.clone(), ..Settings::default() }
}
