//! The yardstick: random playouts of tic-tac-toe and connect four on bitboards, as a programmer would write them for
//! these games alone.

use std::time::{Duration, Instant};

use groundrules_gdl::time::process_time;
use serde::Serialize;

/// How fast the hand-written programs are.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Handwritten {
    /// Tic-tac-toe.
    pub(super) tic_tac_toe: Speed,
    /// Connect four on eight columns of six.
    pub(super) connect_four: Speed,
}

/// States and playouts per second of processor time.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Speed {
    pub(super) states_per_second: f64,
    pub(super) playouts_per_second: f64,
    /// Joint moves per playout.
    pub(super) mean_length: f64,
    /// What the first player gets.
    pub(super) mean_goal: f64,
}

impl Handwritten {
    /// Plays both games for so long.
    pub(super) fn measure(time: Duration) -> Handwritten {
        let wins = winning_boards();
        Handwritten {
            tic_tac_toe: measure(time, |random| tic_tac_toe(random, &wins)),
            connect_four: measure(time, connect_four),
        }
    }
}

/// A fast generator, Marsaglia's xorshift.
struct XorShift(u64);

impl XorShift {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: u32) -> u32 {
        (((self.next() >> 32) * u64::from(bound)) >> 32) as u32
    }
}

/// After how many moves a playout ended, and how: 0 if nobody won, else the winner's number from 1.
type End = (u64, usize);

fn tic_tac_toe(random: &mut XorShift, wins: &[bool; 512]) -> End {
    let mut boards = [0_u64; 2];
    let mut free = 0x1ff_u64;
    let mut length = 0;
    while free != 0 {
        let mover = (length & 1) as usize;
        let bit = nth_bit(free, random.below(free.count_ones()));
        free &= !bit;
        boards[mover] |= bit;
        length += 1;
        if wins[boards[mover] as usize] {
            return (length, mover + 1);
        }
    }
    (length, 0)
}

/// The n-th bit that is set, counted from 0.
fn nth_bit(mut bits: u64, n: u32) -> u64 {
    for _ in 0..n {
        bits &= bits - 1;
    }
    bits & bits.wrapping_neg()
}

fn winning_boards() -> [bool; 512] {
    let lines = [0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];
    std::array::from_fn(|board| lines.iter().any(|line| board & line == *line))
}

const WIDTH: usize = 8;
const HEIGHT: u32 = 6;

/// One more bit a column than there are cells, so that lines do not run from one column into the next.
fn bottom(column: usize) -> u32 {
    column as u32 * (HEIGHT + 1)
}

fn connect_four(random: &mut XorShift) -> End {
    let mut boards = [0_u64; 2];
    let mut tops: [u32; WIDTH] = std::array::from_fn(bottom);
    let mut open: [usize; WIDTH] = std::array::from_fn(|column| column);
    let mut columns = WIDTH;
    let mut length = 0;
    while columns > 0 {
        let mover = (length & 1) as usize;
        let chosen = random.below(columns as u32) as usize;
        let column = open[chosen];
        boards[mover] |= 1 << tops[column];
        tops[column] += 1;
        length += 1;
        if has_four(boards[mover]) {
            return (length, mover + 1);
        }
        if tops[column] == bottom(column) + HEIGHT {
            columns -= 1;
            open[chosen] = open[columns];
        }
    }
    (length, 0)
}

fn has_four(board: u64) -> bool {
    [1, HEIGHT, HEIGHT + 1, HEIGHT + 2].iter().any(|&shift| {
        let pairs = board & board >> shift;
        pairs & pairs >> (2 * shift) != 0
    })
}

fn measure(time: Duration, mut playout: impl FnMut(&mut XorShift) -> End) -> Speed {
    const AT_ONCE: u64 = 10_000;
    let mut random = XorShift(0x2545_f491_4f6c_dd1d);
    let (start, before) = (Instant::now(), process_time());
    let (mut states, mut playouts, mut won) = (0, 0, [0_u64; 3]);
    while start.elapsed() < time {
        for _ in 0..AT_ONCE {
            let (length, winner) = playout(&mut random);
            states += length;
            won[winner] += 1;
        }
        playouts += AT_ONCE;
    }
    let used = before.zip(process_time()).map_or(start.elapsed(), |(then, now)| now.saturating_sub(then));
    let seconds = used.as_secs_f64().max(1e-9);
    Speed {
        states_per_second: states as f64 / seconds,
        playouts_per_second: playouts as f64 / seconds,
        mean_length: states as f64 / playouts as f64,
        mean_goal: (100 * won[1] + 50 * won[0]) as f64 / playouts as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_games_are_played_by_their_rules() {
        let hand = Handwritten::measure(Duration::from_millis(50));
        // Of random tic-tac-toe 58.5 % are won by the first player and 12.7 % by nobody.
        assert!((hand.tic_tac_toe.mean_goal - 64.8).abs() < 1.5, "{hand:?}");
        assert!((hand.tic_tac_toe.mean_length - 7.63).abs() < 0.1, "{hand:?}");
        assert!((50.0..60.0).contains(&hand.connect_four.mean_goal), "{hand:?}");
        assert!(has_four(0b1111) && has_four(1 | 1 << 7 | 1 << 14 | 1 << 21) && !has_four(0b111_0111));
    }
}
