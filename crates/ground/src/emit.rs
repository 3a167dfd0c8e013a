//! Instantiation. The tables have what may hold, so the ground rules are the ways to satisfy the clauses with rows of
//! the tables. Heads are instantiated on demand: first all of `next`, `legal`, `goal`, `terminal` and `sees`, then
//! whatever occurs in the bodies made for them. All rules of a head are made together, so they are adjacent and
//! duplicates are found at once. Static literals are tested and do not occur in the result.

use groundrules_gdl::game::RelationId;
use groundrules_gdl::term::TermId;
use rustc_hash::FxHashMap;

use crate::clause::{Clause, Mode, Pattern, PatternAtom, Predicate, PredicateId, Program};
use crate::conditions::{Choice, Condition, Conditions, Outcome, Sets};
use crate::draft::{Draft, Rules, literal};
use crate::error::{GroundError, Halt};
use crate::join::{ALL, Join, Match, Sink};
use crate::numbering::Numbering;
use crate::plan::{JoinPlan, Task};
use crate::store::Store;
use crate::subsume::Bodies;

/// Instantiates a program whose tables are complete.
pub(crate) fn emit(
    program: &Program,
    only_asked: bool,
    store: &mut Store<'_>,
    numbering: &Numbering,
) -> Result<Draft, GroundError> {
    let mut rules = Rules::default();
    let mut emission = Emission::new(program, numbering, store);
    emission.ask_for_roots(only_asked, store);
    emission.run(&mut rules, store)?;
    let derived = numbering.derived + emission.sets.define(&mut rules);
    Ok(Draft {
        fluents: numbering.fluents,
        moves: numbering.moves,
        derived,
        first_part: numbering.first_part.unwrap_or(numbering.derived),
        roots: roots(program, numbering, store),
        init: Vec::new(),
        families: Vec::new(),
        movers: Vec::new(),
        rules,
    })
}

/// The atoms that are asked for from outside and are neither `next` nor `legal`.
fn roots(program: &Program, numbering: &Numbering, store: &Store<'_>) -> Vec<u32> {
    let relations = program.predicates.iter().enumerate();
    let roots =
        relations.filter(|(_, predicate)| matches!(predicate, Predicate::Relation(it) if is_root(*it)));
    let atoms = |(index, _): (usize, &Predicate)| {
        (0..store.tables[index].len()).map(move |row| numbering.atom(index, row, Mode::Plain))
    };
    roots.flat_map(atoms).collect()
}

fn is_root(relation: RelationId) -> bool {
    [RelationId::GOAL, RelationId::TERMINAL, RelationId::SEES].contains(&relation)
}

/// A clause prepared for instantiation with a given head.
struct Prepared<'p> {
    clause: &'p Clause,
    conditions: Vec<Condition>,
    plan: JoinPlan,
    /// The ranges of its literals: everything.
    ranges: Vec<(u32, u32)>,
}

/// The clauses for a head predicate.
#[derive(Default)]
struct Definition<'p> {
    clauses: Vec<Prepared<'p>>,
    /// The clauses by the constant in one column of their heads, where there are many; the rest fit any constant.
    column: Option<usize>,
    by_constant: FxHashMap<TermId, Vec<usize>>,
    others: Vec<usize>,
}

/// The rows of a predicate that something asks for.
#[derive(Default)]
struct Asked {
    rows: Vec<u32>,
    is_asked: Vec<bool>,
    done: usize,
}

impl Asked {
    fn add(&mut self, row: u32) -> bool {
        let place = row as usize;
        if self.is_asked.len() <= place {
            self.is_asked.resize(place + 1, false);
        }
        let is_new = !std::mem::replace(&mut self.is_asked[place], true);
        if is_new {
            self.rows.push(row);
        }
        is_new
    }
}

struct Emission<'p> {
    program: &'p Program,
    numbering: &'p Numbering,
    definitions: Vec<Definition<'p>>,
    asked: Vec<Asked>,
    /// Predicates with rows that were asked for and not yet looked at.
    waiting: Vec<usize>,
    conditions: Conditions,
    sets: Sets,
    scratch: Scratch,
}

/// Room for the work on one head, used again and again.
#[derive(Default)]
struct Scratch {
    found: Match,
    key: Vec<TermId>,
    bound: Vec<bool>,
    tuple: Vec<TermId>,
    bodies: Bodies,
    choices: Vec<(Vec<u32>, Choice)>,
}

impl<'p> Emission<'p> {
    fn new(program: &'p Program, numbering: &'p Numbering, store: &mut Store<'_>) -> Self {
        let count = program.predicates.len();
        let mut conditions = Conditions::default();
        let mut definitions: Vec<Definition<'p>> = (0..count).map(|_| Definition::default()).collect();
        for clause in &program.clauses {
            if program.is_dynamic(&clause.head) {
                let ready = clause.conditions.iter();
                let ready =
                    ready.map(|body| conditions.prepare(program, clause, body, numbering, store)).collect();
                let prepared = prepare(program, clause, ready, store);
                definitions[clause.head.predicate.index()].clauses.push(prepared);
            }
        }
        definitions.iter_mut().for_each(Definition::sort);
        let asked = (0..count).map(|_| Asked::default()).collect();
        let sets = Sets::of(program, numbering, store);
        Emission {
            program,
            numbering,
            definitions,
            asked,
            waiting: Vec::new(),
            conditions,
            sets,
            scratch: Scratch::default(),
        }
    }

