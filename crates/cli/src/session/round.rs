//! A match at the prompt: its state, its history and the commands on it. An error is an answer and leaves the match
//! unchanged.

use std::fmt::Write;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use groundrules::board::{Last, order};
use groundrules_machine::playout::Choices;
use groundrules_machine::{Compiled, Machine, Move, State};
use groundrules_search::{Seat, Settings, Turn, players};

use super::Rivals;
use super::view::{View, story};
use crate::output::{counted, printable};
use crate::show::{self, Show};

/// How many joint moves are made in a row without asking a person who has no choice: play may be endless.
const MOST_WITHOUT_CHOICE: usize = 10_000;

/// A match.
pub(crate) struct Session {
    compiled: Compiled,
    machine: Box<dyn Machine>,
    show: Show,
    roles: Vec<String>,
    history: Vec<Step>,
    random: Choices,
    /// The one role that the person plays and whose view is shown; without it the person plays all of them and sees everything.
    view: Option<View>,
    /// Who plays the other roles then; without rivals they move at random.
    rivals: Option<Box<dyn Rivals>>,
}

/// A joint move that was made.
struct Step {
    /// The state in which it was made.
    before: State,
    joint: Vec<Move>,
    /// What the person's role was told of it, where information is hidden.
    percepts: Vec<String>,
    /// Whether the person had a choice.
    is_chosen: bool,
}

impl Session {
    /// A match at its beginning.
    pub(crate) fn new(compiled: Compiled, machine: Box<dyn Machine>, seed: u64) -> Self {
        let roles = machine.roles().to_vec();
        let show = Show::of(compiled.game());
        let random = Choices::new(seed, 0);
        Session { compiled, machine, show, roles, history: Vec::new(), random, view: None, rivals: None }
    }

    /// The same for a person who plays one role.
    pub(crate) fn for_one(self, view: View, rivals: Option<Box<dyn Rivals>>) -> Self {
        Session { view: Some(view), rivals, ..self }
    }

    /// Whether the person plays one role only.
    pub(super) fn is_for_one(&self) -> bool {
        self.view.is_some()
    }

    /// The first state in which the person has something to say.
    pub(super) fn begin(&mut self) -> Result<String> {
        self.go_on(0)
    }

    /// The state and what can be done in it.
    fn show(&mut self) -> String {
        let legal = self.legal().unwrap_or_else(|error| format!("{error}\n"));
        format!("{}{legal}", self.state())
    }

    /// The state.
    pub(super) fn state(&mut self) -> String {
        let step = self.history.len();
        if let Some(view) = self.hiding() {
            let role = view.role;
            let own = |step: &Step| self.machine.move_text(step.joint[role]);
            let steps = self.history.iter().map(|step| (own(step), &step.percepts[..]));
            return format!("state {step}, {}", story(steps));
        }
        let made = self.history.last().map(|step| format!(", after {}", self.told(&step.joint)));
        format!("state {step}{}\n{}", made.unwrap_or_default(), self.picture())
    }

    /// The view of a role from which something is hidden as long as the match goes on.
    fn hiding(&mut self) -> Option<&View> {
        let is_over = self.machine.is_terminal().unwrap_or(false);
        self.view.as_ref().filter(|view| view.is_partial() && !is_over)
    }

    /// A joint move in words.
    fn told(&self, joint: &[Move]) -> String {
        let moves = self.roles.iter().zip(self.texts(joint));
        printable(&moves.map(|(role, made)| format!("{role} {made}")).collect::<Vec<_>>().join(", "))
    }

    fn texts(&self, joint: &[Move]) -> Vec<String> {
        joint.iter().map(|&made| self.machine.move_text(made)).collect()
    }

    /// The state as a picture, with the last move.
    fn picture(&self) -> String {
        let fluents = self.machine.fluents();
        let Some(Step { before: state, joint, .. }) = self.history.last() else {
            return self.show.state(&fluents, None);
        };
        let mut before = self.machine.fork();
        before.enter(state);
        let moves = self.texts(joint);
        self.show.state(&fluents, Some(Last { moves: &moves, before: &before.fluents() }))
    }

    /// The legal moves of each role that the person plays, by number, or that the match is over, with the goals.
    pub(super) fn legal(&mut self) -> Result<String> {
        if self.machine.is_terminal()? {
            return Ok(format!("the match is over\n{}", self.goals()?));
        }
        let mut text = String::new();
        let own = self.view.as_ref().map(|view| view.role);
        for (role, name) in self.roles.clone().iter().enumerate() {
            let moves = self.legal_of(role)?;
            let name = printable(name);
            let _ = match &moves[..] {
                [] => writeln!(text, "{name} has no legal move: the game cannot go on"),
                _ if own.is_some_and(|own| own != role) => Ok(()),
                [only] => writeln!(text, "{name}: only {}", printable(&self.machine.move_text(*only))),
                _ => write!(text, "{name}:\n{}", show::moves(&self.texts(&moves))),
            };
        }
        Ok(text)
    }

