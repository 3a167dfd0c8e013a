//! What the search finds: forced wins and losses, the value of small games, lines of puzzles, mixtures. Everything is
//! counted in simulations with seeds, never in seconds.

use groundrules_gdl::{Options, read};
use groundrules_machine::Compiled;
use groundrules_machine::engines::Engine;
use groundrules_search::parts::Parts;
use groundrules_search::players;
use groundrules_search::referee::{Clocks, Ending, Seated, play};
use groundrules_search::{Seat, Settings, Turn};

fn library(name: &str) -> Compiled {
    let path = format!("{}/../../games/{name}.kif", env!("CARGO_MANIFEST_DIR"));
    game(&std::fs::read_to_string(&path).expect("a game of the library"))
}

fn game(text: &str) -> Compiled {
    Compiled::new(read(text.as_bytes(), &Options::default()).game.expect("a valid description"))
}

fn settings(simulations: u64, seed: u64) -> Settings {
    Settings { simulations: Some(simulations), seed, max_steps: 1000, ..Settings::default() }
}

const NO_CLOCK: Clocks = Clocks { start: None, play: None, max_steps: 1000, by_processor: false };

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

#[test]
fn chance_never_beats_the_search_at_tic_tac_toe() {
    let seat = Seat::with_engine(&library("tic-tac-toe"), 0, Engine::Sliced).unwrap();
    for seed in 100..250 {
        // The worst case is a number of simulations at which little but the solver knows the answer.
        let ending = duel(&seat, &["random", "mcts"], &settings(200 + 10 * (seed % 50), seed));
        assert!(ending.goals[1] >= Some(50), "seed {seed}: {ending:?}");
    }
}

