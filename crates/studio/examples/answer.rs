//! Answers questions, one per line, on standard input: the native side of the comparison with WebAssembly (`studio/tests/equal.mjs`).

use std::io::{BufRead, Write, stdin, stdout};

fn main() -> std::io::Result<()> {
    let mut session = groundrules_studio::Session::default();
    for question in stdin().lock().lines() {
        writeln!(stdout(), "{}", session.ask(&question?))?;
        stdout().flush()?;
    }
    Ok(())
}
