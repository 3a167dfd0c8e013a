//! Chooses a move factor by factor: `(play 1 2 3 4)` by drawing `play 1 2` first and `3 4` then, each move with exactly the
//! same chances.
//!
//! `layout` puts moves into rows and columns by their words. `conditions` finds what all moves of a row need in common and
//! what a column needs besides; most of that many rows share, as the same line of empty squares may begin or go on in
//! many moves. What the same rows need is a *block*, whose legal columns are counted once. The count of a row is the sum of its
//! blocks', where its own condition holds (`sums`). Rows that exclude each other are a *unit*: their counts are not added but laid over each other.
//!
//! A random number below the number of all legal moves finds the unit ([`Levels`]), the conditions of its rows find the row.
//! The columns of its blocks are laid over each other, and one small tree selects one. So most gates are those of rows, of
//! blocks and of columns, not of moves. Nor has a move a gate that says that it is made: what asks whether one of some moves is
//! made is answered by rows and columns (`chosen`).

mod chosen;
mod classes;
mod conditions;
mod layout;
mod sums;

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::exclusive::exclusive_sets;
use super::graph::{Graph, Literal};
use super::levels::{Count, Levels};
use super::rank::{Tree, width};
use crate::index::index32;
use classes::Classes;
use conditions::{Conditions, Conjunctions, common, without};
use layout::Layout;
use sums::{added, constant, gated, only, shared_sums, total};

pub(super) use chosen::Chosen;

/// Fewer candidates than this are no gain.
const FEWEST: usize = 96;
/// The most rows with which a row is compared.
const MOST_COMPARED: usize = 400;

/// Candidates in rows and columns, counted.
pub(super) struct Factors {
    table: Rc<Table>,
    levels: Levels,
}

/// Rows, and what they share.
struct Table {
    rows: Vec<Row>,
    units: Vec<Vec<usize>>,
    blocks: Vec<Block>,
    /// For each column the rows whose candidates there are legal wherever the row's condition holds.
    always: Vec<Vec<usize>>,
    /// For each column all rows that have a candidate there.
    columns: Vec<Vec<usize>>,
    /// The row and column of each candidate.
    places: Vec<(usize, usize)>,
}

struct Row {
    words: Vec<u32>,
    /// How many candidates it has.
    len: usize,
    /// Where it may be found: all its candidates need it.
    condition: Literal,
    unit: usize,
}

impl Row {
    /// Whether there is no column to be chosen.
    fn is_single(&self) -> bool {
        self.len == 1
    }
}

/// Items that the same rows have.
struct Block {
    rows: Vec<usize>,
    /// Columns, and where they are legal if one of the rows is found.
    items: Vec<(usize, Literal)>,
    /// The items, by their places, in chains: each needs all that the one before it needs, as squares along a line do.
    chains: Vec<Vec<usize>>,
}

impl Factors {
    /// Candidates that are legal where these literals hold, by their words; none if there is nothing to be gained.
    pub(super) fn over(graph: &mut Graph, legal: &[Literal], words: &[&[u32]]) -> Option<Factors> {
        if legal.len() < FEWEST {
            return None;
        }
        let conditions = Conditions::of(graph, legal)?;
        let layout = Layout::of(words, &conditions)?;
        if layout.rows.iter().all(layout::Row::is_single) {
            return None;
        }
        let (table, counts) = Building::new(graph, legal, &conditions, &layout).run();
        let levels = Levels::over(graph, counts);
        Some(Factors { table: Rc::new(table), levels })
    }

    /// How many candidates are legal.
    pub(super) fn count(&self) -> &[Literal] {
        self.levels.count()
    }

    /// The most that can be.
    pub(super) fn most(&self) -> usize {
        self.levels.most()
    }

