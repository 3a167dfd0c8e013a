//! Pictures of states: boards, hands, counters and whose turn it is, as text and as SVG from the same layout.
//!
//! A [`Layout`] is made once per game, from the ground fluents and the rules: which fluents are the cells of a grid (two
//! arguments that numbers, letters or a successor relation put in order), how far it extends, how it lies, whether its cells
//! are squares or hexagons, and what the contents are. It then lays out any state, so that a board never changes its
//! extent during a match. A description may help with hints in comments; `docs/boards.md` describes them.
//!
//! ```
//! use groundrules_board::{Layout, TextStyle};
//!
//! let rules = "(role x) (role o) (init (cell 1 1 b)) (init (cell 1 2 b)) (init (cell 2 1 b)) (init (cell 2 2 b))
//!     (<= (legal ?p (mark ?m ?n)) (role ?p) (true (cell ?m ?n b)))
//!     (<= (next (cell ?m ?n ?p)) (does ?p (mark ?m ?n)))
//!     (<= (next (cell ?m ?n ?c)) (true (cell ?m ?n ?c)) (distinct ?c b))
//!     (<= terminal (true (cell 1 1 x))) (goal x 50) (goal o 50)";
//! let game = groundrules_gdl::read(rules.as_bytes(), &groundrules_gdl::Options::default()).game.unwrap();
//! let layout = Layout::of_game(&game);
//! let picture = layout.picture(&["(cell 1 1 x)", "(cell 2 1 o)", "(cell 1 2 b)"], None);
//! assert!(picture.text(&TextStyle::default()).contains("1  x o"));
//! assert!(picture.svg().starts_with("<svg"));
//! ```
//!
//! Nothing here reads, prints or measures time. Moves and states stay texts in KIF, so that every engine can be drawn.

mod assemble;
mod axis;
mod hints;
mod layout;
mod nested;
mod picture;
mod piece;
mod rules;
mod shape;
mod svg;
mod table;
mod text;
mod words;

pub use hints::HintError;
pub use layout::{Board, Cell, CellId, Layout, Look, Placed, Side, Tiling};
pub use picture::{BoardState, Entry, Group, Last, Line, Part, Picture, Square, order};
pub use piece::{Chess, Colour, Piece, PieceShape};
pub use text::TextStyle;
pub use words::fluents_of;
