//! `groundrules net GAME`: the propositional network of a game.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use comfy_table::{CellAlignment, Table, presets};
use groundrules_gdl::Game;
use groundrules_ground::{GroundGame, Limits, Options as GroundOptions, ground};
use groundrules_net::picture::Picture;
use groundrules_net::{
    Changes, Network, NodeKind, Options, PassEffect, changes, simplify, specialise, turns,
};
use groundrules_prove::{Subject, aiger};
use serde_json::{Value, json};

use crate::game;
use crate::output::{self, counted};

/// Build the propositional network of a game: gates over fluents and moves.
///
/// The game is grounded, its rules become gates, and these are simplified. By default that takes for granted that matches
/// are legal: each role makes one of its legal moves, and states are those that such matches reach.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  groundrules net connect-four                         its size, and what each simplification did
  groundrules net tic-tac-toe --format svg -o tic-tac-toe.svg    a picture
  groundrules net tic-tac-toe --format dot | dot -Tpdf > tic-tac-toe.pdf    by Graphviz
  groundrules net connect-four --format svg --around terminal -o end.svg    the part near an atom
  groundrules net connect-four --format aiger --property utility -o goals.aig    for model checkers
  groundrules net reversi --exact                      without assumptions
  groundrules net breakthrough --given '(control white)' --format svg -o white.svg    on White's turn")]
pub(crate) struct Arguments {
    /// A file, a name of the library, or - for standard input.
    game: PathBuf,
    /// What to write; by default as the name of the output file ends (.svg, .dot, .json, .aig), otherwise the figures.
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write a JSON object; the same as --format json.
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Write to a file, which is either complete or untouched.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Assume nothing: the network is exact in every state, and for illegal moves too.
    #[arg(long, conflicts_with = "given")]
    exact: bool,
    /// Show the network as the rules are written.
    #[arg(long, conflicts_with_all = ["exact", "given"])]
    as_written: bool,
    /// Show the network for states in which this fluent holds, and fluents that exclude it do not.
    #[arg(long, value_name = "FLUENT")]
    given: Option<String>,
    /// The property of an AIGER file; its bad states are those that violate it.
    #[arg(long, value_enum, default_value_t = BadStates::Playability)]
    property: BadStates,
    /// Draw only the surroundings of an atom: a fluent, a move, or anything else that the picture names.
    #[arg(long, value_name = "ATOM")]
    around: Option<String>,
    /// Draw at most this many nodes, because nobody can read a larger picture; 60 by default with --around.
    #[arg(long, value_name = "N")]
    max_nodes: Option<usize>,
    /// Stop grounding after this many seconds of processor time.
    #[arg(long, alias = "timeout", default_value_t = 60.0, value_name = "SECONDS")]
    seconds: f64,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// How large the network is, and what each simplification did
    Stats,
    /// A picture for Graphviz
    Dot,
    /// A picture
    Svg,
    /// The figures as a JSON object
    Json,
    /// The exact network with a property as a sequential circuit, binary AIGER 1.9 with symbols
    Aiger,
}

#[derive(Clone, Copy, ValueEnum)]
enum BadStates {
    /// A role has no legal move, and the match is not over
    Playability,
    /// The match is over, and a role does not have exactly one goal
    Utility,
    /// A role does not have exactly one goal, or a smaller one than before
    Monotonicity,
}

