//! The possible values of every node of a network, in many lanes at once: possibly true, possibly false, or both. Those of
//! fluents and moves are given; those of gates follow. A value that is not possible is never taken, whatever the open fluents and
//! moves are. The converse does not hold, because open values are treated as independent.

use std::sync::Arc;

use groundrules_net::{Block, Kind, Literal, Network};

/// Words of bits for a node.
const WORDS: usize = 4;

/// How many lanes there are.
pub(crate) const LANES: usize = WORDS * 64;

/// A bit for each lane.
pub(crate) type Bits = [u64; WORDS];

/// In which lanes a node may be true and in which it may be false.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct May {
    pub(crate) hold: Bits,
    pub(crate) fail: Bits,
}

impl May {
    pub(crate) const FALSE: May = May { hold: [0; WORDS], fail: [!0; WORDS] };
    pub(crate) const EITHER: May = May { hold: [!0; WORDS], fail: [!0; WORDS] };

    /// True in these lanes, false in the others.
    #[inline]
    pub(crate) fn known(hold: Bits) -> May {
        May { hold, fail: not(hold) }
    }

    /// The value of a literal of a node with this value. Whether it is a complement is as good as random, so nothing branches
    /// on it.
    #[inline]
    pub(crate) fn of(self, literal: Literal) -> May {
        let swapped = u64::from(literal.is_complemented()).wrapping_neg();
        let difference: Bits = std::array::from_fn(|word| (self.hold[word] ^ self.fail[word]) & swapped);
        May {
            hold: std::array::from_fn(|word| self.hold[word] ^ difference[word]),
            fail: std::array::from_fn(|word| self.fail[word] ^ difference[word]),
        }
    }

    /// Makes the value known in one lane.
    #[inline]
    pub(crate) fn set(&mut self, lane: usize, value: bool) {
        let (word, bit) = (lane / 64, 1 << (lane % 64));
        let (is, is_not) =
            if value { (&mut self.hold, &mut self.fail) } else { (&mut self.fail, &mut self.hold) };
        is[word] |= bit;
        is_not[word] &= !bit;
    }
}

#[inline]
pub(crate) fn all(one: Bits, other: Bits) -> Bits {
    std::array::from_fn(|word| one[word] & other[word])
}

#[inline]
pub(crate) fn any(one: Bits, other: Bits) -> Bits {
    std::array::from_fn(|word| one[word] | other[word])
}

#[inline]
pub(crate) fn not(bits: Bits) -> Bits {
    bits.map(|word| !word)
}

#[inline]
pub(crate) fn bit(bits: &Bits, lane: usize) -> bool {
    bits[lane / 64] >> (lane % 64) & 1 == 1
}

/// The lanes whose bits are set, ascending.
pub(crate) fn lanes(bits: Bits) -> impl Iterator<Item = usize> {
    bits.into_iter().enumerate().flat_map(|(place, word)| {
        let drop_lowest = |&word: &u64| Some(word & (word - 1)).filter(|&rest| rest != 0);
        let rests = std::iter::successors(Some(word).filter(|&word| word != 0), drop_lowest);
        rests.map(move |rest| place * 64 + rest.trailing_zeros() as usize)
    })
}

/// What may be of every node.
#[derive(Clone, Debug)]
pub(crate) struct Outlook {
    network: Arc<Network>,
    values: Vec<May>,
}

impl Outlook {
    /// Of the nodes of a network. It takes memory when it is first used.
    pub(crate) fn new(network: Arc<Network>) -> Self {
        Outlook { network, values: Vec::new() }
    }

    pub(crate) fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// All fluents and all moves are like this in all lanes.
    pub(crate) fn fill(&mut self, fluents: May, moves: May) {
        self.values.resize(self.network.node_count(), May::default());
        let (known, count) = (1 + self.network.fluents(), self.network.moves());
        self.values[0] = May::FALSE;
        self.values[1..known].fill(fluents);
        self.values[known..known + count].fill(moves);
    }

    #[inline]
    pub(crate) fn fluent(&mut self, fluent: usize) -> &mut May {
        &mut self.values[1 + fluent]
    }

    #[inline]
    pub(crate) fn made(&mut self, number: usize) -> &mut May {
        let first = 1 + self.network.fluents();
        &mut self.values[first + number]
    }

    #[inline]
    pub(crate) fn may(&self, literal: Literal) -> May {
        self.values[literal.node().index()].of(literal)
    }

    /// The gates, from what may be of fluents and moves.
    pub(crate) fn evaluate(&mut self) {
        let network = self.network.clone();
        let first = network.node_count() - network.gate_count();
        for Block { gates, is_component } in network.blocks() {
            if is_component {
                // Gates that depend on each other hold if they must, and here may if they may by way of the others; that
                // they fail is not looked into.
                self.values[first + gates.start..first + gates.end].fill(May::FALSE);
            }
            let mut changed = true;
            while std::mem::take(&mut changed) {
                for member in gates.clone() {
                    let mut value = self.gate(&network, member);
                    if is_component {
                        value.fail = [!0; WORDS];
                        changed |= self.values[first + member] != value;
                    }
                    self.values[first + member] = value;
                }
            }
        }
    }

    #[inline]
    fn gate(&self, network: &Network, gate: usize) -> May {
        let (mut one, mut every) = (May::FALSE, May { hold: [!0; WORDS], fail: [0; WORDS] });
        let operands = network.operands(gate);
        match network.gate_kind(gate) {
            Kind::And => {
                for &operand in operands {
                    let operand = self.may(operand);
                    every = May { hold: all(every.hold, operand.hold), fail: any(every.fail, operand.fail) };
                }
                every
            }
            Kind::Or => {
                for &operand in operands {
                    let operand = self.may(operand);
                    one = May { hold: any(one.hold, operand.hold), fail: all(one.fail, operand.fail) };
                }
                one
            }
        }
    }
}
