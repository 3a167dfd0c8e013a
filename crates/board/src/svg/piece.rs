//! Pieces as SVG: stones, draughtsmen, chessmen, noughts and crosses. The outlines are drawn in a box of 45 by 45.

use std::fmt::Write;

use super::{escape, short};
use crate::piece::{Chess, Colour, Piece, PieceShape};

/// The side of the box in which outlines are drawn.
const BOX: f64 = 45.0;

/// The outline of a chessman, and the lines drawn on it.
fn chessman(piece: Chess) -> (&'static str, &'static str) {
    match piece {
        Chess::Pawn => (
            "M22.5 9a5.6 5.6 0 0 1 3.5 10c1 4.2 2.3 8 5 12H14c2.7-4 4-7.8 5-12a5.6 5.6 0 0 1 3.5-10zM13 33h19l2.5 6h-24z",
            "",
        ),
        Chess::Rook => (
            "M11.5 8h5.500v4h3.500V8h4v4H28V8h5.500v9.500L30 21l.5 10h-16l.5-10-3.5-3.500zM13 33h19l2.5 6h-24z",
            "M15 21h15",
        ),
        Chess::Bishop => (
            "M22.5 5.500a2.7 2.7 0 0 1 1.7 4.800c4.3 3.2 7 7.5 7 12 0 3.5-1.8 6.2-4.2 8.700h-9c-2.4-2.5-4.2-5.2-4.2-8.7 0-4.5 2.7-8.8 7-12a2.7 2.7 0 0 1 1.7-4.800zM13 33h19l2.5 6h-24z",
            "M22.5 15v9.500M18.5 19h8",
        ),
        Chess::Queen => (
            "M9 12.500l5.5 11L16 9.500l4.5 12.500L22.5 7.5 24.5 22 29 9.500l1.5 14 5.5-11L32 31H13zM13 33h19l2.5 6h-24z",
            "M13.5 27.500q9-3 18 0",
        ),
        Chess::King => (
            "M21 4.500h3V8h3.500v3H24v3.500c6-3.5 12.5-.8 12.5 5.2 0 5-4.5 8-6 11.300h-16c-1.5-3.3-6-6.3-6-11.3 0-6 6.5-8.7 12.5-5.200V11h-3.500V8H21zM13 33h19l2.5 6h-24z",
            "M22.5 16v14M14 27q8.5-3 17 0",
        ),
        Chess::Knight => (
            "M13.5 31c.5-7 7-9.5 7-14.5-2.5 1-4.5 3.8-7.2 4.8-2 .7-4-.6-4.3-2.5 2.7-3.3 4.2-7.6 7.8-10.100L17 4.500l4 3.200C29.5 8.2 34 15 34 24c0 2.5-.3 4.8-.8 7zM13 33h19l2.5 6h-24z",
            "M17.3 13.200h1.4",
        ),
    }
}

/// The light, the main and the dark tone of a colour.
fn tones(colour: Colour) -> [&'static str; 3] {
    match colour {
        Colour::White => ["#ffffff", "#f4f1ea", "#8c857a"],
        Colour::Black => ["#6b6b6b", "#222222", "#000000"],
        Colour::Red => ["#f28b82", "#d3302f", "#8e1b1b"],
        Colour::Blue => ["#8ab4f8", "#2f6fd6", "#17408a"],
        Colour::Green => ["#86d19b", "#2e9e56", "#176235"],
        Colour::Yellow => ["#fff0a3", "#f2c314", "#a37e00"],
        Colour::Orange => ["#ffc285", "#ee7f1d", "#9a4a06"],
        Colour::Purple => ["#c9a5f2", "#8848cf", "#55248a"],
        Colour::Teal => ["#8fdcd8", "#1b9e97", "#0c615c"],
        Colour::Magenta => ["#f5a3d6", "#d6339a", "#8a1a60"],
        Colour::Brown => ["#c9a07a", "#8a5a2b", "#57361a"],
        Colour::Gray => ["#d0d7de", "#8c959f", "#57606a"],
    }
}

const COLOURS: [Colour; 12] = [
    Colour::White,
    Colour::Black,
    Colour::Red,
    Colour::Blue,
    Colour::Green,
    Colour::Yellow,
    Colour::Orange,
    Colour::Purple,
    Colour::Teal,
    Colour::Magenta,
    Colour::Brown,
    Colour::Gray,
];

/// The shading of discs, one for each colour.
pub(super) fn gradients() -> String {
    let mut text = String::from("<defs>");
    for (number, &colour) in COLOURS.iter().enumerate() {
        let [light, main, _] = tones(colour);
        let _ = write!(
            text,
            "<radialGradient id=\"g{number}\" cx=\"35%\" cy=\"30%\" r=\"75%\"><stop offset=\"0\" stop-color=\"{light}\"/>\
             <stop offset=\"0.55\" stop-color=\"{main}\"/><stop offset=\"1\" stop-color=\"{main}\"/></radialGradient>"
        );
    }
    text.push_str("</defs>\n");
    text
}

fn gradient(colour: Colour) -> usize {
    COLOURS.iter().position(|&other| other == colour).unwrap_or(0)
}

