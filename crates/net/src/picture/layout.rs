//! The layout of a picture: one column per layer, groups together, and nodes near their neighbours (the barycentre
//! method, a few sweeps).

use std::collections::BTreeMap;

use super::Picture;

/// The height of a row.
pub(super) const ROW: f64 = 13.0;
/// The room above a group for its name.
pub(super) const HEAD: f64 = 15.0;

/// Nodes of one group in one column.
pub(super) struct Cluster {
    pub(super) column: usize,
    pub(super) members: Vec<usize>,
}

/// Where everything is.
pub(super) struct Layout {
    pub(super) clusters: Vec<Cluster>,
    /// For each node where the middle of its row is.
    pub(super) y: Vec<f64>,
    pub(super) columns: usize,
    pub(super) height: f64,
}

pub(super) fn layout(picture: &Picture) -> Layout {
    let mut groups: BTreeMap<(usize, &str), Vec<usize>> = BTreeMap::new();
    for (number, node) in picture.nodes.iter().enumerate() {
        groups.entry((node.layer, &node.group)).or_default().push(number);
    }
    let clusters: Vec<Cluster> =
        groups.into_iter().map(|((column, _), members)| Cluster { column, members }).collect();
    let columns = clusters.iter().map(|cluster| cluster.column + 1).max().unwrap_or(0);
    let mut layout = Layout { clusters, y: vec![0.0; picture.nodes.len()], columns, height: 0.0 };
    layout.stack();
    let (mut before, mut after) =
        (vec![Vec::new(); picture.nodes.len()], vec![Vec::new(); picture.nodes.len()]);
    for &(from, to, _) in &picture.edges {
        before[to].push(from);
        after[from].push(to);
    }
    for _ in 0..6 {
        layout.pull(&after);
        layout.stack();
        layout.pull(&before);
        layout.stack();
    }
    layout
}

impl Layout {
    /// Puts the clusters of each column one below the other, columns centred.
    fn stack(&mut self) {
        let mut ends = vec![HEAD; self.columns];
        for cluster in &self.clusters {
            let end = &mut ends[cluster.column];
            for &member in &cluster.members {
                self.y[member] = *end + ROW / 2.0;
                *end += ROW;
            }
            *end += HEAD;
        }
        self.height = ends.iter().copied().fold(0.0, f64::max);
        for cluster in &self.clusters {
            let shift = (self.height - ends[cluster.column]) / 2.0;
            cluster.members.iter().for_each(|&member| self.y[member] += shift);
        }
    }

    /// Orders clusters, and nodes in them, by the middle of their neighbours.
    fn pull(&mut self, neighbours: &[Vec<usize>]) {
        let middle = |node: usize| {
            let own = &neighbours[node];
            let sum: f64 = own.iter().map(|&other| self.y[other]).sum();
            if own.is_empty() { self.y[node] } else { sum / own.len() as f64 }
        };
        let middles: Vec<f64> = (0..neighbours.len()).map(middle).collect();
        let of_cluster = |cluster: &Cluster| {
            let sum: f64 = cluster.members.iter().map(|&member| middles[member]).sum();
            sum / cluster.members.len().max(1) as f64
        };
        for cluster in &mut self.clusters {
            cluster.members.sort_by(|&left, &right| middles[left].total_cmp(&middles[right]));
        }
        self.clusters.sort_by(|left, right| {
            left.column.cmp(&right.column).then(of_cluster(left).total_cmp(&of_cluster(right)))
        });
    }
}
