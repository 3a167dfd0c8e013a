//! What is proved about: the circuit of a game with a literal for each property that says where it is violated.

use std::sync::Arc;

use groundrules_gdl::goals::{StatedGoal, stated_goals};
use groundrules_gdl::index::index32;
use groundrules_gdl::{Game, Roles};
use groundrules_ground::GroundGame;
use groundrules_net::{Literal, NetError, Network, Options, simplify};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::circuit::Circuit;
use crate::playouts::Line;

/// The most operands of a network in which operands that several gates share become gates.
const MOST_SHARED: usize = 200_000;

/// A game made ready for proofs.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The ground game, whose numbers fluents and moves have.
    pub ground: Arc<GroundGame>,
    /// The roles.
    pub roles: Roles,
    /// The circuit.
    pub circuit: Circuit,
    /// Holds in a state that is not terminal where a role has no legal move.
    pub stuck: Literal,
    /// Holds in a terminal state where a role that is judged does not have exactly one goal.
    pub no_utility: Literal,
    /// Holds where a role that is judged does not have exactly one goal, or a smaller one than before.
    pub not_monotone: Literal,
    /// For each role that is judged what says that it has its maximal goal.
    pub wins: Vec<Win>,
    /// Latches behind the fluents, and what they remember.
    pub memories: Vec<Memory>,
}

/// The maximal goal of a role.
#[derive(Clone, Debug)]
pub struct Win {
    /// The role.
    pub role: usize,
    /// The goal in words.
    pub goal: String,
    /// Holds in terminal states where the role has it.
    pub literal: Literal,
}

/// What a latch that is no fluent remembers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Memory {
    /// In the state before, this was a goal of the role.
    PreviousGoal(usize, i32),
    /// A formula of the user held before.
    Seen,
}

impl Subject {
    /// Makes a game ready. The ground game is the game's.
    pub fn new(game: &Game, ground: Arc<GroundGame>) -> Result<Subject, NetError> {
        let network = Network::of(&ground)?;
        // To find what gates share takes long in large networks, and the solver does not need it.
        let share_operands = network.operand_count() <= MOST_SHARED;
        let (network, _) = simplify(&network, &Options { share_operands, ..Options::exact() });
        let mut circuit = Circuit::of(&network);
        let roles = Roles::new(ground.roles.iter().map(|&role| ground.term(role)).collect());
        let stated = stated_goals(game, &roles);
        let stuck = stuck(&mut circuit);
        let unsound: Vec<Literal> = (0..roles.len())
            .filter(|&role| stated[role].is_judged)
            .map(|role| {
                let goals: Vec<Literal> = goals_of(&circuit, role).map(|(_, literal)| literal).collect();
                !circuit.exactly_one(&goals)
            })
            .collect();
        let unsound = circuit.or(&unsound);
        let no_utility = circuit.and(&[circuit.terminal, unsound]);
        let mut memories = Vec::new();
        let falls = falling_goals(&mut circuit, &stated, &mut memories);
        let not_monotone = circuit.or(&[unsound, falls]);
        let wins = wins(&mut circuit, &stated);
        Ok(Subject { ground, roles, circuit, stuck, no_utility, not_monotone, wins, memories })
    }

    /// A joint move as KIF, in the order of the roles.
    pub fn move_texts(&self, joint: &[u32]) -> Vec<String> {
        joint.iter().map(|&made| self.ground.term(self.ground.moves[made as usize].1)).collect()
    }

    /// A line of joint moves from KIF, in the order of the roles; nothing if a role does not have such a move.
    pub fn line(&self, texts: &[Vec<String>]) -> Option<Line> {
        let canonical = |text: &str| groundrules_gdl::canonical(text);
        let wanted: FxHashSet<String> = texts.iter().flatten().filter_map(|text| canonical(text)).collect();
        let mut numbers: FxHashMap<(usize, String), u32> = FxHashMap::default();
        for (number, &(role, term)) in self.ground.moves.iter().enumerate() {
            let Some(text) = canonical(&self.ground.term(term)) else { continue };
            if wanted.contains(&text) {
                numbers.insert((role, text), index32(number, "moves"));
            }
        }
        let joint = |texts: &Vec<String>| -> Option<Vec<u32>> {
            let number = |(role, text): (usize, &String)| numbers.get(&(role, canonical(text)?)).copied();
            texts.iter().enumerate().map(number).collect()
        };
        texts.iter().map(joint).collect()
    }

    /// What a latch says, as KIF where it is a fluent.
    pub fn latch_text(&self, latch: usize) -> String {
        match latch.checked_sub(self.ground.fluents.len()) {
            None => self.ground.term(self.ground.fluents[latch]),
            Some(memory) => match &self.memories[memory] {
                Memory::PreviousGoal(role, value) => format!("(before (goal {} {value}))", self.roles[*role]),
                Memory::Seen => "seen".to_owned(),
            },
        }
    }
}

fn goals_of(circuit: &Circuit, role: usize) -> impl Iterator<Item = (i32, Literal)> {
    circuit.goals.iter().filter(move |goal| goal.role == role).map(|goal| (goal.value, goal.literal))
}

fn stuck(circuit: &mut Circuit) -> Literal {
    let mut stuck = Vec::new();
    for role in 0..circuit.roles {
        let legal: Vec<Literal> = circuit.inputs_of(role).map(|input| circuit.legal[input]).collect();
        stuck.push(!circuit.or(&legal));
    }
    let stuck = circuit.or(&stuck);
    circuit.and(&[!circuit.terminal, stuck])
}

/// Holds where the goal of a role is smaller than it was. A latch remembers each goal for one move.
fn falling_goals(circuit: &mut Circuit, stated: &[StatedGoal], memories: &mut Vec<Memory>) -> Literal {
    let mut falls = Vec::new();
    for role in (0..stated.len()).filter(|&role| stated[role].is_judged) {
        let goals: Vec<(i32, Literal)> = goals_of(circuit, role).collect();
        // Goals come by value: whether the role has one of those so far.
        let mut smaller = Literal::FALSE;
        for (place, &(value, literal)) in goals.iter().enumerate() {
            if place > 0 {
                let before = circuit.latch();
                circuit.set_next(before, literal);
                memories.push(Memory::PreviousGoal(role, value));
                let fall = circuit.and(&[before, smaller]);
                falls.push(fall);
            }
            smaller = circuit.or(&[smaller, literal]);
        }
    }
    circuit.or(&falls)
}

fn wins(circuit: &mut Circuit, stated: &[StatedGoal]) -> Vec<Win> {
    let mut wins = Vec::new();
    for (role, stated) in stated.iter().enumerate().filter(|(_, stated)| stated.is_judged) {
        // Where a rule leaves the value open, the maximal goal is the largest that is reached, and no less than what is stated.
        let counts = |value: i32| match (stated.largest, stated.is_open) {
            (Some(largest), true) => value >= largest,
            (Some(largest), false) => value == largest,
            (None, is_open) => is_open,
        };
        let goals: Vec<Literal> =
            goals_of(circuit, role).filter(|&(value, _)| counts(value)).map(|(_, literal)| literal).collect();
        let has_goal = circuit.or(&goals);
        let literal = circuit.and(&[circuit.terminal, has_goal]);
        let goal = stated.largest.map_or_else(|| "any goal".to_owned(), |goal| goal.to_string());
        wins.push(Win { role, goal, literal });
    }
    wins
}
