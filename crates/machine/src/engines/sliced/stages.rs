//! Cuts a circuit with loops into stages. Gates that depend on each other mean their least fixpoint, which lanes reach after
//! different numbers of rounds: begin with all of them false and repeat them until nothing changes in any lane. Where a match can only make
//! more of them true, they need not begin anew in every step: they go on from what they were, which lies below the least fixpoint. So a circuit
//! becomes a sequence: gates, a loop over the gates of some components, gates that use the results, and so on. What later
//! stages use is left in slots.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use groundrules_net::{Changes, Kind};
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
    members: Vec<Member>,
    /// The slot of the first member's value; the others follow.
    first: u32,
    /// Whether the members go on from what their slots hold. Otherwise they begin with none of them true.
    is_kept: bool,
}

/// A gate of a loop, over conjunctions: a disjunction of them, or their conjunction.
struct Member {
    kind: Kind,
    terms: Vec<Vec<Reads>>,
}

impl Member {
    /// Its value, given those of all members. Of a disjunction, terms that have the same condition from around the loop share it.
    fn value(&self, graph: &mut Graph, read: &mut dyn FnMut(&mut Graph, Reads) -> Literal) -> Literal {
        let mut conjunctions: Vec<(Vec<Literal>, Vec<Literal>)> = Vec::new();
        for term in &self.terms {
            let (mut condition, mut rest) = (Vec::new(), Vec::new());
            for &reads in term {
                let literal = read(graph, reads);
                match reads {
                    Reads::Outside(_) => condition.push(literal),
                    Reads::Member(_) => rest.push(literal),
                }
            }
            condition.sort_unstable();
            let rest = graph.and_all(&rest);
            match conjunctions.iter_mut().find(|(known, _)| self.kind == Kind::Or && *known == condition) {
                Some((_, others)) => others.push(rest),
                None => conjunctions.push((condition, vec![rest])),
            }
        }
        let terms: Vec<Literal> = conjunctions
            .into_iter()
            .map(|(mut condition, rests)| {
                condition.push(graph.or_all(&rests));
                graph.and_all(&condition)
            })
            .collect();
        match self.kind {
            Kind::And => graph.and_all(&terms),
            Kind::Or => graph.or_all(&terms),
        }
    }
}

/// Which conjunctions of a component are part of the disjunction that alone needs them: those that read no other conjunction.
fn inlined(members: &Members) -> Vec<bool> {
    let mut readers = vec![Vec::new(); members.len()];
    for (reader, (_, reads)) in members.iter().enumerate() {
        for read in reads {
            if let Reads::Member(member) = *read {
                readers[member].push(reader);
            }
        }
    }
    let is_disjunction = |member: usize| members[member].0 == Kind::Or;
    let is_plain = |read: &Reads| match *read {
        Reads::Member(member) => is_disjunction(member),
        Reads::Outside(_) => true,
    };
    let inlined = |(member, (kind, reads)): (usize, &(Kind, Vec<Reads>))| {
        *kind == Kind::And
            && matches!(readers[member][..], [reader] if is_disjunction(reader))
            && reads.iter().all(is_plain)
    };
    members.iter().enumerate().map(inlined).collect()
}

/// The loops of a circuit.
#[derive(Default)]
pub(super) struct Loops {
    list: Vec<Loop>,
    known: HashMap<Members, u32>,
    /// Slots that last, for loops that go on from what they found in the step before.
    kept: Range<u32>,
    /// How each fluent can change, if loops may go on.
    changes: Option<Rc<[Changes]>>,
}

impl Loops {
    /// Loops of which those that only grow may go on from these slots.
    pub(super) fn keeping(kept: Range<u32>, changes: Option<Rc<[Changes]>>) -> Loops {
        Loops { kept, changes, ..Loops::default() }
    }

    /// How each fluent can change, if loops may go on.
    pub(super) fn changes(&self) -> Option<&[Changes]> {
        self.changes.as_deref()
    }

    /// The slots that are left for loops that go on.
    pub(super) fn left(&self) -> Range<u32> {
        self.kept.clone()
    }

