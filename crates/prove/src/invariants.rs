//! Invariants by mutual induction. Candidates are guessed from sampled states and from the names of fluents: latches that never
//! change, groups of which one member holds at a time, pairs of which one implies the other. What holds at first, and holds next
//! wherever all candidates hold now, holds always. Candidates that fail are dropped, and the rest is tried again, until those that
//! are left prove each other.

use std::ops::Range;
use std::time::Duration;

use batsat::Lit;
use groundrules_ground::GroundGame;
use groundrules_net::Kind;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::circuit::{Circuit, Node};
use crate::clock::Clock;
use crate::cofactor;
use crate::known::Known;
use crate::playouts::Playouts;
use crate::sat::{Frame, Sat};
use crate::state::{Clause, StateLiteral, clause_holds};
use crate::step::Step;
use crate::sums::Sum;

/// The most members of a group of fluents.
const MOST_MEMBERS: usize = 320;

/// The most words of a fluent of which two arguments are left open.
const MOST_WORDS: usize = 7;

/// The most clauses that groups are written out as.
const MOST_GROUP_CLAUSES: usize = 400_000;

/// The most latches of which all pairs are looked at, and the most pairs that are taken.
const MOST_PAIRED: usize = 1200;
const MOST_PAIRS: usize = 40_000;

/// Candidates that are asked about together.
const TOGETHER: usize = 48;

/// How long a question about candidates may take, as a share of the time and at most: a candidate that needs longer is dropped, so that
/// one that is hard, such as one that needs counting, does not spoil the others.
const PATIENCE_SHARE: u32 = 40;
const MOST_PATIENCE: Duration = Duration::from_millis(1500);
const LEAST_PATIENCE: Duration = Duration::from_millis(20);

/// Something that may hold in every state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Invariant {
    /// At most one of these latches holds.
    AtMostOne(Vec<usize>),
    /// At least one of these latches holds.
    AtLeastOne(Vec<usize>),
    /// One of these literals holds.
    Clause(Clause),
    /// A weighted sum is always the same.
    Sum(Sum),
}

impl Invariant {
    /// Whether it holds in a state.
    pub fn holds(&self, state: &[bool]) -> bool {
        match self {
            Invariant::AtMostOne(latches) => latches.iter().filter(|&&latch| state[latch]).count() <= 1,
            Invariant::AtLeastOne(latches) => latches.iter().any(|&latch| state[latch]),
            Invariant::Clause(clause) => clause_holds(clause, state),
            Invariant::Sum(sum) => sum.holds(state),
        }
    }

    /// Whether it is about some latches alone.
    pub(crate) fn is_about(&self, latches: &FxHashSet<usize>) -> bool {
        match self {
            Invariant::AtMostOne(own) | Invariant::AtLeastOne(own) => {
                own.iter().all(|latch| latches.contains(latch))
            }
            Invariant::Clause(clause) => clause.iter().all(|literal| latches.contains(&literal.latch())),
            Invariant::Sum(sum) => sum.groups.iter().flatten().all(|term| latches.contains(&term.0)),
        }
    }

    /// Whether it holds in all of some states.
    fn holds_in(&self, samples: &Samples<'_>) -> bool {
        match self {
            Invariant::AtMostOne(latches) => samples.at_most_one(latches),
            Invariant::AtLeastOne(latches) => samples.at_least_one(latches),
            Invariant::Clause(clause) => samples.one_of(clause),
            Invariant::Sum(sum) => sum.holds_in(samples),
        }
    }

    /// The clauses that say it. A sum has none: it is written out by the solver.
    pub fn clauses(&self) -> Vec<Clause> {
        match self {
            Invariant::AtMostOne(latches) => {
                let pairs = latches.iter().enumerate().flat_map(|(place, &one)| {
                    latches[place + 1..].iter().map(move |&other| {
                        vec![StateLiteral::new(one, false), StateLiteral::new(other, false)]
                    })
                });
                pairs.collect()
            }
            Invariant::AtLeastOne(latches) => {
                vec![latches.iter().map(|&latch| StateLiteral::new(latch, true)).collect()]
            }
            Invariant::Clause(clause) => vec![clause.clone()],
            Invariant::Sum(_) => Vec::new(),
        }
    }

