//! `groundrules play GAME --as ROLE`: a human plays in the terminal against a player.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, bail};
use groundrules_machine::Compiled;
use groundrules_machine::engines::Engine;
use groundrules_search::{Player, Seat, Settings, Turn, players};
use indicatif::ProgressBar;

use crate::cache;
use crate::engine::{at_once, set_up};
use crate::game::{self, Loaded};
use crate::output::printable;
use crate::player::{Named, Thinking};
use crate::session::{Rivals, Session, View, converse};

/// Play a game in the terminal against a player.
///
/// You are asked for a move whenever you have a choice; give its number or write it as KIF. All other roles are played by
/// the player; a role called `random` moves by chance.
#[derive(clap::Args)]
#[command(after_help = "\
Give a move by its number or as KIF. `undo` takes it back, `hint` suggests one, `help` lists the commands.

Examples:
  groundrules play connect-four --as red
  groundrules play tic-tac-toe --as nought --player greedy
  groundrules play breakthrough --as white --seconds 5 --threads 0")]
pub(crate) struct Arguments {
    /// A file or a name of the library.
    game: PathBuf,
    /// The role that you play.
    #[arg(long = "as", value_name = "ROLE")]
    role: String,
    /// Who plays the other roles.
    #[arg(long, value_name = "PLAYER[:ENGINE]", default_value = "mcts")]
    player: Named,
    #[command(flatten)]
    thinking: Thinking,
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    if arguments.game.as_os_str() == "-" {
        bail!("standard input is for your moves: give a file or a name of the library");
    }
    let settings = Settings { engine: arguments.player.engine, ..arguments.thinking.settings()? };
    let time = arguments.thinking.time()?;
    let source = game::source(&arguments.game)?;
    let Some(Loaded { name, game, .. }) = game::load(&source)? else { return Ok(ExitCode::from(1)) };
    game::warn_of_hidden_information(
        &game,
        "players see the whole state; you are shown your percepts and moves only",
    );
    let compiled = Compiled::with(game, cache::settings());
    let machine = set_up(|| at_once(&compiled, Engine::default()))?;
    let roles = machine.roles().clone();
    let view = View::of(&compiled, &roles, &arguments.role)?;
    let greeting = format!("{}: you are {};", printable(&name), printable(&roles[view.role]));
    let players = Players::new(&compiled, view.role, arguments.player.clone(), settings, time)?;
    let session = Session::new(compiled, machine, arguments.thinking.seed);
    converse(session.for_one(view, Some(Box::new(players))), &greeting)?;
    Ok(ExitCode::SUCCESS)
}

/// The players of all roles but the person's, each at its seat.
struct Players {
    game: Compiled,
    named: Named,
    settings: Settings,
    time: Option<Duration>,
    /// By role; nobody for the person's.
    seated: Vec<Option<(Seat, Box<dyn Player>)>>,
}

impl Players {
    fn new(
        game: &Compiled,
        own: usize,
        named: Named,
        settings: Settings,
        time: Option<Duration>,
    ) -> Result<Self> {
        let mut players = Players { game: game.clone(), named, settings, time, seated: Vec::new() };
        for role in 0..game.roles().len() {
            let seated = if role == own { None } else { Some(players.seat(role)?) };
            players.seated.push(seated);
        }
        Ok(players)
    }

    /// A seat at the beginning of the match, and somebody who sits there.
    fn seat(&self, role: usize) -> Result<(Seat, Box<dyn Player>)> {
        let seed = self.settings.seed.wrapping_add(role as u64);
        let settings = Settings { seed, ..self.settings.clone() };
        let seat = Seat::new(&self.game, role, &settings)?;
        let player: Box<dyn Player> = match seat.is_nature(role) {
            true => Box::new(players::Random::new(&settings)),
            false => self.named.player(&settings),
        };
        Ok((seat, player))
    }
}

impl Rivals for Players {
    fn choose(&mut self, role: usize) -> Result<String> {
        let Some((seat, player)) = &mut self.seated[role] else { bail!("the person moves for this role") };
        let spinner = ProgressBar::new_spinner().with_message(format!("{} thinks", player.name()));
        spinner.enable_steady_tick(Duration::from_millis(200));
        let made = player.choose(seat, &self.time.map_or_else(Turn::without_clock, Turn::of));
        spinner.finish_and_clear();
        Ok(seat.move_text(made?))
    }

    fn advance(&mut self, joint: &[String]) -> Result<()> {
        let joint: Vec<&str> = joint.iter().map(String::as_str).collect();
        for (seat, _) in self.seated.iter_mut().flatten() {
            seat.advance_texts(&joint)?;
        }
        Ok(())
    }

    fn rewind(&mut self, joints: &[Vec<String>]) -> Result<()> {
        for role in 0..self.seated.len() {
            if self.seated[role].is_some() {
                self.seated[role] = Some(self.seat(role)?);
            }
        }
        joints.iter().try_for_each(|joint| self.advance(joint))
    }

    fn report(&self, role: usize) -> String {
        self.seated[role].as_ref().map_or_else(String::new, |(_, player)| player.report())
    }
}
