//! Makes the boards: their cells, orientation, pieces and look.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::arrange::{self, Layer};
use super::group::{Group, Part};
use super::{Shaped, Uses, ground};
use crate::axis::{Axis, Order, Values};
use crate::hints::{Hints, Meaning};
use crate::layout::{Board, Cell, How, Layout, Look, Space, Tiling, Turned, Use, content_key};
use crate::piece::{Colour, Content, Looks, Piece, PieceShape, pieces};
use crate::rules::{Rules, Slope};
use crate::shape::{Sense, Shape, place_parts, sense};
use crate::table::Table;

/// The most combinations of content columns that become pieces.
const MOST_PIECES: usize = 300;

pub(super) struct Builder<'game> {
    rules: &'game Rules,
    hints: &'game Hints,
    boards: Vec<Board>,
    spaces: Vec<Space>,
    pub(super) uses: Uses,
    /// The axes of each space that has them, and how they lie.
    axes: Vec<Option<([Axis; 2], Turned)>>,
    kinds: usize,
}

impl<'game> Builder<'game> {
    pub(super) fn new(rules: &'game Rules, hints: &'game Hints) -> Self {
        Builder {
            rules,
            hints,
            boards: Vec::new(),
            spaces: Vec::new(),
            uses: Uses::default(),
            axes: Vec::new(),
            kinds: 0,
        }
    }

    pub(super) fn has_boards(&self) -> bool {
        !self.boards.is_empty()
    }

    pub(super) fn finish(self) -> Layout {
        let nested = crate::nested::Nested::default();
        Layout { boards: self.boards, ignored: Vec::new(), spaces: self.spaces, uses: self.uses, nested }
    }

    /// The boards of a group of families; gives their space.
    pub(super) fn grid(&mut self, group: &Group<'_>) -> Option<usize> {
        let (main, _) = group.parts.first()?;
        let Shape::Grid { at, layers, .. } = &main.shape else { return None };
        let axes = [longest(group, 0)?, longest(group, 1)?];
        let drops = self.drops(&axes, layers.len());
        let turned = self.turned(main, *at, &axes, drops.is_some());
        let (wide, high) = if turned.swapped { (&axes[1], &axes[0]) } else { (&axes[0], &axes[1]) };
        let mut columns = wide.labels.clone();
        let mut rows = high.labels.clone();
        if turned.flipped_x {
            columns.reverse();
        }
        if !turned.down {
            rows.reverse();
        }
        let exists = existing(group, &axes);
        let (mut cells, mut places) = (Vec::new(), FxHashMap::default());
        for (row, row_label) in rows.iter().enumerate() {
            for (column, column_label) in columns.iter().enumerate() {
                let name = match turned.swapped {
                    false => [column_label.clone(), row_label.clone()],
                    true => [row_label.clone(), column_label.clone()],
                };
                let key = name.join(" ").to_lowercase();
                if exists.as_ref().is_none_or(|exists| exists.contains(&key)) {
                    places.insert(key, cells.len());
                    cells.push(Cell { column, row, name: name.to_vec() });
                }
            }
        }
        let mut pieces = self.pieces(group, cells.len());
        let ground = match layers.is_empty() {
            true => ground::of(self.rules, &places, &mut pieces),
            false => Vec::new(),
        };
        let free = ground::free(&main.table.name, &pieces, group);
        let is_drop = drops.is_some() && pieces.iter().all(|piece| is_disc(piece.shape));
        let board = Board {
            name: main.table.name.clone(),
            tiling: self.tiling(&axes, turned),
            look: self.hints.look.unwrap_or_else(|| look(&pieces, is_drop)),
            columns,
            rows,
            cells,
            pieces,
            part: [0, 0],
            kind: self.kinds,
            has_lines: group.parts.iter().any(|(_, part)| matches!(part, Part::On(How::Wall(_)))),
        };
        let drops = drops.unwrap_or_default();
        let (place_length, layer_length) = (2, layers.len());
        let space = Space { places, place_length, layer_length, drops, ground, free, ..Space::default() };
        let layers = arrange::layers(self.rules, main.table, *at, layers, &axes, turned);
        let space = self.add_space(space, Some((axes, turned)));
        self.add_boards(space, board, &layers);
        Some(space)
    }

