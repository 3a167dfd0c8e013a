//! What names say of pieces: blanks, colours, ranks.

use std::collections::BTreeSet;

use super::{Chess, Colour, Content, PieceShape};
use crate::words::name_parts;

/// What a hint or the game itself says about names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Looks {
    /// The roles, folded.
    pub(crate) roles: Vec<String>,
    /// How many cells the board has.
    pub(crate) cells: usize,
    /// Contents that are blank, by a hint.
    pub(crate) blank: BTreeSet<String>,
    /// Contents that a hint draws: the shape and the colour.
    pub(crate) drawn: Vec<(String, PieceShape, Option<Colour>)>,
}

/// The colour that a word is.
pub(crate) fn colour_named(word: &str) -> Option<Colour> {
    Some(match word {
        "white" | "light" => Colour::White,
        "black" | "dark" => Colour::Black,
        "red" | "crimson" => Colour::Red,
        "blue" => Colour::Blue,
        "green" => Colour::Green,
        "yellow" | "gold" => Colour::Yellow,
        "orange" => Colour::Orange,
        "purple" | "violet" => Colour::Purple,
        "teal" | "cyan" | "turquoise" => Colour::Teal,
        "magenta" | "pink" => Colour::Magenta,
        "brown" => Colour::Brown,
        "gray" | "grey" | "silver" => Colour::Gray,
        _ => return None,
    })
}

/// Colours for what has none, in turn.
const PALETTE: [Colour; 8] = [
    Colour::Blue,
    Colour::Red,
    Colour::Green,
    Colour::Orange,
    Colour::Purple,
    Colour::Teal,
    Colour::Magenta,
    Colour::Brown,
];

/// The contents that mean that nothing is there.
pub(super) fn blanks(contents: &[Content], looks: &Looks) -> BTreeSet<String> {
    let sure = [
        "blank", "empty", "none", "nothing", "nil", "free", "vacant", "open", "null", "clear", "gap", "_",
        "-", ".",
    ];
    let mut blanks: BTreeSet<String> = contents
        .iter()
        .filter(|content| looks.blank.contains(&content.key) || sure.contains(&content.key.as_str()))
        .map(|content| content.key.clone())
        .collect();
    if blanks.is_empty() {
        // A single letter is blank if most cells have it at first; `o` beside `x` is a nought.
        let has = |key: &str| contents.iter().any(|content| content.key == key);
        let is_other = |content: &Content| content.key == "b" || content.key.len() > 1;
        let is_digit = |content: &Content| content.key == "b" || content.key.parse::<u32>().is_ok();
        let is_sure = contents.len() > 1 && (contents.iter().all(is_other) || contents.iter().all(is_digit));
        if has("b") && is_sure {
            blanks.insert("b".to_owned());
        }
        let may = |key: &str| matches!(key, "b" | "e" | "z" | "n") || (key == "o" && !has("x"));
        let most = contents.iter().filter(|content| may(&content.key)).max_by_key(|content| content.at_first);
        // Walls are no cells for this.
        let walls: usize = contents.iter().filter(|other| is_ground(other)).map(|other| other.at_first).sum();
        let cells = looks.cells.saturating_sub(walls).max(1);
        if let Some(most) = most.filter(|most| blanks.is_empty() && 2 * most.at_first >= cells) {
            blanks.insert(most.key.clone());
        }
    }
    // `light` and `nolight`.
    let negated = contents.iter().filter(|content| {
        let positive = content.key.strip_prefix("no").or_else(|| content.key.strip_prefix("un"));
        positive.is_some_and(|positive| contents.iter().any(|other| other.key == positive))
    });
    blanks.extend(negated.map(|content| content.key.clone()));
    blanks
}

/// What all the contents of a board together say.
pub(super) struct Set {
    /// Codes such as `wp` stand for a colour and a rank.
    has_codes: bool,
    /// There are pieces that only chess has.
    is_chess: bool,
    /// There are both noughts and crosses.
    has_crosses: bool,
}

impl Set {
    pub(super) fn of(contents: &[Content]) -> Set {
        let codes: Vec<(Colour, Chess)> = contents.iter().filter_map(|content| code(&content.key)).collect();
        let both =
            [Colour::White, Colour::Black].iter().all(|side| codes.iter().any(|(colour, _)| colour == side));
        // Where contents are known only as a superset, those of the first state count.
        let is_known =
            |content: &&Content| content.at_first > 0 || contents.iter().all(|any| any.at_first == 0);
        let known: Vec<&Content> =
            contents.iter().filter(is_known).filter(|content| content.key.len() > 1).collect();
        let coded = known.iter().filter(|content| code(&content.key).is_some()).count();
        // Two letters may mean anything; who has pieces by rank has kings or pawns.
        let has_men = codes.iter().any(|(_, rank)| matches!(rank, Chess::King | Chess::Pawn));
        let has_codes = both && has_men && 2 * coded > known.len();
        let ranks: BTreeSet<Chess> = contents
            .iter()
            .filter_map(|content| match has_codes {
                true => code(&content.key).map(|(_, rank)| rank),
                false => rank(&words(&content.name)),
            })
            .collect();
        let only_chess = [Chess::Queen, Chess::Rook, Chess::Bishop, Chess::Knight];
        Set {
            has_codes,
            is_chess: only_chess.iter().any(|piece| ranks.contains(piece)),
            has_crosses: contents.iter().any(|content| is_cross(&content.key))
                && contents.iter().any(|content| is_ring(&content.key)),
        }
    }

