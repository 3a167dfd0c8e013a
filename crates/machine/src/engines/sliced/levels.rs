//! Finds by its rank which of many numbered groups a candidate is in. At each level of a binary tree over the groups only one
//! node is of interest in a lane, so one number, its left count, is taken from all of them, and there is one subtraction for
//! the level.

use super::graph::{Graph, Literal};
use super::rank::{borrow, sum, width};

/// How many candidates are legal.
#[derive(Clone)]
pub(super) struct Count {
    /// In bits, the lowest first.
    pub(super) bits: Vec<Literal>,
    /// The most that it can be.
    pub(super) most: usize,
}

/// For each level from the groups up the counts of its nodes; the last has one.
pub(super) struct Levels(Vec<Vec<Count>>);

impl Levels {
    /// A tree over groups with these counts.
    pub(super) fn over(graph: &mut Graph, groups: Vec<Count>) -> Levels {
        let mut levels = vec![groups];
        while let Some(last) = levels.last().filter(|last| last.len() > 1) {
            let next = last.chunks(2).map(|pair| joined(graph, pair)).collect();
            levels.push(next);
        }
        Levels(levels)
    }

    /// How many candidates are legal.
    pub(super) fn count(&self) -> &[Literal] {
        self.0.last().and_then(|top| top.first()).map_or(&[], |count| &count.bits)
    }

    /// The most candidates that can be legal.
    pub(super) fn most(&self) -> usize {
        self.0.last().and_then(|top| top.first()).map_or(0, |count| count.most)
    }

    /// Where `enabled` holds, the group in which the candidate with this rank is, and its rank there.
    pub(super) fn descend(
        &self,
        graph: &mut Graph,
        enabled: Literal,
        rank: &[Literal],
    ) -> (Vec<Literal>, Vec<Literal>) {
        let mut rank = rank.to_vec();
        let mut found = vec![enabled];
        for level in self.0.iter().rev().skip(1) {
            (found, rank) = down(graph, level, &found, &rank);
        }
        (found, rank)
    }
}

/// The count of a node over one or two others.
fn joined(graph: &mut Graph, pair: &[Count]) -> Count {
    match pair {
        [left, right] => {
            let most = left.most + right.most;
            Count { bits: sum(graph, &left.bits, &right.bits, most), most }
        }
        _ => pair[0].clone(),
    }
}

/// One level down: where each node is found, and the rank there.
fn down(
    graph: &mut Graph,
    level: &[Count],
    found: &[Literal],
    rank: &[Literal],
) -> (Vec<Literal>, Vec<Literal>) {
    let lefts = level.chunks(2).map(|pair| &pair[0]);
    let most = level.iter().map(|count| count.most).max().unwrap_or(0);
    let mut bits = vec![Vec::new(); width(most)];
    for (left, &found) in lefts.zip(found) {
        bits.iter_mut().zip(&left.bits).for_each(|(bit, &of_left)| bit.push(graph.and(found, of_left)));
    }
    let left: Vec<Literal> = bits.iter().map(|bit| graph.or_all(bit)).collect();
    let mut is_left = Literal::FALSE;
    let mut rest = Vec::new();
    for index in 0..left.len().max(rank.len()) {
        let bit = |bits: &[Literal]| bits.get(index).copied().unwrap_or(Literal::FALSE);
        let (a, b) = (bit(rank), bit(&left));
        let differ = graph.xor(a, b);
        rest.push(graph.xor(differ, is_left));
        is_left = borrow(graph, a, b, is_left);
    }
    let next = level.chunks(2).zip(found).flat_map(|(pair, &found)| match pair {
        [_, _] => vec![graph.and(found, is_left), graph.and(found, !is_left)],
        // Everything is left of nothing.
        _ => vec![found],
    });
    let next = next.collect();
    rest.truncate(width(most - 1));
    let bit = |(index, &rest): (usize, &Literal)| {
        let now = rank.get(index).copied().unwrap_or(Literal::FALSE);
        graph.choose(is_left, now, rest)
    };
    let rank = rest.iter().enumerate().map(bit).collect();
    (next, rank)
}
