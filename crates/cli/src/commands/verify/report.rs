//! The verdicts as text for people and as JSON for programs.

use std::fmt::Write;
use std::time::Duration;

use groundrules_explore::{Line, Outcome, Verdict, Verification, error_probability, move_texts};
use groundrules_machine::engines::auto::Decision;
use groundrules_machine::{Compiled, Move};
use serde_json::{Value, json};

use super::position::final_position;
use crate::output::{counted, printable, thousands};
use crate::show::Show;

/// What is reported.
pub(super) struct Report<'a> {
    pub(super) game: String,
    pub(super) decision: Decision,
    pub(super) is_bounded: bool,
    pub(super) fingerprint: bool,
    pub(super) roles: Vec<String>,
    /// Processes, and threads of each.
    pub(super) processes: usize,
    pub(super) threads: usize,
    pub(super) elapsed: Duration,
    pub(super) verification: &'a Verification,
    pub(super) compiled: &'a Compiled,
    /// How positions are drawn.
    pub(super) show: Show,
}

/// How many moves of a line are shown.
const SHOWN: usize = 60;

impl Report<'_> {
    /// A joint move as texts. The line was found on the engine that names its moves.
    fn moves(&self, joint: &[Move]) -> Vec<String> {
        move_texts(self.compiled, joint).expect("the engine that explored the game")
    }

    pub(super) fn to_text(&self) -> String {
        let explored = &self.verification.explored;
        let mut text = format!(
            "{}: {}, {}, depth {}{}\n",
            self.game,
            counted(explored.states(), "state"),
            counted(explored.findings.edges, "joint move"),
            explored.levels.len().saturating_sub(1),
            explored.stop.as_ref().map_or_else(String::new, |stop| format!("; not all: {stop}"))
        );
        let seconds = self.elapsed.as_secs_f64();
        let _ = writeln!(
            text,
            "  {:.2} s on {} with the engine {}, {} MB of states",
            seconds,
            self.workers(),
            self.decision.engine.name(),
            thousands((explored.bytes >> 20) as u64)
        );
        if self.fingerprint {
            let _ = writeln!(
                text,
                "  states are told apart by 64 bits each: with a probability of at most {:.1e} one was missed, and a verdict is wrong",
                error_probability(explored.states())
            );
        }
        if !self.is_bounded {
            let all = if explored.stop.is_none() {
                "all its states were found all the same"
            } else {
                "it may have infinitely many states"
            };
            let _ = writeln!(text, "  not a bounded description: {all}");
        }
        for verdict in &self.verification.verdicts {
            let why = if verdict.why.is_empty() { String::new() } else { format!(": {}", verdict.why) };
            let _ = writeln!(
                text,
                "  {:<19} {}{}",
                verdict.property.name(),
                said(verdict.outcome),
                printable(&why)
            );
            if let Some(line) = &verdict.line {
                self.draw_line(&mut text, line);
            }
        }
        text
    }

    fn draw_line(&self, text: &mut String, line: &Line) {
        if line.is_empty() {
            let _ = writeln!(text, "      in the initial state");
        }
        for (number, joint) in line.iter().enumerate().take(SHOWN) {
            let moves: Vec<String> = self
                .roles
                .iter()
                .zip(self.moves(joint))
                .map(|(role, made)| printable(&format!("{role} {made}")))
                .collect();
            let _ = writeln!(text, "      {:>3}  {}", number + 1, moves.join(", "));
        }
        if line.len() > SHOWN {
            let _ = writeln!(text, "      … {} more", line.len() - SHOWN);
        }
        text.push_str(&final_position(self.compiled, &self.show, &self.roles, line, "      "));
    }

    fn workers(&self) -> String {
        let threads = counted(self.threads as u64, "thread");
        if self.processes == 1 {
            threads
        } else {
            format!("{} processes with {threads} each", self.processes)
        }
    }

    pub(super) fn to_json(&self) -> Value {
        let explored = &self.verification.explored;
        json!({
            "game": self.game,
            "engine": self.decision.engine.name(),
            "bounded": self.is_bounded,
            "roles": self.roles,
            "processes": self.processes,
            "threads": self.threads,
            "seconds": self.elapsed.as_secs_f64(),
            "states": explored.states(),
            "joint_moves": explored.findings.edges,
            "terminal_states": explored.findings.terminal,
            "levels": explored.levels,
            "bytes": explored.bytes,
            "error_probability": self.fingerprint.then(|| error_probability(explored.states())),
            "complete": explored.stop.is_none(),
            "stopped": explored.stop.as_ref().map(ToString::to_string),
            "verdicts": self.verification.verdicts.iter().map(|verdict| self.verdict(verdict)).collect::<Vec<_>>(),
        })
    }

    fn verdict(&self, verdict: &Verdict) -> Value {
        let line = |line: &Line| -> Vec<Vec<String>> { line.iter().map(|joint| self.moves(joint)).collect() };
        json!({
            "property": verdict.property.name(),
            "verdict": said(verdict.outcome),
            "why": verdict.why,
            "line": verdict.line.as_ref().map(line),
        })
    }
}

fn said(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Holds => "holds",
        Outcome::Fails => "fails",
        Outcome::Open => "open",
    }
}
