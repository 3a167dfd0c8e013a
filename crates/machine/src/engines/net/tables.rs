//! The immutable tables of the engine for one game: the wiring of the gates that propagation updates, the programs of
//! the others, and where the outputs are. Forked machines share them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use groundrules_gdl::time::{Cancel, Cancelled};
use groundrules_net::parts::{Turn, modes};
use groundrules_net::{Literal, Network, Options, Parts};

use super::activity;
use super::program::{Code, Program, Writer};
use super::wiring::{Lit, Places, Wiring};
use crate::index::index32;
use crate::machine::Move;
use crate::vocabulary::Vocabulary;

/// What is looked up.
#[derive(Debug)]
pub(crate) struct Tables {
    pub(super) names: Arc<Vocabulary>,
    /// The network as the rules are written, for states and moves outside legal play; made when it is first needed.
    written: OnceLock<Arc<Network>>,
    pub(super) init: Vec<u64>,
    /// Words of the state with fluents that never change in legal play, and what they are under a mask.
    pub(super) fixed: Vec<(usize, u64, u64)>,
    /// Whether something is kept up to date that depends on the moves made.
    pub(super) moves_are_wired: bool,
    /// For each turn when it is: words of the state, and what they are under a mask.
    pub(super) modes: Vec<Vec<(usize, u64, u64)>>,
    pub(super) turns: Vec<TurnTable>,
    pub(super) wiring: Wiring,
    pub(super) code: Code,
    /// How many nodes have values.
    pub(super) nodes: usize,
    /// The output bits where no fluent holds.
    pub(super) outputs: Vec<u64>,
}

/// What there is in one turn.
#[derive(Debug)]
pub(super) struct TurnTable {
    /// For each role where the bits of its legal moves are.
    pub(super) legal: Vec<LegalBits>,
    /// For each move its bit; [`NEVER`] if it is never legal.
    pub(super) legal_bit: Vec<u32>,
    pub(super) terminal: u32,
    /// The first word of the defaults among the outputs.
    pub(super) default: usize,
    /// Words in which some fluent does not just stay, and which fluents these are.
    pub(super) loose: Vec<(u32, u64)>,
    /// What each move adds to the number of a joint move's list; nothing if each move has a list of its own.
    pub(super) shares: Vec<u32>,
    /// The lists of effects.
    pub(super) lists: Vec<List>,
    /// What moves do to fluents: the fluent, ascending for each list, and what is next.
    pub(super) effects: Vec<(u32, Lit)>,
    /// The effects that are kept up to date.
    pub(super) ready: Vec<Ready>,
    /// For each role what computes its goals, and the goals.
    pub(super) goals: Vec<(Program, Vec<(i32, Lit)>)>,
}

/// Where the bits of a role's legal moves are: the first word, and the move of each bit.
#[derive(Debug)]
pub(super) struct LegalBits {
    pub(super) start: usize,
    pub(super) moves: Vec<Move>,
}

/// What a move does, or a joint move: effects that are computed, or effects that are ready.
#[derive(Clone, Debug, Default)]
pub(super) struct List {
    pub(super) program: Program,
    pub(super) effects: Range<u32>,
    pub(super) ready: Range<u32>,
}

/// Effects on fluents of one word that are kept up to date: the word, where what is next is among the outputs, and which
/// fluents these are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ready {
    pub(super) word: u32,
    pub(super) output: u32,
    pub(super) mask: u64,
}

/// How the network is simplified. Gates that share operands would make the propagation longer.
pub(crate) const OPTIONS: Options =
    Options { legal_play: true, reachable_states: true, share_operands: false };

/// In place of a bit: the move is never legal.
pub(super) const NEVER: u32 = u32::MAX;

impl Tables {
    /// The tables for a network that was simplified with [`OPTIONS`].
    pub(super) fn new(names: Arc<Vocabulary>, network: &Network, cancel: &Cancel) -> Result<Self, Cancelled> {
        let modes = activity::split_by_busy_fluent(modes(names.game(), network), network);
        let parts = Parts::by(modes, network, &OPTIONS);
        cancel.check()?;
        let none = parts.turns.iter().map(|turn| vec![false; turn.lists()]).collect();
        let tables = Tables::lay_out(names, network, &parts, none);
        let Some(ready) = activity::worth_keeping(&parts, network, &tables) else { return Ok(tables) };
        cancel.check()?;
        Ok(Tables::lay_out(tables.names, network, &parts, ready))
    }

