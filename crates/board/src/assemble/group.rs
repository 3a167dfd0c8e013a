//! Which families share a board.

use std::collections::BTreeSet;

use super::Shaped;
use crate::axis::Axis;
use crate::layout::{How, Side};
use crate::piece::is_chess_piece;
use crate::shape::Shape;
use crate::table::Table;
use crate::words::name_parts;

/// Families on the same board. The first is the one that the board is made for.
pub(super) struct Group<'game> {
    pub(super) parts: Vec<(&'game Shaped<'game>, Part)>,
}

/// What a family is to its board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    On(How),
    Hidden,
}

/// A family that is on a grid.
struct Candidate<'game> {
    shaped: &'game Shaped<'game>,
    axes: [&'game Axis; 2],
    layers: usize,
    contents: BTreeSet<String>,
    walls: Option<How>,
}

impl<'game> Candidate<'game> {
    fn of(shaped: &'game Shaped<'game>) -> Option<Self> {
        let Shape::Grid { at, layers, contents } = &shaped.shape else { return None };
        let table = shaped.table;
        let axes = [table.axes[at[0]].as_ref()?, table.axes[at[1]].as_ref()?];
        let words = contents.iter().flat_map(|&column| table.columns[column].keys().cloned()).collect();
        Some(Candidate { shaped, axes, layers: layers.len(), contents: words, walls: walls(table, contents) })
    }

    fn table(&self) -> &'game Table {
        self.shaped.table
    }

    fn cells(&self) -> usize {
        self.axes[0].len() * self.axes[1].len()
    }

    /// Whether something is said of every cell at first.
    fn is_full(&self) -> bool {
        self.table().init.len() * 10 >= self.cells() * 9
    }

    /// Whether each content is in one place at first, as pieces that move are.
    fn has_entities(&self) -> bool {
        let Shape::Grid { contents, .. } = &self.shaped.shape else { return false };
        !contents.is_empty() && self.table().is_key_at_first(contents)
    }

    /// Whether the contents are numbers of a long row, which people read in a list.
    fn has_numbers(&self) -> bool {
        let Shape::Grid { contents, .. } = &self.shaped.shape else { return false };
        let is_long = |&column: &usize| self.table().columns[column].len() > 12;
        contents.iter().any(|column| self.table().axes[*column].is_some() && is_long(column))
    }

    /// Whether it never changes.
    fn is_static(&self) -> bool {
        let table = self.table();
        table.rows.as_ref().is_some_and(|rows| rows.len() == table.init.len())
    }

    fn shares_axes(&self, other: &Candidate<'_>) -> bool {
        let within = |a: &Candidate<'_>, b: &Candidate<'_>| {
            a.axes[0].is_within(b.axes[0]) && a.axes[1].is_within(b.axes[1])
        };
        self.layers == 0 && other.layers == 0 && (within(self, other) || within(other, self))
    }

    /// What makes it the family that a board is made for.
    fn rank(&self) -> (bool, bool, bool, usize) {
        let has_contents = !self.contents.is_empty();
        (
            has_contents && self.walls.is_none(),
            !self.has_numbers(),
            self.walls.is_none(),
            self.table().init.len(),
        )
    }
}

/// The groups of families, each for one kind of board.
pub(super) fn groups<'game>(shaped: &'game [Shaped<'game>]) -> Vec<Group<'game>> {
    let mut left: Vec<Candidate<'game>> = shaped.iter().filter_map(Candidate::of).collect();
    let mut groups = Vec::new();
    while !left.is_empty() {
        // The best of those with the best rank; of equals, the first in the rules.
        let main = (0..left.len()).rev().max_by_key(|&n| left[n].rank()).unwrap_or(0);
        let main = left.remove(main);
        // A pair of coordinates that holds once is a place on another board.
        let is_lone = main.contents.is_empty() && main.table().init.len() == 1 && !groups.is_empty();
        let is_board = main.walls.is_none() && main.cells() <= 2700 && !is_lone;
        if !is_board {
            continue;
        }
        let (near, others): (Vec<_>, Vec<_>) = left.into_iter().partition(|other| main.shares_axes(other));
        left = others;
        let mut group = Group { parts: vec![(main.shaped, Part::On(How::Contents))] };
        for other in near {
            match part(&main, &other) {
                Verdict::Part(part) => group.parts.push((other.shaped, part)),
                Verdict::OwnBoard => left.push(other),
                Verdict::Neither => {}
            }
        }
        groups.push(group);
    }
    // Boards in the order in which the rules name them.
    groups.sort_by_key(|group| shaped.iter().position(|other| std::ptr::eq(other, group.parts[0].0)));
    groups
}

enum Verdict {
    Part(Part),
    OwnBoard,
    Neither,
}

/// What a family is to the board of another one.
fn part(main: &Candidate<'_>, other: &Candidate<'_>) -> Verdict {
    if let Some(wall) = other.walls {
        return Verdict::Part(Part::On(wall));
    }
    if other.shaped.meanings.is_some() {
        return Verdict::OwnBoard;
    }
    if other.contents.is_empty() {
        return mark(main, other);
    }
    if other.contents == main.contents && (main.has_entities() || !other.has_entities()) {
        return Verdict::OwnBoard;
    }
    let is_disjoint = other.contents.is_disjoint(&main.contents);
    if !other.has_numbers() && (other.has_entities() || (is_disjoint && !main.is_full())) {
        return Verdict::Part(Part::On(How::Contents));
    }
    if other.is_full() { Verdict::OwnBoard } else { Verdict::Neither }
}

/// What a family that only names cells is to a board.
fn mark(main: &Candidate<'_>, other: &Candidate<'_>) -> Verdict {
    let parts = name_parts(&other.table().name);
    let is = |words: &[&str]| parts.iter().any(|part| words.contains(&part.as_str()));
    let blocks =
        ["hole", "wall", "limits", "offlimits", "blocked", "block", "obstacle", "arrow", "burnt", "burned"];
    match () {
        () if is(&blocks) => Verdict::Part(Part::On(How::Contents)),
        () if is(&["empty", "blank", "free", "cell", "square"]) => Verdict::Part(Part::Hidden),
        () if main.contents.is_empty() => Verdict::Part(Part::On(How::Contents)),
        () if is_chess_piece(&other.table().name) => Verdict::Part(Part::On(How::Contents)),
        () if other.is_static() => Verdict::Neither,
        () => Verdict::Part(Part::On(How::Highlight)),
    }
}

/// Whether a family speaks of walls: its name or all its contents are directions.
fn walls(table: &Table, contents: &[usize]) -> Option<How> {
    match contents {
        [] => {
            let side = name_parts(&table.name).iter().find_map(|part| side_named(part))?;
            Some(How::Wall(Some(side)))
        }
        [column] => {
            let values = &table.columns[*column];
            let is_wall =
                name_parts(&table.name).iter().any(|part| part.contains("wall") || part.contains("block"));
            let all = values.keys().all(|value| side_named(value).is_some());
            (is_wall && all && !values.is_empty()).then_some(How::Wall(None))
        }
        _ => None,
    }
}

/// The side of a cell that a word names.
pub(crate) fn side_named(word: &str) -> Option<Side> {
    Some(match word {
        "north" | "top" => Side::North,
        "south" | "bottom" => Side::South,
        "east" => Side::East,
        "west" => Side::West,
        _ => return None,
    })
}
