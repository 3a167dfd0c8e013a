//! Games grounded by gringo play as the description does: games with strange names and tricky shapes beside the oracle,
//! the library beside our own grounding, and the public traces as far as a short time goes.

#[path = "support/compare.rs"]
#[allow(dead_code, reason = "the other methods have tests of their own")]
mod compare;
#[path = "support/generator/mod.rs"]
mod generator;
mod support;
#[path = "support/tricky.rs"]
mod tricky;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use compare::Record;
use generator::{Descriptions, description};
use groundrules_gdl::trace::{Outcome, matches, replay};
use groundrules_gdl::{Game, Options as ReadOptions, read};
use groundrules_ground::{
    Gringo, GringoError, GroundError, GroundGame, Limits, Method, Options, Switches, ground,
};
use groundrules_oracle::{Plays, skip};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngSeed, TestRunner};
use support::Player;
use tricky::{DERIVED, FRAMES, SHAPES, UNUSUAL};

const BOTH: [fn() -> Switches; 2] = [Switches::default, Switches::none];

/// Whether there is no gringo for a test, which is then skipped.
fn is_absent() -> bool {
    let is_absent = !Gringo::default().is_present();
    if is_absent {
        skip("gringo is not installed");
    }
    is_absent
}

fn game(text: &str) -> Game {
    let checked = read(text.as_bytes(), &ReadOptions::default());
    checked.game.unwrap_or_else(|| panic!("{text}: {:?}", checked.reason))
}

fn options(switches: Switches, rules: usize, time: Duration) -> Options {
    let mut limits = Limits::default().within(time);
    (limits.rules, limits.bytes) = (rules, 1 << 30);
    Options { switches, limits, ..Options::default() }
}

/// Grounds by gringo within limits on what is made. Another program cannot be limited by work alone, so there is a time
/// limit as well; a game that meets it is not judged, which is nobody's fault but the machine's.
enum Grounded {
    Whole(Box<GroundGame>),
    TooLarge,
    NotJudged,
}

fn by_gringo(name: &str, game: &Game, switches: Switches, time: Duration) -> Grounded {
    match Gringo::default().ground(game, &options(switches, 60_000, time)) {
        Ok(ground) => Grounded::Whole(Box::new(ground)),
        Err(GroundError::Gringo(error)) => match *error {
            GringoError::Limit { what: "seconds", .. } => Grounded::NotJudged,
            GringoError::Limit { .. } => Grounded::TooLarge,
            _ => panic!("{name}: {error}"),
        },
        Err(error) => panic!("{name}: {error}"),
    }
}

/// The error of a gringo that does not ground a game.
fn fault(gringo: &Gringo, game: &Game, options: &Options) -> Arc<GringoError> {
    match gringo.ground(game, options) {
        Err(GroundError::Gringo(error)) => error,
        other => panic!("{:?}", other.map(|game| game.rules().len())),
    }
}

/// Longer than any of the small games takes on any machine that tests run on.
const AMPLE: Duration = Duration::from_secs(3_600);

/// Grounds a game with and without the savings and compares both with the oracle.
fn agrees(name: &str, game: &Game) {
    let record = Record::of(game).unwrap_or_else(|error| panic!("{name}: {error}"));
    for switches in BOTH {
        let switches = switches();
        let ground = Gringo::default().ground(game, &options(switches, 60_000, AMPLE));
        let ground = ground.unwrap_or_else(|error| panic!("{name}: {error}"));
        record.compare(&ground).unwrap_or_else(|words| panic!("{name}, {switches:?}: {words}"));
    }
}

