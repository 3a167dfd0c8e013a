//! Sweeps of one player alone: from the match's state layer by layer, at most so many states wide; when a layer has more,
//! playouts tell which ones stay. A round that comes to nothing better is followed by a wider one. A puzzle with few states
//! is swept as a whole, whatever playouts say of it.
//!
//! There are four manners. A broad sweep makes every move and is cheap; it begins without leaving anything out, in case
//! there are few positions. A tight one goes down at once, always to where the fewest moves are left, and begins anew when that
//! takes long: what has few ways in and out must be passed while it can be. A careful one (`careful`) makes only the moves that have to be made sooner or later and leaves
//! what is out of reach, which is what puzzles want whose moves can be made in any order; layer by layer, or with a layer
//! for each state, the deepest first.
//!
//! Positions are known by their hashes, without the fluents that tell the time. What is found is a line to an end; nothing
//! is proved, only exhausted.

mod careful;
mod layer;

use foldhash::quality::FixedState;
use groundrules_machine::relax::Relaxation;
use groundrules_machine::{Batch, MachineError, Move, Outcomes, PlayoutLimits, Rows, State, Views};
use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;
use std::hash::{BuildHasher, Hasher};

use layer::Layer;

/// A line that was found: the goal at its end and the moves that lead there from where the sweep began.
pub(super) struct Found {
    pub(super) goal: i32,
    pub(super) moves: Vec<Move>,
}

/// How a sweep goes about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// All moves, layer by layer.
    Broad,
    /// All moves, the deepest state first, and of those where the fewest moves are left.
    Tight,
    /// What has to be done, layer by layer.
    Careful,
    /// What has to be done, the deepest state first.
    Deep,
}

/// A sweep, done step by step.
pub(super) struct Sweep {
    manner: Manner,
    /// What may still come of states, for a careful sweep.
    relaxation: Option<Relaxation>,
    /// Whether being careful was of any use.
    is_of_use: bool,
    start: State,
    /// The bits that tell the time.
    mask: Vec<u64>,
    width: usize,
    layer: Layer,
    /// The next state of the layer whose moves are made.
    place: usize,
    next: Layer,
    /// In a sweep that goes down at once the layers above, each with its next state.
    above: Vec<(Layer, usize)>,
    /// For each state of the round the one that it came from, and by which move.
    origins: Vec<(u32, Move)>,
    seen: HashSet<u64, FxBuildHasher>,
    /// Whether states were left out in this round because there were too many.
    is_partial: bool,
    is_over: bool,
    /// How many steps were done in the match.
    spent: usize,
    /// How many moves were made in this step.
    made: usize,
    /// How many rounds there were in the match.
    rounds: u64,
    /// How many layers with few moves are gone through in a step, at most.
    layers: usize,
    /// How many bytes it may take, about.
    limit: usize,
    scratch: Scratch,
}

/// Memory that is used again from step to step.
#[derive(Default)]
struct Scratch {
    from: Vec<u32>,
    joints: Vec<Move>,
    children: Rows,
    views: Views,
    judged: Rows,
    outcomes: Outcomes,
}

/// Moves made in one step of a broad sweep, about.
const STEP: usize = 1024;

/// How often a step goes on because a layer had few moves.
const SMALL_LAYERS: usize = 32;

/// Steps of a deep sweep at a time while being careful is of use, and for how many steps that lasts in a match.
const DEEP_STEPS: usize = 24;
const PATIENCE: usize = 5000;

/// Steps at a time of the round that leaves nothing out, which is soon over.
const FIRST_STEPS: usize = 4;

/// States from which playouts are played in one step, and how many from each.
const JUDGED: usize = 64;
const PLAYOUTS: usize = 4;

/// The widths of the first rounds, broad and careful; each round is so many times as wide as the one before.
const WIDTHS: (usize, usize) = (64, 4);
const WIDER: usize = 4;

/// A broad sweep begins with a round in which nobody is left out, up to so many bytes: some hundred thousand small positions.
const FEW: usize = 16 << 20;

/// No round is wider than this.
const WIDEST: usize = 1 << 22;

