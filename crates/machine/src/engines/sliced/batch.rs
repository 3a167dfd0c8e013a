//! Queries on many states at once, one lane per state. One circuit computes terminality, legal moves and goals; another
//! applies given moves. Playouts run the circuits of the engine's own random steps from the given states.

use std::sync::{Arc, OnceLock};

use groundrules_gdl::Roles;
use groundrules_net::Network;

use crate::batch::{Batch, MoveRecord, PlayoutLimits, Preferences, check_joints};
use crate::index::index32;
use crate::machine::{MachineError, Move, State};
use crate::outcomes::Outcomes;
use crate::rows::Rows;
use crate::views::Views;

use super::block::lanes;
use super::executable::Executable;
use super::flat::{Answers, Order};
use super::graph::{Graph, Literal, Source};
use super::lower::Circuit;
use super::made::Made;
use super::options::Options;
use super::path::Path;
use super::plan::{CircuitPlan, Part, Purpose};
use super::preferences;
use super::random::Generator;
use super::segment::{Results, Score};
use super::transpose::transpose_widely;
use super::vector::{Lanes256, Lanes512, Vector};
use super::writer::Writer;
use super::{SlicedError, shape};

/// A game that is asked about many states at once. A state has one bit for each fluent of the ground game, in order, in
/// words of 64; moves have the ground game's numbers. `roles` are the roles as KIF.
pub fn batch(network: &Network, roles: Roles, options: &Options) -> Result<Box<dyn Batch>, SlicedError> {
    let uniform = Simulation::new(network, options)?;
    let path = uniform.playouts.path;
    let questions = [look(network)?, advance(network)?];
    let goals: Vec<_> = network.outputs.goals.iter().map(|goal| (goal.role, goal.value)).collect();
    let game = Arc::new(Game {
        order: Order::new(roles.len(), &network.movers, &goals),
        roles,
        movers: network.movers.clone(),
        init: network.init.clone(),
        goals,
        answers: Executable::new(&questions, path),
        guide: (uniform.plan.gates() <= GUIDED)
            .then(|| (network.clone(), Options { path: Some(path), ..*options })),
        guided: OnceLock::new(),
        uniform: Arc::new(uniform),
    });
    if game.answers.path.is_narrow() != path.is_narrow() {
        // The system allowed code to be made once and then not.
        return Err(SlicedError::NotAvailable { path });
    }
    Ok(if path.is_narrow() {
        Box::new(Lanes::<Lanes256>::new(game))
    } else {
        Box::new(Lanes::<Lanes512>::new(game))
    })
}

/// Circuits up to this size are made a second time, with preferences.
const GUIDED: usize = 100_000;

/// What all threads share.
pub(super) struct Game {
    pub(super) roles: Roles,
    pub(super) movers: Vec<u32>,
    pub(super) init: Vec<bool>,
    pub(super) goals: Vec<(usize, i32)>,
    pub(super) order: Order,
    /// The circuits that look and that make given moves.
    pub(super) answers: Executable,
    pub(super) uniform: Arc<Simulation>,
    /// What circuits with preferences are made from, and these circuits, once they were asked for.
    guide: Option<(Network, Options)>,
    guided: OnceLock<Option<Arc<Simulation>>>,
}

/// The circuits of random playouts.
pub(super) struct Simulation {
    pub(super) plan: CircuitPlan,
    playouts: Executable,
    /// For each phase what a state is like in it. A state that is like a phase may be played on as if the match were in it, because
    /// what is known of the phases after it follows from that alone.
    beginnings: Vec<Pattern>,
}

impl Simulation {
    fn new(network: &Network, options: &Options) -> Result<Self, SlicedError> {
        // Lanes begin anywhere, so steps are circuits of their own: each lane waits for that of its phase.
        let options = Options { joined: Some(false), given: true, ..*options };
        let (plan, _) = shape::plan(network, &options, Purpose::Playouts)?;
        let path = options.path.unwrap_or_else(|| Path::best(plan.gates()));
        if !path.is_available() {
            return Err(SlicedError::NotAvailable { path });
        }
        let playouts = Executable::new(&plan.parts, path);
        let beginnings = plan.phases.known.iter().map(|known| Pattern::new(known)).collect();
        Ok(Simulation { playouts, beginnings, plan })
    }

    /// The phase that a state is in, or is as good as in; none if no match comes to the state.
    fn phase(&self, row: &[u64]) -> Option<usize> {
        self.beginnings.iter().position(|pattern| pattern.fits(row))
    }

    /// Whether a match may come to all these states, as far as the phases tell.
    pub(super) fn fits(&self, rows: &Rows) -> bool {
        rows.iter().all(|row| self.phase(row).is_some())
    }
}

/// Some fluents with their values, packed as states are: those that count, and their values.
struct Pattern {
    counting: Vec<u64>,
    values: Vec<u64>,
}

