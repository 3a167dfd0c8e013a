//! A player in a match, on its own thread. Servers and managers talk to it through a channel and keep the clocks. When the time is over the
//! [`Turn`] has a legal move in hand, even if the player is late (`fallback`), panics or fails.
//!
//! Messages may be repeated or out of order: [`Sitting::play`] advances only by moves that fit the state, repeats its reply to a repeated
//! request, and refuses the rest.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use groundrules_search::{Player, SearchError, Seat, Turn};
use tokio::sync::oneshot;

use crate::allowance::{Allowance, Choice, SitError, read_rules};
use crate::fallback::{self, Question};

/// A player at work. Dropping it ends the match for the player.
pub struct Sitting {
    commands: Sender<Command>,
    /// Who finds a legal move if the player is late.
    fallback: Sender<Question>,
    /// What the player is thinking about.
    turn: Mutex<Turn>,
}

/// What a player sits down to.
pub struct Begin {
    /// The match, for the log.
    pub name: String,
    /// The rules.
    pub rules: Arc<[u8]>,
    /// The role, as KIF.
    pub role: String,
    /// The player.
    pub choice: Choice,
    /// What it may use.
    pub allowance: Allowance,
}

/// The moves do not fit the match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the moves do not fit the match")]
pub struct Refused;

/// What comes back when the player is ready.
pub type Ready = oneshot::Receiver<Result<(), SitError>>;

/// What comes back when the player has chosen.
pub type Chosen = oneshot::Receiver<Result<String, Refused>>;

enum Command {
    Play { joint: Vec<String>, turn: Turn, answer: oneshot::Sender<Result<String, Refused>> },
    Follow { joint: Vec<String> },
    Stop { joint: Vec<String> },
}

impl Sitting {
    /// Sits down: reads the rules, makes a seat, and lets the player prepare until the turn is over. `held` is dropped
    /// when the player's thread has ended, which may be long after the sitting was dropped.
    pub fn begin(begin: Begin, turn: &Turn, held: impl Send + 'static) -> (Sitting, Ready) {
        let (commands, orders) = channel();
        let (fallback, questions) = channel();
        let (ready, is_ready) = oneshot::channel();
        let sitting = Sitting { commands, fallback, turn: Mutex::new(turn.clone()) };
        let turn = turn.clone();
        let work = move || {
            let sat_down = catch_unwind(AssertUnwindSafe(|| Sitter::sit_down(begin, &turn, questions)));
            match sat_down {
                Ok(Ok(mut sitter)) => {
                    // Nobody waits any more when the time was over.
                    let _ = ready.send(Ok(()));
                    sitter.obey(&orders);
                }
                Ok(Err(error)) => drop(ready.send(Err(error))),
                Err(_) => drop(ready),
            }
            drop(held);
        };
        // Without a thread there is nobody who could answer: the channels close, and that is seen.
        let _ = thread::Builder::new().name("player".to_owned()).stack_size(STACK).spawn(work);
        (sitting, is_ready)
    }

    /// Asks for a move, after the joint move made last (none at first).
    pub fn play(&self, joint: Vec<String>, turn: &Turn) -> Chosen {
        *self.turn.lock().unwrap_or_else(PoisonError::into_inner) = turn.clone();
        let _ = self.fallback.send(Question::Play { joint: joint.clone(), turn: turn.clone() });
        let (answer, chosen) = oneshot::channel();
        // If the thread has ended, the other end of the channel says so.
        let _ = self.commands.send(Command::Play { joint, turn: turn.clone(), answer });
        chosen
    }

    /// Tells the player a joint move that was made before it came.
    pub fn follow(&self, joint: Vec<String>) {
        let _ = self.fallback.send(Question::Follow { joint: joint.clone() });
        let _ = self.commands.send(Command::Follow { joint });
    }

    /// Tells the player the last joint move of the match.
    pub fn stop(&self, joint: Vec<String>) {
        let _ = self.commands.send(Command::Stop { joint });
    }
}

impl Drop for Sitting {
    fn drop(&mut self) {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner).stop();
    }
}

/// Players search recursively, and untrusted rules may be nested deeply.
const STACK: usize = 16 << 20;

/// The player's side of a sitting.
struct Sitter {
    name: String,
    seat: Seat,
    player: Box<dyn Player>,
    /// The joint move that led here, if the player was only told it and not asked.
    followed: Option<Vec<String>>,
    /// The question that was answered last, and the answer.
    answered: Option<(Vec<String>, String)>,
}

/// What a question asks for.
#[derive(Debug, PartialEq, Eq)]
enum Fit {
    /// The move to make in this state.
    Here,
    /// The same answer again.
    Again,
    /// The move to make after these moves.
    After,
}

