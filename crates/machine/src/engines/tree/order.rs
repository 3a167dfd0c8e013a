//! The join order of a rule: a beam search for the order of conditions with the least estimated cost, from table sizes,
//! numbers of distinct values and measured queries. Tests come as soon as their variables are bound. The order affects
//! speed only.

use super::build::{Builder, Demand};
use super::program::{Atom, Condition, Operand, PredicateId, bound_by};

/// How many orders are followed side by side.
const WIDTH: usize = 6;

/// Plans an order.
pub(super) struct Ordering<'a, 'p> {
    pub(super) builder: &'a Builder<'p>,
    /// In how many conditions of the rule, or its head, a variable occurs; a disjunction is one condition.
    pub(super) occurrences: &'a [u32],
    /// The same, where what is inside a disjunction counts one by one.
    pub(super) uses: &'a [u32],
    /// The recursion group of the head if it depends on its own negation: what belongs to it comes last, so that nothing
    /// is asked that does not matter.
    pub(super) last: Option<usize>,
    /// The head's predicate and what its OR node was asked with.
    pub(super) head: (PredicateId, &'a [Demand]),
}

/// Some conditions in order.
#[derive(Clone)]
struct Partial {
    order: Vec<usize>,
    left: Vec<usize>,
    bound: Vec<bool>,
    rows: f64,
    cost: f64,
}

/// What a condition would do now.
#[derive(Clone, Copy)]
enum Effect {
    /// Variables are missing.
    Waiting,
    /// It costs next to nothing and removes rows, or is needed for others.
    Test { rows: f64 },
    /// It costs so much for all the rows at hand, and leaves so many of each.
    Work { rows: f64, cost: f64 },
    /// It should come after everything else.
    Last,
}

impl Ordering<'_, '_> {
    /// The order in which to merge conditions, when some variables are known.
    pub(super) fn of(&self, conditions: &[Condition], known: &[u32]) -> Vec<usize> {
        let mut bound = vec![false; self.uses.len()];
        known.iter().for_each(|&variable| bound[variable as usize] = true);
        let rows = if known.is_empty() { 1.0 } else { 8.0 };
        let left = (0..conditions.len()).collect();
        let mut beam = vec![Partial { order: Vec::new(), left, bound, rows, cost: 0.0 }];
        for _ in 0..conditions.len() {
            let mut longer: Vec<Partial> =
                beam.iter().flat_map(|partial| self.longer(conditions, partial)).collect();
            longer.sort_by(|a, b| (a.cost + a.rows).total_cmp(&(b.cost + b.rows)));
            let mut kept: Vec<Partial> = Vec::new();
            for partial in longer {
                if kept.len() < WIDTH && kept.iter().all(|other| other.left != partial.left) {
                    kept.push(partial);
                }
            }
            beam = kept;
        }
        beam.into_iter().next().expect("a condition can always be appended").order
    }

    /// The partial orders that are longer by one.
    fn longer(&self, conditions: &[Condition], partial: &Partial) -> Vec<Partial> {
        let effects: Vec<(usize, Effect)> =
            partial.left.iter().map(|&it| (it, self.effect(&conditions[it], partial))).collect();
        let ready = |(_, effect): &&(usize, Effect)| !matches!(effect, Effect::Waiting | Effect::Last);
        if !self.builder.options.join_order {
            let first = effects.iter().find(ready).or(effects.first());
            return first
                .map(|&(it, effect)| extended(conditions, partial, it, effect))
                .into_iter()
                .collect();
        }
        let test = effects.iter().find(|(_, effect)| matches!(effect, Effect::Test { .. }));
        if let Some(&(it, effect)) = test {
            return vec![extended(conditions, partial, it, effect)];
        }
        // A recursion with little known may never end; its author knew in which order it does.
        let first = effects.iter().find(ready).map_or(0, |&(it, _)| it);
        let is_early = |it: usize| it != first && self.is_risky(&conditions[it], partial);
        let all: Vec<Partial> = effects
            .iter()
            .filter(ready)
            .filter(|&&(it, _)| !is_early(it))
            .map(|&(it, effect)| extended(conditions, partial, it, effect))
            .collect();
        if !all.is_empty() {
            return all;
        }
        // Checked rules are safe, so what is left can come last. If not, it is false anyway.
        let last = effects.iter().find(|(_, effect)| matches!(effect, Effect::Last)).or(effects.first());
        last.map(|&(it, effect)| extended(conditions, partial, it, effect)).into_iter().collect()
    }

    /// Whether a condition should not come before it does in the text: it begins a recursion with less known than the rule
    /// itself was asked with, or with a term open that has no greatest depth.
    fn is_risky(&self, condition: &Condition, partial: &Partial) -> bool {
        let mut found = false;
        condition.for_each_atom(&mut |atom, _| {
            let predicate = &self.builder.program.predicates[atom.predicate];
            if !predicate.is_recursive || self.builder.table_of(atom.predicate).is_some() {
                return;
            }
            let (head, demand) = self.head;
            let is_known = |place: usize| {
                atom.columns[place].variable().is_none_or(|variable| partial.bound[variable as usize])
            };
            let same_group = self.builder.program.predicates[head].group == predicate.group;
            found |= (0..atom.columns.len()).any(|place| {
                let is_open = predicate.sizes[place] >= 1 << 32;
                let was_known = same_group && (atom.predicate != head || demand[place] != Demand::Free);
                !is_known(place) && (is_open || was_known)
            });
        });
        found
    }

