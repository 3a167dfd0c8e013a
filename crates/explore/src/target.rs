//! What winning means: the maximal goal of each role, as the description states it. The heads of the rules for `goal` say
//! which values a role may ever have; the largest of them is its maximal goal, whether it can be reached or not. Where a
//! head leaves the value to a variable, what is reached counts, too.
//!
//! The role `random` plays by chance and wants nothing, so its goals are not judged.

use groundrules_gdl::Game;
use groundrules_gdl::game::RelationId;
use groundrules_gdl::term::Term;

use crate::findings::Findings;

/// What a role may want.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The largest goal that stands in a rule's head.
    stated: Option<i32>,
    /// Whether a head leaves the value to a variable.
    is_open: bool,
    /// Whether its goals are judged at all.
    pub is_judged: bool,
}

impl Target {
    /// Whether a rule leaves the value to a variable, so that no largest goal is stated.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// The maximal goal; nothing if there is none.
    pub fn goal(&self, role: usize, findings: &Findings) -> Option<i32> {
        let reached = findings.reached.iter().filter(|reached| self.is_open && reached.role == role);
        reached.map(|reached| reached.goal).chain(self.stated).max()
    }
}

/// The targets of some roles, given as KIF.
pub fn targets(game: &Game, roles: &[String]) -> Vec<Target> {
    roles.iter().map(|role| target(game, role)).collect()
}

fn target(game: &Game, role: &str) -> Target {
    let mut target = Target { stated: None, is_open: false, is_judged: !role.eq_ignore_ascii_case("random") };
    for (_, rule) in game.rules_of(RelationId::GOAL) {
        let [whose, value] = *rule.head.arguments else { continue };
        let is_own =
            !game.terms().is_ground(whose) || game.kif(&whose).to_string().eq_ignore_ascii_case(role);
        match game.terms().get(value) {
            _ if !is_own => {}
            Term::Constant(name) => {
                target.stated = target.stated.max(game.symbols().spelling(*name).parse().ok());
            }
            Term::Variable(_) | Term::Function(..) => target.is_open = true,
        }
    }
    target
}
