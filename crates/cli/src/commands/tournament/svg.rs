//! Pictures of a tournament as SVG: ratings over time, and the cross table. Both are written by hand: a few lines, rectangles
//! and words.

use std::fmt::Write;

use groundrules_host::tournament::{Row, Score, Tournament};

/// Colours that colour-blind people can tell apart, after Okabe and Ito.
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];

/// The colour of a player.
pub(super) fn colour(player: usize) -> &'static str {
    COLOURS[player % COLOURS.len()]
}

/// Ratings after so many matches, a line per player with its name at its end.
pub(super) fn ratings(tournament: &Tournament) -> String {
    const MOST_POINTS: usize = 200;
    const SIZE: (f64, f64) = (860.0, 380.0);
    let played = tournament.finished().len();
    let points = played.clamp(1, MOST_POINTS);
    let times: Vec<usize> = (0..=points).map(|point| point * played / points).collect();
    let tables: Vec<Vec<Row>> = times.iter().map(|&time| tournament.table_after(time)).collect();
    let all = || tables.iter().flatten().map(|row| row.rating);
    let (least, most) = (all().fold(1450.0, f64::min), all().fold(1550.0, f64::max));
    let (least, most) = ((least / 100.0).floor() * 100.0, (most / 100.0).ceil() * 100.0);
    let frame = Frame { left: 60.0, top: 44.0, right: SIZE.0 - 150.0, bottom: SIZE.1 - 48.0, least, most };
    let x = |time: usize| frame.left + (frame.right - frame.left) * time as f64 / played.max(1) as f64;
    let mut text = open(SIZE, "Ratings over time");
    frame.draw(played, &mut text);
    let mut ends: Vec<(f64, usize, &str)> = Vec::new();
    for (player, name) in tournament.players().enumerate() {
        let of =
            |rows: &Vec<Row>| rows.iter().find(|row| row.player == name).map_or(1500.0, |row| row.rating);
        let line: Vec<(f64, f64)> =
            times.iter().zip(&tables).map(|(&time, rows)| (x(time), frame.y(of(rows)))).collect();
        let path: Vec<String> = line.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            text,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"><title>{}</title></polyline>",
            path.join(" "),
            colour(player),
            escaped(name)
        );
        ends.push((line.last().map_or(frame.bottom, |(_, y)| *y), player, name));
    }
    // Names of lines that end close together are moved apart.
    ends.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut free = f64::NEG_INFINITY;
    for (y, player, name) in ends {
        free = y.max(free + 15.0);
        let _ = writeln!(
            text,
            "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"{}\">{}</text>",
            frame.right + 8.0,
            free + 4.0,
            colour(player),
            escaped(&clipped(name, 20))
        );
    }
    text + "</svg>\n"
}

/// The part of a picture in which lines are drawn, and what its height stands for.
struct Frame {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
    least: f64,
    most: f64,
}

impl Frame {
    fn y(&self, rating: f64) -> f64 {
        self.bottom - (self.bottom - self.top) * (rating - self.least) / (self.most - self.least)
    }

    /// Axes with their numbers, and a light grid.
    fn draw(&self, played: usize, text: &mut String) {
        let step = if self.most - self.least > 1000.0 { 200.0 } else { 100.0 };
        let mut rating = self.least;
        while rating <= self.most {
            let (y, weight) = (self.y(rating), if rating == 1500.0 { "#888888" } else { "#dddddd" });
            let _ = writeln!(
                text,
                "<line x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"{weight}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{rating:.0}</text>",
                self.left,
                self.right,
                self.left - 8.0,
                y + 4.0
            );
            rating += step;
        }
        for (x, words, anchor) in
            [(self.left, "0".to_owned(), "middle"), (self.right, played.to_string(), "middle")]
        {
            let y = self.bottom + 18.0;
            let _ = writeln!(text, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{words}</text>");
        }
        let (x, y) = ((self.left + self.right) / 2.0, self.bottom + 34.0);
        let _ =
            writeln!(text, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">matches played</text>");
    }
}

/// What everybody scored against everybody: points of meetings, darker for a larger share.
pub(super) fn cross_table(tournament: &Tournament) -> String {
    const CELL: (f64, f64) = (92.0, 34.0);
    const HEAD: (f64, f64) = (150.0, 84.0);
    let rows = tournament.table();
    let names: Vec<&str> = tournament.players().collect();
    // The best first, as in the table.
    let order: Vec<usize> =
        rows.iter().filter_map(|row| names.iter().position(|name| *name == row.player)).collect();
    let scores = tournament.cross_table();
    let count = order.len() as f64;
    let mut text = open((HEAD.0 + CELL.0 * count + 12.0, HEAD.1 + CELL.1 * count + 12.0), "Cross table");
    for (row, &one) in order.iter().enumerate() {
        let y = HEAD.1 + CELL.1 * row as f64;
        let x = HEAD.0 + CELL.0 * (row as f64 + 0.5);
        let name = escaped(&clipped(names[one], 18));
        let above = escaped(&clipped(names[one], 12));
        let _ = writeln!(
            text,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{name}</text>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{above}</text>",
            HEAD.0 - 8.0,
            y + CELL.1 / 2.0 + 4.0,
            HEAD.1 - 10.0
        );
        for (column, &other) in order.iter().enumerate() {
            let score = scores.get(one).and_then(|scores| scores.get(other)).copied().unwrap_or_default();
            cell(&mut text, (HEAD.0 + CELL.0 * column as f64, y), CELL, score, one == other);
        }
    }
    text + "</svg>\n"
}

fn cell(text: &mut String, (x, y): (f64, f64), (width, height): (f64, f64), score: Score, own: bool) {
    let share = if score.meetings == 0 { 0.0 } else { score.points / score.meetings as f64 };
    // White for nothing, blue for everything.
    let part = |full: f64| 255.0 - (255.0 - full) * share * 0.6;
    let fill = if own {
        "#eeeeee".to_owned()
    } else {
        format!("rgb({:.0},{:.0},{:.0})", part(0.0), part(114.0), part(178.0))
    };
    let _ = writeln!(
        text,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{fill}\" stroke=\"#cccccc\"/>"
    );
    if score.meetings > 0 {
        let _ = writeln!(
            text,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{} of {}</text>",
            x + width / 2.0,
            y + height / 2.0 + 4.0,
            score.points,
            score.meetings
        );
    }
}

fn open((width, height): (f64, f64), title: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" font-family=\"sans-serif\" font-size=\"13\">\n<title>{title}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"12\" y=\"24\" font-size=\"16\">{title}</text>\n"
    )
}

/// The beginning of a name that is too long.
fn clipped(name: &str, most: usize) -> String {
    match name.chars().count() > most {
        true => name.chars().take(most - 1).chain(['…']).collect(),
        false => name.to_owned(),
    }
}

/// Text for SVG and HTML.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
