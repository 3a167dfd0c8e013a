//! On random small games proofs and exhaustive exploration must agree on every property, and every line must be one.

use std::fmt::Write;
use std::time::Duration;

use groundrules_explore::{Options as ExploreOptions, Outcome, Property, verify};
use groundrules_gdl::{Game, Options as ReadOptions, read};
use groundrules_machine::Compiled;
use groundrules_machine::engines::Engine;
use groundrules_prove::{Answer, Claim, Options, Subject, leads_to, prove};

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }

    fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }
}

const FLUENTS: usize = 5;
const MOVES: usize = 2;

/// A random body over fluents, and over moves if so wanted.
fn body(random: &mut Random, roles: usize, most: usize, with_moves: bool) -> String {
    let mut text = String::new();
    for _ in 0..1 + random.below(most) {
        let atom = if with_moves && random.one_in(2) {
            format!("(does r{} m{})", random.below(roles), random.below(MOVES))
        } else {
            format!("(true f{})", random.below(FLUENTS))
        };
        let _ = if random.one_in(3) { write!(text, " (not {atom})") } else { write!(text, " {atom}") };
    }
    text
}

/// Rules over a few fluents. A counter makes some of the games end.
fn random_game(random: &mut Random) -> String {
    let roles = 1 + random.below(2);
    let mut text = String::from("(init (step 0))\n");
    let has_counter = !random.one_in(3);
    let last = 2 + random.below(5);
    for role in 0..roles {
        let _ = write!(text, "(role r{role}) ");
    }
    for fluent in 0..FLUENTS {
        if random.one_in(2) {
            let _ = writeln!(text, "(init f{fluent})");
        }
        for _ in 0..1 + random.below(2) {
            let _ = writeln!(text, "(<= (next f{fluent}){})", body(random, roles, 3, true));
        }
        if random.one_in(3) {
            let _ = writeln!(text, "(<= (next f{fluent}) (true f{fluent}))");
        }
    }
    for step in 0..last {
        let next = if has_counter { step + 1 } else { (step + 1) % last };
        let _ = writeln!(text, "(<= (next (step {next})) (true (step {step})))");
    }
    for role in 0..roles {
        for number in 0..MOVES {
            match random.below(4) {
                0 => {
                    let _ = writeln!(text, "(<= (legal r{role} m{number}){})", body(random, roles, 2, false));
                }
                _ => {
                    let _ = writeln!(text, "(legal r{role} m{number})");
                }
            }
        }
        if random.one_in(2) {
            let _ = writeln!(text, "(goal r{role} 50)");
        } else {
            let condition = body(random, roles, 2, false);
            let _ = writeln!(text, "(<= (goal r{role} 100){condition})\n(<= won{role}{condition})");
            let _ = writeln!(text, "(<= (goal r{role} 0) (not won{role}))");
        }
        if random.one_in(6) {
            let _ = writeln!(text, "(<= (goal r{role} 100){})", body(random, roles, 2, false));
        }
    }
    let _ = writeln!(text, "(<= terminal (true (step {last})))");
    if !random.one_in(3) {
        let _ = writeln!(text, "(<= terminal{})", body(random, roles, 3, false));
    }
    text
}

fn game(text: &str) -> Option<Game> {
    read(text.as_bytes(), &ReadOptions::default()).game
}

fn property(claim: &Claim) -> Property {
    match claim {
        Claim::Termination => Property::Termination,
        Claim::Playability => Property::Playability,
        Claim::Utility => Property::Utility,
        Claim::WeakWinnability => Property::WeakWinnability,
        _ => Property::Monotonicity,
    }
}

/// Compares all verdicts; gives for each property whether it holds.
fn compare(text: &str, game: Game) -> Vec<bool> {
    let compiled = Compiled::new(game).on(Engine::Net);
    let explored = verify(&compiled, &ExploreOptions::default()).expect("a small game");
    let ground = compiled.ground().expect("a small game");
    let subject = Subject::new(compiled.game(), ground).expect("a circuit");
    let options = Options { time: Some(Duration::from_secs(60)), ..Options::default() };
    let verdicts = prove(&subject, &Claim::PROPERTIES, &[], &options);
    let compare = |verdict: &groundrules_prove::Verdict| {
        let own = explored.verdict(property(&verdict.claim));
        let expected = match own.outcome {
            Outcome::Holds => true,
            Outcome::Fails => false,
            Outcome::Open => panic!("{own:?} {text}"),
        };
        assert_eq!(verdict.holds(), Some(expected), "{verdict:?}\n{own:?}\n{text}");
        match &verdict.answer {
            Answer::Shown(lines) => {
                for (line, win) in lines.iter().zip(&subject.wins) {
                    assert!(leads_to(&subject, line, win.literal), "{text}");
                }
            }
            Answer::Refuted(line) => {
                let shortest = own.line.as_ref().map(Vec::len);
                assert!(shortest.is_none_or(|shortest| shortest <= line.len()), "{verdict:?} {own:?} {text}");
            }
            _ => {}
        }
        expected
    };
    verdicts.iter().map(compare).collect()
}

#[test]
fn proofs_agree_with_exploration() {
    let mut random = Random(17);
    let mut counts = [[0usize; 2]; 5];
    for _ in 0..2000 {
        let text = random_game(&mut random);
        let Some(game) = game(&text) else { continue };
        for (count, holds) in counts.iter_mut().zip(compare(&text, game)) {
            count[usize::from(holds)] += 1;
        }
    }
    // The games are of all kinds.
    assert!(counts.iter().flatten().all(|&count| count > 40), "{counts:?}");
}
