//! `groundrules bench prove`: which properties of which games are decided, by what and how fast, beside Berkeley's ABC on the same
//! circuits. Every game is verified in a process of its own, by exploration and proofs side by side; processor time counts. Every line
//! that refutes a property is replayed by the interpreter of the rules.

mod abc;
mod report;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use groundrules::Source;
use groundrules_command::output;
use indicatif::{ProgressBar, ProgressStyle};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::child::{self, Limits};
use super::journal::{Entry, Journal};
use abc::Abc;
use report::Report;

/// Measure which properties are decided, and how fast.
///
/// Each game is verified by exploration and proofs side by side, on one processor. Lines that refute a property are replayed by the engine
/// `tree`. Where berkeley-abc is installed, it gets the same properties as AIGER files, and must agree.
#[derive(clap::Args)]
#[command(after_help = "\
The exit code is 0 when all verdicts agree and all lines were replayed, otherwise 1.

Examples:
  groundrules bench prove                             the whole library
  groundrules bench prove games/ --seconds 60
  groundrules bench prove games/ --journal run.jsonl  continues after a kill
  groundrules bench prove games/ --markdown > table.md
  groundrules bench prove --json --plots plots > bench.json")]
pub(crate) struct Arguments {
    /// Files, folders or names of the library; without any, the whole library.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Seconds of processor time for a game, a quarter of them for exploration.
    #[arg(long, default_value_t = 60.0, value_name = "SECONDS")]
    seconds: f64,
    /// Seconds for each property by berkeley-abc; 0 leaves it out.
    #[arg(long, default_value_t = 10.0, value_name = "SECONDS")]
    abc_seconds: f64,
    /// The most memory of a process, in megabytes.
    #[arg(long, default_value_t = 8000, value_name = "MB")]
    memory: u64,
    /// Write every game that is done into this file, and go on from what it has.
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Write JSON: everything that was measured.
    #[arg(long)]
    json: bool,
    /// Write the table as Markdown.
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Draw plots as SVG files into this folder.
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
}

/// The properties that are counted.
const PROPERTIES: [&str; 5] =
    ["termination", "playability", "utility structure", "weak winnability", "monotonicity"];

/// Exploration has this share of the time: what it decides at all, it mostly decides soon.
const EXPLORED: f64 = 0.25;

/// A property of a game.
#[derive(Clone, Serialize, Deserialize)]
struct Judged {
    property: String,
    /// Holds, fails, or is open.
    verdict: String,
    method: Option<String>,
    /// Processor seconds until then: of the proofs, or of the whole process where exploration decided.
    seconds: f64,
    /// How many moves the line has that refutes it.
    moves: Option<usize>,
}

/// A game.
#[derive(Clone, Serialize, Deserialize)]
struct Measured {
    game: String,
    /// The limit, in seconds.
    limit: f64,
    /// Why there are no verdicts.
    error: Option<String>,
    verdicts: Vec<Judged>,
    /// Of the whole process, setting the game up included.
    cpu_seconds: f64,
    resident_bytes: u64,
    /// Why the lines were not replayed, if there are any and they were not.
    replay: Option<String>,
    /// How many lines the interpreter replayed.
    replayed: usize,
    abc: Vec<abc::Answer>,
}

impl Entry for Measured {
    fn game(&self) -> &str {
        &self.game
    }
}

impl Measured {
    fn is_decided(&self, property: &str) -> bool {
        self.verdicts.iter().any(|judged| judged.property == property && judged.verdict != "open")
    }

    fn is_whole(&self) -> bool {
        PROPERTIES.iter().all(|property| self.is_decided(property))
    }
}

struct Bench {
    program: PathBuf,
    seconds: f64,
    memory: u64,
    abc: Option<Abc>,
}

impl Bench {
    /// Verifies a game, replays the lines, and asks the other program.
    fn measure(&self, name: &str, source: &Source) -> Result<Measured> {
        let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
        let mut measured = Measured {
            game: name.to_owned(),
            limit: self.seconds,
            error: None,
            verdicts: Vec::new(),
            cpu_seconds: 0.0,
            resident_bytes: 0,
            replay: None,
            replayed: 0,
            abc: Vec::new(),
        };
        let lines = folder.path().join("lines");
        match self.verify(&source.name(), &lines) {
            Err(error) => measured.error = Some(error),
            Ok((usage, object)) => {
                measured.cpu_seconds = usage.cpu.as_secs_f64();
                measured.resident_bytes = usage.resident_bytes;
                measured.verdicts = judged(&object, measured.cpu_seconds);
            }
        }
        measured.replayed = fs::read_dir(&lines).map_or(0, Iterator::count);
        if measured.replayed > 0
            && let Err(error) = self.replay(&source.name(), &lines)
        {
            measured.replay = Some(error);
            measured.replayed = 0;
        }
        if let Some(abc) = &self.abc {
            measured.abc = abc.answers(&self.program, &source.name(), folder.path());
        }
        Ok(measured)
    }

