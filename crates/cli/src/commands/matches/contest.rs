//! The results of matches for each player: wins, draws, losses and mean goals, with confidence intervals.

use std::fmt::Write;

use anyhow::Result;
use groundrules_machine::Moments;
use groundrules_search::Settings;
use groundrules_search::referee::Ending;
use serde::Serialize;

use crate::output::{counted, printable};

/// The results so far.
pub(super) struct Contest {
    roles: Vec<String>,
    scores: Vec<Score>,
    games: u64,
    steps: Moments,
    unfinished: u64,
}

/// A player's results.
struct Score {
    name: String,
    wins: u64,
    draws: u64,
    losses: u64,
    goals: Moments,
}

impl Contest {
    /// No results yet of players who take some roles in turn.
    pub(super) fn new(names: Vec<String>, roles: Vec<String>) -> Self {
        let score = |name| Score { name, wins: 0, draws: 0, losses: 0, goals: Moments::default() };
        let scores = names.into_iter().map(score).collect();
        Contest { roles, scores, games: 0, steps: Moments::default(), unfinished: 0 }
    }

    /// Adds a match: which player had which role, and how it ended.
    pub(super) fn add(&mut self, who: &[(usize, usize)], ending: &Ending) {
        self.games += 1;
        self.steps.add(i64::try_from(ending.steps).unwrap_or(i64::MAX), 1);
        if !ending.is_finished {
            self.unfinished += 1;
            return;
        }
        let goal = |role: usize| ending.goals.get(role).copied().flatten();
        for &(player, role) in who {
            let (Some(own), Some(score)) = (goal(role), self.scores.get_mut(player)) else { continue };
            score.goals.add(own.into(), 1);
            let others = who.iter().filter(|(other, _)| *other != player);
            let best = others.filter_map(|&(_, role)| goal(role)).max();
            match best.map_or_else(|| own.cmp(&100), |best| own.cmp(&best)) {
                std::cmp::Ordering::Greater => score.wins += 1,
                std::cmp::Ordering::Equal if best.is_none() => score.wins += 1,
                std::cmp::Ordering::Equal => score.draws += 1,
                std::cmp::Ordering::Less => score.losses += 1,
            }
        }
    }
}

/// The report about the matches.
#[derive(Serialize)]
pub(super) struct Report {
    game: String,
    games: u64,
    unfinished: u64,
    roles: Vec<String>,
    mean_length: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    simulations: Option<u64>,
    threads: usize,
    seed: u64,
    players: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    player: String,
    wins: u64,
    draws: u64,
    losses: u64,
    /// The share of wins, and where it lies with 95 % confidence (Wilson's interval).
    win_share: Option<f64>,
    win_interval: Option<[f64; 2]>,
    mean_goal: Option<f64>,
    goal_interval: Option<[f64; 2]>,
}

/// Standard errors within which a mean lies with 95 % confidence.
const Z: f64 = 1.96;

impl Report {
    /// Puts the figures together.
    pub(super) fn new(game: String, seconds: f64, settings: &Settings, contest: &Contest) -> Report {
        Report {
            game,
            games: contest.games,
            unfinished: contest.unfinished,
            roles: contest.roles.clone(),
            mean_length: contest.steps.mean(),
            seconds: settings.simulations.is_none().then_some(seconds),
            simulations: settings.simulations,
            threads: settings.threads.get(),
            seed: settings.seed,
            players: contest.scores.iter().map(Line::of).collect(),
        }
    }

    /// A line for each player.
    pub(super) fn to_text(&self) -> String {
        let thinking = match (self.seconds, self.simulations) {
            (_, Some(simulations)) => counted(simulations, "simulation"),
            (seconds, None) => format!("{} s", seconds.unwrap_or(0.0)),
        };
        let mut text = format!(
            "{}: {}, {thinking} per move, {}",
            printable(&self.game),
            counted(self.games, "match").replace("matchs", "matches"),
            counted(self.threads as u64, "thread")
        );
        if let Some(length) = self.mean_length {
            let _ = write!(text, "; {length:.1} joint moves per match");
        }
        text.push('\n');
        if self.unfinished > 0 {
            let _ = writeln!(text, "  {} came to no end", self.unfinished);
        }
        for line in &self.players {
            let _ = writeln!(text, "  {line}");
        }
        text
    }

