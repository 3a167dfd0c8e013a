//! States as words. The same fluents always give the same words: the rows of a fluent are a set of bits where their
//! codes are small, else sorted.

use super::prove::Prover;
use super::row_set::RowSet;
use super::set_up::Fluent;
use crate::State;

/// How many codes a fluent may have to be packed as bits.
const MOST_BITS: u64 = 4096;

/// Writes the state.
pub(super) fn pack(prover: &Prover, fluents: &[Fluent], state: &mut State) {
    let words = state.words_mut();
    words.clear();
    for fluent in fluents {
        let table = &prover.tables[fluent.table];
        let coding = table.coding(0);
        match coding.codes {
            Some(codes) if codes <= MOST_BITS => {
                let first = words.len();
                words.resize(first + codes.div_ceil(64) as usize, 0);
                for row in table.rows() {
                    let code = coding.code(row.iter().copied());
                    words[first + (code / 64) as usize] |= 1 << (code % 64);
                }
            }
            Some(_) => {
                words.push(u64::from(table.len()));
                let first = words.len();
                words.extend(table.rows().map(|row| coding.code(row.iter().copied())));
                words[first..].sort_unstable();
            }
            None => {
                words.push(u64::from(table.len()));
                let mut rows: Vec<&[u32]> = table.rows().collect();
                rows.sort_unstable();
                words.extend(rows.into_iter().flatten().map(|&value| u64::from(value)));
            }
        }
    }
}

/// Reads a state back.
///
/// # Panics
///
/// If the words are no state of this game on this engine.
pub(super) fn unpack(prover: &mut Prover, fluents: &[Fluent], state: &State) {
    let mut words = state.words();
    let mut row = Vec::new();
    let mut largest = 0;
    for fluent in fluents {
        let table = &mut prover.tables[fluent.table];
        table.clear();
        let codes = table.coding(0).codes;
        if let Some(codes) = codes.filter(|&codes| codes <= MOST_BITS) {
            let own;
            (own, words) = taken(words, codes.div_ceil(64));
            for (place, &word) in own.iter().enumerate() {
                let mut left = word;
                while left != 0 {
                    let code = place as u64 * 64 + u64::from(left.trailing_zeros());
                    left &= left - 1;
                    decode(table, code, &mut row);
                    table.insert(&row);
                }
            }
            continue;
        }
        let (count, rest) = taken(words, 1);
        let stride = if codes.is_some() { 1 } else { table.stride() };
        let own;
        (own, words) = taken(rest, count[0].saturating_mul(stride as u64));
        for packed in own.chunks(stride.max(1)) {
            match codes {
                Some(_) => decode(table, packed[0], &mut row),
                None => {
                    row.clear();
                    row.extend(packed.iter().map(|&value| column(value)));
                }
            }
            table.insert(&row);
            let values = row.iter().zip(table.sizes());
            let nested = values.filter(|&(_, &size)| size >= 1 << 32).map(|(&value, _)| value);
            largest = nested.fold(largest, u32::max);
        }
    }
    assert!(words.is_empty(), "{} words too many: {FOREIGN}", words.len());
    prover.terms.learn(largest);
}

/// Why words cannot be read. Guessing a state from them would give wrong answers.
const FOREIGN: &str = "the state belongs to another game or engine";

/// So many words, and those after them.
fn taken(words: &[u64], count: u64) -> (&[u64], &[u64]) {
    let halves = usize::try_from(count).ok().and_then(|count| words.split_at_checked(count));
    halves.unwrap_or_else(|| panic!("{count} words expected, {} found: {FOREIGN}", words.len()))
}

/// A value of a column.
fn column(value: u64) -> u32 {
    u32::try_from(value).unwrap_or_else(|_| panic!("{value} is not a value of a column: {FOREIGN}"))
}

fn decode(table: &RowSet, code: u64, row: &mut Vec<u32>) {
    row.clear();
    let factors = &table.coding(0).factors;
    let values = factors.iter().zip(table.sizes()).map(|(&factor, &size)| code / factor.max(1) % size.max(1));
    row.extend(values.map(column));
}
