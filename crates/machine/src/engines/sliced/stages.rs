//! Cuts a circuit with loops into stages. Gates that depend on each other mean their least fixpoint, which lanes reach after
//! different numbers of rounds: begin with all of them false and repeat them until nothing changes in any lane. So a circuit
//! becomes a sequence: gates, a loop over the gates of some components, gates that use the results, and so on. What later
//! stages use is left in slots.

use std::collections::HashMap;

use groundrules_net::Kind;
use rustc_hash::FxHashMap;

use crate::index::index32;

use super::graph::{Graph, Literal, Node, Source};
use super::lower::Circuit;

/// What a gate of a component reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Reads {
    /// Another gate of the component.
    Member(usize),
    /// A value of the circuit around it.
    Outside(Literal),
}

/// The gates of a component.
pub(super) type Members = Vec<(Kind, Vec<Reads>)>;

/// A component that is repeated until nothing changes.
struct Loop {
    members: Members,
    /// The slot of the first gate's value; the others follow.
    first: u32,
}

/// The loops of a circuit.
#[derive(Default)]
pub(super) struct Loops {
    list: Vec<Loop>,
    known: HashMap<Members, u32>,
}

impl Loops {
    /// Adds a component; gives the values of its gates. `slots` is how many slots are taken.
    pub(super) fn add(&mut self, graph: &mut Graph, members: Members, slots: &mut u32) -> Vec<Literal> {
        let list = &mut self.list;
        let count = index32(members.len());
        let first = *self.known.entry(members).or_insert_with_key(|members| {
            list.push(Loop { members: members.clone(), first: *slots });
            *slots += count;
            *slots - count
        });
        (first..first + count).map(|slot| graph.input(Source::Slot(slot))).collect()
    }
}

/// A circuit of a sequence.
pub(super) struct Stage {
    pub(super) circuit: Circuit,
    /// If it is to be repeated: the slot that says in which lanes something changed.
    pub(super) repeat: Option<u32>,
}

/// Cuts a circuit into stages.
pub(super) fn cut(circuit: Circuit, loops: &Loops) -> Vec<Stage> {
    if loops.list.is_empty() {
        return vec![Stage { circuit, repeat: None }];
    }
    Cutting::new(circuit, loops).run()
}

struct Cutting<'l> {
    circuit: Circuit,
    loops: &'l [Loop],
    /// For each loop the stage after which it runs, if something needs it.
    levels: Vec<Option<usize>>,
    /// For each node whether it is needed, and the stage in which its value is made.
    needed: Vec<bool>,
    stage: Vec<usize>,
    /// The last stage.
    last: usize,
    /// The slots of values that other stages read.
    slots: FxHashMap<usize, u32>,
}

impl<'l> Cutting<'l> {
    fn new(circuit: Circuit, loops: &'l Loops) -> Self {
        let nodes = circuit.graph.len();
        let levels = vec![None; loops.list.len()];
        let (needed, stage) = (vec![false; nodes], vec![0; nodes]);
        Cutting { circuit, loops: &loops.list, levels, needed, stage, last: 0, slots: FxHashMap::default() }
    }

    fn run(mut self) -> Vec<Stage> {
        self.find_needed();
        self.find_stages();
        self.give_slots();
        let mut stages = Vec::new();
        for stage in 0..=self.last {
            let circuit = self.stage(stage);
            stages.push(Stage { circuit, repeat: None });
            if stage < self.last {
                stages.push(self.repeated(stage));
            }
        }
        // All stages of a sequence work in the same memory.
        for stage in &mut stages {
            stage.circuit.slots = self.circuit.slots;
        }
        stages
    }

    /// The loop whose value a node is.
    fn loop_of(&self, node: Node) -> Option<usize> {
        let Node::Input(Source::Slot(slot)) = node else { return None };
        let after = self.loops.partition_point(|it| it.first <= slot);
        let number = after.checked_sub(1)?;
        let Loop { members, first } = &self.loops[number];
        ((slot - first) as usize).lt(&members.len()).then_some(number)
    }

    fn find_needed(&mut self) {
        for &(_, literal) in &self.circuit.outputs {
            self.needed[literal.node()] = true;
        }
        for node in
            (0..self.needed.len()).rev().filter(|&node| self.circuit.graph.nodes()[node] != Node::False)
        {
            if !self.needed[node] {
                continue;
            }
            match self.circuit.graph.nodes()[node] {
                Node::And(a, b) | Node::Xor(a, b) => {
                    self.needed[a.node()] = true;
                    self.needed[b.node()] = true;
                }
                input => {
                    let Some(number) = self.loop_of(input) else { continue };
                    // What a loop reads was there before its values were.
                    self.levels[number] = Some(0);
                    outside(&self.loops[number]).for_each(|literal| self.needed[literal.node()] = true);
                }
            }
        }
    }

