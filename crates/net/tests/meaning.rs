//! A network means what its ground game means, before and after every simplification: held against the ground game's own
//! evaluator, on games made at random, games written for shapes that are easily got wrong, and the library.

#[path = "../../ground/tests/support/generator/mod.rs"]
#[allow(dead_code, reason = "only descriptions are used here")]
mod generator;
#[path = "../../ground/tests/support/tricky.rs"]
#[allow(dead_code, reason = "the reasons are told by the tests of grounding")]
mod tricky;

use generator::{Description, Descriptions, description};
use groundrules_gdl::{Options as ReadOptions, read};
use groundrules_ground::evaluator::Evaluator;
use groundrules_ground::{GroundGame, Limits, Options as GroundOptions, Switches, ground};
use groundrules_net::{Network, Options, holds, moves_apart, simplify, specialise, turns};
use groundrules_oracle::playout::Xorshift;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};
use tricky::{DERIVED, FRAMES, SHAPES, Tricky, UNUSUAL};

const MATCHES: u64 = 3;
const STEPS: usize = 15;

/// The networks to compare, by name: with what they take for granted.
fn networks(game: &GroundGame) -> Result<Vec<(String, Network, Options)>, String> {
    let plain = Network::of(game).map_err(|error| error.to_string())?;
    let exact = Options::exact();
    let mut networks = Vec::new();
    for options in [
        Options { share_operands: false, ..exact },
        exact,
        Options { reachable_states: true, ..exact },
        Options { legal_play: true, ..exact },
        Options::default(),
    ] {
        let small = simplify(&plain, &options).0;
        if options.legal_play {
            networks.push((format!("moves apart, {options:?}"), moves_apart(&small), options));
        }
        networks.push((format!("{options:?}"), small, options));
    }
    networks.push(("as written".to_owned(), plain, exact));
    Ok(networks)
}

/// What is asked of a state, and where it leads.
#[derive(Debug, PartialEq, Eq)]
struct Answers {
    terminal: bool,
    legal: Vec<usize>,
    goals: Vec<(usize, i32)>,
    next: Vec<usize>,
}

fn by_evaluator(game: &GroundGame, evaluator: &Evaluator<'_>, state: &[usize], joint: &[usize]) -> Answers {
    let view = evaluator.view(state);
    let goal = |&(role, value): &(_, _)| {
        let role = game.roles.iter().position(|&other| other == role)?;
        Some((role, game.term(value).parse().ok()?))
    };
    let mut goals: Vec<(usize, i32)> = view.goals.iter().filter_map(goal).collect();
    goals.sort_unstable();
    Answers { terminal: view.is_terminal, legal: view.legal, goals, next: evaluator.next(state, joint) }
}

fn by_network(network: &Network, state: &[usize], joint: &[usize]) -> Answers {
    let values = network.evaluate(|fluent| state.contains(&fluent), |number| joint.contains(&number));
    let holding = |literals: &[groundrules_net::Literal]| {
        (0..literals.len()).filter(|&index| holds(literals[index], &values)).collect::<Vec<_>>()
    };
    let goals = network.outputs.goals.iter().filter(|goal| holds(goal.literal, &values));
    Answers {
        terminal: holds(network.outputs.terminal, &values),
        legal: holding(&network.outputs.legal),
        goals: goals.map(|goal| (goal.role, goal.value)).collect(),
        next: holding(&network.outputs.next),
    }
}

/// One legal move of each role, if each has one.
fn choose(game: &GroundGame, legal: &[usize], random: &mut Xorshift) -> Option<Vec<usize>> {
    let of_role =
        |role| legal.iter().copied().filter(|&number| game.moves[number].0 == role).collect::<Vec<_>>();
    (0..game.roles.len())
        .map(|role| {
            let own = of_role(role);
            own.get(random.below(own.len())).copied()
        })
        .collect()
}

fn compare(game: &GroundGame) -> Result<(), String> {
    let evaluator = Evaluator::new(game).map_err(|error| error.to_string())?;
    let networks = networks(game)?;
    let turns = Turns::of(game, &networks)?;
    let agree = |state: &[usize], joint: &[usize], wanted: &dyn Fn(&Options) -> bool| {
        let right = by_evaluator(game, &evaluator, state, joint);
        for (name, network, options) in networks.iter().filter(|(_, _, options)| wanted(options)) {
            let found = by_network(network, state, joint);
            if found != right {
                return Err(format!("{name}: {found:?}, by the rules {right:?}"));
            }
            shapely(network).map_err(|words| format!("{name}, {options:?}: {words}"))?;
        }
        Ok(right)
    };
    for seed in 0..MATCHES {
        let mut random = Xorshift::new(seed);
        let mut state = game.init.clone();
        for _ in 0..STEPS {
            let legal = evaluator.view(&state).legal;
            let any: Vec<usize> = (0..game.moves.len()).collect();
            // Moves that need not be legal, for networks that do not take it for granted.
            if let Some(joint) = choose(game, &any, &mut random) {
                agree(&state, &joint, &|options| !options.legal_play && !options.reachable_states)?;
            }
            let Some(joint) = choose(game, &legal, &mut random) else { break };
            let right = agree(&state, &joint, &|_| true)?;
            turns.agree(&state, &joint, &right)?;
            state = right.next;
        }
        let odd: Vec<usize> = (0..game.fluents.len()).filter(|_| random.below(2) == 0).collect();
        agree(&odd, &[], &|options| !options.legal_play && !options.reachable_states)?;
    }
    Ok(())
}

