//! Playouts that prefer some moves to others, and tell which moves they made. Every move of every role has slots behind the lasting ones:
//! in which lanes it is among the best, in which among the good ones, and in which it was made. Where a lane has a legal move among its good
//! ones it chooses among those, else among all; and among these again among its best ones, where there are any; with equal chances. The
//! slots are filled with random bits before playouts begin, with a share of ones for each move ([`Preferences`]): weights are data, and the
//! circuits stay the same whatever is learnt.

use crate::batch::{MoveRecord, Preference, Preferences};
use crate::index::index32;

use super::graph::{Graph, Literal, Source};
use super::layout::Layout;
use super::random::Generator;
use super::vector::Vector;

/// What the slots of a move say.
#[derive(Clone, Copy)]
enum About {
    Best,
    Good,
    Made,
}

fn slot(layout: &Layout, number: usize, about: About) -> usize {
    layout.lasting + 1 + 3 * number + about as usize
}

/// The slot of the lanes whose playout is over.
pub(super) fn over(layout: &Layout) -> u32 {
    index32(layout.lasting)
}

/// The slot of the lanes in which a move was made.
pub(super) fn made(layout: &Layout, number: usize) -> u32 {
    index32(slot(layout, number, About::Made))
}

/// The first slot behind those of so many moves.
pub(super) fn end(layout: &Layout, moves: usize) -> u32 {
    index32(slot(layout, moves, About::Best))
}

/// Where each of a role's moves may be chosen, given where each is legal.
pub(super) fn eligible(
    graph: &mut Graph,
    layout: &Layout,
    moves: &[usize],
    legal: &[Literal],
) -> Vec<Literal> {
    let mut eligible = legal.to_vec();
    // The good ones among the legal moves, where there are any; then the best among those.
    for about in [About::Good, About::Best] {
        let of_move = |graph: &mut Graph, &number: &usize| {
            graph.input(Source::Slot(index32(slot(layout, number, about))))
        };
        let liked: Vec<Literal> = moves.iter().map(|number| of_move(graph, number)).collect();
        let own = eligible.iter().zip(&liked).map(|(&eligible, &liked)| graph.and(eligible, liked));
        let own: Vec<Literal> = own.collect();
        let none = !graph.or_all(&own);
        for (eligible, liked) in eligible.iter_mut().zip(liked) {
            let may_be = graph.or(liked, none);
            *eligible = graph.and(*eligible, may_be);
        }
    }
    eligible
}

/// Fills the slots of all moves.
pub(super) fn fill<V: Vector>(
    memory: &mut [V],
    layout: &Layout,
    preferences: &Preferences,
    seed: u64,
    first_word: usize,
) {
    let mut random = Generator::<V>::new(2 * BITS, seed, first_word);
    for (number, &Preference { best, good }) in preferences.of_moves.iter().enumerate() {
        random.take(2 * BITS);
        let (one, other) = random.taken().split_at(BITS);
        memory[slot(layout, number, About::Best)] = with_share(best, one);
        memory[slot(layout, number, About::Good)] = with_share(good, other);
    }
}

/// Adds to a record in how many lanes each move was made, and what its role came to there. `won` has for each goal, a role and a value, the
/// lanes that ended with it as the role's only one.
pub(super) fn record<V: Vector>(
    memory: &[V],
    layout: &Layout,
    movers: &[u32],
    won: &[(usize, i32, V)],
    record: &mut MoveRecord,
) {
    record.of_moves.resize(movers.len(), (0, 0));
    for (number, (&role, (count, sum))) in movers.iter().zip(&mut record.of_moves).enumerate() {
        let lanes = memory[slot(layout, number, About::Made)];
        if lanes.is_empty() {
            continue;
        }
        for &(_, value, won) in won.iter().filter(|&&(of, ..)| of == role as usize) {
            let both = lanes.and(won).count();
            *count += both;
            *sum += i64::from(value) * both as i64;
        }
    }
}

/// Shares are numbers of so many bits.
const BITS: usize = 4;

/// Lanes of which about a share is set, in sixteenths.
fn with_share<V: Vector>(sixteenths: u8, random: &[V]) -> V {
    if sixteenths >= 1 << BITS {
        return V::filled(true);
    }
    let join = |lanes: V, (bit, &random): (usize, &V)| match sixteenths >> bit & 1 {
        1 => lanes.or(random),
        _ => lanes.and(random),
    };
    random.iter().enumerate().fold(V::default(), join)
}

#[cfg(test)]
mod tests {
    use super::super::vector::Lanes512;
    use super::*;

    #[test]
    fn shares_are_those_asked_for() {
        let mut random = Generator::<Lanes512>::new(BITS, 7, 0);
        for sixteenths in 0..=16 {
            let mut count = 0;
            for _ in 0..100 {
                random.take(BITS);
                count += with_share(sixteenths, random.taken()).count();
            }
            let share = count as f64 / 51_200.0;
            assert!((share - f64::from(sixteenths) / 16.0).abs() < 0.01, "{sixteenths}: {share}");
        }
    }
}
