//! The search for proofs and refutations of several claims at once. Cheap methods come first: random playouts, invariants by
//! induction, a measure. Then IC3/PDR, bounded model checking and more playouts take turns in slices of time that grow, until every
//! claim has a verdict or the time is over.

mod answers;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use groundrules_net::Literal;
use rustc_hash::FxHashSet;

use crate::bounded::Unrolled;
use crate::circuit::holds;
use crate::clock::Clock;
use crate::counters;
use crate::falling::Counts;
use crate::guided::Guided;
use crate::invariants::{self, Effort, Invariant, Samples};
use crate::known::Known;
use crate::pdr::{Found, Pdr};
use crate::playouts::{LANES, Line, Playouts, numbers};
use crate::replay::{comes_again, leads_to, play};
use crate::state::Clause;
use crate::step::Step;
use crate::subject::Subject;
use crate::sums;
use crate::termination::{Measure, Search};
use crate::verdict::{Answer, Claim, Method, Proof, Verdict};

/// Who is told something.
pub type Listener<T> = Arc<dyn Fn(&T) + Send + Sync>;

/// Searches for lines for some time; each is a list of joint moves as KIF.
pub type Searcher = Arc<dyn Fn(Duration) -> Vec<Vec<Vec<String>>> + Send + Sync>;

/// What a search may spend, and who follows it.
#[derive(Clone, Default)]
pub struct Options {
    /// The most processor time of the thread that searches.
    pub time: Option<Duration>,
    /// The most memory for clauses, in bytes: solvers that would take more are not built, or are given up. It is estimated.
    pub memory: Option<usize>,
    /// Set by whoever wants the search to stop.
    pub cancelled: Arc<AtomicBool>,
    /// The seed of the playouts.
    pub seed: u64,
    /// A search for lines to maximal goals by others, within some processor time of this thread. Each line is played before it counts.
    pub search: Option<Searcher>,
    /// Called with what is being tried.
    pub observer: Option<Listener<str>>,
    /// Called with each verdict as soon as it is known.
    pub on_verdict: Option<Listener<Verdict>>,
}

/// The most variables of bounded model checking.
const MOST_VARIABLES: usize = 6_000_000;

/// The most latches of which all pairs are looked at.
const MOST_PAIRED: usize = 1500;

/// The most moves of a cycle that is looked for from states of playouts.
const LONGEST_CYCLE: usize = 12;

/// The most moves of the playouts before anything else is tried.
const FIRST_STEPS: usize = 800;

/// Verdicts on some claims.
pub fn prove(subject: &Subject, claims: &[Claim], literals: &[Literal], options: &Options) -> Vec<Verdict> {
    let mut prover = Prover::new(subject, claims, literals, options);
    prover.run();
    prover.verdicts()
}

/// Something that can be reached, or not.
struct Target<'s> {
    literal: Literal,
    pdr: Option<Pdr<'s>>,
    guided: Option<Guided<'s>>,
    /// How far bounded model checking has looked.
    looked: usize,
    answer: Option<(Reached, Method, f64)>,
}

#[derive(Clone)]
enum Reached {
    By(Line),
    Never(Proof),
}

/// A claim and what it needs.
struct Task {
    claim: Claim,
    /// The targets: bad states, or for weak winnability the wins of the roles.
    targets: Vec<usize>,
}

struct Prover<'s> {
    subject: &'s Subject,
    options: &'s Options,
    clock: Clock,
    tasks: Vec<Task>,
    targets: Vec<Target<'s>>,
    termination: Option<(Answer, Method, f64)>,
    wants_termination: bool,
    invariants: Vec<Invariant>,
    known: Known,
    /// The latches of counters that hold at some time, unless the match ends before.
    counted: FxHashSet<usize>,
    reported: Vec<bool>,
}

