//! `groundrules bench verify`: states explored per second, and memory per state. One thread is measured by processor time,
//! two threads and two processes by wall time. Games with known numbers of states are explored first: a fast search that
//! is wrong fails the benchmark.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use groundrules_command::game::{self, Loaded};
use groundrules_command::output;
use groundrules_command::processes::Processes;
use groundrules_explore::{Budget, GameId, Options as ExploreOptions, search};
use groundrules_gdl::time::process_time;
use groundrules_machine::Compiled;
use serde::Serialize;

use super::chart::{Axis, BLUE, Chart, Look, ORANGE, Series};
use super::tables;

/// Measure how fast games are explored, and how much memory a state takes.
#[derive(clap::Args)]
#[command(after_help = "\
States per second counts distinct states. With one thread the time is processor time, where the system \
reports it; with several threads or processes it is time by the clock, and only an idle machine shows what \
they gain. With --hosts, the processes of the last line run on these computers instead of this one; start \
the same command on each.

Examples:
  groundrules bench verify
  groundrules bench verify mygame.kif --states 50000000
  groundrules bench verify --json --plots plots > bench.json")]
pub(crate) struct Arguments {
    /// The game to explore.
    #[arg(value_name = "GAME", default_value = "connect-four")]
    game: PathBuf,
    /// Explore this many of its states.
    #[arg(long, default_value_t = 10_000_000, value_name = "N")]
    states: u64,
    /// Write JSON: everything that was measured.
    #[arg(long)]
    json: bool,
    /// Draw plots as SVG files into this folder.
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
    #[command(flatten)]
    processes: Processes,
    /// Threads of each process.
    #[arg(long, hide = true, default_value_t = NonZeroUsize::MIN)]
    threads: NonZeroUsize,
}

/// Games of the library and how many states they have.
const KNOWN: [(&str, u64); 3] =
    [("tic-tac-toe", 5478), ("connect-four-4x4", 161_029), ("eight-puzzle-endless", 181_440)];

/// One search.
#[derive(Serialize)]
struct Measured {
    game: String,
    processes: usize,
    threads: usize,
    states: u64,
    joint_moves: u64,
    complete: bool,
    /// On the wall.
    seconds: f64,
    cpu_seconds: Option<f64>,
    bytes: usize,
    /// Bytes of a state beyond a bit for each fluent.
    bytes_beyond_bits: f64,
    /// What is known from elsewhere.
    known_states: Option<u64>,
}

impl Measured {
    /// States per second: of processor time on one thread, else on the wall.
    fn rate(&self) -> f64 {
        let is_alone = self.processes * self.threads == 1;
        let seconds = if is_alone { self.cpu_seconds.unwrap_or(self.seconds) } else { self.seconds };
        self.states as f64 / seconds.max(1e-9)
    }
}

struct Subject {
    name: String,
    compiled: Compiled,
    fluents: usize,
    /// The description and the engine.
    id: GameId,
}

impl Subject {
    fn load(word: &Path) -> Result<Self> {
        let Some(Loaded { name, game, text, .. }) = game::load(&game::source(word)?)? else {
            bail!("it is not GDL")
        };
        let compiled = Compiled::new(game);
        compiled.batch().context("the game cannot be set up")?;
        let fluents = compiled.ground().map_or(0, |ground| ground.fluents.len());
        let id = GameId::new(&text, compiled.decision().engine.name());
        Ok(Subject { name, compiled, fluents, id })
    }

