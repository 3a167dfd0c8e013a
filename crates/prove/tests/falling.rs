//! Termination that rests on a sum: no cell of the board has a direction, only the number of empty cells falls.

use std::sync::Arc;
use std::time::Duration;

use groundrules_gdl::Game;
use groundrules_ground::GroundGame;
use groundrules_prove::{Certificate, Claim, Evidence, Options, Subject, Verdict, check, prove};

const TIME: Duration = Duration::from_secs(60);

/// What a checker without the moves fixed can still see.
const CELLS: usize = 8;

type Sums = Vec<Vec<Vec<(String, i64)>>>;

struct Made {
    text: String,
    game: Game,
    ground: Arc<GroundGame>,
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

/// A role fills a cell of a ring; then it turns the ring, to the left or to the right. `further` is what else happens.
fn ring(further: &str) -> String {
    let mut text = String::from(
        "(role a) (init fill)
        (<= (legal a (put ?n)) (true fill) (cell ?n) (not (true (stone ?n))))
        (<= (legal a left) (true turn)) (<= (legal a right) (true turn))
        (<= (next turn) (true fill)) (<= (next fill) (true turn))
        (<= (next (stone ?n)) (does a (put ?n)))
        (<= (next (stone ?n)) (true fill) (true (stone ?n)))
        (<= (next (stone ?m)) (does a right) (true (stone ?n)) (beside ?n ?m))
        (<= (next (stone ?n)) (does a left) (true (stone ?m)) (beside ?n ?m))
        (<= open (cell ?n) (not (true (stone ?n))))
        (<= terminal (not open))
        (<= (goal a 100) (not open)) (<= (goal a 0) open)\n",
    );
    for number in 0..CELLS {
        text += &format!("(cell {number}) (beside {number} {})\n", (number + 1) % CELLS);
    }
    text + further
}

fn termination(made: &Made) -> Verdict {
    let options = Options { time: Some(TIME), ..Options::default() };
    prove(&made.subject, &[Claim::Termination], &[], &options).remove(0)
}

#[test]
fn a_board_whose_stones_wander_fills() {
    let made = made(ring(""));
    let verdict = termination(&made);
    assert_eq!(verdict.holds(), Some(true), "{}", verdict.why);
    assert!(verdict.why.contains("only fall"), "{}", verdict.why);
    let certificate = Certificate::of(&made.subject, made.text.as_bytes(), &[verdict]);
    check(&made.game, &made.ground, &certificate, TIME).expect("a checked certificate");

    // A sum that rises, or one that is left out, shows nothing.
    let damages: [fn(&mut Sums); 2] =
        [|sums| sums.clear(), |sums| sums.iter_mut().flatten().flatten().for_each(|term| term.1 = -term.1)];
    for damage in damages {
        let mut wrong = certificate.clone();
        let Evidence::Proof(proof) = &mut wrong.verdicts[0].evidence else { panic!("a proof") };
        let measure = proof.measure.as_mut().expect("a measure");
        assert!(!measure.falling.is_empty());
        damage(&mut measure.falling);
        check(&made.game, &made.ground, &wrong, TIME).expect_err("a damaged certificate");
    }
}

#[test]
fn a_board_that_loses_stones_goes_on() {
    let lost = ring("(<= (legal a clear) (true turn)) (<= (legal a (put 0)) (true fill) (true (stone 0)))");
    let made = made(lost);
    let verdict = termination(&made);
    assert_eq!(verdict.holds(), Some(false), "{}", verdict.why);
}