    fn add_space(&mut self, space: Space, axes: Option<([Axis; 2], Turned)>) -> usize {
        self.spaces.push(space);
        self.axes.push(axes);
        self.kinds += 1;
        self.spaces.len() - 1
    }

    /// Adds a board, or one for each layer.
    fn add_boards(&mut self, space: usize, board: Board, layers: &[Layer]) {
        if layers.is_empty() {
            self.spaces[space].boards.insert(String::new(), self.boards.len());
            self.boards.push(board);
            return;
        }
        for Layer { key, label, part } in layers {
            self.spaces[space].boards.insert(key.clone(), self.boards.len());
            let name = format!("{} {label}", board.name);
            self.boards.push(Board { name, part: *part, ..board.clone() });
        }
    }

    /// The columns that moves name alone, if no move names a cell: discs are dropped there.
    fn drops(&self, axes: &[Axis; 2], layers: usize) -> Option<FxHashMap<String, usize>> {
        let moves = self.rules.moves.values();
        let names_cells = moves.clone().any(|columns| {
            columns.windows(2).any(|pair| {
                let is_there = pair.iter().all(|values| !values.is_empty());
                is_there && axes[0].covers(&pair[0]) && axes[1].covers(&pair[1])
            })
        });
        let is_dropped = |columns: &Vec<Values>| match &columns[..] {
            [values] => !values.is_empty() && values.len() + 1 >= axes[0].len() && axes[0].covers(values),
            _ => false,
        };
        let drops = layers == 0 && !names_cells && moves.clone().any(is_dropped);
        let places = axes[0].labels.iter().enumerate().map(|(place, label)| (label.to_lowercase(), place));
        drops.then(|| places.collect())
    }

    /// How the axes lie: by a hint, by what the variables or the values are called, else the first to the right and the
    /// second upwards.
    fn turned(&self, main: &Shaped<'_>, at: [usize; 2], axes: &[Axis; 2], is_drop: bool) -> Turned {
        if let Some(meanings) = &main.meanings {
            let swapped = meanings[at[0]] != Meaning::X;
            let down = at.iter().any(|&column| meanings[column] == Meaning::Row);
            return Turned { swapped, down, flipped_x: false };
        }
        let prefixed = |axis: &Axis, other: &Axis| {
            let prefix = axis.prefix().filter(|prefix| other.prefix().as_ref() != Some(prefix))?;
            match prefix.as_str() {
                "r" | "row" => Some(Sense::Row),
                "c" | "col" | "column" => Some(Sense::Column),
                "x" => Some(Sense::X),
                "y" => Some(Sense::Y),
                _ => None,
            }
        };
        let sense_of = |n: usize| {
            prefixed(&axes[n], &axes[1 - n]).or_else(|| sense(self.rules, &main.table.family, at[n]))
        };
        let senses = [sense_of(0), sense_of(1)];
        let is_vertical = |sense| matches!(sense, Some(Sense::Row | Sense::Y));
        let is_horizontal = |sense| matches!(sense, Some(Sense::Column | Sense::X));
        let swapped = (is_vertical(senses[0]) && !is_vertical(senses[1]))
            || (is_horizontal(senses[1]) && !is_horizontal(senses[0]));
        // Letters are columns, whatever the variables are called.
        let letters = axes.each_ref().map(|axis| axis.order == Order::Letters);
        let swapped = if letters == [true, false] { false } else { swapped };
        let vertical = usize::from(!swapped);
        let is_matrix = senses.contains(&Some(Sense::Row)) && letters != [true, false];
        let down = !is_drop && (is_matrix || letters[vertical]);
        Turned { swapped, down, flipped_x: false }
    }

