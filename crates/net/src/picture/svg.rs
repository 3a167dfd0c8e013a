//! Writes a picture as SVG.

use std::fmt::Write;

use super::layout::{HEAD, Layout, ROW, layout};
use super::{Picture, Shape};
use crate::gates::Kind;

/// The width of a letter, about.
const LETTER: f64 = 5.0;
/// The room between columns.
const GAP: f64 = 90.0;
/// The room that the legend takes.
const LEGEND: (f64, f64) = (760.0, 26.0);

pub(super) fn write(picture: &Picture) -> String {
    let layout = layout(picture);
    let columns = Columns::of(picture, &layout);
    let drawn = layout.height + 2.0 * HEAD;
    let (width, height) = (columns.width.max(LEGEND.0), drawn + LEGEND.1);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" font-family=\"sans-serif\" font-size=\"9\">\n<title>{}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        escaped(&picture.title)
    );
    clusters(picture, &layout, &columns, &mut text);
    edges(picture, &layout, &columns, &mut text);
    nodes(picture, &layout, &columns, &mut text);
    legend(drawn, &mut text);
    text.push_str("</svg>\n");
    text
}

/// Where columns begin, and how wide they are.
struct Columns {
    starts: Vec<f64>,
    widths: Vec<f64>,
    width: f64,
}

impl Columns {
    fn of(picture: &Picture, layout: &Layout) -> Self {
        let mut widths = vec![20.0f64; layout.columns];
        for cluster in &layout.clusters {
            let widest = &mut widths[cluster.column];
            for &member in &cluster.members {
                let node = &picture.nodes[member];
                let text = words(picture, member).chars().count().max(node.group.chars().count());
                *widest = widest.max(text as f64 * LETTER + 10.0);
            }
        }
        let mut start = 12.0;
        let starts = widths.iter().map(|width| {
            let own = start;
            start += width + GAP;
            own
        });
        Columns { starts: starts.collect(), width: start - GAP + 12.0, widths }
    }
}

/// What stands in a node.
fn words(picture: &Picture, number: usize) -> String {
    let node = &picture.nodes[number];
    let sign = match node.shape {
        Shape::Gate(Kind::And) => "&",
        Shape::Gate(Kind::Or) => "≥1",
        _ => "",
    };
    [sign, &node.label].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

fn clusters(picture: &Picture, layout: &Layout, columns: &Columns, text: &mut String) {
    for cluster in &layout.clusters {
        let Some((&first, &last)) = cluster.members.first().zip(cluster.members.last()) else { continue };
        let group = &picture.nodes[first].group;
        if group.is_empty() {
            continue;
        }
        let (x, width) = (columns.starts[cluster.column] - 4.0, columns.widths[cluster.column] + 8.0);
        let (top, bottom) = (layout.y[first] - ROW / 2.0 - 10.0, layout.y[last] + ROW / 2.0 + 2.0);
        let _ = writeln!(
            text,
            "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{:.1}\" rx=\"4\" fill=\"#f6f6f2\" \
             stroke=\"#cccccc\"/><text x=\"{:.1}\" y=\"{:.1}\" font-size=\"8\" fill=\"#888888\">{}</text>",
            bottom - top,
            x + 3.0,
            top + 8.0,
            escaped(group)
        );
    }
}

fn edges(picture: &Picture, layout: &Layout, columns: &Columns, text: &mut String) {
    for &(from, to, complement) in &picture.edges {
        let (left, right) = (picture.nodes[from].layer, picture.nodes[to].layer);
        let x1 = columns.starts[left] + columns.widths[left];
        let x2 = columns.starts[right] - if complement { 4.0 } else { 0.0 };
        let (y1, y2) = (layout.y[from], layout.y[to]);
        let bend = (x2 - x1).abs().min(GAP) * 0.6;
        let colour = if complement { "#c0504d" } else { "#7f97b5" };
        let _ = write!(
            text,
            "<path d=\"M{x1:.1} {y1:.1}C{:.1} {y1:.1} {:.1} {y2:.1} {x2:.1} {y2:.1}\" fill=\"none\" \
             stroke=\"{colour}\" stroke-width=\"0.6\"/>",
            x1 + bend,
            x2 - bend
        );
        if complement {
            let _ = write!(
                text,
                "<circle cx=\"{:.1}\" cy=\"{y2:.1}\" r=\"2\" fill=\"white\" stroke=\"{colour}\"/>",
                x2 + 2.0
            );
        }
        text.push('\n');
    }
}

fn nodes(picture: &Picture, layout: &Layout, columns: &Columns, text: &mut String) {
    for (number, node) in picture.nodes.iter().enumerate() {
        let (x, width) = (columns.starts[node.layer], columns.widths[node.layer]);
        let y = layout.y[number];
        let (radius, fill, stroke) = look(node.shape, node.is_output);
        let _ = writeln!(
            text,
            "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{:.1}\" rx=\"{radius}\" fill=\"{fill}\" \
             stroke=\"{stroke}\" stroke-width=\"0.7\"/><text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            y - ROW / 2.0 + 1.0,
            ROW - 2.0,
            x + 4.0,
            y + 3.2,
            escaped(&words(picture, number))
        );
    }
}

/// How a node is drawn: the radius of its corners, the colour inside and around.
fn look(shape: Shape, is_output: bool) -> (u32, &'static str, &'static str) {
    let (radius, fill, stroke) = match shape {
        Shape::Fluent => (1, "#e3edf7", "#5b7fa6"),
        Shape::Move => (1, "#fdeecf", "#b8860b"),
        Shape::Gate(Kind::And) => (6, "#ffffff", "#555555"),
        Shape::Gate(Kind::Or) => (6, "#eeeeee", "#555555"),
        Shape::Output => (1, "#ffffff", "#555555"),
    };
    if is_output { (radius, "#e4f2e0", "#4f8a3c") } else { (radius, fill, stroke) }
}

/// What colours and signs mean, in one row below the picture.
fn legend(top: f64, text: &mut String) {
    let y = top + LEGEND.1 / 2.0;
    let mut x = 12.0;
    for (shape, is_output, sign, words) in [
        (Shape::Fluent, false, "", "fluent that is true now"),
        (Shape::Move, false, "", "move that is made"),
        (Shape::Gate(Kind::And), false, "&amp;", "all of its inputs"),
        (Shape::Gate(Kind::Or), false, "≥1", "any of its inputs"),
        (Shape::Output, true, "", "next, legal, goal, terminal"),
    ] {
        let (radius, fill, stroke) = look(shape, is_output);
        let _ = writeln!(
            text,
            "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"16\" height=\"11\" rx=\"{radius}\" fill=\"{fill}\" \
             stroke=\"{stroke}\" stroke-width=\"0.7\"/><text x=\"{:.1}\" y=\"{:.1}\">{sign}</text>\
             <text x=\"{:.1}\" y=\"{:.1}\">{words}</text>",
            y - 5.5,
            x + 3.0,
            y + 3.2,
            x + 20.0,
            y + 3.2
        );
        x += 20.0 + words.len() as f64 * LETTER + 14.0;
    }
    let _ = writeln!(
        text,
        "<path d=\"M{x:.1} {y:.1}H{:.1}\" stroke=\"#c0504d\"/><circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"2\" fill=\"white\" \
         stroke=\"#c0504d\"/><text x=\"{:.1}\" y=\"{:.1}\">negated</text>",
        x + 14.0,
        x + 16.0,
        x + 22.0,
        y + 3.2
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