    fn size(&self) -> usize {
        match self {
            Invariant::AtMostOne(latches) => latches.len() * latches.len() / 2,
            _ => 1,
        }
    }
}

/// States that were seen: for each latch a bit for each state.
pub(crate) struct Samples<'s> {
    pub(crate) latches: &'s [Vec<u64>],
}

impl Samples<'_> {
    pub(crate) fn words(&self) -> usize {
        self.latches.first().map_or(0, Vec::len)
    }

    pub(crate) fn always(&self, latch: usize, value: bool) -> bool {
        self.latches[latch].iter().all(|&word| word == if value { u64::MAX } else { 0 })
    }

    fn at_most_one(&self, latches: &[usize]) -> bool {
        (0..self.words()).all(|word| {
            let mut one = 0;
            latches.iter().all(|&latch| {
                let own = self.latches[latch][word];
                let is_alone = one & own == 0;
                one |= own;
                is_alone
            })
        })
    }

    fn at_least_one(&self, latches: &[usize]) -> bool {
        (0..self.words())
            .all(|word| latches.iter().fold(0, |all, &latch| all | self.latches[latch][word]) == u64::MAX)
    }

    fn word(&self, literal: StateLiteral, word: usize) -> u64 {
        let bits = self.latches[literal.latch()][word];
        if literal.is_positive() { bits } else { !bits }
    }

    fn one_of(&self, clause: &[StateLiteral]) -> bool {
        let any = |word| clause.iter().fold(0, |any, &literal| any | self.word(literal, word));
        (0..self.words()).all(|word| any(word) == u64::MAX)
    }

    /// Whether one literal implied another in all states.
    fn implies(&self, one: StateLiteral, other: StateLiteral) -> bool {
        (0..self.words()).all(|at| self.word(one, at) & !self.word(other, at) == 0)
    }
}

/// Groups of fluents that differ in one argument or in two, or have the same name, or have it and one argument in common.
pub(crate) fn families(game: &GroundGame) -> Vec<Vec<usize>> {
    let mut groups: FxHashMap<(usize, Vec<String>), Vec<usize>> = FxHashMap::default();
    for (number, &fluent) in game.fluents.iter().enumerate() {
        let words = words(&game.term(fluent));
        for hidden in 1..words.len() {
            let mut key = words.clone();
            key[hidden] = String::new();
            groups.entry((hidden, key)).or_default().push(number);
        }
        if words.len() > 2 {
            groups.entry((words.len(), vec![words[0].clone()])).or_default().push(number);
        }
        // Those that have one argument in common: all places of a piece.
        if words.len() > 3 {
            for (place, word) in words.iter().enumerate().skip(1) {
                let key = vec![words[0].clone(), word.clone()];
                groups.entry((words.len() + place, key)).or_default().push(number);
            }
        }
    }
    for (number, &fluent) in game.fluents.iter().enumerate() {
        // Those that differ in two of several arguments: what stands on a square, by owner and kind.
        let words = words(&game.term(fluent));
        if !(5..=MOST_WORDS).contains(&words.len()) {
            continue;
        }
        for one in 1..words.len() {
            for other in one + 1..words.len() {
                let mut key = words.clone();
                (key[one], key[other]) = (String::new(), String::new());
                let place = words.len() * (one + 1) + other + MOST_MEMBERS;
                groups.entry((place, key)).or_default().push(number);
            }
        }
    }
    let mut families: Vec<Vec<usize>> =
        groups.into_values().filter(|group| (2..=MOST_MEMBERS).contains(&group.len())).collect();
    // Fluents without arguments stand for phases of a match, too.
    let plain = |&number: &usize| words(&game.term(game.fluents[number])).len() == 1;
    let plain: Vec<usize> = (0..game.fluents.len()).filter(plain).collect();
    if (2..=40).contains(&plain.len()) {
        families.push(plain);
    }
    families.sort();
    families.dedup();
    families
}

