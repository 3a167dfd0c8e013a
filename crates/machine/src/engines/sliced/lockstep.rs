//! Lanes that stay loaded and are told their moves. Each block of lanes keeps its fluents, legal moves and turns as columns of
//! bits; a step reads the moves into columns, runs two circuits (make the moves, look) on every block and writes the answers.
//! Nothing is transposed but what goes out (`write`) and the moves that come in (`read`). Random moves are chosen in columns, too
//! (`choose`).
//!
//! Moves are read and checked in all lanes before the first one is made, so an error changes nothing.

mod choose;
mod circuits;
mod read;
mod roll;
mod write;

use std::sync::Arc;

use groundrules_net::Network;

use crate::lockstep::{
    Actions, Arrays, LaneLayout, LaneOptions, Lockstep, Rolled, StepError, check_length, with_numbers,
};
use crate::rows::Rows;

use super::block::lanes;
use super::executable::Executable;
use super::options::Options;
use super::path::Path;
use super::transpose::transpose;
use super::vector::{Lanes256, Lanes512, Vector};
use super::{SlicedError, batch::ADVANCE, batch::LOOK};
use circuits::Places;
use write::Writing;

/// Lanes for a network. They begin in the initial state.
pub(crate) fn lockstep(
    network: Arc<Network>,
    layout: LaneLayout,
    options: LaneOptions,
    how: &Options,
) -> Result<Box<dyn Lockstep>, SlicedError> {
    let (mut parts, places) = circuits::circuits(&network, &layout)?;
    for role in 0..layout.roles() {
        parts.push(choose::circuit(layout.actions(role).len())?);
    }
    let randoms = parts[choose::part(0)..].iter().map(|part| part.gates.randoms).collect();
    let gates = parts.iter().map(|part| part.gates.gates.len()).sum();
    let path = how.path.unwrap_or_else(|| Path::best(gates));
    if !path.is_available() {
        return Err(SlicedError::NotAvailable { path });
    }
    let code = Executable::new(&parts, path);
    let roller = roll::Roller::default();
    let game = Game { network, how: *how, layout, options, places, randoms, code, roller };
    Ok(if game.code.path.is_narrow() {
        Box::new(Columns::<Lanes256>::new(game))
    } else {
        Box::new(Columns::<Lanes512>::new(game))
    })
}

/// What does not change from step to step.
struct Game {
    network: Arc<Network>,
    how: Options,
    layout: LaneLayout,
    options: LaneOptions,
    places: Places,
    /// How many vectors of random bits the choice of each role takes.
    randoms: Vec<usize>,
    code: Executable,
    roller: roll::Roller,
}

/// Lanes as columns of bits.
struct Columns<V> {
    game: Arc<Game>,
    blocks: Vec<Block<V>>,
    /// What the circuits work in.
    memory: Vec<V>,
    /// What there is to see in the initial state, the same in every lane; behind the fluents, as circuits leave it.
    first: Vec<V>,
    writing: Writing,
}

/// As many lanes as a vector has.
struct Block<V> {
    fluents: Vec<V>,
    /// Each move: whether it is legal, and whether it is made in this step.
    legal: Vec<V>,
    made: Vec<V>,
    /// Each role: whether it alone has the turn.
    mover: Vec<V>,
    /// Matches that are over by the rules, and that were cut short.
    terminal: V,
    truncated: V,
    /// Lanes that make no move although their match goes on.
    held: V,
    /// Lanes that exist. The last block may have more than are wanted.
    exists: V,
    /// How many joint moves the matches have had, and a number that none of them exceeds.
    steps: Vec<u32>,
    most_steps: u32,
}

impl<V: Vector> Block<V> {
    fn new(game: &Game, lanes: usize) -> Self {
        let layout = &game.layout;
        let mut exists = V::default();
        (0..lanes).for_each(|lane| exists.words_mut()[lane / 64] |= 1 << (lane % 64));
        Block {
            fluents: vec![V::default(); layout.fluents()],
            legal: vec![V::default(); layout.names().moves()],
            made: vec![V::default(); layout.names().moves()],
            mover: vec![V::default(); layout.roles()],
            terminal: V::default(),
            truncated: V::default(),
            held: V::default(),
            exists,
            steps: vec![0; lanes],
            most_steps: 0,
        }
    }

