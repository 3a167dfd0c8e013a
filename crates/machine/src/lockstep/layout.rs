//! How lanes, roles, moves and fluents are numbered in flat arrays.

use std::sync::Arc;

use groundrules_net::{Network, NodeKind};

use crate::index::index32;
use crate::machine::Move;
use crate::vocabulary::Vocabulary;

/// How lanes, roles, moves and fluents are numbered in flat arrays. A role's actions are its moves, in the order of the
/// ground game.
#[derive(Clone, Debug)]
pub struct LaneLayout {
    /// How many lanes there are.
    pub lanes: usize,
    names: Arc<Vocabulary>,
    /// Each role's moves.
    actions: Vec<Vec<Move>>,
    /// For each move, whether some rule for the next state refers to it.
    matters: Vec<bool>,
    chance: Option<usize>,
}

impl LaneLayout {
    /// The layout of so many lanes of a game with these names and this network.
    pub(crate) fn new(lanes: usize, names: Arc<Vocabulary>, network: &Network) -> Self {
        let mut actions = vec![Vec::new(); names.roles().len()];
        for number in 0..names.moves() {
            let made = Move(index32(number));
            actions[names.role_of(made)].push(made);
        }
        let chance = names.roles().nature();
        LaneLayout { lanes, actions, matters: matters(network), chance, names }
    }

    /// The same for another number of lanes.
    #[must_use]
    pub fn with_lanes(&self, lanes: usize) -> Self {
        LaneLayout { lanes, ..self.clone() }
    }

    /// The names of moves and fluents.
    pub fn names(&self) -> &Arc<Vocabulary> {
        &self.names
    }

    /// How many roles there are.
    pub fn roles(&self) -> usize {
        self.actions.len()
    }

    /// How many fluents there are.
    pub fn fluents(&self) -> usize {
        self.names.fluents()
    }

    /// The moves of a role, by the numbers of its actions.
    pub fn actions(&self, role: usize) -> &[Move] {
        &self.actions[role]
    }

    /// How many actions the role with the most has: the width of masks.
    pub fn most_actions(&self) -> usize {
        self.actions.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// How many bits the mask of a lane has: the most actions, for each role.
    pub fn mask(&self) -> usize {
        self.roles() * self.most_actions()
    }

    /// The number of an action by its text.
    pub fn find(&self, role: usize, text: &str) -> Option<usize> {
        let made = self.names.find_move(role, text)?;
        self.action(role, made)
    }

    /// The number of a move among its role's actions.
    pub fn action(&self, role: usize, made: Move) -> Option<usize> {
        self.actions.get(role)?.binary_search(&made).ok()
    }

    /// The role `random`, if there is one.
    pub fn chance(&self) -> Option<usize> {
        self.chance
    }

    /// Whether some rule refers to a move. One that none refers to is a way to wait.
    pub fn matters(&self, made: Move) -> bool {
        self.matters[made.0 as usize]
    }

    /// The code of a role in arrays that say whose turn it is.
    pub(crate) fn code(&self, role: usize) -> i8 {
        if self.chance == Some(role) {
            super::turn::CHANCE
        } else {
            i8::try_from(role).unwrap_or(super::turn::SIMULTANEOUS)
        }
    }
}

/// For each move, whether a gate or a next state is about it.
fn matters(network: &Network) -> Vec<bool> {
    let mut matters = vec![false; network.moves()];
    let operands = (0..network.gate_count()).flat_map(|gate| network.operands(gate)).copied();
    for literal in operands.chain(network.outputs.next.iter().copied()) {
        if let NodeKind::Move(number) = network.kind(literal.node()) {
            matters[number] = true;
        }
    }
    matters
}