/// States of a round of a tight sweep, and how many rounds there are in a match.
const TIGHT_STATES: usize = 1 << 11;
const TIGHT_ROUNDS: u64 = 64;

/// Operands that are gone over in a step of a tight sweep, about.
const TIGHT_OPERANDS: usize = 200_000;

/// States after which a careful sweep is given up if nothing was ever left out.
const TRIAL: usize = 64;

impl Sweep {
    /// A sweep of a game whose states tell the time by some bits. Only a broad one needs nothing to judge states by.
    pub(super) fn new(manner: Manner, mask: &[u64], relaxation: Option<Relaxation>, limit: usize) -> Self {
        let width = if manner == Manner::Careful { WIDTHS.1 } else { WIDEST };
        Sweep {
            manner,
            relaxation,
            is_of_use: false,
            start: State::default(),
            mask: mask.to_vec(),
            width,
            layer: Layer::default(),
            place: 0,
            next: Layer::default(),
            above: Vec::new(),
            origins: Vec::new(),
            seen: HashSet::default(),
            is_partial: false,
            is_over: true,
            spent: 0,
            made: 0,
            rounds: 0,
            layers: SMALL_LAYERS,
            limit,
            scratch: Scratch::default(),
        }
    }

    /// A tight sweep of a game whose network has so many operands: every state is a go over the whole network.
    pub(super) fn tight(mask: &[u64], operands: usize, limit: usize) -> Self {
        let layers = (TIGHT_OPERANDS / operands.max(1)).clamp(1, SMALL_LAYERS);
        Sweep { layers, ..Sweep::new(Manner::Tight, mask, None, limit) }
    }

    /// Begins at a state, as wide as it was before.
    pub(super) fn begin(&mut self, start: &State, batch: &mut dyn Batch) -> Result<(), MachineError> {
        self.start.clone_from(start);
        self.is_over = false;
        self.begin_round(batch)
    }

    /// Whether nothing is left to try.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Whether it is in the round that leaves nothing out.
    pub(super) fn is_whole(&self) -> bool {
        self.width == WIDEST
    }

    /// Whether every position was seen: there is nothing better than what was found.
    pub(super) fn is_exhausted(&self) -> bool {
        self.is_over
            && !self.is_partial
            && self.manner == Manner::Broad
            && self.mask.iter().all(|&word| word == 0)
    }

    fn begin_round(&mut self, batch: &mut dyn Batch) -> Result<(), MachineError> {
        self.origins.clear();
        self.origins.push((0, Move(0)));
        self.seen.clear();
        self.seen.insert(self.hash(self.start.words()));
        self.is_partial = false;
        self.above.clear();
        let Scratch { children, views, .. } = &mut self.scratch;
        *children = Rows::new(batch.row_width());
        children.push(self.start.words());
        batch.look(children, views)?;
        self.layer = Layer::new(batch.row_width());
        self.next = Layer::new(batch.row_width());
        self.layer.push(children.row(0), 0, views.legal(0, 0));
        self.place = 0;
        self.is_over |= views.is_terminal(0);
        Ok(())
    }

    /// Goes on for a step; gives a line if it leads to more than `best`. A broad sweep goes through several layers where
    /// they are small.
    pub(super) fn step(
        &mut self,
        batch: &mut dyn Batch,
        best: i32,
        limits: PlayoutLimits,
    ) -> Result<Option<Found>, MachineError> {
        let mut found: Option<Found> = None;
        self.spent += 1;
        self.made = 0;
        for _ in 0..self.layers {
            let to_beat = found.as_ref().map_or(best, |found| found.goal);
            found = self.go_through(batch, to_beat, limits)?.or(found);
            if self.relaxation.is_some() || self.made >= STEP / 2 {
                break;
            }
        }
        Ok(found)
    }

