//! The layout of a game: its boards with all their cells, and what every family of fluents means on them. It is made once
//! per game; [`Layout::picture`] then lays out any state.

use std::collections::BTreeMap;

use groundrules_gdl::Game;
use groundrules_ground::{GroundGame, Limits, Options, ground};
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::assemble::assemble;
use crate::hints::{self, HintError};
use crate::nested::Nested;
use crate::picture::{Last, Line, Picture};
use crate::piece::Piece;
use crate::rules::{Family, Rules};
use crate::table::tables;
use crate::words::{Words, fold};

/// How the states of a game are laid out. See the [crate].
#[derive(Clone, Debug, Serialize)]
pub struct Layout {
    /// The boards, in the order in which they are drawn.
    pub boards: Vec<Board>,
    /// The hints of the description that could not be followed.
    pub ignored: Vec<HintError>,
    #[serde(skip)]
    pub(crate) spaces: Vec<Space>,
    #[serde(skip)]
    pub(crate) uses: FxHashMap<Family, Use>,
    #[serde(skip)]
    pub(crate) nested: Nested,
}

/// A board: cells in columns and rows.
#[derive(Clone, Debug, Serialize)]
pub struct Board {
    /// What the description calls it.
    pub name: String,
    /// How cells touch.
    pub tiling: Tiling,
    /// The names of the columns from left to right.
    pub columns: Vec<String>,
    /// The names of the rows from top to bottom.
    pub rows: Vec<String>,
    /// The cells that there are, by rows from top to bottom.
    pub cells: Vec<Cell>,
    /// How it is drawn.
    pub look: Look,
    /// What can stand in a cell, blanks included.
    pub pieces: Vec<Piece>,
    /// Its place among the boards of its kind: column and row.
    pub part: [usize; 2],
    /// The number of its kind: boards of one kind are drawn side by side.
    pub kind: usize,
    /// Whether lines may stand between cells.
    pub has_lines: bool,
}

/// A cell of a board.
#[derive(Clone, Debug, Serialize)]
pub struct Cell {
    /// The column, from the left.
    pub column: usize,
    /// The row, from the top.
    pub row: usize,
    /// The arguments that name it, in the order of the fluents.
    pub name: Vec<String>,
}

/// How the cells of a board touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tiling {
    /// Squares.
    Squares,
    /// Hexagons: each row is shifted against the one above it by half a cell, to the right.
    HexagonsRight,
    /// Hexagons: each row is shifted against the one above it by half a cell, to the left.
    HexagonsLeft,
    /// Hexagons in rows that are centred.
    HexagonsCentred,
}

/// How a board is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Look {
    /// Plain cells.
    Plain,
    /// Light and dark squares in turn.
    Checkered,
    /// Wood, for black and white stones.
    Wood,
    /// A frame with holes that discs are dropped into.
    Drop,
    /// Dots whose lines close boxes.
    Dots,
}

/// A cell of a layout: a board and a cell of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct CellId {
    /// The number of the board.
    pub board: usize,
    /// The number of the cell on it.
    pub cell: usize,
}

/// What a fluent says on a board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Placed {
    /// Where.
    pub at: CellId,
    /// What is there: the number of a piece of the board.
    pub piece: usize,
}

/// Coordinates that several boards may share.
#[derive(Clone, Debug, Default)]
pub(crate) struct Space {
    /// Cells by the folded arguments that name them.
    pub(crate) places: FxHashMap<String, usize>,
    /// Boards by the folded arguments that name them; without layers, the one board has an empty name.
    pub(crate) boards: FxHashMap<String, usize>,
    /// How many arguments name a cell, and a board.
    pub(crate) place_length: usize,
    pub(crate) layer_length: usize,
    /// The columns of the board by their folded names, for moves that name only a column.
    pub(crate) drops: FxHashMap<String, usize>,
    /// What the rules say of cells in every state.
    pub(crate) ground: Vec<(usize, Ground)>,
    /// What a cell is called that is empty; a cell that neither is nor has anything in it was used up.
    pub(crate) free: Option<String>,
}