    /// Where `enabled` holds, chooses the one candidate that has this rank among those that are legal.
    pub(super) fn select(&self, graph: &mut Graph, enabled: Literal, rank: &[Literal]) -> Chosen {
        let (found, rank) = self.levels.descend(graph, enabled, rank);
        let table = &self.table;
        let mut chosen = Chosen::new(Rc::clone(table), graph, found);
        let mut legal = vec![Vec::new(); table.columns.len()];
        for block in &table.blocks {
            let found = chosen.any_row(graph, &block.rows);
            for &(column, literal) in &block.items {
                legal[column].push(graph.and(found, literal));
            }
        }
        for (legal, rows) in legal.iter_mut().zip(&table.always) {
            legal.push(chosen.any_row(graph, rows));
        }
        let legal: Vec<Literal> = legal.iter().map(|legal| graph.or_all(legal)).collect();
        let in_columns: Vec<usize> =
            (0..table.rows.len()).filter(|&row| !table.rows[row].is_single()).collect();
        let enabled = chosen.any_row(graph, &in_columns);
        let tree = Tree::over(graph, &legal);
        let bits = rank.len().min(width(legal.len() - 1));
        let mut columns = vec![Literal::FALSE; legal.len()];
        tree.descend(graph, enabled, &rank[..bits], &mut columns);
        chosen.columns = columns;
        chosen
    }
}

/// A table under construction.
struct Building<'b> {
    graph: &'b mut Graph,
    legal: &'b [Literal],
    layout: &'b Layout,
    written: Conjunctions<'b>,
    /// For each row the literals of its condition.
    needs: Vec<Vec<Literal>>,
    blocks: Vec<Block>,
    /// For each row its blocks, ascending, and how many of its candidates are always legal.
    row_blocks: Vec<Vec<u32>>,
    always: Vec<usize>,
}

impl<'b> Building<'b> {
    fn new(
        graph: &'b mut Graph,
        legal: &'b [Literal],
        conditions: &'b Conditions,
        layout: &'b Layout,
    ) -> Self {
        let rows = || layout.rows.iter().filter(|row| !row.is_single());
        let rests =
            rows().flat_map(|row| &row.members).map(|&(_, item)| layout.items[item as usize].1.as_slice());
        let sets = rows().map(|row| row.condition.as_slice()).chain(rests);
        let written = Conjunctions::write(graph, conditions, sets);
        let needs = |row: &layout::Row| conditions.literals(&row.condition);
        let needs = layout.rows.iter().map(needs).collect();
        let (blocks, row_blocks) = blocks(layout, &written);
        let is_always = |&&(_, item): &&(usize, u32)| layout.items[item as usize].1.is_empty();
        let always = layout.rows.iter().map(|row| row.members.iter().filter(is_always).count()).collect();
        Building { graph, legal, layout, written, needs, blocks, row_blocks, always }
    }

    /// The table, and the count of each unit.
    fn run(mut self) -> (Table, Vec<Count>) {
        let mut rows: Vec<Row> = self.layout.rows.iter().map(|row| self.row(row)).collect();
        let units = self.units(&rows);
        let counts = self.counts(&rows, &units);
        let mut counted: Vec<(Vec<usize>, Count)> = units.into_iter().zip(counts).collect();
        // Numbers of the same size are added with the fewest gates.
        counted.sort_by_key(|(_, count)| count.most);
        let (units, counts): (Vec<Vec<usize>>, Vec<Count>) = counted.into_iter().unzip();
        for (number, unit) in units.iter().enumerate() {
            unit.iter().for_each(|&row| rows[row].unit = number);
        }
        let mut columns = vec![Vec::new(); self.layout.columns];
        let mut always = vec![Vec::new(); self.layout.columns];
        let mut places = vec![(0, 0); self.legal.len()];
        for (number, row) in self.layout.rows.iter().enumerate() {
            for &(candidate, item) in &row.members {
                let (column, rest) = &self.layout.items[item as usize];
                let column = *column as usize;
                places[candidate] = (number, column);
                if !row.is_single() {
                    columns[column].push(number);
                    if rest.is_empty() {
                        always[column].push(number);
                    }
                }
            }
        }
        (Table { rows, units, blocks: self.blocks, always, columns, places }, counts)
    }