    /// Lanes that make a move.
    fn going(&self) -> V {
        self.terminal.or(self.truncated).or(self.held).and_not(self.exists)
    }

    /// Lanes that have come to a limit of steps.
    fn late(&self, limit: u32) -> V {
        let mut late = V::default();
        for (lane, _) in self.steps.iter().enumerate().filter(|(_, steps)| **steps >= limit) {
            late.words_mut()[lane / 64] |= 1 << (lane % 64);
        }
        late
    }
}

/// What happened to a block's lanes in a step.
struct Happened<V> {
    /// Matches that this step ended, by the rules or by a limit.
    terminal: V,
    truncated: V,
}

impl<V: Vector> Columns<V> {
    fn new(game: Game) -> Self {
        let width = V::WORDS * 64;
        let lanes = game.layout.lanes;
        let blocks =
            (0..lanes.div_ceil(width)).map(|block| Block::new(&game, (lanes - block * width).min(width)));
        let mut columns = Columns {
            blocks: blocks.collect(),
            memory: vec![V::default(); game.code.places.max(game.places.end)],
            first: Vec::new(),
            writing: Writing::new(&game.layout),
            game: Arc::new(game),
        };
        for fluent in 0..columns.game.network.init.len() {
            columns.memory[fluent] = V::filled(columns.game.network.init[fluent]);
        }
        columns.look();
        columns.first = columns.memory[..columns.game.places.end].to_vec();
        for block in 0..columns.blocks.len() {
            columns.restart(block, V::filled(true));
        }
        columns
    }

    fn look(&mut self) {
        self.game.code.run::<V>(LOOK, &mut self.memory, &[]);
    }

    /// Makes the moves of a block and looks. What is found is in the memory. Gives the lanes that made a move.
    fn make_moves(&mut self, block: usize) -> V {
        let own = &mut self.blocks[block];
        let going = own.going();
        let fluents = own.fluents.len();
        self.memory[..fluents].copy_from_slice(&own.fluents);
        self.memory[fluents..fluents + own.made.len()].copy_from_slice(&own.made);
        self.game.code.run::<V>(ADVANCE, &mut self.memory, &[]);
        if going != V::filled(true) {
            for (next, &now) in self.memory.iter_mut().zip(&own.fluents) {
                *next = choose(going, *next, now);
            }
        }
        self.look();
        going
    }

    /// Makes the moves of a block, which were read, and writes what is seen then.
    fn advance(&mut self, block: usize, arrays: &mut Arrays<'_>) {
        let game = Arc::clone(&self.game);
        let going = self.make_moves(block);
        let happened = self.count_step(block, going);
        self.writing.rewards(&game, block, &self.memory, happened.terminal, arrays);
        self.settle(block, &happened);
        if game.options.auto_reset {
            self.restart(block, happened.terminal.or(happened.truncated));
        }
        let own = &self.blocks[block];
        if game.options.auto_reset {
            write::flags(block, &happened.terminal, arrays.terminal);
            write::flags(block, &happened.truncated, arrays.truncated);
        } else {
            write::flags(block, &own.terminal, arrays.terminal);
            write::flags(block, &own.truncated, arrays.truncated);
        }
        self.writing.block(&game, block, own, arrays);
    }

    /// Counts a step in the lanes that made one, and finds the matches that it ended.
    fn count_step(&mut self, block: usize, going: V) -> Happened<V> {
        let (options, places) = (self.game.options, &self.game.places);
        let own = &mut self.blocks[block];
        if going == own.exists {
            own.steps.iter_mut().for_each(|steps| *steps = steps.saturating_add(1));
        } else {
            lanes(going).for_each(|lane| own.steps[lane] = own.steps[lane].saturating_add(1));
        }
        own.most_steps = own.most_steps.saturating_add(1);
        let terminal = self.memory[places.terminal].and(going);
        let mut cut = self.memory[places.stuck];
        if own.most_steps >= options.max_steps {
            own.most_steps = own.steps.iter().copied().max().unwrap_or(0);
            cut = cut.or(own.late(options.max_steps));
        }
        Happened { terminal, truncated: terminal.and_not(cut.and(going)) }
    }

