//! A scatter or line chart, drawn as SVG: title, legend, axes with units, a light grid. The legend stands above the plot,
//! so that it hides no point.

use std::ops::Range;

use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// A colour. Colour-blind readers can distinguish these, too.
pub(super) type Colour = RGBColor;
pub(super) const BLUE: Colour = RGBColor(0, 114, 178);
pub(super) const ORANGE: Colour = RGBColor(213, 94, 0);
pub(super) const GREEN: Colour = RGBColor(0, 158, 115);
pub(super) const GREY: Colour = RGBColor(110, 110, 110);

pub(super) const FONT: &str = "sans-serif";
pub(super) const TEXT: i32 = 15;
/// A character's share of the height of its text, on the safe side.
const CHARACTER: f64 = 0.6;
/// Beside the words along the axis.
const MARGIN: u32 = 14;
/// For the words and numbers along the axis.
const LEFT: u32 = 100;
/// Half a number under the axis may stand out.
const RIGHT: u32 = 40;

/// About how wide a text is, in pixels.
pub(super) fn text_width(text: &str) -> i32 {
    (text.chars().count() as f64 * f64::from(TEXT - 1) * CHARACTER) as i32
}

/// How a series is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// A filled circle for each point.
    Dot,
    /// An upright cross for each point.
    Cross,
    /// An open circle for each point.
    Ring,
    /// An open square for each point.
    Square,
    /// A line through the points.
    Line,
    /// A broken line through the points.
    Dashes,
}

/// Points that belong together.
pub(super) struct Series {
    name: String,
    look: Look,
    colour: Colour,
    points: Vec<(f64, f64)>,
    /// The points' names, if they have any.
    names: Vec<String>,
}

impl Series {
    /// A series with its name in the legend.
    pub(super) fn new(name: &str, look: Look, colour: Colour, points: Vec<(f64, f64)>) -> Series {
        Series { name: name.to_owned(), look, colour, points, names: Vec::new() }
    }

    /// A series whose points carry names.
    pub(super) fn named(name: &str, look: Look, colour: Colour, points: Vec<(String, (f64, f64))>) -> Series {
        let (names, points) = points.into_iter().unzip();
        Series { names, ..Series::new(name, look, colour, points) }
    }
}

/// An axis. A logarithmic one counts in powers of ten.
#[derive(Clone)]
pub(super) struct Axis {
    label: String,
    /// Its lower end.
    pub(super) from: f64,
    /// Its upper end.
    pub(super) to: f64,
    marked: Vec<f64>,
    unmarked: Vec<f64>,
    show: fn(f64) -> String,
}

impl Axis {
    /// Seconds in powers of ten, from and to a whole one, with room at the far end if it is wanted.
    pub(super) fn times(label: &str, values: &[f64], room: bool) -> Axis {
        Axis::logarithmic(label, values, room, show_time)
    }

    /// Counts in powers of ten, likewise.
    pub(super) fn counts(label: &str, values: &[f64], room: bool) -> Axis {
        Axis::logarithmic(label, values, room, show_count)
    }

    /// From nothing to all.
    pub(super) fn percent(label: &str) -> Axis {
        let (marked, unmarked) = ((0..=10).step_by(2), (1..10).step_by(2));
        Axis {
            label: label.to_owned(),
            from: 0.0,
            to: 100.0,
            marked: marked.map(|tenth| 10.0 * f64::from(tenth)).collect(),
            unmarked: unmarked.map(|tenth| 10.0 * f64::from(tenth)).collect(),
            show: |value| format!("{value:.0}"),
        }
    }

    fn logarithmic(label: &str, values: &[f64], room: bool, show: fn(f64) -> String) -> Axis {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min).floor();
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max).ceil();
        let (from, to) = (least as i32, most.max(least + 1.0) as i32 + i32::from(room));
        let between = |decade: i32| (2..10).map(move |digit| f64::from(decade) + f64::from(digit).log10());
        Axis {
            label: label.to_owned(),
            from: from.into(),
            to: to.into(),
            marked: (from..=to).map(f64::from).collect(),
            unmarked: (from..to).flat_map(between).collect(),
            show,
        }
    }
}

