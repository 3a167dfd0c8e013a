//! Looking one step ahead of new leaves. The successors of a new state in which one role chooses are evaluated together with it: moves
//! that end the match are proved at once, and every move has a value by the heuristic before it is tried. `pass` calls this between
//! evaluating the leaves and backing them up.

use groundrules_machine::{Batch, MachineError, Move, Rows, Views};

use super::heuristic::{Heuristic, sigmoid};
use super::search::Search;
use super::tree::{NodeId, Tree, number};
use super::worth::Sight;
use crate::parts::Part;

/// The successors of the new leaves of a pass.
pub(super) struct Successors {
    /// For each leaf where its successors begin; as many as the one role with a choice has moves, or none.
    first: Vec<usize>,
    from: Vec<u32>,
    joints: Vec<Move>,
    rows: Rows,
    /// The numbers of the successors that are ends, ascending, with their states and what is seen in them.
    ends: Vec<u32>,
    end_rows: Rows,
    views: Views,
}

/// States with more moves are not looked beyond: it would cost more than their playouts.
const MOST_MOVES: usize = 160;

impl Successors {
    /// None yet.
    pub(super) fn new(width: Option<usize>) -> Self {
        Successors {
            first: Vec::new(),
            from: Vec::new(),
            joints: Vec::new(),
            rows: Rows::new(width),
            ends: Vec::new(),
            end_rows: Rows::new(width),
            views: Views::default(),
        }
    }

    /// Evaluates the successors of the first so many states, as far as is asked for.
    pub(super) fn evaluate(
        &mut self,
        batch: &mut dyn Batch,
        tree: &Tree,
        states: (&Rows, &Views, usize),
        sight: Sight,
    ) -> Result<(), MachineError> {
        let (rows, views, count) = states;
        self.first.clear();
        self.from.clear();
        self.joints.clear();
        self.rows.clear();
        self.ends.clear();
        self.end_rows.clear();
        for state in 0..count {
            self.first.push(self.from.len());
            let chooser = only_chooser(tree, views, state).filter(|_| sight != Sight::Nothing);
            let Some(key) = chooser else { continue };
            for &made in views.legal(state, key) {
                self.from.push(state as u32);
                let others = (0..tree.roles).map(|role| views.legal(state, role)[0]);
                self.joints
                    .extend(others.enumerate().map(|(role, other)| if role == key { made } else { other }));
            }
        }
        self.first.push(self.from.len());
        if self.from.is_empty() {
            return Ok(());
        }
        if sight == Sight::Guesses {
            return batch.advance(rows, &self.from, &self.joints, &mut self.rows);
        }
        batch.advance_to_ends(rows, &self.from, &self.joints, &mut self.rows, &mut self.ends)?;
        self.ends.iter().for_each(|&end| self.end_rows.push(self.rows.row(end as usize)));
        batch.look(&self.end_rows, &mut self.views)
    }

    /// Tells the node of a new leaf what its moves lead to. Says whether anything is proved.
    pub(super) fn apply(&self, search: &mut Search, node: NodeId, leaf: usize) -> bool {
        let own = &search.tree.nodes[node as usize];
        let (Some(key), depth) = (own.key.map(usize::from), own.depth + 1) else { return false };
        let successors = self.first[leaf]..self.first[leaf + 1];
        let first = self.ends.partition_point(|&end| (end as usize) < successors.start);
        let ends = self.ends[first..].iter().take_while(|&&end| (end as usize) < successors.end);
        let mut has_ends = false;
        for (view, &end) in (first..).zip(ends) {
            if search.tree.is_full(0) {
                break;
            }
            let row = self.end_rows.row(view);
            let found = search.tree.find(row);
            let child = found.unwrap_or_else(|| search.tree.add(row, depth, &self.views, view));
            let pick = number(end as usize - successors.start);
            search.tree.arm_mut(node, key, pick).child = child;
            has_ends = true;
        }
        search.count.with_ends += u64::from(has_ends);
        let mut guesses =
            search.heuristic.as_ref().map(|heuristic| Guesses::new(heuristic, &search.tree, node, key));
        if let Some(guesses) = &mut guesses {
            successors.clone().for_each(|successor| guesses.add(self.rows.row(successor)));
        }
        if let Some(values) = guesses.map(|guesses| guesses.values).filter(|_| !successors.is_empty()) {
            search.tree.set_guesses(node, key, &values);
        }
        has_ends && search.tree.update_bounds(node)
    }
}

/// The values of a node's moves by the heuristic.
struct Guesses<'a> {
    heuristic: &'a Heuristic,
    key: usize,
    row: Vec<u64>,
    logit: f32,
    values: Vec<f32>,
}

impl<'a> Guesses<'a> {
    fn new(heuristic: &'a Heuristic, tree: &Tree, node: NodeId, key: usize) -> Self {
        let row = tree.row(node).to_vec();
        let logit = heuristic.logit(key, &row);
        Guesses { heuristic, key, row, logit, values: Vec::new() }
    }

    fn add(&mut self, successor: &[u64]) {
        let logit = self.heuristic.logit_after(self.key, self.logit, &self.row, successor);
        self.values.push(sigmoid(logit));
    }
}

/// The only role with a choice in a state, if it is a player with few enough moves.
fn only_chooser(tree: &Tree, views: &Views, state: usize) -> Option<usize> {
    if views.is_terminal(state) || (0..tree.roles).any(|role| views.legal(state, role).is_empty()) {
        return None;
    }
    let mut choosers = (0..tree.roles).filter(|&role| views.legal(state, role).len() > 1);
    let only = choosers.next().unwrap_or(0);
    let is_looked_at =
        choosers.next().is_none() && !tree.nature[only] && views.legal(state, only).len() <= MOST_MOVES;
    is_looked_at.then_some(only)
}

/// Whether a search looks ahead. A single player's solvers do that in their own ways.
pub(super) fn is_on(search: &Search, batch: &dyn Batch) -> bool {
    search.policy.parts.has(Part::LookAhead) && !search.is_puzzle() && batch.width() > 1
}
