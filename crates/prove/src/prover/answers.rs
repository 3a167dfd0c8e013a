//! Verdicts from what was found so far, with their reasons in words.

use super::{Prover, Reached, Target, Task};
use crate::circuit::holds;
use crate::playouts::Line;
use crate::replay::end_of;
use crate::termination::Measure;
use crate::verdict::{Answer, Claim, Method, Proof, Verdict};

impl Prover<'_> {
    pub(super) fn verdicts(&self) -> Vec<Verdict> {
        self.tasks.iter().map(|task| self.verdict(task)).collect()
    }

    pub(super) fn verdict(&self, task: &Task) -> Verdict {
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
            _ if self.clock.memory().exceeds(100) => {
                format!("the limit of {} MB was reached", self.options.memory.unwrap_or(0) >> 20)
            }
            Some(time) if self.seconds() >= time.as_secs_f64() => {
                let seconds = (time.as_secs_f64() * 100.0).round() / 100.0;
                format!("the limit of {seconds} s was reached")
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
    if !measure.falling.is_empty() {
        let count = measure.falling.len();
        parts.push(format!(
            "{count} sum{} that only fall{}",
            plural(count),
            if count == 1 { "s" } else { "" }
        ));
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

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

fn moves(count: usize) -> String {
    format!("{count} move{}", if count == 1 { "" } else { "s" })
}
