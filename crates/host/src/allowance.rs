//! The resources of one match. Rules are untrusted and may need more work than there is time and memory: a seat made here interprets them
//! within limits at once, and builds a faster engine in the background, within limits too.

use std::sync::Arc;
use std::time::Duration;

use groundrules_gdl::{Game, Limits, Options, read};
use groundrules_machine::compiled::Shelf;
use groundrules_machine::engines::auto::Budget;
use groundrules_machine::engines::tree::TreeOptions;
use groundrules_machine::engines::{Engine, EngineError};
use groundrules_machine::{Compiled, compiled};
use groundrules_search::players::Kind;
use groundrules_search::{Equipment, Player, SearchError, Seat, Settings};
use tokio::sync::Semaphore;

/// A player by its name, and how it plays.
#[derive(Clone)]
pub struct Choice {
    /// The player.
    pub kind: &'static Kind,
    /// How it plays; the memory is that of its search.
    pub settings: Settings,
}

impl Choice {
    /// The player with a name.
    pub fn named(name: &str, settings: Settings) -> Option<Choice> {
        groundrules_search::players::find(name).map(|kind| Choice { kind, settings })
    }
}

impl Choice {
    /// The same player with random choices that are a match's own, by what is different about it.
    #[must_use]
    pub(crate) fn in_match(&self, mark: &str) -> Choice {
        let mixed = mark.bytes().fold(self.settings.seed, |seed, byte| {
            (seed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3).rotate_left(17)
        });
        Choice { kind: self.kind, settings: Settings { seed: mixed, ..self.settings.clone() } }
    }
}

/// What one match may use.
#[derive(Clone, Debug)]
pub struct Allowance {
    /// The bytes, about, of the engine that interprets the rules, and again of the one that is built.
    pub memory: usize,
    /// How long, about, one question to the rules may take.
    pub question: Duration,
    /// Places for those that build something faster, which may go on after their match has ended. Who finds none goes on
    /// interpreting.
    pub builders: Arc<Semaphore>,
    /// Where games are kept that were set up before, if they are.
    pub shelf: Option<Arc<dyn Shelf>>,
}

impl Default for Allowance {
    fn default() -> Self {
        Allowance {
            memory: 1 << 30,
            question: Duration::from_secs(60),
            builders: Arc::new(Semaphore::new(Semaphore::MAX_PERMITS)),
            shelf: None,
        }
    }
}

/// About how many steps the interpreter takes in a second.
const STEPS_PER_SECOND: u64 = 100_000_000;

/// Why a player cannot sit down to a match.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SitError {
    /// The rules are not GDL.
    #[error("the rules are not GDL: {0}")]
    NotGdl(String),
    /// The role is not one of the game's.
    #[error("`{0}` is not a role of the game")]
    NoRole(String),
    /// The game cannot be played.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// No engine can be made.
    #[error("the game cannot be set up: {0}")]
    Engine(#[from] EngineError),
}

/// Reads rules, forgiving what does no harm.
pub(crate) fn read_rules(rules: &[u8]) -> Result<Game, SitError> {
    let limits = Limits { diagnostics_per_code: 1, ..Limits::default() };
    let checked = read(rules, &Options { limits, lenient: true, ..Options::default() });
    checked.game.ok_or_else(|| SitError::NotGdl(checked.reason.unwrap_or_default()))
}

impl Allowance {
    /// A seat for a role, and the player that sits there.
    pub(crate) fn seat(
        &self,
        game: Game,
        role: &str,
        choice: &Choice,
    ) -> Result<(Seat, Box<dyn Player>), SitError> {
        let compiled = Compiled::with(game, self.settings(choice.settings.engine));
        let is_timed = choice.settings.simulations.is_none();
        let started = match choice.settings.engine {
            Engine::Auto if is_timed => match self.builders.clone().try_acquire_owned() {
                Ok(permit) => compiled.start(Equipment::new, permit)?,
                // Those who build have taken all places: the rules are interpreted.
                Err(_) => compiled.on(Engine::Tree).ready(Equipment::new)?,
            },
            _ => compiled.ready(Equipment::new)?,
        };
        let number = started.now.roles().find(role).ok_or_else(|| SitError::NoRole(role.to_owned()))?;
        Ok((Seat::started(started, number)?, choice.kind.player(&choice.settings)))
    }

    /// The game on the interpreter, with a quarter of the memory.
    pub(crate) fn interpreted(&self, game: Game) -> Compiled {
        let quarter = Allowance { memory: self.memory / 4, ..self.clone() };
        Compiled::with(game, quarter.settings(Engine::Tree))
    }

    /// How rules are compiled within what one match may use.
    fn settings(&self, engine: Engine) -> compiled::Settings {
        compiled::Settings {
            engine,
            tree: self.tree(),
            budget: self.budget(),
            shelf: self.shelf.clone(),
            ..compiled::Settings::default()
        }
    }

    fn tree(&self) -> TreeOptions {
        let defaults = TreeOptions::default();
        let steps = STEPS_PER_SECOND.saturating_mul(self.question.as_secs().max(1));
        TreeOptions {
            steps: defaults.steps.min(steps),
            bytes: defaults.bytes.min(self.memory),
            ..TreeOptions::default()
        }
    }

    fn budget(&self) -> Budget {
        let defaults = Budget::default();
        // A rule takes some hundred bytes on its way into the network.
        let rules = self.memory / 400;
        Budget {
            rules: defaults.rules.min(rules),
            bytes: defaults.bytes.min(self.memory),
            ..Budget::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use groundrules_machine::MachineError;

    use super::*;

    #[test]
    fn rules_that_explode_stop_at_their_share() {
        let numbers: String = (0..40).map(|number| format!("(d {number}) ")).collect();
        let rules = format!(
            "(role you) (init (n 0)) {numbers} (<= (next (n 0)) (true (n 0))) (<= terminal (true (n 1))) (goal you 0)
             (<= (legal you (go ?a ?b ?c ?e ?f ?g)) (d ?a) (d ?b) (d ?c) (d ?e) (d ?f) (d ?g) (true (n 0)))"
        );
        let game = read_rules(rules.as_bytes()).expect("a game");
        let allowance = Allowance { memory: 20 << 20, ..Allowance::default() };
        let choice = Choice::named("legal", Settings::default()).expect("a player");
        let (mut seat, _) = allowance.seat(game, "YOU", &choice).expect("a seat");
        let legal = seat.legal().map(|moves| moves.len());
        assert!(matches!(legal, Err(SearchError::Machine(MachineError::TooMuchMemory { .. }))), "{legal:?}");
    }
}