/// The grid is drawn where the axis says, not where the drawing library would.
impl Ranged for Axis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (start, end): (i32, i32)) -> i32 {
        let share = (value - self.from) / (self.to - self.from);
        start + (share * f64::from(end - start)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        let unmarked: &[f64] = if hint.weight().allow_light_points() { &self.unmarked } else { &[] };
        [&self.marked, unmarked].concat()
    }

    fn range(&self) -> Range<f64> {
        self.from..self.to
    }
}

/// The power of ten as a time with its unit.
fn show_time(power: f64) -> String {
    let power = power.round() as i32;
    let (unit, rest) = match power {
        ..-3 => ("µs", power + 6),
        -3..0 => ("ms", power + 3),
        _ => ("s", power),
    };
    format!("{} {unit}", 10_f64.powi(rest))
}

/// The power of ten as a count.
fn show_count(power: f64) -> String {
    let power = power.round() as i32;
    let (unit, rest) = match power {
        ..4 => ("", power),
        4..6 => (" thousand", power - 3),
        6..9 => (" million", power - 6),
        _ => (" billion", power - 9),
    };
    format!("{}{unit}", 10_f64.powi(rest))
}

/// A chart.
pub(super) struct Chart {
    /// What it shows.
    pub(super) title: String,
    /// To the right.
    pub(super) x: Axis,
    /// Upwards.
    pub(super) y: Axis,
    /// What is drawn in it, the lowest first.
    pub(super) series: Vec<Series>,
    /// Width and height.
    pub(super) size: (u32, u32),
}

impl Chart {
    /// Draws it as SVG.
    pub(super) fn draw(&self) -> Result<String> {
        let mut picture = String::new();
        // The drawing library's errors borrow what is drawn on, which does not outlive this function.
        let named =
            self.draw_to(&mut picture).map_err(|error| anyhow!("cannot draw {:?}: {error}", self.title))?;
        let end = picture.rfind("</svg>").unwrap_or(picture.len());
        picture.insert_str(end, &point_names(&named, self.size));
        Ok(picture)
    }

    /// Draws the chart, and gives the names of points with their pixels.
    fn draw_to(&self, picture: &mut String) -> Result<Vec<Named>, Box<dyn std::error::Error>> {
        let mut named = Vec::new();
        let root = SVGBackend::with_string(picture, self.size).into_drawing_area();
        root.fill(&WHITE)?;
        let (top, below) = root.split_vertically(72);
        self.draw_head(&top)?;
        let mut chart = ChartBuilder::on(&below)
            .margin_left(MARGIN)
            .margin_right(RIGHT)
            .margin_bottom(8)
            .x_label_area_size(54)
            .y_label_area_size(LEFT)
            .build_cartesian_2d(self.x.clone(), self.y.clone())?;
        chart
            .configure_mesh()
            .bold_line_style(BLACK.mix(0.16))
            .light_line_style(BLACK.mix(0.05))
            .axis_style(BLACK.mix(0.6))
            .x_desc(&self.x.label)
            .y_desc(&self.y.label)
            .x_label_formatter(&|value| (self.x.show)(*value))
            .y_label_formatter(&|value| (self.y.show)(*value))
            .label_style((FONT, TEXT - 1))
            .axis_desc_style((FONT, TEXT))
            .draw()?;
        for series in &self.series {
            let at = |&(x, y): &(f64, f64)| chart.backend_coord(&(x, y));
            let points: Vec<(i32, i32)> = series.points.iter().map(at).collect();
            draw_points(&root, series, &points)?;
            named.extend(series.names.iter().cloned().zip(points));
        }
        root.present()?;
        Ok(named)
    }

    /// The title, and the legend below it.
    fn draw_head<'a>(&self, area: &Area<'a>) -> Result<(), Failure<'a>> {
        let left = (MARGIN + LEFT) as i32;
        let anchor = Pos::new(HPos::Left, VPos::Center);
        let text = |size: i32| (FONT, size).into_font().color(&BLACK.mix(0.85)).pos(anchor);
        area.draw(&Text::new(self.title.clone(), (left, 24), text(TEXT + 5)))?;
        let (mut x, y) = (left, 54);
        for series in self.series.iter().filter(|series| !series.points.is_empty()) {
            let sample = match series.look {
                Look::Line | Look::Dashes => vec![(x, y), (x + 22, y)],
                _ => vec![(x + 11, y)],
            };
            draw_points(area, series, &sample)?;
            area.draw(&Text::new(series.name.clone(), (x + 30, y), text(TEXT - 1)))?;
            x += 30 + text_width(&series.name) + 24;
        }
        Ok(())
    }
}