/// The move that `mcts` makes after some moves.
fn answer(game: &Compiled, role: usize, before: &[&[&str]], simulations: u64) -> (String, String) {
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

/// Two players in turn name numbers; who names 3 first has won, and 1 leads to 3. A trap and a win among many moves.
const TRAP: &str = "(role a) (role b) (init (turn a)) (init (last 0)) (num 1) (num 2) (num 4) (num 5) (num 6)
    (<= (legal ?r (say ?n)) (true (turn ?r)) (num ?n)) (<= (legal ?r (say 3)) (true (turn ?r)) (true (last 1)))
    (<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
    (<= (next (turn b)) (true (turn a))) (<= (next (turn a)) (true (turn b)))
    (<= (next (last ?n)) (does ?r (say ?n))) (<= (next (by ?r)) (does ?r (say 3)))
    (<= (next (count 1)) (true (last 0))) (<= (next (count 2)) (true (count 1))) (<= (next (count 3)) (true (count 2)))
    (<= terminal (true (by ?r))) (<= terminal (true (count 3)))
    (<= (goal ?r 100) (true (by ?r))) (<= (goal ?r 0) (role ?r) (true (by ?s)) (distinct ?r ?s))
    (<= (goal ?r 50) (role ?r) (not (true (by a))) (not (true (by b))))";

#[test]
fn a_win_is_taken_and_a_trap_avoided() {
    let trap = game(TRAP);
    for simulations in [50, 2000] {
        let (made, _) = answer(&trap, 0, &[], simulations);
        assert_ne!(made, "(say 1)");
        let (made, report) = answer(&trap, 1, &[&["(say 1)", "noop"]], simulations);
        assert_eq!(made, "(say 3)", "{report}");
        assert!(report.starts_with("proved 100"), "{report}");
    }
}

#[test]
fn connect_four_is_won_and_defended() {
    let game = library("connect-four");
    let drop = |column: u32| format!("(drop {column})");
    let three = [drop(1), drop(7), drop(1), drop(7), drop(1), drop(6)];
    let joints: Vec<[&str; 2]> = three
        .iter()
        .enumerate()
        .map(|(step, made)| if step % 2 == 0 { [made.as_str(), "noop"] } else { ["noop", made.as_str()] })
        .collect();
    let joints: Vec<&[&str]> = joints.iter().map(|joint| &joint[..]).collect();
    assert_eq!(answer(&game, 0, &joints, 1000).0, drop(1), "a fourth in the column wins");
    assert_eq!(answer(&game, 1, &joints[..5], 1000).0, drop(1), "a fourth is stopped");
}

/// What `mcts` gets alone.
fn solve(name: &str, simulations: u64) -> Option<i32> {
    let seat = Seat::with_engine(&library(name), 0, Engine::Sliced).unwrap();
    duel(&seat, &["mcts"], &settings(simulations, 1)).goals[0]
}

#[test]
fn puzzles_are_solved() {
    for (name, simulations) in [
        ("eight-puzzle", 20_000),
        ("eight-queens", 200),
        ("key-and-door", 20_000),
        ("knights-tour", 20_000),
        ("lights-out", 20_000),
        ("peg-solitaire", 100_000),
        ("sokoban", 20_000),
        ("towers-of-hanoi", 20_000),
    ] {
        assert_eq!(solve(name, simulations), Some(100), "{name}");
    }
}

/// A Latin square of the fifth order with few numbers given, where one may stop: nothing counts but the whole.
fn latin_square() -> Compiled {
    let distinct: String = (1..=5).map(|number| format!("(number {number}) ")).collect();
    let given = [(1, 1, 1), (1, 4, 3), (2, 2, 4), (3, 5, 2), (4, 3, 5), (5, 1, 3), (5, 4, 2)];
    let is_given = |row: i32, column: i32| given.iter().any(|&(r, c, _)| (r, c) == (row, column));
    let mut text = format!("(role you) {distinct}");
    for (row, column, number) in given {
        text += &format!("(init (cell {row} {column} {number}))");
    }
    for (row, column) in (1..=5).flat_map(|row| (1..=5).map(move |column| (row, column))) {
        if !is_given(row, column) {
            text += &format!("(init (blank {row} {column}))");
        }
    }
    text += "(<= (legal you (put ?r ?c ?n)) (true (blank ?r ?c)) (number ?n) (not (in_row ?r ?n)) (not (in_column ?c ?n)))
        (legal you stop) (<= (next over) (does you stop))
        (<= (in_row ?r ?n) (true (cell ?r ?c ?n))) (<= (in_column ?c ?n) (true (cell ?r ?c ?n)))
        (<= (next (cell ?r ?c ?n)) (true (cell ?r ?c ?n))) (<= (next (cell ?r ?c ?n)) (does you (put ?r ?c ?n)))
        (<= (put ?r ?c) (does you (put ?r ?c ?n)))
        (<= (next (blank ?r ?c)) (true (blank ?r ?c)) (not (put ?r ?c)))
        (<= open (true (blank ?r ?c))) (<= terminal (not open)) (<= terminal (true over))
        (<= (goal you 100) (not open)) (<= (goal you 0) open)";
    game(&text)
}

#[test]
fn what_can_be_done_in_any_order_is_done_carefully() {
    let seat = Seat::with_engine(&latin_square(), 0, Engine::Sliced).unwrap();
    assert_eq!(duel(&seat, &["mcts"], &settings(3000, 1)).goals, [Some(100)]);
}

/// Twelve switches in the only right order; giving up is worth more than any other end, so playouts advise it.
fn tempting() -> Compiled {
    let steps: String =
        (0..12).map(|step| format!("(s {step} {}) (right {step} {})", step + 1, step % 3)).collect();
    game(&format!(
        "(role you) (init (at 0)) (key 0) (key 1) (key 2) {steps}
        (<= (legal you (turn ?k)) (key ?k)) (legal you stop) (<= (next over) (does you stop))
        (<= (next (at ?y)) (true (at ?x)) (s ?x ?y) (right ?x ?k) (does you (turn ?k)))
        (<= (next (at 0)) (true (at ?x)) (right ?x ?k) (does you (turn ?j)) (distinct ?j ?k))
        (<= terminal (true (at 12))) (<= terminal (true over))
        (<= (goal you 100) (true (at 12))) (<= (goal you 5) (not (true (at 12))))"
    ))
}

#[test]
fn few_positions_are_swept_whatever_playouts_say() {
    let seat = Seat::with_engine(&tempting(), 0, Engine::Sliced).unwrap();
    assert_eq!(duel(&seat, &["mcts"], &settings(3000, 1)).goals, [Some(100)]);
}

/// A door that opens at the seventh step only, in front of which one has to wait: position and time both matter.
const WAIT: &str =
    "(role r) (init (at 0)) (init (t 0)) (s 0 1) (s 1 2) (s 2 3) (s 3 4) (s 4 5) (s 5 6) (s 6 7) (s 7 8)
    (legal r left) (legal r right) (legal r wait)
    (<= (next (t ?y)) (true (t ?x)) (s ?x ?y))
    (<= (next (at ?y)) (does r right) (true (at ?x)) (s ?x ?y))
    (<= (next (at ?x)) (does r left) (true (at ?y)) (s ?x ?y))
    (<= (next (at 0)) (does r left) (true (at 0)))
    (<= (next (at ?x)) (does r wait) (true (at ?x)))
    (<= (next out) (true (at 2)) (true (t 7)) (does r right)) (<= (next out) (true out))
    (<= terminal (true (t 8))) (<= (goal r 100) (true out)) (<= (goal r 0) (not (true out)))";

#[test]
fn what_was_given_up_by_the_clock_is_tried_in_the_end() {
    let seat = Seat::with_engine(&game(WAIT), 0, Engine::Net).unwrap();
    for seed in 0..3 {
        let ending = duel(&seat, &["mcts"], &settings(20_000, seed));
        assert_eq!(ending.goals, [Some(100)]);
    }
}

/// Whoever ever leaves the path is lost, and nothing tells until a hundred steps are done.
fn straight_on() -> Compiled {
    let mut text = String::from(
        "(role you) (init (on path)) (init (step 1)) (way straight)
         (<= (legal you (go ?x ?y)) (way ?x) (way ?y))
         (<= (next (on path)) (true (on path)) (does you (go straight straight)))
         (<= (next (on heath)) (true (on heath))) (<= (next (on heath)) (does you (go ?x ?y)) (distinct ?x straight))
         (<= (next (on heath)) (does you (go ?x ?y)) (distinct ?y straight))
         (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n)) (<= terminal (true (step 100)))
         (<= (goal you 100) (true (on path))) (<= (goal you 0) (true (on heath))) ",
    );
    (1..12).for_each(|number| text += &format!("(way side{number}) "));
    (1..100).for_each(|number| text += &format!("(succ {number} {}) ", number + 1));
    game(&text)
}

#[test]
fn who_waits_for_the_end_is_not_late() {
    let seat = Seat::with_engine(&straight_on(), 0, Engine::Sliced).unwrap();
    assert_eq!(duel(&seat, &["mcts"], &settings(5000, 1)).goals, [Some(100)]);
}

/// Numbers in a row of a board, each next to the one before; some are given.
fn chain_of_numbers() -> Compiled {
    let (size, given) = (5, [(1, 1, 1), (3, 3, 13), (5, 5, 25), (5, 1, 21), (1, 5, 5)]);
    let mut text = String::from(
        "(role you) (<= (legal you (put ?c ?n)) (true (has ?c blank)) (free ?n) (succ ?l ?n) (succ ?n ?m)
             (fits ?l ?c) (fits ?m ?c))
         (legal you stop) (<= (next over) (does you stop))
         (<= (free ?n) (number ?n) (not (used ?n))) (<= (used ?n) (true (has ?c ?n)) (number ?n))
         (<= (fits ?n ?c) (cell ?c) (free ?n)) (<= (fits ?n ?c) (true (has ?d ?n)) (near ?c ?d))
         (<= (next (has ?c ?n)) (does you (put ?c ?n)))
         (<= (next (has ?c ?n)) (true (has ?c ?n)) (number ?n))
         (<= (next (has ?c blank)) (true (has ?c blank)) (does you (put ?d ?n)) (distinct ?c ?d))
         (<= (next (has ?c blank)) (true (has ?c blank)) (does you stop))
         (<= open (true (has ?c blank))) (<= terminal (not open)) (<= terminal (true over))
         (<= (goal you 100) (not open)) (<= (goal you 0) open) (number 1) ",
    );
    (1..size * size).for_each(|n| text += &format!("(succ {n} {}) (number {}) ", n + 1, n + 1));
    let cells = || (1..=size).flat_map(|row| (1..=size).map(move |column| (row, column)));
    for (row, column) in cells() {
        text += &format!("(cell c{row}{column}) ");
        match given.iter().find(|&&(r, c, _)| (r, c) == (row, column)) {
            Some((.., number)) => text += &format!("(init (has c{row}{column} {number})) "),
            None => text += &format!("(init (has c{row}{column} blank)) "),
        }
        let near = |&(r, c): &(i32, i32)| (r - row).abs() + (c - column).abs() == 1;
        cells().filter(near).for_each(|(r, c)| text += &format!("(near c{row}{column} c{r}{c}) "));
    }
    game(&text)
}

