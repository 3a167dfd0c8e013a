//! A turn: its deadline, and the move in hand. Copies of a turn are the same turn, so whoever runs the clock can stop the player, or
//! answer for it when the time is over and it has not returned. The move in hand is kept as text, which means the same to every
//! engine.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use groundrules_gdl::time::{Instant, thread_time};
use groundrules_machine::Move;

use crate::seat::Seat;

/// The time to think of one move.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    deadline: Option<Instant>,
    clock: Clock,
    shared: Arc<Shared>,
}

/// What tells the time.
#[derive(Clone, Debug, Default)]
pub(crate) enum Clock {
    /// The clock on the wall.
    #[default]
    Wall,
    /// The processor time of the thread that asks: the moment when the clock began, and the thread's time then.
    Processor { moment: Instant, began: Duration },
    /// A test, by hand.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests have such clocks"))]
    Hand(Arc<Mutex<Instant>>),
}

impl Clock {
    fn now(&self) -> Instant {
        match self {
            Clock::Wall => Instant::now(),
            Clock::Processor { moment, began } => {
                *moment + thread_time().unwrap_or_default().saturating_sub(*began)
            }
            Clock::Hand(now) => *now.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }
}

#[cfg(test)]
impl Clock {
    /// A clock that stands still until it is advanced.
    pub(crate) fn by_hand() -> Self {
        Clock::Hand(Arc::new(Mutex::new(Instant::now())))
    }

    pub(crate) fn advance(&self, time: Duration) {
        let Clock::Hand(now) = self else { panic!("not a clock that goes by hand") };
        *now.lock().unwrap_or_else(PoisonError::into_inner) += time;
    }

    /// A turn of so long by this clock.
    pub(crate) fn turn(&self, time: Duration) -> Turn {
        Turn { deadline: Some(self.now() + time), clock: self.clone(), ..Turn::default() }
    }
}

#[derive(Debug, Default)]
struct Shared {
    stop: AtomicBool,
    in_hand: Mutex<Option<String>>,
}

impl Turn {
    /// A turn that ends at a moment.
    pub fn until(deadline: Instant) -> Self {
        Turn { deadline: Some(deadline), ..Turn::default() }
    }

    /// A turn that ends so long from now; without end if no clock reaches so far.
    pub fn of(time: Duration) -> Self {
        Turn { deadline: Instant::now().checked_add(time), ..Turn::default() }
    }

    /// A turn that ends after so much processor time of the calling thread, which has to be the one that thinks. What else the machine
    /// does then matters little, so players can be compared on a busy one. Where the system does not tell processor time, this is
    /// [`Turn::of`].
    pub fn of_processor_time(time: Duration) -> Self {
        let Some(began) = thread_time() else { return Turn::of(time) };
        let moment = Instant::now();
        let clock = Clock::Processor { moment, began };
        Turn { deadline: moment.checked_add(time), clock, ..Turn::default() }
    }

    /// A turn that ends when it is stopped, or when the player has done what its settings say.
    pub fn without_clock() -> Self {
        Turn::default()
    }

    /// When the time is over; nothing if there is no clock.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// The time left; nothing if there is no clock.
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(self.now()))
    }

    /// The time now, by the clock of the turn.
    pub(crate) fn now(&self) -> Instant {
        self.clock.now()
    }

    /// Tells the player to return at once.
    pub fn stop(&self) {
        self.shared.stop.store(true, Ordering::Relaxed);
    }

    /// Whether it was stopped or the time is over.
    pub fn is_over(&self) -> bool {
        self.shared.stop.load(Ordering::Relaxed)
            || self.deadline.is_some_and(|deadline| self.now() >= deadline)
    }

    /// Publishes the best move so far, which must be legal for the seat's role.
    pub fn offer(&self, seat: &Seat, made: Move) {
        let text = seat.move_text(made);
        *self.shared.in_hand.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
    }

    /// Publishes a legal move on behalf of a player that has offered none yet.
    pub fn offer_fallback(&self, text: &str) {
        let mut in_hand = self.shared.in_hand.lock().unwrap_or_else(PoisonError::into_inner);
        in_hand.get_or_insert_with(|| text.to_owned());
    }

    /// The best move so far, as KIF.
    pub fn in_hand(&self) -> Option<String> {
        self.shared.in_hand.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_the_same_turn() {
        let turn = Turn::without_clock();
        let copy = turn.clone();
        assert!(!copy.is_over() && copy.in_hand().is_none() && copy.time_left().is_none());
        turn.stop();
        assert!(copy.is_over());
    }

    #[test]
    fn processor_time_stands_still_while_the_thread_sleeps() {
        let turn = Turn::of_processor_time(Duration::from_millis(40));
        if thread_time().is_some() {
            std::thread::sleep(Duration::from_millis(60));
            assert!(!turn.is_over());
        }
        while !turn.is_over() {
            std::hint::spin_loop();
        }
        assert_eq!(turn.time_left(), Some(Duration::ZERO));
    }

    #[test]
    fn a_turn_ends_at_its_deadline() {
        assert!(Turn::of(Duration::ZERO).is_over());
        assert!(!Turn::of(Duration::from_secs(3600)).is_over());
        assert!(!Turn::of(Duration::MAX).is_over());
        assert!(Turn::until(Instant::now()).is_over());
    }
}
