//! Moves by clicks on cells. A move's arguments name cells; clicking them in order makes the move. Where several moves remain that the
//! same clicks name, the person chooses from a list. A click that leads nowhere begins again with that cell.

use groundrules_board::CellId;
use serde_json::{Value, json};

/// A move with the clicks that make it.
pub(crate) struct Clickable {
    pub(crate) text: String,
    pub(crate) clicks: Vec<Vec<CellId>>,
}

/// What some clicks come to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// No move begins with them.
    Nothing,
    /// They make one move.
    Move(String),
    /// More clicks are needed: the cells that go on, and the moves that the clicks so far already make.
    More { clicked: Vec<[usize; 2]>, next: Vec<[usize; 2]>, complete: Vec<String> },
    /// Several moves have these clicks, and no more click tells them apart.
    Choose(Vec<String>),
}

/// What clicks come to among some moves.
pub(crate) fn outcome(moves: &[Clickable], cells: &[[usize; 2]]) -> Outcome {
    let Some(last) = cells.last() else { return Outcome::Nothing };
    let found = among(moves, cells);
    // A click that does not go on begins anew.
    if found == Outcome::Nothing && cells.len() > 1 {
        among(moves, std::slice::from_ref(last))
    } else {
        found
    }
}

fn among(moves: &[Clickable], cells: &[[usize; 2]]) -> Outcome {
    let fits = |made: &&Clickable| {
        made.clicks.len() >= cells.len()
            && made
                .clicks
                .iter()
                .zip(cells)
                .all(|(click, &[board, cell])| click.contains(&CellId { board, cell }))
    };
    let fitting: Vec<&Clickable> = moves.iter().filter(fits).collect();
    let (complete, partial): (Vec<&Clickable>, Vec<&Clickable>) =
        fitting.into_iter().partition(|made| made.clicks.len() == cells.len());
    let complete: Vec<String> = complete.into_iter().map(|made| made.text.clone()).collect();
    if partial.is_empty() {
        return match complete.len() {
            0 => Outcome::Nothing,
            1 => Outcome::Move(complete.into_iter().next().unwrap_or_default()),
            _ => Outcome::Choose(complete),
        };
    }
    let mut next: Vec<[usize; 2]> = Vec::new();
    for cell in partial.iter().flat_map(|made| &made.clicks[cells.len()]) {
        if !next.contains(&[cell.board, cell.cell]) {
            next.push([cell.board, cell.cell]);
        }
    }
    Outcome::More { clicked: cells.to_vec(), next, complete }
}

impl Outcome {
    pub(crate) fn json(&self) -> Value {
        match self {
            Outcome::Nothing => json!({ "outcome": "nothing" }),
            Outcome::Move(text) => json!({ "outcome": "move", "move": text }),
            Outcome::More { clicked, next, complete } => {
                json!({ "outcome": "more", "clicked": clicked, "next": next, "complete": complete })
            }
            Outcome::Choose(moves) => json!({ "outcome": "choose", "moves": moves }),
        }
    }
}

/// Clicks as the page reads them.
pub(crate) fn json(clicks: &[Vec<CellId>]) -> Value {
    clicks
        .iter()
        .map(|click| click.iter().map(|cell| json!([cell.board, cell.cell])).collect::<Value>())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(cell: usize) -> CellId {
        CellId { board: 0, cell }
    }

    fn made(text: &str, clicks: &[usize]) -> Clickable {
        Clickable { text: text.to_owned(), clicks: clicks.iter().map(|&at| vec![cell(at)]).collect() }
    }

    #[test]
    fn from_and_to() {
        let moves = [made("a", &[1, 2]), made("b", &[1, 3]), made("c", &[4, 2])];
        let more = Outcome::More { clicked: vec![[0, 1]], next: vec![[0, 2], [0, 3]], complete: vec![] };
        assert_eq!(outcome(&moves, &[[0, 1]]), more);
        assert_eq!(outcome(&moves, &[[0, 1], [0, 3]]), Outcome::Move("b".into()));
        // Another piece is taken instead.
        let more = Outcome::More { clicked: vec![[0, 4]], next: vec![[0, 2]], complete: vec![] };
        assert_eq!(outcome(&moves, &[[0, 1], [0, 4]]), more);
        assert_eq!(outcome(&moves, &[[0, 9]]), Outcome::Nothing);
        assert_eq!(outcome(&moves, &[]), Outcome::Nothing);
    }

    #[test]
    fn what_is_ambiguous_is_listed() {
        let moves = [made("queen", &[1, 2]), made("rook", &[1, 2]), made("stay", &[1])];
        assert_eq!(outcome(&moves, &[[0, 1], [0, 2]]), Outcome::Choose(vec!["queen".into(), "rook".into()]));
        let more = Outcome::More { clicked: vec![[0, 1]], next: vec![[0, 2]], complete: vec!["stay".into()] };
        assert_eq!(outcome(&moves, &[[0, 1]]), more);
    }
}
