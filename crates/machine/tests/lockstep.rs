//! Lanes that are told their moves, held lane by lane against the ground game's own evaluator: every fluent, legal move, end,
//! reward and turn, on every path and through the adapter.

use std::collections::HashSet;

use groundrules_gdl::{Options as ReadOptions, read};
use groundrules_ground::evaluator::{Evaluator, View};
use groundrules_ground::{GroundGame, Options as GroundOptions, ground};
use groundrules_machine::compiled::Settings;
use groundrules_machine::engines::Engine;
use groundrules_machine::lockstep::{Legal, Numbers, Observations, turn};
use groundrules_machine::{Actions, Arrays, Compiled, LaneOptions, Lockstep, Rolled, StepError};
use groundrules_oracle::playout::Xorshift;

fn library(name: &str) -> String {
    let path = format!("{}/../../games/{name}.kif", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a game of the library")
}

fn compiled(text: &str, engine: Engine, without: &[&str]) -> Compiled {
    let game = read(text.as_bytes(), &ReadOptions::default()).game.expect("a game");
    let without = without.iter().map(ToString::to_string).collect();
    Compiled::with(game, Settings { engine, without, ..Settings::default() })
}

/// Every way to keep lanes.
fn ways(text: &str) -> Vec<Compiled> {
    let mut ways = vec![compiled(text, Engine::Net, &[])];
    for without in [&[][..], &["avx512"], &["machine-code"], &["avx2", "avx512", "machine-code"]] {
        ways.push(compiled(text, Engine::Sliced, without));
    }
    ways
}

/// The memory of all answers.
#[derive(Clone, Debug, Default, PartialEq)]
struct Memory {
    bytes: Vec<u8>,
    bits: Vec<u64>,
    legal: Vec<u8>,
    legal_bits: Vec<u64>,
    terminal: Vec<u8>,
    truncated: Vec<u8>,
    rewards: Vec<f32>,
    to_move: Vec<i8>,
    steps: Vec<u32>,
}

impl Memory {
    fn of(lanes: &dyn Lockstep) -> Self {
        let layout = lanes.layout();
        let count = layout.lanes;
        let words = |bits: usize| bits.div_ceil(64).max(1);
        Memory {
            bytes: vec![9; count * layout.fluents()],
            bits: vec![9; count * words(layout.fluents())],
            legal: vec![9; count * layout.mask()],
            legal_bits: vec![9; count * words(layout.mask())],
            terminal: vec![9; count],
            truncated: vec![9; count],
            rewards: vec![9.0; count * layout.roles()],
            to_move: vec![9; count],
            steps: vec![9; count],
        }
    }

    fn bytes(&mut self) -> Arrays<'_> {
        Arrays {
            observations: Observations::Bytes(&mut self.bytes),
            legal: Legal::Bytes(&mut self.legal),
            terminal: &mut self.terminal,
            truncated: &mut self.truncated,
            rewards: &mut self.rewards,
            to_move: &mut self.to_move,
            steps: &mut self.steps,
        }
    }

    fn bits(&mut self) -> Arrays<'_> {
        let (observations, legal) = (Observations::Bits(&mut self.bits), Legal::Bits(&mut self.legal_bits));
        Arrays { observations, legal, ..Arrays::default() }
    }
}

/// What a lane should be, by the evaluator.
struct Lane {
    state: Vec<usize>,
    steps: u32,
    ended: bool,
    cut: bool,
    over: bool,
    rewards: Vec<f32>,
}

struct Judge<'g> {
    game: &'g GroundGame,
    evaluator: Evaluator<'g>,
    options: LaneOptions,
}

impl Judge<'_> {
    fn legal(&self, view: &View, role: usize) -> Vec<usize> {
        view.legal.iter().copied().filter(|&number| self.game.moves[number].0 == role).collect()
    }

    fn goal(&self, view: &View, role: usize) -> f32 {
        let own = view.goals.iter().filter(|(of, _)| *of == self.game.roles[role]);
        let values: Vec<f32> = own.map(|(_, value)| self.game.term(*value).parse().unwrap()).collect();
        if let [value] = values[..] { value } else { f32::NAN }
    }

    fn advance(&self, lane: &mut Lane, joint: &[usize]) {
        lane.rewards.fill(0.0);
        if lane.over {
            return;
        }
        lane.state = self.evaluator.next(&lane.state, joint);
        lane.steps += 1;
        let view = self.evaluator.view(&lane.state);
        let roles = 0..self.game.roles.len();
        lane.ended = view.is_terminal;
        let stuck = roles.clone().any(|role| self.legal(&view, role).is_empty());
        lane.cut = !lane.ended && (stuck || lane.steps >= self.options.max_steps);
        if lane.ended {
            roles.for_each(|role| lane.rewards[role] = self.goal(&view, role));
        }
        if lane.ended || lane.cut {
            if self.options.auto_reset {
                lane.state = self.game.init.clone();
                lane.steps = 0;
            } else {
                lane.over = true;
            }
        }
    }
}

