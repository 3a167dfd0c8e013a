//! The table at which a match is played: the compiled game, the state, the steps that led to it, and how it is drawn.

use std::sync::Arc;

use groundrules_board::{Last, Layout};
use groundrules_gdl::Game;
use groundrules_gdl::time::Cancel;
use groundrules_ground::GroundGame;
use groundrules_machine::engines::Engine;
use groundrules_machine::playout::Choices;
use groundrules_machine::{Compiled, Machine, Move, State};
use serde_json::json;

use crate::clicks::{self, Clickable};
use crate::limits::{self, MOST_FLUENTS};
use crate::session::{Answer, sentence};

/// A match at its table.
pub(crate) struct Table {
    pub(crate) compiled: Compiled,
    pub(crate) layout: Layout,
    pub(crate) machine: Box<dyn Machine>,
    /// The steps made, those behind the current one included.
    history: Vec<Step>,
    /// How many of them lead to the current state.
    step: usize,
}

/// The ground game, if the game is not interpreted.
fn ground(compiled: &Compiled) -> Option<Arc<GroundGame>> {
    if compiled.decision().engine == Engine::Tree { None } else { compiled.ground().ok() }
}

/// A joint move, and the state before it.
struct Step {
    before: State,
    moves: Vec<String>,
}

impl Table {
    /// Compiles a game and enters its initial state. What no network can be built for is interpreted.
    pub(crate) fn new(game: Game, cancel: &Cancel) -> Result<Self, String> {
        let compiled = Compiled::with(game, limits::settings(cancel));
        let machine = compiled.machine().map_err(sentence)?;
        let ground = ground(&compiled);
        let layout = Layout::of(compiled.game(), ground.as_deref());
        Ok(Table { compiled, layout, machine, history: Vec::new(), step: 0 })
    }

    /// The ground game, if the game is not interpreted.
    pub(crate) fn ground(&self) -> Option<Arc<GroundGame>> {
        ground(&self.compiled)
    }

    /// What was compiled, and the first state.
    pub(crate) fn report(&mut self) -> Answer {
        let decision = self.compiled.decision();
        let network = match decision.engine {
            Engine::Tree => None,
            _ => self.compiled.network().ok(),
        };
        let ground = network.as_ref().and_then(|_| self.ground());
        let roles = self.compiled.roles();
        Ok(json!({
            "engine": decision.engine.name(),
            "why": decision.why,
            "roles": roles.iter().collect::<Vec<_>>(),
            "nature": roles.nature(),
            "hidden": self.compiled.game().has_hidden_information(),
            "fluents": ground.as_ref().map(|ground| ground.fluents.len()),
            "moves": ground.as_ref().map(|ground| ground.moves.len()),
            "rules": ground.as_ref().map(|ground| ground.rules().len()),
            "gates": network.as_ref().map(|network| network.gate_count()),
            "hints": self.layout.ignored,
            "state": self.state()?,
        }))
    }

    /// The roles' number.
    pub(crate) fn roles(&self) -> usize {
        self.machine.roles().len()
    }

    /// The moves that led to the current state.
    pub(crate) fn moves(&self) -> impl Iterator<Item = &[String]> {
        self.history[..self.step].iter().map(|step| &step.moves[..])
    }

    /// The legal moves of a role as texts, in the order in which people look for them.
    pub(crate) fn legal(&mut self, role: usize) -> Result<Vec<String>, String> {
        let moves = self.machine.legal(role).map_err(sentence)?.to_vec();
        let mut texts: Vec<String> = moves.into_iter().map(|made| self.machine.move_text(made)).collect();
        texts.sort_by_cached_key(|text| groundrules_board::order(text));
        Ok(texts)
    }

    /// The state as the page shows it.
    pub(crate) fn state(&mut self) -> Answer {
        let is_terminal = self.machine.is_terminal().map_err(sentence)?;
        let fluents = self.machine.fluents();
        let mut legal = Vec::new();
        let mut goals = Vec::new();
        for role in 0..self.roles() {
            let texts = if is_terminal { Vec::new() } else { self.legal(role)? };
            let layout = &self.layout;
            legal.push(
                texts
                    .iter()
                    .map(|text| json!({ "text": text, "clicks": clicks::json(&layout.clicks(text)) }))
                    .collect::<Vec<_>>(),
            );
            goals.push(self.machine.goals(role).map_err(sentence)?.to_vec());
        }
        let before = self.step.checked_sub(1).map(|last| self.fluents_before(last));
        let last = before.as_ref().map(|(before, moves)| Last { moves, before });
        let picture = self.layout.picture(&fluents, last);
        let svg = if self.layout.has_board() { picture.svg_with_cells() } else { String::new() };
        Ok(json!({
            "step": self.step,
            "steps": self.history.len(),
            "history": self.history.iter().map(|step| &step.moves).collect::<Vec<_>>(),
            "terminal": is_terminal,
            "goals": goals,
            "legal": legal,
            "svg": svg,
            "turns": picture.turns,
            "counters": picture.counters,
            "hands": picture.hands,
            "piles": picture.piles,
            "rest": picture.rest,
            "fluents": fluents.iter().take(MOST_FLUENTS).collect::<Vec<_>>(),
        }))
    }

