//! The roles of a game by name: in the order of joint moves, found by text, and with the role of nature told apart.
//! Nature is the role called `random`: it moves by chance and no goal is asked of it. Every crate asks here which role
//! that is.

use std::ops::Deref;

use crate::canonical::canonical;
use crate::game::Game;

/// The name of the role that moves by chance.
pub const NATURE: &str = "random";

/// The names of a game's roles, in the order of joint moves.
///
/// ```
/// use groundrules_gdl::Roles;
///
/// let roles = Roles::new(vec!["White".to_owned(), "Random".to_owned()]);
/// assert_eq!(roles.find("white"), Some(0));
/// assert_eq!((roles.nature(), roles.len()), (Some(1), 2));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roles {
    names: Vec<String>,
    /// The names in canonical spelling.
    canonical: Vec<String>,
    nature: Option<usize>,
}

impl Roles {
    /// Roles with these names, which are terms written as KIF.
    pub fn new(names: Vec<String>) -> Self {
        let canonical: Vec<String> =
            names.iter().map(|name| canonical(name).unwrap_or_else(|| name.clone())).collect();
        let nature = canonical.iter().position(|name| name == NATURE);
        Roles { names, canonical, nature }
    }

    /// The roles that the facts of a game give. Rules can add roles, which only evaluation finds.
    pub fn of(game: &Game) -> Self {
        Roles::new(game.roles().iter().map(|role| game.kif(role).to_string()).collect())
    }

    /// The role with this name, letter case and spacing aside.
    pub fn find(&self, name: &str) -> Option<usize> {
        let name = canonical(name)?;
        self.canonical.iter().position(|other| *other == name)
    }

    /// The role of nature, if the game has one.
    pub fn nature(&self) -> Option<usize> {
        self.nature
    }

    /// Whether this is the role of nature.
    pub fn is_nature(&self, role: usize) -> bool {
        self.nature == Some(role)
    }
}

impl Deref for Roles {
    type Target = [String];

    fn deref(&self) -> &[String] {
        &self.names
    }
}

impl From<Vec<String>> for Roles {
    fn from(names: Vec<String>) -> Self {
        Roles::new(names)
    }
}

impl From<Roles> for Vec<String> {
    fn from(roles: Roles) -> Self {
        roles.names
    }
}

impl<'roles> IntoIterator for &'roles Roles {
    type Item = &'roles String;
    type IntoIter = std::slice::Iter<'roles, String>;

    fn into_iter(self) -> Self::IntoIter {
        self.names.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::game;

    #[test]
    fn roles_are_found_whatever_their_spelling() {
        let roles = Roles::of(&game("(role White) (role (player 1)) (role white)"));
        assert_eq!(roles[..], ["White", "(player 1)"]);
        assert_eq!((roles.find("WHITE"), roles.find("( Player 1 )")), (Some(0), Some(1)));
        assert_eq!((roles.find("black"), roles.find("white)")), (None, None));
        assert_eq!((roles.nature(), roles.is_nature(0)), (None, false));
    }

    #[test]
    fn nature_is_the_role_called_random() {
        let roles = Roles::of(&game("(role a) (role Random) (role randomly)"));
        assert_eq!(roles.nature(), Some(1));
        assert_eq!([0, 1, 2, 3].map(|role| roles.is_nature(role)), [false, true, false, false]);
    }
}
