//! `groundrules fmt FILE…`: formats descriptions canonically.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use groundrules::source::{Source, resolve};
use groundrules_gdl::Limits;
use groundrules_gdl::format::format;
use similar::{ChangeTag, TextDiff};

use crate::output;
use crate::render::Painter;

/// Lay descriptions out in the canonical form.
///
/// Files are rewritten in place, folders with everything in them; standard input (`-`) and games of the library are
/// written to standard output. A file with faulty parentheses is left as it is. Exit code 1 if a file is at fault, or,
/// with --check, not laid out canonically.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  groundrules fmt mygame.kif\n  groundrules fmt - < messy.kif > tidy.kif\n  groundrules fmt --check games/"
)]
pub(crate) struct Arguments {
    /// Files, folders, names of the library, or - for standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Change nothing; show what would change and exit with 1 if anything would.
    #[arg(long)]
    check: bool,
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut all_well = true;
    let resolved = resolve(&arguments.files);
    let mut errors: Vec<anyhow::Error> = resolved.errors.into_iter().map(Into::into).collect();
    for source in resolved.sources {
        match format_source(&source, arguments.check) {
            Ok(well) => all_well &= well,
            // The others are still formatted.
            Err(error) => errors.push(error),
        }
    }
    if let Some(code) = output::report_errors(&errors) {
        return Ok(code);
    }
    Ok(if all_well { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Formats one description; false if it is at fault, or was to be checked and differs.
fn format_source(source: &Source, check: bool) -> Result<bool> {
    let limits = Limits::default();
    let text = source.read(limits.bytes)?;
    let name = source.name();
    let formatted = match format(&text, &limits) {
        Ok(formatted) => formatted,
        Err(faults) => {
            let painter = Painter::new(&name, &text);
            faults.iter().for_each(|fault| anstream::eprintln!("{}", painter.paint(fault)));
            anstream::eprintln!("{name} is left as it is: it cannot be read");
            return Ok(false);
        }
    };
    let changed = formatted != text;
    if check {
        if changed {
            output::print(&difference(&name, &text, &formatted))?;
        }
        return Ok(!changed);
    }
    match source {
        Source::File(path) if changed => {
            output::write_file(path, &formatted)?;
            anstream::eprintln!("formatted {name}");
        }
        Source::File(_) => {}
        Source::Stdin | Source::Library(_) => output::print_bytes(&formatted)?,
    }
    Ok(true)
}

/// The lines that would change.
fn difference(name: &str, before: &[u8], after: &[u8]) -> String {
    const MOST: usize = 40;
    let (before, after) = (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
    // A difference of large texts takes long and helps nobody.
    if before.len() + after.len() > 1_000_000 {
        return format!("{name} is not in canonical layout\n");
    }
    let diff = TextDiff::from_lines(before.as_ref(), after.as_ref());
    let mut text = format!("{name} is not in canonical layout:\n");
    let changes = diff.iter_all_changes().filter(|change| change.tag() != ChangeTag::Equal);
    for (count, change) in changes.enumerate() {
        if count == MOST {
            text.push_str("  …\n");
            break;
        }
        let sign = if change.tag() == ChangeTag::Delete { '-' } else { '+' };
        text.push_str(&format!("  {sign} {}\n", change.value().trim_end()));
    }
    text
}