/// Draws a piece around a point, in a cell of some size.
pub(super) fn draw(out: &mut String, piece: &Piece, [x, y]: [f64; 2], size: f64) {
    let [_, main, dark] = tones(piece.colour);
    let (cx, cy) = (short(x), short(y));
    let radius = size * 0.38;
    let _ = write!(out, "<g><title>{}</title>", escape(&piece.name));
    let _ = match piece.shape {
        PieceShape::Blank => Ok(()),
        PieceShape::Disc | PieceShape::Crowned => {
            let r = short(radius);
            let fill = gradient(piece.colour);
            let disc = write!(
                out,
                "<circle cx=\"{cx}\" cy=\"{cy}\" r=\"{r}\" fill=\"url(#g{fill})\" stroke=\"{dark}\"/>"
            );
            if piece.shape == PieceShape::Crowned {
                let crown = "M12 31L9.5 15l7 6.5 6-10 6 10 7-6.500L33 31z";
                let gold = if piece.colour == Colour::Yellow { "#7a3b00" } else { "#f2c314" };
                outlined(out, crown, "", [x, y], size * 0.62, gold, "#6b5200");
            }
            disc
        }
        PieceShape::Chess(chess) => {
            let (outline, details) = chessman(chess);
            let (fill, stroke) = match piece.colour {
                Colour::Black => ("#2b2b2b", "#0a0a0a"),
                Colour::White => ("#fbf8f1", "#3a3a3a"),
                _ => (main, dark),
            };
            outlined(out, outline, details, [x, y], size * 0.94, fill, stroke);
            Ok(())
        }
        PieceShape::Cross => {
            let r = size * 0.28;
            let (a, b, c, d) = (short(x - r), short(y - r), short(x + r), short(y + r));
            write!(
                out,
                "<path d=\"M{a} {b}L{c} {d}M{c} {b}L{a} {d}\" stroke=\"{main}\" stroke-width=\"{}\" stroke-linecap=\"round\"/>",
                short(size * 0.12)
            )
        }
        PieceShape::Ring => write!(
            out,
            "<circle cx=\"{cx}\" cy=\"{cy}\" r=\"{}\" fill=\"none\" stroke=\"{main}\" stroke-width=\"{}\"/>",
            short(size * 0.28),
            short(size * 0.12)
        ),
        PieceShape::Block => {
            let half = size * 0.46;
            let side = short(2.0 * half);
            write!(
                out,
                "<rect x=\"{}\" y=\"{}\" width=\"{side}\" height=\"{side}\" rx=\"4\" fill=\"#6e6259\" stroke=\"#4a413a\"/>",
                short(x - half),
                short(y - half)
            )
        }
        PieceShape::Arrow => {
            let r = size * 0.2;
            let (a, b, c, d) = (short(x - r), short(y - r), short(x + r), short(y + r));
            write!(
                out,
                "<path d=\"M{a} {b}L{c} {d}M{c} {b}L{a} {d}\" stroke=\"#5b3a1c\" stroke-width=\"{}\" stroke-linecap=\"round\"/>",
                short(size * 0.1)
            )
        }
        PieceShape::Number => lettered(out, &piece.symbol, [x, y], size, "#24292f"),
        PieceShape::Label => {
            let r = short(radius);
            let disc =
                write!(out, "<circle cx=\"{cx}\" cy=\"{cy}\" r=\"{r}\" fill=\"{main}\" stroke=\"{dark}\"/>");
            let ink =
                if matches!(piece.colour, Colour::White | Colour::Yellow) { "#24292f" } else { "#ffffff" };
            disc.and_then(|()| lettered(out, &piece.symbol, [x, y], size * 0.8, ink))
        }
    };
    out.push_str("</g>");
}

/// A text in the middle of a cell, smaller the longer it is.
fn lettered(out: &mut String, text: &str, [x, y]: [f64; 2], size: f64, ink: &str) -> std::fmt::Result {
    let length = text.chars().count().max(1) as f64;
    let high = (size * 0.55).min(size * 1.25 / length);
    write!(
        out,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" font-weight=\"600\" font-size=\"{}\" fill=\"{ink}\">{}</text>",
        short(x),
        short(y + high * 0.36),
        short(high),
        escape(text)
    )
}

fn outlined(
    out: &mut String,
    outline: &str,
    details: &str,
    [x, y]: [f64; 2],
    size: f64,
    fill: &str,
    stroke: &str,
) {
    let scale = size / BOX;
    let (left, top) = (short(x - size / 2.0), short(y - size / 2.0));
    // Details are drawn in the other tone, so that they show on dark pieces too.
    let line = if fill.starts_with("#2") { "#d8d3c8" } else { stroke };
    let _ = write!(
        out,
        "<g transform=\"translate({left} {top}) scale({})\" stroke-linejoin=\"round\" stroke-linecap=\"round\">\
         <path d=\"{outline}\" fill=\"{fill}\" stroke=\"{stroke}\" stroke-width=\"1.4\"/>",
        short(scale)
    );
    if !details.is_empty() {
        let _ = write!(out, "<path d=\"{details}\" fill=\"none\" stroke=\"{line}\" stroke-width=\"1.6\"/>");
    }
    out.push_str("</g>");
}