    fn ask_for_roots(&mut self, only_asked: bool, store: &Store<'_>) {
        for (index, predicate) in self.program.predicates.iter().enumerate() {
            let is_root = match predicate {
                Predicate::Fluent(..) | Predicate::Move(..) => true,
                Predicate::Relation(relation) => is_root(*relation),
                _ => false,
            };
            if self.program.dynamic[index] && (is_root || !only_asked) {
                (0..store.tables[index].len()).for_each(|row| self.ask(index, row));
            }
        }
    }

    fn ask(&mut self, predicate: usize, row: u32) {
        if self.asked[predicate].add(row)
            && self.asked[predicate].rows.len() == self.asked[predicate].done + 1
        {
            self.waiting.push(predicate);
        }
    }

    fn run(&mut self, rules: &mut Rules, store: &mut Store<'_>) -> Result<(), Halt> {
        self.constant_fluents(rules, store);
        while let Some(predicate) = self.waiting.pop() {
            let definition = std::mem::take(&mut self.definitions[predicate]);
            while let Some(&row) = self.asked[predicate].rows.get(self.asked[predicate].done) {
                self.asked[predicate].done += 1;
                self.define(predicate, &definition, row, rules, store)?;
            }
            self.definitions[predicate] = definition;
        }
        Ok(())
    }

    /// What never changes follows without condition.
    fn constant_fluents(&self, rules: &mut Rules, store: &Store<'_>) {
        for &PredicateId(predicate) in &self.program.constants {
            for row in 0..store.tables[predicate as usize].len() {
                rules.push(self.numbering.atom(predicate as usize, row, Mode::Next), &[]);
            }
        }
    }

    /// Makes all rules for one head.
    fn define(
        &mut self,
        predicate: usize,
        definition: &Definition<'_>,
        row: u32,
        rules: &mut Rules,
        store: &mut Store<'_>,
    ) -> Result<(), Halt> {
        let mut scratch = std::mem::take(&mut self.scratch);
        let Scratch { found, key, bound, tuple, bodies, choices } = &mut scratch;
        tuple.clear();
        tuple.extend_from_slice(store.tables[predicate].row(row));
        let mode = match self.program.predicates[predicate] {
            Predicate::Fluent(..) => Mode::Next,
            Predicate::Move(..) => Mode::Legal,
            _ => Mode::Plain,
        };
        bodies.restart(self.numbering.atom(predicate, row, mode));
        for prepared in definition.fitting(tuple) {
            let clause = prepared.clause;
            found.values.resize(clause.variables.len(), TermId::default());
            found.rows.resize(clause.body.positive.len(), 0);
            bound.clear();
            bound.resize(clause.variables.len(), false);
            let fits = clause.head.columns.iter().zip(&*tuple);
            if !{ fits }.all(|(pattern, &term)| found.unify(pattern, term, bound, store)) {
                continue;
            }
            store.begin(clause);
            let mut join = Join {
                body: &clause.body,
                plan: &prepared.plan,
                ranges: &prepared.ranges,
                found: std::mem::take(found),
                key: std::mem::take(key),
            };
            let mut writer = Writer { emission: self, prepared, bodies, choices };
            join.run(store, &mut writer)?;
            (*found, *key) = (join.found, join.key);
        }
        self.write_choices(choices, bodies);
        choices.clear();
        let head = bodies.head();
        for body in bodies.finish() {
            rules.push(head, body);
            for &literal in body {
                self.ask_for_atom(literal / 2, store);
            }
        }
        self.scratch = scratch;
        store.rules = rules.len();
        store.rule_bytes = rules.bytes();
        Ok(())
    }

    /// Writes the bodies that have a condition. Bodies that differ in the condition alone are one body with one of several
    /// conditions: whether a move changes the row or the column, it changes the cell.
    fn write_choices(&mut self, choices: &mut [(Vec<u32>, Choice)], bodies: &mut Bodies) {
        choices.sort_by(|a, b| a.0.cmp(&b.0));
        for group in choices.chunk_by(|a, b| a.0 == b.0) {
            let group_choices: Vec<&Choice> = group.iter().map(|(_, choice)| choice).collect();
            let outcome = self.sets.outcome_of_any(&group_choices);
            bodies.begin();
            group[0].0.iter().for_each(|&literal| bodies.add(literal));
            match outcome {
                Outcome::Never => bodies.drop_last(),
                Outcome::Always => bodies.end(),
                Outcome::OneOf(literals) => {
                    bodies.multiply(&literals);
                    bodies.end();
                }
            }
        }
    }

    fn ask_for_atom(&mut self, atom: u32, store: &Store<'_>) {
        if let Some((predicate, row)) = self.numbering.derived_at(atom, store) {
            self.ask(predicate, row);
        }
    }
}

