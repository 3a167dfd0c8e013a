//! A stretch of play as one circuit: one or more random steps of all lanes, and perhaps the scoring of those that are done.
//!
//! A step makes a random joint move in every lane that is in its phase, not done, and lucky. All other lanes stay as they
//! are: fluents that only moves change do so by themselves, since no move is made there, and for the others the old value is
//! chosen.

use std::rc::Rc;

use groundrules_net::{Changes, Literal as Wanted, Network};

use crate::index::index32;

use super::choice::{Choice, Randoms};
use super::graph::{Graph, Literal, Source};
use super::layout::Layout;
use super::lower::Circuit;
use super::made::Made;
use super::options::Method;
use super::phases::Phases;
use super::preferences;
use super::stages::{Loops, Stage, cut};
use super::writer::Writer;

/// What a segment is made from.
pub(super) struct Material<'m> {
    pub(super) network: &'m Network,
    pub(super) phases: &'m Phases,
    /// For each phase the network of its steps; `network` is for the scoring.
    pub(super) steps: &'m [Network],
    pub(super) layout: &'m Layout,
    /// How each role chooses.
    pub(super) methods: &'m [Method],
    /// Whether the moves made are left in slots, too.
    pub(super) recorded: bool,
    /// Whether moves are preferred to others, as slots behind the lasting ones tell.
    pub(super) guided: bool,
    /// How each fluent can change, if loops may go on from what they found in the step before.
    pub(super) changes: Option<Rc<[Changes]>>,
}

/// The slots behind the lasting ones in which a segment leaves what happened.
#[derive(Clone, Debug, Default)]
pub(super) struct Results {
    /// For each step the lanes that made a move.
    pub(super) moved: Vec<u32>,
    /// For each step and move the lanes that made it, if that is recorded.
    pub(super) made: Vec<Vec<u32>>,
    /// What the scoring found, if there was one.
    pub(super) score: Option<Score>,
}

/// What a scoring found.
#[derive(Clone, Debug)]
pub(super) struct Score {
    /// Lanes that are done and begin again.
    pub(super) finished: u32,
    /// For each role the lanes that ended because it had no move; `None` if there can be none.
    pub(super) stuck: Vec<Option<u32>>,
    /// For each goal the lanes that ended with it.
    pub(super) goals: Vec<(usize, i32, u32)>,
    /// Lanes that ended where some role has not exactly one goal; `None` if there can be none.
    pub(super) unsound: Option<u32>,
}

/// A segment as it is built.
pub(super) struct Segment<'m> {
    material: &'m Material<'m>,
    graph: Graph,
    /// What each lasting slot holds at this point.
    current: Vec<Literal>,
    randoms: Randoms,
    outputs: Vec<(u32, Literal)>,
    slots: u32,
    loops: Loops,
    /// The lanes that the scoring began again.
    scored: Literal,
    results: Results,
}

impl<'m> Segment<'m> {
    pub(super) fn new(material: &'m Material<'m>) -> Self {
        let mut graph = Graph::new();
        let lasting = index32(material.layout.lasting);
        let slots = if material.guided {
            preferences::end(material.layout, material.network.moves())
        } else {
            lasting
        };
        let current = (0..lasting).map(|slot| graph.input(Source::Slot(slot))).collect();
        let (randoms, results) = (Randoms { used: 0 }, Results::default());
        let loops = Loops::default();
        let scored = Literal::FALSE;
        Segment { material, graph, current, randoms, outputs: Vec::new(), slots, loops, scored, results }
    }

    /// A segment of one phase, whose loops may go on from what they found when the phase was last run.
    pub(super) fn of_phase(material: &'m Material<'m>, phase: usize) -> Self {
        let kept = material.layout.kept[phase].clone();
        Segment { loops: Loops::keeping(kept, material.changes.clone()), ..Segment::new(material) }
    }

    /// Where the slots end that loops of the segment keep.
    pub(super) fn kept_end(&self) -> u32 {
        self.loops.left().start
    }

    /// Lanes that were scored begin again, and with them what a loop kept.
    pub(super) fn forget(&mut self, slot: u32) {
        let finished = self.scored;
        let now = self.at(slot);
        let value = self.graph.and(now, !finished);
        self.set(slot, value);
    }

    /// The circuits in their order, and where the last one leaves what happened; `None` if there are too many nodes.
    pub(super) fn finish(mut self) -> Option<(Vec<Stage>, Results)> {
        if self.graph.is_full() {
            return None;
        }
        let lasting = self.current.iter().enumerate();
        self.outputs.extend(lasting.map(|(slot, &value)| (index32(slot), value)));
        let circuit = Circuit {
            graph: self.graph,
            outputs: self.outputs,
            slots: self.slots as usize,
            randoms: self.randoms.used as usize,
        };
        Some((cut(circuit, &self.loops), self.results))
    }

    /// Writes what some literals need.
    fn write(&mut self, writer: &mut Writer<'_>, wanted: &[Wanted]) -> Vec<Literal> {
        writer.write_with(&mut self.graph, wanted, Some((&mut self.loops, &mut self.slots)))
    }

