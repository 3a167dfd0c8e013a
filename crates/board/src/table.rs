//! The fluents of a game, sorted into tables: one per name and number of arguments, with the values of every column. They
//! come from the ground game where there is one, else from the rules.

use std::collections::{BTreeMap, BTreeSet};

use groundrules_ground::GroundGame;

use crate::axis::{Axis, Values};
use crate::nested::Nested;
use crate::rules::{Family, Rules};
use crate::words::{Words, fold};

/// A family of fluents.
pub(crate) struct Table {
    pub(crate) family: Family,
    /// The name as it is spelt.
    pub(crate) name: String,
    pub(crate) columns: Vec<Values>,
    /// The order of each column that has one.
    pub(crate) axes: Vec<Option<Axis>>,
    /// Every row that may ever hold, folded, if that is known.
    pub(crate) rows: Option<Vec<Vec<String>>>,
    /// The columns of places, such as `(square a 1)`.
    pub(crate) places: Vec<[usize; 2]>,
    /// The rows that hold at first.
    pub(crate) init: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn arity(&self) -> usize {
        self.columns.len()
    }

    /// Whether all values of a column are roles.
    pub(crate) fn has_roles(&self, column: usize, rules: &Rules) -> bool {
        let values = &self.columns[column];
        !values.is_empty() && values.keys().all(|value| rules.roles.contains_key(value))
    }

    /// The columns that have an order, roles aside.
    pub(crate) fn ordered(&self, rules: &Rules) -> Vec<usize> {
        (0..self.arity())
            .filter(|&column| self.axes[column].is_some() && !self.has_roles(column, rules))
            .collect()
    }

    /// Whether no two rows that hold at first agree in these columns, and there are some.
    pub(crate) fn is_key_at_first(&self, key: &[usize]) -> bool {
        let keys: BTreeSet<Vec<&str>> =
            self.init.iter().map(|row| key.iter().map(|&column| row[column].as_str()).collect()).collect();
        !self.init.is_empty() && keys.len() == self.init.len()
    }
}

/// The tables of a game, in the order in which the rules name them, and the functors of places in them. Without a ground game, places
/// are not looked for.
pub(crate) fn tables(rules: &Rules, ground: Option<&GroundGame>) -> (Vec<Table>, Nested) {
    let (mut tables, nested) = match ground {
        Some(ground) => from_ground(rules, ground),
        None => (from_rules(rules), Nested::default()),
    };
    for table in &mut tables {
        for column in 0..table.arity() {
            let axis = Axis::of(&table.columns[column], &rules.successors);
            let axis = axis.or_else(|| axis_at_first(table, column, rules));
            table.axes.push(axis);
        }
    }
    (tables, nested)
}

/// The order of the values that a column has at first, for columns whose values are known only as a superset.
fn axis_at_first(table: &mut Table, column: usize, rules: &Rules) -> Option<Axis> {
    let at_first: Values = table
        .init
        .iter()
        .map(|row| &row[column])
        .map(|key| (key.clone(), table.columns[column].get(key).unwrap_or(key).clone()))
        .collect();
    let is_order = |axis: &Axis| axis.order != crate::axis::Order::Successors;
    let axis = Axis::of(&at_first, &rules.successors).filter(|axis| axis.len() > 2 && is_order(axis))?;
    let is_board = table.arity() > 2 && table.init.len() > 2 * at_first.len();
    // The other values must be of another kind: a blank among numbers is a content.
    let others = table.columns[column].keys().filter(|key| !at_first.contains_key(*key)).count();
    if !is_board || others == 0 {
        return None;
    }
    table.columns[column] = at_first;
    Some(axis)
}

fn from_rules(rules: &Rules) -> Vec<Table> {
    let table = |(family, columns): (&Family, &Vec<Values>)| Table {
        family: family.clone(),
        name: family.0.clone(),
        columns: columns.clone(),
        axes: Vec::new(),
        rows: None,
        places: Vec::new(),
        init: rules.init.get(family).cloned().unwrap_or_default(),
    };
    rules.fluents.iter().map(table).collect()
}

fn from_ground(rules: &Rules, ground: &GroundGame) -> (Vec<Table>, Nested) {
    let mut found: BTreeMap<Family, Table> = BTreeMap::new();
    let texts: Vec<String> = ground.fluents.iter().map(|&fluent| ground.term(fluent)).collect();
    let nested = Nested::of(&texts, &rules.successors);
    for text in &texts {
        let words = Words::flat(text, &nested);
        let table = found.entry(words.family()).or_insert_with(|| Table {
            family: words.family(),
            name: words.name.to_owned(),
            columns: vec![Values::default(); words.arguments.len()],
            axes: Vec::new(),
            rows: Some(Vec::new()),
            places: nested.columns(text),
            init: Vec::new(),
        });
        let row: Vec<String> = words.arguments.iter().map(|argument| fold(argument)).collect();
        for ((values, key), label) in table.columns.iter_mut().zip(&row).zip(&words.arguments) {
            if !values.contains_key(key) {
                values.insert(key.clone(), (*label).to_owned());
            }
        }
        table.rows.get_or_insert_default().push(row);
    }
    for text in ground.init.iter().filter_map(|&fluent| texts.get(fluent)) {
        let words = Words::flat(text, &nested);
        if let Some(table) = found.get_mut(&words.family()) {
            table.init.push(words.arguments.iter().map(|argument| fold(argument)).collect());
        }
    }
    // In the order of the rules; what they give by variables for whole fluents comes last.
    let mut tables: Vec<Table> = rules.fluents.keys().filter_map(|family| found.remove(family)).collect();
    tables.extend(found.into_values());
    (tables, nested)
}
