//! Moves in: numbers of actions, lane after lane, become a column of bits for each move. Checking them is then a matter of
//! columns; which lane and move is at fault is looked for only where there is one.

use crate::lockstep::{ActionNumber, LaneLayout, StepError};

use super::super::block::lanes;
use super::super::native::find;
use super::super::vector::Vector;
use super::Block;

/// Roles with more actions than this are read lane by lane: to ask for each value whether it is there would take longer.
const FEW: usize = 192;

/// The byte of a number that is no action.
const NONE: u8 = u8::MAX;

/// Reads an action of each role.
pub(super) fn joint<V: Vector, N: ActionNumber>(layout: &LaneLayout, numbers: &[N], block: &mut Block<V>) {
    let roles = layout.roles();
    for role in 0..roles {
        columns(layout, role, block, |lane| numbers[lane * roles + role].index());
    }
}

/// Reads an action of the role that has the turn. The others make every move that is legal, which is one.
pub(super) fn of_mover<V: Vector, N: ActionNumber>(layout: &LaneLayout, numbers: &[N], block: &mut Block<V>) {
    for role in 0..layout.roles() {
        columns(layout, role, block, |lane| numbers[lane].index());
        let mover = block.mover[role];
        for made in layout.actions(role) {
            let made = made.0 as usize;
            block.made[made] = super::choose(mover, block.made[made], block.legal[made]);
        }
    }
}

/// Writes the columns of a role's moves.
#[inline(always)]
fn columns<V: Vector>(
    layout: &LaneLayout,
    role: usize,
    block: &mut Block<V>,
    index: impl Fn(usize) -> usize,
) {
    let moves = layout.actions(role);
    let count = block.steps.len();
    if moves.len() > FEW {
        moves.iter().for_each(|made| block.made[made.0 as usize] = V::default());
        for lane in 0..count {
            if let Some(made) = moves.get(index(lane)) {
                block.made[made.0 as usize].words_mut()[lane / 64] |= 1 << (lane % 64);
            }
        }
        return;
    }
    let mut found = [0; FEW];
    for word in 0..V::WORDS {
        let mut bytes = [NONE; 64];
        let first = (word * 64).min(count);
        for (byte, lane) in bytes.iter_mut().zip(first..count) {
            let index = index(lane);
            *byte = if index < moves.len() { index as u8 } else { NONE };
        }
        find(&bytes, &mut found[..moves.len()]);
        for (made, &lanes) in moves.iter().zip(&found) {
            block.made[made.0 as usize].words_mut()[word] = lanes;
        }
    }
}

/// Whether every lane that goes on makes one legal move for each role. `first` is the number of the block's first lane.
pub(super) fn check<V: Vector, N: ActionNumber>(
    layout: &LaneLayout,
    numbers: &[N],
    block: &Block<V>,
    is_joint: bool,
    first: usize,
) -> Result<(), StepError> {
    let mut wrong = V::default();
    let mut somebody = V::default();
    for role in 0..layout.roles() {
        let mut any = V::default();
        for made in layout.actions(role) {
            let (made, legal) = (block.made[made.0 as usize], block.legal[made.0 as usize]);
            wrong = wrong.or(legal.and_not(made));
            any = any.or(made);
        }
        wrong = wrong.or(any.and_not(V::filled(true)));
        somebody = somebody.or(block.mover[role]);
    }
    if !is_joint {
        wrong = wrong.or(somebody.and_not(V::filled(true)));
    }
    match lanes(wrong.and(block.going())).next() {
        None => Ok(()),
        Some(lane) => Err(blame(layout, numbers, block, is_joint, first, lane)),
    }
}

/// What is wrong with a lane's moves.
fn blame<V: Vector, N: ActionNumber>(
    layout: &LaneLayout,
    numbers: &[N],
    block: &Block<V>,
    is_joint: bool,
    first: usize,
    lane: usize,
) -> StepError {
    let holds = |column: &V| column.words()[lane / 64] >> (lane % 64) & 1 == 1;
    let number = first + lane;
    for role in 0..layout.roles() {
        if !is_joint && !holds(&block.mover[role]) {
            continue;
        }
        let given = if is_joint { numbers[lane * layout.roles() + role] } else { numbers[lane] };
        let moves = layout.actions(role);
        match moves.get(given.index()) {
            None => {
                let (action, count) = (given.wide(), moves.len());
                return StepError::NoSuchAction { lane: number, role, action, count };
            }
            Some(&made) if !holds(&block.legal[made.0 as usize]) => {
                return StepError::Illegal { lane: number, role, action: given.index(), made };
            }
            Some(_) => {}
        }
    }
    StepError::SeveralChoose { lane: number }
}
