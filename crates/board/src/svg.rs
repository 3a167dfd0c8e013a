//! Pictures as SVG documents. They need no fonts, scripts or files beside them: pieces are drawn as paths, and the colours of
//! text follow the reader's light or dark page.

mod board;
mod piece;

use std::fmt::Write;

use crate::layout::Board;
use crate::picture::{Group, Picture};

/// The side of a cell.
const CELL: f64 = 48.0;

/// The room around everything.
const MARGIN: f64 = 12.0;

/// The height of a line of text.
const LINE: f64 = 20.0;

/// How wide boards may stand side by side before the next row begins.
const WIDEST: f64 = 1000.0;

/// The most lines of text under the boards, and the most that one family of fluents takes of them.
const MOST_LINES: usize = 14;
const MOST_LINES_EACH: usize = 4;

/// The most letters in a line, and the fewest, however narrow the boards are. Letters are about as wide as half their height.
const MOST_LETTERS: usize = 110;
const FEWEST_LETTERS: usize = 46;
const LETTER: f64 = 7.6;

/// A picture as SVG.
pub(crate) fn draw(picture: &Picture<'_>, with_cells: bool) -> String {
    let mut body = String::new();
    let (mut wide, mut high) = (0.0_f64, MARGIN);
    let (mut x, mut row_height) = (MARGIN, 0.0_f64);
    let boards = &picture.layout.boards;
    let has_names = boards.len() > 1;
    for (number, board) in boards.iter().enumerate() {
        let size = board::size(board, has_names);
        let begins_row = number > 0 && !goes_beside(&boards[number - 1], board);
        if begins_row || x + size[0] > WIDEST && x > MARGIN {
            high += row_height + MARGIN;
            (x, row_height) = (MARGIN, 0.0);
        }
        let _ = write!(body, "<g transform=\"translate({} {})\">", short(x), short(high));
        let cells = with_cells.then_some(number);
        board::draw(&mut body, board, &picture.boards[number], has_names, cells);
        body.push_str("</g>\n");
        x += size[0] + MARGIN;
        row_height = row_height.max(size[1]);
        wide = wide.max(x);
    }
    high += row_height;
    let room = match boards.is_empty() {
        true => MOST_LETTERS,
        false => (((wide - 2.0 * MARGIN) / LETTER) as usize).clamp(FEWEST_LETTERS, MOST_LETTERS),
    };
    let lines = if with_cells { Vec::new() } else { lines(picture, room) };
    for line in &lines {
        high += LINE;
        let _ = writeln!(
            body,
            "<text class=\"said\" x=\"{}\" y=\"{}\">{}</text>",
            short(MARGIN),
            short(high),
            escape(line)
        );
    }
    let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let wide = wide.max(longest as f64 * LETTER + 2.0 * MARGIN);
    document(wide, high + MARGIN, &body)
}

/// Whether a board stands beside the one before it.
fn goes_beside(before: &Board, board: &Board) -> bool {
    if before.kind == board.kind {
        before.part[1] == board.part[1]
    } else {
        before.rows.len() == board.rows.len()
    }
}

fn document(wide: f64, high: f64, body: &str) -> String {
    let (wide, high) = (short(wide), short(high));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide} {high}\" width=\"{wide}\" height=\"{high}\" role=\"img\" \
         font-family=\"system-ui, 'DejaVu Sans', sans-serif\">\n<style>\
         .label{{fill:#57606a;font-size:12px}}.said{{fill:#24292f;font-size:14px}}.name{{fill:#24292f;font-size:13px}}\
         .grid{{fill:#57606a}}\
         @media (prefers-color-scheme:dark){{.label{{fill:#9aa4af}}.said,.name{{fill:#e6edf3}}.grid{{fill:#9aa4af}}}}\
         </style>\n{}{body}</svg>\n",
        piece::gradients()
    )
}

/// What stands under the boards, in lines with room for some letters.
fn lines(picture: &Picture<'_>, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for turn in &picture.turns {
        lines.push(format!("{}: {}", turn.name, turn.words.join(" ")));
    }
    let group = |group: &Group| {
        let entry =
            |(key, values): &(String, Vec<String>)| format!("{key} {}", values.join(", ")).trim().to_owned();
        let entries: Vec<String> = group.entries.iter().map(entry).filter(|text| !text.is_empty()).collect();
        let text = entries.join("  ·  ");
        if text.is_empty() { group.name.clone() } else { format!("{}: {text}", group.name) }
    };
    lines.extend(picture.counters.iter().chain(&picture.hands).map(group));
    lines.extend(picture.piles.iter().map(|pile| pile.join(" ← ")));
    lines.extend(picture.rest.iter().map(group));
    lines.truncate(MOST_LINES);
    let mut broken: Vec<String> = lines.iter().flat_map(|line| broken(line, room)).collect();
    broken.truncate(MOST_LINES);
    broken
}

/// A text in lines of at most so many letters, broken between words. What does not fit into a few lines is left out.
fn broken(text: &str, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.len() - 1;
        let length = lines[last].chars().count();
        if length == 0 {
            lines[last] = word.to_owned();
        } else if length + 1 + word.chars().count() <= room {
            lines[last] = format!("{} {word}", lines[last]);
        } else if lines.len() < MOST_LINES_EACH {
            lines.push(format!("\u{a0}\u{a0}\u{a0}{word}"));
        } else {
            lines[last].push('…');
            break;
        }
    }
    for line in &mut lines {
        if line.chars().count() > room {
            *line = line.chars().take(room - 1).chain(['…']).collect();
        }
    }
    lines
}

/// A number as SVG has it, without needless digits.
fn short(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A text as XML has it.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            c if c.is_control() => escaped.push('\u{FFFD}'),
            c => escaped.push(c),
        }
    }
    escaped
}
