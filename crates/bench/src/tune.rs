//! `groundrules bench tune`: whether one way to search is stronger than another, shown by matches between the two. Sides are
//! swapped, the games take turns, and a sequential test ends it as soon as the answer is clear. With `--ablation` each part of the
//! player `mcts` is switched off in turn, which gives a table of what it is worth.
//!
//! `score` has the statistics. Time is processor time of the thread that thinks, so that a busy machine favours nobody; with
//! simulations instead of time a seed plays the same matches everywhere.

mod score;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use groundrules_command::{game, output};
use groundrules_machine::Compiled;
use groundrules_machine::engines::Engine;
use groundrules_search::parts::{Part, Parts};
use groundrules_search::players::{Mcts, Policy};
use groundrules_search::referee::{Clocks, Ending, Seated, play};
use groundrules_search::{Player, Seat, Settings, Turn};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::tables::table;
use score::{Score, Verdict};

/// Find out by matches which of two ways to search is stronger, or what each part of the search is worth.
#[derive(clap::Args)]
#[command(after_help = "\
A way to search is a comma-separated list of constants and of parts to turn off: exploration=0.7,/solver. \
The empty list is the search as it is. The constants are exploration, first-play, leaves, playouts, \
implicit-minimax, balance and guidance. In every round each game is played once for each role that the first \
way may have. A sequential test ends the rounds: half of the points against half of --margin more, with \
error rates of 5 %. A match is a win, a draw or a loss by the goals of the two. Time is processor time of \
the thread that thinks.

Examples:
  groundrules bench tune --first exploration=0.7 --simulations 1000
  groundrules bench tune breakthrough hex.kif --first '' --second /all --seconds 0.2
  groundrules bench tune connect-four --openings 8 --simulations 30000
  groundrules bench tune --ablation --simulations 1000 --rounds 20")]
pub(crate) struct Arguments {
    /// Files, folders or names of the library; without any, some of the library.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The first way to search.
    #[arg(long, default_value = "", value_name = "WAY")]
    first: Way,
    /// The second way to search.
    #[arg(long, default_value = "", value_name = "WAY")]
    second: Way,
    /// Play the first against itself without each of its parts.
    #[arg(long, conflicts_with = "second")]
    ablation: bool,
    /// Play no matches: show which first moves the first way makes, with this many seeds.
    #[arg(long, value_name = "N", conflicts_with_all = ["second", "ablation"])]
    openings: Option<u64>,
    /// How many seconds of processor time a move may take.
    #[arg(long, default_value_t = 0.1, value_name = "SECONDS")]
    seconds: f64,
    /// Run this many simulations per move instead of thinking for a time.
    #[arg(long, value_name = "N", conflicts_with = "seconds")]
    simulations: Option<u64>,
    /// The most rounds.
    #[arg(long, default_value_t = 100, value_name = "N")]
    rounds: u64,
    /// How many points, of a hundred, a difference should have to be found.
    #[arg(long, default_value_t = 10.0, value_name = "POINTS")]
    margin: f64,
    /// The seed of the first round.
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    seed: u64,
    /// Abandon a match after this many joint moves.
    #[arg(long, default_value_t = 400, value_name = "N")]
    max_steps: usize,
    /// Write JSON: everything that was counted.
    #[arg(long)]
    json: bool,
}

/// The games of the library that are played if none is named.
const SOME: [&str; 6] = ["breakthrough-small", "breakthrough", "connect-four", "hex-7x7", "reversi", "tron"];

/// A way to search.
#[derive(Clone, Debug)]
struct Way {
    text: String,
    policy: Policy,
}

impl FromStr for Way {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let mut policy = Policy::default();
        for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            if let Some(name) = word.strip_prefix('/') {
                policy.parts = match Part::ALL.iter().find(|part| part.name() == name) {
                    Some(&part) => policy.parts.without(part),
                    None if name == "all" => Parts::NONE,
                    None => return Err(format!("the search has no part `{name}`")),
                };
            } else {
                let (name, value) = word
                    .split_once('=')
                    .ok_or_else(|| format!("`{word}` is no constant=value, nor a /part"))?;
                if !policy.set(name, value) {
                    let names: Vec<&str> = Policy::names().collect();
                    return Err(format!("`{word}` sets nothing (there are: {})", names.join(", ")));
                }
            }
        }
        Ok(Way { text: text.to_owned(), policy })
    }
}

/// A game that is played, and the seats of its roles.
struct Table {
    name: String,
    seat: Seat,
    roles: Vec<usize>,
}

impl Table {
    fn new(name: &str, game: &Compiled) -> Result<Option<Self>> {
        let seat =
            Seat::with_engine(game, 0, Engine::Auto).with_context(|| format!("{name} cannot be played"))?;
        let roles: Vec<usize> = (0..seat.roles().len()).filter(|&role| !seat.is_nature(role)).collect();
        Ok((roles.len() > 1).then(|| Table { name: name.to_owned(), seat, roles }))
    }

