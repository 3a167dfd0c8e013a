//! `groundrules replay TRACE…`: replays recorded matches and compares every state.

mod draw;
mod hosted;
mod traces;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread::{self, available_parallelism};
use std::time::Instant;

use anyhow::{Result, bail};
use groundrules::{Source, load_source, load_text};
use groundrules_gdl::trace::{Difference, Match, Outcome, matches, replay};
use groundrules_machine::InWords;
use indicatif::{ProgressBar, ProgressStyle};

use crate::engine::{Choice, set_up};
use crate::{game, output};
use traces::Trace;

/// Replay recorded matches and compare every state, legal move, end and goal.
///
/// A trace is a file with one JSON object per line, one match each, packed with gzip or not. The matches are played again
/// from the engine's own first state by the recorded joint moves; the first difference in a trace is shown. The file of a match
/// that `groundrules host` wrote is read too; it has its rules in it, so it needs no --game. Exit code 0 only when all
/// agree, 1 when something differs, 2 when something cannot be replayed.
#[derive(clap::Args)]
#[command(after_help = "\
A trace has one match per line, as a JSON object; it may be compressed with gzip. The exit code is 0 when \
everything agrees, 1 when something differs, 2 when something cannot be replayed.

Examples:
  groundrules replay match.jsonl --game connect-four
  groundrules replay traces/chess.jsonl.gz --game games/chess.kif
  groundrules replay traces/ --game games/        each NAME.jsonl.gz with NAME.kif
  groundrules replay nim.1790000000.jsonl         what `groundrules host nim` wrote")]
pub(crate) struct Arguments {
    /// Traces, or folders of traces (*.jsonl, *.jsonl.gz).
    #[arg(required = true, value_name = "TRACE")]
    traces: Vec<PathBuf>,
    /// The game: a file or a name of the library; or a folder that has a game of the same name for each trace. Without it,
    /// files of `groundrules host` are replayed by the rules in them.
    #[arg(long, value_name = "GAME")]
    game: Option<PathBuf>,
    #[command(flatten)]
    engine: Choice,
    /// How many traces to replay at the same time; 0 means all processors.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Write a JSON object.
    #[arg(long)]
    json: bool,
}

/// The result of a trace.
struct Replayed {
    trace: String,
    game: String,
    /// Matches without a difference.
    matches: usize,
    /// States without a difference.
    states: usize,
    verdict: Verdict,
}

enum Verdict {
    Same,
    Differs(Box<Found>),
    /// Why it could not be replayed to its end.
    Failed(String),
}

/// A difference and where it was found.
struct Found {
    /// The match, from 1.
    number: usize,
    difference: Difference,
    /// The joint move that led to the state, if there was one.
    after: Option<Vec<String>>,
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let traces = traces::find(&arguments.traces)?;
    // Said once, and not once for every trace.
    if let Some(game) = arguments.game.as_ref().filter(|game| !game.is_dir()) {
        game::source(game)?;
        if game.as_os_str() == "-" && traces.len() > 1 {
            bail!("standard input can be read once: give a file for several traces");
        }
    }
    arguments.engine.check()?;
    let start = Instant::now();
    let replayed = replay_all(arguments, &traces);
    let text = if arguments.json {
        format!("{}\n", draw::object(arguments.engine.engine.name(), &replayed, start.elapsed()))
    } else {
        draw::text(arguments.engine.engine.name(), &replayed, start.elapsed())
    };
    output::print(&text)?;
    let any = |wanted: fn(&Verdict) -> bool| replayed.iter().any(|replayed| wanted(&replayed.verdict));
    Ok(if any(|verdict| matches!(verdict, Verdict::Differs(_))) {
        ExitCode::from(1)
    } else if any(|verdict| matches!(verdict, Verdict::Failed(_))) {
        ExitCode::from(2)
    } else {
        ExitCode::SUCCESS
    })
}

