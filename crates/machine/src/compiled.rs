//! The compiled game: a game and everything derived from it. The ground game, the network, the names and the engines
//! are computed on first use, once, and shared by all clones of a [`Compiled`]. Cloning is cheap.
//!
//! The compiled game also chooses the engine. [`Compiled::start`] begins to interpret the rules at once and builds the
//! chosen engine in a background thread. Playouts, searches and explorations all start from here.
//!
//! ```
//! use groundrules_machine::{Compiled, engines::Engine};
//!
//! let rules = "(role you) (init (n 0)) (s 0 1) (s 1 2) (legal you go)
//!     (<= (next (n ?y)) (true (n ?x)) (s ?x ?y)) (<= terminal (true (n 2))) (goal you 100)";
//! let game = groundrules_gdl::read(rules.as_bytes(), &groundrules_gdl::Options::default()).game.unwrap();
//! let compiled = Compiled::new(game);
//! let mut machine = compiled.machine()?;
//! let go = machine.legal(0)?[0];
//! machine.advance(&[go])?;
//! assert_eq!(machine.fluents(), ["(n 1)"]);
//! assert_eq!(compiled.on(Engine::Tree).machine()?.legal(0)?.len(), 1);
//! # Ok::<(), groundrules_machine::engines::EngineError>(())
//! ```

mod kept;
mod start;

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use groundrules_gdl::time::{Cancel, Cancelled};
use groundrules_gdl::{Game, Roles};
use groundrules_ground::{GroundGame, Limits, Options as GroundOptions, ground};
use groundrules_net::{Network, Options as NetOptions, simplify_cancellable};

use crate::batch::Batch;
use crate::engines::auto::{self, Budget, Decision};
use crate::engines::net::{self, Tables};
use crate::engines::tree::TreeOptions;
use crate::engines::{Backend, Engine, EngineError};
use crate::lockstep::{LaneLayout, LaneOptions, Lockstep};
use crate::machine::{Machine, Move};
use crate::playout::Playouts;
use crate::vocabulary::Vocabulary;

pub use kept::Shelf;
pub use start::{Started, Upgrade};

/// A game that can be played. See the [module](self).
#[derive(Clone)]
pub struct Compiled {
    derived: Arc<Derived>,
    engine: Arc<Chosen>,
    cancel: Cancel,
}

/// How a game is compiled.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The engine.
    pub engine: Engine,
    /// The names of disabled optimisations of the engine.
    pub without: Vec<String>,
    /// What the engine `auto` may spend on a network.
    pub budget: Budget,
    /// How the rules are interpreted, and within which limits.
    pub tree: TreeOptions,
    /// Cancels whatever is made: the ground game, the network, the engine. What was made before stays.
    pub cancel: Cancel,
    /// Where ground games and networks are kept beyond the life of the program. Nothing is kept without it.
    pub shelf: Option<Arc<dyn Shelf>>,
}

/// What does not depend on the engine.
struct Derived {
    game: Game,
    roles: Roles,
    ground: Mutex<Option<Arc<GroundGame>>>,
    /// The network as the rules are written, while somebody holds on to it.
    written: Mutex<Weak<Network>>,
    network: Mutex<Option<Arc<Network>>>,
    /// What all machines of the engine `net` share.
    net: Mutex<Option<Arc<Tables>>>,
    vocabulary: OnceLock<Arc<Vocabulary>>,
}

/// An engine with its prototypes: one machine, one batch and one player of playouts, from which others are forked.
struct Chosen {
    settings: Settings,
    decision: Mutex<Option<Decision>>,
    machine: Mutex<Option<Box<dyn Machine>>>,
    batch: Mutex<Option<Box<dyn Batch>>>,
    playouts: Mutex<Option<Box<dyn Playouts>>>,
}

impl Compiled {
    /// Compiles a game for the fastest engine.
    pub fn new(game: Game) -> Self {
        Compiled::with(game, Settings::default())
    }

    /// Compiles a game with settings.
    pub fn with(game: Game, settings: Settings) -> Self {
        let derived = Derived {
            roles: Roles::of(&game),
            game,
            ground: Mutex::default(),
            written: Mutex::default(),
            network: Mutex::default(),
            net: Mutex::default(),
            vocabulary: OnceLock::new(),
        };
        let cancel = settings.cancel.clone();
        Compiled { derived: Arc::new(derived), engine: Arc::new(Chosen::new(settings)), cancel }
    }

