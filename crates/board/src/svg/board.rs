//! A board as SVG: squares, hexagons, a frame for discs or dots, with coordinates around it.

use std::fmt::Write;

use super::{CELL, escape, piece, short};
use crate::layout::{Board, Cell, Look, Tiling};
use crate::picture::{BoardState, Square};

/// The room for the names of rows and columns.
const LABELS: f64 = 22.0;

/// The height of a board's name.
const NAME: f64 = 20.0;

/// How far rows of hexagons are apart, for hexagons as wide as cells.
const HEX_ROW: f64 = CELL * 0.866;

/// How wide and high a board is drawn.
pub(super) fn size(board: &Board, has_name: bool) -> [f64; 2] {
    let name = if has_name { NAME } else { 0.0 };
    let (columns, rows) = (board.columns.len() as f64, board.rows.len() as f64);
    let wide = match board.tiling {
        Tiling::Squares | Tiling::HexagonsCentred => columns * CELL,
        Tiling::HexagonsRight | Tiling::HexagonsLeft => columns * CELL + (rows - 1.0) * CELL / 2.0,
    };
    let high = if board.tiling == Tiling::Squares { rows * CELL } else { rows * HEX_ROW + CELL * 0.29 };
    [wide + label_width(board) + 4.0, high + LABELS + name]
}

/// The room that the names of rows need.
fn label_width(board: &Board) -> f64 {
    let longest = board.rows.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    if longest == 0 { 4.0 } else { 12.0 + 7.0 * longest as f64 }
}

/// Draws a board; `number` is its number if its cells are to be told apart by a page.
pub(super) fn draw(
    out: &mut String,
    board: &Board,
    state: &BoardState,
    has_name: bool,
    number: Option<usize>,
) {
    let top = if has_name {
        let _ = write!(out, "<text class=\"name\" x=\"0\" y=\"14\">{}</text>", escape(&board.name));
        NAME
    } else {
        0.0
    };
    let left = label_width(board);
    frame(out, board, left, top);
    for (place, (cell, square)) in board.cells.iter().zip(&state.squares).enumerate() {
        let [x, y] = centre(board, cell);
        if let Some(number) = number {
            let name = escape(&cell.name.join(" "));
            let _ = write!(out, "<g data-cell=\"{number}.{place}\" data-name=\"{name}\">");
        }
        draw_cell(out, board, cell, square, [x + left, y + top]);
        if number.is_some() {
            out.push_str("</g>");
        }
    }
    for line in &state.lines {
        let at = |[x, y]: [i32; 2]| [f64::from(x) * CELL + left, f64::from(y) * CELL + top];
        let ([x1, y1], [x2, y2]) = (at(line.from), at(line.to));
        let _ = write!(
            out,
            "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"#8a3324\" stroke-width=\"5\" stroke-linecap=\"round\"/>",
            short(x1),
            short(y1),
            short(x2),
            short(y2)
        );
    }
    if board.look == Look::Dots {
        dots(out, board, left, top);
    }
    labels(out, board, left, top);
}

/// The middle of a cell.
fn centre(board: &Board, cell: &Cell) -> [f64; 2] {
    let (column, row) = (cell.column as f64, cell.row as f64);
    let last = board.rows.len() as f64 - 1.0;
    let shift = match board.tiling {
        Tiling::Squares => return [(column + 0.5) * CELL, (row + 0.5) * CELL],
        Tiling::HexagonsRight => row,
        Tiling::HexagonsLeft => last - row,
        Tiling::HexagonsCentred => {
            let length = board.cells.iter().filter(|other| other.row == cell.row).count();
            board.columns.len() as f64 - length as f64
        }
    };
    [(column + 0.5 + shift / 2.0) * CELL, row * HEX_ROW + CELL * 0.577]
}

/// What lies under the cells.
fn frame(out: &mut String, board: &Board, left: f64, top: f64) {
    let (wide, high) = (board.columns.len() as f64 * CELL, board.rows.len() as f64 * CELL);
    if board.look == Look::Drop && board.tiling == Tiling::Squares {
        let _ = write!(
            out,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"10\" fill=\"#2f62b5\"/>",
            short(left),
            short(top),
            short(wide),
            short(high)
        );
    }
}

