//! The running matches: requests, players, and replies before their deadlines.
//!
//! A match has one pending request at a time. Its reply comes from its own task, so it does not depend on the connection; whoever sends the
//! same request meanwhile waits for the same reply. A match's slot is free again when the player's thread has ended, because only then its
//! memory is.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use groundrules_search::Turn;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::timeout_at;

use super::Options;
use crate::allowance::{Allowance, Choice};
use crate::margin::{Deadlines, Margin};
use crate::sitting::{Begin, Chosen, Ready, Sitting};
use crate::wire::{Message, Start, word};

/// All the matches of a server.
pub(super) struct Matches {
    options: Options,
    margin: Margin,
    places: Arc<Semaphore>,
    builders: Arc<Semaphore>,
    playing: Mutex<HashMap<String, Match>>,
}

struct Match {
    sitting: Arc<Sitting>,
    start: Start,
    /// The last turn: its moves and its answer, once there is one.
    turn: Option<(Vec<String>, Arc<Answer>)>,
    /// When the host has certainly gone if nothing is heard before.
    gone_at: Instant,
    /// Those who wait to ask something else, first come, first served.
    queue: Arc<tokio::sync::Mutex<()>>,
    /// One permit for each request that may wait.
    waiting: Arc<Semaphore>,
}

/// The answer to a question, once there is one.
type Answer = watch::Sender<Option<Reply>>;

/// Where the answer to a question will be.
enum Question {
    /// It is being thought about.
    Asked(watch::Receiver<Option<Reply>>),
    /// Another one is, which has to be answered first.
    Other(watch::Receiver<Option<Reply>>),
}

/// What is answered, and when that was due.
#[derive(Clone, Debug)]
pub(super) struct Reply {
    text: String,
    deadlines: Option<Deadlines>,
}

impl Reply {
    pub(super) fn word(text: &str) -> Self {
        Reply { text: text.to_owned(), deadlines: None }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    fn due(text: String, deadlines: Deadlines) -> Self {
        Reply { text, deadlines: Some(deadlines) }
    }
}

impl Matches {
    pub(super) fn new(options: Options) -> Self {
        let places = || Arc::new(Semaphore::new(options.matches.clamp(1, Semaphore::MAX_PERMITS)));
        Matches {
            margin: Margin::new(options.margin),
            places: places(),
            builders: places(),
            playing: Mutex::default(),
            options,
        }
    }

    /// Answers a message that arrived on a connection accepted at `accepted`; clocks run from there.
    pub(super) async fn answer(self: &Arc<Self>, message: Message, accepted: Instant) -> Reply {
        match message {
            Message::Info => Reply::word(&self.info()),
            Message::Ping | Message::Preview { .. } => Reply::word(match self.is_available() {
                true => word::READY,
                false => word::BUSY,
            }),
            Message::Start(start) => self.start(start, accepted).await,
            Message::Play { id, moves } => self.play(id, moves, accepted).await,
            Message::Stop { id, moves } => self.stop(&id, moves),
            Message::Abort { id } => match self.playing().remove(&id) {
                Some(_) => {
                    tracing::info!(id, "aborted");
                    Reply::word(word::ABORTED)
                }
                None => Reply::word(word::BUSY),
            },
        }
    }

    /// A reply has left: how late tells how much earlier the next ones should be thought of.
    pub(super) fn has_left(&self, reply: &Reply) {
        if let Some(deadlines) = &reply.deadlines {
            self.margin.learn(deadlines);
        }
    }

    /// Leaves the matches whose hosts have gone.
    pub(super) fn sweep(&self) {
        let now = Instant::now();
        self.playing().retain(|id, playing| {
            let is_there = playing.gone_at > now;
            if !is_there {
                tracing::info!(id, "the host has gone: the match is left");
            }
            is_there
        });
    }

    /// Leaves all matches.
    pub(super) fn leave_all(&self) {
        self.playing().clear();
    }

    fn playing(&self) -> MutexGuard<'_, HashMap<String, Match>> {
        self.playing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_available(&self) -> bool {
        self.places.available_permits() > 0
    }

    fn info(&self) -> String {
        let status = if self.is_available() { word::AVAILABLE } else { word::BUSY };
        format!("((name {})(status {status})(species alien))", self.options.name)
    }

