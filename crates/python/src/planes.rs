//! Observations as planes, as networks with convolutions want them: a plane for each thing that can stand on a board, 1 where it
//! stands; and for each fluent that says nothing about a cell (whose turn it is, a counter) a plane that is 1 everywhere while it
//! holds. Nothing of a state is lost: every fluent has a place of its own.

use std::collections::{BTreeMap, HashMap, HashSet};

use groundrules::board::Layout;
use groundrules::machine::{Fluent, LaneLayout};

/// Where the fluents of a game stand in planes.
pub(crate) struct Planes {
    /// What each plane is about.
    pub(crate) names: Vec<String>,
    height: usize,
    width: usize,
    /// For each fluent its first byte in a lane's planes, and how many there are.
    places: Vec<(u32, u32)>,
    words: usize,
}

impl Planes {
    /// The most bytes that the planes of a lane may have.
    const MOST_BYTES: usize = 1 << 20;

    /// The planes of a game, by the boards that were found in it.
    pub(crate) fn of(lanes: &LaneLayout, layout: &Layout) -> Result<Self, String> {
        if !layout.has_board() {
            return Err("no board was found in this description, so there are no planes".to_owned());
        }
        let height = layout.boards.iter().map(|board| board.rows.len()).max().unwrap_or(0);
        let width = layout.boards.iter().map(|board| board.columns.len()).max().unwrap_or(0);
        let texts: Vec<String> = (0..lanes.fluents())
            .filter_map(|fluent| u32::try_from(fluent).ok())
            .map(|fluent| lanes.names().fluent_text(Fluent(fluent)))
            .collect();
        let mut made = Planes {
            names: Vec::new(),
            height,
            width,
            places: vec![(0, 0); texts.len()],
            words: texts.len().div_ceil(64).max(1),
        };
        made.place_on_boards(&texts, layout)?;
        made.place_by_coordinates(&texts)?;
        // Planes of boards come first.
        for (fluent, text) in texts.iter().enumerate() {
            if made.places[fluent].1 == 0 {
                let plane = made.add(text.clone())?;
                made.places[fluent] = (made.first_of(plane), u32::try_from(height * width).unwrap_or(0));
            }
        }
        Ok(made)
    }

    fn place_on_boards(&mut self, texts: &[String], layout: &Layout) -> Result<(), String> {
        let mut planes: HashMap<(usize, usize, &str), usize> = HashMap::new();
        let mut taken: HashSet<u32> = HashSet::new();
        for (fluent, text) in texts.iter().enumerate() {
            let Some(placed) = layout.place(text) else { continue };
            let board = &layout.boards[placed.at.board];
            let Some(cell) = board.cells.get(placed.at.cell) else { continue };
            let relation = text.trim_start_matches('(').split([' ', ')']).next().unwrap_or_default();
            let key = (placed.at.board, placed.piece, relation);
            let plane = match planes.get(&key) {
                Some(&plane) => plane,
                None => {
                    let several =
                        if layout.boards.len() > 1 { format!("{} ", board.name) } else { String::new() };
                    let name = format!("{several}{relation} {}", board.pieces[placed.piece].key);
                    let plane = self.add(name)?;
                    planes.insert(key, plane);
                    plane
                }
            };
            let offset = u32::try_from(cell.row * self.width + cell.column).unwrap_or(0);
            let place = self.first_of(plane) + offset;
            // Two fluents that say the same of a cell do not share a place: the second gets a plane of its own.
            if taken.insert(place) {
                self.places[fluent] = (place, 1);
            }
        }
        Ok(())
    }

    /// Fluents of two arguments that are the coordinates of a cell share a plane: what only says that a cell is free, say, is
    /// not drawn on a board, but stands on one.
    fn place_by_coordinates(&mut self, texts: &[String]) -> Result<(), String> {
        let cells = u32::try_from(self.height * self.width).unwrap_or(u32::MAX);
        let mut known: HashMap<[&str; 2], Option<u32>> = HashMap::new();
        for (text, &(place, _)) in texts.iter().zip(&self.places).filter(|(_, place)| place.1 == 1) {
            if let [_, x, y, ..] = words(text)[..] {
                let cell = place % cells;
                let same = known.entry([x, y]).or_insert(Some(cell));
                *same = same.filter(|&other| other == cell);
            }
        }
        let mut families: BTreeMap<&str, Option<Vec<(usize, u32)>>> = BTreeMap::new();
        for (fluent, text) in texts.iter().enumerate().filter(|&(fluent, _)| self.places[fluent].1 == 0) {
            let words = words(text);
            let Some(&name) = words.first() else { continue };
            let cell = match words[..] {
                [_, x, y] => known.get(&[x, y]).copied().flatten(),
                _ => None,
            };
            let family = families.entry(name).or_insert_with(|| Some(Vec::new()));
            match (&mut *family, cell) {
                (Some(members), Some(cell)) => members.push((fluent, cell)),
                _ => *family = None,
            }
        }
        for (name, members) in families {
            let Some(members) = members.filter(|members| members.len() > 1) else { continue };
            let plane = self.add(name.to_owned())?;
            let first = self.first_of(plane);
            members.iter().for_each(|&(fluent, cell)| self.places[fluent] = (first + cell, 1));
        }
        Ok(())
    }

    fn add(&mut self, name: String) -> Result<usize, String> {
        self.names.push(name);
        if self.size() > Self::MOST_BYTES {
            let (height, width) = (self.height, self.width);
            return Err(format!("more than {} planes of {height} by {width} are too many", self.names.len()));
        }
        Ok(self.names.len() - 1)
    }

    fn first_of(&self, plane: usize) -> u32 {
        u32::try_from(plane * self.height * self.width).unwrap_or(0)
    }

    /// Planes, rows, columns.
    pub(crate) fn shape(&self) -> [usize; 3] {
        [self.names.len(), self.height, self.width]
    }

    /// The bytes of a lane.
    pub(crate) fn size(&self) -> usize {
        self.names.len() * self.height * self.width
    }

    /// Writes the planes of all lanes, whose fluents are given as bits.
    pub(crate) fn write(&self, bits: &[u64], planes: &mut [u8]) {
        for (bits, lane) in bits.chunks_exact(self.words).zip(planes.chunks_exact_mut(self.size().max(1))) {
            lane.fill(0);
            for (number, &word) in bits.iter().enumerate() {
                let mut rest = word;
                while rest != 0 {
                    let fluent = number * 64 + rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    let Some(&(first, count)) = self.places.get(fluent) else { break };
                    if count == 1 {
                        lane[first as usize] = 1;
                    } else {
                        lane[first as usize..][..count as usize].fill(1);
                    }
                }
            }
        }
    }
}

/// The words of a fluent whose arguments are all plain; of another, one word that no other fluent has.
fn words(text: &str) -> Vec<&str> {
    let inside = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text);
    if inside.contains('(') { vec![text] } else { inside.split_whitespace().collect() }
}
