//! Finds the symmetries of a game: automorphisms of the graph of its rules, by individualisation and refinement. A vertex is given a
//! colour of its own, in one copy of the graph one vertex and in the other its supposed image; refinement spreads that until every
//! vertex has its own colour, which tells where each goes. Whatever comes out is checked edge by edge, so a symmetry that is
//! reported is one. The search has a budget of steps: where it ends early there may be more.

use groundrules_ground::GroundGame;
use rustc_hash::FxHashMap;

use crate::graph::{Colour, Graph, mix};
use crate::group::{Group, Permutation};

/// The symmetries of a game.
#[derive(Clone, Debug)]
pub struct Symmetries {
    /// Permutations of fluents and moves that generate all that were found. Each keeps the roles, or exchanges some if it may.
    pub generators: Vec<Permutation>,
    /// How many symmetries there are, the identity included; as many as fit into the number.
    pub order: u128,
    /// Whether the search came to its end: then there are no others in the rules as they are grounded.
    pub is_complete: bool,
    /// From where on the generators belong to a smaller group, with that group's order: the first is the whole.
    chain: Vec<(usize, u128)>,
}

/// Whether a symmetry may exchange roles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoleChanges {
    /// Every role stays what it is, so that values of states stay the same for everybody.
    Forbidden,
    /// Roles may be exchanged, as the colours of a board game.
    Allowed,
}

/// Vertices visited in refinement, at most.
const BUDGET: u64 = 1_500_000_000;

/// The most vertices that are fixed one after the other.
const MOST_FIXED: usize = 48;

impl Symmetries {
    /// The symmetries of a ground game.
    pub fn of(game: &GroundGame, roles: RoleChanges) -> Symmetries {
        let graph = Graph::of(game, roles == RoleChanges::Allowed);
        Finder { graph: &graph, budget: BUDGET, sums: Vec::new() }.find()
    }

    /// All of them as a group that can be applied to states, or a part of it that is a group by itself if there are more than so many.
    pub fn group(&self, most: usize) -> Group {
        let fits = |&&(_, order): &&(usize, u128)| order <= most as u128;
        let first = self.chain.iter().find(fits).map_or(self.generators.len(), |&(first, _)| first);
        Group::generated(&self.generators[first..], most)
    }
}

/// Looks for automorphisms.
struct Finder<'a> {
    graph: &'a Graph,
    budget: u64,
    /// Memory for refinement.
    sums: Vec<u64>,
}

/// Why no automorphism was found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum No {
    /// There is none.
    Way,
    /// The budget is used up.
    Budget,
}

/// A vertex that is fixed, with the colours before that.
struct Fixed {
    vertex: usize,
    before: Vec<Colour>,
}

