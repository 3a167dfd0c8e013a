//! The search for proofs and refutations of several claims at once. Cheap methods come first: random playouts, invariants by
//! induction, a measure. Then IC3/PDR, bounded model checking and more playouts take turns in slices of time that grow, until every
//! claim has a verdict or the time is over.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use groundrules_gdl::time::Instant;
use groundrules_net::Literal;

use crate::bounded::Unrolled;
use crate::circuit::holds;
use crate::invariants::{self, Invariant, Samples};
use crate::pdr::{Found, Pdr};
use crate::playouts::{Line, Playouts, numbers};
use crate::sat::Clock;
use crate::state::Clause;
use crate::step::Step;
use crate::subject::Subject;
use crate::termination::{Measure, Search};
use crate::verdict::{Answer, Claim, Method, Proof, Verdict};

/// Who is told something.
pub type Listener<T> = Arc<dyn Fn(&T) + Send + Sync>;

/// What a search may spend, and who follows it.
#[derive(Clone, Default)]
pub struct Options {
    /// The most time.
    pub time: Option<Duration>,
    /// Set by whoever wants the search to stop.
    pub cancelled: Arc<AtomicBool>,
    /// The seed of the playouts.
    pub seed: u64,
    /// Called with what is being tried.
    pub observer: Option<Listener<str>>,
    /// Called with each verdict as soon as it is known.
    pub on_verdict: Option<Listener<Verdict>>,
}

/// The most variables of bounded model checking.
const MOST_VARIABLES: usize = 6_000_000;

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
    start: Instant,
    clock: Clock,
    tasks: Vec<Task>,
    targets: Vec<Target<'s>>,
    termination: Option<(Answer, Method, f64)>,
    wants_termination: bool,
    invariants: Vec<Invariant>,
    clauses: Vec<Clause>,
    reported: Vec<bool>,
}

