//! The words of certificates: fluents and remembered goals by their texts, and what the properties forbid.

use groundrules_gdl::goals::StatedGoal;
use groundrules_gdl::{Roles, canonical};
use groundrules_ground::GroundGame;
use rustc_hash::FxHashMap;
use screwsat::solver::Lit;

use super::clauses::{Cnf, Frame, Rules};
use super::formula::Formula;
use super::{Checker, Refusal};
use crate::certificate::{WrittenProof, numbers};

/// What must not be reached.
pub(super) enum Bad {
    Stuck,
    NoUtility,
    NotMonotone,
    /// The maximal goal of a role, where the claim is that there is no line to it.
    Win(usize),
    /// A formula.
    Formula(Formula),
}

/// The latches: the fluents, then for each role that is judged and each of its goals whether the role had it one move ago.
pub(super) struct Words {
    numbers: FxHashMap<String, usize>,
    /// The roles and values of remembered goals.
    memories: Vec<(usize, i32)>,
    fluents: usize,
}

impl Words {
    pub(super) fn of(ground: &GroundGame, rules: &Rules<'_>, roles: &Roles, stated: &[StatedGoal]) -> Self {
        let mut cnf = Cnf::default();
        // Only the values matter here.
        let atoms = cnf.fresh_many(ground.atom_count());
        let frame = Frame { atoms };
        let mut memories = Vec::new();
        for role in (0..roles.len()).filter(|&role| stated[role].is_judged) {
            let mut values: Vec<i32> = rules.goals(&frame, role).into_iter().map(|goal| goal.0).collect();
            values.dedup();
            memories.extend(values.into_iter().map(|value| (role, value)));
        }
        let fluents = ground.fluents.iter().map(|&fluent| ground.term(fluent));
        let remembered =
            memories.iter().map(|&(role, value)| format!("(before (goal {} {value}))", roles[role]));
        let numbers = numbers(fluents.chain(remembered));
        Words { numbers, memories, fluents: ground.fluents.len() }
    }

    pub(super) fn latches(&self) -> usize {
        self.fluents + self.memories.len()
    }

    pub(super) fn find(&self, text: &str) -> Result<usize, Refusal> {
        let known = canonical(text).and_then(|text| self.numbers.get(&text).copied());
        known.ok_or_else(|| Refusal::Unknown(text.to_owned()))
    }

    pub(super) fn find_all(&self, texts: &[String]) -> Result<Vec<usize>, Refusal> {
        texts.iter().map(|text| self.find(text)).collect()
    }

    /// The invariants of a proof as clauses.
    pub(super) fn invariants(&self, proof: &WrittenProof) -> Result<Vec<Vec<(usize, bool)>>, Refusal> {
        let mut clauses = Vec::new();
        for group in &proof.at_most_one {
            let group = self.find_all(group)?;
            for (place, &one) in group.iter().enumerate() {
                clauses.extend(group[place + 1..].iter().map(|&other| vec![(one, false), (other, false)]));
            }
        }
        for group in &proof.at_least_one {
            clauses.push(self.find_all(group)?.into_iter().map(|latch| (latch, true)).collect());
        }
        for (holding, others) in &proof.clauses {
            let holding = self.find_all(holding)?.into_iter().map(|latch| (latch, true));
            let others = self.find_all(others)?.into_iter().map(|latch| (latch, false));
            clauses.push(holding.chain(others).collect());
        }
        Ok(clauses)
    }

    /// The initial state.
    pub(super) fn first(&self, rules: &Rules<'_>) -> Vec<bool> {
        let mut first = vec![false; self.latches()];
        rules.ground.init.iter().for_each(|&fluent| first[fluent] = true);
        first
    }

    /// What says that each latch holds next.
    pub(super) fn next(
        &self,
        rules: &Rules<'_>,
        cnf: &mut Cnf,
        frame: &Frame,
        stated: &[StatedGoal],
    ) -> Vec<Lit> {
        let fluents = 0..self.fluents;
        let mut next: Vec<Lit> = fluents
            .map(|fluent| rules.atom(frame, groundrules_ground::ground_game::AtomKind::Next(fluent)))
            .collect();
        for &(role, value) in &self.memories {
            let goals = rules.goals(frame, role).into_iter().filter(|goal| goal.0 == value);
            let goals = goals.map(|goal| goal.1).collect();
            debug_assert!(stated[role].is_judged);
            next.push(cnf.or(goals));
        }
        next
    }
}

impl Checker<'_> {
    /// What says that a state is bad.
    pub(super) fn bad(&self, cnf: &mut Cnf, frame: &Frame, latches: &[Lit], bad: &Bad) -> Lit {
        let terminal = self.rules.terminal(cnf, frame);
        match bad {
            Bad::Stuck => {
                let mut stuck = Vec::new();
                for role in 0..self.roles.len() {
                    let ground = self.rules.ground;
                    let moves = (0..ground.moves.len()).filter(|&made| ground.moves[made].0 == role);
                    let legal = moves.map(|made| {
                        self.rules.atom(frame, groundrules_ground::ground_game::AtomKind::Legal(made))
                    });
                    let legal = legal.collect();
                    stuck.push(!cnf.or(legal));
                }
                let stuck = cnf.or(stuck);
                cnf.and(vec![!terminal, stuck])
            }
            Bad::NoUtility => {
                let unsound = self.unsound(cnf, frame);
                cnf.and(vec![terminal, unsound])
            }
            Bad::NotMonotone => {
                let (unsound, falls) = (self.unsound(cnf, frame), self.falls(cnf, frame, latches));
                cnf.or(vec![unsound, falls])
            }
            Bad::Formula(formula) => self.says(cnf, frame, latches, formula),
            Bad::Win(role) => {
                let stated = self.stated[*role];
                let counts = |value: i32| match (stated.largest, stated.is_open) {
                    (Some(largest), true) => value >= largest,
                    (Some(largest), false) => value == largest,
                    (None, is_open) => is_open,
                };
                let goals = self.rules.goals(frame, *role).into_iter().filter(|goal| counts(goal.0));
                let goals = goals.map(|goal| goal.1).collect();
                let goals = cnf.or(goals);
                cnf.and(vec![terminal, goals])
            }
        }
    }

    /// Some role that is judged does not have exactly one goal.
    fn unsound(&self, cnf: &mut Cnf, frame: &Frame) -> Lit {
        let mut unsound = Vec::new();
        for role in (0..self.roles.len()).filter(|&role| self.stated[role].is_judged) {
            let goals = self.rules.goals(frame, role);
            let mut values = Vec::new();
            for same in goals.chunk_by(|a, b| a.0 == b.0) {
                values.push(cnf.or(same.iter().map(|goal| goal.1).collect()));
            }
            unsound.push(!cnf.exactly_one(&values));
        }
        cnf.or(unsound)
    }

    /// Some role has a smaller goal than it had.
    fn falls(&self, cnf: &mut Cnf, frame: &Frame, latches: &[Lit]) -> Lit {
        let mut falls = Vec::new();
        for (place, &(role, before)) in self.words.memories.iter().enumerate() {
            for (value, now) in self.rules.goals(frame, role) {
                if value < before {
                    falls.push(cnf.and(vec![latches[self.words.fluents + place], now]));
                }
            }
        }
        cnf.or(falls)
    }
}
