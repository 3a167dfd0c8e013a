//! Plans for made-up puzzles: they lead to their goals, in every order.

use groundrules_gdl::{Options, read};
use groundrules_machine::{Compiled, Machine, State};

use super::*;

fn made(text: &str) -> (Box<dyn Machine>, UnorderedPlanner) {
    let game = read(text.as_bytes(), &Options::default()).game.expect("a valid description");
    let compiled = Compiled::new(game);
    let planner = UnorderedPlanner::new(compiled.network().expect("a network"));
    (compiled.machine().expect("a playable game"), planner)
}

/// The plans of a game from its initial state, up to so many.
fn plans(text: &str, length: Option<usize>, most: usize) -> (Box<dyn Machine>, Vec<UnorderedPlan>) {
    let (mut machine, mut planner) = made(text);
    let mut state = State::default();
    machine.save(&mut state);
    let mut plans = Vec::new();
    planner.learn(&seen(&mut *machine));
    if planner.begin(state.words(), length) {
        while plans.len() < most
            && let Answer::Plan(plan) = planner.plan(0, 10_000)
        {
            plans.push(plan);
            planner.refuse();
        }
    }
    (machine, plans)
}

/// The states of some matches in which moves are made one after the other, and every so many is left out.
fn seen(machine: &mut dyn Machine) -> Rows {
    let (mut rows, mut state) = (Rows::default(), State::default());
    for skip in 1..60 {
        machine.reset();
        let mut turn = 0;
        for _ in 0..50 {
            machine.save(&mut state);
            if rows.is_empty() {
                rows = Rows::new(Some(state.words().len()));
            }
            rows.push(state.words());
            if machine.is_terminal().unwrap() || machine.legal(0).unwrap().is_empty() {
                break;
            }
            turn += skip;
            let legal = machine.legal(0).unwrap();
            let made = legal[turn % legal.len()];
            machine.advance(&[made]).unwrap();
        }
    }
    machine.reset();
    rows
}

/// What making the moves comes to.
fn outcome(machine: &mut dyn Machine, plan: &UnorderedPlan, moves: impl Iterator<Item = Move>) -> Vec<i32> {
    machine.reset();
    for made in moves {
        assert!(!machine.is_terminal().unwrap());
        assert!(machine.legal(0).unwrap().contains(&made));
        machine.advance(&[made]).unwrap();
        let mut state = State::default();
        machine.save(&mut state);
        assert!(plan.allows(state.words()), "the plan's own moves are on the way");
    }
    assert!(machine.is_terminal().unwrap());
    machine.goals(0).unwrap().to_vec()
}

/// A square of numbers, no two alike in a row or a column; `legal` says whether that is seen at once or at the end.
fn square(size: usize, is_checked_at_once: bool) -> String {
    let mut text = String::from(
        "(role you) (<= (init (blank ?r ?c)) (n ?r) (n ?c))
         (<= (next (has ?r ?c ?v)) (true (has ?r ?c ?v))) (<= (next (has ?r ?c ?v)) (does you (put ?r ?c ?v)))
         (<= (next (blank ?r ?c)) (true (blank ?r ?c)) (not (filled ?r ?c)))
         (<= (filled ?r ?c) (does you (put ?r ?c ?v)))
         (<= clash (true (has ?r ?c ?v)) (true (has ?r ?d ?v)) (distinct ?c ?d))
         (<= clash (true (has ?r ?c ?v)) (true (has ?s ?c ?v)) (distinct ?r ?s))
         (<= open (true (blank ?r ?c))) (<= terminal (not open))
         (<= (goal you 100) (not clash) (not open)) (<= (goal you 0) clash) (<= (goal you 0) open) ",
    );
    text += if is_checked_at_once {
        "(<= (legal you (put ?r ?c ?v)) (true (blank ?r ?c)) (n ?v) (not (in_row ?r ?v)) (not (in_column ?c ?v)))
         (<= (in_row ?r ?v) (true (has ?r ?c ?v))) (<= (in_column ?c ?v) (true (has ?r ?c ?v))) "
    } else {
        "(<= (legal you (put ?r ?c ?v)) (true (blank ?r ?c)) (n ?v)) "
    };
    (1..=size).for_each(|number| text += &format!("(n {number}) "));
    text
}

