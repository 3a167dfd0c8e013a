//! Turns: small sets of fluents of which exactly one holds in every state of a legal match. Candidates are fluents that
//! pass a token in a ring (`next(black) = white`, `next(white) = black`), and fluents that differ in one argument. A
//! candidate counts only if it is proved by induction: exactly one holds initially, and if exactly one holds in a
//! state, exactly one holds in the next.

use groundrules_ground::GroundGame;
use rustc_hash::FxHashMap;

use crate::literal::Literal;
use crate::network::{Network, NodeKind, Outputs};
use crate::simplify::Options;
use crate::specialise::specialise;

/// The most fluents of a set: each makes a network of its own.
const LARGEST: usize = 8;
/// How many candidates are tried at most; each costs about as much as a simplification for each of its fluents.
const TRIED: usize = 3;

/// Sets of fluents of which exactly one holds in every state that a legal match reaches, the set that most gates use
/// first. The network must be one for legal play and reachable states.
pub fn turns(game: &GroundGame, network: &Network) -> Vec<Vec<usize>> {
    let uses = uses(network);
    let weight = |set: &[usize]| set.iter().map(|&fluent| uses[fluent]).sum::<usize>();
    let mut rings = rings(network);
    rings.sort_by_key(|set| std::cmp::Reverse(weight(set)));
    let mut families = families(game, network);
    families.retain(|set| !rings.contains(set) && weight(set) > 2 * set.len());
    families.sort_by_key(|set| std::cmp::Reverse(weight(set)));
    families.truncate(TRIED);
    families.retain(|set| is_kept(network, set));
    rings.extend(families);
    rings.sort_by_key(|set| std::cmp::Reverse(weight(set)));
    rings
}

/// How many gates use each fluent.
fn uses(network: &Network) -> Vec<usize> {
    let mut uses = vec![0; network.fluents()];
    for gate in 0..network.gate_count() {
        for operand in network.operands(gate) {
            if let NodeKind::Fluent(fluent) = network.kind(operand.node()) {
                uses[fluent] += 1;
            }
        }
    }
    uses
}

fn begins_with_one(network: &Network, set: &[usize]) -> bool {
    set.iter().filter(|&&fluent| network.init[fluent]).count() == 1
}

/// Fluents each of which is next where the one before it is now: nothing more is to be proved of them.
fn rings(network: &Network) -> Vec<Vec<usize>> {
    let before = |fluent: usize| match network.outputs.next[fluent] {
        literal if literal.is_complemented() => None,
        literal => match network.kind(literal.node()) {
            NodeKind::Fluent(other) => Some(other),
            _ => None,
        },
    };
    let ring = |first: usize| {
        let ring: Vec<usize> =
            std::iter::successors(Some(first), |&fluent| before(fluent).filter(|&other| other != first))
                .take(LARGEST + 1)
                .collect();
        let closed = ring.last().and_then(|&last| before(last)) == Some(first);
        (closed && (2..=LARGEST).contains(&ring.len()) && ring.iter().min() == Some(&first)).then_some(ring)
    };
    let mut rings: Vec<Vec<usize>> = (0..network.fluents()).filter_map(ring).collect();
    rings.iter_mut().for_each(|ring| ring.sort_unstable());
    rings.retain(|ring| begins_with_one(network, ring));
    rings
}

/// Fluents that differ in one argument.
fn families(game: &GroundGame, network: &Network) -> Vec<Vec<usize>> {
    let mut families: FxHashMap<(usize, String), Vec<usize>> = FxHashMap::default();
    for (fluent, &term) in game.fluents.iter().enumerate() {
        let text = game.term(term);
        let words: Vec<&str> = text.split(' ').collect();
        for place in 1..words.len() {
            let mut others = words.clone();
            others[place] = if place + 1 == words.len() { "*)" } else { "*" };
            families.entry((place, others.join(" "))).or_default().push(fluent);
        }
    }
    let mut families: Vec<Vec<usize>> = families.into_values().collect();
    families.retain(|set| (2..=LARGEST).contains(&set.len()) && begins_with_one(network, set));
    families.sort();
    families.dedup();
    families
}

/// Whether one of the fluents alone is next wherever one of them alone holds.
fn is_kept(network: &Network, set: &[usize]) -> bool {
    let only = Outputs {
        next: (0..network.fluents())
            .map(|fluent| if set.contains(&fluent) { network.outputs.next[fluent] } else { Literal::FALSE })
            .collect(),
        legal: network.outputs.legal.clone(),
        terminal: Literal::FALSE,
        goals: Vec::new(),
    };
    let part = Network { outputs: only, labels: Vec::new(), ..network.clone() };
    set.iter().all(|&turn| {
        let assumed: Vec<(usize, bool)> = set.iter().map(|&fluent| (fluent, fluent == turn)).collect();
        let options = Options { share_operands: false, ..Options::default() };
        let special = specialise(&part, &assumed, &options);
        let mut next: Vec<Literal> = set.iter().map(|&fluent| special.outputs.next[fluent]).collect();
        next.retain(|&literal| literal != Literal::FALSE);
        matches!(next[..], [Literal::TRUE]) || matches!(next[..], [one, other] if one == !other)
    })
}
