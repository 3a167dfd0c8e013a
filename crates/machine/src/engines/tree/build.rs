//! Builds the resolution tree from the flat program: an OR node for each relation with each pattern of known columns that
//! some condition asks for, an AND node for each of its rules that the query does not contradict. Facts, fluents and
//! moves are tables.

use groundrules_gdl::game::RelationId;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use super::node::{Access, And, KeyTest, Or, OrId, Recursion, Source, Step, Value};
use super::options::TreeOptions;
use super::plan::{Planner, or_of};
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

/// How many OR nodes of one relation are told apart by constants.
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

/// A condition whose rows wait for answers of their own recursion.
#[derive(Clone, Debug)]
pub(super) struct Consumer {
    pub(super) and: usize,
    pub(super) step: usize,
    /// Whose answers are awaited.
    pub(super) or: OrId,
    /// How many different values each column of a waiting row can have.
    pub(super) sizes: Box<[u64]>,
    /// The columns of waiting rows that are part of what they ask, and the columns of the answers they are equal to.
    pub(super) slots: Box<[usize]>,
    pub(super) answers: Box<[usize]>,
    /// What else an answer must have.
    pub(super) tests: Box<[KeyTest]>,
}

impl Consumer {
    fn new(and: usize, step: usize, or: OrId, access: &Access, sizes: &[u64]) -> Self {
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        let mut tests: Vec<KeyTest> = Vec::new();
        for (&value, &column) in access.key.iter().zip(&access.columns) {
            match value {
                Value::Constant(value) => tests.push(KeyTest::Is(column, value)),
                Value::Slot(slot) => match pairs.iter().find(|(other, _)| *other == slot) {
                    Some(&(_, first)) => tests.push(KeyTest::Same(first, column)),
                    None => pairs.push((slot, column)),
                },
            }
        }
        tests.extend(access.same.iter().map(|&(left, right)| KeyTest::Same(left, right)));
        pairs.sort_unstable();
        let (slots, answers): (Vec<usize>, Vec<usize>) = pairs.into_iter().unzip();
        Consumer {
            and,
            step,
            or,
            sizes: sizes.into(),
            slots: slots.into(),
            answers: answers.into(),
            tests: tests.into(),
        }
    }
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
        let bound = spreads.filter(|(_, (demand, asked))| **demand == Demand::Bound && **asked == Demand::Bound);
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
            Demand::Constant(value) if specialise && self.special[predicate][column] => Demand::Constant(value),
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
                None => Value::Slot(key.len() + free.iter().position(|&other| other == place).unwrap_or(0)),
            })
            .collect();
        let merge = super::node::Merge::New;
        let step = if free.is_empty() {
            Step::Test { access, merge, negated: false }
        } else {
            let keep = (0..key.len()).collect();
            Step::Join { access, merge, keep, take: free.into(), sieve: None, consumer: None }
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
            has_rows: !layout.is_empty(),
            layout,
            steps: Vec::new(),
            builder: self,
        };
        planner.plan(&rule.body, &wanted);
        let slot = |variable: u32| planner.layout.iter().position(|&other| other == variable).unwrap_or(0);
        let head = columns
            .iter()
            .map(|&column| match rule.head.columns[column] {
                Operand::Constant(value) => Value::Constant(value),
                Operand::Variable(variable) => Value::Slot(slot(variable)),
            })
            .collect();
        let steps = planner.steps;
        let and = And { or, tests: tests.into(), entry: entry.into(), steps, head };
        self.push_and(or, and);
    }

    /// Finds the recursion among the OR nodes from a number on.
    fn link(&mut self, first: usize) {
        let mut graph: DiGraph<(), bool> = DiGraph::new();
        let nodes: Vec<NodeIndex> = (first..self.tree.ors.len()).map(|_| graph.add_node(())).collect();
        for and in &self.tree.ands {
            let Some(from) = and.or.checked_sub(first) else { continue };
            for_each_source(&and.steps, &mut |to, positive| {
                if let Some(to) = to.checked_sub(first) {
                    graph.add_edge(nodes[from], nodes[to], positive);
                }
            });
        }
        for (number, members) in kosaraju_scc(&graph).iter().enumerate() {
            let is_recursive = members.len() > 1 || graph.contains_edge(members[0], members[0]);
            let group = first + number;
            members.iter().for_each(|member| self.tree.ors[first + member.index()].group = group);
            if !is_recursive {
                continue;
            }
            let inside = |to: NodeIndex| self.tree.ors[first + to.index()].group == group;
            let negated = members.iter().any(|&member| {
                use petgraph::visit::EdgeRef;
                graph.edges(member).any(|edge| !edge.weight() && inside(edge.target()))
            });
            let recursion = if negated { Recursion::Negated } else { Recursion::Positive };
            members.iter().for_each(|member| self.tree.ors[first + member.index()].recursion = recursion);
        }
        self.add_consumers(first);
    }

    fn add_consumers(&mut self, first: usize) {
        let Tree { ors, ands, consumers, groups, consumers_of, .. } = &mut self.tree;
        groups.resize_with(ors.len(), Default::default);
        for (number, or) in ors.iter().enumerate().skip(first) {
            groups[or.group].0.push(number);
        }
        for (number, and) in ands.iter_mut().enumerate() {
            let own = &ors[and.or];
            if and.or < first || own.recursion != Recursion::Positive {
                continue;
            }
            let asked = &self.prover.proofs[and.or].asked;
            let mut sizes: Vec<u64> = and.entry.iter().map(|&place| asked.sizes()[place]).collect();
            for (place, step) in and.steps.iter_mut().enumerate() {
                if let Step::Join { access, consumer, .. } = step
                    && let Some(or) = or_of(access)
                    && ors[or].group == own.group
                {
                    *consumer = Some(consumers.len());
                    groups[own.group].1.push(consumers.len());
                    consumers_of[and.or].push(consumers.len());
                    consumers.push(Consumer::new(number, place, or, access, &sizes));
                    self.prover.add_waiting(&consumers[consumers.len() - 1]);
                }
                sizes = sizes_after(step, &sizes, &self.prover);
            }
        }
    }
}

