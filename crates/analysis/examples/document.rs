//! Prints what an editor shows of a description: its diagnostics, each with its first fix. `cargo run -p groundrules-analysis --example
//! document [FILE]`.

use groundrules_analysis::{Document, fixes};

fn main() -> std::io::Result<()> {
    let text = match std::env::args().nth(1) {
        Some(path) => std::fs::read_to_string(path)?,
        None => "(role you)\n(<= (legal you go) (tru x))\n".to_owned(),
    };
    let document = Document::new(text);
    let reading = document.reading();
    for diagnostic in reading.diagnostics() {
        println!("{}: {}", diagnostic.code.id, diagnostic.message);
        if let Some(fix) = fixes::of(reading, diagnostic).first() {
            println!("  fix: {}", fix.title);
        }
    }
    Ok(())
}