impl Pattern {
    fn new(known: &[Option<bool>]) -> Self {
        let pack = |of: &dyn Fn(Option<bool>) -> bool| {
            let word = |fluents: &[Option<bool>]| {
                fluents.iter().enumerate().fold(0, |word, (bit, &known)| word | u64::from(of(known)) << bit)
            };
            known.chunks(64).map(word).collect()
        };
        Pattern { counting: pack(&|known| known.is_some()), values: pack(&|known| known == Some(true)) }
    }

    fn fits(&self, row: &[u64]) -> bool {
        let own = self.counting.iter().zip(&self.values);
        own.zip(row).all(|((counting, values), word)| (word ^ values) & counting == 0)
    }
}

impl Game {
    /// How many words a packed state has: at least one, so that states can be counted in flat memory.
    pub(super) fn words(&self) -> usize {
        self.init.len().div_ceil(64).max(1)
    }

    /// The circuits with preferences; none where they would be too large.
    fn guided(&self) -> Option<&Arc<Simulation>> {
        let make = || {
            let (network, options) = self.guide.as_ref()?;
            let options = Options { guided: true, ..*options };
            let guided = Simulation::new(network, &options).ok()?;
            let is_same = guided.playouts.path.is_narrow() == self.uniform.playouts.path.is_narrow();
            is_same.then(|| Arc::new(guided))
        };
        self.guided.get_or_init(make).as_ref()
    }
}

/// How playouts are played.
#[derive(Clone, Copy)]
pub(super) struct Way<'a> {
    pub(super) simulation: &'a Simulation,
    pub(super) limits: PlayoutLimits,
    /// What is preferred, if the circuits heed that.
    pub(super) preferences: Option<&'a Preferences>,
}

/// What a lane went through.
pub(super) struct Trail {
    pub(super) lane: usize,
    /// The states after each joint move, as far as lanes store them.
    pub(super) states: Rows,
}

pub(super) const LOOK: usize = 0;
pub(super) const ADVANCE: usize = 1;

pub(super) fn slot(index: usize) -> u32 {
    index32(index)
}

/// Fluents in, and behind them the end, the legal moves and the goals out.
fn look(network: &Network) -> Result<Part, SlicedError> {
    let mut graph = Graph::new();
    let fluents: Vec<Literal> =
        (0..network.fluents()).map(|fluent| graph.input(Source::Slot(slot(fluent)))).collect();
    let outputs = &network.outputs;
    let mut wanted = vec![outputs.terminal];
    wanted.extend(&outputs.legal);
    wanted.extend(outputs.goals.iter().map(|goal| goal.literal));
    let values = Writer::new(network, &fluents).write(&mut graph, &wanted);
    let place = |(index, value)| (slot(fluents.len() + index), value);
    let slots = fluents.len() + values.len();
    let outputs = values.into_iter().enumerate().map(place).collect();
    Part::new(Circuit { graph, outputs, slots, randoms: 0 }, Results::default())
}

/// Fluents and behind them the moves made in, the next fluents out.
pub(super) fn advance(network: &Network) -> Result<Part, SlicedError> {
    let mut graph = Graph::new();
    let mut inputs =
        (0..network.fluents() + network.moves()).map(|index| graph.input(Source::Slot(slot(index))));
    let fluents: Vec<Literal> = inputs.by_ref().take(network.fluents()).collect();
    let made: Vec<Literal> = inputs.collect();
    let mut moves = Made::none(network.moves());
    made.iter().enumerate().for_each(|(number, &literal)| moves.set(number, literal));
    let mut writer = Writer::new(network, &fluents).with_moves(&moves);
    let values = writer.write(&mut graph, &network.outputs.next);
    let outputs = values.into_iter().enumerate().map(|(index, value)| (slot(index), value)).collect();
    let slots = fluents.len() + made.len();
    Part::new(Circuit { graph, outputs, slots, randoms: 0 }, Results::default())
}

/// Lanes that are loaded with states.
pub(super) struct Lanes<V> {
    pub(super) game: Arc<Game>,
    pub(super) memory: Vec<V>,
    pub(super) legal_bits: Answers,
    pub(super) goal_bits: Answers,
    /// Whether no move is set in the memory.
    pub(super) moves_are_clear: bool,
}

impl<V: Vector> Lanes<V> {
    fn new(game: Arc<Game>) -> Self {
        let places = game.answers.places.max(game.uniform.playouts.places);
        Lanes {
            memory: vec![V::default(); places],
            legal_bits: Answers::default(),
            goal_bits: Answers::default(),
            moves_are_clear: false,
            game,
        }
    }