fn check_lane(judge: &Judge<'_>, lanes: &dyn Lockstep, memory: &Memory, number: usize, lane: &Lane) {
    let (layout, game) = (lanes.layout(), judge.game);
    let (fluents, most, mask) = (layout.fluents(), layout.most_actions(), layout.mask());
    let view = judge.evaluator.view(&lane.state);
    for fluent in 0..fluents {
        let holds = u8::from(lane.state.contains(&fluent));
        assert_eq!(memory.bytes[number * fluents + fluent], holds, "lane {number}, fluent {fluent}");
        let words = fluents.div_ceil(64).max(1);
        assert_eq!((memory.bits[number * words + fluent / 64] >> (fluent % 64) & 1) as u8, holds);
    }
    for bit in 0..mask {
        let (role, action) = (bit / most, bit % most);
        let made = layout.actions(role).get(action).map(|made| made.0 as usize);
        let legal = !lane.over && made.is_some_and(|made| view.legal.contains(&made));
        assert_eq!(
            memory.legal[number * mask + bit],
            u8::from(legal),
            "lane {number}, role {role}, {action}"
        );
        let words = mask.div_ceil(64).max(1);
        assert_eq!(memory.legal_bits[number * words + bit / 64] >> (bit % 64) & 1 == 1, legal);
    }
    assert_eq!((memory.terminal[number], memory.truncated[number]), (lane.ended.into(), lane.cut.into()));
    assert_eq!(memory.steps[number], lane.steps);
    for (role, &expected) in lane.rewards.iter().enumerate() {
        let reward = memory.rewards[number * game.roles.len() + role];
        assert!(reward == expected || reward.is_nan() && expected.is_nan(), "{reward} for {expected}");
    }
    let choosing: Vec<usize> =
        (0..game.roles.len()).filter(|&role| judge.legal(&view, role).len() > 1).collect();
    let code = memory.to_move[number];
    match choosing[..] {
        _ if lane.over => assert_eq!(code, turn::TERMINAL),
        [role] if layout.chance() == Some(role) => assert_eq!(code, turn::CHANCE),
        [role] => assert_eq!(usize::try_from(code), Ok(role)),
        [] => assert!(code >= 0 || code == turn::CHANCE),
        _ => assert_eq!(code, turn::SIMULTANEOUS),
    }
}

/// Plays random moves in all lanes and judges every one of them after every step.
fn follow(text: &str, count: usize, steps: usize, options: LaneOptions) {
    let description = read(text.as_bytes(), &ReadOptions::default()).game.expect("a game");
    let game = ground(&description, &GroundOptions::default()).expect("a ground game");
    let evaluator = Evaluator::new(&game).expect("stratified");
    let judge = Judge { game: &game, evaluator, options };
    let mut before: Option<Memory> = None;
    for way in ways(text) {
        let mut lanes = way.lockstep(count, options).expect("lanes");
        let mut memory = Memory::of(&*lanes);
        lanes.reset(None, &mut memory.bytes()).expect("a beginning");
        lanes.reset(None, &mut memory.bits()).expect("a beginning");
        let roles = game.roles.len();
        let new = || Lane {
            state: game.init.clone(),
            steps: 0,
            ended: false,
            cut: false,
            over: false,
            rewards: vec![0.0; roles],
        };
        let mut expected: Vec<Lane> = (0..count).map(|_| new()).collect();
        let mut random = Xorshift::new(7);
        for step in 0..=steps {
            for (number, lane) in expected.iter().enumerate() {
                check_lane(&judge, &*lanes, &memory, number, lane);
            }
            if step == steps {
                break;
            }
            let mut actions: Vec<i64> = Vec::new();
            for lane in &mut expected {
                let view = judge.evaluator.view(&lane.state);
                let mut joint = Vec::new();
                for role in 0..roles {
                    let legal = judge.legal(&view, role);
                    joint.push(if legal.is_empty() { 0 } else { legal[random.below(legal.len())] });
                    let made = groundrules_machine::Move(u32::try_from(joint[role]).unwrap());
                    // What a lane that is over is told does not matter.
                    let action = lanes.layout().action(role, made).filter(|_| !lane.over);
                    actions.push(action.map_or(-1, |action| i64::try_from(action).unwrap()));
                }
                judge.advance(lane, &joint);
            }
            lanes.step(Actions::Joint((&actions[..]).into()), true, &mut memory.bytes()).expect("a step");
            // The same states once more, as bits: saved, disturbed and loaded again.
            let (states, counts) = (lanes.save(), lanes.steps());
            lanes.reset(None, &mut Arrays::default()).expect("a beginning");
            lanes.load(&states, &counts, &mut memory.bits()).expect("states");
        }
        if let Some(before) = &before {
            assert_eq!(format!("{before:?}"), format!("{memory:?}"));
        }
        before = Some(memory);
    }
}

