//! Strongly connected components of a dependency graph, each after those it depends on (Tarjan's algorithm, without
//! recursion: descriptions can make chains of any length). Relations, predicates, domains, atoms and gates are all ordered
//! by this.

use crate::index::index32;

/// A graph whose edges lead from each node to the nodes that it depends on, stored flat.
///
/// ```
/// use groundrules_gdl::components::Graph;
///
/// let graph = Graph::from_edges(4, [(0, 1), (1, 2), (2, 1), (3, 3)]);
/// let components = graph.components();
/// assert!(components.of(1) == components.of(2) && components.of(1) < components.of(0));
/// let cyclic = [0, 1, 3].map(|node| components.is_cyclic(components.of(node)));
/// assert_eq!(cyclic, [false, true, true]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Where each node's dependencies end.
    ends: Vec<u32>,
    targets: Vec<u32>,
}

impl Graph {
    /// A graph of so many nodes with these edges, each from a node to one that it depends on.
    pub fn from_edges(nodes: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let edges: Vec<(usize, usize)> = edges.into_iter().collect();
        index32(edges.len(), "edges");
        let mut ends = vec![0u32; nodes];
        edges.iter().for_each(|&(from, _)| ends[from] += 1);
        let mut end = 0;
        for count in &mut ends {
            end += *count;
            *count = end - *count; // where the node's dependencies begin, for now
        }
        let mut targets = vec![0; edges.len()];
        for (from, to) in edges {
            targets[ends[from] as usize] = index32(to, "nodes");
            ends[from] += 1;
        }
        Graph { ends, targets }
    }

    /// Adds the next node, which depends on these.
    pub fn push(&mut self, targets: impl IntoIterator<Item = u32>) {
        self.targets.extend(targets);
        self.ends.push(index32(self.targets.len(), "edges"));
    }

    fn of(&self, node: u32) -> &[u32] {
        let start = if node == 0 { 0 } else { self.ends[node as usize - 1] as usize };
        &self.targets[start..self.ends[node as usize] as usize]
    }

    /// Finds the strongly connected components.
    pub fn components(&self) -> Components<'_> {
        let nodes = self.ends.len();
        let mut search = Search {
            graph: self,
            low: vec![NOT_SEEN; nodes],
            path: Vec::new(),
            open: Vec::new(),
            members: Vec::new(),
            ends: Vec::new(),
            of: vec![0; nodes],
        };
        for node in 0..index32(nodes, "nodes") {
            if search.low[node as usize] == NOT_SEEN {
                search.from(node);
            }
        }
        Components { graph: self, members: search.members, ends: search.ends, of: search.of }
    }
}

/// The strongly connected components of a graph, numbered so that each comes after those it depends on.
#[derive(Clone, Debug)]
pub struct Components<'graph> {
    graph: &'graph Graph,
    members: Vec<u32>,
    ends: Vec<u32>,
    /// The component of each node.
    of: Vec<u32>,
}

impl Components<'_> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The component of a node.
    pub fn of(&self, node: usize) -> usize {
        self.of[node] as usize
    }

    /// The members of a component.
    pub fn members(&self, component: usize) -> &[u32] {
        let start = if component == 0 { 0 } else { self.ends[component - 1] as usize };
        &self.members[start..self.ends[component] as usize]
    }

    /// The members of each component in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.len()).map(|component| self.members(component))
    }

    /// Whether the members of a component depend on themselves: there are several, or the only one has a loop.
    pub fn is_cyclic(&self, component: usize) -> bool {
        match self.members(component) {
            &[single] => self.graph.of(single).contains(&single),
            _ => true,
        }
    }
}

/// What stands in [`Search::low`] for a node that was not seen yet, and for one that has its component.
const NOT_SEEN: u32 = u32::MAX;
const DONE: u32 = u32::MAX - 1;

