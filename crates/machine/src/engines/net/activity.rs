//! What is decided by what happens in random matches. Their choices are those of a fixed seed, and costs are counts, not times:
//! the same game always gets the same machine.
//!
//! Some effects of moves are kept up to date, others are computed when a move is made. What moves do to many places, of
//! which one counts (a figure steps north, wherever it stands), is long to compute and changes little from state to state:
//! there propagation is cheaper. Whether it is depends on how often gates change and how often moves are made.
//!
//! A fluent that changes nearly always and that many gates ask for (now bids are made, now a mark is) makes two modes of
//! each: in a network of its own for either value nobody asks for it.

use groundrules_net::parts::{Mode, Turn, split};
use groundrules_net::{Kind, Literal, Network, Parts, holds};

use super::tables::Tables;
use crate::playout::Choices;

/// Programs with fewer words of code are left as they are.
const LONG: usize = 24;

/// The most steps that are looked at, the fewest that say something, and how many operands may be evaluated for all of them.
const MOST_STEPS: usize = 256;
const FEWEST_STEPS: usize = 16;
const OPERANDS: usize = 2_000_000;

/// What things cost, in the same unit: a word of code, a counter that changes, a gate that flips.
const WORD: u64 = 2;
const COUNTER: u64 = 5;
const FLIP: u64 = 8;

/// The most modes.
const MOST_MODES: usize = 8;
/// A fluent that makes two modes of each makes one of so many counter changes, or more, and so many in a step.
const SHARE: u64 = 5;
const BUSY: u64 = 10;

/// The modes, each split in two by the busiest fluent if it is very busy.
pub(super) fn split_by_busy_fluent(modes: Vec<Mode>, network: &Network) -> Vec<Mode> {
    if 2 * modes.len() > MOST_MODES {
        return modes;
    }
    let Some(steps) = affordable(network.operand_count()) else { return modes };
    let flips = flips(network, steps);
    let mut uses = vec![0; network.node_count()];
    for gate in 0..network.gate_count() {
        network.operands(gate).iter().for_each(|operand| uses[operand.node().index()] += 1);
    }
    let known: Vec<usize> = modes[0].iter().map(|&(fluent, _)| network.fluent(fluent).index()).collect();
    let changes = |node: usize| if known.contains(&node) { 0 } else { u64::from(flips[node]) * uses[node] };
    let own = |fluent: usize| changes(network.fluent(fluent).index());
    let all: u64 = (0..network.node_count()).map(changes).sum();
    let busiest = (0..network.fluents()).max_by_key(|&fluent| own(fluent));
    let is_busy = |&fluent: &usize| own(fluent) * SHARE >= all && own(fluent) >= BUSY * steps as u64;
    match busiest.filter(is_busy) {
        Some(fluent) => split(&modes, fluent),
        None => modes,
    }
}

/// How often each node changes in so many random steps.
fn flips(network: &Network, steps: usize) -> Vec<u32> {
    let mut flips = vec![0; network.node_count()];
    let (mut state, mut before) = (network.init.clone(), Vec::new());
    let mut choices = Choices::new(1, 0);
    for _ in 0..steps {
        let values = network.evaluate(|fluent| state[fluent], |_| false);
        count(&mut flips, &before, &values);
        state = match after(network, &state, &values, &mut choices) {
            Some(next) => next,
            None => network.init.clone(),
        };
        before = values;
    }
    flips
}

/// How many steps of a network with so many operands can be looked at, if they are enough to say something.
fn affordable(operands: usize) -> Option<usize> {
    let steps = (OPERANDS / (2 * operands).max(1)).min(MOST_STEPS);
    (steps >= FEWEST_STEPS).then_some(steps)
}

/// Counts the nodes whose values changed.
fn count(flips: &mut [u32], before: &[bool], values: &[bool]) {
    for (flips, (old, new)) in flips.iter_mut().zip(before.iter().zip(values)) {
        *flips += u32::from(old != new);
    }
}

/// A random next state; nothing where the match is over. The values are those where no move is made.
fn after(network: &Network, state: &[bool], values: &[bool], choices: &mut Choices) -> Option<Vec<bool>> {
    let outputs = &network.outputs;
    if holds(outputs.terminal, values) {
        return None;
    }
    let joint = choose(network, &outputs.legal, values, choices)?;
    let values = network.evaluate(|fluent| state[fluent], |made| joint.contains(&made));
    Some(outputs.next.iter().map(|&next| holds(next, &values)).collect())
}

/// A legal move of each role.
fn choose(
    network: &Network,
    legal: &[Literal],
    values: &[bool],
    choices: &mut Choices,
) -> Option<Vec<usize>> {
    let mut options = vec![Vec::new(); network.roles];
    for (number, &literal) in legal.iter().enumerate() {
        if holds(literal, values) {
            options[network.movers[number] as usize].push(number);
        }
    }
    options.iter().map(|options| choices.one_of(options)).collect()
}

/// For each turn and each list of effects whether it is cheaper to keep it up to date, if any is. The tables are those in which
/// none is.
pub(super) fn worth_keeping(parts: &Parts, network: &Network, tables: &Tables) -> Option<Vec<Vec<bool>>> {
    let lengths = |turn: usize| tables.turns[turn].lists.iter().map(|list| list.program.length());
    if !(0..parts.turns.len()).any(|turn| lengths(turn).any(|length| length >= LONG)) {
        return None;
    }
    let steps = affordable(parts.gates.operand_count())?;
    let activity = Activity::of(parts, network, steps);
    let mut costs = Costs::new(parts, &activity);
    let chosen = |turn: usize| -> Vec<bool> {
        let lists = lengths(turn).enumerate();
        lists
            .map(|(list, length)| {
                let program = WORD * length as u64 * u64::from(activity.runs[turn][list]);
                length >= LONG && costs.of_keeping(parts.turns[turn].effects(list)) < program
            })
            .collect()
    };
    let chosen: Vec<Vec<bool>> = (0..parts.turns.len()).map(chosen).collect();
    chosen.iter().flatten().any(|&kept| kept).then_some(chosen)
}