impl<'s> Prover<'s> {
    fn new(subject: &'s Subject, claims: &[Claim], literals: &[Literal], options: &'s Options) -> Self {
        let clock = Clock::new(options.time, options.memory, Arc::clone(&options.cancelled));
        let mut prover = Prover {
            subject,
            options,
            clock,
            tasks: Vec::new(),
            targets: Vec::new(),
            termination: None,
            wants_termination: claims.contains(&Claim::Termination),
            invariants: Vec::new(),
            known: Known::default(),
            counted: FxHashSet::default(),
            reported: vec![false; claims.len()],
        };
        let mut formulas = literals.iter().copied();
        for claim in claims {
            let bad = match claim {
                Claim::Termination => vec![],
                Claim::Playability => vec![subject.stuck],
                Claim::Utility => vec![subject.no_utility],
                Claim::Monotonicity => vec![subject.not_monotone],
                Claim::WeakWinnability => subject.wins.iter().map(|win| win.literal).collect(),
                Claim::Always(_) | Claim::Never(_) | Claim::Eventually(_) => {
                    formulas.next().into_iter().collect()
                }
            };
            let targets = bad.into_iter().map(|literal| prover.add_target(literal)).collect();
            prover.tasks.push(Task { claim: claim.clone(), targets });
        }
        prover
    }

    fn add_target(&mut self, literal: Literal) -> usize {
        self.targets.push(Target { literal, pdr: None, guided: None, looked: 0, answer: None });
        self.targets.len() - 1
    }

    fn tell(&self, what: &str) {
        if let Some(observer) = &self.options.observer {
            observer(what);
        }
    }

    fn seconds(&self) -> f64 {
        self.clock.elapsed().as_secs_f64()
    }

    fn is_done(&self) -> bool {
        self.targets.iter().all(|target| target.answer.is_some())
            && (!self.wants_termination || self.termination.is_some())
    }

    /// A clock for a part of the time.
    fn slice(&self, seconds: f64) -> Clock {
        self.clock.within(Duration::from_secs_f64(seconds))
    }

    /// A share of the whole time, within bounds.
    fn share(&self, share: f64, least: f64, most: f64) -> f64 {
        self.options.time.map_or(most, |time| (time.as_secs_f64() * share).clamp(least, most))
    }

    fn run(&mut self) {
        self.decide_by_constants();
        self.tell("random playouts");
        let mut playouts = Playouts::new(&self.subject.circuit, self.options.seed);
        self.play(&mut playouts, self.share(0.05, 0.1, 0.8), true);
        if self.is_done() {
            return;
        }
        self.find_counters();
        self.find_groups(&playouts);
        self.decide_by_invariants();
        self.find_measure(&playouts, self.share(0.2, 0.8, 60.0));
        if self.find_sums(&playouts) {
            self.find_measure(&playouts, self.share(0.1, 0.4, 30.0));
        }
        let mut unrolled = None;
        let mut seconds = 0.3;
        let mut round = 0;
        while !self.is_done() && !self.clock.is_over() {
            self.run_pdr(seconds);
            if round == 0 {
                self.search_lines(self.share(0.25, 0.5, 30.0));
                if self.find_implications(&playouts) {
                    self.find_measure(&playouts, self.share(0.2, 0.8, 60.0));
                }
            }
            round += 1;
            self.look_ahead(&mut unrolled, seconds);
            if self.clock.is_over() {
                break;
            }
            self.play(&mut playouts, seconds / 4.0, false);
            self.play_guided(seconds / 2.0);
            self.look_for_cycles(&playouts, seconds);
            seconds *= 1.6;
        }
    }

    /// Targets that are constants need no search.
    fn decide_by_constants(&mut self) {
        for place in 0..self.targets.len() {
            if self.targets[place].literal == Literal::FALSE {
                self.decide(place, Reached::Never(Proof::default()), Method::Rules);
            }
        }
        let values = self.subject.circuit.evaluate(self.subject.circuit.init(), |_| false);
        for place in 0..self.targets.len() {
            if holds(self.targets[place].literal, &values) {
                self.decide(place, Reached::By(Vec::new()), Method::Playouts);
            }
        }
    }

    /// Lets others search for lines, if somebody's maximal goal was not reached yet.
    fn search_lines(&mut self, seconds: f64) {
        let Some(search) = self.options.search.clone() else { return };
        let is_open = |task: &Task| {
            task.claim == Claim::WeakWinnability
                && task.targets.iter().any(|&place| self.targets[place].answer.is_none())
        };
        let left = self.clock.left().unwrap_or(Duration::MAX);
        if !self.tasks.iter().any(is_open) || self.clock.is_over() {
            return;
        }
        self.tell("a search for lines to maximal goals");
        let found = search(left.min(Duration::from_secs_f64(seconds)));
        for line in found.iter().filter_map(|texts| self.subject.line(texts)) {
            for place in 0..self.targets.len() {
                if leads_to(self.subject, &line, self.targets[place].literal) {
                    self.decide(place, Reached::By(line.clone()), Method::Search);
                }
            }
        }
    }