/// Twelve queens put anywhere; how many of them threaten each other is only told at the end.
fn queens() -> Compiled {
    let mut text = String::from(
        "(role you) (init (step 1)) (<= (legal you (put ?x ?y)) (n ?x) (n ?y) (not (true (queen ?x ?y))))
         (<= (next (queen ?x ?y)) (true (queen ?x ?y))) (<= (next (queen ?x ?y)) (does you (put ?x ?y)))
         (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n)) (<= terminal (true (step 13)))
         (<= threat (true (queen ?x ?y)) (true (queen ?x ?z)) (distinct ?y ?z))
         (<= threat (true (queen ?x ?y)) (true (queen ?z ?y)) (distinct ?x ?z))
         (<= threat (true (queen ?x ?y)) (down ?x ?y ?v ?w) (true (queen ?v ?w)))
         (<= threat (true (queen ?x ?y)) (up ?x ?y ?v ?w) (true (queen ?v ?w)))
         (<= (down ?x ?y ?v ?w) (succ ?x ?v) (succ ?y ?w)) (<= (up ?x ?y ?v ?w) (succ ?x ?v) (succ ?w ?y))
         (<= (down ?x ?y ?v ?w) (succ ?x ?a) (succ ?y ?b) (down ?a ?b ?v ?w))
         (<= (up ?x ?y ?v ?w) (succ ?x ?a) (succ ?b ?y) (up ?a ?b ?v ?w))
         (<= (goal you 100) (not threat)) (<= (goal you 10) threat) ",
    );
    (1..=12).for_each(|number| text += &format!("(n {number}) (succ {number} {}) ", number + 1));
    game(&text)
}

