//! The engines, one folder each. Every engine is a [`Machine`]; [`Engine`] is their list, by which programs and tests
//! name them. [`auto`] chooses among them.

pub mod auto;
pub mod net;
pub mod pair;
pub mod sliced;
pub mod tree;

use groundrules_gdl::Game;
use groundrules_ground::{GroundError, GroundGame, Limits, Options as GroundOptions, ground};
use groundrules_net::{NetError, Network, Options as NetOptions, simplify};

use crate::batch::{Batch, OneByOne};
use crate::machine::{Machine, MachineError};
use crate::playout::{ByMachine, Playouts};
use auto::{Chosen, Decision};
use net::NetMachine;
use sliced::{InLane, Path, Sliced, SlicedError};
use tree::{TreeMachine, TreeOptions};

/// An engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Engine {
    /// Whatever is fastest for the game.
    #[default]
    Auto,
    /// Resolution trees.
    Tree,
    /// The network of the game, one state at a time.
    Net,
    /// The network of the game, hundreds of playouts at a time.
    Sliced,
}

/// Why an engine cannot play a game.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The rules cannot be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// The game cannot be grounded.
    #[error("it cannot be grounded: {0}")]
    Ground(#[from] GroundError),
    /// There is no network of it.
    #[error("it has no network: {0}")]
    Net(#[from] NetError),
    /// It cannot be played in lanes.
    #[error("it cannot be played in lanes: {0}")]
    Sliced(#[from] SlicedError),
}

/// What is asked about many states at once.
pub struct Batched {
    /// What is asked.
    pub batch: Box<dyn Batch>,
    /// A machine with the same states and moves, which gives them names.
    pub names: Box<dyn Machine>,
    /// What was chosen.
    pub decision: Decision,
}

impl Batched {
    fn one_by_one(machine: Box<dyn Machine>, decision: Decision) -> Self {
        Batched { names: machine.fork(), batch: Box::new(OneByOne::new(machine)), decision }
    }
}

/// How an optimisation is left out.
type LeaveOut<Options> = fn(&mut Options);

/// The optimisations of the engine `tree`.
const TREE: [(&str, LeaveOut<TreeOptions>); 7] = [
    ("filters", |options| options.filters = false),
    ("filter-removal", |options| options.remove_filters = false),
    ("hashing", |options| options.hash_rows = false),
    ("inlining", |options| options.inline_renamings = false),
    ("join-order", |options| options.join_order = false),
    ("memo", |options| options.memo = false),
    ("tables", |options| options.table_recurrence = false),
];

/// What the engine `sliced` can do without; each way gives the same playouts.
const SLICED: [&str; 3] = ["avx512", "avx2", "machine-code"];

impl Engine {
    /// All the engines.
    pub const ALL: &[Engine] = &[Engine::Auto, Engine::Tree, Engine::Net, Engine::Sliced];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Auto => "auto",
            Engine::Tree => "tree",
            Engine::Net => "net",
            Engine::Sliced => "sliced",
        }
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Engine::Auto => "Chooses: the network where grounding pays, else the rules",
            Engine::Tree => "Interprets the rules on resolution trees: needs no grounding, plays everything",
            Engine::Net => "Runs the network of the game, one state at a time",
            Engine::Sliced => "Runs the network of the game, hundreds of playouts at a time",
        }
    }

    /// The names of the optimisations that can be left out.
    pub fn optimisations(self) -> Vec<&'static str> {
        match self {
            Engine::Tree => TREE.iter().map(|(name, _)| *name).collect(),
            Engine::Sliced => SLICED.to_vec(),
            Engine::Auto | Engine::Net => Vec::new(),
        }
    }

    /// Makes a machine for a game, without some of the optimisations. Names that are none are passed over.
    pub fn machine(self, game: &Game, without: &[&str]) -> Result<Box<dyn Machine>, EngineError> {
        match self {
            Engine::Auto => auto::machine(game, &auto::Budget::default()).map(|(machine, _)| machine),
            Engine::Tree => Ok(Box::new(tree(game, without)?)),
            Engine::Net => Ok(Box::new(NetMachine::new(grounded(game, Limits::default())?)?)),
            Engine::Sliced => {
                let ground = grounded(game, Limits::default())?;
                let (network, roles) = (network(&ground)?, roles(&ground));
                let lanes = sliced::batch(&network, roles, &sliced_options(without))?;
                Ok(Box::new(InLane::new(Box::new(NetMachine::new(ground)?), lanes)))
            }
        }
    }

    /// Makes what is asked about many states of a game at once, with a machine that gives their moves and fluents names.
    pub fn batch(self, game: &Game, without: &[&str]) -> Result<Batched, EngineError> {
        if self == Engine::Auto {
            return auto::batch(game, &auto::Budget::default());
        }
        let decision = Decision { engine: self, why: String::new() };
        if self != Engine::Sliced {
            return Ok(Batched::one_by_one(self.machine(game, without)?, decision));
        }
        let ground = grounded(game, Limits::default())?;
        let batch = sliced::batch(&network(&ground)?, roles(&ground), &sliced_options(without))?;
        Ok(Batched { batch, names: Box::new(NetMachine::new(ground)?), decision })
    }

    /// Makes what plays playouts of a game: many at once where the engine can, else one after the other. Says also what
    /// was chosen.
    pub fn playouts(self, game: &Game, without: &[&str]) -> Chosen {
        let playouts: Box<dyn Playouts> = match self {
            Engine::Auto => return auto::playouts(game, &auto::Budget::default()),
            Engine::Sliced => {
                let ground = grounded(game, Limits::default())?;
                Box::new(lanes(&ground, &network(&ground)?, without)?)
            }
            Engine::Tree | Engine::Net => Box::new(ByMachine::new(self.machine(game, without)?)),
        };
        Ok((playouts, Decision { engine: self, why: String::new() }))
    }
}

