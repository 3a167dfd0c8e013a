//! What a family of fluents is to a person: part of a grid, whose turn it is, a counter, a hand, a pile. It is decided from the
//! columns alone; which families share a board is left to `assemble`.

use std::collections::BTreeSet;

use crate::axis::{Order, Values};
use crate::nested::are_lists;
use crate::rules::{Family, Rules};
use crate::table::Table;
use crate::words::name_parts;

/// What a family is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Something at a pair of coordinates, perhaps on one of several boards.
    Grid { at: [usize; 2], layers: Vec<usize>, contents: Vec<usize> },
    /// Something at a place whose name has two coordinates in it: `a1`.
    Places { at: usize, contents: Vec<usize> },
    /// Something at a place in a row.
    Line { at: usize, contents: Vec<usize> },
    /// A line between two points that are neighbours.
    Edges,
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
}

/// How a variable's or a value's name speaks of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sense {
    Column,
    Row,
    X,
    Y,
    Layer,
}

/// What the variables in a column are called, if most of those that say something agree.
pub(crate) fn sense(rules: &Rules, family: &Family, column: usize) -> Option<Sense> {
    let names = rules.variables.get(&(family.clone(), column))?;
    let mut votes: Vec<(usize, Sense)> = Vec::new();
    for (name, count) in names {
        if let Some(sense) = named_sense(name.trim_start_matches('?')) {
            match votes.iter_mut().find(|(_, other)| *other == sense) {
                Some((votes, _)) => *votes += count,
                None => votes.push((*count, sense)),
            }
        }
    }
    let total: usize = votes.iter().map(|(count, _)| count).sum();
    let &(most, sense) = votes.iter().max_by_key(|(count, _)| *count)?;
    (2 * most > total).then_some(sense)
}

fn named_sense(name: &str) -> Option<Sense> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '_' | '-' | '\'' | '+'));
    let parts = name_parts(stem);
    let word = |word: &str| match word {
        "x" | "xx" | "posx" | "file" => Some(Sense::X),
        "y" | "yy" | "posy" | "rank" => Some(Sense::Y),
        "c" | "col" | "cols" | "column" => Some(Sense::Column),
        "r" | "row" | "rows" => Some(Sense::Row),
        "z" | "level" | "lvl" | "layer" | "board" => Some(Sense::Layer),
        _ => None,
    };
    word(stem)
        .or_else(|| parts.iter().find_map(|part| (part.len() > 1).then(|| word(part))?))
        .or_else(|| ["col", "row"].iter().find_map(|begin| stem.starts_with(begin).then(|| word(begin))?))
}

/// What a family is.
pub(crate) fn shape(table: &Table, rules: &Rules) -> Shape {
    if table.arity() == 0 {
        return Shape::List;
    }
    turn(table, rules)
        .or_else(|| edges(table))
        .or_else(|| grid(table, rules))
        .or_else(|| places(table))
        .or_else(|| stack(table, rules))
        .or_else(|| pile(table))
        .or_else(|| counter_or_line(table, rules))
        .or_else(|| hand(table, rules))
        .unwrap_or(Shape::List)
}

fn turn(table: &Table, rules: &Rules) -> Option<Shape> {
    let parts = name_parts(&table.name);
    let is_named = parts
        .iter()
        .any(|part| ["control", "turn", "tomove"].iter().any(|word| part.contains(word)) || part == "side");
    let role = (0..table.arity()).find(|&column| table.has_roles(column, rules))?;
    let is_one = table.init.len() <= 1;
    let is_turn = rules.roles.len() > 1 && is_named && table.arity() <= 2 && is_one;
    is_turn.then_some(Shape::Turn { role })
}

/// Four coordinates of which the first two and the last two are neighbours.
fn edges(table: &Table) -> Option<Shape> {
    let [Some(a), Some(b), Some(c), Some(d)] = &table.axes[..] else { return None };
    let share =
        |one: &crate::axis::Axis, other: &crate::axis::Axis| one.is_within(other) || other.is_within(one);
    if table.arity() != 4 || !share(a, c) || !share(b, d) {
        return None;
    }
    let (wide, high) = (if a.len() >= c.len() { a } else { c }, if b.len() >= d.len() { b } else { d });
    let is_step = |row: &Vec<String>| {
        let across = wide.place(&row[0])?.abs_diff(wide.place(&row[2])?);
        let along = high.place(&row[1])?.abs_diff(high.place(&row[3])?);
        Some(across + along == 1)
    };
    let rows = table.rows.as_deref().unwrap_or(&table.init);
    (!rows.is_empty() && rows.iter().all(|row| is_step(row) == Some(true))).then_some(Shape::Edges)
}

