//! The choice of an engine on the command line, the same for every command that plays.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use groundrules_gdl::Game;
use groundrules_machine::compiled::Settings;
use groundrules_machine::engines::{Engine, EngineError};
use groundrules_machine::{Compiled, Machine};
use indicatif::ProgressBar;

use crate::cache;

/// Which engine plays, and how.
#[derive(clap::Args)]
pub(crate) struct Choice {
    /// What evaluates the rules.
    #[arg(long, value_name = "ENGINE", default_value = Engine::default().name(), value_parser = engines())]
    pub(crate) engine: Engine,
    /// Turn off an optimisation of the engine, to measure its effect; may be given several times.
    #[arg(long, value_name = "OPTIMISATION")]
    pub(crate) without: Vec<String>,
}

fn engines() -> impl TypedValueParser<Value = Engine> {
    let values = Engine::ALL.iter().map(|engine| PossibleValue::new(engine.name()).help(engine.about()));
    PossibleValuesParser::new(values).try_map(|name| Engine::named(&name).ok_or("there is no such engine"))
}

impl Choice {
    /// Whether what was chosen exists.
    pub(crate) fn check(&self) -> Result<()> {
        let known = self.engine.optimisations();
        let Some(unknown) = self.without.iter().find(|name| !known.contains(&name.as_str())) else {
            return Ok(());
        };
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        bail!("`{unknown}` is not an optimisation of the engine {} (there are: {known})", self.engine.name())
    }

    /// The game for this engine. Nothing is built yet.
    pub(crate) fn compile(&self, game: Game) -> Result<Compiled> {
        self.check()?;
        let (engine, without) = (self.engine, self.without.clone());
        Ok(Compiled::with(game, Settings { engine, without, ..cache::settings() }))
    }
}

/// A machine for a match that a person follows. Nobody follows faster than the rules are interpreted, so unless an engine is named,
/// nothing is built.
pub(crate) fn at_once(compiled: &Compiled, engine: Engine) -> Result<Box<dyn Machine>, EngineError> {
    if engine != Engine::default() {
        return compiled.machine();
    }
    compiled.on(Engine::Tree).machine().or_else(|_| compiled.machine())
}

/// Builds something of a game, under a spinner.
pub(crate) fn set_up<T>(make: impl FnOnce() -> Result<T, EngineError>) -> Result<T> {
    let spinner = ProgressBar::new_spinner().with_message("setting up");
    spinner.enable_steady_tick(Duration::from_millis(200));
    let made = make();
    spinner.finish_and_clear();
    made.context("the game cannot be set up")
}
