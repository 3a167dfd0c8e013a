//! What depends on what: fluents that no move influences (clocks), moves and fluents that influence nothing, and parts of the game that
//! have nothing to do with each other.

use groundrules_net::{Literal, Network, NodeKind, holds};
use hashbrown::HashMap;

/// Fluents that no move influences: they depend on the number of steps alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clock {
    /// The fluents, ascending.
    pub fluents: Vec<usize>,
    /// How many steps they take until they begin to repeat, and after how many they repeat; nothing if that takes too long to find out.
    pub course: Option<(usize, usize)>,
}

/// A part of the game: its moves change no fluent of another part, and its fluents influence neither the fluents nor the legal moves
/// of another one. Clocks are common to all. Ends and goals may be made of several parts, as a conjunction or disjunction of conditions
/// each of which is about one part alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subgame {
    /// Its fluents, ascending.
    pub fluents: Vec<usize>,
    /// Its moves, ascending.
    pub moves: Vec<usize>,
}

/// Steps for which a clock is followed.
const LONGEST_COURSE: usize = 1_000;

/// Gates evaluated for that, at most.
const MOST_GATES: usize = 50_000_000;

/// The nodes that some sources influence within one state: gates above them.
fn influenced(network: &Network, is_source: &[bool]) -> Vec<bool> {
    let mut is_influenced = is_source.to_vec();
    for block in network.blocks() {
        let of = |gate: usize, is_influenced: &[bool]| {
            network.operands(gate).iter().any(|operand| is_influenced[operand.node().index()])
        };
        // Whoever is in a cycle depends on all of it.
        let any = block.gates.clone().any(|gate| of(gate, &is_influenced));
        for gate in block.gates.clone() {
            let place = network.gate(gate).index();
            is_influenced[place] |= if block.is_component { any } else { of(gate, &is_influenced) };
        }
    }
    is_influenced
}

/// For each node whether it depends on a move, now or in an earlier step.
fn by_moves(network: &Network) -> Vec<bool> {
    let mut is_source = vec![false; network.node_count()];
    (0..network.moves()).for_each(|number| is_source[network.does(number).index()] = true);
    loop {
        let is_influenced = influenced(network, &is_source);
        let mut is_new = false;
        for fluent in 0..network.fluents() {
            let next = network.outputs.next[fluent].node().index();
            let place = network.fluent(fluent).index();
            if is_influenced[next] && !is_source[place] {
                (is_source[place], is_new) = (true, true);
            }
        }
        if !is_new {
            return is_influenced;
        }
    }
}

/// The fluents that no move influences, without those that never change.
pub(crate) fn clock(network: &Network) -> Clock {
    let is_moved = by_moves(network);
    let changes = groundrules_net::changes(network);
    let is_in = |&fluent: &usize| {
        !is_moved[network.fluent(fluent).index()] && changes[fluent] != groundrules_net::Changes::Never
    };
    let fluents: Vec<usize> = (0..network.fluents()).filter(is_in).collect();
    let course = course(network, &fluents);
    Clock { fluents, course }
}

/// The steps of a clock before it repeats, and its period.
fn course(network: &Network, fluents: &[usize]) -> Option<(usize, usize)> {
    if fluents.is_empty() {
        return Some((0, 1));
    }
    let mut state = network.init.clone();
    let mut seen: HashMap<Vec<bool>, usize> = HashMap::new();
    let longest = LONGEST_COURSE.min(MOST_GATES / network.gate_count().max(1));
    for step in 0..=longest {
        let own: Vec<bool> = fluents.iter().map(|&fluent| state[fluent]).collect();
        if let Some(&before) = seen.get(&own) {
            return Some((before, step - before));
        }
        seen.insert(own, step);
        let values = network.evaluate(|fluent| state[fluent], |_| false);
        for &fluent in fluents {
            state[fluent] = holds(network.outputs.next[fluent], &values);
        }
    }
    None
}

