//! The fixpoint: clauses are applied to what is known until nothing new follows. Semi-naive: in each round every clause
//! is joined once for each literal that has new tuples, with the literals before it restricted to the old ones, so
//! that each substitution is met exactly once. Static clauses are evaluated exactly, stratum by stratum; dynamic ones with their dynamic
//! negative literals passed over, which gives a superset of what can ever hold, and every substitution met is a ground
//! rule.

use std::ops::Range;

use groundrules_gdl::game::RelationId;
use groundrules_gdl::term::{TermId, Terms};
use groundrules_gdl::{Dependencies, Game};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::clause::{Clause, Mode, Pattern, Predicate, Program};
use crate::error::GroundError;
use crate::join::{Flow, Join, Plan};
use crate::limits::Limits;
use crate::tuples::Tuples;

/// A literal of an instance: a predicate's row, read in one of its modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Instance {
    pub(crate) predicate: u32,
    pub(crate) row: u32,
    pub(crate) mode: Mode,
}

/// The ground rules in the order in which they were found, as rows of what the fixpoint knows.
#[derive(Default)]
pub(crate) struct Instances {
    pub(crate) heads: Vec<Instance>,
    pub(crate) rules: Vec<u32>,
    /// Where each rule's literals end.
    pub(crate) ends: Vec<u32>,
    pub(crate) literals: Vec<(Instance, bool)>,
}

/// The fixpoint and everything it has found.
pub(crate) struct Fixpoint<'g> {
    pub(crate) game: &'g Game,
    pub(crate) program: Program,
    pub(crate) terms: Terms,
    pub(crate) tuples: Vec<Tuples>,
    /// Tuples that negative literals ask for, by predicate; they need not hold.
    pub(crate) asked: Vec<Tuples>,
    pub(crate) is_dynamic: Vec<bool>,
    pub(crate) instances: Instances,
    /// The fluents that hold at the beginning: predicate and row.
    pub(crate) initial: Vec<(u32, u32)>,
    limits: Limits,
    /// How many instances each rule of the description has.
    counts: Vec<usize>,
}

/// A clause with the plans made for it so far.
struct Planned {
    clause: usize,
    /// The plan for each first literal, with the size of the tables when it was made.
    plans: Vec<Option<(Plan, u64)>>,
}

impl<'g> Fixpoint<'g> {
    pub(crate) fn new(game: &'g Game, limits: Limits) -> Result<Self, GroundError> {
        let program = Program::of(game)?;
        let dependencies = Dependencies::of(game);
        let arity = |predicate: &Predicate| match *predicate {
            Predicate::Relation(relation) => game.relation(relation).arity,
            Predicate::Fluent(_, arity) => arity,
            Predicate::Move(_, arity) => arity + 1,
        };
        let is_dynamic = |predicate: &Predicate| match *predicate {
            Predicate::Relation(relation) => {
                dependencies.is_dynamic(relation)
                    || [RelationId::GOAL, RelationId::TERMINAL].contains(&relation)
            }
            Predicate::Fluent(..) | Predicate::Move(..) => true,
        };
        let tuples: Vec<Tuples> =
            program.predicates.iter().map(|predicate| Tuples::new(arity(predicate))).collect();
        Ok(Fixpoint {
            game,
            terms: game.terms().clone(),
            asked: tuples.clone(),
            tuples,
            is_dynamic: program.predicates.iter().map(is_dynamic).collect(),
            program,
            instances: Instances::default(),
            initial: Vec::new(),
            limits,
            counts: vec![0; game.rules().len()],
        })
    }

    /// Evaluates the static clauses, then the first state and the dynamic ones.
    pub(crate) fn run(&mut self) -> Result<(), GroundError> {
        let (dynamic, statics): (Vec<usize>, Vec<usize>) =
            (0..self.program.clauses.len()).filter(|&clause| self.is_wanted(clause)).partition(|&clause| {
                let head = &self.program.clauses[clause].head;
                self.is_dynamic[head.predicate.index()] && head.mode != Mode::Init
            });
        let (init, statics): (Vec<usize>, Vec<usize>) =
            statics.into_iter().partition(|&clause| self.program.clauses[clause].head.mode == Mode::Init);
        for stratum in self.strata(&statics)? {
            self.saturate(&stratum)?;
        }
        self.saturate(&init)?;
        for (index, tuples) in self.tuples.iter().enumerate() {
            if matches!(self.program.predicates[index], Predicate::Fluent(..)) {
                let predicate = u32::try_from(index).unwrap_or(u32::MAX);
                self.initial.extend((0..tuples.len()).map(|row| (predicate, row)));
            }
        }
        self.saturate(&dynamic)
    }

    /// `base` and `input` are never trusted: what they would say is computed. Where a body asks for them they are relations
    /// like others.
    fn is_wanted(&self, clause: usize) -> bool {
        match self.program.predicates[self.program.clauses[clause].head.predicate.index()] {
            Predicate::Relation(relation @ (RelationId::BASE | RelationId::INPUT)) => {
                self.game.relation(relation).used.is_some()
            }
            _ => true,
        }
    }

