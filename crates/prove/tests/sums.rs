//! Properties that need a sum that no move changes: pieces on a board, and the counter that counts them. Where the rules miscount, nothing
//! may be concluded.

use std::sync::Arc;
use std::time::Duration;

use groundrules_prove::{
    Certificate, Claim, Evidence, Invariant, Options, Proof, Subject, Verdict, WrittenProof, check, prove,
};

const TIME: Duration = Duration::from_secs(60);
const CELLS: usize = 12;

/// Two roles take stones of a row in turn, and a counter says how many are left. A role without a stone to take, or who does not want
/// one, passes; the clock ends the match. Goals are by the counter, so they need that it always shows something: that there is no stone
/// left where it shows 0. `further` is what happens besides.
fn game(further: &str) -> String {
    let mut text = String::from(
        "(role a) (role b) (init (control a)) (init (tick 1))
        (<= (next (control a)) (true (control b))) (<= (next (control b)) (true (control a)))
        (<= (legal ?r (take ?n)) (true (control ?r)) (true (stone ?n)) (distinct ?n 0))
        (<= (legal ?r pass) (role ?r))
        (<= (next (tick ?m)) (true (tick ?n)) (tock ?n ?m))
        (<= terminal (true (tick 40)))
        (<= anyTaken (does ?r (take ?n)))
        (<= (taken ?n) (does ?r (take ?n)))
        (<= (next (stone ?n)) (true (stone ?n)) (not (taken ?n)))
        (<= (next (left ?n)) (true (left ?n)) (not anyTaken))
        (<= (next (left ?m)) (true (left ?n)) anyTaken (succ ?m ?n))
        (<= (goal ?r 100) (role ?r) (true (left 0)))
        (<= (goal ?r 50) (role ?r) (true (left ?n)) (distinct ?n 0))\n",
    );
    text += &format!("(init (left {CELLS}))\n");
    for number in 1..=CELLS {
        text += &format!("(init (stone {number})) (succ {} {number})\n", number - 1);
    }
    (1..40).for_each(|number| text += &format!("(tock {number} {})\n", number + 1));
    text + further
}

struct Made {
    text: String,
    game: groundrules_gdl::Game,
    ground: Arc<groundrules_ground::GroundGame>,
    subject: Subject,
}

fn made(text: String) -> Made {
    let game = groundrules_gdl::read(text.as_bytes(), &groundrules_gdl::Options::default());
    let game = game.game.expect("a game");
    let ground = groundrules_ground::ground(&game, &groundrules_ground::Options::default());
    let ground = Arc::new(ground.expect("a small game"));
    let subject = Subject::new(&game, Arc::clone(&ground)).expect("a circuit");
    Made { text, game, ground, subject }
}

fn verdicts(made: &Made) -> Vec<Verdict> {
    let options = Options { time: Some(TIME), ..Options::default() };
    prove(&made.subject, &Claim::PROPERTIES, &[], &options)
}

fn utility(verdicts: &[Verdict]) -> &Verdict {
    verdicts.iter().find(|verdict| verdict.claim == Claim::Utility).expect("a verdict on utility")
}

fn sums(proof: &Proof) -> usize {
    proof.invariants.iter().filter(|invariant| matches!(invariant, Invariant::Sum(_))).count()
}

#[test]
fn a_counter_of_stones_is_never_empty() {
    let made = made(game(""));
    let verdicts = verdicts(&made);
    let utility = utility(&verdicts);
    let groundrules_prove::Answer::Proved(proof) = &utility.answer else { panic!("{utility:?}") };
    assert!(sums(proof) > 0, "{proof:?}");
    let certificate = Certificate::of(&made.subject, made.text.as_bytes(), &verdicts);
    let believed = |certificate: &Certificate| check(&made.game, &made.ground, certificate, TIME);
    believed(&certificate).expect("a right certificate");
    // Another weight, another total, a group of which several hold, no sum at all.
    let damages: [fn(&mut WrittenProof); 4] = [
        |proof| proof.sums[0].0[0][0].1 += 1,
        |proof| proof.sums[0].1 += 1,
        |proof| {
            let all = proof.sums[0].0.concat();
            proof.sums[0].0 = vec![all];
        },
        |proof| proof.sums.clear(),
    ];
    for (number, damage) in damages.into_iter().enumerate() {
        let mut damaged = certificate.clone();
        let own = damaged.verdicts.iter_mut().find(|verdict| verdict.claim == "utility structure");
        let Some(Evidence::Proof(proof)) = own.map(|verdict| &mut verdict.evidence) else { panic!() };
        // The sum that has the most to damage.
        proof.sums.sort_by_key(|sum| std::cmp::Reverse(sum.0.len()));
        assert!(proof.sums[0].0.len() > CELLS, "{:?}", proof.sums);
        damage(proof);
        assert!(believed(&damaged).is_err(), "damage {number} is believed");
    }
}

/// After a while a stone comes back without being counted, so that the counter runs below nothing.
#[test]
fn a_stone_that_is_not_counted_is_noticed() {
    let made = made(game("(<= (next (stone 1)) (true (tick 20)))"));
    let verdicts = verdicts(&made);
    assert_eq!(utility(&verdicts).holds(), Some(false), "{verdicts:?}");
}

/// In one late move the counter shows two numbers: it is no counter then, and a role has two goals in the end.
#[test]
fn a_sum_that_only_seems_constant_is_dropped() {
    let text = game("").replace(
        "(<= (next (left ?m)) (true (left ?n)) anyTaken (succ ?m ?n))",
        "(<= (next (left ?m)) (true (left ?n)) anyTaken (succ ?m ?n))
         (<= (next (left ?n)) (true (left ?n)) anyTaken (true (tick 30)))",
    );
    let made = made(text);
    let verdicts = verdicts(&made);
    assert_eq!(utility(&verdicts).holds(), Some(false), "{verdicts:?}");
}