    /// Takes what the circuits found over into the block.
    fn settle(&mut self, block: usize, happened: &Happened<V>) {
        let places = &self.game.places;
        let own = &mut self.blocks[block];
        own.terminal = own.terminal.or(happened.terminal);
        own.truncated = own.truncated.or(happened.truncated);
        let over = own.terminal.or(own.truncated);
        let fluents = own.fluents.len();
        own.fluents.copy_from_slice(&self.memory[..fluents]);
        own.legal.copy_from_slice(&self.memory[places.legal..places.goals]);
        own.mover.copy_from_slice(&self.memory[places.mover..places.stuck]);
        if !over.is_empty() {
            own.legal.iter_mut().chain(&mut own.mover).for_each(|column| *column = over.and_not(*column));
        }
    }

    /// Puts some lanes of a block into the initial state.
    fn restart(&mut self, block: usize, which: V) {
        if which.is_empty() {
            return;
        }
        let (places, first) = (&self.game.places, &self.first);
        let own = &mut self.blocks[block];
        // A game may be over, or stuck, before it begins.
        let (terminal, stuck) = (first[places.terminal], first[places.stuck]);
        own.terminal = choose(which, terminal, own.terminal).and(own.exists);
        own.truncated = choose(which, terminal.and_not(stuck), own.truncated).and(own.exists);
        let over = terminal.or(stuck);
        for (now, &begin) in own.fluents.iter_mut().zip(first) {
            *now = choose(which, begin, *now);
        }
        let legal = own.legal.iter_mut().zip(&first[places.legal..]);
        for (now, &begin) in legal.chain(own.mover.iter_mut().zip(&first[places.mover..])) {
            *now = choose(which, over.and_not(begin), *now);
        }
        lanes(which.and(own.exists)).for_each(|lane| own.steps[lane] = 0);
        if which == V::filled(true) {
            own.most_steps = 0;
        }
    }

    /// Writes what is seen in every lane, where no step was made.
    fn show(&mut self, arrays: &mut Arrays<'_>) {
        arrays.rewards.fill(0.0);
        for (block, own) in self.blocks.iter().enumerate() {
            write::flags(block, &own.terminal, arrays.terminal);
            write::flags(block, &own.truncated, arrays.truncated);
            self.writing.block(&self.game, block, own, arrays);
        }
    }
}

/// One where a condition holds, the other where it does not.
#[inline(always)]
fn choose<V: Vector>(condition: V, yes: V, no: V) -> V {
    condition.and(yes).or(condition.and_not(no))
}

/// The flags of a block's lanes, or the same everywhere.
fn column<V: Vector>(block: usize, flags: Option<&[bool]>, otherwise: bool) -> V {
    let Some(flags) = flags else { return V::filled(otherwise) };
    let mut column = V::default();
    let own = flags[block * V::WORDS * 64..].iter().take(V::WORDS * 64).enumerate();
    own.filter(|(_, flag)| **flag).for_each(|(lane, _)| column.words_mut()[lane / 64] |= 1 << (lane % 64));
    column
}

impl<V: Vector> Lockstep for Columns<V> {
    fn layout(&self) -> &LaneLayout {
        &self.game.layout
    }

    fn reset(&mut self, which: Option<&[bool]>, arrays: &mut Arrays<'_>) -> Result<(), StepError> {
        arrays.check(&self.game.layout)?;
        if let Some(which) = which {
            check_length("flags", self.game.layout.lanes, which.len())?;
        }
        for block in 0..self.blocks.len() {
            self.restart(block, column(block, which, true));
        }
        self.show(arrays);
        Ok(())
    }

    fn step(
        &mut self,
        actions: Actions<'_>,
        checked: bool,
        arrays: &mut Arrays<'_>,
    ) -> Result<(), StepError> {
        actions.check(&self.game.layout)?;
        arrays.check(&self.game.layout)?;
        let layout = &self.game.layout;
        let (each, width) = (if actions.is_joint() { layout.roles() } else { 1 }, V::WORDS * 64);
        for (number, block) in self.blocks.iter_mut().enumerate() {
            with_numbers!(actions.numbers(), numbers => {
                let own = &numbers[number * width * each..];
                let own = &own[..own.len().min(width * each)];
                if actions.is_joint() {
                    read::joint(layout, own, block);
                } else {
                    read::of_mover(layout, own, block);
                }
                if checked {
                    read::check(layout, own, block, actions.is_joint(), number * width)?;
                }
            });
        }
        for block in 0..self.blocks.len() {
            self.advance(block, arrays);
        }
        Ok(())
    }

