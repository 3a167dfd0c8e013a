//! Every solver alone on puzzles of the library: lines are legal and end with their goals, bounds hold, and each solver solves the puzzles
//! that it is made for. Everything is counted in steps, never in seconds.

use groundrules_gdl::{Options, read};
use groundrules_machine::{Compiled, PlayoutLimits};
use groundrules_puzzle::{Allowance, Found, Limits, Portfolio, Solver, Status, StepCounter, solvers};

fn library(name: &str) -> Compiled {
    let path = format!("{}/../../games/{name}.kif", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read(path).expect("a game of the library");
    Compiled::new(read(&text, &Options::default()).game.expect("a valid description"))
}

fn all(game: &Compiled) -> Vec<Box<dyn Solver>> {
    let mut batch = game.batch().expect("a batch");
    let start = batch.initial();
    let counter = StepCounter::find(&mut *batch, &start).expect("playouts");
    let mask = counter.as_ref().map_or(&[][..], StepCounter::mask);
    solvers::all(&game.network().expect("a network"), mask, 1 << 26)
}

/// What a solver finds from the initial state in so many steps: the last line, the least upper bound, and whether it was exhausted.
fn search(game: &Compiled, solver: &mut dyn Solver, steps: u64) -> (Option<Found>, Option<i32>, bool) {
    let mut batch = game.batch().expect("a batch");
    solver.begin(&batch.initial(), &mut *batch).expect("a start");
    let (mut best, mut upper): (Option<Found>, Option<i32>) = (None, None);
    for seed in 0..steps {
        let to_beat = best.as_ref().map(|found| found.goal);
        if solver.status() != Status::Running || to_beat == Some(100) {
            break;
        }
        let playouts = PlayoutLimits { seed, max_steps: 1000 };
        let allowance = Allowance { to_beat, playouts, work: usize::MAX };
        let progress = solver.step(&mut *batch, &allowance).expect("a step");
        assert!((0.0..=1.0).contains(&progress.headway), "{}", solver.name());
        if let Some(found) = progress.found {
            assert!(Some(found.goal) > to_beat, "{}", solver.name());
            best = Some(found);
        }
        upper = [upper, progress.upper].into_iter().flatten().min();
    }
    (best, upper, solver.status() == Status::Exhausted)
}

/// The goal that a line comes to, if it is legal.
fn replayed(game: &Compiled, found: &Found) -> Vec<i32> {
    let mut machine = game.machine().expect("a machine");
    for made in &found.moves {
        assert!(!machine.is_terminal().expect("a state"));
        assert!(machine.legal(0).expect("moves").contains(made));
        machine.advance(&[*made]).expect("a next state");
    }
    assert!(machine.is_terminal().expect("a state"));
    machine.goals(0).expect("goals").to_vec()
}

#[test]
fn lines_are_legal_and_bounds_hold() {
    let names = ["eight-queens", "key-and-door", "knights-tour", "lights-out", "towers-of-hanoi"];
    let mut solved: Vec<(&str, &str)> = Vec::new();
    for name in names {
        let game = library(name);
        for mut solver in all(&game) {
            let (best, upper, is_exhausted) = search(&game, &mut *solver, 400);
            let goal = best.as_ref().map(|found| found.goal);
            if let Some(found) = &best {
                assert_eq!(replayed(&game, found), [found.goal], "{name}: {}", solver.name());
            }
            // All of these puzzles can be solved.
            assert!(upper.is_none_or(|upper| upper == 100), "{name}: {}", solver.name());
            assert!(!is_exhausted || goal == Some(100), "{name}: {}", solver.name());
            if goal == Some(100) {
                solved.push((name, solver.name()));
            }
        }
    }
    for expected in [
        ("towers-of-hanoi", "exhaustive search"),
        ("lights-out", "exhaustive search"),
        ("knights-tour", "Warnsdorff's rule"),
        ("lights-out", "depth-first search by landmarks"),
        ("eight-queens", "beam search by landmarks"),
        ("key-and-door", "beam search"),
    ] {
        assert!(solved.contains(&expected), "{expected:?} is not among {solved:?}");
    }
    assert!(names.iter().all(|name| solved.iter().any(|(own, _)| own == name)), "{solved:?}");
}

/// One may stop at any time; what was collected counts, and not everything can be.
const COLLECT: &str = "(role you) (init (at 0)) (thing 1) (thing 2) (thing 3)
    (<= (legal you (take ?t)) (thing ?t) (not (true (has ?t)))) (legal you stop)
    (<= (next (has ?t)) (true (has ?t)) (not (lost ?t))) (<= (next (has ?t)) (does you (take ?t)))
    (<= (lost 1) (does you (take 3))) (<= (lost 3) (does you (take 1)))
    (<= (next over) (does you stop)) (<= terminal (true over))
    (<= all (true (has 1)) (true (has 2)) (true (has 3)))
    (<= two (true (has 1)) (true (has 2))) (<= two (true (has 2)) (true (has 3)))
    (<= (goal you 100) all) (<= (goal you 60) two (not all)) (<= (goal you 10) (not two))";

#[test]
fn a_portfolio_proves_the_best_goal_by_exhaustion() {
    let game =
        Compiled::new(read(COLLECT.as_bytes(), &Options::default()).game.expect("a valid description"));
    let mut batch = game.batch().expect("a batch");
    let start = batch.initial();
    let network = game.network().expect("a network");
    let run = |batch: &mut dyn groundrules_machine::Batch| {
        let mut portfolio = Portfolio::new(&network, batch, &start, 1 << 24).expect("a portfolio");
        portfolio.solve(batch, &start, &Limits::default(), &mut |_| true).expect("an outcome")
    };
    let outcome = run(&mut *batch);
    let line = outcome.line.expect("a line");
    assert_eq!((line.goal(), outcome.upper, outcome.is_proved), (60, Some(60), true));
    // Without a clock a seed decides everything.
    assert_eq!(run(&mut *batch).line, Some(line));
    let mut portfolio = Portfolio::new(&network, &mut *batch, &start, 1 << 24).expect("a portfolio");
    let limits = Limits { to_beat: Some(60), ..Limits::default() };
    let outcome = portfolio.solve(&mut *batch, &start, &limits, &mut |_| true).expect("an outcome");
    assert!(outcome.line.is_none() && outcome.is_proved, "nothing beats 60");
    let stopped = portfolio.solve(&mut *batch, &start, &Limits::default(), &mut |_| false);
    assert!(stopped.expect("an outcome").line.is_none());
}
