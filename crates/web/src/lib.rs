//! The studio's engine for browsers: a [`Session`] of the crate `studio` that a web worker holds. Questions and answers are texts in
//! JSON, so nothing here knows what they are about.

use groundrules_gdl::time::Cancel;
use groundrules_studio::{Listener, Session};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    /// Sends a message to the page; there is none outside a worker.
    #[wasm_bindgen(catch, js_namespace = self, js_name = postMessage)]
    fn post_message(text: &str) -> Result<(), JsValue>;
}

/// A session with one description, in the worker that made it.
#[wasm_bindgen]
#[derive(Default)]
pub struct Engine {
    session: Session,
}

#[wasm_bindgen]
impl Engine {
    /// A session without a description.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Engine {
        // Progress goes straight to the page, between a question and its answer.
        let listener = Listener::new(|text| drop(post_message(text)));
        Engine { session: Session::new(Cancel::new(), listener) }
    }

    /// Answers a question.
    pub fn ask(&mut self, question: &str) -> String {
        self.session.ask(question)
    }
}
