//! The state of a grounding run: tables, terms and the work done so far. All potentially long work is counted here, so
//! limits are enforced in one place and the rule to blame is known when one is exceeded.

use groundrules_gdl::Game;
use groundrules_gdl::index::index32;
use groundrules_gdl::term::{TermId, Terms};
use groundrules_gdl::time::Stopwatch;

use rustc_hash::FxHashSet;

use crate::clause::{Clause, Predicate, Program};
use crate::error::{Blame, GroundError, Halt};
use crate::ground_game::MadeByRule;
use crate::lazy::Lazy;
use crate::limits::{Limits, SECONDS};
use crate::table::Table;

/// The progress of a grounding.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// The relation whose rules are being worked on.
    pub relation: &'a str,
    /// Atoms that may hold, so far.
    pub atoms: usize,
    /// Ground rules so far.
    pub rules: usize,
}

/// What a rule of the description has made.
#[derive(Clone, Copy, Debug, Default)]
struct Effort {
    /// Rows tried.
    tries: u64,
    /// Atoms and ground rules made.
    made: u64,
    /// The ground rules among them.
    instances: u64,
}

/// What is known, and what it has cost.
pub(crate) struct Store<'o> {
    pub(crate) tables: Vec<Table>,
    pub(crate) terms: Terms,
    pub(crate) lazy: Lazy,
    pub(crate) limits: Limits,
    stopwatch: Stopwatch,
    /// Who plays; nobody else moves.
    pub(crate) roles: FxHashSet<TermId>,
    /// How many ground rules there are, and the bytes that they take.
    pub(crate) rules: usize,
    pub(crate) rule_bytes: usize,
    watch: &'o mut dyn FnMut(Progress<'_>),
    names: Vec<String>,
    efforts: Vec<Effort>,
    /// The rule and the predicate that are worked on.
    rule: usize,
    predicate: usize,
    ticks: u64,
    counted: u64,
    atoms: usize,
    /// How many atoms and ticks there may be before a relation is given up as too large to enumerate.
    allowance: Option<(usize, u64)>,
}

