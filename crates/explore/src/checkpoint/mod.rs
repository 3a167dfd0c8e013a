//! Checkpoints: the state of a search on disk, from which a killed run resumes. Every worker appends its new states to
//! its own file. The manifest, written to a temporary name and renamed, then records how much of each file is valid,
//! with digests, and the progress of every worker. At any time there is one complete manifest, and everything it refers
//! to was on disk before it.
//!
//! Processes on several machines have one folder each, with their own files and the common manifest, or share one
//! folder. A resumed run uses the oldest manifest, since files only grow, and each file is read by a process that has
//! it. The number of workers may change: states are then redistributed. A damaged file, another game or another format
//! version is refused.

mod manifest;

use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use groundrules_gdl::time::Instant;
use groundrules_machine::Rows;

use crate::digest::{Digest, GameId};
use crate::error::ExploreError;
use crate::exchange::{Delivery, Exchange};
use crate::findings::Findings;
use crate::hash::hash;
use crate::link::{Link, gather};
use crate::search::Position;
use crate::store::Store;
use manifest::{Manifest, Part};

/// Where checkpoints are written, how often, and of what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoints {
    /// The folder of the files.
    pub folder: PathBuf,
    /// What is explored; a checkpoint of anything else is refused.
    pub game: GameId,
    /// How much time passes between two of them, about.
    pub every: Duration,
    /// Whether to go on from the checkpoint in the folder, if there is one.
    pub resume: bool,
}

impl Checkpoints {
    /// Whether a folder has a checkpoint of an exploration.
    pub(crate) fn has_states(folder: &Path) -> bool {
        folder.join(manifest::FILE).exists()
    }

    /// Whether a folder has a checkpoint, of an exploration or of an alpha-beta search.
    pub fn exist(folder: &Path) -> bool {
        Checkpoints::has_states(folder) || folder.join(crate::minimax::FILE).exists()
    }
}

/// A worker's part in writing and reading checkpoints.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    folder: PathBuf,
    game: GameId,
    fingerprint: bool,
    /// Words of a state.
    width: usize,
    every: Duration,
    last: Instant,
    /// Which series of files this run writes; another one than that which it resumed with other workers.
    series: u64,
    /// How many manifests there were before.
    written: u64,
    segment: Option<Segment>,
}

/// A worker's file while it is written.
#[derive(Debug)]
struct Segment {
    name: String,
    file: File,
    /// Rows and bytes that are in it, and their digest.
    rows: u64,
    bytes: u64,
    hasher: blake3::Hasher,
}

impl Checkpoint {
    /// Checkpoints of the states in a store, which must have a fixed width.
    pub(crate) fn new(options: &Checkpoints, store: &Store) -> Result<Self, ExploreError> {
        let width = store.width().ok_or(ExploreError::NoFixedWidth)?;
        Ok(Checkpoint {
            folder: options.folder.clone(),
            game: options.game,
            fingerprint: matches!(store, Store::Fingerprints(_)),
            width,
            every: options.every,
            last: Instant::now(),
            series: 0,
            written: 0,
            segment: None,
        })
    }

    /// From now on states are in another order: all are written again.
    pub(crate) fn restart(&mut self) {
        self.series += 1;
        self.segment = None;
    }

    pub(crate) fn is_due(&self) -> bool {
        self.last.elapsed() >= self.every
    }

    /// Writes a checkpoint; all workers must do it together, between two rounds.
    pub(crate) fn write(
        &mut self,
        link: &mut dyn Link,
        store: &mut Store,
        position: &Position,
    ) -> Result<(), ExploreError> {
        let part = self.append(link.me(), store, position)?;
        let parts = gather(link, &part)?;
        self.written += 1;
        let Checkpoint { game, fingerprint, width, series, written: number, .. } = *self;
        let manifest = Manifest { game, fingerprint, width, series, number, parts };
        if link.leads() {
            manifest.write(&self.folder)?;
        }
        self.last = Instant::now();
        // No worker continues before all manifests are written: a file that one of them refers to must not be truncated.
        gather(link, &())?;
        if link.leads() {
            self.sweep(&manifest);
        }
        Ok(())
    }