    /// The static clauses in groups, each after the groups it depends on.
    fn strata(&self, clauses: &[usize]) -> Result<Vec<Vec<usize>>, GroundError> {
        let mut graph: DiGraph<(), ()> = DiGraph::new();
        let nodes: Vec<NodeIndex> = self.tuples.iter().map(|_| graph.add_node(())).collect();
        for &clause in clauses {
            let clause = &self.program.clauses[clause];
            for atom in clause.positive.iter().chain(&clause.negative) {
                graph.add_edge(nodes[clause.head.predicate.index()], nodes[atom.predicate.index()], ());
            }
        }
        let mut group = vec![0; nodes.len()];
        let components = kosaraju_scc(&graph);
        for (number, members) in components.iter().enumerate() {
            members.iter().for_each(|member| group[member.index()] = number);
        }
        let mut strata = vec![Vec::new(); components.len()];
        for &index in clauses {
            let clause = &self.program.clauses[index];
            let own = group[clause.head.predicate.index()];
            if clause.negative.iter().any(|atom| group[atom.predicate.index()] == own) {
                return Err(GroundError::StaticNegation { rule: clause.rule });
            }
            strata[own].push(index);
        }
        strata.retain(|stratum| !stratum.is_empty());
        Ok(strata)
    }

    /// Applies some clauses until nothing new follows.
    fn saturate(&mut self, clauses: &[usize]) -> Result<(), GroundError> {
        let mut grows = vec![false; self.tuples.len()];
        for &clause in clauses {
            grows[self.program.clauses[clause].head.predicate.index()] = true;
        }
        let mut planned: Vec<Planned> = clauses
            .iter()
            .map(|&clause| Planned {
                clause,
                plans: vec![None; self.program.clauses[clause].positive.len() + 1],
            })
            .collect();
        let mut old = vec![0; self.tuples.len()];
        for entry in &mut planned {
            let positive = &self.program.clauses[entry.clause].positive;
            if positive.iter().all(|atom| !grows[atom.predicate.index()]) {
                let ranges: Vec<Range<u32>> =
                    positive.iter().map(|atom| 0..self.tuples[atom.predicate.index()].len()).collect();
                self.apply(entry, None, &ranges)?;
            }
        }
        loop {
            let new: Vec<u32> = self.tuples.iter().map(Tuples::len).collect();
            if (0..new.len()).all(|predicate| !grows[predicate] || old[predicate] == new[predicate]) {
                return Ok(());
            }
            for entry in &mut planned {
                for literal in 0..self.program.clauses[entry.clause].positive.len() {
                    let Some(ranges) = self.ranges(entry.clause, literal, &grows, &old, &new) else {
                        continue;
                    };
                    self.apply(entry, Some(literal), &ranges)?;
                }
            }
            old = new;
        }
    }

    /// The rows that the literals of a clause may use when one of them is restricted to the new ones.
    fn ranges(
        &self,
        clause: usize,
        literal: usize,
        grows: &[bool],
        old: &[u32],
        new: &[u32],
    ) -> Option<Vec<Range<u32>>> {
        let positive = &self.program.clauses[clause].positive;
        let predicate = positive[literal].predicate.index();
        if !grows[predicate] || old[predicate] == new[predicate] {
            return None;
        }
        let range = |(index, atom): (usize, &crate::clause::PatternAtom)| {
            let predicate = atom.predicate.index();
            match index.cmp(&literal) {
                _ if !grows[predicate] => 0..new[predicate],
                std::cmp::Ordering::Less => 0..old[predicate],
                std::cmp::Ordering::Equal => old[predicate]..new[predicate],
                std::cmp::Ordering::Greater => 0..new[predicate],
            }
        };
        let ranges: Vec<Range<u32>> = positive.iter().enumerate().map(range).collect();
        ranges.iter().all(|range| !range.is_empty()).then_some(ranges)
    }

