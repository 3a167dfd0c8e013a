//! Expands blocks of packed states: queries them and generates all their successors in flat memory.
//!
//! The successors of a state come in a fixed order: joint moves count up like the digits of a number, the last role's
//! moves fastest. So the number of a successor tells its joint move. They are made in chunks, so that a state with a
//! million joint moves needs no more memory than one with ten.
//!
//! Whatever explores for long expands states, so this is where the cancel flag is looked at.

use groundrules_gdl::time::Cancel;
use groundrules_machine::{Batch, Move, Rows, State, Views};

use crate::error::ExploreError;

/// Successors made at a time.
const CHUNK: usize = 1024;

/// The fewest states of a block.
const LEAST: usize = 32;

/// What expands states.
pub(crate) struct Expander {
    batch: Box<dyn Batch>,
    cancel: Cancel,
    roles: usize,
    views: Views,
    from: Vec<u32>,
    joints: Vec<Move>,
    /// Which of their moves all roles but the last make.
    digits: Vec<usize>,
    next: Rows,
    next_views: Views,
}

/// Some successors.
pub(crate) struct Successors<'a> {
    /// What was seen in the states of the block.
    pub(crate) views: &'a Views,
    /// For each successor its state's number in the block.
    pub(crate) from: &'a [u32],
    /// The joint moves, one move for each role.
    pub(crate) joints: &'a [Move],
    /// The successors.
    pub(crate) rows: &'a Rows,
    /// What is seen in the successors, where that was asked for.
    pub(crate) seen: Option<&'a Views>,
}

impl Successors<'_> {
    /// The joint move to a successor.
    pub(crate) fn joint(&self, index: usize) -> &[Move] {
        let roles = self.joints.len() / self.from.len();
        &self.joints[index * roles..(index + 1) * roles]
    }
}

impl Expander {
    /// Expands by asking an engine, until the flag is set.
    pub(crate) fn new(batch: Box<dyn Batch>, cancel: &Cancel) -> Self {
        let (roles, width) = (batch.roles().len(), batch.row_width());
        let (views, next_views) = (Views::default(), Views::default());
        Expander {
            batch,
            cancel: cancel.clone(),
            roles,
            views,
            from: Vec::new(),
            joints: Vec::new(),
            digits: Vec::new(),
            next: Rows::new(width),
            next_views,
        }
    }

    /// What was seen in the block that was looked at last.
    pub(crate) fn views(&self) -> &Views {
        &self.views
    }

    /// The number of roles.
    pub(crate) fn roles(&self) -> usize {
        self.roles
    }

    /// How many words a state has, if all have the same number.
    pub(crate) fn width(&self) -> Option<usize> {
        self.batch.row_width()
    }

    /// How many states are best expanded at once: not too few even for an engine that takes one after the other, since
    /// successors are looked up together.
    pub(crate) fn block(&self) -> usize {
        self.batch.width().max(LEAST)
    }

    /// The initial state.
    pub(crate) fn initial(&self) -> State {
        self.batch.initial()
    }

    /// Looks at a block of states.
    pub(crate) fn look(&mut self, block: &Rows) -> Result<&Views, ExploreError> {
        self.cancel.check()?;
        self.batch.look(block, &mut self.views)?;
        Ok(&self.views)
    }

