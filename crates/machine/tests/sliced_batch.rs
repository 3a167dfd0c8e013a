//! Questions about many states at once, held against the ground game's own evaluator; and playouts from given states
//! against the exact chances.

use groundrules_gdl::{Options as ReadOptions, read};
use groundrules_ground::evaluator::Evaluator;
use groundrules_ground::{GroundGame, Options as GroundOptions, ground};
use groundrules_machine::engines::sliced::{Options, Path, batch};
use groundrules_machine::{
    Batch, Move, MoveRecord, Outcomes, PlayoutLimits, Preference, Preferences, Rows, State, Views,
};
use groundrules_net::{Network, simplify};
use groundrules_oracle::playout::Xorshift;

fn grounded(text: &str) -> GroundGame {
    let game = read(text.as_bytes(), &ReadOptions::default()).game.expect("a game");
    ground(&game, &GroundOptions::default()).expect("a ground game")
}

fn batched(game: &GroundGame, path: Path) -> Box<dyn Batch> {
    let (network, _) = simplify(&Network::of(game).expect("a network"), &groundrules_net::Options::default());
    let roles = game.roles.iter().map(|&role| game.term(role)).collect();
    batch(&network, roles, &Options { path: Some(path), ..Options::default() }).expect("a batch")
}

fn library(name: &str) -> GroundGame {
    let path = format!("{}/../../games/{name}.kif", env!("CARGO_MANIFEST_DIR"));
    grounded(&std::fs::read_to_string(path).expect("a game of the library"))
}

fn packed(game: &GroundGame, fluents: &[usize]) -> State {
    let mut state = State::default();
    state.words_mut().resize(game.fluents.len().div_ceil(64).max(1), 0);
    fluents.iter().for_each(|&fluent| state.words_mut()[fluent / 64] |= 1 << (fluent % 64));
    state
}

/// The states of some random matches, with a legal joint move in each that is not terminal.
fn states(game: &GroundGame, matches: u64) -> Vec<(Vec<usize>, Option<Vec<usize>>)> {
    let evaluator = Evaluator::new(game).expect("stratified");
    let mut states = Vec::new();
    for seed in 0..matches {
        let mut random = Xorshift::new(seed);
        let mut state = game.init.clone();
        loop {
            let view = evaluator.view(&state);
            let choose = |role: usize| {
                let own: Vec<usize> =
                    view.legal.iter().copied().filter(|&number| game.moves[number].0 == role).collect();
                own.get(random.below(own.len())).copied()
            };
            let joint: Option<Vec<usize>> = (0..game.roles.len()).map(choose).collect();
            let joint = joint.filter(|_| !view.is_terminal);
            states.push((state.clone(), joint.clone()));
            let Some(joint) = joint else { break };
            state = evaluator.next(&state, &joint);
        }
    }
    states
}

fn rows(batch: &dyn Batch, states: &[State]) -> Rows {
    Rows::of_rows(batch.row_width(), states.iter().map(State::words))
}

fn number(made: usize) -> Move {
    Move(u32::try_from(made).unwrap())
}

#[test]
fn answers_are_those_of_the_rules() {
    for name in ["tic-tac-toe", "connect-four", "rock-paper-scissors"] {
        let game = library(name);
        let evaluator = Evaluator::new(&game).expect("stratified");
        let states = states(&game, 60);
        let packed_states: Vec<State> = states.iter().map(|(state, _)| packed(&game, state)).collect();
        for path in Path::ALL.into_iter().filter(|path| path.is_available()) {
            let mut batch = batched(&game, path).fork();
            assert_eq!(batch.initial(), packed(&game, &game.init));
            let mut views = Views::default();
            batch.look(&rows(&*batch, &packed_states), &mut views).expect("views");
            assert_eq!(views.len(), states.len());
            for (index, (state, _)) in states.iter().enumerate() {
                let view = evaluator.view(state);
                assert_eq!(views.is_terminal(index), view.is_terminal);
                for role in 0..game.roles.len() {
                    let legal = view.legal.iter().filter(|&&number| game.moves[number].0 == role);
                    assert_eq!(views.legal(index, role), legal.map(|&made| number(made)).collect::<Vec<_>>());
                    let goals = view.goals.iter().filter(|(of, _)| *of == game.roles[role]);
                    let mut goals: Vec<i32> =
                        goals.map(|(_, value)| game.term(*value).parse().unwrap()).collect();
                    goals.sort_unstable();
                    assert_eq!(views.goals(index, role), goals);
                }
            }
            let going: Vec<_> =
                states.iter().filter_map(|(state, joint)| Some((state, joint.as_ref()?))).collect();
            let before: Vec<State> = going.iter().map(|(state, _)| packed(&game, state)).collect();
            let (before, mut next) = (rows(&*batch, &before), Rows::new(batch.row_width()));
            let from: Vec<u32> = (0..u32::try_from(going.len()).unwrap()).collect();
            let joints: Vec<Move> =
                going.iter().flat_map(|(_, joint)| joint.iter().map(|&made| number(made))).collect();
            batch.advance(&before, &from, &joints, &mut next).expect("next states");
            assert_eq!(next.len(), going.len());
            for ((state, joint), next) in going.iter().zip(next.iter()) {
                assert_eq!(next, packed(&game, &evaluator.next(state, joint)).words());
            }
            assert!(batch.advance(&before, &from, &joints[1..], &mut next).is_err());
            let (mut others, mut ends) = (Rows::new(batch.row_width()), vec![7]);
            batch.advance_to_ends(&before, &from, &joints, &mut others, &mut ends).expect("next states");
            assert_eq!(others, next);
            let is_end = |&state: &u32| evaluator.view(&unpacked(next.row(state as usize))).is_terminal;
            assert_eq!(ends, from.iter().copied().filter(is_end).collect::<Vec<_>>(), "{name} {path:?}");
            // What was looked at in between leaves no move behind.
            next.clear();
            batch.advance(&before, &from, &joints, &mut next).expect("next states");
            assert_eq!(others, next);
        }
    }
}

