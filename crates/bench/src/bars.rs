//! A bar chart of factors, drawn as SVG. The axis is logarithmic: factors above one point to the right, those below to
//! the left.

use anyhow::{Result, anyhow};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::chart::{BLUE, FONT, GREY, ORANGE, TEXT, text_width};

/// The height of a bar with its gap.
const LINE: i32 = 22;
/// The height above the first bar.
const TOP: i32 = 60;
/// The width of the longest bar.
const BAR: f64 = 460.0;
/// For the number beside a bar.
const NUMBER: i32 = 70;

/// Names with factors.
pub(super) struct Bars {
    title: String,
    bars: Vec<(String, f64)>,
}

type Failure = Box<dyn std::error::Error>;

impl Bars {
    /// A bar for each name; `None` if there is none.
    pub(super) fn new(title: &str, bars: Vec<(String, f64)>) -> Option<Bars> {
        let bars: Vec<_> =
            bars.into_iter().filter(|(_, factor)| factor.is_finite() && *factor > 0.0).collect();
        (!bars.is_empty()).then(|| Bars { title: title.to_owned(), bars })
    }

    /// Draws them as SVG.
    pub(super) fn draw(&self) -> Result<String> {
        let mut picture = String::new();
        self.draw_to(&mut picture).map_err(|error| anyhow!("cannot draw {:?}: {error}", self.title))?;
        Ok(picture)
    }

    fn draw_to(&self, picture: &mut String) -> Result<(), Failure> {
        let names = self.bars.iter().map(|(name, _)| text_width(name)).max().unwrap_or(0) + 24;
        let height = TOP + LINE * self.bars.len() as i32 + 16;
        // Numbers stand at the left only where a bar goes there.
        let left = if self.bars.iter().any(|(_, factor)| *factor < 1.0) { NUMBER } else { 0 };
        let width = (names + left + BAR as i32 + NUMBER).max(text_width(&self.title) * 4 / 3 + 40);
        let area = SVGBackend::with_string(picture, (width as u32, height as u32)).into_drawing_area();
        area.fill(&WHITE)?;
        let text = |size: i32, side: HPos| {
            (FONT, size).into_font().color(&BLACK.mix(0.85)).pos(Pos::new(side, VPos::Center))
        };
        area.draw(&Text::new(self.title.clone(), (16, 26), text(TEXT + 4, HPos::Left)))?;
        let powers = self.bars.iter().map(|(_, factor)| factor.log10());
        let (least, most) =
            powers.fold((0.0_f64, 0.1_f64), |(least, most), power| (least.min(power), most.max(power)));
        let at = |power: f64| names + left + ((power - least) / (most - least) * BAR).round() as i32;
        for (number, (name, factor)) in self.bars.iter().enumerate() {
            let (y, end) = (TOP + LINE * number as i32, at(factor.log10()));
            let colour = if *factor >= 1.0 { BLUE } else { ORANGE };
            let corners = [(at(0.0).min(end), y), (at(0.0).max(end), y + LINE - 6)];
            area.draw(&Rectangle::new(corners, colour.mix(0.8).filled()))?;
            let middle = y + (LINE - 6) / 2;
            area.draw(&Text::new(name.clone(), (names - 8, middle), text(TEXT - 1, HPos::Right)))?;
            let (x, side) = if *factor >= 1.0 { (end + 6, HPos::Left) } else { (end - 6, HPos::Right) };
            area.draw(&Text::new(shown(*factor), (x, middle), text(TEXT - 2, side)))?;
        }
        let bottom = TOP + LINE * self.bars.len() as i32;
        area.draw(&PathElement::new(vec![(at(0.0), TOP - 8), (at(0.0), bottom)], GREY.stroke_width(1)))?;
        area.present()?;
        Ok(())
    }
}

fn shown(factor: f64) -> String {
    if factor < 10.0 { format!("{factor:.2}") } else { format!("{factor:.0}") }
}
