//! The summary table of several descriptions.

use comfy_table::{Cell, CellAlignment, Color, ContentArrangement, Table, presets};
use groundrules_gdl::Verdict;

use super::Row;
use crate::output::counted;

/// Draws the table and the line of totals.
pub(super) fn table(rows: &[Row]) -> String {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
    let headings =
        ["description", "verdict", "errors", "warnings", "roles", "rules", "static", "dynamic", "recursive"];
    table.set_header(headings);
    for row in rows {
        table.add_row(cells(row));
    }
    for column in 2..headings.len() {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    format!("{table}\n{}\n", totals(rows))
}

fn cells(row: &Row) -> Vec<Cell> {
    let (verdict, colour) = match &row.checked {
        None => ("cannot be read", Color::Red),
        Some((verdict @ Verdict::NotGdl, _)) => (verdict.words(), Color::Red),
        Some((verdict @ Verdict::Valid, _)) => (verdict.words(), Color::Yellow),
        Some((verdict, _)) => (verdict.words(), Color::Green),
    };
    let mut cells = vec![Cell::new(&row.name), Cell::new(verdict).fg(colour), Cell::new(row.errors)];
    cells.push(Cell::new(row.warnings));
    if let Some((_, figures)) = &row.checked {
        let numbers = [
            figures.roles.len(),
            figures.rules,
            figures.static_relations,
            figures.dynamic_relations,
            figures.recursion_groups,
        ];
        cells.extend(numbers.map(Cell::new));
    }
    cells
}

fn totals(rows: &[Row]) -> String {
    let count = |wanted: Verdict| {
        rows.iter().filter(|row| row.checked.as_ref().is_some_and(|(verdict, _)| *verdict == wanted)).count()
    };
    let unreadable = rows.iter().filter(|row| row.checked.is_none()).count();
    let mut parts: Vec<String> = [Verdict::Propositional, Verdict::Bounded, Verdict::Valid, Verdict::NotGdl]
        .into_iter()
        .map(|verdict| (count(verdict), verdict.words()))
        .filter(|&(count, _)| count > 0)
        .map(|(count, words)| format!("{count} {words}"))
        .collect();
    if unreadable > 0 {
        parts.push(format!("{unreadable} cannot be read"));
    }
    format!("{}: {}", counted(rows.len() as u64, "description"), parts.join(", "))
}
