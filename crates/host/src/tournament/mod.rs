//! Tournaments: a round robin over games and players. `schedule` says who plays whom, every match is one of the manager's
//! with a file of its own, and what it came to is a line in a journal; `table` and `rating` sum up.
//!
//! Invariant: what is finished stands in the journal, what was begun in its match file, and the rest follows from the plan.
//! So a tournament can be killed at any moment and goes on where it was.

mod rating;
mod schedule;
mod table;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::task::{JoinSet, block_in_place};

pub use rating::Rating;
pub use schedule::Pairing;
pub use table::{Row, Score};

use crate::journal::{Journal, JournalError};
use crate::manager::{self, ManagerError, Match, Player, Record, natural_roles};

/// A tournament that is to be played.
pub struct TournamentPlan {
    /// The games: a name and a description each.
    pub games: Vec<(String, Vec<u8>)>,
    /// The players.
    pub players: Vec<Player>,
    /// How often everybody meets everybody.
    pub rounds: usize,
    /// The seconds to look at the rules.
    pub start_clock: f64,
    /// The seconds for each move.
    pub play_clock: f64,
    /// Whether players elsewhere are given other names for the symbols.
    pub scramble: bool,
    /// The seed of random moves and names.
    pub seed: u64,
    /// How many matches are played at a time.
    pub at_once: usize,
}

/// A match of a tournament that is over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finished {
    /// The match.
    pub key: String,
    /// The players' numbers in the order of the roles.
    pub players: Vec<usize>,
    /// Their goals; none if the match was given up.
    pub goals: Vec<i32>,
    /// How often each erred.
    pub errors: Vec<usize>,
    /// How many joint moves were made.
    pub steps: usize,
    /// Why it was given up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aborted: Option<String>,
}

/// Why a tournament cannot go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TournamentError {
    /// The journal failed.
    #[error("{path}: {cause}")]
    Journal {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: JournalError,
    },
    /// A match could not even begin.
    #[error("{key}: {cause}")]
    Match {
        /// The match.
        key: String,
        /// Why.
        cause: ManagerError,
    },
    /// A game cannot be played.
    #[error("{game}: {cause}")]
    Game {
        /// The game.
        game: String,
        /// Why.
        cause: ManagerError,
    },
    /// The folder holds another tournament.
    #[error("the folder holds a tournament with another plan ({0} differ); give another folder")]
    OtherPlan(&'static str),
    /// The tournament was opened by [`Tournament::look`].
    #[error("the tournament is only looked at")]
    OnlyLookedAt,
}

/// The name of the journal in the tournament's folder.
const RESULTS: &str = "results.jsonl";

/// A tournament in its folder.
pub struct Tournament {
    plan: Arc<TournamentPlan>,
    folder: PathBuf,
    /// Nothing if it is only looked at.
    journal: Option<Journal>,
    schedule: Vec<Pairing>,
    finished: Vec<Finished>,
    /// The roles of each game that chance plays, which have no player.
    nature: Vec<Vec<bool>>,
}

/// What must be the same when a tournament goes on. More rounds may be added.
#[derive(PartialEq, Serialize, Deserialize)]
struct Fingerprint {
    games: Vec<(String, String)>,
    players: Vec<(String, String)>,
    clocks: (f64, f64),
    scramble: bool,
    seed: u64,
}

impl Tournament {
    /// Begins a tournament in a folder, or goes on with the one that is there.
    pub fn open(plan: TournamentPlan, folder: &Path) -> Result<Tournament, TournamentError> {
        let path = folder.join(RESULTS);
        let in_file = |cause| TournamentError::Journal { path: path.clone(), cause };
        let mut journal = match path.exists() {
            true => Journal::open(&path),
            false => Journal::create(&path),
        }
        .map_err(in_file)?;
        if journal.lines().is_empty() {
            let line = serde_json::to_value(Fingerprint::of(&plan))
                .map_err(|error| in_file(JournalError::damaged(1, &error)))?;
            journal.append(line).map_err(in_file)?;
        }
        let mut tournament = Tournament::with(plan, folder, journal.lines())?;
        tournament.journal = Some(journal);
        Ok(tournament)
    }

    /// The tournament in a folder as it stands, while another program may be playing it. It cannot be played from here.
    pub fn look(plan: TournamentPlan, folder: &Path) -> Result<Tournament, TournamentError> {
        let path = folder.join(RESULTS);
        let lines = match path.exists() {
            true => Journal::read(&path).map_err(|cause| TournamentError::Journal { path, cause })?,
            false => Vec::new(),
        };
        Tournament::with(plan, folder, &lines)
    }

