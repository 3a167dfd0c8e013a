//! Expands blocks of packed states: what there is to see in them, and all their successors in flat memory.
//!
//! The successors of a state come in a fixed order: joint moves count up like the digits of a number, the last role's
//! moves fastest. So the number of a successor tells its joint move. They are made in chunks, so that a state with a
//! million joint moves needs no more memory than one with ten.

use groundrules_machine::{Batch, MachineError, Move, Rows, State, Views};

use crate::error::ExploreError;

/// Successors made at a time.
const CHUNK: usize = 1024;

/// The fewest states of a block.
const LEAST: usize = 32;

/// What expands states.
pub struct Expander {
    batch: Box<dyn Batch>,
    roles: usize,
    views: Views,
    from: Vec<u32>,
    joints: Vec<Move>,
    next: Rows,
    next_views: Views,
}

/// Some successors.
pub struct Successors<'a> {
    /// What was seen in the states of the block.
    pub views: &'a Views,
    /// For each successor its state's number in the block.
    pub from: &'a [u32],
    /// The joint moves, one move for each role.
    pub joints: &'a [Move],
    /// The successors.
    pub rows: &'a Rows,
    /// What is seen in the successors, where that was asked for.
    pub seen: Option<&'a Views>,
}

impl Successors<'_> {
    /// The joint move to a successor.
    pub fn joint(&self, index: usize) -> &[Move] {
        let roles = self.joints.len().checked_div(self.from.len()).unwrap_or(0);
        &self.joints[index * roles..(index + 1) * roles]
    }
}

impl Expander {
    /// Expands by asking an engine.
    pub fn new(batch: Box<dyn Batch>) -> Self {
        let (roles, width) = (batch.roles().len(), batch.row_width());
        let (views, next_views) = (Views::default(), Views::default());
        Expander {
            batch,
            roles,
            views,
            from: Vec::new(),
            joints: Vec::new(),
            next: Rows::new(width),
            next_views,
        }
    }

    /// How many roles there are.
    pub fn roles(&self) -> usize {
        self.roles
    }

    /// How many words a state has, if all have the same number.
    pub fn width(&self) -> Option<usize> {
        self.batch.row_width()
    }

    /// How many states are best expanded at once: not too few even for an engine that takes one after the other, since
    /// successors are looked up together.
    pub fn block(&self) -> usize {
        self.batch.width().max(LEAST)
    }

    /// The initial state.
    pub fn initial(&self) -> State {
        self.batch.initial()
    }

    /// Looks at a block of states.
    pub fn look(&mut self, block: &Rows) -> Result<&Views, MachineError> {
        self.batch.look_rows(block, &mut self.views)?;
        Ok(&self.views)
    }

    /// Gives all successors of the block that was looked at last, in order; with what is seen in them, if `ahead`.
    pub fn successors(
        &mut self,
        block: &Rows,
        ahead: bool,
        take: &mut dyn FnMut(Successors<'_>) -> Result<(), ExploreError>,
    ) -> Result<(), ExploreError> {
        // Without roles nobody moves.
        if self.roles == 0 {
            return Ok(());
        }
        let mut digits = vec![0; self.roles];
        for state in 0..block.len() {
            if self.views.joint_moves(state) == 0 {
                continue;
            }
            digits.fill(0);
            let number = u32::try_from(state).unwrap_or(u32::MAX);
            let mut first = true;
            while first || count_up(&mut digits[..self.roles - 1], |role| self.views.legal(state, role).len())
            {
                first = false;
                // The last role's moves, with the others' as they are.
                let mut next = 0;
                loop {
                    let Expander { views, from, joints, roles, .. } = self;
                    let last = views.legal(state, *roles - 1);
                    let to = last.len().min(next + (CHUNK - from.len()));
                    for &made in &last[next..to] {
                        from.push(number);
                        for (role, &digit) in digits[..*roles - 1].iter().enumerate() {
                            joints.push(views.legal(state, role)[digit]);
                        }
                        joints.push(made);
                    }
                    next = to;
                    if next == last.len() {
                        break;
                    }
                    self.give(block, ahead, take)?;
                }
                if self.from.len() >= CHUNK {
                    self.give(block, ahead, take)?;
                }
            }
        }
        self.give(block, ahead, take)
    }

    /// Makes the joint moves that were collected.
    fn give(
        &mut self,
        block: &Rows,
        ahead: bool,
        take: &mut dyn FnMut(Successors<'_>) -> Result<(), ExploreError>,
    ) -> Result<(), ExploreError> {
        if self.from.is_empty() {
            return Ok(());
        }
        self.next.clear();
        let made = self.batch.advance_rows(block, &self.from, &self.joints, &mut self.next);
        let result = made.map_err(ExploreError::from).and_then(|()| {
            if ahead {
                self.batch.look_rows(&self.next, &mut self.next_views)?;
            }
            take(Successors {
                views: &self.views,
                from: &self.from,
                joints: &self.joints,
                rows: &self.next,
                seen: ahead.then_some(&self.next_views),
            })
        });
        self.from.clear();
        self.joints.clear();
        result
    }
}

/// The next number, whose digits have their own bases; false if there is none.
#[inline]
fn count_up(digits: &mut [usize], base: impl Fn(usize) -> usize) -> bool {
    for (role, digit) in digits.iter_mut().enumerate().rev() {
        *digit += 1;
        if *digit < base(role) {
            return true;
        }
        *digit = 0;
    }
    false
}