    fn fluents_before(&self, step: usize) -> (Vec<String>, Vec<String>) {
        let Step { before, moves } = &self.history[step];
        let mut machine = self.machine.fork();
        machine.enter(before);
        (machine.fluents(), moves.clone())
    }

    /// Makes a joint move. A role without a move of its own makes its only move, and nature any.
    pub(crate) fn advance(&mut self, moves: &[Option<String>], seed: u64) -> Answer {
        if self.machine.is_terminal().map_err(sentence)? {
            return Err("the match is over".to_owned());
        }
        let mut joint = Vec::new();
        for role in 0..self.roles() {
            let given = moves.get(role).and_then(Option::as_deref);
            joint.push(self.resolve(role, given, seed)?);
        }
        self.make(&joint)?;
        self.state()
    }

    fn resolve(&mut self, role: usize, given: Option<&str>, seed: u64) -> Result<Move, String> {
        let name = self.machine.roles()[role].clone();
        if let Some(text) = given {
            let found = self.machine.find_legal(role, text).map_err(sentence)?;
            return found.ok_or_else(|| format!("{text} is not a legal move of {name} here"));
        }
        let is_nature = self.machine.roles().is_nature(role);
        let step = self.step as u64;
        match self.machine.legal(role).map_err(sentence)? {
            [] => Err(format!("{name} has no legal move")),
            [only] => Ok(*only),
            several if is_nature => {
                let chosen = Choices::new(seed, step).one_of(several);
                chosen.ok_or_else(|| format!("{name} has no legal move"))
            }
            _ => Err(format!("{name} has to choose a move")),
        }
    }

    fn make(&mut self, joint: &[Move]) -> Result<(), String> {
        let mut before = State::default();
        self.machine.save(&mut before);
        let moves = joint.iter().map(|&made| self.machine.move_text(made)).collect();
        self.machine.advance(joint).map_err(sentence)?;
        self.history.truncate(self.step);
        self.history.push(Step { before, moves });
        self.step += 1;
        Ok(())
    }

    /// Goes to a step that was made.
    pub(crate) fn go(&mut self, step: usize) -> Answer {
        let step = step.min(self.history.len());
        if step < self.history.len() {
            self.machine.enter(&self.history[step].before);
        } else if let Some(Step { before, moves }) = self.history.last() {
            self.machine.enter(before);
            let joint = self.machine.joint_of(moves).map_err(sentence)?;
            self.machine.advance(&joint).map_err(sentence)?;
        }
        self.step = step;
        self.state()
    }

    /// Plays a match from the beginning.
    pub(crate) fn replay(&mut self, moves: &[Vec<String>]) -> Answer {
        self.machine.reset();
        (self.history, self.step) = (Vec::new(), 0);
        for (step, texts) in moves.iter().enumerate() {
            let mut joint = Vec::new();
            if texts.len() != self.roles() {
                return Err(format!(
                    "step {} has {} moves, and the game has {} roles",
                    step + 1,
                    texts.len(),
                    self.roles()
                ));
            }
            for (role, text) in texts.iter().enumerate() {
                let found = self.machine.find_legal(role, text).map_err(sentence)?;
                joint.push(found.ok_or_else(|| format!("step {}: {text} is not legal", step + 1))?);
            }
            self.make(&joint)?;
        }
        self.state()
    }

    /// What clicks come to.
    pub(crate) fn click(&mut self, role: usize, cells: &[[usize; 2]]) -> Answer {
        if role >= self.roles() {
            return Err(format!("there is no role number {role}"));
        }
        let legal = self.legal(role)?;
        let moves: Vec<Clickable> =
            legal.into_iter().map(|text| Clickable { clicks: self.layout.clicks(&text), text }).collect();
        Ok(clicks::outcome(&moves, cells).json())
    }
}