    fn row(&self, row: &layout::Row) -> Row {
        let condition = match row.members[..] {
            [(only, _)] => self.legal[only],
            _ => self.written.get(&row.condition),
        };
        Row { words: row.words.clone(), len: row.members.len(), condition, unit: 0 }
    }

    /// Puts rows together of which at most one can be found: those without columns where they exclude each other, others where
    /// they also have most blocks in common.
    fn units(&self, rows: &[Row]) -> Vec<Vec<usize>> {
        let single: Vec<usize> = (0..rows.len()).filter(|&row| rows[row].is_single()).collect();
        let conditions: Vec<Literal> = rows.iter().map(|row| row.condition).collect();
        let mut units = exclusive_sets(self.graph, &conditions, &single);
        let mut having = vec![Vec::new(); self.blocks.len()];
        for (row, blocks) in self.row_blocks.iter().enumerate() {
            blocks.iter().for_each(|&block| having[block as usize].push(row));
        }
        let mut is_taken: Vec<bool> = rows.iter().map(Row::is_single).collect();
        for first in 0..rows.len() {
            if std::mem::replace(&mut is_taken[first], true) {
                continue;
            }
            let mut unit = vec![first];
            let mut shared = self.row_blocks[first].clone();
            for other in self.similar(first, &having) {
                let rest = common(&shared, &self.row_blocks[other]);
                let most = self.row_blocks[first].len().max(self.row_blocks[other].len());
                if !is_taken[other]
                    && 2 * rest.len() > most
                    && unit.iter().all(|&member| contradict(&self.needs[member], &self.needs[other]))
                {
                    is_taken[other] = true;
                    unit.push(other);
                    shared = rest;
                }
            }
            units.push(unit);
        }
        units
    }

    /// Later rows with blocks in common, those with the most first.
    fn similar(&self, row: usize, having: &[Vec<usize>]) -> Vec<usize> {
        let mut shared: FxHashMap<usize, usize> = FxHashMap::default();
        for &block in &self.row_blocks[row] {
            let later = having[block as usize].iter().filter(|&&other| other > row).take(MOST_COMPARED);
            later.for_each(|&other| *shared.entry(other).or_default() += 1);
        }
        let mut similar: Vec<(usize, usize)> = shared.into_iter().collect();
        similar.sort_unstable_by_key(|&(other, count)| (std::cmp::Reverse(count), other));
        similar.into_iter().map(|(other, _)| other).take(MOST_COMPARED).collect()
    }

    /// The count of each unit.
    fn counts(&mut self, rows: &[Row], units: &[Vec<usize>]) -> Vec<Count> {
        let graph = &mut *self.graph;
        let counts: Vec<Count> = self.blocks.iter().map(|block| block.count(graph)).collect();
        let mut lists = Vec::new();
        for unit in units {
            let mut shared = self.row_blocks[unit[0]].clone();
            for &row in &unit[1..] {
                shared = common(&shared, &self.row_blocks[row]);
            }
            lists.extend(unit.iter().map(|&row| without(&self.row_blocks[row], &shared)));
            lists.push(shared);
        }
        let mut sums = shared_sums(graph, counts, lists).into_iter();
        let mut counts = Vec::new();
        for unit in units {
            let own: Vec<Count> = sums.by_ref().take(unit.len()).collect();
            let shared = sums.next().expect("a sum for each list");
            counts.push(self.count(rows, unit, &own, &shared));
        }
        counts
    }

    /// The count of a unit, of which some is its rows' own and some they share.
    fn count(&mut self, rows: &[Row], unit: &[usize], own: &[Count], shared: &Count) -> Count {
        let graph = &mut *self.graph;
        let conditions: Vec<Literal> = unit.iter().map(|&row| rows[row].condition).collect();
        let any = graph.or_all(&conditions);
        let always: Vec<usize> = unit.iter().map(|&row| self.always[row]).collect();
        let are_alike = own.iter().all(|own| own.most == 0) && always.iter().all(|&it| it == always[0]);
        if are_alike {
            let all = added(graph, shared, &constant(always[0]));
            return gated(graph, any, &all);
        }
        let mut numbers = Vec::new();
        for ((&condition, own), &always) in conditions.iter().zip(own).zip(&always) {
            let own = added(graph, own, &constant(always));
            numbers.push(gated(graph, condition, &own));
        }
        let own = only(graph, &numbers);
        let shared = gated(graph, any, shared);
        added(graph, &shared, &own)
    }
}