    /// One object.
    pub(super) fn to_json(&self) -> Result<String> {
        Ok(format!("{}\n", serde_json::to_string(self)?))
    }
}

impl Line {
    fn of(score: &Score) -> Line {
        let games = score.wins + score.draws + score.losses;
        let (mean, error) = (score.goals.mean(), score.goals.standard_error());
        Line {
            player: score.name.clone(),
            wins: score.wins,
            draws: score.draws,
            losses: score.losses,
            win_share: (games > 0).then(|| score.wins as f64 / games as f64),
            win_interval: wilson(score.wins, games),
            mean_goal: mean,
            goal_interval: mean.zip(error).map(|(mean, error)| [mean - Z * error, mean + Z * error]),
        }
    }
}

impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Line { player, wins, draws, losses, .. } = self;
        write!(f, "{player}: {wins} won, {draws} drawn, {losses} lost")?;
        if let (Some(share), Some([low, high])) = (self.win_share, self.win_interval) {
            write!(f, "; wins {:.1} % ({:.1} to {:.1})", 100.0 * share, 100.0 * low, 100.0 * high)?;
        }
        if let Some(mean) = self.mean_goal {
            write!(f, "; mean goal {mean:.1}")?;
        }
        match (self.mean_goal, self.goal_interval) {
            (Some(mean), Some([_, high])) => write!(f, " ± {:.1}", high - mean),
            _ => Ok(()),
        }
    }
}

/// Where a share lies with 95 % confidence, by Wilson's method, which also holds near none and all.
fn wilson(wins: u64, games: u64) -> Option<[f64; 2]> {
    if games == 0 {
        return None;
    }
    let (count, share) = (games as f64, wins as f64 / games as f64);
    let (centre, scale) = (share + Z * Z / (2.0 * count), 1.0 + Z * Z / count);
    let half = Z * (share * (1.0 - share) / count + Z * Z / (4.0 * count * count)).sqrt();
    Some([((centre - half) / scale).max(0.0), ((centre + half) / scale).min(1.0)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ending(goals: &[i32]) -> Ending {
        Ending { goals: goals.iter().map(|&goal| Some(goal)).collect(), steps: 9, is_finished: true }
    }

    #[test]
    fn wins_are_counted_whatever_the_role() {
        let mut contest = Contest::new(vec!["a".into(), "b".into()], vec!["x".into(), "o".into()]);
        contest.add(&[(0, 0), (1, 1)], &ending(&[100, 0]));
        contest.add(&[(0, 1), (1, 0)], &ending(&[0, 100]));
        contest.add(&[(0, 0), (1, 1)], &ending(&[50, 50]));
        let report = Report::new("g".into(), 1.0, &Settings::default(), &contest);
        let [one, other] = &report.players[..] else { panic!("two players") };
        assert_eq!((one.wins, one.draws, one.losses), (2, 1, 0));
        assert_eq!((other.wins, other.draws, other.losses), (0, 1, 2));
        assert!(report.to_text().contains("a: 2 won, 1 drawn, 0 lost; wins 66.7 % (20.8 to 93.9)"));
    }

    #[test]
    fn one_player_wins_with_a_hundred() {
        let mut contest = Contest::new(vec!["a".into()], vec!["x".into()]);
        contest.add(&[(0, 0)], &ending(&[100]));
        contest.add(&[(0, 0)], &ending(&[60]));
        assert_eq!((contest.scores[0].wins, contest.scores[0].losses), (1, 1));
    }
}
