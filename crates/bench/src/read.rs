//! `groundrules bench read`: megabytes parsed, checked and formatted per second, beside a plain pass over the bytes.

use std::hint::black_box;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use comfy_table::{CellAlignment, Table, presets};
use groundrules_command::output;
use groundrules_gdl::{Diagnostics, Limits, Options, format, syntax};
use serde::Serialize;

/// Measure reading and checking, compared with a plain pass over the bytes.
///
/// The texts are measured one by one, as they are used, and joined into one text, repeated to the given size.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Files, folders or names of the library; without any, the whole library.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// How many seconds to spend on each row.
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// The size of the joined text in megabytes; the texts are repeated to reach it.
    #[arg(long, default_value_t = 50, value_name = "MB")]
    joined: usize,
    /// Write JSON.
    #[arg(long)]
    json: bool,
}

/// One row of the result.
#[derive(Serialize)]
struct Measurement {
    what: &'static str,
    bytes: usize,
    runs: usize,
    median_seconds: f64,
    megabytes_per_second: f64,
    /// How many times longer than the plain pass over the same bytes.
    times_plain_pass: f64,
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let options = Options::default();
    let texts = texts(&arguments.files, options.limits.bytes)?;
    let single: usize = texts.iter().map(Vec::len).sum();
    let once = texts.join(&b'\n');
    let repeats = (arguments.joined * 1_000_000).div_ceil(once.len().max(1));
    let joined: Vec<u8> = [&once[..], b"\n"].concat().repeat(repeats);
    let each = |work: &dyn Fn(&[u8])| texts.iter().for_each(|text| work(text));

    let mut bench =
        Bench { budget: Duration::from_secs_f64(arguments.seconds), rows: Vec::new(), plain: 0.0 };
    bench.yardstick("plain pass, one by one", single, || each(&plain_pass));
    bench.measure("parsed, one by one", single, || each(&|text| parse(text, &options.limits)));
    bench.measure("parsed and checked, one by one", single, || each(&|text| check(text, &options)));
    bench.measure("formatted, one by one", single, || {
        each(&|text| drop(black_box(format::format(text, &options.limits))));
    });
    bench.yardstick("plain pass, joined once", once.len(), || plain_pass(&once));
    bench.measure("parsed and checked, joined once", once.len(), || check(&once, &options));
    bench.yardstick("plain pass, joined", joined.len(), || plain_pass(&joined));
    bench.measure("parsed, joined", joined.len(), || parse(&joined, &options.limits));
    bench.measure("parsed and checked, joined", joined.len(), || check(&joined, &options));

    let text = if arguments.json {
        format!("{}\n", serde_json::to_string(&bench.rows)?)
    } else {
        table(&bench.rows)
    };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn texts(files: &[PathBuf], limit: usize) -> Result<Vec<Vec<u8>>> {
    let sources = super::sources(files)?;
    sources.iter().map(|source| Ok(source.read(limit)?)).collect()
}

/// Looks at every byte once, as the simplest program over the same text would: counts the opening parentheses.
fn plain_pass(text: &[u8]) {
    black_box(text.iter().filter(|&&byte| byte == b'(').count());
}

fn parse(text: &[u8], limits: &Limits) {
    black_box(syntax::parse(text, limits, &mut Diagnostics::new(limits.diagnostics_per_code)));
}

fn check(text: &[u8], options: &Options) {
    black_box(groundrules_gdl::read(text, options));
}

struct Bench {
    budget: Duration,
    rows: Vec<Measurement>,
    plain: f64,
}

impl Bench {
    fn yardstick(&mut self, what: &'static str, bytes: usize, work: impl FnMut()) {
        self.plain = 0.0;
        self.measure(what, bytes, work);
        self.plain = self.rows.last().map_or(0.0, |row| row.median_seconds);
        if let Some(row) = self.rows.last_mut() {
            row.times_plain_pass = 1.0;
        }
    }

    /// Repeats the work for the budget, at least three times, and keeps the median.
    fn measure(&mut self, what: &'static str, bytes: usize, mut work: impl FnMut()) {
        let begin = Instant::now();
        let mut times = Vec::new();
        while times.len() < 3 || begin.elapsed() < self.budget {
            let start = Instant::now();
            work();
            times.push(start.elapsed().as_secs_f64());
        }
        times.sort_by(f64::total_cmp);
        let median_seconds = times[times.len() / 2];
        self.rows.push(Measurement {
            what,
            bytes,
            runs: times.len(),
            median_seconds,
            megabytes_per_second: bytes as f64 / 1e6 / median_seconds,
            times_plain_pass: median_seconds / self.plain,
        });
    }
}

fn table(rows: &[Measurement]) -> String {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED);
    table.set_header(["", "MB", "runs", "median ms", "MB/s", "× plain pass"]);
    for row in rows {
        table.add_row([
            row.what.to_owned(),
            format!("{:.2}", row.bytes as f64 / 1e6),
            row.runs.to_string(),
            format!("{:.3}", row.median_seconds * 1e3),
            format!("{:.0}", row.megabytes_per_second),
            format!("{:.1}", row.times_plain_pass),
        ]);
    }
    for column in 1..6 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    format!("{table}\n")
}