    /// The tournament whose journal has these lines.
    fn with(plan: TournamentPlan, folder: &Path, lines: &[Value]) -> Result<Tournament, TournamentError> {
        let natural = |(game, rules): &(String, Vec<u8>)| {
            natural_roles(rules).map_err(|cause| TournamentError::Game { game: game.clone(), cause })
        };
        let nature = plan.games.iter().map(natural).collect::<Result<Vec<_>, _>>()?;
        let roles: Vec<usize> =
            nature.iter().map(|roles: &Vec<bool>| roles.iter().filter(|nature| !**nature).count()).collect();
        if let Some(there) = lines.first() {
            Fingerprint::of(&plan).check(there)?;
        }
        let read = |(number, line): (usize, &Value)| {
            serde_json::from_value(line.clone()).map_err(|error| TournamentError::Journal {
                path: folder.join(RESULTS),
                cause: JournalError::damaged(number + 1, &error),
            })
        };
        let finished = lines.iter().enumerate().skip(1).map(read).collect::<Result<Vec<_>, _>>()?;
        let schedule = schedule::schedule(plan.rounds, &roles, plan.players.len());
        let (plan, folder) = (Arc::new(plan), folder.to_owned());
        Ok(Tournament { plan, folder, journal: None, schedule, finished, nature })
    }

    /// The names of the players, by their numbers.
    pub fn players(&self) -> impl Iterator<Item = &str> {
        self.plan.players.iter().map(|player| player.name.as_str())
    }

    /// The name of the game that was played in a match of the schedule.
    pub fn game(&self, key: &str) -> Option<&str> {
        let pairing = self.schedule.iter().find(|pairing| pairing.key == key)?;
        self.plan.games.get(pairing.game).map(|(name, _)| name.as_str())
    }

    /// How many matches there are.
    pub fn matches(&self) -> usize {
        self.schedule.len()
    }

    /// The matches that are over.
    pub fn finished(&self) -> &[Finished] {
        &self.finished
    }

    /// The table so far.
    pub fn table(&self) -> Vec<Row> {
        self.table_after(self.finished.len())
    }

    /// The table as it was after so many matches, in the order in which they ended.
    pub fn table_after(&self, matches: usize) -> Vec<Row> {
        let names: Vec<String> = self.players().map(str::to_owned).collect();
        table::table(&names, &self.finished[..matches.min(self.finished.len())])
    }

    /// What every player scored against every other: by the row's number, then the column's.
    pub fn cross_table(&self) -> Vec<Vec<Score>> {
        table::cross_table(self.plan.players.len(), &self.finished)
    }

    /// Plays what is left; `tell` hears of every match that is over.
    pub async fn play(
        &mut self,
        tell: &mut (dyn FnMut(&Tournament, &Finished) + Send),
    ) -> Result<(), TournamentError> {
        if self.journal.is_none() {
            return Err(TournamentError::OnlyLookedAt);
        }
        let is_done = |pairing: &Pairing| self.finished.iter().any(|finished| finished.key == pairing.key);
        let left: Vec<Pairing> = self.schedule.iter().filter(|pairing| !is_done(pairing)).cloned().collect();
        let mut left = left.into_iter();
        let mut playing = JoinSet::new();
        loop {
            while playing.len() < self.plan.at_once.max(1) {
                let Some(pairing) = left.next() else { break };
                let (plan, path) = (self.plan.clone(), self.folder.join(format!("{}.jsonl", pairing.key)));
                let nature = self.nature.get(pairing.game).cloned().unwrap_or_default();
                playing.spawn(async move { play_one(&plan, pairing, &nature, &path).await });
            }
            match playing.join_next().await {
                Some(Ok(played)) => {
                    let finished = played?;
                    self.keep(&finished)?;
                    self.finished.push(finished.clone());
                    tell(self, &finished);
                }
                // A task that panicked leaves its match to be resumed the next time.
                Some(Err(_)) => {}
                None => return Ok(()),
            }
        }
    }

    fn keep(&mut self, finished: &Finished) -> Result<(), TournamentError> {
        let in_file = |cause| TournamentError::Journal { path: self.folder.join(RESULTS), cause };
        let Some(journal) = &mut self.journal else { return Err(TournamentError::OnlyLookedAt) };
        let number = journal.lines().len() + 1;
        let line =
            serde_json::to_value(finished).map_err(|error| in_file(JournalError::damaged(number, &error)))?;
        journal.append(line).map_err(in_file)
    }
}

