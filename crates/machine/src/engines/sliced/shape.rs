//! Decides on the shape of a plan: the phases, how moves are chosen, how often lanes are scored. Shapes are compared by
//! their gates and by trial: a few hundred steps with a fixed seed show how many lanes move in a step, and how long playouts
//! are. No clock is asked, so that the same game has the same plan everywhere.

use groundrules_net::Network;

use super::SlicedError;
use super::executable::Executable;
use super::options::{Method, Options};
use super::path::Path;
use super::phases::Phases;
use super::plan::{CircuitPlan, Part, Purpose, RANDOM_COST, Shape, step_networks};
use super::random::Generator;
use super::segment::moves_by_role;
use super::vector::{Lanes256, Lanes512, Vector};

/// The most phases that are looked for.
const MOST_PHASES: usize = 8;
/// Circuits up to this size are joined to one for a whole cycle: more would not fit the caches of the processor.
const JOINED: usize = 12_000;
/// Circuits up to this size are tried out.
const TRIED: usize = 30_000;
/// How long a playout is thought to be when nothing is known, in steps.
const UNKNOWN_LENGTH: f64 = 60.0;

/// The plan of a game, and about how many steps its playouts have.
pub(super) fn plan(
    network: &Network,
    options: &Options,
    purpose: Purpose,
) -> Result<(CircuitPlan, f64), SlicedError> {
    let (mut shape, mut plan, length) = shape(network, options)?;
    // What it is for changes nothing of the shape.
    shape.purpose = purpose;
    if shape.joined || purpose != Purpose::Playouts {
        plan = CircuitPlan::new(network, &shape)?;
    }
    Ok((plan, length))
}

/// Plans for rollouts: one that lets lanes be held after every step, and, where a whole cycle is one circuit, one of such cycles.
/// Both have the same layout.
pub(super) fn rollouts(
    network: &Network,
    options: &Options,
) -> Result<(CircuitPlan, Option<CircuitPlan>), SlicedError> {
    // Matches may be anywhere when they are rolled out.
    let (mut shape, ..) = shape(network, &Options { given: true, ..*options })?;
    shape.purpose = Purpose::Rollouts;
    let joined = shape.joined.then(|| CircuitPlan::new(network, &shape)).transpose()?;
    shape.joined = false;
    Ok((CircuitPlan::new(network, &shape)?, joined))
}

/// The shape of a game's plan; the plan for playouts by it, but for joining; and about how many steps playouts have.
fn shape(network: &Network, options: &Options) -> Result<(Shape, CircuitPlan, f64), SlicedError> {
    let phases = if options.phases == Some(false) { one_phase(network) } else { best_phases(network) };
    let draws = draws(network, phases.len());
    let methods = vec![options.choice.unwrap_or(Method::Rank { draws }); network.roles];
    let steps = step_networks(network, &phases, options.given);
    let shape = Shape {
        phases,
        steps,
        methods,
        rounds: 1,
        joined: false,
        purpose: Purpose::Playouts,
        guided: options.guided,
        given: options.given,
    };
    let (mut shape, mut plan) = match options.choice {
        // Preferences are about moves, not about their factors.
        None if !options.guided => by_rank_or_factors(network, shape, draws)?,
        _ => {
            let plan = CircuitPlan::new(network, &shape)?;
            (shape, plan)
        }
    };
    let mut length = UNKNOWN_LENGTH;
    if plan.gates() <= TRIED {
        let mut trial = try_out(&plan);
        if options.choice.is_none()
            && !options.guided
            && moves_by_role(network).iter().all(|moves| moves.len() <= 64)
        {
            let other = Shape { methods: vec![Method::Index; network.roles], ..shape.clone() };
            let other_plan = CircuitPlan::new(network, &other)?;
            let other_trial = try_out(&other_plan);
            if other_plan.cost() / other_trial.moved < plan.cost() / trial.moved {
                (shape, plan, trial) = (other, other_plan, other_trial);
            }
        }
        length = trial.length;
    }
    shape.rounds = options.rounds.unwrap_or_else(|| best_rounds(&plan, length)).max(1);
    // Loops go on from what they found only where a step is a circuit of its own.
    let has_loops = plan.parts.iter().any(|part| part.repeat.is_some());
    shape.joined = options.joined.unwrap_or(plan.gates() * shape.rounds <= JOINED && !has_loops);
    if !shape.joined {
        plan.set_rounds(shape.rounds);
    }
    Ok((shape, plan, length))
}

/// Roles with fewer moves than this have nothing to gain from factors.
const FEWEST: usize = 96;
/// With more moves than this only factors are tried.
const MANY: usize = 12_000;

/// What a gate of a circuit with choice by factors costs, in gates of one without: counts and sums keep what they work on in
/// registers. With 15 % more gates amazons_8x8 and speedChess run 7 to 10 % faster with AVX-512, and a third with AVX2.
const WEIGHT_OF_FACTORS: f64 = 0.85;

