//! A state laid out: what stands in which cell, whose turn it is, counters, hands, and what is left. [`Picture::text`] and
//! [`Picture::svg`] draw it; its data can be serialised for other front ends.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serde::Serialize;

use crate::assemble::side_named;
use crate::layout::{CellId, Ground, How, Layout, Side, Turned, Use, content_key};
use crate::nested::elements;
use crate::piece::PieceShape;
use crate::svg;
use crate::text::{self, TextStyle};
use crate::words::{Words, fold};

/// A state laid out.
#[derive(Clone, Debug, Serialize)]
pub struct Picture<'layout> {
    /// The layout.
    pub layout: &'layout Layout,
    /// The boards, as the layout has them.
    pub boards: Vec<BoardState>,
    /// Whose turn it is: the name of the fluent and its arguments.
    pub turns: Vec<Entry>,
    /// Numbers.
    pub counters: Vec<Group>,
    /// What the roles have.
    pub hands: Vec<Group>,
    /// Things on things, each pile from the bottom.
    pub piles: Vec<Vec<String>>,
    /// What is not laid out: the arguments of each fluent, by name.
    pub rest: Vec<Group>,
}

/// A board in a state.
#[derive(Clone, Debug, Default, Serialize)]
pub struct BoardState {
    /// What is in the cells, in the order of the board's cells.
    pub squares: Vec<Square>,
    /// Lines along the sides of cells.
    pub lines: Vec<Line>,
}

/// A cell in a state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Square {
    /// The pieces in it, by their numbers on the board. Blanks are left out.
    pub pieces: Vec<usize>,
    /// Whether a fluent says that the cell is blank.
    pub blank: bool,
    /// What else holds here, as it is called.
    pub marks: Vec<String>,
    /// Whether the last move was made here.
    pub moved: bool,
}

/// A line along the side of a cell, between two corners: columns and rows of corners are counted from the top left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Line {
    /// One end: column and row.
    pub from: [i32; 2],
    /// The other end.
    pub to: [i32; 2],
}

/// A name and the words that go with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// The name of the fluent.
    pub name: String,
    /// What it says.
    pub words: Vec<String>,
}

/// What a family of fluents says, by key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Group {
    /// The name of the fluents.
    pub name: String,
    /// Keys and values; the key is empty where there is none.
    pub entries: Vec<(String, Vec<String>)>,
}

/// How a state was reached.
#[derive(Clone, Copy, Debug)]
pub struct Last<'a> {
    /// The moves that were made, one per role.
    pub moves: &'a [String],
    /// The fluents that held before; may be empty if they are not known.
    pub before: &'a [String],
}

impl<'layout> Picture<'layout> {
    pub(crate) fn of(layout: &'layout Layout, fluents: &[&str], last: Option<Last<'_>>) -> Self {
        let boards = layout.boards.iter().map(|board| BoardState {
            squares: vec![Square::default(); board.cells.len()],
            lines: Vec::new(),
        });
        let mut picture = Picture {
            layout,
            boards: boards.collect(),
            turns: Vec::new(),
            counters: Vec::new(),
            hands: Vec::new(),
            piles: Vec::new(),
            rest: Vec::new(),
        };
        picture.draw_sides();
        picture.draw_ground();
        let mut sorted: Vec<&str> = fluents.to_vec();
        sorted.sort_by_cached_key(|fluent| order(fluent));
        let mut lists = Lists::default();
        for fluent in sorted {
            picture.add(fluent, &mut lists);
        }
        picture.counters = lists.counters.groups();
        picture.hands = lists.hands.groups();
        picture.rest = lists.rest.groups();
        picture.piles.extend(piles(&lists.on, &mut picture.rest));
        picture.mark_used();
        if let Some(last) = last {
            picture.mark(last);
        }
        picture
    }

    /// Draws all sides of boxes of which the state says only which are left.
    fn draw_sides(&mut self) {
        for used in self.layout.uses.values() {
            if let Use::Sides { space, lines, is_left: true } = used
                && let Some(&board) = self.layout.spaces[*space].boards.values().next()
            {
                self.boards[board].lines.extend(lines.values().copied());
                self.boards[board].lines.sort();
            }
        }
    }

