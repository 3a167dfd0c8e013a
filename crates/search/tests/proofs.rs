//! What the search proves is so: on generated games, small enough to be enumerated, proofs are held against plain minimax.

use groundrules_gdl::{Options, read};
use groundrules_machine::Compiled;
use groundrules_machine::engines::Engine;
use groundrules_search::parts::{Part, Parts};
use groundrules_search::players::Mcts;
use groundrules_search::{Player, Seat, Settings, Turn};
use proptest::prelude::*;
use std::fmt::Write;
use std::time::Duration;

/// What can happen in a place of a generated game.
#[derive(Clone, Debug)]
enum Place {
    /// The match ends; what the first role gets.
    End(i32),
    /// The two roles have so many moves; each pair leads to a later place.
    Open { moves: [usize; 2], next: Vec<usize> },
}

#[derive(Clone, Debug)]
struct Generated {
    places: Vec<Place>,
}

const GOALS: [i32; 4] = [0, 30, 50, 100];

/// Games of some places, in turn or at the same time. Every move leads to a later place, and the last ones are ends.
fn games(at_once: bool) -> impl Strategy<Value = Generated> {
    let place = (
        0..4_usize,
        1..4_usize,
        1..4_usize,
        any::<bool>(),
        proptest::collection::vec(0..1000_usize, 9),
        0..5,
    );
    proptest::collection::vec(place, 4..24).prop_map(move |drawn| {
        let count = drawn.len() + 3;
        let mut places = Vec::new();
        for (index, (goal, one, other, first, leads, kind)) in drawn.into_iter().enumerate() {
            if kind == 0 && index > 0 {
                places.push(Place::End(GOALS[goal]));
                continue;
            }
            let moves = match (at_once, first) {
                (true, _) => [one, other],
                (false, true) => [one, 1],
                (false, false) => [1, other],
            };
            // Near ones, so that matches are not over at once.
            let lead = |lead: &usize| index + 1 + lead % (count - index - 1).min(4);
            places.push(Place::Open { moves, next: leads[..moves[0] * moves[1]].iter().map(lead).collect() });
        }
        places.extend([Place::End(0), Place::End(100), Place::End(50)]);
        Generated { places }
    })
}

impl Generated {
    fn game(&self) -> Compiled {
        let mut text = String::from(
            "(role a) (role b) (init (at 0)) (<= (legal ?r ?m) (true (at ?x)) (may ?x ?r ?m))
             (<= (next (at ?y)) (true (at ?x)) (does a ?m) (does b ?n) (arc ?x ?m ?n ?y))
             (<= terminal (true (at ?x)) (end ?x)) (<= (goal ?r ?v) (true (at ?x)) (worth ?x ?r ?v))\n",
        );
        for (index, place) in self.places.iter().enumerate() {
            let _ = match place {
                Place::End(goal) => {
                    writeln!(text, "(end {index}) (worth {index} a {goal}) (worth {index} b {})", 100 - goal)
                }
                Place::Open { moves, next } => {
                    for (role, count) in ["a", "b"].into_iter().zip(moves) {
                        for made in 0..*count {
                            let _ = writeln!(text, "(may {index} {role} {made})");
                        }
                    }
                    for (joint, to) in next.iter().enumerate() {
                        let _ =
                            writeln!(text, "(arc {index} {} {} {to})", joint / moves[1], joint % moves[1]);
                    }
                    Ok(())
                }
            };
        }
        Compiled::new(read(text.as_bytes(), &Options::default()).game.expect("a valid description"))
    }

    /// What the first role can be sure of, and what the second can hold it to, by plain enumeration.
    fn values(&self) -> (i32, i32) {
        let mut values = vec![(0, 0); self.places.len()];
        for (index, place) in self.places.iter().enumerate().rev() {
            values[index] = match place {
                Place::End(goal) => (*goal, *goal),
                Place::Open { moves, next } => {
                    let cell = |own: usize, other: usize| values[next[own * moves[1] + other]];
                    let rows = (0..moves[0]).map(|own| (0..moves[1]).map(|other| cell(own, other).0).min());
                    let columns =
                        (0..moves[1]).map(|other| (0..moves[0]).map(|own| cell(own, other).1).max());
                    (rows.max().flatten().unwrap_or(0), columns.min().flatten().unwrap_or(0))
                }
            };
        }
        values[0]
    }
}

/// What the search proves for a role, and the place of the move that it makes.
fn search(game: &Compiled, role: usize, engine: Engine, simulations: u64) -> ((f64, f64), usize) {
    let settings = Settings { simulations: Some(simulations), ..Settings::default() };
    let mut seat = Seat::with_engine(game, role, engine).expect("a playable game");
    let mut player = Mcts::new(&settings);
    let chosen = player.choose(&mut seat, &Turn::without_clock()).expect("a legal move");
    (player.proved().expect("it has searched"), seat.move_text(chosen).parse().expect("moves are numbers"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn games_in_turn_are_solved(generated in games(false)) {
        let (value, _) = generated.values();
        let game = generated.game();
        for engine in [Engine::Tree, Engine::Sliced] {
            for (role, expected) in [(0, value), (1, 100 - value)] {
                let ((lower, upper), chosen) = search(&game, role, engine, 20_000);
                prop_assert_eq!((lower, upper), (f64::from(expected), f64::from(expected)));
                let Place::Open { moves, next } = &generated.places[0] else { unreachable!() };
                if moves[role] > 1 {
                    let rest = Generated { places: generated.places[next[chosen]..].to_vec() };
                    let rest = rest.shifted(next[chosen]).values().0;
                    prop_assert_eq!(if role == 0 { rest } else { 100 - rest }, expected);
                }
            }
        }
    }

    #[test]
    fn proofs_of_games_at_the_same_time_are_sound(generated in games(true)) {
        let (sure, held) = generated.values();
        let ((lower, upper), _) = search(&generated.game(), 0, Engine::Sliced, 3000);
        prop_assert!(lower <= f64::from(sure) && upper >= f64::from(held), "{lower} {upper} {sure} {held}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// By the clock the search looks ahead only as far as that pays; whatever it leaves out, what it proves is so.
    #[test]
    fn proofs_by_the_clock_are_sound(generated in games(false)) {
        let (value, _) = generated.values();
        let game = generated.game();
        let value = f64::from(value);
        for (role, value) in [(0, value), (1, 100.0 - value)] {
            let mut seat = Seat::with_engine(&game, role, Engine::Sliced).expect("a playable game");
            // Without the solver the tree has to prove what it proves.
            let parts = Parts::ALL.without(Part::Solver);
            let mut player = Mcts::new(&Settings { parts, ..Settings::default() });
            let turn = Turn::of_processor_time(Duration::from_millis(3));
            player.choose(&mut seat, &turn).expect("a legal move");
            let (lower, upper) = player.proved().expect("it has searched");
            prop_assert!(lower <= value && upper >= value, "{lower} {upper} {value}");
        }
    }
}

impl Generated {
    /// The game from a later place on, whose places were cut off before it.
    fn shifted(mut self, by: usize) -> Generated {
        for place in &mut self.places {
            if let Place::Open { next, .. } = place {
                next.iter_mut().for_each(|to| *to -= by);
            }
        }
        self
    }
}