/// Plans a clause whose head is given.
fn prepare<'p>(
    program: &'p Program,
    clause: &'p Clause,
    conditions: Vec<Condition>,
    store: &mut Store<'_>,
) -> Prepared<'p> {
    let mut bound = vec![false; clause.variables.len()];
    clause.head.for_each_variable(&mut |variable| bound[variable] = true);
    let mut wanted = vec![false; clause.variables.len()];
    let dynamic = clause.body.positive.iter().chain(&clause.body.negative);
    for atom in dynamic.filter(|atom| program.is_dynamic(atom)) {
        atom.for_each_variable(&mut |variable| wanted[variable] = true);
    }
    for condition in &conditions {
        condition.interface.iter().for_each(|&variable| wanted[variable] = true);
    }
    let decided = clause.body.negative.iter().map(|atom| !program.is_dynamic(atom)).collect();
    let plan = JoinPlan::of(&Task { body: &clause.body, bound, wanted, first: None, decided }, store);
    plan.refresh(store);
    Prepared { clause, conditions, plan, ranges: vec![ALL; clause.body.positive.len()] }
}

impl<'p> Definition<'p> {
    /// With many clauses, finds the column whose constants tell most of them apart.
    fn sort(&mut self) {
        const MANY: usize = 12;
        let arity = self.clauses.first().map_or(0, |prepared| prepared.clause.head.columns.len());
        let constant = |prepared: &Prepared<'_>, column: usize| match prepared.clause.head.columns[column] {
            Pattern::Ground(term) => Some(term),
            _ => None,
        };
        if self.clauses.len() > MANY {
            let count =
                |&column: &usize| self.clauses.iter().filter(|it| constant(it, column).is_some()).count();
            self.column = (0..arity).max_by_key(count).filter(|column| count(column) > 0);
        }
        for (place, prepared) in self.clauses.iter().enumerate() {
            match self.column.and_then(|column| constant(prepared, column)) {
                Some(term) => self.by_constant.entry(term).or_default().push(place),
                None => self.others.push(place),
            }
        }
    }

    /// The clauses whose heads a tuple may be an instance of.
    fn fitting(&self, tuple: &[TermId]) -> impl Iterator<Item = &Prepared<'p>> {
        let special = self.column.and_then(|column| self.by_constant.get(&tuple[column]));
        special.into_iter().flatten().chain(&self.others).map(|&place| &self.clauses[place])
    }
}

/// Whether a move is that of somebody who plays; nobody else moves, whatever is legal for him.
fn is_players(atom: &PatternAtom, row: u32, store: &Store<'_>) -> bool {
    store.roles.contains(&store.tables[atom.predicate.index()].row(row)[0])
}

/// Writes down the bodies of a head.
struct Writer<'w, 'p, 'd> {
    emission: &'w mut Emission<'p>,
    prepared: &'w Prepared<'d>,
    bodies: &'w mut Bodies,
    /// The bodies with one condition, which is still to be written.
    choices: &'w mut Vec<(Vec<u32>, Choice)>,
}

impl Sink for Writer<'_, '_, '_> {
    fn wants(&mut self, _: &mut Store<'_>, _: &Match) -> bool {
        true
    }

    fn take(&mut self, store: &mut Store<'_>, found: &Match) -> Result<(), Halt> {
        let body = &self.prepared.clause.body;
        let (program, numbering) = (self.emission.program, self.emission.numbering);
        self.bodies.begin();
        for (atom, &row) in body.positive.iter().zip(&found.rows) {
            if atom.mode == Mode::Does && !is_players(atom, row, store) {
                self.bodies.drop_last();
                return Ok(());
            }
            if program.is_dynamic(atom) {
                let atom = numbering.atom(atom.predicate.index(), row, atom.mode);
                self.bodies.add(literal(atom, true));
            }
        }
        let mut tuple = Vec::new();
        for atom in &body.negative {
            let predicate = atom.predicate.index();
            // What is in no table never holds, so its negation says nothing.
            if program.is_dynamic(atom)
                && found.tuple(atom, store, &mut tuple)
                && let Some(row) = store.tables[predicate].find(&tuple)
                && (atom.mode != Mode::Does || is_players(atom, row, store))
            {
                self.bodies.add(literal(numbering.atom(predicate, row, atom.mode), false));
            }
        }
        store.made_rule()?;
        let Emission { conditions, sets, .. } = &mut *self.emission;
        if let [condition] = &self.prepared.conditions[..] {
            let choice = conditions.ask(condition, found, sets, store)?;
            self.choices.push((self.bodies.take_last(), choice));
            return Ok(());
        }
        for condition in &self.prepared.conditions {
            let choice = conditions.ask(condition, found, sets, store)?;
            match sets.outcome(&choice) {
                Outcome::Never => {
                    self.bodies.drop_last();
                    return Ok(());
                }
                Outcome::Always => {}
                Outcome::OneOf(literals) => self.bodies.multiply(&literals),
            }
        }
        self.bodies.end();
        Ok(())
    }
}
