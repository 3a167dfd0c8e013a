//! The games and machines that the program carries: everything in the folders `games/` and `machines/`. A game's entry
//! in the index is the header of its file, so the two cannot disagree.

include!(concat!(env!("OUT_DIR"), "/library.rs"));

/// A game of the library.
#[derive(Clone, Debug, serde::Serialize)]
pub(crate) struct Game {
    /// The name to use on the command line.
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
pub(crate) fn games() -> impl Iterator<Item = Game> {
    GAMES.iter().map(|&(id, text)| Game {
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
pub(crate) fn game(id: &str) -> Option<Game> {
    games().find(|game| game.id == id)
}

/// The text of the machine with a name.
pub(crate) fn machine(id: &str) -> Option<&'static str> {
    MACHINES.iter().find(|(name, _)| *name == id).map(|&(_, text)| text)
}

/// The names of the machines.
pub(crate) fn machine_names() -> impl Iterator<Item = &'static str> {
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