    fn decide(&mut self, place: usize, reached: Reached, method: Method) {
        let seconds = self.seconds();
        let target = &mut self.targets[place];
        if target.answer.is_some() {
            return;
        }
        if let Reached::By(line) = &reached {
            assert!(
                leads_to(self.subject, line, target.literal),
                "a line of {} moves does not lead where the {} says",
                line.len(),
                method.name()
            );
        }
        target.answer = Some((reached, method, seconds));
        (target.pdr, target.guided) = (None, None);
        self.report();
    }

    /// Tells the verdicts that are new.
    fn report(&mut self) {
        let Some(on_verdict) = self.options.on_verdict.clone() else { return };
        for place in 0..self.tasks.len() {
            if !self.reported[place] {
                let verdict = self.verdict(&self.tasks[place]);
                if verdict.holds().is_some() {
                    self.reported[place] = true;
                    on_verdict(&verdict);
                }
            }
        }
    }

    fn play(&mut self, playouts: &mut Playouts<'s>, seconds: f64, sample: bool) {
        let clock = self.slice(seconds);
        let mut steps = 0usize;
        while !clock.is_over() && (!sample || steps < FIRST_STEPS) {
            for place in 0..self.targets.len() {
                if self.targets[place].answer.is_some() {
                    continue;
                }
                let found = playouts.lanes(self.targets[place].literal);
                let shortest = numbers(&found).min_by_key(|&lane| playouts.line(lane).len());
                if let Some(lane) = shortest {
                    let line = playouts.line(lane).clone();
                    self.decide(place, Reached::By(line), Method::Playouts);
                }
            }
            if sample && steps < 40 || steps.is_multiple_of(7) {
                playouts.sample();
            }
            if self.is_done() && !sample {
                return;
            }
            if let Some((lane, first)) = playouts.advance()
                && self.wants_termination
                && self.termination.is_none()
            {
                let line = playouts.line(lane).clone();
                self.decide_endless(line, first, Method::Playouts);
            }
            steps += 1;
            if sample && steps > 20 && self.is_done() {
                return;
            }
        }
    }

    /// Plays towards each target that is open.
    fn play_guided(&mut self, seconds: f64) {
        let circuit = &self.subject.circuit;
        self.tell("guided playouts");
        for place in 0..self.targets.len() {
            if self.targets[place].answer.is_some() || self.clock.is_over() {
                continue;
            }
            let clock = self.slice(seconds);
            let (literal, seed) = (self.targets[place].literal, self.options.seed.wrapping_add(place as u64));
            let mut guided =
                self.targets[place].guided.take().unwrap_or_else(|| Guided::new(circuit, literal, seed));
            match guided.run(&clock) {
                Some(lane) => self.decide(place, Reached::By(guided.line(lane).clone()), Method::Guided),
                None => self.targets[place].guided = Some(guided),
            }
        }
    }

    /// A line whose last state has come before refutes termination.
    fn decide_endless(&mut self, line: Line, first: usize, method: Method) {
        if self.termination.is_none() && comes_again(self.subject, &line, first) {
            self.termination = Some((Answer::Refuted(line), method, self.seconds()));
            self.report();
        }
    }

    /// Counters need no solver. One that never comes back to a value ends every match.
    fn find_counters(&mut self) {
        self.tell("counters");
        let clock = self.slice(self.share(0.1, 0.5, 10.0));
        let found = counters::counters(&self.subject.circuit, &self.subject.ground, &clock);
        let mut direction = None;
        for counter in found {
            self.counted.extend(&counter.order);
            let invariants = counter.invariants();
            self.known.extend(&invariants);
            self.invariants.extend(invariants);
            direction = direction.or_else(|| counter.direction());
        }
        if let Some(direction) = direction
            && self.wants_termination
            && self.termination.is_none()
        {
            let measure = Measure { rounds: vec![vec![direction]], ..Measure::default() };
            let proof = Proof { measure: Some(measure), ..self.proof(&[]) };
            self.termination = Some((Answer::Proved(proof), Method::Measure, self.seconds()));
            self.report();
        }
    }