/// The cheaper one of two ways of choosing moves by rank.
fn by_rank_or_factors(
    network: &Network,
    shape: Shape,
    draws: usize,
) -> Result<(Shape, CircuitPlan), SlicedError> {
    let moves = moves_by_role(network);
    let most = moves.iter().map(Vec::len).max().unwrap_or(0);
    let has_factors = |moves: &&Vec<usize>| moves.iter().any(|&number| network.words[number].len() > 2);
    if most < FEWEST || !moves.iter().any(|moves| has_factors(&moves)) {
        let plan = CircuitPlan::new(network, &shape)?;
        return Ok((shape, plan));
    }
    let other = Shape { methods: vec![Method::Factors { draws }; network.roles], ..shape.clone() };
    let by_factors = CircuitPlan::new(network, &other);
    if most > MANY
        && let Ok(plan) = by_factors
    {
        return Ok((other, plan));
    }
    let by_rank = CircuitPlan::new(network, &shape);
    match (by_rank, by_factors) {
        (Ok(plan), Ok(by_factors)) if plan.cost() <= WEIGHT_OF_FACTORS * by_factors.cost() => {
            Ok((shape, plan))
        }
        (_, Ok(by_factors)) => Ok((other, by_factors)),
        (by_rank, Err(_)) => Ok((shape, by_rank?)),
    }
}

/// What never changes at all.
fn one_phase(network: &Network) -> Phases {
    Phases::of(network, 1).unwrap_or_else(|| Phases::none(network.fluents()))
}

/// The phases in which the fewest moves can be legal. More phases are more code: they must pay.
fn best_phases(network: &Network) -> Phases {
    let candidates = Phases::candidates(network, 2 * MOST_PHASES);
    // At least so many moves can be legal in a phase, on the average.
    let bound = |count: usize| {
        let most = |phase: usize| candidates.iter().skip(phase).step_by(count).max().copied().unwrap_or(0);
        (0..count).map(most).sum::<usize>() as f64 / count as f64
    };
    let by_phase = |phases: &Phases| phases.candidates as f64 / phases.len() as f64;
    let mut best = one_phase(network);
    for count in 2..=MOST_PHASES {
        let pays = 0.9 * by_phase(&best);
        if bound(count) < pays
            && let Some(phases) = Phases::of(network, count)
            && by_phase(&phases) < pays
        {
            best = phases;
        }
    }
    best
}

/// How often a number is drawn in one step: as long as a draw costs less than the steps that bad luck costs.
fn draws(network: &Network, phases: usize) -> usize {
    let most = moves_by_role(network).iter().map(Vec::len).max().unwrap_or(0).max(2);
    let bits = (most as f64).log2().ceil();
    // What a step will cost, about: the network's operands and the choosing, of which each phase has its share.
    let step = (network.operand_count() + 16 * network.moves()) as f64 / phases as f64;
    let (draw, miss) = (bits * (7.0 + RANDOM_COST), step * phases as f64);
    // A draw fails for about a quarter of all counts.
    let mut draws = 1;
    let mut failing = 0.28;
    while draws < 8 && failing * miss > draw {
        draws += 1;
        failing *= 0.28;
    }
    draws
}

/// How many times to go through the phases before a scoring.
fn best_rounds(plan: &CircuitPlan, length: f64) -> usize {
    let (steps, score) = plan.steps_and_score();
    let phases = steps.iter().filter(|part| !part.results.moved.is_empty()).count();
    let size = |part: &Part| {
        let list = &part.gates;
        list.gates.len() as f64 + 1.5 * list.stores.len() as f64
    };
    let (steps, score) = (steps.iter().map(size).sum::<f64>(), score.iter().map(size).sum::<f64>());
    let cost = |rounds: usize| {
        let idle = (rounds * phases - 1) as f64 / 2.0;
        (steps + score / rounds as f64) * (1.0 + idle / length)
    };
    (1..=16).min_by(|&a, &b| cost(a).total_cmp(&cost(b))).unwrap_or(1)
}

/// What a trial showed.
struct Trial {
    /// The share of lanes that moved in a step.
    moved: f64,
    /// The steps of a playout.
    length: f64,
}

/// Plays some steps.
fn try_out(plan: &CircuitPlan) -> Trial {
    let path = Path::best(plan.gates());
    let executable = Executable::new(&plan.parts, path);
    if executable.path.is_narrow() {
        let halves = [trial::<Lanes256>(plan, &executable, 0), trial::<Lanes256>(plan, &executable, 4)];
        Counts { moved: halves[0].moved + halves[1].moved, finished: halves[0].finished + halves[1].finished }
            .shares(plan)
    } else {
        trial::<Lanes512>(plan, &executable, 0).shares(plan)
    }
}

/// How many cycles a trial has.
const CYCLES: usize = 200;

struct Counts {
    moved: u64,
    finished: u64,
}

impl Counts {
    fn shares(&self, plan: &CircuitPlan) -> Trial {
        let steps = (CYCLES * plan.steps() * 512) as f64;
        let moved = (self.moved as f64 / steps).max(1e-6);
        // Lanes are, on the average, in the middle of a playout at the end.
        Trial { moved, length: steps / (self.finished as f64 + 256.0) }
    }
}

fn trial<V: Vector>(plan: &CircuitPlan, executable: &Executable, first_word: usize) -> Counts {
    let mut memory = vec![V::default(); executable.places];
    for (place, &value) in memory.iter_mut().zip(&plan.first) {
        *place = V::filled(value);
    }
    let mut random = Generator::<V>::new(plan.cycle_randoms(), 0, first_word);
    let mut counts = Counts { moved: 0, finished: 0 };
    for _ in 0..CYCLES {
        for &number in &plan.cycle {
            let part = &plan.parts[number];
            random.take(part.gates.randoms);
            executable.run(number, &mut memory, random.taken());
            let moved = part.results.moved.iter().map(|&slot| memory[slot as usize].count());
            counts.moved += moved.sum::<u64>();
            let score = part.results.score.iter();
            counts.finished += score.map(|score| memory[score.finished as usize].count()).sum::<u64>();
        }
    }
    counts
}
