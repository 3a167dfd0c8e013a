//! `groundrules analyse GAME`: the structure of a game, found in its rules.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, bail};
use groundrules::board::{Layout, Tiling};
use groundrules_ground::{GroundGame, Limits, Options as GroundOptions, ground};
use groundrules_structure::{Permutation, RoleChanges, Structure, Subgame, Symmetries, TurnOrder};
use serde_json::{Value, json};

use crate::game;
use crate::output::{self, counted, printable};

/// Analyse a game: what its rules say about its structure, without playing it.
///
/// Symmetries are permutations of fluents and moves that change nothing about the game; they are found as automorphisms of the ground
/// rules, and every one that is counted is checked. A clock is what no move influences. A latch is a fluent that changes one way
/// only. Subgames change nothing about each other; only ends and goals may put them together. Everything printed follows from the rules.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  groundrules analyse tic-tac-toe
  groundrules analyse connect-four --all          every fluent and move that a symmetry moves
  groundrules analyse mygame.kif --json
  groundrules verify tic-tac-toe --symmetry       visit one state of each symmetry class")]
pub(crate) struct Arguments {
    /// A file, a name of the library, or - for standard input.
    game: PathBuf,
    /// List everything, not just some examples of each kind.
    #[arg(long)]
    all: bool,
    /// Stop grounding after this many seconds of processor time.
    #[arg(long, default_value_t = 60.0, value_name = "SECONDS")]
    seconds: f64,
    /// Write a JSON object, which lists everything.
    #[arg(long)]
    json: bool,
}

/// Examples of a kind that are printed.
const EXAMPLES: usize = 3;

/// Generators of symmetries that are printed.
const GENERATORS: usize = 6;

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let Some(loaded) = game::load(&game::source(&arguments.game)?)? else { return Ok(ExitCode::from(1)) };
    let Ok(time) = Duration::try_from_secs_f64(arguments.seconds) else {
        bail!("--seconds {} is not a number of seconds", arguments.seconds);
    };
    let options = GroundOptions { limits: Limits::default().within(time), ..GroundOptions::default() };
    let ground = match ground(&loaded.game, &options) {
        Ok(ground) => ground,
        Err(error) => {
            let name = printable(&loaded.name);
            anstream::eprintln!("{name} was not grounded: {error}; `groundrules ground` says more");
            return Ok(ExitCode::from(1));
        }
    };
    let found = Found {
        structure: Structure::of(&ground)?,
        symmetries: Symmetries::of(&ground, RoleChanges::Forbidden),
        exchanging: Symmetries::of(&ground, RoleChanges::Allowed),
        layout: Layout::of(&loaded.game, Some(&ground)),
        name: loaded.name,
        shown: if arguments.all { usize::MAX } else { EXAMPLES },
        ground,
    };
    output::print(&if arguments.json { format!("{}\n", found.to_json()) } else { found.to_text() })?;
    Ok(ExitCode::SUCCESS)
}

/// What was found about a game.
struct Found {
    name: String,
    ground: GroundGame,
    structure: Structure,
    /// The symmetries that keep the roles, and those that may exchange them.
    symmetries: Symmetries,
    exchanging: Symmetries,
    layout: Layout,
    /// How many of a kind are printed.
    shown: usize,
}

impl Found {
    fn fluent(&self, fluent: usize) -> String {
        self.ground.term(self.ground.fluents[fluent])
    }

    fn role(&self, role: usize) -> String {
        self.ground.term(self.ground.roles[role])
    }

    /// A move with its role, where there are several.
    fn made(&self, number: usize) -> String {
        let (role, made) = self.ground.moves[number];
        match self.ground.roles.len() {
            1 => self.ground.term(made),
            _ => format!("{} {}", self.role(role), self.ground.term(made)),
        }
    }

    fn to_text(&self) -> String {
        let Found { ground, structure, .. } = self;
        let mut text = format!(
            "{}: {}, {}, {}\n",
            printable(&self.name),
            counted(ground.roles.len() as u64, "role"),
            counted(ground.fluents.len() as u64, "fluent"),
            counted(ground.moves.len() as u64, "move"),
        );
        let mut line = |what: &str, found: &str| text += &format!("  {what:<11} {found}\n");
        line("turns", &self.turns());
        self.boards().iter().for_each(|board| line("board", board));
        line("clock", &self.clock());
        line("latches", &self.latches());
        line("idle", &self.idle());
        line("subgames", &self.subgames());
        line("symmetries", &self.symmetries());
        let most = if self.shown == usize::MAX { usize::MAX } else { GENERATORS };
        for (number, generator) in self.symmetries.generators.iter().take(most).enumerate() {
            text += &format!("    {}  {}\n", number + 1, self.generator(generator));
        }
        let more = self.symmetries.generators.len().saturating_sub(most);
        if more > 0 {
            text += &format!("    and {}\n", counted(more as u64, "other"));
        }
        if structure.irrelevant_fluents.is_empty() {
            return text;
        }
        let fluents = structure.irrelevant_fluents.iter().map(|&fluent| self.fluent(fluent));
        text + &format!("  irrelevant  {}\n", self.some(fluents, "fluent"))
    }

