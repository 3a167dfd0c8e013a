//! Puts families together: fluents with the same coordinates share a board, or have one each if both say what every cell
//! holds; places, rows, lines and walls are attached. What fits nowhere is listed.

mod arrange;
mod build;
mod ground;
mod group;
mod sides;

use rustc_hash::FxHashMap;

use crate::hints::{Hint, Hints, Meaning};
use crate::layout::{Layout, Use};
use crate::rules::{Family, Rules};
use crate::shape::{Shape, shape};
use crate::table::Table;

use build::Builder;
pub(crate) use group::side_named;
use group::{Group, Part};

/// The layout that the tables of a game have.
pub(crate) fn assemble(rules: &Rules, tables: &[Table], hints: &Hints) -> Layout {
    let shaped: Vec<Shaped<'_>> = tables.iter().map(|table| Shaped::of(table, rules, hints)).collect();
    let mut builder = Builder::new(rules, hints);
    for group in group::groups(&shaped) {
        add_group(&mut builder, &group);
    }
    add_places(&mut builder, &shaped);
    add_edges(&mut builder, &shaped);
    sides::add(&mut builder, tables);
    if !builder.has_boards() {
        add_lines(&mut builder, &shaped);
    }
    for shaped in &shaped {
        let family = shaped.table.family.clone();
        builder.uses.entry(family).or_insert_with(|| match &shaped.shape {
            _ if shaped.hidden => Use::Hidden,
            Shape::Turn { role } => Use::Turn { role: *role },
            Shape::Counter { keys, value } => Use::Counter { keys: keys.clone(), value: *value },
            Shape::Hand { owner, things } => Use::Hand { owner: *owner, things: things.clone() },
            Shape::Stack => Use::Stack,
            Shape::Pile { name, list } => Use::Pile { name: name.clone(), list: *list },
            _ => Use::List,
        });
    }
    builder.finish()
}

/// A table and what it is.
pub(super) struct Shaped<'game> {
    table: &'game Table,
    shape: Shape,
    /// What a hint says of its arguments.
    meanings: Option<Vec<Meaning>>,
    hidden: bool,
}

impl<'game> Shaped<'game> {
    fn of(table: &'game Table, rules: &Rules, hints: &Hints) -> Self {
        let plain = |shape| Shaped { table, shape, meanings: None, hidden: false };
        match hints.of(&table.family) {
            None => plain(shape(table, rules)),
            Some(Hint::List) => plain(Shape::List),
            Some(Hint::Hide) => Shaped { hidden: true, ..plain(Shape::List) },
            Some(Hint::Turn) if table.arity() > 0 => {
                let role = (0..table.arity()).find(|&column| table.has_roles(column, rules));
                plain(Shape::Turn { role: role.unwrap_or(0) })
            }
            Some(Hint::Counter) if table.arity() > 0 => {
                let value = table.arity() - 1;
                plain(Shape::Counter { keys: (0..value).collect(), value })
            }
            Some(Hint::Hand) if table.arity() > 1 => {
                plain(Shape::Hand { owner: 0, things: (1..table.arity()).collect() })
            }
            Some(Hint::Board(meanings)) => Shaped {
                meanings: Some(meanings.clone()),
                ..plain(hinted_grid(table, meanings).unwrap_or_else(|| shape(table, rules)))
            },
            Some(_) => plain(Shape::List),
        }
    }
}

/// The grid that a hint describes, if its coordinates have an order.
fn hinted_grid(table: &Table, meanings: &[Meaning]) -> Option<Shape> {
    let columns = |wanted: &[Meaning]| -> Vec<usize> {
        (0..meanings.len()).filter(|&column| wanted.contains(&meanings[column])).collect()
    };
    let at = columns(&[Meaning::X, Meaning::Y, Meaning::Row]);
    let &[first, second] = &at[..] else { return None };
    table.axes[first].as_ref().and(table.axes[second].as_ref())?;
    let (layers, contents) = (columns(&[Meaning::Layer]), columns(&[Meaning::Content]));
    Some(Shape::Grid { at: [first, second], layers, contents })
}

fn add_group(builder: &mut Builder<'_>, group: &Group<'_>) {
    let Some(space) = builder.grid(group) else { return };
    for (shaped, part) in &group.parts {
        let Shape::Grid { at, layers, contents } = &shaped.shape else { continue };
        let family: Family = shaped.table.family.clone();
        let used = match part {
            Part::On(how) => Use::Cell {
                space,
                at: at.to_vec(),
                layers: layers.clone(),
                contents: contents.clone(),
                how: *how,
            },
            Part::Hidden => Use::Hidden,
        };
        builder.uses.insert(family, used);
    }
}

/// Boards of places such as `a1`. Families with the same contents have a board each.
fn add_places(builder: &mut Builder<'_>, shaped: &[Shaped<'_>]) {
    let mut places: Vec<(&Shaped<'_>, usize, &[usize])> = shaped
        .iter()
        .filter_map(|shaped| match &shaped.shape {
            Shape::Places { at, contents } => Some((shaped, *at, &contents[..])),
            _ => None,
        })
        .collect();
    places.sort_by_key(|(shaped, _, contents)| {
        (contents.is_empty(), std::cmp::Reverse(shaped.table.init.len()))
    });
    let mut spaces: Vec<(usize, &Table, usize)> = Vec::new();
    for (shaped, at, contents) in places {
        let values = &shaped.table.columns[at];
        let within = spaces.iter().find(|(_, other, column)| {
            let known = &other.columns[*column];
            contents.is_empty() && values.keys().all(|value| known.contains_key(value))
        });
        let space = match within {
            Some((space, _, _)) => Some(*space),
            None => builder.places(shaped.table, at, contents),
        };
        let Some(space) = space else { continue };
        spaces.push((space, shaped.table, at));
        builder.uses.insert(
            shaped.table.family.clone(),
            Use::Cell {
                space,
                at: vec![at],
                layers: Vec::new(),
                contents: contents.to_vec(),
                how: if within_is_mark(contents, &spaces) {
                    crate::layout::How::Highlight
                } else {
                    crate::layout::How::Contents
                },
            },
        );
    }
}

/// A family that only names places marks them on a board that is there already.
fn within_is_mark(contents: &[usize], spaces: &[(usize, &Table, usize)]) -> bool {
    contents.is_empty() && spaces.len() > 1
}

/// Rows of places: the only board of some games.
fn add_lines(builder: &mut Builder<'_>, shaped: &[Shaped<'_>]) {
    for shaped in shaped {
        let Shape::Line { at, contents } = &shaped.shape else { continue };
        let Some(space) = builder.line(shaped.table, *at, contents) else { continue };
        builder.uses.insert(
            shaped.table.family.clone(),
            Use::Cell {
                space,
                at: vec![*at],
                layers: Vec::new(),
                contents: contents.clone(),
                how: crate::layout::How::Contents,
            },
        );
    }
}

fn add_edges(builder: &mut Builder<'_>, shaped: &[Shaped<'_>]) {
    for shaped in shaped.iter().filter(|shaped| shaped.shape == Shape::Edges) {
        if let Some(used) = builder.edges(shaped.table) {
            builder.uses.insert(shaped.table.family.clone(), used);
        }
    }
}

/// What is known of the families, for the layout.
pub(super) type Uses = FxHashMap<Family, Use>;