/// The name of a term and its arguments.
pub(crate) fn words(term: &str) -> Vec<String> {
    let Some(inside) = term.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return vec![term.to_owned()];
    };
    let (mut words, mut depth) = (vec![String::new()], 0);
    for letter in inside.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            ' ' if depth == 0 => {
                words.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(word) = words.last_mut() {
            word.push(letter);
        }
    }
    words
}

/// Candidates that need few clauses: latches that never change, and groups.
pub(crate) fn groups(circuit: &Circuit, families: &[Vec<usize>], samples: &Samples<'_>) -> Vec<Invariant> {
    let mut found = Vec::new();
    let mut is_constant = vec![false; circuit.latch_count()];
    for (latch, is_constant) in is_constant.iter_mut().enumerate() {
        let value = circuit.init()[latch];
        if samples.always(latch, value) {
            *is_constant = true;
            found.push(Invariant::Clause(vec![StateLiteral::new(latch, value)]));
        }
    }
    let (mut left, mut seen) = (MOST_GROUP_CLAUSES, FxHashSet::default());
    for family in families {
        // What was never seen to hold may hold later, as the last steps of a counter do: it stays a member.
        let members = family.clone();
        if members.iter().all(|&latch| is_constant[latch]) || !seen.insert(members.clone()) {
            continue;
        }
        if samples.at_least_one(&members) {
            found.push(Invariant::AtLeastOne(members.clone()));
        }
        let group = Invariant::AtMostOne(members.clone());
        if samples.at_most_one(&members) && group.size() <= left {
            left -= group.size();
            found.push(group);
        }
    }
    found
}

/// The most nodes that are looked at to see what a group depends on.
const MOST_LOOKED_AT: usize = 4000;

/// The latches of groups that depend on nothing else, as those of a counter do. Candidates about them are cheap.
pub(crate) fn closed(circuit: &Circuit, candidates: &[Invariant]) -> FxHashSet<usize> {
    let mut found = FxHashSet::default();
    for candidate in candidates {
        if let Invariant::AtMostOne(latches) | Invariant::AtLeastOne(latches) = candidate
            && !latches.iter().all(|latch| found.contains(latch))
            && is_closed(circuit, latches)
        {
            found.extend(latches);
        }
    }
    found
}

fn is_closed(circuit: &Circuit, latches: &[usize]) -> bool {
    let own: FxHashSet<usize> = latches.iter().copied().collect();
    let mut waiting: Vec<_> = latches.iter().map(|&latch| circuit.next(latch).node()).collect();
    let mut seen: FxHashSet<_> = waiting.iter().copied().collect();
    while let Some(node) = waiting.pop() {
        match circuit.node(node) {
            Node::Latch(latch) if !own.contains(&(latch as usize)) => return false,
            Node::Input(_) => return false,
            Node::Latch(_) | Node::Constant => {}
            Node::Gate(..) => {
                let operands = circuit.operands(node).iter().map(|operand| operand.node());
                waiting.extend(operands.filter(|&operand| seen.insert(operand)));
            }
        }
        if seen.len() > MOST_LOOKED_AT {
            return false;
        }
    }
    true
}

/// The candidates that say that exactly one of a group holds, and those about a single latch.
pub(crate) fn is_exact(candidate: &Invariant, all: &FxHashSet<Invariant>) -> bool {
    match candidate {
        Invariant::AtMostOne(latches) => all.contains(&Invariant::AtLeastOne(latches.clone())),
        Invariant::AtLeastOne(latches) => all.contains(&Invariant::AtMostOne(latches.clone())),
        Invariant::Clause(clause) => clause.len() == 1,
        Invariant::Sum(_) => false,
    }
}

