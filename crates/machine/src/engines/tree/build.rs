//! Builds the resolution tree from the flat program: an OR node for each relation with each pattern of known columns that
//! some condition asks for, an AND node for each of its rules that the query does not contradict. Facts, fluents and
//! moves are tables.

use groundrules_gdl::game::RelationId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::node::{Access, And, AndStep, KeyTest, Merge, Or, OrId, Recursion, Source, Value};
use super::options::TreeOptions;
use super::plan::Planner;
use super::program::{Condition, Level, Meaning, Operand, PredicateId, Program, Rule};
use super::prove::{Prover, Tree};
use super::row_set::RowSet;
use super::statistics::{Expected, Measured};

/// What a condition knows of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Demand {
    Constant(u32),
    Bound,
    Free,
}

/// How many OR nodes one relation may have for different constants.
const MOST_SPECIAL: usize = 64;

/// The tree while it is built.
pub(super) struct Builder<'p> {
    pub(super) program: &'p Program,
    pub(super) options: TreeOptions,
    pub(super) tree: Tree,
    /// What holds the tables and the row sets of the tree; also proves what is needed to go on building.
    pub(super) prover: Prover,
    /// The table of each predicate that is one.
    pub(super) table_of: Vec<Option<usize>>,
    /// Estimates of sizes: rows, and different values in each column.
    statistics: Vec<(f64, Vec<f64>)>,
    /// Static predicates that are too large to be computed in full.
    pub(super) has_many: Vec<bool>,
    known: FxHashMap<(PredicateId, Vec<Demand>), OrId>,
    /// Which columns of a predicate have constants in the heads of rules.
    special: Vec<Vec<bool>>,
    special_count: Vec<usize>,
    pending: Vec<(OrId, Vec<Demand>)>,
    /// What was measured while playing, and the filters that turned out useless.
    pub(super) measured: Measured,
    pub(super) useless: FxHashSet<(PredicateId, Vec<Demand>)>,
    used: Vec<bool>,
}

impl<'p> Builder<'p> {
    pub(super) fn new(program: &'p Program, options: TreeOptions) -> Self {
        let special = program
            .predicates
            .iter()
            .map(|predicate| {
                let of_column = |column: usize| {
                    let heads = predicate.rules.iter().map(|&rule| &program.rules[rule].head);
                    heads.clone().any(|head| matches!(head.columns[column], Operand::Constant(_)))
                };
                (0..predicate.sizes.len()).map(of_column).collect()
            })
            .collect();
        let count = program.predicates.len();
        let mut builder = Builder {
            program,
            options,
            tree: Tree::new(options),
            prover: Prover::new(program.terms.clone()),
            table_of: vec![None; count],
            statistics: vec![(0.0, Vec::new()); count],
            has_many: vec![false; count],
            known: FxHashMap::default(),
            special,
            special_count: vec![0; count],
            pending: Vec::new(),
            measured: Measured::default(),
            useless: FxHashSet::default(),
            used: used(program),
        };
        builder.add_facts();
        builder
    }

    fn add_facts(&mut self) {
        for (number, predicate) in self.program.predicates.iter().enumerate() {
            let is_given = matches!(predicate.meaning, Meaning::True(_))
                || predicate.meaning == Meaning::Relation(RelationId::DOES);
            let table = if predicate.rules.is_empty() || is_given {
                let mut table = RowSet::new(&predicate.sizes, self.options.hash_rows);
                for row in &predicate.facts {
                    table.insert(row);
                }
                Some(self.add_table(table))
            } else {
                None
            };
            self.table_of[number] = table;
            match table {
                Some(table) => self.count(number, table),
                None => self.guess(number),
            }
        }
    }

    pub(super) fn add_table(&mut self, table: RowSet) -> usize {
        self.prover.tables.push(table);
        self.prover.tables.len() - 1
    }

