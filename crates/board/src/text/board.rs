//! Boards as text. A board is a block of lines; blocks of one kind stand side by side where there is room, and a board that is
//! too wide is drawn in parts.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::Range;

use anstyle::{AnsiColor, Style};

use super::{TextStyle, clean, width, write_items};
use crate::layout::{Board, Look, Tiling};
use crate::picture::{BoardState, Line, Picture, Square};
use crate::piece::{Colour, Piece, PieceShape};

/// A line of a block, with its width on a terminal.
#[derive(Clone, Debug, Default)]
struct Row {
    text: String,
    width: usize,
}

impl Row {
    fn push(&mut self, text: &str) {
        self.width += width(text);
        self.text.push_str(text);
    }

    fn push_styled(&mut self, text: &str, style: Style) {
        self.width += width(text);
        let _ = write!(self.text, "{style}{text}{style:#}");
    }

    fn pad(&mut self, to: usize) {
        let missing = to.saturating_sub(self.width);
        self.text.extend(std::iter::repeat_n(' ', missing));
        self.width += missing;
    }
}

/// A drawn board.
type Block = Vec<Row>;

/// All the boards of a picture.
pub(super) fn boards(picture: &Picture<'_>, style: &TextStyle) -> String {
    let layout = picture.layout;
    let has_names = layout.boards.len() > 1;
    let mut text = String::new();
    let mut at = 0;
    while at < layout.boards.len() {
        let first = &layout.boards[at];
        // Boards of one kind go together, and so do single boards of the same size.
        let is_near = |other: &Board| {
            other.kind == first.kind
                || (other.part == [0, 0] && first.part == [0, 0] && other.rows == first.rows)
        };
        let end =
            (at..layout.boards.len()).find(|&n| !is_near(&layout.boards[n])).unwrap_or(layout.boards.len());
        let mut rows: Vec<(usize, Vec<Block>)> = Vec::new();
        for number in at..end {
            let board = &layout.boards[number];
            let block = block(board, &picture.boards[number], has_names, style);
            match rows.last_mut() {
                Some((row, blocks)) if *row == board.part[1] => blocks.push(block),
                _ => rows.push((board.part[1], vec![block])),
            }
        }
        for (_, blocks) in rows {
            side_by_side(&mut text, &blocks, style);
        }
        at = end;
    }
    legend(&mut text, picture, style);
    text
}

/// Blocks beside each other, in as many lines as they need.
fn side_by_side(text: &mut String, blocks: &[Block], style: &TextStyle) {
    const GAP: usize = 3;
    let block_width = |block: &Block| block.iter().map(|row| row.width).max().unwrap_or(0);
    let mut left = blocks;
    while !left.is_empty() {
        let (mut count, mut total) = (0, 2);
        for block in left {
            let wanted = block_width(block) + if count > 0 { GAP } else { 0 };
            if count > 0 && total + wanted > style.width {
                break;
            }
            total += wanted;
            count += 1;
        }
        let (now, later) = left.split_at(count);
        let height = now.iter().map(Vec::len).max().unwrap_or(0);
        for line in 0..height {
            let mut row = Row::default();
            row.push("  ");
            for block in now {
                let begin = row.width;
                if let Some(part) = block.get(line) {
                    row.text.push_str(&part.text);
                    row.width += part.width;
                }
                row.pad(begin + block_width(block) + GAP);
            }
            text.push_str(row.text.trim_end());
            text.push('\n');
        }
        left = later;
    }
}

/// What the symbols on the boards mean, where they do not say it themselves.
fn legend(text: &mut String, picture: &Picture<'_>, style: &TextStyle) {
    const MOST: usize = 12;
    let mut items: Vec<String> = Vec::new();
    for (board, state) in picture.layout.boards.iter().zip(&picture.boards) {
        for (number, piece) in board.pieces.iter().enumerate() {
            let is_there = state.squares.iter().any(|square| square.pieces.contains(&number));
            let is_plain =
                matches!(piece.shape, PieceShape::Chess(_) | PieceShape::Blank | PieceShape::Number);
            let item = format!("{} {}", piece.symbol, clean(&piece.name));
            if is_there && !is_plain && piece.symbol != piece.name && !items.contains(&item) {
                items.push(item);
            }
        }
    }
    let squares = picture.boards.iter().flat_map(|state| &state.squares);
    let marks: BTreeSet<&String> =
        squares.filter(|square| !square.moved).flat_map(|square| &square.marks).collect();
    items.extend(marks.into_iter().map(|mark| format!("( ) {}", clean(mark))));
    if !items.is_empty() && items.len() <= MOST {
        write_items(text, "  ", &items, "   ", style);
    }
}

