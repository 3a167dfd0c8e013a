//! `groundrules solve GAME`: exact values of the initial position.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use groundrules_explore::{
    Bounds, Fraction, Guarantees, Meaning, Method, Solution, Solved, move_texts, record, solve_by,
};
use groundrules_machine::{Compiled, Move};
use serde_json::{Map, Value, json};

use crate::exploration::{Exploration, Saving};
use crate::game::{self, Loaded};
use crate::output::{self, counted, printable};

/// Solve a game: exact values of the initial state.
///
/// For one role the best goal and a shortest plan. Where it has too many states to explore them all within the limits, puzzle solvers go on: the
/// goal is exact if they prove it, and a lower bound otherwise. For several what each role can guarantee against all others together; where
/// two roles take turns and their goals always add up to the same, that is the minimax value, with a line of best play. The
/// moves of the role random are equally probable, and values are expectations then. Where roles move at the same time, or
/// where there are both chance and endless play, values are bounds, and said to be. Endless play forces nothing. A game in
/// which a role gets stuck, or does not have exactly one goal at an end, is refused with the moves that lead there.
///
/// All states are explored where that is possible. A game of two roles with more than a million states is searched by alpha-beta with
/// a transposition table (--memory) where the roles take turns, their goals always add up to the same, and no state
/// comes again; when the budget ends first, the values are bounds. --checkpoint writes the table down, and --resume goes on with it.
#[derive(clap::Args)]
#[command(after_help = "\
The exit code is 0 when the values are exact, 1 when the game is refused, 2 when there are only bounds or \
nothing was found.

Examples:
  groundrules solve tic-tac-toe
  groundrules solve eight-puzzle --trace plan.jsonl
  groundrules solve connect-four-4x4 --json
  groundrules solve connect-four-5x5 --method search --memory 500
  groundrules solve connect-four-6x5 --checkpoint table --seconds 600")]
pub(crate) struct Arguments {
    /// A file, a name of the library, or - for standard input.
    game: PathBuf,
    #[command(flatten)]
    exploration: Exploration,
    /// How: explore all states, search by alpha-beta, or whichever fits the game.
    #[arg(long, value_enum, default_value_t = How::Auto)]
    method: How,
    #[command(flatten)]
    saving: Saving,
    /// Write the line as a trace, for `groundrules replay`.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Write a JSON object.
    #[arg(long)]
    json: bool,
}

/// How a game is solved.
#[derive(Clone, Copy, clap::ValueEnum)]
enum How {
    Auto,
    Explore,
    Search,
}

