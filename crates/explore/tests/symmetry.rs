//! Exploring modulo symmetry: fewer states, the same verdicts, and lines that can be played.

use std::sync::Arc;

use groundrules_explore::{Options, Outcome, verify};
use groundrules_gdl::{Options as ReadOptions, read};
use groundrules_machine::Compiled;
use groundrules_structure::{RoleChanges, Symmetries};

fn library(name: &str) -> Compiled {
    let path = format!("{}/../../games/{name}.kif", env!("CARGO_MANIFEST_DIR"));
    game(&std::fs::read_to_string(path).expect("a game of the library"))
}

fn game(text: &str) -> Compiled {
    Compiled::new(read(text.as_bytes(), &ReadOptions::default()).game.expect("a valid description"))
}

fn with_symmetry(game: &Compiled) -> Options {
    let symmetries = Symmetries::of(&game.ground().expect("a ground game"), RoleChanges::Forbidden);
    Options { symmetry: Some(Arc::new(symmetries.group(1_000))), ..Options::default() }
}

#[test]
fn symmetric_states_are_visited_once() {
    for (name, all, classes) in [("tic-tac-toe", 5_478, 765), ("connect-four-4x4", 161_029, 80_541)] {
        let game = library(name);
        let (plain, modulo) = (Options::default(), with_symmetry(&game));
        let [plain, modulo] = [plain, modulo].map(|options| verify(&game, &options).expect("verdicts"));
        assert_eq!((plain.explored.states(), modulo.explored.states()), (all, classes), "{name}");
        for (one, other) in plain.verdicts.iter().zip(&modulo.verdicts) {
            assert_eq!((one.property, one.outcome), (other.property, other.outcome), "{name}");
        }
    }
}

/// Four cells in a ring, of which one is marked; a mark moves on, a second one in the wrong place leaves nothing to do.
const RING: &str =
    "(role you) (next_to 1 2) (next_to 2 3) (next_to 3 4) (next_to 4 1) (init (free 1)) (init (free 2))
    (init (free 3)) (init (free 4))
    (<= (legal you (mark ?c)) (true (free ?c)) (not stuck))
    (<= (next (marked ?c)) (does you (mark ?c))) (<= (next (marked ?c)) (true (marked ?c)))
    (<= (next (free ?c)) (true (free ?c)) (not (does you (mark ?c))))
    (<= stuck (true (marked ?c)) (true (marked ?d)) (next_to ?c ?d))
    (<= full (true (marked 1)) (true (marked 2)) (true (marked 3)) (true (marked 4)))
    (<= terminal full) (<= (goal you 100) full) (<= (goal you 0) (not full))";

#[test]
fn lines_modulo_symmetry_can_be_played() {
    let game = game(RING);
    let found = verify(&game, &with_symmetry(&game)).expect("verdicts");
    let mut lines = 0;
    for verdict in &found.verdicts {
        let Some(line) = &verdict.line else { continue };
        assert_eq!(verdict.outcome, Outcome::Fails);
        lines += 1;
        let mut machine = game.machine().expect("a machine");
        for joint in line {
            for (role, made) in joint.iter().enumerate() {
                assert!(machine.legal(role).expect("legal moves").contains(made), "{line:?}");
            }
            machine.advance(joint).expect("a legal move");
        }
        assert!(machine.legal(0).expect("legal moves").is_empty(), "{line:?}");
    }
    assert!(lines > 0);
}