    fn turns(&self) -> String {
        let who = |roles: &[usize]| match roles {
            [] => "nobody has a choice".to_owned(),
            roles => {
                let names: Vec<String> = roles.iter().map(|&role| self.role(role)).collect();
                let verb = if names.len() == 1 { "chooses" } else { "choose at once" };
                format!("{} {verb}", names.join(" and "))
            }
        };
        match &self.structure.turns {
            TurnOrder::ByFluent(turns) => {
                let each = turns
                    .iter()
                    .map(|turn| format!("{} where {}", who(&turn.roles), self.fluent(turn.fluent)));
                each.collect::<Vec<_>>().join(", ")
            }
            TurnOrder::Unknown(roles) if roles.len() > 1 => {
                let names: Vec<String> = roles.iter().map(|&role| self.role(role)).collect();
                format!("{} may choose at once: no fluents tell whose turn it is", names.join(" and "))
            }
            TurnOrder::Unknown(roles) => who(roles),
        }
    }

    fn boards(&self) -> Vec<String> {
        let board = |board: &groundrules::board::Board| {
            let cells = match board.tiling {
                Tiling::Squares => "squares",
                _ => "hexagons",
            };
            let (columns, rows) = (board.columns.len(), board.rows.len());
            format!("{}: {columns} × {rows}, {} {cells}", printable(&board.name), board.cells.len())
        };
        self.layout.boards.iter().map(board).collect()
    }

    fn clock(&self) -> String {
        let clock = &self.structure.clock;
        if clock.fluents.is_empty() {
            return "every fluent depends on moves".to_owned();
        }
        let course = match clock.course {
            None => "for longer than was followed".to_owned(),
            Some((0, period)) => format!("again every {}", counted(period as u64, "step")),
            Some((before, 1)) => format!("until step {before}"),
            Some((before, period)) => {
                format!("until step {before}, then again every {}", counted(period as u64, "step"))
            }
        };
        let fluents = clock.fluents.iter().map(|&fluent| self.fluent(fluent));
        format!("{} by the number of steps alone, {course}", self.some(fluents, "fluent"))
    }

    fn latches(&self) -> String {
        let Structure { latches, end_stays, goals_that_stay, .. } = &self.structure;
        let on = latches.iter().filter(|latch| latch.is_on).count();
        let stay = |count: usize, more: &str| {
            let verb = if count == 1 { "stays" } else { "stay" };
            format!("{} {verb} {more}", counted(count as u64, "fluent"))
        };
        let mut parts = vec![stay(on, "once on"), stay(latches.len() - on, "once off")];
        if *end_stays {
            parts.push("the end stays".to_owned());
        }
        if !goals_that_stay.is_empty() {
            let goal = |&(role, value): &(usize, i32)| format!("{} {value}", self.role(role));
            parts.push(format!("goals that stay: {}", self.some(goals_that_stay.iter().map(goal), "goal")));
        }
        parts.join("; ")
    }

    fn idle(&self) -> String {
        match &self.structure.idle_moves[..] {
            [] => "every move changes something".to_owned(),
            moves => {
                format!("{} change nothing", self.some(moves.iter().map(|&made| self.made(made)), "move"))
            }
        }
    }

    fn subgames(&self) -> String {
        let subgames = &self.structure.subgames;
        if subgames.len() < 2 {
            return "the game does not fall apart".to_owned();
        }
        let one = |part: &Subgame| {
            format!(
                "{} with {} as {}",
                counted(part.fluents.len() as u64, "fluent"),
                counted(part.moves.len() as u64, "move"),
                self.made(part.moves[0])
            )
        };
        let listed: Vec<String> = subgames.iter().take(self.shown).map(one).collect();
        let more = subgames.len() - listed.len();
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        format!("{} parts: {}{more}", subgames.len(), listed.join("; "))
    }

    fn symmetries(&self) -> String {
        let order = |symmetries: &Symmetries| {
            let at_least = if symmetries.is_complete { "" } else { "at least " };
            format!("{at_least}{}", symmetries.order)
        };
        let own = match self.symmetries.order {
            1 if self.symmetries.is_complete => "none but the identity".to_owned(),
            _ => format!("{} with the identity", order(&self.symmetries)),
        };
        if self.exchanging.order > self.symmetries.order {
            return format!("{own}; {} where roles may be exchanged", order(&self.exchanging));
        }
        own
    }

    /// What a symmetry does, by some of the moves, or else the fluents, that it moves.
    fn generator(&self, generator: &Permutation) -> String {
        let cycles = match cycles(&generator.moves) {
            found if found.is_empty() => {
                self.named(cycles(&generator.fluents), &|fluent| self.fluent(fluent))
            }
            found => self.named(found, &|number| self.made(number)),
        };
        let more = cycles.len().saturating_sub(self.shown);
        let shown: Vec<&str> = cycles.iter().take(self.shown).map(String::as_str).collect();
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        format!("of order {}: {}{more}", generator.order(), shown.join(", "))
    }