    fn hold_others(&mut self, moving: Option<&[bool]>) -> Result<(), StepError> {
        check_length("flags", self.game.layout.lanes, moving.map_or(self.game.layout.lanes, <[bool]>::len))?;
        for (number, block) in self.blocks.iter_mut().enumerate() {
            block.held = column::<V>(number, moving, true).and_not(V::filled(true));
        }
        Ok(())
    }

    fn random_actions(&mut self, seed: u64, actions: &mut [i32]) -> Result<(), StepError> {
        check_length("actions", self.game.layout.lanes * self.game.layout.roles(), actions.len())?;
        self.random(seed, actions);
        Ok(())
    }

    fn rollout(&mut self, steps: u64, seed: u64, arrays: &mut Arrays<'_>) -> Result<Rolled, StepError> {
        arrays.check(&self.game.layout)?;
        Ok(self.roll(steps, seed, arrays))
    }

    fn save(&self) -> Rows {
        let words = self.game.network.init.len().div_ceil(64).max(1);
        let mut rows = vec![0; self.game.layout.lanes * words];
        let width = V::WORDS * 64;
        for (block, own) in self.blocks.iter().enumerate() {
            let rows = &mut rows[block * width * words..];
            for word in 0..own.steps.len().div_ceil(64) {
                for first in (0..own.fluents.len()).step_by(64) {
                    let square = write::square(&own.fluents[first..], word);
                    let lanes = (own.steps.len() - word * 64).min(64);
                    for (lane, &bits) in square[..lanes].iter().enumerate() {
                        rows[(word * 64 + lane) * words + first / 64] = bits;
                    }
                }
            }
        }
        Rows::of_words(words, rows)
    }

    fn steps(&self) -> Vec<u32> {
        self.blocks.iter().flat_map(|block| block.steps.iter().copied()).collect()
    }

    fn load(&mut self, states: &Rows, steps: &[u32], arrays: &mut Arrays<'_>) -> Result<(), StepError> {
        let game = Arc::clone(&self.game);
        arrays.check(&game.layout)?;
        check_length("states", game.layout.lanes, states.len())?;
        check_length("counts of steps", game.layout.lanes, steps.len())?;
        let (expected, given) = (game.network.init.len().div_ceil(64).max(1), states.width().unwrap_or(0));
        if expected != given {
            return Err(StepError::OtherStates { expected, given });
        }
        let width = V::WORDS * 64;
        for block in 0..self.blocks.len() {
            self.load_block(block, states);
            self.look();
            let own = &mut self.blocks[block];
            let count = own.steps.len();
            own.steps.copy_from_slice(&steps[block * width..][..count]);
            own.most_steps = own.steps.iter().copied().max().unwrap_or(0);
            (own.terminal, own.truncated) = (V::default(), V::default());
            let terminal = self.memory[game.places.terminal].and(own.exists);
            let cut = self.memory[game.places.stuck].or(own.late(game.options.max_steps));
            let truncated = terminal.and_not(cut.and(own.exists));
            self.settle(block, &Happened { terminal, truncated });
        }
        self.show(arrays);
        Ok(())
    }
}

impl<V: Vector> Columns<V> {
    /// Puts the states of a block into the memory.
    fn load_block(&mut self, block: usize, states: &Rows) {
        let (fluents, width) = (self.game.network.init.len(), V::WORDS * 64);
        let lanes = self.blocks[block].steps.len();
        for word in 0..lanes.div_ceil(64) {
            let first_lane = block * width + word * 64;
            for first in (0..fluents).step_by(64) {
                let mut square = [0; 64];
                for (lane, bits) in square[..(lanes - word * 64).min(64)].iter_mut().enumerate() {
                    *bits = states.row(first_lane + lane)[first / 64];
                }
                transpose(&mut square);
                for (column, &bits) in self.memory[first..fluents].iter_mut().zip(&square) {
                    column.words_mut()[word] = bits;
                }
            }
        }
    }
}
