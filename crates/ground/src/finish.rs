//! From a draft to the ground game: the atoms that are left get their final numbers and their names.

use groundrules_gdl::index::index32;
use groundrules_gdl::symbol::Symbols;
use groundrules_gdl::term::{TermId, Terms};

use crate::draft::{Draft, Naming};
use crate::ground_game::{AtomKind, GroundGame, GroundLiteral};

/// Which atoms of a draft are left, and the new numbers of their fluents, moves and derived atoms.
struct Left {
    fluents: Vec<u32>,
    moves: Vec<u32>,
    derived: Vec<u32>,
}

/// An atom of the draft that is not left.
const GONE: u32 = u32::MAX;

/// Makes the ground game. The terms are filled in by the caller, who knows where the names come from.
pub(crate) fn finish(draft: Draft, naming: &mut impl Naming, roles: Vec<TermId>) -> GroundGame {
    let mut game = GroundGame {
        symbols: Symbols::new(),
        terms: Terms::new(),
        roles,
        fluents: Vec::new(),
        moves: Vec::new(),
        derived: Vec::new(),
        init: Vec::new(),
        heads: Vec::new(),
        ends: Vec::new(),
        literals: Vec::new(),
        made_by_rule: Vec::new(),
    };
    let left = number(&draft, naming, &mut game);
    let mut init: Vec<usize> =
        draft.init.iter().map(|&fluent| left.fluents[fluent as usize] as usize).collect();
    init.sort_unstable();
    game.init = init;
    let (fluents, moves) = (draft.fluents, draft.moves);
    let atom = |old: u32, game: &GroundGame| {
        let half = fluents + moves;
        let of = |list: &[u32], place: u32| list[place as usize] as usize;
        game.atom(match old {
            _ if old < fluents => AtomKind::True(of(&left.fluents, old)),
            _ if old < half => AtomKind::Does(of(&left.moves, old - fluents)),
            _ if old < half + fluents => AtomKind::Next(of(&left.fluents, old - half)),
            _ if old < 2 * half => AtomKind::Legal(of(&left.moves, old - half - fluents)),
            _ => AtomKind::Derived(of(&left.derived, old - 2 * half)),
        })
    };
    let (heads, ends, literals) = draft.rules.into_parts();
    game.literals =
        literals.into_iter().map(|old| GroundLiteral::new(atom(old / 2, &game), old & 1 == 0)).collect();
    game.heads = heads.into_iter().map(|old| atom(old, &game)).collect();
    game.ends = ends;
    game
}

/// Names what is left and gives it numbers, in the order of the draft.
fn number(draft: &Draft, naming: &mut impl Naming, game: &mut GroundGame) -> Left {
    let half = (draft.fluents + draft.moves) as usize;
    let mut used = vec![false; draft.atoms()];
    for (head, body) in draft.rules.iter() {
        used[head as usize] = true;
        body.iter().for_each(|literal| used[*literal as usize / 2] = true);
    }
    draft.init.iter().for_each(|&fluent| used[fluent as usize] = true);
    let mut left = Left {
        fluents: vec![GONE; draft.fluents as usize],
        moves: vec![GONE; draft.moves as usize],
        derived: vec![GONE; draft.derived as usize],
    };
    let count = |length: usize| index32(length, "atoms");
    for old in 0..draft.fluents {
        if (used[old as usize] || used[half + old as usize])
            && let Some(name) = naming.fluent(old)
        {
            left.fluents[old as usize] = count(game.fluents.len());
            game.fluents.push(name);
        }
    }
    for old in 0..draft.moves {
        let atom = (draft.fluents + old) as usize;
        if (used[atom] || used[half + atom])
            && let Some(name) = naming.step(old)
        {
            left.moves[old as usize] = count(game.moves.len());
            game.moves.push(name);
        }
    }
    for old in 0..draft.derived {
        if used[2 * half + old as usize]
            && let Some(name) = naming.derived(old)
        {
            left.derived[old as usize] = count(game.derived.len());
            game.derived.push(name);
        }
    }
    left
}