/// Two ordered arguments that say where.
fn grid(table: &Table, rules: &Rules) -> Option<Shape> {
    let ordered = table.ordered(rules);
    if let &[at] = &table.places[..] {
        let others: Vec<usize> = (0..table.arity()).filter(|column| !at.contains(column)).collect();
        return Some(Shape::Grid { at, layers: Vec::new(), contents: others });
    }
    let mut best: Option<(i32, [usize; 2])> = None;
    for (n, &i) in ordered.iter().enumerate() {
        for &j in &ordered[n + 1..] {
            let score = pair_score(table, rules, i, j);
            if score > 3 && best.is_none_or(|(most, _)| score > most) {
                best = Some((score, [i, j]));
            }
        }
    }
    let (_, at) = best?;
    let others: Vec<usize> = (0..table.arity()).filter(|column| !at.contains(column)).collect();
    let (at, layers, contents) = layers(table, rules, at, &others)?;
    Some(Shape::Grid { at, layers, contents })
}

/// How likely two columns are the coordinates. A pair of ordered arguments next to each other has 3, and needs one more
/// sign.
fn pair_score(table: &Table, rules: &Rules, i: usize, j: usize) -> i32 {
    let (Some(a), Some(b)) = (&table.axes[i], &table.axes[j]) else { return 0 };
    let mut score = if j == i + 1 { 3 } else { 0 };
    let in_moves = rules.moves.values().any(|columns| {
        columns.windows(2).any(|pair| {
            pair.iter().all(|values| !values.is_empty()) && a.covers(&pair[0]) && b.covers(&pair[1])
        })
    });
    let senses = [i, j].map(|column| sense(rules, &table.family, column));
    let is_sensed = senses.iter().flatten().any(|&sense| sense != Sense::Layer);
    let is_mixed = a.order != b.order && [a.order, b.order].contains(&Order::Letters);
    score += if in_moves { 3 } else { 0 };
    score += if is_sensed { 2 } else { 0 };
    score += i32::from(a.is_same(b)) + i32::from(is_mixed);
    if senses.contains(&Some(Sense::Layer)) {
        score -= 2;
    }
    if table.arity() > 2 {
        // Something is there: a fluent of two numbers alone is more often no place.
        score += 1;
    }
    let is_letters = a.order == Order::Letters && b.order == Order::Letters;
    let has_successor = |column: usize| {
        rules
            .successors
            .iter()
            .any(|chain| table.columns[column].keys().all(|key| chain.place(key).is_some()))
    };
    if table.arity() == 2 && !(in_moves || is_sensed) {
        score = 0;
    }
    // A number for each key: a heap, not a place.
    if table.arity() == 2 && table.is_key_at_first(&[0]) && table.init.len() == table.columns[0].len() {
        score = 0;
    }
    if is_letters && !has_successor(i) && table.arity() == 2 {
        score = 0;
    }
    score
}

/// Which of the other columns number boards, and which say what is there. Nothing if no person would draw it.
#[allow(clippy::type_complexity)]
fn layers(
    table: &Table,
    rules: &Rules,
    at: [usize; 2],
    others: &[usize],
) -> Option<([usize; 2], Vec<usize>, Vec<usize>)> {
    const MOST_BOARDS: usize = 40;
    let ordered = table.ordered(rules);
    let is_like = |column: usize| {
        let axis = table.axes[column].as_ref();
        axis.is_some_and(|axis| {
            at.iter().any(|&of| table.axes[of].as_ref().is_some_and(|own| own.is_same(axis)))
        })
    };
    let alike: Vec<usize> = ordered.iter().copied().filter(|&column| is_like(column)).collect();
    if let ([a, b, c, d], true) = (&alike[..], table.arity() == 5) {
        // Boards in a grid: the first pair says which.
        let side = table.axes[*a].as_ref().map_or(0, crate::axis::Axis::len);
        let contents = (0..table.arity()).filter(|column| !alike.contains(column)).collect();
        return (side <= 5).then(|| ([*c, *d], vec![*a, *b], contents));
    }
    // A board is named beside the coordinates on it; what comes after the content is another thing.
    let is_beside = |column: usize| column < at[0] || column == at[1] + 1;
    let is_layer =
        |column: &usize| is_beside(*column) && sense(rules, &table.family, *column) == Some(Sense::Layer);
    let has_layer = ordered.iter().any(is_layer);
    if ordered.len() > 3 && !(table.arity() == 4 && alike.len() == 2 && at[0] == 1) {
        return None;
    }
    if let ([layer], true) =
        (&others.iter().copied().filter(is_layer).collect::<Vec<_>>()[..], others.len() > 1)
        && table.columns[*layer].len() <= MOST_BOARDS
    {
        let contents = others.iter().copied().filter(|column| column != layer).collect();
        return Some((at, vec![*layer], contents));
    }
    if let ([a, b, c], true) = (&alike[..], table.arity() > 3)
        && (has_layer || !table.is_key_at_first(&[*a, *b]))
    {
        let layer = *alike.iter().find(|column| is_layer(column)).unwrap_or(a);
        let rest: Vec<usize> = [*a, *b, *c].into_iter().filter(|&column| column != layer).collect();
        let contents = others.iter().copied().filter(|column| !alike.contains(column)).collect();
        return Some(([rest[0], rest[1]], vec![layer], contents));
    }
    let before: Vec<usize> = others.iter().copied().filter(|&column| column < at[0]).collect();
    let after: Vec<usize> = others.iter().copied().filter(|&column| column > at[1]).collect();
    match (&before[..], &after[..]) {
        (&[layer], &[_, ..]) if table.columns[layer].len() <= MOST_BOARDS => Some((at, vec![layer], after)),
        _ => Some((at, Vec::new(), others.to_vec())),
    }
}

