//! Measures one game: which commands are run, and the medians of their runs, or the error.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use groundrules::Source;
use serde::Deserialize;
use tempfile::TempDir;

use super::figures::{Figures, Outcome, Size};
use crate::child::{self, Limits, Usage};
use crate::statistics::median;

/// Our methods: the names, and how `groundrules ground` is asked for them. The first is the one that is called "ours"
/// where there is room for one.
pub(super) const METHODS: [(&str, &[&str]); 2] =
    [("one-step", &["--method", "one-step"]), ("iterative", &["--method", "iterative"])];

/// The optimisations of the first method, each of which `groundrules ground` can leave out.
const SWITCHES: [&str; 6] =
    ["--no-projection", "--no-demand", "--no-constants", "--no-frames", "--no-arguments", "--no-exclusion"];

/// How our program is asked for the answer set program that gringo is given.
const WRITE_PROGRAM: [&str; 2] = ["--format", "asp"];

/// How gringo is asked to ground.
const RUN_GRINGO: [&str; 2] = ["--output=intermediate", PROGRAM];

/// The answer set program, in the scratch folder.
const PROGRAM: &str = "program.lp";

/// The name of gringo among the methods.
pub(super) const GRINGO: &str = "gringo";

/// What to say when there is no gringo.
pub(super) const NO_GRINGO: &str =
    "gringo was not found, so its columns are empty; the Debian package `gringo` has it (apt install gringo)";

/// A run that takes longer than this is not repeated: noise is small beside it.
const LONG_RUN: Duration = Duration::from_secs(5);

/// One run of one method.
struct Sample {
    size: Size,
    seconds: f64,
    peak_bytes: u64,
    usage: Usage,
}

/// What our program reports of a grounding.
#[derive(Deserialize)]
struct ChildReport {
    #[serde(flatten)]
    size: Size,
    seconds: f64,
    /// Processor time, where the system tells.
    #[serde(default)]
    cpu_seconds: Option<f64>,
    #[serde(default)]
    peak_bytes: Option<u64>,
}

/// A method of ours, or one of its optimisations left out.
pub(super) struct Method {
    /// Its name.
    pub(super) name: &'static str,
    arguments: Vec<&'static str>,
}

/// All that a measurement needs to know.
pub(super) struct Bench {
    /// What gringo calls itself, if it is there.
    pub(super) gringo: Option<String>,
    /// Our methods.
    pub(super) methods: Vec<Method>,
    /// The first method with each optimisation left out in turn.
    pub(super) switches: Vec<Method>,
    program: PathBuf,
    scratch: TempDir,
    runs: usize,
    timeout: Duration,
    megabytes: usize,
}

impl Bench {
    /// Prepares measurements.
    pub(super) fn new(runs: usize, timeout: Duration, megabytes: usize, switches: bool) -> Result<Bench> {
        let methods = METHODS.map(|(name, arguments)| Method { name, arguments: arguments.into() });
        let switches = switches.then_some(SWITCHES).into_iter().flatten().map(|switch| Method {
            name: switch.trim_start_matches('-'),
            arguments: [METHODS[0].1, &[switch]].concat(),
        });
        Ok(Bench {
            gringo: gringo_version(),
            methods: methods.into(),
            switches: switches.collect(),
            program: std::env::current_exe().context("cannot find this program, which calls itself")?,
            scratch: tempfile::tempdir().context("cannot make a scratch folder")?,
            runs,
            timeout,
            megabytes,
        })
    }

