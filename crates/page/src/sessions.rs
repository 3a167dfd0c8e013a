//! A connection of the page: a session of the crate `studio` on a thread of its own. Questions are answered in order. When the page
//! goes, what is under way is cancelled.

use std::sync::Arc;
use std::sync::mpsc;
use std::thread;

use axum::extract::ws::{Message, WebSocket};
use groundrules_gdl::time::Cancel;
use groundrules_studio::{Listener, Session};
use tokio::sync::{OwnedSemaphorePermit, mpsc as answers};

/// The most bytes of a question, and the most questions that wait.
pub(crate) const MOST_BYTES: usize = 70 << 20;
const MOST_WAITING: usize = 256;

/// The stack of the thread: terms nest deep.
const STACK: usize = 64 << 20;

/// Answers the questions of a connection until it ends. The permit is one of few.
pub(crate) async fn serve(mut socket: WebSocket, permit: OwnedSemaphorePermit) {
    let cancel = Cancel::new();
    let (questions, asked) = mpsc::sync_channel::<String>(MOST_WAITING);
    let (answered, mut answers) = answers::channel::<String>(MOST_WAITING);
    let permit = Arc::new(permit);
    let (flag, held) = (cancel.clone(), Arc::clone(&permit));
    let work = move || {
        let _held = held;
        let told = answered.clone();
        // A page that does not keep up misses some progress, and no answer.
        let listener = Listener::new(move |text| drop(told.try_send(text.to_owned())));
        let mut session = Session::new(flag, listener);
        for question in asked {
            if answered.blocking_send(session.ask(&question)).is_err() {
                break;
            }
        }
    };
    if thread::Builder::new().name("studio".to_owned()).stack_size(STACK).spawn(work).is_err() {
        return;
    }
    loop {
        tokio::select! {
            received = socket.recv() => match received {
                Some(Ok(Message::Text(text))) => {
                    if questions.try_send(text.as_str().to_owned()).is_err() {
                        tracing::warn!("a page asks faster than it is answered: the connection ends");
                        break;
                    }
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => break,
                Some(Ok(_)) => {}
            },
            answer = answers.recv() => match answer {
                Some(answer) => {
                    if socket.send(Message::Text(answer.into())).await.is_err() {
                        break;
                    }
                }
                // The session's thread died; the page is told by the end of the connection.
                None => break,
            },
        }
    }
    cancel.cancel();
}
