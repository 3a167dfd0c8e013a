//! The move that was chosen factor by factor: in which lanes each row and each column is. Whether one of some moves is made is
//! answered by whole rows and columns where that is possible.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::graph::{Graph, Literal};
use super::Table;

/// With more rows than this, none are added to those that are asked about.
const MOST_WIDENED: usize = 1000;

/// What was chosen.
pub(in super::super) struct Chosen {
    table: Rc<Table>,
    /// The lanes in which each unit and each row was found.
    units: Vec<Literal>,
    rows: Vec<Literal>,
    /// The lanes in which each column was chosen.
    pub(super) columns: Vec<Literal>,
    /// Whether one of some rows was found, as far as that was asked.
    known: RefCell<FxHashMap<Vec<usize>, Literal>>,
}

impl Chosen {
    pub(super) fn new(table: Rc<Table>, graph: &mut Graph, units: Vec<Literal>) -> Self {
        let found = |row: &super::Row| match table.units[row.unit][..] {
            [_] => units[row.unit],
            _ => graph.and(units[row.unit], row.condition),
        };
        let rows = table.rows.iter().map(found).collect();
        Chosen { rows, units, columns: Vec::new(), known: RefCell::default(), table }
    }

    /// The lanes in which one of some rows, ascending, was found.
    pub(super) fn any_row(&self, graph: &mut Graph, rows: &[usize]) -> Literal {
        if let Some(&known) = self.known.borrow().get(rows) {
            return known;
        }
        let mut units: FxHashMap<usize, usize> = FxHashMap::default();
        for &row in rows {
            *units.entry(self.table.rows[row].unit).or_default() += 1;
        }
        let mut terms = Vec::new();
        for &row in rows {
            let unit = self.table.rows[row].unit;
            let is_whole = units[&unit] == self.table.units[unit].len();
            terms.push(if is_whole { self.units[unit] } else { self.rows[row] });
        }
        let any = graph.or_all(&terms);
        self.known.borrow_mut().insert(rows.to_vec(), any);
        any
    }

    /// The lanes in which a candidate was chosen.
    pub(in super::super) fn one(&self, graph: &mut Graph, candidate: usize) -> Literal {
        let (row, column) = self.table.places[candidate];
        if self.table.rows[row].is_single() {
            return self.rows[row];
        }
        graph.and(self.rows[row], self.columns[column])
    }

    /// The lanes in which one of some candidates was chosen; each is named once.
    pub(in super::super) fn any(&self, graph: &mut Graph, candidates: &[usize]) -> Literal {
        let mut by_row: FxHashMap<usize, usize> = FxHashMap::default();
        let mut by_column: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for &candidate in candidates {
            let (row, column) = self.table.places[candidate];
            *by_row.entry(row).or_default() += 1;
            if !self.table.rows[row].is_single() {
                by_column.entry(column).or_default().push(row);
            }
        }
        let is_whole_row = |row: usize| by_row[&row] == self.table.rows[row].len;
        let is_whole_column = |column: usize| {
            by_column.get(&column).is_some_and(|rows| rows.len() == self.table.columns[column].len())
        };
        let mut all: Vec<usize> = by_row.keys().copied().collect();
        all.sort_unstable();
        let in_rows = all.iter().all(|&row| is_whole_row(row));
        let in_columns = by_column.keys().all(|&column| is_whole_column(column));
        if in_rows && !(in_columns && by_column.len() < by_row.len()) {
            return self.any_row(graph, &all);
        }
        // Whole columns, whole rows of what is left, and parts of columns.
        let mut rows: Vec<usize> = all.into_iter().filter(|&row| self.table.rows[row].is_single()).collect();
        let mut terms = Vec::new();
        let mut columns: Vec<(usize, Vec<usize>)> = by_column.clone().into_iter().collect();
        columns.sort_unstable();
        for (column, mut found) in columns {
            if is_whole_column(column) {
                terms.push(self.columns[column]);
                continue;
            }
            rows.extend(found.iter().copied().filter(|&row| is_whole_row(row)));
            found.retain(|&row| !is_whole_row(row));
            if !found.is_empty() {
                found.sort_unstable();
                let found = self.any_row(graph, &self.wider(column, &found));
                terms.push(graph.and(found, self.columns[column]));
            }
        }
        rows.sort_unstable();
        rows.dedup();
        terms.push(self.any_row(graph, &rows));
        graph.or_all(&terms)
    }

    /// More rows than these, and none that has a candidate in a column besides these: if possible all with some word, since
    /// what is asked about one column may be asked about others.
    fn wider(&self, column: usize, rows: &[usize]) -> Vec<usize> {
        let table = &*self.table;
        if table.rows.len() > MOST_WIDENED {
            return rows.to_vec();
        }
        let words = |row: usize, place: usize| table.rows[row].words.get(place).copied();
        let shortest = rows.iter().map(|&row| table.rows[row].words.len()).min().unwrap_or(0);
        let mut best: Option<(usize, Vec<usize>)> = None;
        for place in 0..shortest {
            let wanted: FxHashSet<Option<u32>> = rows.iter().map(|&row| words(row, place)).collect();
            let may = |row: usize| rows.binary_search(&row).is_ok() || !wanted.contains(&words(row, place));
            if best.as_ref().is_none_or(|(count, _)| wanted.len() < *count)
                && table.columns[column].iter().all(|&row| may(row))
            {
                let is_meant =
                    |&row: &usize| !table.rows[row].is_single() && wanted.contains(&words(row, place));
                best = Some((wanted.len(), (0..table.rows.len()).filter(is_meant).collect()));
            }
        }
        match best {
            Some((count, wider)) if count < rows.len() => wider,
            _ => rows.to_vec(),
        }
    }
}