    /// Appends the states that are not yet on disk.
    fn append(&mut self, me: usize, store: &mut Store, position: &Position) -> Result<Part, ExploreError> {
        let mut segment = match self.segment.take() {
            Some(segment) => segment,
            None => self.begin_segment(me)?,
        };
        let path = self.folder.join(&segment.name);
        let at = |cause| ExploreError::File { path: path.clone(), cause };
        let levels: Vec<u64> = (0..=position.depth + 1).map(|depth| store.level_len(depth) as u64).collect();
        let mut block = Rows::new(store.width());
        let mut out = BufWriter::with_capacity(1 << 20, &segment.file);
        let (mut first, mut bytes) = (0, Vec::new());
        for (depth, &states) in levels.iter().enumerate() {
            // Levels that are on disk are passed over; the last of them may be there in part.
            let mut place = segment.rows.saturating_sub(first).min(states);
            while place < states {
                let end = states.min(place + 1024);
                store.copy(depth, place as usize..end as usize, &mut block)?;
                bytes.clear();
                bytes.extend(block.words().iter().flat_map(|word| word.to_le_bytes()));
                out.write_all(&bytes).map_err(at)?;
                segment.hasher.update(&bytes);
                segment.bytes += bytes.len() as u64;
                segment.rows += end - place;
                place = end;
            }
            first += states;
        }
        out.flush().map_err(at)?;
        drop(out);
        segment.file.sync_data().map_err(at)?;
        let part = Part {
            file: segment.name.clone(),
            rows: segment.rows,
            bytes: segment.bytes,
            digest: Digest::of_hasher(&segment.hasher),
            levels,
            position: position.clone(),
        };
        self.segment = Some(segment);
        Ok(part)
    }

    fn begin_segment(&self, me: usize) -> Result<Segment, ExploreError> {
        let name = format!("states-{}-{me}.bin", self.series);
        let path = self.folder.join(&name);
        let made = fs::create_dir_all(&self.folder).and_then(|()| File::create(&path));
        let file = made.map_err(|cause| ExploreError::File { path, cause })?;
        Ok(Segment { name, file, rows: 0, bytes: 0, hasher: blake3::Hasher::new() })
    }