    /// Whether the board has hexagons, and how its rows are shifted.
    fn tiling(&self, axes: &[Axis; 2], turned: Turned) -> Tiling {
        let slope = match self.hints.tiling {
            Some(tiling) => tiling,
            // A board of two rows is no board of hexagons.
            None => self.rules.slope.filter(|_| axes.iter().all(|axis| axis.len() > 2)),
        };
        // Seen with the first value at the top left, neighbours lie along one diagonal; each mirror exchanges it.
        let mirrored = !turned.down ^ turned.flipped_x;
        slanted(slope, mirrored)
    }

    /// The pieces of all families on a board.
    fn pieces(&self, group: &Group<'_>, cells: usize) -> Vec<Piece> {
        let mut contents: Vec<Content> = Vec::new();
        for (shaped, part) in &group.parts {
            let (Shape::Grid { at, layers, contents: columns }, Part::On(How::Contents)) =
                (&shaped.shape, part)
            else {
                continue;
            };
            let places: Vec<usize> = layers.iter().chain(at).copied().collect();
            add_contents(&mut contents, shaped.table, &places, columns);
        }
        let boards = group.parts.first().map_or(1, |(shaped, _)| match &shaped.shape {
            Shape::Grid { layers, .. } => {
                layers.iter().map(|&layer| shaped.table.columns[layer].len()).product()
            }
            _ => 1,
        });
        pieces(&contents, &self.looks(cells * boards))
    }

    fn looks(&self, cells: usize) -> Looks {
        Looks {
            roles: self.rules.roles.keys().cloned().collect(),
            cells,
            blank: self.hints.blanks.iter().cloned().collect(),
            drawn: self.hints.pieces.clone(),
        }
    }

    /// A board of places such as `a1`.
    pub(super) fn places(&mut self, table: &Table, at: usize, contents: &[usize]) -> Option<usize> {
        let values = &table.columns[at];
        let places: Vec<(&str, u32, &String)> = values
            .iter()
            .filter_map(|(key, label)| place_parts(key).map(|(letter, number)| (letter, number, label)))
            .collect();
        let letters: BTreeSet<&str> = places.iter().map(|(letter, _, _)| *letter).collect();
        let letters: Vec<&str> = letters.into_iter().collect();
        let (least, most) =
            (places.iter().map(|place| place.1).min()?, places.iter().map(|place| place.1).max()?);
        let lengths: BTreeSet<usize> =
            letters.iter().map(|letter| places.iter().filter(|place| place.0 == *letter).count()).collect();
        let begins = |letter: &&str| {
            places.iter().filter(|place| place.0 == *letter).map(|place| place.1).min() == Some(least)
        };
        // Rows of different lengths that all begin with 1 are centred, as on a star or a hexagon.
        let is_centred = lengths.len() > 1 && letters.iter().all(begins);
        let letters_down = is_centred;
        let (mut cells, mut keys) = (Vec::new(), FxHashMap::default());
        let mut sorted = places.clone();
        sorted.sort_by_key(|(letter, number, _)| match letters_down {
            true => (letters.iter().position(|other| other == letter), *number),
            false => (Some((most - number) as usize), u32::from(letter.as_bytes()[0])),
        });
        for (letter, number, label) in sorted {
            let along = letters.iter().position(|other| *other == letter)?;
            let (column, row) = match letters_down {
                true => ((number - least) as usize, along),
                false => (along, (most - number) as usize),
            };
            keys.insert(label.to_lowercase(), cells.len());
            cells.push(Cell { column, row, name: vec![label.clone()] });
        }
        let numbers: Vec<String> = (least..=most).map(|number| number.to_string()).collect();
        let letters: Vec<String> = letters.iter().map(|letter| (*letter).to_owned()).collect();
        let (columns, rows) = match letters_down {
            true => (numbers, letters),
            false => (letters, numbers.into_iter().rev().collect()),
        };
        let tiling = match is_centred {
            true => Tiling::HexagonsCentred,
            false => slanted(self.hints.tiling.unwrap_or(self.rules.slope_of_places), true),
        };
        Some(self.simple(table, at, contents, tiling, columns, rows, cells, keys))
    }