    /// Makes moves, or judges states, or goes on to the next layer.
    fn go_through(
        &mut self,
        batch: &mut dyn Batch,
        best: i32,
        limits: PlayoutLimits,
    ) -> Result<Option<Found>, MachineError> {
        if self.is_over {
            return Ok(None);
        }
        let limit = if self.width == WIDEST { self.limit.min(FEW) } else { self.limit };
        let is_long = self.manner == Manner::Tight && self.origins.len() > TIGHT_STATES;
        if self.bytes() > limit || is_long {
            self.is_partial = true;
            return self.end_round(batch).map(|()| None);
        }
        if self.place < self.layer.len() {
            return self.expand(batch, best);
        }
        if let Some((layer, place)) = self.above.pop() {
            (self.layer, self.place) = (layer, place);
            return Ok(None);
        }
        if self.next.is_empty() {
            return self.end_round(batch).map(|()| None);
        }
        if self.next.len() > self.width && self.next.judged() < self.next.len() {
            self.made = STEP;
            return self.judge(batch, best, limits);
        }
        self.go_on();
        Ok(None)
    }

    /// A round came to its end: the next one is wider, if that makes a difference.
    fn end_round(&mut self, batch: &mut dyn Batch) -> Result<(), MachineError> {
        let is_useless = self.relaxation.is_some() && !self.is_of_use;
        let is_first = self.width == WIDEST;
        if self.manner == Manner::Broad && !self.is_partial && self.mask.iter().any(|&word| word != 0) {
            // Nothing is left but what was given up for being late, which may be what it takes.
            self.mask.fill(0);
            self.width = WIDEST;
            return self.begin_round(batch);
        }
        self.rounds += 1;
        self.is_over = match self.manner {
            Manner::Deep => true,
            Manner::Tight => !self.is_partial || self.rounds >= TIGHT_ROUNDS,
            Manner::Broad | Manner::Careful => !self.is_partial || self.bytes() > self.limit || is_useless,
        };
        self.width = if is_first { WIDTHS.0 } else { (self.width * WIDER).min(WIDEST / 2) };
        if self.is_over { Ok(()) } else { self.begin_round(batch) }
    }

    /// The layer below becomes the layer, without those who do not stay.
    fn go_on(&mut self) {
        if self.next.len() > self.width {
            self.is_partial = true;
            for left in self.next.keep_best(self.width) {
                let hash = self.hash(self.next.row(left));
                self.seen.remove(&hash);
            }
            self.layer = self.next.take_kept();
        } else {
            std::mem::swap(&mut self.layer, &mut self.next);
        }
        self.next.clear();
        self.place = 0;
    }

    fn bytes(&self) -> usize {
        self.origins.len() * 8 + self.seen.len() * 16 + self.layer.bytes() + self.next.bytes()
    }

    fn hash(&self, row: &[u64]) -> u64 {
        let mut hasher = FixedState::default().build_hasher();
        for (place, word) in row.iter().enumerate() {
            hasher.write_u64(word & !self.mask.get(place).copied().unwrap_or(0));
        }
        hasher.finish()
    }

    /// Makes the moves of some states.
    fn expand(&mut self, batch: &mut dyn Batch, best: i32) -> Result<Option<Found>, MachineError> {
        let (first, tried) = (self.place, self.tried());
        let most = if self.manner == Manner::Broad { STEP } else { 1 };
        let Scratch { from, joints, children, views, .. } = &mut self.scratch;
        from.clear();
        joints.clear();
        children.clear();
        while self.place < self.layer.len() && joints.len() < most {
            let before = joints.len();
            joints.extend(self.layer.moves(self.place).iter().filter(|made| !tried.contains(made)));
            from.extend(joints[before..].iter().map(|_| super::tree::number(self.place)));
            self.place += 1;
        }
        self.made += joints.len();
        batch.advance(self.layer.rows(), from, joints, children)?;
        batch.look(children, views)?;
        let found = self.best_end(best);
        if self.relaxation.is_some() {
            let chosen = self.careful(first, best, &tried);
            chosen.into_iter().for_each(|child| self.keep(child));
            self.is_over |= !self.is_of_use && self.origins.len() > TRIAL;
            self.go_deeper();
        } else {
            (0..self.scratch.children.len()).for_each(|child| self.keep(child));
            self.go_deeper();
        }
        Ok(found)
    }

    /// In a deep sweep the moves that were tried in vain in the states above: they are not made below either.
    fn tried(&self) -> Vec<Move> {
        let mut tried = Vec::new();
        if self.manner == Manner::Deep {
            let above = self.above.iter().map(|(layer, place)| (layer, place.saturating_sub(1)));
            for (layer, place) in above.chain([(&self.layer, self.place)]) {
                tried.extend((0..place).map(|place| self.origins[layer.id(place) as usize].1));
            }
        }
        tried
    }