fn block(board: &Board, state: &BoardState, has_name: bool, style: &TextStyle) -> Block {
    let mut block = Block::new();
    if has_name {
        let mut row = Row::default();
        row.push(&clean(&board.name));
        block.push(row);
    }
    let size = state.squares.iter().map(|square| width(&square_text(board, square))).max().unwrap_or(1);
    let labels = board.columns.iter().map(|label| width(label)).max().unwrap_or(1);
    let symbols = board.pieces.iter().map(|piece| width(&piece.symbol)).max().unwrap_or(1);
    let size = size.max(labels).max(symbols).max(1);
    let lattice_width = board.columns.len() * (size + 3) + 8;
    if board.has_lines && lattice_width <= style.width.max(80) {
        block.extend(lattice(board, state, size, style));
        return block;
    }
    let margin = board.rows.iter().map(|label| width(label)).max().unwrap_or(0);
    let room = style.width.saturating_sub(margin + 6) / (size + 1);
    let columns = board.columns.len();
    let parts = columns.div_ceil(room.max(1)).max(1);
    // Parts of about the same width read better than one full and one short.
    let each = columns.div_ceil(parts).max(1);
    for part in 0..parts {
        let range = part * each..((part + 1) * each).min(columns);
        block.extend(rows(board, state, size, range, style));
    }
    block
}

/// The rows of a board without lines, and the names of its columns below them.
fn rows(board: &Board, state: &BoardState, size: usize, columns: Range<usize>, style: &TextStyle) -> Block {
    let margin = board.rows.iter().map(|label| width(label)).max().unwrap_or(0);
    let mut block = Block::new();
    for (number, label) in board.rows.iter().enumerate() {
        let mut row = Row::default();
        row.push(&format!("{label:>margin$} "));
        row.pad(row.width + indent(board, number, size));
        let mut closing = None;
        for column in columns.clone() {
            let found = board.cells.iter().position(|cell| (cell.column, cell.row) == (column, number));
            let Some(cell) = found else {
                row.push(closing.take().unwrap_or(" "));
                row.pad(row.width + size);
                continue;
            };
            let square = &state.squares[cell];
            let (open, close) = brackets(square);
            // The bracket stands next to the symbol; between two marked cells there is room for one.
            let padding = size.saturating_sub(width(&square_text(board, square)));
            match (open, closing) {
                (Some(_), Some(_)) if padding == 0 => row.push("|"),
                (Some(open), _) if padding > 0 => {
                    row.push(closing.unwrap_or(" "));
                    row.pad(row.width + padding - 1);
                    row.push(open);
                }
                (open, closing) => {
                    row.push(open.or(closing).unwrap_or(" "));
                    row.pad(row.width + padding);
                }
            }
            closing = close;
            write_square(&mut row, board, square, style);
        }
        row.push(closing.unwrap_or(""));
        block.push(row);
    }
    let mut row = Row::default();
    row.pad(margin + 1 + indent(board, board.rows.len(), size));
    if board.tiling != Tiling::HexagonsCentred {
        for label in &board.columns[columns] {
            row.push(&format!(" {label:>size$}"));
        }
        block.push(row);
    }
    block
}

/// How far a row of hexagons is shifted.
fn indent(board: &Board, row: usize, size: usize) -> usize {
    let last = board.rows.len().saturating_sub(1);
    let halves = match board.tiling {
        Tiling::Squares => 0,
        Tiling::HexagonsRight => row,
        Tiling::HexagonsLeft => (last + 1).saturating_sub(row).saturating_sub(usize::from(row <= last)),
        Tiling::HexagonsCentred => {
            let length = board.cells.iter().filter(|cell| cell.row == row).count();
            board.columns.len().saturating_sub(length)
        }
    };
    halves * (size + 1) / 2
}

