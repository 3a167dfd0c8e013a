//! Lays out moves in rows and columns by their words: `(play 1 2 3 4)` may stand in the row of `play 1 2` and the column of
//! `3 4`. A good layout has few rows and columns, and conditions that many rows share.

use rustc_hash::FxHashMap;

use super::conditions::{Atom, Conditions, common, without};
use crate::index::index32;

/// Candidates in rows and columns.
pub(super) struct Layout {
    pub(super) rows: Vec<Row>,
    /// How many columns there are.
    pub(super) columns: usize,
    /// What has to hold in a column: the column, and the atoms besides those of the row.
    pub(super) items: Vec<(u32, Vec<Atom>)>,
}

/// Candidates that have their first factor in common.
pub(super) struct Row {
    /// The words of that factor.
    pub(super) words: Vec<u32>,
    /// The candidates, each with its item.
    pub(super) members: Vec<(usize, u32)>,
    /// What all of them need.
    pub(super) condition: Vec<Atom>,
}

impl Row {
    /// Whether there is nothing left to choose once the row is found.
    pub(super) fn is_single(&self) -> bool {
        self.members.len() == 1
    }
}

/// Which words make the row.
#[derive(Clone, Copy)]
struct Split {
    /// How many arguments, besides the name.
    arguments: usize,
    /// Whether they are the last ones.
    from_behind: bool,
}

impl Split {
    /// The words of the row and of the column; none where there are too few.
    fn of(self, words: &[u32]) -> Option<(Vec<u32>, &[u32])> {
        let (&name, arguments) = words.split_first()?;
        if arguments.len() <= self.arguments {
            return None;
        }
        let at = if self.from_behind { arguments.len() - self.arguments } else { self.arguments };
        let (front, back) = arguments.split_at(at);
        let (row, column) = if self.from_behind { (back, front) } else { (front, back) };
        Some(([name].into_iter().chain(row.iter().copied()).collect(), column))
    }
}

/// The most arguments that are looked at.
const MOST_ARGUMENTS: usize = 8;

impl Layout {
    /// The cheapest layout of candidates, given by their words; none if they have too few arguments.
    pub(super) fn of(words: &[&[u32]], conditions: &Conditions) -> Option<Layout> {
        let arguments = words.iter().map(|words| words.len().saturating_sub(1)).max().unwrap_or(0);
        let splits = (1..arguments.min(MOST_ARGUMENTS))
            .flat_map(|arguments| [false, true].map(|from_behind| Split { arguments, from_behind }));
        let layouts = splits.map(|split| Layout::by(split, words, conditions));
        layouts.min_by_key(Layout::cost)
    }

    fn by(split: Split, words: &[&[u32]], conditions: &Conditions) -> Layout {
        let mut rows: Vec<Row> = Vec::new();
        let mut places: FxHashMap<Vec<u32>, usize> = FxHashMap::default();
        let mut columns: FxHashMap<&[u32], u32> = FxHashMap::default();
        for (candidate, words) in words.iter().enumerate() {
            let (row, column) = match split.of(words) {
                Some((row, column)) => {
                    let next = index32(columns.len());
                    (row, *columns.entry(column).or_insert(next))
                }
                // A row of its own, whose column does not matter; no other row ends like this.
                None => (words.iter().copied().chain([u32::MAX]).collect(), 0),
            };
            let place = *places.entry(row).or_insert_with_key(|row| {
                rows.push(Row { words: row.clone(), members: Vec::new(), condition: Vec::new() });
                rows.len() - 1
            });
            rows[place].members.push((candidate, column));
        }
        let mut layout = Layout { rows, columns: columns.len(), items: Vec::new() };
        layout.find_items(conditions);
        layout
    }

    /// Finds what the candidates of each row need in common, and what each needs besides.
    fn find_items(&mut self, conditions: &Conditions) {
        let mut items: FxHashMap<(u32, Vec<Atom>), u32> = FxHashMap::default();
        for row in &mut self.rows {
            row.condition.clone_from(&conditions.of[row.members[0].0]);
            for (candidate, _) in &row.members[1..] {
                row.condition = common(&row.condition, &conditions.of[*candidate]);
            }
            for (candidate, column) in &mut row.members {
                let rest = without(&conditions.of[*candidate], &row.condition);
                let next = index32(items.len());
                *column = *items.entry((*column, rest)).or_insert_with_key(|item| {
                    self.items.push(item.clone());
                    next
                });
            }
        }
    }

    /// About how many gates choosing takes.
    fn cost(&self) -> usize {
        let rows = self.rows.iter().map(|row| if row.is_single() { 8 } else { 30 });
        let items = self.items.iter().map(|(_, rest)| if rest.is_empty() { 1 } else { 8 });
        rows.sum::<usize>() + items.sum::<usize>() + 12 * self.columns
    }
}