    /// Measures a game with every method. They take turns, so that a busy minute of the machine meets them all.
    pub(super) fn measure(&self, source: &Source) -> BTreeMap<&'static str, Outcome> {
        let ours = self.methods.iter().chain(&self.switches);
        let mut series: Vec<Series<'_>> = ours
            .map(|method| Series::new(method.name, Box::new(|| self.run_method(source, &method.arguments))))
            .collect();
        if self.gringo.is_some() {
            series.push(match self.prepare_gringo(source) {
                Ok(size) => Series::new(GRINGO, Box::new(move || self.run_gringo(size.clone()))),
                Err(error) => {
                    Series { error: Some(error), ..Series::new(GRINGO, Box::new(|| Err(String::new()))) }
                }
            });
        }
        for _ in 0..self.runs {
            series.iter_mut().for_each(Series::run);
        }
        series.into_iter().map(|series| (series.name, series.outcome())).collect()
    }

    fn run_method(&self, source: &Source, arguments: &[&str]) -> Result<Sample, String> {
        let mut command = self.ground(source, arguments);
        command.args(["--format", "json", "--"]).arg(source.word());
        let (usage, text) = child::run_reading(command, self.limits_of_ours(), child::read_text)?;
        let report = parse_report(&text)?;
        let peak_bytes = report.peak_bytes.unwrap_or(usage.resident_bytes);
        let seconds = report.cpu_seconds.unwrap_or(report.seconds);
        Ok(Sample { size: report.size, seconds, peak_bytes, usage })
    }

    /// Writes the answer set program and counts what gringo makes of it, in a run that is not timed: reading its output
    /// slows it down.
    fn prepare_gringo(&self, source: &Source) -> Result<Size, String> {
        let mut write = self.ground(source, &WRITE_PROGRAM);
        write.arg("-o").arg(self.scratch.path().join(PROGRAM)).arg("--").arg(source.word());
        child::run(write, self.limits_of_ours())
            .map_err(|error| format!("its program could not be written: {error}"))?;
        let (_, counted) =
            child::run_reading(self.gringo(), self.limits(), |stdout| count_rules(BufReader::new(stdout)))?;
        counted.map_err(|error| format!("its output could not be read: {error}"))
    }

    fn run_gringo(&self, size: Size) -> Result<Sample, String> {
        let usage = child::run(self.gringo(), self.limits())?;
        Ok(Sample { size, seconds: usage.cpu.as_secs_f64(), peak_bytes: usage.resident_bytes, usage })
    }

    fn gringo(&self) -> Command {
        let mut command = Command::new(GRINGO);
        command.args(RUN_GRINGO).current_dir(self.scratch.path());
        command
    }

    /// Our program, as far as its arguments are the same for all.
    fn ground(&self, source: &Source, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("ground").args(arguments);
        command.arg("--seconds").arg(self.timeout.as_secs_f64().to_string());
        command.arg("--memory").arg(self.megabytes.to_string());
        if let Source::Library(_) = source {
            // A file here might have the same name.
            command.current_dir(self.scratch.path());
        }
        command
    }

    fn limits(&self) -> Limits {
        Limits { time: self.timeout, memory: (self.megabytes as u64).saturating_mul(1_000_000) }
    }

    /// Our program keeps its limits itself and says more about them; this is for when it does not. Address space is more
    /// than memory, most of all while something large is moved.
    fn limits_of_ours(&self) -> Limits {
        let Limits { time, memory } = self.limits();
        Limits {
            time: time.saturating_add(time / 10).saturating_add(Duration::from_secs(1)),
            memory: memory.saturating_mul(3),
        }
    }
}

/// The runs of one method on one game.
struct Series<'a> {
    name: &'static str,
    work: Box<dyn Fn() -> Result<Sample, String> + 'a>,
    samples: Vec<Sample>,
    error: Option<String>,
}

impl<'a> Series<'a> {
    fn new(name: &'static str, work: Box<dyn Fn() -> Result<Sample, String> + 'a>) -> Self {
        Series { name, work, samples: Vec::new(), error: None }
    }

    /// Runs once more, unless it failed or took long the last time.
    fn run(&mut self) {
        let long = self.samples.last().is_some_and(|sample| sample.usage.wall > LONG_RUN);
        if long || self.error.is_some() {
            return;
        }
        match (self.work)() {
            Ok(sample) => self.samples.push(sample),
            Err(error) => self.error = Some(error),
        }
    }

    fn outcome(self) -> Outcome {
        match (self.error, self.samples.first()) {
            (Some(error), _) => Outcome::Failed { error },
            (None, None) => Outcome::Failed { error: "it was not run".to_owned() },
            (None, Some(first)) => Outcome::Grounded(figures(first.size.clone(), &self.samples)),
        }
    }
}

fn figures(size: Size, samples: &[Sample]) -> Figures {
    let middle = |value: fn(&Sample) -> f64| median(samples.iter().map(value).collect());
    Figures {
        size,
        seconds: middle(|sample| sample.seconds),
        cpu_seconds: middle(|sample| sample.usage.cpu.as_secs_f64()),
        wall_seconds: middle(|sample| sample.usage.wall.as_secs_f64()),
        peak_bytes: middle(|sample| sample.peak_bytes as f64) as u64,
        resident_bytes: middle(|sample| sample.usage.resident_bytes as f64) as u64,
        runs: samples.iter().map(|sample| sample.seconds).collect(),
    }
}

