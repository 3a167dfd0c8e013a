//! What winning means: the maximal goal of each role, as the description states it. The heads of the rules for `goal` say
//! which values a role may ever have; the largest of them is its maximal goal, whether it can be reached or not. Where a
//! head leaves the value to a variable, the values that are reached count, too.
//!
//! The role of nature moves by chance and wants nothing, so its goals are not judged.

use groundrules_gdl::game::RelationId;
use groundrules_gdl::term::{Term, TermId};
use groundrules_gdl::{Game, Roles};

use crate::findings::Findings;

/// The largest goal that a role may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MaximalGoal {
    /// The largest goal in the head of a rule.
    stated: Option<i32>,
    /// Whether a head leaves the value to a variable.
    is_open: bool,
    /// Whether the role's goals are judged at all.
    pub(crate) is_judged: bool,
}

impl MaximalGoal {
    /// The maximal goal, if the heads of the rules state it.
    pub(crate) fn stated(&self) -> Option<i32> {
        self.stated.filter(|_| !self.is_open)
    }

    /// The maximal goal when a search was complete; `None` if there is none.
    pub(crate) fn after(&self, role: usize, findings: &Findings) -> Option<i32> {
        let reached = findings.reached.iter().filter(|reached| self.is_open && reached.role == role);
        reached.map(|reached| reached.goal).chain(self.stated).max()
    }
}

/// The maximal goals of the roles.
pub(crate) fn maximal_goals(game: &Game, roles: &Roles) -> Vec<MaximalGoal> {
    let judged = |role| !roles.is_nature(role);
    roles.iter().enumerate().map(|(number, role)| maximal_goal(game, role, judged(number))).collect()
}

fn maximal_goal(game: &Game, role: &str, is_judged: bool) -> MaximalGoal {
    let mut goal = MaximalGoal { stated: None, is_open: false, is_judged };
    for (_, rule) in game.rules_of(RelationId::GOAL) {
        let [whose, value] = *rule.head.arguments else { continue };
        if !may_be(game, whose, role) {
            continue;
        }
        match game.terms().get(value) {
            Term::Constant(_) => goal.stated = goal.stated.max(goal_value(game, value)),
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

#[cfg(test)]
mod tests {
    use groundrules_gdl::{Options, read};

    use super::*;

    #[test]
    fn rules_state_goals_for_the_roles_that_they_fit() {
        let text = "(role (player one)) (role Other) (role random) (init a)
            (<= (legal ?r go) (role ?r)) (<= (next a) (true a)) (<= terminal (true b))
            (<= (goal (player ?x) 100) (role (player ?x)))
            (<= (goal other 70) (true b)) (<= (goal other 30) (true a))
            (<= (goal ?r 50) (role ?r)) (<= (goal random ?x) (value ?x)) (value 3)";
        let game = read(text.as_bytes(), &Options::default()).game.expect("a game");
        let roles = ["(player one)", "Other", "random"].map(str::to_owned);
        let goals = maximal_goals(&game, &Roles::new(roles.to_vec()));
        let stated: Vec<_> = goals.iter().map(MaximalGoal::stated).collect();
        assert_eq!(stated, [Some(100), Some(70), None]);
        assert_eq!(goals.iter().map(|goal| goal.is_judged).collect::<Vec<_>>(), [true, true, false]);
        assert_eq!(goals[2].after(2, &Findings::default()), Some(50));
    }
}
