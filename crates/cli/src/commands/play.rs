//! `groundrules play GAME --as ROLE`: a human plays in the terminal against a player.

use std::io::{BufRead, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Result, bail};
use groundrules::board::{Last, order};
use groundrules_machine::{Compiled, Move, Percepts};
use groundrules_search::referee::{Clocks, Seated, play};
use groundrules_search::{Player, SearchError, Seat, Turn};
use groundrules_search::{Settings, players};

use crate::game::{self, Loaded};
use crate::output::{self, printable};
use crate::player::{Named, Thinking};
use crate::show::{self, Show};

/// Play a game in the terminal against a player.
///
/// You are asked for a move whenever you have a choice; give its number or write it as KIF. All other roles are played by
/// the player; a role called `random` moves by chance.
#[derive(clap::Args)]
#[command(after_help = "\
A move is given by its number or as KIF. `state` shows the state again, `quit` ends the match.

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
    let clocks = Clocks { start: None, play: arguments.thinking.time()?, max_steps: usize::MAX };
    let source = game::source(&arguments.game)?;
    let Some(Loaded { name, game, .. }) = game::load(&source)? else { return Ok(ExitCode::from(1)) };
    game::warn_of_hidden_information(
        &game,
        "players see the whole state; you are shown your percepts and moves only",
    );
    let show = Arc::new(Show::of(&game));
    let is_hidden = game.has_hidden_information();
    let game = Compiled::new(game);
    let percepts = if is_hidden { Some(Percepts::new(&game)?) } else { None };
    let first = Seat::new(&game, 0, &settings)?;
    let roles = first.roles().clone();
    let Some(own) = roles.find(&arguments.role) else {
        bail!("there is no role `{}` (there are: {})", arguments.role, roles.join(", "));
    };
    let seen = Arc::new(Mutex::new(Seen {
        now: first.fluents(),
        percepts: is_hidden.then(Vec::new),
        ..Seen::default()
    }));
    let mut seated = Vec::new();
    for role in 0..roles.len() {
        let seat = if role == own { first.another(role)? } else { Seat::new(&game, role, &settings)? };
        let settings = Settings { seed: settings.seed.wrapping_add(role as u64), ..settings.clone() };
        let player: Box<dyn Player> = if role == own {
            Box::new(Person { show: Arc::clone(&show), seen: Arc::clone(&seen) })
        } else if seat.is_nature(role) {
            Box::new(players::Random::new(&settings))
        } else {
            arguments.player.player(&settings)
        };
        seated.push(Seated { seat, player });
    }
    output::print(&format!("{}: you are {}\n\n", printable(&name), printable(&roles[own])))?;
    match play(&mut seated, &clocks, &mut |seated, joint| {
        let mut seen = lock(&seen);
        let percepts = percepts.as_ref().map(|percepts| percepts.of(own, &seen.now, joint));
        seen.advance(seated[own].seat.fluents(), joint, percepts);
        let hidden = seen.percepts.is_some();
        drop(seen);
        tell(&roles, own, seated, joint, hidden);
    }) {
        Ok(ending) => {
            let mut seen = lock(&seen);
            // Now everybody may see everything.
            seen.percepts = None;
            let state = seen.shown(&show);
            let mut text = format!("{state}the match is over\n");
            for (role, goal) in roles.iter().zip(&ending.goals) {
                let goal = goal.map_or_else(|| "none".to_owned(), |goal| goal.to_string());
                text.push_str(&format!("goal of {}: {goal}\n", printable(role)));
            }
            output::print(&text)?;
            Ok(ExitCode::SUCCESS)
        }
        // The person left: that is how a match may end.
        Err(SearchError::Quit) => Ok(ExitCode::SUCCESS),
        Err(error) => {
            anstream::eprintln!("{name}: {error}");
            Ok(ExitCode::from(1))
        }
    }
}

/// Tells what was played, and what the player says about it.
fn tell(roles: &[String], own: usize, seated: &[Seated], joint: &[String], hidden: bool) {
    let told = roles.iter().zip(joint).enumerate().filter(|(role, _)| !hidden || *role == own);
    let moves = told.map(|(_, (role, made))| format!("{role} {made}"));
    let mut text = format!("{}\n", printable(&moves.collect::<Vec<_>>().join(", ")));
    for (role, Seated { player, .. }) in seated.iter().enumerate().filter(|(role, _)| *role != own && !hidden)
    {
        let report = player.report();
        if !report.is_empty() && std::io::stdout().is_terminal() {
            text.push_str(&format!("  {} {report}\n", printable(&roles[role])));
        }
    }
    // Whether it can be shown is seen when the person is asked again.
    let _ = output::print(&text);
}

