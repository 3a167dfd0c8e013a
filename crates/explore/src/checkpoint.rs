//! Checkpoints: what a search has found so far, on disk, so that a run that was killed goes on from there. Every worker
//! appends its new states to a file of its own; then the manifest, written beside its place and renamed, says how much of
//! each file counts, with checksums, and how far every worker is. Whenever the run is killed, one whole manifest is there,
//! and what it counts was on disk before it.
//!
//! Processes on several machines each have a folder of their own, with their files and the manifest of all; or all have the
//! same one. When they are resumed the oldest manifest counts, since files only ever grow, and whoever has a file reads it
//! for all. A checkpoint may be resumed by another number of workers: states are dealt out anew. Whatever does not fit, a
//! damaged file, another game, another version, is refused.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use groundrules_machine::Rows;
use serde::{Deserialize, Serialize};

use crate::error::ExploreError;
use crate::findings::Findings;
use crate::hash::hash;
use crate::link::{Link, gather};
use crate::mail::{Delivery, Mail};
use crate::search::Position;
use crate::store::Store;

/// The format of the files.
const VERSION: u32 = 1;

/// The name of the manifest.
const MANIFEST: &str = "manifest.json";

/// Where and how often checkpoints are written.
#[derive(Debug)]
pub struct Checkpoint {
    folder: PathBuf,
    /// What is explored, in a few words: game, engine, and how states are packed.
    game: String,
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
    /// Rows and bytes that are in it, and their checksum.
    rows: u64,
    bytes: u64,
    sum: crc32fast::Hasher,
}

/// What the manifest says of a worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Part {
    file: String,
    rows: u64,
    bytes: u64,
    crc32: u32,
    /// How many states each level has.
    levels: Vec<u64>,
    position: Position,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Manifest {
    version: u32,
    game: String,
    /// Words of a state.
    width: usize,
    series: u64,
    /// Which manifest of all this is, from the first one on.
    number: u64,
    parts: Vec<Part>,
}

/// The manifest as it stands in its file: with a checksum of its own.
#[derive(Serialize, Deserialize)]
struct Sealed {
    crc32: u32,
    manifest: Manifest,
}

impl Checkpoint {
    /// Checkpoints in a folder, about so often. `game` tells what is explored; a checkpoint of anything else is refused.
    pub fn new(folder: &Path, game: &str, every: Duration) -> Self {
        Checkpoint {
            folder: folder.to_owned(),
            game: game.to_owned(),
            every,
            last: Instant::now(),
            series: 0,
            written: 0,
            segment: None,
        }
    }

    /// Whether the folder has a checkpoint.
    pub fn exists(folder: &Path) -> bool {
        folder.join(MANIFEST).exists()
    }

    /// From now on states are in another order: all are written anew.
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
        let width = store.width().unwrap_or(0);
        let parts = gather(link, &part)?;
        self.written += 1;
        let (game, series, number) = (self.game.clone(), self.series, self.written);
        let manifest = Manifest { version: VERSION, game, width, series, number, parts };
        if link.leads() {
            self.seal(&manifest)?;
        }
        self.last = Instant::now();
        // Nobody goes on before all manifests are there: a file that one of them counts must not be begun anew.
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
            let mut place = segment.rows.saturating_sub(first).min(states);
            while place < states {
                let end = states.min(place + 1024);
                store.copy(depth, place as usize..end as usize, &mut block)?;
                bytes.clear();
                bytes.extend(block.words().iter().flat_map(|word| word.to_le_bytes()));
                out.write_all(&bytes).map_err(at)?;
                segment.sum.update(&bytes);
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
            crc32: segment.sum.clone().finalize(),
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
        Ok(Segment { name, file, rows: 0, bytes: 0, sum: crc32fast::Hasher::new() })
    }

