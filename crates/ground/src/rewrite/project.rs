//! Projection. In `p(X, Z) ← q(X, Y), r(Y), s(Z)` the variable `Y` matters to `q` and `r` alone. With a relation of its
//! own for that part, `p(X, Z) ← qr(X), s(Z)` and `qr(X) ← q(X, Y), r(Y)`, there are instances for X·Y and X·Z instead of
//! X·Y·Z. Variables are taken one after the other, the one with the fewest neighbours first, so that chains of literals
//! fall apart into small links. Whether a part pays is seen when it is instantiated; what does not pay is put back
//! then (`tidy::inline`).

use groundrules_gdl::symbol::Symbol;
use rustc_hash::FxHashMap;

use crate::clause::{Body, Clause, Mode, Pattern, PatternAtom, Predicate, PredicateId, Program};
use crate::conditions;

/// Bodies longer than this stay as they are: they are lists of facts in disguise.
const MOST_LITERALS: usize = 120;

/// Gives parts of dynamic bodies relations of their own. With `with_conditions`, what is about the move alone is taken out of
/// the parts' bodies too.
pub(crate) fn project(program: &mut Program, with_conditions: bool) {
    let mut parts = Parts::default();
    let mut pending = std::mem::take(&mut program.clauses);
    pending.reverse();
    let mut done = Vec::with_capacity(pending.len());
    while let Some(mut clause) = pending.pop() {
        if program.is_dynamic(&clause.head) && size(&clause.body) <= MOST_LITERALS {
            while let Some(part) = separable(program, &clause) {
                if let Some(mut definition) = parts.separate(program, &mut clause, &part) {
                    if with_conditions {
                        conditions::take_out_of(program, &mut definition);
                    }
                    pending.push(definition);
                }
            }
        }
        done.push(clause);
    }
    program.clauses = done;
}

fn size(body: &Body) -> usize {
    body.positive.len() + body.negative.len() + body.tests.len()
}

/// A part of a body.
struct Part {
    positive: Vec<bool>,
    negative: Vec<bool>,
    tests: Vec<bool>,
    /// The variables that it shares with the rest.
    shared: Vec<usize>,
}

/// The variables of every literal of a body, in the order positive, negative, tests.
struct Variables {
    of: Vec<Vec<usize>>,
    positive: usize,
    negative: usize,
}

impl Variables {
    fn of(body: &Body) -> Self {
        let sorted = |visit: &dyn Fn(&mut dyn FnMut(usize))| {
            let mut found = Vec::new();
            visit(&mut |variable| found.push(variable));
            found.sort_unstable();
            found.dedup();
            found
        };
        let atoms = body.positive.iter().chain(&body.negative);
        let mut of: Vec<Vec<usize>> =
            atoms.map(|atom| sorted(&|f| atom.for_each_variable(&mut |variable| f(variable)))).collect();
        of.extend(
            body.tests.iter().map(|test| sorted(&|f| test.for_each_variable(&mut |variable| f(variable)))),
        );
        Variables { of, positive: body.positive.len(), negative: body.negative.len() }
    }
}

/// The part to separate next: that around the variable with the fewest neighbours.
fn separable(program: &Program, clause: &Clause) -> Option<Part> {
    let variables = Variables::of(&clause.body);
    let mut is_kept = vec![false; clause.variables.len()];
    clause.head.for_each_variable(&mut |variable| is_kept[variable] = true);
    for condition in &clause.conditions {
        condition.for_each_variable(&mut |variable| is_kept[variable] = true);
    }
    let mut occurs = vec![false; clause.variables.len()];
    variables.of.iter().flatten().for_each(|&variable| occurs[variable] = true);
    (0..clause.variables.len())
        .filter(|&variable| occurs[variable] && !is_kept[variable])
        .filter_map(|variable| part_around(program, clause, &variables, &is_kept, variable))
        .min_by_key(|part| part.shared.len())
}

