//! What the search finds: forced wins and losses, the value of small games, lines of puzzles, mixtures. Everything is
//! counted in simulations with seeds, never in seconds.

use groundrules_gdl::{Game, Options, read};
use groundrules_machine::engines::Engine;
use groundrules_search::players;
use groundrules_search::referee::{Clocks, Ending, Seated, play};
use groundrules_search::{Seat, Settings, Turn};

fn library(name: &str) -> Game {
    let path = format!("{}/../../games/{name}.kif", env!("CARGO_MANIFEST_DIR"));
    game(&std::fs::read_to_string(&path).expect("a game of the library"))
}

fn game(text: &str) -> Game {
    read(text.as_bytes(), &Options::default()).game.expect("a valid description")
}

fn settings(simulations: u64, seed: u64) -> Settings {
    Settings { simulations: Some(simulations), seed, max_steps: 1000, ..Settings::default() }
}

const NO_CLOCK: Clocks = Clocks { start: None, play: None, max_steps: 1000 };

/// Plays a match between named players.
fn duel(first: &Seat, names: &[&str], settings: &Settings) -> Ending {
    let seated = names.iter().enumerate().map(|(role, name)| Seated {
        seat: first.another(role).unwrap(),
        player: players::find(name).unwrap().player(&Settings {
            seed: settings.seed.wrapping_mul(31).wrapping_add(role as u64),
            ..settings.clone()
        }),
    });
    play(&mut seated.collect::<Vec<_>>(), &NO_CLOCK, &mut |_, _| ()).unwrap()
}

#[test]
fn tic_tac_toe_is_never_lost() {
    let seat = Seat::with_engine(&library("tic-tac-toe"), 0, Engine::Sliced).unwrap();
    for seed in 0..10 {
        let ending = duel(&seat, &["mcts", "random"], &settings(2000, seed));
        assert!(ending.goals[0] >= Some(50), "{ending:?}");
        let ending = duel(&seat, &["random", "mcts"], &settings(2000, seed));
        assert!(ending.goals[1] >= Some(50), "{ending:?}");
        let ending = duel(&seat, &["mcts", "mcts"], &settings(2000, seed));
        assert_eq!(ending.goals, [Some(50), Some(50)]);
    }
}

/// The move that `mcts` makes after some moves.
fn answer(game: &Game, role: usize, before: &[&[&str]], simulations: u64) -> (String, String) {
    let mut seat = Seat::with_engine(game, role, Engine::Sliced).unwrap();
    before.iter().for_each(|joint| seat.advance_texts(joint).unwrap());
    let mut player = players::find("mcts").unwrap().player(&settings(simulations, 1));
    let chosen = player.choose(&mut seat, &Turn::without_clock()).unwrap();
    (seat.move_text(chosen), player.report())
}

#[test]
fn the_same_seed_makes_the_same_moves() {
    let game = library("connect-four");
    let one = answer(&game, 0, &[], 3000);
    assert_eq!(one, answer(&game, 0, &[], 3000));
}

#[test]
fn rock_paper_scissors_is_mixed() {
    let game = library("rock-paper-scissors");
    let seat = Seat::with_engine(&game, 0, Engine::Sliced).unwrap();
    let mut made = std::collections::BTreeMap::new();
    for seed in 0..60 {
        let mut seat = seat.another(0).unwrap();
        let mut player = players::find("mcts").unwrap().player(&settings(600, seed));
        let chosen = player.choose(&mut seat, &Turn::without_clock()).unwrap();
        *made.entry(seat.move_text(chosen)).or_insert(0) += 1;
    }
    assert!(made.len() == 3 && made.values().all(|&count| count >= 8), "{made:?}");
}
