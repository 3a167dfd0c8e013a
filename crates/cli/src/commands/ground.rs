//! `groundrules ground GAME`: grounds a game, counts or writes the result, or explains an atom.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgAction, ArgMatches, FromArgMatches, ValueEnum};
use groundrules_gdl::time::process_time;
use groundrules_gdl::{Game, Lines};
use groundrules_ground::{
    ExplainError, GroundError, GroundGame, Limits, Method, Options as GroundOptions, Switch, Switches,
    answer_set_program, explain, ground_watched,
};
use indicatif::ProgressBar;
use serde_json::json;

use crate::game::{self, Loaded};
use crate::output;

/// Ground a game: every fluent and move that can ever occur, and every rule without variables.
///
/// The description's own `base` and `input` are not used: what can occur is computed in one least fixpoint. Static
/// relations are evaluated and leave the rules; rules that can never apply are taken out.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  groundrules ground connect-four                     how large it is
  groundrules ground connect-four --format kif -o connect-four-ground.kif
  groundrules ground mygame.kif --json --max-rules 1000000 --seconds 10
  groundrules ground connect-four --method gringo     with another program
  groundrules ground connect-four --format asp        the input of that program
  groundrules ground tic-tac-toe --explain '(line empty)'   why an atom is in it, or is not")]
pub(crate) struct Arguments {
    /// A file, a name of the library, or - for standard input.
    game: PathBuf,
    /// How fluents and moves are found.
    #[arg(long, value_parser = methods(), default_value = Method::default().name())]
    method: Method,
    /// What to write.
    #[arg(long, value_enum, default_value_t = Format::Stats)]
    format: Format,
    /// Write a JSON object; the same as --format json.
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Explain why an atom is in the ground game or is not, as text or JSON.
    #[arg(long, value_name = "ATOM")]
    explain: Option<String>,
    /// Write to a file, which is either complete or untouched.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Stop at this many ground rules.
    #[arg(long, default_value_t = 20_000_000, value_name = "N")]
    max_rules: usize,
    /// Stop at about this many megabytes of memory.
    #[arg(long, alias = "max-memory", default_value_t = 4_000, value_name = "MB")]
    memory: usize,
    /// Stop after this many seconds of processor time.
    #[arg(long, alias = "timeout", default_value_t = 60.0, value_name = "SECONDS")]
    seconds: f64,
    #[command(flatten)]
    left_out: LeftOut,
}

/// The passes that are left out, one flag for each switch that the grounder has.
pub(crate) struct LeftOut(Switches);

