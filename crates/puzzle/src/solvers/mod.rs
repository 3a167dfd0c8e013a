//! The solvers, one file each. To add one, implement [`Solver`] and add it to the list in [`all`].
//!
//! Several share their parts: `visited` knows the positions that were reached and how, `expansion` makes moves, `layer` holds the states
//! of one depth, and `landmarks` selects moves.

mod beam;
mod depth_first;
mod exhaustive;
mod expansion;
mod landmarks;
mod layer;
mod unordered;
mod visited;

use std::sync::Arc;

use groundrules_net::Network;

pub use beam::Beam;
pub use depth_first::DepthFirst;
pub use exhaustive::Exhaustive;
pub use landmarks::Landmarks;
pub use unordered::UnorderedPlans;

use crate::relaxation::Relaxation;
use crate::solver::Solver;

/// Networks with more nodes and operands are too large for the relaxed analysis of single states.
const MOST_RELAXED: usize = 400_000;

/// All solvers for a network, those that are soon done first. `mask` has the bits of states that count steps; positions are
/// told apart without them. Each solver has its own limit of memory, in bytes.
pub fn all(network: &Arc<Network>, mask: &[u64], memory: usize) -> Vec<Box<dyn Solver>> {
    let relaxation = Relaxation::new(Arc::clone(network));
    let size = relaxation.size();
    let mut solvers: Vec<Box<dyn Solver>> = vec![
        Box::new(Exhaustive::new(mask, memory)),
        Box::new(DepthFirst::by_warnsdorff(mask, size, memory)),
        Box::new(Beam::by_playouts(mask, memory)),
    ];
    if size <= MOST_RELAXED {
        solvers.push(Box::new(UnorderedPlans::new(Arc::clone(network), size)));
        solvers.push(Box::new(DepthFirst::by_landmarks(mask, Landmarks::new(relaxation.clone()), memory)));
        solvers.push(Box::new(Beam::by_landmarks(mask, Landmarks::new(relaxation), memory)));
    }
    solvers
}
