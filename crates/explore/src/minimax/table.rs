//! The transposition table: bounds of states, in memory of a fixed size. It has whole states, so that no two are confused; when
//! there is no room, what took the least effort is forgotten. What it has is proved, so it can be written down, and a later search
//! goes on with it.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;

use groundrules_machine::Move;

use crate::checkpoint::Checkpoints;
use crate::digest::Digest;
use crate::error::ExploreError;
use crate::hash::hash;

/// What is known of a state's value: it is at least, at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    at_least: i32,
    at_most: i32,
    /// The move that proved it.
    pub(super) best: Option<Move>,
}

impl Default for Known {
    fn default() -> Self {
        Known { at_least: i32::MIN, at_most: i32::MAX, best: None }
    }
}

impl Known {
    pub(super) fn exact(value: i32) -> Self {
        Known { at_least: value, at_most: value, best: None }
    }

    /// A bound that decides whether the value is at least a goal, if there is one.
    pub(super) fn bound(&self, goal: i32) -> Option<i32> {
        if self.at_least >= goal {
            Some(self.at_least)
        } else {
            (self.at_most < goal).then_some(self.at_most)
        }
    }
}

/// States per place.
const WAYS: usize = 4;

/// The name of the file in the folder of checkpoints.
pub(crate) const FILE: &str = "bounds";

/// The table.
pub(super) struct Table {
    width: usize,
    rows: Vec<u64>,
    bounds: Vec<Packed>,
    /// A mask for places.
    mask: usize,
}

/// What is known of the state in the same place; no effort where there is none.
#[derive(Clone, Copy)]
struct Entry {
    at_least: i32,
    at_most: i32,
    best: u32,
    /// How many states were expanded for it.
    effort: u32,
}

/// An entry as it is stored. Memory full of zeros costs nothing until it is written to, if it is of plain numbers.
type Packed = [u32; 4];

impl Entry {
    fn packed(self) -> Packed {
        [self.at_least.cast_unsigned(), self.at_most.cast_unsigned(), self.best, self.effort]
    }

    fn of([at_least, at_most, best, effort]: Packed) -> Self {
        Entry { at_least: at_least.cast_signed(), at_most: at_most.cast_signed(), best, effort }
    }
}

/// Where the effort of an entry is stored.
const EFFORT: usize = 3;

impl Table {
    /// A table for states of so many words, in about so much memory.
    pub(super) fn new(width: usize, bytes: usize) -> Self {
        let each = WAYS * (8 * width + size_of::<Packed>());
        let places = (bytes / each).max(2);
        let places = 1 << places.ilog2();
        Table {
            width,
            rows: vec![0; places * WAYS * width],
            bounds: vec![[0; 4]; places * WAYS],
            mask: places - 1,
        }
    }

    pub(super) fn bytes(&self) -> usize {
        8 * self.rows.len() + size_of::<Packed>() * self.bounds.len()
    }

    fn place(&self, row: &[u64]) -> usize {
        (hash(row) as usize & self.mask) * WAYS
    }

    fn row(&self, index: usize) -> &[u64] {
        &self.rows[index * self.width..(index + 1) * self.width]
    }

    fn find(&self, place: usize, row: &[u64]) -> Option<usize> {
        (place..place + WAYS).find(|&index| self.bounds[index][EFFORT] > 0 && self.row(index) == row)
    }

    /// What is known of a state.
    pub(super) fn get(&self, row: &[u64]) -> Option<Known> {
        let Entry { at_least, at_most, best, .. } = Entry::of(self.bounds[self.find(self.place(row), row)?]);
        Some(Known { at_least, at_most, best: Some(Move(best)) })
    }

    /// The value of a state was searched for a goal; `value` is a lower bound if it is at least the goal, and else an upper one.
    pub(super) fn insert(&mut self, row: &[u64], goal: i32, value: i32, best: Move, effort: u64) {
        let effort = u32::try_from(effort).unwrap_or(u32::MAX).max(1);
        let (at_least, at_most) = if value >= goal { (value, i32::MAX) } else { (i32::MIN, value) };
        self.put(row, Entry { at_least, at_most, best: best.0, effort });
    }

    fn put(&mut self, row: &[u64], new: Entry) {
        let place = self.place(row);
        if let Some(index) = self.find(place, row) {
            let mut known = Entry::of(self.bounds[index]);
            known.at_least = known.at_least.max(new.at_least);
            known.at_most = known.at_most.min(new.at_most);
            known.best = new.best;
            known.effort = known.effort.saturating_add(new.effort);
            self.bounds[index] = known.packed();
            return;
        }
        let least = |&index: &usize| self.bounds[index][EFFORT];
        let index = (place..place + WAYS).min_by_key(least).expect("a place has some ways");
        // What stays gets older, so that nothing stays for good.
        for other in (place..place + WAYS).filter(|&other| other != index) {
            let effort = &mut self.bounds[other][EFFORT];
            *effort = (*effort - *effort / 8).max(u32::from(*effort > 0));
        }
        self.rows[index * self.width..(index + 1) * self.width].copy_from_slice(row);
        self.bounds[index] = new.packed();
    }