#[test]
fn lanes_are_those_of_the_rules() {
    for name in ["tic-tac-toe", "connect-four", "rock-paper-scissors", "nim"] {
        follow(&library(name), 70, 14, LaneOptions::default());
    }
}

#[test]
fn lanes_end_and_stay() {
    follow(&library("tic-tac-toe"), 700, 10, LaneOptions { auto_reset: false, ..LaneOptions::default() });
    for auto_reset in [true, false] {
        follow(&library("connect-four"), 33, 9, LaneOptions { max_steps: 4, auto_reset });
    }
}

/// Goals that are missing or several, a role that is stuck, a match that is over before it begins, no fluents at all.
#[test]
fn odd_games() {
    let unsound = "(role a) (role random) (init (n 0)) (s 0 1) (s 1 2) (legal a go) (legal random x) (legal random y)
        (<= (next (n ?y)) (true (n ?x)) (s ?x ?y)) (<= (next lucky) (does random x)) (<= terminal (true (n 2)))
        (<= (goal a 0) (true lucky)) (goal a 70) (<= (goal random 3) (true lucky))";
    let stuck = "(role a) (role b) (init p) (legal a left) (legal a right) (<= (legal b stay) (true p))
        (<= (next p) (does a left) (true p)) (<= terminal (true q)) (goal a 1) (goal b 2)";
    let over = "(role a) (init p) (legal a wait) (<= (next p) (true p)) (<= terminal (true p)) (goal a 5)";
    let bare = "(role a) (legal a x) (legal a y) (<= terminal (true never)) (goal a 0)";
    for text in [unsound, stuck, bare] {
        for auto_reset in [true, false] {
            follow(text, 5, 4, LaneOptions { auto_reset, ..LaneOptions::default() });
        }
    }
    for way in ways(over) {
        let mut lanes = way.lockstep(2, LaneOptions::default()).expect("lanes");
        let mut memory = Memory::of(&*lanes);
        lanes.reset(None, &mut memory.bytes()).expect("a beginning");
        assert_eq!((&memory.terminal, &memory.to_move), (&vec![1; 2], &vec![turn::TERMINAL; 2]));
        lanes.step(Actions::Joint((&[0, 0]).into()), true, &mut memory.bytes()).expect("nothing to do");
        assert_eq!(memory.steps, [0, 0]);
    }
}

