//! Machines for the tests: the shipped ones, a long one, and a plain one to be spoiled.

use super::machine::Machine;

pub(super) const SHIPPED: [&str; 3] = ["busy-beaver-3", "busy-beaver-4", "palindrome"];

pub(super) fn shipped_text(name: &str) -> String {
    let path = format!("{}/../../machines/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

pub(super) fn shipped(name: &str) -> Machine {
    Machine::from_toml(&shipped_text(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A machine with `states` states and two symbols that goes to the right through all of its states.
pub(super) fn long_walk(states: usize) -> String {
    let names: Vec<String> = (0..states).map(|state| format!("\"q{state}\"")).collect();
    let next = |state: usize| names.get(state + 1).map_or("\"accept\"", String::as_str);
    let rows: Vec<String> = (0..2 * states)
        .map(|row| format!("[{}, \"{}\", {}, \"1\", \"right\"],\n", names[row / 2], row % 2, next(row / 2)))
        .collect();
    format!(
        "name = \"walk\"\nabout = \"x\"\nstates = [{}]\nsymbols = [\"0\", \"1\"]\nblank = \"0\"\n\
         start = \"q0\"\naccept = \"accept\"\nreject = \"reject\"\ntransitions = [\n{}]\n",
        names.join(", "),
        rows.concat()
    )
}

/// A faultless machine.
pub(super) const PLAIN: &str = r#"name = "plain"
about = "A machine to be spoiled."
states = ["q0", "q1"]
symbols = ["0", "1"]
blank = "0"
start = "q0"
accept = "yes"
reject = "no"
input = ["1", "0"]
transitions = [
  ["q0", "0", "q1", "1", "right"],
  ["q0", "1", "q1", "0", "left"],
  ["q1", "0", "yes", "0", "right"],
  ["q1", "1", "no", "1", "left"],
]
"#;

/// The faults of a text, each as `line:column message`.
pub(super) fn faults(text: &str) -> Vec<String> {
    let error = Machine::from_toml(text).expect_err("the text is faulty");
    let faults = error.faults().iter();
    faults.map(|fault| format!("{}:{} {}", fault.line, fault.column, fault.message)).collect()
}

/// The faults of the plain machine with one part replaced.
pub(super) fn spoiled(part: &str, by: &str) -> Vec<String> {
    assert!(PLAIN.contains(part), "{part}");
    faults(&PLAIN.replacen(part, by, 1))
}
