//! States beyond memory, by fingerprint, and from checkpoints: the same counts and verdicts as in memory.

mod support;

use std::path::Path;
use std::time::Duration;

use groundrules_explore::checkpoint::Checkpoint;
use groundrules_explore::compact::Compact;
use groundrules_explore::run::on_threads;
use groundrules_explore::search::{Explored, Worker};
use groundrules_explore::store::Store;
use groundrules_explore::{Budget, ExploreError, Silent, Stop};
use groundrules_machine::Batch;
use groundrules_machine::engines::Engine;
use support::{batch, game, library, threads};

fn batched(name: &str) -> Box<dyn Batch> {
    batch(&library(name), Engine::Auto)
}

fn in_memory(batched: &dyn Batch) -> Explored {
    on_threads(&*batched, threads(2), |batch, link| {
        let store = Store::exact(batch.row_width());
        Worker::new(batch, store, link, &Silent).search(&Budget::default(), None, None)
    })
    .expect("all states")
}

#[test]
fn states_on_disk_and_by_fingerprint_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["tic-tac-toe", "connect-four-4x4", "eight-puzzle-endless", "nim"] {
        let batched = batched(name);
        let exact = in_memory(&*batched);
        for count in [1, 2] {
            let budget = Budget { memory: Some(300_000), ..Budget::default() };
            let spilled = on_threads(&*batched, threads(count), |batch, link| {
                let store = Store::exact(batch.row_width());
                let mut worker = Worker::new(batch, store, link, &Silent);
                worker.spill_to(folder.path());
                worker.search(&budget, None, None)
            });
            let spilled = spilled.expect("all states");
            assert_eq!((&spilled.levels, &spilled.findings), (&exact.levels, &exact.findings), "{name}");
            let compact = on_threads(&*batched, threads(count), |batch, link| {
                let store = Store::Compact(Box::new(Compact::new(folder.path(), batch.row_width())?));
                Worker::new(batch, store, link, &Silent).search(&Budget::default(), None, None)
            });
            let compact = compact.expect("all states");
            assert_eq!((&compact.levels, &compact.findings), (&exact.levels, &exact.findings), "{name}");
        }
    }
}

#[test]
fn without_a_disk_memory_is_a_limit() {
    let batched = batched("connect-four-4x4");
    let budget = Budget { memory: Some(300_000), ..Budget::default() };
    let found = on_threads(&*batched, threads(1), |batch, link| {
        let store = Store::exact(batch.row_width());
        Worker::new(batch, store, link, &Silent).search(&budget, None, None)
    });
    assert_eq!(found.expect("some states").stop, Some(Stop::Memory(300_000)));
}

/// Searches a little at a time, each time from the last checkpoint and on another number of threads.
fn by_pieces(
    batched: &dyn Batch,
    folder: &Path,
    game: &str,
    step: u64,
) -> Result<(Explored, u64), ExploreError> {
    for piece in 1.. {
        let budget = Budget { states: Some(step * piece), ..Budget::default() };
        let count = [2, 1, 3][(piece % 3) as usize];
        let explored = on_threads(&*batched, threads(count), |batch, link| {
            let mut store = Store::exact(batch.row_width());
            let mut checkpoint = Checkpoint::new(folder, game, Duration::ZERO);
            let resumed = checkpoint.resume(link, &mut store)?;
            Worker::new(batch, store, link, &Silent).search(&budget, resumed, Some(&mut checkpoint))
        })?;
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
        let exact = in_memory(&*batched);
        let (found, pieces) = by_pieces(&*batched, folder.path(), name, step).expect("all states");
        assert!(pieces > 2, "{pieces}");
        assert_eq!((&found.levels, &found.findings), (&exact.levels, &exact.findings), "{name}");
        // And once more from the end.
        let (again, _) = by_pieces(&*batched, folder.path(), name, u64::MAX / 2).expect("all states");
        assert_eq!((again.levels, again.findings), (exact.levels, exact.findings), "{name}");
    }
}

/// So many roles each choose one of so many numbers, at the same time; then it is over.
fn lottery(roles: usize, numbers: usize) -> Box<dyn Batch> {
    let roles = (0..roles).map(|role| format!("(role r{role})")).collect::<String>();
    let numbers = (0..numbers).map(|number| format!("(number {number})")).collect::<String>();
    let rules = "(init open) (<= (legal ?r (choose ?n)) (role ?r) (number ?n) (true open))
        (<= (next (chosen ?r ?n)) (does ?r (choose ?n)))
        (<= terminal (not (true open))) (<= (goal ?r 100) (role ?r))";
    batch(&game(&format!("{roles}{numbers}{rules}")), Engine::Auto)
}

#[test]
fn a_state_with_very_many_joint_moves_takes_many_rounds() {
    let (batched, folder) = (lottery(3, 70), tempfile::tempdir().unwrap());
    let exact = in_memory(&*batched);
    assert_eq!((&exact.levels[..], exact.findings.edges), (&[1, 343_000][..], 343_000));
    assert_eq!((exact.findings.expanded, exact.findings.terminal), (343_001, 343_000));
    let budget = Budget { memory: Some(2_000_000), ..Budget::default() };
    let spilled = on_threads(&*batched, threads(2), |batch, link| {
        let mut worker = {
            let store = Store::exact(batch.row_width());
            Worker::new(batch, store, link, &Silent)
        };
        worker.spill_to(folder.path());
        worker.search(&budget, None, None)
    });
    let spilled = spilled.expect("all states");
    assert_eq!((spilled.levels, spilled.findings), (exact.levels.clone(), exact.findings.clone()));
    let (found, pieces) = by_pieces(&*batched, folder.path(), "lottery", 60_000).expect("all states");
    assert!(pieces > 2, "{pieces}");
    assert_eq!((found.levels, found.findings), (exact.levels, exact.findings));
}

#[test]
fn a_state_with_endlessly_many_joint_moves_keeps_to_the_budget() {
    let batched = lottery(8, 100);
    let found = on_threads(&*batched, threads(2), |batch, link| {
        let budget = Budget { states: Some(50_000), ..Budget::default() };
        let store = Store::exact(batch.row_width());
        Worker::new(batch, store, link, &Silent).search(&budget, None, None)
    });
    assert_eq!(found.expect("some states").stop, Some(Stop::States(50_000)));
}

#[test]
fn a_damaged_checkpoint_is_refused() {
    let batched = batched("connect-four-4x4");
    let folder = tempfile::tempdir().unwrap();
    by_pieces(&*batched, folder.path(), "g", u64::MAX / 2).expect("all states");
    let files: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() >= 2);
    for path in &files {
        let whole = std::fs::read(path).unwrap();
        for place in [0, whole.len() / 2, whole.len() - 1] {
            let mut damaged = whole.clone();
            damaged[place] ^= 1;
            std::fs::write(path, &damaged).unwrap();
            let refused = by_pieces(&*batched, folder.path(), "g", u64::MAX / 2);
            assert!(
                matches!(refused, Err(ExploreError::Checkpoint { .. })),
                "{} {place}: {refused:?}",
                path.display()
            );
        }
        std::fs::write(path, &whole[..whole.len() - 1]).unwrap();
        assert!(by_pieces(&*batched, folder.path(), "g", u64::MAX / 2).is_err(), "cut short");
        std::fs::write(path, &whole).unwrap();
    }
    assert!(by_pieces(&*batched, folder.path(), "another game", u64::MAX / 2).is_err());
    assert!(by_pieces(&*batched, folder.path(), "g", u64::MAX / 2).is_ok(), "whole again");
}