#[test]
fn what_stays_is_planned_as_a_whole() {
    for (name, game) in [("chain of numbers", chain_of_numbers()), ("queens", queens())] {
        let seat = Seat::with_engine(&game, 0, Engine::Sliced).unwrap();
        assert_eq!(duel(&seat, &["mcts"], &settings(3000, 1)).goals, [Some(100)], "{name}");
    }
}

/// A knight on a board of eight by eight that has to be everywhere once; nothing less counts.
fn tour() -> Compiled {
    let mut text = String::from(
        "(role you) (init (at 1 1)) (init (been 1 1))
         (<= (legal you (jump ?v ?w)) (true (at ?x ?y)) (knight ?x ?y ?v ?w) (not (true (been ?v ?w))))
         (<= (next (at ?x ?y)) (does you (jump ?x ?y))) (<= (next (been ?x ?y)) (does you (jump ?x ?y)))
         (<= (next (been ?x ?y)) (true (been ?x ?y)))
         (<= can_go_on (legal you (jump ?x ?y))) (<= terminal (not can_go_on))
         (<= left (n ?x) (n ?y) (not (true (been ?x ?y)))) (<= (goal you 100) (not left)) (<= (goal you 0) left)
         (<= (knight ?x ?y ?v ?w) (one ?x ?v) (two ?y ?w)) (<= (knight ?x ?y ?v ?w) (two ?x ?v) (one ?y ?w)) ",
    );
    for number in 1..=8_i32 {
        text += &format!("(n {number}) ");
        for other in 1..=8_i32 {
            match (number - other).abs() {
                1 => text += &format!("(one {number} {other}) "),
                2 => text += &format!("(two {number} {other}) "),
                _ => {}
            }
        }
    }
    game(&text)
}

