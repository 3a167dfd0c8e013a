//! `groundrules verify GAME`: what can be proved of a game by exploring all its states.

mod position;
mod report;
mod sampled;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use groundrules_explore::{Line, Outcome, Property, Verification, record, verify};
use groundrules_machine::Compiled;

use crate::exploration::{Exploration, Saving};
use crate::game::{self, Loaded};
use crate::output;
use crate::show::Show;
use report::Report;

/// Verify a game: explore all its states, and give a verdict on every property.
///
/// Termination, playability, utility structure and weak winnability make a game well formed; monotonicity and strong
/// winnability are the specification's further ones. Each holds, fails (with a shortest line of moves that shows it, where
/// a line can), or is open within the limits.
#[derive(clap::Args)]
#[command(after_help = "\
Exit code 0 when the game is well formed, 1 when it is not, 2 when that is open or could not be found out.

Examples:
  groundrules verify tic-tac-toe
  groundrules verify mygame.kif --seconds 60 --json
  groundrules verify mygame.kif --counterexamples lines/
  groundrules replay lines/termination.jsonl --game mygame.kif
  groundrules verify large.kif --checkpoint saved/            killed at any time, go on with:
  groundrules verify large.kif --checkpoint saved/ --resume
  groundrules verify huge.kif --sample 100000                 evidence instead of proof")]
pub(crate) struct Arguments {
    /// A file, a name of the library, or - for standard input.
    game: PathBuf,
    #[command(flatten)]
    exploration: Exploration,
    #[command(flatten)]
    saving: Saving,
    /// Explore nothing: play so many random playouts and give what they show, as evidence.
    #[arg(long, value_name = "PLAYOUTS", conflicts_with_all = ["checkpoint", "fingerprint"])]
    sample: Option<u64>,
    /// The seed of the playouts.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Write each counterexample as a trace into this folder, for `groundrules replay`.
    #[arg(long, value_name = "DIR")]
    counterexamples: Option<PathBuf>,
    /// Write a JSON object.
    #[arg(long)]
    json: bool,
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let source = game::source(&arguments.game)?;
    let threads = arguments.exploration.threads()?;
    let Some(loaded) = game::load(&source)? else { return Ok(ExitCode::from(1)) };
    game::warn_of_hidden_information(&loaded.game, "winnability is judged as if all roles saw everything");
    if let Some(playouts) = arguments.sample {
        return sampled::run(arguments, loaded, playouts);
    }
    let Loaded { name, game, text, .. } = loaded;
    let compiled = arguments.exploration.compile(game)?;
    let start = Instant::now();
    let verification = arguments
        .exploration
        .run(&text, &compiled, Some(&arguments.saving), |options| verify(&compiled, options));
    let verification = verification.context("the game cannot be explored")?;
    if !arguments.exploration.processes.is_first() {
        return Ok(exit_code(&verification));
    }
    if let Some(folder) = &arguments.counterexamples {
        let lines = verification.verdicts.iter().filter_map(|verdict| {
            verdict
                .line
                .as_ref()
                .map(|line| (verdict.property.name().to_owned(), line.clone(), verdict.why.as_str()))
        });
        write_lines(folder, &name, lines, &compiled)?;
    }
    let report = Report {
        game: name,
        decision: compiled.decision(),
        is_bounded: compiled.game().is_bounded(),
        fingerprint: arguments.saving.fingerprint,
        roles: compiled.batch().context("the game cannot be set up")?.roles().to_vec(),
        processes: arguments.exploration.processes.count()?,
        threads: threads.get(),
        elapsed: start.elapsed(),
        verification: &verification,
        compiled: &compiled,
        show: Show::of(compiled.game()),
    };
    output::print(&if arguments.json { format!("{}\n", report.to_json()) } else { report.to_text() })?;
    Ok(exit_code(&verification))
}

fn exit_code(verification: &Verification) -> ExitCode {
    match verification.verdict(Property::WellFormedness).outcome {
        Outcome::Holds => ExitCode::SUCCESS,
        Outcome::Fails => ExitCode::from(1),
        Outcome::Open => ExitCode::from(2),
    }
}

/// Writes every line as a trace with one match.
pub(super) fn write_lines<'a>(
    folder: &Path,
    name: &str,
    lines: impl Iterator<Item = (String, Line, &'a str)>,
    game: &Compiled,
) -> Result<()> {
    if folder.is_file() {
        bail!("{} is a file, and should be a folder", folder.display());
    }
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    for (property, line, why) in lines {
        let recorded = record(game, name, &line, why).context("a line cannot be played again")?;
        let file = format!("{}.jsonl", property.replace(' ', "-"));
        output::write_file(&folder.join(file), format!("{}\n", recorded.to_line()).as_bytes())?;
    }
    Ok(())
}
