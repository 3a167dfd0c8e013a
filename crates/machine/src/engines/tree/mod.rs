//! The interpreter on resolution trees (Świechowski and Mańdziuk, "Fast Interpreter for Logical Reasoning in General
//! Game Playing"). It needs no grounding, so it starts at once and plays what cannot be grounded.
//!
//! The stages: `normalise` flattens the rules of a game by the `domains` of arguments. `groups` finds recursion, and
//! `inline` removes renamings. `build` and `plan` make the resolution tree of `node`s and `merge` operations. `prove`
//! answers queries on it; `negation` answers those with recursion through negation. Rows live in a `row_set`, and terms
//! that can grow without bound in `terms`. `docs/interpreter.md` describes the differences from the paper.

mod backend;
mod build;
mod coding;
mod describe;
mod disjunction;
mod domains;
mod groups;
mod inline;
mod merge;
mod moves;
mod negation;
mod node;
mod normalise;
mod options;
mod order;
mod packing;
mod plan;
mod program;
mod prove;
mod recursion;
mod row_set;
mod rows;
mod set_up;
mod statistics;
mod terms;
mod text;

use std::sync::Arc;

use groundrules_gdl::{Game, Roles};

pub use backend::TreeBackend;
pub use describe::TreeFigures;
pub use options::TreeOptions;

use crate::{Machine, MachineError, Move, State};
use moves::Moves;
use program::Level;
use prove::Prover;
use row_set::RowSet;
use set_up::{Prepared, Root, set_up, set_up_again};
use statistics::Sizes;
use text::Writer;

/// The engine `tree`.
#[derive(Clone, Debug)]
pub struct TreeMachine {
    plan: Arc<Prepared>,
    prover: Prover,
    moves: Moves,
    initial: Arc<State>,
    /// The legal moves of each role, once they were asked for in this state.
    legal: Vec<Vec<Move>>,
    legal_is_known: bool,
    goals: Vec<i32>,
    /// What is measured until the tree is built again with it.
    sizes: Sizes,
    /// How many states were left behind, and how often the tree was built again.
    states: u32,
    rebuilt: usize,
    /// Moves with their sorting codes, while they are sorted.
    sorting: Vec<(u64, usize, Move)>,
}

impl TreeMachine {
    /// Makes a game ready to be played.
    pub fn new(game: &Game, options: TreeOptions) -> Result<Self, MachineError> {
        let (plan, prover) = set_up(game, options)?;
        let mut machine = TreeMachine {
            moves: Moves::new(&plan.program.domains.sizes(plan.moves)),
            legal: vec![Vec::new(); plan.roles.len()],
            legal_is_known: false,
            goals: Vec::new(),
            sizes: Sizes::default(),
            states: 0,
            rebuilt: 0,
            sorting: Vec::new(),
            plan: Arc::new(plan),
            prover,
            initial: Arc::default(),
        };
        let mut initial = State::default();
        machine.save(&mut initial);
        machine.initial = Arc::new(initial);
        Ok(machine)
    }

    /// About how many bytes the machine takes for what it has proven, with the memory it keeps to prove more.
    pub fn bytes(&self) -> usize {
        self.prover.bytes()
    }

    /// The tree in words: what was asked of each node and what it cost, the dearest first.
    pub fn describe(&self) -> String {
        describe::describe(&self.plan, &self.prover)
    }

    /// The tree in numbers.
    pub fn figures(&self) -> TreeFigures {
        describe::figures(&self.plan, &self.prover, self.rebuilt)
    }

