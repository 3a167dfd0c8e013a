//! The network split by turn and by move, for engines that stand in one state. Most fluents keep their values, and the
//! others follow from the one move of each role. For each turn there is a default for every fluent: its next value if
//! no move that affects it is made. For each move there is the list of fluents that it affects, with their next values.
//! Fluents that the moves of several roles decide together, or that depend on moves in too many ways, have a default
//! over the moves as well and occur in no list. Where several roles choose and there are few joint moves, there is a list for
//! each joint move instead, and what they decide together is in it.
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
    /// What each turn assumes. In every state of a legal match one of them holds.
    pub modes: Vec<Mode>,
    /// The network of each turn.
    pub turns: Vec<Turn>,
}

/// Fluents and the values that they are assumed to have. Any two modes of a game differ in the value of a fluent.
pub type Mode = Vec<(usize, bool)>;

/// The network where the assumption of a turn holds.
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
    /// What each move adds to the number of the list of a joint move; nothing if each move has a list of its own.
    pub shares: Vec<u32>,
    /// For each move, or each joint move, the fluents for which it matters and what is next of them, and where each list ends.
    effects: Vec<(u32, Literal)>,
    ends: Vec<u32>,
}

impl Turn {
    /// How many lists of effects there are.
    pub fn lists(&self) -> usize {
        self.ends.len()
    }

    /// A list of effects, that of a move or of a joint move: fluents and their next values.
    pub fn effects(&self, number: usize) -> &[(u32, Literal)] {
        let start = if number == 0 { 0 } else { self.ends[number - 1] as usize };
        &self.effects[start..self.ends[number] as usize]
    }
}

impl Parts {
    /// Splits a network that was simplified for legal play and reachable states, by whose turn it is.
    pub fn of(game: &GroundGame, network: &Network, options: &Options) -> Parts {
        Parts::by(modes(game, network), network, options)
    }

    /// Splits such a network by modes of its game.
    pub fn by(modes: Vec<Mode>, network: &Network, options: &Options) -> Parts {
        let special = |mode: &Mode| match mode.is_empty() {
            true => network.clone(),
            false => specialise(network, mode, options),
        };
        let specials: Vec<Network> = modes.iter().map(special).collect();
        let joints: Vec<Option<Joint>> = specials.iter().map(Joint::of).collect();
        let wholes: Vec<Vec<bool>> =
            specials.iter().zip(&joints).map(|(special, joint)| whole(special, joint.is_some())).collect();
        let mut gates = Gates::new(network.gates.leaves());
        let next = kept_whole(network, &specials, &wholes, &mut gates);
        let specials = specials.iter().zip(&wholes).zip(joints);
        let turns = specials
            .map(|((special, whole), joint)| Turn::of(special, whole, joint, &next, &mut gates))
            .collect();
        gates.forget_hashes();
        Parts { gates, modes, turns }
    }
}

/// The modes of a game: whose turn it is, and what follows from it. If nothing says whose turn it is, there is one mode, which
/// assumes nothing. The network must be one for legal play and reachable states.
pub fn modes(game: &GroundGame, network: &Network) -> Vec<Mode> {
    let mut sets = turns(game, network).into_iter();
    let Some(control) = sets.next() else { return vec![Mode::new()] };
    let only = |set: &[usize], holding: usize| -> Mode {
        set.iter().map(|&fluent| (fluent, fluent == holding)).collect()
    };
    let mut modes: Vec<Mode> = control.iter().map(|&holding| only(&control, holding)).collect();
    // Rings turn together: where one is says where the others are.
    let path = path(network, &control, control.len());
    // Each fluent has one place on the way round.
    let Some(path) = path.filter(|path| control.iter().all(|fluent| path.contains(fluent))) else {
        return modes;
    };
    for set in sets {
        let Some(others) = self::path(network, &set, control.len()) else { continue };
        for (&holding, &other) in path.iter().zip(&others) {
            let place =
                control.iter().position(|&fluent| fluent == holding).expect("a ring stays in its set");
            modes[place].extend(only(&set, other));
        }
    }
    modes
}

/// Which fluent of a ring holds in the first states, so many of them, if it begins anew behind them.
fn path(network: &Network, set: &[usize], states: usize) -> Option<Vec<usize>> {
    let after = |&holding: &usize| {
        let own = network.fluent(holding).literal();
        set.iter().copied().find(|&fluent| network.outputs.next[fluent] == own)
    };
    let first = set.iter().copied().find(|&fluent| network.init[fluent])?;
    let path: Vec<usize> = std::iter::successors(Some(first), after).take(states + 1).collect();
    (path.len() == states + 1 && path[states] == first).then(|| path[..states].to_vec())
}

