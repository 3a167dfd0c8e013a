//! States and moves laid out for a reader: fluents by relation, a relation that gives each of two arguments' pairs a
//! value as a board, everything else in columns.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::output::printable;

/// How wide a line may be.
const WIDTH: usize = 100;

/// How wide a field of a board may be.
const FIELD: usize = 10;

/// The largest board that is drawn.
const MOST_LINES: usize = 40;

/// What a text is sorted by: numbers by their value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::commands) enum Part {
    Number(u64),
    Text(String),
}

/// The words of a term in the order by which terms are listed.
pub(in crate::commands) fn order(text: &str) -> Vec<Part> {
    let words = text.split(['(', ')', ' ']).filter(|word| !word.is_empty());
    words.map(|word| word.parse().map_or_else(|_| Part::Text(word.to_lowercase()), Part::Number)).collect()
}

/// The fluents of a state.
pub(in crate::commands) fn laid_out(fluents: &[String]) -> String {
    let mut groups: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
    let mut alone = Vec::new();
    for fluent in fluents {
        match parts(fluent) {
            Some((name, arguments)) => groups.entry(name).or_default().push(arguments),
            None => alone.push(printable(fluent)),
        }
    }
    let mut text = String::new();
    for (name, mut rows) in groups {
        rows.sort_by_cached_key(|row| row.iter().flat_map(|word| order(word)).collect::<Vec<_>>());
        match board(&name, &rows) {
            Some(board) => text.push_str(&board),
            None => {
                let items: Vec<String> = rows.iter().map(|row| format!("({})", row.join(" "))).collect();
                write_items(&mut text, &format!("  {name} "), &items);
            }
        }
    }
    alone.sort_by_cached_key(|fluent| order(fluent));
    if !alone.is_empty() {
        write_items(&mut text, "  ", &alone);
    }
    if fluents.is_empty() {
        text.push_str("  nothing holds\n");
    }
    text
}

/// Moves with their numbers, in columns.
pub(in crate::commands) fn laid_out_moves(moves: &[String]) -> String {
    let digits = moves.len().to_string().len();
    let moves: Vec<String> =
        moves.iter().enumerate().map(|(n, text)| format!("{:>digits$} {}", n + 1, printable(text))).collect();
    let width = moves.iter().map(|text| text.chars().count()).max().unwrap_or(0) + 2;
    let columns = (WIDTH / width.max(1)).max(1);
    // Read downwards, as lists of names are.
    let lines = moves.len().div_ceil(columns);
    let mut text = String::new();
    for line in 0..lines {
        let fields: Vec<String> =
            moves.iter().skip(line).step_by(lines).map(|text| format!("{text:<width$}")).collect();
        let _ = writeln!(text, "  {}", fields.concat().trim_end());
    }
    text
}

/// Items one after the other, lines broken where they are full and continued under the first.
fn write_items(text: &mut String, lead: &str, items: &[String]) {
    let indent = lead.chars().count();
    let mut column = indent;
    text.push_str(lead);
    for (number, item) in items.iter().enumerate() {
        let length = item.chars().count() + 1;
        if number > 0 && column + length > WIDTH {
            let _ = write!(text, "\n{:indent$}", "");
            column = indent;
        } else if number > 0 {
            text.push(' ');
        }
        text.push_str(item);
        column += length;
    }
    text.push('\n');
}

/// The name and the arguments of a fluent that has some.
fn parts(fluent: &str) -> Option<(String, Vec<String>)> {
    let inside = fluent.strip_prefix('(')?.strip_suffix(')')?;
    let (mut words, mut depth) = (vec![String::new()], 0_usize);
    for c in printable(inside).chars() {
        depth = match c {
            '(' => depth + 1,
            ')' => depth.saturating_sub(1),
            _ => depth,
        };
        match words.last_mut() {
            Some(word) if c != ' ' || depth > 0 => word.push(c),
            _ => words.push(String::new()),
        }
    }
    words.retain(|word| !word.is_empty());
    let name = if words.is_empty() { return None } else { words.remove(0) };
    Some((name, words))
}

/// A board, if the rows look like one: three arguments, of which two say where and the third what, once for a place.
fn board(name: &str, rows: &[Vec<String>]) -> Option<String> {
    let places = [(0, 1, 2), (1, 2, 0), (0, 2, 1)];
    places.into_iter().find_map(|(x, y, value)| {
        let mut fields: BTreeMap<(&str, &str), &str> = BTreeMap::new();
        for row in rows {
            if row.len() != 3 || row.iter().any(|word| word.chars().count() > FIELD) {
                return None;
            }
            if fields.insert((&row[x], &row[y]), &row[value]).is_some() {
                return None;
            }
        }
        let (across, down) = (axis(fields.keys().map(|(x, _)| *x)), axis(fields.keys().map(|(_, y)| *y)));
        let is_sparse = fields.len() * 4 < across.len() * down.len();
        if across.len() < 2 || down.len() < 2 || is_sparse || down.len() > MOST_LINES {
            return None;
        }
        drawn(name, (x, y, value), &fields, &across, &down)
    })
}

