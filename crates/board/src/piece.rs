//! Pieces: what stands in a cell, and how that is shown. Names say what it is where they can: colours, chess pieces, draughts,
//! noughts and crosses, walls; everything else is an abbreviation.

mod names;

use std::collections::BTreeSet;

use serde::Serialize;

pub(crate) use names::{Looks, colour_named, is_chess_piece};

/// What can stand in a cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Piece {
    /// What the fluents call it, folded: the words after the coordinates, or the fluent's own name.
    pub key: String,
    /// What the fluents call it.
    pub name: String,
    /// How it is written in text: `·` for a blank, one to three characters otherwise.
    pub symbol: String,
    /// How it is drawn.
    pub shape: PieceShape,
    /// In which colour.
    pub colour: Colour,
}

/// How a piece is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PieceShape {
    /// Nothing is there.
    Blank,
    /// A disc or stone.
    Disc,
    /// A disc with a crown: the king of draughts.
    Crowned,
    /// A piece of chess.
    Chess(Chess),
    /// A cross.
    Cross,
    /// A ring.
    Ring,
    /// Something that fills the cell: a wall, a hole.
    Block,
    /// A mark that blocks: the arrow of Amazons.
    Arrow,
    /// A number.
    Number,
    /// Its abbreviation.
    Label,
}

/// The pieces of chess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Chess {
    King,
    Queen,
    Rook,
    Bishop,
    Knight,
    Pawn,
}

/// A colour by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Colour {
    White,
    Black,
    Red,
    Blue,
    Green,
    Yellow,
    Orange,
    Purple,
    Teal,
    Magenta,
    Brown,
    Gray,
}

/// A content before it is known how it looks: its key, its name, and how many cells it has at first.
pub(crate) struct Content {
    pub(crate) key: String,
    pub(crate) name: String,
    pub(crate) at_first: usize,
    /// Whether nothing else can ever be where it is, and it can be nowhere else.
    pub(crate) is_fixed: bool,
}

/// The pieces that these contents of one board are.
pub(crate) fn pieces(contents: &[Content], looks: &Looks) -> Vec<Piece> {
    let blanks = names::blanks(contents, looks);
    let set = names::Set::of(contents);
    let mut pieces: Vec<Piece> = contents
        .iter()
        .enumerate()
        .map(|(number, content)| {
            let (shape, colour) = match blanks.contains(&content.key) {
                true => (PieceShape::Blank, Colour::Gray),
                false => set.look(content, number, looks),
            };
            let symbol = symbol(content, shape, colour).unwrap_or_default();
            Piece { key: content.key.clone(), name: content.name.clone(), symbol, shape, colour }
        })
        .collect();
    abbreviate(&mut pieces);
    pieces
}

/// The symbol that a shape has whatever else is on the board.
fn symbol(content: &Content, shape: PieceShape, colour: Colour) -> Option<String> {
    let dark = colour == Colour::Black;
    let text = match (shape, colour) {
        (PieceShape::Blank, _) => "·",
        (PieceShape::Disc, Colour::Black) => "●",
        (PieceShape::Disc, Colour::White) => "○",
        (PieceShape::Crowned, Colour::Black) => "◉",
        (PieceShape::Crowned, Colour::White) => "◎",
        (PieceShape::Chess(chess), Colour::Black | Colour::White) => match (chess, dark) {
            (Chess::King, false) => "♔",
            (Chess::Queen, false) => "♕",
            (Chess::Rook, false) => "♖",
            (Chess::Bishop, false) => "♗",
            (Chess::Knight, false) => "♘",
            (Chess::Pawn, false) => "♙",
            (Chess::King, true) => "♚",
            (Chess::Queen, true) => "♛",
            (Chess::Rook, true) => "♜",
            (Chess::Bishop, true) => "♝",
            (Chess::Knight, true) => "♞",
            (Chess::Pawn, true) => "♟",
        },
        (PieceShape::Cross, _) => "x",
        (PieceShape::Ring, _) => "o",
        (PieceShape::Block, _) => "■",
        (PieceShape::Arrow, _) => "×",
        (PieceShape::Number, _) => return Some(content.name.clone()),
        _ => return None,
    };
    Some(text.to_owned())
}

/// Gives everything without a symbol the shortest abbreviation of its name that nothing else has.
fn abbreviate(pieces: &mut [Piece]) {
    let mut taken: BTreeSet<String> = pieces.iter().map(|piece| piece.symbol.clone()).collect();
    let stems: Vec<String> = pieces.iter().map(|piece| stem(&piece.name).to_owned()).collect();
    for number in 0..pieces.len() {
        if !pieces[number].symbol.is_empty() {
            continue;
        }
        let alike = stems.iter().filter(|stem| **stem == stems[number]).count();
        let candidates = abbreviations(&pieces[number].name, alike > 3);
        let free = candidates.into_iter().find(|text| !text.is_empty() && !taken.contains(text));
        pieces[number].symbol = free.unwrap_or_else(|| pieces[number].name.clone());
        taken.insert(pieces[number].symbol.clone());
    }
}

/// A name without the number at its end.
fn stem(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit())
}

/// The abbreviations of a name, best first. Numbered names that are many are told apart by their numbers.
fn abbreviations(name: &str, is_numbered: bool) -> Vec<String> {
    let letters: Vec<char> = name.chars().filter(|c| c.is_alphanumeric()).collect();
    let number: String = name[stem(name).len()..].to_owned();
    let parts: Vec<String> = name.split(' ').flat_map(crate::words::name_parts).collect();
    let initials: String = parts.iter().filter_map(|part| part.chars().next()).collect();
    let begin = |length: usize| -> String { letters.iter().take(length).collect() };
    if letters.len() <= 2 {
        return vec![begin(2)];
    }
    let mut candidates = Vec::new();
    if is_numbered && !number.is_empty() {
        candidates.push(number.clone());
    }
    candidates.push(begin(1).to_uppercase());
    if parts.len() > 1 {
        candidates.push(initials);
    }
    if !number.is_empty() {
        candidates.push(format!("{}{number}", begin(1)));
    }
    let last: String = letters.iter().rev().take(1).collect();
    candidates.extend([begin(1), begin(2), format!("{}{last}", begin(1)), begin(3), begin(4)]);
    candidates
}
