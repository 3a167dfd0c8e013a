//! Chooses one of the legal moves of a role uniformly at random, in every lane.
//!
//! A tree of bit-sliced sums counts the legal moves. A random number with as many bits as the count needs is drawn, and
//! drawn again in lanes where it is not below the count. A lane whose draws all fail makes no move in this step, which
//! costs time and does not change the distribution. The number then selects a move: it descends the tree, left if it is
//! below the left sum, otherwise right with that sum subtracted. Where most moves of a role tend to be legal, rejection
//! sampling on the number of the move is cheaper. Many moves that have arguments are chosen factor by factor ([`Factors`]).

use super::exclusive::exclusive_sets;
use super::factors::{Chosen, Factors};
use super::graph::{Graph, Literal, Source};
use super::made::Made;
use super::options::Method;
use super::rank::{Tree, below, width};
use super::table::Table;

/// Hands out random inputs.
pub(super) struct Randoms {
    pub(super) used: u32,
}

impl Randoms {
    fn next(&mut self, graph: &mut Graph) -> Literal {
        self.used += 1;
        graph.input(Source::Random(self.used - 1))
    }
}

/// A choice among moves that was prepared and waits for the lanes that make it.
pub(super) struct Choice {
    /// Lanes in which some move is legal.
    pub(super) possible: Literal,
    /// Lanes with luck. Means nothing where no move is legal.
    pub(super) lucky: Literal,
    selector: Selector,
    /// What is chosen from.
    sets: Vec<Set>,
    len: usize,
}

/// Moves of which at most one is legal.
struct Set {
    moves: Vec<usize>,
    /// Whether each is legal, and whether one of them is.
    legal: Vec<Literal>,
    any: Literal,
}

enum Selector {
    /// At most one candidate: nothing is drawn.
    Given(Option<usize>),
    Rank {
        tree: Tree,
        rank: Vec<Literal>,
    },
    /// By rank, where there are many candidates.
    Table {
        table: Table,
        rank: Vec<Literal>,
    },
    /// By rank, factor by factor.
    Factors {
        candidates: Vec<usize>,
        factors: Factors,
        rank: Vec<Literal>,
    },
    Index {
        hits: Vec<Literal>,
    },
}

/// What was selected.
pub(super) enum Selected {
    /// For each move where it is made.
    Each(Vec<Literal>),
    /// What can be made, and the factors of what is.
    Factors(Vec<usize>, Chosen),
}

impl Selected {
    /// Says which of some moves are made, in the order in which they were chosen from.
    pub(super) fn make(self, moves: &[usize], made: &mut Made) {
        match self {
            Selected::Each(literals) => {
                moves.iter().zip(literals).for_each(|(&number, literal)| made.set(number, literal));
            }
            Selected::Factors(candidates, chosen) => made.set_chosen(moves, &candidates, chosen),
        }
    }
}

impl Choice {
    /// Prepares a choice among moves that are legal where these literals hold, and have these words. `eligible` tells where each may be
    /// chosen: where it is legal, or only where it is preferred to others, but somewhere in every lane with a legal move.
    pub(super) fn prepare(
        graph: &mut Graph,
        (legal, eligible): (&[Literal], &[Literal]),
        words: &[&[u32]],
        method: Method,
        randoms: &mut Randoms,
    ) -> Self {
        let candidates: Vec<usize> =
            (0..legal.len()).filter(|&index| legal[index] != Literal::FALSE).collect();
        let len = legal.len();
        if let [] | [_] = candidates[..] {
            let possible = candidates.first().map_or(Literal::FALSE, |&only| legal[only]);
            let selector = Selector::Given(candidates.first().copied());
            return Choice { possible, lucky: Literal::TRUE, selector, sets: Vec::new(), len };
        }
        if let Method::Factors { draws } = method
            && eligible == legal
            && let Some(factors) = Factors::over(
                graph,
                &candidates.iter().map(|&candidate| legal[candidate]).collect::<Vec<_>>(),
                &candidates.iter().map(|&candidate| words[candidate]).collect::<Vec<_>>(),
            )
        {
            let possible = graph.or_all(factors.count());
            let (rank, lucky) = draw(graph, factors.count(), factors.most(), draws, randoms);
            let selector = Selector::Factors { candidates, factors, rank };
            return Choice { possible, lucky, selector, sets: Vec::new(), len };
        }
        let sets = exclusive_sets(graph, legal, &candidates);
        let sets: Vec<Set> = sets.into_iter().map(|moves| Set::new(graph, moves, eligible)).collect();
        let any: Vec<Literal> = sets.iter().map(|set| set.any).collect();
        let (possible, lucky, selector) = match method {
            Method::Rank { draws } | Method::Factors { draws } => {
                Selector::by_rank(graph, &any, draws, randoms)
            }
            Method::Index => Selector::by_index(graph, &any, randoms),
        };
        Choice { possible, lucky, selector, sets, len }
    }