/// The part around a variable, unless separating it saves nothing or leaves a variable without a value.
fn part_around(
    program: &Program,
    clause: &Clause,
    variables: &Variables,
    is_kept: &[bool],
    variable: usize,
) -> Option<Part> {
    let mut chosen: Vec<bool> = variables.of.iter().map(|of| of.contains(&variable)).collect();
    let mut in_bag = vec![false; is_kept.len()];
    mark(&variables.of, &chosen, true, &mut in_bag);
    // What is about variables of the part alone, and about one that might go with it, belongs to it.
    for (place, of) in variables.of.iter().enumerate() {
        let is_inside = of.iter().all(|&it| in_bag[it]) && of.iter().any(|&it| !is_kept[it]);
        chosen[place] |= is_inside;
    }
    let mut outside = is_kept.to_vec();
    mark(&variables.of, &chosen, false, &mut outside);
    let shared: Vec<usize> = (0..in_bag.len()).filter(|&it| in_bag[it] && outside[it]).collect();
    let mut left = vec![false; is_kept.len()];
    clause.head.for_each_variable(&mut |it| left[it] = true);
    mark(&variables.of, &chosen, false, &mut left);
    for condition in &clause.conditions {
        condition.for_each_variable(&mut |it| left[it] |= outside[it] && in_bag[it]);
    }
    let saves = left.iter().enumerate().any(|(it, &is_left)| is_left && !in_bag[it]);
    let atoms = clause.body.positive.iter().chain(&clause.body.negative);
    let is_dynamic = atoms.zip(&chosen).any(|(atom, chosen)| *chosen && program.is_dynamic(atom));
    let part = Part {
        positive: chosen[..variables.positive].to_vec(),
        negative: chosen[variables.positive..variables.positive + variables.negative].to_vec(),
        tests: chosen[variables.positive + variables.negative..].to_vec(),
        shared,
    };
    (saves && is_dynamic && is_safe(clause, variables, &part, &in_bag)).then_some(part)
}

/// Marks the variables of the literals that are chosen, or of those that are not.
fn mark(of: &[Vec<usize>], chosen: &[bool], which: bool, marks: &mut [bool]) {
    for (of, _) in of.iter().zip(chosen).filter(|(_, chosen)| **chosen == which) {
        of.iter().for_each(|&variable| marks[variable] = true);
    }
}

/// Whether positive literals bind every variable, inside the part and, together with it, outside.
fn is_safe(clause: &Clause, variables: &Variables, part: &Part, in_bag: &[bool]) -> bool {
    let mut inside = vec![false; in_bag.len()];
    let mut outside = vec![false; in_bag.len()];
    for place in 0..clause.body.positive.len() {
        let marks = if part.positive[place] { &mut inside } else { &mut outside };
        variables.of[place].iter().for_each(|&variable| marks[variable] = true);
    }
    in_bag.iter().zip(&inside).all(|(in_bag, inside)| !in_bag || *inside)
}

/// The parts made so far, by what they say.
#[derive(Default)]
struct Parts {
    known: FxHashMap<(Body, Vec<usize>), PredicateId>,
}

impl Parts {
    /// Puts an atom of a relation of its own in the place of a part; gives the clause for the relation if it is new.
    fn separate(&mut self, program: &mut Program, clause: &mut Clause, part: &Part) -> Option<Clause> {
        let body = Body {
            positive: take(&mut clause.body.positive, &part.positive),
            negative: take(&mut clause.body.negative, &part.negative),
            tests: take(&mut clause.body.tests, &part.tests),
        };
        let mut numbers: FxHashMap<usize, usize> = FxHashMap::default();
        let mut names: Vec<Symbol> = Vec::new();
        let renamed = body.renamed(&mut |variable| {
            *numbers.entry(variable).or_insert_with(|| {
                names.push(clause.variables[variable]);
                names.len() - 1
            })
        });
        let shared: Vec<usize> = part.shared.iter().map(|variable| numbers[variable]).collect();
        let columns = |variables: &[usize]| variables.iter().copied().map(Pattern::Variable).collect();
        let key = (renamed.clone(), shared.clone());
        let known = self.known.get(&key).copied();
        let number = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        let predicate =
            known.unwrap_or_else(|| program.predicate(Predicate::Auxiliary(number), shared.len()));
        clause.body.positive.push(PatternAtom {
            predicate,
            mode: Mode::Plain,
            columns: columns(&part.shared),
        });
        if known.is_some() {
            return None;
        }
        self.known.insert(key, predicate);
        let head = PatternAtom { predicate, mode: Mode::Plain, columns: columns(&shared) };
        Some(Clause { head, body: renamed, conditions: Vec::new(), variables: names, rule: clause.rule })
    }
}

fn take<T>(list: &mut Vec<T>, chosen: &[bool]) -> Vec<T> {
    let mut chosen = chosen.iter();
    list.extract_if(.., |_| chosen.next().copied().unwrap_or(false)).collect()
}