    fn writer(&self) -> Writer<'_> {
        let Prepared { program, symbols, .. } = &*self.plan;
        Writer { domains: &program.domains, symbols, terms: &self.prover.terms }
    }

    /// Asks a question. After an error all that is half proven is forgotten.
    fn query(&mut self, root: Root, key: &[u32]) -> Result<(), MachineError> {
        let Root::Or(or) = root else { return Ok(()) };
        let tree = &self.plan.tree;
        self.prover.allow(tree.options.steps);
        let key = if tree.ors[or].key.is_empty() { &[] } else { key };
        let result = self.prover.query(tree, or, key);
        if result.is_err() {
            self.prover.forget_all(tree);
            self.prover.tables[self.plan.does].clear();
        }
        result
    }

    fn rows(&self, root: Root) -> &RowSet {
        match root {
            Root::Table(table) => &self.prover.tables[table],
            Root::Or(or) => &self.prover.proofs[or].answers,
        }
    }

    fn leave_state(&mut self) {
        self.legal_is_known = false;
        self.prover.forget_state(&self.plan.tree);
        /// After how many states the memory is looked at.
        const WEIGHING: u64 = 256;
        if self.prover.states.is_multiple_of(WEIGHING) {
            self.prover.release_if_heavy(&self.plan.tree);
        }
    }

    fn find_legal(&mut self) -> Result<(), MachineError> {
        let root = self.plan.legal;
        self.query(root, &[])?;
        let set = match root {
            Root::Table(table) => &self.prover.tables[table],
            Root::Or(or) => &self.prover.proofs[or].answers,
        };
        let width = self.plan.roles.first().map_or(1, Vec::len);
        self.sorting.clear();
        let coding = set.coding(0);
        for row in set.rows() {
            let (role, columns) = row.split_at(width);
            if let Some(role) = self.plan.roles.iter().position(|other| other == role) {
                let code = coding.code(row.iter().copied());
                self.sorting.push((code, role, self.moves.number(columns)));
            }
        }
        let by_code = coding.is_exact() && set.sizes().iter().all(|&size| size < 1 << 32);
        if by_code {
            self.sorting.sort_unstable();
        } else {
            self.sort_by_text();
        }
        self.legal.iter_mut().for_each(Vec::clear);
        self.sorting.iter().for_each(|&(_, role, made)| self.legal[role].push(made));
        self.legal_is_known = true;
        Ok(())
    }

    /// The order must not depend on what terms were met first.
    fn sort_by_text(&mut self) {
        let mut sorting = std::mem::take(&mut self.sorting);
        sorting.sort_by_cached_key(|&(_, role, made)| (role, self.move_text(made)));
        self.sorting = sorting;
    }

    fn make_moves(&mut self, joint: &[Move]) {
        self.prover.forget_moves(&self.plan.tree);
        let does = &mut self.prover.tables[self.plan.does];
        does.clear();
        let row = &mut self.prover.row;
        for (role, &made) in self.plan.roles.iter().zip(joint) {
            if let Some(columns) = self.moves.columns(made) {
                row.clear();
                row.extend_from_slice(role);
                row.extend_from_slice(columns);
                does.insert(row);
            }
        }
        let nested = self.plan.program.domains.form(self.plan.moves) != domains::Form::Atomic;
        if nested {
            let sizes = does.sizes();
            let terms = does.rows().flat_map(|row| row.iter().zip(sizes));
            let largest = terms.filter(|&(_, &size)| size >= 1 << 32).map(|(&value, _)| value).max();
            self.prover.terms.learn(largest.unwrap_or(0));
        }
    }

    /// Measures, and after so many states builds the tree again with what was measured.
    fn learn(&mut self) {
        /// After how many states the tree is built again; the last time filters have had their visits.
        const REBUILDS: [u32; 3] = [12, 120, 1200];
        let Some(&next) = REBUILDS.get(self.rebuilt) else { return };
        self.states += 1;
        if self.states.is_multiple_of(8) {
            self.sizes.sample(&self.prover, &self.plan.fluents);
        }
        if self.states >= next && self.plan.tree.options.join_order {
            let (plan, prover) = set_up_again(&self.plan, &self.prover, &self.sizes);
            (self.plan, self.prover) = (Arc::new(plan), prover);
            self.sizes = Sizes::default();
            self.rebuilt += 1;
        }
    }

    /// The fluents that were found become the state.
    fn take_next(&mut self) {
        for fluent in &self.plan.fluents {
            match fluent.next {
                Root::Or(or) if self.plan.tree.ors[or].level != Level::Static => {
                    let proof = &mut self.prover.proofs[or];
                    self.prover.tables[fluent.table].swap_rows(&mut proof.answers);
                }
                next => {
                    let rows = self.rows(next).clone();
                    let table = &mut self.prover.tables[fluent.table];
                    table.clear();
                    table.extend(&rows);
                }
            }
        }
    }
}

