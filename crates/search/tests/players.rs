//! Every player of the list plays whole matches by legal moves alone, and says no where nobody can move.

use groundrules_gdl::{Options, read};
use groundrules_machine::{Compiled, Move};
use groundrules_search::players;
use groundrules_search::{SearchError, Seat, Settings, Turn};

fn library(name: &str) -> Compiled {
    let path = format!("{}/../../games/{name}.kif", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read(&path).expect("a game of the library");
    Compiled::new(read(&text, &Options::default()).game.expect("a valid description"))
}

/// Plays a match in which every role is played by the same player; gives its length.
fn self_play(game: &Compiled, name: &str) -> usize {
    let settings = Settings { simulations: Some(20), max_steps: 200, ..Settings::default() };
    let kind = players::find(name).expect("a player");
    let mut seats = vec![Seat::new(game, 0, &settings).unwrap()];
    for role in 1..seats[0].roles().len() {
        let seat = seats[0].another(role).unwrap();
        seats.push(seat);
    }
    let mut players: Vec<_> = seats.iter().map(|_| kind.player(&settings)).collect();
    while !seats[0].is_terminal().unwrap() && seats[0].step() < 30 {
        let mut joint: Vec<Move> = Vec::new();
        for (seat, player) in seats.iter_mut().zip(&mut players) {
            let turn = Turn::without_clock();
            let chosen = player.choose(seat, &turn).unwrap();
            assert!(seat.legal().unwrap().contains(&chosen));
            if let Some(offered) = turn.in_hand() {
                assert!(seat.find_legal(&offered).unwrap().is_some(), "{name} offers {offered}");
            }
            joint.push(chosen);
        }
        seats.iter_mut().for_each(|seat| seat.advance(&joint).unwrap());
    }
    seats[0].step()
}

#[test]
fn matches_are_played_by_legal_moves() {
    for game in ["tic-tac-toe", "rock-paper-scissors", "lights-out", "pecking-order", "dice-race"] {
        let game = library(game);
        for kind in players::ALL {
            assert!(self_play(&game, kind.name) > 0);
        }
    }
}

const STUCK: &str = "(role a) (role b) (init start) (legal b wait) (<= (legal a run) (true never))
    (<= (next never) (true never)) (<= terminal (true never)) (goal a 0) (goal b 0)";

#[test]
fn who_has_no_move_says_so() {
    let game = Compiled::new(read(STUCK.as_bytes(), &Options::default()).game.expect("a valid description"));
    let settings = Settings { simulations: Some(5), ..Settings::default() };
    for kind in players::ALL {
        let mut seat = Seat::new(&game, 0, &settings).unwrap();
        let answer = kind.player(&settings).choose(&mut seat, &Turn::without_clock());
        assert!(matches!(answer, Err(SearchError::NoLegalMove { .. })), "{}", kind.name);
        let mut seat = Seat::new(&game, 1, &settings).unwrap();
        let chosen = kind.player(&settings).choose(&mut seat, &Turn::without_clock()).unwrap();
        assert_eq!(seat.move_text(chosen), "wait");
    }
}

#[test]
fn players_are_found_by_name() {
    assert!(players::find("nobody").is_none());
    for kind in players::ALL {
        assert_eq!(kind.player(&Settings::default()).name(), kind.name);
    }
}