    /// Draws what never changes and no fluent says.
    fn draw_ground(&mut self) {
        for space in &self.layout.spaces {
            for &board in space.boards.values() {
                for (cell, ground) in &space.ground {
                    let square = &mut self.boards[board].squares[*cell];
                    match ground {
                        Ground::Piece(piece) => square.pieces.push(*piece),
                        Ground::Mark(name) => square.marks.push(name.clone()),
                    }
                }
            }
        }
    }

    /// Marks cells that are used up: where fluents say which cells are empty, those that neither are nor have anything in them.
    fn mark_used(&mut self) {
        for space in &self.layout.spaces {
            let Some(free) = &space.free else { continue };
            for &board in space.boards.values() {
                let squares = self.boards[board].squares.iter_mut();
                let used = squares.filter(|square| !square.blank && square.pieces.is_empty());
                used.for_each(|square| square.marks.push(format!("not {free}")));
            }
        }
    }

    fn add(&mut self, fluent: &str, lists: &mut Lists) {
        let words = Words::flat(fluent, &self.layout.nested);
        let name = words.name.to_owned();
        let pick = |columns: &[usize]| -> Vec<&str> {
            columns.iter().filter_map(|&column| words.arguments.get(column).copied()).collect()
        };
        let list = |lists: &mut Lists| {
            lists.rest.add(&name, String::new(), Words::of(fluent).arguments.join(" "));
        };
        match self.layout.uses.get(&words.family()) {
            Some(Use::Hidden) => {}
            Some(Use::Cell { space, at, layers, contents, how }) => {
                let key = |columns: &[usize]| fold(&pick(columns).join(" "));
                match self.layout.spaces[*space].cell(&key(layers), &key(at)) {
                    Some(at) => self.put(at, &words, &pick(contents), *how),
                    // Walls may reach beyond the board.
                    None if matches!(how, How::Wall(_)) => {}
                    None => list(lists),
                }
            }
            Some(Use::Edges { space, dots, first, second, turned }) => {
                let ends = [(0, 1), (2, 3)].map(|(a, b)| {
                    let value = |n: usize| words.arguments.get(n).map(|word| fold(word));
                    Some((*first.get(&value(a)?)?, *second.get(&value(b)?)?))
                });
                let board = self.layout.spaces[*space].boards.values().next();
                if let (&[Some(from), Some(to)], Some(&board)) = (&ends, board) {
                    self.draw_edge(board, *dots, from, to, *turned);
                }
            }
            Some(Use::Sides { space, lines, is_left }) => {
                let line = words.arguments.first().and_then(|side| lines.get(&fold(side)));
                let board = self.layout.spaces[*space].boards.values().next();
                match (line, board) {
                    (Some(line), Some(&board)) if *is_left => {
                        self.boards[board].lines.retain(|drawn| drawn != line);
                    }
                    (Some(line), Some(&board)) => self.boards[board].lines.push(*line),
                    _ => list(lists),
                }
            }
            Some(Use::Turn { role }) => {
                let mut said = vec![words.arguments.get(*role).copied().unwrap_or_default().to_owned()];
                let others = words.arguments.iter().enumerate().filter(|(column, _)| column != role);
                said.extend(others.map(|(_, word)| (*word).to_owned()));
                self.turns.push(Entry { name, words: said });
            }
            Some(Use::Counter { keys, value }) => {
                let value = words.arguments.get(*value).copied().unwrap_or_default();
                // Of what somebody may have, only what is there.
                if keys.len() < 2 || value != "0" {
                    lists.counters.add(&name, pick(keys).join(" "), value.to_owned());
                }
            }
            Some(Use::Hand { owner, things }) => {
                lists.hands.add(&name, pick(&[*owner]).join(" "), pick(things).join(" "));
            }
            Some(Use::Stack) => {
                lists.on.push((name, words.arguments.iter().map(|&word| word.to_owned()).collect()));
            }
            Some(Use::Pile { name: of, list }) => {
                let bottom = if of.is_empty() { name } else { pick(of).join(" ") };
                let list = elements(words.arguments.get(*list).copied().unwrap_or_default());
                let things = list.into_iter().rev().map(str::to_owned);
                self.piles.push(std::iter::once(bottom).chain(things).collect());
            }
            Some(Use::List) | None => list(lists),
        }
    }

