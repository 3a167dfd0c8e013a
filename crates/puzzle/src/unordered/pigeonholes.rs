//! The pigeonhole principle: if n fluents must change, each by moves of its own, and the moves fall into n groups of mutually
//! exclusive moves, then exactly one move of every group is made. Nine cells of a row need each of nine numbers. Resolution needs
//! exponentially many steps to find this, so the solver is told.

use groundrules_net::{Kind, Literal, Network, NodeKind};
use hashbrown::HashSet;

use super::effects::{Effects, Fate};
use super::exclusion::Exclusion;

/// How many pairs of moves are looked at, at most.
const MOST_PAIRS: usize = 20_000_000;

/// How many fluents and gates of one kind are gone through together, at most.
const MOST_ALTERNATIVES: usize = 4096;

pub(super) struct Pigeonholes {
    /// How many moves are needed at least.
    pub(super) wanted: usize,
    /// Groups of moves of which exactly one is made, if there are as many.
    pub(super) groups: Vec<Vec<u32>>,
}

impl Pigeonholes {
    /// What follows if these fluents have to change.
    pub(super) fn new(
        network: &Network,
        effects: &Effects,
        exclusion: &Exclusion,
        changing: &[usize],
    ) -> Pigeonholes {
        let (wanted, mut groups) = groups(network, effects, exclusion, changing);
        if groups.len() != wanted {
            groups.clear();
        }
        Pigeonholes { wanted, groups }
    }
}

/// How many moves are needed for these fluents to change, each its own, and groups of them of which at most one is made.
fn groups(
    network: &Network,
    effects: &Effects,
    exclusion: &Exclusion,
    changing: &[usize],
) -> (usize, Vec<Vec<u32>>) {
    let is_alive = |made: &u32| exclusion.alive[*made as usize];
    let by = |fate: &Fate, now: bool| -> Vec<u32> {
        let by = if now { &fate.undone_by } else { &fate.made_by };
        by.iter().copied().filter(is_alive).collect()
    };
    // Things that no two of are changed by the same move.
    let mut wanted: Vec<Vec<u32>> =
        changing
            .iter()
            .filter(|&&fluent| {
                !if exclusion.now[fluent] { effects.fates[fluent].goes } else { effects.fates[fluent].comes }
            })
            .map(|&fluent| by(&effects.fates[fluent], exclusion.now[fluent]))
            .collect();
    wanted.sort_by_key(Vec::len);
    let mut is_used = vec![false; network.moves()];
    let wanted = wanted.into_iter().filter(|moves| take(moves, &mut is_used)).count();
    // The largest groups that have all of their moves to themselves, and the other moves alone.
    let mut groups = candidates(network, exclusion, |fluent| {
        let own = by(&effects.fates[fluent], false);
        if exclusion.now[fluent] {
            Vec::new()
        } else {
            own.into_iter().filter(|&made| is_used[made as usize]).collect()
        }
    });
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let mut is_grouped = vec![false; network.moves()];
    groups.retain(|group| take(group, &mut is_grouped));
    let alone = (0..network.moves()).filter(|&made| is_used[made] && !is_grouped[made]);
    groups.extend(alone.map(|made| vec![made as u32]));
    (wanted, groups)
}

/// Takes some moves, if none of them is taken.
fn take(moves: &[u32], is_taken: &mut [bool]) -> bool {
    let is_free = moves.iter().all(|&made| !is_taken[made as usize]);
    if is_free {
        moves.iter().for_each(|&made| is_taken[made as usize] = true);
    }
    is_free
}

/// Groups of moves that exclude each other, because rules ask for what they make in one breath.
fn candidates(network: &Network, exclusion: &Exclusion, makers: impl Fn(usize) -> Vec<u32>) -> Vec<Vec<u32>> {
    let (mut groups, mut pairs) = (Vec::new(), 0);
    for gate in 0..network.gate_count() {
        let alternatives = alternatives(network, gate);
        pairs += alternatives.len();
        let mut group: Vec<u32> = alternatives.into_iter().flat_map(&makers).collect();
        group.sort_unstable();
        group.dedup();
        pairs += group.len() * group.len() / 2;
        if pairs > MOST_PAIRS {
            break;
        }
        let excludes = |one: u32, other: u32| exclusion.excludes(one as usize, other as usize);
        let is_group =
            |(place, &one): (usize, &u32)| group[..place].iter().all(|&other| excludes(one, other));
        if group.len() > 1 && group.iter().enumerate().all(is_group) {
            groups.push(group);
        }
    }
    groups
}

/// The fluents of which a gate says that one is true, or none; what it says by way of gates of the same kind counts too.
fn alternatives(network: &Network, gate: usize) -> Vec<usize> {
    // A conjunction says the same of its operands' complements, the other way round.
    let is_or = network.gate_kind(gate) == Kind::Or;
    let mut open: Vec<Literal> =
        network.operands(gate).iter().map(|&operand| operand.complemented_if(!is_or)).collect();
    let (mut fluents, mut seen) = (Vec::new(), HashSet::new());
    while let Some(literal) = open.pop().filter(|_| seen.len() < MOST_ALTERNATIVES) {
        if !seen.insert(literal) {
            continue;
        }
        let is_plain = !literal.is_complemented();
        match network.kind(literal.node()) {
            NodeKind::Fluent(fluent) if is_plain => fluents.push(fluent),
            NodeKind::Gate(gate) if (network.gate_kind(gate) == Kind::Or) == is_plain => {
                let operands = network.operands(gate).iter();
                open.extend(operands.map(|&operand| operand.complemented_if(!is_plain)));
            }
            _ => {}
        }
    }
    fluents
}
