//! The studio's engine for browsers: a [`Session`](groundrules_studio::Session) of the crate `studio` that a web worker holds. Questions and answers are texts in
//! JSON, so nothing here knows what they are about.

use wasm_bindgen::prelude::wasm_bindgen;

/// A session with one description, in the worker that made it.
#[wasm_bindgen]
#[derive(Default)]
pub struct Engine {
    session: groundrules_studio::Session,
}

#[wasm_bindgen]
impl Engine {
    /// A session without a description.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Engine {
        Engine::default()
    }

    /// Answers a question.
    pub fn ask(&mut self, question: &str) -> String {
        self.session.ask(question)
    }
}
