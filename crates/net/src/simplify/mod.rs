//! Makes a network small without changing its meaning, pass by pass until nothing changes.
//!
//! Making a gate folds constants and shares equal gates ([`Gates`]), and every rebuild drops gates that no output needs
//! (`rebuild`). The passes, one file each: `reachable` (constants of reachable states, moves that are never legal),
//! `facts` (what holds in every legal match), `collapse` (single-use chains), `absorb` (operands that other operands
//! imply), `distribute` (a literal common to several operands), `pairs` (operands that several gates share).

mod absorb;
mod collapse;
mod distribute;
pub(crate) mod facts;
mod pairs;
pub(crate) mod reachable;
pub(crate) mod rebuild;

use groundrules_gdl::time::{Cancel, Cancelled};
use serde::Serialize;

use crate::gates::Gates;
use crate::literal::Literal;
use crate::network::Network;
use rebuild::{Rebuilt, Tidy, rebuild};

/// What may be assumed, and which passes are disabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Matches are legal: each role makes exactly one move, and it is one of its legal moves. Without it the network
    /// also means the same where roles make illegal moves, but still some move each.
    pub legal_play: bool,
    /// States are those that legal matches reach: what never changes in them is constant.
    pub reachable_states: bool,
    /// Operands that several gates share become gates of their own. Fewer gates and operands, and more levels.
    pub share_operands: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { legal_play: true, reachable_states: true, share_operands: true }
    }
}

impl Options {
    /// No assumptions: the network is equivalent in every state and for all moves.
    pub fn exact() -> Self {
        Options { legal_play: false, reachable_states: false, ..Options::default() }
    }
}

/// The effect of one pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PassEffect {
    /// Which pass.
    pub pass: &'static str,
    /// How many gates there were after it.
    pub gates: usize,
    /// How many operands they had.
    pub operands: usize,
}

impl PassEffect {
    fn of(pass: &'static str, network: &Network) -> Self {
        let needed = rebuild::needed(&network.gates, &network.roots());
        let needed = (0..needed.len()).filter(|&gate| needed[gate]);
        let (gates, operands) = needed
            .fold((0, 0), |(gates, operands), gate| (gates + 1, operands + network.operands(gate).len()));
        PassEffect { pass, gates, operands }
    }

    /// Whether less than a hundredth is gone since before.
    fn is_hardly_less_than(&self, before: &PassEffect) -> bool {
        self.gates + self.operands + (before.gates + before.operands) / 100 >= before.gates + before.operands
    }
}

/// Rounds of all passes at most; most games need two or three.
const ROUNDS: usize = 6;

/// Simplifies a network. Returns it with the effect of each pass, starting with the original network. Stops when a round of all
/// passes has little effect.
pub fn simplify(network: &Network, options: &Options) -> (Network, Vec<PassEffect>) {
    simplify_cancellable(network, options, &Cancel::new()).expect("nobody has the flag")
}

/// Makes a network small as [`simplify()`] does, unless it is cancelled. The flag is looked at between passes.
pub fn simplify_cancellable(
    network: &Network,
    options: &Options,
    cancel: &Cancel,
) -> Result<(Network, Vec<PassEffect>), Cancelled> {
    let rules = PassEffect { pass: "rules", gates: network.gate_count(), operands: network.operand_count() };
    let dead = PassEffect::of("dead parts", network);
    let mut run = Run { current: network.clone(), effects: vec![rules, dead], cancel };
    for _ in 0..ROUNDS {
        let before = run.last();
        if options.reachable_states {
            run.apply("reachable", |network| reachable::run(network, options.legal_play))?;
        }
        if options.legal_play {
            run.apply("facts", facts::run)?;
        }
        run.apply("collapse", on_gates(collapse::run))?;
        run.apply("absorb", on_gates(absorb::run))?;
        run.apply("distribute", on_gates(distribute::run))?;
        if run.last().is_hardly_less_than(&before) {
            break;
        }
    }
    for _ in 0..if options.share_operands { ROUNDS } else { 0 } {
        let before = run.last().operands;
        run.apply("share operands", on_gates(pairs::run))?;
        if run.last().operands + before / 100 >= before {
            break;
        }
    }
    Ok((tidy(&run.current), run.effects))
}

struct Run<'c> {
    current: Network,
    effects: Vec<PassEffect>,
    cancel: &'c Cancel,
}

impl Run<'_> {
    fn apply(&mut self, name: &'static str, pass: impl Fn(&Network) -> Network) -> Result<(), Cancelled> {
        self.cancel.check()?;
        self.current = pass(&self.current);
        self.effects.push(PassEffect::of(name, &self.current));
        self.cancel.check()
    }

    fn last(&self) -> PassEffect {
        self.effects[self.effects.len() - 1].clone()
    }
}

/// A pass that looks at gates alone, for networks.
fn on_gates(pass: impl Fn(&Gates, &[Literal]) -> Rebuilt) -> impl Fn(&Network) -> Network {
    move |network| pass(&network.gates, &network.roots()).network(network)
}

fn tidy(network: &Network) -> Network {
    rebuild(&network.gates, &network.roots(), &mut Tidy).network(network)
}