/// How many different values the columns of rows can have after a step.
fn sizes_after(step: &Step, before: &[u64], prover: &Prover) -> Vec<u64> {
    let any = 1 << 32;
    match step {
        Step::Join { access, keep, take, .. } => {
            let rows = match access.source {
                Source::Table(table) => prover.tables[table].sizes(),
                Source::Or(or) => prover.proofs[or].answers.sizes(),
            };
            let kept = keep.iter().map(|&slot| before[slot]);
            kept.chain(take.iter().map(|&column| rows[column])).collect()
        }
        Step::Test { .. } | Step::Compare { .. } => before.to_vec(),
        Step::TakeApart { take, .. } => before.iter().copied().chain(take.iter().map(|_| any)).collect(),
        Step::PutTogether { .. } => before.iter().copied().chain([any]).collect(),
        Step::Or { width, .. } => {
            let mut sizes = before.to_vec();
            sizes.resize(*width, any);
            sizes
        }
    }
}

/// Visits the OR nodes that steps read, with whether they are read without negation.
fn for_each_source(steps: &[Step], visit: &mut dyn FnMut(OrId, bool)) {
    for step in steps {
        match step {
            Step::Join { access, .. } => or_of(access).into_iter().for_each(|or| visit(or, true)),
            Step::Test { access, negated, .. } => {
                or_of(access).into_iter().for_each(|or| visit(or, !negated));
            }
            Step::Or { alternatives, .. } => {
                alternatives.iter().for_each(|one| for_each_source(&one.steps, visit));
            }
            Step::Compare { .. } | Step::TakeApart { .. } | Step::PutTogether { .. } => {}
        }
    }
}

/// The demand without a filter.
pub(super) fn unfiltered(demand: &[Demand]) -> Vec<Demand> {
    let free = |&column: &Demand| if column == Demand::Bound { Demand::Free } else { column };
    demand.iter().map(free).collect()
}

/// The rule with the constants of a query in place of the variables of its head; nothing if they contradict it.
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
    let mut parts = vec![0; rule.variables as usize];
    let once = |counts: &mut Vec<u32>, visit: &dyn Fn(&mut dyn FnMut(u32))| {
        let mut seen = vec![false; counts.len()];
        visit(&mut |variable| {
            if !std::mem::replace(&mut seen[variable as usize], true) {
                counts[variable as usize] += 1;
            }
        });
    };
    for counts in [&mut whole, &mut parts] {
        once(counts, &|visit| rule.head.variables().for_each(&mut *visit));
    }
    for condition in &rule.body {
        once(&mut whole, &|visit| condition.for_each_variable(visit));
    }
    let mut pending: Vec<&Condition> = rule.body.iter().collect();
    while let Some(condition) = pending.pop() {
        match condition {
            Condition::Or(alternatives) => pending.extend(alternatives.iter().flatten()),
            _ => once(&mut parts, &|visit| condition.for_each_variable(visit)),
        }
    }
    (whole, parts)
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
