//! Random legal play on the circuit, 256 matches at a time: one lane a match. It finds violations that are not hidden, lines to
//! goals, states that come again, and samples of states from which invariants are guessed.

use std::ops::Range;

use groundrules_gdl::index::index32;
use groundrules_net::{Kind, Literal};
use rustc_hash::FxHashMap;

use crate::circuit::{Circuit, Node};

/// Joint moves, one move for each role in order, by the ground game's numbers.
pub type Line = Vec<Vec<u32>>;

pub(crate) const WORDS: usize = 4;
pub(crate) const LANES: usize = 64 * WORDS;

/// One bit for each match.
pub(crate) type Lanes = [u64; WORDS];

/// A match that goes on for longer begins again.
const LONGEST: usize = 3000;

/// The most samples that are kept of each latch, in bits.
const MOST_SAMPLES: usize = 1 << 13;

/// Gates that are evaluated together.
struct Block {
    nodes: Range<usize>,
    is_component: bool,
}

/// Matches that are played side by side.
pub(crate) struct Playouts<'c> {
    circuit: &'c Circuit,
    values: Vec<Lanes>,
    /// The gates that no move decides, and the others.
    before: Vec<Block>,
    after: Vec<Block>,
    movers: Vec<Vec<usize>>,
    random: u64,
    lines: Vec<Line>,
    /// For each match the hash of its state, and when each hash was seen.
    hashes: Vec<u64>,
    seen: Vec<FxHashMap<u64, usize>>,
    /// For each latch its value in the sampled states.
    samples: Vec<Vec<u64>>,
    steps: usize,
    /// Whether states that come again are looked for.
    remembers: bool,
}

impl<'c> Playouts<'c> {
    /// Matches that do not tell when a state comes again.
    pub(crate) fn without_memory(circuit: &'c Circuit, seed: u64) -> Self {
        Playouts { remembers: false, ..Playouts::new(circuit, seed) }
    }

    pub(crate) fn new(circuit: &'c Circuit, seed: u64) -> Self {
        let (before, after) = blocks(circuit);
        let mut playouts = Playouts {
            circuit,
            values: vec![[0; WORDS]; circuit.node_count()],
            before,
            after,
            movers: (0..circuit.roles).map(|role| circuit.inputs_of(role).collect()).collect(),
            random: seed,
            lines: vec![Vec::new(); LANES],
            hashes: vec![0; LANES],
            seen: vec![FxHashMap::from_iter([(0, 0)]); LANES],
            samples: vec![Vec::new(); circuit.latch_count()],
            steps: 0,
            remembers: true,
        };
        for latch in 0..circuit.latch_count() {
            let value = if circuit.init()[latch] { u64::MAX } else { 0 };
            playouts.values[circuit.latch_literal(latch).node().index()] = [value; WORDS];
        }
        playouts.see();
        playouts
    }

    fn random(&mut self) -> u64 {
        // SplitMix64.
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.random;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^ (word >> 31)
    }

    /// The matches where a literal that no move decides holds.
    pub(crate) fn lanes(&self, literal: Literal) -> Lanes {
        lanes(&self.values, literal)
    }

    /// The moves of a match so far.
    pub(crate) fn line(&self, lane: usize) -> &Line {
        &self.lines[lane]
    }

    /// The state of a match now.
    pub(crate) fn state(&self, lane: usize) -> Vec<bool> {
        let holds = |latch| bit(&self.values[self.circuit.latch_literal(latch).node().index()], lane);
        (0..self.circuit.latch_count()).map(holds).collect()
    }

    /// Whether a match is over.
    pub(crate) fn is_over(&self, lane: usize) -> bool {
        bit(&self.lanes(self.circuit.terminal), lane)
    }

    /// For each latch its values in the sampled states, and how many there are.
    pub(crate) fn samples(&self) -> (&[Vec<u64>], usize) {
        (&self.samples, self.samples.first().map_or(0, |words| words.len() * 64))
    }

    fn see(&mut self) {
        evaluate(self.circuit, &self.before, &mut self.values);
    }

    /// Keeps the current states as samples, as long as there is room.
    pub(crate) fn sample(&mut self) {
        if self.samples.first().is_some_and(|words| words.len() * 64 < MOST_SAMPLES) {
            for (latch, words) in self.samples.iter_mut().enumerate() {
                words.extend(self.values[self.circuit.latch_literal(latch).node().index()]);
            }
        }
    }

