//! `groundrules prove GAME`: verdicts by proof, for games with any number of states.

mod report;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use groundrules_gdl::Game;
use groundrules_ground::GroundGame;
use groundrules_machine::Compiled;
use groundrules_machine::compiled::Settings;
use groundrules_machine::engines::Engine;
use groundrules_prove::{Answer, Certificate, Claim, Options, Subject, Verdict, check, prove};
use indicatif::ProgressBar;

use crate::cache;
use crate::engine::set_up;
use crate::exploration::memory;
use crate::game::{self, Loaded};
use crate::output;
use report::Report;

/// Prove properties of a game without visiting its states.
///
/// The network of the game is a sequential circuit. Invariants by induction, a measure for termination, and IC3/PDR prove properties for all
/// states; random playouts, bounded model checking and PDR find lines of play that refute them. Without --always, --never and --eventually the
/// properties are termination, playability, utility structure, weak winnability and monotonicity.
#[derive(clap::Args)]
#[command(after_help = "\
A formula is (true F), (legal R M), (goal R V), terminal, or a combination of formulas with not, and, or. \
--eventually needs termination and playability, which are proved first.

The exit code is 0 when everything holds, 1 when something fails, 2 when something is open.

Examples:
  groundrules prove connect-four
  groundrules prove mygame.kif --seconds 300 --json
  groundrules prove tic-tac-toe --never '(and (true (cell 1 1 cross)) (true (cell 1 1 nought)))'
  groundrules prove tic-tac-toe --eventually terminal
  groundrules prove connect-four --show-invariant
  groundrules prove connect-four --certificate proof.json
  groundrules prove connect-four --check proof.json")]
pub(crate) struct Arguments {
    /// A file, a name of the library, or - for standard input.
    game: PathBuf,
    /// Prove that a formula holds in every state; may be given several times.
    #[arg(long, value_name = "FORMULA")]
    always: Vec<String>,
    /// Prove that a formula holds in no state; may be given several times.
    #[arg(long, value_name = "FORMULA")]
    never: Vec<String>,
    /// Prove that a formula holds in some state of every match; may be given several times.
    #[arg(long, value_name = "FORMULA")]
    eventually: Vec<String>,
    /// Stop after about this many seconds of processor time.
    #[arg(long, alias = "max-seconds", value_name = "SECONDS", default_value_t = 60.0)]
    seconds: f64,
    /// The most memory for clauses, in megabytes (estimated); without it, half of the memory that is available.
    #[arg(long, alias = "max-memory", value_name = "MB")]
    memory: Option<usize>,
    /// The seed of the playouts.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Print the invariants that prove what holds.
    #[arg(long)]
    show_invariant: bool,
    /// Write each counterexample as a trace into this folder, for `groundrules replay`.
    #[arg(long, value_name = "DIR")]
    counterexamples: Option<PathBuf>,
    /// Write a certificate of every verdict that was decided.
    #[arg(long, value_name = "FILE", conflicts_with = "eventually")]
    certificate: Option<PathBuf>,
    /// Search for nothing: check a certificate, with clauses and a solver other than those that found the proofs.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["always", "never", "eventually", "certificate"])]
    check: Option<PathBuf>,
    /// Write a JSON object.
    #[arg(long)]
    json: bool,
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let source = game::source(&arguments.game)?;
    let Some(Loaded { name, game, text, .. }) = game::load(&source)? else { return Ok(ExitCode::from(1)) };
    let time = match Duration::try_from_secs_f64(arguments.seconds) {
        Ok(time) if !time.is_zero() => time,
        _ => bail!("--seconds must be greater than 0"),
    };
    let compiled = Compiled::with(game, Settings { engine: Engine::Net, ..cache::settings() });
    let ground = set_up(|| compiled.ground())?;
    if let Some(file) = &arguments.check {
        return check_certificate(file, compiled.game(), &ground, &text, time);
    }
    let mut subject = Subject::new(compiled.game(), ground).context("the game has no circuit")?;
    let (claims, literals) = claims(arguments, &mut subject)?;
    let start = Instant::now();
    let verdicts = with_progress(|options| {
        prove(
            &subject,
            &claims,
            &literals,
            &Options { time: Some(time), memory: memory(arguments.memory), seed: arguments.seed, ..options },
        )
    });
    if let Some(folder) = &arguments.counterexamples {
        super::verify::write_lines(folder, &name, lines(&verdicts).into_iter(), &compiled)?;
    }
    if let Some(file) = &arguments.certificate {
        let certificate = Certificate::of(&subject, &text, &verdicts);
        output::write_file(file, certificate.to_json().as_bytes())?;
    }
    let report = Report {
        game: &name,
        subject: &subject,
        verdicts: &verdicts,
        elapsed: start.elapsed(),
        show_invariant: arguments.show_invariant,
    };
    output::print(&if arguments.json { format!("{}\n", report.to_json()) } else { report.to_text() })?;
    Ok(exit_code(&verdicts))
}

