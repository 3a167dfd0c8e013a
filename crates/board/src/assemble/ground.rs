//! What is on a board in every state and what no fluent says: walls and targets, which descriptions write as static relations of two
//! coordinates; and cells that are used up, where fluents only name those that are still free.

use rustc_hash::FxHashMap;

use super::group::{Group, Part};
use crate::layout::{Ground, How};
use crate::piece::{Colour, Piece, PieceShape};
use crate::rules::Rules;
use crate::shape::Shape;
use crate::words::name_parts;

/// The cells that static relations name as walls or as targets. Walls become a piece of the board.
pub(super) fn of(
    rules: &Rules,
    places: &FxHashMap<String, usize>,
    pieces: &mut Vec<Piece>,
) -> Vec<(usize, Ground)> {
    let mut found = Vec::new();
    for (name, rows) in &rules.pairs {
        let parts = name_parts(name);
        let is = |words: &[&str]| parts.iter().any(|part| words.contains(&part.as_str()));
        let is_wall = is(&["wall", "pillar", "obstacle", "rock", "blocked", "barrier"]);
        let is_target = is(&["target", "exit", "finish", "destination"]);
        let cells: Option<Vec<usize>> = rows.iter().map(|row| places.get(&row.join(" ")).copied()).collect();
        // A relation of most cells says what a cell is.
        let Some(cells) = cells.filter(|cells| !cells.is_empty() && 2 * cells.len() < places.len()) else {
            continue;
        };
        let is_drawn = pieces.iter().any(|piece| piece.key == *name);
        if is_wall && !is_drawn {
            found.extend(cells.into_iter().map(|cell| (cell, Ground::Piece(pieces.len()))));
            pieces.push(Piece {
                key: name.clone(),
                name: name.clone(),
                symbol: "■".to_owned(),
                shape: PieceShape::Block,
                colour: Colour::Gray,
            });
        } else if is_target {
            found.extend(cells.into_iter().map(|cell| (cell, Ground::Mark(name.clone()))));
        }
    }
    found
}

/// What the family that a board is made for calls a free cell, if that is all it says, and something else stands on the board.
pub(super) fn free(name: &str, pieces: &[Piece], group: &Group<'_>) -> Option<String> {
    let says_nothing_else = group.parts.first().is_some_and(|(main, _)| match &main.shape {
        Shape::Grid { contents, .. } => contents.is_empty(),
        _ => false,
    });
    let has_others = group.parts.iter().skip(1).any(|(_, part)| *part == Part::On(How::Contents));
    let is_blank =
        pieces.iter().any(|piece| piece.shape == PieceShape::Blank && piece.key == name.to_lowercase());
    (says_nothing_else && has_others && is_blank).then(|| name.to_owned())
}
