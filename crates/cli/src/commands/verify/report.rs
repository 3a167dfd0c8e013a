//! The verdicts as text for people and as JSON for programs.

use std::fmt::Write;
use std::time::Duration;

use groundrules::verification::{Decided, Verified};
use groundrules_explore::{Explored, Outcome, error_probability};
use groundrules_machine::Compiled;
use serde_json::{Value, json};

use super::position::Position;
use crate::output::{counted, printable, thousands};
use crate::show::Show;

/// What is reported.
pub(super) struct Report<'a> {
    pub(super) game: String,
    /// What evaluated the rules, if states were visited.
    pub(super) engine: Option<&'static str>,
    pub(super) is_bounded: bool,
    pub(super) fingerprint: bool,
    pub(super) roles: Vec<String>,
    /// Processes, and threads of each.
    pub(super) processes: usize,
    pub(super) threads: usize,
    pub(super) elapsed: Duration,
    pub(super) verified: &'a Verified,
    pub(super) compiled: &'a Compiled,
    /// How positions are drawn.
    pub(super) show: Show,
}

/// How many moves of a line are shown.
const SHOWN: usize = 60;

impl Report<'_> {
    pub(super) fn to_text(&self) -> String {
        let mut text = match &self.verified.explored {
            Some(explored) => self.explored(explored),
            None => format!("{}: no states were visited, {:.2} s\n", self.game, self.elapsed.as_secs_f64()),
        };
        for verdict in &self.verified.verdicts {
            let _ = writeln!(
                text,
                "  {:<19} {}{}",
                verdict.property.name(),
                said(verdict.outcome),
                printable(&self.reason(verdict))
            );
            if let Some(line) = &verdict.line {
                self.draw_line(&mut text, line);
            }
        }
        text
    }

    /// The reason of a verdict, and how it was reached.
    fn reason(&self, verdict: &Decided) -> String {
        let is_whole = self.verified.explored.as_ref().is_some_and(|explored| explored.stop.is_none());
        match verdict.method {
            None if verdict.why.is_empty() => String::new(),
            Some("exploration") if verdict.why.is_empty() && is_whole => {
                ": all states were visited".to_owned()
            }
            Some("exploration") if verdict.why.is_empty() => ": found by exploration".to_owned(),
            None | Some("exploration") => format!(": {}", verdict.why),
            Some(method) => format!(": {} ({method})", verdict.why),
        }
    }

    fn explored(&self, explored: &Explored) -> String {
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
            self.engine.unwrap_or_default(),
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
        text
    }

    fn draw_line(&self, text: &mut String, line: &[Vec<String>]) {
        if line.is_empty() {
            let _ = writeln!(text, "      in the initial state");
        }
        for (number, joint) in line.iter().enumerate().take(SHOWN) {
            let moves: Vec<String> = self
                .roles
                .iter()
                .zip(joint)
                .map(|(role, made)| printable(&format!("{role} {made}")))
                .collect();
            let _ = writeln!(text, "      {:>3}  {}", number + 1, moves.join(", "));
        }
        if line.len() > SHOWN {
            let _ = writeln!(text, "      … {} more", line.len() - SHOWN);
        }
        if let Some(position) = Position::after(self.compiled, line) {
            text.push_str(&position.to_text(&self.show, &self.roles, line, "      "));
        }
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
        let explored = self.verified.explored.as_ref();
        let stop = explored.and_then(|explored| explored.stop.as_ref());
        json!({
            "game": self.game,
            "engine": self.engine,
            "bounded": self.is_bounded,
            "roles": self.roles,
            "processes": self.processes,
            "threads": self.threads,
            "seconds": self.elapsed.as_secs_f64(),
            "states": explored.map(Explored::states),
            "joint_moves": explored.map(|explored| explored.findings.edges),
            "terminal_states": explored.map(|explored| explored.findings.terminal),
            "levels": explored.map(|explored| &explored.levels),
            "bytes": explored.map(|explored| explored.bytes),
            "error_probability": explored
                .filter(|_| self.fingerprint)
                .map(|explored| error_probability(explored.states())),
            "complete": explored.map(|explored| explored.stop.is_none()),
            "stopped": stop.map(ToString::to_string),
            "no_proofs": self.verified.no_proofs,
            "verdicts": self.verified.verdicts.iter().map(|verdict| self.verdict(verdict)).collect::<Vec<_>>(),
        })
    }

    fn verdict(&self, verdict: &Decided) -> Value {
        let position = verdict.line.as_ref().and_then(|line| Position::after(self.compiled, line));
        json!({
            "property": verdict.property.name(),
            "verdict": said(verdict.outcome),
            "why": verdict.why,
            "method": verdict.method,
            "proof_seconds": verdict.seconds,
            "line": verdict.line,
            "goals": position.map(|position| position.goals_to_json(&self.roles)),
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