    /// Cycles of a permutation in words.
    fn named(&self, cycles: Vec<Vec<usize>>, name: &dyn Fn(usize) -> String) -> Vec<String> {
        let one = |cycle: Vec<usize>| {
            let names: Vec<String> = cycle.iter().map(|&number| name(number)).collect();
            match &names[..] {
                [one, other] => format!("{one} ↔ {other}"),
                _ => format!("{} → {}", names.join(" → "), names[0]),
            }
        };
        cycles.into_iter().map(one).collect()
    }

    /// How many there are, with examples.
    fn some(&self, names: impl ExactSizeIterator<Item = String>, what: &str) -> String {
        let count = names.len();
        let listed: Vec<String> = names.take(self.shown).collect();
        let rest = if listed.len() < count { ", …" } else { "" };
        format!("{} ({}{rest})", counted(count as u64, what), listed.join(", "))
    }

    fn to_json(&self) -> Value {
        let Found { structure, .. } = self;
        let fluents = |numbers: &[usize]| -> Vec<String> {
            numbers.iter().map(|&fluent| self.fluent(fluent)).collect()
        };
        let roles =
            |numbers: &[usize]| -> Vec<String> { numbers.iter().map(|&role| self.role(role)).collect() };
        let made = |&number: &usize| {
            let (role, made) = self.ground.moves[number];
            json!({ "role": self.role(role), "move": self.ground.term(made) })
        };
        let latched = |is_on: bool| -> Vec<String> {
            let own = structure.latches.iter().filter(|latch| latch.is_on == is_on);
            own.map(|latch| self.fluent(latch.fluent)).collect()
        };
        let turns = match &structure.turns {
            TurnOrder::ByFluent(turns) => turns
                .iter()
                .map(|turn| json!({ "fluent": self.fluent(turn.fluent), "choosers": roles(&turn.roles) }))
                .collect(),
            TurnOrder::Unknown(all) => vec![json!({ "fluent": null, "choosers": roles(all) })],
        };
        let board = |board: &groundrules::board::Board| {
            json!({
                "name": board.name, "tiling": board.tiling, "columns": board.columns, "rows": board.rows,
                "cells": board.cells.len(),
            })
        };
        let subgame = |part: &Subgame| json!({ "fluents": fluents(&part.fluents), "moves": part.moves.iter().map(made).collect::<Vec<_>>() });
        let goals = structure.goals_that_stay.iter();
        json!({
            "game": self.name,
            "roles": roles(&(0..self.ground.roles.len()).collect::<Vec<_>>()),
            "fluents": self.ground.fluents.len(),
            "moves": self.ground.moves.len(),
            "is_alternating": structure.turns.is_alternating(),
            "turns": turns,
            "boards": self.layout.boards.iter().map(board).collect::<Vec<_>>(),
            "clock": {
                "fluents": fluents(&structure.clock.fluents),
                "steps": structure.clock.course.map(|(steps, _)| steps),
                "period": structure.clock.course.map(|(_, period)| period),
            },
            "only_on": latched(true),
            "only_off": latched(false),
            "end_stays": structure.end_stays,
            "goals_that_stay": goals.map(|&(role, goal)| json!({ "role": self.role(role), "goal": goal })).collect::<Vec<_>>(),
            "irrelevant_fluents": fluents(&structure.irrelevant_fluents),
            "idle_moves": structure.idle_moves.iter().map(made).collect::<Vec<_>>(),
            "subgames": structure.subgames.iter().map(subgame).collect::<Vec<_>>(),
            "symmetries": self.symmetries_json(&self.symmetries),
            "symmetries_exchanging_roles": self.symmetries_json(&self.exchanging),
        })
    }

    fn symmetries_json(&self, symmetries: &Symmetries) -> Value {
        let fluent = |number: usize| self.fluent(number);
        let made = |number: usize| self.made(number);
        let list = |cycles: Vec<Vec<usize>>, name: &dyn Fn(usize) -> String| -> Vec<Vec<String>> {
            cycles.into_iter().map(|cycle| cycle.into_iter().map(name).collect()).collect()
        };
        let generator = |generator: &Permutation| {
            json!({
                "order": generator.order(),
                "fluents": list(cycles(&generator.fluents), &fluent),
                "moves": list(cycles(&generator.moves), &made),
            })
        };
        json!({
            "order": symmetries.order.to_string(),
            "is_complete": symmetries.is_complete,
            "generators": symmetries.generators.iter().map(generator).collect::<Vec<_>>(),
        })
    }
}

/// The cycles of a permutation that are longer than one.
fn cycles(images: &[u32]) -> Vec<Vec<usize>> {
    let (mut cycles, mut is_seen) = (Vec::new(), vec![false; images.len()]);
    for first in 0..images.len() {
        let (mut cycle, mut at) = (Vec::new(), first);
        while !std::mem::replace(&mut is_seen[at], true) {
            cycle.push(at);
            at = images[at] as usize;
        }
        if cycle.len() > 1 {
            cycles.push(cycle);
        }
    }
    cycles
}