    async fn start(&self, start: Start, accepted: Instant) -> Reply {
        let deadlines = self.margin.deadlines(accepted, Duration::from_secs_f64(start.start_clock));
        let id = start.id.clone();
        let place = self.places.clone();
        let held = match self.make_room(&id) {
            true => {
                timeout_at(deadlines.answer_at.into(), place.acquire_owned()).await.ok().and_then(Result::ok)
            }
            false => place.try_acquire_owned().ok(),
        };
        let (ready, turn) = match self.sit_down(start, deadlines, held) {
            Ok(begun) => begun,
            Err(reply) => return reply,
        };
        match timeout_at(deadlines.answer_at.into(), ready).await {
            Ok(Ok(Ok(()))) => Reply::due(word::READY.to_owned(), deadlines),
            // It goes on getting ready; what it cannot answer in time will be answered for it.
            Err(_) => {
                turn.stop();
                Reply::due(word::READY.to_owned(), deadlines)
            }
            Ok(failed) => {
                let error = match failed {
                    Ok(Err(error)) => error.to_string(),
                    _ => "the player failed".to_owned(),
                };
                tracing::warn!(id, error, "the match cannot be played");
                self.playing().remove(&id);
                Reply::word(word::BUSY)
            }
        }
    }

    /// Where all places are taken, leaves the match that nobody has asked about for the longest time since its clocks ran out,
    /// if there is one. Says whether a place will be free soon: matches that ended or were left hold theirs until the thread
    /// of their player has ended.
    fn make_room(&self, id: &str) -> bool {
        let mut playing = self.playing();
        if self.is_available() || playing.contains_key(id) {
            return false;
        }
        let silent = playing.iter().min_by_key(|(_, it)| it.gone_at).filter(|(_, it)| it.has_run_out());
        if let Some(silent) = silent.map(|(id, _)| id.clone()) {
            tracing::info!(id = silent, "nobody asks about it: its place is given to another match");
            playing.remove(&silent);
        }
        playing.len() < self.options.matches.max(1)
    }

    /// Begins a match if there is a place for it and no other of its name; else says what to answer.
    fn sit_down(
        &self,
        start: Start,
        deadlines: Deadlines,
        held: Option<OwnedSemaphorePermit>,
    ) -> Result<(Ready, Turn), Reply> {
        let mut playing = self.playing();
        if let Some(other) = playing.get(&start.id) {
            // A host may repeat itself before anything was played.
            let is_repeated = other.start == start && other.turn.is_none();
            return Err(Reply::word(if is_repeated { word::READY } else { word::BUSY }));
        }
        let Some(held) = held else {
            tracing::info!(id = start.id, "no place for another match");
            return Err(Reply::word(word::BUSY));
        };
        tracing::info!(
            id = start.id,
            role = start.role,
            start.start_clock,
            start.play_clock,
            "a match begins"
        );
        let turn = Turn::until(deadlines.think_until);
        let (choice, allowance) = self.share(&start);
        let begin = Begin {
            name: start.id.clone(),
            rules: start.rules.as_slice().into(),
            role: start.role.clone(),
            choice,
            allowance,
        };
        let (sitting, ready) = Sitting::begin(begin, &turn, held);
        let gone_at = gone_at(&start);
        let (queue, waiting) = (Arc::default(), Arc::new(Semaphore::new(MOST_WAITING)));
        let begun = Match { sitting: Arc::new(sitting), start, turn: None, gone_at, queue, waiting };
        playing.insert(begun.start.id.clone(), begun);
        Ok((ready, turn))
    }

    /// One match's share of the memory: a third each for the search, for the rules and for what is built of them.
    fn share(&self, start: &Start) -> (Choice, Allowance) {
        let third = self.options.memory / self.options.matches.max(1) / 3;
        let mut choice = self.options.choice.in_match(&start.id);
        choice.settings.memory = choice.settings.memory.min(third);
        let question = Duration::from_secs_f64(start.start_clock.max(start.play_clock).clamp(10.0, 60.0));
        (
            choice,
            Allowance {
                memory: third,
                question,
                builders: self.builders.clone(),
                shelf: self.options.shelf.clone(),
            },
        )
    }

    async fn play(self: &Arc<Self>, id: String, moves: Vec<String>, accepted: Instant) -> Reply {
        let reply = async {
            let (_waits, queue) = self.enter(&id)?;
            let mut answer = match self.pending(&id, &moves) {
                Some(answer) => answer,
                None => self.ask_in_turn(&id, &moves, accepted, &queue).await?,
            };
            answer.wait_for(Option::is_some).await.ok()?.clone()
        };
        reply.await.unwrap_or_else(|| Reply::word(word::BUSY))
    }

