//! How the engine `sliced` is made for a game.

use super::{InLane, Options, Path, Sliced, batch, lockstep};
use crate::batch::Batch;
use crate::compiled::Compiled;
use crate::engines::net::NetBackend;
use crate::engines::{Backend, EngineError};
use crate::lockstep::{LaneLayout, LaneOptions, Lockstep};
use crate::machine::{Machine, Move};
use crate::playout::Playouts;

/// The engine `sliced`.
pub struct SlicedBackend;

/// What it can do without; each way gives the same playouts.
const OPTIMISATIONS: [&str; 3] = ["avx512", "avx2", "machine-code"];

impl Backend for SlicedBackend {
    fn name(&self) -> &'static str {
        "sliced"
    }

    fn about(&self) -> &'static str {
        "Runs the network of the game, hundreds of playouts at a time"
    }

    fn optimisations(&self) -> &'static [&'static str] {
        &OPTIMISATIONS
    }

    fn machine(&self, game: &Compiled) -> Result<Box<dyn Machine>, EngineError> {
        Ok(Box::new(InLane::new(NetBackend.machine(game)?, game.batch()?)))
    }

    fn batch(&self, game: &Compiled) -> Result<Box<dyn Batch>, EngineError> {
        let roles = game.vocabulary()?.roles().clone();
        Ok(batch(&*game.network()?, roles, &options(game))?)
    }

    fn lockstep(
        &self,
        game: &Compiled,
        layout: LaneLayout,
        how: LaneOptions,
    ) -> Result<Box<dyn Lockstep>, EngineError> {
        Ok(lockstep(game.network()?, layout, how, &options(game))?)
    }

    fn playouts(&self, game: &Compiled) -> Result<Box<dyn Playouts>, EngineError> {
        let roles = game.vocabulary()?.roles().clone();
        Ok(Box::new(Sliced::new(&*game.network()?, roles, &options(game))?))
    }

    fn move_text(&self, game: &Compiled, made: Move) -> Result<String, EngineError> {
        Ok(game.vocabulary()?.move_text(made))
    }
}

/// How gates are run without some of what the processor can do.
fn options(game: &Compiled) -> Options {
    let [no_avx512, no_avx2, no_code] = OPTIMISATIONS.map(|name| game.is_without(name));
    let paths: &[Path] = match (no_avx512, no_avx2, no_code) {
        (false, false, false) => return Options::default(),
        (_, true, _) => &[],
        (true, _, false) => &[Path::Code256],
        (true, _, true) => &[Path::Interpreted256],
        (false, _, true) => &[Path::Interpreted512, Path::Interpreted256],
    };
    let path = paths.iter().copied().find(|path| path.is_available()).unwrap_or(Path::Portable);
    Options { path: Some(path), ..Options::default() }
}
