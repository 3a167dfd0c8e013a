//! The immutable tables of the engine for one game: the wiring of the gates that propagation updates, the programs of
//! the others, and where the outputs are. Forked machines share them.

use std::sync::Arc;

use groundrules_gdl::time::{Cancel, Cancelled};
use groundrules_net::parts::Turn;
use groundrules_net::{Literal, Network, Options, Parts, simplify_cancellable};

use super::program::{Code, Program, Writer};
use super::wiring::{Lit, Places, Wiring};
use crate::index::index32;
use crate::machine::Move;
use crate::vocabulary::Vocabulary;

/// What is looked up.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) names: Arc<Vocabulary>,
    /// The network as the rules are written, for states and moves outside legal play.
    pub(super) written: Arc<Network>,
    pub(super) init: Vec<u64>,
    /// Fluents that never change in legal play, and their values.
    pub(super) fixed: Vec<(u64, u64)>,
    /// The fluents that say whose turn it is.
    pub(super) control: Vec<u32>,
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
    pub(super) moves: Vec<MoveTable>,
    /// What moves do to fluents: the fluent, ascending for each move, and what is next.
    pub(super) effects: Vec<(u32, Lit)>,
    /// For each role what computes its goals, and the goals.
    pub(super) goals: Vec<(Program, Vec<(i32, Lit)>)>,
}

/// Where the bits of a role's legal moves are: the first word, and the move of each bit.
#[derive(Debug)]
pub(super) struct LegalBits {
    pub(super) start: usize,
    pub(super) moves: Vec<Move>,
}

/// What a move does.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MoveTable {
    pub(super) program: Program,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// In place of a bit: the move is never legal.
pub(super) const NEVER: u32 = u32::MAX;

impl Tables {
    pub(super) fn new(
        names: Arc<Vocabulary>,
        written: Arc<Network>,
        cancel: &Cancel,
    ) -> Result<Self, Cancelled> {
        let options = Options { share_operands: false, ..Options::default() };
        let (network, _) = simplify_cancellable(&written, &options, cancel)?;
        let parts = Parts::of(names.game(), &network, &options);
        cancel.check()?;
        let mut outputs = OutputBits::default();
        let layouts: Vec<Layout> = parts.turns.iter().map(|turn| outputs.layout(turn, &network)).collect();
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
        cancel.check()?;
        Ok(Tables {
            init: packed(network.fluents(), |fluent| network.init[fluent]),
            fixed: fixed(&network),
            control: parts.control.iter().map(|&fluent| number(fluent)).collect(),
            outputs: outputs.words,
            names,
            written,
            turns,
            wiring,
            code,
            nodes,
        })
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

fn fixed(network: &Network) -> Vec<(u64, u64)> {
    let mut words = vec![(0, 0); network.fluents().div_ceil(64)];
    for &(fluent, value) in &network.fixed {
        let (mask, values) = &mut words[fluent / 64];
        *mask |= 1 << (fluent % 64);
        *values |= u64::from(value) << (fluent % 64);
    }
    words
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

    fn layout(&mut self, turn: &Turn, network: &Network) -> Layout {
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
        Layout { legal, legal_bit, terminal: number(terminal), default: default / 64, loose }
    }
}

/// Where a turn's answers are.
struct Layout {
    legal: Vec<LegalBits>,
    legal_bit: Vec<u32>,
    terminal: u32,
    default: usize,
    loose: Vec<(u32, u64)>,
}

impl Layout {
    fn table(self, turn: &Turn, roles: usize, writer: &mut Writer<'_>) -> TurnTable {
        let mut effects = Vec::new();
        let moves = (0..turn.legal.len()).map(|made| move_table(turn, made, writer, &mut effects)).collect();
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
            moves,
            effects,
        }
    }
}

fn move_table(turn: &Turn, made: usize, writer: &mut Writer<'_>, effects: &mut Vec<(u32, Lit)>) -> MoveTable {
    let own = turn.effects(made);
    let program = writer.program(own.iter().map(|&(_, next)| next));
    let start = number(effects.len());
    effects.extend(own.iter().map(|&(fluent, next)| (fluent, writer.lit(next))));
    effects[start as usize..].sort_unstable();
    MoveTable { program, start, end: number(effects.len()) }
}