    /// A board that is one row of places.
    pub(super) fn line(&mut self, table: &Table, at: usize, contents: &[usize]) -> Option<usize> {
        let axis = table.axes[at].as_ref()?;
        let cell = |(column, label): (usize, &String)| Cell { column, row: 0, name: vec![label.clone()] };
        let cells: Vec<Cell> = axis.labels.iter().enumerate().map(cell).collect();
        let keys = axis.labels.iter().enumerate().map(|(n, label)| (label.to_lowercase(), n)).collect();
        let (columns, rows) = (axis.labels.clone(), vec![String::new()]);
        Some(self.simple(table, at, contents, Tiling::Squares, columns, rows, cells, keys))
    }

    #[allow(clippy::too_many_arguments)]
    fn simple(
        &mut self,
        table: &Table,
        at: usize,
        columns_of_content: &[usize],
        tiling: Tiling,
        columns: Vec<String>,
        rows: Vec<String>,
        cells: Vec<Cell>,
        places: FxHashMap<String, usize>,
    ) -> usize {
        let mut contents = Vec::new();
        add_contents(&mut contents, table, &[at], columns_of_content);
        let pieces = pieces(&contents, &self.looks(cells.len()));
        let board = Board {
            name: table.name.clone(),
            tiling,
            look: self.hints.look.unwrap_or_else(|| look(&pieces, false)),
            columns,
            rows,
            cells,
            pieces,
            part: [0, 0],
            kind: self.kinds,
            has_lines: false,
        };
        let space = self.add_space(Space { places, place_length: 1, ..Space::default() }, None);
        self.add_boards(space, board, &[]);
        space
    }

    /// Lines between points: walls between the cells of a board, or the sides of boxes between dots.
    pub(super) fn edges(&mut self, table: &Table) -> Option<Use> {
        let pick = |a: usize, b: usize| -> Option<Axis> {
            let (a, b) = (table.axes[a].as_ref()?, table.axes[b].as_ref()?);
            Some(if a.len() >= b.len() { a.clone() } else { b.clone() })
        };
        let points = [pick(0, 2)?, pick(1, 3)?];
        let fits = |own: &[Axis; 2], less: usize| (0..2).all(|n| own[n].len() + less == points[n].len());
        let found = |less: usize| {
            self.axes.iter().position(|axes| axes.as_ref().is_some_and(|(own, _)| fits(own, less)))
        };
        let (space, dots) = match (found(0), found(1)) {
            (Some(space), _) => (space, false),
            (None, Some(space)) => (space, true),
            (None, None) => (self.dots(&points)?, true),
        };
        let turned = self.axes[space].as_ref()?.1;
        for &board in self.spaces[space].boards.values() {
            self.boards[board].has_lines = true;
            if dots {
                self.boards[board].look = Look::Dots;
            }
        }
        let numbers = |axis: &Axis| -> BTreeMap<String, i32> {
            axis.labels.iter().zip(0..).map(|(label, place)| (label.to_lowercase(), place)).collect()
        };
        let [first, second] = &points;
        Some(Use::Edges { space, dots, first: numbers(first), second: numbers(second), turned })
    }

    /// The boxes between dots, if no fluent says whose they are.
    pub(super) fn dots(&mut self, points: &[Axis; 2]) -> Option<usize> {
        let (wide, high) = (points[0].len().checked_sub(1)?, points[1].len().checked_sub(1)?);
        let cell = |n: usize| Cell { column: n % wide, row: n / wide, name: Vec::new() };
        let board = Board {
            name: "dots".to_owned(),
            tiling: Tiling::Squares,
            look: Look::Dots,
            columns: points[0].labels[..wide].to_vec(),
            rows: points[1].labels[..high].iter().rev().cloned().collect(),
            cells: (0..wide * high).map(cell).collect(),
            pieces: Vec::new(),
            part: [0, 0],
            kind: self.kinds,
            has_lines: true,
        };
        let axes = Some((points.clone(), Turned::default()));
        let space = self.add_space(Space::default(), axes);
        self.add_boards(space, board, &[]);
        Some(space)
    }
}

/// How the rows of a board lie whose neighbours lie along a diagonal.
fn slanted(slope: Option<Slope>, mirrored: bool) -> Tiling {
    match (slope, mirrored) {
        (None, _) => Tiling::Squares,
        (Some(Slope::Opposite), false) | (Some(Slope::Same), true) => Tiling::HexagonsRight,
        (Some(Slope::Same), false) | (Some(Slope::Opposite), true) => Tiling::HexagonsLeft,
    }
}