/// Plays a match, or goes on with it, or looks what it came to.
async fn play_one(
    plan: &TournamentPlan,
    pairing: Pairing,
    nature: &[bool],
    path: &Path,
) -> Result<Finished, TournamentError> {
    let in_match = |cause| TournamentError::Match { key: pairing.key.clone(), cause };
    let playing = block_in_place(|| begin_or_resume(plan, &pairing, path)).map_err(in_match)?;
    let mut aborted = None;
    if let Some(mut playing) = playing {
        match playing.play(&mut |_| {}).await {
            Ok(_) => {}
            Err(cause @ ManagerError::Record(_)) => return Err(in_match(cause)),
            Err(error) => aborted = Some(error.to_string()),
        }
    }
    let public = Record::read(path).map_err(|error| in_match(error.into()))?;
    Ok(finished(&public, pairing, nature, aborted))
}

fn begin_or_resume(
    plan: &TournamentPlan,
    pairing: &Pairing,
    path: &Path,
) -> Result<Option<Match>, ManagerError> {
    if path.exists() {
        let call = &mut |name: &str, word: &str| {
            let same = |player: &&Player| player.name == name && player.word == word;
            let player = plan.players.iter().find(same).cloned();
            player.ok_or_else(|| ManagerError::OtherGame(format!("there is no player `{name}`")))
        };
        match Match::resume(path, call) {
            // The first line was torn: nothing has happened yet.
            Err(ManagerError::Record(JournalError::Empty)) => {
                std::fs::remove_file(path).map_err(JournalError::from)?;
            }
            resumed => return resumed,
        }
    }
    let (game, rules) = plan.games.get(pairing.game).cloned().unwrap_or_default();
    let players = pairing.players.iter().filter_map(|&player| plan.players.get(player).cloned()).collect();
    // Every match has a seed of its own, which does not depend on what was played before.
    let mixed = pairing.key.bytes().fold(plan.seed, |seed, byte| {
        (seed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3).rotate_left(17)
    });
    let plan = manager::MatchPlan {
        id: format!("{}.{:08x}", pairing.key, mixed as u32),
        game,
        rules,
        players,
        start_clock: plan.start_clock,
        play_clock: plan.play_clock,
        scramble: plan.scramble,
        seed: mixed,
    };
    Match::begin(plan, path).map(Some)
}

/// What a match came to by its record, for those roles that players have.
fn finished(public: &Value, pairing: Pairing, nature: &[bool], aborted: Option<String>) -> Finished {
    let of_players = |role: &usize| nature.get(*role) != Some(&true);
    let goals: Vec<i32> = serde_json::from_value(public["goalValues"].clone()).unwrap_or_default();
    let goals =
        goals.into_iter().enumerate().filter(|(role, _)| of_players(role)).map(|(_, goal)| goal).collect();
    let errors: Vec<Vec<String>> = serde_json::from_value(public["errors"].clone()).unwrap_or_default();
    let of_role =
        |role: usize| errors.iter().filter(|step| step.get(role).is_some_and(|it| !it.is_empty())).count();
    let errors = (0..nature.len()).filter(of_players).map(of_role).collect();
    let steps = public["moves"].as_array().map_or(0, Vec::len);
    let aborted = aborted.or_else(|| public["abortedBecause"].as_str().map(str::to_owned));
    Finished { key: pairing.key, players: pairing.players, goals, errors, steps, aborted }
}

impl Fingerprint {
    fn of(plan: &TournamentPlan) -> Self {
        let text = |rules: &Vec<u8>| String::from_utf8_lossy(rules).into_owned();
        Fingerprint {
            games: plan.games.iter().map(|(name, rules)| (name.clone(), text(rules))).collect(),
            players: plan.players.iter().map(|it| (it.name.clone(), it.word.clone())).collect(),
            clocks: (plan.start_clock, plan.play_clock),
            scramble: plan.scramble,
            seed: plan.seed,
        }
    }

    fn check(&self, there: &Value) -> Result<(), TournamentError> {
        let Ok(there) = serde_json::from_value::<Fingerprint>(there.clone()) else {
            return Err(TournamentError::OtherPlan("all"));
        };
        // The same game is the same game however its file is named or its path written.
        let rules =
            |plan: &Fingerprint| plan.games.iter().map(|(_, rules)| rules.clone()).collect::<Vec<_>>();
        let differs = [
            ("games", rules(&there) != rules(self)),
            ("players", there.players != self.players),
            ("clocks", there.clocks != self.clocks),
            ("scrambling and seed", (there.scramble, there.seed) != (self.scramble, self.seed)),
        ];
        match differs.iter().find(|(_, differs)| *differs) {
            Some((what, _)) => Err(TournamentError::OtherPlan(what)),
            None => Ok(()),
        }
    }
}
