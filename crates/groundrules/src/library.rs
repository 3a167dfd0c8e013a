//! The games and Turing machines that are embedded: everything in the folders `games/` and `machines/`. A game's entry
//! in the index is the header of its file, so the two cannot disagree.
//!
//! ```
//! let game = groundrules::library::game("tic-tac-toe").expect("it is in the library");
//! assert_eq!((game.name, game.players), ("Tic-Tac-Toe", "2"));
//! ```

include!(concat!(env!("OUT_DIR"), "/library.rs"));

/// A game of the library.
#[derive(Clone, Debug, serde::Serialize)]
pub struct LibraryGame {
    /// The name by which it is found.
    pub id: &'static str,
    /// The game's name.
    pub name: &'static str,
    /// How many players it has.
    pub players: &'static str,
    /// What kind of game it is.
    pub kind: &'static str,
    /// Which parts of the language it exercises.
    pub exercises: &'static str,
    /// What it is about.
    pub about: &'static str,
    /// The description.
    #[serde(skip)]
    pub text: &'static str,
}

/// All the games, by name.
pub fn games() -> impl Iterator<Item = LibraryGame> {
    GAMES.iter().map(|&(id, text)| LibraryGame {
        id,
        name: header(text, "name").unwrap_or(id),
        players: header(text, "players").unwrap_or_default(),
        kind: header(text, "kind").unwrap_or_default(),
        exercises: header(text, "exercises").unwrap_or_default(),
        about: header(text, "about").unwrap_or_default(),
        text,
    })
}

/// The game with a name.
pub fn game(id: &str) -> Option<LibraryGame> {
    games().find(|game| game.id == id)
}

/// The text of the machine with a name.
pub fn machine(id: &str) -> Option<&'static str> {
    MACHINES.iter().find(|(name, _)| *name == id).map(|&(_, text)| text)
}

/// The names of the machines.
pub fn machine_names() -> impl Iterator<Item = &'static str> {
    MACHINES.iter().map(|&(name, _)| name)
}

/// The value of a line `;;; key: value` at the beginning of a description.
fn header(text: &'static str, key: &str) -> Option<&'static str> {
    let lines = text.lines().map_while(|line| line.strip_prefix(";;;"));
    lines
        .filter_map(|line| line.trim_start().split_once(':'))
        .find(|(found, _)| *found == key)
        .map(|(_, value)| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_has_a_complete_header() {
        assert!(games().count() >= 20);
        for game in games() {
            for key in ["name", "players", "kind", "exercises", "about"] {
                assert!(
                    header(game.text, key).is_some_and(|value| !value.is_empty()),
                    "{}: no {key}",
                    game.id
                );
            }
        }
    }
}
