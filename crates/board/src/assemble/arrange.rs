//! Several boards of one kind: how they lie among each other. Two arguments that name boards are their columns and rows. One argument
//! alone makes a row of boards, unless a relation of the rules says where the cells of each board lie on a larger one.

use std::collections::{BTreeMap, BTreeSet};

use crate::axis::{Axis, Values};
use crate::layout::Turned;
use crate::rules::Rules;
use crate::table::Table;

/// A board among those of its kind.
pub(super) struct Layer {
    /// The folded arguments that name it, and how they are spelt.
    pub(super) key: String,
    pub(super) label: String,
    /// Its column and row among the boards.
    pub(super) part: [usize; 2],
}

impl Layer {
    /// Boards are drawn by rows.
    fn order(&self) -> (usize, usize) {
        (self.part[1], self.part[0])
    }
}

/// The boards of a family with layers.
pub(super) fn layers(
    rules: &Rules,
    table: &Table,
    at: [usize; 2],
    layers: &[usize],
    axes: &[Axis; 2],
    turned: Turned,
) -> Vec<Layer> {
    let mut named = named(table, layers, turned);
    if let &[layer] = layers {
        let cells = Cells { names: values(table, layer).into_iter().map(|(key, _)| key).collect(), axes };
        let order_agrees = layer < at[0];
        if let Some(corners) =
            rules.placings.iter().filter(|_| order_agrees).find_map(|rows| cells.corners(rows))
        {
            arrange(&mut named, &corners, turned);
        }
    }
    named
}

fn values(table: &Table, layer: usize) -> Vec<(String, String)> {
    match &table.axes[layer] {
        Some(axis) => axis.labels.iter().map(|label| (label.to_lowercase(), label.clone())).collect(),
        None => table.columns[layer].iter().map(|(key, label)| (key.clone(), label.clone())).collect(),
    }
}

/// The boards of a family with layers: key, name and place among them.
fn named(table: &Table, layers: &[usize], turned: Turned) -> Vec<Layer> {
    let values = |layer: usize| values(table, layer);
    match layers {
        [] => Vec::new(),
        &[layer] => {
            let values = values(layer).into_iter().enumerate();
            values.map(|(n, (key, label))| Layer { key, label, part: [n, 0] }).collect()
        }
        &[first, second, ..] => {
            let (first, second) = (values(first), values(second));
            let mut names = Vec::new();
            for (i, (key_i, label_i)) in first.iter().enumerate() {
                for (j, (key_j, label_j)) in second.iter().enumerate() {
                    let (x, y) = if turned.swapped { (j, i) } else { (i, j) };
                    let high = if turned.swapped { first.len() } else { second.len() };
                    let y = if turned.down { y } else { high - 1 - y };
                    let (key, label) = (format!("{key_i} {key_j}"), format!("{label_i} {label_j}"));
                    names.push(Layer { key, label, part: [x, y] });
                }
            }
            names.sort_by_key(Layer::order);
            names
        }
    }
}

/// The boards of a kind, and their coordinates.
struct Cells<'game> {
    names: BTreeSet<String>,
    axes: &'game [Axis; 2],
}

impl Cells<'_> {
    /// Where the first cell of each board lies on the larger board, if these rows (board, cell, cell of the larger board) say so: every
    /// cell of every board has one place, no two have the same, and boards are not turned.
    fn corners(&self, rows: &[Vec<String>]) -> Option<BTreeMap<String, [usize; 2]>> {
        let larger = [3, 4].map(|column| {
            let values: Values = rows.iter().map(|row| (row[column].clone(), row[column].clone())).collect();
            Axis::of(&values, &[])
        });
        let [Some(wide), Some(high)] = &larger else { return None };
        let mut corners: BTreeMap<String, [usize; 2]> = BTreeMap::new();
        let (mut cells, mut places) = (BTreeSet::new(), BTreeSet::new());
        for row in rows {
            let own = [self.axes[0].place(&row[1])?, self.axes[1].place(&row[2])?];
            let place = [wide.place(&row[3])?, high.place(&row[4])?];
            let corner = [place[0].checked_sub(own[0])?, place[1].checked_sub(own[1])?];
            let is_new = cells.insert((&row[0], own)) && places.insert(place);
            let is_straight = *corners.entry(row[0].clone()).or_insert(corner) == corner;
            if !is_new || !is_straight || !self.names.contains(&row[0]) {
                return None;
            }
        }
        let all = self.names.len() * self.axes[0].len() * self.axes[1].len();
        (cells.len() == all).then_some(corners)
    }
}

/// Lays boards out as they lie on a larger one.
fn arrange(layers: &mut [Layer], corners: &BTreeMap<String, [usize; 2]>, turned: Turned) {
    let along = |n: usize| -> Vec<usize> {
        corners.values().map(|corner| corner[n]).collect::<BTreeSet<_>>().into_iter().collect()
    };
    let places = [along(0), along(1)];
    for layer in layers.iter_mut() {
        let Some(corner) = corners.get(&layer.key) else { continue };
        let [first, second] = [0, 1].map(|n| places[n].partition_point(|&place| place < corner[n]));
        let ((x, y), high) = match turned.swapped {
            true => ((second, first), places[0].len()),
            false => ((first, second), places[1].len()),
        };
        layer.part = [x, if turned.down { y } else { high - 1 - y }];
    }
    layers.sort_by_key(Layer::order);
}
