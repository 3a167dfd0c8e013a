//! The structure of small games whose structure is known, and of the library's.

use groundrules_gdl::{Options, read};
use groundrules_ground::{GroundGame, ground};
use groundrules_structure::{RoleChanges, Structure, Symmetries, TurnOrder};

fn grounded(text: &str) -> GroundGame {
    let game = read(text.as_bytes(), &Options::default()).game.expect("a valid description");
    ground(&game, &groundrules_ground::Options::default()).expect("a ground game")
}

fn library(name: &str) -> GroundGame {
    let path = format!("{}/../../games/{name}.kif", env!("CARGO_MANIFEST_DIR"));
    grounded(&std::fs::read_to_string(path).expect("a game of the library"))
}

fn order(game: &GroundGame, roles: RoleChanges) -> u128 {
    let symmetries = Symmetries::of(game, roles);
    assert!(symmetries.is_complete);
    symmetries.order
}

#[test]
fn boards_have_the_symmetries_of_their_shape() {
    for (name, fixed, exchanged) in
        [("tic-tac-toe", 8, 16), ("connect-four", 2, 4), ("connect-four-4x4", 2, 4), ("breakthrough", 2, 4)]
    {
        let game = library(name);
        assert_eq!(order(&game, RoleChanges::Forbidden), fixed, "{name}");
        assert_eq!(order(&game, RoleChanges::Allowed), exchanged, "{name}");
    }
}

#[test]
fn who_moves_is_found() {
    let game = library("tic-tac-toe");
    let structure = Structure::of(&game).expect("a network");
    let TurnOrder::ByFluent(turns) = &structure.turns else { panic!("there are turns") };
    let names: Vec<String> = turns.iter().map(|turn| game.term(game.fluents[turn.fluent])).collect();
    assert_eq!(names, ["(turn cross)", "(turn nought)"]);
    assert!(structure.turns.is_alternating());
    assert_eq!(structure.clock.course, Some((0, 2)));
    let at_once = Structure::of(&library("rock-paper-scissors")).expect("a network");
    assert!(!at_once.turns.is_alternating());
}

#[test]
fn heaps_are_subgames() {
    let structure = Structure::of(&library("nim")).expect("a network");
    assert!(structure.subgames.len() > 1, "{:?}", structure.subgames);
    assert_eq!(Structure::of(&library("tic-tac-toe")).expect("a network").subgames.len(), 1);
}

/// A cycle of rules among three places that can be turned, where lamps are lit by a relation that depends on itself.
#[test]
fn recursion_has_symmetries_too() {
    let game = grounded(
        "(role you) (next_to 1 2) (next_to 2 3) (next_to 3 1) (<= (place ?p) (next_to ?p ?q))
         (<= (legal you (light ?p)) (place ?p)) (<= (next (lit ?p)) (does you (light ?p)))
         (<= (next (open ?p)) (true (open ?p))) (<= (next (open ?p)) (does you (light ?p)))
         (<= (near ?p) (true (lit ?p))) (<= (near ?q) (near ?p) (next_to ?p ?q) (true (open ?q)))
         (<= all (near 1) (near 2) (near 3)) (<= terminal all) (<= (goal you 100) all) (<= (goal you 0) (not all))",
    );
    assert_eq!(order(&game, RoleChanges::Forbidden), 3);
}

#[test]
fn what_stays_is_found() {
    let structure = Structure::of(&library("tic-tac-toe")).expect("a network");
    // Marks stay, so lines and full boards do.
    assert!(structure.end_stays);
    assert_eq!(structure.latches.iter().filter(|latch| latch.is_on).count(), 18);
}

/// A game about a graph: places are marked until the ends of an edge are.
fn on_graph(count: usize, edges: &[(usize, usize)]) -> GroundGame {
    let places: String = (0..count).map(|place| format!("(init (free {place})) ")).collect();
    let edges: String = edges.iter().map(|(one, other)| format!("(edge {one} {other}) ")).collect();
    grounded(&format!(
        "(role you) {places} {edges}
         (<= (legal you (mark ?p)) (true (free ?p))) (<= (next (marked ?p)) (does you (mark ?p)))
         (<= (next (marked ?p)) (true (marked ?p)))
         (<= (next (free ?p)) (true (free ?p)) (not (does you (mark ?p))))
         (<= done (edge ?p ?q) (true (marked ?p)) (true (marked ?q)))
         (<= terminal done) (<= (goal you 100) done) (<= (goal you 0) (not done))"
    ))
}

/// The number of permutations of the places that keep the edges.
fn automorphisms(count: usize, edges: &[(usize, usize)]) -> u128 {
    fn extend(count: usize, edges: &[(usize, usize)], images: &mut Vec<usize>) -> u128 {
        if images.len() == count {
            let is_edge = |one: usize, other: usize| edges.contains(&(one.min(other), one.max(other)));
            return u128::from(edges.iter().all(|&(one, other)| is_edge(images[one], images[other])));
        }
        let mut found = 0;
        for image in 0..count {
            if !images.contains(&image) {
                images.push(image);
                found += extend(count, edges, images);
                images.pop();
            }
        }
        found
    }
    extend(count, edges, &mut Vec::new())
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 64, ..Default::default() })]

    #[test]
    fn symmetries_are_those_of_brute_force(drawn in proptest::collection::vec(proptest::bool::weighted(0.4), 15)) {
        let pairs = (0..6).flat_map(|one| (one + 1..6).map(move |other| (one, other)));
        let mut edges: Vec<(usize, usize)> =
            pairs.zip(drawn).filter(|(_, is_drawn)| *is_drawn).map(|(pair, _)| pair).collect();
        if edges.is_empty() {
            edges.push((0, 1));
        }
        let symmetries = Symmetries::of(&on_graph(6, &edges), RoleChanges::Forbidden);
        proptest::prop_assert!(symmetries.is_complete);
        proptest::prop_assert_eq!(symmetries.order, automorphisms(6, &edges));
        proptest::prop_assert_eq!(symmetries.group(1_000).order() as u128, symmetries.order);
        // A group with too many symmetries is cut down to a smaller one.
        let part = symmetries.group(7).order() as u128;
        proptest::prop_assert!(part <= 7 && symmetries.order.is_multiple_of(part));
    }
}