    /// Removes files of series that do not count any more. What cannot be removed does no harm.
    fn sweep(&self, manifest: &Manifest) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_own =
                name.starts_with("states-") && name.ends_with(".bin") || name.starts_with(".manifest-");
            if is_own && manifest.parts.iter().all(|part| part.file != name) {
                // A file that stays takes room on the disk and nothing else: the manifest does not count it.
                drop(fs::remove_file(entry.path()));
            }
        }
    }

    /// Reads a checkpoint into an empty store: the states of this worker, and how far it is. All workers must do it
    /// together. `None` if there is no checkpoint.
    pub(crate) fn resume(
        &mut self,
        link: &mut dyn Link,
        store: &mut Store,
    ) -> Result<Option<Position>, ExploreError> {
        let Some(manifest) = self.common_manifest(link)? else { return Ok(None) };
        let mut readers = self.readers(link, &manifest)?;
        let mut position = Position { findings: Findings::default(), ..manifest.parts[0].position.clone() };
        position.done = 0;
        if link.me() == 0 {
            position.findings =
                Findings::merged(manifest.parts.iter().map(|part| part.position.findings.clone()));
        }
        let mut exchange = Exchange::new(link.peers(), store.width(), 1);
        for depth in 0..=position.depth + 1 {
            store.begin_level()?;
            let done = self.read_level(link, &mut exchange, store, &mut readers, depth, position.depth)?;
            position.done += done;
        }
        for (part, reader) in readers {
            reader.check(&part).map_err(|why| self.refused(&why))?;
        }
        (self.series, self.written) = (manifest.series + 1, manifest.number);
        gather(link, &())?;
        Ok(Some(position))
    }

    /// Reads a level of all files, each by one worker, and brings the states to their owners. In the level that is being
    /// expanded those come first that are; gives how many.
    fn read_level(
        &self,
        link: &mut dyn Link,
        exchange: &mut Exchange,
        store: &mut Store,
        readers: &mut [(Part, Reader)],
        depth: usize,
        expanding: usize,
    ) -> Result<usize, ExploreError> {
        let (mut done, mut waiting) = (0, Rows::new(store.width()));
        let mut take = |delivery: Delivery<'_>| {
            for (row, &is_done) in delivery.rows.iter().zip(delivery.extras) {
                if depth == expanding && is_done == 0 {
                    waiting.push(row);
                } else {
                    put(store, row)?;
                    done += usize::from(depth == expanding);
                }
            }
            Ok(())
        };
        let mut block = Rows::new(exchange.width());
        let mut extras = Vec::new();
        for (part, reader) in readers {
            let states = part.levels[depth];
            for place in 0..states {
                block.push(reader.next_row().map_err(|why| self.refused(&why))?);
                extras.push(u64::from(place < part.position.done as u64));
                if block.len() >= 1024 || place + 1 == states {
                    exchange.send(link, &block, &extras, &mut take)?;
                    exchange.poll(link, &mut take)?;
                    block.clear();
                    extras.clear();
                }
            }
        }
        exchange.finish(link, &mut take)?;
        waiting.iter().try_for_each(|row| put(store, row))?;
        Ok(done)
    }

    /// The manifest that counts for all: the oldest, since some may have been killed before they wrote the newest.
    fn common_manifest(&self, link: &mut dyn Link) -> Result<Option<Manifest>, ExploreError> {
        let own = Checkpoints::exist(&self.folder).then(|| self.read_manifest()).transpose();
        // All must know when one cannot go on.
        let shared = own.as_ref().map(Option::clone).map_err(ToString::to_string);
        let all = gather(link, &shared)?;
        own?;
        let mut oldest: Option<Manifest> = None;
        for manifest in all {
            let manifest = manifest.map_err(|why| self.refused(&format!("another process says: {why}")))?;
            if let Some(manifest) = manifest
                && oldest.as_ref().is_none_or(|oldest| manifest.number < oldest.number)
            {
                oldest = Some(manifest);
            }
        }
        Ok(oldest)
    }

    /// The files that this worker reads for all: those that no worker before it has.
    fn readers(&self, link: &mut dyn Link, manifest: &Manifest) -> Result<Vec<(Part, Reader)>, ExploreError> {
        let has = |part: &Part| self.folder.join(&part.file).exists();
        let own: Vec<bool> = manifest.parts.iter().map(has).collect();
        let all = gather(link, &own)?;
        let mut readers = Vec::new();
        for (place, part) in manifest.parts.iter().enumerate() {
            match all.iter().position(|has| has[place]) {
                None => return Err(self.refused(&format!("{} is missing", part.file))),
                Some(worker) if worker == link.me() => {
                    readers.push((part.clone(), self.open(part)?));
                }
                Some(_) => {}
            }
        }
        Ok(readers)
    }

    fn refused(&self, why: &str) -> ExploreError {
        ExploreError::Checkpoint { path: self.folder.clone(), why: why.to_owned() }
    }

    fn read_manifest(&self) -> Result<Manifest, ExploreError> {
        let manifest = Manifest::read(&self.folder)?;
        manifest.check(self.game, self.fingerprint, self.width).map_err(|why| self.refused(&why))?;
        Ok(manifest)
    }

    fn open(&self, part: &Part) -> Result<Reader, ExploreError> {
        let path = self.folder.join(&part.file);
        let file = File::open(&path).map_err(|cause| ExploreError::File { path, cause })?;
        Ok(Reader {
            file: BufReader::with_capacity(1 << 20, file),
            bytes: vec![0; self.width * size_of::<u64>()],
            row: vec![0; self.width],
            hasher: blake3::Hasher::new(),
        })
    }
}

fn put(store: &mut Store, row: &[u64]) -> Result<(), ExploreError> {
    let mut rows = Rows::new(store.width());
    rows.push(row);
    store.insert(Delivery { rows: &rows, hashes: &[hash(row)], extras: &[] })?;
    Ok(())
}

/// A worker's file while it is read.
struct Reader {
    file: BufReader<File>,
    bytes: Vec<u8>,
    row: Vec<u64>,
    hasher: blake3::Hasher,
}

impl Reader {
    fn next_row(&mut self) -> Result<&[u64], String> {
        self.file
            .read_exact(&mut self.bytes)
            .map_err(|cause| format!("a file of states cannot be read to its end: {cause}"))?;
        self.hasher.update(&self.bytes);
        let (words, _) = self.bytes.as_chunks();
        self.row.iter_mut().zip(words).for_each(|(word, &bytes)| *word = u64::from_le_bytes(bytes));
        Ok(&self.row)
    }

    fn check(self, part: &Part) -> Result<(), String> {
        if Digest::of_hasher(&self.hasher) == part.digest {
            return Ok(());
        }
        Err(format!("{} is damaged", part.file))
    }
}
