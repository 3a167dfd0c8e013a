//! Verdicts by exploring and proving side by side. Exploration visits states and decides every property of a game whose states it can
//! all visit; proofs need no states and decide most properties of the others. Whichever decides a property first wins, and both end as soon
//! as every property has a verdict. Where both decide one, they must agree. The solvers of puzzles search for lines to the maximal goal
//! (`puzzle`).

mod puzzle;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use groundrules_explore::{
    self as explore, Explored, Observer, Outcome, Progress, Property, Verification, move_texts,
};
use groundrules_gdl::goals::stated_goals;
use groundrules_gdl::time::Stopwatch;
use groundrules_machine::Compiled;
use groundrules_prove::{self as prove, Answer, Claim, Listener, Searcher, Subject};

use puzzle::Puzzle;

/// Exploration alone decides small games, before proofs have begun.
const HEAD_START: Duration = Duration::from_millis(300);

/// By what verdicts are sought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// By visiting states.
    Explore,
    /// By proofs about all states.
    Prove,
    /// By both at once.
    Both,
}

/// How a game is verified.
#[derive(Clone)]
pub struct Options {
    /// By what.
    pub by: By,
    /// How it is explored. Its observer may cancel everything.
    pub explore: explore::Options,
    /// The most processor time for proofs.
    pub time: Duration,
    /// The most memory for proofs, in bytes.
    pub memory: Option<usize>,
    /// So many states are visited for strong winnability alone, which proofs do not decide.
    pub strong_states: u64,
    /// The seed of the proofs' playouts.
    pub seed: u64,
    /// Told what the proofs try.
    pub on_attempt: Option<Listener<str>>,
}

/// A verdict, and how it was reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Decided {
    /// The property.
    pub property: Property,
    /// Whether it holds.
    pub outcome: Outcome,
    /// The reason.
    pub why: String,
    /// A line of joint moves, as texts, that shows that it fails.
    pub line: Option<Vec<Vec<String>>>,
    /// The method: `exploration`, or that of a proof; nothing where it is open or follows from others.
    pub method: Option<&'static str>,
    /// Processor seconds of the proofs until then, where a proof decides.
    pub seconds: Option<f64>,
}

/// All verdicts, and what is behind them.
#[derive(Clone, Debug)]
pub struct Verified {
    /// One for each property, in the order of [`Property::ALL`].
    pub verdicts: Vec<Decided>,
    /// What was explored, if anything was.
    pub explored: Option<Explored>,
    /// Why there were no proofs, if they were wanted.
    pub no_proofs: Option<String>,
}

impl Verified {
    /// The verdict on a property.
    pub fn verdict(&self, property: Property) -> &Decided {
        let found = self.verdicts.iter().find(|verdict| verdict.property == property);
        found.expect("there is a verdict on every property")
    }
}

/// Why a game could not be verified.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// It could not be explored.
    #[error(transparent)]
    Explore(#[from] explore::ExploreError),
    /// It could not be set up for proofs, and nothing else was wanted.
    #[error("nothing can be proved: {0}")]
    NoProofs(String),
    /// Exploration and a proof say different things: one of them is broken.
    #[error("exploration and proof disagree about {0}: please report this description")]
    Disagree(&'static str),
}

/// What the proofs came to, with the search beside them if the game is a puzzle.
type Proofs = Result<(Subject, Vec<prove::Verdict>, Option<Arc<Puzzle>>), String>;

/// Gives a verdict on every property, within the limits.
pub fn verify(game: &Compiled, options: &Options) -> Result<Verified, VerifyError> {
    match options.by {
        By::Explore => combine(game, Some(explore::verify(game, &options.explore)?), None),
        By::Prove => {
            let proofs = Proving::default().run(game, options);
            if let Err(why) = proofs {
                return Err(VerifyError::NoProofs(why));
            }
            combine(game, None, Some(proofs))
        }
        By::Both => side_by_side(game, options),
    }
}

fn side_by_side(game: &Compiled, options: &Options) -> Result<Verified, VerifyError> {
    let proving = Arc::new(Proving::default());
    let (ended, has_ended) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let own = Arc::clone(&proving);
        let proofs = scope.spawn(move || {
            // Whatever comes over the channel, or its end, means that exploration is over; small games need no proofs.
            match has_ended.recv_timeout(HEAD_START) {
                Ok(()) => Err("exploration decided everything".to_owned()),
                Err(_) => own.run(game, options),
            }
        });
        let watch = Watch {
            proving: Arc::clone(&proving),
            inner: Arc::clone(&options.explore.observer),
            // Alone, a role can force whatever can be reached.
            strong_states: if game.roles().len() > 1 { options.strong_states } else { 0 },
            states: AtomicU64::new(0),
        };
        let with_watch = explore::Options { observer: Arc::new(watch), ..options.explore.clone() };
        let found = explore::verify(game, &with_watch);
        let is_decided = found.as_ref().is_ok_and(|found| {
            let mut outcomes = found.verdicts.iter().map(|verdict| verdict.outcome);
            found.explored.stop.is_none() && outcomes.all(|outcome| outcome != Outcome::Open)
        });
        if is_decided || found.is_err() || options.explore.observer.is_cancelled() {
            proving.cancelled.store(true, Ordering::Relaxed);
            // The other side may have begun already.
            let _ = ended.send(());
        }
        drop(ended);
        let proofs = proofs.join().unwrap_or_else(|_| Err("the proofs broke down".to_owned()));
        combine(game, Some(found?), Some(proofs))
    })
}

