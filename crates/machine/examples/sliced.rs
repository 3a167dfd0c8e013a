//! Plays random playouts of description files in lanes and prints how fast that is on one core, beside hand-written
//! programs for tic-tac-toe and connect four: `sliced [--path NAME] [--seconds N] FILE…`.

use std::error::Error;
use std::num::NonZeroUsize;
use std::time::Duration;

use groundrules_ground::{Options as GroundOptions, ground};
use groundrules_machine::engines::sliced::{Options as SlicedOptions, Path, Sliced};
use groundrules_machine::run::{Options, Until, run};
use groundrules_net::{Network, simplify};

#[path = "yardstick/mod.rs"]
mod yardstick;

fn main() -> Result<(), Box<dyn Error>> {
    let mut path = None;
    let mut seconds = 1.0;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--path" => {
                let name = arguments.next().unwrap_or_default();
                path = Path::ALL.into_iter().find(|path| format!("{path:?}").eq_ignore_ascii_case(&name));
            }
            "--seconds" => seconds = arguments.next().unwrap_or_default().parse()?,
            "--hand" => yardstick::print(seconds),
            file => measure(file, path, seconds)?,
        }
    }
    Ok(())
}

fn measure(file: &str, path: Option<Path>, seconds: f64) -> Result<(), Box<dyn Error>> {
    let start = yardstick::cpu_seconds();
    let since = |start: f64| Duration::from_secs_f64((yardstick::cpu_seconds() - start).max(0.0));
    let text = std::fs::read(file)?;
    let reading = groundrules_gdl::read(&text, &groundrules_gdl::Options::default());
    let game = reading.game.ok_or("the description has errors")?;
    let ground = ground(&game, &GroundOptions::default())?;
    let grounded = since(start);
    let (network, _) = simplify(&Network::of(&ground)?, &groundrules_net::Options::default());
    let netted = since(start);
    let roles = ground.roles.iter().map(|&role| ground.term(role)).collect();
    let sliced = Sliced::new(&network, roles, &SlicedOptions { path, ..SlicedOptions::default() })?;
    let ready = since(start);
    let options = Options {
        until: Until::Time(Duration::from_secs_f64(seconds)),
        seed: 1,
        threads: NonZeroUsize::MIN,
        max_steps: 10_000,
    };
    let before = yardstick::cpu_seconds();
    let run = run(&sliced, &options, &mut |_| {})?;
    let used = yardstick::cpu_seconds() - before;
    let tally = &run.tally;
    let name = std::path::Path::new(file).file_stem().unwrap_or_default().to_string_lossy();
    println!(
        "{name:24} {:?} network {} circuit {} | ground {:.0?} net {:.0?} compile {:.1?}",
        sliced.path(),
        network.gate_count(),
        sliced.gates(),
        grounded,
        netted - grounded,
        ready - netted
    );
    println!("    {}", sliced.summary());
    let means: Vec<String> = tally
        .goals
        .iter()
        .map(|goals| format!("{:.2}", goals.moments().mean().unwrap_or(f64::NAN)))
        .collect();
    println!(
        "    {:.2} M states/s  {:.3} M playouts/s  length {:.2}  goals {}  unfinished {} unplayable {}",
        tally.states as f64 / used / 1e6,
        tally.playouts as f64 / used / 1e6,
        tally.states as f64 / tally.playouts as f64,
        means.join(" "),
        tally.unfinished,
        tally.unplayable,
    );
    Ok(())
}
