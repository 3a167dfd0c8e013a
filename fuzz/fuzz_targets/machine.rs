//! Any text is read as a Turing machine or refused; a machine that is read becomes a valid game and can be run.

#![no_main]

use groundrules_gdl::turing::Machine;
use groundrules_gdl::{Options, read};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(machine) = Machine::from_toml(text) else { return };
    machine.run().run_for(100);
    let game = machine.to_gdl();
    assert!(read(game.as_bytes(), &Options::default()).verdict.is_valid(), "{game}");
});
