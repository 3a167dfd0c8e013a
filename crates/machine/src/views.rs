//! The result of querying states: terminality, legal moves and goals, in flat arrays that are reused from call to call.

use std::ops::Range;

use crate::machine::Move;

/// Terminality, legal moves and goals of some states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Views {
    roles: usize,
    terminal: Vec<bool>,
    moves: Lists<Move>,
    goals: Lists<i32>,
}

/// A list for each state and role, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Lists<T> {
    items: Vec<T>,
    ends: Vec<usize>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Lists { items: Vec::new(), ends: Vec::new() }
    }
}

impl<T> Lists<T> {
    fn clear(&mut self) {
        self.items.clear();
        self.ends.clear();
    }

    #[inline]
    fn end_list(&mut self) {
        self.ends.push(self.items.len());
    }

    #[inline]
    fn range(&self, index: usize) -> Range<usize> {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        start..self.ends[index]
    }
}

impl Views {
    /// The number of states.
    pub fn len(&self) -> usize {
        self.terminal.len()
    }

    /// Whether there are no states.
    pub fn is_empty(&self) -> bool {
        self.terminal.is_empty()
    }

    /// Whether a state is terminal.
    #[inline]
    pub fn is_terminal(&self, state: usize) -> bool {
        self.terminal[state]
    }

    /// The legal moves of a role in a state.
    #[inline]
    pub fn legal(&self, state: usize, role: usize) -> &[Move] {
        &self.moves.items[self.moves.range(state * self.roles + role)]
    }

    /// The goal values of a role in a state, ascending.
    #[inline]
    pub fn goals(&self, state: usize, role: usize) -> &[i32] {
        &self.goals.items[self.goals.range(state * self.roles + role)]
    }

    /// How many joint moves there are in a state: none where the match is over or a role has no legal move.
    #[inline]
    pub fn joint_moves(&self, state: usize) -> u128 {
        if self.is_terminal(state) {
            return 0;
        }
        (0..self.roles).fold(1, |all: u128, role| all.saturating_mul(self.legal(state, role).len() as u128))
    }

    /// Clears everything, for a game with a number of roles.
    pub fn clear(&mut self, roles: usize) {
        self.roles = roles;
        self.terminal.clear();
        self.moves.clear();
        self.goals.clear();
    }

    /// Adds a state, whose roles' moves and goals must follow in order.
    #[inline]
    pub fn push_state(&mut self, terminal: bool) {
        self.terminal.push(terminal);
    }

    /// Adds the next role's moves and goals in the last state.
    #[inline]
    pub fn push_role(&mut self, moves: impl IntoIterator<Item = Move>, goals: impl IntoIterator<Item = i32>) {
        self.moves.items.extend(moves);
        self.moves.end_list();
        self.goals.items.extend(goals);
        self.goals.end_list();
    }
}
