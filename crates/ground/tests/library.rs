//! The games of this repository, grounded, play as the oracle plays them; what cannot be grounded is refused.

mod support;

use groundrules_gdl::{Game, Options, read};
use groundrules_ground::{GroundError, Limits, Options as GroundOptions, ground};
use groundrules_oracle::{Budget, Oracle, Plays, random_playout};
use support::Player;

fn game(text: &[u8]) -> Game {
    read(text, &Options::default()).game.expect("a valid description")
}

fn small() -> GroundOptions {
    let mut options = GroundOptions::default();
    (options.limits.rules, options.limits.atoms) = (60_000, 200_000);
    options
}

fn sorted(mut list: Vec<String>) -> Vec<String> {
    list.sort();
    list
}

fn sorted_each(lists: Vec<Vec<String>>) -> Vec<Vec<String>> {
    lists.into_iter().map(sorted).collect()
}

/// Plays random matches by the oracle and asks both the same questions on the way. Says how many states were compared.
fn compare(name: &str, game: &Game, player: &mut Player<'_>) -> usize {
    let mut oracle = Oracle::new(game, Budget::steps(30_000_000)).expect("within the budget");
    let mut compared = 0;
    for seed in 1..4 {
        let Ok(playout) = random_playout(&mut oracle, seed, 40) else { break };
        let Ok(mut here) = player.initial_state();
        for (step, state) in playout.states.iter().enumerate() {
            let Ok(fluents) = player.fluents(&here);
            assert_eq!(
                sorted(fluents),
                sorted(Plays::fluents(&mut oracle, state).unwrap()),
                "{name}: state {step}"
            );
            let Ok(over) = player.is_terminal(&here);
            let Ok(terminal) = oracle.is_terminal(state) else { return compared };
            assert_eq!(over, terminal, "{name}: the end at {step}");
            let Ok(legal) = player.legal(&here);
            let Ok(goals) = player.goals(&here);
            let (Ok(moves), Ok(values)) =
                (Plays::legal(&mut oracle, state), Plays::goals(&mut oracle, state))
            else {
                return compared;
            };
            assert_eq!(sorted_each(legal), sorted_each(moves), "{name}: moves at {step}");
            assert_eq!(sorted_each(goals), sorted_each(values), "{name}: goals at {step}");
            compared += 1;
            if let Some(joint) = playout.joints.get(step) {
                let joint: Vec<String> = joint.iter().map(|&made| oracle.kif(made).unwrap()).collect();
                let Ok(next) = player.next_state(&here, &joint);
                here = next;
            }
        }
    }
    compared
}

#[test]
fn the_library_plays_as_the_oracle_says() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games");
    let (mut games, mut states) = (0, 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "kif") {
            continue;
        }
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let game = game(&std::fs::read(&path).unwrap());
        let Ok(ground) = ground(&game, &small()) else { continue };
        let compared = compare(&name, &game, &mut Player::new(&ground).unwrap());
        games += usize::from(compared > 0);
        states += compared;
    }
    assert!(games >= 30 && states > 1_000, "only {games} games and {states} states were compared");
}

#[test]
fn terms_that_grow_without_end_meet_the_limit() {
    let text = include_str!("../../../games/busy-beaver.kif");
    match ground(&game(text.as_bytes()), &small()).unwrap_err() {
        GroundError::Limit { blame, .. } | GroundError::Depth { blame, .. } => assert!(blame.made > 0),
        other => panic!("{other}"),
    }
}

#[test]
fn rules_too_large_to_join_are_refused() {
    let frame = "(role r) (init (n z)) (legal r go) (goal r 0) (d 1)";
    let many = " (d ?x)".repeat(5_000);
    let wide = game(format!("{frame} (<= terminal (true (n ?x)){many})").as_bytes());
    assert!(matches!(ground(&wide, &small()), Err(GroundError::Unwieldy { .. })));
    let deep = format!("{}?x{}", "(s ".repeat(5_000), ")".repeat(5_000));
    let deep = game(format!("{frame} (<= terminal (true (n {deep})))").as_bytes());
    assert!(matches!(ground(&deep, &small()), Err(GroundError::Unwieldy { .. })));
}

#[test]
fn a_join_that_finds_nothing_stops_in_time() {
    let facts: String = (0..3_000).map(|i| format!("(a {i}) ")).collect();
    let text = format!(
        "(role r) (init s) (legal r go) (goal r 0) {facts}
        (<= terminal (true s) (a ?x) (a ?y) (a ?z) (distinct ?x ?x) (distinct ?y ?z))"
    );
    let limits = Limits::default().within(std::time::Duration::ZERO);
    let hurried = GroundOptions { limits, ..GroundOptions::default() };
    let wide = text.replace("(distinct ?x ?x) (distinct ?y ?z)", "(not (distinct (f ?x ?y) (f ?z z)))");
    assert!(matches!(
        ground(&game(wide.as_bytes()), &hurried),
        Err(GroundError::Limit { what: "seconds of processor time", .. })
    ));
    assert_eq!(
        ground(&game(text.as_bytes()), &GroundOptions::default())
            .unwrap()
            .rules()
            .filter(|(_, body)| !body.is_empty())
            .count(),
        0
    );
}
