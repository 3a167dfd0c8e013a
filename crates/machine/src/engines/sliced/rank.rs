//! Numbers in lanes, bit by bit, and the tree in which a number selects: every node has the count of what is legal below it, and the
//! number descends, left if it is below the left count, otherwise right with that count subtracted.

use super::graph::{Graph, Literal};

/// How many bits a number needs.
pub(super) fn width(number: usize) -> usize {
    (usize::BITS - number.leading_zeros()) as usize
}

/// Whether one number is below another.
pub(super) fn below(graph: &mut Graph, number: &[Literal], bound: &[Literal]) -> Literal {
    let mut is_below = Literal::FALSE;
    for (index, &bound) in bound.iter().enumerate() {
        let bit = number.get(index).copied().unwrap_or(Literal::FALSE);
        is_below = borrow(graph, bit, bound, is_below);
    }
    is_below
}
/// The borrow of `a - b - c`: at least two of not a, b, c.
pub(super) fn borrow(graph: &mut Graph, a: Literal, b: Literal, c: Literal) -> Literal {
    graph.full_adder(!a, b, c).1
}

/// A tree over candidates, with counts of the legal ones.
pub(super) struct Tree {
    /// How many are legal below here, in bits, the lowest first.
    pub(super) count: Vec<Literal>,
    branch: Branch,
}

enum Branch {
    /// Up to three moves, with their legality.
    Few(Vec<(usize, Literal)>),
    Split(Box<Tree>, Box<Tree>),
}

impl Tree {
    pub(super) fn over(graph: &mut Graph, legal: &[Literal]) -> Tree {
        let candidates: Vec<usize> = (0..legal.len()).collect();
        Tree::over_some(graph, legal, &candidates)
    }

    fn over_some(graph: &mut Graph, legal: &[Literal], candidates: &[usize]) -> Tree {
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
        let left = Tree::over_some(graph, legal, left);
        let right = Tree::over_some(graph, legal, right);
        let count = sum(graph, &left.count, &right.count, candidates.len());
        Tree { count, branch: Branch::Split(Box::new(left), Box::new(right)) }
    }

    /// Where `enabled` holds, sets the one candidate that has this rank among those that are legal.
    pub(super) fn descend(
        &self,
        graph: &mut Graph,
        enabled: Literal,
        rank: &[Literal],
        made: &mut [Literal],
    ) {
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
pub(super) fn sum(graph: &mut Graph, a: &[Literal], b: &[Literal], most: usize) -> Vec<Literal> {
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
