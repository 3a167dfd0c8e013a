//! States beyond memory, by fingerprint, and from checkpoints: the same counts and verdicts as in memory.

mod support;

use std::path::Path;
use std::time::Duration;

use groundrules_explore::{Budget, Checkpoints, ExploreError, Explored, GameId, Options, Stop, search};
use groundrules_machine::Compiled;
use support::{game, library, threads};

fn batched(name: &str) -> Compiled {
    Compiled::new(library(name))
}

fn in_memory(batched: &Compiled) -> Explored {
    search(batched, &threads(2)).expect("all states")
}

#[test]
fn states_on_disk_and_by_fingerprint_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["tic-tac-toe", "connect-four-4x4", "eight-puzzle-endless", "nim"] {
        let batched = batched(name);
        let exact = in_memory(&batched);
        for count in [1, 2] {
            let budget = Budget { memory: Some(300_000), ..Budget::default() };
            let spill = Some(folder.path().to_owned());
            let spilled = search(&batched, &Options { budget, spill: spill.clone(), ..threads(count) });
            let spilled = spilled.expect("all states");
            assert_eq!((&spilled.levels, &spilled.findings), (&exact.levels, &exact.findings), "{name}");
            let options = Options { fingerprint: true, spill, ..threads(count) };
            let fingerprints = search(&batched, &options).expect("all states");
            assert_eq!(
                (&fingerprints.levels, &fingerprints.findings),
                (&exact.levels, &exact.findings),
                "{name}"
            );
        }
    }
}

#[test]
fn without_a_disk_memory_is_a_limit() {
    let batched = batched("connect-four-4x4");
    let budget = Budget { memory: Some(300_000), ..Budget::default() };
    let found = search(&batched, &Options { budget, ..threads(1) });
    assert_eq!(found.expect("some states").stop, Some(Stop::Memory(300_000)));
}

/// Searches a little at a time, each time from the last checkpoint and on another number of threads.
fn by_pieces(
    batched: &Compiled,
    folder: &Path,
    game: &str,
    step: u64,
) -> Result<(Explored, u64), ExploreError> {
    for piece in 1.. {
        let budget = Budget { states: Some(step * piece), ..Budget::default() };
        let count = [2, 1, 3][(piece % 3) as usize];
        let game = GameId::new(game.as_bytes(), "auto");
        let checkpoints =
            Checkpoints { folder: folder.to_owned(), game, every: Duration::ZERO, resume: true };
        let options = Options { budget, checkpoints: Some(checkpoints), ..threads(count) };
        let explored = search(batched, &options)?;
        if explored.stop.is_none() {
            return Ok((explored, piece));
        }
    }
    unreachable!("pieces grow without end")
}

#[test]
fn a_search_by_pieces_finds_the_same() {
    for (name, step) in [("connect-four-4x4", 30_000), ("eight-puzzle-endless", 50_000)] {
        let folder = tempfile::tempdir().unwrap();
        let batched = batched(name);
        let exact = in_memory(&batched);
        let (found, pieces) = by_pieces(&batched, folder.path(), name, step).expect("all states");
        assert!(pieces > 2, "{pieces}");
        assert_eq!((&found.levels, &found.findings), (&exact.levels, &exact.findings), "{name}");
        // And once more from the end.
        let (again, _) = by_pieces(&batched, folder.path(), name, u64::MAX / 2).expect("all states");
        assert_eq!((again.levels, again.findings), (exact.levels, exact.findings), "{name}");
    }
}

/// So many roles each choose one of so many numbers, at the same time; then it is over.
fn lottery(roles: usize, numbers: usize) -> Compiled {
    let roles = (0..roles).map(|role| format!("(role r{role})")).collect::<String>();
    let numbers = (0..numbers).map(|number| format!("(number {number})")).collect::<String>();
    let rules = "(init open) (<= (legal ?r (choose ?n)) (role ?r) (number ?n) (true open))
        (<= (next (chosen ?r ?n)) (does ?r (choose ?n)))
        (<= terminal (not (true open))) (<= (goal ?r 100) (role ?r))";
    Compiled::new(game(&format!("{roles}{numbers}{rules}")))
}

