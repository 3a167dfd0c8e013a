//! Beam search: layer by layer, at most so many states wide. When a layer has more, playouts tell which states stay. A round that
//! prunes is followed by a wider one.

use groundrules_machine::{Batch, MachineError, Outcomes, Rows, State, Views};

use super::expansion::Expansion;
use super::landmarks::Landmarks;
use super::layer::Layer;
use super::visited::Visited;
use crate::solver::{Allowance, Found, Progress, Solver, Status};

/// Moves made in a step, about.
const MOVES: usize = 1024;

/// The most layers that a step goes through because they have few moves.
const SMALL_LAYERS: usize = 32;

/// States that are evaluated by playouts in one step, and the playouts from each.
const EVALUATED: usize = 64;
const PLAYOUTS: usize = 4;

/// The width of the first round, and of the first round with landmarks; how many times wider each round is, and the most.
const WIDTHS: (usize, usize) = (64, 4);
const WIDER: usize = 4;
const WIDEST: usize = 1 << 21;

/// States after which landmarks are given up if nothing was ever pruned by them.
const TRIAL: usize = 64;

/// Beam search by playouts, with all successors or with those that landmarks leave.
pub struct Beam {
    landmarks: Option<Landmarks>,
    start: State,
    width: usize,
    layer: Layer,
    /// The next state of the layer whose moves are made.
    place: usize,
    next: Layer,
    visited: Visited,
    /// Whether states were pruned in this round because there were too many.
    is_partial: bool,
    status: Status,
    limit: usize,
    expansion: Expansion,
    evaluated: Rows,
    outcomes: Outcomes,
}

impl Beam {
    /// Beam search with all successors. Positions are told apart without the bits in `mask`.
    pub fn by_playouts(mask: &[u64], memory: usize) -> Self {
        Beam::new(mask, None, memory)
    }

    /// Beam search with the successors that landmarks leave.
    pub fn by_landmarks(mask: &[u64], landmarks: Landmarks, memory: usize) -> Self {
        Beam::new(mask, Some(landmarks), memory)
    }

    fn new(mask: &[u64], landmarks: Option<Landmarks>, limit: usize) -> Self {
        Beam {
            width: if landmarks.is_some() { WIDTHS.1 } else { WIDTHS.0 },
            landmarks,
            start: State::default(),
            layer: Layer::default(),
            place: 0,
            next: Layer::default(),
            visited: Visited::new(mask),
            is_partial: false,
            status: Status::GaveUp,
            limit,
            expansion: Expansion::default(),
            evaluated: Rows::default(),
            outcomes: Outcomes::default(),
        }
    }

    fn begin_round(&mut self, batch: &mut dyn Batch) -> Result<(), MachineError> {
        let width = batch.row_width();
        let (start, mut views) = (Rows::of_row(width, self.start.words()), Views::default());
        batch.look(&start, &mut views)?;
        self.visited.restart(self.start.words());
        (self.layer, self.next) = (Layer::new(width), Layer::new(width));
        self.expansion = Expansion::new(width);
        self.layer.push(start.row(0), 0, views.legal(0, 0));
        (self.place, self.is_partial) = (0, false);
        self.status = if views.is_terminal(0) { Status::GaveUp } else { Status::Running };
        Ok(())
    }

    /// The next round is wider, if that makes a difference.
    fn end_round(&mut self, batch: &mut dyn Batch) -> Result<(), MachineError> {
        if !self.is_partial || self.bytes() > self.limit || self.is_useless() {
            self.status = Status::GaveUp;
            return Ok(());
        }
        self.width = (self.width * WIDER).min(WIDEST);
        self.begin_round(batch)
    }

    fn is_useless(&self) -> bool {
        self.landmarks.as_ref().is_some_and(|landmarks| !landmarks.is_of_use) && self.visited.len() > TRIAL
    }

    fn bytes(&self) -> usize {
        self.visited.bytes() + self.layer.bytes() + self.next.bytes()
    }

    /// Makes moves, or evaluates states, or goes on to the next layer.
    fn go_on(&mut self, batch: &mut dyn Batch, allowance: &Allowance) -> Result<Progress, MachineError> {
        if self.bytes() > self.limit || self.is_useless() {
            self.is_partial = true;
            self.end_round(batch)?;
        } else if self.place < self.layer.len() {
            return self.expand(batch, allowance);
        } else if self.next.is_empty() {
            self.end_round(batch)?;
        } else if self.next.len() > self.width && self.next.evaluated() < self.next.len() {
            return self.evaluate(batch, allowance);
        } else {
            self.prune();
        }
        Ok(Progress::default())
    }

