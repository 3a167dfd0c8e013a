//! Families: gates whose terms are guarded by different moves of a role, and what they cost.

use std::cmp::Reverse;

use rustc_hash::{FxHashMap, FxHashSet};

use super::guards::Guards;
use crate::gates::Kind;
use crate::literal::Literal;
use crate::network::Network;
use crate::simplify::rebuild::{needed, uses};

/// All of these literals, ascending.
pub(super) type Condition = Box<[Literal]>;

/// A disjunction of terms, and of other things.
pub(super) struct Choice {
    pub(super) gate: usize,
    /// Whether the gate is the complement of the disjunction.
    pub(super) is_flipped: bool,
    role: u32,
    /// The moves that guard it, ascending.
    pub(super) moves: Box<[u32]>,
    /// Conditions with guarded literals.
    terms: Vec<(Condition, Literal)>,
    /// The places of the other operands.
    pub(super) others: Vec<usize>,
}

/// Choices of one role, no two of them guarded by the same move.
#[derive(Default)]
pub(super) struct Family {
    role: u32,
    pub(super) choices: Vec<Choice>,
    moves: FxHashSet<u32>,
    /// The number of the first gate: all terms come before it.
    first: usize,
}

impl Family {
    /// For each condition the literals that it stands beside.
    pub(super) fn by_condition(&self) -> Vec<(Condition, Box<[Literal]>)> {
        let mut terms: Vec<&(Condition, Literal)> =
            self.choices.iter().flat_map(|choice| &choice.terms).collect();
        terms.sort_unstable();
        terms.dedup();
        let groups = terms.chunk_by(|left, right| left.0 == right.0);
        groups.map(|group| (group[0].0.clone(), group.iter().map(|term| term.1).collect())).collect()
    }

    /// How many gates of two operands the terms take as they are.
    fn cost(&self) -> f64 {
        let terms = self.choices.iter().flat_map(|choice| &choice.terms);
        terms.map(|(condition, _)| condition.len() + 1).sum::<usize>() as f64
    }

    /// How many they take together, when so many share the disjunctions of guarded literals and of moves.
    fn shared_cost(&self, sharing: &Sharing) -> f64 {
        let shared =
            |len: usize, by: Option<&u32>| len.saturating_sub(1) as f64 / f64::from(by.copied().unwrap_or(1));
        let condition = |(condition, guarded): &(Condition, Box<[Literal]>)| {
            (condition.len() + 1) as f64 + shared(guarded.len(), sharing.guarded.get(guarded))
        };
        let choice = |choice: &Choice| 2.0 + shared(choice.moves.len(), sharing.moves.get(&choice.moves));
        self.by_condition().iter().map(condition).sum::<f64>() + self.choices.iter().map(choice).sum::<f64>()
    }
}

/// How many families share a disjunction.
#[derive(Default)]
struct Sharing {
    guarded: FxHashMap<Box<[Literal]>, u32>,
    moves: FxHashMap<Box<[u32]>, u32>,
}

impl Sharing {
    fn of(families: &[Family]) -> Sharing {
        let mut sharing = Sharing::default();
        for family in families {
            for (_, guarded) in family.by_condition() {
                *sharing.guarded.entry(guarded).or_default() += 1;
            }
            for choice in &family.choices {
                *sharing.moves.entry(choice.moves.clone()).or_default() += 1;
            }
        }
        sharing
    }
}

/// The families of a network that are worth while.
pub(super) struct Families {
    pub(super) list: Vec<Family>,
}

impl Families {
    pub(super) fn of(network: &Network) -> Families {
        let mut search = Search::new(network);
        let is_needed = needed(&network.gates, &network.roots());
        for gate in (0..network.gate_count()).filter(|&gate| is_needed[gate]) {
            search.look(gate);
        }
        let mut list = search.list;
        list.retain(|family| family.choices.len() > 1);
        let mut families = Families { list };
        families.keep_those_that_pay();
        families
    }

    /// Drops the families that take fewer gates as they are.
    fn keep_those_that_pay(&mut self) {
        const SMALLER: f64 = 0.8;
        loop {
            let sharing = Sharing::of(&self.list);
            let before = self.list.len();
            self.list.retain(|family| family.shared_cost(&sharing) < SMALLER * family.cost());
            if self.list.len() == before {
                return;
            }
        }
    }
}

