//! Random playouts of descriptions with the engine `tree`: `playouts SECONDS FILE…` prints for each file the set-up time,
//! playouts and states for each CPU second, and memory. States are counted as a match sees them: the end of the match
//! and the legal moves of every role in each state, the goals in the last.

use std::time::{Duration, SystemTime};

use groundrules_gdl::{Options, read};
use groundrules_machine::engines::tree::{TreeMachine, TreeOptions};
use groundrules_machine::{Machine, MachineError, Move};
use groundrules_oracle::playout::Xorshift;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seconds: f64 = arguments.next().and_then(|it| it.parse().ok()).unwrap_or(1.0);
    for path in arguments {
        let name = path.rsplit('/').next().unwrap_or_default().replace(".kif", "");
        if let Err(error) = play(&path, &name, Duration::from_secs_f64(seconds)) {
            println!("{name:30} {error}");
        }
    }
}

fn play(path: &str, name: &str, time: Duration) -> Result<(), String> {
    let text = std::fs::read(path).map_err(|error| error.to_string())?;
    let checked = read(&text, &Options::default());
    let game = checked.game.ok_or_else(|| checked.reason.unwrap_or_default())?;
    let begun = cpu();
    let mut machine = TreeMachine::new(&game, options()).map_err(|error| error.to_string())?;
    let set_up = cpu() - begun;
    let mut random = Xorshift::new(1);
    let most: Option<u64> = std::env::var("PLAYOUTS").ok().and_then(|number| number.parse().ok());
    let (mut states, mut playouts) = (0u64, 0u64);
    let begun = cpu();
    let result = loop {
        if most == Some(0) {
            break Ok(());
        }
        match playout(&mut machine, &mut random) {
            Ok(seen) => states += seen,
            Err(error) => break Err(error),
        }
        playouts += 1;
        if most.is_some_and(|most| playouts >= most) || most.is_none() && cpu() - begun > time {
            break Ok(());
        }
    };
    let elapsed = (cpu() - begun).as_secs_f64();
    println!(
        "{name:30} set-up {:8.2} ms {:10.1} playouts/s {:12.0} states/s {:8} KiB{}",
        set_up.as_secs_f64() * 1e3,
        playouts as f64 / elapsed,
        states as f64 / elapsed,
        machine.bytes() / 1024,
        result.err().map_or(String::new(), |error| format!(" {error}")),
    );
    if std::env::var_os("DESCRIBE").is_some() {
        println!("{}", machine.describe());
    }
    Ok(())
}

/// The CPU time of this thread so far, where the system tells it, else the time of day.
fn cpu() -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let told = told.and_then(|text| text.split(' ').next().and_then(|first| first.parse().ok()));
    match told {
        Some(nanoseconds) => Duration::from_nanos(nanoseconds),
        None => SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default(),
    }
}

/// The switches that the environment turns off: `OFF=filters,memo`.
fn options() -> TreeOptions {
    let off = std::env::var("OFF").unwrap_or_default();
    let is_on = |name: &str| !off.split(',').any(|other| other == name);
    TreeOptions {
        filters: is_on("filters"),
        remove_filters: is_on("remove_filters"),
        hash_rows: is_on("hash_rows"),
        inline_renamings: is_on("inline_renamings"),
        join_order: is_on("join_order"),
        memo: is_on("memo"),
        table_recurrence: is_on("table_recurrence"),
        steps: std::env::var("STEPS").ok().and_then(|it| it.parse().ok()).unwrap_or(u64::MAX),
        ..TreeOptions::default()
    }
}

fn playout(machine: &mut TreeMachine, random: &mut Xorshift) -> Result<u64, MachineError> {
    machine.reset();
    let roles = machine.roles().len();
    let mut joint: Vec<Move> = Vec::new();
    let mut states = 1;
    while !machine.is_terminal()? {
        joint.clear();
        for role in 0..roles {
            let moves = machine.legal(role)?;
            match moves.get(random.below(moves.len())) {
                Some(&made) => joint.push(made),
                None => return Ok(states),
            }
        }
        machine.advance(&joint)?;
        states += 1;
    }
    for role in 0..roles {
        machine.goals(role)?;
    }
    Ok(states)
}