    /// Puts the stored fluents of the states from which playouts begin, one for each lane, into the playouts' memory.
    fn load_playouts(&mut self, slots: &[Option<u32>], rows: &Rows, first: usize, count: usize, each: usize) {
        for word in 0..V::WORDS {
            let from = (word * 64).min(count);
            let lanes = (count - from).min(64);
            for start in (0..slots.len()).step_by(64) {
                let mut square = [0; 64];
                for (lane, bits) in square[..lanes].iter_mut().enumerate() {
                    *bits = rows.row((first + from + lane) / each)[start / 64];
                }
                transpose_widely(&mut square);
                for (slot, &lanes) in slots[start..].iter().zip(&square) {
                    if let Some(slot) = slot {
                        self.memory[*slot as usize].words_mut()[word] = lanes;
                    }
                }
            }
        }
    }

    /// Lets lanes wait for the phase of their states.
    fn let_wait(&mut self, simulation: &Simulation, rows: &Rows, first: usize, count: usize, each: usize) {
        let waiting = &simulation.plan.layout.waiting;
        if waiting.is_empty() {
            return;
        }
        let mut lane = 0;
        while lane < count {
            let state = (first + lane) / each;
            let end = ((state + 1) * each - first).min(count);
            let slot = waiting[simulation.phase(rows.row(state)).unwrap_or(0)] as usize;
            (lane..end).for_each(|lane| self.memory[slot].words_mut()[lane / 64] |= 1 << (lane % 64));
            lane = end;
        }
    }

    /// Plays one playout in each lane, from the states that the lanes are given, each of which fits a phase, and adds what they come
    /// to. If a trail is wanted it is written. Gives for each goal, a role and a value, the lanes that ended with it as the role's only one.
    pub(super) fn play(
        &mut self,
        way: &Way<'_>,
        rows: &Rows,
        first: usize,
        each: usize,
        outcomes: &mut Outcomes,
        mut trail: Option<&mut Trail>,
    ) -> Vec<(usize, i32, V)> {
        let Way { simulation, limits, preferences } = *way;
        let plan = &simulation.plan;
        let count = (rows.len() * each - first).min(V::WORDS * 64);
        self.moves_are_clear = false;
        self.memory.clear();
        self.memory.resize(self.game.answers.places.max(simulation.playouts.places), V::default());
        self.load_playouts(&plan.layout.fluents, rows, first, count, each);
        self.let_wait(simulation, rows, first, count, each);
        if let Some(preferences) = preferences {
            preferences::fill(&mut self.memory, &plan.layout, preferences, !limits.seed, first / 64);
        }
        let mut live = V::default();
        (0..count).for_each(|lane| live.words_mut()[lane / 64] |= 1 << (lane % 64));
        let mut random = Generator::<V>::new(plan.cycle_randoms(), limits.seed, first / 64);
        let mut moves: Vec<V> = Vec::new();
        let mut won: Vec<(usize, i32, V)> =
            self.game.goals.iter().map(|&(role, value)| (role, value, V::default())).collect();
        let mut steps = 0;
        while !live.is_empty() {
            for &number in &plan.cycle {
                let part = &plan.parts[number];
                random.take(part.gates.randoms);
                simulation.playouts.run(number, &mut self.memory, random.taken());
                for &moved in &part.results.moved {
                    let moved = self.memory[moved as usize].and(live);
                    if let Some(trail) = &mut trail {
                        self.follow(moved, trail);
                    }
                    outcomes.states += moved.count();
                    add(&mut moves, moved);
                    steps += 1;
                    if steps > limits.max_steps {
                        let over = live.and(above(&moves, limits.max_steps));
                        outcomes.unfinished += over.count();
                        outcomes.states -= over.count();
                        live = over.and_not(live);
                    }
                }
                if let Some(score) = &part.results.score {
                    live = self.score(score, live, (first, each), outcomes, &mut won);
                }
            }
        }
        won
    }

    fn play_all(
        &mut self,
        way: &Way<'_>,
        rows: &Rows,
        each: usize,
        outcomes: &mut Outcomes,
        mut record: Option<&mut MoveRecord>,
    ) -> Result<(), MachineError> {
        outcomes.clear(rows.len(), self.game.roles.len());
        if !way.simulation.fits(rows) {
            return self.play_strays(rows, each, way.limits, outcomes, None).map(|_| ());
        }
        for first in (0..rows.len() * each).step_by(V::WORDS * 64) {
            let won = self.play(way, rows, first, each, outcomes, None);
            if let Some(record) = &mut record {
                let layout = &way.simulation.plan.layout;
                preferences::record(&self.memory, layout, &self.game.movers, &won, record);
            }
        }
        Ok(())
    }