/// Candidates of two literals each: one implies the other. Those that follow from groups are left out.
pub(crate) fn pairs(circuit: &Circuit, known: &[Invariant], samples: &Samples<'_>) -> Vec<Invariant> {
    let (mut excluded, mut constant) = (FxHashSet::default(), FxHashSet::default());
    for invariant in known {
        match invariant {
            Invariant::AtMostOne(members) => {
                for &one in members {
                    excluded.extend(members.iter().map(|&other| (one, other)));
                }
            }
            Invariant::Clause(clause) if clause.len() == 1 => {
                constant.insert(clause[0].latch());
            }
            _ => {}
        }
    }
    let latches: Vec<usize> =
        (0..circuit.latch_count()).filter(|latch| !constant.contains(latch)).take(MOST_PAIRED).collect();
    let mut found = Vec::new();
    for (place, &one) in latches.iter().enumerate() {
        for &other in &latches[place + 1..] {
            for (a, b) in [(true, true), (true, false), (false, true), (false, false)] {
                if a && !b && excluded.contains(&(one, other)) {
                    continue;
                }
                let (from, to) = (StateLiteral::new(one, a), StateLiteral::new(other, b));
                if samples.implies(from, to) {
                    found.push(Invariant::Clause(vec![!from, to]));
                    if found.len() >= MOST_PAIRS {
                        return found;
                    }
                }
            }
        }
    }
    found
}

/// Keeps the candidates that prove each other, given what is known already; nothing if there was no time.
pub(crate) fn prove(
    circuit: &Circuit,
    known: &Known,
    candidates: Vec<Invariant>,
    effort: Effort,
    clock: &Clock,
) -> Option<Vec<Invariant>> {
    let mut alive = candidates;
    alive.retain(|candidate| candidate.holds(circuit.init()));
    let mut induction = Induction::new(circuit, known, alive, clock);
    induction.run(effort, clock)?;
    Some(induction.left())
}

/// How much is done for candidates that are hard.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// They are dropped, so that they do not spoil the others.
    Little,
    /// They are asked about move by move.
    Much,
}

/// What says that two of these hold.
fn two_of(sat: &mut Sat, lits: &[Lit]) -> Lit {
    let (mut one, mut two) = (sat.constant(false), sat.constant(false));
    for &lit in lits {
        let both = sat.gate(Kind::And, vec![one, lit]);
        two = sat.gate(Kind::Or, vec![two, both]);
        one = sat.gate(Kind::Or, vec![one, lit]);
    }
    two
}

struct Induction<'c> {
    circuit: &'c Circuit,
    step: Step<'c>,
    candidates: Vec<Invariant>,
    is_alive: Vec<bool>,
    /// For each candidate, assumed where it holds now.
    now: Vec<Lit>,
    /// For each candidate, what says that it does not hold next.
    broken: Vec<Option<Lit>>,
    /// Finds more that fails from a state where something does.
    playouts: Playouts<'c>,
    /// For each chunk of candidates, assumed where all that are alive hold now.
    chunks: Vec<Lit>,
}

impl<'c> Induction<'c> {
    fn new(circuit: &'c Circuit, known: &Known, candidates: Vec<Invariant>, clock: &Clock) -> Self {
        let mut step = Step::new(circuit, clock);
        step.assume(known);
        step.sat.clause([step.step]);
        let mut now = Vec::new();
        let latches = (0..circuit.latch_count()).map(|latch| StateLiteral::new(latch, true));
        let latches: Vec<StateLiteral> = latches.collect();
        for candidate in &candidates {
            let on = step.sat.fresh();
            candidate.clauses().iter().for_each(|clause| step.add_now(clause, Some(!on)));
            if let Invariant::Sum(sum) = candidate {
                let now: Vec<Lit> = latches.iter().map(|&latch| step.now(latch)).collect();
                let holds = sum.encode(&mut step.sat, |latch| now[latch]);
                step.sat.clause([!on, holds]);
            }
            now.push(on);
        }
        let (is_alive, broken) = (vec![true; candidates.len()], vec![None; candidates.len()]);
        let (playouts, chunks) = (Playouts::new(circuit, 1), Vec::new());
        let mut induction = Induction { circuit, step, candidates, is_alive, now, broken, playouts, chunks };
        let count = induction.candidates.len().div_ceil(TOGETHER);
        induction.chunks = (0..count).map(|chunk| induction.assumed(chunk)).collect();
        induction
    }

