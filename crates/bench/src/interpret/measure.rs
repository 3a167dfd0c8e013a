//! Measures one game. Groundrules plays by `groundrules run`, SWI-Prolog by the program that `prolog` writes. Their runs
//! alternate, so that other load on the machine affects both.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use groundrules::Source;
use groundrules_gdl::{Options, read};
use groundrules_machine::Moments;
use groundrules_machine::engines::Engine;
use serde::Deserialize;
use tempfile::TempDir;

use super::figures::{GameResult, Outcome, Played, Sample, agreement};
use super::games::Named;
use super::prolog::{Recursion, program};
use crate::child::{self, Limits};

const SWIPL: &str = "swipl";

/// What to say when there is no SWI-Prolog.
pub(super) const NO_PROLOG: &str = "SWI-Prolog (swipl) was not found, so its columns are empty; the Debian package \
                                    `swi-prolog-nox` has it (apt install swi-prolog-nox)";

/// The engine that is measured.
const ENGINE: Engine = Engine::Tree;

/// Playouts end after so many joint moves, ours and Prolog's.
const MAX_STEPS: u64 = 10_000;

/// The memory of Prolog's stacks: a recursion without an end is known by it.
const STACKS: &str = "--stack_limit=128m";

/// The address space of a process.
const MEMORY: u64 = 8_000_000_000;

/// All that a measurement needs to know.
pub(super) struct Bench {
    /// What SWI-Prolog calls itself, if it is there.
    pub(super) prolog: Option<String>,
    /// The optimisations that are left out in turn.
    pub(super) without: Vec<&'static str>,
    program: PathBuf,
    scratch: TempDir,
    seconds: Duration,
    timeout: Duration,
    runs: usize,
}

/// What our program reports of a run.
#[derive(Deserialize)]
struct OurReport {
    playouts: u64,
    states: u64,
    seconds: f64,
    setup_seconds: f64,
    cpu_seconds: Option<f64>,
    setup_cpu_seconds: Option<f64>,
    mean_length: Option<f64>,
    mean_length_interval: Option<[f64; 2]>,
    goals: serde_json::Map<String, serde_json::Value>,
    goals_interval: BTreeMap<String, Option<[f64; 2]>>,
    counters: BTreeMap<String, u64>,
}

/// What Prolog reports of a run.
#[derive(Deserialize)]
struct PrologReport {
    playouts: u64,
    states: u64,
    seconds: f64,
    setup_seconds: f64,
    lengths: PrologMoments,
    goals: Vec<PrologMoments>,
}

#[derive(Deserialize)]
struct PrologMoments {
    count: u64,
    sum: i64,
    squares: i64,
}

impl Bench {
    /// Prepares measurements.
    pub(super) fn new(seconds: Duration, timeout: Duration, runs: usize, switches: bool) -> Result<Bench> {
        Ok(Bench {
            prolog: prolog_version(),
            without: if switches { ENGINE.optimisations().to_vec() } else { Vec::new() },
            program: std::env::current_exe().context("cannot find this program, which calls itself")?,
            scratch: tempfile::tempdir().context("cannot make a scratch folder")?,
            seconds,
            timeout,
            runs,
        })
    }

    /// Measures a game; says what it is about to do.
    pub(super) fn measure(&self, game: &Named, tell: &dyn Fn(&str)) -> GameResult {
        let recursion = self.prolog.as_ref().map(|_| {
            tell(SWIPL);
            self.prepare(game)
        });
        let (mut ours, mut prolog) = (Vec::new(), Vec::new());
        let mut without: BTreeMap<&'static str, Vec<_>> = BTreeMap::new();
        for run in 0..self.runs {
            let seed = run as u64 + 1;
            tell(ENGINE.name());
            ours.push(self.play(game, &[], seed));
            if let Some(recursion) = &recursion {
                tell(SWIPL);
                let played = recursion.as_ref().map_err(String::clone);
                prolog.push(played.and_then(|&recursion| self.play_prolog(recursion, seed)));
            }
            for optimisation in &self.without {
                tell(&format!("without {optimisation}"));
                without.entry(optimisation).or_default().push(self.play(game, &[optimisation], seed));
            }
        }
        let (ours, prolog) = (middle(ours), recursion.map(|_| middle(prolog)));
        GameResult {
            game: game.name.clone(),
            file: game.source.name(),
            agreement: agreement(&ours, prolog.as_ref()),
            ours,
            prolog,
            without: without.into_iter().map(|(name, runs)| (name, middle(runs))).collect(),
        }
    }

