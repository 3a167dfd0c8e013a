//! The part of a picture around an atom: breadth first along the wires in both directions, as many nodes as a person can
//! still read. What is connected to something left out says so by an ellipsis.

use std::collections::{BTreeSet, VecDeque};

use super::{Picture, named};

impl Picture {
    /// The part of the picture around an atom, of at most so many nodes; nothing if the atom is not drawn. A fluent alone,
    /// `(cell 1 1 x)`, stands for both what is true and what is next.
    pub fn around(&self, atom: &str, most: usize) -> Option<Picture> {
        let starts = self.nodes_of(atom);
        if starts.is_empty() {
            return None;
        }
        let mut neighbours = vec![Vec::new(); self.nodes.len()];
        for &(from, to, _) in &self.edges {
            neighbours[from].push(to);
            neighbours[to].push(from);
        }
        let mut kept: BTreeSet<usize> = starts.iter().copied().take(most).collect();
        let mut queue: VecDeque<usize> = kept.iter().copied().collect();
        while let Some(node) = queue.pop_front() {
            for &next in &neighbours[node] {
                if kept.len() < most && kept.insert(next) {
                    queue.push_back(next);
                }
            }
        }
        Some(self.part(&kept, &neighbours))
    }

    /// The nodes that an atom names.
    fn nodes_of(&self, atom: &str) -> Vec<usize> {
        let (label, group) = named(&atom.trim().to_lowercase());
        let with_label: Vec<usize> =
            (0..self.nodes.len()).filter(|&node| self.nodes[node].label.to_lowercase() == label).collect();
        let exact: Vec<usize> = with_label
            .iter()
            .copied()
            .filter(|&node| self.nodes[node].group.to_lowercase() == group)
            .collect();
        if exact.is_empty() { with_label } else { exact }
    }

    /// The picture of some nodes alone, without empty columns.
    fn part(&self, kept: &BTreeSet<usize>, neighbours: &[Vec<usize>]) -> Picture {
        let layers: BTreeSet<usize> = kept.iter().map(|&node| self.nodes[node].layer).collect();
        let mut places = vec![None; self.nodes.len()];
        let mut nodes = Vec::with_capacity(kept.len());
        for &number in kept {
            places[number] = Some(nodes.len());
            let mut node = self.nodes[number].clone();
            node.layer = layers.range(..node.layer).count();
            if neighbours[number].iter().any(|next| !kept.contains(next)) {
                node.label = format!("{} …", node.label).trim_start().to_owned();
            }
            nodes.push(node);
        }
        let edge =
            |&(from, to, complement): &(usize, usize, bool)| Some((places[from]?, places[to]?, complement));
        Picture { title: self.title.clone(), nodes, edges: self.edges.iter().filter_map(edge).collect() }
    }
}