    fn left(self) -> Vec<Invariant> {
        self.candidates
            .into_iter()
            .zip(self.is_alive)
            .filter(|(_, alive)| *alive)
            .map(|(own, _)| own)
            .collect()
    }

    fn places(&self, chunk: usize) -> Range<usize> {
        chunk * TOGETHER..((chunk + 1) * TOGETHER).min(self.candidates.len())
    }

    /// A new literal, assumed where all candidates of a chunk that are alive hold now.
    fn assumed(&mut self, chunk: usize) -> Lit {
        let all = self.step.sat.fresh();
        for place in self.places(chunk) {
            if self.is_alive[place] {
                self.step.sat.clause([!all, self.now[place]]);
            }
        }
        all
    }

    /// Drops candidates until those that are alive prove each other. A chunk that holds next is asked about again only if something
    /// that this rests on was dropped. One that is too hard as a whole is asked about candidate by candidate, or everything is, move by move.
    fn run(&mut self, effort: Effort, clock: &Clock) -> Option<()> {
        let share = clock.left().map_or(MOST_PATIENCE, |left| left / PATIENCE_SHARE);
        let patience = share.clamp(LEAST_PATIENCE, MOST_PATIENCE);
        let mut waiting: Vec<usize> = (0..self.chunks.len()).rev().collect();
        let mut rests_on: Vec<Option<FxHashSet<Lit>>> = vec![None; self.chunks.len()];
        let mut is_hard = vec![false; self.chunks.len()];
        while let Some(chunk) = waiting.pop() {
            if clock.is_over() {
                return None;
            }
            let alive: Vec<usize> = self.places(chunk).filter(|&place| self.is_alive[place]).collect();
            let parts: Vec<Vec<usize>> = match is_hard[chunk] {
                true => alive.into_iter().map(|place| vec![place]).collect(),
                false => vec![alive],
            };
            let (mut core, mut is_again) = (FxHashSet::default(), false);
            for part in parts {
                self.step.sat.set_clock(&clock.within(patience));
                let dropped = match self.ask_about(&part) {
                    Some(false) => {
                        core.extend(self.step.sat.core());
                        continue;
                    }
                    Some(true) => self.drop_broken(),
                    None if clock.is_over() => return None,
                    None if effort == Effort::Much => return self.run_by_moves(clock),
                    None if is_hard[chunk] => {
                        part.iter().for_each(|&place| self.is_alive[place] = false);
                        vec![chunk]
                    }
                    None => Vec::new(),
                };
                is_hard[chunk] |= dropped.is_empty();
                is_again = true;
                self.forget(&dropped, chunk, &mut rests_on, &mut waiting);
            }
            match is_again {
                true => waiting.push(chunk),
                false => rests_on[chunk] = Some(core),
            }
        }
        Some(())
    }

