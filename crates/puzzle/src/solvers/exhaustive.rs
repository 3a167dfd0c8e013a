//! Exhaustive search: breadth first through all positions, for puzzles with up to some hundred thousand of them. First
//! positions are told apart without the fluents that count steps; if that leads to the end of the search, once more with them, because the
//! position that was reached at a later step may be the one that it takes. States are compared in full, so exhaustion is a proof.

use std::collections::VecDeque;
use std::hash::{BuildHasher, Hasher};

use foldhash::quality::FixedState;
use groundrules_machine::{Batch, MachineError, Move, Rows, State, Views};
use hashbrown::HashTable;

use super::visited::{PositionId, masked, moves_to, position_id};
use crate::solver::{Allowance, Found, Progress, Solver, Status};

/// The most bytes of positions, whatever the limit of memory: more take too long in a match.
const MOST_BYTES: usize = 48 << 20;

/// Moves made in a step, about.
const MOVES: usize = 1024;

/// Breadth-first search through all positions.
pub struct Exhaustive {
    start: State,
    /// The bits of states that count steps, as long as positions are told apart without them.
    mask: Vec<u64>,
    /// All positions, in the order in which they were reached, and for each the one before it and the move between them.
    rows: Rows,
    origins: Vec<(PositionId, Move)>,
    index: HashTable<PositionId>,
    /// The first position whose moves were not made, and the legal moves from there on.
    next: usize,
    counts: VecDeque<usize>,
    moves: VecDeque<Move>,
    /// The highest goal at any end.
    best: Option<i32>,
    status: Status,
    limit: usize,
    from: Vec<u32>,
    made: Vec<Move>,
    children: Rows,
    views: Views,
}

impl Exhaustive {
    /// A search that tells positions apart without some bits of states at first, within a limit of memory in bytes.
    pub fn new(mask: &[u64], memory: usize) -> Self {
        Exhaustive {
            start: State::default(),
            mask: mask.to_vec(),
            rows: Rows::default(),
            origins: Vec::new(),
            index: HashTable::new(),
            next: 0,
            counts: VecDeque::new(),
            moves: VecDeque::new(),
            best: None,
            status: Status::GaveUp,
            limit: memory.min(MOST_BYTES),
            from: Vec::new(),
            made: Vec::new(),
            children: Rows::default(),
            views: Views::default(),
        }
    }

    fn restart(&mut self, batch: &mut dyn Batch) -> Result<(), MachineError> {
        self.rows = Rows::new(batch.row_width());
        self.children = Rows::of_row(batch.row_width(), self.start.words());
        self.origins.clear();
        self.index.clear();
        self.counts.clear();
        self.moves.clear();
        (self.next, self.best, self.status) = (0, None, Status::Running);
        batch.look(&self.children, &mut self.views)?;
        self.enter(0, 0, Move(0));
        Ok(())
    }

    /// Adds a successor, unless the match is over there or the position is known.
    fn enter(&mut self, child: usize, from: PositionId, made: Move) {
        let legal = self.views.legal(child, 0);
        if self.views.is_terminal(child) || legal.is_empty() {
            return;
        }
        let Exhaustive { rows, index, mask, .. } = self;
        let row = self.children.row(child);
        let is_same = |&id: &PositionId| are_same(mask, rows.row(id as usize), row);
        if index.find(hash(mask, row), is_same).is_some() {
            return;
        }
        let id = position_id(rows.len());
        rows.push(row);
        index.insert_unique(hash(mask, row), id, |&id| hash(mask, rows.row(id as usize)));
        self.origins.push((from, made));
        self.counts.push_back(legal.len());
        self.moves.extend(legal);
    }

    /// Makes the moves of the next positions.
    fn expand(&mut self, batch: &mut dyn Batch) -> Result<(), MachineError> {
        self.from.clear();
        self.made.clear();
        self.children.clear();
        while self.made.len() < MOVES
            && let Some(count) = self.counts.pop_front()
        {
            self.made.extend(self.moves.drain(..count));
            self.from.resize(self.made.len(), position_id(self.next));
            self.next += 1;
        }
        batch.advance(&self.rows, &self.from, &self.made, &mut self.children)?;
        batch.look(&self.children, &mut self.views)
    }

    /// The line to the best end among the successors, if it is of interest.
    fn best_end(&mut self, allowance: &Allowance) -> Option<Found> {
        let mut found: Option<(i32, usize)> = None;
        for child in (0..self.children.len()).filter(|&child| self.views.is_terminal(child)) {
            let [goal] = *self.views.goals(child, 0) else { continue };
            self.best = self.best.max(Some(goal));
            if allowance.is_beaten_by(goal, None) && found.is_none_or(|(best, _)| goal > best) {
                found = Some((goal, child));
            }
        }
        let (goal, child) = found?;
        let mut moves = moves_to(&self.origins, self.from[child]);
        moves.push(self.made[child]);
        Some(Found { goal, moves })
    }

    /// The frontier is empty: nothing is left but what was told apart by the step alone.
    fn end(&mut self, batch: &mut dyn Batch) -> Result<(), MachineError> {
        if self.mask.iter().all(|&word| word == 0) {
            self.status = Status::Exhausted;
            return Ok(());
        }
        self.mask.fill(0);
        self.restart(batch)
    }

    fn bytes(&self) -> usize {
        self.rows.bytes() + self.origins.len() * 16 + self.moves.len() * 4 + self.counts.len() * 8
    }
}

impl Solver for Exhaustive {
    fn name(&self) -> &'static str {
        "exhaustive search"
    }

    fn begin(&mut self, start: &State, batch: &mut dyn Batch) -> Result<(), MachineError> {
        if self.start == *start {
            return Ok(());
        }
        self.start.clone_from(start);
        self.restart(batch)
    }

    fn step(&mut self, batch: &mut dyn Batch, allowance: &Allowance) -> Result<Progress, MachineError> {
        if self.status != Status::Running {
            return Ok(Progress::default());
        }
        let (before, expanded) = (self.rows.len(), self.next);
        self.expand(batch)?;
        let found = self.best_end(allowance);
        for child in 0..self.children.len() {
            self.enter(child, self.from[child], self.made[child]);
        }
        // It makes headway when the frontier shrinks.
        let growth = (self.rows.len() - before) as f64 / (self.next - expanded).max(1) as f64;
        let progress = |found, upper| Progress {
            found,
            upper,
            headway: (1.0 - growth).clamp(0.0, 1.0),
            work: self.children.len() as u64,
        };
        if self.bytes() > self.limit {
            self.status = Status::GaveUp;
        } else if self.counts.is_empty() {
            let progress = progress(found, self.best);
            self.end(batch)?;
            let upper = progress.upper.filter(|_| self.status == Status::Exhausted);
            return Ok(Progress { upper, ..progress });
        }
        Ok(progress(found, None))
    }

    fn status(&self) -> Status {
        self.status
    }
}

fn hash(mask: &[u64], row: &[u64]) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    row.iter().enumerate().for_each(|(word, &bits)| hasher.write_u64(bits & !masked(mask, word)));
    hasher.finish()
}

fn are_same(mask: &[u64], one: &[u64], other: &[u64]) -> bool {
    let words = one.iter().zip(other).enumerate();
    one.len() == other.len() && { words }.all(|(word, (one, other))| (one ^ other) & !masked(mask, word) == 0)
}
