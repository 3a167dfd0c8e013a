//! `groundrules check FILE…`: the diagnostics of a description, its verdict and its figures.

mod json;
mod lints;
mod summary;
mod watch;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use groundrules::source::{Resolved, Source, resolve};
use groundrules_gdl::{Checked, Figures, Levels, Lines, Options, Severity, Verdict, read};
use indicatif::{ProgressBar, ProgressStyle};

use crate::output::{self, counted};
use crate::render::Painter;
use crate::syntax::SyntaxName;

/// Check descriptions: every mistake, with its place and a remedy, the verdict, and figures.
///
/// The verdict is the smallest fragment that the description belongs to: not GDL, valid GDL, bounded GDL (it has a
/// finite grounding), or propositional GDL (it has no variable). Exit code 0 when no description has an error, 1 when one
/// has.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  groundrules check connect-four
  groundrules check mygame.kif other.kif
  groundrules check games/                 a summary of a whole folder
  groundrules check --json mygame.kif      one JSON object per file, one per line
  groundrules check --deny all games/      for scripts: warnings fail too
  groundrules check --watch mygame.kif     check again whenever the file changes
  groundrules check --syntax hrf game.hrf  a description in infix syntax

Lint levels: --deny reports a diagnostic as an error, --warn reports it as a warning, --allow omits it. A \
description can set its own levels in comments: `;; groundrules: allow G513`. A code on the command line \
overrides the comment; `all`, which means every warning, does not.")]
pub(crate) struct Arguments {
    /// Files, folders, names of the library, or - for standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write one JSON object per file, one per line.
    #[arg(long)]
    json: bool,
    /// Print only errors: no warnings, no verdict, no figures.
    #[arg(short, long, conflicts_with = "json")]
    quiet: bool,
    #[command(flatten)]
    lints: lints::Lints,
    /// How the descriptions are written.
    #[arg(long, value_enum, default_value_t = SyntaxName::Kif)]
    syntax: SyntaxName,
    /// Check again whenever a file changes, until interrupted.
    #[arg(long, conflicts_with = "json")]
    watch: bool,
    /// Accept what does no harm: a name with several arities, recursion that cannot grow.
    #[arg(long)]
    lenient: bool,
    /// Show every diagnostic: more than five per code, and warnings when there are several files.
    #[arg(long)]
    all: bool,
}

/// What is kept of a file for the summary.
struct Row {
    name: String,
    /// Nothing if the file could not be read.
    checked: Option<(Verdict, Figures)>,
    errors: usize,
    warnings: usize,
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let levels = arguments.lints.levels()?;
    if arguments.watch {
        return watch::run(&arguments.files, || check_all(arguments, &levels).map(drop));
    }
    check_all(arguments, &levels)
}