    /// Writes all bounds into the folder of checkpoints: beside the old file, which it then replaces.
    pub(super) fn write(&self, checkpoints: &Checkpoints, sum: Option<i64>) -> Result<(), ExploreError> {
        let path = checkpoints.folder.join(FILE);
        let fails = |cause| ExploreError::File { path: path.clone(), cause };
        std::fs::create_dir_all(&checkpoints.folder).map_err(fails)?;
        let file = tempfile::NamedTempFile::new_in(&checkpoints.folder).map_err(fails)?;
        let mut out = Hashing { inner: BufWriter::new(file), hasher: blake3::Hasher::new() };
        self.write_to(&mut out, checkpoints, sum).map_err(fails)?;
        let Hashing { mut inner, hasher } = out;
        inner.write_all(hasher.finalize().as_bytes()).map_err(fails)?;
        let file = inner.into_inner().map_err(|error| fails(error.into_error()))?;
        file.as_file().sync_all().map_err(fails)?;
        file.persist(&path).map_err(|error| fails(error.error))?;
        Ok(())
    }

    fn write_to(
        &self,
        out: &mut impl Write,
        checkpoints: &Checkpoints,
        sum: Option<i64>,
    ) -> std::io::Result<()> {
        out.write_all(header(checkpoints, self.width).as_bytes())?;
        out.write_all(&[u8::from(sum.is_some())])?;
        out.write_all(&sum.unwrap_or(0).to_le_bytes())?;
        let used = self.bounds.iter().enumerate().filter(|(_, entry)| entry[EFFORT] > 0);
        out.write_all(&(used.clone().count() as u64).to_le_bytes())?;
        for (index, entry) in used {
            for word in self.row(index) {
                out.write_all(&word.to_le_bytes())?;
            }
            for number in entry {
                out.write_all(&number.to_le_bytes())?;
            }
        }
        Ok(())
    }

    /// Takes the bounds of the file in the folder of checkpoints, if there is one. Gives what the goals add up to in them.
    pub(super) fn read(&mut self, checkpoints: &Checkpoints) -> Result<Option<i64>, ExploreError> {
        let path = checkpoints.folder.join(FILE);
        if !path.exists() {
            return Ok(None);
        }
        let refused = |why: &str| ExploreError::Checkpoint { path: path.clone(), why: why.to_owned() };
        let is_whole = is_whole(&path).map_err(|cause| ExploreError::File { path: path.clone(), cause })?;
        if !is_whole {
            return Err(refused("its bytes are not those that were written"));
        }
        let file = File::open(&path).map_err(|cause| ExploreError::File { path: path.clone(), cause })?;
        let mut file = BufReader::new(file);
        let mut own = [0; 32];
        file.read_exact(&mut own).map_err(|_| refused("it is cut off"))?;
        if own != *header(checkpoints, self.width).as_bytes() {
            return Err(refused("it belongs to another game, engine or version"));
        }
        self.read_from(&mut file).map_err(|_| refused("it is cut off"))
    }

    fn read_from(&mut self, file: &mut impl Read) -> std::io::Result<Option<i64>> {
        let (mut is_known, mut word) = ([0], [0; 8]);
        file.read_exact(&mut is_known)?;
        file.read_exact(&mut word)?;
        let sum = (is_known == [1]).then_some(i64::from_le_bytes(word));
        file.read_exact(&mut word)?;
        let mut row = vec![0; self.width];
        for _ in 0..u64::from_le_bytes(word) {
            for place in &mut row {
                file.read_exact(&mut word)?;
                *place = u64::from_le_bytes(word);
            }
            let mut numbers = [0_u32; 4];
            for number in &mut numbers {
                let mut four = [0; 4];
                file.read_exact(&mut four)?;
                *number = u32::from_le_bytes(four);
            }
            self.put(&row, Entry::of(numbers));
        }
        Ok(sum)
    }
}

/// What a file begins with: it tells the game, the engine and the width of states.
fn header(checkpoints: &Checkpoints, width: usize) -> Digest {
    Digest::of("bounds", &[checkpoints.game.as_bytes(), &(width as u64).to_le_bytes()])
}

/// Whether a file ends with the digest of what comes before.
fn is_whole(path: &Path) -> std::io::Result<bool> {
    let length = std::fs::metadata(path)?.len();
    let Some(length) = length.checked_sub(32) else { return Ok(false) };
    let mut file = BufReader::with_capacity(1 << 16, File::open(path)?);
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader((&mut file).take(length))?;
    let mut digest = [0; 32];
    file.read_exact(&mut digest)?;
    Ok(digest == *hasher.finalize().as_bytes())
}

/// Writes and hashes what is written.
struct Hashing<W> {
    inner: W,
    hasher: blake3::Hasher,
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}