impl Block {
    /// How many items are legal. In a chain the first ones are, so each bit of their number is the parity of every second,
    /// fourth, … item.
    fn count(&self, graph: &mut Graph) -> Count {
        let mut counts = Vec::new();
        let mut others = Vec::new();
        for chain in &self.chains {
            let legal: Vec<Literal> = chain.iter().map(|&place| self.items[place].1).collect();
            if legal.len() < 3 {
                others.extend(legal);
                continue;
            }
            let bit = |graph: &mut Graph, bit: usize| {
                let step = legal.iter().skip((1 << bit) - 1).step_by(1 << bit);
                step.fold(Literal::FALSE, |parity, &literal| graph.xor(parity, literal))
            };
            let bits = (0..width(legal.len())).map(|place| bit(graph, place)).collect();
            counts.push(Count { bits, most: legal.len() });
        }
        counts.push(Count { bits: Tree::over(graph, &others).count, most: others.len() });
        total(graph, counts)
    }
}

/// The most chains that an item is compared with.
const MOST_CHAINS: usize = 16;

/// Puts sets, which come with the small ones first, into chains in which each contains the one before it.
fn chains(sets: &[&[u32]]) -> Vec<Vec<usize>> {
    let mut chains: Vec<Vec<usize>> = Vec::new();
    for (place, set) in sets.iter().enumerate() {
        let contains = |chain: &&mut Vec<usize>| {
            let last = chain.last().map_or(&[][..], |&last| sets[last]);
            last.iter().all(|atom| set.binary_search(atom).is_ok())
        };
        match chains.iter_mut().rev().take(MOST_CHAINS).find(contains) {
            Some(chain) => chain.push(place),
            None => chains.push(vec![place]),
        }
    }
    chains
}

/// The blocks, and each row's.
fn blocks(layout: &Layout, written: &Conjunctions<'_>) -> (Vec<Block>, Vec<Vec<u32>>) {
    let of_row = |row: &layout::Row| {
        let items = row.members.iter().map(|&(_, item)| item);
        let mut items: Vec<u32> = items.filter(|&item| !layout.items[item as usize].1.is_empty()).collect();
        items.sort_unstable();
        if row.is_single() { Vec::new() } else { items }
    };
    let items: Vec<Vec<u32>> = layout.rows.iter().map(of_row).collect();
    let classes = Classes::refined(layout.items.len(), items.iter().map(Vec::as_slice));
    let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
    let mut blocks: Vec<Block> = Vec::new();
    let mut row_blocks = Vec::new();
    for (row, items) in items.iter().enumerate() {
        let mut own = Vec::new();
        for item in items {
            let class = classes.of[*item as usize];
            own.push(*numbers.entry(class).or_insert_with(|| {
                let mut members = classes.members[class as usize].clone();
                let rest = |item: u32| layout.items[item as usize].1.as_slice();
                members.sort_by_key(|&item| rest(item).len());
                let item = |&item: &u32| (layout.items[item as usize].0 as usize, written.get(rest(item)));
                let items = members.iter().map(item).collect();
                let chains = chains(&members.iter().map(|&item| rest(item)).collect::<Vec<_>>());
                blocks.push(Block { rows: Vec::new(), items, chains });
                index32(blocks.len() - 1)
            }));
        }
        own.sort_unstable();
        own.dedup();
        own.iter().for_each(|&block| blocks[block as usize].rows.push(row));
        row_blocks.push(own);
    }
    (blocks, row_blocks)
}

/// Whether one needs the opposite of what the other needs; both ascending.
fn contradict(one: &[Literal], other: &[Literal]) -> bool {
    one.iter().any(|&literal| other.binary_search(&!literal).is_ok())
}

#[cfg(test)]
mod tests;
