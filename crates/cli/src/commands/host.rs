//! `groundrules host GAME`: a game manager. It runs matches by the protocol and writes every step to a file at once.

mod page;
mod report;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, anyhow, bail};
use groundrules_host::JournalError;
use groundrules_host::manager::{ManagerError, Match, MatchPlan, Player, Record};
use groundrules_search::Settings;

use crate::game::{self, Loaded};
use crate::output;
use crate::service::{Log, Thinking, interrupted, player, runtime};
use report::Report;

/// Run a match by the protocol, between players of this program and players anywhere.
///
/// A player that does not answer in time, or not with a legal move, has a random legal move made for it, and that is
/// recorded. A player that cannot be reached at the start ends the match, unless --play-on is given. Every step stands in the match file before the next one is asked for: after a crash the match is resumed
/// from there.
#[derive(clap::Args)]
#[command(after_help = "\
A player is a name (legal, random, greedy or mcts, optionally with an engine after a colon) or an address. \
Give one per role, in the order of the roles, except for a role called `random`, which moves by chance. The \
match file has one JSON object per line; --show joins them into one object in the public match format. The \
errors of players are TO (no answer in time), IL (illegal move) and CE (connection error).

Examples:
  groundrules host tic-tac-toe --player mcts --player http://localhost:9147
  groundrules host chess.kif --player http://a:9147 --player http://b:9147 --scramble
  groundrules host --resume tic-tac-toe.1790000000.jsonl
  groundrules host --show tic-tac-toe.1790000000.jsonl
  groundrules host tic-tac-toe --player http://localhost:9147 --player random \\
      --games 1000 --start-clock 1 --play-clock 1 --folder runs")]