    fn limits(&self, factor: f64) -> Limits {
        // On the wall, where other processes may have the processor.
        let time = Duration::from_secs_f64(self.seconds * factor + 120.0);
        Limits { time, memory: self.memory << 20 }
    }

    fn verify(&self, game: &str, lines: &Path) -> Result<(child::Usage, Value), String> {
        let mut command = Command::new(&self.program);
        command.args(["verify", game, "--json", "--threads", "1", "--strong-states", "0"]);
        let explored = self.seconds * EXPLORED;
        command.args(["--seconds", &explored.to_string()]);
        command.args(["--proof-seconds", &(self.seconds - explored).to_string()]);
        command.args(["--max-memory", &(self.memory / 4).to_string(), "--counterexamples"]).arg(lines);
        let (usage, text) = child::run_ending(command, self.limits(20.0), &[0, 1, 2], child::read_text)?;
        let object = serde_json::from_str(&text).map_err(|_| "there are no verdicts".to_owned())?;
        Ok((usage, object))
    }

    fn replay(&self, game: &str, lines: &Path) -> Result<(), String> {
        let mut command = Command::new(&self.program);
        command.arg("replay").args(traces(lines)).args([
            "--game",
            game,
            "--engine",
            "tree",
            "--threads",
            "1",
        ]);
        child::run(command, self.limits(5.0)).map(|_| ())
    }
}

fn traces(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// The verdicts that the program wrote.
fn judged(object: &Value, whole: f64) -> Vec<Judged> {
    let verdicts = object["verdicts"].as_array().map(Vec::as_slice).unwrap_or_default();
    let own = |property: &&str| {
        let verdict = verdicts.iter().find(|verdict| verdict["property"] == **property)?;
        let text = |name: &str| verdict[name].as_str().map(str::to_owned);
        Some(Judged {
            property: (*property).to_owned(),
            verdict: text("verdict")?,
            method: text("method"),
            seconds: verdict["proof_seconds"].as_f64().unwrap_or(whole),
            moves: verdict["line"].as_array().map(Vec::len),
        })
    };
    PROPERTIES.iter().filter_map(own).collect()
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let games = super::games(&arguments.files)?;
    if let Some(folder) = &arguments.plots {
        fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    if !(arguments.seconds > 0.0 && arguments.seconds < 1e6) {
        bail!("--seconds {} is no time to search in", arguments.seconds);
    }
    let abc = (arguments.abc_seconds > 0.0).then(|| Abc::find(arguments.abc_seconds)).flatten();
    if abc.is_none() && arguments.abc_seconds > 0.0 {
        anstream::eprintln!("berkeley-abc is not installed: proofs have no yardstick");
    }
    let program = std::env::current_exe().context("this program cannot find itself")?;
    let bench = Bench { program, seconds: arguments.seconds, memory: arguments.memory, abc };
    // A game that was measured with another limit counts if everything was decided within this one.
    let limit = arguments.seconds;
    let counts = |measured: &Measured| {
        (measured.limit - limit).abs() < 1e-9 || measured.is_whole() && measured.cpu_seconds <= limit
    };
    let mut journal = Journal::open(arguments.journal.as_deref(), counts)?;
    let progress = ProgressBar::new(games.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("game {pos} of {len}: {msg} [{elapsed}]") {
        progress.set_style(style);
    }
    let mut results = Vec::with_capacity(games.len());
    for (name, source) in &games {
        progress.inc(1);
        progress.set_message(name.clone());
        let measured = match journal.take(name) {
            Some(done) => done,
            None => {
                let measured = bench.measure(name, source)?;
                journal.add(&measured)?;
                measured
            }
        };
        results.push(measured);
    }
    progress.finish_and_clear();
    let report = Report::new(arguments.seconds, arguments.abc_seconds, bench.abc.is_some(), results);
    if let Some(folder) = &arguments.plots {
        output::write_file(&folder.join("prove-decided.svg"), report.plot()?.as_bytes())?;
    }
    output::print(&if arguments.json {
        format!("{}\n", serde_json::to_string(&report)?)
    } else if arguments.markdown {
        report.to_markdown()
    } else {
        report.to_text()
    })?;
    Ok(if report.is_right() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