/// The person at the terminal.
struct Person {
    show: Arc<Show>,
    seen: Arc<Mutex<Seen>>,
}

/// The state, and how it was reached.
#[derive(Default)]
struct Seen {
    now: Vec<String>,
    before: Vec<String>,
    moves: Vec<String>,
    /// What the person's role has seen so far, step by step, where information is hidden.
    percepts: Option<Vec<Vec<String>>>,
}

impl Seen {
    fn advance(&mut self, fluents: Vec<String>, joint: &[String], percepts: Option<Vec<String>>) {
        if let (Some(seen), Some(percepts)) = (&mut self.percepts, percepts) {
            seen.push(percepts);
        }
        self.before = std::mem::replace(&mut self.now, fluents);
        self.moves = joint.to_vec();
    }

    fn shown(&self, show: &Show) -> String {
        if let Some(percepts) = &self.percepts {
            return seen_so_far(percepts);
        }
        let last = Last { moves: &self.moves, before: &self.before };
        show.state(&self.now, (!self.moves.is_empty()).then_some(last))
    }
}

/// What a role has seen, step by step.
fn seen_so_far(percepts: &[Vec<String>]) -> String {
    let mut text = "you have seen:\n".to_owned();
    for (number, percepts) in percepts.iter().enumerate() {
        let percepts = if percepts.is_empty() { "nothing".to_owned() } else { percepts.join(" ") };
        text.push_str(&format!("  after move {}: {}\n", number + 1, printable(&percepts)));
    }
    if percepts.is_empty() {
        text.push_str("  nothing yet\n");
    }
    text
}

fn lock(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Player for Person {
    fn name(&self) -> &'static str {
        "person"
    }

    fn choose(&mut self, seat: &mut Seat, _: &Turn) -> Result<Move, SearchError> {
        let mut legal = seat.legal()?;
        legal.sort_by_cached_key(|&made| order(&seat.move_text(made)));
        let texts: Vec<String> = legal.iter().map(|&made| seat.move_text(made)).collect();
        let show = format!("{}{}", lock(&self.seen).shown(&self.show), show::moves(&texts));
        let mut answer = show.clone();
        loop {
            match ask(&answer) {
                Some(line) if matches!(line.trim(), "quit" | "exit" | "q") => break,
                None => break,
                Some(line) => match found(seat, &legal, line.trim())? {
                    Some(made) => return Ok(made),
                    None if matches!(line.trim(), "state" | "s" | "legal" | "") => answer.clone_from(&show),
                    None => {
                        answer = format!(
                            "`{}` is no legal move: give a number or a move, `state` to see them again, `quit` to end\n",
                            printable(line.trim())
                        );
                    }
                },
            }
        }
        Err(SearchError::Quit)
    }
}

/// The legal move that a number or a text stands for.
fn found(seat: &mut Seat, legal: &[Move], text: &str) -> Result<Option<Move>, SearchError> {
    match text.parse::<usize>() {
        Ok(number) if number.checked_sub(1).is_some_and(|index| index < legal.len()) => {
            Ok(Some(legal[number - 1]))
        }
        _ => seat.find_legal(text),
    }
}

/// Shows something and reads a line; nothing at the end of the input.
fn ask(text: &str) -> Option<String> {
    output::print(text).ok()?;
    let mut out = anstream::stdout().lock();
    out.write_all(b"> ").and_then(|()| out.flush()).ok()?;
    drop(out);
    let mut line = Vec::new();
    let input = std::io::stdin();
    let is_terminal = input.is_terminal();
    if input.lock().read_until(b'\n', &mut line).ok()? == 0 {
        output::print("\n").ok()?;
        return None;
    }
    let line = String::from_utf8_lossy(&line).into_owned();
    if !is_terminal {
        // What a terminal shows because it was typed there.
        output::print(&format!("{}\n", printable(line.trim_end()))).ok()?;
    }
    Some(line)
}