    /// Makes a random joint move in every match; matches that are over begin again. Gives a match whose state has come before,
    /// and when.
    pub(crate) fn advance(&mut self) -> Option<(usize, usize)> {
        let over = self.over();
        let joints = self.choose(&over);
        evaluate(self.circuit, &self.after, &mut self.values);
        self.enter_next(&over);
        let mut again = None;
        for (lane, joint) in joints.into_iter().enumerate() {
            if bit(&over, lane) {
                self.lines[lane].clear();
                self.seen[lane].clear();
                self.seen[lane].insert(self.hashes[lane], 0);
                continue;
            }
            self.lines[lane].push(joint);
            if !self.remembers {
                continue;
            }
            let length = self.lines[lane].len();
            if let Some(first) = self.seen[lane].insert(self.hashes[lane], length) {
                again = again.or(Some((lane, first)));
            }
        }
        self.steps += 1;
        self.see();
        again
    }

    /// The states after random legal joint moves from one state, which need not be one that play can reach: for each latch a bit for each
    /// move. Nothing if there is no legal joint move. The matches are lost.
    pub(crate) fn spread(&mut self, state: &[bool]) -> Option<Vec<Vec<u64>>> {
        for (latch, &value) in state.iter().enumerate() {
            let node = self.circuit.latch_literal(latch).node().index();
            self.values[node] = [if value { u64::MAX } else { 0 }; WORDS];
        }
        self.see();
        if self.over() != [0; WORDS] {
            return None;
        }
        self.choose(&[0; WORDS]);
        evaluate(self.circuit, &self.after, &mut self.values);
        let next = (0..self.circuit.latch_count()).map(|latch| self.lanes(self.circuit.next(latch)).to_vec());
        Some(next.collect())
    }

    /// The hash of the state of a match. States that differ may have the same.
    pub(crate) fn hash(&self, lane: usize) -> u64 {
        self.hashes[lane]
    }

    /// Every match becomes a copy of the one whose number is given. What came before is forgotten with the lines that led there.
    pub(crate) fn copy(&mut self, from: &[usize]) {
        for latch in 0..self.circuit.latch_count() {
            let node = self.circuit.latch_literal(latch).node().index();
            let old = self.values[node];
            if old == [0; WORDS] || old == [u64::MAX; WORDS] {
                continue;
            }
            let mut new = [0; WORDS];
            for (lane, &source) in from.iter().enumerate() {
                new[lane / 64] |= u64::from(bit(&old, source)) << (lane % 64);
            }
            self.values[node] = new;
        }
        self.lines = from.iter().map(|&lane| self.lines[lane].clone()).collect();
        self.hashes = from.iter().map(|&lane| self.hashes[lane]).collect();
        self.see();
    }

    /// For each latch the matches in which it holds now.
    pub(crate) fn latches(&self) -> Vec<Lanes> {
        (0..self.circuit.latch_count()).map(|latch| self.lanes(self.circuit.latch_literal(latch))).collect()
    }

    /// The matches that cannot go on.
    pub(crate) fn over(&self) -> Lanes {
        let mut over = self.lanes(self.circuit.terminal);
        for inputs in &self.movers {
            let mut can = [0; WORDS];
            for &input in inputs {
                let legal = self.lanes(self.circuit.legal[input]);
                (0..WORDS).for_each(|word| can[word] |= legal[word]);
            }
            (0..WORDS).for_each(|word| over[word] |= !can[word]);
        }
        for lane in 0..LANES {
            if self.lines[lane].len() >= LONGEST {
                over[lane / 64] |= 1 << (lane % 64);
            }
        }
        over
    }

