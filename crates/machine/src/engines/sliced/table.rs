//! Selects one of many candidates by its rank, with gates that grow more slowly than those of a tree.
//!
//! Candidates stand in rows. The rank finds the row ([`Levels`]). The row's
//! candidates are then laid over those of the other rows, and one small tree selects a column. A candidate costs three gates
//! this way, where descending a tree of its own costs it eight. Candidates that are legal under the same condition share rows, and
//! their count is a constant.

use rustc_hash::FxHashMap;

use super::graph::{Graph, Literal};
use super::levels::{Count, Levels};
use super::rank::{Tree, width};

/// Fewer candidates than this are no gain.
const FEWEST: usize = 96;

/// Candidates in rows.
pub(super) struct Table {
    rows: Vec<Row>,
    levels: Levels,
}

/// Candidates among which one is selected by its column.
struct Row {
    candidates: Vec<usize>,
    legal: Vec<Literal>,
    /// Whether all are legal under the same condition: then all are in every lane in which the row is found.
    alike: bool,
}

impl Table {
    /// The table of candidates that are legal where these literals hold; none if a tree is as good.
    pub(super) fn over(graph: &mut Graph, legal: &[Literal]) -> Option<Table> {
        if legal.len() < FEWEST {
            return None;
        }
        let rows = rows(legal);
        let counts = rows.iter().map(|row| row.count(graph)).collect();
        let levels = Levels::over(graph, counts);
        Some(Table { rows, levels })
    }

    /// How many candidates are legal.
    pub(super) fn count(&self) -> &[Literal] {
        self.levels.count()
    }

    /// Where `enabled` holds, sets the one candidate that has this rank among those that are legal.
    pub(super) fn select(&self, graph: &mut Graph, enabled: Literal, rank: &[Literal], made: &mut [Literal]) {
        let (found, mut rank) = self.levels.descend(graph, enabled, rank);
        let columns = self.columns(graph, &found);
        let tree = Tree::over(graph, &columns);
        let mut chosen = vec![Literal::FALSE; columns.len()];
        rank.truncate(width(columns.len() - 1));
        tree.descend(graph, Literal::TRUE, &rank, &mut chosen);
        for (row, &found) in self.rows.iter().zip(&found) {
            match row.candidates[..] {
                [only] => made[only] = found,
                _ => {
                    let candidates = row.candidates.iter().zip(&chosen);
                    candidates.for_each(|(&it, &chosen)| made[it] = graph.and(found, chosen));
                }
            }
        }
    }

    /// What is legal in the row that is found, by columns.
    fn columns(&self, graph: &mut Graph, found: &[Literal]) -> Vec<Literal> {
        let longest = self.rows.iter().map(|row| row.legal.len()).max().unwrap_or(0);
        let mut columns = vec![Vec::new(); longest];
        for (row, &found) in self.rows.iter().zip(found) {
            for (column, &legal) in columns.iter_mut().zip(&row.legal) {
                column.push(if row.alike { found } else { graph.and(found, legal) });
            }
        }
        columns.iter().map(|column| graph.or_all(column)).collect()
    }
}

impl Row {
    fn count(&self, graph: &mut Graph) -> Count {
        let most = self.legal.len();
        let bits = if self.alike {
            let bit = |index: usize| if most >> index & 1 == 1 { self.legal[0] } else { Literal::FALSE };
            (0..width(most)).map(bit).collect()
        } else {
            Tree::over(graph, &self.legal).count
        };
        Count { bits, most }
    }
}

/// Cuts candidates into rows.
fn rows(legal: &[Literal]) -> Vec<Row> {
    let mut by_condition: FxHashMap<Literal, Vec<usize>> = FxHashMap::default();
    let mut conditions = Vec::new();
    for (candidate, &literal) in legal.iter().enumerate() {
        let alike = by_condition.entry(literal).or_default();
        if alike.is_empty() {
            conditions.push(literal);
        }
        alike.push(candidate);
    }
    let row = |candidates: &[usize], alike: bool| Row {
        candidates: candidates.to_vec(),
        legal: candidates.iter().map(|&candidate| legal[candidate]).collect(),
        alike,
    };
    let (mut rows, mut single) = (Vec::new(), Vec::new());
    let columns = columns(legal.len());
    for condition in conditions {
        match &by_condition[&condition][..] {
            [only] => single.push(*only),
            alike => rows.extend(alike.chunks(columns).map(|part| row(part, true))),
        }
    }
    // Counts that are the same multiples are added with the fewest gates.
    rows.sort_by_key(|row| row.candidates.len());
    rows.extend(single.chunks(columns).map(|part| row(part, false)));
    rows
}