/// Each mode twice, once where a fluent holds and once where it does not. The modes must not say so already.
pub fn split(modes: &[Mode], fluent: usize) -> Vec<Mode> {
    let with = |value: bool| move |mode: &Mode| mode.iter().copied().chain([(fluent, value)]).collect();
    modes.iter().map(with(true)).chain(modes.iter().map(with(false))).collect()
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
    fn of(
        network: &Network,
        whole: &[bool],
        joint: Option<Joint>,
        shared: &[Literal],
        gates: &mut Gates,
    ) -> Turn {
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
        let mut list = |made: &[usize]| {
            if made.iter().all(|&number| outputs.legal[number] != Literal::FALSE) {
                let legal = made.iter().map(|&number| (number, outputs.legal[number]));
                overlay.effects(legal, gates, &mut effects);
            }
            ends.push(index32(effects.len(), "effects of moves"));
        };
        match &joint {
            Some(joint) => (0..joint.count).for_each(|number| list(&joint.moves(number))),
            None => (0..outputs.legal.len()).for_each(|number| list(&[number])),
        }
        Turn {
            default: outputs.next,
            legal: outputs.legal,
            terminal: outputs.terminal,
            goals: outputs.goals,
            shares: joint.map_or_else(Vec::new, |joint| joint.shares(network.moves())),
            effects,
            ends,
        }
    }
}

/// The most joint moves that have lists of their own.
const MOST_JOINT: usize = 512;

/// The joint moves of a turn in which several roles choose, numbered.
struct Joint {
    /// For each role the moves that can be legal.
    options: Vec<Vec<usize>>,
    count: usize,
}

impl Joint {
    /// The joint moves, if they are few, and if something depends on the moves of several roles.
    fn of(network: &Network) -> Option<Joint> {
        let mut options = vec![Vec::new(); network.roles];
        for (number, &legal) in network.outputs.legal.iter().enumerate() {
            if legal != Literal::FALSE {
                options[network.movers[number] as usize].push(number);
            }
        }
        let count = options.iter().map(Vec::len).try_fold(1, usize::checked_mul)?;
        let several = options.iter().filter(|own| own.len() > 1).count() > 1;
        if !several || !(1..=MOST_JOINT).contains(&count) {
            return None;
        }
        let (alone, together) = (whole(network, false), whole(network, true));
        let gains = |next: &Literal| alone[next.node().index()] && !together[next.node().index()];
        network.outputs.next.iter().any(gains).then_some(Joint { options, count })
    }

    /// The moves of a joint move.
    fn moves(&self, number: usize) -> Vec<usize> {
        let mut left = number;
        let own = |own: &Vec<usize>| {
            let made = own[left % own.len()];
            left /= own.len();
            made
        };
        self.options.iter().map(own).collect()
    }

    /// What each move adds to the number of a joint move.
    fn shares(&self, moves: usize) -> Vec<u32> {
        let mut shares = vec![0; moves];
        let mut stride = 1;
        for own in &self.options {
            for (place, &made) in own.iter().enumerate() {
                shares[made] = index32(place * stride, "joint moves");
            }
            stride *= own.len();
        }
        shares
    }
}

/// In how many ways a fluent may depend on moves to be taken apart: paths from the moves.
const MOST_WAYS: u32 = 20_000;
/// The same where all fluents together depend on moves in more than [`MANY_WAYS`].
const FEWER_WAYS: u32 = 300;
const MANY_WAYS: u64 = 1_000_000;

/// In place of whose moves something depends on: it depends on moves through a cycle.
const CYCLE: u64 = u64::MAX;

/// Which nodes are not split by move, or by joint move.
fn whole(network: &Network, by_joint: bool) -> Vec<bool> {
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
            all.0 = CYCLE;
        }
        moves[gates.first() + members.start..gates.first() + members.end].fill(all);
    }
    let all: u64 = network.outputs.next.iter().map(|next| u64::from(moves[next.node().index()].1)).sum();
    let most = if all > MANY_WAYS { FEWER_WAYS } else { MOST_WAYS };
    let several = |movers: u64| match by_joint {
        true => movers == CYCLE,
        // The last bit stands for all roles that have none of their own.
        false => movers.count_ones() > 1 || movers >> 63 == 1,
    };
    moves.into_iter().map(|(movers, ways)| several(movers) || ways > most).collect()
}
