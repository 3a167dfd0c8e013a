//! What a person at the terminal sees of a match: the state as `groundrules-board` draws it, and moves in columns.

use groundrules::board::{Last, Layout, TextStyle};
use groundrules_gdl::Game;

use crate::output::printable;

/// How wide a line is where there is no terminal.
const WIDTH: usize = 100;

/// How states are shown.
pub(crate) struct Show {
    layout: Layout,
}

impl Show {
    /// How the states of a game are shown.
    pub(crate) fn of(game: &Game) -> Self {
        Show { layout: Layout::of_game(game) }
    }

    /// A state, and what led to it. Colours are left to the stream that prints it.
    pub(crate) fn state(&self, fluents: &[String], last: Option<Last<'_>>) -> String {
        let style = TextStyle { width: width(), colour: true, ..TextStyle::default() };
        self.layout.picture(fluents, last).text(&style)
    }

    /// A state as SVG.
    pub(crate) fn svg(&self, fluents: &[String], last: Option<Last<'_>>) -> String {
        self.layout.picture(fluents, last).svg()
    }
}

/// How wide the terminal is.
pub(crate) fn width() -> usize {
    let size = terminal_size::terminal_size_of(std::io::stdout());
    size.map_or(WIDTH, |(width, _)| usize::from(width.0).max(20))
}

/// Moves with their numbers, in columns that are read downwards. A move is never broken.
pub(crate) fn moves(moves: &[String]) -> String {
    columns(moves, width())
}

fn columns(moves: &[String], width: usize) -> String {
    let digits = moves.len().to_string().len();
    let moves: Vec<String> =
        moves.iter().enumerate().map(|(n, text)| format!("{:>digits$} {}", n + 1, printable(text))).collect();
    let each = moves.iter().map(|text| text.chars().count()).max().unwrap_or(0) + 2;
    let columns = (width / each).max(1);
    let lines = moves.len().div_ceil(columns);
    let mut text = String::new();
    for line in 0..lines {
        let fields: Vec<String> =
            moves.iter().skip(line).step_by(lines).map(|text| format!("{text:<each$}")).collect();
        text.push_str(&format!("  {}\n", fields.concat().trim_end()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_stand_in_columns_and_are_never_broken() {
        let many: Vec<String> = (0..60).map(|n| format!("(move {n} {n})")).collect();
        for width in [20, 40, 80, 200] {
            let text = columns(&many, width);
            assert!(text.lines().all(|line| line.chars().count() <= width + 2), "{text}");
            assert_eq!(text.matches("(move ").count(), 60);
            assert!(text.lines().all(|line| line.matches('(').count() == line.matches(')').count()));
            assert!(text.starts_with("   1 (move 0 0)"), "{text}");
        }
    }
}