    /// The same with one joint move after the other, each fixed in the circuit, until all have been gone through without a candidate that was
    /// dropped.
    fn run_by_moves(&mut self, clock: &Clock) -> Option<()> {
        self.step.sat.set_clock(clock);
        let depends = cofactor::dependent(self.circuit);
        for latch in 0..self.circuit.latch_count() {
            self.step.next_literal(latch);
        }
        // For each joint move the candidates that it may break, and what says that it does.
        let mut seen: FxHashMap<Vec<usize>, Vec<(usize, Lit)>> = FxHashMap::default();
        loop {
            let mut is_clean = true;
            // Joint moves that were looked at are ruled out only here.
            let on = self.step.sat.fresh();
            loop {
                if clock.is_over() || seen.len() > cofactor::MOST_JOINT {
                    return None;
                }
                let assumed: Vec<Lit> = self.chunks.iter().copied().chain([on]).collect();
                if !self.step.sat.ask(&assumed)? {
                    break;
                }
                let joint = self.step.moves();
                if !seen.contains_key(&joint) {
                    let mut frame = cofactor::fixed(&self.step, &depends, &joint);
                    seen.insert(joint.clone(), self.broken_by(&mut frame));
                }
                is_clean &= self.drop_all_broken(&joint, &seen[&joint])?;
                let made = joint.iter().map(|&made| !self.step.input(made));
                let block: Vec<Lit> = made.chain([!on]).collect();
                self.step.sat.clause(block);
            }
            self.step.sat.clause([!on]);
            if is_clean {
                return Some(());
            }
        }
    }

    /// The candidates that the moves of a frame may break.
    fn broken_by(&mut self, frame: &mut Frame) -> Vec<(usize, Lit)> {
        let mut found = Vec::new();
        for place in 0..self.candidates.len() {
            if self.is_alive[place] {
                let lit = self.broken_in(place, frame);
                if lit != self.step.sat.constant(false) {
                    found.push((place, lit));
                }
            }
        }
        found
    }

    /// What says that a candidate does not hold after the moves of a frame, as far as it holds before.
    fn broken_in(&mut self, place: usize, frame: &mut Frame) -> Lit {
        let step = &mut self.step;
        let mut next = |literal: StateLiteral| {
            let lit = step.sat.literal(self.circuit, frame, self.circuit.next(literal.latch()));
            let lit = if literal.is_positive() { lit } else { !lit };
            (lit, lit == step.now(literal))
        };
        let all = |members: &[usize]| -> Vec<StateLiteral> {
            members.iter().map(|&latch| StateLiteral::new(latch, true)).collect()
        };
        let (literals, is_exclusive) = match &self.candidates[place] {
            Invariant::AtMostOne(members) => (all(members), true),
            Invariant::AtLeastOne(members) => (all(members), false),
            Invariant::Clause(clause) => (clause.clone(), false),
            Invariant::Sum(sum) => return cofactor::changes(step, frame, &sum.groups),
        };
        let lits: Vec<(Lit, bool)> = literals.into_iter().map(&mut next).collect();
        if lits.iter().all(|&(_, is_same)| is_same) {
            return step.sat.constant(false);
        }
        let lits: Vec<Lit> = lits.into_iter().map(|(lit, _)| lit).collect();
        if is_exclusive {
            return two_of(&mut step.sat, &lits);
        }
        let none = lits.into_iter().map(|lit| !lit).collect();
        step.sat.gate(Kind::And, none)
    }

    /// Drops what a joint move breaks; says whether it was nothing.
    fn drop_all_broken(&mut self, joint: &[usize], broken: &[(usize, Lit)]) -> Option<bool> {
        let mut is_clean = true;
        loop {
            let alive = broken.iter().filter(|(place, _)| self.is_alive[*place]);
            let lits: Vec<Lit> = alive.map(|&(_, lit)| lit).collect();
            if lits.is_empty() {
                return Some(is_clean);
            }
            let some = self.step.sat.gate(Kind::Or, lits);
            let made = joint.iter().map(|&made| self.step.input(made));
            let assumed: Vec<Lit> = self.chunks.iter().copied().chain(made).chain([some]).collect();
            if !self.step.sat.ask(&assumed)? {
                return Some(is_clean);
            }
            is_clean = false;
            let dropped = self.drop_broken();
            if dropped.is_empty() {
                return None;
            }
            for chunk in dropped {
                self.step.sat.clause([!self.chunks[chunk]]);
                self.chunks[chunk] = self.assumed(chunk);
            }
        }
    }

