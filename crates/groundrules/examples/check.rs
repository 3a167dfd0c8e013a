//! Checks descriptions and prints one line for each diagnostic, as editors expect it:
//! `cargo run -p groundrules --example check -- games/tic-tac-toe.kif`.

use std::path::PathBuf;

use groundrules::gdl::{Lines, Options, read};
use groundrules::source::resolve;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let resolved = resolve(&words);
    for error in &resolved.errors {
        eprintln!("{error}");
    }
    for source in &resolved.sources {
        let options = Options::default();
        let (name, text) = (source.name(), source.read(options.limits.bytes)?);
        let checked = read(&text, &options);
        let lines = Lines::new(&text);
        for diagnostic in &checked.diagnostics {
            let place = diagnostic.labels.first().map(|label| lines.position(label.span.start));
            let (line, column) = place.map_or((1, 1), |place| (place.line, place.column));
            let (severity, code) = (diagnostic.severity.word(), diagnostic.code.id);
            println!("{name}:{line}:{column}: {severity}[{code}]: {}", diagnostic.message);
        }
        println!("{name}: {}", checked.verdict.words());
    }
    Ok(())
}