/// A point's name and where it stands, in pixels.
type Named = (String, (i32, i32));

/// Names for points: every one shows when a mouse is over its point, and as many as fit stand beside theirs.
fn point_names(named: &[Named], (width, height): (u32, u32)) -> String {
    const SIZE: i32 = 11;
    const MOST: usize = 40;
    let inside = |x: i32, y: i32| x >= 0 && y >= 0 && x <= width as i32 && y <= height as i32;
    let mut text = String::new();
    let mut taken: Vec<[i32; 4]> = named.iter().map(|&(_, (x, y))| [x - 4, y - 4, x + 4, y + 4]).collect();
    let mut shown = 0;
    for (name, (x, y)) in named.iter().filter(|(_, (x, y))| inside(*x, *y)) {
        let escaped = name.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        text += &format!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"6\" fill=\"black\" fill-opacity=\"0\"><title>{escaped}</title></circle>\n"
        );
        let long = (name.chars().count() as f64 * f64::from(SIZE) * CHARACTER) as i32;
        let place = [x + 7, y - SIZE / 2, x + 7 + long, y + SIZE / 2];
        let overlaps = |other: &[i32; 4]| {
            place[0] < other[2] && other[0] < place[2] && place[1] < other[3] && other[1] < place[3]
        };
        if shown < MOST && place[2] < width as i32 && !taken.iter().any(overlaps) {
            text += &format!(
                "<text x=\"{}\" y=\"{}\" font-family=\"{FONT}\" font-size=\"{SIZE}\" fill=\"#555555\">{escaped}</text>\n",
                x + 7,
                y + 4
            );
            taken.push(place);
            shown += 1;
        }
    }
    text
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Failure<'a> = DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>;

/// Draws points given in pixels.
fn draw_points<'a>(area: &Area<'a>, series: &Series, points: &[(i32, i32)]) -> Result<(), Failure<'a>> {
    let thin = series.colour.stroke_width(2);
    let each = points.iter().copied();
    match series.look {
        Look::Line => area.draw(&PathElement::new(points.to_vec(), thin)),
        Look::Dashes => area.draw(&DashedPathElement::new(each, 6, 4, series.colour.stroke_width(1))),
        Look::Dot => each
            .map(|at| Circle::new(at, 4, series.colour.mix(0.7).filled()))
            .try_for_each(|mark| area.draw(&mark)),
        Look::Ring => each
            .map(|at| Circle::new(at, 4, series.colour.stroke_width(1)))
            .try_for_each(|mark| area.draw(&mark)),
        Look::Cross => each.map(|at| Cross::new(at, 4, thin)).try_for_each(|mark| area.draw(&mark)),
        Look::Square => each
            .map(|(x, y)| Rectangle::new([(x - 4, y - 4), (x + 4, y + 4)], thin))
            .try_for_each(|mark| area.draw(&mark)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_ten_are_shown_with_their_units() {
        assert_eq!([-5.0, -3.0, -1.0, 0.0, 2.0].map(show_time), ["10 µs", "1 ms", "100 ms", "1 s", "100 s"]);
        assert_eq!([0.0, 3.0, 4.0, 7.0].map(show_count), ["1", "1000", "10 thousand", "10 million"]);
    }

    #[test]
    fn points_carry_their_names_and_those_that_fit_are_written() {
        let named =
            [("a<b".to_owned(), (10, 10)), ("near".to_owned(), (12, 11)), ("far".to_owned(), (10, 90))];
        let text = point_names(&named, (200, 100));
        assert_eq!(text.matches("<title>").count(), 3);
        assert!(text.contains("<title>a&lt;b</title>"));
        assert_eq!(text.matches("<text").count(), 2, "{text}");
    }

    #[test]
    fn logarithmic_axes_are_whole_decades() {
        let axis = Axis::times("t", &[-2.3, 0.1], false);
        assert_eq!((axis.from, axis.to, axis.marked.len()), (-3.0, 1.0, 5));
        let axis = Axis::times("t", &[0.0], true);
        assert_eq!((axis.from, axis.to), (0.0, 2.0), "never empty, and with room");
    }
}