fn parse_report(text: &str) -> Result<ChildReport, String> {
    serde_json::from_str(text).map_err(|error| format!("its report could not be read: {error}"))
}

/// Counts the rules in gringo's output, and the facts among them. Its lines are statements, a rule's begins with 1; the
/// format is aspif.
fn count_rules(mut output: impl BufRead) -> std::io::Result<Size> {
    let (mut rules, mut facts) = (0, 0);
    let mut line = Vec::new();
    while output.read_until(b'\n', &mut line)? > 0 {
        if line.starts_with(b"1 ") {
            rules += 1;
            facts += u64::from(is_fact(&line));
        }
        line.clear();
    }
    Ok(Size { rules, facts: Some(facts), ..Size::default() })
}

/// A disjunction (0) of one atom, under a normal body (0) of no literals.
fn is_fact(line: &[u8]) -> bool {
    let words: Vec<&[u8]> = line.trim_ascii_end().split(|&byte| byte == b' ').take(7).collect();
    matches!(words[..], [b"1", b"0", b"1", _, b"0", b"0"])
}

fn gringo_version() -> Option<String> {
    let output = Command::new(GRINGO).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().next().map(|line| line.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(seconds: f64, wall: u64) -> Sample {
        let usage = Usage { wall: Duration::from_secs(wall), cpu: Duration::from_secs(1), resident_bytes: 5 };
        Sample { size: Size { rules: 2, ..Size::default() }, seconds, peak_bytes: 10, usage }
    }

    #[test]
    fn the_report_of_a_child_is_read() {
        let report = parse_report(
            r#"{"game": "x", "rules": 7, "literals": 9, "base": 3, "input": 2, "derived": 1, "roles": 2, "seconds": 0.5}"#,
        )
        .unwrap();
        assert_eq!((report.size.rules, report.size.literals, report.seconds), (7, Some(9), 0.5));
        assert_eq!(report.peak_bytes, None);
        let report = parse_report(r#"{"rules": 7, "seconds": 1, "peak_bytes": 12}"#).unwrap();
        assert_eq!((report.size.base, report.peak_bytes), (None, Some(12)));
        assert!(parse_report("").is_err());
        assert!(parse_report(r#"{"rules": 7}"#).is_err());
    }

    #[test]
    fn rules_and_facts_of_aspif_are_counted() {
        let text =
            "asp 1 0 0\n1 0 1 1 0 0\n1 1 1 2 0 1 1\n1 0 1 3 0 2 1 -2\n1 0 0 0 0\n4 1 a 1 1\n10 1 x\n0\n";
        let size = count_rules(text.as_bytes()).unwrap();
        assert_eq!((size.rules, size.facts), (4, Some(1)));
    }

    #[test]
    fn failures_and_long_runs_are_not_repeated() {
        let mut failing = Series::new("a", Box::new(|| Err("no".to_owned())));
        let mut long = Series::new("b", Box::new(|| Ok(sample(6.0, 6))));
        let mut short = Series::new("c", Box::new(|| Ok(sample(1.0, 1))));
        for _ in 0..3 {
            failing.run();
            long.run();
            short.run();
        }
        assert_eq!((long.samples.len(), short.samples.len()), (1, 3));
        assert!(matches!(failing.outcome(), Outcome::Failed { error } if error == "no"));
    }

    #[test]
    fn figures_are_medians() {
        let samples = [sample(3.0, 1), sample(1.0, 1), sample(2.0, 1)];
        let figures = figures(samples[0].size.clone(), &samples);
        assert_eq!((figures.seconds, figures.cpu_seconds), (2.0, 1.0));
        assert_eq!(figures.runs, [3.0, 1.0, 2.0]);
        assert_eq!(figures.bytes_per_rule(), 5.0);
    }

    #[test]
    fn the_switches_are_measured_only_when_asked_for() {
        let bench = |switches| Bench::new(1, Duration::from_secs(1), 1, switches).unwrap();
        assert!(bench(false).switches.is_empty());
        let switches = bench(true).switches;
        assert_eq!(switches[0].name, "no-projection");
        assert_eq!(switches[0].arguments, ["--method", "one-step", "--no-projection"]);
    }
}