    /// Gives all successors of the block that was looked at last, in order; with what is seen in them, if `ahead`.
    pub(crate) fn successors(
        &mut self,
        block: &Rows,
        ahead: bool,
        take: &mut dyn FnMut(Successors<'_>) -> Result<(), ExploreError>,
    ) -> Result<(), ExploreError> {
        for state in 0..block.len() {
            self.successors_of(block, state, 0, ahead, &mut |some| take(some).map(|()| true))?;
        }
        self.give(block, ahead, &mut |some| take(some).map(|()| true))?;
        Ok(())
    }

    /// Gives successors of the only state of the block that was looked at last, from one of its joint moves on, until all are
    /// given or enough: `take` says whether to go on. Gives the joint move to go on with, if there is one.
    pub(crate) fn some_successors(
        &mut self,
        block: &Rows,
        first: u64,
        ahead: bool,
        take: &mut dyn FnMut(Successors<'_>) -> Result<bool, ExploreError>,
    ) -> Result<Option<u64>, ExploreError> {
        if let Some(next) = self.successors_of(block, 0, first, ahead, take)? {
            return Ok(Some(next));
        }
        self.give(block, ahead, take)?;
        Ok(None)
    }

    /// Collects the joint moves of a state, from one of them on, and gives successors whenever there are enough of them.
    /// Returns the joint move to continue with if it was stopped.
    fn successors_of(
        &mut self,
        block: &Rows,
        state: usize,
        first: u64,
        ahead: bool,
        take: &mut dyn FnMut(Successors<'_>) -> Result<bool, ExploreError>,
    ) -> Result<Option<u64>, ExploreError> {
        // Without roles nobody moves.
        let Some(others) = self.roles.checked_sub(1).filter(|_| self.views.joint_moves(state) > 0) else {
            return Ok(None);
        };
        let number = u32::try_from(state).expect("a block has fewer than 2^32 states");
        if first == 0 && self.collect_all(state, number) {
            return Ok(None);
        }
        let mut made = first;
        let mut next = self.set_digits(state, first);
        loop {
            // The last role's moves, with the others' as they are.
            loop {
                let Expander { views, from, joints, digits, .. } = self;
                let last = views.legal(state, others);
                let to = last.len().min(next + (CHUNK - from.len()));
                for &own in &last[next..to] {
                    from.push(number);
                    for (role, &digit) in digits.iter().enumerate() {
                        joints.push(views.legal(state, role)[digit]);
                    }
                    joints.push(own);
                }
                made += (to - next) as u64;
                next = to;
                let is_last = next == last.len();
                if self.from.len() >= CHUNK && !self.give(block, ahead, take)? {
                    return Ok(Some(made));
                }
                if is_last {
                    break;
                }
            }
            next = 0;
            let Expander { views, digits, .. } = self;
            if !count_up(digits, |role| views.legal(state, role).len()) {
                return Ok(None);
            }
        }
    }

    /// Collects all joint moves of a state, if there is room for them. In their order a role's moves come again and again, each
    /// as often as the later roles have joint moves.
    #[inline]
    fn collect_all(&mut self, state: usize, number: u32) -> bool {
        let Expander { views, from, joints, roles, .. } = self;
        let count = views.joint_moves(state);
        if count >= (CHUNK - from.len()) as u128 {
            return false;
        }
        let count = count as usize;
        from.resize(from.len() + count, number);
        let first = joints.len();
        joints.resize(first + count * *roles, Move(0));
        let own = &mut joints[first..];
        let mut each = count;
        for role in 0..*roles {
            let legal = views.legal(state, role);
            each /= legal.len();
            let mut place = role;
            while place < own.len() {
                for &made in legal {
                    for _ in 0..each {
                        own[place] = made;
                        place += *roles;
                    }
                }
            }
        }
        true
    }

    /// Sets all roles' digits but the last one's, which is given, to those of a joint move's number.
    fn set_digits(&mut self, state: usize, number: u64) -> usize {
        let Expander { views, digits, roles, .. } = self;
        let mut left = number;
        let mut digit = |role: usize| {
            let base = views.legal(state, role).len() as u64;
            let digit = left % base;
            left /= base;
            digit as usize
        };
        let last = digit(*roles - 1);
        digits.clear();
        digits.resize(*roles - 1, 0);
        digits.iter_mut().enumerate().rev().for_each(|(role, place)| *place = digit(role));
        last
    }

    /// Makes the joint moves that were collected. Says whether to go on.
    fn give(
        &mut self,
        block: &Rows,
        ahead: bool,
        take: &mut dyn FnMut(Successors<'_>) -> Result<bool, ExploreError>,
    ) -> Result<bool, ExploreError> {
        if self.from.is_empty() {
            return Ok(true);
        }
        self.next.clear();
        let made = self.batch.advance(block, &self.from, &self.joints, &mut self.next);
        let result = made.map_err(ExploreError::from).and_then(|()| {
            if ahead {
                self.batch.look(&self.next, &mut self.next_views)?;
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