    fn play(&self, game: &Named, without: &[&str], seed: u64) -> Result<Played, String> {
        let mut command = Command::new(&self.program);
        command.args(["run", "--json", "--engine", ENGINE.name()]);
        command.args(["--max-steps", &MAX_STEPS.to_string(), "--seed", &seed.to_string()]);
        command.args(["--seconds", &self.seconds.as_secs_f64().to_string()]);
        command.args(without.iter().flat_map(|name| ["--without", name]));
        command.arg("--").arg(game.source.word());
        if let Source::Library(_) = game.source {
            // A file here might have the same name.
            command.current_dir(self.scratch.path());
        }
        let (usage, text) = child::run_reading(command, self.limits(), child::read_text)?;
        let report: OurReport = parse(&text)?;
        Ok(Played { process_seconds: usage.cpu.as_secs_f64(), ..Played::from(report) })
    }

    /// Writes the programs and finds out whether the plain one ends; where it does not, the tabled one is played.
    fn prepare(&self, game: &Named) -> Result<Recursion, String> {
        let options = Options::default();
        let text = game.source.read(options.limits.bytes).map_err(|error| format!("{error:#}"))?;
        let description = read(&text, &options).game.ok_or("it is not GDL")?;
        for recursion in [Recursion::Plain, Recursion::Tabled] {
            let path = self.scratch.path().join(recursion.file());
            fs::write(path, program(&description, recursion))
                .map_err(|error| format!("its program could not be written: {error}"))?;
        }
        // Half a playout shows an endless recursion, if there is one: then the stacks overflow.
        let plain = self.run_prolog(Recursion::Plain, Duration::from_millis(300), 1);
        Ok(if plain.is_ok() { Recursion::Plain } else { Recursion::Tabled })
    }

    fn play_prolog(&self, recursion: Recursion, seed: u64) -> Result<Played, String> {
        self.run_prolog(recursion, self.seconds, seed)
    }

    fn run_prolog(&self, recursion: Recursion, time: Duration, seed: u64) -> Result<Played, String> {
        let mut command = Command::new(SWIPL);
        command.current_dir(self.scratch.path()).args(["-q", STACKS, "-g", "main", "-t", "halt"]);
        command.arg(recursion.file()).arg("--").arg(time.as_secs_f64().to_string());
        command.args([MAX_STEPS.to_string(), seed.to_string()]);
        let (usage, text) = child::run_reading(command, self.limits(), child::read_text)?;
        let report: PrologReport = parse(&text)?;
        let recursion = Some(recursion.name());
        Ok(Played { process_seconds: usage.cpu.as_secs_f64(), recursion, ..Played::from(report) })
    }

    /// On a busy machine, processor time passes slowly.
    fn limits(&self) -> Limits {
        let time = self.seconds.saturating_mul(4).saturating_add(self.timeout);
        Limits { time, memory: MEMORY }
    }
}

impl Recursion {
    fn name(self) -> &'static str {
        match self {
            Recursion::Plain => "plain",
            Recursion::Tabled => "tabled",
        }
    }

    fn file(self) -> &'static str {
        match self {
            Recursion::Plain => "plain.pl",
            Recursion::Tabled => "tabled.pl",
        }
    }
}

impl From<OurReport> for Played {
    fn from(report: OurReport) -> Played {
        let goals = report
            .goals
            .iter()
            .map(|(role, mean)| sample(mean.as_f64(), report.goals_interval.get(role).copied().flatten()));
        Played {
            playouts: report.playouts,
            states: report.states,
            // Where the system does not tell the processor time, the one on the wall has to do.
            seconds: report.cpu_seconds.unwrap_or(report.seconds),
            setup_seconds: report.setup_cpu_seconds.unwrap_or(report.setup_seconds),
            process_seconds: 0.0,
            length: sample(report.mean_length, report.mean_length_interval),
            goals: goals.collect(),
            counters: report.counters,
            recursion: None,
        }
    }
}

