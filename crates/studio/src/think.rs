//! A player thinks about a move, in slices: each slice is a short turn in the same state, and the search tree stays.

use std::time::Duration;

use groundrules_gdl::time::Instant;
use groundrules_machine::engines::Engine;
use groundrules_search::players::{self, Mcts, Thoughts};
use groundrules_search::{Player, Seat, Settings, Turn};
use serde_json::{Value, json};

use crate::limits::TREE_BYTES;
use crate::session::{Answer, sentence};
use crate::table::Table;

/// Somebody thinks.
pub(crate) struct Thinking {
    seat: Seat,
    player: Thinker,
    time: Duration,
    simulations: u64,
    states: u64,
    solver_states: u64,
}

/// A search that can be watched, or any other player.
enum Thinker {
    Search(Box<Mcts>),
    Other(Box<dyn Player>),
}

impl Thinking {
    /// A player takes a role's seat in the table's state.
    pub(crate) fn new(table: &mut Table, role: usize, player: &str, seed: u64) -> Result<Self, String> {
        let mut seat = Seat::with_engine(&table.compiled, role, Engine::Auto).map_err(sentence)?;
        for moves in table.moves() {
            let texts: Vec<&str> = moves.iter().map(String::as_str).collect();
            seat.advance_texts(&texts).map_err(sentence)?;
        }
        let settings = Settings { memory: TREE_BYTES, seed, ..Settings::default() };
        let player = match player {
            "mcts" => Thinker::Search(Box::new(Mcts::new(&settings))),
            other => {
                let kind = players::find(other).ok_or_else(|| format!("there is no player `{other}`"))?;
                Thinker::Other(kind.player(&settings))
            }
        };
        Ok(Thinking { seat, player, time: Duration::ZERO, simulations: 0, states: 0, solver_states: 0 })
    }

    /// Thinks on for some milliseconds.
    pub(crate) fn slice(&mut self, millis: u64) -> Answer {
        let turn = Turn::of(Duration::from_millis(millis));
        let began = Instant::now();
        let chosen = match &mut self.player {
            Thinker::Search(search) => search.choose(&mut self.seat, &turn),
            Thinker::Other(player) => player.choose(&mut self.seat, &turn),
        };
        let chosen = self.seat.move_text(chosen.map_err(sentence)?);
        self.time += began.elapsed();
        let thoughts = match &self.player {
            Thinker::Search(search) => search.thoughts(&self.seat),
            Thinker::Other(_) => None,
        };
        let thoughts = thoughts.map(|thoughts| {
            self.simulations += thoughts.simulations;
            self.states += thoughts.states;
            self.solver_states += thoughts.solver_states;
            self.thoughts(&thoughts)
        });
        Ok(json!({ "move": chosen, "seconds": self.time.as_secs_f64(), "thoughts": thoughts }))
    }

    fn thoughts(&self, thoughts: &Thoughts) -> Value {
        // What is proved is better than what visits say.
        let within = |value: f64, (lower, upper): (f64, f64)| value.max(lower).min(upper);
        let moves = thoughts.moves.iter().map(|thought| {
            let value = within(thought.value, thought.proved);
            json!({ "move": thought.made, "visits": thought.visits, "value": value, "proved": thought.proved })
        });
        let (lower, upper) = thoughts.proved;
        // A value that is known stays as it is, so that there is nothing left to think about.
        let known = lower == upper || lower == 100.0;
        json!({
            "simulations": self.simulations,
            "states": self.states,
            "solverStates": self.solver_states,
            "rate": self.simulations as f64 / self.time.as_secs_f64().max(1e-9),
            "nodes": thoughts.nodes,
            "value": within(thoughts.value, thoughts.proved),
            "proved": thoughts.proved,
            "known": known,
            "plies": if lower > 0.0 { Some(thoughts.plies) } else { None },
            "found": thoughts.found.map(|found| json!({ "goal": found.goal, "moves": found.moves, "best": found.is_best })),
            "moves": moves.collect::<Vec<_>>(),
            "line": thoughts.line.iter().map(|(role, made)| json!([role, made])).collect::<Vec<_>>(),
        })
    }
}