impl Space {
    pub(crate) fn cell(&self, layer: &str, place: &str) -> Option<CellId> {
        Some(CellId { board: *self.boards.get(layer)?, cell: *self.places.get(place)? })
    }
}

/// What a cell is in every state.
#[derive(Clone, Debug)]
pub(crate) enum Ground {
    /// A piece that never moves, by its number on the board: a wall.
    Piece(usize),
    /// A mark, by its name: a target.
    Mark(String),
}

/// What a family of fluents means.
#[derive(Clone, Debug)]
pub(crate) enum Use {
    /// Something in a cell.
    Cell { space: usize, at: Vec<usize>, layers: Vec<usize>, contents: Vec<usize>, how: How },
    /// Lines between cells or dots.
    Edges {
        space: usize,
        dots: bool,
        first: BTreeMap<String, i32>,
        second: BTreeMap<String, i32>,
        turned: Turned,
    },
    /// Sides of boxes, by their folded terms. Of sides that are left, those are drawn that do not hold.
    Sides { space: usize, lines: FxHashMap<String, Line>, is_left: bool },
    /// Whose turn it is.
    Turn { role: usize },
    /// A number, perhaps one for each key.
    Counter { keys: Vec<usize>, value: usize },
    /// What somebody has.
    Hand { owner: usize, things: Vec<usize> },
    /// One thing on another.
    Stack,
    /// Things in a list, the top one first.
    Pile { name: Vec<usize>, list: usize },
    /// Everything else.
    List,
    /// What a person need not see.
    Hidden,
}

/// How the axes of the fluents lie on the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Turned {
    /// The first argument is the row.
    pub(crate) swapped: bool,
    /// The first value of the column's argument is on the right.
    pub(crate) flipped_x: bool,
    /// The first value of the row's argument is at the top.
    pub(crate) down: bool,
}

/// What a fluent does to its cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// The contents are there.
    Contents,
    /// The cell is marked, as the name of the fluent says.
    Highlight,
    /// A wall on the side that the name of the fluent or the content says.
    Wall(Option<Side>),
}

/// A side of a cell, as it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Side {
    North,
    South,
    East,
    West,
}

impl Layout {
    /// The layout of a game whose ground game may be there. Without it the rules alone must say which cells there are.
    pub fn of(game: &Game, ground: Option<&GroundGame>) -> Layout {
        let rules = Rules::of(game);
        let (hints, errors) = hints::read(game);
        let (tables, nested) = tables(&rules, ground);
        let mut layout = Layout { nested, ..assemble(&rules, &tables, &hints) };
        layout.ignored.extend(errors);
        layout
    }

    /// The layout of a game. Grounds the game if that is little work, else goes by the rules; which one it is depends on
    /// the description alone, not on the machine.
    pub fn of_game(game: &Game) -> Layout {
        let options = Options { limits: quick(), ..Options::default() };
        let ground = game.is_bounded().then(|| ground(game, &options).ok()).flatten();
        Layout::of(game, ground.as_ref())
    }