fn check_all(arguments: &Arguments, levels: &Levels) -> Result<ExitCode> {
    let Resolved { sources, errors, has_folder } = resolve(&arguments.files);
    let several = sources.len() > 1 || has_folder;
    let progress = progress(sources.len());
    let mut rows = Vec::new();
    for source in &sources {
        progress.set_message(source.name());
        let (row, text) = check(source, arguments, levels, several);
        progress.suspend(|| output::print(&text))?;
        progress.inc(1);
        rows.push(row);
    }
    progress.finish_and_clear();
    if several && !arguments.json && !arguments.quiet && !rows.is_empty() {
        output::print(&summary::table(&rows))?;
    }
    let errors: Vec<anyhow::Error> = errors.into_iter().map(Into::into).collect();
    if let Some(code) = output::report_errors(&errors) {
        return Ok(code);
    }
    // A diagnostic that was denied is an error too, although the description is valid.
    let all_well = rows.iter().all(|row| row.checked.is_some() && row.errors == 0);
    Ok(if all_well { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn progress(files: usize) -> ProgressBar {
    if files < 20 || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("checking {bar:30} {pos}/{len} {wide_msg}");
    let bar = ProgressBar::new(files as u64);
    bar.enable_steady_tick(Duration::from_millis(200));
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// Checks one description; a file that cannot be read is reported and the others still checked.
fn check(source: &Source, arguments: &Arguments, levels: &Levels, several: bool) -> (Row, String) {
    let options =
        Options { lenient: arguments.lenient, syntax: arguments.syntax.into(), ..Options::default() };
    let name = source.name();
    let text = match source.read(options.limits.bytes) {
        Ok(text) => text,
        Err(error) => {
            let message = output::message(&error.into());
            let shown = if arguments.json {
                json::unreadable(&name, &message)
            } else {
                format!("error: {message}\n")
            };
            return (Row { name, checked: None, errors: 1, warnings: 0 }, shown);
        }
    };
    let mut checked = read(&text, &options);
    lints::apply(levels, &mut checked);
    let count = |severity| {
        let of_severity = checked.diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity);
        let codes: BTreeSet<&str> = of_severity.clone().map(|diagnostic| diagnostic.code.id).collect();
        let omitted: usize = codes.iter().filter_map(|&code| checked.omitted.get(code)).sum();
        of_severity.count() + omitted
    };
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let shown = if arguments.json {
        json::object(&name, &text, &checked)
    } else {
        let errors_only = arguments.quiet || (several && !arguments.all);
        let mut shown = diagnostics(&name, &text, &checked, arguments.all, errors_only);
        if !several && !arguments.quiet {
            shown.push_str(&verdict_line(&name, &checked, errors, warnings));
            // Counts of a text in another syntax say nothing.
            let is_kif = checked.diagnostics.iter().all(|found| found.code != &groundrules_gdl::codes::INFIX);
            shown.push_str(&if is_kif { figures(&text, &checked.figures) } else { String::new() });
        } else if checked.verdict == Verdict::Valid && !arguments.quiet {
            // The table has no room for the reason.
            shown.push_str(&verdict_line(&name, &checked, errors, warnings));
        }
        shown
    };
    (Row { name, checked: Some((checked.verdict, checked.figures)), errors, warnings }, shown)
}

/// The diagnostics drawn, severest first: unless all are wanted, the first few of each code.
fn diagnostics(name: &str, text: &[u8], checked: &Checked, all: bool, errors_only: bool) -> String {
    const MOST_OF_A_CODE: usize = 5;
    let painter = Painter::new(name, text);
    let mut shown = String::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for diagnostic in &checked.diagnostics {
        if errors_only && diagnostic.severity != Severity::Error {
            continue;
        }
        let count = counts.entry(diagnostic.code.id).or_default();
        *count += 1;
        if all || *count <= MOST_OF_A_CODE {
            // Writing to a string does not fail.
            let _ = writeln!(shown, "{}\n", painter.paint(diagnostic));
        }
    }
    for (code, count) in counts {
        let kept = if all { count } else { count.min(MOST_OF_A_CODE) };
        let more = count - kept + checked.omitted.get(code).copied().unwrap_or(0);
        if more > 0 {
            let how = if all { "" } else { ": `--all` shows them" };
            let _ = writeln!(shown, "… and {more} more of {code}{how}\n");
        }
    }
    shown
}

/// The verdict in one line, with the reason where there is one.
fn verdict_line(name: &str, checked: &Checked, errors: usize, warnings: usize) -> String {
    let mut line = format!("{name}: {}", checked.verdict.words());
    match (checked.verdict, &checked.reason) {
        (Verdict::NotGdl, _) => line.push_str(&format!(" ({})", counted(errors as u64, "error"))),
        (_, _) if errors > 0 => line.push_str(&format!(", {} denied", counted(errors as u64, "warning"))),
        (Verdict::Valid, Some(reason)) => line.push_str(&format!(", not bounded: {reason}")),
        _ => {}
    }
    if warnings > 0 {
        line.push_str(&format!(", {}", counted(warnings as u64, "warning")));
    }
    format!("{}\n", output::printable(&line))
}

fn figures(text: &[u8], figures: &Figures) -> String {
    let roles = match figures.roles.len() {
        0 if figures.roles_by_rule => "roles given by rules".to_owned(),
        0 => "no role".to_owned(),
        1..=8 => {
            let names = output::printable(&figures.roles.join(" "));
            let more = if figures.roles_by_rule { ", more by rules" } else { "" };
            format!("{}: {names}{more}", counted(figures.roles.len() as u64, "role"))
        }
        many => format!("{many} roles"),
    };
    let largest = figures.largest_rule_span.map(|span| Lines::new(text).position(span.start).line);
    let largest = match (figures.largest_rule, largest) {
        (0, _) | (_, None) => String::new(),
        (size, Some(line)) => format!(", largest rule {} (line {line})", counted(size as u64, "literal")),
    };
    let extras: Vec<&str> = [
        (figures.base_given || figures.input_given, "base/input given"),
        (figures.random_role, "random role"),
        (figures.imperfect_information, "GDL-II: sees"),
    ]
    .into_iter()
    .filter_map(|(holds, words)| holds.then_some(words))
    .collect();
    let extras = if extras.is_empty() { String::new() } else { format!("  {}\n", extras.join(", ")) };
    format!(
        "  {roles}\n  {}: {}, {} with a body{largest}\n  {}: {} static, {} dynamic, {}\n{extras}",
        counted(figures.rules as u64, "rule"),
        counted(figures.facts as u64, "fact"),
        figures.rules - figures.facts,
        counted(figures.relations as u64, "relation"),
        figures.static_relations,
        figures.dynamic_relations,
        counted(figures.recursion_groups as u64, "recursion group"),
    )
}
