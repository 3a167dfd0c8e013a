//! `groundrules verify GAME`: a verdict on every property of a game, by exploring its states and by proofs, side by side.

mod position;
mod report;
mod sampled;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use groundrules::verification::{By, Options, Verified, VerifyError, verify};
use groundrules_explore::{Line, Options as ExploreOptions, Outcome, Property, record};
use groundrules_machine::Compiled;
use groundrules_machine::engines::Engine;
use groundrules_structure::{Group, RoleChanges, Symmetries};

use crate::exploration::{Exploration, Saving};
use crate::game::{self, Loaded};
use crate::output;
use crate::show::Show;
use report::Report;

/// Verify a game: give a verdict on every property, by exploring its states and by proofs.
///
/// Exploration visits every state, which decides everything where there are not too many. Proofs visit none, and decide most
/// properties of the others. Both run side by side and end as soon as every property has a verdict; each verdict says how it was reached.
/// Termination, playability, utility structure and weak winnability make a game well formed; monotonicity and strong
/// winnability are the specification's further ones. Each holds, fails (with a shortest line of moves that shows it, where
/// a line can), or is open within the limits.
#[derive(clap::Args)]
#[command(after_help = "\
--seconds limits exploration and proofs separately; without it, proofs end after 60 s of processor time.

The exit code is 0 when the game is well-formed, 1 when it is not, 2 when that is open.

Examples:
  groundrules verify tic-tac-toe
  groundrules verify mygame.kif --seconds 60 --json
  groundrules verify huge.kif --by prove
  groundrules verify mygame.kif --counterexamples lines/
  groundrules replay lines/termination.jsonl --game mygame.kif
  groundrules verify large.kif --checkpoint saved/            after a kill, continue with:
  groundrules verify large.kif --checkpoint saved/ --resume
  groundrules verify connect-four-5x5 --symmetry              mirror images count once
  groundrules verify huge.kif --sample 100000                 evidence instead of proof")]
pub(crate) struct Arguments {
    /// A file, a name of the library, or - for standard input.
    game: PathBuf,
    #[command(flatten)]
    exploration: Exploration,
    #[command(flatten)]
    saving: Saving,
    /// By what verdicts are sought.
    #[arg(long, value_enum, default_value_t = Means::Both, value_name = "MEANS")]
    by: Means,
    /// Once everything else is decided, visit this many states for strong winnability, which proofs do not decide.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    strong_states: u64,
    /// Another limit for proofs than --seconds, in seconds of processor time.
    #[arg(long, value_name = "SECONDS")]
    proof_seconds: Option<f64>,
    /// Visit one of all states that symmetries of the rules map to each other.
    #[arg(long, conflicts_with_all = ["checkpoint", "processes"])]
    symmetry: bool,
    /// Explore nothing: play this many random playouts and report what they show, as evidence.
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

/// By what verdicts are sought.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Means {
    /// Visit states
    Explore,
    /// Prove, and visit none
    Prove,
    /// Both at once
    Both,
}

/// So many symmetries are applied to a state at most.
const MOST_SYMMETRIES: usize = 1_000;

/// How long proofs may take without another limit.
const PROOFS: Duration = Duration::from_secs(60);

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
    let is_first = arguments.exploration.processes.is_first();
    let compiled = match arguments.by {
        Means::Prove => arguments.exploration.engine.compile(game)?,
        _ => arguments.exploration.compile(game)?,
    };
    let start = Instant::now();
    let verified = match arguments.by {
        Means::Prove => super::prove::with_progress(|proofs| {
            let options = arguments.options(By::Prove, ExploreOptions::default());
            verify(&compiled, &Options { on_attempt: proofs.observer, ..options? }).map_err(error)
        }),
        Means::Explore | Means::Both => {
            // Several processes explore only: all of them have to end at the same point, and proofs end one of them.
            let is_alone = arguments.exploration.processes.count()? == 1;
            let by = if arguments.by == Means::Both && is_alone { By::Both } else { By::Explore };
            let symmetry = arguments.symmetry.then(|| symmetries(&compiled)).transpose()?;
            arguments.exploration.run(&text, &compiled, Some(&arguments.saving), |options| {
                let options = ExploreOptions { symmetry, ..options.clone() };
                verify(&compiled, &arguments.options(by, options)?).map_err(error)
            })
        }
    };
    let verified = verified.context("the game cannot be verified")?;
    if !is_first {
        return Ok(exit_code(&verified));
    }
    if let Some(folder) = &arguments.counterexamples {
        let mut lines = Vec::new();
        for verdict in &verified.verdicts {
            if let Some(line) = &verdict.line {
                let line = moves_of(&compiled, line)?;
                lines.push((verdict.property.name().to_owned(), line, verdict.why.as_str()));
            }
        }
        write_lines(folder, &name, lines.into_iter(), &compiled)?;
    }
    let report = Report {
        game: name,
        engine: verified.explored.is_some().then(|| compiled.decision().engine.name()),
        is_bounded: compiled.game().is_bounded(),
        fingerprint: arguments.saving.fingerprint,
        roles: compiled.roles().to_vec(),
        processes: arguments.exploration.processes.count()?,
        threads: threads.get(),
        elapsed: start.elapsed(),
        verified: &verified,
        compiled: &compiled,
        show: Show::of(compiled.game()),
    };
    output::print(&if arguments.json { format!("{}\n", report.to_json()) } else { report.to_text() })?;
    Ok(exit_code(&verified))
}

impl Arguments {
    fn options(&self, by: By, explore: ExploreOptions) -> Result<Options> {
        let budget = self.exploration.budget()?;
        let proofs = match self.proof_seconds.map(Duration::try_from_secs_f64) {
            None => None,
            Some(Ok(time)) if !time.is_zero() => Some(time),
            Some(_) => bail!("--proof-seconds must be greater than 0"),
        };
        Ok(Options {
            by,
            explore,
            time: proofs.or(budget.time).unwrap_or(PROOFS),
            memory: budget.memory,
            strong_states: self.strong_states,
            seed: self.seed,
            on_attempt: None,
        })
    }
}

/// The symmetries of a game, as far as states can be compared by them.
fn symmetries(compiled: &Compiled) -> Result<Arc<Group>> {
    let engine = compiled.decision().engine;
    if !matches!(engine, Engine::Net | Engine::Sliced) {
        bail!("the engine {} packs states in a way that symmetries cannot be applied to", engine.name());
    }
    let ground = compiled.ground().context("the game cannot be grounded")?;
    Ok(Arc::new(Symmetries::of(&ground, RoleChanges::Forbidden).group(MOST_SYMMETRIES)))
}

/// An error of exploration stays one, for the advice that belongs to it.
fn error(error: VerifyError) -> anyhow::Error {
    match error {
        VerifyError::Explore(error) => error.into(),
        other => other.into(),
    }
}

fn exit_code(verified: &Verified) -> ExitCode {
    match verified.verdict(Property::WellFormedness).outcome {
        Outcome::Holds => ExitCode::SUCCESS,
        Outcome::Fails => ExitCode::from(1),
        Outcome::Open => ExitCode::from(2),
    }
}

/// A line of texts as moves of the engine.
fn moves_of(game: &Compiled, line: &[Vec<String>]) -> Result<Line> {
    let mut machine = game.machine().context("the game cannot be set up")?;
    let mut moves = Vec::new();
    for joint in line {
        let joint = machine.joint_of(joint)?;
        machine.advance(&joint)?;
        moves.push(joint);
    }
    Ok(moves)
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