impl clap::Args for LeftOut {
    fn augment_args(command: clap::Command) -> clap::Command {
        let command = command.next_help_heading("Savings left out");
        Switch::all().fold(command, |command, switch| {
            let flag = flag(switch);
            command.arg(
                Arg::new(flag.clone())
                    .long(flag)
                    .help(format!("Leave out the pass by which {}", switch.about()))
                    .action(ArgAction::SetTrue),
            )
        })
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for LeftOut {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let left_out = Switch::all().filter(|&switch| matches.get_flag(&flag(switch)));
        Ok(LeftOut(left_out.fold(Switches::default(), Switches::without)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The flag that leaves something out.
fn flag(switch: Switch) -> String {
    format!("no-{}", switch.name())
}

/// The methods by their names.
fn methods() -> impl TypedValueParser<Value = Method> {
    let all = Method::all().map(|method| PossibleValue::new(method.name()).help(method.about()));
    PossibleValuesParser::new(all).try_map(|name| Method::named(&name).ok_or("no such method"))
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// How large the ground game is
    Stats,
    /// The ground game as a description of its own
    Kif,
    /// The counts as a JSON object
    Json,
    /// The answer set program that gringo grounds, whatever the method; nothing is grounded
    Asp,
}

impl Arguments {
    fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    if arguments.explain.is_some() && matches!(arguments.format(), Format::Kif | Format::Asp) {
        bail!("--explain gives text or, with --json, JSON");
    }
    let source = game::source(&arguments.game)?;
    let start = Clocks::start();
    let Some(Loaded { name, text, game, .. }) = game::load(&source)? else { return Ok(ExitCode::from(1)) };
    if let Some(atom) = &arguments.explain {
        return tell(arguments, &game, atom, (&name, &text));
    }
    let result = match arguments.format() {
        Format::Asp => answer_set_program(&game, arguments.left_out.0).map(Written::Text),
        format => ground(arguments, &game, limits(arguments)?).map(|ground| match format {
            Format::Kif => Written::Game(Box::new(ground)),
            _ => Written::Text(report(arguments, &name, &ground, &start)),
        }),
    };
    match result {
        Ok(Written::Text(text)) => write(arguments, &text)?,
        Ok(Written::Game(ground)) => write_kif(arguments, &ground)?,
        Err(error) => {
            anstream::eprintln!("{}", blame(&name, &text, &game, &error));
            return Ok(ExitCode::from(1));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What is to be written.
enum Written {
    Text(String),
    /// The whole game, which can be too large to hold as text.
    Game(Box<GroundGame>),
}

/// Grounds the game by the method that was asked for.
fn ground(arguments: &Arguments, game: &Game, limits: Limits) -> Result<GroundGame, GroundError> {
    let spinner = spinner();
    spinner.set_message(arguments.method.name());
    let began = Instant::now();
    let result = ground_watched(game, &options(arguments, limits), &mut |progress| {
        let rate = progress.rules as f64 / began.elapsed().as_secs_f64().max(1e-3);
        spinner.set_message(format!(
            "{}: {} atoms, {} rules, {rate:.0} rules/s",
            progress.relation, progress.atoms, progress.rules
        ));
    });
    spinner.finish_and_clear();
    result
}

/// Something that moves as long as there is no result; without a terminal, nothing.
fn spinner() -> ProgressBar {
    let spinner = ProgressBar::new_spinner().with_message("grounding");
    if !spinner.is_hidden() {
        spinner.enable_steady_tick(Duration::from_millis(200));
    }
    spinner
}

/// How the game is to be grounded.
fn options(arguments: &Arguments, limits: Limits) -> GroundOptions {
    GroundOptions { method: arguments.method, switches: arguments.left_out.0, limits }
}

/// Says why an atom is in the ground game, or is not.
fn tell(arguments: &Arguments, game: &Game, atom: &str, (name, text): (&str, &[u8])) -> Result<ExitCode> {
    let spinner = spinner();
    let result = explain(game, &options(arguments, limits(arguments)?), atom);
    spinner.finish_and_clear();
    let explanation = match result {
        Ok(explanation) => explanation.with_lines(text),
        Err(ExplainError::Ground(error)) => {
            anstream::eprintln!("{}", blame(name, text, game, &error));
            return Ok(ExitCode::from(1));
        }
        Err(error) => return Err(error.into()),
    };
    let text = match arguments.format() {
        Format::Json => format!("{}\n", serde_json::to_string(&explanation)?),
        _ => explanation.to_string(),
    };
    write(arguments, &text).map(|()| ExitCode::SUCCESS)
}

fn limits(arguments: &Arguments) -> Result<Limits> {
    let Ok(time) = Duration::try_from_secs_f64(arguments.seconds) else {
        bail!("--seconds {} is not a number of seconds", arguments.seconds);
    };
    let mut limits = Limits::default().within(time);
    limits.rules = arguments.max_rules;
    // Many more atoms than rules are allowed means that something grows without an end.
    limits.atoms = limits.atoms.min(arguments.max_rules.saturating_mul(5).max(500_000));
    limits.bytes = arguments.memory.saturating_mul(1_000_000);
    Ok(limits)
}

/// What is to be written about a ground game.
fn report(arguments: &Arguments, name: &str, game: &GroundGame, start: &Clocks) -> String {
    match arguments.format() {
        Format::Stats | Format::Kif | Format::Asp => {
            let literals: usize = game.rules().map(|(_, body)| body.len()).sum();
            let counted = |count: usize, noun| output::counted(count as u64, noun);
            format!(
                "{name}: {}, {}\n  {}, {} of them at the beginning\n  {} of {}\n  {}\n",
                counted(game.rules().len(), "ground rule"),
                counted(literals, "literal"),
                counted(game.fluents.len(), "fluent"),
                output::thousands(game.init.len() as u64),
                counted(game.moves.len(), "move"),
                counted(game.roles.len(), "role"),
                counted(game.derived.len(), "derived atom"),
            )
        }
        Format::Json => {
            let object = json!({
                "game": name,
                "rules": game.rules().len(),
                "literals": game.rules().map(|(_, body)| body.len()).sum::<usize>(),
                "base": game.fluents.len(),
                "input": game.moves.len(),
                "derived": game.derived.len(),
                "roles": game.roles.len(),
                "seconds": start.wall.elapsed().as_secs_f64(),
                "cpu_seconds": start.cpu.and_then(|before| Some((process_time()?.saturating_sub(before)).as_secs_f64())),
                "peak_bytes": peak_bytes(),
            });
            format!("{object}\n")
        }
    }
}

fn write_kif(arguments: &Arguments, game: &GroundGame) -> Result<()> {
    let fill = |out: &mut dyn std::io::Write| write!(out, "{}", game.kif());
    match &arguments.output {
        Some(path) => output::stream_file(path, fill),
        None => output::stream(fill),
    }
}

fn write(arguments: &Arguments, text: &str) -> Result<()> {
    match &arguments.output {
        Some(path) => output::write_file(path, text.as_bytes()),
        None => output::print(text),
    }
}

/// The error with the rule that is to blame, where one is.
fn blame(name: &str, text: &[u8], game: &Game, error: &GroundError) -> String {
    let Some(rule) = error.rule().and_then(|rule| game.rules().get(rule)) else {
        return format!("{name} was not grounded: {error}");
    };
    let instances = error.blame().map_or(String::new(), |blame| format!("; {blame}"));
    let line = Lines::new(text).position(game.span(rule.node).start).line;
    let rule: String = output::printable(&game.kif(rule).to_string()).chars().take(300).collect();
    format!("{name} was not grounded: {error}\n  to blame is the rule in line {line}{instances}:\n  {rule}")
}

/// When the work began, by both clocks.
struct Clocks {
    wall: Instant,
    cpu: Option<Duration>,
}

impl Clocks {
    fn start() -> Self {
        Clocks { wall: Instant::now(), cpu: process_time() }
    }
}

/// The most memory that this process has held, where the system tells.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}
