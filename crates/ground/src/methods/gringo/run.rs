//! Runs gringo. A thread writes the program, the output is read as a stream, and a watchdog ends the process when it
//! exceeds its time or memory. Memory is watched on Linux only.

use std::io::{BufReader, Read, Write};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use groundrules_gdl::Game;

use super::answer::{self, Answer};
use super::error::GringoError;
use super::{clauses, program};
use crate::draft::{Draft, Rules};
use crate::error::GroundError;
use crate::finish;
use crate::ground_game::GroundGame;
use crate::limits::Limits;
use crate::options::Options;
use crate::passes;
use crate::subsume::Bodies;

/// How often the process is looked at.
const PERIOD: Duration = Duration::from_millis(20);

/// How much is kept of what gringo complains about.
const MOST_COMPLAINTS: u64 = 4_000;

/// The grounder gringo, a program of its own.
#[derive(Clone, Debug)]
pub struct Gringo {
    path: PathBuf,
}

impl Default for Gringo {
    /// The one that the shell would find.
    fn default() -> Self {
        Gringo::at("gringo")
    }
}

impl Gringo {
    /// The one in some place.
    pub fn at(path: impl AsRef<Path>) -> Self {
        Gringo { path: path.as_ref().to_owned() }
    }

    /// Whether it is there.
    pub fn is_present(&self) -> bool {
        let version = Command::new(&self.path).arg("--version").stdin(Stdio::null()).output();
        version.is_ok_and(|output| output.status.success())
    }

    /// Grounds a game by this gringo, whatever the method of the options. Of the passes over clauses only projection and
    /// demand run, as the paper has them.
    pub fn ground(&self, game: &Game, options: &Options) -> Result<GroundGame, GroundError> {
        let clauses = clauses(game, options.switches)?;
        let text = program::write(game, &clauses);
        let Answer { mut draft, mut names, roles, terms } = self.ask(&text, &options.limits, |output| {
            answer::read(game, &clauses, BufReader::with_capacity(1 << 16, output), &options.limits)
        })?;
        drop_subsumed(&mut draft);
        passes::tidy(&mut draft, options.switches, &options.limits.cancel)?;
        let mut ground = finish::finish(draft, &mut names, roles);
        ground.symbols = game.symbols().clone();
        ground.terms = terms;
        Ok(ground)
    }

    /// Hands a program over and has the answer read.
    fn ask<T>(
        &self,
        program: &str,
        limits: &Limits,
        read: impl FnOnce(&mut dyn Read) -> Result<T, GringoError>,
    ) -> Result<T, GringoError> {
        let mut child = self.start()?;
        let (Some(mut stdin), Some(mut stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(std::io::Error::other("its standard streams are not connected").into());
        };
        thread::scope(|scope| {
            // If it stops listening, its answer tells why.
            scope.spawn(move || stdin.write_all(program.as_bytes()));
            let complaints = scope.spawn(move || complaints(stderr));
            let (sender, receiver) = channel();
            let watchdog = scope.spawn(move || watch(&mut child, limits, &receiver));
            let result = read(&mut stdout);
            drop(stdout);
            // Only if the answer is cut off does it matter how the process ends by itself.
            let _ =
                sender.send(if matches!(result, Err(GringoError::Cut)) { News::Ends } else { News::Done });
            let end = watchdog.join().unwrap_or_else(|panic| resume_unwind(panic));
            let stderr = complaints.join().unwrap_or_else(|panic| resume_unwind(panic));
            match (result, end?) {
                (Err(GringoError::Cut), status) if !status.success() => {
                    Err(GringoError::Failed { status: status.to_string(), stderr })
                }
                (result, _) => result,
            }
        })
    }

    fn start(&self) -> Result<Child, GringoError> {
        Command::new(&self.path)
            .args(["--output=intermediate", "--warn=none"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| match error.kind() {
                std::io::ErrorKind::NotFound => GringoError::Absent { path: self.path.display().to_string() },
                _ => error.into(),
            })
    }
}

/// What gringo says beside its answer, as much of it as anybody will read.
fn complaints(mut stderr: ChildStderr) -> String {
    let mut said = Vec::new();
    // What cannot be read is not needed.
    let _ = stderr.by_ref().take(MOST_COMPLAINTS).read_to_end(&mut said);
    let _ = std::io::copy(&mut stderr, &mut std::io::sink());
    String::from_utf8_lossy(&said).trim().to_owned()
}

/// A message to the watchdog.
enum News {
    /// The answer is read, or nobody wants the rest of it.
    Done,
    /// There will be no more of the answer.
    Ends,
}

/// Looks after the process until it has ended, which it does at once when it passes a limit or is no longer needed.
fn watch(child: &mut Child, limits: &Limits, news: &Receiver<News>) -> Result<ExitStatus, GringoError> {
    let start = Instant::now();
    let mut is_ending = false;
    loop {
        let is_done = match news.recv_timeout(PERIOD) {
            Ok(News::Done) => true,
            Ok(News::Ends) => {
                is_ending = true;
                false
            }
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => true,
        };
        let passed = passed(child.id(), limits, start.elapsed());
        if is_done || passed.is_some() {
            // It may have ended by itself in between.
            let _ = child.kill();
            let status = child.wait()?;
            return if is_done { Ok(status) } else { passed.map_or(Ok(status), Err) };
        }
        if is_ending && let Some(status) = child.try_wait()? {
            return Ok(status);
        }
    }
}

/// The limit that a process has passed, if any.
fn passed(process: u32, limits: &Limits, waited: Duration) -> Option<GringoError> {
    if let Err(cancelled) = limits.cancel.check() {
        return Some(cancelled.into());
    }
    // This thread only waits, and what the process computes is not told while it runs.
    if let Some(time) = limits.exceeded(waited) {
        return Some(GringoError::Limit { what: "seconds", limit: time.as_secs() });
    }
    let is_large = resident_bytes(process).is_some_and(|bytes| bytes > limits.bytes);
    is_large.then_some(GringoError::Limit { what: "bytes", limit: limits.bytes as u64 })
}

/// How much memory a process holds, where the system tells.
fn resident_bytes(process: u32) -> Option<usize> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kilobytes: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// Drops the rules that say no more than another one of the same head, which gringo does not look for.
fn drop_subsumed(draft: &mut Draft) {
    let mut rules = Rules::like(&draft.rules);
    let mut bodies = Bodies::default();
    for (start, end) in draft.rules.runs() {
        if end - start == 1 {
            rules.push(draft.rules.head(start), draft.rules.body(start));
            continue;
        }
        bodies.restart(draft.rules.head(start));
        for rule in start..end {
            bodies.begin();
            draft.rules.body(rule).iter().for_each(|&literal| bodies.add(literal));
            bodies.end();
        }
        let head = bodies.head();
        for body in bodies.finish() {
            rules.push(head, body);
        }
    }
    draft.rules = rules;
}