    /// Counts the lanes that are done; gives those that are not.
    fn score(
        &self,
        score: &Score,
        live: V,
        (first, each): (usize, usize),
        outcomes: &mut Outcomes,
        won: &mut [(usize, i32, V)],
    ) -> V {
        let finished = self.memory[score.finished as usize];
        // A role with several goals, or none, has no outcome.
        for (index, &(role, value, slot)) in score.goals.iter().enumerate() {
            let others =
                score.goals.iter().enumerate().filter(|&(other, goal)| other != index && goal.0 == role);
            let others = others.fold(V::default(), |all, (_, goal)| all.or(self.memory[goal.2 as usize]));
            let own = others.and_not(self.memory[slot as usize]).and(live);
            won[index].2 = won[index].2.or(own);
            for lane in lanes(own) {
                let number = first + lane;
                outcomes.add(number / each, number, role, value);
            }
        }
        for &slot in score.stuck.iter().flatten() {
            outcomes.unplayable += self.memory[slot as usize].and(live).count();
        }
        finished.and_not(live)
    }
}

/// Adds one in some lanes to numbers in bits, the lowest first.
fn add<V: Vector>(numbers: &mut Vec<V>, lanes: V) {
    let mut carry = lanes;
    for bits in numbers.iter_mut() {
        if carry.is_empty() {
            return;
        }
        (*bits, carry) = (bits.xor(carry), bits.and(carry));
    }
    if !carry.is_empty() {
        numbers.push(carry);
    }
}

/// The lanes in which numbers are above a bound.
fn above<V: Vector>(numbers: &[V], bound: u64) -> V {
    let (mut above, mut equal) = (V::default(), V::filled(true));
    for place in (0..numbers.len().max(64)).rev() {
        let bits = numbers.get(place).copied().unwrap_or_default();
        if place < 64 && bound >> place & 1 == 1 {
            equal = equal.and(bits);
        } else {
            above = above.or(equal.and(bits));
            equal = bits.and_not(equal);
        }
    }
    above
}

impl<V: Vector> Batch for Lanes<V> {
    fn roles(&self) -> &Roles {
        &self.game.roles
    }

    fn initial(&self) -> State {
        let mut state = State::default();
        let init = &self.game.init;
        state.words_mut().resize(self.game.words(), 0);
        for fluent in (0..init.len()).filter(|&fluent| init[fluent]) {
            state.words_mut()[fluent / 64] |= 1 << (fluent % 64);
        }
        state
    }

    fn row_width(&self) -> Option<usize> {
        Some(self.game.words())
    }

    fn width(&self) -> usize {
        V::WORDS * 64
    }

    fn look(&mut self, rows: &Rows, views: &mut Views) -> Result<(), MachineError> {
        self.look_at(rows, views);
        Ok(())
    }

    fn advance(
        &mut self,
        rows: &Rows,
        from: &[u32],
        joints: &[Move],
        next: &mut Rows,
    ) -> Result<(), MachineError> {
        check_joints(self.game.roles.len(), from, joints)?;
        self.make_moves(rows, from, joints, next, None);
        Ok(())
    }

    fn advance_to_ends(
        &mut self,
        rows: &Rows,
        from: &[u32],
        joints: &[Move],
        next: &mut Rows,
        ends: &mut Vec<u32>,
    ) -> Result<(), MachineError> {
        check_joints(self.game.roles.len(), from, joints)?;
        ends.clear();
        self.make_moves(rows, from, joints, next, Some(ends));
        Ok(())
    }

    fn play_out(
        &mut self,
        rows: &Rows,
        each: usize,
        limits: PlayoutLimits,
        outcomes: &mut Outcomes,
    ) -> Result<(), MachineError> {
        let simulation = Arc::clone(&self.game.uniform);
        self.play_all(&Way { simulation: &simulation, limits, preferences: None }, rows, each, outcomes, None)
    }

    fn play_out_guided(
        &mut self,
        rows: &Rows,
        each: usize,
        limits: PlayoutLimits,
        preferences: &Preferences,
        record: &mut MoveRecord,
        outcomes: &mut Outcomes,
    ) -> Result<(), MachineError> {
        let game = Arc::clone(&self.game);
        let Some(guided) = game.guided() else { return self.play_out(rows, each, limits, outcomes) };
        assert!(
            preferences.of_moves.len() <= game.movers.len(),
            "preferences among the moves of another game"
        );
        self.play_all(
            &Way { simulation: guided, limits, preferences: Some(preferences) },
            rows,
            each,
            outcomes,
            Some(record),
        )
    }

    fn movers(&self) -> &[u32] {
        &self.game.movers
    }

    fn can_be_guided(&self) -> bool {
        self.game.guided().is_some()
    }

    fn retrace(
        &mut self,
        rows: &Rows,
        each: usize,
        limits: PlayoutLimits,
        number: usize,
    ) -> Result<Option<Vec<Move>>, MachineError> {
        self.moves_of(rows, each, limits, number)
    }

    fn fork(&self) -> Box<dyn Batch> {
        Box::new(Lanes::<V>::new(Arc::clone(&self.game)))
    }
}
