//! Games that nobody plays, grounded, play as the oracle plays them: small games made at random, and small games
//! written by hand for the shapes that are easily got wrong.

#[path = "support/compare.rs"]
mod compare;
#[path = "support/generator/mod.rs"]
mod generator;
mod support;
#[path = "support/tricky.rs"]
mod tricky;

use std::cell::RefCell;
use std::collections::BTreeMap;

use compare::{Record, configurations, small};
use generator::{Description, Descriptions, description};
use groundrules_gdl::{Checked, Game, Options, read};
use groundrules_ground::GroundError;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};
use tricky::{DERIVED, FRAMES, SHAPES, Tricky, UNUSUAL};

/// What came of the generated games.
#[derive(Default)]
struct Tally {
    tried: usize,
    invalid: usize,
    given_up: usize,
    refused: usize,
    played: usize,
    matches: usize,
    steps: usize,
    /// How many of the games that were played have a shape.
    shapes: BTreeMap<&'static str, usize>,
}

impl Tally {
    fn add(&mut self, description: &Description, checked: &Checked, record: &Record) {
        self.played += 1;
        self.matches += record.matches();
        self.steps += record.steps();
        let figures = &checked.figures;
        let counted = [
            ("recursion", figures.recursion_groups > 0),
            ("negation", figures.negations > 0),
            ("disjunction", figures.disjunctions > 0),
            ("several roles", figures.roles.len() > 1),
            ("base or input", figures.base_given || figures.input_given),
        ];
        let counted = counted.into_iter().filter_map(|(shape, has)| has.then_some(shape));
        for shape in counted.chain(description.shapes.iter().copied()) {
            *self.shapes.entry(shape).or_default() += 1;
        }
    }

    fn percent(&self, shape: &str) -> usize {
        100 * self.shapes.get(shape).copied().unwrap_or(0) / self.played.max(1)
    }

    /// The figures, for those who look at the output.
    fn print(&self) {
        let Tally { tried, invalid, given_up, refused, played, matches, steps, .. } = self;
        println!(
            "{tried} games: {invalid} invalid, {given_up} too costly, {refused} refused, {played} played"
        );
        println!("{matches} matches with {steps} steps");
        for (shape, count) in &self.shapes {
            println!("{count:6} {:3} % {shape}", self.percent(shape));
        }
    }
}

/// Grounds a game in every way and compares. Gives the reason if some way had one to refuse the game.
fn agrees(game: &Game, record: &Record) -> Result<Option<GroundError>, String> {
    let mut refused = None;
    for (how, grounder) in configurations(small) {
        match grounder(game) {
            Ok(ground) => record.compare(&ground).map_err(|words| format!("{how}: {words}"))?,
            Err(error @ GroundError::Limit { .. }) => {
                refused = Some(error);
            }
            Err(error) => return Err(format!("{how}: {error}")),
        }
    }
    Ok(refused)
}

fn one_case(description: &Description, tally: &mut Tally) -> Result<(), TestCaseError> {
    tally.tried += 1;
    let checked = read(description.to_string().as_bytes(), &Options::default());
    let Some(game) = &checked.game else {
        tally.invalid += 1;
        return Err(TestCaseError::reject(checked.reason.unwrap_or_default()));
    };
    let record = Record::of(game).map_err(|error| {
        tally.given_up += 1;
        TestCaseError::reject(error.to_string())
    })?;
    let refused = agrees(game, &record).map_err(TestCaseError::fail)?;
    tally.refused += usize::from(refused.is_some());
    tally.add(description, &checked, &record);
    Ok(())
}

fn config() -> Config {
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { Config::default().cases } else { 500 };
    Config {
        cases,
        rng_seed: RngSeed::Fixed(20),
        failure_persistence: None,
        max_global_rejects: cases,
        max_shrink_iters: 20_000,
        ..Config::default()
    }
}

#[test]
fn generated_games_play_as_the_oracle_says() {
    let tally = RefCell::new(Tally::default());
    let result = TestRunner::new(config())
        .run(&Descriptions(description), |description| one_case(&description, &mut tally.borrow_mut()));
    let tally = tally.into_inner();
    tally.print();
    if let Err(error) = result {
        panic!("{error}");
    }
    assert!(tally.invalid * 10 <= tally.tried * 3, "more than 30 % are no GDL");
    assert!(tally.given_up * 20 <= tally.tried && tally.refused * 20 <= tally.tried, "too few are compared");
    assert!(tally.steps > 3 * tally.matches, "the matches are too short to tell anything");
    for shape in ["recursion", "negation", "disjunction", "several roles", "frame"] {
        assert!(tally.percent(shape) >= 30, "only {} % have the shape {shape}", tally.percent(shape));
    }
}

fn difference(tricky: &Tricky) -> Result<Option<GroundError>, String> {
    let checked = read(tricky.text.as_bytes(), &Options::default());
    let game = checked.game.ok_or_else(|| checked.reason.unwrap_or_default())?;
    let record = Record::of(&game).map_err(|error| error.to_string())?;
    if record.steps() == 0 {
        return Err("no match gets beyond its first state".to_owned());
    }
    agrees(&game, &record)
}

#[test]
fn tricky_games_play_as_the_oracle_says() {
    for tricky in DERIVED.iter().chain(FRAMES).chain(SHAPES).chain(UNUSUAL) {
        let difference = difference(tricky);
        assert!(matches!(difference, Ok(None)), "{} ({}): {difference:?}", tricky.name, tricky.why);
    }
}
