//! Makes a network small without changing what it means, pass by pass until nothing changes any more.
//!
//! Constants and equal gates are found whenever gates are made ([`Gates`](crate::gates::Gates)), and what no output needs
//! is left out whenever a network is made anew (`rebuild`). The passes, one file each: `reachable` (what never changes in
//! any match, moves that are never legal), `facts` (what holds in every legal match), `collapse` (single-use chains),
//! `absorb` (operands that other operands imply), `distribute` (a literal common to several operands), `pairs` (operands
//! that several gates share).

mod absorb;
mod collapse;
mod distribute;
pub(crate) mod facts;
mod pairs;
pub(crate) mod reachable;
pub(crate) mod rebuild;

use serde::Serialize;

use crate::gates::Gates;
use crate::literal::Literal;
use crate::network::Network;
use rebuild::{Rebuilt, Tidy, rebuild};

/// What may be taken for granted, and which passes are left out.
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
    /// Nothing is taken for granted: the network means the same in every state and for all moves.
    pub fn exact() -> Self {
        Options { legal_play: false, reachable_states: false, ..Options::default() }
    }
}

/// What one pass did.
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
        PassEffect { pass, gates: network.gate_count(), operands: network.operand_count() }
    }
}

/// Rounds of all passes; most games need two or three.
const ROUNDS: usize = 6;

/// Makes a network small; gives the network and what each pass did, beginning with the network as it was.
pub fn simplify(network: &Network, options: &Options) -> (Network, Vec<PassEffect>) {
    let mut run = Run { current: tidy(network), effects: vec![PassEffect::of("rules", network)] };
    run.effects.push(PassEffect::of("dead parts", &run.current));
    for _ in 0..ROUNDS {
        let before = run.size();
        if options.reachable_states {
            run.apply("reachable", |network| reachable::run(network, options.legal_play));
        }
        if options.legal_play {
            run.apply("facts", facts::run);
        }
        run.apply("collapse", on_gates(collapse::run));
        run.apply("absorb", on_gates(absorb::run));
        run.apply("distribute", on_gates(distribute::run));
        if run.size() == before {
            break;
        }
    }
    for _ in 0..if options.share_operands { ROUNDS } else { 0 } {
        let (_, before) = run.size();
        run.apply("share operands", on_gates(pairs::run));
        if run.size().1 >= before {
            break;
        }
    }
    (run.current, run.effects)
}

struct Run {
    current: Network,
    effects: Vec<PassEffect>,
}

impl Run {
    fn apply(&mut self, name: &'static str, pass: impl Fn(&Network) -> Network) {
        self.current = pass(&self.current);
        self.effects.push(PassEffect::of(name, &self.current));
    }

    fn size(&self) -> (usize, usize) {
        (self.current.gate_count(), self.current.operand_count())
    }
}

/// A pass that looks at gates alone, for networks.
fn on_gates(pass: impl Fn(&Gates, &[Literal]) -> Rebuilt) -> impl Fn(&Network) -> Network {
    move |network| pass(&network.gates, &network.roots()).network(network)
}

fn tidy(network: &Network) -> Network {
    rebuild(&network.gates, &network.roots(), &mut Tidy).network(network)
}