/// Where terms may grow without end grounding would go on until it meets a limit: a low one, since it will be met.
const UNBOUNDED_RULES: usize = 100_000;
const UNBOUNDED_ATOMS: usize = 300_000;

fn grounded(game: &Game, mut limits: Limits) -> Result<GroundGame, GroundError> {
    if !game.is_bounded() {
        limits.rules = limits.rules.min(UNBOUNDED_RULES);
        limits.atoms = limits.atoms.min(UNBOUNDED_ATOMS);
    }
    ground(game, &GroundOptions { limits, ..GroundOptions::default() })
}

fn tree(game: &Game, without: &[&str]) -> Result<TreeMachine, MachineError> {
    let mut options = TreeOptions::default();
    let left_out = TREE.iter().filter(|(name, _)| without.contains(name));
    left_out.for_each(|(_, leave_out)| leave_out(&mut options));
    TreeMachine::new(game, options)
}

/// The network of a ground game, made small for legal play.
fn network(ground: &GroundGame) -> Result<Network, NetError> {
    Ok(simplify(&Network::of(ground)?, &NetOptions::default()).0)
}

fn roles(ground: &GroundGame) -> Vec<String> {
    ground.roles.iter().map(|&role| ground.term(role)).collect()
}

fn lanes(ground: &GroundGame, network: &Network, without: &[&str]) -> Result<Sliced, SlicedError> {
    Sliced::new(network, roles(ground), &sliced_options(without))
}

/// How gates are run without some of what the processor can do.
fn sliced_options(without: &[&str]) -> sliced::Options {
    let [no_avx512, no_avx2, no_code] = SLICED.map(|name| without.contains(&name));
    let paths: &[Path] = match (no_avx512, no_avx2, no_code) {
        (false, false, false) => return sliced::Options::default(),
        (_, true, _) => &[],
        (true, _, false) => &[Path::Code256],
        (true, _, true) => &[Path::Interpreted256],
        (false, _, true) => &[Path::Interpreted512, Path::Interpreted256],
    };
    let path = paths.iter().copied().find(|path| path.is_available()).unwrap_or(Path::Portable);
    sliced::Options { path: Some(path), ..sliced::Options::default() }
}
