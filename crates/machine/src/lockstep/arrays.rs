//! The flat memory that lanes read moves from and write answers to. All of it belongs to the caller, lane after lane.

use super::{LaneLayout, StepError, check_length};

/// Numbers of actions, as wide as the caller has them.
#[derive(Clone, Copy, Debug)]
pub enum Numbers<'a> {
    /// 64 bits.
    I64(&'a [i64]),
    /// 32 bits.
    I32(&'a [i32]),
    /// 8 bits, without a sign.
    U8(&'a [u8]),
}

impl<'a, const N: usize> From<&'a [i64; N]> for Numbers<'a> {
    fn from(numbers: &'a [i64; N]) -> Self {
        Numbers::I64(numbers)
    }
}

impl<'a> From<&'a [i64]> for Numbers<'a> {
    fn from(numbers: &'a [i64]) -> Self {
        Numbers::I64(numbers)
    }
}

impl Numbers<'_> {
    fn len(&self) -> usize {
        match self {
            Numbers::I64(numbers) => numbers.len(),
            Numbers::I32(numbers) => numbers.len(),
            Numbers::U8(numbers) => numbers.len(),
        }
    }
}

/// What is done in all lanes.
#[derive(Clone, Copy, Debug)]
pub enum Actions<'a> {
    /// For each lane an action of each role.
    Joint(Numbers<'a>),
    /// For each lane an action of the role that has the turn. The others make the one move that they have.
    OfMover(Numbers<'a>),
}

impl<'a> Actions<'a> {
    pub(crate) fn numbers(&self) -> Numbers<'a> {
        match *self {
            Actions::Joint(numbers) | Actions::OfMover(numbers) => numbers,
        }
    }

    pub(crate) fn is_joint(&self) -> bool {
        matches!(self, Actions::Joint(_))
    }

    /// Whether there is a number for each place.
    pub(crate) fn check(&self, layout: &LaneLayout) -> Result<(), StepError> {
        let each = if self.is_joint() { layout.roles() } else { 1 };
        check_length("actions", layout.lanes * each, self.numbers().len())
    }
}

/// A number of an action.
pub(crate) trait ActionNumber: Copy {
    /// As a wide number, for messages.
    fn wide(self) -> i64;
    /// As an index; whatever is negative becomes a large one.
    fn index(self) -> usize;
}

macro_rules! action_number {
    ($($number:ty),*) => {
        $(impl ActionNumber for $number {
            #[inline(always)]
            fn wide(self) -> i64 {
                self.into()
            }

            #[inline(always)]
            fn index(self) -> usize {
                self as usize
            }
        })*
    };
}

action_number!(i64, i32, u8);

/// Does something with numbers, compiled for each width of them.
macro_rules! with_numbers {
    ($numbers:expr, $slice:ident => $work:expr) => {
        match $numbers {
            $crate::lockstep::Numbers::I64($slice) => $work,
            $crate::lockstep::Numbers::I32($slice) => $work,
            $crate::lockstep::Numbers::U8($slice) => $work,
        }
    };
}
pub(crate) use with_numbers;

/// Where the fluents of each lane go.
#[derive(Debug, Default)]
pub enum Observations<'a> {
    /// Nowhere.
    #[default]
    None,
    /// A byte for each fluent, 0 or 1.
    Bytes(&'a mut [u8]),
    /// A bit for each fluent, the lowest first, in whole words for each lane.
    Bits(&'a mut [u64]),
}

/// Where the legal moves of each lane go.
#[derive(Debug, Default)]
pub enum Legal<'a> {
    /// Nowhere.
    #[default]
    None,
    /// For each role as many bytes, 0 or 1, as the role with the most actions has.
    Bytes(&'a mut [u8]),
    /// The same in bits, the lowest first, in whole words for each lane.
    Bits(&'a mut [u64]),
}

/// Where answers go. An empty slice, which is the default, takes none.
#[derive(Debug, Default)]
pub struct Arrays<'a> {
    /// The fluents.
    pub observations: Observations<'a>,
    /// The legal moves. There are none where the match is over.
    pub legal: Legal<'a>,
    /// 1 where the match is over by the rules: with `auto_reset`, where this step ended it.
    pub terminal: &'a mut [u8],
    /// 1 where the match was cut short, by the limit of steps or because a role has no legal move.
    pub truncated: &'a mut [u8],
    /// For each role its goal where this step ended the match, 0 everywhere else. NaN where it has no goal or several.
    pub rewards: &'a mut [f32],
    /// Whose turn it is: the number of a role, or a code of [`turn`](super::turn).
    pub to_move: &'a mut [i8],
    /// How many joint moves the match has had.
    pub steps: &'a mut [u32],
}

impl Arrays<'_> {
    /// Whether each array is empty or has a place for each answer.
    pub(crate) fn check(&self, layout: &LaneLayout) -> Result<(), StepError> {
        let lanes = layout.lanes;
        let words = |bits: usize| bits.div_ceil(64).max(1);
        let optional = |what, expected: usize, given: usize| match given {
            0 => Ok(()),
            given => check_length(what, expected, given),
        };
        match &self.observations {
            Observations::None => {}
            Observations::Bytes(bytes) => {
                check_length("bytes of observations", lanes * layout.fluents(), bytes.len())?;
            }
            Observations::Bits(bits) => {
                check_length("words of observations", lanes * words(layout.fluents()), bits.len())?;
            }
        }
        match &self.legal {
            Legal::None => {}
            Legal::Bytes(bytes) => check_length("bytes of legal moves", lanes * layout.mask(), bytes.len())?,
            Legal::Bits(bits) => {
                check_length("words of legal moves", lanes * words(layout.mask()), bits.len())?;
            }
        }
        optional("ends", lanes, self.terminal.len())?;
        optional("cuts", lanes, self.truncated.len())?;
        optional("rewards", lanes * layout.roles(), self.rewards.len())?;
        optional("turns", lanes, self.to_move.len())?;
        optional("counts of steps", lanes, self.steps.len())
    }
}