    /// How a content looks.
    pub(super) fn look(&self, content: &Content, number: usize, looks: &Looks) -> (PieceShape, Colour) {
        let own = PALETTE[number % PALETTE.len()];
        if let Some((_, shape, colour)) = looks.drawn.iter().find(|(key, _, _)| *key == content.key) {
            return (*shape, colour.or_else(|| colour_of(&words(&content.name))).unwrap_or(own));
        }
        if let (true, Some((colour, rank))) = (self.has_codes, code(&content.key)) {
            return (self.ranked(rank), colour);
        }
        if is_ground(content) {
            return (PieceShape::Block, Colour::Gray);
        }
        let words = words(&content.name);
        let colour = colour_of(&words).or_else(|| role_colour(&content.key, looks));
        if let (Some(colour), Some(rank)) = (colour, rank(&words)) {
            return (self.ranked(rank), colour);
        }
        if self.has_crosses && is_cross(&content.key) {
            return (PieceShape::Cross, Colour::Blue);
        }
        if self.has_crosses && is_ring(&content.key) {
            return (PieceShape::Ring, Colour::Red);
        }
        if let Some(rank) = rank(&words).filter(|_| words.len() == 1 && content.key.len() > 1) {
            return (PieceShape::Chess(rank), colour.unwrap_or(Colour::Black));
        }
        let is_disc = words.iter().all(|word| colour_named(word).is_some() || is_plain_piece(word));
        match colour {
            Some(colour) if is_disc || words.len() == 1 => (PieceShape::Disc, colour),
            Some(colour) => (PieceShape::Label, colour),
            None if content.key.parse::<i64>().is_ok() => (PieceShape::Number, Colour::Black),
            None if words.iter().any(|word| is_block(word)) => (PieceShape::Block, Colour::Gray),
            None if matches!(content.key.as_str(), "arrow" | "burnt" | "burned") => {
                (PieceShape::Arrow, Colour::Gray)
            }
            None if words.iter().any(|word| is_plain_piece(word)) => (PieceShape::Disc, own),
            None => match looks.roles.iter().position(|role| *role == content.key) {
                Some(role) => (PieceShape::Label, PALETTE[role % PALETTE.len()]),
                None => (PieceShape::Label, own),
            },
        }
    }

    fn ranked(&self, rank: Chess) -> PieceShape {
        match rank {
            _ if self.is_chess => PieceShape::Chess(rank),
            Chess::King => PieceShape::Crowned,
            _ => PieceShape::Disc,
        }
    }
}

/// The words of a content; a colour at the beginning is a word of its own.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for part in name.split(' ').flat_map(name_parts) {
        let begin = (3..part.len()).find(|&end| {
            part.is_char_boundary(end) && colour_named(&part[..end]).is_some() && is_known(&part[end..])
        });
        match begin {
            Some(end) => words.extend([part[..end].to_owned(), part[end..].to_owned()]),
            None => words.push(part),
        }
    }
    words
}

fn is_known(word: &str) -> bool {
    rank_named(word).is_some() || is_plain_piece(word) || word == "player"
}

fn colour_of(words: &[String]) -> Option<Colour> {
    words.iter().find_map(|word| colour_named(word))
}

/// What has a letter for a name and stands where nothing else can ever be: a wall, or the world outside.
fn is_ground(content: &Content) -> bool {
    content.is_fixed && content.key.len() == 1 && content.key.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// A single letter that begins the name of exactly one role that is a colour.
fn role_colour(key: &str, looks: &Looks) -> Option<Colour> {
    let mut roles = looks.roles.iter().filter(|role| key.len() == 1 && role.starts_with(key));
    let role = roles.next().filter(|_| roles.next().is_none())?;
    colour_of(&words(role))
}

fn rank(words: &[String]) -> Option<Chess> {
    words.iter().find_map(|word| rank_named(word))
}

/// Whether a name says which chess piece something is: `rook`, `whiteKing`.
pub(crate) fn is_chess_piece(name: &str) -> bool {
    rank(&words(name)).is_some()
}

fn rank_named(word: &str) -> Option<Chess> {
    Some(match word {
        "king" => Chess::King,
        "queen" => Chess::Queen,
        "rook" | "castle" => Chess::Rook,
        "bishop" => Chess::Bishop,
        "knight" => Chess::Knight,
        "pawn" => Chess::Pawn,
        _ => return None,
    })
}

/// A code of two letters: a colour and a rank.
fn code(key: &str) -> Option<(Colour, Chess)> {
    // A third letter tells pieces of the same kind apart: `wpa`.
    let ([colour, rank] | [colour, rank, b'a'..=b'h']) = key.as_bytes() else { return None };
    let colour = match colour {
        b'w' => Colour::White,
        b'b' => Colour::Black,
        _ => return None,
    };
    let rank = match rank {
        b'k' => Chess::King,
        b'q' => Chess::Queen,
        b'r' => Chess::Rook,
        b'b' => Chess::Bishop,
        b'n' => Chess::Knight,
        b'p' => Chess::Pawn,
        _ => return None,
    };
    Some((colour, rank))
}

fn is_plain_piece(word: &str) -> bool {
    matches!(
        word,
        "disc"
            | "disk"
            | "stone"
            | "checker"
            | "man"
            | "piece"
            | "token"
            | "peg"
            | "marker"
            | "counter"
            | "coin"
    )
}

fn is_block(word: &str) -> bool {
    matches!(
        word,
        "wall"
            | "hole"
            | "block"
            | "blk"
            | "dirt"
            | "obstacle"
            | "rock"
            | "blocked"
            | "limits"
            | "offlimits"
            | "barrier"
            | "pillar"
            | "trail"
            | "chocolate"
    )
}

fn is_cross(key: &str) -> bool {
    matches!(key, "x" | "cross" | "crosses" | "ecks" | "xplayer")
}

fn is_ring(key: &str) -> bool {
    matches!(key, "o" | "nought" | "noughts" | "naught" | "circle" | "oh" | "zero" | "oplayer")
}
