//! Numbers of atoms. The tables are complete, so the number of an atom is the first number of its predicate plus its
//! row. Names are only computed for the atoms that remain at the end.

use groundrules_gdl::Game;
use groundrules_gdl::index::index32;
use groundrules_gdl::symbol::Symbol;
use groundrules_gdl::term::{Term, TermId};

use crate::clause::{Mode, Predicate, Program};
use crate::draft::Naming;
use crate::store::Store;

/// The first number of each predicate's atoms, within fluents, moves and derived atoms.
#[derive(Clone, Debug)]
pub(crate) struct Numbering {
    first: Vec<u32>,
    kinds: Vec<Kind>,
    /// The predicates that have atoms, by their first numbers, for each kind.
    owners: [Vec<(u32, usize)>; 4],
    pub(crate) fluents: u32,
    pub(crate) moves: u32,
    pub(crate) derived: u32,
    /// The first derived atom that belongs to no relation of the description.
    pub(crate) first_part: Option<u32>,
    /// What is legal for somebody who does not play, as derived atoms: predicate and row with the number.
    foreign: FxIndexMap<(usize, u32), u32>,
}

type FxIndexMap<K, V> = indexmap::IndexMap<K, V, rustc_hash::FxBuildHasher>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Fluent,
    Move,
    Derived,
    /// Static relations have no atoms.
    None,
}

impl Numbering {
    pub(crate) fn of(program: &Program, store: &Store<'_>) -> Self {
        let mut numbering = Numbering {
            first: Vec::new(),
            kinds: Vec::new(),
            owners: Default::default(),
            fluents: 0,
            moves: 0,
            derived: 0,
            first_part: None,
            foreign: FxIndexMap::default(),
        };
        numbering.first = vec![0; program.predicates.len()];
        numbering.kinds = vec![Kind::None; program.predicates.len()];
        // Projected parts come last, so that their numbers identify them.
        let is_part =
            |predicate: &Predicate| matches!(predicate, Predicate::Auxiliary(_) | Predicate::Whole(_));
        let own = program.predicates.iter().enumerate().filter(|(_, predicate)| !is_part(predicate));
        let parts = program.predicates.iter().enumerate().filter(|(_, predicate)| is_part(predicate));
        for (index, predicate) in own.chain(parts) {
            if is_part(predicate) && numbering.first_part.is_none() {
                numbering.first_part = Some(numbering.derived);
            }
            let kind = match predicate {
                Predicate::Fluent(..) => Kind::Fluent,
                Predicate::Move(..) => Kind::Move,
                _ if program.dynamic[index] => Kind::Derived,
                _ => Kind::None,
            };
            let mut nothing = 0;
            let count = match kind {
                Kind::Fluent => &mut numbering.fluents,
                Kind::Move => &mut numbering.moves,
                Kind::Derived => &mut numbering.derived,
                Kind::None => &mut nothing,
            };
            let first = *count;
            *count += store.tables[index].len();
            numbering.first[index] = first;
            if *count > first {
                numbering.owners[kind as usize].push((first, index));
            }
            numbering.kinds[index] = kind;
        }
        numbering.find_foreign(store);
        numbering
    }

    fn find_foreign(&mut self, store: &Store<'_>) {
        let _ = self.first_part.get_or_insert(self.derived);
        for (predicate, _) in self.kinds.iter().enumerate().filter(|(_, kind)| **kind == Kind::Move) {
            for row in 0..store.tables[predicate].len() {
                if !store.roles.contains(&store.tables[predicate].row(row)[0]) {
                    self.foreign.insert((predicate, row), self.derived);
                    self.derived += 1;
                }
            }
        }
    }

    /// The number of the atom that a row of a predicate says in some mode.
    pub(crate) fn atom(&self, predicate: usize, row: u32, mode: Mode) -> u32 {
        let number = self.first[predicate] + row;
        match (self.kinds[predicate], mode) {
            (Kind::Fluent, Mode::Next) => self.fluents + self.moves + number,
            (Kind::Fluent, _) => number,
            (Kind::Move, Mode::Legal) if self.foreign.contains_key(&(predicate, row)) => {
                2 * (self.fluents + self.moves) + self.foreign[&(predicate, row)]
            }
            (Kind::Move, Mode::Legal) => 2 * self.fluents + self.moves + number,
            (Kind::Move, _) => self.fluents + number,
            (Kind::Derived | Kind::None, _) => 2 * (self.fluents + self.moves) + number,
        }
    }

    /// Sets of fluents of which perhaps one holds at a time: those that differ in one column, and all of a name.
    pub(crate) fn families(&self, store: &Store<'_>) -> Vec<Vec<u32>> {
        const MOST_OF_A_NAME: u32 = 400;
        let mut families: Vec<Vec<u32>> = Vec::new();
        for &(first, predicate) in &self.owners[Kind::Fluent as usize] {
            let table = &store.tables[predicate];
            for column in 0..table.arity() {
                let mut by_key: FxIndexMap<Vec<TermId>, Vec<u32>> = FxIndexMap::default();
                for row in 0..table.len() {
                    let mut key = table.row(row).to_vec();
                    key.remove(column);
                    by_key.entry(key).or_default().push(first + row);
                }
                families.extend(by_key.into_values().filter(|family| family.len() > 1));
            }
            if table.arity() > 1 && (2..=MOST_OF_A_NAME).contains(&table.len()) {
                families.push((first..first + table.len()).collect());
            }
        }
        families
    }