    /// Makes a computed relation a table.
    pub(super) fn settle(&mut self, predicate: PredicateId, table: RowSet) {
        let table = self.add_table(table);
        self.table_of[predicate] = Some(table);
        self.count(predicate, table);
    }

    /// Takes the statistics of a predicate from its table.
    pub(super) fn count(&mut self, predicate: PredicateId, table: usize) {
        let table = &self.prover.tables[table];
        let spreads = (0..table.stride()).map(|column| (table.spread(column) as f64).max(1.0));
        self.statistics[predicate] = (f64::from(table.len()), spreads.collect());
    }

    /// Says what is expected of a predicate.
    pub(super) fn expect(&mut self, predicate: PredicateId, rows: f64, spreads: Vec<f64>) {
        self.statistics[predicate] = (rows, spreads);
    }

    /// Says that a predicate has too many rows to be computed in full: it must not be asked with nothing known.
    pub(super) fn expect_many(&mut self, predicate: PredicateId) {
        self.has_many[predicate] = true;
    }

    /// Guesses the size of a relation that was not computed from the sizes of its domains.
    fn guess(&mut self, predicate: PredicateId) {
        let sizes = &self.program.predicates[predicate].sizes;
        let spreads: Vec<f64> = sizes.iter().map(|&size| (size as f64 - 1.0).clamp(1.0, 1e6)).collect();
        let rows = (spreads.iter().product::<f64>() * 0.3).clamp(1.0, 1e30);
        self.statistics[predicate] = (rows, spreads);
    }

    /// What to expect of a question with these columns known.
    pub(super) fn expected(&self, predicate: PredicateId, demand: &[Demand]) -> Expected {
        let (rows, spreads) = &self.statistics[predicate];
        let measured = match self.table_of[predicate] {
            Some(_) => None,
            None => self.measured.expected(predicate, &self.normalised(predicate, demand), demand, spreads),
        };
        measured.unwrap_or_else(|| {
            let is_known = |demand: &Demand| *demand != Demand::Free;
            let is_reckless = self.has_many[predicate] && !demand.iter().any(is_known);
            let rows = if is_reckless { rows * 1e6 } else { *rows };
            let known = spreads.iter().zip(demand).filter(|(_, demand)| is_known(demand));
            let rows = known.fold(rows, |rows, (spread, _)| rows / spread);
            let free = spreads.iter().zip(demand).filter(|(_, demand)| !is_known(demand));
            let recursion = 100.0 * free.map(|(spread, _)| spread).product::<f64>();
            let steps = if self.program.predicates[predicate].is_recursive { recursion } else { 2.0 };
            Expected { rows, steps }
        })
    }

    /// How many different questions so many rows ask.
    pub(super) fn questions(&self, predicate: PredicateId, demand: &[Demand], rows: f64) -> f64 {
        let asked = self.normalised(predicate, demand);
        let spreads = self.statistics[predicate].1.iter().zip(demand.iter().zip(&asked));
        let bound =
            spreads.filter(|(_, (demand, asked))| **demand == Demand::Bound && **asked == Demand::Bound);
        rows.min(bound.map(|(spread, _)| spread).product::<f64>())
    }

    pub(super) fn table_of(&self, predicate: PredicateId) -> Option<usize> {
        self.table_of[predicate]
    }

    /// Whether a match asks for a predicate, directly or not, now that renamings are replaced.
    pub(super) fn is_used(&self, predicate: PredicateId) -> bool {
        self.used[predicate]
    }

    pub(super) fn new_sieve(&mut self) -> usize {
        self.prover.add_sieve()
    }

    /// Where the rows of a predicate are found, and which of its columns they have.
    pub(super) fn source(&mut self, predicate: PredicateId, demand: &[Demand]) -> (Source, Vec<usize>) {
        if let Some(table) = self.table_of[predicate] {
            return (Source::Table(table), (0..demand.len()).collect());
        }
        let or = self.or_node(predicate, demand);
        (Source::Or(or), self.tree.ors[or].columns.to_vec())
    }