/// What is put around a cell: the last move, or a mark.
fn brackets(square: &Square) -> (Option<&'static str>, Option<&'static str>) {
    match square {
        Square { moved: true, .. } => (Some("["), Some("]")),
        Square { marks, .. } if !marks.is_empty() => (Some("("), Some(")")),
        _ => (None, None),
    }
}

/// What is written in a cell.
fn square_text(board: &Board, square: &Square) -> String {
    let symbols = square.pieces.iter().filter_map(|&piece| board.pieces.get(piece));
    let text: String = symbols.map(|piece| piece.symbol.as_str()).collect();
    if text.is_empty() { "·".to_owned() } else { clean(&text) }
}

fn write_square(row: &mut Row, board: &Board, square: &Square, style: &TextStyle) {
    let text = square_text(board, square);
    let piece = square.pieces.iter().find_map(|&piece| board.pieces.get(piece));
    match piece.filter(|_| style.colour) {
        Some(piece) => row.push_styled(&text, style_of(piece)),
        None if style.colour => row.push_styled(&text, Style::new().dimmed()),
        None => row.push(&text),
    }
}

/// The colours of a terminal. Black and white are its own two.
fn style_of(piece: &Piece) -> Style {
    let colour = match piece.colour {
        Colour::White | Colour::Black => return Style::new().bold(),
        Colour::Red => AnsiColor::Red,
        Colour::Blue => AnsiColor::Blue,
        Colour::Green => AnsiColor::Green,
        Colour::Yellow | Colour::Orange | Colour::Brown => AnsiColor::Yellow,
        Colour::Purple | Colour::Magenta => AnsiColor::Magenta,
        Colour::Teal => AnsiColor::Cyan,
        Colour::Gray => return Style::new().dimmed(),
    };
    let is_strong = piece.shape != PieceShape::Number;
    let style = Style::new().fg_color(Some(colour.into()));
    if is_strong { style.bold() } else { style }
}

/// A board with lines along the sides of its cells.
fn lattice(board: &Board, state: &BoardState, size: usize, style: &TextStyle) -> Block {
    let margin = board.rows.iter().map(|label| width(label)).max().unwrap_or(0);
    let (wide, high) = (board.columns.len(), board.rows.len());
    let is_dots = board.look == Look::Dots;
    let at = |n: usize| i32::try_from(n).unwrap_or(i32::MAX);
    let has = |from: [usize; 2], to: [usize; 2]| {
        let line = Line { from: from.map(at), to: to.map(at) };
        state.lines.contains(&line)
    };
    let mut block = Block::new();
    for row in 0..=high {
        let mut between = Row::default();
        between.pad(margin + 1);
        for column in 0..=wide {
            between.push(if is_dots { "•" } else { "+" });
            if column < wide {
                let bar = if has([column, row], [column + 1, row]) { "─" } else { " " };
                between.push(&bar.repeat(size + 2));
            }
        }
        block.push(between);
        if row == high {
            break;
        }
        let mut line = Row::default();
        line.push(&format!("{:>margin$} ", board.rows[row]));
        for column in 0..=wide {
            line.push(if has([column, row], [column, row + 1]) { "│" } else { " " });
            if column == wide {
                break;
            }
            let found = board.cells.iter().position(|cell| (cell.column, cell.row) == (column, row));
            match found.map(|cell| &state.squares[cell]) {
                Some(square) => {
                    let (open, close) = brackets(square);
                    line.push(open.unwrap_or(" "));
                    if is_dots && square.pieces.is_empty() {
                        line.pad(line.width + size);
                    } else {
                        line.pad(line.width + size.saturating_sub(width(&square_text(board, square))));
                        write_square(&mut line, board, square, style);
                    }
                    line.push(close.unwrap_or(" "));
                }
                None => line.pad(line.width + size + 2),
            }
        }
        block.push(line);
    }
    let mut names = Row::default();
    names.pad(margin + 1);
    for label in &board.columns {
        names.push(&format!("  {label:>size$} "));
    }
    block.push(names);
    block
}
