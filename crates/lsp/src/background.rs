//! What takes long: grounding, the network, the states, random matches. One thread computes it for one document at a time, within a budget of
//! time and memory for each part. A newer text cancels the work on an older one. What is known is sent after each part.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};
use groundrules::Compiled;
use groundrules::explore;
use groundrules::machine::compiled::Settings as CompileSettings;
use groundrules::machine::run;
use groundrules_analysis::Reading;
use groundrules_analysis::grounding::{self, Grounding};
use groundrules_gdl::Diagnostic;
use groundrules_gdl::time::Cancel;
use groundrules_ground::{Limits, Options};

/// How long a text must stay the same before work on it begins.
const QUIET: Duration = Duration::from_millis(300);
/// Grounding may make so many rules and take so many bytes.
const MOST_RULES: usize = 1_000_000;
const MOST_BYTES: usize = 512 << 20;
/// Networks and states are for games whose ground game is at most this large.
const MOST_RULES_EXPLORED: usize = 200_000;
/// Exploring stops at so many states.
const MOST_STATES: u64 = 2_000_000;

/// Random matches are played for so long, and each for so many joint moves at most.
const PLAYED: Duration = Duration::from_millis(200);
const MOST_STEPS: u64 = 10_000;

/// What was found out about a text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Knowledge {
    /// What grounding came to.
    pub(crate) grounding: Option<Grounding>,
    /// Why there is none.
    pub(crate) problem: Option<Diagnostic>,
    /// The gates of the network.
    pub(crate) gates: Option<usize>,
    /// The states found, and whether these are all.
    pub(crate) states: Option<(u64, bool)>,
    /// States per second in random matches, on one thread.
    pub(crate) rate: Option<f64>,
}

/// What was found out, and about which version of which document.
pub(crate) struct Report {
    pub(crate) uri: String,
    pub(crate) version: u64,
    pub(crate) knowledge: Knowledge,
}

struct Job {
    uri: String,
    version: u64,
    reading: Arc<Reading>,
    seconds: u64,
    cancel: Cancel,
}

/// The thread that computes what takes long.
pub(crate) struct Background {
    jobs: Option<Sender<Job>>,
    /// What is found out arrives here.
    pub(crate) reports: Receiver<Report>,
    current: Vec<(String, Cancel)>,
    thread: Option<JoinHandle<()>>,
}

impl Background {
    pub(crate) fn start() -> Self {
        let (jobs, waiting) = unbounded::<Job>();
        let (found, reports) = unbounded();
        let thread = std::thread::spawn(move || {
            for job in waiting {
                work(&job, &found);
            }
        });
        Background { jobs: Some(jobs), reports, current: Vec::new(), thread: Some(thread) }
    }

    /// Nothing more is to be found out about a document's text: it has changed.
    pub(crate) fn cancel(&mut self, uri: &str) {
        self.current.retain(|(other, cancel)| {
            if other == uri {
                cancel.cancel();
            }
            other != uri
        });
    }

    /// Finds out about a text.
    pub(crate) fn ask(&mut self, uri: &str, version: u64, reading: Arc<Reading>, seconds: u64) {
        self.cancel(uri);
        let cancel = Cancel::new();
        self.current.push((uri.to_owned(), cancel.clone()));
        let job = Job { uri: uri.to_owned(), version, reading, seconds, cancel };
        if let Some(jobs) = &self.jobs {
            // The thread ends only when this sender does.
            let _ = jobs.send(job);
        }
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.current.iter().for_each(|(_, cancel)| cancel.cancel());
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn work(job: &Job, found: &Sender<Report>) {
    let begun = Instant::now();
    while begun.elapsed() < QUIET {
        if job.is_cancelled() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let mut knowledge = Knowledge::default();
    let tell = |knowledge: &Knowledge| {
        if !job.is_cancelled() {
            let report = Report { uri: job.uri.clone(), version: job.version, knowledge: knowledge.clone() };
            // Nobody listens any more only when the server ends.
            let _ = found.send(report);
        }
    };
    if job.ground(&mut knowledge).is_none() {
        return;
    }
    tell(&knowledge);
    let small = knowledge.grounding.as_ref().is_some_and(|known| known.rules <= MOST_RULES_EXPLORED);
    if small && !job.is_cancelled() {
        let compiled = job.compiled();
        knowledge.gates =
            compiled.as_ref().and_then(|game| game.network().ok()).map(|network| network.gate_count());
        tell(&knowledge);
        if let Some(game) = compiled.filter(|_| !job.is_cancelled()) {
            knowledge.states = job.states(&game);
            tell(&knowledge);
            knowledge.rate = job.rate(&game);
            tell(&knowledge);
        }
    }
}

impl Job {
    fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    fn time(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }

    /// Grounds; nothing if the text is no valid description.
    fn ground(&self, knowledge: &mut Knowledge) -> Option<()> {
        let mut limits = Limits::default().within(self.time()).cancelled_by(&self.cancel);
        limits.rules = MOST_RULES;
        limits.atoms = 5 * MOST_RULES;
        limits.bytes = MOST_BYTES;
        let options = Options { limits, ..Options::default() };
        let game = self.reading.checked().game.as_ref()?;
        match grounding::ground(&self.reading, &options, &mut || {})? {
            Ok(ground) => knowledge.grounding = Some(Grounding::of(game, &ground)),
            Err(problem) => knowledge.problem = Some(problem),
        }
        Some(())
    }

    fn compiled(&self) -> Option<Compiled> {
        let game = self.reading.checked().game.clone()?;
        let mut settings = CompileSettings::default();
        settings.budget.time = self.time();
        settings.budget.bytes = MOST_BYTES;
        settings.cancel = self.cancel.clone();
        Some(Compiled::with(game, settings))
    }

    fn states(&self, game: &Compiled) -> Option<(u64, bool)> {
        let budget =
            explore::Budget { states: Some(MOST_STATES), time: Some(self.time()), memory: Some(MOST_BYTES) };
        let observer = Arc::new(Watch(self.cancel.clone()));
        let options = explore::Options { budget, observer, ..explore::Options::default() };
        let explored = explore::search(game, &options).ok()?;
        Some((explored.states(), explored.stop.is_none()))
    }

    /// How fast random matches go.
    fn rate(&self, game: &Compiled) -> Option<f64> {
        let options = run::Options {
            until: run::Until::Time(PLAYED),
            seed: 0,
            threads: NonZeroUsize::MIN,
            max_steps: MOST_STEPS,
            cancel: self.cancel.clone(),
        };
        let playouts = game.playouts().ok().filter(|_| !self.is_cancelled())?;
        let run = run::run(&*playouts, &options, &mut |_| ControlFlow::Continue(())).ok()?;
        let seconds = run.elapsed.as_secs_f64();
        (seconds > 0.0 && run.tally.states > 0).then(|| run.tally.states as f64 / seconds)
    }
}

/// Stops an exploration when it is cancelled.
struct Watch(Cancel);

impl explore::Observer for Watch {
    fn progress(&self, _progress: &explore::Progress) {}

    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}
