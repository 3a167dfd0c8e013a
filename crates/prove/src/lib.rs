//! Proofs about games of any size. The network of a game is a sequential circuit ([`circuit`]), so whether a bad state can be reached is
//! decided as hardware model checkers do it, without visiting the states.
//!
//! [`Subject`] is a game with a literal for each property; [`prove`] searches for proofs and refutations of [`Claim`]s: `playouts` at random
//! and `guided` ones,
//! `counters` by playing them through, `invariants` and `sums` by induction, a measure for `termination` (with `linear`), `pdr`, and `bounded` model checking, all on the solver in `sat`.
//! Every refutation is a line of moves that was played again. [`Certificate`]s hold the evidence in the game's own words, and [`check()`]
//! decides with its own clauses and another solver whether they are right. [`aiger()`] writes the circuit for other programs. Exploring states
//! is left to `explore`.
//!
//! ```
//! use std::sync::Arc;
//! use groundrules_prove::{Claim, Options, Subject, prove};
//!
//! let text = "(role you) (init (n 0)) (succ 0 1) (succ 1 2)
//!     (<= (legal you up) (true (n ?x)) (succ ?x ?y))
//!     (<= (next (n ?y)) (does you up) (true (n ?x)) (succ ?x ?y))
//!     (<= terminal (true (n 2)))
//!     (<= (goal you 100) (true (n 2)))
//!     (<= (goal you 0) (not (true (n 2))))";
//! let game = groundrules_gdl::read(text.as_bytes(), &groundrules_gdl::Options::default()).game.expect("a game");
//! let ground = groundrules_ground::ground(&game, &groundrules_ground::Options::default())?;
//! let subject = Subject::new(&game, Arc::new(ground))?;
//! let verdicts = prove(&subject, &Claim::PROPERTIES, &[], &Options::default());
//! assert!(verdicts.iter().all(|verdict| verdict.holds() == Some(true)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod aiger;
mod bounded;
mod certificate;
mod check;
pub mod circuit;
mod clock;
mod cofactor;
mod counters;
mod effects;
mod falling;
mod formula;
mod guided;
mod invariants;
mod known;
mod linear;
mod pdr;
mod playouts;
mod prover;
mod replay;
mod sat;
mod state;
mod step;
mod subject;
mod sums;
mod termination;
mod verdict;

pub use aiger::{TooLarge, aiger};
pub use certificate::{
    Certificate, CertificateError, Certified, Evidence, WrittenChange, WrittenEffect, WrittenMeasure,
    WrittenProof, WrittenSum,
};
pub use check::{Refusal, check};
pub use effects::{Changes, Effect};
pub use falling::Falling;
pub use formula::FormulaError;
pub use invariants::Invariant;
pub use linear::{Change, Ranking, Reasons};
pub use playouts::Line;
pub use prover::{Listener, Options, Searcher, prove};
pub use replay::{comes_again, leads_to};
pub use state::{Clause, StateLiteral};
pub use subject::{Memory, Subject, Win};
pub use sums::Sum;
pub use termination::{Direction, Measure};
pub use verdict::{Answer, Claim, Method, Proof, Verdict};