    /// The same game on another engine. Ground game, network and names are shared.
    #[must_use]
    pub fn on(&self, engine: Engine) -> Self {
        if engine == self.engine.settings.engine {
            return self.clone();
        }
        let settings = Settings { engine, without: Vec::new(), ..self.engine.settings.clone() };
        let (derived, engine) = (Arc::clone(&self.derived), Arc::new(Chosen::new(settings)));
        Compiled { derived, engine, cancel: self.cancel.clone() }
    }

    /// The same compiled game, all of it shared, where another flag cancels what this handle makes.
    #[must_use]
    pub fn cancelled_by(&self, cancel: &Cancel) -> Self {
        Compiled { cancel: cancel.clone(), ..self.clone() }
    }

    /// The flag that cancels what this handle makes.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.derived.game
    }

    /// The roles stated as facts, in the order of joint moves.
    pub fn roles(&self) -> &Roles {
        &self.derived.roles
    }

    /// How the game is compiled.
    pub fn settings(&self) -> &Settings {
        &self.engine.settings
    }

    /// Whether an optimisation is disabled.
    pub(crate) fn is_without(&self, optimisation: &str) -> bool {
        self.engine.settings.without.iter().any(|name| name == optimisation)
    }

    /// The ground game.
    pub fn ground(&self) -> Result<Arc<GroundGame>, EngineError> {
        let mut slot = lock(&self.derived.ground);
        if let Some(ground) = &*slot {
            return Ok(Arc::clone(ground));
        }
        let limits = self.ground_limits();
        // What is within some limits need not be within others. Only time is no part of the name: what is read takes none.
        let Limits { rules, atoms, tries, bytes, depth, .. } = limits;
        let made = self.kept(
            &format!("ground {rules} {atoms} {tries} {bytes} {depth}"),
            |content| GroundGame::unpack(self.game(), content),
            |made| made.pack(self.game()),
            || Ok(ground(self.game(), &GroundOptions { limits, ..GroundOptions::default() })?),
        )?;
        Ok(Arc::clone(slot.insert(Arc::new(made))))
    }

    fn ground_limits(&self) -> Limits {
        let mut limits = match self.engine.settings.engine {
            Engine::Auto => self.engine.settings.budget.limits(),
            _ => Limits::default(),
        };
        if !self.game().is_bounded() {
            limits.rules = limits.rules.min(UNBOUNDED_RULES);
            limits.atoms = limits.atoms.min(UNBOUNDED_ATOMS);
        }
        limits.cancelled_by(&self.cancel)
    }

    /// The network of the game, simplified for legal play in reachable states.
    pub fn network(&self) -> Result<Arc<Network>, EngineError> {
        let mut slot = lock(&self.derived.network);
        if let Some(network) = &*slot {
            return Ok(Arc::clone(network));
        }
        let network = self.simplified("network", &NetOptions::default())?;
        Ok(Arc::clone(slot.insert(Arc::new(network))))
    }

    /// The network from which the engine `net` is made. Nobody else needs it, so it is not held on to.
    pub(crate) fn unshared_network(&self) -> Result<Network, EngineError> {
        self.simplified("network for single states", &net::OPTIONS)
    }

    fn simplified(&self, what: &str, options: &NetOptions) -> Result<Network, EngineError> {
        let ground = self.ground()?;
        self.kept(
            what,
            |content| Network::unpack(&ground, content),
            Network::pack,
            || {
                let written = self.written_network()?;
                Ok(simplify_cancellable(&written, options, &self.cancel)?.0)
            },
        )
    }

    /// What all machines of the engine `net` share.
    pub(crate) fn net_tables(
        &self,
        make: impl FnOnce() -> Result<Arc<Tables>, EngineError>,
    ) -> Result<Arc<Tables>, EngineError> {
        let mut slot = lock(&self.derived.net);
        match &*slot {
            Some(tables) => Ok(Arc::clone(tables)),
            None => Ok(Arc::clone(slot.insert(make()?))),
        }
    }

    /// The network as the rules are written.
    pub(crate) fn written_network(&self) -> Result<Arc<Network>, EngineError> {
        let ground = self.ground()?;
        let mut slot = lock(&self.derived.written);
        if let Some(network) = slot.upgrade() {
            return Ok(network);
        }
        let network = Arc::new(Network::of_cancellable(&ground, &self.cancel)?);
        *slot = Arc::downgrade(&network);
        Ok(network)
    }

    /// The names of moves and fluents of the ground game.
    pub fn vocabulary(&self) -> Result<Arc<Vocabulary>, EngineError> {
        let ground = self.ground()?;
        Ok(Arc::clone(self.derived.vocabulary.get_or_init(|| Arc::new(Vocabulary::new(ground)))))
    }

    /// The engine that plays, and why. If the engine is `auto`, the first call grounds the game to find out; if that is
    /// cancelled, the rules are interpreted for now, and a later call finds out.
    pub fn decision(&self) -> Decision {
        self.decide()
            .unwrap_or_else(|cancelled| Decision { engine: Engine::Tree, why: cancelled.to_string() })
    }

    fn decide(&self) -> Result<Decision, Cancelled> {
        let mut slot = lock(&self.engine.decision);
        if let Some(decision) = &*slot {
            return Ok(decision.clone());
        }
        let decision = match self.engine.settings.engine {
            Engine::Auto => auto::choose(self, &self.engine.settings.budget)?,
            engine => Decision::named(engine),
        };
        Ok(slot.insert(decision).clone())
    }

    /// A machine in the initial state. Its moves and states may be exchanged with [`batch`](Self::batch) and with every other
    /// machine of this compiled game on the same engine.
    pub fn machine(&self) -> Result<Box<dyn Machine>, EngineError> {
        let mut slot = lock(&self.engine.machine);
        if slot.is_none() {
            // One state at a time, lanes have nothing to gain.
            let is_auto = self.engine.settings.engine == Engine::Auto;
            let machine = self.make(|backend, engine| match engine {
                Engine::Sliced if is_auto => Backend::machine(&crate::engines::net::NetBackend, self),
                _ => backend.machine(self),
            })?;
            *slot = Some(machine);
        }
        Ok(slot.as_ref().expect("it was made").fork())
    }

    /// A batch, for queries on many states at once.
    pub fn batch(&self) -> Result<Box<dyn Batch>, EngineError> {
        let mut slot = lock(&self.engine.batch);
        if slot.is_none() {
            *slot = Some(self.make(|backend, _| backend.batch(self))?);
        }
        Ok(slot.as_ref().expect("it was made").fork())
    }

    /// A player of random playouts: many at once where the engine supports it, otherwise one after the other.
    pub fn playouts(&self) -> Result<Box<dyn Playouts>, EngineError> {
        let mut slot = lock(&self.engine.playouts);
        if slot.is_none() {
            *slot = Some(self.make(|backend, _| backend.playouts(self))?);
        }
        Ok(slot.as_ref().expect("it was made").fork())
    }

    /// How so many lanes number roles, moves and fluents. The game must have a network.
    pub fn lane_layout(&self, lanes: usize) -> Result<LaneLayout, EngineError> {
        Ok(LaneLayout::new(lanes, self.vocabulary()?, &*self.network()?))
    }

    /// So many matches at once, a lane each, that are told their moves. The game must have a network.
    pub fn lockstep(&self, lanes: usize, options: LaneOptions) -> Result<Box<dyn Lockstep>, EngineError> {
        let layout = self.lane_layout(lanes)?;
        self.make(|backend, _| backend.lockstep(self, layout.clone(), options))
    }

    /// A move on the engine of this compiled game, as KIF.
    pub fn move_text(&self, made: Move) -> Result<String, EngineError> {
        let engine = self.decision().engine;
        engine.backend().expect("a decision names an engine").move_text(self, made)
    }

    /// Builds something on the chosen engine. Whether a game fits into lanes is only known once they are built; `auto` falls
    /// back to the engine `net`.
    fn make<T>(
        &self,
        build: impl Fn(&dyn Backend, Engine) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let Decision { engine, why } = self.decide()?;
        self.cancel.check()?;
        let on = |engine: Engine| build(engine.backend().expect("a decision names an engine"), engine);
        match on(engine) {
            Err(EngineError::Sliced(error)) if self.engine.settings.engine == Engine::Auto => {
                let decision = Decision { engine: Engine::Net, why: format!("{why}; {error}") };
                *lock(&self.engine.decision) = Some(decision);
                on(Engine::Net)
            }
            made => made,
        }
    }
}

impl Chosen {
    fn new(settings: Settings) -> Self {
        Chosen {
            settings,
            decision: Mutex::default(),
            machine: Mutex::default(),
            batch: Mutex::default(),
            playouts: Mutex::default(),
        }
    }
}

/// Limits for unbounded games. Grounding one usually runs until it meets a limit, so these are low.
const UNBOUNDED_RULES: usize = 100_000;
const UNBOUNDED_ATOMS: usize = 300_000;

/// Locks a slot. A slot is written in one step, so a panicked thread cannot have left it half-written.
fn lock<T>(slot: &Mutex<T>) -> MutexGuard<'_, T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
