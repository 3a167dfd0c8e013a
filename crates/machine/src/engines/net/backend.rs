//! How the engine `net` is made for a game.

use super::NetMachine;
use crate::compiled::Compiled;
use crate::engines::{Backend, EngineError};
use crate::machine::{Machine, Move};
use crate::playout::{ByMachine, Playouts};

/// The engine `net`.
pub struct NetBackend;

impl Backend for NetBackend {
    fn name(&self) -> &'static str {
        "net"
    }

    fn about(&self) -> &'static str {
        "Runs the network of the game, one state at a time"
    }

    fn machine(&self, game: &Compiled) -> Result<Box<dyn Machine>, EngineError> {
        Ok(Box::new(NetMachine::of(game)?))
    }

    fn playouts(&self, game: &Compiled) -> Result<Box<dyn Playouts>, EngineError> {
        Ok(Box::new(ByMachine::of(NetMachine::of(game)?, |machine| Box::new(machine.another()))))
    }

    fn move_text(&self, game: &Compiled, made: Move) -> Result<String, EngineError> {
        Ok(game.vocabulary()?.move_text(made))
    }
}
