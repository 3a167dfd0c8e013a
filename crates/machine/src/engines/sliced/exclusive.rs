//! Mutually exclusive moves: one needs a square to be empty, another needs a piece on it. Moves of which at most one is
//! legal are chosen as one, and the legal one among them is determined afterwards. Choosing costs about ten gates per
//! move; telling apart costs two.
//!
//! The requirements of a move are read off the conjunction that defines its legality. The result therefore holds in
//! every state, reachable or not.

use rustc_hash::FxHashMap;

use super::graph::{Graph, Literal, Node};

/// The most conditions of a move that are looked at.
const MOST_CONDITIONS: usize = 48;
/// The most moves that are tried for a set.
const MOST_TRIED: usize = 400;

/// Cuts moves, given by their numbers, into sets in which no two are ever legal together.
pub(super) fn exclusive_sets(graph: &Graph, legal: &[Literal], moves: &[usize]) -> Vec<Vec<usize>> {
    let needs: Vec<Vec<Literal>> = moves.iter().map(|&number| conditions(graph, legal[number])).collect();
    let mut needing: FxHashMap<Literal, Vec<usize>> = FxHashMap::default();
    for (place, needs) in needs.iter().enumerate() {
        needs.iter().for_each(|&literal| needing.entry(literal).or_default().push(place));
    }
    let mut is_taken = vec![false; moves.len()];
    let mut sets = Vec::new();
    for place in 0..moves.len() {
        if std::mem::replace(&mut is_taken[place], true) {
            continue;
        }
        let mut set = vec![place];
        let opposed = needs[place].iter().filter_map(|&literal| needing.get(&!literal)).flatten();
        let free: Vec<usize> = opposed.copied().filter(|&other| !is_taken[other]).take(MOST_TRIED).collect();
        for other in free {
            if !is_taken[other] && set.iter().all(|&member| contradict(&needs[member], &needs[other])) {
                is_taken[other] = true;
                set.push(other);
            }
        }
        sets.push(set.into_iter().map(|place| moves[place]).collect());
    }
    sets
}

/// What holds wherever a value does, sorted.
fn conditions(graph: &Graph, value: Literal) -> Vec<Literal> {
    let mut found = vec![value];
    let mut next = 0;
    while next < found.len() && found.len() < MOST_CONDITIONS {
        if let (Node::And(a, b), false) = (graph.node(found[next]), found[next].is_complemented()) {
            found.extend([a, b]);
        }
        next += 1;
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Whether one needs the opposite of what the other needs.
fn contradict(one: &[Literal], other: &[Literal]) -> bool {
    one.iter().any(|&literal| other.binary_search(&!literal).is_ok())
}

#[cfg(test)]
mod tests {
    use super::super::graph::Source;
    use super::*;

    #[test]
    fn moves_are_put_together_only_if_they_exclude_each_other() {
        let mut graph = Graph::new();
        let [a, b, c] = [0, 1, 2].map(|slot| graph.input(Source::Slot(slot)));
        let (first, second) = (graph.and(a, !b), graph.and(b, c));
        let deep = graph.and(second, !a);
        let either = graph.or(a, b);
        let legal = [first, second, either, deep, !c];
        let sets = exclusive_sets(&graph, &legal, &[0, 1, 2, 3, 4]);
        assert_eq!(sets, [vec![0, 3], vec![1, 4], vec![2]]);
        // The first excludes the second, the second the last, but the first and the last can be legal together.
        assert_eq!(exclusive_sets(&graph, &legal, &[0, 1, 4]), [vec![0, 1], vec![4]]);
        assert_eq!(exclusive_sets(&graph, &legal, &[2]), [[2]]);
        assert!(exclusive_sets(&graph, &legal, &[]).is_empty());
    }
}