impl Sitter {
    fn sit_down(begin: Begin, turn: &Turn, questions: Receiver<Question>) -> Result<Sitter, SitError> {
        let Begin { name, rules, role, choice, allowance } = begin;
        let game = read_rules(&rules)?;
        let interpreted = allowance.interpreted(game.clone());
        let (seat, player) = allowance.seat(game, &role, &choice)?;
        fallback::spawn(interpreted, seat.role(), questions);
        let mut sitter = Sitter { name, seat, player, followed: None, answered: None };
        let Sitter { seat, player, .. } = &mut sitter;
        let prepared = catch_unwind(AssertUnwindSafe(|| player.prepare(seat, turn)));
        if !matches!(prepared, Ok(Ok(()))) {
            tracing::warn!(name = sitter.name, "the player could not prepare");
        }
        Ok(sitter)
    }

    fn obey(&mut self, orders: &Receiver<Command>) {
        while let Ok(order) = orders.recv() {
            match order {
                Command::Play { joint, turn, answer } => {
                    let made = catch_unwind(AssertUnwindSafe(|| self.play(joint, &turn)));
                    let made = made.unwrap_or_else(|_| turn.in_hand().ok_or(Refused));
                    let _ = answer.send(made);
                }
                Command::Follow { joint } => {
                    let followed = catch_unwind(AssertUnwindSafe(|| self.advance(&joint)));
                    if !matches!(followed, Ok(Ok(()))) {
                        return;
                    }
                    self.followed = Some(joint);
                }
                Command::Stop { joint } => {
                    let _ = catch_unwind(AssertUnwindSafe(|| self.stop(&joint)));
                    return;
                }
            }
        }
    }

    fn play(&mut self, joint: Vec<String>, turn: &Turn) -> Result<String, Refused> {
        match self.fit(&joint).unwrap_or(None).ok_or(Refused)? {
            Fit::Again => return self.answered.as_ref().map(|(_, made)| made.clone()).ok_or(Refused),
            Fit::Here => {}
            Fit::After => self.advance(&joint).map_err(|error| self.complain(&error))?,
        }
        let made = self.choose(turn).map_err(|error| self.complain(&error))?;
        tracing::debug!(name = self.name, step = self.seat.step(), made, report = self.player.report());
        self.followed = None;
        self.answered = Some((joint, made.clone()));
        Ok(made)
    }

    fn complain(&self, error: &SearchError) -> Refused {
        tracing::warn!(name = self.name, %error, "no move");
        Refused
    }

    /// What a question asks for; nothing if it does not fit the match.
    fn fit(&mut self, joint: &[String]) -> Result<Option<Fit>, SearchError> {
        if joint.is_empty() {
            return Ok((self.seat.step() == 0).then_some(match self.answered {
                Some(_) => Fit::Again,
                None => Fit::Here,
            }));
        }
        if self.followed.as_deref() == Some(joint) {
            return Ok(Some(Fit::Here));
        }
        let is_legal = joint.len() == self.seat.roles().len() && self.are_legal(joint)?;
        let own = joint.get(self.seat.role());
        let (is_repeated, is_own) = self.answered.as_ref().map_or((false, false), |(question, made)| {
            (question == joint, own.is_some_and(|own| own.eq_ignore_ascii_case(made)))
        });
        // A host may have replaced the player's move, so any legal moves go on with the match, unless they are the
        // last question again.
        Ok(match (is_legal, is_own, is_repeated) {
            (true, true, _) | (true, false, false) => Some(Fit::After),
            (_, _, true) => Some(Fit::Again),
            (false, _, false) => None,
        })
    }