    fn find_groups(&mut self, playouts: &Playouts<'s>) {
        self.tell("invariants by induction: constants and exclusive groups");
        let (latches, _) = playouts.samples();
        let samples = Samples { latches };
        let families = invariants::families(&self.subject.ground);
        let mut candidates = invariants::groups(&self.subject.circuit, &families, &samples);
        let known: FxHashSet<&Invariant> = self.invariants.iter().collect();
        let is_counted = |candidate: &Invariant| match candidate {
            Invariant::Clause(clause) => clause.iter().all(|literal| self.counted.contains(&literal.latch())),
            _ => false,
        };
        candidates.retain(|candidate| !known.contains(candidate) && !is_counted(candidate));
        // Counters are cheap, and often all that termination needs. Groups of which exactly one latch holds come next, then the rest.
        let circuit = &self.subject.circuit;
        let latches = invariants::closed(circuit, &candidates);
        let (closed, others): (Vec<_>, Vec<_>) =
            candidates.into_iter().partition(|candidate| candidate.is_about(&latches));
        let clock = self.slice(self.share(0.04, 0.3, 10.0));
        self.keep_proved(closed, Effort::Little, &clock);
        self.find_measure(playouts, self.share(0.04, 0.3, 10.0));
        let all: FxHashSet<Invariant> = others.iter().cloned().collect();
        let exact = others.iter().filter(|candidate| invariants::is_exact(candidate, &all)).cloned();
        let exact: Vec<Invariant> = exact.collect();
        let clock = self.slice(self.share(0.15, 0.6, 30.0));
        self.keep_proved(exact.clone(), Effort::Little, &clock);
        let known: FxHashSet<&Invariant> = self.invariants.iter().collect();
        let hard: Vec<Invariant> = exact.into_iter().filter(|it| !known.contains(it)).collect();
        let clock = self.slice(self.share(0.15, 0.4, 20.0));
        self.keep_proved(hard, Effort::Much, &clock);
        let known: FxHashSet<&Invariant> = self.invariants.iter().collect();
        let others = others.into_iter().filter(|candidate| !known.contains(candidate)).collect();
        let clock = self.slice(self.share(0.15, 0.6, 30.0));
        self.keep_proved(others, Effort::Little, &clock);
    }

    /// Guesses weighted sums that no move changes, and says whether some are invariants. Groups that were not proved without them are
    /// tried again.
    fn find_sums(&mut self, playouts: &Playouts<'s>) -> bool {
        if self.is_done() || self.clock.is_over() {
            return false;
        }
        self.tell("invariants by induction: sums");
        let (latches, _) = playouts.samples();
        let (circuit, ground) = (&self.subject.circuit, &self.subject.ground);
        let samples = Samples { latches };
        let guessed = sums::candidates(circuit, ground, &self.invariants, &samples);
        if guessed.is_empty() {
            return false;
        }
        // Groups that a sum is about may need it, as a counter that always shows something does.
        let summed: FxHashSet<usize> =
            guessed.iter().flat_map(|sum| sum.groups.iter().flatten()).map(|term| term.0).collect();
        let mut candidates: Vec<Invariant> = guessed.into_iter().map(Invariant::Sum).collect();
        let known: FxHashSet<&Invariant> = self.invariants.iter().collect();
        let groups = invariants::groups(circuit, &invariants::families(ground), &samples);
        let groups = groups.into_iter().filter(|group| !known.contains(group));
        let (near, far): (Vec<_>, Vec<_>) = groups.partition(|group| group.is_about(&summed));
        candidates.extend(near);
        let clock = self.slice(self.share(0.3, 0.6, 30.0));
        self.keep_proved(candidates, Effort::Much, &clock);
        if self.invariants.iter().any(|invariant| matches!(invariant, Invariant::Sum(_))) {
            let clock = self.slice(self.share(0.1, 0.4, 10.0));
            self.keep_proved(far, Effort::Little, &clock);
        }
        let has_found = self.invariants.iter().any(|invariant| matches!(invariant, Invariant::Sum(_)));
        if has_found {
            self.decide_by_invariants();
        }
        has_found
    }

