//! The game manager: runs one match by the protocol. It sends all players the rules, asks them for moves at the same time, and sends them the
//! joint moves. A player that does not reply, or replies with an illegal move, gets a random legal move, which is recorded. `referee` knows the
//! rules, `participant` the players, `scramble` the renaming of symbols, and [`Record`] is the match file.
//!
//! Invariant: a match can be resumed from its file. Every decision is written to it first, or is reproducible: random moves depend on
//! the seed and the step alone.

mod participant;
mod record;
mod referee;
mod scramble;

use std::path::Path;
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use groundrules_gdl::roles::NATURE;
use groundrules_search::SearchError;
use tokio::task::{JoinSet, block_in_place};

pub use participant::{Player, Who};
pub use record::{First, MatchStep, Record, Replied, Resume};
pub use scramble::Scramble;

use crate::allowance::SitError;
use crate::journal::JournalError;
use crate::wire::{AskError, WireError, rules_on_one_line};
use participant::{MatchTerms, Participant, Said};
use referee::Referee;

/// A match that is to be played.
#[derive(Clone)]
pub struct MatchPlan {
    /// The name of the match.
    pub id: String,
    /// The name of the game.
    pub game: String,
    /// The description.
    pub rules: Vec<u8>,
    /// The players of the roles in their order; chance plays the role `random` and needs none.
    pub players: Vec<Player>,
    /// The seconds to look at the rules.
    pub start_clock: f64,
    /// The seconds for each move.
    pub play_clock: f64,
    /// Whether remote players are given other names for the symbols.
    pub scramble: bool,
    /// The seed of random moves and names.
    pub seed: u64,
}

/// Why a match could not be played to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManagerError {
    /// The match file failed.
    #[error(transparent)]
    Record(#[from] JournalError),
    /// The game cannot be played.
    #[error(transparent)]
    Sit(#[from] SitError),
    /// The rules failed in the middle of the match.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The description is no text.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// A player cannot be reached at the start.
    #[error("the player of {role} cannot be reached")]
    Unreachable {
        /// The role that it plays.
        role: String,
    },
    /// The game has no roles.
    #[error("the game has no roles")]
    NoRoles,
    /// There must be one player for each role.
    #[error("a player is needed for each of the roles {names}: {roles} in all, not {given}")]
    WrongPlayers {
        /// How many are needed.
        roles: usize,
        /// The roles.
        names: String,
        /// How many were given.
        given: usize,
    },
    /// The file is of another game than its own rules say.
    #[error("the match file does not fit its rules: {0}")]
    OtherGame(String),
    /// The match takes too long.
    #[error("the match is not over after {0} steps")]
    TooLong(usize),
}

/// What happens in a match, for those who watch.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The players were told the rules; what went wrong stands by role.
    Started {
        /// The roles.
        roles: &'a [String],
        /// The errors.
        errors: &'a [String],
    },
    /// A player answered.
    Replied(&'a Replied),
    /// A joint move was made.
    Stepped {
        /// How many there are now.
        step: usize,
        /// The moves.
        moves: &'a [String],
        /// The errors.
        errors: &'a [String],
    },
    /// The match is over.
    Ended {
        /// The goal values of the roles.
        goals: &'a [i32],
    },
}

/// Who watches.
pub type Watch<'a> = dyn FnMut(&Event<'_>) + Send + 'a;

/// A match takes no more steps than this.
const MOST_STEPS: usize = 100_000;

/// A match, ready to be played or gone on with.
pub struct Match {
    referee: Referee,
    record: Record,
    participants: Vec<Option<Participant>>,
    terms: Arc<MatchTerms>,
    /// The last joint move.
    joint: Vec<String>,
    step: usize,
    /// Whether the match is given up if a player elsewhere cannot be reached at its start.
    needs_all: bool,
}

impl Match {
    /// Gives the match up if a player elsewhere cannot be reached when it is told the rules. Without this, random moves are made for
    /// it.
    pub fn need_all_players(&mut self) {
        self.needs_all = true;
    }

    /// Begins a match in a new file.
    pub fn begin(plan: MatchPlan, path: &Path) -> Result<Match, ManagerError> {
        let referee = Referee::new(&plan.rules, plan.seed)?;
        let players = by_role(&referee, &plan.players)?;
        let name = |player: &Option<Player>| player.as_ref().map_or(NATURE.to_owned(), |it| it.name.clone());
        let word = |player: &Option<Player>| player.as_ref().map_or(String::new(), |it| it.word.clone());
        let first = First {
            match_id: plan.id,
            random_token: token(),
            start_time: now(),
            game_name: plan.game,
            game_role_names: referee.roles().to_vec(),
            player_names_from_host: players.iter().map(name).collect(),
            start_clock: plan.start_clock,
            play_clock: plan.play_clock,
            scrambled: plan.scramble,
            resume: Resume {
                rules: String::from_utf8_lossy(&plan.rules).into_owned(),
                seed: plan.seed,
                players: players.iter().map(word).collect(),
            },
        };
        let record = Record::create(path, first, &referee.state())?;
        Match::sit(referee, record, &players)
    }

