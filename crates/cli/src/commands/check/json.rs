//! The report as JSON: one object per description.

use groundrules_gdl::{Checked, Diagnostic, Lines, Span};
use serde_json::{Value, json};

/// The object of a description that was read, with a line end.
pub(super) fn object(name: &str, text: &[u8], checked: &Checked) -> String {
    let lines = Lines::new(text);
    let diagnostics: Vec<Value> = checked.diagnostics.iter().map(|found| diagnostic(found, &lines)).collect();
    let mut figures = serde_json::to_value(&checked.figures).unwrap_or_default();
    if let Some(figures) = figures.as_object_mut() {
        figures.shift_remove("largest_rule_span");
        let line = checked.figures.largest_rule_span.map(|span| lines.position(span.start).line);
        figures.insert("largest_rule_line".to_owned(), json!(line));
    }
    let object = json!({
        "file": name,
        "verdict": checked.verdict,
        "reason": checked.reason,
        "diagnostics": diagnostics,
        "omitted": checked.omitted,
        "figures": figures,
    });
    format!("{object}\n")
}

/// The object of a file that could not be read, with a line end.
pub(super) fn unreadable(name: &str, message: &str) -> String {
    let object = json!({
        "file": name,
        "verdict": null,
        "reason": message,
        "diagnostics": [],
        "omitted": {},
        "figures": null,
    });
    format!("{object}\n")
}

fn diagnostic(diagnostic: &Diagnostic, lines: &Lines<'_>) -> Value {
    let spans: Vec<Value> = diagnostic
        .labels
        .iter()
        .enumerate()
        // An empty span is no place: the diagnostic is about the whole text.
        .filter(|(_, label)| label.span.start < label.span.end)
        .map(|(index, label)| span(label.span, &label.text, index == 0, lines))
        .collect();
    json!({
        "code": diagnostic.code.id,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "spans": spans,
        "help": diagnostic.help,
    })
}

fn span(span: Span, label: &str, primary: bool, lines: &Lines<'_>) -> Value {
    let (start, end) = (lines.position(span.start), lines.position(span.end));
    json!({
        "start": span.start,
        "end": span.end,
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
        "label": label,
        "primary": primary,
    })
}