    /// Guesses pairs of latches of which one implies the other, and says whether some are invariants. Searches that began without
    /// them begin again.
    fn find_implications(&mut self, playouts: &Playouts<'s>) -> bool {
        if self.is_done() || self.clock.is_over() || self.subject.circuit.latch_count() > MOST_PAIRED {
            return false;
        }
        self.tell("invariants by induction: implications");
        let (latches, _) = playouts.samples();
        let candidates = invariants::pairs(&self.subject.circuit, &self.invariants, &Samples { latches });
        let clock = self.slice(self.share(0.1, 0.5, 20.0));
        let known = self.invariants.len();
        self.keep_proved(candidates, Effort::Little, &clock);
        let has_found = self.invariants.len() > known;
        if has_found {
            self.targets.iter_mut().for_each(|target| target.pdr = None);
            self.decide_by_invariants();
        }
        has_found
    }

    fn keep_proved(&mut self, candidates: Vec<Invariant>, effort: Effort, clock: &Clock) {
        let circuit = &self.subject.circuit;
        if let Some(proved) = invariants::prove(circuit, &self.known, candidates, effort, clock) {
            self.known.extend(&proved);
            self.invariants.extend(proved);
        }
    }

    /// Targets that the invariants exclude. Sums make every question harder, so they are left out at first.
    fn decide_by_invariants(&mut self) {
        self.decide_by(&self.known.without_sums());
        if self.known.has_sums() {
            self.decide_by(&self.known.clone());
        }
    }

    fn decide_by(&mut self, known: &Known) {
        let clock = self.slice(self.share(0.1, 0.5, 20.0));
        let mut step = Step::new(&self.subject.circuit, &clock);
        step.assume(known);
        for place in 0..self.targets.len() {
            if self.targets[place].answer.is_some() || clock.is_over() {
                continue;
            }
            let target = step.literal(self.targets[place].literal);
            if step.sat.ask(&[target]) == Some(false) || self.is_inductive(place, known, &clock) == Some(true)
            {
                let proof = self.proof(&[]);
                self.decide(place, Reached::Never(proof), Method::Induction);
            }
        }
    }

    /// Whether no move leads from a state where a target does not hold to one where it does.
    fn is_inductive(&self, place: usize, known: &Known, clock: &Clock) -> Option<bool> {
        let mut unrolled = Unrolled::new(&self.subject.circuit, known, false, clock);
        unrolled.extend();
        let before = unrolled.literal(0, self.targets[place].literal);
        let after = unrolled.literal(1, self.targets[place].literal);
        Some(!unrolled.sat.ask(&[!before, after])?)
    }

    fn find_measure(&mut self, playouts: &Playouts<'s>, seconds: f64) {
        if !self.wants_termination || self.termination.is_some() || self.clock.is_over() {
            return;
        }
        self.tell("a measure for termination");
        let clock = self.slice(seconds);
        let samples = Samples { latches: playouts.samples().0 };
        let counts = Counts::of(&self.subject.ground, &self.invariants, &samples);
        let mut search = Search::new(&self.subject.circuit, &self.invariants, &self.known, counts, &clock);
        search.learn(&self.transitions(playouts));
        search.watch(self.options.seed, &clock);
        if let Some(Some(measure)) = search.run(&clock) {
            let proof = Proof { measure: Some(measure), ..self.proof(&[]) };
            self.termination = Some((Answer::Proved(proof), Method::Measure, self.seconds()));
            self.report();
        }
    }