    /// Joins a clause and stores what follows.
    fn apply(
        &mut self,
        entry: &mut Planned,
        first: Option<usize>,
        ranges: &[Range<u32>],
    ) -> Result<(), GroundError> {
        let clause = &self.program.clauses[entry.clause];
        let size: u64 =
            clause.positive.iter().map(|atom| u64::from(self.tuples[atom.predicate.index()].len())).sum();
        let slot = first.map_or(0, |first| first + 1);
        // A plan is made anew when the tables have grown much: the best order depends on their sizes.
        if entry.plans[slot].as_ref().is_none_or(|(_, planned)| size > 4 * planned + 16) {
            let decided: Vec<bool> =
                clause.negative.iter().map(|atom| !self.is_dynamic[atom.predicate.index()]).collect();
            entry.plans[slot] = Some((Plan::of(clause, first, &decided, &mut self.tuples), size));
        }
        let Some((plan, _)) = &entry.plans[slot] else { return Ok(()) };
        for atom in &clause.positive {
            self.tuples[atom.predicate.index()].refresh();
        }
        let mut found = Bindings { values: Vec::new(), rows: Vec::new(), count: 0 };
        let mut unbound = false;
        let limits = self.limits;
        let most_values = limits.bytes / (2 * size_of::<TermId>());
        let mut join = Join {
            clause,
            plan,
            tuples: &self.tuples,
            ranges,
            terms: &self.terms,
            values: vec![None; clause.variables],
            rows: vec![0; clause.positive.len()],
            key: Vec::new(),
            tried: 0,
            is_over: &|| limits.is_over(),
        };
        let flow = join.run(&mut |join| {
            let before = found.values.len();
            found.values.extend(join.values.iter().flatten());
            unbound |= found.values.len() - before < join.values.len();
            found.rows.extend(&join.rows);
            found.count += 1;
            let is_full = found.values.len() + found.rows.len() > most_values || found.count > limits.rules;
            if unbound || is_full { Flow::Break(()) } else { Flow::Continue(()) }
        });
        if unbound {
            return Err(GroundError::Unsafe { rule: clause.rule });
        }
        if flow.is_break() {
            self.counts[clause.rule] += found.count;
            return Err(if self.limits.is_over() {
                self.limit("seconds", self.limits.seconds())
            } else if found.count > self.limits.rules {
                self.limit("ground rules", self.limits.rules)
            } else {
                self.limit("bytes", self.limits.bytes)
            });
        }
        self.store(entry.clause, &found)
    }

    fn store(&mut self, index: usize, found: &Bindings) -> Result<(), GroundError> {
        let clause = self.program.clauses[index].clone();
        let keeps_rules = self.is_dynamic[clause.head.predicate.index()] && clause.head.mode != Mode::Init;
        let mut tuple = Vec::new();
        for instance in 0..found.count {
            let values = &found.values[instance * clause.variables..][..clause.variables];
            tuple.clear();
            for column in &clause.head.columns {
                tuple.push(ground(column, values, &mut self.terms));
            }
            let predicate = clause.head.predicate;
            let (row, _) = self.tuples[predicate.index()].insert(&tuple);
            if keeps_rules {
                let rows = &found.rows[instance * clause.positive.len()..][..clause.positive.len()];
                let head = Instance { predicate: predicate.0, row, mode: clause.head.mode };
                self.store_rule(&clause, head, values, rows);
            }
        }
        self.counts[clause.rule] += found.count;
        self.check_limits()
    }

    fn store_rule(&mut self, clause: &Clause, head: Instance, values: &[TermId], rows: &[u32]) {
        for (atom, &row) in clause.positive.iter().zip(rows) {
            if self.is_dynamic[atom.predicate.index()] {
                let literal = Instance { predicate: atom.predicate.0, row, mode: atom.mode };
                self.instances.literals.push((literal, true));
            }
        }
        for atom in &clause.negative {
            if self.is_dynamic[atom.predicate.index()] {
                let tuple: Vec<TermId> =
                    atom.columns.iter().map(|column| ground(column, values, &mut self.terms)).collect();
                let (row, _) = self.asked[atom.predicate.index()].insert(&tuple);
                let literal = Instance { predicate: atom.predicate.0, row, mode: atom.mode };
                self.instances.literals.push((literal, false));
            }
        }
        self.instances.heads.push(head);
        self.instances.rules.push(u32::try_from(clause.rule).unwrap_or(u32::MAX));
        self.instances.ends.push(u32::try_from(self.instances.literals.len()).unwrap_or(u32::MAX));
    }

    fn check_limits(&self) -> Result<(), GroundError> {
        let tuples: usize = self.tuples.iter().map(|tuples| tuples.len() as usize).sum();
        if self.instances.heads.len() > self.limits.rules {
            return Err(self.limit("ground rules", self.limits.rules));
        }
        if tuples > self.limits.tuples {
            return Err(self.limit("atoms", self.limits.tuples));
        }
        let bytes = self.tuples.iter().map(Tuples::bytes).sum::<usize>()
            + self.instances.literals.capacity() * size_of::<(Instance, bool)>()
            + self.instances.heads.capacity() * (size_of::<Instance>() + 8);
        if bytes > self.limits.bytes {
            return Err(self.limit("bytes", self.limits.bytes));
        }
        if self.limits.is_over() {
            return Err(self.limit("seconds", self.limits.seconds()));
        }
        Ok(())
    }

    fn limit(&self, what: &'static str, limit: usize) -> GroundError {
        let (rule, instances) =
            self.counts.iter().copied().enumerate().max_by_key(|&(_, count)| count).unwrap_or_default();
        GroundError::Limit { what, limit, rule, instances }
    }
}

/// The results of a join: for each the values of the variables and the rows of the positive literals.
struct Bindings {
    values: Vec<TermId>,
    rows: Vec<u32>,
    count: usize,
}

fn ground(pattern: &Pattern, values: &[TermId], terms: &mut Terms) -> TermId {
    match pattern {
        Pattern::Ground(term) => *term,
        Pattern::Variable(variable) => values[*variable],
        Pattern::Function(name, arguments) => {
            let arguments: Vec<TermId> =
                arguments.iter().map(|argument| ground(argument, values, terms)).collect();
            terms.intern_function(*name, &arguments)
        }
    }
}
