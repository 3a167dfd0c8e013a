//! The pipeline: every pass that rewrites clauses or ground rules, in the order in which they run. A pass is a value: its
//! name, the switch that leaves it out, what it does, and the function that does it. Adding a pass is adding a line here;
//! the switches that a program offers are derived from the lists.
//!
//! A pass works on one of three things: the clauses before anything is evaluated, the clauses once the static relations
//! are known, and the ground rules. Between these stand evaluation (`statics`, `methods`) and instantiation (`emit`).

use groundrules_gdl::Game;
use groundrules_gdl::time::{Cancel, Cancelled};

use crate::clause::{PredicateId, Program};
use crate::conditions;
use crate::draft::Draft;
use crate::error::Halt;
use crate::options::{Switch, Switches};
use crate::rewrite::project::{self, Depth};
use crate::rewrite::{arguments, constants, demand, merge, split, together, unfold};
use crate::store::Store;
use crate::table::Table;
use crate::tidy;

/// A pass of the pipeline.
#[derive(Clone, Copy)]
struct Pass<Work> {
    name: &'static str,
    /// What leaves it out; without one it always runs.
    switch: Option<Switch>,
    about: &'static str,
    run: Work,
}

/// The passes over the clauses, before anything is evaluated.
static ON_CLAUSES: [Pass<OnClauses>; 7] = [
    Pass {
        name: "constants",
        switch: Some(Switch::Constants),
        about: "fluents that never change become static",
        run: |it| constants::find(it.program),
    },
    Pass {
        name: "arguments",
        switch: Some(Switch::Arguments),
        about: "arguments that never matter are dropped",
        run: |it| drop(arguments::drop_useless(it.program)),
    },
    Pass {
        name: "splitting",
        switch: Some(Switch::Splitting),
        about: "relations are split by whether a derivation looks at an argument",
        run: |it| split::split(it.program, it.game.terms()),
    },
    Pass {
        name: "merging",
        switch: Some(Switch::Splitting),
        about: "wide clauses that differ in one literal share the rest",
        run: |it| merge::merge(it.program),
    },
    Pass {
        name: "frames",
        switch: Some(Switch::Frames),
        about: "conditions on the move alone become sets of moves",
        run: |it| conditions::take_out(it.program),
    },
    Pass {
        name: "projection",
        switch: Some(Switch::Projection),
        about: "parts of bodies whose variables matter nowhere else become relations of their own",
        run: |it| project::project(it.program, full_depth(it.switches)),
    },
    DEMAND,
];

const DEMAND: Pass<OnClauses> = Pass {
    name: "demand",
    switch: Some(Switch::Demand),
    about: "only what `legal`, `next`, `goal`, `terminal` and `sees` rest on is instantiated",
    run: |it| it.questions = demand::restrict(it.program, it.game.roles()),
};

/// The passes over the clauses that were published with the method of gringo.
static AS_PUBLISHED: [Pass<OnClauses>; 2] = [
    Pass {
        name: "projection",
        switch: Some(Switch::Projection),
        about: "parts of bodies that bind their variables themselves become relations of their own",
        run: |it| project::project(it.program, Depth::Plain),
    },
    DEMAND,
];

/// The passes over the clauses once the static relations are evaluated.
static ON_EVALUATED: [Pass<OnEvaluated>; 2] = [
    Pass {
        name: "unfolding",
        switch: Some(Switch::Unfolding),
        about: "static relations whose arguments are independent of each other are replaced by their definitions",
        run: |it| {
            if it.switches.has(Switch::Projection) {
                unfold::unfold(it.program, full_depth(it.switches), it.store);
            }
            Ok(())
        },
    },
    Pass {
        name: "together",
        switch: None,
        about: "static literals that are small only together become one literal",
        run: |it| {
            let depth = it.switches.has(Switch::Projection).then(|| full_depth(it.switches));
            together::together(it.game, it.program, depth, it.store)
        },
    },
];

/// The passes over the ground rules.
static ON_RULES: [Pass<OnRules>; 4] = [
    Pass {
        name: "settle",
        switch: None,
        about: "atoms that are always true or always false leave the rules",
        run: tidy::settle,
    },
    Pass {
        name: "inline",
        switch: None,
        about: "parts that do not pay are put back into the bodies they came from",
        run: tidy::inline,
    },
    Pass {
        name: "exclusion",
        switch: Some(Switch::Exclusion),
        about: "rules that need two fluents which never hold together are dropped",
        run: tidy::exclude,
    },
    Pass {
        name: "relevance",
        switch: Some(Switch::Demand),
        about: "rules of atoms that nothing asks for any more are dropped",
        run: tidy::keep_relevant,
    },
];