/// The most families in which a condition is looked up.
const MOST_FAMILIES: usize = 64;
/// The most literals of a condition.
const MOST_LITERALS: usize = 16;

/// The search for families.
struct Search<'n> {
    network: &'n Network,
    guards: Guards,
    uses: Vec<u32>,
    list: Vec<Family>,
    /// The families that have a condition.
    having: FxHashMap<Condition, Vec<usize>>,
}

impl<'n> Search<'n> {
    fn new(network: &'n Network) -> Self {
        let uses = uses(&network.gates, &network.roots());
        let guards = Guards::of(network);
        Search { network, guards, uses, list: Vec::new(), having: FxHashMap::default() }
    }

    /// Puts a gate into the family with which it has the most conditions in common, or into a new one.
    fn look(&mut self, gate: usize) {
        let Some(choice) = self.choice(gate) else { return };
        let literals = choice.terms.iter().flat_map(|(condition, guarded)| condition.iter().chain([guarded]));
        let last = literals.map(|literal| literal.node().index()).max().unwrap_or(0);
        let conditions: FxHashSet<&Condition> = choice.terms.iter().map(|(condition, _)| condition).collect();
        let mut common: FxHashMap<usize, u32> = FxHashMap::default();
        for &condition in &conditions {
            for &family in self.having.get(condition).into_iter().flatten() {
                *common.entry(family).or_default() += 1;
            }
        }
        let may = |family: &Family| {
            family.role == choice.role
                && last < self.network.gate(family.first).index()
                && choice.moves.iter().all(|made| !family.moves.contains(made))
        };
        let mut candidates: Vec<(u32, Reverse<usize>)> =
            common.into_iter().map(|(family, count)| (count, Reverse(family))).collect();
        candidates.sort_unstable();
        let best =
            candidates.iter().rev().map(|&(_, Reverse(family))| family).find(|&it| may(&self.list[it]));
        let family = best.unwrap_or(self.list.len());
        if family == self.list.len() {
            self.list.push(Family { role: choice.role, first: gate, ..Family::default() });
        }
        for condition in conditions {
            let families = self.having.entry(condition.clone()).or_default();
            if families.len() < MOST_FAMILIES && !families.contains(&family) {
                families.push(family);
            }
        }
        self.list[family].moves.extend(&choice.moves);
        self.list[family].choices.push(choice);
    }

    /// A gate as a choice, if it has terms.
    fn choice(&self, gate: usize) -> Option<Choice> {
        let gates = &self.network.gates;
        if gates.is_in_component(gate) {
            return None;
        }
        let is_flipped = gates.kind(gate) == Kind::And;
        let mut role = None;
        let mut moves: Vec<u32> = Vec::new();
        let (mut terms, mut others) = (Vec::new(), Vec::new());
        for (place, operand) in gates.operands(gate).iter().enumerate() {
            let term = self.term(operand.complemented_if(is_flipped));
            let guard = term.as_ref().and_then(|&(_, guarded)| self.guards.get(guarded));
            match (term, guard) {
                (Some(term), Some(guard)) if *role.get_or_insert(guard.role) == guard.role => {
                    moves.extend(&guard.moves);
                    terms.push(term);
                }
                _ => others.push(place),
            }
        }
        moves.sort_unstable();
        moves.dedup();
        let role = role?;
        Some(Choice { gate, is_flipped, role, moves: moves.into(), terms, others })
    }

    /// A conjunction that nothing else needs as a condition and a guarded literal.
    fn term(&self, literal: Literal) -> Option<(Condition, Literal)> {
        let gates = &self.network.gates;
        let (kind, gate) = gates.seen(literal)?;
        if kind != Kind::And || self.uses[gate] != 1 || gates.is_in_component(gate) {
            return None;
        }
        let flip = literal.is_complemented();
        let mut rest: Vec<Literal> =
            gates.operands(gate).iter().map(|operand| operand.complemented_if(flip)).collect();
        let size = |place: usize| Some((self.guards.get(rest[place])?.moves.len(), place));
        let (_, place) = (0..rest.len()).filter_map(size).min()?;
        let guarded = rest.remove(place);
        rest.sort_unstable();
        (rest.len() <= MOST_LITERALS).then(|| (rest.into(), guarded))
    }
}
