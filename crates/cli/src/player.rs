//! The choice of players on the command line: a name, and optionally an engine after a colon.

use std::num::NonZeroUsize;
use std::str::FromStr;
use std::thread::available_parallelism;

use anyhow::{Result, bail};
use groundrules_host::Choice;
use groundrules_machine::engines::Engine;
use groundrules_search::parts::{Part, Parts};
use groundrules_search::players::{self, Kind};
use groundrules_search::{Player, Settings};

/// A player by name.
#[derive(Clone)]
pub(crate) struct Named {
    /// As it was written.
    pub(crate) text: String,
    kind: &'static Kind,
    /// The engine at its seat.
    pub(crate) engine: Engine,
    /// The parts of its search.
    parts: Parts,
}

impl FromStr for Named {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        if text.starts_with("http://") || text.starts_with("https://") {
            return Err(format!(
                "a remote player needs the protocol: `groundrules host GAME --player {text}` runs the match"
            ));
        }
        let (name, engine) = text.split_once(':').unwrap_or((text, Engine::Auto.name()));
        let (name, parts) = parts(name)?;
        let Some(kind) = players::find(name) else {
            let names: Vec<&str> = players::ALL.iter().map(|kind| kind.name).collect();
            return Err(format!("there is no player `{name}` (there are: {})", names.join(", ")));
        };
        let Some(&engine) = Engine::ALL.iter().find(|known| known.name() == engine) else {
            let names: Vec<&str> = Engine::ALL.iter().map(|engine| engine.name()).collect();
            return Err(format!("there is no engine `{engine}` (there are: {})", names.join(", ")));
        };
        Ok(Named { text: text.to_owned(), kind, engine, parts })
    }
}

/// A player's name, and its parts without those that stand behind slashes.
fn parts(text: &str) -> std::result::Result<(&str, Parts), String> {
    let mut words = text.split('/');
    let name = words.next().unwrap_or_default();
    let without = |parts: Parts, word| match Part::ALL.iter().find(|part| part.name() == word) {
        Some(&part) => Ok(parts.without(part)),
        None if word == "all" => Ok(Parts::NONE),
        None => {
            let names: Vec<&str> = Part::ALL.iter().map(|part| part.name()).collect();
            Err(format!("the search has no part `{word}` (it has: {}, or all)", names.join(", ")))
        }
    };
    Ok((name, words.try_fold(Parts::ALL, without)?))
}

impl Named {
    /// The player with its settings, for a match by the protocol.
    pub(crate) fn choice(&self, settings: &Settings) -> Choice {
        Choice { kind: self.kind, settings: self.settings(settings) }
    }

    fn settings(&self, settings: &Settings) -> Settings {
        Settings { engine: self.engine, parts: self.parts, ..settings.clone() }
    }

    /// Makes the player.
    pub(crate) fn player(&self, settings: &Settings) -> Box<dyn Player> {
        self.kind.player(&self.settings(settings))
    }
}

/// What `--threads` stands for: 0 is all processors.
pub(crate) fn threads(given: usize) -> Result<NonZeroUsize> {
    let all = || available_parallelism().unwrap_or(NonZeroUsize::MIN);
    match NonZeroUsize::new(given).unwrap_or_else(all) {
        // More threads than any computer has would only take its memory.
        threads if threads.get() > 4096 => bail!("--threads {threads} is too many: at most 4096"),
        threads => Ok(threads),
    }
}

/// How players think, the same for every command in which they play.
#[derive(clap::Args)]
pub(crate) struct Thinking {
    /// How many seconds a player thinks about each move.
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0)]
    pub(crate) seconds: f64,
    /// Run this many simulations per move instead of thinking for a time; with one thread, the same ones every time.
    #[arg(long, value_name = "N", conflicts_with = "seconds")]
    simulations: Option<u64>,
    /// How many threads a player thinks with; 0 means all processors.
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// How many megabytes a player's search tree may have.
    #[arg(long, value_name = "MB", default_value_t = 1024)]
    memory: usize,
    /// The seed of random choices.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub(crate) seed: u64,
}

impl Thinking {
    /// The settings of a player.
    pub(crate) fn settings(&self) -> Result<Settings> {
        let threads = threads(self.threads)?;
        let memory = self.memory.saturating_mul(1 << 20);
        Ok(Settings {
            threads,
            memory,
            seed: self.seed,
            simulations: self.simulations,
            ..Settings::default()
        })
    }

    /// The time for a move; nothing if simulations are counted.
    pub(crate) fn time(&self) -> Result<Option<std::time::Duration>> {
        if self.simulations.is_some() {
            return Ok(None);
        }
        match std::time::Duration::try_from_secs_f64(self.seconds) {
            Ok(time) if !time.is_zero() => Ok(Some(time)),
            _ => bail!("--seconds {} is too short: it must be greater than 0", self.seconds),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_may_have_engines() {
        let named = |text: &str| text.parse::<Named>().map(|named| named.engine);
        assert_eq!(named("mcts"), Ok(Engine::Auto));
        assert_eq!(named("mcts:tree"), Ok(Engine::Tree));
        assert_eq!(named("mcts/heuristic:net"), Ok(Engine::Net));
        assert!(
            named("mcts/everything").is_err_and(|error| error.contains("look-ahead, pooling, heuristic"))
        );
        assert!(named("nobody").is_err_and(|error| error.contains("legal, random, greedy, mcts")));
        assert!(named("http://localhost:9147").is_err_and(|error| error.contains("groundrules host")));
        assert!(named("mcts:steam").is_err_and(|error| error.contains("auto, tree, net, sliced")));
    }
}
