//! The studio's questions and answers. A page asks by messages; a [`Session`] answers, in a web worker of a browser (the crate `web`) or
//! in a program beside it (the command `studio`). Both give the same answers, because both are this.
//!
//! A question is a JSON object: `id`, which the answer repeats, `do`, what is asked, and what it needs. The answer is an object with
//! `id` and either `answer` or `error`, a sentence. [`request`] lists the questions. Positions in texts are counted in UTF-16 code
//! units, as browsers count them.
//!
//! Long tasks go in slices: `run` and `think` work for so many milliseconds and tell what is known so far. Whoever asks decides whether to
//! go on, so a task can be watched and stopped, in a worker without threads as well. `verify` and `prove` are answered when they are done, and tell a
//! [`Listener`] meanwhile how far they are. Everything that a description can make large
//! has a limit (`limits`).
//!
//! ```
//! let mut session = groundrules_studio::Session::default();
//! let answer = session.ask(r#"{"id": 1, "do": "open", "text": "(role you)"}"#);
//! assert!(answer.contains("\"verdict\":\"not-gdl\""), "{answer}");
//! ```

mod clicks;
mod dependencies;
mod editor;
mod inspect;
mod limits;
mod offsets;
mod progress;
mod recorded;
pub mod request;
mod run;
mod session;
mod table;
mod think;
mod verify;
mod why;

pub use progress::Listener;
pub use session::Session;
