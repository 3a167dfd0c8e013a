//! Hints that an author adds in comments, such as `;; groundrules: board cell x y content`. A hint that cannot be followed is
//! reported and otherwise ignored: a comment never breaks a game. `docs/boards.md` describes the syntax.

use groundrules_gdl::{Game, Span};
use serde::Serialize;

use crate::layout::Look;
use crate::piece::{Chess, Colour, PieceShape, colour_named};
use crate::rules::{Family, Slope};

/// What the hints of a description say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hints {
    pub(crate) families: Vec<(Family, Hint)>,
    pub(crate) blanks: Vec<String>,
    pub(crate) pieces: Vec<(String, PieceShape, Option<Colour>)>,
    pub(crate) tiling: Option<Option<Slope>>,
    pub(crate) look: Option<Look>,
}

impl Hints {
    pub(crate) fn of(&self, family: &Family) -> Option<&Hint> {
        self.families.iter().find(|(named, _)| named == family).map(|(_, hint)| hint)
    }
}

/// What a hint says of a family of fluents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hint {
    /// The meaning of each argument.
    Board(Vec<Meaning>),
    Counter,
    Hand,
    Turn,
    List,
    Hide,
}

/// What an argument of a fluent on a board is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// The column, from the left.
    X,
    /// The row, from the bottom.
    Y,
    /// The row, from the top.
    Row,
    /// The board.
    Layer,
    /// What is there.
    Content,
    /// Nothing that is drawn.
    Ignored,
}

/// A hint that could not be followed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HintError {
    /// Where the comment stands.
    #[serde(skip)]
    pub span: Span,
    /// What is wrong with it.
    pub message: String,
}

/// The words that begin other comments for the program.
const OTHERS: [&str; 3] = ["allow", "warn", "deny"];

/// The hints of a description, and what is wrong with the others.
pub(crate) fn read(game: &Game) -> (Hints, Vec<HintError>) {
    let (mut hints, mut errors) = (Hints::default(), Vec::new());
    for (span, text) in game.tree().directives() {
        let folded = text.to_lowercase();
        let words: Vec<&str> = folded.split_whitespace().collect();
        if words.first().is_some_and(|first| OTHERS.contains(first)) {
            continue;
        }
        if let Err(message) = one(&words, &mut hints) {
            errors.push(HintError { span: *span, message });
        }
    }
    (hints, errors)
}

fn one(words: &[&str], hints: &mut Hints) -> Result<(), String> {
    match words {
        ["board", name, meanings @ ..] if !meanings.is_empty() => {
            let meanings = meanings.iter().map(|word| meaning(word)).collect::<Result<Vec<_>, _>>()?;
            let has =
                |wanted: &[Meaning]| meanings.iter().filter(|meaning| wanted.contains(meaning)).count() == 1;
            if !has(&[Meaning::X]) || !has(&[Meaning::Y, Meaning::Row]) {
                return Err("a board needs one `x` and one `y` or `row`".to_owned());
            }
            hints.families.push((((*name).to_owned(), meanings.len()), Hint::Board(meanings)));
        }
        [kind @ ("counter" | "hand" | "turn" | "list" | "hide"), name, arity] => {
            let arity = arity.parse().map_err(|_| format!("`{arity}` is not a number of arguments"))?;
            let hint = match *kind {
                "counter" => Hint::Counter,
                "hand" => Hint::Hand,
                "turn" => Hint::Turn,
                "list" => Hint::List,
                _ => Hint::Hide,
            };
            hints.families.push((((*name).to_owned(), arity), hint));
        }
        ["blank", blanks @ ..] if !blanks.is_empty() => {
            hints.blanks.extend(blanks.iter().map(|word| (*word).to_owned()));
        }
        ["piece", name, shape, colour @ ..] => {
            let shape = shape_named(shape).ok_or_else(|| format!("`{shape}` is not the shape of a piece"))?;
            let colour = match colour {
                [] => None,
                [word] => Some(colour_named(word).ok_or_else(|| format!("`{word}` is not a colour"))?),
                _ => return Err("a piece has one shape and one colour".to_owned()),
            };
            hints.pieces.push((name.replace('+', " "), shape, colour));
        }
        ["squares"] => hints.tiling = Some(None),
        ["hexagons"] | ["hexagons", "opposite"] => hints.tiling = Some(Some(Slope::Opposite)),
        ["hexagons", "same"] => hints.tiling = Some(Some(Slope::Same)),
        ["look", look] => {
            hints.look = Some(match *look {
                "plain" => Look::Plain,
                "checkered" => Look::Checkered,
                "wood" => Look::Wood,
                "drop" => Look::Drop,
                _ => return Err(format!("`{look}` is not a look: plain, checkered, wood or drop")),
            });
        }
        [] => return Err("the hint is empty".to_owned()),
        [first, ..] => {
            return Err(format!(
                "`{first}` is not followed by what it needs: board, counter, hand, turn, list, hide, blank, piece, squares, hexagons or look"
            ));
        }
    }
    Ok(())
}

fn meaning(word: &str) -> Result<Meaning, String> {
    Ok(match word {
        "x" | "column" | "col" | "file" => Meaning::X,
        "y" | "rank" => Meaning::Y,
        "row" => Meaning::Row,
        "layer" | "board" | "z" => Meaning::Layer,
        "content" | "piece" => Meaning::Content,
        "_" => Meaning::Ignored,
        _ => {
            return Err(format!(
                "`{word}` is not the meaning of an argument: x, y, row, layer, content or _"
            ));
        }
    })
}

fn shape_named(word: &str) -> Option<PieceShape> {
    Some(match word {
        "blank" => PieceShape::Blank,
        "disc" | "stone" => PieceShape::Disc,
        "crowned" => PieceShape::Crowned,
        "king" => PieceShape::Chess(Chess::King),
        "queen" => PieceShape::Chess(Chess::Queen),
        "rook" => PieceShape::Chess(Chess::Rook),
        "bishop" => PieceShape::Chess(Chess::Bishop),
        "knight" => PieceShape::Chess(Chess::Knight),
        "pawn" => PieceShape::Chess(Chess::Pawn),
        "cross" => PieceShape::Cross,
        "ring" => PieceShape::Ring,
        "block" => PieceShape::Block,
        "arrow" => PieceShape::Arrow,
        "number" => PieceShape::Number,
        "label" => PieceShape::Label,
        _ => return None,
    })
}
