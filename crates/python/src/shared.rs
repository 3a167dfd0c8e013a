//! What a game, its states and its lanes share: the compiled game, the numbers of its actions, and a machine to ask.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use groundrules::Compiled;
use groundrules::board::Layout;
use groundrules::gdl::{Diagnostic, Verdict};
use groundrules::machine::engines::Engine;
use groundrules::machine::lockstep::turn;
use groundrules::machine::{LaneLayout, LaneOptions, Machine, MachineError, Move, Percepts};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors;
use crate::planes::Planes;

/// A game and what is made of it.
pub(crate) struct Shared {
    pub(crate) name: String,
    pub(crate) text: Vec<u8>,
    pub(crate) verdict: Verdict,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) compiled: Compiled,
    layout: OnceLock<Result<LaneLayout, String>>,
    picture: OnceLock<Layout>,
    planes: OnceLock<Result<Arc<Planes>, String>>,
    percepts: OnceLock<Result<Percepts, String>>,
    machine: Mutex<Option<Box<dyn Machine>>>,
}

/// What there is to see in a state.
#[derive(Clone, Debug, Default)]
pub(crate) struct View {
    pub(crate) terminal: bool,
    /// The legal moves of each role, ascending; none where the match is over.
    pub(crate) legal: Vec<Vec<Move>>,
    /// The goals of each role.
    pub(crate) goals: Vec<Vec<i32>>,
}

impl Shared {
    pub(crate) fn new(loaded: groundrules::Loaded) -> Self {
        let groundrules::Loaded { name, text, game, verdict, diagnostics } = loaded;
        Shared {
            name,
            text,
            verdict,
            diagnostics,
            compiled: Compiled::new(game),
            layout: OnceLock::new(),
            picture: OnceLock::new(),
            planes: OnceLock::new(),
            percepts: OnceLock::new(),
            machine: Mutex::default(),
        }
    }

    /// How moves and fluents are numbered. Grounds the game when it is first asked for.
    pub(crate) fn layout(&self) -> PyResult<&LaneLayout> {
        let made = self.layout.get_or_init(|| {
            let decision = self.compiled.decision();
            if decision.engine == Engine::Tree {
                return Err(format!(
                    "it is interpreted, and has no numbered moves and fluents: {}",
                    decision.why
                ));
            }
            self.compiled.lane_layout(0).map_err(|error| error.to_string())
        });
        made.as_ref().map_err(|error| errors::GdlError::new_err(format!("{}: {error}", self.name)))
    }

    /// Whether numbers are there already, or cannot be had.
    pub(crate) fn is_prepared(&self) -> bool {
        self.layout.get().is_some()
    }

    /// Whether roles see only what rules for `sees` tell them.
    pub(crate) fn is_hidden(&self) -> bool {
        self.compiled.game().has_hidden_information()
    }

    /// What roles see, if information is hidden.
    pub(crate) fn percepts(&self) -> PyResult<Option<&Percepts>> {
        if !self.is_hidden() {
            return Ok(None);
        }
        let made =
            self.percepts.get_or_init(|| Percepts::new(&self.compiled).map_err(|error| error.to_string()));
        made.as_ref().map(Some).map_err(|error| errors::GdlError::new_err(format!("{}: {error}", self.name)))
    }

    /// How states are drawn.
    pub(crate) fn picture(&self) -> &Layout {
        self.picture.get_or_init(|| Layout::of(self.compiled.game(), self.compiled.ground().ok().as_deref()))
    }

    /// Where fluents stand in planes, if the description has a board.
    pub(crate) fn planes(&self) -> PyResult<Arc<Planes>> {
        let layout = self.layout()?;
        let made = self.planes.get_or_init(|| Planes::of(layout, self.picture()).map(Arc::new));
        made.clone().map_err(|error| PyValueError::new_err(format!("{}: {error}", self.name)))
    }

    /// A machine to ask, which stands anywhere.
    pub(crate) fn machine(&self) -> PyResult<MutexGuard<'_, Option<Box<dyn Machine>>>> {
        let mut slot = self.machine.lock().unwrap_or_else(PoisonError::into_inner);
        if slot.is_none() {
            *slot = Some(self.compiled.machine().map_err(|error| errors::of_engine(&error))?);
        }
        Ok(slot)
    }

    /// Asks the machine something.
    pub(crate) fn ask<T>(
        &self,
        question: impl FnOnce(&mut dyn Machine) -> Result<T, MachineError>,
    ) -> PyResult<T> {
        let mut slot = self.machine()?;
        let machine = slot.as_mut().expect("it was made");
        question(&mut **machine).map_err(|error| errors::of_machine(&error))
    }

    /// The number of a move among its role's actions. Games without a network have the engine's own numbers.
    pub(crate) fn action(&self, role: usize, made: Move) -> usize {
        match self.layout() {
            Ok(layout) => layout.action(role, made).unwrap_or(made.0 as usize),
            Err(_) => made.0 as usize,
        }
    }

    /// The move of an action, if there is one.
    pub(crate) fn move_of(&self, role: usize, action: usize) -> Option<Move> {
        match self.layout() {
            Ok(layout) => layout.actions(role).get(action).copied(),
            Err(_) => u32::try_from(action).ok().map(Move),
        }
    }

    /// Whose turn it is, by the codes of OpenSpiel.
    pub(crate) fn turn(&self, view: &View) -> i32 {
        if view.terminal {
            return turn::TERMINAL.into();
        }
        let chance = self.compiled.roles().nature();
        let code = |role: usize| if chance == Some(role) { turn::CHANCE.into() } else { role as i32 };
        let mut choosing = (0..view.legal.len()).filter(|&role| view.legal[role].len() > 1);
        match (choosing.next(), choosing.next()) {
            (Some(role), None) => code(role),
            (Some(_), Some(_)) => turn::SIMULTANEOUS.into(),
            (None, _) => {
                let layout = self.layout().ok();
                let acts = |role: &usize| {
                    view.legal[*role].iter().any(|&made| layout.is_some_and(|layout| layout.matters(made)))
                };
                (0..view.legal.len()).find(acts).map_or(0, code)
            }
        }
    }

    pub(crate) fn lane_options(auto_reset: bool, max_steps: Option<u32>) -> LaneOptions {
        LaneOptions { auto_reset, max_steps: max_steps.unwrap_or(u32::MAX) }
    }
}

/// What the machine sees where it stands.
pub(crate) fn view(machine: &mut dyn Machine) -> Result<View, MachineError> {
    let terminal = machine.is_terminal()?;
    let roles = 0..machine.roles().len();
    let mut seen = View { terminal, ..View::default() };
    for role in roles {
        let mut legal = if terminal { Vec::new() } else { machine.legal(role)?.to_vec() };
        legal.sort_unstable();
        seen.legal.push(legal);
        seen.goals.push(machine.goals(role)?.to_vec());
    }
    Ok(seen)
}

/// A game that several objects hold.
pub(crate) type SharedGame = Arc<Shared>;