type OnClauses = fn(&mut Clauses<'_>);
type OnEvaluated = fn(&mut Evaluated<'_, '_>) -> Result<(), Halt>;
type OnRules = fn(&mut Draft, &Cancel) -> Result<(), Cancelled>;

/// What the passes over the clauses work on.
struct Clauses<'a> {
    game: &'a Game,
    program: &'a mut Program,
    switches: Switches,
    questions: Questions,
}

/// What constants ask, as tables of the predicates that the demand pass adds.
pub(crate) type Questions = Vec<(PredicateId, Table)>;

/// What the passes work on that need the static relations.
struct Evaluated<'a, 'o> {
    game: &'a Game,
    program: &'a mut Program,
    switches: Switches,
    store: &'a mut Store<'o>,
}

fn full_depth(switches: Switches) -> Depth {
    Depth::Full { conditions: switches.has(Switch::Frames) }
}

/// What the passes do that are not left out, in order.
fn enabled<Work: Copy>(
    passes: &'static [Pass<Work>],
    switches: Switches,
) -> impl Iterator<Item = Work> + use<Work> {
    passes
        .iter()
        .filter(move |pass| pass.switch.is_none_or(|switch| switches.has(switch)))
        .map(|pass| pass.run)
}

/// Rewrites the clauses before anything is evaluated.
pub(crate) fn rewrite(game: &Game, program: &mut Program, switches: Switches) -> Questions {
    run_on_clauses(&ON_CLAUSES, game, program, switches)
}

/// Rewrites the clauses as was published with the method of gringo.
pub(crate) fn rewrite_as_published(game: &Game, program: &mut Program, switches: Switches) -> Questions {
    run_on_clauses(&AS_PUBLISHED, game, program, switches)
}

fn run_on_clauses(
    passes: &'static [Pass<OnClauses>],
    game: &Game,
    program: &mut Program,
    switches: Switches,
) -> Questions {
    let mut clauses = Clauses { game, program, switches, questions: Vec::new() };
    enabled(passes, switches).for_each(|run| run(&mut clauses));
    clauses.questions
}

/// Rewrites the clauses once the static relations are evaluated.
pub(crate) fn rewrite_evaluated(
    game: &Game,
    program: &mut Program,
    switches: Switches,
    store: &mut Store<'_>,
) -> Result<(), Halt> {
    let mut evaluated = Evaluated { game, program, switches, store };
    enabled(&ON_EVALUATED, switches).try_for_each(|run| run(&mut evaluated))
}

/// Makes the ground rules fewer without changing what they mean. No rule may subsume another one of the same head, and
/// none does after.
pub(crate) fn tidy(draft: &mut Draft, switches: Switches, cancel: &Cancel) -> Result<(), Cancelled> {
    enabled(&ON_RULES, switches).try_for_each(|run| run(draft, cancel))?;
    draft.rules.shrink();
    cancel.check()
}

/// A pass of the pipeline, described.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassInfo {
    /// Its name.
    pub name: &'static str,
    /// The switch that leaves it out, if there is one.
    pub switch: Option<Switch>,
    /// What it does.
    pub about: &'static str,
}

impl PassInfo {
    fn of<Work>(pass: &Pass<Work>) -> Self {
        PassInfo { name: pass.name, switch: pass.switch, about: pass.about }
    }
}

/// The passes of the pipeline, in the order in which they run.
pub fn passes() -> impl Iterator<Item = PassInfo> {
    let clauses = ON_CLAUSES.iter().map(PassInfo::of);
    clauses.chain(ON_EVALUATED.iter().map(PassInfo::of)).chain(ON_RULES.iter().map(PassInfo::of))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_pass_of_a_switch_has_its_name() {
        let all: Vec<Switch> = Switch::all().collect();
        for switch in &all {
            assert_eq!(format!("{switch:?}").to_lowercase(), switch.name());
            assert_eq!(Switch::named(switch.name()), Some(*switch));
        }
        assert_eq!(all.len(), 8);
    }

    #[test]
    fn switches_are_a_set() {
        let all = Switches::default();
        assert!(Switch::all().all(|switch| all.has(switch) && !Switches::none().has(switch)));
        let without = all.without(Switch::Demand);
        assert!(!without.has(Switch::Demand) && without.has(Switch::Frames));
        assert_eq!(Switch::all().fold(all, Switches::without), Switches::none());
        let one = all.only(&[Switch::Constants]);
        assert_eq!(Switch::all().filter(|&switch| one.has(switch)).collect::<Vec<_>>(), [Switch::Constants]);
    }
}
