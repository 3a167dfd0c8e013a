//! From a game to a machine that is ready: the flat program, the static relations, the first state, the tree.

use std::sync::Arc;

use groundrules_gdl::game::RelationId;
use groundrules_gdl::symbol::Symbols;
use groundrules_gdl::{Game, Roles};
use rustc_hash::FxHashSet;

use super::build::{Builder, Demand, unfiltered};
use super::domains::{DomainId, Functor};
use super::inline::replace_renamings;
use super::node::{OrId, Recursion};
use super::normalise::flat_program;
use super::options::TreeOptions;
use super::program::{Level, Meaning, PredicateId, Program};
use super::prove::{Prover, Tree};
use super::row_set::RowSet;
use super::statistics::Sizes;
use super::text::Writer;
use crate::MachineError;

/// How many steps computing one static relation in full may take, and all of them together. What takes more is
/// evaluated on demand.
const STEPS_OF_A_RELATION: u64 = 120_000;
const STEPS_OF_ALL: u64 = 600_000;

/// The same, when a game is played and a relation has proven to be asked often.
const STEPS_OF_A_RELATION_LATER: u64 = 1_000_000;
const STEPS_OF_ALL_LATER: u64 = 4_000_000;

/// After how many visits a filter is judged.
const VISITS: u64 = 200;

/// Where the rows of a relation that a match asks for are found.
#[derive(Clone, Copy, Debug)]
pub(super) enum Root {
    Table(usize),
    Or(OrId),
}

/// A fluent: its name, the table of those that hold, and how the next ones are found.
#[derive(Clone, Debug)]
pub(super) struct Fluent {
    pub(super) functor: Functor,
    pub(super) table: usize,
    pub(super) next: Root,
}

/// What is the same in all machines for a game.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) tree: Tree,
    pub(super) program: Arc<Program>,
    /// The tables of predicates, and which predicates are too large for one.
    pub(super) table_of: Vec<Option<usize>>,
    has_many: Vec<bool>,
    /// Filters that turned out useless.
    pub(super) useless: FxHashSet<(PredicateId, Vec<Demand>)>,
    pub(super) symbols: Arc<Symbols>,
    pub(super) roles: Vec<Vec<u32>>,
    pub(super) role_names: Roles,
    pub(super) fluents: Vec<Fluent>,
    pub(super) does: usize,
    pub(super) legal: Root,
    pub(super) terminal: Root,
    pub(super) goals: Vec<Root>,
    /// The domains of moves and of goal values.
    pub(super) moves: DomainId,
    pub(super) values: DomainId,
}

/// Makes a game ready. Gives the plan, and a prover that stands in the first state.
pub(super) fn set_up(game: &Game, options: TreeOptions) -> Result<(Prepared, Prover), MachineError> {
    let mut program = flat_program(game)?;
    if options.inline_renamings {
        replace_renamings(&mut program);
    }
    let role_domain = program.domains.argument(RelationId::ROLE, 0);
    let program = Arc::new(program);
    let mut setting_up = SettingUp { builder: Builder::new(&program, options), steps: STEPS_OF_ALL };
    setting_up.compute_static(STEPS_OF_A_RELATION, |_| true);
    let (roles, role_names) = setting_up.roles(game, role_domain)?;
    setting_up.first_state()?;
    let symbols = Arc::new(game.symbols().clone());
    Ok(setting_up.finish(Arc::clone(&program), symbols, (roles, role_names)))
}

/// Builds the tree again with what was measured while playing. The new prover stands in the same state, with the same moves
/// made, and knows the same terms.
pub(super) fn set_up_again(plan: &Prepared, prover: &Prover, sizes: &Sizes) -> (Prepared, Prover) {
    let program = Arc::clone(&plan.program);
    let mut setting_up = SettingUp { builder: prepared(&program, plan, prover, sizes), steps: 0 };
    if plan.tree.options.filters && plan.tree.options.remove_filters {
        let mut trial = SettingUp { builder: prepared(&program, plan, prover, sizes), steps: 0 };
        trial.remove_filters(plan, prover);
        setting_up.builder.useless = trial.builder.useless;
        setting_up.builder.measured = trial.builder.measured;
    }
    setting_up.steps = STEPS_OF_ALL_LATER;
    setting_up.compute_static(STEPS_OF_A_RELATION_LATER, |predicate| {
        let counts = plan.tree.ors.iter().enumerate().filter(|(_, or)| or.predicate == predicate);
        counts.map(|(number, _)| prover.count(number).visits).sum::<u64>() >= VISITS
    });
    let roles = (plan.roles.clone(), plan.role_names.clone());
    setting_up.finish(Arc::clone(&program), Arc::clone(&plan.symbols), roles)
}