#[test]
fn where_the_fewest_moves_are_left_is_gone_first() {
    let seat = Seat::with_engine(&tour(), 0, Engine::Sliced).unwrap();
    assert_eq!(duel(&seat, &["mcts"], &settings(3000, 1)).goals, [Some(100)]);
}

#[test]
fn three_players_play() {
    let game = library("three-in-a-row");
    let seat = Seat::with_engine(&game, 0, Engine::Sliced).unwrap();
    let players: Vec<&str> = seat.roles().iter().map(|_| "mcts").collect();
    assert!(players.len() >= 3);
    let ending = duel(&seat, &players, &settings(300, 1));
    assert!(ending.is_finished, "{ending:?}");
}

#[test]
fn memory_is_bounded() {
    let game = library("reversi");
    let mut seat = Seat::with_engine(&game, 0, Engine::Sliced).unwrap();
    let settings = Settings { memory: 1 << 20, ..settings(20_000, 1) };
    let mut player = players::Mcts::new(&settings);
    for _ in 0..2 {
        use groundrules_search::Player;
        let made = player.choose(&mut seat, &Turn::without_clock()).unwrap();
        assert!(player.bytes() <= 1 << 20, "{}", player.bytes());
        assert!(player.effort().0 >= 20_000);
        let joint: Vec<_> = (0..seat.roles().len())
            .map(|role| if role == 0 { made } else { seat.legal_of(role).unwrap()[0] })
            .collect();
        seat.advance(&joint).unwrap();
    }
}

#[test]
fn a_tree_is_kept_between_moves() {
    let game = library("connect-four");
    let mut seat = Seat::with_engine(&game, 0, Engine::Sliced).unwrap();
    let mut player = players::find("mcts").unwrap().player(&settings(5000, 1));
    let states =
        |report: &str| report.rsplit(", ").next().and_then(|text| text.split(' ').next()?.parse().ok());
    let made = player.choose(&mut seat, &Turn::without_clock()).unwrap();
    let before: u64 = states(&player.report()).unwrap();
    let noop = seat.legal_of(1).unwrap()[0];
    seat.advance(&[made, noop]).unwrap();
    player.choose(&mut seat, &Turn::without_clock()).unwrap();
    let after: u64 = states(&player.report()).unwrap();
    assert!(after > before, "{before} {after}");
}

#[test]
fn games_without_end_are_played() {
    let game = game(
        "(role a) (role b) (init (n 0)) (legal a x) (legal a y) (legal b x) (legal b z)
         (<= (next (n 1)) (true (n 0))) (<= (next (n 0)) (true (n 1))) (<= terminal (true (n 2)))
         (goal a 50) (goal b 50)",
    );
    let settings = Settings { max_steps: 20, ..settings(200, 1) };
    for engine in [Engine::Tree, Engine::Sliced] {
        let mut seat = Seat::with_engine(&game, 0, engine).unwrap();
        let mut player = players::find("mcts").unwrap().player(&settings);
        assert!(player.choose(&mut seat, &Turn::without_clock()).is_ok());
    }
}

#[test]
fn several_threads_put_together_what_they_know() {
    let game = library("tic-tac-toe");
    let threads = std::num::NonZeroUsize::new(3).unwrap();
    for seed in 0..5 {
        let mut seat = Seat::with_engine(&game, 0, Engine::Sliced).unwrap();
        let settings = Settings { threads, ..settings(30_000, seed) };
        let mut player = players::find("mcts").unwrap().player(&settings);
        player.choose(&mut seat, &Turn::without_clock()).unwrap();
        assert!(player.report().starts_with("proved 50"), "{}", player.report());
    }
}

#[test]
fn a_stopped_player_answers_at_once() {
    let game = library("reversi");
    let mut seat = Seat::with_engine(&game, 0, Engine::Tree).unwrap();
    let turn = Turn::without_clock();
    turn.stop();
    for kind in players::ALL {
        let made = kind.player(&Settings::default()).choose(&mut seat, &turn).unwrap();
        assert!(seat.legal().unwrap().contains(&made), "{}", kind.name);
    }
}