    /// Whether some of these candidates may not hold next, where all candidates that are alive hold now.
    fn ask_about(&mut self, places: &[usize]) -> Option<bool> {
        let alive: Vec<usize> = places.iter().copied().filter(|&place| self.is_alive[place]).collect();
        let broken: Vec<Lit> = alive.into_iter().map(|place| self.broken(place)).collect();
        let some = self.step.sat.gate(Kind::Or, broken);
        let assumed: Vec<Lit> = self.chunks.iter().copied().chain([some]).collect();
        self.step.sat.ask(&assumed)
    }

    /// Chunks where something was dropped are assumed anew, and those that rest on them wait again.
    fn forget(
        &mut self,
        dropped: &[usize],
        asked: usize,
        rests_on: &mut [Option<FxHashSet<Lit>>],
        waiting: &mut Vec<usize>,
    ) {
        for &changed in dropped {
            let old = self.chunks[changed];
            self.step.sat.clause([!old]);
            self.chunks[changed] = self.assumed(changed);
            for (other, core) in rests_on.iter_mut().enumerate() {
                if core.as_ref().is_some_and(|core| core.contains(&old)) {
                    *core = None;
                    if other != asked {
                        waiting.insert(0, other);
                    }
                }
            }
        }
    }

    /// What says that a candidate does not hold next.
    fn broken(&mut self, place: usize) -> Lit {
        if let Some(lit) = self.broken[place] {
            return lit;
        }
        let step = &mut self.step;
        let mut next = |latch: usize, value: bool| step.next(StateLiteral::new(latch, value));
        let lit = match &self.candidates[place] {
            Invariant::AtLeastOne(members) => {
                let none: Vec<Lit> = members.iter().map(|&latch| next(latch, false)).collect();
                step.sat.gate(Kind::And, none)
            }
            Invariant::Clause(clause) => {
                let none: Vec<Lit> =
                    clause.iter().map(|literal| next(literal.latch(), !literal.is_positive())).collect();
                step.sat.gate(Kind::And, none)
            }
            Invariant::Sum(sum) => {
                let terms = sum.groups.iter().flatten().map(|term| StateLiteral::new(term.0, true));
                let both = terms.map(|latch| (latch.latch(), (step.now(latch), step.next(latch))));
                let both: FxHashMap<usize, (Lit, Lit)> = both.collect();
                !sum.encode_kept(&mut step.sat, |latch| both[&latch].0, |latch| both[&latch].1)
            }
            Invariant::AtMostOne(members) => {
                let members: Vec<Lit> = members.iter().map(|&latch| next(latch, true)).collect();
                two_of(&mut step.sat, &members)
            }
        };
        self.broken[place] = Some(lit);
        lit
    }

    /// Drops what does not hold in the state after the move of the last answer, or after other moves; gives the chunks where something was dropped.
    fn drop_broken(&mut self) -> Vec<usize> {
        let (state, moves) = (self.step.state(), self.step.moves());
        let mut made = vec![false; self.circuit.input_count()];
        moves.into_iter().for_each(|input| made[input] = true);
        let values = self.circuit.evaluate(&state, |input| made[input]);
        let next = self.circuit.next_state(&values);
        let others = self.playouts.spread(&state);
        let others = others.as_deref().map(|latches| Samples { latches });
        let mut changed = Vec::new();
        for (place, candidate) in self.candidates.iter().enumerate() {
            let is_broken = |others: &Samples<'_>| !candidate.holds_in(others);
            if self.is_alive[place] && (!candidate.holds(&next) || others.as_ref().is_some_and(is_broken)) {
                self.is_alive[place] = false;
                changed.push(place / TOGETHER);
            }
        }
        changed.dedup();
        changed
    }
}
