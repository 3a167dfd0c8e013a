//! Questions about many states at once, a lane for each. Looking is one circuit (the end, the legal moves, the goals), making
//! given moves another; playouts run the circuits of the engine's own random steps from the given states.

use std::sync::Arc;

use groundrules_net::Network;

use crate::batch::{Batch, Outcomes, PlayOut, Views};
use crate::machine::{MachineError, Move, State};

use super::block::lanes;
use super::executable::Executable;
use super::graph::{Graph, Literal, Source};
use super::lower::Circuit;
use super::options::Options;
use super::path::Path;
use super::plan::{Part, Plan};
use super::random::Generator;
use super::segment::{Results, Score};
use super::transpose::transpose;
use super::vector::{Lanes256, Lanes512, Vector};
use super::writer::Writer;
use super::{SlicedError, shape};

/// A game that is asked about many states at once. A state has one bit for each fluent of the ground game, in order, in
/// words of 64; moves have the ground game's numbers. `roles` are the roles as KIF.
pub fn batch(
    network: &Network,
    roles: Vec<String>,
    options: &Options,
) -> Result<Box<dyn Batch>, SlicedError> {
    // Lanes begin anywhere, so they are in no phase.
    let options = Options { phases: Some(false), joined: Some(false), ..*options };
    let (plan, _) = shape::plan(network, &options, false)?;
    let path = options.path.unwrap_or_else(|| Path::best(plan.gates()));
    if !path.is_available() {
        return Err(SlicedError::NotAvailable { path });
    }
    let questions = [look(network)?, advance(network)?];
    let game = Arc::new(Game {
        roles,
        movers: network.movers.clone(),
        init: network.init.clone(),
        goals: network.outputs.goals.iter().map(|goal| (goal.role, goal.value)).collect(),
        answers: Executable::new(&questions, path),
        playouts: Executable::new(&plan.parts, path),
        plan,
    });
    if game.answers.path.is_narrow() != game.playouts.path.is_narrow() {
        // The system allowed code to be made once and then not.
        return Err(SlicedError::NotAvailable { path });
    }
    Ok(if game.playouts.path.is_narrow() {
        Box::new(Lanes::<Lanes256>::new(game))
    } else {
        Box::new(Lanes::<Lanes512>::new(game))
    })
}

/// What all threads share.
pub(super) struct Game {
    roles: Vec<String>,
    movers: Vec<u32>,
    init: Vec<bool>,
    goals: Vec<(usize, i32)>,
    /// The circuits that look and that make given moves.
    answers: Executable,
    pub(super) plan: Plan,
    playouts: Executable,
}

/// What a lane went through.
pub(super) struct Trail {
    pub(super) lane: usize,
    /// The states after each joint move, as far as lanes store them.
    pub(super) states: Vec<State>,
}

const LOOK: usize = 0;
const ADVANCE: usize = 1;