#[test]
fn a_square_is_filled_in_any_order() {
    for is_checked_at_once in [true, false] {
        let (mut machine, plans) = plans(&square(4, is_checked_at_once), None, 20);
        assert_eq!(plans.len(), 20);
        for plan in &plans {
            assert_eq!((plan.goal, plan.moves.len()), (100, 16));
            assert_eq!(outcome(&mut *machine, plan, plan.moves.iter().copied()), [100]);
            assert_eq!(outcome(&mut *machine, plan, plan.moves.iter().rev().copied()), [100]);
        }
    }
}

#[test]
fn all_plans_are_found_and_then_none() {
    // There are twelve squares of three numbers.
    let (_, plans) = plans(&square(3, true), None, 100);
    assert_eq!(plans.len(), 12);
    assert!(
        plans
            .iter()
            .enumerate()
            .all(|(place, plan)| plans[..place].iter().all(|other| other.moves != plan.moves))
    );
}

/// A square like that whose cells have a content, blank at first; what a cell has stays unless it is written to.
fn square_of_contents(size: usize) -> String {
    let mut text = String::from(
        "(role you) (<= (init (has ?r ?c blank)) (n ?r) (n ?c))
         (<= (next (has ?r ?c ?v)) (does you (put ?r ?c ?v)))
         (<= (next (has ?r ?c ?v)) (true (has ?r ?c ?v)) (does you (put ?s ?d ?w)) (distinct ?r ?s))
         (<= (next (has ?r ?c ?v)) (true (has ?r ?c ?v)) (does you (put ?s ?d ?w)) (distinct ?c ?d))
         (<= (legal you (put ?r ?c ?v)) (true (has ?r ?c blank)) (n ?v) (not (in_row ?r ?v)) (not (in_column ?c ?v)))
         (<= (in_row ?r ?v) (true (has ?r ?c ?v))) (<= (in_column ?c ?v) (true (has ?r ?c ?v)))
         (<= can_go_on (legal you (put ?r ?c ?v))) (<= open (true (has ?r ?c blank)))
         (<= terminal (not can_go_on)) (<= (goal you 100) (not open)) (<= (goal you 0) open) ",
    );
    (1..=size).for_each(|number| text += &format!("(n {number}) "));
    text
}

#[test]
fn that_cells_have_one_content_is_learnt_from_states() {
    let (mut machine, plans) = plans(&square_of_contents(4), None, 20);
    assert_eq!(plans.len(), 20);
    for plan in &plans {
        assert_eq!(plan.moves.len(), 16);
        assert_eq!(outcome(&mut *machine, plan, plan.moves.iter().copied()), [100]);
    }
}

/// Exactly three of six lamps are lit, then the match is over; lamps that are neighbours may not both be.
const LAMPS: &str = "(role you) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (lamp 1) (lamp 2) (lamp 3)
    (lamp 4) (lamp 5) (lamp 6) (init (step 1))
    (<= (legal you (light ?l)) (lamp ?l) (not (true (lit ?l))))
    (<= (next (lit ?l)) (true (lit ?l)) (not (does you (light ?l)))) (<= (next (lit ?l)) (does you (light ?l)))
    (<= (next (step ?t)) (true (step ?s)) (succ ?s ?t)) (<= terminal (true (step 4)))
    (<= bright (true (lit ?l)) (true (lit ?m)) (succ ?l ?m))
    (<= (goal you 50) bright) (<= (goal you 100) (not bright))";

#[test]
fn moves_are_counted_where_matches_have_one_length() {
    let (mut machine, found) = plans(LAMPS, Some(3), 4);
    assert_eq!(found.len(), 4, "135, 136, 146, 246");
    for plan in &found {
        assert_eq!((plan.goal, plan.moves.len()), (100, 3));
        assert_eq!(outcome(&mut *machine, plan, plan.moves.iter().copied()), [100]);
    }
    // Then the length is not taken for granted any more, nor the goal given up.
    let next = plans(LAMPS, Some(3), 5).1.pop().expect("another plan");
    assert!(next.goal == 100 && next.moves.len() != 3);
    // Without a length nothing needs to be lit.
    assert_eq!(plans(LAMPS, None, 1).1[0].moves.len(), 0);
}

