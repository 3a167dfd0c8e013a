//! The engines, one folder each. [`Engine`] is their list, by which programs and tests name them, and [`Backend`] is what
//! an engine implements. [`auto`] chooses among them.
//!
//! A new engine is a folder with a [`Backend`], and one line in the list `engines!` here. It has to implement [`Machine`]
//! only; [`Batch`] and [`Playouts`] come with it through adapters unless it has better ones.

pub mod auto;
pub mod net;
pub mod sliced;
pub mod tree;

use groundrules_gdl::time::Cancelled;
use groundrules_ground::GroundError;
use groundrules_net::NetError;

use crate::batch::Batch;
use crate::compiled::Compiled;
use crate::lockstep::{ByBatch, LaneLayout, LaneOptions, Lockstep};
use crate::machine::{Machine, MachineError, Move};
use crate::one_by_one::OneByOne;
use crate::playout::{ByMachine, Playouts};
use sliced::SlicedError;

/// Makes the list of engines: [`Engine`], and the backend of each.
macro_rules! engines {
    ($($(#[$about:meta])* $name:ident => $backend:expr;)*) => {
        /// An engine.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Engine {
            /// Whatever is fastest for the game.
            #[default]
            Auto,
            $($(#[$about])* $name,)*
        }

        impl Engine {
            /// All the engines.
            pub const ALL: &[Engine] = &[Engine::Auto, $(Engine::$name),*];

            /// The backend; `None` for `auto`, which chooses one of the others.
            pub fn backend(self) -> Option<&'static dyn Backend> {
                match self {
                    Engine::Auto => None,
                    $(Engine::$name => Some(&$backend),)*
                }
            }
        }
    };
}

engines! {
    /// Resolution trees.
    Tree => tree::TreeBackend;
    /// The network of the game, one state at a time.
    Net => net::NetBackend;
    /// The network of the game, hundreds of playouts at a time.
    Sliced => sliced::SlicedBackend;
}

/// What an engine implements: its name, and how it is built for a game.
///
/// Everything that a backend builds for one [`Compiled`] game uses the same numbers: moves and states may be exchanged between
/// its machines and its batches.
pub trait Backend: Sync {
    /// The name on the command line.
    fn name(&self) -> &'static str;

    /// A short description.
    fn about(&self) -> &'static str;

    /// The names of the optimisations that can be disabled.
    fn optimisations(&self) -> &'static [&'static str] {
        &[]
    }

    /// Builds a machine in the initial state. [`Compiled`] calls this once per game and forks the result.
    fn machine(&self, game: &Compiled) -> Result<Box<dyn Machine>, EngineError>;

    /// Builds a batch.
    fn batch(&self, game: &Compiled) -> Result<Box<dyn Batch>, EngineError> {
        Ok(Box::new(OneByOne::new(game.machine()?)))
    }

    /// Makes lanes that are told their moves. An engine that keeps no lanes leaves them to the network, whose states have a
    /// bit for each fluent.
    fn lockstep(
        &self,
        game: &Compiled,
        layout: LaneLayout,
        options: LaneOptions,
    ) -> Result<Box<dyn Lockstep>, EngineError> {
        let batch = OneByOne::new(net::NetBackend.machine(game)?);
        Ok(Box::new(ByBatch::new(Box::new(batch), layout, options)?))
    }

    /// Builds a player of random playouts.
    fn playouts(&self, game: &Compiled) -> Result<Box<dyn Playouts>, EngineError> {
        Ok(Box::new(ByMachine::new(game.machine()?)))
    }

    /// A move as KIF. Engines that number moves as the ground game does need no machine for it.
    fn move_text(&self, game: &Compiled, made: Move) -> Result<String, EngineError> {
        Ok(game.machine()?.move_text(made))
    }
}

/// Why an engine cannot play a game.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The rules cannot be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// Somebody cancelled it.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The game cannot be grounded.
    #[error("it cannot be grounded: {0}")]
    Ground(GroundError),
    /// There is no network of it.
    #[error("it has no network: {0}")]
    Net(NetError),
    /// It cannot be played in lanes.
    #[error("it cannot be played in lanes: {0}")]
    Sliced(#[from] SlicedError),
    /// The background build ended without a result.
    #[error("building an engine was interrupted")]
    Interrupted,
}

impl From<GroundError> for EngineError {
    fn from(error: GroundError) -> Self {
        match error {
            GroundError::Cancelled(cancelled) => cancelled.into(),
            error => EngineError::Ground(error),
        }
    }
}

impl From<NetError> for EngineError {
    fn from(error: NetError) -> Self {
        match error {
            NetError::Cancelled(cancelled) => cancelled.into(),
            error => EngineError::Net(error),
        }
    }
}

impl Engine {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        self.backend().map_or("auto", |backend| backend.name())
    }

    /// A short description.
    pub fn about(self) -> &'static str {
        self.backend()
            .map_or("Chooses: the network where grounding pays, else the rules", |backend| backend.about())
    }

    /// The engine with a name.
    pub fn named(name: &str) -> Option<Engine> {
        Engine::ALL.iter().copied().find(|engine| engine.name() == name)
    }

    /// The names of the optimisations that can be disabled.
    pub fn optimisations(self) -> &'static [&'static str] {
        self.backend().map_or(&[], |backend| backend.optimisations())
    }
}