pub(crate) struct Arguments {
    /// A file or a name of the library.
    #[arg(required_unless_present_any = ["resume", "show"])]
    game: Option<PathBuf>,
    /// A player by its name or address; one for each role.
    #[arg(long = "player", value_name = "URL|NAME")]
    players: Vec<String>,
    /// Seconds to look at the rules.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    start_clock: f64,
    /// Seconds for each move.
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0)]
    play_clock: f64,
    /// Play on with random moves for players that cannot be reached at the start; without it such a match is abandoned.
    #[arg(long)]
    play_on: bool,
    /// Rename the symbols of the game for remote players.
    #[arg(long)]
    scramble: bool,
    /// The name of the match; by default the name of the game and the time.
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// Where match files are written.
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,
    /// Run this many matches, one after the other, and sum up their results.
    #[arg(long, alias = "matches", value_name = "N", default_value_t = 1)]
    games: u64,
    /// Continue the match in a file.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["game", "show"])]
    resume: Option<PathBuf>,
    /// Print the match in a file in the public match format.
    #[arg(long, value_name = "FILE", conflicts_with = "game")]
    show: Option<PathBuf>,
    /// Write an HTML page with the boards of each match, next to its file. With `--show`, of the match in that file.
    #[arg(long)]
    html: bool,
    #[command(flatten)]
    thinking: Thinking,
    /// Write each match as a JSON object in the public match format.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    log: Log,
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    arguments.log.begin();
    if let (Some(path), true) = (&arguments.show, arguments.html) {
        let record = Record::open(path).with_context(|| path.display().to_string())?;
        write_page(&record, path)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(path) = &arguments.show {
        let public = Record::read(path).with_context(|| path.display().to_string())?;
        output::print(&format!("{public:#}\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let settings = arguments.thinking.settings()?;
    let runtime = runtime()?;
    let code = runtime.block_on(async {
        tokio::select! {
            done = play(arguments, &settings) => done,
            () = interrupted() => {
                anstream::eprintln!("stopped; `groundrules host --resume FILE` goes on with the match");
                Ok(ExitCode::from(2))
            }
        }
    });
    runtime.shutdown_background();
    code
}

async fn play(arguments: &Arguments, settings: &Settings) -> Result<ExitCode> {
    let mut report = Report::new(arguments.json, arguments.log.quiet, arguments.games > 1);
    if let Some(path) = &arguments.resume {
        let call = &mut |name: &str, word: &str| player(name, word, settings);
        match Match::resume::<anyhow::Error>(path, call).with_context(|| path.display().to_string())? {
            Some(mut resumed) => {
                play_one(&mut resumed, path, &mut report).await?;
                if arguments.html {
                    write_page(resumed.record(), path)?;
                }
            }
            None => bail!("the match of {} is over", path.display()),
        }
        return report.sum_up();
    }
    let Some(word) = &arguments.game else { bail!("give a game") };
    let source = game::source(word)?;
    let Some(Loaded { name, text, game, .. }) = game::load(&source)? else {
        return Ok(ExitCode::from(1));
    };
    game::warn_of_hidden_information(&game, "players are told all moves, not their percepts");
    let name = Path::new(&name).file_stem().map_or(name.clone(), |stem| stem.to_string_lossy().into_owned());
    let players: Vec<Player> =
        arguments.players.iter().map(|word| player(word, word, settings)).collect::<Result<_>>()?;
    check_clocks(arguments)?;
    std::fs::create_dir_all(&arguments.folder)
        .with_context(|| format!("cannot make the folder {}", arguments.folder.display()))?;
    let id = match &arguments.id {
        Some(id) => one_word(id)?,
        None => format!("{}.{}", one_word(&name).unwrap_or("game".to_owned()), seconds()),
    };
    for number in 0..arguments.games {
        let id = if arguments.games == 1 { id.clone() } else { format!("{id}.{number}") };
        let path = arguments.folder.join(format!("{id}.jsonl"));
        let plan = MatchPlan {
            id,
            game: name.clone(),
            rules: text.clone(),
            players: players.clone(),
            start_clock: arguments.start_clock,
            play_clock: arguments.play_clock,
            scramble: arguments.scramble,
            seed: arguments.thinking.seed.wrapping_add(number),
        };
        let begun = tokio::task::block_in_place(|| Match::begin(plan, &path));
        let mut begun = begun.map_err(|error| named(error, &path))?;
        if !arguments.play_on {
            begun.need_all_players();
        }
        play_one(&mut begun, &path, &mut report).await?;
        if arguments.html {
            write_page(begun.record(), &path)?;
        }
    }
    report.sum_up()
}

/// Writes the page of a match beside its file.
fn write_page(record: &Record, path: &Path) -> Result<()> {
    let page = page::page(record)?;
    output::write_file(&path.with_extension("html"), page.as_bytes())
}

/// The error, with the match file where it is about that.
fn named(error: ManagerError, path: &Path) -> anyhow::Error {
    let path = path.display();
    match error {
        ManagerError::Record(JournalError::Exists) => {
            anyhow!("{path} exists already: go on with `--resume {path}`, or give another --id or --folder")
        }
        ManagerError::Record(error) => anyhow!(error).context(path.to_string()),
        other => other.into(),
    }
}

async fn play_one(playing: &mut Match, path: &Path, report: &mut Report) -> Result<()> {
    report.begin(playing.record().first(), path)?;
    let played = playing.play(&mut |event| report.tell(event)).await;
    match played {
        Ok(_) => report.end(playing.record()),
        Err(ManagerError::Record(error)) => Err(anyhow!(error).context(path.display().to_string())),
        Err(error) => report.give_up(playing.record(), &error),
    }
}

fn check_clocks(arguments: &Arguments) -> Result<()> {
    for (name, clock) in [("start", arguments.start_clock), ("play", arguments.play_clock)] {
        if !(0.0..=86_400.0).contains(&clock) {
            bail!("--{name}-clock {clock} is not a time of at most a day");
        }
    }
    Ok(())
}

/// A name that can stand in a message and in a file's name.
fn one_word(id: &str) -> Result<String> {
    let is_fit = |c: char| c.is_alphanumeric() || "._-".contains(c);
    match !id.is_empty() && id.len() <= 200 && !id.starts_with('.') && id.chars().all(is_fit) {
        true => Ok(id.to_owned()),
        false => bail!("`{id}` cannot name a match: use letters, digits and . _ -"),
    }
}

fn seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
