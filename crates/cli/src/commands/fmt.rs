//! `groundrules fmt FILE…`: formats descriptions canonically.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use groundrules::source::{Source, resolve};
use groundrules_gdl::Limits;
use groundrules_gdl::format::format;
use groundrules_gdl::syntax::infix_to_kif;
use similar::TextDiff;

use crate::output;
use crate::render::Painter;
use crate::syntax::SyntaxName;

/// Format descriptions in the canonical layout.
///
/// Files are rewritten in place, folders with everything in them; standard input (`-`) and games of the library are
/// written to standard output. A file with faulty parentheses is left as it is. With --syntax hrf, descriptions in infix
/// syntax are converted to KIF, on standard output. Exit code 1 if a file is at fault, or, with --check, is not in
/// canonical layout.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  groundrules fmt mygame.kif
  groundrules fmt - < messy.kif > tidy.kif
  groundrules fmt --check games/                     a unified diff of what would change
  groundrules fmt --syntax hrf game.hrf > game.kif   convert infix syntax to KIF")]
pub(crate) struct Arguments {
    /// Files, folders, names of the library, or - for standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Change nothing; print a unified diff of what would change and exit with 1 if anything would.
    #[arg(long)]
    check: bool,
    /// How the descriptions are written; anything but KIF is converted to KIF on standard output.
    #[arg(long, value_enum, default_value_t = SyntaxName::Kif, conflicts_with = "check")]
    syntax: SyntaxName,
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut all_well = true;
    let resolved = resolve(&arguments.files);
    let mut errors: Vec<anyhow::Error> = resolved.errors.into_iter().map(Into::into).collect();
    for source in resolved.sources {
        match format_source(&source, arguments) {
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
fn format_source(source: &Source, arguments: &Arguments) -> Result<bool> {
    let limits = Limits::default();
    let text = source.read(limits.bytes)?;
    let name = source.name();
    let is_kif = arguments.syntax == SyntaxName::Kif;
    let formatted = if is_kif { format(&text, &limits) } else { infix_to_kif(&text, &limits) };
    let formatted = match formatted {
        Ok(formatted) => formatted,
        Err(faults) => {
            let painter = Painter::new(&name, &text);
            faults.iter().for_each(|fault| anstream::eprintln!("{}", painter.paint(fault)));
            anstream::eprintln!("{name} is left as it is: it cannot be read");
            return Ok(false);
        }
    };
    let changed = formatted != text;
    if arguments.check {
        if changed {
            output::print(&difference(&name, &text, &formatted))?;
        }
        return Ok(!changed);
    }
    match source {
        _ if !is_kif => output::print_bytes(&formatted)?,
        Source::File(path) if changed => {
            output::write_file(path, &formatted)?;
            anstream::eprintln!("formatted {name}");
        }
        Source::File(_) => {}
        Source::Stdin | Source::Library(_) => output::print_bytes(&formatted)?,
    }
    Ok(true)
}

/// What would change, as a unified diff.
fn difference(name: &str, before: &[u8], after: &[u8]) -> String {
    let (before, after) = (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
    // A difference of large texts takes long and helps nobody.
    if before.len() + after.len() > 1_000_000 {
        return format!("{name} is not in canonical layout\n");
    }
    let diff = TextDiff::from_lines(before.as_ref(), after.as_ref());
    diff.unified_diff().header(name, &format!("{name} (formatted)")).to_string()
}
