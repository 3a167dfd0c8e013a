//! Grounds descriptions and prints what each came to, and the rules that made the most:
//! `cargo run --release -p groundrules-ground --example weigh -- games/*.kif`. Passes named by `--without=NAME` are left out.

use std::time::Duration;

use groundrules_gdl::time::Stopwatch;
use groundrules_ground::{Limits, Options, Switch, Switches, ground};

/// How many rules of a description are listed.
const LISTED: usize = 6;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (flags, paths): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let switches = flags.iter().filter_map(|flag| Switch::named(flag.strip_prefix("--without=")?));
    let switches = switches.fold(Switches::default(), Switches::without);
    for path in paths {
        let stopwatch = Stopwatch::start();
        let text = std::fs::read(&path)?;
        let game =
            groundrules_gdl::read(&text, &groundrules_gdl::Options::default()).game.ok_or("it is not GDL")?;
        let limits = Limits { time: Some(Duration::from_secs(120)), ..Limits::default() };
        let grounded = match ground(&game, &Options { switches, limits, ..Options::default() }) {
            Ok(grounded) => grounded,
            Err(error) => {
                println!("{path}: {error}");
                continue;
            }
        };
        let seconds = stopwatch.elapsed().as_secs_f64();
        let literals: usize = grounded.rules().map(|(_, body)| body.len()).sum();
        println!(
            "{path}: {} rules, {literals} literals, {} derived, {seconds:.3} s",
            grounded.rules().len(),
            grounded.derived.len()
        );
        if flags.iter().any(|flag| flag == "--rules") {
            let mut made: Vec<_> = grounded.made_by_rule.iter().enumerate().collect();
            made.sort_by_key(|(_, made)| std::cmp::Reverse(made.rules + made.tried / 16));
            for (rule, made) in made.into_iter().take(LISTED) {
                let span = game.span(game.rules()[rule].node);
                let line = text[..span.start as usize].iter().filter(|byte| **byte == b'\n').count() + 1;
                println!(
                    "  line {line}: {} rules, {} atoms, {} rows tried",
                    made.rules, made.atoms, made.tried
                );
            }
        }
    }
    Ok(())
}