/// Replays the traces, several at a time; what comes of them is in their order.
fn replay_all(arguments: &Arguments, traces: &[Trace]) -> Vec<Replayed> {
    let bar = ProgressBar::new(traces.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("replaying {bar:30} {pos} of {len}: {msg}") {
        bar.set_style(style);
    }
    let threads = match arguments.threads {
        0 => available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    let next = AtomicUsize::new(0);
    let (sender, receiver) = channel();
    thread::scope(|scope| {
        for _ in 0..threads.min(traces.len()) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                while let Some((number, trace)) = numbered(traces, next.fetch_add(1, Ordering::Relaxed)) {
                    // The receiver outlives the threads.
                    let _ = sender.send((number, replay_trace(arguments, trace)));
                }
            });
        }
        drop(sender);
        let mut all: Vec<(usize, Replayed)> = Vec::new();
        for (number, replayed) in receiver {
            bar.inc(1);
            bar.set_message(replayed.trace.clone());
            all.push((number, replayed));
        }
        bar.finish_and_clear();
        all.sort_by_key(|(number, _)| *number);
        all.into_iter().map(|(_, replayed)| replayed).collect()
    })
}

fn numbered(traces: &[Trace], number: usize) -> Option<(usize, &Trace)> {
    traces.get(number).map(|trace| (number, trace))
}

fn replay_trace(arguments: &Arguments, trace: &Trace) -> Replayed {
    let mut replayed = Replayed {
        trace: trace.shown.clone(),
        game: String::new(),
        matches: 0,
        states: 0,
        verdict: Verdict::Same,
    };
    if let Err(error) = replay_matches(arguments, trace, &mut replayed) {
        replayed.verdict = Verdict::Failed(output::message(&error));
    }
    replayed
}

/// Replays the matches of a trace up to the first difference.
fn replay_matches(arguments: &Arguments, trace: &Trace, replayed: &mut Replayed) -> Result<()> {
    let hosted = trace.hosted()?;
    let loaded = match (&arguments.game, &hosted) {
        (Some(game), _) => load_source(&game_of(game, trace)?)?,
        (None, Some(hosted)) => load_text(&hosted.name, hosted.rules.as_str())?,
        (None, None) => {
            bail!(
                "--game GAME is missing: this file was not written by `groundrules host`, so it does not contain the rules"
            )
        }
    };
    replayed.game.clone_from(&loaded.name);
    let compiled = arguments.engine.compile(loaded.game)?;
    let mut machine = set_up(|| compiled.machine())?;
    let recorded: Box<dyn Iterator<Item = _>> = match hosted {
        Some(hosted) => Box::new(std::iter::once(Ok(hosted.recorded))),
        None => Box::new(matches(trace.open()?)),
    };
    for (number, recorded) in recorded.enumerate() {
        let recorded = recorded?;
        let result = replay(&mut InWords::new(&mut *machine), &recorded);
        replayed.states += result.states;
        match result.outcome {
            Outcome::Same => replayed.matches += 1,
            Outcome::Stopped(error) => bail!("match {}, state {}: {error}", number + 1, result.states),
            Outcome::Differs(difference) => {
                let after = joint_before(&recorded, &difference);
                replayed.verdict =
                    Verdict::Differs(Box::new(Found { number: number + 1, difference, after }));
                return Ok(());
            }
        }
    }
    if replayed.matches == 0 {
        bail!("there is no match in it");
    }
    Ok(())
}

/// The joint move that led to the state of a difference.
fn joint_before(recorded: &Match, difference: &Difference) -> Option<Vec<String>> {
    recorded.steps.get(difference.state?.checked_sub(1)?)?.joint.clone()
}

/// The game of a trace: the one given, or the one of its name in the folder given.
fn game_of(game: &Path, trace: &Trace) -> Result<Source> {
    if !game.is_dir() {
        return Ok(game::source(game)?);
    }
    let named = |ending: &str| game.join(format!("{}.{ending}", trace.name));
    match [named("kif"), named("gdl")].into_iter().find(|path| path.is_file()) {
        Some(path) => Ok(Source::File(path)),
        None => bail!("there is no {}", named("kif").display()),
    }
}