#[test]
fn wrong_moves_change_nothing() {
    for way in ways(&library("tic-tac-toe")) {
        let mut lanes = way.lockstep(600, LaneOptions::default()).expect("lanes");
        let noop = lanes.layout().find(1, "noop").expect("a move") as i64;
        let corner = lanes.layout().find(0, "(place 1 1)").expect("a move") as i64;
        let mut actions: Vec<i64> = [corner, noop].repeat(600);
        let before = lanes.save();
        let mut memory = Memory::of(&*lanes);
        lanes.reset(None, &mut memory.bytes()).expect("a beginning");
        let seen = memory.clone();
        for (wrong, at) in
            [(10, 2 * 555), (-1, 2 * 555), (i64::MAX, 3), (noop, 2 * 599), (corner, 2 * 590 + 1)]
        {
            let right = std::mem::replace(&mut actions[at], wrong);
            let error = lanes.step(Actions::Joint((&actions[..]).into()), true, &mut memory.bytes());
            let (lane, role) = (at / 2, at % 2);
            match error.expect_err("a wrong move") {
                StepError::NoSuchAction { lane: found, role: of, action, count } => {
                    assert_eq!((found, of, action, count), (lane, role, wrong, 10));
                }
                StepError::Illegal { lane: found, role: of, action, .. } => {
                    assert_eq!((found, of, action as i64), (lane, role, wrong));
                }
                other => panic!("{other}"),
            }
            actions[at] = right;
            assert_eq!((lanes.save(), &memory), (before.clone(), &seen));
        }
        let short = lanes.step(Actions::Joint((&actions[1..]).into()), true, &mut memory.bytes());
        assert!(matches!(short, Err(StepError::WrongLength { expected: 1200, given: 1199, .. })));
        let mut arrays = Arrays { terminal: &mut [0; 3], ..Arrays::default() };
        let short = lanes.step(Actions::Joint((&actions[..]).into()), true, &mut arrays);
        assert!(matches!(short, Err(StepError::WrongLength { expected: 600, given: 3, .. })));
    }
}

/// One action for each lane, that of the role which has the turn.
#[test]
fn the_mover_moves() {
    for way in ways(&library("tic-tac-toe")) {
        let (mut one, mut all) = (
            way.lockstep(3, LaneOptions::default()).expect("lanes"),
            way.lockstep(3, LaneOptions::default()).expect("lanes"),
        );
        let place = |text: &str| i32::try_from(one.layout().find(0, text).expect("a move")).unwrap();
        let noop = i32::try_from(one.layout().find(1, "noop").expect("a move")).unwrap();
        let places = [place("(place 1 1)"), place("(place 2 2)"), place("(place 3 1)")];
        let mut memory = Memory::of(&*one);
        one.step(Actions::OfMover(Numbers::I32(&places)), true, &mut memory.bytes()).expect("a step");
        let joint: Vec<i32> = places.iter().flat_map(|&place| [place, noop]).collect();
        all.step(Actions::Joint(Numbers::I32(&joint)), true, &mut Arrays::default()).expect("a step");
        assert_eq!(one.save(), all.save());
        assert_eq!(memory.to_move, [1, 1, 1]);
        let wrong = one.step(Actions::OfMover(Numbers::I32(&places)), true, &mut Arrays::default());
        assert!(matches!(wrong, Err(StepError::Illegal { lane: 0, role: 1, .. })), "{wrong:?}");
    }
    for way in ways(&library("rock-paper-scissors")) {
        let mut lanes = way.lockstep(2, LaneOptions::default()).expect("lanes");
        let wrong = lanes.step(Actions::OfMover(Numbers::U8(&[0, 0])), true, &mut Arrays::default());
        assert_eq!(wrong, Err(StepError::SeveralChoose { lane: 0 }));
    }
}

/// Random actions are legal, the same on every path, and each move comes up as often as any other.
#[test]
fn random_moves() {
    for name in ["tic-tac-toe", "rock-paper-scissors", "connect-four"] {
        let text = library(name);
        let mut first: Option<(Vec<i32>, Rolled, Memory)> = None;
        for way in ways(&text) {
            let mut lanes = way.lockstep(1500, LaneOptions::default()).expect("lanes");
            let roles = lanes.layout().roles();
            let mut memory = Memory::of(&*lanes);
            let mut actions = vec![-1; 1500 * roles];
            let mut seen = Vec::new();
            for seed in 0..12 {
                lanes.random_actions(seed, &mut actions).expect("actions");
                seen.extend_from_slice(&actions);
                lanes
                    .step(Actions::Joint(Numbers::I32(&actions)), true, &mut memory.bytes())
                    .expect("legal moves");
            }
            let rolled = lanes.rollout(9, 5, &mut memory.bytes()).expect("a rollout");
            assert_eq!(rolled.moves, 9 * 1500);
            assert!(rolled.matches > 0 && rolled.truncated == 0);
            lanes.reset(None, &mut Arrays::default()).expect("a beginning");
            lanes.random_actions(77, &mut actions).expect("actions");
            let count = |action: i32| actions.iter().step_by(roles).filter(|&&other| other == action).count();
            let counts: Vec<f64> =
                (0..).take(20).map(|action| count(action) as f64).filter(|&count| count > 0.0).collect();
            let mean = 1500.0 / counts.len() as f64;
            let chi: f64 = counts.iter().map(|count| (count - mean).powi(2) / mean).sum();
            assert!(chi < 40.0, "{name}: {counts:?}");
            if way.settings().engine == Engine::Net {
                continue;
            }
            let all = (seen, rolled, memory);
            match &first {
                Some(first) => {
                    assert_eq!(format!("{first:?}"), format!("{all:?}"), "{:?}", way.settings().without);
                }
                None => first = Some(all),
            }
        }
    }
}