/// A builder that knows what was measured and has the tables as they are now.
fn prepared<'p>(program: &'p Program, plan: &Prepared, prover: &Prover, sizes: &Sizes) -> Builder<'p> {
    let mut builder = Builder::new(program, plan.tree.options);
    builder.prover.terms = prover.terms.clone();
    builder.has_many.clone_from(&plan.has_many);
    builder.useless.clone_from(&plan.useless);
    for (predicate, table) in plan.table_of.iter().enumerate() {
        let Some(table) = *table else { continue };
        match builder.table_of(predicate) {
            None => builder.settle(predicate, prover.tables[table].clone()),
            Some(own) => builder.prover.tables[own].replace_rows(&prover.tables[table]),
        }
    }
    for (number, fluent) in plan.fluents.iter().enumerate() {
        let predicate = program.find(Meaning::True(fluent.functor));
        if let (Some(predicate), Some((rows, spreads))) = (predicate, sizes.of(number)) {
            builder.expect(predicate, rows, spreads);
        }
    }
    for (number, or) in plan.tree.ors.iter().enumerate() {
        builder.measured.add(or, prover.count(number));
    }
    builder
}

struct SettingUp<'p> {
    builder: Builder<'p>,
    steps: u64,
}

impl SettingUp<'_> {
    /// Builds what a match asks for.
    fn finish(
        mut self,
        program: Arc<Program>,
        symbols: Arc<Symbols>,
        (roles, role_names): (Vec<Vec<u32>>, Roles),
    ) -> (Prepared, Prover) {
        self.expect_moves(roles.len());
        let fluents = self.fluents();
        let legal = self.root(Meaning::Relation(RelationId::LEGAL), None);
        let terminal = self.root(Meaning::Relation(RelationId::TERMINAL), None);
        let goal = Meaning::Relation(RelationId::GOAL);
        let goals = roles.iter().map(|role| self.root(goal, Some(role))).collect();
        let does = self.table(Meaning::Relation(RelationId::DOES));
        self.builder.build();
        let Builder { tree, prover, table_of, has_many, useless, .. } = self.builder;
        let moves = program.domains.argument_of(RelationId::LEGAL, 1);
        let values = program.domains.argument_of(RelationId::GOAL, 1);
        let plan = Prepared {
            tree,
            program,
            table_of,
            has_many,
            useless,
            symbols,
            roles,
            role_names,
            fluents,
            does,
            legal,
            terminal,
            goals,
            moves,
            values,
        };
        (plan, prover)
    }

    /// Finds the filters that do not pay: in the current state, proving all that they keep out takes fewer steps than what
    /// was asked through them took in a state on average.
    fn remove_filters(&mut self, plan: &Prepared, prover: &Prover) {
        for (number, or) in plan.tree.ors.iter().enumerate() {
            let count = prover.count(number);
            let is_filter =
                !or.key.is_empty() && or.recursion == Recursion::None && or.level != Level::Static;
            if !is_filter || count.visits < VISITS {
                continue;
            }
            let spent = count.steps / prover.states.max(1);
            let free = self.builder.or_node(or.predicate, &unfiltered(&or.demand));
            self.builder.build();
            let Builder { tree, prover, measured, useless, .. } = &mut self.builder;
            prover.forget_state(tree);
            prover.allow(spent);
            match prover.query(tree, free, &[]) {
                Ok(()) if prover.steps_left() * 5 > spent => {
                    let count = prover.count(free);
                    measured.add(&tree.ors[free], count);
                    useless.insert((or.predicate, or.demand.clone()));
                }
                Ok(()) => {}
                Err(_) => prover.forget_all(tree),
            }
        }
    }

    /// Computes static relations in full, as far as that is cheap; what they depend on first.
    fn compute_static(&mut self, most: u64, is_worth_it: impl Fn(PredicateId) -> bool) {
        let predicates = &self.builder.program.predicates;
        let mut order: Vec<PredicateId> = (0..predicates.len())
            .filter(|&it| {
                predicates[it].level == Level::Static && !matches!(predicates[it].meaning, Meaning::Init(_))
            })
            .filter(|&it| self.builder.is_used(it) && self.builder.table_of(it).is_none() && is_worth_it(it))
            .collect();
        order.sort_by_key(|&predicate| predicates[predicate].group);
        for predicate in order {
            let allowed = most.min(self.steps);
            match self.computed(predicate, allowed) {
                Ok(table) => self.builder.settle(predicate, table),
                Err(_) => self.builder.expect_many(predicate),
            }
        }
    }

    /// All the rows of a predicate.
    fn computed(&mut self, predicate: PredicateId, steps: u64) -> Result<RowSet, MachineError> {
        let relation = &self.builder.program.predicates[predicate];
        let or = self.builder.or_node(predicate, &vec![Demand::Free; relation.sizes.len()]);
        self.builder.build();
        let Builder { tree, prover, options, .. } = &mut self.builder;
        prover.allow(steps);
        let result = prover.query(tree, or, &[]);
        self.steps = self.steps.saturating_sub(steps - prover.steps_left());
        if let Err(error) = result {
            prover.forget_all(tree);
            return Err(error);
        }
        let mut table = RowSet::new(&relation.sizes, options.hash_rows);
        table.extend(&prover.proofs[or].answers);
        Ok(table)
    }

    /// The rows of a predicate, however long it takes.
    fn all_rows(&mut self, meaning: Meaning) -> Result<Vec<Vec<u32>>, MachineError> {
        let Some(predicate) = self.builder.program.find(meaning) else { return Ok(Vec::new()) };
        let copy = |table: &RowSet| table.rows().map(<[u32]>::to_vec).collect();
        match self.builder.table_of(predicate) {
            Some(table) => Ok(copy(&self.builder.prover.tables[table])),
            None => {
                let steps = self.builder.options.steps;
                Ok(copy(&self.computed(predicate, steps)?))
            }
        }
    }

    /// The roles: those given by facts in the order of the text, then those given by rules, sorted.
    fn roles(&mut self, game: &Game, domain: DomainId) -> Result<(Vec<Vec<u32>>, Roles), MachineError> {
        let rows = self.all_rows(Meaning::Relation(RelationId::ROLE))?;
        let writer = Writer {
            domains: &self.builder.program.domains,
            symbols: game.symbols(),
            terms: &self.builder.prover.terms,
        };
        // Those of facts sort before those of rules.
        let mut roles: Vec<(bool, Option<usize>, String, Vec<u32>)> = Vec::new();
        let mut given = Vec::new();
        for &role in game.roles() {
            let mut text = String::new();
            // A string can always be written to.
            let _ = game.terms().write_kif(role, game.symbols(), &mut text);
            given.push(text);
        }
        for row in rows {
            let mut text = String::new();
            writer.write(domain, &row, &mut text);
            let place = given.iter().position(|other| *other == text);
            roles.push((place.is_none(), place, text, row));
        }
        roles.sort();
        let (rows, names): (Vec<Vec<u32>>, Vec<String>) =
            roles.into_iter().map(|(_, _, text, row)| (row, text)).unzip();
        Ok((rows, names.into()))
    }

    fn first_state(&mut self) -> Result<(), MachineError> {
        for predicate in 0..self.builder.program.predicates.len() {
            let Meaning::True(functor) = self.builder.program.predicates[predicate].meaning else { continue };
            let rows = self.all_rows(Meaning::Init(functor))?;
            let Some(table) = self.builder.table_of(predicate) else { continue };
            for row in &rows {
                self.builder.prover.tables[table].insert(row);
            }
            if rows.is_empty() {
                let sizes = &self.builder.program.predicates[predicate].sizes;
                let spreads: Vec<f64> =
                    sizes.iter().map(|&size| (size as f64 - 1.0).clamp(1.0, 8.0)).collect();
                let rows = spreads.iter().product::<f64>().min(8.0);
                self.builder.expect(predicate, rows, spreads);
            } else {
                self.builder.count(predicate, table);
            }
        }
        Ok(())
    }

    fn expect_moves(&mut self, roles: usize) {
        let Some(does) = self.builder.program.find(Meaning::Relation(RelationId::DOES)) else { return };
        let rows = (roles as f64).max(1.0);
        let columns = self.builder.program.predicates[does].sizes.len();
        let spreads = (0..columns).map(|column| if column == 0 { rows } else { rows.min(2.0) });
        self.builder.expect(does, rows, spreads.collect());
    }

    fn fluents(&mut self) -> Vec<Fluent> {
        let meanings: Vec<Functor> = self
            .builder
            .program
            .predicates
            .iter()
            .filter_map(|predicate| match predicate.meaning {
                Meaning::True(functor) => Some(functor),
                _ => None,
            })
            .collect();
        let mut fluents = Vec::new();
        for functor in meanings {
            let next = self.root(Meaning::Next(functor), None);
            fluents.push(Fluent { functor, table: self.table(Meaning::True(functor)), next });
        }
        fluents
    }

    fn table(&mut self, meaning: Meaning) -> usize {
        let table = self.builder.program.find(meaning).and_then(|it| self.builder.table_of(it));
        table.unwrap_or_else(|| self.builder.add_table(RowSet::new(&[], true)))
    }

    /// Where the rows of a relation are found, all of them or those with this role.
    fn root(&mut self, meaning: Meaning, role: Option<&Vec<u32>>) -> Root {
        let Some(predicate) = self.builder.program.find(meaning) else {
            return Root::Table(self.table(meaning));
        };
        if let Some(table) = self.builder.table_of(predicate) {
            return Root::Table(table);
        }
        let mut demand = vec![Demand::Free; self.builder.program.predicates[predicate].sizes.len()];
        for (column, &value) in demand.iter_mut().zip(role.into_iter().flatten()) {
            *column = Demand::Constant(value);
        }
        Root::Or(self.builder.or_node(predicate, &demand))
    }
}