/// Sets of fluents of which one holds at a time, with the networks where each of them does.
struct Turns {
    sets: Vec<Vec<(usize, Network)>>,
}

impl Turns {
    fn of(game: &GroundGame, networks: &[(String, Network, Options)]) -> Result<Self, String> {
        let legal = networks.iter().find(|(_, _, options)| *options == Options::default());
        let (_, network, options) = legal.ok_or("no network for legal play")?;
        let special = |set: &[usize], turn: usize| {
            let assumed: Vec<(usize, bool)> = set.iter().map(|&fluent| (fluent, fluent == turn)).collect();
            (turn, specialise(network, &assumed, options))
        };
        let sets = turns(game, network);
        let sets = sets.iter().map(|set| set.iter().map(|&turn| special(set, turn)).collect()).collect();
        Ok(Turns { sets })
    }

    fn agree(&self, state: &[usize], joint: &[usize], right: &Answers) -> Result<(), String> {
        for set in &self.sets {
            let mut holding = set.iter().filter(|(fluent, _)| state.contains(fluent));
            let (Some((turn, network)), None) = (holding.next(), holding.next()) else {
                return Err("not exactly one fluent of a set holds".to_owned());
            };
            let found = by_network(network, state, joint);
            if found != *right {
                return Err(format!("turn {turn}: {found:?}, by the rules {right:?}"));
            }
        }
        Ok(())
    }
}

/// The invariants of a network's form.
fn shapely(network: &Network) -> Result<(), String> {
    for gate in 0..network.gate_count() {
        let own = network.components().iter().find(|range| range.contains(&u32::try_from(gate).unwrap()));
        for operand in network.operands(gate) {
            let node = operand.node();
            let inside =
                own.is_some_and(|range| range.clone().any(|member| network.gate(member as usize) == node));
            if inside && operand.is_complemented() || !inside && node >= network.gate(gate) {
                return Err(format!("gate {gate} has the operand {operand:?}"));
            }
        }
    }
    Ok(())
}

fn grounded(text: &str, switches: Switches) -> Result<GroundGame, String> {
    let checked = read(text.as_bytes(), &ReadOptions::default());
    let game = checked.game.ok_or_else(|| checked.reason.unwrap_or_default())?;
    let mut limits = Limits::default();
    (limits.rules, limits.atoms) = (20_000, 20_000);
    let options = GroundOptions { limits, switches, ..GroundOptions::default() };
    ground(&game, &options).map_err(|error| error.to_string())
}

#[test]
fn generated_games() {
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { Config::default().cases } else { 250 };
    let config = Config {
        cases,
        rng_seed: RngSeed::Fixed(31),
        failure_persistence: None,
        max_global_rejects: 2 * cases,
        ..Config::default()
    };
    let one = |description: Description| {
        let text = description.to_string();
        for switches in [Switches::default(), Switches::none()] {
            let game = grounded(&text, switches).map_err(TestCaseError::reject)?;
            compare(&game).map_err(TestCaseError::fail)?;
        }
        Ok(())
    };
    if let Err(error) = TestRunner::new(config).run(&Descriptions(description), one) {
        panic!("{error}");
    }
}

#[test]
fn tricky_games() {
    for Tricky { name, text, .. } in DERIVED.iter().chain(FRAMES).chain(SHAPES).chain(UNUSUAL) {
        for switches in [Switches::default(), Switches::none()] {
            let game = grounded(text, switches).unwrap_or_else(|error| panic!("{name}: {error}"));
            compare(&game).unwrap_or_else(|words| panic!("{name}: {words}"));
        }
    }
}

#[test]
fn library() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games");
    let mut compared = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let Ok(game) = grounded(&text, Switches::default()) else { continue };
        if game.atom_count() < 3_000 {
            compare(&game).unwrap_or_else(|words| panic!("{}: {words}", path.display()));
            compared += 1;
        }
    }
    assert!(compared >= 20, "only {compared} games are small enough");
}