    fn are_legal(&mut self, joint: &[String]) -> Result<bool, SearchError> {
        if self.seat.is_terminal()? {
            return Ok(false);
        }
        for (role, text) in joint.iter().enumerate() {
            if self.seat.find_legal_of(role, text)?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn advance(&mut self, joint: &[String]) -> Result<(), SearchError> {
        let texts: Vec<&str> = joint.iter().map(String::as_str).collect();
        self.seat.advance_texts(&texts)
    }

    /// The player's choice; if that is no legal move, the one in hand or the first.
    fn choose(&mut self, turn: &Turn) -> Result<String, SearchError> {
        let first = self.seat.legal()?[0];
        turn.offer(&self.seat, first);
        // The engine may change while the player chooses, and with it the numbers of moves: texts stay.
        let first = self.seat.move_text(first);
        let Sitter { seat, player, .. } = self;
        let chosen = catch_unwind(AssertUnwindSafe(|| player.choose(seat, turn)));
        match chosen {
            Ok(Ok(made)) if self.seat.legal()?.contains(&made) => {
                turn.offer(&self.seat, made);
                return Ok(self.seat.move_text(made));
            }
            Ok(Ok(_)) => {
                tracing::warn!(
                    name = self.name,
                    "the player chose an illegal move: its move in hand is made"
                );
            }
            Ok(Err(error)) => {
                tracing::warn!(name = self.name, %error, "the player has no answer: its move in hand is made");
            }
            Err(_) => tracing::warn!(name = self.name, "the player panicked: its move in hand is made"),
        }
        Ok(turn.in_hand().unwrap_or(first))
    }

    /// The match is over: says in the log how it ended.
    fn stop(&mut self, joint: &[String]) -> Result<(), SearchError> {
        if self.fit(joint)? == Some(Fit::After) {
            self.advance(joint)?;
        }
        let role = self.seat.role();
        let goals = if self.seat.is_terminal()? { self.seat.goals(role)?.to_vec() } else { Vec::new() };
        tracing::info!(name = self.name, steps = self.seat.step(), ?goals, "the match is over");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use groundrules_machine::Move;
    use groundrules_search::Settings;

    use super::*;

    const DUEL: &str = "(role A) (role b) (init (n 0)) (s 0 1) (s 1 2) (s 2 3)
        (<= (legal ?r (Take ?y)) (role ?r) (true (n ?x)) (s ?x ?y)) (<= (legal b wait) (true (n ?x)))
        (<= (next (n ?y)) (true (n ?x)) (s ?x ?y))
        (<= terminal (true (n 3))) (goal A 100) (goal b 0)";

    fn sit(rules: &str, role: &str) -> (Sitting, Ready) {
        let choice = Choice::named("legal", Settings::default()).expect("a player");
        let (rules, role, name) = (rules.as_bytes().into(), role.to_owned(), "m".to_owned());
        let begin = Begin { name, rules, role, choice, allowance: Allowance::default() };
        Sitting::begin(begin, &Turn::without_clock(), ())
    }

    async fn play(sitting: &Sitting, joint: &[&str]) -> Result<String, Refused> {
        let joint = joint.iter().map(|&text| text.to_owned()).collect();
        sitting.play(joint, &Turn::without_clock()).await.expect("a thread that answers")
    }

    #[tokio::test]
    async fn questions_are_answered_in_their_order_only() {
        let (sitting, ready) = sit(DUEL, "a");
        assert!(matches!(ready.await, Ok(Ok(()))));
        assert_eq!(
            play(&sitting, &["(take 1)", "wait"]).await.as_deref(),
            Ok("(Take 2)"),
            "a host that begins later"
        );
        drop(sitting);
        let (sitting, _) = sit(DUEL, "a");
        assert_eq!(play(&sitting, &[]).await.as_deref(), Ok("(Take 1)"));
        assert_eq!(play(&sitting, &[]).await.as_deref(), Ok("(Take 1)"), "asked again");
        assert_eq!(play(&sitting, &["(take 2)", "wait"]).await, Err(Refused), "not legal");
        assert_eq!(play(&sitting, &["(take 1)"]).await, Err(Refused), "too few");
        assert_eq!(play(&sitting, &["(take 1)", "WAIT"]).await.as_deref(), Ok("(Take 2)"));
        assert_eq!(play(&sitting, &[]).await, Err(Refused), "not the beginning any more");
        assert_eq!(play(&sitting, &["(take 1)", "WAIT"]).await.as_deref(), Ok("(Take 2)"), "asked again");
        assert_eq!(play(&sitting, &["(take 2)", "(take 2)"]).await.as_deref(), Ok("(Take 3)"));
        assert_eq!(play(&sitting, &["(take 3)", "wait"]).await, Err(Refused), "the match is over");
    }

    #[tokio::test]
    async fn who_comes_later_is_told_what_was_played() {
        let joint = || vec!["(take 1)".to_owned(), "wait".to_owned()];
        for is_asked_at_once in [true, false] {
            let (sitting, _) = sit(DUEL, "a");
            sitting.follow(joint());
            if is_asked_at_once {
                assert_eq!(play(&sitting, &["(take 1)", "wait"]).await.as_deref(), Ok("(Take 2)"));
            }
            assert_eq!(play(&sitting, &["(take 2)", "wait"]).await.as_deref(), Ok("(Take 3)"));
        }
    }

    #[tokio::test]
    async fn what_cannot_be_played_is_refused() {
        assert!(matches!(sit(DUEL, "c").1.await, Ok(Err(SitError::NoRole(_)))));
        assert!(matches!(sit("(role a", "a").1.await, Ok(Err(SitError::NotGdl(_)))));
    }

    #[tokio::test]
    async fn a_player_that_panics_makes_a_legal_move() {
        struct Bad;
        impl Player for Bad {
            fn name(&self) -> &str {
                "bad"
            }
            fn choose(&mut self, _: &mut Seat, _: &Turn) -> Result<Move, SearchError> {
                panic!("on purpose")
            }
        }
        let choice = Choice::named("legal", Settings::default()).expect("a player");
        let game = read_rules(DUEL.as_bytes()).expect("a game");
        let (seat, _) = Allowance::default().seat(game, "A", &choice).expect("a seat");
        let mut sitter =
            Sitter { name: String::new(), seat, player: Box::new(Bad), followed: None, answered: None };
        assert_eq!(sitter.play(Vec::new(), &Turn::without_clock()).as_deref(), Ok("(Take 1)"));
    }

    /// The numbers of moves are the engine's own. A player may change over to another engine while it chooses, and its
    /// move is judged by the numbers of the engine that it chose on.
    #[test]
    fn the_engine_may_change_while_the_player_chooses() {
        struct Late {
            before: Vec<Move>,
            made: Option<Move>,
        }
        impl Player for Late {
            fn name(&self) -> &str {
                "late"
            }
            fn choose(&mut self, seat: &mut Seat, _: &Turn) -> Result<Move, SearchError> {
                self.before = seat.legal()?;
                assert!(seat.change_over_within(std::time::Duration::from_secs(600))?, "the engine changes");
                let made = seat.find_legal("(put 3)")?.expect("a legal move");
                assert!(!self.before.contains(&made), "the numbers are others now");
                self.made = Some(made);
                Ok(made)
            }
        }
        let numbers: String = (0..20).map(|number| format!("(n {number}) ")).collect();
        let rules = format!(
            "(role first) (role a) (init go) {numbers} (<= (legal first (see ?x)) (n ?x) (true (at ?y)))
             (<= (legal first wait) (true go)) (legal a (put 1)) (legal a (put 2)) (legal a (put 3)) (<= (next (at ?x)) (does a (put ?x)))
             (<= terminal (true (at ?x))) (<= (goal ?r 100) (role ?r) (true (at 3))) "
        );
        let choice = Choice::named("legal", Settings::default()).expect("a player");
        let game = read_rules(rules.as_bytes()).expect("a game");
        let (seat, _) = Allowance::default().seat(game, "a", &choice).expect("a seat");
        let player = Box::new(Late { before: Vec::new(), made: None });
        let mut sitter = Sitter { name: String::new(), seat, player, followed: None, answered: None };
        assert_eq!(sitter.play(Vec::new(), &Turn::without_clock()).as_deref(), Ok("(put 3)"));
    }

    /// Blocks in its first turn until it is let go, whatever the clock says.
    struct Stuck(Receiver<()>);

    impl Player for Stuck {
        fn name(&self) -> &str {
            "stuck"
        }
        fn choose(&mut self, seat: &mut Seat, _: &Turn) -> Result<Move, SearchError> {
            let _ = self.0.recv();
            Ok(seat.legal()?[0])
        }
    }

    #[tokio::test]
    async fn a_late_player_has_a_legal_move_for_the_new_state_in_hand() {
        let (let_go, waits) = channel();
        let (commands, orders) = channel();
        let (fallback, questions) = channel();
        let game = read_rules(DUEL.as_bytes()).expect("a game");
        fallback::spawn(Allowance::default().interpreted(game.clone()), 0, questions);
        let sitting = Sitting { commands, fallback, turn: Mutex::default() };
        let player = thread::spawn(move || {
            let choice = Choice::named("legal", Settings::default()).expect("a player");
            let (seat, _) = Allowance::default().seat(game, "A", &choice).expect("a seat");
            let player = Box::new(Stuck(waits));
            Sitter { name: String::new(), seat, player, followed: None, answered: None }.obey(&orders);
        });
        let turn = |joint: &[&str]| {
            let turn = Turn::of(std::time::Duration::from_millis(200));
            drop(sitting.play(joint.iter().map(|&text| text.to_owned()).collect(), &turn));
            while turn.in_hand().is_none() {
                thread::yield_now();
            }
            turn.in_hand()
        };
        assert_eq!(turn(&[]).as_deref(), Some("(Take 1)"));
        // The player still thinks about its first move.
        assert_eq!(turn(&["(take 1)", "wait"]).as_deref(), Some("(Take 2)"));
        assert_eq!(turn(&["(take 2)", "wait"]).as_deref(), Some("(Take 3)"));
        drop((let_go, sitting));
        player.join().expect("a player that ends");
    }
}
