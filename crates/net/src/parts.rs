//! The network split by turn and by move, for engines that stand in one state. Most fluents keep their values, and the
//! others follow from the one move of each role. For each turn there is a default for every fluent: its next value if
//! no move that affects it is made. For each move there is the list of fluents that it affects, with their next values.
//! Fluents that the moves of several roles decide together, or that depend on moves in too many ways, have a default
//! over the moves as well and occur in no list.
//!
//! All literals are over the gates of one store, so turns and moves share gates. Everything here assumes legal play in
//! reachable states.

mod overlay;

use groundrules_gdl::index::index32;
use groundrules_ground::GroundGame;

use crate::gates::{Block, Gates};
use crate::literal::{Literal, NodeId};
use crate::network::{Goal, Network};
use crate::simplify::Options;
use crate::simplify::rebuild::{Tidy, mapped, rebuild_into};
use crate::specialise::{Assume, specialise};
use crate::turns::turns;
use overlay::Overlay;

/// A network split by turn and move.
#[derive(Clone, Debug)]
pub struct Parts {
    /// All gates.
    pub gates: Gates,
    /// The fluents that say whose turn it is, one for each turn; none if there is only one network.
    pub control: Vec<usize>,
    /// The network of each turn.
    pub turns: Vec<Turn>,
}

/// The network where one fluent of the control set holds.
#[derive(Clone, Debug)]
pub struct Turn {
    /// For each move, whether it is legal.
    pub legal: Vec<Literal>,
    /// Whether the state is terminal.
    pub terminal: Literal,
    /// The goals by role and value.
    pub goals: Vec<Goal>,
    /// For each fluent, whether it holds next: when no move is made that matters for it, or in view of the moves
    /// made if the literal depends on them.
    pub default: Vec<Literal>,
    /// For each move the fluents for which it matters and what is next of them, and where each list ends.
    effects: Vec<(u32, Literal)>,
    ends: Vec<u32>,
}

impl Turn {
    /// The effects of a move: fluents and their next values.
    pub fn effects(&self, number: usize) -> &[(u32, Literal)] {
        let start = if number == 0 { 0 } else { self.ends[number - 1] as usize };
        &self.effects[start..self.ends[number] as usize]
    }
}

impl Parts {
    /// Splits a network that was simplified for legal play and reachable states.
    pub fn of(game: &GroundGame, network: &Network, options: &Options) -> Parts {
        let control = turns(game, network).into_iter().next().unwrap_or_default();
        let given = |&turn: &usize| {
            let assumed: Vec<(usize, bool)> =
                control.iter().map(|&fluent| (fluent, fluent == turn)).collect();
            specialise(network, &assumed, options)
        };
        let specials: Vec<Network> =
            if control.is_empty() { vec![network.clone()] } else { control.iter().map(given).collect() };
        let wholes: Vec<Vec<bool>> = specials.iter().map(whole).collect();
        let mut gates = Gates::new(network.gates.leaves());
        let next = kept_whole(network, &specials, &wholes, &mut gates);
        let specials = specials.iter().zip(&wholes);
        let turns = specials.map(|(special, whole)| Turn::of(special, whole, &next, &mut gates)).collect();
        gates.forget_hashes();
        Parts { gates, control, turns }
    }
}

/// With more gates than this the turns share what is not taken apart: of each there would be a variant for each turn, and
/// large networks are slow because they are large.
const SHARED: usize = 20_000;

