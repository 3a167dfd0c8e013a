//! What a person sees of a match: everything, or what one role sees. Where the game has hidden information, a role sees its percepts and its
//! own moves, and everything when the match is over.

use anyhow::{Context, Result, bail};
use groundrules_gdl::Roles;
use groundrules_machine::{Compiled, Percepts};

use crate::output::printable;

/// One role's view.
pub(crate) struct View {
    /// The role's number.
    pub(crate) role: usize,
    /// Where information is hidden, what gives the role's percepts.
    percepts: Option<Percepts>,
}

impl View {
    /// The view of the role with a name.
    pub(crate) fn of(game: &Compiled, roles: &Roles, name: &str) -> Result<Self> {
        let Some(role) = roles.find(name) else {
            bail!("there is no role `{}` (there are: {})", printable(name), printable(&roles.join(", ")));
        };
        let percepts = match game.game().has_hidden_information() {
            true => Some(Percepts::new(game).context("what the role sees cannot be computed")?),
            false => None,
        };
        Ok(View { role, percepts })
    }

    /// Whether something is hidden from the role.
    pub(crate) fn is_partial(&self) -> bool {
        self.percepts.is_some()
    }

    /// What the role is told when a joint move is made where these fluents hold.
    pub(super) fn percepts(&self, fluents: &[String], joint: &[String]) -> Vec<String> {
        self.percepts.as_ref().map_or_else(Vec::new, |percepts| percepts.of(self.role, fluents, joint))
    }
}

/// What a role has done and seen, step by step.
pub(super) fn story<'s>(steps: impl Iterator<Item = (String, &'s [String])>) -> String {
    let mut text = "what you have seen:\n".to_owned();
    let mut number = 0;
    for (own, percepts) in steps {
        number += 1;
        let percepts = if percepts.is_empty() { "nothing".to_owned() } else { percepts.join(" ") };
        text.push_str(&format!(
            "  {number:>3}  you played {}; you saw {}\n",
            printable(&own),
            printable(&percepts)
        ));
    }
    if number == 0 {
        text.push_str("  nothing yet\n");
    }
    text
}
