//! How fast the engine `net` plays at random: `cargo run --release --example net_speed -- [-t SECONDS] FILE…`. The first line
//! is the yardstick, connect four written by hand with bit boards, so that figures of different machines compare.

use std::env;
use std::error::Error;
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
    const HEIGHT: usize = 7;
    let (mut own, mut all, mut states) = (0u64, 0u64, 1);
    let mut heights = [0u8; 8];
    loop {
        let mut columns = [0u8; 8];
        let mut open = 0;
        for (column, &height) in heights.iter().enumerate() {
            columns[open] = column as u8;
            open += usize::from(height < 6);
        }
        if open == 0 {
            return states;
        }
        let column = columns[random.below(open)] as usize;
        let bit = 1u64 << (column * HEIGHT + heights[column] as usize);
        heights[column] += 1;
        all |= bit;
        own |= bit;
        states += 1;
        let wins = [1, HEIGHT, HEIGHT - 1, HEIGHT + 1].into_iter().any(|step| {
            let pairs = own & own >> step;
            pairs & pairs >> (2 * step) != 0
        });
        if wins {
            return states;
        }
        own = all & !own;
    }
}

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
    let (mut states, mut matches) = (0, 0);
    let start = Instant::now();
    while start.elapsed() < time || matches == 0 {
        for _ in 0..if matches < 10 { 1 } else { 10 } {
            states += one()?;
            matches += 1;
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    Ok((states as f64 / seconds, f64::from(matches) / seconds))
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
        let start = Instant::now();
        let limits = Limits::default().within(Duration::from_secs(10));
        let Ok(ground) = ground(&game, &Options { limits, ..Options::default() }) else { continue };
        let grounded = start.elapsed();
        let mut machine = NetMachine::new(ground)?;
        let ready = start.elapsed() - grounded;
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