fn slot(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
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
fn advance(network: &Network) -> Result<Part, SlicedError> {
    let mut graph = Graph::new();
    let mut inputs =
        (0..network.fluents() + network.moves()).map(|index| graph.input(Source::Slot(slot(index))));
    let fluents: Vec<Literal> = inputs.by_ref().take(network.fluents()).collect();
    let made: Vec<Literal> = inputs.collect();
    let mut writer = Writer::new(network, &fluents);
    writer.make_moves(&made);
    let values = writer.write(&mut graph, &network.outputs.next);
    let outputs = values.into_iter().enumerate().map(|(index, value)| (slot(index), value)).collect();
    let slots = fluents.len() + made.len();
    Part::new(Circuit { graph, outputs, slots, randoms: 0 }, Results::default())
}

/// Lanes that are loaded with states.
pub(super) struct Lanes<V> {
    pub(super) game: Arc<Game>,
    pub(super) memory: Vec<V>,
    /// For each lane the legal moves by role, while they are sorted.
    legal: Vec<Vec<Move>>,
    goals: Vec<Vec<i32>>,
}

impl<V: Vector> Lanes<V> {
    fn new(game: Arc<Game>) -> Self {
        let places = game.answers.places.max(game.playouts.places);
        let lists = V::WORDS * 64 * game.roles.len();
        let (legal, goals) = (vec![Vec::new(); lists], vec![Vec::new(); lists]);
        Lanes { memory: vec![V::default(); places], legal, goals, game }
    }

    /// Puts the fluents of some states, one for each lane, into their places; the other lanes are empty.
    fn load<'s>(
        &mut self,
        states: &(impl Iterator<Item = &'s State> + Clone),
        place: impl Fn(usize) -> Option<usize>,
    ) {
        let fluents = self.game.init.len();
        for word in 0..V::WORDS {
            for first in (0..fluents).step_by(64) {
                let mut square = [0; 64];
                let own = states.clone().skip(word * 64).take(64);
                for (row, state) in square.iter_mut().zip(own) {
                    *row = state.words().get(first / 64).copied().unwrap_or(0);
                }
                transpose(&mut square);
                for (fluent, &lanes) in (first..fluents).zip(&square) {
                    if let Some(place) = place(fluent) {
                        self.memory[place].words_mut()[word] = lanes;
                    }
                }
            }
        }
    }

    /// Writes the fluents of the first lanes into states.
    fn unload(&self, states: &mut [State]) {
        let fluents = self.game.init.len();
        for (word, own) in states.chunks_mut(64).enumerate() {
            own.iter_mut().for_each(|state| {
                state.words_mut().clear();
                state.words_mut().resize(fluents.div_ceil(64), 0);
            });
            for first in (0..fluents).step_by(64) {
                let mut square = [0; 64];
                for (row, fluent) in square.iter_mut().zip(first..fluents) {
                    *row = self.memory[fluent].words()[word];
                }
                transpose(&mut square);
                for (state, &row) in own.iter_mut().zip(&square) {
                    state.words_mut()[first / 64] = row;
                }
            }
        }
    }

    /// Looks at as many states as there are lanes.
    fn look_at(&mut self, states: &[State], views: &mut Views) {
        self.load(&states.iter(), Some);
        self.game.answers.run::<V>(LOOK, &mut self.memory, &[]);
        let game = &*self.game;
        let (roles, first) = (game.roles.len(), game.init.len());
        self.legal.iter_mut().for_each(Vec::clear);
        self.goals.iter_mut().for_each(Vec::clear);
        for (number, &role) in game.movers.iter().enumerate() {
            for lane in lanes(self.memory[first + 1 + number]) {
                self.legal[lane * roles + role as usize].push(Move(slot(number)));
            }
        }
        for (index, &(role, value)) in game.goals.iter().enumerate() {
            for lane in lanes(self.memory[first + 1 + game.movers.len() + index]) {
                self.goals[lane * roles + role].push(value);
            }
        }
        for lane in 0..states.len() {
            views.push_state(self.memory[first].words()[lane / 64] >> (lane % 64) & 1 == 1);
            for list in lane * roles..(lane + 1) * roles {
                self.goals[list].sort_unstable();
                self.goals[list].dedup();
                views.push_role(self.legal[list].iter().copied(), self.goals[list].iter().copied());
            }
        }
    }

    /// Plays one playout in each lane, from the states that the lanes are given, and adds what they come to. If a trail is
    /// wanted it is written.
    pub(super) fn play(
        &mut self,
        states: &[State],
        first: usize,
        each: usize,
        limits: PlayOut,
        outcomes: &mut Outcomes,
        mut trail: Option<&mut Trail>,
    ) {
        let game = Arc::clone(&self.game);
        let plan = &game.plan;
        let count = (states.len() * each - first).min(V::WORDS * 64);
        self.memory.fill(V::default());
        let own = (first..first + count).filter_map(|playout| states.get(playout / each));
        self.load(&own, |fluent| plan.layout.fluents[fluent].map(|slot| slot as usize));
        let mut live = V::default();
        (0..count).for_each(|lane| live.words_mut()[lane / 64] |= 1 << (lane % 64));
        let mut random = Generator::<V>::new(plan.cycle_randoms(), limits.seed, first / 64);
        let mut moves: Vec<V> = Vec::new();
        let mut steps = 0;
        while !live.is_empty() {
            for &number in &plan.cycle {
                let part = &plan.parts[number];
                random.take(part.gates.randoms);
                game.playouts.run(number, &mut self.memory, random.taken());
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
                    live = self.score(score, live, first, each, outcomes);
                }
            }
        }
    }

    /// Counts the lanes that are done; gives those that are not.
    fn score(&self, score: &Score, live: V, first: usize, each: usize, outcomes: &mut Outcomes) -> V {
        let finished = self.memory[score.finished as usize];
        // A role with several goals, or none, has no outcome.
        for (index, &(role, value, slot)) in score.goals.iter().enumerate() {
            let others =
                score.goals.iter().enumerate().filter(|&(other, goal)| other != index && goal.0 == role);
            let others = others.fold(V::default(), |all, (_, goal)| all.or(self.memory[goal.2 as usize]));
            for lane in lanes(others.and_not(self.memory[slot as usize]).and(live)) {
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
    fn roles(&self) -> &[String] {
        &self.game.roles
    }

    fn initial(&self) -> State {
        let mut state = State::default();
        let init = &self.game.init;
        state.words_mut().resize(init.len().div_ceil(64), 0);
        for fluent in (0..init.len()).filter(|&fluent| init[fluent]) {
            state.words_mut()[fluent / 64] |= 1 << (fluent % 64);
        }
        state
    }

    fn width(&self) -> usize {
        V::WORDS * 64
    }

    fn look(&mut self, states: &[State], views: &mut Views) -> Result<(), MachineError> {
        views.clear(self.game.roles.len());
        states.chunks(V::WORDS * 64).for_each(|states| self.look_at(states, views));
        Ok(())
    }

    fn advance(&mut self, states: &mut [State], joints: &[Move]) -> Result<(), MachineError> {
        let roles = self.game.roles.len();
        if joints.len() != states.len() * roles {
            let given = joints.len().checked_div(states.len()).unwrap_or(0);
            return Err(MachineError::WrongJointMove { roles, given });
        }
        let (fluents, moves) = (self.game.init.len(), self.game.movers.len());
        let width = V::WORDS * 64;
        let joints = joints.chunks((width * roles).max(1));
        for (states, joints) in states.chunks_mut(width).zip(joints) {
            self.load(&states.iter(), Some);
            self.memory[fluents..fluents + moves].fill(V::default());
            for (index, made) in joints.iter().enumerate().filter(|(_, made)| (made.0 as usize) < moves) {
                let lane = index / roles;
                self.memory[fluents + made.0 as usize].words_mut()[lane / 64] |= 1 << (lane % 64);
            }
            self.game.answers.run::<V>(ADVANCE, &mut self.memory, &[]);
            self.unload(states);
        }
        Ok(())
    }

    fn play_out(
        &mut self,
        states: &[State],
        each: usize,
        limits: PlayOut,
        outcomes: &mut Outcomes,
    ) -> Result<(), MachineError> {
        outcomes.clear(states.len(), self.game.roles.len());
        for first in (0..states.len() * each).step_by(V::WORDS * 64) {
            self.play(states, first, each, limits, outcomes, None);
        }
        Ok(())
    }

    fn retrace(
        &mut self,
        states: &[State],
        each: usize,
        limits: PlayOut,
        number: usize,
    ) -> Result<Option<Vec<Move>>, MachineError> {
        self.moves_of(states, each, limits, number)
    }

    fn fork(&self) -> Box<dyn Batch> {
        Box::new(Lanes::<V>::new(Arc::clone(&self.game)))
    }
}