    /// The points of the first player, from 0 to 1, for a match in which it has one role and the second all others, or the other way round.
    fn points(&self, ways: [&Way; 2], place: Place, limits: &Limits, seed: u64) -> Result<f64> {
        let is_first = |role: usize| (role == place.role) != place.is_other_way;
        let mut seated = Vec::new();
        for role in 0..self.seat.roles().len() {
            let way = ways[usize::from(!is_first(role))];
            let settings = Settings {
                seed: seed.wrapping_mul(64).wrapping_add(role as u64),
                simulations: limits.simulations,
                ..Settings::default()
            };
            let player = Box::new(Mcts::with_policy(&settings, way.policy));
            seated.push(Seated { seat: self.seat.another(role)?, player });
        }
        let ending = play(&mut seated, &limits.clocks, &mut |_, _| ())?;
        Ok(compare(&ending, &self.roles, is_first))
    }

    /// The first moves of a way with so many seeds: how often each was made, and what the search reports.
    fn openings(&self, way: &Way, limits: &Limits, first: u64, seeds: u64) -> Result<String> {
        let (mut text, mut made) = (String::new(), BTreeMap::<String, u64>::new());
        for seed in first..first.saturating_add(seeds) {
            let settings = Settings { simulations: limits.simulations, seed, ..Settings::default() };
            let mut player = Mcts::with_policy(&settings, way.policy);
            let mut seat = self.seat.another(self.roles[0])?;
            let turn = limits.clocks.play.map_or_else(Turn::without_clock, Turn::of_processor_time);
            let chosen = player.choose(&mut seat, &turn)?;
            let chosen = seat.move_text(chosen);
            let _ = writeln!(text, "  seed {seed}: {chosen}; {}", player.report());
            *made.entry(chosen).or_default() += 1;
        }
        let made: Vec<String> = made.iter().map(|(made, count)| format!("{made} {count}")).collect();
        Ok(format!("{}: {}\n{text}", self.name, made.join(", ")))
    }

    /// In which places the first is seated in a round: alone in each role, and where there are more than two, all but one.
    fn places(&self) -> Vec<Place> {
        let alone = self.roles.iter().map(|&role| Place { role, is_other_way: false });
        let others = self.roles.iter().map(|&role| Place { role, is_other_way: true });
        if self.roles.len() == 2 { alone.collect() } else { alone.chain(others).collect() }
    }
}

/// Where the first player sits: in a role alone, or in all others.
#[derive(Clone, Copy)]
struct Place {
    role: usize,
    is_other_way: bool,
}

/// How long matches and moves may be.
struct Limits {
    clocks: Clocks,
    simulations: Option<u64>,
}

/// A win, a draw or a loss, by the mean goals of the two.
fn compare(ending: &Ending, roles: &[usize], is_first: impl Fn(usize) -> bool) -> f64 {
    let mean = |wanted: bool| {
        let own = roles.iter().filter(|&&role| is_first(role) == wanted);
        let goals: Vec<i32> =
            own.map(|&role| ending.goals.get(role).copied().flatten().unwrap_or(0)).collect();
        f64::from(goals.iter().sum::<i32>()) / goals.len().max(1) as f64
    };
    let difference = mean(true) - mean(false);
    match () {
        () if difference > 1e-9 => 1.0,
        () if difference < -1e-9 => 0.0,
        () => 0.5,
    }
}

/// What a comparison came to.
#[derive(Serialize)]
struct Compared {
    first: String,
    second: String,
    verdict: Verdict,
    all: Score,
    games: Vec<(String, Score)>,
}