/// What happened in some random steps.
struct Activity {
    /// How often each node changed.
    flips: Vec<u32>,
    /// For each turn how often each list of effects was needed.
    runs: Vec<Vec<u32>>,
}

impl Activity {
    fn of(parts: &Parts, network: &Network, steps: usize) -> Self {
        let mut activity = Activity {
            flips: vec![0; parts.gates.nodes()],
            runs: parts.turns.iter().map(|turn| vec![0; turn.lists()]).collect(),
        };
        let mut play = Play::new(parts, network);
        let mut choices = Choices::new(1, 0);
        let mut before: Vec<bool> = Vec::new();
        for _ in 0..steps {
            play.evaluate(&[]);
            count(&mut activity.flips, &before, &play.values);
            before.clone_from(&play.values);
            let Some((turn, joint)) = play.choose(&mut choices) else {
                play.state.clone_from(&network.init);
                before.clear();
                continue;
            };
            play.advance(&parts.turns[turn], &joint, &mut activity.runs[turn]);
        }
        activity
    }
}

/// A match on the parts, every gate evaluated in every state.
struct Play<'p> {
    parts: &'p Parts,
    network: &'p Network,
    state: Vec<bool>,
    values: Vec<bool>,
}

impl<'p> Play<'p> {
    fn new(parts: &'p Parts, network: &'p Network) -> Self {
        let values = vec![false; parts.gates.nodes()];
        Play { parts, network, state: network.init.clone(), values }
    }

    fn holds(&self, literal: Literal) -> bool {
        holds(literal, &self.values)
    }

    /// The values of all nodes where these moves are made.
    fn evaluate(&mut self, joint: &[usize]) {
        let gates = &self.parts.gates;
        self.values.fill(false);
        self.values[1..=self.state.len()].copy_from_slice(&self.state);
        joint.iter().for_each(|&made| self.values[self.network.does(made).index()] = true);
        for block in gates.blocks() {
            let mut changed = true;
            while std::mem::take(&mut changed) {
                for gate in block.gates.clone() {
                    let mut operands = gates.operands(gate).iter();
                    let value = match gates.kind(gate) {
                        Kind::And => operands.all(|&operand| self.holds(operand)),
                        Kind::Or => operands.any(|&operand| self.holds(operand)),
                    };
                    let old = std::mem::replace(&mut self.values[gates.first() + gate], value);
                    changed |= block.is_component && old != value;
                }
            }
        }
    }

    /// Whose turn it is, and a legal move of each role; nothing where the match is over.
    fn choose(&self, choices: &mut Choices) -> Option<(usize, Vec<usize>)> {
        let is_so = |mode: &Mode| mode.iter().all(|&(fluent, value)| self.state[fluent] == value);
        let turn = self.parts.modes.iter().position(is_so)?;
        let own = &self.parts.turns[turn];
        if self.holds(own.terminal) {
            return None;
        }
        Some((turn, choose(self.network, &own.legal, &self.values, choices)?))
    }

    /// Makes legal moves, and counts the lists that they need.
    fn advance(&mut self, turn: &Turn, joint: &[usize], runs: &mut [u32]) {
        self.evaluate(joint);
        let mut next: Vec<bool> = turn.default.iter().map(|&literal| self.holds(literal)).collect();
        let lists = match turn.shares.is_empty() {
            true => joint.to_vec(),
            false => vec![joint.iter().map(|&made| turn.shares[made] as usize).sum()],
        };
        for list in lists {
            runs[list] += 1;
            turn.effects(list)
                .iter()
                .for_each(|&(fluent, literal)| next[fluent as usize] = self.holds(literal));
        }
        self.state = next;
    }
}

/// What keeping effects up to date costs.
struct Costs<'p> {
    parts: &'p Parts,
    activity: &'p Activity,
    /// Which gates are kept up to date anyway.
    kept: Vec<bool>,
    /// For each gate the last list that needs it.
    stamps: Vec<u32>,
    stamp: u32,
}

impl<'p> Costs<'p> {
    fn new(parts: &'p Parts, activity: &'p Activity) -> Self {
        let outputs =
            |turn: &'p Turn| turn.legal.iter().chain(&turn.default).chain([&turn.terminal]).copied();
        let roots: Vec<Literal> = parts.turns.iter().flat_map(outputs).collect();
        let kept = parts.gates.needed(&roots);
        Costs { parts, activity, kept, stamps: vec![0; parts.gates.len()], stamp: 0 }
    }

    /// The cost of the gates that these effects need and that are not kept up to date for something else.
    fn of_keeping(&mut self, effects: &[(u32, Literal)]) -> u64 {
        self.stamp += 1;
        let gates = &self.parts.gates;
        let flips = |literal: Literal| u64::from(self.activity.flips[literal.node().index()]);
        let mut wanted: Vec<Literal> = effects.iter().map(|&(_, literal)| literal).collect();
        let mut cost = wanted.iter().map(|&literal| flips(literal)).sum();
        while let Some(literal) = wanted.pop() {
            let Some(gate) = gates.gate_of(literal.node()) else { continue };
            if self.kept[gate] || std::mem::replace(&mut self.stamps[gate], self.stamp) == self.stamp {
                continue;
            }
            cost += FLIP * flips(literal);
            for &operand in gates.operands(gate) {
                cost += COUNTER * flips(operand);
                wanted.push(operand);
            }
        }
        cost
    }
}