/// The fluents of a packed state.
fn unpacked(row: &[u64]) -> Vec<usize> {
    (0..row.len() * 64).filter(|bit| row[bit / 64] >> (bit % 64) & 1 == 1).collect()
}

/// Three doors; behind the second nothing can be done, and behind the third the match is over.
const DOORS: &str =
    "(role you) (init hall) (door 1) (door 2) (door 3) (<= (legal you (open ?d)) (door ?d) (true hall))
    (<= (legal you stay) (true (behind 1))) (<= (next (behind ?d)) (does you (open ?d)))
    (<= (next (behind 1)) (does you stay)) (<= terminal (true (behind 3)))
    (<= (goal you 100) (true (behind 3))) (<= (goal you 0) (not (true (behind 3))))";

#[test]
fn states_without_moves_are_ends() {
    let game = grounded(DOORS);
    for path in Path::ALL.into_iter().filter(|path| path.is_available()) {
        let mut batch = batched(&game, path);
        let first = rows(&*batch, &[batch.initial()]);
        let mut views = Views::default();
        batch.look(&first, &mut views).expect("views");
        let doors = views.legal(0, 0).to_vec();
        // More than fill the lanes of one vector.
        let from = vec![0; 600];
        let joints: Vec<Move> = (0..600).map(|index| doors[index % 3]).collect();
        let (mut next, mut ends) = (Rows::new(batch.row_width()), Vec::new());
        batch.advance_to_ends(&first, &from, &joints, &mut next, &mut ends).expect("next states");
        assert_eq!(ends, (0..600).filter(|index| index % 3 > 0).collect::<Vec<_>>(), "{path:?}");
    }
}

#[test]
fn playouts_from_states() {
    let game = library("tic-tac-toe");
    let states = states(&game, 40);
    // States in which the last move decides: as many playouts as there are ways show each of them.
    let evaluator = Evaluator::new(&game).expect("stratified");
    let mut sought = Vec::new();
    for (state, _) in &states {
        let view = evaluator.view(state);
        let blanks = view.legal.len() - usize::from(!view.is_terminal);
        if view.is_terminal || blanks <= 1 {
            sought.push((state, view));
        }
    }
    assert!(sought.len() > 20);
    let packed_states: Vec<State> = sought.iter().map(|(state, _)| packed(&game, state)).collect();
    let limits = PlayoutLimits { seed: 3, max_steps: 20 };
    let mut first: Option<Outcomes> = None;
    for path in Path::ALL.into_iter().filter(|path| path.is_available()) {
        let mut batch = batched(&game, path);
        let mut outcomes = Outcomes::default();
        batch.play_out(&rows(&*batch, &packed_states), 30, limits, &mut outcomes).expect("playouts");
        for (index, (state, view)) in sought.iter().enumerate() {
            let mut last = (*state).clone();
            if !view.is_terminal {
                last = evaluator.next(&last, &view.legal);
            }
            for role in 0..2 {
                let goals = evaluator.view(&last).goals;
                let goal = goals.iter().find(|(of, _)| *of == game.roles[role]).unwrap().1;
                let value: i64 = game.term(goal).parse().unwrap();
                assert_eq!(outcomes.sum(index, role), (30 * value, 30));
            }
        }
        assert_eq!(first.get_or_insert_with(|| outcomes.clone()), &outcomes, "{path:?}");
    }
}