/// The length of rows: as the tree over the columns and those over the rows together cost the least.
fn columns(candidates: usize) -> usize {
    let cost = |columns: usize| candidates.div_ceil(columns) * (2 * width(columns) + 6) + 14 * columns;
    [6, 12, 24, 48, 96].into_iter().min_by_key(|&columns| cost(columns)).unwrap_or(24)
}

#[cfg(test)]
mod tests {
    use super::super::graph::{Node, Source};
    use super::*;

    /// The value of every node, by those of the slots.
    fn values(graph: &Graph, slots: &[bool]) -> Vec<bool> {
        let mut values: Vec<bool> = Vec::new();
        for node in graph.nodes() {
            let of = |literal: Literal, values: &[bool]| values[literal.node()] != literal.is_complemented();
            let value = match *node {
                Node::False => false,
                Node::Input(Source::Slot(slot)) => slots[slot as usize],
                Node::Input(Source::Random(_)) => unreachable!("nothing is drawn here"),
                Node::And(a, b) => of(a, &values) && of(b, &values),
                Node::Xor(a, b) => of(a, &values) != of(b, &values),
            };
            values.push(value);
        }
        values
    }

    /// Every rank selects a legal candidate, and no two ranks the same one.
    fn check(conditions: usize, of_candidate: &[usize]) {
        let mut graph = Graph::new();
        let inputs: Vec<Literal> =
            (0..conditions as u32).map(|slot| graph.input(Source::Slot(slot))).collect();
        let legal: Vec<Literal> = of_candidate.iter().map(|&condition| inputs[condition]).collect();
        let table = Table::over(&mut graph, &legal).expect("there are enough candidates");
        let bits = width(legal.len() - 1);
        let rank: Vec<Literal> =
            (0..bits).map(|bit| graph.input(Source::Slot((conditions + bit) as u32))).collect();
        let mut made = vec![Literal::FALSE; legal.len()];
        table.select(&mut graph, Literal::TRUE, &rank, &mut made);
        let mut random = 1_u64;
        for share in [0, 1, 2, 7, 8] {
            let mut slots = Vec::new();
            for _ in 0..conditions {
                random =
                    random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                slots.push((random >> 60 & 7) < share);
            }
            let legal: Vec<usize> =
                (0..legal.len()).filter(|&candidate| slots[of_candidate[candidate]]).collect();
            let mut seen = Vec::new();
            for rank in 0..legal.len().max(1) {
                let mut slots = slots.clone();
                slots.extend((0..bits).map(|bit| rank >> bit & 1 == 1));
                let values = values(&graph, &slots);
                let of = |literal: &Literal| values[literal.node()] != literal.is_complemented();
                let count = table.count().iter().enumerate();
                let count: usize = count.map(|(bit, literal)| usize::from(of(literal)) << bit).sum();
                assert_eq!(count, legal.len());
                if !legal.is_empty() {
                    let chosen: Vec<usize> = (0..made.len()).filter(|&it| of(&made[it])).collect();
                    assert_eq!(chosen.len(), 1, "rank {rank} of {count}");
                    seen.extend(chosen);
                }
            }
            seen.sort_unstable();
            assert_eq!(seen, legal);
        }
    }

    #[test]
    fn every_rank_selects_another_legal_candidate() {
        for count in [96, 97, 100, 143, 145, 300, 601] {
            let alone: Vec<usize> = (0..count).collect();
            check(count, &alone);
        }
    }

    #[test]
    fn candidates_that_are_legal_together_are_counted_together() {
        // Of every kind: alone, in short rows of different lengths, in rows that are too long for one.
        let mut of_candidate = Vec::new();
        for condition in 0..60 {
            of_candidate.extend(vec![condition; [1, 2, 3, 8, 1, 40][condition % 6]]);
        }
        check(60, &of_candidate);
        of_candidate.reverse();
        check(60, &of_candidate);
        check(1, &[0; 150]);
    }
}
