//! Chooses one of the legal moves of a role uniformly at random, in every lane.
//!
//! A tree of bit-sliced sums counts the legal moves. A random number with as many bits as the count needs is drawn, and
//! drawn again in lanes where it is not below the count. A lane whose draws all fail makes no move in this step, which
//! costs time and does not change the distribution. The number then selects a move: it descends the tree, left if it is
//! below the left sum, otherwise right with that sum subtracted. Where most moves of a role tend to be legal, rejection
//! sampling on the number of the move is cheaper.

use super::exclusive::exclusive_sets;
use super::graph::{Graph, Literal, Source};
use super::options::Method;

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
    Index {
        hits: Vec<Literal>,
    },
}

impl Choice {
    /// Prepares a choice among moves that are legal where these literals hold.
    pub(super) fn prepare(
        graph: &mut Graph,
        legal: &[Literal],
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
        let sets = exclusive_sets(graph, legal, &candidates);
        let sets: Vec<Set> = sets.into_iter().map(|moves| Set::new(graph, moves, legal)).collect();
        let any: Vec<Literal> = sets.iter().map(|set| set.any).collect();
        let (possible, lucky, selector) = match method {
            Method::Rank { draws } => Selector::by_rank(graph, &any, draws, randoms),
            Method::Index => Selector::by_index(graph, &any, randoms),
        };
        Choice { possible, lucky, selector, sets, len }
    }

    /// The moves made, where `enabled` holds; it must hold only where a move is possible and there is luck. The move of a
    /// role that has only one is taken as made everywhere.
    pub(super) fn select(&self, graph: &mut Graph, enabled: Literal) -> Vec<Literal> {
        let mut made = vec![Literal::FALSE; self.len];
        let mut chosen = vec![Literal::FALSE; self.sets.len()];
        match &self.selector {
            Selector::Given(None) => {}
            Selector::Given(Some(only)) => made[*only] = Literal::TRUE,
            Selector::Rank { tree, rank } => tree.descend(graph, enabled, rank, &mut chosen),
            Selector::Index { hits } => {
                chosen.clear();
                chosen.extend(hits.iter().map(|&hit| graph.and(hit, enabled)));
            }
        }
        for (set, &chosen) in self.sets.iter().zip(&chosen) {
            set.tell_apart(graph, chosen, &mut made);
        }
        made
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
        let candidates: Vec<usize> = (0..legal.len()).collect();
        let tree = Tree::over(graph, legal, &candidates);
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

/// How many bits a number needs.
fn width(number: usize) -> usize {
    (usize::BITS - number.leading_zeros()) as usize
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

/// Whether one number is below another.
fn below(graph: &mut Graph, number: &[Literal], bound: &[Literal]) -> Literal {
    let mut is_below = Literal::FALSE;
    for (index, &bound) in bound.iter().enumerate() {
        let bit = number.get(index).copied().unwrap_or(Literal::FALSE);
        is_below = borrow(graph, bit, bound, is_below);
    }
    is_below
}

/// The borrow of `a - b - c`: at least two of not a, b, c.
fn borrow(graph: &mut Graph, a: Literal, b: Literal, c: Literal) -> Literal {
    graph.full_adder(!a, b, c).1
}

/// A tree over candidates, with counts of the legal ones.
struct Tree {
    /// How many are legal below here, in bits, the lowest first.
    count: Vec<Literal>,
    branch: Branch,
}

enum Branch {
    /// Up to three moves, with their legality.
    Few(Vec<(usize, Literal)>),
    Split(Box<Tree>, Box<Tree>),
}

impl Tree {
    fn over(graph: &mut Graph, legal: &[Literal], candidates: &[usize]) -> Tree {
        if candidates.len() <= 3 {
            let few: Vec<(usize, Literal)> = candidates.iter().map(|&index| (index, legal[index])).collect();
            let at = |place: usize| few.get(place).map_or(Literal::FALSE, |&(_, literal)| literal);
            let (sum, carry) = graph.full_adder(at(0), at(1), at(2));
            let mut count = vec![sum, carry];
            count.truncate(width(few.len()));
            return Tree { count, branch: Branch::Few(few) };
        }
        // The left part is full, so that sums have as few bits as can be.
        let mut left = 3;
        while left * 2 < candidates.len() {
            left *= 2;
        }
        let (left, right) = candidates.split_at(left);
        let left = Tree::over(graph, legal, left);
        let right = Tree::over(graph, legal, right);
        let count = sum(graph, &left.count, &right.count, candidates.len());
        Tree { count, branch: Branch::Split(Box::new(left), Box::new(right)) }
    }

    fn descend(&self, graph: &mut Graph, enabled: Literal, rank: &[Literal], made: &mut [Literal]) {
        match &self.branch {
            Branch::Few(few) => pick(graph, enabled, rank, few, made),
            Branch::Split(left, right) => {
                let mut is_left = Literal::FALSE;
                let mut rest = Vec::new();
                for index in 0..left.count.len().max(rank.len()) {
                    let bit = |bits: &[Literal]| bits.get(index).copied().unwrap_or(Literal::FALSE);
                    let (a, b) = (bit(rank), bit(&left.count));
                    let differ = graph.xor(a, b);
                    rest.push(graph.xor(differ, is_left));
                    is_left = borrow(graph, a, b, is_left);
                }
                let (to_left, to_right) = (graph.and(enabled, is_left), graph.and(enabled, !is_left));
                left.descend(graph, to_left, &rank[..rank.len().min(left.rank_bits())], made);
                right.descend(graph, to_right, &rest[..rest.len().min(right.rank_bits())], made);
            }
        }
    }

    /// How many bits a rank below here needs.
    fn rank_bits(&self) -> usize {
        width(self.len() - 1)
    }

    fn len(&self) -> usize {
        match &self.branch {
            Branch::Few(few) => few.len(),
            Branch::Split(left, right) => left.len() + right.len(),
        }
    }
}

/// Picks one of up to three moves by its rank.
fn pick(
    graph: &mut Graph,
    enabled: Literal,
    rank: &[Literal],
    few: &[(usize, Literal)],
    made: &mut [Literal],
) {
    match *few {
        [(a, _)] => made[a] = enabled,
        [(a, a_legal), (b, _)] => {
            let low = rank.first().copied().unwrap_or(Literal::FALSE);
            let first = graph.and(a_legal, !low);
            made[a] = graph.and(enabled, first);
            made[b] = graph.and(enabled, !first);
        }
        [(a, a_legal), (b, b_legal), (c, _)] => {
            let bit = |index: usize| rank.get(index).copied().unwrap_or(Literal::FALSE);
            let (low, high) = (bit(0), bit(1));
            let small = graph.and(enabled, !high);
            let zero = graph.and(small, !low);
            made[a] = graph.and(zero, a_legal);
            let differs = graph.xor(low, a_legal);
            let second = graph.and(b_legal, !differs);
            made[b] = graph.and(small, second);
            let (not_a, not_b) = (!made[a], !made[b]);
            let neither = graph.and(not_a, not_b);
            made[c] = graph.and(enabled, neither);
        }
        _ => {}
    }
}

/// The sum of two counts, which is at most `most`.
fn sum(graph: &mut Graph, a: &[Literal], b: &[Literal], most: usize) -> Vec<Literal> {
    let mut carry = Literal::FALSE;
    let mut bits = Vec::new();
    for index in 0..width(most) {
        let bit = |bits: &[Literal]| bits.get(index).copied().unwrap_or(Literal::FALSE);
        let (sum, next) = graph.full_adder(bit(a), bit(b), carry);
        bits.push(sum);
        carry = next;
    }
    bits
}