    /// The pattern of known columns that an OR node is made for: constants only where they rule some rule out, no filter
    /// where it was switched off or turned out useless.
    fn normalised(&self, predicate: PredicateId, demand: &[Demand]) -> Vec<Demand> {
        let relation = &self.program.predicates[predicate];
        let filters = self.options.filters || relation.is_recursive || relation.level == Level::Static;
        let specialise = self.special_count[predicate] < MOST_SPECIAL;
        let of_column = |(column, &demand): (usize, &Demand)| match demand {
            Demand::Constant(value) if specialise && self.special[predicate][column] => {
                Demand::Constant(value)
            }
            Demand::Constant(_) | Demand::Bound if filters => Demand::Bound,
            _ => Demand::Free,
        };
        let mut demand: Vec<Demand> = demand.iter().enumerate().map(of_column).collect();
        if self.useless.contains(&(predicate, demand.clone())) {
            demand = unfiltered(&demand);
        }
        demand
    }

    /// The OR node for a predicate with a pattern of known columns.
    pub(super) fn or_node(&mut self, predicate: PredicateId, demand: &[Demand]) -> OrId {
        let demand = self.normalised(predicate, demand);
        let relation = &self.program.predicates[predicate];
        if let Some(&known) = self.known.get(&(predicate, demand.clone())) {
            return known;
        }
        if demand.iter().any(|column| matches!(column, Demand::Constant(_))) {
            self.special_count[predicate] += 1;
        }
        let columns: Vec<usize> =
            (0..demand.len()).filter(|&column| !matches!(demand[column], Demand::Constant(_))).collect();
        let key: Vec<usize> =
            (0..columns.len()).filter(|&place| demand[columns[place]] == Demand::Bound).collect();
        let sizes: Vec<u64> = columns.iter().map(|&column| relation.sizes[column]).collect();
        let key_sizes: Vec<u64> = key.iter().map(|&place| sizes[place]).collect();
        let mut answers = RowSet::new(&sizes, true);
        answers.index_over(&key);
        let or = Or {
            predicate,
            columns: columns.into(),
            key: key.into(),
            demand: demand.clone(),
            level: relation.level,
            group: usize::MAX,
            recursion: Recursion::None,
            ands: Vec::new(),
        };
        self.tree.ors.push(or);
        self.tree.names.push(relation.name.clone());
        self.tree.consumers_of.push(Vec::new());
        self.prover.add_proof(RowSet::new(&key_sizes, true), answers);
        let new = self.tree.ors.len() - 1;
        self.known.insert((predicate, demand.clone()), new);
        self.pending.push((new, demand));
        new
    }

    /// How a key of a source is looked up.
    pub(super) fn access(
        &mut self,
        source: Source,
        columns: &[usize],
        key: Vec<Value>,
        same: Vec<(usize, usize)>,
    ) -> Access {
        let set = match source {
            Source::Table(table) => &mut self.prover.tables[table],
            Source::Or(or) => &mut self.prover.proofs[or].answers,
        };
        let index = set.index_over(columns);
        let compares = set.index(index).needs_comparing();
        let (mut base, mut parts) = (0u64, Vec::new());
        for (&value, &factor) in key.iter().zip(&set.coding(index).factors) {
            match value {
                Value::Constant(value) => base = base.wrapping_add(u64::from(value).wrapping_mul(factor)),
                Value::Slot(slot) => parts.push((slot, factor)),
            }
        }
        Access {
            source,
            index,
            base,
            parts: parts.into(),
            key: key.into(),
            columns: columns.into(),
            compares: compares && !columns.is_empty(),
            same: same.into(),
        }
    }

    /// Builds everything that was asked for, and what that asks for.
    pub(super) fn build(&mut self) {
        let first = self.tree.ors.len() - self.pending.len();
        while let Some((or, demand)) = self.pending.pop() {
            let predicate = self.tree.ors[or].predicate;
            for &rule in &self.program.predicates[predicate].rules {
                self.add_and(or, &demand, &self.program.rules[rule]);
            }
            if !self.program.predicates[predicate].facts.is_empty() {
                self.add_facts_of(or, predicate, &demand);
            }
        }
        self.link(first);
    }

