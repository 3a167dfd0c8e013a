//! How a game is to be grounded: the method, the passes that are left out, and the limits.

use crate::limits::Limits;
use crate::methods::Method;
use crate::passes::passes;

/// Switches that disable passes of the pipeline, to measure what they are worth. The ground game plays the same. [`passes()`]
/// lists the passes of each switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Switch {
    /// Parts of bodies become relations of their own, where that saves rules.
    Projection,
    /// Only what the outputs need is instantiated.
    Demand,
    /// Fluents that never change count as static.
    Constants,
    /// Conditions on the move alone are kept as sets of moves, or as their complements.
    Frames,
    /// Arguments that never matter are dropped.
    Arguments,
    /// Relations are split by whether a derivation looks at an argument.
    Splitting,
    /// Rules that need fluents which never hold together are dropped.
    Exclusion,
    /// Static relations that only connect independent arguments are replaced by their definitions.
    Unfolding,
}

impl Switch {
    /// All the switches, in the order of the first pass that each is for.
    pub fn all() -> impl Iterator<Item = Switch> {
        let mut seen = Switches::none();
        passes().filter_map(|pass| pass.switch).filter(move |&switch| {
            let is_new = !seen.has(switch);
            seen = seen.with(switch);
            is_new
        })
    }

    /// The switch with a name.
    pub fn named(name: &str) -> Option<Switch> {
        Switch::all().find(|switch| switch.name() == name)
    }

    /// The name: that of the first pass that the switch is for.
    pub fn name(self) -> &'static str {
        self.first_pass().0
    }

    /// What the first pass does that the switch is for.
    pub fn about(self) -> &'static str {
        self.first_pass().1
    }

    fn first_pass(self) -> (&'static str, &'static str) {
        let pass = passes().find(|pass| pass.switch == Some(self));
        pass.map_or(("", ""), |pass| (pass.name, pass.about))
    }
}

/// The switches that are on. By default all are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switches {
    /// One bit for each switch.
    on: u32,
}

impl Default for Switches {
    fn default() -> Self {
        Switch::all().fold(Switches::none(), Switches::with)
    }
}

impl Switches {
    /// All switches off: the methods as they were published.
    pub const fn none() -> Self {
        Switches { on: 0 }
    }

    /// Whether a switch is on.
    pub fn has(self, switch: Switch) -> bool {
        self.on & bit(switch) != 0
    }

    /// The same with one switch off.
    #[must_use]
    pub fn without(self, switch: Switch) -> Self {
        Switches { on: self.on & !bit(switch) }
    }

    /// The same with all switches off except for some, which stay as they are.
    #[must_use]
    pub fn only(self, kept: &[Switch]) -> Self {
        Switches { on: kept.iter().fold(0, |on, &switch| on | self.on & bit(switch)) }
    }

    fn with(self, switch: Switch) -> Self {
        Switches { on: self.on | bit(switch) }
    }
}

fn bit(switch: Switch) -> u32 {
    1 << switch as u32
}

/// How a game is to be grounded.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How fluents and moves are found.
    pub method: Method,
    /// Which passes run.
    pub switches: Switches,
    /// The limits.
    pub limits: Limits,
}