    /// The slot in which a value is left; equal ones share it.
    fn output(&mut self, value: Literal) -> u32 {
        if let Some(&(slot, _)) = self.outputs.iter().rev().take(64).find(|(_, known)| *known == value) {
            return slot;
        }
        self.outputs.push((self.slots, value));
        self.slots += 1;
        self.slots - 1
    }

    fn at(&self, slot: u32) -> Literal {
        self.current[slot as usize]
    }

    fn set(&mut self, slot: u32, value: Literal) {
        self.current[slot as usize] = value;
    }

    /// The fluents, as far as a phase knows them by itself.
    fn fluents(&self, phase: Option<usize>) -> Vec<Literal> {
        let Material { phases, layout, .. } = self.material;
        let known = |fluent: usize| match phase {
            Some(phase) => phases.known[phase][fluent],
            None => None,
        };
        let value = |(fluent, slot): (usize, &Option<u32>)| match (known(fluent), slot) {
            (Some(value), _) => Literal::constant(value),
            (None, Some(slot)) => self.at(*slot),
            // Not stored: the same in all phases, or nothing that is asked for rests on it.
            (None, None) => Literal::constant(phases.known[0][fluent].unwrap_or(false)),
        };
        layout.fluents.iter().enumerate().map(value).collect()
    }

    /// A random step of the lanes that are in a phase.
    pub(super) fn step(&mut self, phase: usize) {
        let (network, layout) = (&self.material.steps[phase], self.material.layout);
        let state = self.fluents(Some(phase));
        let mut writer = Writer::new(network, &state);
        let over = self.write(&mut writer, &[network.outputs.terminal])[0];
        let active = self.active(phase);
        let open = self.graph.and(active, !over);
        let choices = self.choices(network, &mut writer);
        let (go, stuck) = self.ready(open, &choices);
        let ended = self.graph.and(active, over);
        let ended = stuck.iter().fold(ended, |ended, &stuck| self.graph.or(ended, stuck));
        let done = self.at(layout.done);
        let done = self.graph.or(done, ended);
        self.set(layout.done, done);
        for (role, &stuck) in stuck.iter().enumerate() {
            let all = self.graph.or(self.current[layout.stuck[role] as usize], stuck);
            self.set(layout.stuck[role], all);
        }
        if let Some(&slot) = layout.waiting.get(phase) {
            let unlucky = self.graph.and(active, !go);
            let unlucky = self.graph.and(unlucky, !ended);
            self.set(slot, unlucky);
        }
        self.advance(network, &state, &writer, &choices, go);
        let moved = self.output(go);
        self.results.moved.push(moved);
    }

    /// The lanes that are in a phase and not done.
    fn active(&mut self, phase: usize) -> Literal {
        let layout = self.material.layout;
        let mut held = vec![self.at(layout.done)];
        let others =
            layout.waiting.iter().enumerate().filter(|&(other, _)| other != phase).map(|(_, slot)| slot);
        held.extend(others.chain(layout.held.iter()).map(|slot| self.at(*slot)));
        !self.graph.or_all(&held)
    }

    /// Each role's moves with what prepares the choice among them.
    fn choices(&mut self, network: &Network, writer: &mut Writer<'_>) -> Vec<(Vec<usize>, Choice)> {
        let methods = self.material.methods;
        let mut choices = Vec::new();
        for (role, moves) in moves_by_role(network).into_iter().enumerate() {
            let wanted: Vec<_> = moves.iter().map(|&number| network.outputs.legal[number]).collect();
            let legal = self.write(writer, &wanted);
            let words: Vec<&[u32]> = moves.iter().map(|&number| &*network.words[number]).collect();
            let eligible = self.eligible(&moves, &legal);
            let legal = (&legal[..], &eligible[..]);
            let choice = Choice::prepare(&mut self.graph, legal, &words, methods[role], &mut self.randoms);
            choices.push((moves, choice));
        }
        choices
    }

    /// Where each move of a role may be chosen.
    fn eligible(&mut self, moves: &[usize], legal: &[Literal]) -> Vec<Literal> {
        if !self.material.guided {
            return legal.to_vec();
        }
        preferences::eligible(&mut self.graph, self.material.layout, moves, legal)
    }

    /// The lanes that make a move, and for each role those in which it is the first without one.
    fn ready(&mut self, open: Literal, choices: &[(Vec<usize>, Choice)]) -> (Literal, Vec<Literal>) {
        let mut wanted = vec![open];
        let mut stuck = Vec::new();
        let mut possible = open;
        for (_, choice) in choices {
            stuck.push(self.graph.and(possible, !choice.possible));
            possible = self.graph.and(possible, choice.possible);
            wanted.push(if choice.is_drawn() { choice.lucky } else { choice.possible });
        }
        (self.graph.and_all(&wanted), stuck)
    }