    /// Whose each move is, by the role's number; nobody's if it is of no role.
    pub(crate) fn movers(&self, roles: &[TermId], store: &Store<'_>) -> Vec<Option<u32>> {
        let mut movers = vec![None; self.moves as usize];
        for &(first, predicate) in &self.owners[Kind::Move as usize] {
            for row in 0..store.tables[predicate].len() {
                let role = store.tables[predicate].row(row)[0];
                let place = roles.iter().position(|&known| known == role);
                movers[(first + row) as usize] = place.map(|place| index32(place, "roles"));
            }
        }
        movers
    }

    /// The number of a fluent.
    pub(crate) fn fluent(&self, predicate: usize, row: u32) -> u32 {
        self.first[predicate] + row
    }

    /// The predicate and row of a derived atom.
    pub(crate) fn derived_at(&self, atom: u32, store: &Store<'_>) -> Option<(usize, u32)> {
        let number = atom.checked_sub(2 * (self.fluents + self.moves))?;
        self.find(Kind::Derived, number, store)
    }

    fn find(&self, kind: Kind, number: u32, store: &Store<'_>) -> Option<(usize, u32)> {
        let owners = &self.owners[kind as usize];
        let place = owners.partition_point(|&(first, _)| first <= number).checked_sub(1)?;
        let (first, predicate) = owners[place];
        (number - first < store.tables[predicate].len()).then_some((predicate, number - first))
    }
}

/// Calls the atoms what the description calls them.
pub(crate) struct TableNames<'a, 'o> {
    pub(crate) game: &'a Game,
    pub(crate) program: &'a Program,
    pub(crate) numbering: &'a Numbering,
    pub(crate) store: &'a mut Store<'o>,
    pub(crate) roles: &'a [TermId],
    /// How the names of parts of bodies begin; no relation of the description is called so.
    pub(crate) prefix: String,
}

impl TableNames<'_, '_> {
    fn term(&mut self, name: Symbol, arguments: &[TermId]) -> TermId {
        if arguments.is_empty() {
            self.store.terms.intern(Term::Constant(name))
        } else {
            self.store.terms.intern_function(name, arguments)
        }
    }
}

impl Naming for TableNames<'_, '_> {
    fn fluent(&mut self, number: u32) -> Option<TermId> {
        let (predicate, row) = self.numbering.find(Kind::Fluent, number, self.store)?;
        let Predicate::Fluent(name, _) = self.program.predicates[predicate] else { return None };
        let arguments = self.store.tables[predicate].row(row).to_vec();
        Some(self.term(name, &arguments))
    }

    fn step(&mut self, number: u32) -> Option<(usize, TermId)> {
        let (predicate, row) = self.numbering.find(Kind::Move, number, self.store)?;
        let Predicate::Move(name, _) = self.program.predicates[predicate] else { return None };
        let columns = self.store.tables[predicate].row(row).to_vec();
        let (role, arguments) = columns.split_first()?;
        let role = self.roles.iter().position(|known| known == role)?;
        Some((role, self.term(name, arguments)))
    }

    fn derived(&mut self, number: u32) -> Option<(String, Box<[TermId]>)> {
        let Some((predicate, row)) = self.numbering.find(Kind::Derived, number, self.store) else {
            if let Some((&(predicate, row), _)) = self.numbering.foreign.iter().find(|it| *it.1 == number) {
                let Predicate::Move(name, _) = self.program.predicates[predicate] else { return None };
                let columns = self.store.tables[predicate].row(row).to_vec();
                let made = self.term(name, &columns[1..]);
                return Some((String::from("legal"), [columns[0], made].into()));
            }
            return Some((format!("{}_set{number}", self.prefix), Box::default()));
        };
        let name = match self.program.predicates[predicate] {
            Predicate::Relation(relation) => self.game.relation_name(relation).to_string(),
            Predicate::Auxiliary(part) => format!("{}{part}", self.prefix),
            Predicate::Whole(mode) => format!("{}_{}", self.prefix, format!("{mode:?}").to_lowercase()),
            _ => return None,
        };
        Some((name, self.store.tables[predicate].row(row).into()))
    }
}

/// A beginning of names that no relation of the description has.
pub(crate) fn free_prefix(game: &Game) -> String {
    let mut prefix = String::from("part");
    let is_taken = |prefix: &str| {
        game.relations()
            .any(|(relation, _)| game.relation_name(relation).to_ascii_lowercase().starts_with(prefix))
    };
    while is_taken(&prefix) {
        prefix.push('_');
    }
    prefix
}
