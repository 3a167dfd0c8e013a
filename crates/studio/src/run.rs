//! Random playouts in slices. The engine's blocks are what is counted for speed and goals; lengths are a histogram of playouts that a
//! machine plays one at a time beside them, because blocks only keep sums.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use groundrules_gdl::time::Instant;
use groundrules_machine::playout::{Choices, Playouts, Setting, playout};
use groundrules_machine::{Machine, Move, Tally};
use serde_json::{Value, json};

use crate::session::{Answer, sentence};
use crate::table::Table;

/// Playouts under way.
pub(crate) struct Running {
    playouts: Box<dyn Playouts>,
    machine: Box<dyn Machine>,
    seed: u64,
    max_steps: u64,
    block: u64,
    tally: Tally,
    time: Duration,
    lengths: BTreeMap<u64, u64>,
    sampled: Tally,
    joint: Vec<Move>,
}

/// The share of a slice in which lengths are sampled.
const SAMPLED: u32 = 10;

impl Running {
    pub(crate) fn new(table: &Table, seed: u64, max_steps: u64) -> Result<Self, String> {
        let playouts = table.compiled.playouts().map_err(sentence)?;
        let roles = table.roles();
        Ok(Running {
            playouts,
            machine: table.machine.fork(),
            seed,
            max_steps: max_steps.max(1),
            block: 0,
            tally: Tally::new(roles),
            time: Duration::ZERO,
            lengths: BTreeMap::new(),
            sampled: Tally::new(roles),
            joint: Vec::new(),
        })
    }

    /// Goes on for some milliseconds.
    pub(crate) fn slice(&mut self, millis: u64) -> Answer {
        let stop = AtomicBool::new(false);
        let setting = Setting { seed: self.seed, max_steps: self.max_steps, stop: &stop };
        let time = Duration::from_millis(millis);
        let began = Instant::now();
        while began.elapsed() < time {
            let count = self.playouts.block_size();
            self.playouts.play(self.block, count, &setting, &mut self.tally).map_err(sentence)?;
            self.block += 1;
        }
        self.time += began.elapsed();
        self.sample(&setting, time / SAMPLED)?;
        Ok(self.report())
    }

    fn sample(&mut self, setting: &Setting<'_>, time: Duration) -> Result<(), String> {
        let began = Instant::now();
        while began.elapsed() < time {
            let mut choices = Choices::new(self.seed ^ 0x5eed, self.sampled.playouts);
            let before = self.sampled.states;
            playout(&mut *self.machine, &mut choices, setting, &mut self.joint, &mut self.sampled)
                .map_err(sentence)?;
            *self.lengths.entry(self.sampled.states - before).or_default() += 1;
        }
        Ok(())
    }

    fn report(&self) -> Value {
        let Running { tally, sampled, .. } = self;
        let goals = tally.goals.iter().map(|goals| {
            let moments = goals.moments();
            json!({
                "histogram": goals.histogram.iter().map(|(value, times)| json!([value, times])).collect::<Vec<_>>(),
                "mean": moments.mean(), "error": moments.standard_error(), "none": goals.none, "several": goals.several,
            })
        });
        json!({
            "playouts": tally.playouts,
            "states": tally.states,
            "seconds": self.time.as_secs_f64(),
            "rate": tally.states as f64 / self.time.as_secs_f64().max(1e-9),
            "length": tally.lengths.mean(),
            "branching": sampled.branching.value().or(tally.branching.value()),
            "unfinished": tally.unfinished,
            "unplayable": tally.unplayable,
            "goals": goals.collect::<Vec<_>>(),
            "lengths": self.lengths.iter().map(|(length, times)| json!([length, times])).collect::<Vec<_>>(),
            "sampled": sampled.playouts,
        })
    }
}
