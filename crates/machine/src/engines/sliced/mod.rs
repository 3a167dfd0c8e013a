//! The engine `sliced`: hundreds of random playouts at once. Every value of the network is a vector with one bit for
//! each playout (a lane), and a whole step of the game, choosing the moves included, is one straight list of gates.
//!
//! The stages: `writer` adds the [`Network`] to a `graph`. `choice` adds random choice of moves, by ranks in a tree (`rank`), in
//! a `table` (both find `levels`), or by `factors`, and `made` knows what was chosen; `exclusive` finds moves that can be chosen as one. `phases` finds the fluents that the number of moves made so far decides.
//! `segment` makes circuits of steps and of scoring, which `stages` cuts around loops (`growth` tells which of them only grow), and `layout` assigns memory. `plan` chooses the circuits of a
//! game. `lower` compiles them to lists of gates, which `tape` interprets and `native` runs as machine code. `random`
//! generates bits, `block` plays and tallies, and `sample` measures what lanes do not count. `peak` measures the processor itself. `batch` answers questions about given states, and
//! `lockstep` advances lanes by given moves. See docs/sliced.md.

mod backend;
mod batch;
mod block;
mod choice;
mod cover;
mod encode;
mod exclusive;
mod executable;
mod factors;
mod flat;
mod graph;
mod growth;
mod lane;
mod layout;
mod levels;
mod lockstep;
mod lower;
mod made;
mod native;
mod options;
mod path;
mod peak;
mod phases;
mod plan;
mod preferences;
mod random;
mod rank;
#[cfg(feature = "recording")]
mod recording;
mod registers;
mod retrace;
mod sample;
mod segment;
mod shape;
#[cfg(test)]
mod simulator;
mod stages;
mod stray;
mod table;
mod tape;
mod transpose;
mod vector;
mod writer;

use std::sync::Arc;

use groundrules_gdl::Roles;
use groundrules_net::Network;

use crate::machine::MachineError;
use crate::playout::{Circuit, Playouts, Setting};
use crate::tally::Tally;

pub use backend::SlicedBackend;
pub use batch::batch;
pub use lane::InLane;
pub(crate) use lockstep::lockstep;
pub use options::{Method, Options};
pub use path::Path;
pub use peak::peak;
#[cfg(feature = "recording")]
pub use recording::{Finish, Recording};

use block::{NeedsCare, Order};
use executable::Executable;
use plan::{CircuitPlan, Purpose};
use sample::Sample;
use vector::{Lanes256, Lanes512, Vector};

/// Why a game cannot be played in lanes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SlicedError {
    /// The circuit of the game is too large.
    #[error("the circuit of the game has more than {gates} gates")]
    TooLarge {
        /// The limit.
        gates: usize,
    },
    /// The processor cannot run this path.
    #[error("this processor cannot run the path {path:?}")]
    NotAvailable {
        /// The path.
        path: Path,
    },
}

/// Words of lanes in a block.
const BLOCK_WORDS: usize = 16;

/// The engine `sliced`.
#[derive(Clone)]
pub struct Sliced {
    roles: Roles,
    compiled: Arc<Compiled>,
    /// Playouts come near the limit of steps: count every lane's moves from the start.
    careful: bool,
}

/// A plan prepared to run.
struct Compiled {
    plan: CircuitPlan,
    executable: Executable,
    sample: Sample,
    /// Playouts of one lane in a block.
    quota: u64,
}

impl Sliced {
    /// The engine for a network. `roles` are the roles as KIF.
    pub fn new(network: &Network, roles: Roles, options: &Options) -> Result<Self, SlicedError> {
        let (plan, length) = shape::plan(network, options, Purpose::Playouts)?;
        let path = options.path.unwrap_or_else(|| Path::best(plan.gates()));
        if !path.is_available() {
            return Err(SlicedError::NotAvailable { path });
        }
        let executable = Executable::new(&plan.parts, path);
        // A block takes some milliseconds; the longer it is, the less it matters that lanes end at different times.
        let quota = (2e7 / (plan.cost() * length)).clamp(2.0, 1024.0) as u64;
        let compiled = Arc::new(Compiled { plan, executable, sample: Sample::new(network), quota });
        Ok(Sliced { roles, compiled, careful: false })
    }

    /// How many gates the circuits have.
    pub fn gates(&self) -> usize {
        self.compiled.plan.gates()
    }

    /// The shape of the circuits in one line, for people.
    pub fn summary(&self) -> String {
        let Compiled { plan, executable, quota, .. } = &*self.compiled;
        format!("{}, {} bytes of code, {quota} playouts a lane", plan.summary(), executable.code_bytes())
    }

    /// The path on which it runs.
    pub fn path(&self) -> Path {
        self.compiled.executable.path
    }
}

impl Sliced {
    /// Plays some of a block's lanes; gives the number of their words.
    fn play_lanes(&self, order: &Order<'_>, tally: &mut Tally) -> Result<usize, NeedsCare> {
        if self.compiled.executable.path.is_narrow() {
            self.play_vectors::<Lanes256>(order, tally)
        } else {
            self.play_vectors::<Lanes512>(order, tally)
        }
    }

    fn play_vectors<V: Vector>(&self, order: &Order<'_>, tally: &mut Tally) -> Result<usize, NeedsCare> {
        let Compiled { plan, executable, .. } = &*self.compiled;
        let vectors = if executable.is_long() { BLOCK_WORDS / V::WORDS } else { 1 };
        block::play::<V>(plan, executable, order, vectors, tally).map(|()| vectors * V::WORDS)
    }
}

/// Playouts with so few steps are always counted lane by lane.
const SHORT: u64 = 256;

impl Playouts for Sliced {
    fn roles(&self) -> &Roles {
        &self.roles
    }

    fn block_size(&self) -> u64 {
        self.compiled.quota * (BLOCK_WORDS * 64) as u64
    }

    fn play(
        &mut self,
        block: u64,
        count: u64,
        setting: &Setting<'_>,
        tally: &mut Tally,
    ) -> Result<(), MachineError> {
        let seed = rand::Rng::next_u64(setting.choices(block).generator());
        if block == 0 {
            self.compiled.sample.count(count, setting.max_steps, setting.choices(block), tally);
        }
        let mut first_word = 0;
        while first_word < BLOCK_WORDS {
            let careful = self.careful || setting.max_steps < SHORT;
            let order = Order { seed, first_word, words: BLOCK_WORDS, count, setting, careful };
            match self.play_lanes(&order, tally) {
                Ok(words) => first_word += words,
                Err(NeedsCare) => self.careful = true,
            }
        }
        Ok(())
    }

    fn fork(&self) -> Box<dyn Playouts> {
        Box::new(self.clone())
    }

    fn circuit(&self) -> Option<Circuit> {
        let Compiled { plan, executable, .. } = &*self.compiled;
        let gates: usize = plan.cycle.iter().map(|&part| executable.gates(part)).sum();
        let gates_per_step = gates as f64 / plan.steps() as f64;
        Some(Circuit { gates_per_step, lanes: 64 * executable.path.words() })
    }
}