    /// The moves made, where `enabled` holds; it must hold only where a move is possible and there is luck. The move of a
    /// role that has only one is taken as made everywhere.
    pub(super) fn select(&self, graph: &mut Graph, enabled: Literal) -> Selected {
        let mut made = vec![Literal::FALSE; self.len];
        let mut chosen = vec![Literal::FALSE; self.sets.len()];
        match &self.selector {
            Selector::Given(None) => {}
            Selector::Given(Some(only)) => made[*only] = Literal::TRUE,
            Selector::Rank { tree, rank } => tree.descend(graph, enabled, rank, &mut chosen),
            Selector::Table { table, rank } => table.select(graph, enabled, rank, &mut chosen),
            Selector::Factors { candidates, factors, rank } => {
                return Selected::Factors(candidates.clone(), factors.select(graph, enabled, rank));
            }
            Selector::Index { hits } => {
                chosen.clear();
                chosen.extend(hits.iter().map(|&hit| graph.and(hit, enabled)));
            }
        }
        for (set, &chosen) in self.sets.iter().zip(&chosen) {
            set.tell_apart(graph, chosen, &mut made);
        }
        Selected::Each(made)
    }

    /// Whether a move is drawn at all.
    pub(super) fn is_drawn(&self) -> bool {
        !matches!(self.selector, Selector::Given(_))
    }
}

impl Set {
    fn new(graph: &mut Graph, moves: Vec<usize>, legal: &[Literal]) -> Self {
        let legal: Vec<Literal> = moves.iter().map(|&number| legal[number]).collect();
        let any = graph.or_all(&legal);
        Set { moves, legal, any }
    }

    /// The moves made where the set is chosen, which is only where one of them is legal.
    fn tell_apart(&self, graph: &mut Graph, chosen: Literal, made: &mut [Literal]) {
        match (&self.moves[..], &self.legal[..]) {
            (&[only], _) => made[only] = chosen,
            (&[one, other], &[legal, _]) => {
                made[one] = graph.and(chosen, legal);
                made[other] = graph.and(chosen, !legal);
            }
            (moves, legal) => {
                moves.iter().zip(legal).for_each(|(&number, &legal)| made[number] = graph.and(chosen, legal));
            }
        }
    }
}

impl Selector {
    /// The lanes in which something can be chosen, those with luck, and what chooses.
    fn by_rank(
        graph: &mut Graph,
        legal: &[Literal],
        draws: usize,
        randoms: &mut Randoms,
    ) -> (Literal, Literal, Self) {
        if let Some(table) = Table::over(graph, legal) {
            let possible = graph.or_all(table.count());
            let (rank, lucky) = draw(graph, table.count(), legal.len(), draws, randoms);
            return (possible, lucky, Selector::Table { table, rank });
        }
        let tree = Tree::over(graph, legal);
        let possible = graph.or_all(&tree.count);
        let (rank, lucky) = draw(graph, &tree.count, legal.len(), draws, randoms);
        (possible, lucky, Selector::Rank { tree, rank })
    }

    fn by_index(graph: &mut Graph, legal: &[Literal], randoms: &mut Randoms) -> (Literal, Literal, Self) {
        let bits: Vec<Literal> = (0..width(legal.len() - 1)).map(|_| randoms.next(graph)).collect();
        let codes = decoded(graph, &bits, legal.len());
        let hits: Vec<Literal> =
            legal.iter().zip(codes).map(|(&legal, code)| graph.and(code, legal)).collect();
        let lucky = graph.or_all(&hits);
        let possible = graph.or_all(legal);
        (possible, lucky, Selector::Index { hits })
    }
}

/// For each number below `count`, the lanes in which the bits say that number.
fn decoded(graph: &mut Graph, bits: &[Literal], count: usize) -> Vec<Literal> {
    match bits {
        [] => vec![Literal::TRUE; count.min(1)],
        [bit] => [!*bit, *bit].into_iter().take(count).collect(),
        _ => {
            let (low, high) = bits.split_at(bits.len() / 2);
            let low_codes = decoded(graph, low, 1 << low.len());
            let high_codes = decoded(graph, high, count.div_ceil(1 << low.len()));
            let pairs = high_codes.iter().flat_map(|&h| low_codes.iter().map(move |&l| (h, l)));
            pairs.take(count).map(|(h, l)| graph.and(h, l)).collect()
        }
    }
}

/// Draws a number below the count, which is at most `most`; gives its bits and the lanes in which it is one.
fn draw(
    graph: &mut Graph,
    count: &[Literal],
    most: usize,
    draws: usize,
    randoms: &mut Randoms,
) -> (Vec<Literal>, Literal) {
    let bits = width(most - 1);
    let needed = needed_bits(graph, count, bits);
    let mut rank: Vec<Literal> = Vec::new();
    for &needed in &needed {
        let bit = randoms.next(graph);
        rank.push(graph.and(bit, needed));
    }
    let mut lucky = below(graph, &rank, count);
    for _ in 1..draws {
        // Turning the bits by independent ones makes them independent of what they were.
        for (bit, &needed) in rank.iter_mut().zip(&needed) {
            let turned = randoms.next(graph);
            let turned = graph.and(turned, needed);
            let turned = graph.and(turned, !lucky);
            *bit = graph.xor(*bit, turned);
        }
        lucky = below(graph, &rank, count);
    }
    (rank, lucky)
}

/// For each bit of a number below the count, whether it is needed: whether the count is more than the bit's weight.
fn needed_bits(graph: &mut Graph, count: &[Literal], bits: usize) -> Vec<Literal> {
    let mut below = vec![Literal::FALSE];
    for &bit in count {
        let last = below[below.len() - 1];
        below.push(graph.or(last, bit));
    }
    let mut above = Literal::FALSE;
    let mut needed = vec![Literal::FALSE; bits];
    for index in (0..count.len()).rev() {
        if index < bits {
            let more = graph.and(count[index], below[index]);
            needed[index] = graph.or(above, more);
        }
        above = graph.or(above, count[index]);
    }
    needed
}
