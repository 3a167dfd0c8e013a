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

use crate::network::Network;

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
    let mut effects = vec![PassEffect::of("rules", network)];
    let mut current = collapse::tidy(network);
    effects.push(PassEffect::of("dead parts", &current));
    let mut apply = |name, current: &mut Network, pass: &dyn Fn(&Network) -> Network| {
        *current = pass(current);
        effects.push(PassEffect::of(name, current));
    };
    for _ in 0..ROUNDS {
        let before = (current.gate_count(), current.operand_count());
        if options.reachable_states {
            apply("reachable", &mut current, &|network| reachable::run(network, options.legal_play));
        }
        if options.legal_play {
            apply("facts", &mut current, &facts::run);
        }
        apply("collapse", &mut current, &collapse::run);
        apply("absorb", &mut current, &absorb::run);
        apply("distribute", &mut current, &distribute::run);
        if (current.gate_count(), current.operand_count()) == before {
            break;
        }
    }
    if options.share_operands {
        for _ in 0..ROUNDS {
            let before = current.operand_count();
            apply("share operands", &mut current, &pairs::run);
            if current.operand_count() >= before {
                break;
            }
        }
    }
    (current, effects)
}