    /// Goes on with the match of a file. The players of the roles come from their words; nothing is returned if the match
    /// is over.
    pub fn resume<E: From<ManagerError>>(
        path: &Path,
        call: &mut dyn FnMut(&str, &str) -> Result<Player, E>,
    ) -> Result<Option<Match>, E> {
        let record = Record::open(path).map_err(ManagerError::from)?;
        if record.is_over() {
            return Ok(None);
        }
        let First { resume, player_names_from_host: names, .. } = record.first().clone();
        let mut referee = Referee::new(resume.rules.as_bytes(), resume.seed)?;
        let mut players = Vec::new();
        for role in 0..referee.roles().len() {
            let word = resume.players.get(role).map_or("", String::as_str);
            let name = names.get(role).map_or(word, String::as_str);
            players.push(if referee.is_nature(role) { None } else { Some(call(name, word)?) });
        }
        let moves = record.moves();
        for joint in &moves {
            let fits = |error: SearchError| ManagerError::OtherGame(error.to_string());
            referee.advance(joint).map_err(fits)?;
        }
        let mut resumed = Match::sit(referee, record, &players)?;
        for joint in moves {
            resumed.participants.iter().flatten().for_each(|participant| participant.follow(&joint));
            resumed.joint = joint;
            resumed.step += 1;
        }
        Ok(Some(resumed))
    }

    fn sit(referee: Referee, record: Record, players: &[Option<Player>]) -> Result<Match, ManagerError> {
        let First { match_id, start_clock, play_clock, scrambled, resume, .. } = record.first();
        let rules: Arc<[u8]> = resume.rules.as_bytes().into();
        let scramble = match scrambled {
            true => Scramble::of(&rules, resume.seed)?,
            false => Scramble::none(),
        };
        let sent = match scrambled {
            true => scramble.rules(&rules)?,
            false => rules_on_one_line(&rules, &mut |word, out| out.push_str(word))?,
        };
        let terms = Arc::new(MatchTerms {
            id: match_id.clone(),
            rules,
            sent: sent.into(),
            start_clock: *start_clock,
            play_clock: *play_clock,
            scramble: Arc::new(scramble),
            seed: resume.seed,
        });
        let seats = referee.roles().iter().zip(players);
        let participants = seats
            .map(|(role, player)| player.as_ref().map(|it| Participant::sit(it, role, &terms)))
            .collect();
        Ok(Match { referee, record, participants, terms, joint: Vec::new(), step: 0, needs_all: false })
    }

    /// The match file.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Plays to the end. If the rules fail, the match is given up and everybody is told.
    pub async fn play(&mut self, watch: &mut Watch<'_>) -> Result<Vec<i32>, ManagerError> {
        match self.play_on(watch).await {
            Err(ManagerError::Record(error)) => Err(error.into()),
            Err(error) => {
                self.record.aborted(&error.to_string())?;
                self.tell_all(|participant, terms, _| {
                    Box::pin(async move { participant.abort(&terms).await })
                })
                .await;
                Err(error)
            }
            Ok(goals) => {
                self.tell_all(|participant, terms, joint| {
                    Box::pin(async move { participant.stop(&terms, &joint).await })
                })
                .await;
                Ok(goals)
            }
        }
    }

    async fn play_on(&mut self, watch: &mut Watch<'_>) -> Result<Vec<i32>, ManagerError> {
        self.start(watch).await?;
        while !block_in_place(|| self.referee.is_terminal())? {
            if self.step >= MOST_STEPS {
                return Err(ManagerError::TooLong(MOST_STEPS));
            }
            self.make_step(watch).await?;
        }
        let goals = block_in_place(|| self.referee.goals())?;
        self.record.completed(&goals)?;
        watch(&Event::Ended { goals: &goals });
        Ok(goals)
    }

    /// Tells everybody the rules. After a crash, those who know the match already answer that they are busy, which is as
    /// good as any answer; local players are new and have to prepare.
    async fn start(&mut self, watch: &mut Watch<'_>) -> Result<(), ManagerError> {
        let is_new = !self.record.is_started();
        let mut errors = vec![String::new(); self.participants.len()];
        let mut asked = JoinSet::new();
        for (role, participant) in self.participants.iter_mut().enumerate() {
            let Some(mut waiting) = participant.take() else { continue };
            let (terms, name) =
                (self.terms.clone(), self.referee.roles().get(role).cloned().unwrap_or_default());
            let is_told = is_new || matches!(waiting, Participant::Local { .. });
            asked.spawn(async move {
                let said = if is_told { waiting.start(&name, &terms).await } else { Ok(String::new()) };
                (role, waiting, said)
            });
        }
        while let Some(Ok((role, participant, said))) = asked.join_next().await {
            if let (Err(error), Some(place)) = (&said, errors.get_mut(role)) {
                code(error).clone_into(place);
            }
            if let Some(place) = self.participants.get_mut(role) {
                *place = Some(participant);
            }
        }
        if is_new {
            self.record.started(&errors)?;
            watch(&Event::Started { roles: self.referee.roles(), errors: &errors });
            if let Some(role) = errors.iter().position(|error| error == "CE").filter(|_| self.needs_all) {
                let role = self.referee.roles().get(role).cloned().unwrap_or_default();
                return Err(ManagerError::Unreachable { role });
            }
        }
        Ok(())
    }

