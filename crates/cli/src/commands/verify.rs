//! `groundrules verify GAME`: what can be proved of a game by exploring all its states.

mod report;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result};
use groundrules_explore::record::record;
use groundrules_explore::run::on_threads;
use groundrules_explore::search::Worker;
use groundrules_explore::store::Store;
use groundrules_explore::target::targets;
use groundrules_explore::verify::{Outcome, Property, Verification, verify};
use groundrules_gdl::fragment::is_bounded;
use groundrules_machine::Machine;

use crate::exploration::{Bar, Exploration};
use crate::game::{self, Loaded};
use crate::output;
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
  groundrules verify mygame.kif --max-seconds 60 --json
  groundrules verify mygame.kif --counterexamples lines/
  groundrules replay lines/termination.jsonl --game mygame.kif")]
pub(crate) struct Arguments {
    /// A file, a name of the library, or - for standard input.
    game: PathBuf,
    #[command(flatten)]
    exploration: Exploration,
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
    let (budget, threads) = (arguments.exploration.budget()?, arguments.exploration.threads()?);
    let Some(Loaded { name, game, .. }) = game::load(&source)? else { return Ok(ExitCode::from(1)) };
    let mut batched = arguments.exploration.batch(&game)?;
    let roles = batched.batch.roles().to_vec();
    let targets = targets(&game, &roles);
    let start = Instant::now();
    let bar = Bar::new();
    let verification = on_threads(&*batched.batch, threads, |batch, link| {
        let store = Store::exact(batch.row_width());
        let mut worker = Worker::new(batch, store, link, &bar);
        verify(&mut worker, &roles, &targets, &budget, None, None)
    });
    bar.clear();
    let verification = verification.context("the game cannot be explored")?;
    if let Some(folder) = &arguments.counterexamples {
        write_lines(folder, &name, &verification, &mut *batched.names)?;
    }
    let report = Report {
        game: name,
        decision: batched.decision,
        is_bounded: is_bounded(&game),
        roles,
        threads: threads.get(),
        elapsed: start.elapsed(),
        verification: &verification,
        names: &*batched.names,
    };
    output::print(&if arguments.json { format!("{}\n", report.to_json()) } else { report.to_text() })?;
    Ok(exit_code(&verification))
}

fn exit_code(verification: &Verification) -> ExitCode {
    let of = |property| verification.verdicts.iter().find(|verdict| verdict.property == property);
    match of(Property::WellFormedness).map(|verdict| verdict.outcome) {
        Some(Outcome::Holds) => ExitCode::SUCCESS,
        Some(Outcome::Fails) => ExitCode::from(1),
        Some(Outcome::Open) | None => ExitCode::from(2),
    }
}

/// Writes every line as a trace with one match.
fn write_lines(
    folder: &std::path::Path,
    game: &str,
    verification: &Verification,
    names: &mut dyn Machine,
) -> Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    for verdict in &verification.verdicts {
        let Some(line) = &verdict.line else { continue };
        let recorded = record(names, game, line, &verdict.why).context("a line cannot be played again")?;
        let file = format!("{}.jsonl", verdict.property.name().replace(' ', "-"));
        output::write_file(&folder.join(file), format!("{}\n", recorded.to_line()).as_bytes())?;
    }
    Ok(())
}