impl<'o> Store<'o> {
    pub(crate) fn new(
        game: &Game,
        program: &Program,
        limits: Limits,
        watch: &'o mut dyn FnMut(Progress<'_>),
    ) -> Self {
        Store {
            tables: program.arities.iter().map(|&arity| Table::new(arity)).collect(),
            terms: game.terms().clone(),
            lazy: Lazy::new(program.predicates.len()),
            limits,
            stopwatch: Stopwatch::start(),
            roles: FxHashSet::default(),
            rules: 0,
            rule_bytes: 0,
            watch,
            names: program.predicates.iter().map(|predicate| name(game, *predicate)).collect(),
            efforts: vec![Effort::default(); game.rules().len()],
            rule: 0,
            predicate: 0,
            ticks: 0,
            counted: 0,
            atoms: 0,
            allowance: None,
        }
    }

    /// Allows so many more atoms and rows to be tried, until [`Store::allow_all`].
    pub(crate) fn allow(&mut self, atoms: usize, ticks: u64) {
        self.allowance = Some((self.atoms + atoms, self.ticks + ticks));
    }

    /// Nothing but the limits counts again. What was given up is as if it had not begun.
    pub(crate) fn allow_all(&mut self) {
        self.allowance = None;
        self.lazy.interrupt();
    }

    /// Adds a table that belongs to no predicate; gives its number.
    pub(crate) fn add_table(&mut self, table: Table) -> u32 {
        self.tables.push(table);
        self.lazy.is_lazy.push(false);
        index32(self.tables.len() - 1, "tables")
    }

    /// Adds tables for the predicates that a program has got since.
    pub(crate) fn add_predicates(&mut self, program: &Program) {
        for &arity in &program.arities[self.tables.len()..] {
            self.add_table(Table::new(arity));
        }
    }

    /// Whether a predicate is evaluated on demand.
    pub(crate) fn is_lazy(&self, predicate: usize) -> bool {
        self.lazy.is_lazy[predicate]
    }

    /// Work on a clause begins; gives what was worked on before.
    pub(crate) fn begin(&mut self, clause: &Clause) -> (usize, usize) {
        self.resume((clause.rule, clause.head.predicate.index()))
    }

    /// Goes back to what was worked on before.
    pub(crate) fn resume(&mut self, (rule, predicate): (usize, usize)) -> (usize, usize) {
        self.efforts[self.rule].tries += self.ticks - self.counted;
        self.counted = self.ticks;
        (std::mem::replace(&mut self.rule, rule), std::mem::replace(&mut self.predicate, predicate))
    }

    /// One more row is tried.
    pub(crate) fn tick(&mut self) -> Result<(), Halt> {
        self.ticks += 1;
        if self.ticks.is_multiple_of(1 << 14) { self.look_around() } else { Ok(()) }
    }

    /// Stores a tuple that follows from the rule that is worked on.
    pub(crate) fn insert(&mut self, predicate: usize, tuple: &[TermId]) -> Result<(u32, bool), Halt> {
        if let Some(&deep) = tuple.iter().find(|&&term| self.terms.depth(term) > self.limits.depth) {
            let depth = self.terms.depth(deep) as usize;
            let blame = self.blame();
            return Err(GroundError::Depth { depth, blame }.into());
        }
        let (row, is_new) = self.tables[predicate].insert(tuple);
        if is_new {
            self.made()?;
            self.atoms += 1;
            if self.allowance.is_some_and(|(atoms, _)| self.atoms > atoms) {
                return Err(Halt::TooMany);
            }
            if self.atoms > self.limits.most_atoms() {
                return Err(self.over("atoms", self.limits.most_atoms() as u64));
            }
        }
        Ok((row, is_new))
    }

    /// The rule that is worked on has made an atom or a ground rule.
    pub(crate) fn made(&mut self) -> Result<(), Halt> {
        self.efforts[self.rule].made += 1;
        let is_time =
            self.efforts[self.rule].made.is_multiple_of(1 << 14) || self.rules > self.limits.most_rules();
        if is_time { self.look_around() } else { Ok(()) }
    }

    /// The rule that is worked on has made a ground rule.
    pub(crate) fn made_rule(&mut self) -> Result<(), Halt> {
        self.rules += 1;
        self.efforts[self.rule].instances += 1;
        self.made()
    }

    /// What each rule of the description has made, by its index.
    pub(crate) fn made_by_rule(&self) -> Vec<MadeByRule> {
        let made = |effort: &Effort| MadeByRule {
            atoms: effort.made - effort.instances,
            rules: effort.instances,
            tried: effort.tries,
        };
        self.efforts.iter().map(made).collect()
    }

    /// Tuples were taken out again.
    pub(crate) fn forget(&mut self, tuples: u32) {
        self.atoms = self.atoms.saturating_sub(tuples as usize);
    }

    /// Checks the limits.
    pub(crate) fn look_around(&mut self) -> Result<(), Halt> {
        let relation = self.names.get(self.predicate).map_or("", String::as_str);
        (self.watch)(Progress { relation, atoms: self.atoms, rules: self.rules });
        if self.allowance.is_some_and(|(atoms, ticks)| self.atoms > atoms || self.ticks > ticks) {
            return Err(Halt::TooMany);
        }
        self.limits.cancel.check().map_err(GroundError::from)?;
        if let Some(time) = self.limits.exceeded(self.stopwatch.elapsed()) {
            return Err(self.over(SECONDS, time.as_secs()));
        }
        if self.ticks > self.limits.tries {
            return Err(self.over("rows tried", self.limits.tries));
        }
        if self.rules > self.limits.most_rules() {
            return Err(self.over("ground rules", self.limits.most_rules() as u64));
        }
        let bytes = self.tables.iter().map(Table::bytes).sum::<usize>() + self.rule_bytes;
        // A term has its entry, the entry's hash and its arguments.
        if (bytes + self.terms.len() * 64) as u64 > self.limits.most_bytes() {
            return Err(self.over("bytes", self.limits.most_bytes()));
        }
        Ok(())
    }

    pub(crate) fn over(&mut self, what: &'static str, limit: u64) -> Halt {
        let blame = self.blame();
        GroundError::Limit { what, limit, blame }.into()
    }

    /// The rule that has made the most, or tried the most if hardly anything was made.
    fn blame(&mut self) -> Blame {
        self.resume((self.rule, self.predicate));
        let weight = |effort: &Effort| (effort.made.max(effort.tries / 16), effort.tries);
        let rule = (0..self.efforts.len()).max_by_key(|&rule| weight(&self.efforts[rule])).unwrap_or(0);
        let effort = self.efforts.get(rule).copied().unwrap_or_default();
        Blame { rule, made: effort.made, tried: effort.tries, variables: Vec::new() }
    }
}

fn name(game: &Game, predicate: Predicate) -> String {
    match predicate {
        Predicate::Relation(relation) => game.relation_name(relation).to_string(),
        Predicate::Fluent(symbol, _) | Predicate::Move(symbol, _) => {
            game.symbols().spelling(symbol).to_string()
        }
        Predicate::Auxiliary(number) => format!("part {number}"),
        Predicate::Whole(_) => String::from("whole terms"),
        Predicate::Domain(number) => format!("domain {number}"),
        Predicate::Question(number) => format!("questions {number}"),
    }
}