    /// The goal values of each role here.
    pub(super) fn goals(&mut self) -> Result<String> {
        if self.hiding().is_some() {
            bail!("goals are shown when the match is over: they could tell what you have not seen");
        }
        let mut text = String::new();
        for (role, name) in self.roles.iter().enumerate() {
            let values: Vec<String> = self.machine.goals(role)?.iter().map(i32::to_string).collect();
            let values = if values.is_empty() { "none".to_owned() } else { values.join(" ") };
            let _ = writeln!(text, "goal of {}: {values}", printable(name));
        }
        Ok(text)
    }

    /// What a player would do here, after a short search, for each role that the person plays and that has a choice.
    pub(super) fn hint(&mut self) -> Result<String> {
        if self.machine.is_terminal()? {
            bail!("the match is over");
        }
        if self.hiding().is_some() {
            bail!("there are no hints: players see the whole state, and you do not");
        }
        let mut text = String::new();
        let own = self.view.as_ref().map(|view| view.role);
        for role in (0..self.roles.len()).filter(|&role| own.is_none_or(|own| own == role)) {
            if self.legal_of(role)?.len() < 2 {
                continue;
            }
            let settings = Settings::default();
            let mut seat = Seat::new(&self.compiled, role, &settings)?;
            for Step { joint, .. } in &self.history {
                let moves = self.texts(joint);
                seat.advance_texts(&moves.iter().map(String::as_str).collect::<Vec<_>>())?;
            }
            let Some(player) = players::find("mcts") else { bail!("there is no player that searches") };
            let made = player.player(&settings).choose(&mut seat, &Turn::of(Duration::from_secs(1)))?;
            let (name, made) = (printable(&self.roles[role]), printable(&seat.move_text(made)));
            let _ = writeln!(text, "{name} could play {made}");
        }
        Ok(if text.is_empty() { "there is no choice here\n".to_owned() } else { text })
    }

    /// Goes back to the beginning.
    pub(super) fn reset(&mut self) -> Result<String> {
        if let Some(rivals) = &mut self.rivals {
            rivals.rewind(&[])?;
        }
        self.history.clear();
        self.machine.reset();
        self.go_on(0)
    }

    /// Takes back joint moves; where the person plays one role, back to states in which it had a choice.
    pub(super) fn undo(&mut self, count: usize) -> Result<String> {
        if count == 0 {
            return Ok(self.show());
        }
        let is_for_one = self.is_for_one();
        let own = self.history.iter().enumerate().filter(|(_, step)| step.is_chosen || !is_for_one);
        let own: Vec<usize> = own.map(|(number, _)| number).collect();
        let Some(&left) = own.get(own.len().saturating_sub(count)) else {
            bail!("{}", if is_for_one { "you have made no choice yet" } else { "this is the beginning" });
        };
        let joints: Vec<Vec<String>> =
            self.history[..left].iter().map(|step| self.texts(&step.joint)).collect();
        if let Some(rivals) = &mut self.rivals {
            rivals.rewind(&joints)?;
        }
        self.machine.enter(&self.history[left].before);
        self.history.truncate(left);
        Ok(self.show())
    }

    /// Makes random moves until there are enough or the match is over.
    pub(super) fn random(&mut self, count: usize) -> Result<String> {
        let from = self.history.len();
        for made in 0..count {
            if self.machine.is_terminal()? {
                if made == 0 {
                    bail!("the match is over: `undo` or `reset`");
                }
                break;
            }
            let mut own = Vec::new();
            for role in 0..self.roles.len() {
                let is_own = self.view.as_ref().is_none_or(|view| view.role == role);
                own.push(if is_own { Some(self.random_move(role)?) } else { None });
            }
            self.advance(&own)?;
            self.without_choice()?;
        }
        self.shown_from(from)
    }

    fn random_move(&mut self, role: usize) -> Result<Move> {
        let legal = self.legal_of(role)?;
        match self.random.one_of(&legal) {
            Some(chosen) => Ok(chosen),
            None => bail!("{} has no legal move", printable(&self.roles[role])),
        }
    }