    fn find_stages(&mut self) {
        let mut is_leveled = vec![false; self.loops.len()];
        for node in 0..self.needed.len() {
            if !self.needed[node] {
                continue;
            }
            self.stage[node] = match self.circuit.graph.nodes()[node] {
                Node::And(a, b) | Node::Xor(a, b) => self.stage[a.node()].max(self.stage[b.node()]),
                input => match self.loop_of(input) {
                    Some(number) => {
                        if !std::mem::replace(&mut is_leveled[number], true) {
                            let reads =
                                outside(&self.loops[number]).map(|literal| self.stage[literal.node()]);
                            self.levels[number] = Some(reads.max().unwrap_or(0));
                        }
                        self.levels[number].unwrap_or(0) + 1
                    }
                    None => 0,
                },
            };
        }
        self.last = self.levels.iter().flatten().map(|level| level + 1).max().unwrap_or(0);
        // Random bits are made where they are first used.
        let mut first: FxHashMap<usize, usize> = FxHashMap::default();
        for node in (0..self.needed.len()).filter(|&node| self.needed[node]) {
            if let Node::And(a, b) | Node::Xor(a, b) = self.circuit.graph.nodes()[node] {
                for operand in [a.node(), b.node()] {
                    if let Node::Input(Source::Random(_)) = self.circuit.graph.nodes()[operand] {
                        let stage = first.entry(operand).or_insert(self.stage[node]);
                        *stage = self.stage[node].min(*stage);
                    }
                }
            }
        }
        first.into_iter().for_each(|(node, stage)| self.stage[node] = stage);
    }

    /// Gives slots to what is read in another stage, or by a loop.
    fn give_slots(&mut self) {
        let mut crossing: Vec<usize> = Vec::new();
        for node in (0..self.needed.len()).filter(|&node| self.needed[node]) {
            if let Node::And(a, b) | Node::Xor(a, b) = self.circuit.graph.nodes()[node] {
                crossing.extend(
                    [a, b].map(Literal::node).into_iter().filter(|&it| self.stage[it] < self.stage[node]),
                );
            }
        }
        let outputs = self.circuit.outputs.iter().map(|(_, literal)| literal.node());
        crossing.extend(outputs.filter(|&node| self.stage[node] < self.last));
        let loops = self.loops.iter().zip(&self.levels).filter(|(_, level)| level.is_some());
        crossing.extend(loops.flat_map(|(it, _)| outside(it)).map(Literal::node));
        crossing.sort_unstable();
        crossing.dedup();
        for node in crossing {
            if !matches!(self.circuit.graph.nodes()[node], Node::False | Node::Input(Source::Slot(_))) {
                let slot = self.new_slot();
                self.slots.insert(node, slot);
            }
        }
    }

    fn new_slot(&mut self) -> u32 {
        self.circuit.slots += 1;
        index32(self.circuit.slots - 1)
    }

    /// A value that an earlier stage left, as an input.
    fn left(&self, graph: &mut Graph, node: usize) -> Literal {
        match self.circuit.graph.nodes()[node] {
            Node::False => Literal::FALSE,
            Node::Input(source @ Source::Slot(_)) => graph.input(source),
            _ => graph.input(Source::Slot(self.slots[&node])),
        }
    }

    /// The gates of a stage.
    fn stage(&self, stage: usize) -> Circuit {
        let mut graph = Graph::new();
        let mut randoms = 0;
        let mut made: FxHashMap<usize, Literal> = FxHashMap::default();
        let mut outputs = Vec::new();
        for node in (0..self.needed.len()).filter(|&node| self.needed[node] && self.stage[node] == stage) {
            let literal = match self.circuit.graph.nodes()[node] {
                Node::False | Node::Input(Source::Slot(_)) => continue,
                Node::Input(Source::Random(_)) => {
                    randoms += 1;
                    graph.input(Source::Random(randoms - 1))
                }
                gate @ (Node::And(a, b) | Node::Xor(a, b)) => {
                    let mut value = |literal: Literal| {
                        let known = made.get(&literal.node()).copied();
                        let value = known.unwrap_or_else(|| self.left(&mut graph, literal.node()));
                        value.complement_if(literal.is_complemented())
                    };
                    let (a, b) = (value(a), value(b));
                    if matches!(gate, Node::And(..)) { graph.and(a, b) } else { graph.xor(a, b) }
                }
            };
            made.insert(node, literal);
            outputs.extend(self.slots.get(&node).map(|&slot| (slot, literal)));
        }
        if stage == self.last {
            for &(slot, literal) in &self.circuit.outputs {
                let known = made.get(&literal.node()).copied();
                let value = known.unwrap_or_else(|| self.left(&mut graph, literal.node()));
                outputs.push((slot, value.complement_if(literal.is_complemented())));
            }
        }
        for (it, _) in self.loops.iter().zip(&self.levels).filter(|(_, level)| **level == Some(stage)) {
            outputs.extend((0..it.members.len() as u32).map(|place| (it.first + place, Literal::FALSE)));
        }
        Circuit { graph, outputs, slots: self.circuit.slots, randoms: randoms as usize }
    }

