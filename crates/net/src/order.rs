//! Strongly connected components of a dependency graph, each after those it depends on (Tarjan's algorithm, without
//! recursion: descriptions can make chains of any length).

/// Which nodes each node depends on, flat.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dependencies {
    /// Where each node's dependencies end.
    ends: Vec<u32>,
    targets: Vec<u32>,
}

impl Dependencies {
    /// Adds the next node, which depends on these.
    pub(crate) fn push(&mut self, targets: impl IntoIterator<Item = u32>) {
        self.targets.extend(targets);
        self.ends.push(u32::try_from(self.targets.len()).unwrap_or(u32::MAX));
    }

    fn of(&self, node: u32) -> &[u32] {
        let start = if node == 0 { 0 } else { self.ends[node as usize - 1] as usize };
        &self.targets[start..self.ends[node as usize] as usize]
    }

    /// Whether a node depends on itself directly.
    pub(crate) fn has_loop(&self, node: u32) -> bool {
        self.of(node).contains(&node)
    }
}

/// The components, flat.
#[derive(Clone, Debug, Default)]
pub(crate) struct Components {
    members: Vec<u32>,
    ends: Vec<u32>,
}

impl Components {
    /// The members of each component, the components in topological order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.members[start as usize..end as usize])
    }
}

const NOT_SEEN: u32 = u32::MAX;
const DONE: u32 = u32::MAX - 1;

/// Finds the components.
pub(crate) fn components(graph: &Dependencies) -> Components {
    let nodes = graph.ends.len();
    let mut search = Search {
        graph,
        low: vec![NOT_SEEN; nodes],
        path: Vec::new(),
        open: Vec::new(),
        found: Components::default(),
    };
    for node in 0..u32::try_from(nodes).unwrap_or(u32::MAX) {
        if search.low[node as usize] == NOT_SEEN {
            search.from(node);
        }
    }
    search.found
}

struct Search<'g> {
    graph: &'g Dependencies,
    /// The smallest place in `open` known to be reached from a node that is still open.
    low: Vec<u32>,
    /// The nodes being visited: the node, its place in `open`, how many of its dependencies were looked at.
    path: Vec<(u32, u32, u32)>,
    /// Nodes that have been seen and belong to no component yet.
    open: Vec<u32>,
    found: Components,
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
        let place = u32::try_from(self.open.len()).unwrap_or(DONE);
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
            let members = self.open.drain(place as usize..);
            members.as_slice().iter().for_each(|&member| self.low[member as usize] = DONE);
            self.found.members.extend(members);
            self.found.ends.push(u32::try_from(self.found.members.len()).unwrap_or(u32::MAX));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(edges: &[&[u32]]) -> Vec<Vec<u32>> {
        let mut graph = Dependencies::default();
        edges.iter().for_each(|targets| graph.push(targets.iter().copied()));
        let mut all: Vec<Vec<u32>> = components(&graph).iter().map(<[u32]>::to_vec).collect();
        all.iter_mut().for_each(|members| members.sort_unstable());
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
}