const STRANGE: &str = "(role not) (role 01) (role X_Y) (init (++ 1 01)) (init 1) (init (1 -5)) (init (true x'y))
    (static not) (static -0) (static \u{e9}) (static 2147483648) (static -2147483648) (aux0 a) (aux1' b)
    (init (deep (_x (not (base (input +)))))) (succ 1 2) (succ 2 -5) (succ -5 007)
    (<= (legal not (-> ?x)) (static ?x)) (<= (legal not ->) (not (true 1))) (legal 01 1) (legal x_y (aux0' |a|))
    (<= (legal 01 (keep ?f)) (true ?f)) (<= (legal x_y ?m) (legal 01 ?m) (true 1))
    (<= (next ?f) (true ?f) (does 01 (keep ?f))) (<= (next (++ ?y 01)) (true (++ ?x 01)) (succ ?x ?y))
    (<= (next 1) (does not (-> not))) (<= (next 01) (does not (-> -0)) (not (true 01)))
    (<= (next (said ?r)) (does ?r ?m) (distinct ?r not) (aux0 ?a) (aux1' ?b) (true (++ ?n 01)))
    (<= (p'static ?x) (aux0 ?y) (true (++ ?x ?z))) (<= terminal (p'static 007))
    (<= (goal not 100) (true 01)) (<= (goal not 0) (not (true 01))) (goal 01 0) (<= (goal x_y 1) (true (1 ?x)))";

#[test]
fn it_is_a_method_like_the_others() {
    if is_absent() {
        return;
    }
    let strange = game(STRANGE);
    let options = options(Switches::default(), 60_000, AMPLE);
    let by_gringo = Options { method: Method::Gringo, ..options.clone() };
    let (ours, theirs) = (ground(&strange, &options).unwrap(), ground(&strange, &by_gringo).unwrap());
    assert!(play_both("strange names", &ours, &theirs, 1) > 1);
}

#[test]
fn strange_names_survive() {
    if !is_absent() {
        agrees("strange names", &game(STRANGE));
    }
}

#[test]
fn tricky_games_play_as_the_oracle_says() {
    if is_absent() {
        return;
    }
    for tricky in DERIVED.iter().chain(FRAMES).chain(SHAPES).chain(UNUSUAL) {
        agrees(&format!("{} ({})", tricky.name, tricky.why), &game(tricky.text));
    }
}

#[test]
fn generated_games_play_as_the_oracle_says() {
    if is_absent() {
        return;
    }
    let config = Config { rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new(config);
    let mut compared = 0;
    for _ in 0..80 {
        let text = Descriptions(description).new_tree(&mut runner).unwrap().current().to_string();
        let Some(game) = read(text.as_bytes(), &ReadOptions::default()).game else { continue };
        if Record::of(&game).is_ok() {
            agrees(&text, &game);
            compared += 1;
        }
    }
    assert!(compared > 40, "only {compared} games were compared");
}

/// Everything there is to see in a state, lists in one order.
type View = (Vec<String>, bool, Vec<Vec<String>>, Vec<Vec<String>>);

fn view(player: &mut Player<'_>, state: &Vec<usize>) -> View {
    let sorted = |mut list: Vec<String>| {
        list.sort();
        list
    };
    let each = |lists: Vec<Vec<String>>| lists.into_iter().map(sorted).collect::<Vec<_>>();
    let Ok(fluents) = player.fluents(state);
    let Ok(terminal) = player.is_terminal(state);
    let Ok(legal) = player.legal(state);
    let Ok(goals) = player.goals(state);
    (sorted(fluents), terminal, each(legal), each(goals))
}

/// Plays a match with both games at once; says how many states were compared.
fn play_both(name: &str, left: &GroundGame, right: &GroundGame, mut seed: usize) -> usize {
    let (mut left, mut right) = (Player::new(left).unwrap(), Player::new(right).unwrap());
    assert_eq!(left.roles(), right.roles(), "{name}");
    let (Ok(mut here), Ok(mut there)) = (left.initial_state(), right.initial_state());
    for step in 0..15 {
        let seen = view(&mut left, &here);
        assert_eq!(view(&mut right, &there), seen, "{name}: step {step}");
        let (_, terminal, legal, _) = seen;
        if terminal || legal.iter().any(Vec::is_empty) {
            return step + 1;
        }
        let choose = |moves: &Vec<String>| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            moves[(seed >> 33) % moves.len()].clone()
        };
        let joint: Vec<String> = legal.iter().map(choose).collect();
        let (Ok(next), Ok(beside)) = (left.next_state(&here, &joint), right.next_state(&there, &joint));
        (here, there) = (next, beside);
    }
    15
}

#[test]
fn the_library_plays_as_our_own_grounding_does() {
    if is_absent() {
        return;
    }
    let (mut compared, mut states, mut too_large, mut not_judged) = (0, 0, Vec::new(), Vec::new());
    for path in descriptions(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games")) {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let game = game(&fs::read_to_string(&path).unwrap());
        let mut own = options(Switches::default(), 60_000, AMPLE);
        own.limits.tries = 20_000_000;
        let Ok(own) = ground(&game, &own) else { continue };
        for switches in BOTH {
            match by_gringo(&name, &game, switches(), Duration::from_secs(1)) {
                Grounded::Whole(ground) => {
                    states += (1..3).map(|seed| play_both(&name, &own, &ground, seed)).sum::<usize>();
                    compared += 1;
                }
                Grounded::TooLarge => too_large.push(name.clone()),
                Grounded::NotJudged => not_judged.push(name.clone()),
            }
        }
    }
    println!(
        "{compared} groundings, {states} states; past the limits: {too_large:?}; not judged: {not_judged:?}"
    );
    let judged = compared + not_judged.len();
    assert!(judged >= 50, "only {compared} groundings were compared, {} not judged", not_judged.len());
    assert!(states >= 10 * compared, "only {states} states of {compared} groundings were compared");
}

/// The descriptions in a folder, the smallest first.
fn descriptions(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let mut paths: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|ending| ending == "kif")).collect();
    paths.sort_by_key(|path| (fs::metadata(path).map_or(0, |data| data.len()), path.clone()));
    paths
}

/// Letter case counts for the program that recorded these, and not for GDL.
const JUDGED: [&str; 2] = ["alexChess", "wargame03"];

/// So many games are replayed, the smallest descriptions first.
const REPLAYED: usize = 80;

/// Replays the traces of the smallest descriptions; says how many agree or are not judged.
fn replay_traces(shared: &Path, switches: Switches) -> usize {
    let (mut same, mut states, mut too_large, mut not_judged) = (0, 0, Vec::new(), Vec::new());
    let mut differences = Vec::new();
    let mut replayed = 0;
    for path in descriptions(&shared.join("games")) {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let trace = shared.join("traces").join(format!("{name}.jsonl.gz"));
        let Ok(trace) = File::open(trace) else { continue };
        let Some(game) = read(&fs::read(&path).unwrap(), &ReadOptions::default()).game else { continue };
        replayed += 1;
        if replayed > REPLAYED {
            break;
        }
        let ground = match by_gringo(&name, &game, switches, Duration::from_millis(500)) {
            Grounded::Whole(ground) => ground,
            Grounded::TooLarge => {
                too_large.push(name);
                continue;
            }
            Grounded::NotJudged => {
                not_judged.push(name);
                continue;
            }
        };
        let mut player = Player::new(&ground).unwrap_or_else(|error| panic!("{name}: {error}"));
        // The first match of each: more games tell more than more matches.
        for recorded in matches(trace).take(1) {
            let result = replay(&mut player, &recorded.unwrap());
            states += result.states;
            match result.outcome {
                Outcome::Differs(words) if !JUDGED.contains(&name.as_str()) => {
                    differences.push(format!("{name}: {words}"));
                }
                _ => same += 1,
            }
        }
    }
    println!(
        "{same} games agree in {states} states; past the limits: {too_large:?}; not judged: {not_judged:?}"
    );
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    same + not_judged.len()
}

#[test]
fn the_public_traces_are_reproduced() {
    if is_absent() {
        return;
    }
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    if !shared.join("traces").is_dir() {
        return skip(format_args!("there are no traces in {}", shared.display()));
    }
    for switches in BOTH {
        let same = replay_traces(&shared, switches());
        assert!(same >= 30, "too few games are compared: {same}");
    }
}

#[test]
fn what_is_too_large_or_has_no_end_is_stopped() {
    if is_absent() {
        return;
    }
    let endless = game(include_str!("../../../games/busy-beaver.kif"));
    let mut slow = options(Switches::default(), usize::MAX, Duration::from_millis(300));
    slow.limits.bytes = usize::MAX;
    let error = fault(&Gringo::default(), &endless, &slow);
    assert!(matches!(*error, GringoError::Limit { what: "seconds", .. }), "{error:?}");
    if cfg!(target_os = "linux") {
        let mut large = options(Switches::default(), usize::MAX, AMPLE);
        large.limits.bytes = 60_000_000;
        let error = fault(&Gringo::default(), &endless, &large);
        assert!(matches!(*error, GringoError::Limit { what: "bytes", .. }), "{error:?}");
    }
    let few = options(Switches::none(), 5, AMPLE);
    let error = fault(&Gringo::default(), &game(STRANGE), &few);
    assert!(matches!(*error, GringoError::Limit { what: "ground rules", limit: 5 }), "{error:?}");
}

#[test]
fn a_gringo_that_is_absent_or_none_is_told() {
    let options = Options::default();
    let absent = Gringo::at("/nowhere/gringo");
    assert!(!absent.is_present());
    let error = fault(&absent, &game(STRANGE), &options);
    assert!(matches!(*error, GringoError::Absent { .. }) && error.to_string().contains("apt install gringo"));
    if cfg!(unix) {
        let error = fault(&Gringo::at("false"), &game(STRANGE), &options);
        assert!(matches!(*error, GringoError::Failed { .. }), "{error:?}");
        let error = fault(&Gringo::at("true"), &game(STRANGE), &options);
        assert!(matches!(*error, GringoError::Cut), "{error:?}");
        let error = fault(&Gringo::at("echo"), &game(STRANGE), &options);
        assert!(matches!(*error, GringoError::Syntax { line: 1, .. }), "{error:?}");
    }
}