    /// A state laid out: the fluents that hold, as KIF, and the moves that led to it, if there were some.
    pub fn picture<F: AsRef<str>>(&self, fluents: &[F], last: Option<Last<'_>>) -> Picture<'_> {
        let fluents: Vec<&str> = fluents.iter().map(AsRef::as_ref).collect();
        Picture::of(self, &fluents, last)
    }

    /// The cells that a move names, in the order of its arguments. A move that names a column only, such as `(drop 3)`, names
    /// its cells.
    pub fn targets(&self, made: &str) -> Vec<CellId> {
        let words = Words::flat(made, &self.nested);
        let arguments: Vec<String> = words.arguments.iter().map(|word| fold(word)).collect();
        let mut found: Vec<CellId> = Vec::new();
        for space in &self.spaces {
            let named = self.named(space, &arguments);
            match named.len().cmp(&found.len()) {
                std::cmp::Ordering::Greater => found = named,
                // Boards with the same coordinates: the move may be on any of them.
                std::cmp::Ordering::Equal => found.extend(named),
                std::cmp::Ordering::Less => {}
            }
        }
        if found.is_empty()
            && let [column] = &arguments[..]
        {
            for space in &self.spaces {
                let Some(&column) = space.drops.get(column) else { continue };
                let boards = space.boards.values();
                found.extend(boards.flat_map(|&board| self.cells_of_column(board, column)));
            }
        }
        found
    }

    /// The clicks on cells that make a move, one after the other, each with the cells that do: `(move 1 2 1 3)` takes two clicks,
    /// `(drop 3)` one anywhere in the column. Nothing if the move names no cells. Moves may have the same clicks.
    pub fn clicks(&self, made: &str) -> Vec<Vec<CellId>> {
        let words = Words::flat(made, &self.nested);
        let arguments: Vec<String> = words.arguments.iter().map(|word| fold(word)).collect();
        let mut clicks: Vec<Vec<CellId>> = Vec::new();
        for space in &self.spaces {
            let named = self.named(space, &arguments);
            if named.len() > clicks.len() {
                clicks = named.into_iter().map(|cell| vec![cell]).collect();
            } else if named.len() == clicks.len() {
                // Boards with the same coordinates: a click on any of them counts.
                for (click, cell) in clicks.iter_mut().zip(named) {
                    if !click.contains(&cell) {
                        click.push(cell);
                    }
                }
            }
        }
        // What is named twice in a row is clicked once.
        clicks.dedup();
        if clicks.is_empty() {
            let column = self.targets(made);
            if !column.is_empty() {
                clicks.push(column);
            }
        }
        clicks
    }

    fn cells_of_column(&self, board: usize, column: usize) -> impl Iterator<Item = CellId> {
        let cells = self.boards[board].cells.iter().enumerate();
        cells.filter(move |(_, cell)| cell.column == column).map(move |(cell, _)| CellId { board, cell })
    }

    fn named(&self, space: &Space, arguments: &[String]) -> Vec<CellId> {
        let (mut found, mut at) = (Vec::new(), 0);
        let length = space.place_length;
        while length > 0 && at + length <= arguments.len() {
            let place = arguments[at..at + length].join(" ");
            if let Some(&cell) = space.places.get(&place) {
                let layer = at.checked_sub(space.layer_length).map(|from| arguments[from..at].join(" "));
                match layer.and_then(|layer| space.boards.get(&layer)) {
                    Some(&board) => found.push(CellId { board, cell }),
                    // The place itself may begin here by chance.
                    None if space.layer_length > 0 => {
                        at += 1;
                        continue;
                    }
                    None => {}
                }
                at += length;
            } else {
                at += 1;
            }
        }
        found.retain(|id| id.cell < self.boards[id.board].cells.len());
        found
    }

    /// Where a fluent puts what, if it puts something into a cell. With all fluents of a game, this gives the planes of its
    /// boards.
    pub fn place(&self, fluent: &str) -> Option<Placed> {
        let words = Words::flat(fluent, &self.nested);
        let arguments: Vec<String> = words.arguments.iter().map(|word| fold(word)).collect();
        match self.uses.get(&words.family())? {
            Use::Cell { space, at, layers, contents, .. } => {
                let pick = |columns: &[usize]| -> Vec<&str> {
                    columns.iter().filter_map(|&column| arguments.get(column).map(String::as_str)).collect()
                };
                let at = self.spaces[*space].cell(&pick(layers).join(" "), &pick(at).join(" "))?;
                let content = content_key(&fold(words.name), &pick(contents));
                let piece = self.boards[at.board].pieces.iter().position(|piece| piece.key == content)?;
                Some(Placed { at, piece })
            }
            _ => None,
        }
    }

    /// Whether anything of a state is drawn as a board.
    pub fn has_board(&self) -> bool {
        !self.boards.is_empty()
    }
}

/// What identifies a piece: its words, or the name of the fluent if it has none.
pub(crate) fn content_key(name: &str, contents: &[&str]) -> String {
    if contents.is_empty() { name.to_owned() } else { contents.join(" ") }
}

/// What counts as little work: a second or so.
fn quick() -> Limits {
    let mut limits = Limits::default();
    (limits.rules, limits.atoms, limits.tries, limits.bytes) = (400_000, 400_000, 8_000_000, 400_000_000);
    limits.depth = 100;
    limits
}
