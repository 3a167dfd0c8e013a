//! Depth-first search, in two manners. By Warnsdorff's rule the state with the fewest moves comes first: states with few exits
//! must be visited while they can be, which is how a knight gets round the board. A round that takes long is followed by another that
//! breaks ties differently. By landmarks only the moves are made that have to be made sooner or later, and a move that was tried in
//! vain is not made below either.

use groundrules_machine::{Batch, MachineError, Move, Rows, State, Views};

use super::expansion::Expansion;
use super::landmarks::Landmarks;
use super::layer::Layer;
use super::visited::Visited;
use crate::solver::{Allowance, Found, Progress, Solver, Status};

/// States of a round by Warnsdorff's rule.
const ROUND: usize = 1 << 11;

/// The size of the networks that a step by Warnsdorff's rule evaluates, about, and the most states whose moves it makes.
const STEP: usize = 200_000;
const MOST_STATES: usize = 32;

/// States after which landmarks are given up if nothing was ever pruned by them.
const TRIAL: usize = 64;

/// Depth-first search by Warnsdorff's rule or by landmarks.
pub struct DepthFirst {
    landmarks: Option<Landmarks>,
    start: State,
    /// The siblings at the current depth, and the next one whose moves are made.
    layer: Layer,
    place: usize,
    /// The same at the depths above.
    above: Vec<(Layer, usize)>,
    visited: Visited,
    /// Which round this is in the match.
    round: u64,
    /// How many states' moves are made in a step.
    states: usize,
    status: Status,
    limit: usize,
    expansion: Expansion,
}

impl DepthFirst {
    /// Search by Warnsdorff's rule, in a network of this size. Positions are told apart without the bits in `mask`.
    pub fn by_warnsdorff(mask: &[u64], size: usize, memory: usize) -> Self {
        let states = (STEP / size.max(1)).clamp(1, MOST_STATES);
        DepthFirst { states, ..DepthFirst::new(mask, None, memory) }
    }

    /// Search by landmarks.
    pub fn by_landmarks(mask: &[u64], landmarks: Landmarks, memory: usize) -> Self {
        DepthFirst::new(mask, Some(landmarks), memory)
    }

    fn new(mask: &[u64], landmarks: Option<Landmarks>, limit: usize) -> Self {
        DepthFirst {
            landmarks,
            start: State::default(),
            layer: Layer::default(),
            place: 0,
            above: Vec::new(),
            visited: Visited::new(mask),
            round: 0,
            states: 1,
            status: Status::GaveUp,
            limit,
            expansion: Expansion::default(),
        }
    }

    fn begin_round(&mut self, batch: &mut dyn Batch) -> Result<(), MachineError> {
        let width = batch.row_width();
        let (start, mut views) = (Rows::of_row(width, self.start.words()), Views::default());
        batch.look(&start, &mut views)?;
        self.visited.restart(self.start.words());
        self.expansion = Expansion::new(width);
        self.layer = Layer::new(width);
        self.layer.push(start.row(0), 0, views.legal(0, 0));
        self.place = 0;
        self.above.clear();
        self.round += 1;
        self.status = if views.is_terminal(0) { Status::GaveUp } else { Status::Running };
        Ok(())
    }

    /// Makes the moves of the next state, or goes back up.
    fn go_on(&mut self, batch: &mut dyn Batch, allowance: &Allowance) -> Result<Progress, MachineError> {
        let is_full = self.bytes() > self.limit;
        match &self.landmarks {
            Some(landmarks) => {
                let is_useless = !landmarks.is_of_use && self.visited.len() > TRIAL;
                if is_full || is_useless {
                    self.status = Status::GaveUp;
                    return Ok(Progress::default());
                }
            }
            None if is_full || self.visited.len() > ROUND => {
                self.begin_round(batch)?;
                return Ok(Progress::default());
            }
            None => {}
        }
        while self.place >= self.layer.len() {
            let Some(above) = self.above.pop() else {
                self.status = Status::GaveUp;
                return Ok(Progress::default());
            };
            (self.layer, self.place) = above;
        }
        self.expand(batch, allowance)
    }

    fn expand(&mut self, batch: &mut dyn Batch, allowance: &Allowance) -> Result<Progress, MachineError> {
        let tried = if self.landmarks.is_some() { self.tried() } else { Vec::new() };
        let first = self.place;
        self.place = self.expansion.expand(batch, &self.layer, first, 1, &tried)?;
        let DepthFirst { expansion, layer, visited, .. } = self;
        let found = expansion.best_end(layer, visited, allowance);
        let mut progress = Progress { found, work: expansion.len() as u64, ..Progress::default() };
        let mut next = Layer::new(batch.row_width());
        if let Some(landmarks) = &mut self.landmarks {
            // A place without moves is passed over, and the moves made are those of the last place.
            let parent = self.place - 1;
            let selection = landmarks.select(layer.row(parent), expansion, allowance.to_beat, &tried);
            selection.children.iter().for_each(|&child| expansion.keep(child, layer, visited, &mut next));
            progress.upper = selection.upper.filter(|_| layer.id(parent) == 0);
            progress.headway = 1.0 - selection.children.len() as f64 / selection.open.max(1) as f64;
            progress.work += selection.work;
            next.keep_best(usize::MAX);
        } else {
            (0..expansion.len()).for_each(|child| expansion.keep(child, layer, visited, &mut next));
            next.keep_tightest(self.round);
        }
        if !next.is_empty() {
            let layer = std::mem::replace(&mut self.layer, next.take_kept());
            self.above.push((layer, std::mem::take(&mut self.place)));
        }
        Ok(progress)
    }

    fn bytes(&self) -> usize {
        let layers = self.above.iter().map(|(layer, _)| layer.bytes()).sum::<usize>();
        self.visited.bytes() + self.layer.bytes() + layers
    }

    /// The moves that were tried in vain at this depth and above.
    fn tried(&self) -> Vec<Move> {
        let above = self.above.iter().map(|(layer, place)| (layer, place.saturating_sub(1)));
        let layers = above.chain([(&self.layer, self.place)]);
        layers
            .flat_map(|(layer, place)| (0..place).map(|place| self.visited.last_move(layer.id(place))))
            .collect()
    }
}

impl Solver for DepthFirst {
    fn name(&self) -> &'static str {
        if self.landmarks.is_some() { "depth-first search by landmarks" } else { "Warnsdorff's rule" }
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
        for _ in 0..self.states {
            if self.status != Status::Running {
                break;
            }
            let to_beat = all.found.as_ref().map(|found: &Found| found.goal).max(allowance.to_beat);
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