/// Places such as `a1`: several letters, each with numbers.
fn places(table: &Table) -> Option<Shape> {
    let at = (0..table.arity()).find(|&column| are_places(&table.columns[column]))?;
    let contents = (0..table.arity()).filter(|&column| column != at).collect();
    Some(Shape::Places { at, contents })
}

fn are_places(values: &Values) -> bool {
    let places: Option<BTreeSet<(&str, u32)>> = values.keys().map(|key| place_parts(key)).collect();
    let Some(places) = places else { return false };
    let letters: BTreeSet<&str> = places.iter().map(|(letter, _)| *letter).collect();
    let numbers: BTreeSet<u32> = places.iter().map(|(_, number)| *number).collect();
    letters.len() > 1 && numbers.len() > 1 && places.len() > letters.len() + 1 && values.len() > 5
}

/// A place's letter and number.
pub(crate) fn place_parts(key: &str) -> Option<(&str, u32)> {
    let (letter, number) = key.split_at_checked(1)?;
    let is_letter = letter.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_plain = !number.starts_with(['0', '+']);
    if is_letter && is_plain {
        Some((letter, number.parse().ok().filter(|&number| number < 100)?))
    } else {
        None
    }
}

/// Two columns with the same things, as `on` in blocks worlds and towers.
fn stack(table: &Table, rules: &Rules) -> Option<Shape> {
    let [above, below] = &table.columns[..] else { return None };
    let shared = above.keys().filter(|key| below.contains_key(*key)).count();
    let named =
        matches!(table.family.0.trim_end_matches(|c: char| c.is_ascii_digit()), "on" | "above" | "under");
    let is_stack = named && shared > 0 && !table.has_roles(0, rules);
    is_stack.then_some(Shape::Stack)
}

/// A list, and whose it is.
fn pile(table: &Table) -> Option<Shape> {
    let list = (0..table.arity()).find(|&column| are_lists(&table.columns[column]))?;
    let name: Vec<usize> = (0..table.arity()).filter(|&column| column != list).collect();
    (name.len() < 3).then_some(Shape::Pile { name, list })
}

fn counter_or_line(table: &Table, rules: &Rules) -> Option<Shape> {
    let is_number =
        |column: usize| table.axes[column].is_some() || table.columns[column].keys().all(|key| is_count(key));
    let last = table.arity() - 1;
    let numbers: Vec<usize> = (0..table.arity())
        .filter(|&column| {
            !table.has_roles(column, rules) && !table.columns[column].is_empty() && is_number(column)
        })
        .collect();
    match (&numbers[..], table.arity()) {
        (_, 1) => (numbers == [0]).then_some(Shape::Counter { keys: Vec::new(), value: 0 }),
        // A place in a row, and what is there.
        (&[0], 2) if table.columns[0].len() > 2 && table.axes[0].is_some() => {
            Some(Shape::Line { at: 0, contents: vec![1] })
        }
        (columns, 2 | 3) if columns.contains(&last) => {
            Some(Shape::Counter { keys: (0..last).collect(), value: last })
        }
        _ => None,
    }
}

/// A number, perhaps after a letter: `5`, `s5`.
fn is_count(key: &str) -> bool {
    key.parse::<i64>().is_ok()
        || key.split_at_checked(1).is_some_and(|(_, number)| number.parse::<u32>().is_ok())
}

fn hand(table: &Table, rules: &Rules) -> Option<Shape> {
    let owner = (0..table.arity()).find(|&column| table.has_roles(column, rules))?;
    let things = (0..table.arity()).filter(|&column| column != owner).collect::<Vec<_>>();
    (!things.is_empty() && things.len() < 3).then_some(Shape::Hand { owner, things })
}