#[test]
fn what_nothing_stays_of_is_not_planned() {
    let text = "(role you) (init off) (legal you press) (<= (next on) (true off)) (<= (next off) (true on))
        (<= terminal (true on)) (<= (goal you 100) (true on)) (<= (goal you 0) (true off))";
    let (_, plans) = plans(text, None, 1);
    assert!(plans.is_empty());
}

#[test]
fn an_effort_that_is_too_small_is_told() {
    let (machine, mut planner) = made(&square(6, false));
    let mut state = State::default();
    machine.save(&mut state);
    assert!(!planner.begin(state.words(), None), "nothing was learnt");
    let seen = Rows::new(Some(state.words().len()));
    let work = planner.learn(&seen);
    assert!(planner.begin(state.words(), None));
    assert!(planner.learn(&seen) < work, "some of it was done");
    assert!(matches!(planner.plan(0, 0), Answer::Open));
    assert!(matches!(planner.plan(100, 1000), Answer::None), "there is no goal above the highest");
    let mut asked = 0;
    while let Answer::Open = planner.plan(0, 3) {
        asked += 1;
        assert!(asked < 10_000);
    }
    assert!(matches!(planner.plan(0, 10_000), Answer::Plan(_)));
}

/// Wires may be cut until nothing is connected with the source; what is connected is said by rules that go round.
const WIRES: &str = "(role you) (wire a b) (wire b c) (wire c a) (wire c d) (wire d b)
    (<= (legal you (cut ?x ?y)) (wire ?x ?y) (not (true (gone ?x ?y))) (not (live d)))
    (<= (legal you (cut a b)) (not (true (gone a b))))
    (<= (next (gone ?x ?y)) (true (gone ?x ?y))) (<= (next (gone ?x ?y)) (does you (cut ?x ?y)))
    (<= (live b) (not (true (gone a b)))) (<= (live ?y) (live ?x) (wire ?x ?y) (not (true (gone ?x ?y))))
    (<= left (wire ?x ?y) (not (true (gone ?x ?y)))) (<= terminal (not left))
    (<= (goal you 100) (not left)) (<= (goal you 0) left)";

#[test]
fn rules_that_go_round_are_gone_through_once() {
    let (mut machine, plans) = plans(WIRES, None, 1);
    assert_eq!(plans[0].moves.len(), 5);
    let first = machine.find_move(0, "(cut a b)").expect("a move");
    let others = plans[0].moves.iter().copied().filter(|&made| made != first);
    assert_eq!(outcome(&mut *machine, &plans[0], [first].into_iter().chain(others)), [100]);
}

/// The highest goal wants two switches on, each of which turns the other off, which a plan cannot see; the next does not.
const SWITCHES: &str = "(role you) (lamp 1) (lamp 2) (lamp 3) (switch 1) (switch 2) (switch 3)
    (<= (legal you (turn ?s)) (switch ?s)) (<= (next (on ?s)) (does you (turn ?s)))
    (<= (next (on ?s)) (true (on ?s)) (does you (light ?l)))
    (<= (legal you (light ?l)) (lamp ?l) (not (true (lit ?l))))
    (<= (next (lit ?l)) (true (lit ?l))) (<= (next (lit ?l)) (does you (light ?l)))
    (<= dark (lamp ?l) (not (true (lit ?l)))) (<= terminal (not dark))
    (<= both (true (on 1)) (true (on 2)))
    (<= (goal you 100) both) (<= (goal you 80) (not dark) (not both)) (<= (goal you 0) dark (not both))";

#[test]
fn a_goal_that_cannot_be_is_given_up_for_the_next() {
    let (mut machine, found) = plans(SWITCHES, None, 60);
    let plan = found.iter().find(|plan| plan.goal == 80).expect("a plan for the next goal");
    assert_eq!(found[0].goal, 100);
    let lights = |made: &Move| machine.move_text(*made).starts_with("(light");
    let moves: Vec<Move> = plan.moves.iter().copied().filter(lights).collect();
    assert_eq!(outcome(&mut *machine, plan, moves.into_iter()), [80]);
}