    /// Makes the moves where `go` holds.
    fn advance(
        &mut self,
        network: &Network,
        state: &[Literal],
        writer: &Writer<'_>,
        choices: &[(Vec<usize>, Choice)],
        go: Literal,
    ) {
        let layout = self.material.layout;
        let (mut made, mut unmade) = (Made::none(network.moves()), Made::none(network.moves()));
        for (moves, choice) in choices {
            choice.select(&mut self.graph, go).make(moves, &mut made);
            if !choice.is_drawn() {
                choice.select(&mut self.graph, go).make(moves, &mut unmade);
            }
        }
        if self.material.recorded {
            // The only move of a role is taken as made everywhere; what is recorded is what lanes did.
            let slots = (0..network.moves()).map(|number| {
                let literal = made.one(&mut self.graph, number);
                let literal = self.graph.and(literal, go);
                self.output(literal)
            });
            let slots = slots.collect();
            self.results.made.push(slots);
        }
        if self.material.guided {
            self.remember(choices, &made);
        }
        let stored: Vec<usize> =
            (0..state.len()).filter(|&fluent| layout.fluents[fluent].is_some()).collect();
        let wanted: Vec<_> = stored.iter().map(|&fluent| network.outputs.next[fluent]).collect();
        let next = self.next(writer, &wanted, &made);
        let kept = self.next(writer, &wanted, &unmade);
        for (index, &fluent) in stored.iter().enumerate() {
            let Some(slot) = layout.fluents[fluent] else { continue };
            let now = self.at(slot);
            let value =
                if kept[index] == now { next[index] } else { self.graph.choose(go, next[index], now) };
            self.set(slot, value);
        }
    }

    /// Remembers which of the moves that were chosen from several are made, in lanes whose playout is not over.
    fn remember(&mut self, choices: &[(Vec<usize>, Choice)], made: &Made) {
        let layout = self.material.layout;
        let over = self.graph.input(Source::Slot(preferences::over(layout)));
        for (moves, _) in choices.iter().filter(|(_, choice)| choice.is_drawn()) {
            for &number in moves {
                let slot = preferences::made(layout, number);
                let now = made.one(&mut self.graph, number);
                let now = self.graph.and(now, !over);
                let before = self.graph.input(Source::Slot(slot));
                let all = self.graph.or(before, now);
                self.outputs.push((slot, all));
            }
        }
    }

    /// What some literals are when moves are made.
    fn next(&mut self, writer: &Writer<'_>, wanted: &[Wanted], made: &Made) -> Vec<Literal> {
        self.write(&mut writer.with_moves(made), wanted)
    }

    /// Scores the lanes that are done, and begins them again.
    pub(super) fn score(&mut self) {
        let (network, layout) = (self.material.network, self.material.layout);
        let done = self.at(layout.done);
        let finished = self.output(done);
        if self.material.guided {
            let slot = preferences::over(layout);
            let before = self.graph.input(Source::Slot(slot));
            let all = self.graph.or(before, done);
            self.outputs.push((slot, all));
        }
        let mut stuck_slots = Vec::new();
        let mut ended = done;
        for role in 0..network.roles {
            let stuck = self.at(layout.stuck[role]);
            ended = self.graph.and(ended, !stuck);
            stuck_slots.push((stuck != Literal::FALSE).then(|| self.output(stuck)));
        }
        let state = self.fluents(None);
        let outputs = &network.outputs;
        let wanted: Vec<_> = outputs.goals.iter().map(|goal| goal.literal).collect();
        let values = self.write(&mut Writer::new(network, &state), &wanted);
        let mut goals = Vec::new();
        let mut unsound = Literal::FALSE;
        for role in 0..network.roles {
            let own = outputs.goals.iter().zip(&values).filter(|(goal, _)| goal.role == role);
            let (mut any, mut several) = (Literal::FALSE, Literal::FALSE);
            for (goal, &value) in own {
                let both = self.graph.and(any, value);
                several = self.graph.or(several, both);
                any = self.graph.or(any, value);
                let won = self.graph.and(ended, value);
                goals.push((role, goal.value, self.output(won)));
            }
            let not_one = self.graph.or(several, !any);
            unsound = self.graph.or(unsound, not_one);
        }
        let unsound = self.graph.and(ended, unsound);
        let unsound = (unsound != Literal::FALSE).then(|| self.output(unsound));
        self.results.score = Some(Score { finished, stuck: stuck_slots, goals, unsound });
        self.restart(done);
    }

    /// Lanes that are done begin again.
    fn restart(&mut self, done: Literal) {
        self.scored = done;
        let (network, layout) = (self.material.network, self.material.layout);
        for (fluent, slot) in layout.fluents.iter().enumerate() {
            let Some(slot) = *slot else { continue };
            let now = self.at(slot);
            let value = self.graph.choose(done, Literal::constant(network.init[fluent]), now);
            self.set(slot, value);
        }
        self.set(layout.done, Literal::FALSE);
        layout.stuck.iter().for_each(|&slot| self.set(slot, Literal::FALSE));
    }
}

/// Each role's moves that are ever legal.
pub(super) fn moves_by_role(network: &Network) -> Vec<Vec<usize>> {
    let mut moves = vec![Vec::new(); network.roles];
    for (number, &role) in network.movers.iter().enumerate() {
        if network.outputs.legal[number].constant() != Some(false) {
            moves[role as usize].push(number);
        }
    }
    moves
}
