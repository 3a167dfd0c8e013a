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

/// Two coins of one pile for one of the other: each pile goes up and down, and only their sum shows that matches end. No names of fluents say
/// what to count, so the weights come from what joint moves do.
const TRADE: &str = "(role you) (init (pile a at)) (init (pile b bz)) (other a b) (other b a)
    (succ az ay) (succ ay ax) (succ ax aw) (succ aw av) (succ av au) (succ au at)
    (succ bz by) (succ by bx) (succ bx bw) (succ bw bv) (succ bv bu) (succ bu bt)
    (<= (two ?x ?z) (succ ?y ?x) (succ ?z ?y))
    (<= (can ?p) (true (pile ?p ?x)) (two ?x ?z) (other ?p ?q) (true (pile ?q ?u)) (succ ?u ?v))
    (<= some (can ?p))
    (<= (legal you (trade ?p)) (can ?p))
    (<= (next (pile ?p ?z)) (does you (trade ?p)) (true (pile ?p ?x)) (two ?x ?z))
    (<= (next (pile ?q ?v)) (does you (trade ?p)) (other ?p ?q) (true (pile ?q ?u)) (succ ?u ?v))
    (<= terminal (not some)) (goal you 100)";

#[test]
fn a_weighted_sum_by_joint_moves_is_certified() {
    let made = made(TRADE.as_bytes());
    let options = Options { time: Some(TIME), ..Options::default() };
    let verdicts = prove(&made.subject, &[Claim::Termination], &[], &options);
    assert_eq!(verdicts[0].holds(), Some(true), "{}", verdicts[0].why);
    let certificate = Certificate::of(&made.subject, &made.text, &verdicts);
    let believed = |certificate: &Certificate| check(&made.game, &made.ground, certificate, TIME);
    believed(&certificate).unwrap_or_else(|refused| panic!("{refused:?}"));
    let whole = match &certificate.verdicts[0].evidence {
        Evidence::Proof(proof) => proof.measure.clone().expect("a measure"),
        other => panic!("{other:?}"),
    };
    assert!(!whole.effects.is_empty(), "the proof is of another kind");
    // A joint move less, a change less, a weight turned round.
    let mut fewer = whole.clone();
    fewer.effects.pop();
    let mut narrower = whole.clone();
    let place = narrower.effects.iter().position(|effect| !effect.groups.is_empty()).expect("an effect");
    narrower.effects[place].groups.pop();
    let mut wrong = whole;
    wrong.sums[0].iter_mut().for_each(|(_, weight)| *weight = -*weight);
    for damaged in [fewer, narrower, wrong] {
        let mut certificate = certificate.clone();
        if let Evidence::Proof(proof) = &mut certificate.verdicts[0].evidence {
            proof.measure = Some(damaged);
        }
        assert!(believed(&certificate).is_err());
    }
}

#[test]
fn formulas_are_certified() {
    let mut made = library("tic-tac-toe");
    let both = "(and (true (cell 1 1 cross)) (true (cell 1 1 nought)))";
    let full = "(not (true (cell 2 2 cross)))";
    let claims = [Claim::Never(both.to_owned()), Claim::Always(full.to_owned())];
    let literals =
        [made.subject.formula(both).expect("a formula"), !made.subject.formula(full).expect("one")];
    let options = Options { time: Some(TIME), ..Options::default() };
    let verdicts = prove(&made.subject, &claims, &literals, &options);
    assert_eq!(verdicts.iter().map(Verdict::holds).collect::<Vec<_>>(), [Some(true), Some(false)]);
    let certificate = Certificate::of(&made.subject, &made.text, &verdicts);
    let believed = |certificate: &Certificate| check(&made.game, &made.ground, certificate, TIME);
    assert_eq!(believed(&certificate).expect("a right certificate").len(), 2);
    for claim in
        ["never terminal", "never (true (cell 1 1 empty))", "never (true (cell 9 9 cross))", "never ("]
    {
        let mut damaged = certificate.clone();
        damaged.verdicts.truncate(1);
        damaged.verdicts[0].claim = claim.to_owned();
        assert!(believed(&damaged).is_err(), "{claim}");
    }
    let mut damaged = certificate;
    damaged.verdicts[1].claim = format!("never {full}");
    assert!(believed(&damaged).is_err(), "the line shows that it holds at its end");
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