    /// The facts of a relation that has rules too, as one more rule.
    fn add_facts_of(&mut self, or: OrId, predicate: PredicateId, demand: &[Demand]) {
        let relation = &self.program.predicates[predicate];
        let matches = |row: &&Vec<u32>| {
            let mut columns = demand.iter().zip(row.iter());
            columns.all(|(demand, value)| !matches!(demand, Demand::Constant(constant) if constant != value))
        };
        let columns = self.tree.ors[or].columns.clone();
        let sizes: Vec<u64> = columns.iter().map(|&column| relation.sizes[column]).collect();
        let mut table = RowSet::new(&sizes, self.options.hash_rows);
        for row in relation.facts.iter().filter(matches) {
            let row: Vec<u32> = columns.iter().map(|&column| row[column]).collect();
            table.insert(&row);
        }
        if table.is_empty() {
            return;
        }
        let table = self.add_table(table);
        let key = self.tree.ors[or].key.clone();
        let values = (0..key.len()).map(Value::Slot).collect();
        let access = self.access(Source::Table(table), &key, values, Vec::new());
        let free: Vec<usize> = (0..columns.len()).filter(|place| !key.contains(place)).collect();
        let head = (0..columns.len())
            .map(|place| match key.iter().position(|&other| other == place) {
                Some(slot) => Value::Slot(slot),
                None => {
                    let taken = free.iter().position(|&other| other == place);
                    Value::Slot(key.len() + taken.expect("a column is in the key or free"))
                }
            })
            .collect();
        let merge = Merge::New;
        let step = if free.is_empty() {
            AndStep::Test { access, merge, negated: false }
        } else {
            let keep = (0..key.len()).collect();
            AndStep::Join { access, merge, keep, take: free.into(), sieve: None, consumer: None }
        };
        let entry = (0..key.len()).collect();
        let and = And { or, tests: Box::default(), entry, steps: vec![step], head };
        self.push_and(or, and);
    }

    fn push_and(&mut self, or: OrId, and: And) {
        self.tree.ands.push(and);
        let new = self.tree.ands.len() - 1;
        self.tree.ors[or].ands.push(new);
    }

    /// Adds a rule to an OR node, unless the query contradicts its head.
    fn add_and(&mut self, or: OrId, demand: &[Demand], rule: &Rule) {
        let Some(rule) = specialised(rule, demand) else { return };
        let (columns, key) = (self.tree.ors[or].columns.clone(), self.tree.ors[or].key.clone());
        let (mut tests, mut entry, mut layout) = (Vec::new(), Vec::new(), Vec::new());
        for (place, &column) in key.iter().enumerate() {
            match rule.head.columns[columns[column]] {
                Operand::Constant(value) => tests.push(KeyTest::Is(place, value)),
                Operand::Variable(variable) => match layout.iter().position(|&it| it == variable) {
                    Some(first) => tests.push(KeyTest::Same(entry[first], place)),
                    None => {
                        entry.push(place);
                        layout.push(variable);
                    }
                },
            }
        }
        let mut wanted = vec![false; rule.variables as usize];
        columns.iter().filter_map(|&column| rule.head.columns[column].variable()).for_each(|variable| {
            wanted[variable as usize] = true;
        });
        let predicate = &self.program.predicates[rule.head.predicate];
        let (occurrences, uses) = occurrences(&rule);
        let mut planner = Planner {
            group: predicate.is_recursive.then_some((predicate.group, predicate.is_negated)),
            occurrences,
            uses,
            head: rule.head.predicate,
            asked: demand.to_vec(),
            has_rows: !layout.is_empty(),
            layout,
            steps: Vec::new(),
            builder: self,
        };
        planner.plan(&rule.body, &wanted);
        let head = columns
            .iter()
            .map(|&column| match rule.head.columns[column] {
                Operand::Constant(value) => Value::Constant(value),
                Operand::Variable(variable) => Value::Slot(planner.slot(variable)),
            })
            .collect();
        let steps = planner.steps;
        let and = And { or, tests: tests.into(), entry: entry.into(), steps, head };
        self.push_and(or, and);
    }
}

