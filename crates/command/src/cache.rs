//! Where the commands keep what they make of games: the folder that the environment names, unless the flag `--no-cache` says
//! otherwise. The flag belongs to the program as a whole, like colours.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use groundrules::cache::Cache;
use groundrules_machine::compiled::{Settings, Shelf};

static IS_OFF: AtomicBool = AtomicBool::new(false);

/// From now on nothing is kept, and nothing that was kept is used.
pub fn turn_off() {
    IS_OFF.store(true, Ordering::Relaxed);
}

/// Where things are kept, if they are.
pub fn shelf() -> Option<Arc<dyn Shelf>> {
    if IS_OFF.load(Ordering::Relaxed) {
        return None;
    }
    Some(Arc::new(Cache::of_environment()?))
}

/// How a command compiles games unless it says otherwise.
pub fn settings() -> Settings {
    Settings { shelf: shelf(), ..Settings::default() }
}
