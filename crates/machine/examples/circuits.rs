//! The circuits of the engine `sliced`, chosen in different ways: `circuits SECONDS FILE…` prints for each description and each
//! way of choosing the set-up time, the gates, states for each second of processor time, and the mean goals. `WAYS=02` leaves out
//! the second of the ways, and with `AVX2` set the machine code is that for AVX2.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime};

use groundrules_gdl::{Options as ReadOptions, Roles, read};
use groundrules_ground::ground;
use groundrules_machine::engines::sliced::{Method, Options, Path, Sliced};
use groundrules_machine::playout::{Playouts, Setting};
use groundrules_machine::{Goals, Tally};
use groundrules_net::{Network, simplify};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seconds: f64 = arguments.next().and_then(|it| it.parse().ok()).unwrap_or(1.0);
    for path in arguments {
        if let Err(error) = show(&path, seconds) {
            println!("{path}: {error}");
        }
    }
}

fn show(path: &str, seconds: f64) -> Result<(), String> {
    let name = path.rsplit('/').next().unwrap_or_default().replace(".kif", "");
    let text = std::fs::read(path).map_err(|error| error.to_string())?;
    let checked = read(&text, &ReadOptions::default());
    let game = checked.game.ok_or_else(|| checked.reason.unwrap_or_default())?;
    let begun = cpu();
    let ground = ground(&game, &groundrules_ground::Options::default()).map_err(|error| error.to_string())?;
    let grounded = cpu();
    let network = Network::of(&ground).map_err(|error| error.to_string())?;
    let (network, _) = simplify(&network, &groundrules_net::Options::default());
    let made = cpu();
    println!(
        "{name}: grounding {:.2} s, network {:.2} s: {} moves, {} gates, {} operands",
        (grounded - begun).as_secs_f64(),
        (made - grounded).as_secs_f64(),
        network.moves(),
        network.gate_count(),
        network.operand_count()
    );
    let ways = [None, Some(Method::Factors { draws: 3 }), Some(Method::Rank { draws: 3 })];
    let wanted = std::env::var("WAYS").unwrap_or_else(|_| "012".to_owned());
    for (_, choice) in ways.into_iter().enumerate().filter(|(way, _)| wanted.contains(&way.to_string())) {
        let roles = Roles::new(ground.roles.iter().map(|&role| ground.term(role)).collect());
        let begun = cpu();
        let path = std::env::var_os("AVX2").map(|_| Path::Code256);
        let mut sliced = match Sliced::new(&network, roles, &Options { choice, path, ..Options::default() }) {
            Ok(sliced) => sliced,
            Err(error) => {
                println!("  {choice:?}: {error}");
                continue;
            }
        };
        let set_up = (cpu() - begun).as_secs_f64();
        let stop = AtomicBool::new(false);
        let setting = Setting { seed: 1, max_steps: 10_000, stop: &stop };
        let mut tally = Tally::new(network.roles);
        let begun = cpu();
        // The first block also counts choices, which is another engine's work.
        for block in 1.. {
            sliced
                .play(block, sliced.block_size().min(2048), &setting, &mut tally)
                .map_err(|error| error.to_string())?;
            if (cpu() - begun).as_secs_f64() > seconds {
                break;
            }
        }
        let used = (cpu() - begun).as_secs_f64();
        println!(
            "  {}: set-up {set_up:.2} s, {} gates, {:.3} M states/s, {:.2} K playouts/s, goals {:?}",
            choice.map_or("by itself".to_owned(), |choice| format!("{choice:?}")),
            sliced.gates(),
            tally.states as f64 / used / 1e6,
            tally.playouts as f64 / used / 1e3,
            tally.goals.iter().map(mean).collect::<Vec<_>>(),
        );
        println!("    {}", sliced.summary());
    }
    Ok(())
}

/// The processor time of this thread.
fn cpu() -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let told = told.and_then(|text| text.split(' ').next().and_then(|first| first.parse().ok()));
    match told {
        Some(nanoseconds) => Duration::from_nanos(nanoseconds),
        None => SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default(),
    }
}

/// The mean goal.
fn mean(goals: &Goals) -> f64 {
    let playouts: u64 = goals.histogram.values().sum();
    let sum: f64 = goals.histogram.iter().map(|(&value, &times)| f64::from(value) * times as f64).sum();
    sum / playouts as f64
}