/// The search for proofs as others see it.
#[derive(Default)]
struct Proving {
    cancelled: Arc<AtomicBool>,
    has_decided: AtomicBool,
}

impl Proving {
    fn run(&self, game: &Compiled, options: &Options) -> Proofs {
        let ground = game.ground().map_err(|error| error.to_string())?;
        if self.cancelled.load(Ordering::Relaxed) {
            return Err("it was cancelled".to_owned());
        }
        // What is made of the ground game counts, too.
        let watch = Stopwatch::start();
        let subject = Subject::new(game.game(), ground).map_err(|error| error.to_string())?;
        let puzzle = Puzzle::of(game, options.memory, &self.cancelled).map(Arc::new);
        let search = puzzle.clone().map(|puzzle| -> Searcher { Arc::new(move |time| puzzle.search(time)) });
        let how = prove::Options {
            search,
            time: Some(options.time.saturating_sub(watch.elapsed())),
            memory: options.memory,
            cancelled: Arc::clone(&self.cancelled),
            seed: options.seed,
            observer: options.on_attempt.clone(),
            ..prove::Options::default()
        };
        let verdicts = prove::prove(&subject, &Claim::PROPERTIES, &[], &how);
        let is_decided = verdicts.iter().all(|verdict| verdict.holds().is_some());
        self.has_decided.store(is_decided, Ordering::Relaxed);
        Ok((subject, verdicts, puzzle))
    }
}

/// Follows an exploration and ends it when the proofs have decided everything.
struct Watch {
    proving: Arc<Proving>,
    inner: Arc<dyn Observer>,
    /// So many states are visited for strong winnability alone.
    strong_states: u64,
    states: AtomicU64,
}

impl Observer for Watch {
    fn progress(&self, progress: &Progress) {
        self.states.store(progress.states, Ordering::Relaxed);
        self.inner.progress(progress);
    }

    fn is_cancelled(&self) -> bool {
        let is_enough = self.states.load(Ordering::Relaxed) >= self.strong_states;
        self.inner.is_cancelled() || is_enough && self.proving.has_decided.load(Ordering::Relaxed)
    }
}

fn claim(property: Property) -> Option<Claim> {
    Some(match property {
        Property::Termination => Claim::Termination,
        Property::Playability => Claim::Playability,
        Property::Utility => Claim::Utility,
        Property::WeakWinnability => Claim::WeakWinnability,
        Property::Monotonicity => Claim::Monotonicity,
        Property::WellFormedness | Property::StrongWinnability => return None,
    })
}

/// One verdict for each property from what both sides found.
fn combine(
    game: &Compiled,
    found: Option<Verification>,
    proofs: Option<Proofs>,
) -> Result<Verified, VerifyError> {
    let (proofs, no_proofs) = match proofs {
        None => (None, None),
        Some(Ok(proofs)) => (Some(proofs), None),
        Some(Err(why)) => (None, Some(why)),
    };
    let mut verdicts: Vec<Decided> = Vec::new();
    for property in Property::ALL {
        let explored = match &found {
            Some(found) => Some(from_exploration(game, found, property)?),
            None => None,
        };
        let proved = proofs.as_ref().and_then(|proofs| from_proof(proofs, property));
        let is_open = |decided: &Decided| decided.outcome == Outcome::Open;
        let decided = match (explored, proved) {
            (Some(explored), Some(proved)) if is_open(&explored) => {
                if is_open(&proved) {
                    explored
                } else {
                    proved
                }
            }
            (Some(explored), Some(proved)) => {
                if !is_open(&proved) && explored.outcome != proved.outcome {
                    return Err(VerifyError::Disagree(property.name()));
                }
                explored
            }
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => derived(property, Outcome::Open, "exploration decides it".to_owned()),
        };
        verdicts.push(decided);
    }
    if let Some((.., Some(puzzle))) = &proofs {
        take_impossible(&mut verdicts, puzzle);
    }
    let judged = stated_goals(game.game(), game.roles()).iter().filter(|goal| goal.is_judged).count();
    derive(&mut verdicts, game.roles().len() == 1 && judged == 1);
    Ok(Verified { verdicts, explored: found.map(|found| found.explored), no_proofs })
}