/// The longest of the axes that the families of a group have; walls may reach beyond the board.
fn longest(group: &Group<'_>, n: usize) -> Option<Axis> {
    let on_board = group.parts.iter().filter(|(_, part)| !matches!(part, Part::On(How::Wall(_))));
    let axis_of = |shaped: &Shaped<'_>| match &shaped.shape {
        Shape::Grid { at, .. } => shaped.table.axes[at[n]].clone(),
        _ => None,
    };
    let longest = on_board.filter_map(|(shaped, _)| axis_of(shaped)).max_by_key(Axis::len)?;
    // Where values are known only as a superset, a board with walls around it ends at its walls.
    let walls = group.parts.iter().filter(|(_, part)| matches!(part, Part::On(How::Wall(_))));
    let bound = walls.filter_map(|(shaped, _)| axis_of(shaped)).max_by_key(Axis::len);
    Some(bound.filter(|bound| bound.len() > 3 && 2 * bound.len() < longest.len()).unwrap_or(longest))
}

/// The cells that there are, if the board is irregular: the first state says something of each, or what is missing lies
/// outside of a shape.
fn existing(group: &Group<'_>, axes: &[Axis; 2]) -> Option<BTreeSet<String>> {
    let (main, _) = group.parts.first()?;
    let Shape::Grid { at, .. } = &main.shape else { return None };
    let key = |row: &Vec<String>| format!("{} {}", row[at[0]], row[at[1]]);
    let rows = main.table.rows.as_ref().unwrap_or(&main.table.init);
    let exists: BTreeSet<String> = rows.iter().map(key).collect();
    let at_first: BTreeSet<String> = main.table.init.iter().map(key).collect();
    let all = axes[0].len() * axes[1].len();
    if exists.len() == all || exists.len() * 3 < all {
        return None;
    }
    let is_known = main.table.rows.is_some() || at_first.len() * 2 > all;
    let mut cells = (is_known && (exists == at_first || is_outside(&exists, axes))).then_some(exists)?;
    cells.extend(group.parts.iter().skip(1).flat_map(named_at_first));
    (cells.len() < all).then_some(cells)
}