impl Arguments {
    fn format(&self) -> Format {
        let by_name = || match self.output.as_ref()?.extension()?.to_str()? {
            "svg" => Some(Format::Svg),
            "dot" | "gv" => Some(Format::Dot),
            "json" => Some(Format::Json),
            "aig" => Some(Format::Aiger),
            _ => None,
        };
        let given = if self.json { Some(Format::Json) } else { self.format };
        given.or_else(by_name).unwrap_or(Format::Stats)
    }
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let Some(loaded) = game::load(&game::source(&arguments.game)?)? else { return Ok(ExitCode::from(1)) };
    let name = loaded.name;
    if arguments.around.is_some() && !matches!(arguments.format(), Format::Dot | Format::Svg) {
        bail!("--around is for pictures: add --format svg or --format dot");
    }
    let Ok(time) = Duration::try_from_secs_f64(arguments.seconds) else {
        bail!("--seconds {} is not a number of seconds", arguments.seconds);
    };
    let options = GroundOptions { limits: Limits::default().within(time), ..GroundOptions::default() };
    let game = match ground(&loaded.game, &options) {
        Ok(game) => game,
        Err(error) => {
            anstream::eprintln!("{name} was not grounded: {error}; `groundrules ground` says more");
            return Ok(ExitCode::from(1));
        }
    };
    if let Format::Aiger = arguments.format() {
        return write_aiger(arguments, &loaded.game, game, &name);
    }
    let made = Made::of(&game, arguments)?;
    let text = match arguments.format() {
        Format::Stats => made.stats(&name, &game),
        Format::Json => format!("{}\n", made.json(&name, &game)),
        Format::Dot | Format::Svg | Format::Aiger => {
            let picture = drawn(arguments, &name, Picture::of(&name, &game, &made.network))?;
            if let Format::Dot = arguments.format() { picture.dot() } else { picture.svg() }
        }
    };
    match &arguments.output {
        Some(path) => output::write_file(path, text.as_bytes())?,
        None => output::print(&text)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the game with a property for hardware model checkers.
fn write_aiger(arguments: &Arguments, game: &Game, ground: GroundGame, name: &str) -> Result<ExitCode> {
    let subject = Subject::new(game, Arc::new(ground))?;
    let (bad, property) = match arguments.property {
        BadStates::Playability => (subject.stuck, "playability"),
        BadStates::Utility => (subject.no_utility, "utility structure"),
        BadStates::Monotonicity => (subject.not_monotone, "monotonicity"),
    };
    let file = aiger(&subject, bad, &format!("{name}: {property}"))?;
    match &arguments.output {
        Some(path) => output::write_file(path, &file)?,
        None => std::io::stdout().write_all(&file)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// What is drawn of a picture.
fn drawn(arguments: &Arguments, name: &str, whole: Picture) -> Result<Picture> {
    if let Some(atom) = &arguments.around {
        let part = whole.around(atom, arguments.max_nodes.unwrap_or(60).max(1));
        return part.with_context(|| {
            format!(
                "{atom} is not in the picture; write an atom of the ground game, for example (true f), (does r m), \
                 (legal r m), terminal: `groundrules ground {name} --format kif` lists them"
            )
        });
    }
    let most = arguments.max_nodes.unwrap_or(600);
    if whole.len() > most {
        bail!(
            "a picture of {name} would have {} nodes, more than {most}: --around ATOM draws what is near an atom, \
             --given FLUENT the network where a fluent holds, --max-nodes N allows more",
            whole.len(),
        );
    }
    Ok(whole)
}

/// What a simplification does, in a few words.
fn about(pass: &str) -> &'static str {
    match pass {
        "rules" => "the rules as gates: & of a body, ≥1 of several rules",
        "dead parts" => "gates that no output needs are left out",
        "reachable" => "fluents that never change and moves that are never legal become constants",
        "facts" => "each role makes one move, and it is legal",
        "collapse" => "gates that one gate of the same kind needs are part of it",
        "absorb" => "operands that other operands imply are dropped",
        "distribute" => "what several operands have in common is taken out of them",
        "share operands" => "operands that several gates share become a gate",
        _ => "",
    }
}

/// The network that was asked for, and how it came about.
struct Made {
    network: Network,
    effects: Vec<PassEffect>,
    /// Whose turn it can be, with the sizes of the networks then.
    turns: Vec<(usize, usize, usize)>,
    time: Duration,
}

impl Made {
    fn of(game: &GroundGame, arguments: &Arguments) -> Result<Self> {
        let start = Instant::now();
        let written = Network::of(game)?;
        let options = if arguments.exact { Options::exact() } else { Options::default() };
        let (network, effects) = simplify(&written, &options);
        let time = start.elapsed();
        if arguments.as_written {
            return Ok(Made { network: written, effects, turns: Vec::new(), time });
        }
        let sets = if arguments.exact { Vec::new() } else { turns(game, &network) };
        let given = |set: &[usize], turn: usize| {
            let assumed: Vec<(usize, bool)> = set.iter().map(|&fluent| (fluent, fluent == turn)).collect();
            specialise(&network, &assumed, &options)
        };
        if let Some(wanted) = &arguments.given {
            let is_it = |&fluent: &usize| game.term(game.fluents[fluent]).eq_ignore_ascii_case(wanted);
            let Some(fluent) = (0..game.fluents.len()).find(is_it) else {
                bail!("{wanted} is not a fluent of the ground game");
            };
            let alone = vec![fluent];
            let set = sets.iter().find(|set| set.contains(&fluent)).unwrap_or(&alone);
            let network = given(set, fluent);
            return Ok(Made { network, effects, turns: Vec::new(), time });
        }
        let turns = sets.first().map_or(Vec::new(), |set| {
            let size = |&turn: &usize| {
                let network = given(set, turn);
                (turn, network.gate_count(), network.operand_count())
            };
            set.iter().map(size).collect()
        });
        Ok(Made { network, effects, turns, time })
    }

    /// How many gates are on the longest way through the network.
    fn depth(&self) -> usize {
        let network = &self.network;
        let mut depths = vec![0usize; network.gate_count()];
        for gate in 0..network.gate_count() {
            let operands = network.operands(gate).iter();
            let below = operands.filter_map(|operand| match network.kind(operand.node()) {
                NodeKind::Gate(other) => Some(depths[other]),
                _ => None,
            });
            depths[gate] = 1 + below.max().unwrap_or(0);
        }
        depths.into_iter().max().unwrap_or(0)
    }

    fn count(&self, wanted: Changes) -> usize {
        changes(&self.network).into_iter().filter(|&found| found == wanted).count()
    }

    fn stats(&self, name: &str, game: &GroundGame) -> String {
        let network = &self.network;
        let mut text = format!(
            "{name}: {} (& or ≥1) with {} (inputs), {} on the longest path\n  \
             {}: {} never change, {} only ever become true, {} only ever become false\n  {} of {}\n",
            counted(network.gate_count() as u64, "gate"),
            counted(network.operand_count() as u64, "operand"),
            counted(self.depth() as u64, "gate"),
            counted(network.fluents() as u64, "fluent"),
            self.count(Changes::Never),
            self.count(Changes::OnlyOn),
            self.count(Changes::OnlyOff),
            counted(network.moves() as u64, "move"),
            counted(network.roles as u64, "role"),
        );
        let cycles = network.components().len();
        if cycles > 0 {
            let gates: u32 = network.components().iter().map(|range| range.end - range.start).sum();
            let (groups, gates) = (counted(cycles as u64, "group"), counted(gates.into(), "gate"));
            text += &format!("  {groups} of gates that depend on each other, {gates} in all\n");
        }
        for &(turn, gates, operands) in &self.turns {
            let turn = game.term(game.fluents[turn]);
            let (gates, operands) = (counted(gates as u64, "gate"), counted(operands as u64, "operand"));
            text += &format!("  where {turn}: {gates} with {operands}\n");
        }
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_header(["after", "gates", "operands", "what it does"]);
        for PassEffect { pass, gates, operands } in &self.effects {
            table.add_row([
                (*pass).to_owned(),
                gates.to_string(),
                operands.to_string(),
                about(pass).to_owned(),
            ]);
        }
        for column in table.column_iter_mut().skip(1).take(2) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        for line in table.to_string().lines() {
            text += &format!(" {}\n", line.trim_end());
        }
        text
    }

    fn json(&self, name: &str, game: &GroundGame) -> Value {
        let network = &self.network;
        let turn = |&(turn, gates, operands): &(usize, usize, usize)| json!({ "given": game.term(game.fluents[turn]), "gates": gates, "operands": operands });
        json!({
            "game": name,
            "gates": network.gate_count(),
            "operands": network.operand_count(),
            "depth": self.depth(),
            "fluents": network.fluents(),
            "never_change": self.count(Changes::Never),
            "only_on": self.count(Changes::OnlyOn),
            "only_off": self.count(Changes::OnlyOff),
            "moves": network.moves(),
            "roles": network.roles,
            "cycles": network.components().len(),
            "turns": self.turns.iter().map(turn).collect::<Vec<_>>(),
            "passes": self.effects,
            "seconds": self.time.as_secs_f64(),
        })
    }
}