    /// Draws a legal move for each role in each match that goes on.
    fn choose(&mut self, over: &Lanes) -> Vec<Vec<u32>> {
        let mut joints = vec![Vec::new(); LANES];
        for role in 0..self.circuit.roles {
            let (mut count, mut chosen) = (vec![0u32; LANES], vec![0usize; LANES]);
            for place in 0..self.movers[role].len() {
                let input = self.movers[role][place];
                let legal = self.lanes(self.circuit.legal[input]);
                for word in 0..WORDS {
                    let mut left = legal[word] & !over[word];
                    while left != 0 {
                        let lane = word * 64 + left.trailing_zeros() as usize;
                        left &= left - 1;
                        count[lane] += 1;
                        if count[lane] == 1 || self.random().is_multiple_of(u64::from(count[lane])) {
                            chosen[lane] = input;
                        }
                    }
                }
                self.values[self.circuit.input_literal(input).node().index()] = [0; WORDS];
            }
            for lane in (0..LANES).filter(|&lane| !bit(over, lane)) {
                let node = self.circuit.input_literal(chosen[lane]).node().index();
                self.values[node][lane / 64] |= 1 << (lane % 64);
                joints[lane].push(index32(chosen[lane], "inputs"));
            }
        }
        joints
    }

    /// Goes to the next states; matches that are over go to the first one. Keeps the hashes up to date.
    fn enter_next(&mut self, over: &Lanes) {
        let next: Vec<Lanes> =
            (0..self.circuit.latch_count()).map(|latch| self.lanes(self.circuit.next(latch))).collect();
        for (latch, mut next) in next.into_iter().enumerate() {
            let first = self.circuit.init()[latch];
            let node = self.circuit.latch_literal(latch).node().index();
            let code = (latch as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let code = (code ^ (code >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            for word in 0..WORDS {
                next[word] = next[word] & !over[word] | if first { over[word] } else { 0 };
                let mut changed = next[word] ^ self.values[node][word];
                while changed != 0 {
                    self.hashes[word * 64 + changed.trailing_zeros() as usize] ^= code;
                    changed &= changed - 1;
                }
            }
            self.values[node] = next;
        }
    }
}

/// The numbers of the lanes that are set.
pub(crate) fn numbers(lanes: &Lanes) -> impl Iterator<Item = usize> {
    (0..LANES).filter(|&lane| bit(lanes, lane))
}

pub(crate) fn bit(lanes: &Lanes, lane: usize) -> bool {
    lanes[lane / 64] >> (lane % 64) & 1 == 1
}

fn lanes(values: &[Lanes], literal: Literal) -> Lanes {
    let value = values[literal.node().index()];
    if literal.is_complemented() { value.map(|word| !word) } else { value }
}

fn evaluate(circuit: &Circuit, blocks: &[Block], values: &mut [Lanes]) {
    for block in blocks {
        if block.is_component {
            block.nodes.clone().for_each(|node| values[node] = [0; WORDS]);
        }
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for node in block.nodes.clone() {
                let id = groundrules_net::NodeId(node as u32);
                let Node::Gate(kind, ..) = circuit.node(id) else { continue };
                let start = if kind == Kind::And { [u64::MAX; WORDS] } else { [0; WORDS] };
                let value = circuit.operands(id).iter().fold(start, |mut all, &operand| {
                    let one = lanes(values, operand);
                    match kind {
                        Kind::And => (0..WORDS).for_each(|word| all[word] &= one[word]),
                        Kind::Or => (0..WORDS).for_each(|word| all[word] |= one[word]),
                    }
                    all
                });
                changed |= block.is_component && values[node] != value;
                values[node] = value;
            }
        }
    }
}

/// The gates that no move decides, then those that one does.
fn blocks(circuit: &Circuit) -> (Vec<Block>, Vec<Block>) {
    let mut waits = vec![false; circuit.node_count()];
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let mut node = 0;
    while node < circuit.node_count() {
        let id = groundrules_net::NodeId(node as u32);
        let component = circuit.component_of(id).map(|range| range.start as usize..range.end as usize);
        let is_component = component.is_some();
        let nodes = component.unwrap_or(node..node + 1);
        node = nodes.end;
        match circuit.node(id) {
            Node::Constant | Node::Latch(_) => continue,
            Node::Input(_) => {
                waits[nodes.start] = true;
                continue;
            }
            Node::Gate(..) => {}
        }
        let operands = nodes.clone().flat_map(|gate| circuit.operands(groundrules_net::NodeId(gate as u32)));
        let is_waiting = operands.clone().any(|operand| waits[operand.node().index()]);
        nodes.clone().for_each(|gate| waits[gate] = is_waiting);
        let block = Block { nodes, is_component };
        if is_waiting { after.push(block) } else { before.push(block) }
    }
    (before, after)
}