    /// The next layer becomes the layer, at most as wide as the beam.
    fn prune(&mut self) {
        if self.next.len() > self.width {
            self.is_partial = true;
            for pruned in self.next.keep_best(self.width) {
                self.visited.forget(self.next.row(pruned));
            }
            self.layer = self.next.take_kept();
        } else {
            std::mem::swap(&mut self.layer, &mut self.next);
        }
        self.next.clear();
        self.place = 0;
    }

    /// Makes the moves of some states: of one, if landmarks select them.
    fn expand(&mut self, batch: &mut dyn Batch, allowance: &Allowance) -> Result<Progress, MachineError> {
        let first = self.place;
        let most = if self.landmarks.is_some() { 1 } else { MOVES };
        self.place = self.expansion.expand(batch, &self.layer, first, most, &[])?;
        let found = self.expansion.best_end(&self.layer, &self.visited, allowance);
        let Beam { expansion, layer, visited, next, .. } = self;
        let mut progress = Progress { found, work: expansion.len() as u64, ..Progress::default() };
        let Some(landmarks) = &mut self.landmarks else {
            (0..expansion.len()).for_each(|child| expansion.keep(child, layer, visited, next));
            return Ok(progress);
        };
        let selection = landmarks.select(layer.row(first), expansion, allowance.to_beat, &[]);
        selection.children.iter().for_each(|&child| expansion.keep(child, layer, visited, next));
        progress.upper = selection.upper.filter(|_| layer.id(first) == 0);
        progress.headway = 1.0 - selection.children.len() as f64 / selection.open.max(1) as f64;
        progress.work += selection.work;
        Ok(progress)
    }

    /// Plays playouts from some states of the next layer.
    fn evaluate(&mut self, batch: &mut dyn Batch, allowance: &Allowance) -> Result<Progress, MachineError> {
        let first = self.next.evaluated();
        let end = (first + EVALUATED).min(self.next.len());
        self.evaluated = Rows::of_rows(batch.row_width(), (first..end).map(|place| self.next.row(place)));
        batch.play_out(&self.evaluated, PLAYOUTS, allowance.playouts, &mut self.outcomes)?;
        let mut best: Option<(i32, usize, usize)> = None;
        for place in 0..end - first {
            let (sum, _) = self.outcomes.sum(place, 0);
            let (goal, number) = self.outcomes.best(place, 0).unwrap_or((0, 0));
            self.next.evaluate(f64::from(goal) + sum as f64 / PLAYOUTS as f64);
            let is_end = self.outcomes.best(place, 0).is_some();
            if is_end && allowance.is_beaten_by(goal, None) && best.is_none_or(|(best, ..)| goal > best) {
                best = Some((goal, first + place, number));
            }
        }
        let mut progress = Progress { work: self.outcomes.states.max(1), ..Progress::default() };
        if let Some((goal, place, number)) = best
            && let Some(playout) = batch.retrace(&self.evaluated, PLAYOUTS, allowance.playouts, number)?
        {
            let mut moves = self.visited.moves_to(self.next.id(place));
            moves.extend(playout);
            progress.found = Some(Found { goal, moves });
        }
        Ok(progress)
    }
}

impl Solver for Beam {
    fn name(&self) -> &'static str {
        if self.landmarks.is_some() { "beam search by landmarks" } else { "beam search" }
    }

    fn begin(&mut self, start: &State, batch: &mut dyn Batch) -> Result<(), MachineError> {
        if self.start == *start {
            return Ok(());
        }
        self.start.clone_from(start);
        self.begin_round(batch)
    }

    fn step(&mut self, batch: &mut dyn Batch, allowance: &Allowance) -> Result<Progress, MachineError> {
        let mut all = Progress::default();
        let layers = if self.landmarks.is_some() { 1 } else { SMALL_LAYERS };
        for _ in 0..layers {
            if self.status != Status::Running || all.work >= MOVES as u64 / 2 {
                break;
            }
            let to_beat = all.found.as_ref().map(|found| found.goal).max(allowance.to_beat);
            let progress = self.go_on(batch, &Allowance { to_beat, ..*allowance })?;
            all = Progress {
                found: progress.found.or(all.found),
                upper: progress.upper.or(all.upper),
                headway: progress.headway,
                work: all.work + progress.work,
            };
        }
        Ok(all)
    }

    fn status(&self) -> Status {
        self.status
    }
}