/// Fluents and moves that influence nothing: neither an end nor a goal nor a legal move, not even later. Both ascending.
pub(crate) fn irrelevant(network: &Network) -> (Vec<usize>, Vec<usize>) {
    let outputs = &network.outputs;
    let goals = outputs.goals.iter().map(|goal| goal.literal);
    let roots: Vec<Literal> = outputs.legal.iter().copied().chain([outputs.terminal]).chain(goals).collect();
    let mut is_needed = vec![false; network.node_count()];
    let mut stack: Vec<usize> = Vec::new();
    let mut need = |literal: Literal, stack: &mut Vec<usize>| {
        let place = literal.node().index();
        if !std::mem::replace(&mut is_needed[place], true) {
            stack.push(place);
        }
    };
    roots.into_iter().for_each(|literal| need(literal, &mut stack));
    while let Some(place) = stack.pop() {
        match network.kind(groundrules_net::NodeId(place as u32)) {
            NodeKind::Constant | NodeKind::Move(_) => {}
            NodeKind::Fluent(fluent) => need(outputs.next[fluent], &mut stack),
            NodeKind::Gate(gate) => {
                network.operands(gate).iter().for_each(|&operand| need(operand, &mut stack));
            }
        }
    }
    let fluents = (0..network.fluents()).filter(|&fluent| !is_needed[network.fluent(fluent).index()]);
    let moves = (0..network.moves()).filter(|&number| !is_needed[network.does(number).index()]);
    (fluents.collect(), moves.collect())
}

/// The parts of a game that have nothing to do with each other but clocks, and ends and goals at the top; those with moves, the largest
/// first.
pub(crate) fn subgames(network: &Network) -> Vec<Subgame> {
    let is_moved = by_moves(network);
    let mut sets = Sets::new(network.node_count());
    let outputs = &network.outputs;
    let mut joiner =
        Joiner { network, is_moved: &is_moved, sets: &mut sets, is_done: vec![false; is_moved.len()] };
    for fluent in 0..network.fluents() {
        let place = network.fluent(fluent).index();
        if is_moved[place] {
            joiner.join(place, outputs.next[fluent]);
        }
    }
    for number in 0..network.moves() {
        joiner.join(network.does(number).index(), outputs.legal[number]);
    }
    let goals = outputs.goals.iter().map(|goal| goal.literal);
    [outputs.terminal].into_iter().chain(goals).for_each(|literal| joiner.join_below_top(literal));
    let mut found: HashMap<usize, Subgame> = HashMap::new();
    for fluent in (0..network.fluents()).filter(|&fluent| is_moved[network.fluent(fluent).index()]) {
        let root = sets.root(network.fluent(fluent).index());
        found.entry(root).or_insert_with(Subgame::empty).fluents.push(fluent);
    }
    for number in 0..network.moves() {
        let root = sets.root(network.does(number).index());
        found.entry(root).or_insert_with(Subgame::empty).moves.push(number);
    }
    let mut parts: Vec<Subgame> =
        found.into_values().filter(|part| !part.fluents.is_empty() && !part.moves.is_empty()).collect();
    parts.sort_by_key(|part| (std::cmp::Reverse(part.fluents.len()), part.fluents[0]));
    parts
}

impl Subgame {
    fn empty() -> Self {
        Subgame { fluents: Vec::new(), moves: Vec::new() }
    }
}

/// Joins what depends on each other. What depends on the number of steps alone connects nothing.
struct Joiner<'a> {
    network: &'a Network,
    is_moved: &'a [bool],
    sets: &'a mut Sets,
    /// The gates whose operands are joined with them.
    is_done: Vec<bool>,
}

impl Joiner<'_> {
    /// Joins a node with everything that a literal depends on.
    fn join(&mut self, node: usize, literal: Literal) {
        let mut stack = vec![(node, literal)];
        while let Some((node, literal)) = stack.pop() {
            let place = literal.node().index();
            if !self.is_moved[place] {
                continue;
            }
            self.sets.join(node, place);
            if let NodeKind::Gate(gate) = self.network.kind(literal.node())
                && !std::mem::replace(&mut self.is_done[place], true)
            {
                stack.extend(self.network.operands(gate).iter().map(|&operand| (place, operand)));
            }
        }
    }

    /// Joins what each condition of an end or a goal depends on: the operands of its topmost gate, each by itself.
    fn join_below_top(&mut self, literal: Literal) {
        let mut top = literal;
        while let NodeKind::Gate(gate) = self.network.kind(top.node()) {
            let is_moved = |operand: &&Literal| self.is_moved[operand.node().index()];
            let operands: Vec<Literal> =
                self.network.operands(gate).iter().filter(is_moved).copied().collect();
            if let [only] = operands[..] {
                top = only;
                continue;
            }
            operands.into_iter().for_each(|operand| self.join(operand.node().index(), operand));
            return;
        }
    }
}

/// Sets of nodes that are joined.
struct Sets {
    parent: Vec<u32>,
}

impl Sets {
    fn new(count: usize) -> Self {
        Sets { parent: (0..count as u32).collect() }
    }

    fn root(&mut self, node: usize) -> usize {
        let mut at = node;
        while self.parent[at] as usize != at {
            let above = self.parent[self.parent[at] as usize];
            self.parent[at] = above;
            at = above as usize;
        }
        at
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.parent[one.max(other)] = one.min(other) as u32;
    }
}