    /// The network as the rules are written.
    pub(super) fn written(&self) -> &Network {
        self.written.get_or_init(|| {
            let written = Network::of(self.names.game());
            Arc::new(written.expect("the tables were made of a network of this game"))
        })
    }

    /// Lays everything out. For each turn and each list of effects it is said whether they are to be kept up to date.
    fn lay_out(names: Arc<Vocabulary>, network: &Network, parts: &Parts, ready: Vec<Vec<bool>>) -> Self {
        let mut outputs = OutputBits::default();
        let layouts: Vec<Layout> = parts
            .turns
            .iter()
            .zip(ready)
            .map(|(turn, ready)| outputs.layout(turn, network, &ready))
            .collect();
        let roots: Vec<Literal> = outputs.wired.iter().map(|&(literal, _)| literal).collect();
        let kept = parts.gates.needed(&roots);
        let mut places = Places::new(&parts.gates);
        let wiring = Wiring::new(&parts.gates, &kept, &outputs.wired, &mut places);
        for &(literal, bit) in &outputs.wired {
            let lit = places.lit(literal);
            let holds = wiring.first_values[lit as usize >> 1] != (lit & 1) as u8;
            outputs.words[(bit >> 6) as usize] |= u64::from(holds) << (bit & 63);
        }
        let nodes = wiring.first + wiring.gates;
        let mut writer = Writer::new(&parts.gates, &kept, &mut places, nodes);
        let layouts = layouts.into_iter().zip(&parts.turns);
        let turns = layouts.map(|(layout, turn)| layout.table(turn, network.roles, &mut writer)).collect();
        let (code, nodes) = (writer.code, writer.nodes);
        Tables {
            init: packed(network.fluents(), |fluent| network.init[fluent]),
            fixed: masks(&network.fixed),
            modes: parts.modes.iter().map(|mode| masks(mode)).collect(),
            moves_are_wired: (0..network.moves()).any(|made| wiring.is_used(network.does(made).index())),
            outputs: outputs.words,
            names,
            written: OnceLock::new(),
            turns,
            wiring,
            code,
            nodes,
        }
    }
}

/// Bits for fluents. A state has at least one word, so that states can be counted in flat memory.
fn packed(fluents: usize, holds: impl Fn(usize) -> bool) -> Vec<u64> {
    let mut words = vec![0; fluents.div_ceil(64).max(1)];
    for fluent in (0..fluents).filter(|&fluent| holds(fluent)) {
        words[fluent / 64] |= 1 << (fluent % 64);
    }
    words
}

/// Values of fluents, word by word: the word, and its value under a mask.
fn masks(known: &[(usize, bool)]) -> Vec<(usize, u64, u64)> {
    let mut words: BTreeMap<usize, (u64, u64)> = BTreeMap::new();
    for &(fluent, value) in known {
        let (mask, values) = words.entry(fluent / 64).or_default();
        *mask |= 1 << (fluent % 64);
        *values |= u64::from(value) << (fluent % 64);
    }
    words.into_iter().map(|(word, (mask, values))| (word, mask, values)).collect()
}

pub(super) fn number(index: usize) -> u32 {
    index32(index)
}

/// Output bits while they are given out.
#[derive(Default)]
struct OutputBits {
    words: Vec<u64>,
    /// Literals and the bits that follow them.
    wired: Vec<(Literal, u32)>,
}

impl OutputBits {
    /// The first of so many bits in words of their own.
    fn room(&mut self, bits: usize) -> usize {
        let start = self.words.len();
        self.words.resize(start + bits.div_ceil(64), 0);
        start * 64
    }

    fn set(&mut self, bit: usize, literal: Literal) {
        match literal.constant() {
            Some(value) => self.words[bit / 64] |= u64::from(value) << (bit % 64),
            None => self.wired.push((literal, number(bit))),
        }
    }