#[test]
fn playouts_stop_at_the_limit() {
    let game = grounded(
        "(role r) (legal r a) (legal r b) (<= (next p) (not (true p))) (<= terminal (true q)) (goal r 0)",
    );
    let mut batch = batched(&game, Path::best(100));
    let mut outcomes = Outcomes::default();
    let states = rows(&*batch, &vec![batch.initial(); 3]);
    batch.play_out(&states, 200, PlayoutLimits { seed: 1, max_steps: 9 }, &mut outcomes).expect("playouts");
    assert_eq!((outcomes.unfinished, outcomes.states), (600, 5400));
}

/// The best playouts are played again, and their moves lead to the goals that they had.
fn check_retracing(batch: &mut dyn Batch, limits: PlayoutLimits) {
    let width = batch.row_width();
    let mut states = Rows::of_row(width, batch.initial().words());
    let (mut views, mut outcomes) = (Views::default(), Outcomes::default());
    batch.look(&states, &mut views).expect("an answer");
    let joint: Vec<Move> = (0..batch.roles().len()).map(|role| views.legal(0, role)[0]).collect();
    let first = states.clone();
    batch.advance(&first, &[0], &joint, &mut states).expect("a next state");
    batch.play_out(&states, 300, limits, &mut outcomes).expect("playouts");
    for (index, state) in states.iter().enumerate() {
        let (goal, number) = outcomes.best(index, 0).expect("an end");
        let moves = batch.retrace(&states, 300, limits, number).expect("an answer").expect("few moves");
        let mut end = Rows::of_row(width, state);
        for joint in moves.chunks(batch.roles().len()) {
            let mut next = Rows::new(width);
            batch.advance(&end, &[0], joint, &mut next).expect("a next state");
            end = next;
        }
        batch.look(&end, &mut views).expect("an answer");
        assert!(views.is_terminal(0));
        assert_eq!(views.goals(0, 0), [goal]);
    }
    assert_eq!(batch.retrace(&states, 300, limits, 600), Ok(None));
}

#[test]
fn playouts_are_retraced() {
    for name in ["tic-tac-toe", "lights-out", "rock-paper-scissors", "peg-solitaire"] {
        let game = library(name);
        let limits = PlayoutLimits { seed: 5, max_steps: 1000 };
        check_retracing(&mut *batched(&game, Path::best(1000)), limits);
        let machine = groundrules_machine::engines::net::NetMachine::new(game).expect("a network");
        check_retracing(&mut groundrules_machine::OneByOne::new(Box::new(machine)), limits);
    }
}

#[test]
fn preferred_moves_are_made_where_they_are_legal() {
    let game = grounded(DOORS);
    for path in Path::ALL.into_iter().filter(|path| path.is_available()) {
        let mut batch = batched(&game, path);
        let first = rows(&*batch, &[batch.initial()]);
        let mut views = Views::default();
        batch.look(&first, &mut views).expect("views");
        let doors = views.legal(0, 0).to_vec();
        assert!(batch.can_be_guided());
        let limits = PlayoutLimits { seed: 3, max_steps: 5 };
        let mut outcomes = Outcomes::default();
        // Who always or half of the time prefers the third door wins that often, and a third of the other times.
        for (best, good, wins) in
            [(16, 16, 1.0), (0, 16, 1.0), (0, 0, 1.0 / 3.0), (0, 8, 2.0 / 3.0), (8, 8, 5.0 / 6.0)]
        {
            let mut preferences =
                Preferences { of_moves: vec![Preference::default(); doors[2].0 as usize + 1] };
            preferences.of_moves[doors[2].0 as usize] = Preference { best, good };
            let mut record = MoveRecord::default();
            batch
                .play_out_guided(&first, 6_000, limits, &preferences, &mut record, &mut outcomes)
                .expect("playouts");
            // Every playout that ended made one move here, and those that won opened the third door.
            let (count, sum) = record.of_moves[doors[2].0 as usize];
            assert_eq!((sum, count as i64 * 100), (outcomes.sum(0, 0).0, sum), "{path:?}");
            let share = outcomes.sum(0, 0).0 as f64 / 600_000.0;
            assert!((share - wins).abs() < 0.03, "{path:?}, {best} {good}: {share}, not {wins}");
        }
    }
}