impl<'s> Prover<'s> {
    fn new(subject: &'s Subject, claims: &[Claim], literals: &[Literal], options: &'s Options) -> Self {
        let start = Instant::now();
        let clock =
            Clock::new(options.time.and_then(|time| start.checked_add(time)), Arc::clone(&options.cancelled));
        let mut prover = Prover {
            subject,
            options,
            start,
            clock,
            tasks: Vec::new(),
            targets: Vec::new(),
            termination: None,
            wants_termination: claims.contains(&Claim::Termination),
            invariants: Vec::new(),
            clauses: Vec::new(),
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
        self.targets.push(Target { literal, pdr: None, looked: 0, answer: None });
        self.targets.len() - 1
    }

    fn tell(&self, what: &str) {
        if let Some(observer) = &self.options.observer {
            observer(what);
        }
    }

    fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    fn is_done(&self) -> bool {
        self.targets.iter().all(|target| target.answer.is_some())
            && (!self.wants_termination || self.termination.is_some())
    }

    /// A clock for a part of the time.
    fn slice(&self, seconds: f64) -> Clock {
        self.clock.before(Instant::now() + Duration::from_secs_f64(seconds))
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
        self.find_groups(&playouts);
        self.decide_by_invariants();
        if self.wants_termination && self.termination.is_none() && !self.clock.is_over() {
            self.tell("a measure for termination");
            let clock = self.slice(self.share(0.25, 1.0, 60.0));
            let seen = self.transitions(&playouts);
            self.find_measure(&seen, &clock);
        }
        let mut unrolled = None;
        let mut seconds = 0.3;
        while !self.is_done() && !self.clock.is_over() {
            self.run_pdr(seconds);
            self.look_ahead(&mut unrolled, seconds);
            if self.clock.is_over() {
                break;
            }
            self.play(&mut playouts, seconds / 4.0, false);
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
        target.pdr = None;
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

    /// A line whose last state has come before refutes termination.
    fn decide_endless(&mut self, line: Line, first: usize, method: Method) {
        if self.termination.is_none() && comes_again(self.subject, &line, first) {
            self.termination = Some((Answer::Refuted(line), method, self.seconds()));
            self.report();
        }
    }

    fn find_groups(&mut self, playouts: &Playouts<'s>) {
        self.tell("invariants by induction: constants and exclusive groups");
        let (latches, _) = playouts.samples();
        let samples = Samples { latches };
        let families = invariants::families(&self.subject.ground);
        let candidates = invariants::groups(&self.subject.circuit, &families, &samples);
        let clock = self.slice(self.share(0.3, 1.0, 60.0));
        self.keep_proved(candidates, &clock);
        let is_hard = self.targets.iter().any(|target| target.answer.is_none());
        if is_hard && !self.clock.is_over() && self.subject.circuit.latch_count() < 1500 {
            self.tell("invariants by induction: implications");
            let candidates = invariants::pairs(&self.subject.circuit, &self.invariants, &samples);
            let clock = self.slice(self.share(0.1, 0.5, 20.0));
            self.keep_proved(candidates, &clock);
        }
    }

    fn keep_proved(&mut self, candidates: Vec<Invariant>, clock: &Clock) {
        if let Some(proved) = invariants::prove(&self.subject.circuit, &self.clauses, candidates, clock) {
            self.clauses.extend(proved.iter().flat_map(Invariant::clauses));
            self.invariants.extend(proved);
        }
    }

    /// Targets that the invariants exclude.
    fn decide_by_invariants(&mut self) {
        let clock = self.slice(self.share(0.1, 0.5, 20.0));
        let mut step = Step::new(&self.subject.circuit, &clock);
        self.clauses.iter().for_each(|clause| step.add_now(clause, None));
        for place in 0..self.targets.len() {
            if self.targets[place].answer.is_some() {
                continue;
            }
            let target = step.literal(self.targets[place].literal);
            if step.sat.ask(&[target]) == Some(false) || self.is_inductive(place, &clock) == Some(true) {
                let proof = self.proof(&[]);
                self.decide(place, Reached::Never(proof), Method::Induction);
            }
        }
    }

    /// Whether no move leads from a state where a target does not hold to one where it does.
    fn is_inductive(&self, place: usize, clock: &Clock) -> Option<bool> {
        let mut unrolled = Unrolled::new(&self.subject.circuit, &self.clauses, false, clock);
        unrolled.extend();
        let before = unrolled.literal(0, self.targets[place].literal);
        let after = unrolled.literal(1, self.targets[place].literal);
        Some(!unrolled.sat.ask(&[!before, after])?)
    }

    fn find_measure(&mut self, transitions: &[(Vec<bool>, Vec<bool>)], clock: &Clock) {
        let mut search = Search::new(&self.subject.circuit, &self.invariants, &self.clauses, clock);
        search.learn(transitions);
        if let Some(Some(measure)) = search.run(clock) {
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
        for place in 0..self.targets.len() {
            if self.targets[place].answer.is_some() || self.clock.is_over() {
                continue;
            }
            let clock = self.slice(seconds);
            let literal = self.targets[place].literal;
            let mut pdr = self.targets[place]
                .pdr
                .take()
                .unwrap_or_else(|| Pdr::new(&self.subject.circuit, literal, &self.clauses, &clock));
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
        let unrolled = unrolled.get_or_insert_with(|| Unrolled::new(circuit, &self.clauses, true, &clock));
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
            if unrolled.variables() > MOST_VARIABLES {
                return;
            }
            unrolled.extend();
            if unrolled.sat.ask(&[]) == Some(false) {
                self.decide_by_length(unrolled.moves());
                return;
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

    fn verdicts(&self) -> Vec<Verdict> {
        self.tasks.iter().map(|task| self.verdict(task)).collect()
    }

    fn verdict(&self, task: &Task) -> Verdict {
        let (answer, method, seconds, why) = match &task.claim {
            Claim::Termination => self.termination_verdict(),
            Claim::WeakWinnability => self.winnability_verdict(task),
            Claim::Eventually(_) => self.eventually_verdict(task),
            claim => self.safety_verdict(claim, &self.targets[task.targets[0]]),
        };
        Verdict { claim: task.claim.clone(), answer, method, why, seconds }
    }

    fn open(&self) -> (Answer, Option<Method>, f64, String) {
        let why = match self.options.time {
            Some(time) if self.seconds() >= time.as_secs_f64() => {
                format!("the limit of {} s was reached", time.as_secs_f64())
            }
            _ => "it was cancelled".to_owned(),
        };
        (Answer::Open(why.clone()), None, self.seconds(), why)
    }

    fn termination_verdict(&self) -> (Answer, Option<Method>, f64, String) {
        match &self.termination {
            None => self.open(),
            Some((answer, method, seconds)) => {
                let why = match answer {
                    Answer::Refuted(line) => {
                        format!("the state after {} came before", moves(line.len()))
                    }
                    Answer::Proved(Proof { measure: Some(measure), .. }) => measure_text(measure),
                    Answer::Proved(proof) => proof_text(*method, proof),
                    _ => String::new(),
                };
                (answer.clone(), Some(*method), *seconds, why)
            }
        }
    }

    fn safety_verdict(&self, claim: &Claim, target: &Target<'_>) -> (Answer, Option<Method>, f64, String) {
        match &target.answer {
            None => self.open(),
            Some((Reached::By(line), method, seconds)) => {
                let why = self.violation(claim, line);
                (Answer::Refuted(line.clone()), Some(*method), *seconds, why)
            }
            Some((Reached::Never(proof), method, seconds)) => {
                (Answer::Proved(proof.clone()), Some(*method), *seconds, proof_text(*method, proof))
            }
        }
    }

    /// That something holds at some time in every match needs that matches end, and do not get stuck.
    fn eventually_verdict(&self, task: &Task) -> (Answer, Option<Method>, f64, String) {
        let found = self.safety_verdict(&task.claim, &self.targets[task.targets[0]]);
        let is_proved = |claim: &Claim| {
            let own = self.tasks.iter().find(|task| task.claim == *claim);
            own.is_some_and(|task| self.verdict(task).holds() == Some(true))
        };
        if !matches!(found.0, Answer::Proved(_))
            || is_proved(&Claim::Termination) && is_proved(&Claim::Playability)
        {
            return found;
        }
        let why =
            "it holds in every match that ends, and termination or playability is not proved".to_owned();
        (Answer::Open(why.clone()), None, self.seconds(), why)
    }

    fn winnability_verdict(&self, task: &Task) -> (Answer, Option<Method>, f64, String) {
        let answers: Vec<_> = task.targets.iter().map(|&place| self.targets[place].answer.as_ref()).collect();
        let seconds = answers.iter().flatten().map(|answer| answer.2).fold(0.0, f64::max);
        for (win, answer) in self.subject.wins.iter().zip(&answers) {
            if let Some((Reached::Never(proof), method, seconds)) = answer {
                let why = format!("no line of play gives {} {}", self.subject.roles[win.role], win.goal);
                return (Answer::Impossible(win.role, proof.clone()), Some(*method), *seconds, why);
            }
        }
        let lines: Option<Vec<Line>> = answers
            .iter()
            .map(|answer| match answer {
                Some((Reached::By(line), ..)) => Some(line.clone()),
                _ => None,
            })
            .collect();
        let Some(lines) = lines else { return self.open() };
        let mut methods: Vec<Method> = answers.iter().flatten().map(|answer| answer.1).collect();
        methods.dedup();
        let method = if let [only] = methods[..] { only } else { Method::Several };
        let lengths: Vec<String> = lines.iter().map(|line| line.len().to_string()).collect();
        (Answer::Shown(lines), Some(method), seconds, format!("lines of {} moves", lengths.join(", ")))
    }

    /// What a line shows.
    fn violation(&self, claim: &Claim, line: &Line) -> String {
        let count = moves(line.len());
        let subject = self.subject;
        let values = end_of(subject, line);
        let own = |role: usize, value: &[bool]| -> Vec<i32> {
            let goals = subject.circuit.goals.iter().filter(|goal| goal.role == role);
            goals.filter(|goal| holds(goal.literal, value)).map(|goal| goal.value).collect()
        };
        match claim {
            Claim::Playability => {
                let is_stuck = |role: &usize| {
                    !subject
                        .circuit
                        .inputs_of(*role)
                        .any(|input| holds(subject.circuit.legal[input], &values))
                };
                let role = (0..subject.roles.len()).find(is_stuck).unwrap_or(0);
                format!("{} has no legal move after {count}", subject.roles[role])
            }
            Claim::Utility | Claim::Monotonicity => {
                let judged = subject.wins.iter().map(|win| win.role);
                let unsound = judged.clone().find(|&role| own(role, &values).len() != 1);
                match unsound {
                    Some(role) => {
                        let at = if *claim == Claim::Utility { "at the end after" } else { "after" };
                        format!("{} does not have exactly one goal {at} {count}", subject.roles[role])
                    }
                    None => {
                        let before = end_of(subject, &line[..line.len().saturating_sub(1)]);
                        let falls = |&role: &usize| own(role, &values).first() < own(role, &before).first();
                        let role = judged.clone().find(falls).unwrap_or(0);
                        format!("the goal of {} falls with move {}", subject.roles[role], line.len())
                    }
                }
            }
            _ => format!("it fails after {count}"),
        }
    }
}

fn proof_text(method: Method, proof: &Proof) -> String {
    match (proof.longer_than_all, proof.invariants.len()) {
        (Some(length), _) => format!("no match has {}", moves(length)),
        (None, 0) if method == Method::Rules => "the rules alone say it".to_owned(),
        (None, 0) => format!("proved by {}", method.name()),
        (None, count) => {
            format!("proved by {} with {count} invariant{}", method.name(), if count == 1 { "" } else { "s" })
        }
    }
}

fn measure_text(measure: &Measure) -> String {
    let groups: usize = measure.rounds.iter().map(Vec::len).sum();
    let mut parts = Vec::new();
    if groups > 0 {
        let rounds = measure.rounds.len();
        let order = if rounds > 1 { format!(" in {rounds} rounds") } else { String::new() };
        parts.push(format!("{groups} group{} with a direction{order}", if groups == 1 { "" } else { "s" }));
    }
    if let Some(ranking) = &measure.ranking {
        parts.push(format!(
            "{} weighted sum{}",
            ranking.sums.len(),
            if ranking.sums.len() == 1 { "" } else { "s" }
        ));
    }
    if measure.stalled > 0 {
        parts.push(format!("at most {} without progress", moves(measure.stalled - 1)));
    }
    if parts.is_empty() {
        "no move is ever legal".to_owned()
    } else {
        format!("a measure: {}", parts.join(", "))
    }
}

fn moves(count: usize) -> String {
    format!("{count} move{}", if count == 1 { "" } else { "s" })
}

/// Plays a line; gives the values of all nodes in its last state, or nothing if a move was not legal.
fn play(subject: &Subject, line: &[Vec<u32>]) -> Option<(Vec<bool>, Vec<Vec<bool>>)> {
    let circuit = &subject.circuit;
    let mut states = vec![circuit.init().to_vec()];
    let mut values = circuit.evaluate(circuit.init(), |_| false);
    for joint in line {
        let is_legal =
            |made: &u32| circuit.legal.get(*made as usize).is_some_and(|&legal| holds(legal, &values));
        let by_roles = joint.iter().enumerate().all(|(role, &made)| {
            circuit.movers.get(made as usize).is_some_and(|&mover| mover as usize == role)
        });
        if holds(circuit.terminal, &values)
            || joint.len() != circuit.roles
            || !by_roles
            || !joint.iter().all(is_legal)
        {
            return None;
        }
        let mut made = vec![false; circuit.input_count()];
        joint.iter().for_each(|&number| made[number as usize] = true);
        let moved = circuit.evaluate(&states[states.len() - 1], |input| made[input]);
        let next = circuit.next_state(&moved);
        values = circuit.evaluate(&next, |_| false);
        states.push(next);
    }
    Some((values, states))
}

fn end_of(subject: &Subject, line: &[Vec<u32>]) -> Vec<bool> {
    play(subject, line).map_or_else(|| vec![false; subject.circuit.node_count()], |(values, _)| values)
}

/// Whether a line is legal and a literal holds at its end.
pub fn leads_to(subject: &Subject, line: &[Vec<u32>], literal: Literal) -> bool {
    play(subject, line).is_some_and(|(values, _)| holds(literal, &values))
}

/// Whether a line is legal and its last state is that after the first moves.
pub fn comes_again(subject: &Subject, line: &[Vec<u32>], first: usize) -> bool {
    let fluents = subject.circuit.fluent_count();
    play(subject, line).is_some_and(|(_, states)| {
        first < line.len() && states[first][..fluents] == states[line.len()][..fluents]
    })
}