/// The cells that another family of a board names in the first state.
fn named_at_first((shaped, part): &(&Shaped<'_>, Part)) -> Vec<String> {
    match &shaped.shape {
        Shape::Grid { at, .. } if *part == Part::On(How::Contents) => {
            shaped.table.init.iter().map(|row| format!("{} {}", row[at[0]], row[at[1]])).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether every missing cell is joined to the border by missing cells.
fn is_outside(exists: &BTreeSet<String>, axes: &[Axis; 2]) -> bool {
    let (wide, high) = (axes[0].len(), axes[1].len());
    let missing = |x: usize, y: usize| {
        let key = format!("{} {}", axes[0].labels[x], axes[1].labels[y]).to_lowercase();
        !exists.contains(&key)
    };
    let mut seen = vec![false; wide * high];
    let border = |x: usize, y: usize| x == 0 || y == 0 || x + 1 == wide || y + 1 == high;
    let mut stack: Vec<(usize, usize)> = (0..wide)
        .flat_map(|x| (0..high).map(move |y| (x, y)))
        .filter(|&(x, y)| border(x, y) && missing(x, y))
        .collect();
    while let Some((x, y)) = stack.pop() {
        if std::mem::replace(&mut seen[y * wide + x], true) {
            continue;
        }
        let near = [(x.wrapping_sub(1), y), (x + 1, y), (x, y.wrapping_sub(1)), (x, y + 1)];
        stack.extend(near.into_iter().filter(|&(x, y)| x < wide && y < high && missing(x, y)));
    }
    (0..wide).all(|x| (0..high).all(|y| seen[y * wide + x] || !missing(x, y)))
}

/// Adds the contents that a family can give a cell.
fn add_contents(contents: &mut Vec<Content>, table: &Table, places: &[usize], columns: &[usize]) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let key = |row: &Vec<String>| {
        let words: Vec<&str> = columns.iter().map(|&column| row[column].as_str()).collect();
        content_key(&table.family.0, &words)
    };
    table.init.iter().for_each(|row| *counts.entry(key(row)).or_default() += 1);
    let mut keys: Vec<String> = match (&table.rows, columns) {
        (_, []) => vec![table.family.0.clone()],
        (Some(rows), _) => {
            let keys: BTreeSet<String> = rows.iter().map(key).collect();
            keys.into_iter().collect()
        }
        (None, _) => products(table, columns),
    };
    let fixed = fixed(table, places, columns);
    keys.truncate(MOST_PIECES);
    keys.sort_by_key(|key| (key.parse::<i64>().unwrap_or(i64::MAX), key.clone()));
    for key in keys {
        let spelt: Vec<&str> = match columns {
            [] => vec![&table.name],
            _ => key
                .split(' ')
                .zip(columns)
                .map(|(word, &column)| table.columns[column].get(word).map_or(word, String::as_str))
                .collect(),
        };
        let name = if spelt.len() == columns.len().max(1) { spelt.join(" ") } else { key.clone() };
        if !contents.iter().any(|content| content.key == key) {
            let at_first = counts.get(&key).copied().unwrap_or(0);
            contents.push(Content { at_first, is_fixed: fixed.contains(&key), key, name });
        }
    }
}

/// The contents that fill cells in which nothing else can ever be, on a board that changes elsewhere.
fn fixed(table: &Table, places: &[usize], columns: &[usize]) -> BTreeSet<String> {
    /// One or two such cells are more likely a door or a goal than a part of the ground.
    const LEAST: usize = 4;
    let (Some(rows), [_, ..]) = (&table.rows, columns) else { return BTreeSet::new() };
    let words = |row: &Vec<String>, columns: &[usize]| -> String {
        columns.iter().map(|&column| row[column].as_str()).collect::<Vec<_>>().join(" ")
    };
    let mut cells: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in rows {
        cells.entry(words(row, places)).or_default().push(words(row, columns));
    }
    let alone = |contents: &Vec<String>| contents.len() == 1;
    let changing: BTreeSet<&String> = cells.values().filter(|contents| !alone(contents)).flatten().collect();
    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
    for contents in cells.values().filter(|contents| alone(contents)) {
        *counts.entry(&contents[0]).or_default() += 1;
    }
    let is_ground =
        |(key, count): &(&String, usize)| *count >= LEAST && !changing.is_empty() && !changing.contains(key);
    counts.into_iter().filter(is_ground).map(|(key, _)| key.clone()).collect()
}

fn products(table: &Table, columns: &[usize]) -> Vec<String> {
    let mut keys = vec![String::new()];
    for &column in columns {
        let values = table.columns[column].keys();
        keys = keys
            .iter()
            .flat_map(|key| values.clone().map(move |value| format!("{key} {value}").trim().to_owned()))
            .take(MOST_PIECES)
            .collect();
    }
    keys
}

fn is_disc(shape: PieceShape) -> bool {
    matches!(
        shape,
        PieceShape::Disc | PieceShape::Blank | PieceShape::Cross | PieceShape::Ring | PieceShape::Block
    )
}

/// How a board with these pieces is drawn.
fn look(pieces: &[Piece], is_drop: bool) -> Look {
    let has = |test: fn(&Piece) -> bool| pieces.iter().any(test);
    let is_stone = |piece: &Piece| match piece.shape {
        PieceShape::Blank | PieceShape::Arrow => true,
        PieceShape::Disc => matches!(piece.colour, Colour::Black | Colour::White),
        _ => false,
    };
    match () {
        () if is_drop => Look::Drop,
        () if has(|piece| matches!(piece.shape, PieceShape::Chess(_) | PieceShape::Crowned)) => {
            Look::Checkered
        }
        () if has(|piece| piece.shape == PieceShape::Disc) && pieces.iter().all(is_stone) => Look::Wood,
        () => Look::Plain,
    }
}
