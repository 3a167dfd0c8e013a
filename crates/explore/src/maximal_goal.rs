//! What winning means: the maximal goal of each role, as the description states it, or as play reaches it where the description
//! leaves the value to a variable.

use groundrules_gdl::goals::{StatedGoal, stated_goals};
use groundrules_gdl::{Game, Roles};

use crate::findings::Findings;

/// The largest goal that a role may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MaximalGoal {
    goal: StatedGoal,
    /// Whether the role's goals are judged at all.
    pub(crate) is_judged: bool,
}

impl MaximalGoal {
    /// The maximal goal, if the heads of the rules state it.
    pub(crate) fn stated(&self) -> Option<i32> {
        self.goal.largest.filter(|_| !self.goal.is_open)
    }

    /// The maximal goal when a search was complete; `None` if there is none.
    pub(crate) fn after(&self, role: usize, findings: &Findings) -> Option<i32> {
        let reached = findings.reached.iter().filter(|reached| self.goal.is_open && reached.role == role);
        reached.map(|reached| reached.goal).chain(self.goal.largest).max()
    }
}

/// The maximal goals of the roles.
pub(crate) fn maximal_goals(game: &Game, roles: &Roles) -> Vec<MaximalGoal> {
    let stated = stated_goals(game, roles).into_iter();
    stated.map(|goal| MaximalGoal { goal, is_judged: goal.is_judged }).collect()
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