/// The places along an axis in their order; of numbers all, whether something stands there or not.
fn axis<'a>(places: impl Iterator<Item = &'a str>) -> Vec<String> {
    let places: BTreeSet<(Vec<Part>, &str)> = places.map(|place| (order(place), place)).collect();
    let number = |part: Option<&(Vec<Part>, &str)>| match part.map(|(parts, _)| &parts[..]) {
        Some([Part::Number(number)]) => Some(*number),
        _ => None,
    };
    let are_numbers = places
        .iter()
        .all(|(parts, place)| matches!(parts[..], [Part::Number(number)] if number.to_string() == *place));
    match (number(places.first()), number(places.last())) {
        (Some(first), Some(last)) if are_numbers && last - first < MOST_LINES as u64 => {
            (first..=last).map(|number| number.to_string()).collect()
        }
        _ => places.into_iter().map(|(_, place)| place.to_owned()).collect(),
    }
}

fn drawn(
    name: &str,
    (x, y, value): (usize, usize, usize),
    fields: &BTreeMap<(&str, &str), &str>,
    across: &[String],
    down: &[String],
) -> Option<String> {
    let longest = |words: &mut dyn Iterator<Item = &str>| words.map(|word| word.chars().count()).max();
    let width = longest(&mut across.iter().map(String::as_str).chain(fields.values().copied()))? + 1;
    let margin = longest(&mut down.iter().map(String::as_str))?;
    if margin + width * across.len() + 2 > WIDTH {
        return None;
    }
    let mut names = ["", "", ""];
    (names[x], names[y], names[value]) = ("→", "↑", "*");
    let mut text = format!("  {name} ({})\n", names.join(" "));
    // The first is at the bottom, as on most boards.
    for y in down.iter().rev() {
        let field = |x: &String| fields.get(&(x.as_str(), y.as_str())).copied().unwrap_or("·");
        let line: String = across.iter().map(|x| format!("{:>width$}", field(x))).collect();
        let _ = writeln!(text, "    {y:>margin$} {line}");
    }
    let heads: String = across.iter().map(|x| format!("{x:>width$}")).collect();
    let _ = writeln!(text, "    {:>margin$} {heads}", "");
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    #[test]
    fn numbers_are_sorted_by_value() {
        let mut texts = owned(&["(m 10 1)", "(m 9 1)", "noop", "(M 9 0)"]);
        texts.sort_by_cached_key(|text| order(text));
        assert_eq!(texts, ["(M 9 0)", "(m 9 1)", "(m 10 1)", "noop"]);
    }

    #[test]
    fn fluents_are_grouped() {
        let text = laid_out(&owned(&["(step 2)", "open", "(f (g 1 2) b)", "(step 10)"]));
        assert_eq!(text, "  f ((g 1 2) b)\n  step (2) (10)\n  open\n");
        assert_eq!(laid_out(&[]), "  nothing holds\n");
    }

    #[test]
    fn boards_are_drawn() {
        let text = laid_out(&owned(&["(cell a 1 x)", "(cell a 2 b)", "(cell b 1 b)", "(control white)"]));
        assert_eq!(text, "  cell (→ ↑ *)\n    2  b ·\n    1  x b\n       a b\n  control (white)\n");
    }

    #[test]
    fn what_is_no_board_is_a_list() {
        for fluents in [
            &["(at a 1 x)", "(at a 1 y)", "(at a 2 x)", "(at b 1 x)"][..],
            &["(at a 1 x)", "(at b 2)"],
            &["(at a 1 x)", "(at b 2 x)", "(at c 3 x)", "(at d 4 x)", "(at e 5 x)"],
        ] {
            assert!(!laid_out(&owned(fluents)).contains('→'), "{fluents:?}");
        }
    }

    #[test]
    fn long_lists_are_broken() {
        let many: Vec<String> = (0..60).map(|n| format!("(number {n})")).collect();
        let text = laid_out(&many);
        assert!(text.lines().count() > 2 && text.lines().all(|line| line.chars().count() <= WIDTH));
        let moves = laid_out_moves(&many);
        assert!(moves.lines().all(|line| line.chars().count() <= WIDTH + 2), "{moves}");
        assert!(moves.starts_with("   1 (number 0)"), "{moves}");
    }
}
