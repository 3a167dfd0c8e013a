//! The ground rules of a game as a graph with coloured vertices and labelled edges, whose automorphisms are symmetries of the game; and
//! colour refinement on it.
//!
//! Vertices are the atoms, the rules and the roles. A rule has edges to its head and to the atoms of its body, a fluent to the atom that
//! says that it holds next, a move to the atom that says that it is legal and to its role. Since the graph says everything that the
//! rules say, a permutation of its vertices that keeps colours and edges maps matches to matches.

use std::hash::Hasher;

use groundrules_ground::GroundGame;
use groundrules_ground::ground_game::{AtomKind, GroundLiteral};
use rustc_hash::FxHasher;

/// Colours are hashes: equal ones may be equal by accident, so whatever rests on them is checked.
pub(crate) type Colour = u64;

/// The graph.
pub(crate) struct Graph {
    /// The colours that automorphisms must keep.
    pub(crate) colours: Vec<Colour>,
    /// Edges by their source: where those of each vertex begin, and label and target of each.
    first: Vec<u32>,
    edges: Vec<(u8, u32)>,
    /// The vertices of fluents and of moves.
    pub(crate) fluents: std::ops::Range<usize>,
    pub(crate) moves: std::ops::Range<usize>,
    pub(crate) roles: std::ops::Range<usize>,
}

/// What an edge means.
const HEAD: u8 = 0;
const HOLDS: u8 = 1;
const HOLDS_NOT: u8 = 2;
const NEXT: u8 = 3;
const LEGAL: u8 = 4;
const OF_ROLE: u8 = 5;

/// Mixes the bits of a number.
pub(crate) fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// A colour by a text.
fn text_colour(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    mix(hasher.finish())
}

impl Graph {
    /// The graph of a ground game, in which roles may be exchanged or not.
    pub(crate) fn of(game: &GroundGame, may_exchange_roles: bool) -> Graph {
        let (atoms, rules) = (game.atom_count(), game.rules().len());
        let first_role = atoms + rules;
        let role_vertex = |role: usize| (first_role + role) as u32;
        let mut colours = vec![0; first_role + game.roles.len()];
        let mut from: Vec<Vec<(u8, u32)>> = vec![Vec::new(); colours.len()];
        let at = |kind: AtomKind| game.atom(kind).index();
        let edge = |label: u8, kind: AtomKind| (label, game.atom(kind).index() as u32);
        for fluent in 0..game.fluents.len() {
            colours[at(AtomKind::True(fluent))] = mix(1);
            colours[at(AtomKind::Next(fluent))] = mix(2);
            from[at(AtomKind::True(fluent))].push(edge(NEXT, AtomKind::Next(fluent)));
        }
        for (number, &(role, _)) in game.moves.iter().enumerate() {
            colours[at(AtomKind::Does(number))] = mix(3);
            colours[at(AtomKind::Legal(number))] = mix(4);
            let own = [edge(LEGAL, AtomKind::Legal(number)), (OF_ROLE, role_vertex(role))];
            from[at(AtomKind::Does(number))].extend(own);
        }
        for (number, (name, arguments)) in game.derived.iter().enumerate() {
            let place = at(AtomKind::Derived(number));
            // Names matter where they have a meaning; all other relations can be exchanged.
            colours[place] = match (&**name, &arguments[..]) {
                ("terminal", _) => mix(5),
                ("goal", &[role, value]) => {
                    let role = game.roles.iter().position(|&known| known == role);
                    from[place].extend(role.map(|role| (OF_ROLE, role_vertex(role))));
                    mix(text_colour(&game.term(value)))
                }
                _ => mix(6),
            };
        }
        for (rule, (head, body)) in game.rules().enumerate() {
            colours[atoms + rule] = mix(7);
            let condition = |literal: &GroundLiteral| {
                let label = if literal.is_positive() { HOLDS } else { HOLDS_NOT };
                (label, literal.atom().index() as u32)
            };
            from[atoms + rule].push((HEAD, head.index() as u32));
            from[atoms + rule].extend(body.iter().map(condition));
        }
        for role in 0..game.roles.len() {
            colours[first_role + role] = mix(if may_exchange_roles { 8 } else { 100 + role as u64 });
        }
        let (mut first, mut edges) = (vec![0], Vec::new());
        for mut own in from {
            own.sort_unstable();
            edges.extend(own);
            first.push(edges.len() as u32);
        }
        // Fluents are the first atoms, and moves the next ones.
        let fluents = 0..game.fluents.len();
        let moves = fluents.end..fluents.end + game.moves.len();
        Graph { colours, first, edges, fluents, moves, roles: first_role..first_role + game.roles.len() }
    }

    /// The number of vertices.
    pub(crate) fn len(&self) -> usize {
        self.colours.len()
    }

    /// The work of one round of refinement.
    pub(crate) fn work(&self) -> u64 {
        (self.len() + 2 * self.edges.len()) as u64
    }

    fn edges_of(&self, vertex: usize) -> &[(u8, u32)] {
        &self.edges[self.first[vertex] as usize..self.first[vertex + 1] as usize]
    }

    /// One round of refinement: the colour of a vertex takes in the colours of its neighbours. `sums` is memory.
    pub(crate) fn refine(&self, colours: &mut [Colour], sums: &mut Vec<u64>) {
        sums.clear();
        sums.resize(colours.len(), 0);
        for vertex in 0..colours.len() {
            let own = mix(colours[vertex]);
            for &(label, target) in self.edges_of(vertex) {
                let label = u64::from(label) + 1;
                let target = target as usize;
                // Sums do not depend on the order of neighbours.
                sums[vertex] = sums[vertex].wrapping_add(mix(colours[target] ^ mix(label)));
                sums[target] = sums[target].wrapping_add(mix(own ^ mix(label << 8)));
            }
        }
        for (colour, &sum) in colours.iter_mut().zip(&*sums) {
            *colour = mix(*colour ^ mix(sum));
        }
    }

    /// Whether a permutation of the vertices keeps colours and edges.
    pub(crate) fn is_automorphism(&self, image: &[u32]) -> bool {
        let mut mapped = Vec::new();
        (0..self.len()).all(|vertex| {
            let to = image[vertex] as usize;
            mapped.clear();
            mapped
                .extend(self.edges_of(vertex).iter().map(|&(label, target)| (label, image[target as usize])));
            mapped.sort_unstable();
            self.colours[vertex] == self.colours[to] && mapped == self.edges_of(to)
        })
    }
}
