//! Certificates that were written are believed; damaged ones are not. Another model checker agrees about the AIGER files.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use groundrules_gdl::Game;
use groundrules_ground::GroundGame;
use groundrules_oracle::skip;
use groundrules_prove::{Certificate, Claim, Evidence, Options, Subject, Verdict, aiger, check, prove};

const TIME: Duration = Duration::from_secs(60);

struct Made {
    text: Vec<u8>,
    game: Game,
    ground: Arc<GroundGame>,
    subject: Subject,
}

fn made(text: &[u8]) -> Made {
    let game = groundrules_gdl::read(text, &groundrules_gdl::Options::default()).game.expect("a game");
    let ground = groundrules_ground::ground(&game, &groundrules_ground::Options::default());
    let ground = Arc::new(ground.expect("a small game"));
    let subject = Subject::new(&game, Arc::clone(&ground)).expect("a circuit");
    Made { text: text.to_vec(), game, ground, subject }
}

fn library(name: &str) -> Made {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games").join(format!("{name}.kif"));
    made(&std::fs::read(path).expect("a game of the library"))
}

fn verdicts(made: &Made) -> Vec<Verdict> {
    let options = Options { time: Some(TIME), ..Options::default() };
    prove(&made.subject, &Claim::PROPERTIES, &[], &options)
}

#[test]
fn certificates_are_believed_and_damaged_ones_are_not() {
    for name in ["tic-tac-toe", "connect-four"] {
        let made = library(name);
        let verdicts = verdicts(&made);
        assert!(verdicts.iter().all(|verdict| verdict.holds().is_some()), "{verdicts:?}");
        let json = Certificate::of(&made.subject, &made.text, &verdicts).to_json();
        let read = Certificate::read(json.as_bytes(), &made.text).expect("a certificate");
        assert_eq!(read.verdicts.len(), Claim::PROPERTIES.len());
        let believed = |certificate: &Certificate| check(&made.game, &made.ground, certificate, TIME);
        let shown = believed(&read).unwrap_or_else(|refused| panic!("{name}: {refused:?}"));
        for (verdict, (claim, holds)) in verdicts.iter().zip(shown) {
            assert_eq!((verdict.claim.to_string(), verdict.holds()), (claim, Some(holds)));
        }
        // Another description, and files that were cut or changed.
        assert!(Certificate::read(json.as_bytes(), b"(role x)").is_err());
        assert!(Certificate::read(&json.as_bytes()[..json.len() / 2], &made.text).is_err());
        for place in 0..read.verdicts.len() {
            let mut damaged = read.clone();
            damaged.verdicts[place].holds = !damaged.verdicts[place].holds;
            assert!(believed(&damaged).is_err(), "{name}: a verdict was turned round");
            let mut damaged = read.clone();
            match &mut damaged.verdicts[place].evidence {
                Evidence::Line(line) if !line.is_empty() => line[0].reverse(),
                Evidence::Line(_) => continue,
                Evidence::Lines(lines) => lines[0].truncate(1),
                Evidence::Proof(proof) | Evidence::Impossible(_, proof) => {
                    // Nothing is always true of a fluent that changes.
                    let fluent = made.subject.latch_text(0);
                    proof.clauses.push((vec![fluent.clone()], Vec::new()));
                    proof.clauses.push((Vec::new(), vec![fluent]));
                }
            }
            assert!(believed(&damaged).is_err(), "{name}: {:?}", damaged.verdicts[place].claim);
        }
    }
}

#[test]
fn another_model_checker_agrees() {
    if Command::new("berkeley-abc").arg("-c").arg("quit").output().is_err() {
        skip("berkeley-abc is not installed");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["tic-tac-toe", "connect-four"] {
        let made = library(name);
        for (bad, claim) in
            [(made.subject.stuck, Claim::Playability), (made.subject.no_utility, Claim::Utility)]
        {
            let options = Options { time: Some(TIME), ..Options::default() };
            let own = prove(&made.subject, std::slice::from_ref(&claim), &[], &options);
            let file = folder.path().join("game.aig");
            std::fs::write(&file, aiger(&made.subject, bad, name).expect("a small circuit")).expect("a file");
            let script = format!("read_aiger {}; fold; pdr -T 60", file.display());
            let output = Command::new("berkeley-abc").arg("-c").arg(script).output().expect("a run");
            let output = String::from_utf8_lossy(&output.stdout).into_owned();
            let expected = if own[0].holds() == Some(true) { "Property proved" } else { "was asserted" };
            assert!(output.contains(expected), "{name}, {claim}: {output}");
        }
    }
}