impl Finder<'_> {
    fn find(mut self) -> Symmetries {
        let mut is_complete = true;
        let mut colours = self.graph.colours.clone();
        is_complete &= self.refine_fully(&mut colours);
        let mut base: Vec<Fixed> = Vec::new();
        while let Some(cell) = self.cell_to_split(&colours) {
            if base.len() == MOST_FIXED || self.budget == 0 {
                is_complete = false;
                break;
            }
            let vertex = cell[0];
            base.push(Fixed { vertex, before: colours.clone() });
            individualise(&mut colours, vertex, base.len());
            is_complete &= self.refine_fully(&mut colours);
        }
        // From the last fixed vertex to the first: what was found for later ones fixes the earlier ones.
        let (mut found, mut order): (Vec<Vec<u32>>, u128) = (Vec::new(), 1);
        let mut chain = vec![(0, 1)];
        for (depth, Fixed { vertex, before }) in base.iter().enumerate().rev() {
            let mut orbits = Orbits::new(self.graph.len(), &found);
            let cell = (0..before.len()).filter(|&other| before[other] == before[*vertex]);
            for other in cell.collect::<Vec<usize>>() {
                if orbits.are_one(*vertex, other) {
                    continue;
                }
                match self.mapping((before, before), (*vertex, other), depth + 1) {
                    Ok(image) => {
                        orbits.add(&image);
                        found.push(image);
                    }
                    Err(No::Way) => {}
                    Err(No::Budget) => is_complete = false,
                }
            }
            order = order.saturating_mul(orbits.size(*vertex) as u128);
            chain.push((found.len(), order));
        }
        self.symmetries(&found, order, &chain, is_complete)
    }

    /// The result, with generators of larger groups first.
    fn symmetries(
        &self,
        found: &[Vec<u32>],
        order: u128,
        chain: &[(usize, u128)],
        is_complete: bool,
    ) -> Symmetries {
        let generators = found.iter().rev().map(|image| self.permutation(image)).collect();
        let chain = chain.iter().rev().map(|&(count, order)| (found.len() - count, order)).collect();
        Symmetries { generators, order, is_complete, chain }
    }

    /// What an automorphism does to fluents, moves and roles.
    fn permutation(&self, image: &[u32]) -> Permutation {
        let part = |range: std::ops::Range<usize>| {
            let first = range.start as u32;
            image[range].iter().map(|&to| to - first).collect()
        };
        let Graph { fluents, moves, roles, .. } = self.graph;
        Permutation { fluents: part(fluents.clone()), moves: part(moves.clone()), roles: part(roles.clone()) }
    }

    /// Refines until no colour is split any more. Says whether the budget sufficed.
    fn refine_fully(&mut self, colours: &mut [Colour]) -> bool {
        let mut classes = count_classes(colours);
        loop {
            if !self.spend() {
                return false;
            }
            self.graph.refine(colours, &mut self.sums);
            let now = count_classes(colours);
            if now == classes {
                return true;
            }
            classes = now;
        }
    }

    fn spend(&mut self) -> bool {
        let work = self.graph.work();
        let is_enough = self.budget >= work;
        self.budget = if is_enough { self.budget - work } else { 0 };
        is_enough
    }

    /// The smallest class of several fluents or moves, in ascending order. Roles follow from their moves and goals.
    fn cell_to_split(&self, colours: &[Colour]) -> Option<Vec<usize>> {
        let Graph { fluents, moves, .. } = self.graph;
        smallest_class(colours, fluents.start..moves.end)
    }

    /// An automorphism from one copy of the graph to the other that keeps their colours and maps one vertex to another. `depth` tells the
    /// colours of vertices that are individualised apart.
    fn mapping(
        &mut self,
        copies: (&[Colour], &[Colour]),
        pair: (usize, usize),
        depth: usize,
    ) -> Result<Vec<u32>, No> {
        let (mut one, mut other) = (copies.0.to_vec(), copies.1.to_vec());
        individualise(&mut one, pair.0, depth);
        individualise(&mut other, pair.1, depth);
        if !self.refine_together(&mut one, &mut other)? {
            return Err(No::Way);
        }
        let cell = self.cell_to_split(&one).or_else(|| smallest_class(&one, 0..self.graph.len()));
        let Some(cell) = cell else { return self.read_off(&one, &other).ok_or(No::Way) };
        let vertex = cell[0];
        let mut images: Vec<usize> = (0..other.len()).filter(|&image| other[image] == one[vertex]).collect();
        // To stay where it is, is the first guess: most symmetries move little more than they must.
        images.sort_by_key(|&image| image != vertex);
        for image in images {
            match self.mapping((&one, &other), (vertex, image), depth + 1) {
                Err(No::Way) => {}
                done => return done,
            }
        }
        Err(No::Way)
    }

    /// Refines both copies until no colour is split any more; false if they turn out to be different.
    fn refine_together(&mut self, one: &mut [Colour], other: &mut [Colour]) -> Result<bool, No> {
        let mut classes = 0;
        loop {
            let now = count_classes(one);
            if now == classes {
                return Ok(true);
            }
            classes = now;
            if !self.spend() || !self.spend() {
                return Err(No::Budget);
            }
            self.graph.refine(one, &mut self.sums);
            self.graph.refine(other, &mut self.sums);
            let total =
                |colours: &[Colour]| colours.iter().fold(0_u64, |sum, &colour| sum.wrapping_add(mix(colour)));
            if total(one) != total(other) {
                return Ok(false);
            }
        }
    }

    /// The automorphism by which vertices of the same colour correspond, if it is one.
    fn read_off(&self, one: &[Colour], other: &[Colour]) -> Option<Vec<u32>> {
        let places: FxHashMap<Colour, u32> =
            other.iter().enumerate().map(|(place, &colour)| (colour, place as u32)).collect();
        if places.len() != other.len() {
            return None;
        }
        let image: Vec<u32> = one.iter().map(|colour| places.get(colour).copied()).collect::<Option<_>>()?;
        self.graph.is_automorphism(&image).then_some(image)
    }
}

/// Gives a vertex a colour of its own.
fn individualise(colours: &mut [Colour], vertex: usize, depth: usize) {
    colours[vertex] = mix(colours[vertex] ^ mix(0x5eed ^ (depth as u64) << 32));
}

fn count_classes(colours: &[Colour]) -> usize {
    let mut sorted = colours.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len()
}

/// The smallest class of more than one vertex among some, ties by the first vertex.
fn smallest_class(colours: &[Colour], among: std::ops::Range<usize>) -> Option<Vec<usize>> {
    let mut classes: FxHashMap<Colour, (usize, usize)> = FxHashMap::default();
    for vertex in among.clone() {
        let class = classes.entry(colours[vertex]).or_insert((0, vertex));
        class.0 += 1;
    }
    let (colour, _) = classes
        .into_iter()
        .filter(|(_, (count, _))| *count > 1)
        .min_by_key(|&(_, (count, first))| (count, first))?;
    Some(among.filter(|&vertex| colours[vertex] == colour).collect())
}

/// The orbits of vertices under some automorphisms.
struct Orbits {
    parent: Vec<u32>,
}

impl Orbits {
    fn new(count: usize, images: &[Vec<u32>]) -> Self {
        let mut orbits = Orbits { parent: (0..count as u32).collect() };
        images.iter().for_each(|image| orbits.add(image));
        orbits
    }

    fn root(&mut self, mut vertex: u32) -> u32 {
        while self.parent[vertex as usize] != vertex {
            let above = self.parent[self.parent[vertex as usize] as usize];
            self.parent[vertex as usize] = above;
            vertex = above;
        }
        vertex
    }

    fn add(&mut self, image: &[u32]) {
        for (vertex, &to) in image.iter().enumerate() {
            let (one, other) = (self.root(vertex as u32), self.root(to));
            self.parent[one.max(other) as usize] = one.min(other);
        }
    }

    fn are_one(&mut self, one: usize, other: usize) -> bool {
        self.root(one as u32) == self.root(other as u32)
    }

    fn size(&mut self, vertex: usize) -> usize {
        let root = self.root(vertex as u32);
        (0..self.parent.len() as u32).filter(|&other| self.root(other) == root).count()
    }
}