/// What is next of each fluent that is not taken apart, as it is in the network for all turns; nothing if every turn is
/// to have its own.
fn kept_whole(
    network: &Network,
    specials: &[Network],
    wholes: &[Vec<bool>],
    gates: &mut Gates,
) -> Vec<Literal> {
    if specials.iter().map(Network::gate_count).sum::<usize>() <= SHARED {
        return Vec::new();
    }
    let is_whole = |fluent: usize| {
        let mut all = specials.iter().zip(wholes);
        all.any(|(special, whole)| whole[special.outputs.next[fluent].node().index()])
    };
    let next = &network.outputs.next;
    let roots: Vec<Literal> =
        (0..next.len()).filter(|&fluent| is_whole(fluent)).map(|fluent| next[fluent]).collect();
    let map = rebuild_into(gates, &network.gates, &roots, &mut Tidy);
    (0..next.len())
        .map(|fluent| if is_whole(fluent) { mapped(next[fluent], &map) } else { Literal::FALSE })
        .collect()
}

impl Turn {
    fn of(network: &Network, whole: &[bool], shared: &[Literal], gates: &mut Gates) -> Turn {
        let is_whole = |literal: &&Literal| shared.is_empty() && whole[literal.node().index()];
        let own: Vec<Literal> = network.outputs.next.iter().filter(is_whole).copied().collect();
        let own = rebuild_into(gates, &network.gates, &own, &mut Tidy);
        let mut leaves: Vec<Literal> =
            (0..network.gates.first()).map(|leaf| NodeId::new(leaf).literal()).collect();
        (0..network.moves()).for_each(|number| leaves[network.does(number).index()] = Literal::FALSE);
        let default = rebuild_into(gates, &network.gates, &network.roots(), &mut Assume { leaves });
        let mut outputs = network.outputs.map(|literal| mapped(literal, &default));
        for (fluent, next) in outputs.next.iter_mut().enumerate() {
            let old = network.outputs.next[fluent];
            if whole[old.node().index()] {
                *next = shared.get(fluent).map_or_else(|| mapped(old, &own), |&literal| literal);
            }
        }
        let mut overlay = Overlay::new(network, whole, &default);
        let (mut effects, mut ends) = (Vec::new(), Vec::new());
        for (number, &legal) in outputs.legal.iter().enumerate() {
            if legal != Literal::FALSE {
                overlay.effects(number, legal, gates, &mut effects);
            }
            ends.push(index32(effects.len(), "effects of moves"));
        }
        Turn {
            default: outputs.next,
            legal: outputs.legal,
            terminal: outputs.terminal,
            goals: outputs.goals,
            effects,
            ends,
        }
    }
}

/// In how many ways a fluent may depend on moves to be taken apart: paths from the moves.
const MOST_WAYS: u32 = 20_000;
/// The same where all fluents together depend on moves in more than [`MANY_WAYS`].
const FEWER_WAYS: u32 = 300;
const MANY_WAYS: u64 = 1_000_000;

/// Which nodes are not split by move.
fn whole(network: &Network) -> Vec<bool> {
    let gates = &network.gates;
    // For each node whose moves it depends on, as bits, and in how many ways.
    let mut moves = vec![(0u64, 0u32); gates.nodes()];
    for (number, &role) in network.movers.iter().enumerate() {
        moves[network.does(number).index()] = (1 << role.min(63), 1);
    }
    for Block { gates: members, is_component } in gates.blocks() {
        let operands = members.clone().flat_map(|member| gates.operands(member));
        let mut all = operands.fold((0, 0u32), |(movers, ways), operand| {
            let (others, more) = moves[operand.node().index()];
            (movers | others, ways.saturating_add(more))
        });
        // The effect of a move inside a cycle is left to the evaluation of the cycle.
        if is_component && all.0 != 0 {
            all.0 = u64::MAX;
        }
        moves[gates.first() + members.start..gates.first() + members.end].fill(all);
    }
    let all: u64 = network.outputs.next.iter().map(|next| u64::from(moves[next.node().index()].1)).sum();
    let most = if all > MANY_WAYS { FEWER_WAYS } else { MOST_WAYS };
    // The last bit stands for all roles that have none of their own.
    let several = |movers: u64| movers.count_ones() > 1 || movers >> 63 == 1;
    moves.into_iter().map(|(movers, ways)| several(movers) || ways > most).collect()
}