#[test]
fn a_state_with_very_many_joint_moves_takes_many_rounds() {
    let (batched, folder) = (lottery(3, 70), tempfile::tempdir().unwrap());
    let exact = in_memory(&batched);
    assert_eq!((&exact.levels[..], exact.findings.edges), (&[1, 343_000][..], 343_000));
    assert_eq!((exact.findings.expanded, exact.findings.terminal), (343_001, 343_000));
    let budget = Budget { memory: Some(2_000_000), ..Budget::default() };
    let spill = Some(folder.path().to_owned());
    let spilled = search(&batched, &Options { budget, spill, ..threads(2) });
    let spilled = spilled.expect("all states");
    assert_eq!((spilled.levels, spilled.findings), (exact.levels.clone(), exact.findings.clone()));
    let (found, pieces) = by_pieces(&batched, folder.path(), "lottery", 60_000).expect("all states");
    assert!(pieces > 2, "{pieces}");
    assert_eq!((found.levels, found.findings), (exact.levels, exact.findings));
}

#[test]
fn a_state_with_endlessly_many_joint_moves_keeps_to_the_budget() {
    let batched = lottery(8, 100);
    let budget = Budget { states: Some(50_000), ..Budget::default() };
    let found = search(&batched, &Options { budget, ..threads(2) });
    assert_eq!(found.expect("some states").stop, Some(Stop::States(50_000)));
}

#[test]
fn a_damaged_checkpoint_is_refused() {
    let batched = batched("connect-four-4x4");
    let folder = tempfile::tempdir().unwrap();
    by_pieces(&batched, folder.path(), "g", u64::MAX / 2).expect("all states");
    let files: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() >= 2);
    for path in &files {
        let whole = std::fs::read(path).unwrap();
        for place in [0, whole.len() / 2, whole.len() - 1] {
            let mut damaged = whole.clone();
            damaged[place] ^= 1;
            std::fs::write(path, &damaged).unwrap();
            let refused = by_pieces(&batched, folder.path(), "g", u64::MAX / 2);
            assert!(
                matches!(refused, Err(ExploreError::Checkpoint { .. })),
                "{} {place}: {refused:?}",
                path.display()
            );
        }
        std::fs::write(path, &whole[..whole.len() - 1]).unwrap();
        assert!(by_pieces(&batched, folder.path(), "g", u64::MAX / 2).is_err(), "cut short");
        std::fs::write(path, &whole).unwrap();
    }
    assert!(by_pieces(&batched, folder.path(), "another game", u64::MAX / 2).is_err());
    assert!(by_pieces(&batched, folder.path(), "g", u64::MAX / 2).is_ok(), "whole again");
}

#[test]
fn a_checkpoint_of_the_first_format_is_refused() {
    let batched = batched("tic-tac-toe");
    let folder = tempfile::tempdir().unwrap();
    let old = r#"{"crc32":1,"manifest":{"version":1,"game":"g","width":1,"series":0,"number":1,"parts":[]}}"#;
    std::fs::write(folder.path().join("manifest.json"), old).unwrap();
    let refused = by_pieces(&batched, folder.path(), "g", u64::MAX / 2).unwrap_err().to_string();
    assert!(refused.contains("its format has version 1, and this program reads version 2"), "{refused}");
}

#[test]
fn fingerprints_do_not_become_exact_by_a_checkpoint() {
    let batched = batched("connect-four-4x4");
    let folder = tempfile::tempdir().unwrap();
    let game = GameId::new(b"g", "auto");
    let checkpoints =
        Checkpoints { folder: folder.path().to_owned(), game, every: Duration::ZERO, resume: true };
    let budget = Budget { states: Some(20_000), ..Budget::default() };
    let options = Options { budget, fingerprint: true, checkpoints: Some(checkpoints), ..threads(2) };
    search(&batched, &options).expect("some states");
    let refused = search(&batched, &Options { fingerprint: false, ..options.clone() });
    assert!(refused.unwrap_err().to_string().contains("this run needs exact states"));
    let all = search(&batched, &Options { budget: Budget::default(), ..options }).expect("all states");
    assert_eq!((all.states(), all.findings.expanded), (161_029, 161_029));
}
