//! Measures one game: `groundrules run` with every engine on one core, then the engine that `auto` chooses on all cores.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use groundrules::Source;
use groundrules_machine::engines::Engine;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use crate::child::{self, Limits};

/// The engines that are measured.
pub(crate) const ENGINES: [Engine; 3] = [Engine::Tree, Engine::Net, Engine::Sliced];

/// What an engine did with a game, or why it did not.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Outcome {
    /// It played.
    Played(Played),
    /// It did not.
    Failed {
        /// Why not.
        error: String,
    },
}

impl Outcome {
    /// What was played.
    pub(crate) fn played(&self) -> Option<&Played> {
        match self {
            Outcome::Played(played) => Some(played),
            Outcome::Failed { .. } => None,
        }
    }
}

/// Figures of one run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Played {
    /// What played.
    pub(crate) engine: String,
    pub(crate) threads: u64,
    pub(crate) playouts: u64,
    pub(crate) states: u64,
    /// On one thread the processor time, on several the time on the wall.
    pub(crate) seconds: f64,
    /// From the text to the first playout.
    pub(crate) setup_seconds: f64,
    /// The processor time of it, if the system tells.
    pub(crate) setup_cpu_seconds: Option<f64>,
    /// How many gates a step of all lanes takes, if there are lanes, and how many an instruction is for.
    pub(crate) gates_per_step: Option<f64>,
    pub(crate) lanes: Option<usize>,
    pub(crate) mean_length: Option<f64>,
    pub(crate) goals: serde_json::Map<String, serde_json::Value>,
}

impl Played {
    /// States a second.
    pub(crate) fn states_per_second(&self) -> f64 {
        self.states as f64 / self.seconds.max(1e-9)
    }

    /// Playouts a second.
    pub(crate) fn playouts_per_second(&self) -> f64 {
        self.playouts as f64 / self.seconds.max(1e-9)
    }
}

/// What was measured of a game.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct GameResult {
    pub(crate) game: String,
    /// On one core, in the order of [`ENGINES`].
    pub(crate) engines: Vec<Outcome>,
    /// On all cores, by what `auto` chooses.
    pub(crate) all_cores: Outcome,
}

/// What our program reports of a run.
#[derive(Deserialize)]
struct RunReport {
    engine: String,
    threads: u64,
    playouts: u64,
    states: u64,
    seconds: f64,
    cpu_seconds: Option<f64>,
    setup_seconds: f64,
    setup_cpu_seconds: Option<f64>,
    gates_per_step: Option<f64>,
    lanes: Option<usize>,
    mean_length: Option<f64>,
    goals: serde_json::Map<String, serde_json::Value>,
}

/// All that a measurement needs to know.
pub(crate) struct Bench {
    program: PathBuf,
    scratch: TempDir,
    seconds: Duration,
    limits: Limits,
}

impl Bench {
    /// Prepares measurements.
    pub(crate) fn new(seconds: Duration, timeout: Duration, megabytes: u64) -> Result<Bench> {
        let time = seconds.saturating_mul(4).saturating_add(timeout);
        Ok(Bench {
            program: std::env::current_exe().context("cannot find this program, which calls itself")?,
            scratch: tempfile::tempdir().context("cannot make a scratch folder")?,
            seconds,
            limits: Limits { time, memory: megabytes.saturating_mul(1_000_000) },
        })
    }

    /// Measures a game; says what it is about to do.
    pub(crate) fn measure(&self, name: &str, source: &Source, tell: &dyn Fn(&str)) -> GameResult {
        let one = |engine: Engine| {
            tell(engine.name());
            self.play(source, engine, &[], 1)
        };
        let engines: Vec<Outcome> = ENGINES.into_iter().map(one).collect();
        let fastest = ENGINES.into_iter().zip(&engines).rev().find(|(_, outcome)| outcome.played().is_some());
        tell("all cores");
        let all_cores = match fastest {
            Some((engine, _)) => self.play(source, engine, &[], 0),
            None => Outcome::Failed { error: "no engine plays it".to_owned() },
        };
        GameResult { game: name.to_owned(), engines, all_cores }
    }

    /// Plays without some optimisations of the engine, on so many threads; 0 stands for all cores.
    pub(crate) fn play(&self, source: &Source, engine: Engine, without: &[&str], threads: u64) -> Outcome {
        let mut command = Command::new(&self.program);
        command.args(["run", "--json", "--engine", engine.name(), "--threads", &threads.to_string()]);
        without.iter().for_each(|name| {
            command.args(["--without", name]);
        });
        command.args(["--seconds", &self.seconds.as_secs_f64().to_string(), "--"]).arg(source.word());
        if let Source::Library(_) = source {
            // A file here might have the same name.
            command.current_dir(self.scratch.path());
        }
        let played = child::run_reading(command, self.limits, child::read_text).and_then(|(_, text)| {
            serde_json::from_str::<RunReport>(&text)
                .map_err(|error| format!("its report cannot be read: {error}"))
        });
        match played {
            Ok(report) => Outcome::Played(Played {
                seconds: report.cpu_seconds.filter(|_| report.threads == 1).unwrap_or(report.seconds),
                engine: report.engine,
                threads: report.threads,
                playouts: report.playouts,
                states: report.states,
                setup_seconds: report.setup_seconds,
                setup_cpu_seconds: report.setup_cpu_seconds,
                gates_per_step: report.gates_per_step,
                lanes: report.lanes,
                mean_length: report.mean_length,
                goals: report.goals,
            }),
            Err(error) => Outcome::Failed { error },
        }
    }
}