impl From<PrologReport> for Played {
    fn from(report: PrologReport) -> Played {
        Played {
            playouts: report.playouts,
            states: report.states,
            seconds: report.seconds,
            setup_seconds: report.setup_seconds,
            process_seconds: 0.0,
            length: Sample::from(&report.lengths),
            goals: report.goals.iter().map(Sample::from).collect(),
            counters: BTreeMap::new(),
            recursion: None,
        }
    }
}

impl From<&PrologMoments> for Sample {
    fn from(moments: &PrologMoments) -> Sample {
        let (sum, squares) = (moments.sum.into(), moments.squares.into());
        let moments = Moments { count: moments.count, sum, squares };
        Sample { mean: moments.mean(), error: moments.standard_error() }
    }
}

/// Half of a confidence interval of 95 % is 1.96 standard errors.
fn sample(mean: Option<f64>, interval: Option<[f64; 2]>) -> Sample {
    Sample { mean, error: interval.map(|[from, to]| (to - from) / 2.0 / 1.96) }
}

/// The run in the middle by its speed; if one failed, that it did.
fn middle(runs: Vec<Result<Played, String>>) -> Outcome {
    let mut played = match runs.into_iter().collect::<Result<Vec<Played>, String>>() {
        Ok(played) => played,
        Err(error) => return Outcome::Failed { error },
    };
    played.sort_by(|a, b| a.states_per_second().total_cmp(&b.states_per_second()));
    let middle = played.len() / 2;
    match played.into_iter().nth(middle) {
        Some(played) => Outcome::Played(Box::new(played)),
        None => Outcome::Failed { error: "it was not run".to_owned() },
    }
}

fn parse<'text, T: Deserialize<'text>>(text: &'text str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| format!("its report could not be read: {error}"))
}

fn prolog_version() -> Option<String> {
    let output = Command::new(SWIPL).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().next().map(|line| line.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reports_of_children_are_read() {
        let text = r#"{"playouts":4,"states":10,"unfinished":0,"unplayable":0,"seconds":2.0,"setup_seconds":0.04,
            "lengths":{"count":4,"sum":10,"squares":30},"goals":[{"count":4,"sum":0,"squares":0}]}"#;
        let played = Played::from(parse::<PrologReport>(text).unwrap());
        assert_eq!((played.states_per_second(), played.length.mean), (5.0, Some(2.5)));
        assert_eq!(played.goals, [Sample { mean: Some(0.0), error: Some(0.0) }]);
        let text = r#"{"game":"g","playouts":4,"states":10,"seconds":4.0,"setup_seconds":0.1,"cpu_seconds":2.0,
            "setup_cpu_seconds":null,"mean_length":2.5,"mean_length_interval":[0.54,4.46],"goals":{"b":1.0,"a":null},
            "goals_interval":{"a":null,"b":[1.0,1.0]},"counters":{"filters":3}}"#;
        let played = Played::from(parse::<OurReport>(text).unwrap());
        assert_eq!((played.states_per_second(), played.setup_seconds), (5.0, 0.1));
        assert!((played.length.error.unwrap() - 1.0).abs() < 1e-9);
        assert_eq!(played.goals[0], Sample { mean: Some(1.0), error: Some(0.0) });
        assert!(parse::<OurReport>("").is_err());
    }

    #[test]
    fn the_run_in_the_middle_counts() {
        let run = |states| Played {
            states,
            ..Played::from(
                parse::<PrologReport>(
                    r#"{"playouts":1,"states":1,"seconds":1.0,"setup_seconds":0.0,
                        "lengths":{"count":0,"sum":0,"squares":0},"goals":[]}"#,
                )
                .unwrap(),
            )
        };
        let middle_of = |runs: Vec<_>| middle(runs).played().map(|played| played.states);
        assert_eq!(middle_of(vec![Ok(run(9)), Ok(run(1)), Ok(run(5))]), Some(5));
        assert_eq!(middle_of(vec![Ok(run(9)), Err("no".to_owned())]), None);
        assert_eq!(middle(Vec::new()).error(), Some("it was not run"));
    }
}
