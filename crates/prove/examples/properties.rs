//! Proves or refutes the properties of a description, and tells on standard error what is tried and when:
//! `cargo run -p groundrules-prove --example properties [FILE [SECONDS]]`.

use std::sync::Arc;
use std::time::Duration;

use groundrules_gdl::time::Stopwatch;
use groundrules_prove::{Claim, Options, Subject, Verdict, prove};

/// A counter from 0 to 2 that a single player moves up.
const COUNTER: &str = "(role you) (init (n 0)) (succ 0 1) (succ 1 2)
    (<= (legal you up) (true (n ?x)) (succ ?x ?y))
    (<= (next (n ?y)) (does you up) (true (n ?x)) (succ ?x ?y))
    (<= terminal (true (n 2)))
    (<= (goal you 100) (true (n 2)))
    (<= (goal you 0) (not (true (n 2))))";

thread_local! {
    /// The processor time of the thread that proves.
    static START: Stopwatch = Stopwatch::start();
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let text = match std::env::args().nth(1) {
        Some(path) => std::fs::read(path)?,
        None => COUNTER.as_bytes().to_vec(),
    };
    let seconds: f64 = std::env::args().nth(2).map_or(Ok(60.0), |text| text.parse())?;
    let passed = || START.with(|start| start.elapsed().as_secs_f64());
    passed();
    let checked = groundrules_gdl::read(&text, &groundrules_gdl::Options::default());
    let game = checked.game.ok_or("the text is not GDL")?;
    let ground = groundrules_ground::ground(&game, &groundrules_ground::Options::default())?;
    let subject = Subject::new(&game, Arc::new(ground))?;
    let circuit = &subject.circuit;
    let (latches, inputs, nodes) = (circuit.latch_count(), circuit.input_count(), circuit.node_count());
    eprintln!("{:8.2} s  {latches} latches, {inputs} inputs, {nodes} nodes", passed());
    let options = Options {
        time: Some(Duration::from_secs_f64(seconds)),
        observer: Some(Arc::new(move |what: &str| {
            eprintln!("{:8.2} s  {what}", passed());
        })),
        on_verdict: Some(Arc::new(move |verdict: &Verdict| {
            eprintln!("{:8.2} s  {}: {}", passed(), verdict.claim, verdict.why);
        })),
        ..Options::default()
    };
    for verdict in prove(&subject, &Claim::PROPERTIES, &[], &options) {
        let outcome = match verdict.holds() {
            Some(true) => "holds",
            Some(false) => "fails",
            None => "is open",
        };
        println!("{:<18} {outcome:<8} {}", verdict.claim.to_string(), verdict.why);
    }
    Ok(())
}
