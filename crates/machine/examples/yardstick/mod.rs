//! Hand-written random playouts on bitboards: what a programmer would write for one game.

use std::time::Instant;

/// The processor time this process has used, in seconds.
pub(crate) fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
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

/// A playout of tic-tac-toe: its length and who won, 0 for nobody.
fn tic_tac_toe(random: &mut XorShift, wins: &[bool; 512]) -> (u64, u8) {
    let mut boards = [0_u16; 2];
    let mut open = [0_u8, 1, 2, 3, 4, 5, 6, 7, 8];
    for length in 1..=9 {
        let mover = (length + 1) & 1;
        let left = 9 - (length - 1);
        let index = random.below(left as u32) as usize;
        boards[mover] |= 1 << open[index];
        open[index] = open[left - 1];
        if wins[usize::from(boards[mover])] {
            return (length as u64, mover as u8 + 1);
        }
    }
    (9, 0)
}

fn winning_boards() -> [bool; 512] {
    let lines = [0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];
    std::array::from_fn(|board| lines.iter().any(|line| board & line == *line))
}

const WIDTH: u32 = 8;
const HEIGHT: u32 = 6;

/// A playout of connect four on eight columns of six, as the public description has it.
fn connect_four(random: &mut XorShift) -> (u64, u8) {
    let mut boards = [0_u64; 2];
    let mut heights: [u32; WIDTH as usize] = std::array::from_fn(|column| column as u32 * (HEIGHT + 1));
    let mut open = [0_u8; WIDTH as usize];
    (0..WIDTH as u8).for_each(|column| open[column as usize] = column);
    let mut columns = WIDTH;
    let mut length = 0;
    while columns > 0 {
        let mover = (length & 1) as usize;
        let index = random.below(columns) as usize;
        let column = open[index] as usize;
        boards[mover] |= 1 << heights[column];
        heights[column] += 1;
        length += 1;
        if has_four(boards[mover]) {
            return (length, mover as u8 + 1);
        }
        if heights[column] == column as u32 * (HEIGHT + 1) + HEIGHT {
            columns -= 1;
            open[index] = open[columns as usize];
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

/// Measures both and prints states per processor second.
pub(crate) fn print(seconds: f64) {
    let wins = winning_boards();
    measure("tic-tac-toe by hand", seconds, |random| tic_tac_toe(random, &wins));
    measure("connect four by hand", seconds, connect_four);
}

fn measure(name: &str, seconds: f64, mut playout: impl FnMut(&mut XorShift) -> (u64, u8)) {
    let mut random = XorShift(0x2545_f491_4f6c_dd1d);
    let (start, before) = (Instant::now(), cpu_seconds());
    let (mut states, mut playouts) = (0, 0);
    let mut won = [0_u64; 3];
    while start.elapsed().as_secs_f64() < seconds {
        for _ in 0..10_000 {
            let (length, winner) = playout(&mut random);
            states += length;
            won[winner as usize] += 1;
            playouts += 1;
        }
    }
    let used = cpu_seconds() - before;
    let mean = (won[1] as f64 * 100.0 + won[0] as f64 * 50.0) / playouts as f64;
    println!(
        "{name}: {:.2} M states/s, {:.3} M playouts/s, length {:.2}, first player {mean:.2}",
        states as f64 / used / 1e6,
        playouts as f64 / used / 1e6,
        states as f64 / playouts as f64,
    );
}