/// Rollouts come to what playouts come to.
#[test]
fn rollouts_have_the_goals_of_playouts() {
    let text = library("tic-tac-toe");
    for way in ways(&text) {
        let options = LaneOptions { auto_reset: false, ..LaneOptions::default() };
        let mut lanes = way.lockstep(4000, options).expect("lanes");
        let rolled = lanes.rollout(9, 3, &mut Arrays::default()).expect("a rollout");
        assert_eq!((rolled.matches, rolled.truncated), (4000, 0));
        // The exact means are 64.8 and 35.2.
        let means: Vec<f64> = rolled.rewards.iter().map(|&sum| sum as f64 / 4000.0).collect();
        assert!((means[0] - 64.8).abs() < 3.0 && (means[1] - 35.2).abs() < 3.0, "{means:?}");
        assert_eq!(lanes.rollout(9, 4, &mut Arrays::default()).expect("nothing to do").moves, 0);
    }
}

/// The states that matches go on from, by the number of joint moves that they have had.
fn levels(judge: &Judge<'_>, most: usize) -> Vec<HashSet<Vec<usize>>> {
    let mut levels = vec![HashSet::from([judge.game.init.clone()])];
    while levels.len() < most {
        let mut next = HashSet::new();
        for state in &levels[levels.len() - 1] {
            let view = judge.evaluator.view(state);
            let each = (0..judge.game.roles.len()).map(|role| judge.legal(&view, role));
            let joints = each.fold(vec![Vec::new()], |joints: Vec<Vec<usize>>, legal| {
                let with = |joint: &Vec<usize>| {
                    let joint = joint.clone();
                    legal.clone().into_iter().map(move |made| [&joint[..], &[made]].concat())
                };
                joints.iter().flat_map(with).collect()
            });
            for joint in joints {
                let mut state = judge.evaluator.next(state, &joint);
                state.sort_unstable();
                let view = judge.evaluator.view(&state);
                let is_stuck = (0..judge.game.roles.len()).any(|role| judge.legal(&view, role).is_empty());
                if !view.is_terminal && !is_stuck {
                    next.insert(state);
                }
            }
        }
        if next.is_empty() {
            break;
        }
        levels.push(next);
    }
    levels
}