#[derive(Serialize)]
struct Report {
    version: &'static str,
    seconds: Option<f64>,
    simulations: Option<u64>,
    seed: u64,
    compared: Vec<Compared>,
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let time = match Duration::try_from_secs_f64(arguments.seconds) {
        Ok(time) if !time.is_zero() => time,
        _ => bail!("--seconds {} is not a positive number of seconds", arguments.seconds),
    };
    let some: Vec<PathBuf> = SOME.iter().map(PathBuf::from).collect();
    let files = if arguments.files.is_empty() { &some } else { &arguments.files };
    let mut tables = Vec::new();
    for (name, source) in &super::games(files)? {
        let Some(loaded) = game::load(source)? else { return Ok(ExitCode::from(1)) };
        tables.extend(Table::new(name, &Compiled::new(loaded.game))?);
    }
    if tables.is_empty() {
        bail!("there is no game with two players or more");
    }
    let play = arguments.simulations.is_none().then_some(time);
    let clocks = Clocks { play, max_steps: arguments.max_steps, by_processor: true, ..Clocks::default() };
    let limits = Limits { clocks, simulations: arguments.simulations };
    if let Some(seeds) = arguments.openings {
        for table in &tables {
            output::print(&table.openings(&arguments.first, &limits, arguments.seed, seeds)?)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut compared = Vec::new();
    for second in opponents(arguments) {
        compared.push(compare_ways(&tables, [&arguments.first, &second], &limits, arguments)?);
    }
    let report = Report {
        version: env!("CARGO_PKG_VERSION"),
        seconds: play.map(|time| time.as_secs_f64()),
        simulations: arguments.simulations,
        seed: arguments.seed,
        compared,
    };
    let text =
        if arguments.json { format!("{}\n", serde_json::to_string(&report)?) } else { report.to_text() };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Whom the first is compared with.
fn opponents(arguments: &Arguments) -> Vec<Way> {
    let Way { text, policy } = &arguments.first;
    if !arguments.ablation {
        return vec![arguments.second.clone()];
    }
    let own = Part::ALL.iter().filter(|&&part| policy.parts.has(part));
    let without = |part: &Part| Way {
        text: format!("{text}/{}", part.name()),
        policy: Policy { parts: policy.parts.without(*part), ..*policy },
    };
    own.map(without).collect()
}

/// Plays rounds until the answer is clear.
fn compare_ways(
    tables: &[Table],
    ways: [&Way; 2],
    limits: &Limits,
    arguments: &Arguments,
) -> Result<Compared> {
    let margin = arguments.margin / 100.0;
    let (mut all, mut games) = (Score::default(), vec![Score::default(); tables.len()]);
    let progress = ProgressBar::new(arguments.rounds);
    if let Ok(style) = ProgressStyle::with_template("round {pos} of at most {len}: {msg} [{elapsed}]") {
        progress.set_style(style);
    }
    for round in 0..arguments.rounds {
        let seed = arguments.seed.wrapping_add(round);
        for (table, score) in tables.iter().zip(&mut games) {
            // The matches of a round are one sample: what one role gains by the game, the other one loses.
            let mut points = Vec::new();
            for place in table.places() {
                progress.set_message(format!("{}, {}", all.to_text(), table.name));
                progress.tick();
                points.push(table.points(ways, place, limits, seed)?);
            }
            let mean = points.iter().sum::<f64>() / points.len() as f64;
            score.add(mean, points.len() as u64);
            all.add(mean, points.len() as u64);
        }
        progress.inc(1);
        if all.verdict(margin) != Verdict::Open {
            break;
        }
    }
    progress.finish_and_clear();
    let names = tables.iter().map(|table| table.name.clone());
    Ok(Compared {
        first: ways[0].text.clone(),
        second: ways[1].text.clone(),
        verdict: all.verdict(margin),
        games: names.zip(games).collect(),
        all,
    })
}

impl Report {
    fn to_text(&self) -> String {
        let header = ["first against second", "matches", "points of the first, %", "Elo", "verdict"];
        let header = header.map(str::to_owned).to_vec();
        let named = |name: &str| if name.is_empty() { "mcts".to_owned() } else { name.to_owned() };
        let rows = self.compared.iter().flat_map(|compared| {
            let both = format!("{} against {}", named(&compared.first), named(&compared.second));
            let mut rows = vec![compared.all.row(both, compared.verdict.text())];
            let games = compared.games.iter().filter(|_| compared.games.len() > 1);
            rows.extend(games.map(|(name, score)| score.row(format!("  {name}"), "")));
            rows
        });
        let per_move = match (self.seconds, self.simulations) {
            (Some(seconds), _) => format!("{seconds} s of processor time per move"),
            (_, simulations) => format!("{} simulations per move", simulations.unwrap_or(0)),
        };
        format!("{}\n{per_move}, seed {}; intervals hold 95 % of the time\n", table(&header, rows), self.seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_are_read() {
        let way: Way = "exploration=0.7,/solver".parse().expect("a way");
        assert!((way.policy.exploration - 0.7).abs() < 1e-9 && !way.policy.parts.has(Part::Solver));
        assert!(way.policy.parts.has(Part::Heuristic));
        for wrong in ["exploration", "exploration=much", "/everything", "luck=1"] {
            assert!(wrong.parse::<Way>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_goals_of_the_two_are_compared() {
        let ending = |goals: &[i32]| Ending {
            goals: goals.iter().map(|&goal| Some(goal)).collect(),
            steps: 1,
            is_finished: true,
        };
        assert_eq!(compare(&ending(&[100, 0]), &[0, 1], |role| role == 0), 1.0);
        assert_eq!(compare(&ending(&[100, 0]), &[0, 1], |role| role == 1), 0.0);
        assert_eq!(compare(&ending(&[50, 50, 7]), &[0, 1], |role| role == 0), 0.5);
        assert_eq!(compare(&ending(&[50, 75, 25]), &[0, 1, 2], |role| role == 0), 0.5);
        let nobody = Ending { goals: vec![None, None], steps: 1, is_finished: false };
        assert_eq!(compare(&nobody, &[0, 1], |role| role == 0), 0.5);
    }
}