    /// How many steps it is worth at a time.
    pub(super) fn steps(&self) -> usize {
        match self.manner {
            Manner::Deep if self.is_of_use && self.spent < PATIENCE => DEEP_STEPS,
            Manner::Broad if self.width == WIDEST => FIRST_STEPS,
            _ => 1,
        }
    }

    /// In a deep sweep the states that were come to are next, those with the most moves first; in a tight one those with the
    /// fewest, and if there are several one or another, from round to round.
    fn go_deeper(&mut self) {
        if self.next.is_empty() {
            return;
        }
        match self.manner {
            Manner::Deep => drop(self.next.keep_best(usize::MAX)),
            Manner::Tight => self.next.keep_tightest(self.rounds),
            Manner::Broad | Manner::Careful => return,
        }
        let deeper = self.next.take_kept();
        self.next.clear();
        let layer = std::mem::replace(&mut self.layer, deeper);
        self.above.push((layer, std::mem::take(&mut self.place)));
    }

    /// The best end among the states that were come to, if it is better than what is known.
    fn best_end(&self, best: i32) -> Option<Found> {
        let Scratch { from, joints, views, .. } = &self.scratch;
        let ends = (0..views.len()).filter(|&child| views.is_terminal(child));
        let goals = ends.filter_map(|child| match *views.goals(child, 0) {
            [goal] if goal > best => Some((goal, child)),
            _ => None,
        });
        let (goal, child) = goals.max_by_key(|&(goal, child)| (goal, std::cmp::Reverse(child)))?;
        let mut moves = way_to(&self.origins, self.layer.id(from[child] as usize));
        moves.push(joints[child]);
        Some(Found { goal, moves })
    }

    /// Takes a state into the layer below, if the match goes on there and it was not seen.
    fn keep(&mut self, child: usize) {
        let Scratch { from, joints, children, views, .. } = &self.scratch;
        if views.is_terminal(child) || views.legal(child, 0).is_empty() {
            return;
        }
        let hash = self.hash(children.row(child));
        if self.seen.insert(hash) {
            let id = super::tree::number(self.origins.len());
            self.origins.push((self.layer.id(from[child] as usize), joints[child]));
            self.next.push(children.row(child), id, views.legal(child, 0));
        }
    }

    /// Plays playouts from some states of the layer below.
    fn judge(
        &mut self,
        batch: &mut dyn Batch,
        best: i32,
        limits: PlayoutLimits,
    ) -> Result<Option<Found>, MachineError> {
        let first = self.next.judged();
        let end = (first + JUDGED).min(self.next.len());
        let Scratch { judged, outcomes, .. } = &mut self.scratch;
        *judged = Rows::new(batch.row_width());
        (first..end).for_each(|place| judged.push(self.next.row(place)));
        batch.play_out(judged, PLAYOUTS, limits, outcomes)?;
        let mut found: Option<(i32, usize, usize)> = None;
        for place in 0..end - first {
            let (sum, _) = outcomes.sum(place, 0);
            let (goal, number) = outcomes.best(place, 0).unwrap_or((0, 0));
            self.next.judge(f64::from(goal) + sum as f64 / PLAYOUTS as f64);
            if goal > found.map_or(best, |(goal, ..)| goal) {
                found = Some((goal, first + place, number));
            }
        }
        let Some((goal, place, number)) = found else { return Ok(None) };
        let Some(playout) = batch.retrace(judged, PLAYOUTS, limits, number)? else { return Ok(None) };
        let mut moves = way_to(&self.origins, self.next.id(place));
        moves.extend(playout);
        Ok(Some(Found { goal, moves }))
    }
}

/// The moves that lead to a state, where each but the first has the one that it came from and the move.
pub(super) fn way_to(origins: &[(u32, Move)], mut id: u32) -> Vec<Move> {
    let mut moves = Vec::new();
    while id != 0 {
        let (from, made) = origins[id as usize];
        moves.push(made);
        id = from;
    }
    moves.reverse();
    moves
}
