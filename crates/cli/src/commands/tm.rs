//! `groundrules tm MACHINE`: translates a Turing machine to a game, by Saffidine's construction, or runs the machine.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use groundrules::library;
use groundrules::source::Source;
use groundrules_gdl::nearest::nearest;
use groundrules_gdl::turing::{Machine, MachineError, Outcome, Run};
use serde_json::json;

use crate::output;

/// Write a Turing machine as a game, or run it.
///
/// The game has one player with one legal move in every state; it is won exactly when the machine accepts. Positions
/// are the machine's configurations: the fluents `(state q)` and `(tape left symbol right)`. With --run the machine
/// itself is run instead, and every step is shown with the fluents and the move that the game has at that point.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  groundrules tm busy-beaver-3 -o busy-beaver.kif    write the game
  groundrules tm mymachine.toml | groundrules check -
  groundrules tm palindrome --run 100                run the machine for at most 100 steps
  groundrules tm palindrome --run 100 --json         one JSON object with every step")]
pub(crate) struct Arguments {
    /// A machine's file, or the name of a machine of the library.
    machine: PathBuf,
    /// Run the machine for at most this many steps and show each.
    #[arg(long, value_name = "STEPS", conflicts_with = "output")]
    run: Option<u64>,
    /// Write the game to a file.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// With --run: write a JSON object with every step.
    #[arg(long, requires = "run")]
    json: bool,
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let (name, text) = text_of(&arguments.machine)?;
    let machine = match Machine::from_toml(&text) {
        Ok(machine) => machine,
        Err(error) => {
            report(&name, &error);
            return Ok(ExitCode::from(1));
        }
    };
    match (arguments.run, &arguments.output) {
        (Some(steps), _) => show_run(machine.run(), steps, arguments.json)?,
        (None, Some(path)) => output::write_file(path, machine.to_gdl().as_bytes())?,
        (None, None) => output::print_bytes(machine.to_gdl().as_bytes())?,
    }
    Ok(ExitCode::SUCCESS)
}

fn text_of(machine: &Path) -> Result<(String, String)> {
    let name = machine.to_string_lossy().into_owned();
    if machine.exists() {
        // A million transitions fit; what is larger is no machine.
        const MOST: usize = 64 << 20;
        let bytes = Source::File(machine.to_owned()).read(MOST)?;
        if bytes.len() > MOST {
            bail!("{name} is larger than {} MiB", MOST >> 20);
        }
        let text = String::from_utf8(bytes).with_context(|| format!("{name} is not valid UTF-8"))?;
        return Ok((name, text));
    }
    match library::machine(&name) {
        Some(text) => Ok((name, text.to_owned())),
        None => {
            let names: Vec<&str> = library::machine_names().collect();
            let near = nearest(&name, names.iter().copied());
            let advice = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            bail!(
                "`{name}` is neither a file nor a machine of the library{advice} (there are: {})",
                names.join(", ")
            )
        }
    }
}

fn report(name: &str, error: &MachineError) {
    for fault in error.faults() {
        anstream::eprintln!("{name}:{}:{}: {}", fault.line, fault.column, fault.message);
    }
    let count = error.faults().len();
    anstream::eprintln!("{name} is not a machine: {count} fault{}", if count == 1 { "" } else { "s" });
}

fn show_run(mut run: Run<'_>, most: u64, json: bool) -> Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    if json {
        // Written as it runs: a run can be longer than memory.
        write!(out, "{{\"steps\":[")?;
    }
    loop {
        let upcoming = run.upcoming().filter(|_| run.steps() < most);
        match json {
            true if run.steps() > 0 => write!(out, ",{}", json_step(&run))?,
            true => write!(out, "{}", json_step(&run))?,
            false => writeln!(out, "{}", step(&run))?,
        }
        if upcoming.is_none() || run.next().is_none() {
            break;
        }
    }
    let outcome = match run.outcome() {
        Outcome::Accepted => "accepted",
        Outcome::Rejected => "rejected",
        Outcome::Running if json => "running",
        Outcome::Running => "still running",
    };
    match json {
        true => writeln!(out, "],\"outcome\":\"{outcome}\"}}")?,
        false => writeln!(out, "{outcome} after {}", output::counted(run.steps(), "step"))?,
    }
    out.flush()?;
    Ok(())
}

/// A configuration on one line: the tape with the read symbol in brackets, and what the machine does next.
fn step(run: &Run<'_>) -> String {
    let configuration = run.configuration();
    let left: Vec<&str> = configuration.left().collect();
    let left = left.iter().rev().map(|symbol| format!("{symbol} ")).collect::<String>();
    let right = configuration.right().map(|symbol| format!(" {symbol}")).collect::<String>();
    let upcoming = run.upcoming().map_or_else(String::new, |upcoming| format!("  {upcoming}"));
    format!(
        "{:>6}  {}: {left}[{}]{right}{upcoming}",
        run.steps(),
        configuration.state(),
        configuration.head()
    )
}

fn json_step(run: &Run<'_>) -> String {
    json!({
        "step": run.steps(),
        "fluents": run.configuration().fluents(),
        "move": run.upcoming().map(|upcoming| upcoming.to_string()),
    })
    .to_string()
}