    /// Puts the manifest into its place.
    fn seal(&self, manifest: &Manifest) -> Result<(), ExploreError> {
        let path = self.folder.join(MANIFEST);
        let written = || -> io::Result<()> {
            let crc32 = crc32fast::hash(&serde_json::to_vec(manifest)?);
            let manifest = manifest.clone();
            let mut file = tempfile::Builder::new().prefix(".manifest-").tempfile_in(&self.folder)?;
            file.write_all(serde_json::to_string(&Sealed { crc32, manifest })?.as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(&path).map_err(|error| error.error)?;
            File::open(&self.folder)?.sync_all()
        };
        written().map_err(|cause| ExploreError::File { path: path.clone(), cause })
    }

    /// Removes files of series that do not count any more. What cannot be removed does no harm.
    fn sweep(&self, manifest: &Manifest) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_own =
                name.starts_with("states-") && name.ends_with(".bin") || name.starts_with(".manifest-");
            if is_own && manifest.parts.iter().all(|part| part.file != name) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Reads a checkpoint into an empty store: the states of this worker, and how far it is. All workers must do it
    /// together. Nothing if there is no checkpoint.
    pub fn resume(
        &mut self,
        link: &mut dyn Link,
        store: &mut Store,
    ) -> Result<Option<Position>, ExploreError> {
        let Some(manifest) = self.common_manifest(link, store.width())? else { return Ok(None) };
        let mut readers = self.readers(link, &manifest)?;
        let mut position = Position { findings: Findings::default(), ..manifest.parts[0].position.clone() };
        position.done = 0;
        if link.me() == 0 {
            position.findings =
                Findings::merged(manifest.parts.iter().map(|part| part.position.findings.clone()));
        }
        let mut mail = Mail::new(link.peers(), store.width(), 1);
        for depth in 0..=position.depth + 1 {
            store.begin_level()?;
            let done = self.read_level(link, &mut mail, store, &mut readers, depth, position.depth)?;
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
        mail: &mut Mail,
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
        let mut block = Rows::new(mail.width());
        let mut extras = Vec::new();
        for (part, reader) in readers {
            let states = part.levels.get(depth).copied().unwrap_or(0);
            for place in 0..states {
                block.push(reader.next_row().map_err(|why| self.refused(&why))?);
                extras.push(u64::from(place < part.position.done as u64));
                if block.len() >= 1024 || place + 1 == states {
                    mail.send(link, &block, &extras, &mut take)?;
                    mail.poll(link, &mut take)?;
                    block.clear();
                    extras.clear();
                }
            }
        }
        mail.finish(link, &mut take)?;
        waiting.iter().try_for_each(|row| put(store, row))?;
        Ok(done)
    }

    /// The manifest that counts for all: the oldest, since some may have been killed before they wrote the newest.
    fn common_manifest(
        &self,
        link: &mut dyn Link,
        width: Option<usize>,
    ) -> Result<Option<Manifest>, ExploreError> {
        let own = Self::exists(&self.folder).then(|| self.read_manifest(width)).transpose();
        // All must hear of it when one cannot go on.
        let told = own.as_ref().map(Option::clone).map_err(ToString::to_string);
        let all = gather(link, &told)?;
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
            match all.iter().position(|has| has.get(place) == Some(&true)) {
                None => return Err(self.refused(&format!("{} is missing", part.file))),
                Some(worker) if worker == link.me() => {
                    readers.push((part.clone(), self.open(part, manifest.width)?));
                }
                Some(_) => {}
            }
        }
        Ok(readers)
    }

    fn refused(&self, why: &str) -> ExploreError {
        ExploreError::Checkpoint { path: self.folder.clone(), why: why.to_owned() }
    }

    fn read_manifest(&self, width: Option<usize>) -> Result<Manifest, ExploreError> {
        let path = self.folder.join(MANIFEST);
        let text = fs::read(&path).map_err(|cause| ExploreError::File { path, cause })?;
        let damaged = || self.refused("its manifest is damaged");
        let sealed: Sealed = serde_json::from_slice(&text).map_err(|_| damaged())?;
        let manifest = sealed.manifest;
        // Written again it must be the same: a changed value would be another text.
        if serde_json::to_vec(&manifest).map_or(true, |text| crc32fast::hash(&text) != sealed.crc32) {
            return Err(damaged());
        }
        if manifest.version != VERSION {
            return Err(self.refused("it is of another version"));
        }
        if manifest.game != self.game || Some(manifest.width) != width {
            return Err(self.refused("it is of another game or engine"));
        }
        if manifest.parts.is_empty() {
            return Err(damaged());
        }
        Ok(manifest)
    }

    fn open(&self, part: &Part, width: usize) -> Result<Reader, ExploreError> {
        let path = self.folder.join(&part.file);
        let file = OpenOptions::new().read(true).open(&path);
        let file = file.map_err(|cause| ExploreError::File { path, cause })?;
        if part.bytes != part.rows * (width * size_of::<u64>()) as u64
            || part.levels.iter().sum::<u64>() != part.rows
        {
            return Err(self.refused("its manifest is damaged"));
        }
        let sum = crc32fast::Hasher::new();
        Ok(Reader {
            file: BufReader::with_capacity(1 << 20, file),
            bytes: vec![0; width * size_of::<u64>()],
            row: vec![0; width],
            sum,
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
    sum: crc32fast::Hasher,
}

impl Reader {
    fn next_row(&mut self) -> Result<&[u64], String> {
        self.file.read_exact(&mut self.bytes).map_err(|_| "a file of states is too short".to_owned())?;
        self.sum.update(&self.bytes);
        for (word, bytes) in self.row.iter_mut().zip(self.bytes.chunks_exact(8)) {
            *word = u64::from_le_bytes(bytes.try_into().unwrap_or_default());
        }
        Ok(&self.row)
    }

    fn check(self, part: &Part) -> Result<(), String> {
        if self.sum.finalize() == part.crc32 {
            return Ok(());
        }
        Err(format!("{} is damaged", part.file))
    }
}