/// Two stones race to the end; a move is a step or a rest.
const RACE: &str = "(role left) (role right) (init (turn left)) (init (stone left 3)) (init (stone right 3))
    (s 0 1) (s 1 2) (s 2 3) (s 3 4) (s 4 5) (other left right) (other right left) (wait 1) (wait 2) (wait 3) (wait 4)
    (<= (legal ?r go) (true (turn ?r)))
    (<= (legal ?r (rest ?n)) (true (turn ?r)) (wait ?n))
    (<= (legal ?r noop) (true (turn ?o)) (other ?o ?r))
    (<= (next (turn ?o)) (true (turn ?r)) (other ?r ?o))
    (<= (next (stone ?r ?m)) (does ?r go) (true (stone ?r ?n)) (s ?n ?m))
    (<= (next (stone ?r ?n)) (true (stone ?r ?n)) (not (does ?r go)))
    (<= home (true (stone ?r 5))) (<= terminal home)
    (<= (goal ?r 100) (true (stone ?r 5))) (<= (goal ?r 0) (role ?r) (not (true (stone ?r 5))))";

#[test]
fn a_move_that_ends_the_match_is_seen_at_once() {
    let game = game(RACE);
    // Left goes, right rests: left wins with its next move, and one look at the state shows it.
    let before: &[&[&str]] = &[&["go", "noop"], &["noop", "(rest 1)"]];
    let (made, report) = answer(&game, 0, before, 1);
    assert_eq!(made, "go", "{report}");
    assert!(report.starts_with("proved 100"), "{report}");
    // Whoever rests in the beginning is one step late.
    let (made, report) = answer(&game, 0, &[], 256);
    assert_eq!(made, "go", "{report}");
}

#[test]
fn the_learnt_heuristic_wins_at_equal_simulations() {
    let seat = Seat::with_engine(&library("breakthrough-small"), 0, Engine::Sliced).expect("a seat");
    let mut points = 0;
    for number in 0..20 {
        let mut seated: Vec<Seated> = (0..2)
            .map(|role| {
                let parts = if role == number % 2 { Parts::ALL } else { Parts::NONE };
                let settings = Settings { parts, ..settings(300, number as u64) };
                let player = players::find("mcts").expect("a player").player(&settings);
                Seated { seat: seat.another(role).expect("a seat"), player }
            })
            .collect();
        let clocks = Clocks { max_steps: 200, ..NO_CLOCK };
        let ending = play(&mut seated, &clocks, &mut |_, _| ()).expect("a match");
        points += ending.goals[number % 2].expect("a goal") / 100;
    }
    // In the long run it is 14 of 20.
    assert!(points >= 11, "{points} of 20");
}

/// The first move of connect four with so many simulations, by seeds.
fn begins_in_the_centre(simulations: u64, seeds: std::ops::Range<u64>) {
    let game = library("connect-four");
    for seed in seeds {
        let mut seat = Seat::with_engine(&game, 0, Engine::Sliced).expect("a seat");
        let mut player = players::find("mcts").expect("a player").player(&settings(simulations, seed));
        let made = player.choose(&mut seat, &Turn::without_clock()).expect("a move");
        assert_eq!(seat.move_text(made), "(drop 4)", "seed {seed}: {}", player.report());
    }
}

#[test]
fn connect_four_begins_in_the_centre() {
    begins_in_the_centre(3_000, 0..8);
    begins_in_the_centre(30_000, 0..8);
}