    /// Searches on some processes, each with some threads.
    fn measure(&self, processes: &Processes, threads: usize, states: Option<u64>) -> Result<Measured> {
        let budget = Budget { states, ..Budget::default() };
        let threads = NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN);
        let cpu = process_time();
        let explored = processes.run(threads, self.id, |cluster| {
            let options = ExploreOptions { threads, budget, cluster, ..ExploreOptions::default() };
            search(&self.compiled, &options)
        })?;
        let cpu = process_time().zip(cpu).map(|(now, then)| (now - then).as_secs_f64());
        let found = explored.states();
        let beyond = explored.bytes as f64 / found as f64 - self.fluents as f64 / 8.0;
        Ok(Measured {
            game: self.name.clone(),
            processes: processes.count()?,
            threads: threads.get(),
            states: found,
            joint_moves: explored.findings.edges,
            complete: explored.stop.is_none(),
            seconds: explored.elapsed.as_secs_f64(),
            // Of other processes it is not known.
            cpu_seconds: cpu.filter(|_| processes.count().is_ok_and(|count| count == 1)),
            bytes: explored.bytes,
            bytes_beyond_bits: beyond,
            known_states: None,
        })
    }
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    if let Some(folder) = &arguments.plots {
        fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    let states = Some(arguments.states);
    let subject = Subject::load(&arguments.game)?;
    if !arguments.processes.is_first() {
        subject.measure(&arguments.processes, arguments.threads.get(), states)?;
        return Ok(ExitCode::SUCCESS);
    }
    let alone = Processes::on_this_computer(1);
    let mut measured = Vec::new();
    for (name, states) in KNOWN {
        let one = Subject::load(Path::new(name))?.measure(&alone, 1, None)?;
        measured.push(Measured { known_states: Some(states), ..one });
    }
    let mut sizes = vec![arguments.states];
    while sizes[sizes.len() - 1] > 20_000 {
        sizes.push(sizes[sizes.len() - 1] / 3);
    }
    for &size in sizes.iter().rev() {
        measured.push(subject.measure(&alone, 1, Some(size))?);
    }
    measured.push(subject.measure(&alone, 2, states)?);
    let two = Processes::on_this_computer(2);
    let processes = if arguments.processes.count()? > 1 { &arguments.processes } else { &two };
    measured.push(subject.measure(processes, arguments.threads.get(), states)?);
    if let Some(folder) = &arguments.plots {
        for (name, picture) in plots(&subject.name, &measured)? {
            output::write_file(&folder.join(name), picture.as_bytes())?;
        }
    }
    let text =
        if arguments.json { format!("{}\n", serde_json::to_string(&measured)?) } else { text(&measured) };
    output::print(&text)?;
    let is_right = measured.iter().all(|one| one.known_states.is_none_or(|known| known == one.states));
    Ok(if is_right { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn text(measured: &[Measured]) -> String {
    let header = [
        "game",
        "processes",
        "threads",
        "states",
        "known",
        "s",
        "processor s",
        "states/s",
        "bytes/state beyond bits",
    ];
    let rows = measured.iter().map(|one| {
        vec![
            one.game.clone(),
            one.processes.to_string(),
            one.threads.to_string(),
            output::thousands(one.states),
            one.known_states.map_or_else(tables::no_figure, output::thousands),
            format!("{:.2}", one.seconds),
            one.cpu_seconds.map_or_else(tables::no_figure, |seconds| format!("{seconds:.2}")),
            output::thousands(one.rate() as u64),
            format!("{:.1}", one.bytes_beyond_bits),
        ]
    });
    let header = header.map(str::to_owned);
    let mut text = format!("{}\n", tables::table(&header, rows));
    if let [.., one, threads, processes] = measured {
        let gain = |more: &Measured| one.seconds / more.seconds * (more.states as f64 / one.states as f64);
        text += &format!("two threads: {:.2} times one, on the wall\n", gain(threads));
        text += &format!("{} processes: {:.2} times\n", processes.processes, gain(processes));
    }
    text
}

/// Time and memory over the number of states.
fn plots(game: &str, measured: &[Measured]) -> Result<Vec<(&'static str, String)>> {
    let own = |threads: usize| {
        let own = move |one: &&Measured| one.known_states.is_none() && one.processes == 1;
        measured.iter().filter(own).filter(move |one| one.threads == threads)
    };
    let point =
        |of: fn(&Measured) -> f64| move |one: &Measured| ((one.states as f64).log10(), of(one).log10());
    let draw =
        |title: String, of: fn(&Measured) -> f64, axis: fn(&str, &[f64], bool) -> Axis, label: &str| {
            let (one, two): (Vec<_>, Vec<_>) =
                (own(1).map(point(of)).collect(), own(2).map(point(of)).collect());
            let all: Vec<(f64, f64)> = one.iter().chain(&two).copied().collect();
            let (xs, ys): (Vec<f64>, Vec<f64>) = all.into_iter().unzip();
            let chart = Chart {
                title,
                x: Axis::counts("distinct states", &xs, false),
                y: axis(label, &ys, false),
                series: vec![
                    Series::new("one thread", Look::Line, BLUE, one.clone()),
                    Series::new("measured", Look::Dot, BLUE, one),
                    Series::new("two threads", Look::Ring, ORANGE, two),
                ],
                size: (900, 560),
            };
            chart.draw()
        };
    let time = draw(format!("Exploring {game}: time"), |one| one.seconds, Axis::times, "time")?;
    let memory = draw(format!("Exploring {game}: memory"), |one| one.bytes as f64, Axis::counts, "bytes")?;
    Ok(vec![("verify-time.svg", time), ("verify-memory.svg", memory)])
}
