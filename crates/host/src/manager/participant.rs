//! The participants of a match: a player of this program in its own thread, or any program that listens on an address, behind one
//! interface.

use std::sync::Arc;
use std::time::{Duration, Instant};

use groundrules_search::Turn;
use tokio::time::timeout_at;

use super::scramble::Scramble;
use crate::allowance::{Allowance, Choice};
use crate::margin::{LEAST, Margin};
use crate::sitting::{Begin, Ready, Sitting};
use crate::wire::{Address, AskError, Message, Start, ask};

/// Who plays.
#[derive(Clone)]
pub enum Who {
    /// A player of this program.
    Local(Choice),
    /// A program that listens.
    Remote(Address),
}

/// A player of a match.
#[derive(Clone)]
pub struct Player {
    /// The name to show.
    pub name: String,
    /// The words by which it was called, to call it again.
    pub word: String,
    /// Who it is.
    pub who: Who,
}

/// What a participant said, or why it said nothing.
pub(super) type Said = Result<String, AskError>;

/// A player at the table.
pub(super) enum Participant {
    Local { sitting: Sitting, ready: Option<Ready>, margin: Margin },
    Remote { address: Address, name: String, scramble: Arc<Scramble> },
}

/// What a match tells all its participants.
pub(super) struct MatchTerms {
    pub(super) id: String,
    pub(super) rules: Arc<[u8]>,
    /// The rules as they are sent.
    pub(super) sent: Arc<str>,
    pub(super) start_clock: f64,
    pub(super) play_clock: f64,
    pub(super) scramble: Arc<Scramble>,
    /// The seed of the match.
    pub(super) seed: u64,
}

/// How much longer than its clock a remote player is waited for, as the usual host does.
const PATIENCE: Duration = Duration::from_secs(1);

impl Participant {
    /// Sits a player down. A local one begins to prepare.
    pub(super) fn sit(player: &Player, role: &str, terms: &MatchTerms) -> Participant {
        match &player.who {
            Who::Remote(address) => Participant::Remote {
                address: address.clone(),
                name: player.name.clone(),
                scramble: terms.scramble.clone(),
            },
            Who::Local(choice) => {
                let margin = Margin::new(LEAST);
                let deadlines = margin.deadlines(Instant::now(), Duration::from_secs_f64(terms.start_clock));
                let begin = Begin {
                    name: format!("{} {role}", terms.id),
                    rules: terms.rules.clone(),
                    role: role.to_owned(),
                    choice: choice.in_match(&format!("{} {role} {}", terms.id, terms.seed)),
                    allowance: Allowance::default(),
                };
                let (sitting, ready) = Sitting::begin(begin, &Turn::until(deadlines.think_until), ());
                Participant::Local { sitting, ready: Some(ready), margin }
            }
        }
    }

    /// Tells a player that came later what was played.
    pub(super) fn follow(&self, joint: &[String]) {
        if let Participant::Local { sitting, .. } = self {
            sitting.follow(joint.to_vec());
        }
    }

    /// Tells the player the rules and waits until it is ready, or the clock has run.
    pub(super) async fn start(&mut self, role: &str, terms: &MatchTerms) -> Said {
        let clock = Duration::from_secs_f64(terms.start_clock);
        match self {
            Participant::Remote { scramble, .. } => {
                let message = Message::Start(Start {
                    id: terms.id.clone(),
                    role: scramble.term(role),
                    rules: format!("({})", terms.sent).into_bytes(),
                    start_clock: terms.start_clock,
                    play_clock: terms.play_clock,
                });
                self.ask(&message, clock).await
            }
            Participant::Local { ready, .. } => {
                let Some(ready) = ready.take() else { return Ok(String::new()) };
                match timeout_at((Instant::now() + clock).into(), ready).await {
                    Ok(Ok(Ok(()))) => Ok(String::new()),
                    Ok(_) => Err(AskError::NoReply),
                    Err(_) => Err(AskError::TooLate),
                }
            }
        }
    }

    /// Asks for a move; it comes back in the game's own names.
    pub(super) async fn play(&self, terms: &MatchTerms, joint: &[String]) -> Said {
        let clock = Duration::from_secs_f64(terms.play_clock);
        match self {
            Participant::Remote { scramble, .. } => {
                let moves = joint.iter().map(|made| scramble.term(made)).collect();
                let said = self.ask(&Message::Play { id: terms.id.clone(), moves }, clock + PATIENCE).await?;
                Ok(scramble.back(&said).unwrap_or(said))
            }
            Participant::Local { sitting, margin, .. } => {
                let deadlines = margin.deadlines(Instant::now(), clock);
                let turn = Turn::until(deadlines.think_until);
                let chosen = sitting.play(joint.to_vec(), &turn);
                match timeout_at(deadlines.answer_at.into(), chosen).await {
                    Ok(Ok(made)) => made.map_err(|_| AskError::NoReply),
                    Ok(Err(_)) => Err(AskError::NoReply),
                    Err(_) => {
                        turn.stop();
                        margin.learn(&deadlines);
                        turn.in_hand().ok_or(AskError::TooLate)
                    }
                }
            }
        }
    }

    /// Tells the player that the match is over.
    pub(super) async fn stop(&self, terms: &MatchTerms, joint: &[String]) {
        match self {
            Participant::Local { sitting, .. } => sitting.stop(joint.to_vec()),
            Participant::Remote { scramble, .. } => {
                let moves = joint.iter().map(|made| scramble.term(made)).collect();
                let message = Message::Stop { id: terms.id.clone(), moves };
                // Nothing depends on the answer.
                let _ = self.ask(&message, Duration::from_secs_f64(terms.play_clock)).await;
            }
        }
    }

    /// Tells the player that the match is given up.
    pub(super) async fn abort(&self, terms: &MatchTerms) {
        let _ = self.ask(&Message::Abort { id: terms.id.clone() }, PATIENCE).await;
    }

    async fn ask(&self, message: &Message, clock: Duration) -> Said {
        match self {
            Participant::Local { .. } => Ok(String::new()),
            Participant::Remote { address, name, .. } => {
                ask(address, name, &message.to_string(), (Instant::now() + clock).into()).await
            }
        }
    }
}