    /// Makes the moves that are given: one for each role that has a choice and is the person's, or one for each role.
    pub(super) fn make(&mut self, terms: &[String]) -> Result<String> {
        if self.machine.is_terminal()? {
            bail!("the match is over: `undo` or `reset`");
        }
        let roles = 0..self.roles.len();
        let legal = roles.map(|role| self.legal_of(role)).collect::<Result<Vec<_>>>()?;
        let own = self.view.as_ref().map(|view| view.role);
        let is_own = |role: usize| own.is_none_or(|own| own == role);
        let choosing = (0..legal.len()).filter(|&role| is_own(role) && legal[role].len() != 1).count();
        let all = terms.len() == if own.is_some() { 1 } else { legal.len() };
        if terms.len() != choosing && !all {
            let moves = counted(choosing as u64, "move");
            let each = if own.is_some() { "" } else { ", one for each role that has a choice" };
            bail!("give {moves}{each}; `help` lists the commands");
        }
        let mut given = terms.iter();
        let mut joint = Vec::new();
        for (role, moves) in legal.iter().enumerate() {
            joint.push(match (&moves[..], all) {
                _ if !is_own(role) => None,
                ([only], false) => Some(*only),
                _ => Some(self.find(role, moves, given.next().map_or("", String::as_str))?),
            });
        }
        self.go_on_with(&joint)
    }

    /// Makes a joint move, of which the person's part is given, and goes on to where the person has a choice.
    fn go_on_with(&mut self, own: &[Option<Move>]) -> Result<String> {
        let from = self.history.len();
        self.advance(own)?;
        self.go_on(from)
    }

    /// Goes on to where the person has a choice, and shows what came since a step of the history.
    fn go_on(&mut self, from: usize) -> Result<String> {
        self.without_choice()?;
        self.shown_from(from)
    }

    /// The state, after the joint moves since a step of the history but the last, where rivals moved.
    fn shown_from(&mut self, from: usize) -> Result<String> {
        let mut text = String::new();
        if self.is_for_one() && self.hiding().is_none() && self.history.len() > from {
            let last = self.history.len() - 1;
            self.history[from..last]
                .iter()
                .for_each(|step| text.push_str(&format!("{}\n", self.told(&step.joint))));
            text.push_str(&self.reports());
        }
        Ok(text + &self.show())
    }

    /// What rivals say about their moves, where a person reads it.
    fn reports(&self) -> String {
        use std::io::IsTerminal;
        let Some(rivals) = self.rivals.as_ref().filter(|_| std::io::stdout().is_terminal()) else {
            return String::new();
        };
        let reports = self.roles.iter().enumerate().map(|(role, name)| (name, rivals.report(role)));
        let reports = reports.filter(|(_, report)| !report.is_empty());
        reports.map(|(name, report)| format!("  {} {report}\n", printable(name))).collect()
    }

    /// Makes joint moves as long as the person, who plays one role, has a single move.
    fn without_choice(&mut self) -> Result<()> {
        let Some(own) = self.view.as_ref().map(|view| view.role) else { return Ok(()) };
        let mut left = MOST_WITHOUT_CHOICE;
        while !self.machine.is_terminal()? {
            left = left.checked_sub(1).context("you have had no choice for 10,000 moves")?;
            let [only] = self.legal_of(own)?[..] else { break };
            for role in 0..self.roles.len() {
                if self.legal_of(role)?.is_empty() {
                    return Ok(());
                }
            }
            let mut joint = vec![None; self.roles.len()];
            joint[own] = Some(only);
            self.advance(&joint)?;
        }
        Ok(())
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

    /// Makes a joint move; where the person's part has no move for a role, somebody else chooses.
    fn advance(&mut self, own: &[Option<Move>]) -> Result<()> {
        let is_chosen = match &self.view {
            Some(view) => {
                let role = view.role;
                self.legal_of(role)?.len() > 1
            }
            None => true,
        };
        let mut joint = Vec::new();
        for (role, own) in own.iter().enumerate() {
            joint.push(match own {
                Some(made) => *made,
                None => self.move_of_another(role)?,
            });
        }
        let texts = self.texts(&joint);
        let percepts = match &self.view {
            Some(view) if view.is_partial() => view.percepts(&self.machine.fluents(), &texts),
            _ => Vec::new(),
        };
        let mut before = State::default();
        self.machine.save(&mut before);
        self.machine.advance(&joint)?;
        if let Some(Err(error)) = self.rivals.as_mut().map(|rivals| rivals.advance(&texts)) {
            self.machine.enter(&before);
            return Err(error);
        }
        self.history.push(Step { before, joint, percepts, is_chosen });
        Ok(())
    }

    /// A move of a role that the person does not play.
    fn move_of_another(&mut self, role: usize) -> Result<Move> {
        let legal = self.legal_of(role)?;
        match (&legal[..], &mut self.rivals) {
            ([only], _) => Ok(*only),
            ([], _) | (_, None) => self.random_move(role),
            (_, Some(rivals)) => {
                let text = rivals.choose(role)?;
                let made = self.machine.find_legal(role, &text)?;
                made.with_context(|| format!("`{}` is not a legal move", printable(&text)))
            }
        }
    }

    /// The legal moves of a role, by name.
    fn legal_of(&mut self, role: usize) -> Result<Vec<Move>> {
        let mut moves = self.machine.legal(role)?.to_vec();
        moves.sort_by_cached_key(|&made| order(&self.machine.move_text(made)));
        Ok(moves)
    }
}