/// Checks a certificate and says what it shows.
fn check_certificate(
    file: &Path,
    game: &Game,
    ground: &GroundGame,
    text: &[u8],
    time: Duration,
) -> Result<ExitCode> {
    let json = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let certificate = Certificate::read(&json, text)?;
    match check(game, ground, &certificate, time) {
        Ok(shown) => {
            for (claim, holds) in shown {
                output::print(&format!("{claim:<19} {}: checked\n", if holds { "holds" } else { "fails" }))?;
            }
            Ok(ExitCode::SUCCESS)
        }
        Err((claim, refusal)) => {
            anstream::eprintln!("the certificate is refused: {claim}: {refusal}");
            Ok(ExitCode::from(1))
        }
    }
}

/// What is to be proved, and the literals of the formulas.
fn claims(
    arguments: &Arguments,
    subject: &mut Subject,
) -> Result<(Vec<Claim>, Vec<groundrules_net::Literal>)> {
    let (mut claims, mut literals) = (Vec::new(), Vec::new());
    let has_formulas =
        !(arguments.always.is_empty() && arguments.never.is_empty() && arguments.eventually.is_empty());
    if !arguments.eventually.is_empty() {
        claims.extend([Claim::Termination, Claim::Playability]);
    } else if !has_formulas {
        claims.extend(Claim::PROPERTIES);
    }
    for text in &arguments.always {
        literals.push(!subject.formula(text)?);
        claims.push(Claim::Always(text.clone()));
    }
    for text in &arguments.never {
        literals.push(subject.formula(text)?);
        claims.push(Claim::Never(text.clone()));
    }
    for text in &arguments.eventually {
        let formula = subject.formula(text)?;
        literals.push(subject.never_seen(formula));
        claims.push(Claim::Eventually(text.clone()));
    }
    Ok((claims, literals))
}

/// Proves under a line that says what is being tried.
pub(super) fn with_progress<T>(work: impl FnOnce(Options) -> T) -> T {
    let bar = ProgressBar::new_spinner();
    bar.enable_steady_tick(Duration::from_millis(200));
    let shown = bar.clone();
    let observer = Arc::new(move |what: &str| shown.set_message(what.to_owned()));
    let done = work(Options { observer: Some(observer), ..Options::default() });
    bar.finish_and_clear();
    done
}

/// The refuted claims with their lines.
fn lines(verdicts: &[Verdict]) -> Vec<(String, Vec<Vec<groundrules_machine::Move>>, &str)> {
    let line = |verdict: &Verdict| match &verdict.answer {
        Answer::Refuted(line) => Some(
            line.iter()
                .map(|joint| joint.iter().map(|&it| groundrules_machine::Move(it)).collect())
                .collect(),
        ),
        _ => None,
    };
    let name = |claim: &Claim| match claim {
        Claim::Always(_) => "always".to_owned(),
        Claim::Never(_) => "never".to_owned(),
        Claim::Eventually(_) => "eventually".to_owned(),
        property => property.to_string(),
    };
    let found = verdicts.iter().filter_map(|verdict| Some((verdict, line(verdict)?)));
    let found = found.enumerate().map(|(place, (verdict, line))| {
        let number = if matches!(verdict.claim, Claim::Always(_) | Claim::Never(_) | Claim::Eventually(_)) {
            format!("-{}", place + 1)
        } else {
            String::new()
        };
        (format!("{}{number}", name(&verdict.claim)), line, verdict.why.as_str())
    });
    found.collect()
}

fn exit_code(verdicts: &[Verdict]) -> ExitCode {
    let outcomes: Vec<Option<bool>> = verdicts.iter().map(Verdict::holds).collect();
    ExitCode::from(if outcomes.contains(&Some(false)) { 1 } else { u8::from(outcomes.contains(&None)) * 2 })
}