struct Search<'g> {
    graph: &'g Graph,
    /// The smallest place in `open` known to be reached from a node that is still open.
    low: Vec<u32>,
    /// The nodes being visited: the node, its place in `open`, how many of its dependencies were looked at.
    path: Vec<(u32, u32, u32)>,
    /// Nodes that have been seen and belong to no component yet.
    open: Vec<u32>,
    /// What was found; see [`Components`].
    members: Vec<u32>,
    ends: Vec<u32>,
    of: Vec<u32>,
}

impl Search<'_> {
    fn from(&mut self, root: u32) {
        self.enter(root);
        while let Some(&mut (node, place, ref mut looked)) = self.path.last_mut() {
            let target = self.graph.of(node).get(*looked as usize).copied();
            *looked += 1;
            let Some(target) = target else {
                self.leave(node, place);
                continue;
            };
            match self.low[target as usize] {
                NOT_SEEN => self.enter(target),
                DONE => {}
                reached => self.lower(node, reached),
            }
        }
    }

    fn enter(&mut self, node: u32) {
        let place = index32(self.open.len(), "nodes");
        self.low[node as usize] = place;
        self.open.push(node);
        self.path.push((node, place, 0));
    }

    fn lower(&mut self, node: u32, reached: u32) {
        let low = &mut self.low[node as usize];
        *low = reached.min(*low);
    }

    fn leave(&mut self, node: u32, place: u32) {
        self.path.pop();
        let low = self.low[node as usize];
        if let Some(&(parent, _, _)) = self.path.last() {
            self.lower(parent, low);
        }
        if low == place {
            let component = index32(self.ends.len(), "components");
            for &member in &self.open[place as usize..] {
                self.low[member as usize] = DONE;
                self.of[member as usize] = component;
            }
            self.members.extend(self.open.drain(place as usize..));
            self.ends.push(index32(self.members.len(), "nodes"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(edges: &[&[u32]]) -> Vec<Vec<u32>> {
        let mut graph = Graph::default();
        edges.iter().for_each(|targets| graph.push(targets.iter().copied()));
        let components = graph.components();
        let mut all: Vec<Vec<u32>> = components.iter().map(<[u32]>::to_vec).collect();
        all.iter_mut().for_each(|members| members.sort_unstable());
        for (number, members) in all.iter().enumerate() {
            assert!(members.iter().all(|&member| components.of(member as usize) == number));
        }
        all
    }

    #[test]
    fn a_component_comes_after_what_it_depends_on() {
        assert_eq!(sorted(&[&[1], &[2], &[]]), [[2], [1], [0]]);
        assert_eq!(sorted(&[&[1, 3], &[2], &[1, 4], &[3], &[]]), vec![vec![4], vec![1, 2], vec![3], vec![0]]);
    }

    #[test]
    fn a_node_closed_before_is_no_way_back() {
        // 0 → 1, 0 → 2, 2 → 1: when 2 looks at 1, that is done.
        assert_eq!(sorted(&[&[1, 2], &[], &[1]]), [[1], [2], [0]]);
        assert_eq!(sorted(&[&[1], &[2, 0], &[3], &[1]]), vec![vec![0, 1, 2, 3]]);
    }

    #[test]
    fn edges_may_come_in_any_order() {
        let graph = Graph::from_edges(5, [(2, 4), (0, 1), (2, 1), (3, 3), (1, 2), (0, 3)]);
        let components = graph.components();
        assert_eq!((components.len(), components.of(1)), (4, components.of(2)));
        assert!(components.of(4) < components.of(1) && components.of(1) < components.of(0));
        let cyclic = [0, 1, 3, 4].map(|node| components.is_cyclic(components.of(node)));
        assert_eq!(cyclic, [false, true, true, false]);
        assert!(Graph::from_edges(0, []).components().is_empty());
    }

    #[test]
    fn chains_may_be_long() {
        let components = Graph::from_edges(200_000, (1..200_000).map(|node| (node - 1, node)));
        assert_eq!(components.components().of(0), 199_999);
    }
}