    fn put(&mut self, at: CellId, words: &Words<'_>, contents: &[&str], how: How) {
        let board = &self.layout.boards[at.board];
        match how {
            How::Contents => {
                let folded: Vec<String> = contents.iter().map(|word| fold(word)).collect();
                let folded: Vec<&str> = folded.iter().map(String::as_str).collect();
                let key = content_key(&fold(words.name), &folded);
                let square = &mut self.boards[at.board].squares[at.cell];
                match board.pieces.iter().position(|piece| piece.key == key) {
                    Some(piece) if board.pieces[piece].shape == PieceShape::Blank => square.blank = true,
                    Some(piece) => square.pieces.push(piece),
                    None => square.marks.push(content_key(words.name, contents)),
                }
            }
            How::Highlight => self.boards[at.board].squares[at.cell].marks.push(words.name.to_owned()),
            How::Wall(side) => {
                let named = || contents.first().and_then(|word| side_named(&fold(word)));
                if let Some(side) = side.or_else(named) {
                    let cell = &board.cells[at.cell];
                    let line = side_of(i32::try_from(cell.column), i32::try_from(cell.row), side);
                    self.boards[at.board].lines.extend(line);
                }
            }
        }
    }

    /// Draws a line between two points: a side of a box between dots, or the wall between two cells.
    fn draw_edge(&mut self, board: usize, dots: bool, from: (i32, i32), to: (i32, i32), turned: Turned) {
        let rows = i32::try_from(self.layout.boards[board].rows.len()).unwrap_or(i32::MAX);
        let placed = |(first, second): (i32, i32)| {
            let (x, y) = if turned.swapped { (second, first) } else { (first, second) };
            let last = if dots { rows } else { rows - 1 };
            [x, if turned.down { y } else { last - y }]
        };
        let (a, b) = (placed(from), placed(to));
        let line = if dots {
            Line { from: a.min(b), to: a.max(b) }
        } else {
            // The wall stands across the step from one cell to the other.
            let corner = [a[0].max(b[0]), a[1].max(b[1])];
            let along = if a[0] == b[0] { [corner[0] + 1, corner[1]] } else { [corner[0], corner[1] + 1] };
            Line { from: corner, to: along }
        };
        self.boards[board].lines.push(line);
    }

    /// Marks the cells of the last move: those that it names, and if it names none, those that changed.
    fn mark(&mut self, last: Last<'_>) {
        let named: BTreeSet<CellId> = last.moves.iter().flat_map(|made| self.layout.targets(made)).collect();
        let changed: BTreeSet<CellId> = if last.before.is_empty() {
            BTreeSet::new()
        } else {
            let texts: Vec<&str> = last.before.iter().map(String::as_str).collect();
            let before = Picture::of(self.layout, &texts, None);
            let boards = self.boards.iter().zip(&before.boards).enumerate();
            boards
                .flat_map(|(board, (now, before))| {
                    let squares = now.squares.iter().zip(&before.squares).enumerate();
                    squares
                        .filter(|(_, (now, before))| now != before)
                        .map(move |(cell, _)| CellId { board, cell })
                })
                .collect()
        };
        let both: BTreeSet<CellId> = named.intersection(&changed).copied().collect();
        let marked = match () {
            () if !both.is_empty() && both.len() <= 8 => both,
            () if !named.is_empty() && named.len() <= 4 => named,
            () if both.is_empty() && changed.len() <= 6 => changed,
            () => BTreeSet::new(),
        };
        for at in marked {
            self.boards[at.board].squares[at.cell].moved = true;
        }
    }

    /// The picture as text.
    pub fn text(&self, style: &TextStyle) -> String {
        text::draw(self, style)
    }

    /// The picture as SVG, a document of its own.
    pub fn svg(&self) -> String {
        svg::draw(self, false)
    }

    /// The boards as SVG for a page that lets people click: every cell is a group with the attribute `data-cell`, the numbers of board
    /// and cell, and `data-name`, the arguments that name it. What stands under the boards is left to the page.
    pub fn svg_with_cells(&self) -> String {
        svg::draw(self, true)
    }
}

fn side_of<E>(column: Result<i32, E>, row: Result<i32, E>, side: Side) -> Option<Line> {
    let (column, row) = (column.ok()?, row.ok()?);
    let (from, to) = match side {
        Side::North => ([column, row], [column + 1, row]),
        Side::South => ([column, row + 1], [column + 1, row + 1]),
        Side::West => ([column, row], [column, row + 1]),
        Side::East => ([column + 1, row], [column + 1, row + 1]),
    };
    Some(Line { from, to })
}

