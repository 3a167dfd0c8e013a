//! An interactive match: its state, its history and the commands on it. An error is an answer and leaves the match
//! unchanged.

use std::fmt::Write;
use std::time::Duration;

use anyhow::{Result, bail};
use groundrules::board::{Last, order};
use groundrules_machine::playout::Choices;
use groundrules_machine::{Compiled, Machine, Move, State};
use groundrules_search::{Seat, Settings, Turn, players};

use crate::output::{counted, printable};
use crate::show::{self, Show};

/// A match.
pub(super) struct Session {
    machine: Box<dyn Machine>,
    show: Show,
    roles: Vec<String>,
    /// The states before this one, with the joint moves made there.
    history: Vec<(State, Vec<Move>)>,
    random: Choices,
}

impl Session {
    /// A match at its beginning.
    pub(super) fn new(machine: Box<dyn Machine>, show: Show, seed: u64) -> Self {
        let roles = machine.roles().to_vec();
        Session { machine, show, roles, history: Vec::new(), random: Choices::new(seed, 0) }
    }

    /// The state and what can be done in it.
    pub(super) fn show(&mut self) -> String {
        let legal = self.legal().unwrap_or_else(|error| format!("{error}\n"));
        format!("{}{legal}", self.state())
    }

    /// The state.
    pub(super) fn state(&self) -> String {
        let step = self.history.len();
        let made = self.history.last().map(|(_, joint)| {
            let moves = self.roles.iter().zip(joint);
            let moves = moves.map(|(role, &made)| format!("{role} {}", self.machine.move_text(made)));
            format!(", after {}", printable(&moves.collect::<Vec<_>>().join(", ")))
        });
        format!("state {step}{}\n{}", made.unwrap_or_default(), self.picture())
    }

    /// The state as a picture, with the last move.
    fn picture(&self) -> String {
        let fluents = self.machine.fluents();
        let Some((state, joint)) = self.history.last() else { return self.show.state(&fluents, None) };
        let mut before = self.machine.fork();
        before.enter(state);
        let moves: Vec<String> = joint.iter().map(|&made| self.machine.move_text(made)).collect();
        self.show.state(&fluents, Some(Last { moves: &moves, before: &before.fluents() }))
    }

    /// The legal moves of each role by number, or that the match is over, with the goals.
    pub(super) fn legal(&mut self) -> Result<String> {
        if self.machine.is_terminal()? {
            return Ok(format!("the match is over\n{}", self.goals()?));
        }
        let mut text = String::new();
        for (role, name) in self.roles.clone().iter().enumerate() {
            let moves = self.legal_of(role)?;
            let name = printable(name);
            let _ = match &moves[..] {
                [] => writeln!(text, "{name} has no legal move: the game cannot go on"),
                [only] => writeln!(text, "{name}: only {}", printable(&self.machine.move_text(*only))),
                _ => {
                    let texts: Vec<String> = moves.iter().map(|&made| self.machine.move_text(made)).collect();
                    write!(text, "{name}:\n{}", show::moves(&texts))
                }
            };
        }
        Ok(text)
    }

    /// The goal values of each role here.
    pub(super) fn goals(&mut self) -> Result<String> {
        let mut text = String::new();
        for (role, name) in self.roles.iter().enumerate() {
            let values: Vec<String> = self.machine.goals(role)?.iter().map(i32::to_string).collect();
            let values = if values.is_empty() { "none".to_owned() } else { values.join(" ") };
            let _ = writeln!(text, "goal of {}: {values}", printable(name));
        }
        Ok(text)
    }