    /// Moves of some playouts, with the states before and after.
    fn transitions(&self, playouts: &Playouts<'_>) -> Vec<(Vec<bool>, Vec<bool>)> {
        let lines = (0..4).map(|lane| playouts.line(lane * 60));
        let states = lines.filter_map(|line| play(self.subject, &line[..line.len().min(60)]));
        let pairs = states.flat_map(|(_, states)| {
            states.windows(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect::<Vec<_>>()
        });
        pairs.collect()
    }

    fn run_pdr(&mut self, seconds: f64) {
        let known = self.known.without_sums();
        for place in 0..self.targets.len() {
            if self.targets[place].answer.is_some() || self.clock.is_over() {
                continue;
            }
            let clock = self.slice(seconds);
            let literal = self.targets[place].literal;
            let mut pdr = self.targets[place]
                .pdr
                .take()
                .unwrap_or_else(|| Pdr::new(&self.subject.circuit, literal, &known, &self.clock));
            self.tell(&format!("PDR: {} levels, {} clauses", pdr.depth(), pdr.clauses()));
            match pdr.run(&clock) {
                Some(Found::Holds(clauses)) => {
                    let proof = self.proof(&clauses);
                    self.decide(place, Reached::Never(proof), Method::Pdr);
                }
                Some(Found::Fails(line)) => self.decide(place, Reached::By(line), Method::Pdr),
                None => self.targets[place].pdr = Some(pdr),
            }
        }
    }

    /// Bounded model checking, a slice at a time.
    fn look_ahead(&mut self, unrolled: &mut Option<Unrolled<'s>>, seconds: f64) {
        let clock = self.slice(seconds);
        let circuit = &self.subject.circuit;
        let known = self.known.without_sums();
        let unrolled = unrolled.get_or_insert_with(|| Unrolled::new(circuit, &known, true, &self.clock));
        unrolled.sat.set_clock(&clock);
        while !clock.is_over() && !self.is_done() {
            let depth = unrolled.moves();
            self.tell(&format!("bounded model checking: {depth} moves"));
            for place in 0..self.targets.len() {
                if self.targets[place].answer.is_some() || self.targets[place].looked > depth {
                    continue;
                }
                let target = unrolled.literal(depth, self.targets[place].literal);
                match unrolled.sat.ask(&[target]) {
                    Some(true) => {
                        let line = unrolled.line(depth);
                        self.decide(place, Reached::By(line), Method::Bounded);
                    }
                    Some(false) => self.targets[place].looked = depth + 1,
                    None => return,
                }
            }
            if self.wants_termination && self.termination.is_none() && depth > 0 {
                for first in (0..depth).rev() {
                    let same = unrolled.same(depth, first);
                    match unrolled.sat.ask(&[same]) {
                        Some(true) => {
                            let line = unrolled.line(depth);
                            self.decide_endless(line, first, Method::Bounded);
                            break;
                        }
                        Some(false) => {}
                        None => return,
                    }
                }
            }
            if unrolled.variables() > MOST_VARIABLES || unrolled.sat.exceeds(50) {
                return;
            }
            unrolled.extend();
            if unrolled.sat.ask(&[]) == Some(false) {
                self.decide_by_length(unrolled.moves());
                return;
            }
        }
    }

    /// Looks for a few moves that lead from a state of a playout back to it.
    fn look_for_cycles(&mut self, playouts: &Playouts<'s>, seconds: f64) {
        let clock = self.slice(seconds);
        let circuit = &self.subject.circuit;
        let longest = (2 * circuit.roles).clamp(4, LONGEST_CYCLE);
        self.tell("cycles from states of playouts");
        for place in 0..LANES {
            // Matches side by side are alike: lanes far apart come first.
            let lane = place * 37 % LANES;
            if !self.wants_termination || self.termination.is_some() || clock.is_over() {
                return;
            }
            if playouts.is_over(lane) {
                continue;
            }
            let mut unrolled =
                Unrolled::from_state(circuit, &Known::default(), &playouts.state(lane), &clock);
            for moves in 1..=longest {
                unrolled.extend();
                let same = unrolled.same(moves, 0);
                match unrolled.sat.ask(&[same]) {
                    Some(true) => {
                        let mut line = playouts.line(lane).clone();
                        let first = line.len();
                        line.extend(unrolled.line(moves));
                        self.decide_endless(line, first, Method::Bounded);
                        break;
                    }
                    Some(false) => {}
                    None => return,
                }
            }
        }
    }

    /// No match has so many moves, and all shorter ones were looked at.
    fn decide_by_length(&mut self, moves: usize) {
        let proof = Proof { longer_than_all: Some(moves), ..self.proof(&[]) };
        if self.wants_termination && self.termination.is_none() {
            self.termination = Some((Answer::Proved(proof.clone()), Method::Bounded, self.seconds()));
        }
        for place in 0..self.targets.len() {
            if self.targets[place].answer.is_none() && self.targets[place].looked >= moves {
                self.decide(place, Reached::Never(proof.clone()), Method::Bounded);
            }
        }
        self.report();
    }

    /// The invariants so far and some more clauses.
    fn proof(&self, clauses: &[Clause]) -> Proof {
        let clauses = clauses.iter().cloned().map(Invariant::Clause);
        Proof { invariants: self.invariants.iter().cloned().chain(clauses).collect(), ..Proof::default() }
    }
}