/// The demand without a filter.
pub(super) fn unfiltered(demand: &[Demand]) -> Vec<Demand> {
    let free = |&column: &Demand| if column == Demand::Bound { Demand::Free } else { column };
    demand.iter().map(free).collect()
}

/// The rule with the constants of a query in place of the variables of its head; `None` if they contradict it.
fn specialised(rule: &Rule, demand: &[Demand]) -> Option<Rule> {
    let mut values: FxHashMap<u32, u32> = FxHashMap::default();
    for (&column, demand) in rule.head.columns.iter().zip(demand) {
        let Demand::Constant(value) = demand else { continue };
        match column {
            Operand::Constant(constant) if constant != *value => return None,
            Operand::Constant(_) => {}
            Operand::Variable(variable) => {
                if *values.entry(variable).or_insert(*value) != *value {
                    return None;
                }
            }
        }
    }
    let mut replace = |operand: Operand| match operand {
        Operand::Variable(variable) => {
            values.get(&variable).map_or(operand, |&value| Operand::Constant(value))
        }
        Operand::Constant(_) => operand,
    };
    let mut head = rule.head.clone();
    head.columns.iter_mut().for_each(|column| *column = replace(*column));
    let body = rule.body.iter().map(|condition| condition.replaced(&mut replace)).collect();
    Some(Rule { head, body, variables: rule.variables })
}

/// In how many conditions each variable occurs, disjunctions as one and taken apart; the head counts too.
fn occurrences(rule: &Rule) -> (Vec<u32>, Vec<u32>) {
    let mut whole = vec![0; rule.variables as usize];
    let mut head: Vec<u32> = rule.head.variables().collect();
    count_each(&mut head, &mut whole);
    let mut parts = whole.clone();
    let count = |condition: &Condition, counts: &mut [u32]| {
        let mut variables = Vec::new();
        condition.for_each_variable(&mut |variable| variables.push(variable));
        count_each(&mut variables, counts);
    };
    rule.body.iter().for_each(|condition| count(condition, &mut whole));
    let mut pending: Vec<&Condition> = rule.body.iter().collect();
    while let Some(condition) = pending.pop() {
        match condition {
            Condition::Or(alternatives) => pending.extend(alternatives.iter().flatten()),
            _ => count(condition, &mut parts),
        }
    }
    (whole, parts)
}

/// Counts each of the variables once.
fn count_each(variables: &mut Vec<u32>, counts: &mut [u32]) {
    variables.sort_unstable();
    variables.dedup();
    variables.iter().for_each(|&variable| counts[variable as usize] += 1);
}

/// Which predicates a match asks for, directly or not.
fn used(program: &Program) -> Vec<bool> {
    let roots = [RelationId::ROLE, RelationId::LEGAL, RelationId::GOAL, RelationId::TERMINAL];
    let is_root = |meaning: Meaning| match meaning {
        Meaning::Relation(relation) => roots.contains(&relation),
        Meaning::Init(_) | Meaning::Next(_) => true,
        Meaning::True(_) => false,
    };
    let mut used = vec![false; program.predicates.len()];
    let mut pending: Vec<PredicateId> =
        (0..used.len()).filter(|&predicate| is_root(program.predicates[predicate].meaning)).collect();
    while let Some(predicate) = pending.pop() {
        if std::mem::replace(&mut used[predicate], true) {
            continue;
        }
        for &rule in &program.predicates[predicate].rules {
            for condition in &program.rules[rule].body {
                condition.for_each_atom(&mut |atom, _| pending.push(atom.predicate));
            }
        }
    }
    used
}