/// That a puzzle cannot be won, if its solvers proved it. They look at ends with a single goal, so that has to hold, too.
fn take_impossible(verdicts: &mut [Decided], puzzle: &Puzzle) {
    let of = |property| move |decided: &&Decided| decided.property == property;
    let is_sound = verdicts.iter().find(of(Property::Utility)).is_some_and(|it| it.outcome == Outcome::Holds);
    let weak = verdicts.iter_mut().find(|decided| decided.property == Property::WeakWinnability);
    if let Some(weak) = weak
        && weak.outcome == Outcome::Open
        && is_sound
        && puzzle.is_impossible()
    {
        let why = format!("no line of play gives {}: the solvers of puzzles proved it", puzzle.maximal());
        *weak = Decided { method: Some("search"), ..derived(Property::WeakWinnability, Outcome::Fails, why) };
    }
}

fn derived(property: Property, outcome: Outcome, why: String) -> Decided {
    Decided { property, outcome, why, line: None, method: None, seconds: None }
}

fn from_exploration(
    game: &Compiled,
    found: &Verification,
    property: Property,
) -> Result<Decided, VerifyError> {
    let verdict = found.verdict(property);
    let line = verdict.line.as_ref().map(|line| line.iter().map(|joint| move_texts(game, joint)).collect());
    let line: Option<Result<_, explore::ExploreError>> = line;
    let is_open = verdict.outcome == Outcome::Open;
    Ok(Decided {
        property,
        outcome: verdict.outcome,
        why: verdict.why.clone(),
        line: line.transpose()?,
        method: (!is_open && property != Property::WellFormedness).then_some("exploration"),
        seconds: None,
    })
}

fn from_proof(
    (subject, verdicts, _): &(Subject, Vec<prove::Verdict>, Option<Arc<Puzzle>>),
    property: Property,
) -> Option<Decided> {
    let claim = claim(property)?;
    let verdict = verdicts.iter().find(|verdict| verdict.claim == claim)?;
    let outcome = match verdict.holds() {
        Some(true) => Outcome::Holds,
        Some(false) => Outcome::Fails,
        None => Outcome::Open,
    };
    let line = match &verdict.answer {
        Answer::Refuted(line) => Some(line.iter().map(|joint| subject.move_texts(joint)).collect()),
        _ => None,
    };
    Some(Decided {
        property,
        outcome,
        why: verdict.why.clone(),
        line,
        method: verdict.method.map(prove::Method::name),
        seconds: Some(verdict.seconds),
    })
}

/// What follows from other verdicts: well-formedness, and strong winnability of a single role.
fn derive(verdicts: &mut [Decided], is_alone: bool) {
    const PARTS: [Property; 4] =
        [Property::Termination, Property::Playability, Property::Utility, Property::WeakWinnability];
    let with = |verdicts: &[Decided], outcome: Outcome| -> Vec<&'static str> {
        let parts = verdicts.iter().filter(|it| PARTS.contains(&it.property) && it.outcome == outcome);
        parts.map(|it| it.property.name()).collect()
    };
    let (failing, open) = (with(verdicts, Outcome::Fails), with(verdicts, Outcome::Open));
    let (outcome, why) = if !failing.is_empty() {
        (Outcome::Fails, format!("not satisfied: {}", failing.join(", ")))
    } else if !open.is_empty() {
        (Outcome::Open, format!("not known: {}", open.join(", ")))
    } else {
        (Outcome::Holds, String::new())
    };
    let weak = verdicts.iter().find(|it| it.property == Property::WeakWinnability).map(|it| it.outcome);
    for verdict in verdicts {
        match verdict.property {
            Property::WellFormedness => *verdict = derived(verdict.property, outcome, why.clone()),
            Property::StrongWinnability if verdict.outcome == Outcome::Open && is_alone => {
                if let Some(weak @ (Outcome::Holds | Outcome::Fails)) = weak {
                    let why = "for a single role it is weak winnability".to_owned();
                    *verdict = derived(verdict.property, weak, why);
                }
            }
            _ => {}
        }
    }
}
