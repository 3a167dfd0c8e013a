//! Reports matches while they are played, and the results of many.

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use groundrules_host::manager::{Event, First, ManagerError, Record};

use crate::output::{self, counted};

/// Tells about matches and counts.
pub(super) struct Report {
    json: bool,
    quiet: bool,
    /// Of many matches only the sum is told when nothing else is wanted.
    many: bool,
    roles: Vec<String>,
    players: Vec<Counts>,
    play_clock: f64,
    matches: u64,
    aborted: u64,
    steps: u64,
}

/// What is counted of a player.
#[derive(Default)]
struct Counts {
    name: String,
    replies: u64,
    goals: i64,
    timeouts: u64,
    illegal: u64,
    connections: u64,
    /// Answers that came after the clock, though the host still waited.
    late: u64,
    slowest: u64,
}

impl Report {
    pub(super) fn new(json: bool, quiet: bool, many: bool) -> Self {
        Report {
            json,
            quiet,
            many,
            roles: Vec::new(),
            players: Vec::new(),
            play_clock: 0.0,
            matches: 0,
            aborted: 0,
            steps: 0,
        }
    }

    pub(super) fn begin(&mut self, first: &First, path: &Path) -> Result<()> {
        let First { match_id, game_role_names: roles, player_names_from_host: names, .. } = first;
        (self.roles, self.play_clock) = (roles.clone(), first.play_clock);
        if self.players.len() != names.len() {
            let counts = |name: &String| Counts { name: name.clone(), ..Counts::default() };
            self.players = names.iter().map(counts).collect();
        }
        let seats: Vec<String> =
            roles.iter().zip(names).map(|(role, name)| format!("{role} {name}")).collect();
        self.say(&format!(
            "{match_id}: {}; {} s to start, {} s per move; {}\n",
            seats.join(", "),
            first.start_clock,
            first.play_clock,
            path.display()
        ))
    }

    pub(super) fn tell(&mut self, event: &Event<'_>) {
        match event {
            Event::Replied(reply) => {
                let Some(player) = self.players.get_mut(reply.role) else { return };
                player.replies += 1;
                match reply.error.as_str() {
                    "TO" => player.timeouts += 1,
                    "IL" => player.illegal += 1,
                    "CE" => player.connections += 1,
                    _ => {
                        player.late += u64::from(reply.millis as f64 > self.play_clock * 1000.0);
                        player.slowest = player.slowest.max(reply.millis);
                    }
                }
                if !reply.error.is_empty() {
                    let (name, error, said) = (&player.name, &reply.error, &reply.said);
                    tracing::warn!(name, error, said, made = reply.made, "a random move is made");
                }
            }
            Event::Stepped { step, moves, .. } => {
                self.steps += 1;
                // Nothing can be done about a reader that went away; the match goes on.
                let _ = self.say(&format!("{step:>4}  {}\n", moves.join("  ")));
            }
            _ => {}
        }
    }

    pub(super) fn end(&mut self, record: &Record) -> Result<()> {
        self.matches += 1;
        let public = record.public();
        let goals = public.get("goalValues").and_then(|goals| goals.as_array()).cloned().unwrap_or_default();
        let mut line = "over:".to_owned();
        for (role, goal) in goals.iter().enumerate() {
            let (Some(name), Some(player)) = (self.roles.get(role), self.players.get_mut(role)) else {
                continue;
            };
            player.goals += goal.as_i64().unwrap_or(0);
            let comma = if role == 0 { "" } else { "," };
            let _ = write!(line, "{comma} {name} {goal}");
        }
        if self.json {
            return output::print(&format!("{public}\n"));
        }
        match self.quiet && self.many {
            true => Ok(()),
            false => output::print(&format!("{line}\n")),
        }
    }

    pub(super) fn give_up(&mut self, record: &Record, error: &ManagerError) -> Result<()> {
        self.matches += 1;
        self.aborted += 1;
        let remedy = match error {
            ManagerError::Unreachable { .. } => {
                "; with --play-on the match is played all the same, with random moves for that player"
            }
            _ => "",
        };
        anstream::eprintln!("{}: given up: {error}{remedy}", record.first().match_id);
        match self.json {
            true => output::print(&format!("{}\n", record.public())),
            false => Ok(()),
        }
    }

    /// What it came to, and the exit code.
    pub(super) fn sum_up(&self) -> Result<ExitCode> {
        if self.matches > 1 && !self.json {
            let mut text =
                format!("{} matches, {}\n", output::thousands(self.matches), counted(self.steps, "step"));
            for player in self.players.iter().filter(|player| player.replies > 0) {
                let Counts { name, replies, goals, timeouts, illegal, connections, late, slowest } = player;
                let mean = *goals as f64 / self.matches as f64;
                let _ = writeln!(
                    text,
                    "  {name}: mean goal {mean:.1}; {replies} replies, slowest {slowest} ms, {late} after the clock; \
                     {timeouts} TO, {illegal} IL, {connections} CE"
                );
            }
            output::print(&text)?;
        }
        Ok(ExitCode::from(u8::from(self.aborted > 0)))
    }

    fn say(&self, text: &str) -> Result<()> {
        match self.json || self.quiet {
            true => Ok(()),
            false => output::print(text),
        }
    }
}