    /// What a player would do here, after a short search.
    pub(super) fn hint(&mut self, compiled: &Compiled) -> Result<String> {
        if self.machine.is_terminal()? {
            bail!("the match is over");
        }
        let mut text = String::new();
        for role in 0..self.roles.len() {
            if self.legal_of(role)?.len() < 2 {
                continue;
            }
            let settings = Settings::default();
            let mut seat = Seat::new(compiled, role, &settings)?;
            for (_, joint) in &self.history {
                let moves: Vec<String> = joint.iter().map(|&made| self.machine.move_text(made)).collect();
                seat.advance_texts(&moves.iter().map(String::as_str).collect::<Vec<_>>())?;
            }
            let Some(player) = players::find("mcts") else { bail!("there is no player that searches") };
            let made = player.player(&settings).choose(&mut seat, &Turn::of(Duration::from_secs(1)))?;
            let _ = writeln!(
                text,
                "{} could play {}",
                printable(&self.roles[role]),
                printable(&seat.move_text(made))
            );
        }
        Ok(text)
    }

    /// Goes back to the beginning.
    pub(super) fn reset(&mut self) {
        self.history.clear();
        self.machine.reset();
    }

    /// Takes back moves.
    pub(super) fn undo(&mut self, count: usize) -> Result<String> {
        let left = self.history.len().saturating_sub(count);
        let Some((state, _)) = self.history.get(left) else {
            if count == 0 {
                return Ok(self.show());
            }
            bail!("this is the beginning");
        };
        self.machine.enter(state);
        self.history.truncate(left);
        Ok(self.show())
    }

    /// Makes random moves until there are enough or the match is over.
    pub(super) fn random(&mut self, count: usize) -> Result<String> {
        for made in 0..count {
            if self.machine.is_terminal()? {
                if made == 0 {
                    bail!("the match is over: `undo` or `reset`");
                }
                break;
            }
            let mut joint = Vec::new();
            for role in 0..self.roles.len() {
                let legal = self.legal_of(role)?;
                match self.random.one_of(&legal) {
                    Some(chosen) => joint.push(chosen),
                    None => bail!("{} has no legal move", printable(&self.roles[role])),
                }
            }
            self.advance(joint)?;
        }
        Ok(self.show())
    }

    /// Makes the moves that are given: one for each role that has a choice, or one for each role.
    pub(super) fn make(&mut self, terms: &[String]) -> Result<String> {
        if self.machine.is_terminal()? {
            bail!("the match is over: `undo` or `reset`");
        }
        let roles = 0..self.roles.len();
        let legal = roles.map(|role| self.legal_of(role)).collect::<Result<Vec<_>>>()?;
        let choosing = legal.iter().filter(|moves| moves.len() != 1).count();
        let all = terms.len() == legal.len();
        if terms.len() != choosing && !all {
            bail!(
                "give {}, one for each role that has a choice; `help` lists the commands",
                counted(choosing as u64, "move")
            );
        }
        let mut given = terms.iter();
        let mut joint = Vec::new();
        for (role, moves) in legal.iter().enumerate() {
            match (&moves[..], all) {
                ([only], false) => joint.push(*only),
                _ => joint.push(self.find(role, moves, given.next().map_or("", String::as_str))?),
            }
        }
        self.advance(joint)?;
        Ok(self.show())
    }

    /// The legal move that a number or a text stands for.
    fn find(&mut self, role: usize, legal: &[Move], text: &str) -> Result<Move> {
        if let Ok(number) = text.parse::<usize>() {
            let chosen = number.checked_sub(1).and_then(|index| legal.get(index));
            return match chosen {
                Some(&chosen) => Ok(chosen),
                None => bail!("{} has no move {number}; `legal` lists them", printable(&self.roles[role])),
            };
        }
        match self.machine.find_legal(role, text)? {
            Some(found) => Ok(found),
            None => bail!(
                "`{}` is neither a command nor a legal move of {}; `legal` lists the moves, `help` the commands",
                printable(text),
                printable(&self.roles[role])
            ),
        }
    }

    fn advance(&mut self, joint: Vec<Move>) -> Result<()> {
        let mut state = State::default();
        self.machine.save(&mut state);
        self.machine.advance(&joint)?;
        self.history.push((state, joint));
        Ok(())
    }

    /// The legal moves of a role, by name.
    fn legal_of(&mut self, role: usize) -> Result<Vec<Move>> {
        let mut moves = self.machine.legal(role)?.to_vec();
        moves.sort_by_cached_key(|&made| order(&self.machine.move_text(made)));
        Ok(moves)
    }
}
