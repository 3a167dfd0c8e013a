//! The goals that a description states: the largest value in the heads of the rules for `goal` that can be a role's. It is the
//! role's maximal goal, whether play can reach it or not. Where a head leaves the value to a variable, the values that are
//! reached count, too; which ones are is left to others.
//!
//! The role of nature moves by chance and wants nothing, so its goals are not judged.

use crate::game::{Game, RelationId};
use crate::roles::Roles;
use crate::term::{Term, TermId};

/// What the heads of the rules for `goal` state about a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatedGoal {
    /// The largest value in the head of a rule.
    pub largest: Option<i32>,
    /// Whether a head leaves the value to a variable.
    pub is_open: bool,
    /// Whether the role's goals are judged at all.
    pub is_judged: bool,
}

/// What is stated about each role.
pub fn stated_goals(game: &Game, roles: &Roles) -> Vec<StatedGoal> {
    let judged = |role| !roles.is_nature(role);
    roles.iter().enumerate().map(|(number, role)| stated_goal(game, role, judged(number))).collect()
}

fn stated_goal(game: &Game, role: &str, is_judged: bool) -> StatedGoal {
    let mut goal = StatedGoal { largest: None, is_open: false, is_judged };
    for (_, rule) in game.rules_of(RelationId::GOAL) {
        let [whose, value] = *rule.head.arguments else { continue };
        if !may_be(game, whose, role) {
            continue;
        }
        match game.terms().get(value) {
            Term::Constant(_) => goal.largest = goal.largest.max(goal_value(game, value)),
            Term::Variable(_) | Term::Function(..) => goal.is_open = true,
        }
    }
    goal
}

/// Whether a term in a rule may stand for a role.
fn may_be(game: &Game, term: TermId, role: &str) -> bool {
    let terms = game.terms();
    match terms.functor(term) {
        _ if terms.is_ground(term) => game.kif(&term).to_string().eq_ignore_ascii_case(role),
        None => true,
        // It has variables: its name decides.
        Some((name, _)) => {
            let functor = role.strip_prefix('(').and_then(|inside| inside.split_whitespace().next());
            functor.is_some_and(|functor| functor.eq_ignore_ascii_case(game.symbols().spelling(name)))
        }
    }
}

/// The number that a constant stands for as a goal; nothing for what is no number, which engines do not count as a goal.
fn goal_value(game: &Game, constant: TermId) -> Option<i32> {
    let name = game.terms().constant(constant)?;
    game.symbols().spelling(name).parse().ok()
}