impl From<How> for Method {
    fn from(how: How) -> Self {
        match how {
            How::Auto => Method::Auto,
            How::Explore => Method::Explore,
            How::Search => Method::Search,
        }
    }
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let source = game::source(&arguments.game)?;
    let Some(Loaded { name, game, text: description, .. }) = game::load(&source)? else {
        return Ok(ExitCode::from(1));
    };
    game::warn_of_hidden_information(&game, "values are those of the game in which all roles see everything");
    let compiled = arguments.exploration.compile(game)?;
    let roles = compiled.batch().context("the game cannot be set up")?.roles().to_vec();
    let solved = arguments.exploration.run(&description, &compiled, Some(&arguments.saving), |options| {
        solve_by(&compiled, arguments.method.into(), options)
    });
    let Solved { solution, explored, searched } = solved.context("the game cannot be explored")?;
    if !arguments.exploration.processes.is_first() {
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(path) = &arguments.trace {
        let recorded =
            record(&compiled, &name, solution.line(), "solved").context("the line cannot be played")?;
        output::write_file(path, format!("{}\n", recorded.to_line()).as_bytes())?;
    }
    let text = if arguments.json {
        let mut object = object(&solution, &roles, &compiled);
        object["game"] = json!(name);
        object["method"] = json!(if searched.is_some() { "search" } else { "explore" });
        object["states"] = json!(searched.unwrap_or_else(|| explored.states()));
        format!("{object}\n")
    } else {
        let head = match searched {
            None => format!("{name}: {}\n", counted(explored.states(), "state")),
            Some(states) => format!("{name}: alpha-beta search, {} expanded\n", counted(states, "state")),
        };
        head + &text(&solution, &roles, &compiled)
    };
    output::print(&text)?;
    Ok(ExitCode::from(match solution {
        Solution::Refused { .. } => 1,
        _ if solution.is_exact() => 0,
        _ => 2,
    }))
}

/// What the values mean.
fn meaning(guarantees: &Guarantees) -> String {
    let Guarantees { chance, simultaneous, endless, .. } = *guarantees;
    let expected = if chance { "expected " } else { "" };
    if guarantees.meaning == Meaning::Minimax {
        return format!(
            "{expected}minimax value: the roles take turns and their goals always add up to the same"
        );
    }
    let mut text = "what each role can guarantee against all others together".to_owned();
    if chance {
        text += ", in expectation over the moves of random";
    }
    if simultaneous && !guarantees.exact {
        text += "; moves are made at the same time, and a role that chooses at random may guarantee more than the lower bound";
    }
    if let Some(stop) = &guarantees.stop {
        let _ = write!(text, "; {stop}, so values are bounds");
    } else if chance && !simultaneous && !guarantees.exact {
        text += "; fractions that grew too long, or that are approached step by step, were rounded outwards";
    }
    if endless {
        text += if chance { "; endless play counts as 0" } else { "; endless play forces nothing" };
    }
    text
}

fn number(value: Fraction) -> String {
    match value.denominator() {
        1 => value.to_string(),
        _ => format!("{:.4} ({value})", value.to_f64()),
    }
}

/// Two different bounds, with as many digits as tell them apart.
fn between(lower: Fraction, upper: Fraction) -> String {
    let digits = |digits: usize| {
        [lower, upper].map(|bound| match bound.denominator() {
            1 => bound.to_string(),
            _ => format!("{:.digits$}", bound.to_f64()),
        })
    };
    let [lower, upper] =
        (4..16).map(digits).find(|[lower, upper]| lower != upper).unwrap_or_else(|| digits(16));
    format!("between {lower} and {upper}")
}

fn bounds(bounds: &Bounds) -> String {
    match (bounds.lower, bounds.upper) {
        (lower, upper) if lower == upper => lower.map_or_else(|| "cannot force an end".to_owned(), number),
        (Some(lower), Some(upper)) => between(lower, upper),
        (None, Some(upper)) => format!("at most {}, and perhaps no end", number(upper)),
        (_, None) => unreachable!("an upper bound is not below the lower one"),
    }
}

fn text(solution: &Solution, roles: &[String], compiled: &Compiled) -> String {
    let line = solution.line();
    let mut text = match solution {
        Solution::Plan { best: None, unless: None, .. } => "  no line of play ends\n".to_owned(),
        Solution::Plan { best, is_shortest, upper, unless, .. } => {
            let best = best.map_or_else(|| "none".to_owned(), |best| best.to_string());
            let moves = counted(line.len() as u64, "move");
            match unless {
                None if *is_shortest => format!("  best goal {best}, shortest plan: {moves}\n"),
                None => format!("  best goal {best}, plan: {moves}, perhaps not the shortest\n"),
                Some(stop) => {
                    let most = upper.map_or_else(String::new, |upper| format!(", at most {upper}"));
                    format!("  best goal so far {best}{most}; not all states were seen: {stop}\n")
                }
            }
        }
        Solution::Guaranteed(guarantees) => {
            let mut text = format!("  {}\n", meaning(guarantees));
            for (role, value) in roles.iter().zip(&guarantees.values) {
                let value = value.as_ref().map_or_else(|| "moves by chance".to_owned(), bounds);
                let _ = writeln!(text, "  {}: {value}", printable(role));
            }
            text
        }
        Solution::Refused { why, .. } => {
            let after = counted(line.len() as u64, "move");
            format!("  refused: after {after}, {}\n", printable(why))
        }
        Solution::Open(why) => format!("  open: {why}\n"),
    };
    for (number, joint) in line.iter().enumerate() {
        let moves =
            roles.iter().zip(texts(compiled, joint)).map(|(role, made)| printable(&format!("{role} {made}")));
        let _ = writeln!(text, "  {:>3}  {}", number + 1, moves.collect::<Vec<_>>().join(", "));
    }
    text
}

/// A joint move as texts. The line was found on the engine that names its moves.
fn texts(compiled: &Compiled, joint: &[Move]) -> Vec<String> {
    move_texts(compiled, joint).expect("the engine that explored the game")
}

fn object(solution: &Solution, roles: &[String], compiled: &Compiled) -> Value {
    let line: Vec<Vec<String>> = solution.line().iter().map(|joint| texts(compiled, joint)).collect();
    let (kind, values, why) = match solution {
        Solution::Plan { best, unless, .. } => {
            let why = unless.as_ref().map(ToString::to_string);
            ("plan", roles.iter().map(|role| (role.clone(), json!(best))).collect(), why)
        }
        Solution::Guaranteed(guarantees) => {
            let kind = match guarantees.meaning {
                Meaning::Minimax => "minimax",
                Meaning::Guarantee => "guarantee",
            };
            (kind, values(roles, guarantees), guarantees.stop.as_ref().map(ToString::to_string))
        }
        Solution::Refused { why, .. } => ("refused", Map::new(), Some(why.clone())),
        Solution::Open(why) => ("open", Map::new(), Some(why.clone())),
    };
    let (is_shortest, upper) = match solution {
        Solution::Plan { is_shortest, upper, .. } => (Some(*is_shortest), *upper),
        _ => (None, None),
    };
    json!({
        "roles": roles,
        "kind": kind,
        "values": values,
        "exact": solution.is_exact(),
        "upper": upper,
        "shortest": is_shortest,
        "why": why,
        "line": line,
    })
}

/// The value of every role but nature: a number, null where it cannot force an end, or an object with bounds.
fn values(roles: &[String], guarantees: &Guarantees) -> Map<String, Value> {
    let number = |value: Option<Fraction>| match value {
        Some(value) if value.denominator() == 1 => json!(value.numerator()),
        value => json!(value.map(Fraction::to_f64)),
    };
    let value = |bounds: &Bounds| match bounds.exact() {
        Some(value) => number(value),
        None => json!({ "lower": number(bounds.lower), "upper": number(bounds.upper) }),
    };
    let all = roles.iter().zip(&guarantees.values);
    all.filter_map(|(role, bounds)| Some((role.clone(), value(bounds.as_ref()?)))).collect()
}
