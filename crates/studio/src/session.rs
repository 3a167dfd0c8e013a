//! A session: one description, what was made of it, and the tasks under way. It takes questions apart and sends them to the files
//! that answer them.

use groundrules_gdl::time::Cancel;
use serde_json::{Value, json};

use crate::editor::Editor;
use crate::progress::{Listener, Progress};
use crate::request::{Envelope, Request};
use crate::run::Running;
use crate::table::Table;
use crate::think::Thinking;
use crate::{dependencies, inspect, limits, recorded, verify, why};

/// A session with one description at a time. See the [crate].
#[derive(Default)]
pub struct Session {
    editor: Option<Editor>,
    table: Option<Table>,
    running: Option<Running>,
    thinking: Option<Thinking>,
    cancel: Cancel,
    listener: Listener,
}

/// An answer, or a sentence that says why there is none.
pub(crate) type Answer = Result<Value, String>;

/// An error as a sentence.
pub(crate) fn sentence(error: impl std::fmt::Display) -> String {
    error.to_string()
}

impl Session {
    /// A session without a description, where a flag cancels compiling, exploring and proving, and a listener is told how far
    /// long tasks are.
    pub fn new(cancel: Cancel, listener: Listener) -> Self {
        Session { cancel, listener, ..Session::default() }
    }

    /// Answers a question; see [`request`](crate::request).
    pub fn ask(&mut self, question: &str) -> String {
        let (id, answer) = match serde_json::from_str::<Envelope>(question) {
            Ok(Envelope { id, request }) => (id, self.answer(id, request)),
            Err(error) => (0, Err(format!("this is no question: {error}"))),
        };
        match answer {
            Ok(answer) => json!({ "id": id, "answer": answer }),
            Err(error) => json!({ "id": id, "error": error }),
        }
        .to_string()
    }

    fn answer(&mut self, id: u64, request: Request) -> Answer {
        match request {
            Request::Open { text } => self.open(text),
            Request::Hover { at } => Ok(self.editor()?.hover(at)),
            Request::Names { at } => Ok(self.editor()?.names(at)),
            Request::Complete { at } => Ok(self.editor()?.complete(at)),
            Request::Rename { at, name } => self.editor()?.rename(at, name.as_deref()),
            Request::Format => Ok(self.editor()?.format()),
            Request::Explain { code } => Editor::explain(&code),
            Request::Compile => self.compile(),
            Request::State => self.table()?.state(),
            Request::Advance { moves, seed } => self.changed()?.advance(&moves, seed),
            Request::Go { step } => self.changed()?.go(step),
            Request::Replay { moves } => self.changed()?.replay(&moves),
            Request::Click { role, cells } => self.table()?.click(role, &cells),
            Request::Run { seed, max_steps } => {
                self.running = Some(Running::new(self.table()?, seed, max_steps)?);
                Ok(Value::Null)
            }
            Request::RunSlice { millis } => {
                let running = self.running.as_mut().ok_or("no playouts are under way")?;
                running.slice(millis.min(limits::LONGEST_SLICE))
            }
            Request::Think { role, player, seed } => {
                self.thinking = Some(Thinking::new(self.table()?, role, &player, seed)?);
                Ok(Value::Null)
            }
            Request::ThinkSlice { millis } => {
                let thinking = self.thinking.as_mut().ok_or("nobody is thinking")?;
                thinking.slice(millis.min(limits::LONGEST_SLICE))
            }
            Request::Verify { states } => {
                let progress = Progress::new(id, &self.listener);
                verify::verify(self.table()?, states, progress)
            }
            Request::Prove { seconds } => {
                let (progress, cancel) = (Progress::new(id, &self.listener), self.cancel.clone());
                verify::prove(self.table()?, seconds, &cancel, progress)
            }
            Request::Why { atom } => why::why(self.table()?, &atom),
            Request::Ground { search } => inspect::ground(self.table()?, &search),
            Request::Atoms { search } => inspect::atoms(self.table()?, &search),
            Request::Network { atom, most } => inspect::network(self.table()?, atom.as_deref(), most),
            Request::Dependencies => dependencies::of(self.editor()?.reading()),
            Request::Recorded { text } => recorded::read(&text),
        }
    }

    fn open(&mut self, text: String) -> Answer {
        if text.len() > limits::MOST_TEXT {
            return Err(format!(
                "the description has {} bytes, and the studio takes {} at most",
                text.len(),
                limits::MOST_TEXT
            ));
        }
        // The table stays as it is until the next description is compiled: people go on looking at it while they type.
        let editor = self.editor.insert(Editor::new(text));
        Ok(editor.report())
    }

    fn compile(&mut self) -> Answer {
        let game = self.editor()?.game()?;
        (self.table, self.running, self.thinking) = (None, None, None);
        let table = self.table.insert(Table::new(game, &self.cancel)?);
        if let (Some(ground), Some(editor)) = (table.ground(), &mut self.editor) {
            editor.learn(table.compiled.game(), &ground);
        }
        table.report()
    }

    fn editor(&self) -> Result<&Editor, String> {
        self.editor.as_ref().ok_or_else(|| "no description is open".to_owned())
    }

    fn table(&mut self) -> Result<&mut Table, String> {
        self.table.as_mut().ok_or_else(|| "no description is compiled".to_owned())
    }

    /// The table for a question that changes the state: who thinks about the old one stops.
    fn changed(&mut self) -> Result<&mut Table, String> {
        self.thinking = None;
        self.table()
    }
}
