//! Games written in GDL, the Game Description Language of General Game Playing: read, checked, grounded, run, searched,
//! verified and played.
//!
//! A game is a text. This program loads one of the library, compiles it, and lets every role make its first legal move
//! until the match is over:
//!
//! ```
//! use groundrules::prelude::*;
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let game = load("tic-tac-toe")?.compile();
//!     let mut machine = game.machine()?;
//!     while !machine.is_terminal()? {
//!         let mut joint = Vec::new();
//!         for role in 0..machine.roles().len() {
//!             joint.push(machine.legal(role)?[0]);
//!         }
//!         machine.advance(&joint)?;
//!     }
//!     let roles = machine.roles().to_vec();
//!     for (role, name) in roles.iter().enumerate() {
//!         println!("{name}: {:?}", machine.goals(role)?);
//!     }
//!     # assert_eq!(machine.goals(0)?, [100]);
//!     Ok(())
//! }
//! ```
//!
//! # The crates
//!
//! Data flows one way. Each step is a crate and a module here, and knows only those before it:
//!
//! | module | takes | gives |
//! | --- | --- | --- |
//! | [`gdl`] | bytes | a checked [`Game`](gdl::Game), diagnostics, a verdict |
//! | [`ground`](mod@ground) | a game | a [`GroundGame`](ground::GroundGame): fluents, moves, rules without variables |
//! | [`board`] | a game | the [`Layout`](board::Layout) of its states: boards as text and SVG |
//! | [`net`] | a ground game | a [`Network`](net::Network) of gates |
//! | [`structure`] | a ground game | symmetries, subgames, turns, clocks, latches |
//! | [`machine`] | a game | the [`Compiled`] game, and what plays it: [`Machine`](machine::Machine), batches, playouts |
//! | [`puzzle`] | a network, a batch | solvers for one-player games, and the portfolio that runs them |
//! | [`search`] | a compiled game | [`Player`](search::Player)s that choose moves |
//! | [`prove`] | a ground game | proofs and refutations of properties, for any number of states |
//! | [`explore`] | a compiled game | verdicts on all reachable states, exact values, counts |
//! | [`host`] | players | the match protocol: servers, managers, tournaments |
//!
//! The [`Compiled`] game is what everything else takes: it grounds the rules, builds the network and chooses the engine, each
//! once and when it is first needed, and it can begin interpreted and go on compiled ([`Compiled::start`]).
//!
//! [`verification`] explores and proves side by side. Beside them, [`source`] finds descriptions, [`library`] holds those that are embedded, [`cache`] keeps
//! what was made of them, and [`prelude`] has what nearly every program imports. Nothing in this crate prints or exits.
//!
//! # Load
//!
//! [`load`] takes a path or the name of a game of the library; [`load_text`] takes the description itself.
//!
//! ```
//! use groundrules::prelude::*;
//!
//! let light = "(role you) (init off) (legal you push)
//!              (<= (next on) (true off) (does you push))
//!              (<= terminal (true on)) (<= (goal you 100) (true on))";
//! let loaded = load_text("light", light)?;
//! assert_eq!(loaded.verdict, Verdict::Propositional);
//! assert_eq!(load("connect-four")?.verdict, Verdict::Bounded);
//! # Ok::<(), LoadError>(())
//! ```
//!
//! # Check
//!
//! A faulty description is data: [`gdl::read`] always answers, with diagnostics that have a code, a place and help.
//!
//! ```
//! use groundrules::gdl::{Options, Verdict, read};
//!
//! let text = "(role you) (legal you wait) (<= (goal you ?n) (not (true (won you))))";
//! let checked = read(text.as_bytes(), &Options::default());
//! assert_eq!(checked.verdict, Verdict::NotGdl);
//! let codes: Vec<&str> = checked.diagnostics.iter().map(|diagnostic| diagnostic.code.id).collect();
//! assert!(codes.contains(&"G301"), "a variable in the head is not bound: {codes:?}");
//! ```
//!
//! # Play out
//!
//! Random playouts run over any number of threads; the same seed gives the same result on all of them.
//!
//! ```
//! use std::num::NonZeroUsize;
//! use std::ops::ControlFlow;
//!
//! use groundrules::machine::run::{Options, Until, run};
//! use groundrules::prelude::*;
//!
//! let game = load("tic-tac-toe")?.compile();
//! let playouts = game.playouts()?;
//! let threads = NonZeroUsize::new(2).expect("two");
//! let options = Options { until: Until::Playouts(10_000), seed: 1, threads, max_steps: 100, cancel: Cancel::new() };
//! let tally = run(&*playouts, &options, &mut |_| ControlFlow::Continue(()))?.tally;
//! let [cross, nought] = [0, 1].map(|role| tally.goals[role].moments().mean().expect("a mean"));
//! assert!(cross > nought, "whoever begins has an advantage");
//! println!("{cross:.1} to {nought:.1} with the engine {}", game.decision().engine.name());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Step
//!
//! A machine stands in one state. Moves and fluents have names in KIF, and a state can be saved and entered again.
//!
//! ```
//! use groundrules::prelude::*;
//!
//! let game = load("tic-tac-toe")?.compile();
//! let mut machine = game.on(Engine::Tree).machine()?;
//! let joint = machine.joint_of(&["(place 1 1)", "noop"])?;
//! machine.advance(&joint)?;
//! assert!(machine.fluents().contains(&"(cell 1 1 cross)".to_owned()));
//! assert_eq!(machine.legal(1)?.len(), 8);
//! machine.reset();
//! assert_eq!(machine.legal(0)?.len(), 9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Search
//!
//! A [`Player`](search::Player) chooses moves at a [`Seat`](search::Seat): one role's place in a match.
//!
//! ```
//! use groundrules::prelude::*;
//! use groundrules::search::players;
//!
//! let game = load("tic-tac-toe")?.compile();
//! let mut seat = Seat::at_once(&game, 0)?;
//! for joint in [["(place 1 1)", "noop"], ["noop", "(place 2 1)"], ["(place 1 2)", "noop"], ["noop", "(place 3 3)"]] {
//!     seat.advance_texts(&joint)?;
//! }
//! let settings = Settings { simulations: Some(1_000), ..Settings::default() };
//! let mut player = players::find("mcts").ok_or("no such player")?.player(&settings);
//! let best = player.choose(&mut seat, &Turn::without_clock())?;
//! assert_eq!(seat.move_text(best), "(place 1 3)", "three in a row");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Verify
//!
//! Exploring all reachable states gives a verdict on every property, with a shortest counterexample where one fails.
//!
//! ```
//! use groundrules::explore::{Options, Outcome, verify};
//! use groundrules::prelude::*;
//!
//! let game = load("tic-tac-toe")?.compile();
//! let verification = verify(&game, &Options::default())?;
//! assert_eq!(verification.explored.states(), 5478);
//! let fails: Vec<&str> = verification.verdicts.iter()
//!     .filter(|verdict| verdict.outcome == Outcome::Fails)
//!     .map(|verdict| verdict.property.name())
//!     .collect();
//! assert_eq!(fails, ["monotonicity", "strong winnability"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod cache;
pub mod library;
mod load;
mod memory;
pub mod prelude;
pub mod source;
pub mod verification;

pub use groundrules_board as board;
pub use groundrules_explore as explore;
pub use groundrules_gdl as gdl;
pub use groundrules_ground as ground;
pub use groundrules_host as host;
pub use groundrules_machine as machine;
pub use groundrules_net as net;
pub use groundrules_prove as prove;
pub use groundrules_puzzle as puzzle;
pub use groundrules_search as search;
pub use groundrules_structure as structure;

pub use groundrules_machine::Compiled;
pub use load::{Invalid, LoadError, Loaded, load, load_source, load_text};
pub use memory::available_memory;
pub use source::{Source, SourceError};
