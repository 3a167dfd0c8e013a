//! Room for connections. There is a limit, and it must not be a way to keep others out: beyond it, the connection that has
//! waited longest without a request, or is only being closed, is dropped. Those that wait for an answer never are.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::task::AbortHandle;

/// The connections that may be dropped, the oldest first.
pub(super) struct Crowd {
    most: usize,
    inside: Arc<Mutex<Inside>>,
}

#[derive(Default)]
struct Inside {
    next: u64,
    /// All of them; those that must not be dropped have no handle.
    places: BTreeMap<u64, Option<AbortHandle>>,
}

/// One connection's place; given back when it is dropped.
pub(super) struct Place {
    number: u64,
    inside: Arc<Mutex<Inside>>,
}

fn lock(inside: &Mutex<Inside>) -> MutexGuard<'_, Inside> {
    inside.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Crowd {
    pub(super) fn new(most: usize) -> Self {
        Crowd { most: most.max(1), inside: Arc::default() }
    }

    /// Starts the work on a connection, and drops another where there are too many.
    pub(super) fn admit<F: Future<Output = ()> + Send + 'static>(&self, work: impl FnOnce(Place) -> F) {
        let mut inside = lock(&self.inside);
        let number = inside.next;
        inside.next += 1;
        let place = Place { number, inside: self.inside.clone() };
        // The lock is held until the handle is kept, so the work cannot give its place back before.
        let task = tokio::spawn(work(place));
        inside.places.insert(number, Some(task.abort_handle()));
        let victim = match inside.places.len() > self.most {
            true => inside.places.iter().find_map(|(&number, handle)| Some((number, handle.clone()?))),
            false => None,
        };
        drop(inside);
        if let Some((_, handle)) = victim {
            handle.abort();
        }
    }
}

impl Place {
    /// Until the guard is dropped, the connection is kept whatever happens.
    pub(super) fn keep(&self) -> Kept<'_> {
        let handle = lock(&self.inside).places.get_mut(&self.number).and_then(Option::take);
        Kept { place: self, handle }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        lock(&self.inside).places.remove(&self.number);
    }
}

/// A connection that is not dropped.
pub(super) struct Kept<'a> {
    place: &'a Place,
    handle: Option<AbortHandle>,
}

impl Drop for Kept<'_> {
    fn drop(&mut self) {
        if let Some(place) = lock(&self.place.inside).places.get_mut(&self.place.number) {
            *place = self.handle.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn the_oldest_that_may_go_has_to() {
        let crowd = Crowd::new(2);
        let mut ends = Vec::new();
        for number in 0..3 {
            let (sender, receiver) = oneshot::channel::<()>();
            ends.push(receiver);
            let (inside, is_inside) = oneshot::channel::<()>();
            crowd.admit(|place| async move {
                let kept = (number == 0).then(|| place.keep());
                drop(inside);
                std::future::pending::<()>().await;
                drop((kept, sender));
            });
            let _ = is_inside.await;
        }
        let last = ends.pop();
        let second = ends.pop().expect("a connection");
        assert!(second.await.is_err(), "dropped");
        assert!(
            ends.pop()
                .expect("a connection")
                .try_recv()
                .is_err_and(|error| error == oneshot::error::TryRecvError::Empty)
        );
        assert!(last.is_some_and(|mut last| last.try_recv() == Err(oneshot::error::TryRecvError::Empty)));
    }
}
