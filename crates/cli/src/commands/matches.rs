//! `groundrules match GAME --player P --player Q`: plays matches between players and reports their results.

mod contest;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use groundrules_machine::Compiled;
use groundrules_search::referee::{Clocks, Seated, play};
use groundrules_search::{Seat, Settings, players};
use indicatif::{ProgressBar, ProgressStyle};

use crate::cache;
use crate::game::{self, Loaded};
use crate::output;
use crate::player::{Named, Thinking};
use contest::{Contest, Report};

/// Play matches between players: how often each wins.
///
/// The players take the roles in turn, so that each plays each role as often. A role called `random` is nature's and
/// moves by chance.
#[derive(clap::Args)]
#[command(after_help = "\
The players are legal (makes the first legal move), random (makes any), greedy (looks one step ahead) and \
mcts (Monte Carlo tree search). A colon adds an engine: mcts:tree. A slash turns off a part of the search, \
or all of them: mcts/heuristic, mcts/all. Engines are built before the first match. A player with only one \
legal move is not asked. To win is to get more than everyone else or, in a game for one player, 100. \
Intervals are 95 % confidence intervals.

Examples:
  groundrules match connect-four --player mcts --player random --games 100 --seconds 0.1
  groundrules match breakthrough --player mcts --player mcts:tree --games 20
  groundrules match tic-tac-toe --player mcts --player mcts --simulations 2000
  groundrules match lights-out --player mcts --games 1 --json")]
pub(crate) struct Arguments {
    /// A file, a name of the library, or - for standard input.
    game: PathBuf,
    /// A player, with or without an engine; once per player. If there are fewer than roles, they repeat.
    #[arg(long = "player", value_name = "PLAYER[:ENGINE]", required = true)]
    players: Vec<Named>,
    /// How many matches.
    #[arg(long, value_name = "N", default_value_t = 10)]
    games: u64,
    #[command(flatten)]
    thinking: Thinking,
    /// Abandon a match after this many joint moves.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    max_steps: usize,
    /// Write a JSON object.
    #[arg(long)]
    json: bool,
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let settings = arguments.thinking.settings()?;
    let time = arguments.thinking.time()?;
    let source = game::source(&arguments.game)?;
    let Some(Loaded { name, game, .. }) = game::load(&source)? else { return Ok(ExitCode::from(1)) };
    game::warn_of_hidden_information(&game, "players see the whole state and all moves");
    let table = Table::new(&Compiled::with(game, cache::settings()), arguments)?;
    let clocks = Clocks { play: time, max_steps: arguments.max_steps, ..Clocks::default() };
    let mut contest = Contest::new(table.names(), table.roles());
    let progress = ProgressBar::new(arguments.games);
    if let Ok(style) = ProgressStyle::with_template("match {pos} of {len} [{elapsed}]") {
        progress.set_style(style);
    }
    for number in 0..arguments.games {
        let (mut seated, who) = table.seat(number, &settings)?;
        match play(&mut seated, &clocks, &mut |_, _| ()) {
            Ok(ending) => contest.add(&who, &ending),
            Err(error) => {
                progress.finish_and_clear();
                anstream::eprintln!("{name}: match {number}: {error}");
                return Ok(ExitCode::from(1));
            }
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    let report = Report::new(name, arguments.thinking.seconds, &settings, &contest);
    output::print(&if arguments.json { report.to_json()? } else { report.to_text() })?;
    Ok(ExitCode::SUCCESS)
}

/// Which player has which role.
type Places = Vec<(usize, usize)>;

/// The table at which matches are played: who plays, and one seat for each player, from which others are made.
struct Table {
    players: Vec<(Named, Seat)>,
    /// The roles that are played.
    roles: Vec<usize>,
}

impl Table {
    fn new(game: &Compiled, arguments: &Arguments) -> Result<Table> {
        let first = &arguments.players[0];
        let seat = Seat::with_engine(game, 0, first.engine)?;
        let roles: Vec<usize> = (0..seat.roles().len()).filter(|&role| !seat.is_nature(role)).collect();
        if arguments.players.len() > roles.len() {
            bail!("the game has {}", output::counted(roles.len() as u64, "player"));
        }
        let mut players: Vec<(Named, Seat)> = vec![(first.clone(), seat)];
        for index in 1..roles.len() {
            let named = arguments.players[index % arguments.players.len()].clone();
            // Who has the same engine shares it.
            let seat = match players.iter().find(|(other, _)| other.engine == named.engine) {
                Some((_, seat)) => seat.another(0)?,
                None => Seat::with_engine(game, 0, named.engine)
                    .with_context(|| format!("{} cannot play", named.text))?,
            };
            players.push((named, seat));
        }
        Ok(Table { players, roles })
    }

    fn names(&self) -> Vec<String> {
        self.players.iter().map(|(named, _)| named.text.clone()).collect()
    }

    fn roles(&self) -> Vec<String> {
        self.roles.iter().map(|&role| self.players[0].1.roles()[role].clone()).collect()
    }

    /// The seats of a match, and which role each player has.
    fn seat(&self, number: u64, settings: &Settings) -> Result<(Vec<Seated>, Places)> {
        let (count, shift) = (self.roles.len(), (number % self.roles.len().max(1) as u64) as usize);
        let who: Vec<(usize, usize)> =
            (0..count).map(|player| (player, self.roles[(player + shift) % count])).collect();
        let all = self.players[0].1.roles().len();
        let mut seated = Vec::new();
        for role in 0..all {
            let player = who.iter().find(|(_, taken)| *taken == role).map(|(player, _)| *player);
            // Every player of every match has a seed of its own.
            let seed =
                settings.seed.wrapping_add(number.wrapping_mul(all as u64 + 1)).wrapping_add(role as u64);
            let settings = Settings { seed, ..settings.clone() };
            seated.push(match player.and_then(|player| self.players.get(player)) {
                Some((named, seat)) => Seated { seat: seat.another(role)?, player: named.player(&settings) },
                None => Seated {
                    seat: self.players[0].1.another(role)?,
                    player: Box::new(players::Random::new(&settings)),
                },
            });
        }
        Ok((seated, who))
    }
}