/// After a rollout every lane is in a state that its match can have come to after so many moves, and everything that is written
/// about it is right.
#[test]
fn rollouts_stay_within_the_rules() {
    // Three phases, a fluent that nothing else rests on, goals that are missing, and a role that gets stuck.
    let odd = "(role a) (role b) (init (turn 0)) (init (n 0)) (s 0 1) (s 1 2) (s 2 3) (s 3 4) (s 4 5) (after 0 1) (after 1 2)
        (after 2 0) (legal a left) (<= (legal a right) (not (true (turn 1)))) (<= (legal b stay) (not (true (n 5))))
        (<= (legal b go) (true (turn 2))) (<= (next (turn ?y)) (true (turn ?x)) (after ?x ?y))
        (<= (next (n ?y)) (true (n ?x)) (s ?x ?y) (does a left)) (<= (next (n ?x)) (true (n ?x)) (does a right))
        (<= (next (last ?m)) (does a ?m)) (<= terminal (true (n 4)) (true (turn 0)))
        (<= (goal a 10) (true (last left))) (goal b 4) (<= (goal b 5) (true (turn 0)) (true (last right)))";
    let nim = library("nim");
    let texts = [library("tic-tac-toe"), library("rock-paper-scissors"), nim, odd.to_owned()];
    for (text, max_steps) in texts.iter().flat_map(|text| [(text, u32::MAX), (text, 6), (text, 40)]) {
        let description = read(text.as_bytes(), &ReadOptions::default()).game.expect("a game");
        let game = ground(&description, &GroundOptions::default()).expect("a ground game");
        let options = LaneOptions { auto_reset: true, max_steps };
        let evaluator = Evaluator::new(&game).expect("stratified");
        let judge = Judge { game: &game, evaluator, options };
        let levels = levels(&judge, 12);
        for way in ways(text) {
            let mut lanes = way.lockstep(530, options).expect("lanes");
            let mut memory = Memory::of(&*lanes);
            for (steps, seed) in [(1, 1), (7, 2), (2, 3), (33, 4), (5, 5)] {
                lanes.rollout(steps, seed, &mut memory.bits()).expect("a rollout");
                let none = vec![false; 530];
                lanes.reset(Some(&none), &mut memory.bytes()).expect("what is seen");
                for (number, &steps) in memory.steps.iter().enumerate() {
                    let own = &memory.bytes[number * game.fluents.len()..][..game.fluents.len()];
                    let state: Vec<usize> = (0..own.len()).filter(|&fluent| own[fluent] == 1).collect();
                    if let Some(level) = levels.get(steps as usize) {
                        assert!(level.contains(&state), "{state:?} after {steps} moves");
                    }
                    assert!(steps < max_steps);
                    let rewards = vec![0.0; game.roles.len()];
                    let lane = Lane { state, steps, ended: false, cut: false, over: false, rewards };
                    check_lane(&judge, &*lanes, &memory, number, &lane);
                }
            }
        }
    }
}

/// Lanes that went through many matches have as many that are in their first, second, … move as move by move, and as many goals.
#[test]
fn long_rollouts_are_fair() {
    let mut counts: Vec<Vec<f64>> = Vec::new();
    for way in [
        compiled(&library("tic-tac-toe"), Engine::Net, &[]),
        compiled(&library("tic-tac-toe"), Engine::Sliced, &[]),
    ] {
        let mut lanes = way.lockstep(6000, LaneOptions::default()).expect("lanes");
        let rolled = lanes.rollout(203, 3, &mut Arrays::default()).expect("a rollout");
        let means: Vec<f64> = rolled.rewards.iter().map(|&sum| sum as f64 / rolled.matches as f64).collect();
        assert!((means[0] - 64.8).abs() < 1.0 && (means[1] - 35.2).abs() < 1.0, "{means:?}");
        let mut ages = vec![0.0; 9];
        lanes.steps().iter().for_each(|&steps| ages[steps as usize] += 1.0);
        ages.push(rolled.matches as f64 / 100.0);
        counts.push(ages);
    }
    let chi: f64 = counts[0].iter().zip(&counts[1]).map(|(a, b)| (a - b).powi(2) / (a + b)).sum();
    assert!(chi < 40.0, "{counts:?}");
}

/// Lanes that are held stay where they are, whatever they are told.
#[test]
fn held_lanes_wait() {
    for way in ways(&library("tic-tac-toe")) {
        let mut lanes = way.lockstep(600, LaneOptions::default()).expect("lanes");
        let moving: Vec<bool> = (0..600).map(|lane| lane % 3 == 0).collect();
        let mut actions = vec![0; 1200];
        lanes.random_actions(1, &mut actions).expect("actions");
        let before = lanes.save();
        lanes.hold_others(Some(&moving)).expect("flags");
        for (lane, joint) in actions.chunks_mut(2).enumerate().filter(|(lane, _)| lane % 3 != 0) {
            joint.fill(if lane % 2 == 0 { -1 } else { 99 });
        }
        lanes.step(Actions::Joint(Numbers::I32(&actions)), true, &mut Arrays::default()).expect("a step");
        let after = lanes.save();
        for (lane, &moved) in moving.iter().enumerate() {
            assert_eq!(before.row(lane) != after.row(lane), moved, "lane {lane}");
            assert_eq!(lanes.steps()[lane], u32::from(moved));
        }
        assert_eq!(lanes.rollout(2, 1, &mut Arrays::default()).expect("a rollout").moves, 400);
        lanes.hold_others(None).expect("none");
        assert_eq!(lanes.rollout(1, 1, &mut Arrays::default()).expect("a rollout").moves, 600);
        assert!(lanes.hold_others(Some(&moving[1..])).is_err());
    }
}