impl Machine for TreeMachine {
    fn roles(&self) -> &Roles {
        &self.plan.role_names
    }

    fn reset(&mut self) {
        let initial = Arc::clone(&self.initial);
        self.enter(&initial);
    }

    fn enter(&mut self, state: &State) {
        self.leave_state();
        packing::unpack(&mut self.prover, &self.plan.fluents, state);
    }

    fn save(&self, state: &mut State) {
        packing::pack(&self.prover, &self.plan.fluents, state);
    }

    fn is_terminal(&mut self) -> Result<bool, MachineError> {
        let terminal = self.plan.terminal;
        self.query(terminal, &[])?;
        Ok(!self.rows(terminal).is_empty())
    }

    fn legal(&mut self, role: usize) -> Result<&[Move], MachineError> {
        if !self.legal_is_known {
            self.find_legal()?;
        }
        Ok(self.legal.get(role).map_or(&[], Vec::as_slice))
    }

    fn goals(&mut self, role: usize) -> Result<&[i32], MachineError> {
        self.goals.clear();
        let plan = Arc::clone(&self.plan);
        let (Some(&root), Some(name)) = (plan.goals.get(role), plan.roles.get(role)) else {
            return Ok(&[]);
        };
        self.query(root, name)?;
        let stored = match root {
            Root::Table(_) => None,
            Root::Or(or) => Some(&plan.tree.ors[or].columns),
        };
        let mut goals = Vec::new();
        for row in self.rows(root).rows() {
            // The columns of the role are not stored where the query gives them as constants.
            let has_role = stored.is_none_or(|columns| columns.first() == Some(&0));
            let (of, value) = if has_role { row.split_at(name.len()) } else { (&name[..], row) };
            let mut text = String::new();
            self.writer().write(plan.values, value, &mut text);
            if of == name {
                goals.extend(text.parse::<i32>());
            }
        }
        goals.sort_unstable();
        goals.dedup();
        self.goals = goals;
        Ok(&self.goals)
    }

    fn advance(&mut self, joint: &[Move]) -> Result<(), MachineError> {
        let roles = self.plan.roles.len();
        if joint.len() != roles {
            return Err(MachineError::WrongJointMove { roles, given: joint.len() });
        }
        self.make_moves(joint);
        self.learn();
        for fluent in 0..self.plan.fluents.len() {
            let next = self.plan.fluents[fluent].next;
            self.query(next, &[])?;
        }
        self.take_next();
        self.prover.tables[self.plan.does].clear();
        self.leave_state();
        Ok(())
    }

    fn fluents(&self) -> Vec<String> {
        let mut fluents = Vec::new();
        for fluent in &self.plan.fluents {
            let table = &self.prover.tables[fluent.table];
            fluents.extend(table.rows().map(|row| self.writer().write_fluent(fluent.functor, row)));
        }
        fluents.sort_unstable();
        fluents
    }

    fn move_text(&self, made: Move) -> String {
        let mut text = String::new();
        if let Some(columns) = self.moves.columns_of(made) {
            self.writer().write(self.plan.moves, &columns, &mut text);
        }
        text
    }

    fn find_move(&mut self, role: usize, text: &str) -> Option<Move> {
        self.plan.roles.get(role)?;
        let Prepared { program, symbols, moves, .. } = &*self.plan;
        let columns = text::read(&program.domains, symbols, &mut self.prover.terms, *moves, text)?;
        Some(self.moves.number(&columns))
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        let figures = self.figures();
        let all = figures.filters + figures.filters_removed;
        vec![("filters", all as u64), ("filters removed", figures.filters_removed as u64)]
    }

    fn fork(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}
