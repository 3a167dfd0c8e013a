//! Tables of figures as text, the same for every benchmark.

use comfy_table::{CellAlignment, Table, presets};

/// The game in the first column, numbers in the others.
pub(super) fn table(header: &[String], rows: impl Iterator<Item = Vec<String>>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED);
    table.set_header(header);
    table.add_rows(rows);
    for column in 1..header.len() {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// The same as Markdown.
pub(super) fn markdown(header: &[String], rows: impl Iterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut text = line(header);
    let sides = (0..header.len()).map(|column| if column == 0 { " --- |" } else { " ---: |" });
    text += &format!("|{}\n", sides.collect::<String>());
    rows.for_each(|row| text += &line(&row));
    text
}

/// The cell where there is no figure.
pub(super) fn no_figure() -> String {
    "–".to_owned()
}

/// A factor with about two significant digits.
pub(super) fn factor(factor: f64) -> String {
    match factor {
        tiny if tiny < 0.1 => format!("{tiny:.3}"),
        small if small < 10.0 => format!("{small:.2}"),
        large if large.is_finite() => format!("{large:.0}"),
        _ => no_figure(),
    }
}

/// A number of things a second, in three digits.
pub(super) fn rate(value: f64) -> String {
    match value {
        giga if giga >= 1e9 => format!("{:.2} G", giga / 1e9),
        mega if mega >= 1e6 => format!("{:.2} M", mega / 1e6),
        kilo if kilo >= 1e3 => format!("{:.1} k", kilo / 1e3),
        few => format!("{few:.1}"),
    }
}

/// Names one after the other.
pub(super) fn listed(games: &[String]) -> String {
    if games.is_empty() { "none".to_owned() } else { games.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_keep_two_digits() {
        assert_eq!([0.0123, 0.5, 12.3, f64::NAN].map(factor), ["0.012", "0.50", "12", "–"]);
    }
}
