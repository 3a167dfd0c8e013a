//! Verdicts by proof, as text for people and as JSON for programs.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use groundrules_prove::{Answer, Invariant, Line, Proof, StateLiteral, Subject, Sum, Verdict};
use serde_json::{Value, json};

use crate::output::printable;

/// What is reported.
pub(super) struct Report<'a> {
    pub(super) game: &'a str,
    pub(super) subject: &'a Subject,
    pub(super) verdicts: &'a [Verdict],
    pub(super) elapsed: Duration,
    pub(super) show_invariant: bool,
}

/// How many moves of a line are shown.
const SHOWN: usize = 60;

impl Report<'_> {
    pub(super) fn to_text(&self) -> String {
        let circuit = &self.subject.circuit;
        let mut text = format!(
            "{}: a circuit with {} latches, {} inputs and {} nodes\n",
            self.game,
            circuit.latch_count(),
            circuit.input_count(),
            circuit.node_count()
        );
        for verdict in self.verdicts {
            let method = verdict.method.map_or_else(String::new, |method| format!(" ({})", method.name()));
            let line = format!("{:<19} {}: {}", verdict.claim.to_string(), said(verdict), verdict.why);
            let _ = writeln!(text, "  {}{method}", printable(&line));
            match &verdict.answer {
                Answer::Refuted(line) => self.draw_line(&mut text, line),
                Answer::Proved(proof) | Answer::Impossible(_, proof) if self.show_invariant => {
                    self.draw_proof(&mut text, proof);
                }
                _ => {}
            }
        }
        text
    }

    fn draw_line(&self, text: &mut String, line: &Line) {
        if line.is_empty() {
            let _ = writeln!(text, "      in the initial state");
        }
        for (number, joint) in line.iter().enumerate().take(SHOWN) {
            let moves = self.moves(joint);
            let moves: Vec<String> = self
                .subject
                .roles
                .iter()
                .zip(moves)
                .map(|(role, made)| printable(&format!("{role} {made}")))
                .collect();
            let _ = writeln!(text, "      {:>3}  {}", number + 1, moves.join(", "));
        }
        if line.len() > SHOWN {
            let _ = writeln!(text, "      … {} more", line.len() - SHOWN);
        }
    }

    fn moves(&self, joint: &[u32]) -> Vec<String> {
        let ground = &self.subject.ground;
        joint.iter().map(|&made| ground.term(ground.moves[made as usize].1)).collect()
    }

    fn draw_proof(&self, text: &mut String, proof: &Proof) {
        for line in self.invariants(proof) {
            let _ = writeln!(text, "      {}", printable(&line));
        }
        let Some(measure) = &proof.measure else { return };
        for (round, directions) in measure.rounds.iter().enumerate() {
            for direction in directions {
                let mut values: Vec<(u32, String)> = direction
                    .latches
                    .iter()
                    .map(|&latch| self.subject.latch_text(latch))
                    .chain(["none".to_owned()])
                    .zip(&direction.classes)
                    .map(|(value, &class)| (class, value))
                    .collect();
                values.sort();
                let classes: Vec<String> = values
                    .chunk_by(|a, b| a.0 == b.0)
                    .map(|class| {
                        class.iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(" = ")
                    })
                    .collect();
                let _ = writeln!(text, "      round {}: {}", round + 1, printable(&classes.join(" → ")));
            }
        }
        for sum in measure.ranking.iter().flat_map(|ranking| &ranking.sums) {
            let terms: Vec<String> = sum
                .iter()
                .map(|&(latch, weight)| format!("{weight}·{}", self.subject.latch_text(latch)))
                .collect();
            let _ = writeln!(text, "      decreases: {}", printable(&terms.join(" + ")));
        }
    }

    /// The invariants in words; what is both at most one and at least one is exactly one.
    fn invariants(&self, proof: &Proof) -> Vec<String> {
        let names = |latches: &[usize]| -> String {
            latches.iter().map(|&latch| self.subject.latch_text(latch)).collect::<Vec<_>>().join(" ")
        };
        let has = |invariant: &Invariant| proof.invariants.contains(invariant);
        let words = |invariant: &Invariant| match invariant {
            Invariant::AtMostOne(latches) if has(&Invariant::AtLeastOne(latches.clone())) => {
                Some(format!("always: exactly one of {}", names(latches)))
            }
            Invariant::AtMostOne(latches) => Some(format!("always: at most one of {}", names(latches))),
            Invariant::AtLeastOne(latches) if has(&Invariant::AtMostOne(latches.clone())) => None,
            Invariant::AtLeastOne(latches) => Some(format!("always: at least one of {}", names(latches))),
            Invariant::Clause(clause) => Some(self.clause(clause)),
            Invariant::Sum(sum) => Some(self.sum(sum)),
        };
        proof.invariants.iter().filter_map(words).collect()
    }

    /// A sum, fluents of the same weight together.
    fn sum(&self, sum: &Sum) -> String {
        let mut weighed: BTreeMap<i64, Vec<String>> = BTreeMap::new();
        for &(latch, weight) in sum.groups.iter().flatten() {
            weighed.entry(weight).or_default().push(self.subject.latch_text(latch));
        }
        let count = |(weight, names): (i64, Vec<String>)| format!("{weight} for each of {}", names.join(" "));
        let parts: Vec<String> = weighed.into_iter().map(count).collect();
        format!("always {} in sum: {}", sum.total, parts.join(", "))
    }

    fn clause(&self, clause: &[StateLiteral]) -> String {
        let name = |literal: &StateLiteral| self.subject.latch_text(literal.latch());
        let (holding, others): (Vec<&StateLiteral>, Vec<&StateLiteral>) =
            clause.iter().partition(|literal| literal.is_positive());
        let join = |literals: &[&StateLiteral], between: &str| {
            literals.iter().map(|literal| name(literal)).collect::<Vec<_>>().join(between)
        };
        match (&others[..], &holding[..]) {
            ([], [only]) => format!("always: {}", name(only)),
            ([only], []) => format!("never: {}", name(only)),
            (others, []) => format!("never together: {}", join(others, " ")),
            ([], holding) => format!("always: {}", join(holding, " or ")),
            (others, holding) => {
                format!("always: {} implies {}", join(others, " and "), join(holding, " or "))
            }
        }
    }

    pub(super) fn to_json(&self) -> Value {
        let circuit = &self.subject.circuit;
        json!({
            "game": self.game,
            "latches": circuit.latch_count(),
            "inputs": circuit.input_count(),
            "nodes": circuit.node_count(),
            "seconds": self.elapsed.as_secs_f64(),
            "verdicts": self.verdicts.iter().map(|verdict| self.verdict(verdict)).collect::<Vec<_>>(),
        })
    }

    fn verdict(&self, verdict: &Verdict) -> Value {
        let line = |line: &Line| -> Vec<Vec<String>> { line.iter().map(|joint| self.moves(joint)).collect() };
        let (own, lines, proof) = match &verdict.answer {
            Answer::Refuted(refuted) => (Some(line(refuted)), None, None),
            Answer::Shown(shown) => (None, Some(shown.iter().map(line).collect::<Vec<_>>()), None),
            Answer::Proved(proof) | Answer::Impossible(_, proof) => (None, None, Some(proof)),
            Answer::Open(_) => (None, None, None),
        };
        json!({
            "claim": verdict.claim.to_string(),
            "verdict": said(verdict),
            "method": verdict.method.map(groundrules_prove::Method::name),
            "why": verdict.why,
            "seconds": verdict.seconds,
            "line": own,
            "lines": lines,
            "invariants": proof.filter(|_| self.show_invariant).map(|proof| self.invariants(proof)),
        })
    }
}

fn said(verdict: &Verdict) -> &'static str {
    match verdict.holds() {
        Some(true) => "holds",
        Some(false) => "fails",
        None => "open",
    }
}