    fn effect(&self, condition: &Condition, partial: &Partial) -> Effect {
        let is_known = |operand: Operand| operand.variable().is_none_or(|it| partial.bound[it as usize]);
        match condition {
            Condition::Compare { pairs, equal } => {
                let known = pairs.iter().all(|&(left, right)| is_known(left) && is_known(right));
                if known { Effect::Test { rows: if *equal { 0.2 } else { 0.8 } } } else { Effect::Waiting }
            }
            Condition::Compose { whole, parts, .. } => {
                let parts_known = parts.iter().all(|&part| is_known(part));
                if is_known(*whole) || parts_known { Effect::Test { rows: 0.9 } } else { Effect::Waiting }
            }
            Condition::Atom { atom, positive } => self.effect_of_atom(atom, *positive, partial),
            Condition::Or(alternatives) => self.effect_of_or(alternatives, partial),
        }
    }

    fn effect_of_atom(&self, atom: &Atom, positive: bool, partial: &Partial) -> Effect {
        let is_bound = |variable: u32| partial.bound[variable as usize];
        let is_missing = |variable: u32| !is_bound(variable) && self.uses[variable as usize] > 1;
        if !positive && atom.variables().any(is_missing) {
            return Effect::Waiting;
        }
        if self.last == Some(self.builder.program.predicates[atom.predicate].group) {
            return Effect::Last;
        }
        let demand: Vec<Demand> = atom
            .columns
            .iter()
            .map(|&column| match column {
                Operand::Constant(value) => Demand::Constant(value),
                Operand::Variable(variable) if is_bound(variable) => Demand::Bound,
                Operand::Variable(_) => Demand::Free,
            })
            .collect();
        let expected = self.builder.expected(atom.predicate, &demand);
        // What binds nothing that is needed is a test, whatever columns it leaves open.
        let is_test = atom.variables().all(|variable| is_bound(variable) || !is_missing(variable));
        let rows = match (is_test, positive) {
            (true, true) => expected.rows.min(0.95),
            (true, false) => (1.0 - expected.rows).max(0.1),
            (false, _) => expected.rows,
        };
        if self.builder.table_of(atom.predicate).is_some() {
            return match is_test {
                true => Effect::Test { rows },
                false => Effect::Work { rows, cost: partial.rows * (1.0 + rows) },
            };
        }
        let questions = self.builder.questions(atom.predicate, &demand, partial.rows);
        let cost = questions * (2.0 + expected.steps) + partial.rows * (1.0 + rows);
        Effect::Work { rows, cost }
    }

    fn effect_of_or(&self, alternatives: &[Vec<Condition>], partial: &Partial) -> Effect {
        let common = bound_by_all(alternatives, &|variable| partial.bound[variable as usize]);
        let (mut binds, mut is_missing, mut derived) = (false, false, false);
        for condition in alternatives.iter().flatten() {
            condition.for_each_variable(&mut |variable| {
                if !partial.bound[variable as usize] {
                    let by_all = common.contains(&variable);
                    binds |= by_all;
                    is_missing |= !by_all && !self.is_local(variable, alternatives);
                }
            });
            condition.for_each_atom(&mut |atom, _| {
                derived |= self.builder.table_of(atom.predicate).is_none();
            });
        }
        if is_missing {
            return Effect::Waiting;
        }
        let (rows, cost) = alternatives.iter().fold((0.0, 0.0), |(rows, cost), alternative| {
            let (more, price) = self.effect_of_all(alternative, partial);
            (rows + more, cost + price)
        });
        match (binds, derived) {
            (true, _) => Effect::Work { rows, cost },
            (_, true) => Effect::Work { rows: rows.min(0.9), cost },
            _ => Effect::Test { rows: rows.min(0.9) },
        }
    }

    /// How many rows some conditions leave of each row, in the order in which they stand, and what they cost.
    fn effect_of_all(&self, conditions: &[Condition], partial: &Partial) -> (f64, f64) {
        let mut copy = Partial { order: Vec::new(), left: Vec::new(), cost: 0.0, ..partial.clone() };
        for (number, condition) in conditions.iter().enumerate() {
            let effect = self.effect(condition, &copy);
            copy = extended(conditions, &copy, number, effect);
        }
        (copy.rows / partial.rows, copy.cost)
    }

    /// Whether a variable occurs in these alternatives only, and in one of them.
    fn is_local(&self, variable: u32, alternatives: &[Vec<Condition>]) -> bool {
        let occurs = |condition: &Condition| {
            let mut found = false;
            condition.for_each_variable(&mut |other| found |= other == variable);
            found
        };
        self.occurrences[variable as usize] <= 1
            && alternatives.iter().filter(|all| all.iter().any(occurs)).count() <= 1
    }
}

fn extended(conditions: &[Condition], partial: &Partial, next: usize, effect: Effect) -> Partial {
    let mut longer = partial.clone();
    longer.order.push(next);
    longer.left.retain(|&other| other != next);
    conditions[next].for_each_variable(&mut |variable| longer.bound[variable as usize] = true);
    let (rows, cost) = match effect {
        Effect::Test { rows } => (rows, partial.rows * 0.5),
        Effect::Work { rows, cost } => (rows, cost),
        Effect::Waiting | Effect::Last => (1.0, partial.rows),
    };
    longer.rows = (partial.rows * rows).clamp(1e-3, 1e30);
    longer.cost += cost;
    longer
}

/// The variables that every alternative binds, where others are known already.
pub(super) fn bound_by_all(alternatives: &[Vec<Condition>], known: &dyn Fn(u32) -> bool) -> Vec<u32> {
    let mut alternatives = alternatives.iter().map(|conditions| bound_by(conditions.iter(), known));
    let mut common = alternatives.next().unwrap_or_default();
    alternatives.for_each(|bound| common.retain(|variable| bound.contains(variable)));
    common
}
