//! Playing: by what was prepared, or at once by the rules while something faster is being built.

use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use groundrules_gdl::Game;
use groundrules_machine::engines::Engine;
use groundrules_machine::engines::auto::{Budget, Chosen, Decision, in_background};
use groundrules_machine::playout::Playouts;
use groundrules_machine::run::{Options, Progress, Run, RunError, Until, run as play};
use indicatif::{ProgressBar, ProgressStyle};

use crate::clock;

/// What was played, by what.
pub(super) struct Played {
    pub(super) decision: Decision,
    pub(super) roles: Vec<String>,
    /// Until something could play.
    pub(super) setup: Duration,
    /// The playouts that were played before what was chosen was ready, and when it was.
    pub(super) meanwhile: Option<(u64, Duration)>,
    /// The processor time of this process, setting up and playing.
    pub(super) cpu: Option<[Duration; 2]>,
    pub(super) run: Result<Run, RunError>,
}

impl Played {
    /// Plays all of it by one engine.
    pub(super) fn by(
        player: &dyn Playouts,
        decision: Decision,
        options: &Options,
        setup: Duration,
    ) -> Played {
        let before = clock::cpu_time();
        let run = watched(player, options);
        Played {
            decision,
            roles: player.roles().to_vec(),
            setup,
            meanwhile: None,
            cpu: cpu_since(before),
            run,
        }
    }

    /// Interprets the rules until something faster is ready, which plays for the rest of the time.
    pub(super) fn at_once(game: &Game, options: &Options, time: Duration, start: Instant) -> Result<Played> {
        let built = in_background(game, &Budget::default());
        let Ok((tree, _)) = Engine::Tree.playouts(game, &[]) else {
            let (player, decision) =
                built.recv().context("building was given up")?.context("the game cannot be set up")?;
            return Ok(Played::by(&*player, decision, options, start.elapsed()));
        };
        let setup = start.elapsed();
        let before = clock::cpu_time();
        let mut meanwhile = Meanwhile { tree: &*tree, options, time, run: None, slices: 0 };
        let first = meanwhile.play_until(&built)?;
        let ready = start.elapsed();
        let spent = meanwhile.elapsed();
        let (Some((player, decision)), Some(left)) =
            (first, time.checked_sub(spent).filter(|it| !it.is_zero()))
        else {
            let why = "the time was over before anything faster was ready".to_owned();
            let decision = Decision { engine: Engine::Tree, why };
            let run = meanwhile.into_run();
            return Ok(Played {
                decision,
                roles: tree.roles().to_vec(),
                setup,
                meanwhile: None,
                cpu: cpu_since(before),
                run,
            });
        };
        let rest = watched(&*player, &Options { until: Until::Time(left), ..*options });
        let earlier = meanwhile.into_run();
        let playouts = earlier.as_ref().map_or(0, |run| run.tally.playouts);
        let run = joined(earlier, rest);
        Ok(Played {
            decision,
            roles: player.roles().to_vec(),
            setup,
            meanwhile: Some((playouts, ready)),
            cpu: cpu_since(before),
            run,
        })
    }
}

/// The rules being interpreted, a short time after the other.
struct Meanwhile<'a> {
    tree: &'a dyn Playouts,
    options: &'a Options,
    time: Duration,
    run: Option<Result<Run, RunError>>,
    slices: u64,
}

/// How long the rules are interpreted before it is asked again whether something faster is ready.
const SLICE: Duration = Duration::from_millis(20);

impl Meanwhile<'_> {
    /// Plays until something is built, or the time is over; then there is nothing.
    fn play_until(&mut self, built: &Receiver<Chosen>) -> Result<Option<(Box<dyn Playouts>, Decision)>> {
        loop {
            match built.try_recv() {
                Ok(built) => return built.map(Some).context("the game cannot be set up"),
                Err(TryRecvError::Disconnected) => bail!("building was given up"),
                Err(TryRecvError::Empty) => {}
            }
            let left = self.time.saturating_sub(self.elapsed());
            if left.is_zero() || matches!(self.run, Some(Err(_))) {
                return Ok(None);
            }
            // Every slice has a seed of its own: the same playouts again would count twice.
            self.slices += 1;
            let seed = self.options.seed.wrapping_add(self.slices.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            let options = Options { until: Until::Time(left.min(SLICE)), seed, ..*self.options };
            let slice = play(self.tree, &options, &mut |_| {});
            self.run = Some(match self.run.take() {
                Some(earlier) => joined(earlier, slice),
                None => slice,
            });
        }
    }

    fn elapsed(&self) -> Duration {
        self.run.as_ref().and_then(|run| run.as_ref().ok()).map_or(Duration::ZERO, |run| run.elapsed)
    }

    fn into_run(self) -> Result<Run, RunError> {
        let empty = || Run {
            tally: groundrules_machine::Tally::new(self.tree.roles().len()),
            elapsed: Duration::ZERO,
            counters: std::collections::BTreeMap::new(),
        };
        self.run.unwrap_or_else(|| Ok(empty()))
    }
}

/// Two runs of the same game as one.
fn joined(earlier: Result<Run, RunError>, later: Result<Run, RunError>) -> Result<Run, RunError> {
    let (mut run, later) = (earlier?, later?);
    run.tally.join(&later.tally);
    run.elapsed += later.elapsed;
    for (name, count) in later.counters {
        *run.counters.entry(name).or_default() += count;
    }
    Ok(run)
}

fn cpu_since(before: Option<Duration>) -> Option<[Duration; 2]> {
    before.zip(clock::cpu_time()).map(|(then, now)| [then, now.saturating_sub(then)])
}

/// Plays under a progress bar.
fn watched(player: &dyn Playouts, options: &Options) -> Result<Run, RunError> {
    let (length, template) = match options.until {
        Until::Playouts(playouts) => (playouts, "{bar:30} {pos} of {len} playouts, {msg} [{eta} left]"),
        Until::Time(time) => (time.as_millis() as u64, "{bar:30} {msg} [{eta} left]"),
    };
    let bar = ProgressBar::new(length);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    let result = play(player, options, &mut |Progress { playouts, elapsed }| {
        bar.set_message(format!("{:.0} playouts/s", playouts as f64 / elapsed.as_secs_f64().max(1e-3)));
        bar.set_position(match options.until {
            Until::Playouts(_) => playouts,
            Until::Time(_) => elapsed.as_millis() as u64,
        });
    });
    bar.finish_and_clear();
    result
}
