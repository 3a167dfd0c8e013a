//! Pictures as text: boards in aligned columns with their coordinates, then turn, counters, hands, and a tidy list of the
//! rest.

mod board;

use std::fmt::Write;

use unicode_width::UnicodeWidthStr;

use crate::picture::{Group, Picture};
use crate::words::split;

/// How text is drawn.
#[derive(Clone, Debug)]
pub struct TextStyle {
    /// How wide a line may be. Only a board's own cell is never broken.
    pub width: usize,
    /// Whether pieces have the colours of a terminal.
    pub colour: bool,
    /// How many values of a listed family are shown before the rest is counted; all of them if there is no number.
    pub most_listed: Option<usize>,
}

impl Default for TextStyle {
    fn default() -> Self {
        TextStyle { width: 100, colour: false, most_listed: Some(60) }
    }
}

/// A picture as text.
pub(crate) fn draw(picture: &Picture<'_>, style: &TextStyle) -> String {
    let mut text = board::boards(picture, style);
    if !text.is_empty() {
        text.push('\n');
    }
    let at_boards = text.len();
    for turn in &picture.turns {
        let label = if is_control(&turn.name) { "to move" } else { &turn.name };
        let _ = writeln!(text, "  {label}: {}", clean(&turn.words.join(" ")));
    }
    for group in picture.counters.iter().chain(&picture.hands) {
        write_group(&mut text, group, style);
    }
    if !picture.piles.is_empty() {
        text.push_str(&piles(&picture.piles));
    }
    write_rest(&mut text, &picture.rest, style);
    if text.len() == at_boards && at_boards > 0 {
        text.pop();
    }
    if text.is_empty() {
        text.push_str("  nothing holds\n");
    }
    text
}

fn is_control(name: &str) -> bool {
    matches!(name.to_lowercase().as_str(), "control" | "turn" | "sidetomove" | "to_move" | "whoseturn")
}

/// A text without control characters.
pub(crate) fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect()
}

/// How many columns of a terminal a text takes.
pub(crate) fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

fn write_group(text: &mut String, group: &Group, style: &TextStyle) {
    let lead = format!("  {}: ", clean(&group.name));
    let item = |(key, values): &(String, Vec<String>)| {
        let values = clean(&values.join(", "));
        if key.is_empty() { values } else { format!("{} {values}", clean(key)) }
    };
    let items: Vec<String> = group.entries.iter().map(item).collect();
    write_items(text, &lead, &items, "  ", style);
}

/// Things on things, each pile in a line from the bottom.
fn piles(piles: &[Vec<String>]) -> String {
    let mut text = String::new();
    for pile in piles {
        let _ = writeln!(text, "  {}", clean(&pile.join(" ← ")));
    }
    text
}

/// What is not laid out, by name; names without arguments in one line.
fn write_rest(text: &mut String, rest: &[Group], style: &TextStyle) {
    let is_plain =
        |group: &&Group| group.entries.iter().all(|(_, values)| values.iter().all(String::is_empty));
    let (plain, lists): (Vec<&Group>, Vec<&Group>) = rest.iter().partition(is_plain);
    for group in lists {
        let values: Vec<&String> = group.entries.iter().flat_map(|(_, values)| values).collect();
        let shown = style.most_listed.unwrap_or(usize::MAX);
        // One word, or one term that has its parentheses already.
        let is_one = values.iter().all(|value| split(value).len() < 2);
        let mut items: Vec<String> = values
            .iter()
            .take(shown)
            .map(|value| if is_one { clean(value) } else { format!("({})", clean(value)) })
            .collect();
        if values.len() > shown {
            items.push(format!("… and {} more", values.len() - shown));
        }
        write_items(text, &format!("  {}: ", clean(&group.name)), &items, " ", style);
    }
    let names: Vec<String> = plain.iter().map(|group| clean(&group.name)).collect();
    if !names.is_empty() {
        write_items(text, "  ", &names, "  ", style);
    }
}

/// Items one after the other; lines are broken between them and continued under the first.
pub(crate) fn write_items(text: &mut String, lead: &str, items: &[String], between: &str, style: &TextStyle) {
    let indent = width(lead);
    let mut column = indent;
    text.push_str(lead);
    for (number, item) in items.iter().enumerate() {
        let length = width(item);
        if number > 0 && column + between.len() + length > style.width {
            while text.ends_with(' ') {
                text.pop();
            }
            let _ = write!(text, "\n{:indent$}", "");
            column = indent;
        } else if number > 0 {
            text.push_str(between);
            column += between.len();
        }
        text.push_str(item);
        column += length;
    }
    while text.ends_with(' ') {
        text.pop();
    }
    text.push('\n');
}