    /// Adds a component; gives the values of its gates. `slots` is how many slots are taken. One that `grows` in the course of a
    /// match goes on from what it was, if there are slots for that.
    pub(super) fn add(
        &mut self,
        graph: &mut Graph,
        members: &Members,
        grows: bool,
        slots: &mut u32,
    ) -> Vec<Literal> {
        let inlined = inlined(members);
        let numbers: Vec<usize> = inlined
            .iter()
            .scan(0, |next, &inlined| {
                *next += usize::from(!inlined);
                Some(*next - usize::from(!inlined))
            })
            .collect();
        let first = match self.known.get(members) {
            Some(&first) => first,
            None => {
                let reduced = reduced(members, &inlined, &numbers);
                let count = index32(reduced.len());
                let is_kept = grows && self.kept.len() >= reduced.len();
                let free = if is_kept { &mut self.kept.start } else { slots };
                let first = *free;
                *free += count;
                self.list.push(Loop { members: reduced, first, is_kept });
                self.known.insert(members.clone(), first);
                first
            }
        };
        let slot = |member: usize| Source::Slot(first + index32(numbers[member]));
        let mut value = |member: usize| {
            if !inlined[member] {
                return graph.input(slot(member));
            }
            let reads = members[member].1.iter().map(|read| match *read {
                Reads::Member(other) => graph.input(slot(other)),
                Reads::Outside(literal) => literal,
            });
            let reads: Vec<Literal> = reads.collect();
            graph.and_all(&reads)
        };
        (0..members.len()).map(&mut value).collect()
    }
}

/// The members of a loop, with others part of them, in new numbers.
fn reduced(members: &Members, inlined: &[bool], numbers: &[usize]) -> Vec<Member> {
    let renumbered = |read: &Reads| match *read {
        Reads::Member(member) => Reads::Member(numbers[member]),
        outside @ Reads::Outside(_) => outside,
    };
    let term = |read: &Reads| match *read {
        Reads::Member(member) if inlined[member] => members[member].1.iter().map(renumbered).collect(),
        _ => vec![renumbered(read)],
    };
    let own = members.iter().zip(inlined).filter(|(_, inlined)| !**inlined);
    own.map(|((kind, reads), _)| Member { kind: *kind, terms: reads.iter().map(term).collect() }).collect()
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
    /// The loop whose value is in a slot.
    owners: FxHashMap<u32, usize>,
}

impl<'l> Cutting<'l> {
    fn new(circuit: Circuit, loops: &'l Loops) -> Self {
        let nodes = circuit.graph.len();
        let levels = vec![None; loops.list.len()];
        let (needed, stage) = (vec![false; nodes], vec![0; nodes]);
        let slots = |it: &Loop| it.first..it.first + index32(it.members.len());
        let owners = loops.list.iter().enumerate();
        let owners = owners.flat_map(|(number, it)| slots(it).map(move |slot| (slot, number))).collect();
        let slots = FxHashMap::default();
        Cutting { circuit, loops: &loops.list, levels, needed, stage, last: 0, slots, owners }
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
        self.owners.get(&slot).copied()
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
        let begins = |(it, level): &(&Loop, &Option<usize>)| **level == Some(stage) && !it.is_kept;
        for (it, _) in self.loops.iter().zip(&self.levels).filter(begins) {
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
                let mut read = |graph: &mut Graph, read: Reads| match read {
                    Reads::Member(other) => values[other],
                    Reads::Outside(literal) => {
                        self.left(graph, literal.node()).complement_if(literal.is_complemented())
                    }
                };
                let value = it.members[member].value(&mut graph, &mut read);
                values[member] = value;
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
    it.members.iter().flat_map(|member| &member.terms).flatten().filter_map(|read| match read {
        Reads::Outside(literal) => Some(*literal),
        Reads::Member(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::options::Options;
    use super::super::plan::{Part, Purpose};
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
        // Stones stay, so what is reached stays reached, and the loop goes on from it.
        let kept = &plan.layout.kept[0];
        let repeated = || plan.parts.iter().filter(|part| part.repeat.is_some());
        let is_kept = |part: &Part| part.gates.stores.iter().any(|store| kept.contains(&store.slot));
        assert!(repeated().any(is_kept), "{}", plan.summary());
        // One value for each square but those of the first row, and whether something changed.
        assert!(repeated().all(|part| part.gates.stores.len() <= 26), "{}", plan.summary());
    }
}