    /// Lets a request wait for a match; nothing if there is no such match, or too many wait.
    fn enter(&self, id: &str) -> Option<(OwnedSemaphorePermit, Arc<tokio::sync::Mutex<()>>)> {
        let playing = self.playing();
        let found = playing.get(id)?;
        Some((found.waiting.clone().try_acquire_owned().ok()?, found.queue.clone()))
    }

    /// Where the answer to this very question will be, if it is being thought about.
    fn pending(&self, id: &str, moves: &[String]) -> Option<watch::Receiver<Option<Reply>>> {
        let playing = self.playing();
        let (question, answer) = playing.get(id)?.turn.as_ref()?;
        (question == moves && answer.borrow().is_none()).then(|| answer.subscribe())
    }

    /// Asks when those who came before have asked. Whose question fits the match is for the player to say, so strangers may ask
    /// as well; the queue keeps them from overtaking the host.
    async fn ask_in_turn(
        self: &Arc<Self>,
        id: &str,
        moves: &[String],
        accepted: Instant,
        queue: &tokio::sync::Mutex<()>,
    ) -> Option<watch::Receiver<Option<Reply>>> {
        let _first = queue.lock().await;
        loop {
            match self.ask(id, moves, accepted)? {
                Question::Asked(answer) => return Some(answer),
                // The match was left if its answer never comes.
                Question::Other(mut answer) => drop(answer.wait_for(Option::is_some).await.ok()?),
            }
        }
    }

    /// Asks a match's player for its move; nothing if there is no such match, or its time is over.
    fn ask(self: &Arc<Self>, id: &str, moves: &[String], accepted: Instant) -> Option<Question> {
        let mut playing = self.playing();
        let found = playing.get_mut(id)?;
        if let Some((question, answer)) = &found.turn
            && answer.borrow().is_none()
        {
            let answer = answer.subscribe();
            return Some(match question == moves {
                true => Question::Asked(answer),
                false => Question::Other(answer),
            });
        }
        let clock = Duration::from_secs_f64(found.start.play_clock);
        let deadlines = self.margin.deadlines(accepted, clock);
        if Instant::now() > accepted + clock {
            return None;
        }
        let turn = Turn::until(deadlines.think_until);
        let chosen = found.sitting.play(moves.to_vec(), &turn);
        let (sender, answer) = watch::channel(None);
        let sender = Arc::new(sender);
        found.turn = Some((moves.to_vec(), sender.clone()));
        found.gone_at = gone_at(&found.start);
        drop(playing);
        let (matches, id) = (self.clone(), id.to_owned());
        tokio::spawn(async move {
            let reply = matches.in_time(&id, chosen, turn, deadlines).await;
            sender.send_replace(Some(reply));
        });
        Some(Question::Asked(answer))
    }

    /// The player's answer, or at the last moment its move in hand.
    async fn in_time(&self, id: &str, chosen: Chosen, turn: Turn, deadlines: Deadlines) -> Reply {
        let made = match timeout_at(deadlines.answer_at.into(), chosen).await {
            Ok(Ok(Ok(made))) => Some(made),
            Ok(Ok(Err(_refused))) => return Reply::word(word::BUSY),
            Ok(Err(_)) | Err(_) => {
                turn.stop();
                turn.in_hand()
            }
        };
        if made.is_none() {
            tracing::warn!(id, "no legal move is known in time");
        }
        Reply::due(made.unwrap_or_else(|| NOTHING.to_owned()), deadlines)
    }

    fn stop(&self, id: &str, moves: Vec<String>) -> Reply {
        match self.playing().remove(id) {
            Some(over) => {
                over.sitting.stop(moves);
                Reply::word(word::DONE)
            }
            None => Reply::word(word::BUSY),
        }
    }
}

/// The reply when not even the fallback has a legal move in time: a move of another state would be illegal.
const NOTHING: &str = "nil";

/// How many requests may wait for answers of one match. Connections that wait are never dropped, so there must be a limit; it
/// is far above what strangers can pile up while a player refuses their questions.
const MOST_WAITING: usize = 1024;

/// A match is left so long after its clocks ran out; if another match needs the place, much sooner.
const GRACE: Duration = Duration::from_secs(60);
const LEAST_GRACE: Duration = Duration::from_secs(2);

/// When a host that says nothing has gone: every player of a match answers within its clock.
fn gone_at(start: &Start) -> Instant {
    let clocks = Duration::from_secs_f64(start.start_clock + start.play_clock * 2.0);
    Instant::now() + clocks + GRACE
}

impl Match {
    /// Whether nobody has asked about it since its clocks ran out.
    fn has_run_out(&self) -> bool {
        Instant::now() + GRACE > self.gone_at + LEAST_GRACE
    }
}