/// What is collected while fluents are read.
#[derive(Default)]
struct Lists {
    counters: Listing,
    hands: Listing,
    rest: Listing,
    on: Vec<(String, Vec<String>)>,
}

/// Groups while they are collected: names, keys, values.
#[derive(Default)]
struct Listing(IndexMap<String, IndexMap<String, Vec<String>, FxBuildHasher>, FxBuildHasher>);

impl Listing {
    fn add(&mut self, name: &str, key: String, value: String) {
        self.0.entry(name.to_owned()).or_default().entry(key).or_default().push(value);
    }

    fn groups(self) -> Vec<Group> {
        let group = |(name, entries): (String, IndexMap<String, Vec<String>, FxBuildHasher>)| Group {
            name,
            entries: entries.into_iter().collect(),
        };
        self.0.into_iter().map(group).collect()
    }
}

/// The piles that things on things make, each from the bottom. What makes no piles is listed.
fn piles(on: &[(String, Vec<String>)], rest: &mut Vec<Group>) -> Vec<Vec<String>> {
    let mut families: IndexMap<&str, Vec<(&str, &str)>, FxBuildHasher> = IndexMap::default();
    for (name, words) in on {
        if let [above, below] = &words[..] {
            families.entry(name).or_default().push((above, below));
        }
    }
    let mut all = Vec::new();
    for (name, mut pairs) in families {
        // Whatever carries several things is the ground; some descriptions name it first.
        let repeats = |words: &mut dyn Iterator<Item = &str>| {
            let words: Vec<&str> = words.collect();
            words.len() - words.iter().collect::<BTreeSet<_>>().len()
        };
        if repeats(&mut pairs.iter().map(|pair| pair.0)) > repeats(&mut pairs.iter().map(|pair| pair.1)) {
            pairs.iter_mut().for_each(|pair| *pair = (pair.1, pair.0));
        }
        match stacked(&pairs) {
            Some(piles) => all.extend(piles),
            None => {
                let mut listing = Listing::default();
                pairs.iter().for_each(|(a, b)| listing.add(name, String::new(), format!("{a} {b}")));
                rest.extend(listing.groups());
            }
        }
    }
    all
}

/// Piles from pairs of what is above and what is below it; nothing if something is above two things, or above itself.
fn stacked(pairs: &[(&str, &str)]) -> Option<Vec<Vec<String>>> {
    let mut above: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let ups: BTreeSet<&str> = pairs.iter().map(|(up, _)| *up).collect();
    pairs.iter().for_each(|(up, down)| above.entry(down).or_default().push(up));
    let is_ground = |down: &str| !ups.contains(down);
    let mut piles = Vec::new();
    for (&bottom, first) in above.iter().filter(|(down, _)| is_ground(down)) {
        for &first in first {
            let mut pile = vec![bottom.to_owned(), first.to_owned()];
            let mut at = first;
            while let Some([next]) = above.get(at).map(Vec::as_slice) {
                pile.push((*next).to_owned());
                at = next;
                if pile.len() > pairs.len() + 1 {
                    return None;
                }
            }
            piles.push(pile);
        }
    }
    let shown: usize = piles.iter().map(|pile| pile.len() - 1).sum();
    (shown == pairs.len() && ups.len() == pairs.len()).then_some(piles)
}

/// What a text is sorted by: numbers by their value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// A number.
    Number(i64),
    /// Another word, folded.
    Text(String),
}

/// The words of a term in the order by which terms are listed: numbers by value, `c2` before `c10`.
pub fn order(text: &str) -> Vec<Part> {
    let words = text.split(['(', ')', ' ']).filter(|word| !word.is_empty());
    words
        .flat_map(|word| match word.parse() {
            Ok(number) => vec![Part::Number(number)],
            Err(_) => {
                let stem = word.trim_end_matches(|c: char| c.is_ascii_digit());
                let number = word[stem.len()..].parse().ok().map(Part::Number);
                [Some(Part::Text(stem.to_lowercase())), number].into_iter().flatten().collect()
            }
        })
        .collect()
}