    fn layout(&mut self, turn: &Turn, network: &Network, kept: &[bool]) -> Layout {
        let mut legal_bit = vec![NEVER; network.moves()];
        let mut legal = Vec::new();
        for role in 0..number(network.roles) {
            let own = (0..network.moves()).filter(|&number| network.movers[number] == role);
            let own: Vec<usize> = own.filter(|&number| turn.legal[number] != Literal::FALSE).collect();
            let start = self.room(own.len());
            for (bit, &made) in (start..).zip(&own) {
                legal_bit[made] = number(bit);
                self.set(bit, turn.legal[made]);
            }
            let moves = own.iter().map(|&made| Move(number(made))).collect();
            legal.push(LegalBits { start: start / 64, moves });
        }
        let terminal = self.room(1);
        self.set(terminal, turn.terminal);
        let default = self.room(network.fluents());
        let mut loose = vec![0u64; network.fluents().div_ceil(64)];
        for (fluent, &next) in turn.default.iter().enumerate() {
            if next != network.fluent(fluent).literal() {
                loose[fluent / 64] |= 1 << (fluent % 64);
                self.set(default + fluent, next);
            }
        }
        let loose = (0..).zip(loose).filter(|&(_, mask)| mask != 0).collect();
        let mut ready = Vec::new();
        let own = |(list, &kept)| self.ready(if kept { turn.effects(list) } else { &[] }, &mut ready);
        let lists = kept.iter().enumerate().map(own).collect();
        let terminal = number(terminal);
        Layout { legal, legal_bit, terminal, default: default / 64, loose, ready, lists }
    }

    /// Gives effects bits, word by word; says where they are noted.
    fn ready(&mut self, effects: &[(u32, Literal)], ready: &mut Vec<Ready>) -> Range<u32> {
        let start = number(ready.len());
        let mut effects = effects.to_vec();
        effects.sort_unstable();
        for own in effects.chunk_by(|(left, _), (right, _)| left / 64 == right / 64) {
            let output = self.room(64);
            let mut mask = 0;
            for &(fluent, next) in own {
                mask |= 1 << (fluent % 64);
                self.set(output + fluent as usize % 64, next);
            }
            ready.push(Ready { word: own[0].0 / 64, output: number(output / 64), mask });
        }
        start..number(ready.len())
    }
}

/// Where a turn's answers are.
struct Layout {
    legal: Vec<LegalBits>,
    legal_bit: Vec<u32>,
    terminal: u32,
    default: usize,
    loose: Vec<(u32, u64)>,
    ready: Vec<Ready>,
    /// For each list of effects those that are kept up to date.
    lists: Vec<Range<u32>>,
}

impl Layout {
    fn table(self, turn: &Turn, roles: usize, writer: &mut Writer<'_>) -> TurnTable {
        let mut effects = Vec::new();
        let lists = self.lists.into_iter().enumerate();
        let lists = lists.map(|(list, ready)| list_table(turn, list, ready, writer, &mut effects)).collect();
        let goals = (0..roles).map(|role| {
            let own = turn.goals.iter().filter(move |goal| goal.role == role);
            let program = writer.program(own.clone().map(|goal| goal.literal));
            (program, own.map(|goal| (goal.value, writer.lit(goal.literal))).collect())
        });
        TurnTable {
            goals: goals.collect(),
            legal: self.legal,
            legal_bit: self.legal_bit,
            terminal: self.terminal,
            default: self.default,
            loose: self.loose,
            shares: turn.shares.clone(),
            lists,
            effects,
            ready: self.ready,
        }
    }
}

fn list_table(
    turn: &Turn,
    list: usize,
    ready: Range<u32>,
    writer: &mut Writer<'_>,
    effects: &mut Vec<(u32, Lit)>,
) -> List {
    let own = if ready.is_empty() { turn.effects(list) } else { &[] };
    let program = writer.program(own.iter().map(|&(_, next)| next));
    let start = number(effects.len());
    effects.extend(own.iter().map(|&(fluent, next)| (fluent, writer.lit(next))));
    effects[start as usize..].sort_unstable();
    List { program, effects: start..number(effects.len()), ready }
}