fn draw_cell(out: &mut String, board: &Board, cell: &Cell, square: &Square, [x, y]: [f64; 2]) {
    let half = CELL / 2.0;
    let fill = fill(board, cell);
    match (board.tiling, board.look) {
        (Tiling::Squares, Look::Drop) => {
            let _ = write!(
                out,
                "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"#dce6f5\"/>",
                short(x),
                short(y),
                short(CELL * 0.4)
            );
        }
        (Tiling::Squares, Look::Dots) => {}
        (Tiling::Squares, _) => {
            let _ = write!(
                out,
                "<rect x=\"{}\" y=\"{}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"{fill}\" stroke=\"{}\" stroke-width=\"1\"/>",
                short(x - half),
                short(y - half),
                edge(board)
            );
        }
        _ => {
            let _ = write!(
                out,
                "<path d=\"{}\" fill=\"{fill}\" stroke=\"{}\" stroke-width=\"1.5\"/>",
                hexagon([x, y], CELL),
                edge(board)
            );
        }
    }
    if square.moved {
        outline(out, board, [x, y], "#f2a900", "");
    } else if !square.marks.is_empty() {
        outline(out, board, [x, y], "#2f81f7", " stroke-dasharray=\"5 4\"");
    }
    let pieces: Vec<_> = square.pieces.iter().filter_map(|&piece| board.pieces.get(piece)).collect();
    match &pieces[..] {
        [] => {}
        [only] => piece::draw(out, only, [x, y], CELL),
        several => {
            // Several pieces share the cell, two in a row.
            let rows = several.len().div_ceil(2) as f64;
            let each = CELL / rows.max(2.0);
            for (number, piece) in several.iter().enumerate() {
                let column = (number % 2) as f64;
                let row = (number / 2) as f64;
                let at = [x + (column - 0.5) * each, y + (row - (rows - 1.0) / 2.0) * each];
                piece::draw(out, piece, at, each);
            }
        }
    }
}

/// A frame inside a cell.
fn outline(out: &mut String, board: &Board, [x, y]: [f64; 2], colour: &str, dashes: &str) {
    let common =
        format!("fill=\"{colour}\" fill-opacity=\"0.28\" stroke=\"{colour}\" stroke-width=\"3\"{dashes}");
    let half = CELL / 2.0 - 2.0;
    let _ = match (board.tiling, board.look) {
        (Tiling::Squares, Look::Drop) => {
            write!(
                out,
                "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {common}/>",
                short(x),
                short(y),
                short(CELL * 0.43)
            )
        }
        (Tiling::Squares, _) => {
            let side = short(2.0 * half);
            write!(
                out,
                "<rect x=\"{}\" y=\"{}\" width=\"{side}\" height=\"{side}\" {common}/>",
                short(x - half),
                short(y - half)
            )
        }
        _ => write!(out, "<path d=\"{}\" {common}/>", hexagon([x, y], CELL - 5.0)),
    };
}

/// A hexagon with a corner at the top.
fn hexagon([x, y]: [f64; 2], wide: f64) -> String {
    let (half, side) = (wide / 2.0, wide / 3.0_f64.sqrt());
    let corners = [
        (0.0, -side),
        (half, -side / 2.0),
        (half, side / 2.0),
        (0.0, side),
        (-half, side / 2.0),
        (-half, -side / 2.0),
    ];
    let points: Vec<String> =
        corners.iter().map(|(dx, dy)| format!("{} {}", short(x + dx), short(y + dy))).collect();
    format!("M{}Z", points.join("L"))
}

fn fill(board: &Board, cell: &Cell) -> &'static str {
    match board.look {
        // The square at the left of the lowest row is dark.
        Look::Checkered if (cell.column + board.rows.len() - 1 - cell.row).is_multiple_of(2) => "#b58863",
        Look::Checkered => "#f0d9b5",
        Look::Wood => "#e6bf7d",
        Look::Plain | Look::Drop | Look::Dots => "#f6f2e9",
    }
}

fn edge(board: &Board) -> &'static str {
    match board.look {
        Look::Checkered => "#8a6246",
        Look::Wood => "#9a7440",
        _ => "#c9bfab",
    }
}

fn dots(out: &mut String, board: &Board, left: f64, top: f64) {
    for row in 0..=board.rows.len() {
        for column in 0..=board.columns.len() {
            let (x, y) = (column as f64 * CELL + left, row as f64 * CELL + top);
            let _ = write!(out, "<circle class=\"grid\" cx=\"{}\" cy=\"{}\" r=\"3\"/>", short(x), short(y));
        }
    }
}

/// The names of columns below and of rows on the left.
fn labels(out: &mut String, board: &Board, left: f64, top: f64) {
    let last = board.rows.len() as f64 - 1.0;
    let lowest = match board.tiling {
        Tiling::Squares => board.rows.len() as f64 * CELL,
        _ => last * HEX_ROW + CELL * 1.155,
    };
    let shift = |row: f64| match board.tiling {
        Tiling::HexagonsRight => row / 2.0,
        Tiling::HexagonsLeft => (last - row) / 2.0,
        _ => 0.0,
    };
    if board.tiling != Tiling::HexagonsCentred {
        for (column, label) in board.columns.iter().enumerate() {
            let x = (column as f64 + 0.5 + shift(last)) * CELL + left;
            let _ = write!(
                out,
                "<text class=\"label\" text-anchor=\"middle\" x=\"{}\" y=\"{}\">{}</text>",
                short(x),
                short(lowest + top + 15.0),
                escape(label)
            );
        }
    }
    for (row, label) in board.rows.iter().enumerate() {
        let number = row as f64;
        let y = match board.tiling {
            Tiling::Squares => (number + 0.5) * CELL,
            _ => number * HEX_ROW + CELL * 0.577,
        };
        let _ = write!(
            out,
            "<text class=\"label\" text-anchor=\"end\" x=\"{}\" y=\"{}\">{}</text>",
            short(left - 6.0 + shift(number) * CELL),
            short(y + top + 4.0),
            escape(label)
        );
    }
}
