//! Sides of boxes that are terms, as in `(drawn (across 1 2))` and `(blank (down 2 1))`: two functors, of which one numbers the sides
//! that lie flat and the other those that stand. They are drawn between dots.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::build::Builder;
use crate::axis::{Axis, Values};
use crate::layout::Use;
use crate::picture::Line;
use crate::table::Table;
use crate::words::{Words, fold, name_parts};

/// All the sides of the boxes of a board.
struct Sides {
    points: [Axis; 2],
    /// The line of each side, by its folded term.
    lines: FxHashMap<String, Line>,
}

/// Adds the families that speak of the sides of boxes. Where one says which are drawn, what is left is not shown.
pub(super) fn add(builder: &mut Builder<'_>, tables: &[Table]) {
    let found: Vec<(&Table, Sides)> =
        tables.iter().filter_map(|table| Some((table, Sides::of(table)?))).collect();
    let is_left = |table: &Table| {
        let says = |part: &String| matches!(part.as_str(), "blank" | "empty" | "free" | "open" | "available");
        name_parts(&table.name).iter().any(says)
    };
    let has_drawn = found.iter().any(|(table, _)| !is_left(table));
    for (table, Sides { points, lines }) in found {
        let used = match (is_left(table), has_drawn) {
            (true, true) => Some(Use::Hidden),
            (is_left, _) => builder.dots(&points).map(|space| Use::Sides { space, lines, is_left }),
        };
        if let Some(used) = used {
            builder.uses.insert(table.family.clone(), used);
        }
    }
}

impl Sides {
    /// The sides that the only argument of a family names: all those of a rectangle of boxes.
    fn of(table: &Table) -> Option<Sides> {
        table.rows.as_ref()?;
        let [values] = &table.columns[..] else { return None };
        let mut functors: Vec<(String, [Values; 2], usize)> = Vec::new();
        for key in values.keys() {
            let words = Words::of(key);
            let [first, second] = &words.arguments[..] else { return None };
            let name = fold(words.name);
            let at = functors.iter().position(|(other, ..)| *other == name).unwrap_or(functors.len());
            if at == functors.len() {
                functors.push((name, Default::default(), 0));
            }
            let (_, coordinates, count) = &mut functors[at];
            *count += 1;
            for (values, word) in coordinates.iter_mut().zip([first, second]) {
                values.insert(fold(word), (*word).to_owned());
            }
        }
        let [one, other] = &functors[..] else { return None };
        let axes = |(_, values, count): &(String, [Values; 2], usize)| -> Option<[Axis; 2]> {
            let axes = [Axis::of(&values[0], &[])?, Axis::of(&values[1], &[])?];
            (axes[0].len() * axes[1].len() == *count).then_some(axes)
        };
        let (one_axes, other_axes) = (axes(one)?, axes(other)?);
        let is_beside = |flat: &[Axis; 2], standing: &[Axis; 2]| {
            flat[0].len() + 1 == standing[0].len() && standing[1].len() + 1 == flat[1].len()
        };
        let ((flat_name, flat), (_, standing)) = match () {
            () if is_beside(&one_axes, &other_axes) => ((&one.0, one_axes), (&other.0, other_axes)),
            () if is_beside(&other_axes, &one_axes) => ((&other.0, other_axes), (&one.0, one_axes)),
            () => return None,
        };
        // Where the flat sides are called upright, the first coordinate is the row.
        let upright = ["down", "vertical", "vert", "v", "upright"];
        let swapped = name_parts(flat_name).iter().any(|part| upright.contains(&part.as_str()));
        let points = match swapped {
            true => [flat[1].clone(), standing[0].clone()],
            false => [standing[0].clone(), flat[1].clone()],
        };
        let last = i32::try_from(points[1].len()).ok()? - 1;
        let mut lines = FxHashMap::default();
        for key in values.keys() {
            let words = Words::of(key);
            let axes = if fold(words.name) == *flat_name { &flat } else { &standing };
            let place = |n: usize| i32::try_from(axes[n].place(&fold(words.arguments[n]))?).ok();
            let (first, second) = (place(0)?, place(1)?);
            let is_flat = (fold(words.name) == *flat_name) != swapped;
            let (x, y) = if swapped { (second, first) } else { (first, second) };
            // The first row is at the bottom.
            let line = match is_flat {
                true => Line { from: [x, last - y], to: [x + 1, last - y] },
                false => Line { from: [x, last - y - 1], to: [x, last - y] },
            };
            lines.insert(key.clone(), line);
        }
        let distinct: BTreeSet<&Line> = lines.values().collect();
        (distinct.len() == lines.len()).then_some(Sides { points, lines })
    }
}
