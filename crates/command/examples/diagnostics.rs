//! Renders the diagnostics of a description as the program does:
//! `cargo run -p groundrules-command --example diagnostics -- games/tic-tac-toe.kif`.

use groundrules_command::output::{counted, print};
use groundrules_command::render::Painter;
use groundrules_gdl::{Options, read};

fn main() -> anyhow::Result<()> {
    let path = std::env::args().nth(1).ok_or_else(|| anyhow::anyhow!("which description?"))?;
    let text = std::fs::read(&path)?;
    let checked = read(&text, &Options::default());
    let painter = Painter::new(&path, &text);
    for diagnostic in &checked.diagnostics {
        print(&painter.paint(diagnostic))?;
    }
    let found = checked.diagnostics.len() as u64;
    print(&format!("{path}: {}\n", counted(found, "diagnostic")))
}