/// Nim: in turn one takes any number from one heap, and who takes the last has won.
fn nim(heaps: &[usize]) -> Compiled {
    let names = ["w", "x", "y", "z"];
    let most = heaps.iter().max().copied().unwrap_or(0);
    let mut text = String::from("(role a) (role b) (init (turn a)) ");
    for (name, size) in names.iter().zip(heaps) {
        text += &format!("(heap {name}) (init (has {name} {size})) ");
    }
    for more in 1..=most {
        (0..more).for_each(|less| text += &format!("(less {less} {more}) "));
    }
    text += "(<= (legal ?r (leave ?h ?n)) (true (turn ?r)) (true (has ?h ?m)) (less ?n ?m))
        (<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
        (<= (taken ?h) (does ?r (leave ?h ?n)))
        (<= (next (has ?h ?n)) (does ?r (leave ?h ?n))) (<= (next (has ?h ?n)) (true (has ?h ?n)) (not (taken ?h)))
        (<= (next (turn a)) (true (turn b))) (<= (next (turn b)) (true (turn a)))
        (<= left (true (has ?h ?n)) (distinct ?n 0)) (<= terminal (not left))
        (<= (goal ?r 0) (true (turn ?r))) (<= (goal ?r 100) (role ?r) (not (true (turn ?r))))";
    game(&text)
}

#[test]
fn won_positions_of_nim_are_won_against_oneself() {
    let positions = [[1, 5, 4, 2], [2, 2, 5, 7], [3, 4, 5, 0], [1, 3, 5, 6], [7, 5, 3, 0], [9, 4, 11, 2]];
    for (number, heaps) in (0..).zip(positions) {
        assert_ne!(heaps.iter().fold(0, |sum, heap| sum ^ heap), 0, "a won position");
        let seat = Seat::with_engine(&nim(&heaps), 0, Engine::Sliced).expect("a seat");
        for seed in 0..4 {
            let ending = duel(&seat, &["mcts", "mcts"], &settings(2_000, 10 * number + seed));
            assert_eq!(ending.goals, [Some(100), Some(0)], "{heaps:?}, seed {seed}");
        }
    }
}

#[test]
fn small_games_are_solved_before_the_first_move() {
    for heaps in [[1, 3, 5, 6], [7, 12, 9, 3], [11, 12, 15, 25], [12, 11, 20, 20], [12, 12, 19, 20]] {
        for seed in 0..2 {
            let mut seat = Seat::with_engine(&nim(&heaps), 0, Engine::Sliced).expect("a seat");
            let mut player = players::find("mcts").expect("a player").player(&settings(100, seed));
            player.choose(&mut seat, &Turn::without_clock()).expect("a move");
            assert!(player.report().starts_with("proved 100"), "{heaps:?}, {seed}: {}", player.report());
        }
    }
}

#[test]
fn thoughts_tell_the_line_of_a_puzzle() {
    let mut seat = Seat::with_engine(&tour(), 0, Engine::Sliced).expect("a seat");
    let mut player = players::Mcts::new(&settings(3000, 1));
    let made = groundrules_search::Player::choose(&mut player, &mut seat, &Turn::without_clock());
    let made = seat.move_text(made.expect("a move"));
    let thoughts = player.thoughts(&seat).expect("thoughts");
    let found = thoughts.found.expect("a line");
    assert_eq!((found.goal, found.moves, found.is_best), (100, 63, true));
    assert_eq!((thoughts.value, thoughts.proved, thoughts.plies), (100.0, (100.0, 100.0), 63));
    assert!(thoughts.solver_states > 0, "{thoughts:?}");
    assert_eq!(thoughts.line[0], (0, made.clone()));
    let next = &thoughts.moves[0];
    assert_eq!((&next.made, next.value, next.proved.0), (&made, 100.0, 100.0));
}

#[test]
fn small_games_are_solved() {
    for heaps in [[3, 5, 7, 6], [4, 4, 2, 7], [1, 6, 7, 9], [5, 5, 5, 3]] {
        let nimber = heaps.iter().fold(0, |sum, heap| sum ^ heap);
        assert_ne!(nimber, 0, "a won position");
        let (made, report) = answer(&nim(&heaps), 0, &[], 20_000);
        assert!(report.starts_with("proved 100"), "{heaps:?}: {report}");
        // By theory the nimber of what is left is nothing.
        let words: Vec<&str> = made.trim_matches(['(', ')']).split(' ').collect();
        let heap = ["w", "x", "y", "z"].iter().position(|name| *name == words[1]).expect("a heap");
        let mut left = heaps;
        left[heap] = words[2].parse().expect("a number");
        assert_eq!(left.iter().fold(0, |sum, heap| sum ^ heap), 0, "{heaps:?}: {made}");
    }
}
