//! How fast the engine `net` plays at random: `cargo run --release --example net_speed -- [-t SECONDS] FILE…`. The first line
//! is the yardstick, connect four written by hand with bit boards, so that figures of different machines compare.

use std::env;
use std::error::Error;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use groundrules_gdl::{Options as ReadOptions, read};
use groundrules_ground::{Limits, Options, ground};
use groundrules_machine::engines::net::NetMachine;
use groundrules_machine::{Machine, Move};

/// A small generator of good quality: xoshiro256++.
struct Random([u64; 4]);

impl Random {
    fn next(&mut self) -> u64 {
        let s = &mut self.0;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next() >> 32) * bound as u128) >> 32) as usize
    }
}

/// One random match of connect four on 8×6; gives the number of states.
fn hand_written(random: &mut Random) -> u64 {
    const HEIGHT: u32 = 7;
    let (mut own, mut all, mut states) = (0u64, 0u64, 1);
    // The lowest free bit of each column that is not full.
    let mut free: [u8; 8] = std::array::from_fn(|column| column as u8 * HEIGHT as u8);
    let mut open = 8;
    while open > 0 {
        let place = random.below(open) & 7;
        let bit = 1u64 << free[place];
        free[place] += 1;
        if free[place] as u32 % HEIGHT == HEIGHT - 1 {
            open -= 1;
            free[place] = free[open & 7];
        }
        all |= bit;
        own |= bit;
        states += 1;
        let line = |step: u32| {
            let pairs = own & own >> step;
            pairs & pairs >> (2 * step)
        };
        if line(1) | line(HEIGHT) | line(HEIGHT - 1) | line(HEIGHT + 1) != 0 {
            break;
        }
        own = all & !own;
    }
    states
}

/// How long this thread has been on a processor; other programs do not count.
fn on_processor() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|word| word.parse().ok());
    nanoseconds.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// One random match; gives the number of states.
fn playout(
    machine: &mut dyn Machine,
    random: &mut Random,
    joint: &mut Vec<Move>,
) -> Result<u64, Box<dyn Error>> {
    machine.reset();
    let roles = machine.roles().len();
    for states in 1..1000 {
        if machine.is_terminal()? {
            for role in 0..roles {
                std::hint::black_box(machine.goals(role)?);
            }
            return Ok(states);
        }
        joint.clear();
        for role in 0..roles {
            let legal = machine.legal(role)?;
            if legal.is_empty() {
                return Ok(states);
            }
            joint.push(legal[random.below(legal.len())]);
        }
        machine.advance(joint)?;
    }
    Ok(1000)
}

fn measure(
    time: Duration,
    mut one: impl FnMut() -> Result<u64, Box<dyn Error>>,
) -> Result<(f64, f64), Box<dyn Error>> {
    let (mut states, mut matches, mut batch) = (0, 0u64, 1);
    let start = on_processor();
    loop {
        for _ in 0..batch {
            states += one()?;
        }
        matches += batch;
        let used = on_processor().saturating_sub(start);
        if used >= time {
            let seconds = used.as_secs_f64();
            return Ok((states as f64 / seconds, matches as f64 / seconds));
        }
        if used < time / 20 {
            batch *= 2;
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = env::args().skip(1).collect();
    let mut time = Duration::from_secs(1);
    if arguments.first().is_some_and(|word| word == "-t") {
        time = Duration::from_secs_f64(arguments.get(1).ok_or("-t SECONDS")?.parse()?);
        arguments.drain(..2);
    }
    let mut random = Random([1, 2, 3, 4]);
    let (states, _) = measure(time, || Ok((0..100).map(|_| hand_written(&mut random)).sum()))?;
    println!("{:28} {:10.0} states/s", "connect four by hand", states);
    for path in arguments {
        let text = std::fs::read(&path)?;
        let Some(game) = read(&text, &ReadOptions::default()).game else { continue };
        let start = on_processor();
        let limits = Limits::default().within(Duration::from_secs(10));
        let Ok(ground) = ground(&game, &Options { limits, ..Options::default() }) else { continue };
        let grounded = on_processor() - start;
        let mut machine = NetMachine::new(ground)?;
        let ready = on_processor() - start - grounded;
        let mut joint = Vec::new();
        let (states, matches) = measure(time, || playout(&mut machine, &mut random, &mut joint))?;
        println!(
            "{:28} {states:10.0} states/s {matches:9.0} playouts/s {:8.0} gates {:8.1} ms to ground {:8.1} ms set-up",
            path.rsplit('/').next().unwrap_or(&path),
            machine.gates(),
            grounded.as_secs_f64() * 1e3,
            ready.as_secs_f64() * 1e3,
        );
    }
    Ok(())
}
