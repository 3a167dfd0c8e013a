//! Lines of moves from the initial state to states that were found. Nothing is stored for them: a state of one level has
//! a predecessor in the level before, which is found by expanding that level again. All wanted lines are found in one pass
//! backwards through the levels.
//!
//! Of several predecessors the least row is taken, and of several joint moves to it the least, so lines are the same
//! whatever the number of workers.

use groundrules_machine::{Move, Rows};
use hashbrown::HashMap;

use crate::budget::Stage;
use crate::error::ExploreError;
use crate::findings::Finding;
use crate::link::gather;
use crate::worker::Worker;

/// A line of joint moves from the initial state.
pub type Line = Vec<Vec<Move>>;

/// A state to be led to, and the way from there on.
struct Wanted {
    depth: usize,
    row: Vec<u64>,
    /// The joint moves from here on, the last first.
    tail: Vec<Vec<u32>>,
}

/// A predecessor and the joint move from it.
type Predecessor = (Vec<u64>, Vec<u32>);

impl Worker<'_> {
    /// The lines to some findings.
    pub(crate) fn lines(&mut self, findings: &[&Finding]) -> Result<Vec<Line>, ExploreError> {
        let wanted = |finding: &&Finding| Wanted {
            depth: finding.depth,
            row: finding.row.clone(),
            tail: finding.joint.iter().cloned().collect(),
        };
        let mut all: Vec<Wanted> = findings.iter().map(wanted).collect();
        let deepest = all.iter().map(|one| one.depth).max().unwrap_or(0);
        for depth in (1..=deepest).rev() {
            self.report_pass(Stage::Lines, depth, 0);
            let here: Vec<usize> = (0..all.len()).filter(|&index| all[index].depth == depth).collect();
            let mut rows: Vec<&[u64]> = here.iter().map(|&index| &all[index].row[..]).collect();
            rows.sort_unstable();
            rows.dedup();
            let found = self.predecessors(depth - 1, &rows)?;
            let found: HashMap<Vec<u64>, Predecessor> =
                rows.into_iter().map(<[u64]>::to_vec).zip(found).collect();
            for index in here {
                let one = &mut all[index];
                let (row, joint) = &found[&one.row];
                one.tail.push(joint.clone());
                one.row.clone_from(row);
                one.depth -= 1;
            }
        }
        let line = |one: Wanted| -> Line {
            one.tail.into_iter().rev().map(|joint| joint.into_iter().map(Move).collect()).collect()
        };
        Ok(all.into_iter().map(line).collect())
    }

    /// For each row the least predecessor in a level. Each has one there, by which it was found.
    fn predecessors(&mut self, depth: usize, rows: &[&[u64]]) -> Result<Vec<Predecessor>, ExploreError> {
        let places: HashMap<&[u64], usize> =
            rows.iter().enumerate().map(|(place, &row)| (row, place)).collect();
        let mut best: Vec<Option<Predecessor>> = vec![None; rows.len()];
        let mut block = Rows::new(self.expander.width());
        let level = self.store.level_len(depth);
        for first in (0..level).step_by(self.expander.block()) {
            self.store.copy(depth, first..level.min(first + self.expander.block()), &mut block)?;
            self.expander.look(&block)?;
            self.expander.successors(&block, false, &mut |successors| {
                for (index, row) in successors.rows.iter().enumerate() {
                    let Some(&place) = places.get(row) else { continue };
                    let from = block.row(successors.from[index] as usize);
                    let joint = successors.joint(index).iter().map(|made| made.0);
                    let step = (from.to_vec(), joint.collect());
                    if best[place].as_ref().is_none_or(|best| step < *best) {
                        best[place] = Some(step);
                    }
                }
                Ok(())
            })?;
        }
        let all = gather(self.link, &best)?;
        let mut least: Vec<Option<Predecessor>> = vec![None; rows.len()];
        for (place, found) in all.into_iter().flat_map(|best| best.into_iter().enumerate()) {
            if let Some(found) = found
                && least[place].as_ref().is_none_or(|best| found < *best)
            {
                least[place] = Some(found);
            }
        }
        let expect =
            |found: Option<Predecessor>| found.expect("a state has a predecessor in the level before");
        Ok(least.into_iter().map(expect).collect())
    }
}