    /// Asks everybody who has not answered yet, and makes the joint move.
    async fn make_step(&mut self, watch: &mut Watch<'_>) -> Result<(), ManagerError> {
        let mut made: Vec<Option<(String, String)>> = vec![None; self.participants.len()];
        for Replied { role, made: text, error, .. } in self.record.replies_of(self.step) {
            if let Some(place) = made.get_mut(role) {
                *place = Some((text, error));
            }
        }
        self.ask_all(&mut made, watch).await?;
        let mut step = MatchStep { moves: Vec::new(), errors: Vec::new(), state: String::new() };
        for (role, made) in made.into_iter().enumerate() {
            // What nobody answered is chance's move.
            let (text, error) = match made {
                Some(made) => made,
                None => (block_in_place(|| self.referee.any_legal(role))?, String::new()),
            };
            step.moves.push(text);
            step.errors.push(error);
        }
        block_in_place(|| self.referee.advance(&step.moves))?;
        step.state = self.referee.state();
        self.record.step(&step, now())?;
        self.step += 1;
        watch(&Event::Stepped { step: self.step, moves: &step.moves, errors: &step.errors });
        self.joint = step.moves;
        Ok(())
    }

    async fn ask_all(
        &mut self,
        made: &mut [Option<(String, String)>],
        watch: &mut Watch<'_>,
    ) -> Result<(), ManagerError> {
        let begin = Instant::now();
        let mut asked = JoinSet::new();
        for (role, participant) in self.participants.iter_mut().enumerate() {
            if made.get(role).is_some_and(Option::is_some) {
                continue;
            }
            let Some(waiting) = participant.take() else { continue };
            let (terms, joint) = (self.terms.clone(), self.joint.clone());
            asked.spawn(async move {
                let said = waiting.play(&terms, &joint).await;
                (role, waiting, said, begin.elapsed())
            });
        }
        while let Some(Ok((role, participant, said, time))) = asked.join_next().await {
            if let Some(place) = self.participants.get_mut(role) {
                *place = Some(participant);
            }
            let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
            let reply = block_in_place(|| self.judge(role, said, millis))?;
            self.record.reply(&reply)?;
            watch(&Event::Replied(&reply));
            if let Some(place) = made.get_mut(role) {
                *place = Some((reply.made, reply.error));
            }
        }
        Ok(())
    }

    /// What a role does after what was said for it.
    fn judge(&mut self, role: usize, said: Said, millis: u64) -> Result<Replied, ManagerError> {
        let step = self.step;
        let (error, said) = match said {
            Ok(text) => match self.referee.legal(role, &text)? {
                Some(made) => {
                    let (error, said) = (String::new(), String::new());
                    return Ok(Replied { step, role, made, error, said, millis });
                }
                None => ("IL".to_owned(), text.chars().take(LONGEST_SAID).collect()),
            },
            Err(error) => (code(&error).to_owned(), error.to_string()),
        };
        let made = self.referee.any_legal(role)?;
        Ok(Replied { step, role, made, error, said, millis })
    }

    /// Tells everybody something at the same time.
    async fn tell_all(&mut self, tell: fn(Participant, Arc<MatchTerms>, Vec<String>) -> Telling) {
        let mut told = JoinSet::new();
        for participant in self.participants.iter_mut().filter_map(Option::take) {
            told.spawn(tell(participant, self.terms.clone(), self.joint.clone()));
        }
        while told.join_next().await.is_some() {}
    }
}

type Telling = std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;

/// How much of what is no move is written down.
const LONGEST_SAID: usize = 200;

/// The public format's word for what went wrong.
fn code(error: &AskError) -> &'static str {
    match error {
        AskError::TooLate => "TO",
        AskError::Connection(_) | AskError::NoReply => "CE",
    }
}

/// The players by role; chance has none.
fn by_role(referee: &Referee, players: &[Player]) -> Result<Vec<Option<Player>>, ManagerError> {
    let roles: Vec<usize> = (0..referee.roles().len()).filter(|&role| !referee.is_nature(role)).collect();
    if roles.len() != players.len() {
        let names: Vec<&str> =
            roles.iter().filter_map(|&role| referee.roles().get(role).map(String::as_str)).collect();
        let (roles, names, given) = (roles.len(), names.join(", "), players.len());
        return Err(ManagerError::WrongPlayers { roles, names, given });
    }
    let mut players = players.iter().cloned();
    let all = 0..referee.roles().len();
    Ok(all.map(|role| if referee.is_nature(role) { None } else { players.next() }).collect())
}

/// Which roles of a description chance plays, in the order of the roles.
pub fn natural_roles(rules: &[u8]) -> Result<Vec<bool>, ManagerError> {
    let referee = Referee::new(rules, 0)?;
    Ok((0..referee.roles().len()).map(|role| referee.is_nature(role)).collect())
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// A word that nobody can guess.
fn token() -> String {
    use std::hash::{BuildHasher, Hasher};
    let part = || std::hash::RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", part(), part())
}