#[test]
fn without_preferences_guided_playouts_are_uniform() {
    for name in ["breakthrough-small", "connect-four", "rock-paper-scissors", "tron"] {
        let game = library(name);
        let mut batch = batched(&game, Path::best(1));
        let states: Vec<State> =
            states(&game, 2).iter().step_by(3).take(12).map(|(state, _)| packed(&game, state)).collect();
        let states = rows(&*batch, &states);
        let limits = PlayoutLimits { seed: 5, max_steps: 500 };
        let (mut uniform, mut guided) = (Outcomes::default(), Outcomes::default());
        batch.play_out(&states, 2_000, limits, &mut uniform).expect("playouts");
        for preference in [Preference { best: 0, good: 0 }, Preference { best: 16, good: 16 }] {
            let preferences = Preferences { of_moves: vec![preference; game.moves.len()] };
            let mut record = MoveRecord::default();
            batch
                .play_out_guided(&states, 2_000, limits, &preferences, &mut record, &mut guided)
                .expect("playouts");
            let made: u64 = record.of_moves.iter().map(|&(count, _)| count).sum();
            assert!(made > 0 && made <= game.roles.len() as u64 * guided.states, "{name}: {made}");
            for state in 0..states.len() {
                let (one, other) = (uniform.mean(state, 0), guided.mean(state, 0));
                let difference = one.unwrap_or(0.0) - other.unwrap_or(0.0);
                assert!(difference.abs() < 7.0, "{name}, {state}: {one:?} {other:?}");
            }
            assert_eq!(guided.unplayable, uniform.unplayable, "{name}");
        }
    }
}

#[test]
fn states_that_no_match_comes_to_are_played_by_the_rules() {
    // Whose turn it is depends on the number of moves, and here it is nobody's or everybody's.
    let game = library("tic-tac-toe");
    let mut batch = batched(&game, Path::best(1));
    let initial = packed(&game, &game.init);
    let evaluator = Evaluator::new(&game).expect("stratified");
    let later = states(&game, 1)[1].0.clone();
    // The board is empty, and it is the second player's turn.
    let control = |state: &[usize]| {
        let turn = state.iter().copied().find(|&fluent| game.term(game.fluents[fluent]).contains("turn"));
        turn.expect("somebody's turn")
    };
    let mut stray: Vec<usize> =
        game.init.iter().copied().filter(|&fluent| fluent != control(&game.init)).collect();
    stray.push(control(&later));
    assert!(!evaluator.view(&stray).is_terminal);
    let limits = PlayoutLimits { seed: 9, max_steps: 50 };
    let (mut usual, mut odd) = (Outcomes::default(), Outcomes::default());
    let own = rows(&*batch, &[initial]);
    batch.play_out(&own, 4_000, limits, &mut usual).expect("playouts");
    let strays = rows(&*batch, &[packed(&game, &stray)]);
    batch.play_out(&strays, 4_000, limits, &mut odd).expect("playouts");
    // Who begins has the better chances.
    let (first, second) = (usual.mean(0, 0).expect("goals"), odd.mean(0, 1).expect("goals"));
    assert!((first - second).abs() < 4.0 && first > 60.0, "{first} {second}");
    let moves = batch.retrace(&strays, 3, limits, 1).expect("a playout").expect("its moves");
    assert!(moves.len() >= 10, "{moves:?}");
}

#[test]
fn goals_of_playouts_are_those_of_ends() {
    for name in ["tic-tac-toe", "connect-four", "breakthrough-small", "reversi", "three-in-a-row"] {
        let game = library(name);
        let evaluator = Evaluator::new(&game).expect("stratified");
        for path in [Path::best(1), Path::Portable] {
            let mut batch = batched(&game, path);
            let states: Vec<State> = states(&game, if name == "reversi" { 1 } else { 12 })
                .iter()
                .filter(|(state, _)| !evaluator.view(state).is_terminal)
                .map(|(state, _)| packed(&game, state))
                .collect();
            let states = rows(&*batch, &states);
            let limits = PlayoutLimits { seed: 11, max_steps: 500 };
            let mut outcomes = Outcomes::default();
            batch.play_out(&states, 7, limits, &mut outcomes).expect("playouts");
            for state in 0..states.len() {
                let got: Vec<(i64, u64)> =
                    (0..game.roles.len()).map(|role| outcomes.sum(state, role)).collect();
                assert!(got.iter().all(|&(_, count)| count == 7), "{name}, {state}: {got:?}");
                if game.roles.len() == 2 {
                    assert_eq!(got[0].0 + got[1].0, 700, "{name}, {state}: {got:?}");
                }
            }
        }
    }
}