    /// One round of the loops that run after a stage: forwards and backwards through the gates, since what spreads may spread
    /// either way.
    fn repeated(&mut self, stage: usize) -> Stage {
        let changed_slot = self.new_slot();
        let mut graph = Graph::new();
        let mut outputs = Vec::new();
        let mut changed = Vec::new();
        for (it, _) in self.loops.iter().zip(&self.levels).filter(|(_, level)| **level == Some(stage)) {
            let slots = it.first..it.first + it.members.len() as u32;
            let old: Vec<Literal> = slots.clone().map(|slot| graph.input(Source::Slot(slot))).collect();
            let mut values = old.clone();
            for member in (0..values.len()).chain((0..values.len() - 1).rev()) {
                let (kind, reads) = &it.members[member];
                let mut operands = Vec::with_capacity(reads.len());
                for read in reads {
                    operands.push(match *read {
                        Reads::Member(other) => values[other],
                        Reads::Outside(literal) => {
                            self.left(&mut graph, literal.node()).complement_if(literal.is_complemented())
                        }
                    });
                }
                values[member] = match kind {
                    Kind::And => graph.and_all(&operands),
                    Kind::Or => graph.or_all(&operands),
                };
            }
            changed.extend(old.iter().zip(&values).map(|(&old, &new)| graph.and(new, !old)));
            outputs.extend(slots.zip(values));
        }
        outputs.push((changed_slot, graph.or_all(&changed)));
        let circuit = Circuit { graph, outputs, slots: self.circuit.slots, randoms: 0 };
        Stage { circuit, repeat: Some(changed_slot) }
    }
}

/// What a loop reads from around it.
fn outside(it: &Loop) -> impl Iterator<Item = Literal> {
    it.members.iter().flat_map(|(_, reads)| reads).filter_map(|read| match read {
        Reads::Outside(literal) => Some(*literal),
        Reads::Member(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::options::Options;
    use super::super::plan::Purpose;
    use super::super::shape;
    use groundrules_gdl::read;
    use groundrules_net::{Network, simplify};

    #[test]
    fn long_cycles_become_loops() {
        let text = "(role r) (i 1) (i 2) (i 3) (i 4) (i 5) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
            (<= (beside ?a ?b) (succ ?a ?b)) (<= (beside ?a ?b) (succ ?b ?a))
            (<= (near ?x ?y ?u ?y) (i ?y) (beside ?x ?u)) (<= (near ?x ?y ?x ?v) (i ?x) (beside ?y ?v))
            (<= (legal r (mark ?x ?y)) (i ?x) (i ?y) (not (true (stone ?x ?y))))
            (<= (next (stone ?x ?y)) (does r (mark ?x ?y))) (<= (next (stone ?x ?y)) (true (stone ?x ?y)))
            (<= (reached 1 ?y) (true (stone 1 ?y)))
            (<= (reached ?u ?v) (reached ?x ?y) (near ?x ?y ?u ?v) (true (stone ?u ?v)))
            (<= terminal (reached 5 ?y)) (goal r 100)";
        let game = read(text.as_bytes(), &groundrules_gdl::Options::default()).game.expect("valid");
        let ground =
            groundrules_ground::ground(&game, &groundrules_ground::Options::default()).expect("small");
        let network = Network::of(&ground).expect("stratified");
        let (network, _) = simplify(&network, &groundrules_net::Options::default());
        let (plan, _) = shape::plan(&network, &Options::default(), Purpose::Playouts).expect("small");
        assert!(plan.parts.iter().any(|part| part.repeat.is_some()), "{}", plan.summary());
        assert!(plan.gates() < 2000, "{}", plan.summary());
    }
}
