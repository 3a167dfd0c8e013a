//! Projection. In `p(X, Z) ← q(X, Y), r(Y), s(Z)` the variable `Y` matters to `q` and `r` alone. With a relation of its
//! own for that part, `p(X, Z) ← qr(X), s(Z)` and `qr(X) ← q(X, Y), r(Y)`, there are instances for X·Y and X·Z instead of
//! X·Y·Z. Variables are taken one after the other, the one with the fewest neighbours first, so that chains of literals
//! fall apart into small links. A variable that a part needs and only the rest binds (`distinct(X, Y)`) gets a domain:
//! the values that the binding literal can give it. Whether a part pays is seen when it is instantiated; what does not pay is put back
//! then (`tidy::inline`).

use groundrules_gdl::symbol::Symbol;
use rustc_hash::FxHashMap;

use crate::clause::{
    Body, Clause, Comparison, Mode, Pattern, PatternAtom, Predicate, PredicateId, Program, take_chosen,
};
use crate::conditions;

/// Bodies longer than this stay as they are: they are lists of facts in disguise.
const MOST_LITERALS: usize = 120;

/// How far projection goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// As published: a part binds its variables itself.
    Plain,
    /// Variables get domains, and what is about the move alone is taken out of the parts' bodies if that is wanted.
    Full {
        /// Whether conditions on the move alone are taken out.
        conditions: bool,
    },
}

/// Gives parts of dynamic bodies relations of their own.
pub(crate) fn project(program: &mut Program, depth: Depth) {
    let clauses = std::mem::take(&mut program.clauses).into_iter();
    let clauses = clauses.map(|clause| (clause, Vec::new())).collect();
    program.clauses = project_clauses(program, clauses, depth);
}

/// Parts to be made first, in their order, each around some variables.
pub(crate) type Order = Vec<Vec<usize>>;

/// Gives parts of the bodies of some clauses relations of their own; gives the clauses and those for their parts.
pub(crate) fn project_clauses(
    program: &mut Program,
    mut pending: Vec<(Clause, Order)>,
    depth: Depth,
) -> Vec<Clause> {
    let mut parts = Parts::default();
    pending.reverse();
    let mut done = Vec::with_capacity(pending.len());
    while let Some((mut clause, order)) = pending.pop() {
        if program.is_dynamic(&clause.head) && size(&clause.body) <= MOST_LITERALS {
            let mut order = order.into_iter();
            while let Some(part) = { &mut order }
                .find_map(|variables| around(program, &clause, &variables))
                .or_else(|| separable(program, &clause, depth))
            {
                for mut definition in parts.separate(program, &mut clause, &part) {
                    if depth == (Depth::Full { conditions: true }) {
                        conditions::take_out_of(program, &mut definition);
                    }
                    pending.push((definition, Vec::new()));
                }
            }
        }
        done.push(clause);
    }
    done
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
    /// Literals of the rest that bind variables which the part does not bind itself.
    binders: Vec<(usize, Vec<usize>)>,
    /// How many of its literals the state or the moves decide.
    dynamic: usize,
}

/// The variables of every literal of a body, in the order positive, negative, tests.
struct Variables {
    of: Vec<Vec<usize>>,
    positive: usize,
    negative: usize,
}

impl Variables {
    fn of(body: &Body) -> Self {
        let atoms = body.positive.iter().chain(&body.negative).map(PatternAtom::variables);
        let of = atoms.chain(body.tests.iter().map(Comparison::variables)).collect();
        Variables { of, positive: body.positive.len(), negative: body.negative.len() }
    }
}

/// Of the variables of a clause, which must stay in it.
fn kept_variables(clause: &Clause) -> Vec<bool> {
    let mut is_kept = vec![false; clause.variables.len()];
    clause.head.for_each_variable(&mut |variable| is_kept[variable] = true);
    for condition in &clause.conditions {
        condition.for_each_variable(&mut |variable| is_kept[variable] = true);
    }
    is_kept
}

/// The part around some variables of a clause, if it can be separated.
fn around(program: &Program, clause: &Clause, variables: &[usize]) -> Option<Part> {
    let is_kept = kept_variables(clause);
    if variables.iter().any(|&variable| is_kept[variable]) {
        return None;
    }
    part_around(program, clause, &Variables::of(&clause.body), &is_kept, variables)
}

/// The part to separate next: that around the variable with the fewest neighbours.
fn separable(program: &Program, clause: &Clause, depth: Depth) -> Option<Part> {
    let variables = Variables::of(&clause.body);
    let is_kept = kept_variables(clause);
    let mut occurs = vec![false; clause.variables.len()];
    variables.of.iter().flatten().for_each(|&variable| occurs[variable] = true);
    (0..clause.variables.len())
        .filter(|&variable| occurs[variable] && !is_kept[variable])
        .filter_map(|variable| part_around(program, clause, &variables, &is_kept, &[variable]))
        .filter(|part| depth != Depth::Plain || part.binders.is_empty())
        .min_by_key(|part| (part.shared.len(), part.binders.len(), part.dynamic))
}

/// The part around some variables, unless separating it saves nothing or leaves a variable without a value.
fn part_around(
    program: &Program,
    clause: &Clause,
    variables: &Variables,
    is_kept: &[bool],
    centre: &[usize],
) -> Option<Part> {
    let is_central = |of: &Vec<usize>| of.iter().any(|variable| centre.contains(variable));
    let mut chosen: Vec<bool> = variables.of.iter().map(is_central).collect();
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
    // Instances differ by what is in the head and in dynamic literals; static ones leave no trace.
    let mut left = is_kept.to_vec();
    let atoms = || clause.body.positive.iter().chain(&clause.body.negative).zip(&chosen);
    for (atom, _) in atoms().filter(|(atom, chosen)| !**chosen && program.is_dynamic(atom)) {
        atom.for_each_variable(&mut |it| left[it] = true);
    }
    let saves = left.iter().enumerate().any(|(it, &is_left)| is_left && !in_bag[it]);
    let dynamic = atoms().filter(|(atom, chosen)| **chosen && program.is_dynamic(atom)).count();
    if !saves || dynamic == 0 {
        return None;
    }
    Some(Part {
        binders: binders(program, clause, variables, &chosen, &in_bag)?,
        dynamic,
        positive: chosen[..variables.positive].to_vec(),
        negative: chosen[variables.positive..variables.positive + variables.negative].to_vec(),
        tests: chosen[variables.positive + variables.negative..].to_vec(),
        shared,
    })
}

/// Marks the variables of the literals that are chosen, or of those that are not.
fn mark(of: &[Vec<usize>], chosen: &[bool], which: bool, marks: &mut [bool]) {
    for (of, _) in of.iter().zip(chosen).filter(|(_, chosen)| **chosen == which) {
        of.iter().for_each(|&variable| marks[variable] = true);
    }
}

/// For the variables that the part does not bind itself, literals of the rest that do.
fn binders(
    program: &Program,
    clause: &Clause,
    variables: &Variables,
    chosen: &[bool],
    in_bag: &[bool],
) -> Option<Vec<(usize, Vec<usize>)>> {
    let mut missing: Vec<bool> = in_bag.to_vec();
    for place in (0..clause.body.positive.len()).filter(|&place| chosen[place]) {
        variables.of[place].iter().for_each(|&variable| missing[variable] = false);
    }
    // Static literals can stand in both places; what derived relations say is the dearest to find.
    let rank = |place: usize| {
        let atom = &clause.body.positive[place];
        match program.predicates[atom.predicate.index()] {
            _ if !program.is_dynamic(atom) => 2,
            Predicate::Fluent(..) | Predicate::Move(..) => 1,
            _ => 0,
        }
    };
    let mut binders = Vec::new();
    while missing.contains(&true) {
        let count = |place: usize| variables.of[place].iter().filter(|&&it| missing[it]).count();
        let places = (0..clause.body.positive.len()).filter(|&place| !chosen[place]);
        let place = places
            .max_by_key(|&place| (count(place), rank(place), std::cmp::Reverse(place)))
            .filter(|&place| count(place) > 0)?;
        // What else of the part the literal knows restricts the instances further.
        let bound: Vec<usize> = variables.of[place].iter().copied().filter(|&it| in_bag[it]).collect();
        bound.iter().for_each(|&variable| missing[variable] = false);
        binders.push((place, bound));
    }
    Some(binders)
}

/// The parts made so far, by what they say.
#[derive(Default)]
struct Parts {
    known: FxHashMap<(Body, Vec<usize>), PredicateId>,
    domains: FxHashMap<(PatternAtom, Vec<usize>), PredicateId>,
}

impl Parts {
    /// Puts an atom of a relation of its own in the place of a part; gives the clause for the relation if it is new.
    fn separate(&mut self, program: &mut Program, clause: &mut Clause, part: &Part) -> Vec<Clause> {
        let mut made = Vec::new();
        let bound: Vec<PatternAtom> = { part.binders.iter() }
            .map(|(place, variables)| self.bind(program, clause, *place, variables, &mut made))
            .collect();
        let mut body = Body {
            positive: take_chosen(&mut clause.body.positive, &part.positive),
            negative: take_chosen(&mut clause.body.negative, &part.negative),
            tests: take_chosen(&mut clause.body.tests, &part.tests),
        };
        body.positive.extend(bound);
        // Parts that say the same are one, in whatever order they say it.
        body.positive.sort_by_key(|atom| atom.predicate);
        let (numbers, names, renamed) = renumbered(&body, &clause.variables);
        let mut part_shared = part.shared.clone();
        part_shared.sort_by_key(|variable| numbers[variable]);
        let shared: Vec<usize> = part_shared.iter().map(|variable| numbers[variable]).collect();
        let columns = |variables: &[usize]| variables.iter().copied().map(Pattern::Variable).collect();
        let key = (renamed.clone(), shared.clone());
        let known = self.known.get(&key).copied();
        let predicate = known.unwrap_or_else(|| program.part(shared.len()));
        clause.body.positive.push(PatternAtom {
            predicate,
            mode: Mode::Plain,
            columns: columns(&part_shared),
        });
        if known.is_none() {
            self.known.insert(key, predicate);
            let head = PatternAtom { predicate, mode: Mode::Plain, columns: columns(&shared) };
            let rule = clause.rule;
            made.push(Clause { head, body: renamed, conditions: Vec::new(), variables: names, rule });
        }
        made
    }

    /// A literal that binds variables of a part as some literal of the rest does. A static one can stand in both places; of
    /// another one only what the variables may be is taken over.
    fn bind(
        &mut self,
        program: &mut Program,
        clause: &Clause,
        place: usize,
        variables: &[usize],
        made: &mut Vec<Clause>,
    ) -> PatternAtom {
        let atom = &clause.body.positive[place];
        if !program.is_dynamic(atom) {
            return atom.clone();
        }
        let body = Body { positive: vec![atom.clone()], ..Body::default() };
        let (numbers, names, renamed) = renumbered(&body, &clause.variables);
        let mut variables = variables.to_vec();
        variables.sort_by_key(|variable| numbers[variable]);
        let bound: Vec<usize> = variables.iter().map(|variable| numbers[variable]).collect();
        let key = (renamed.positive[0].clone(), bound.clone());
        let known = self.domains.get(&key).copied();
        let columns = |variables: &[usize]| variables.iter().copied().map(Pattern::Variable).collect();
        let predicate = known.unwrap_or_else(|| program.domain(bound.len()));
        if known.is_none() {
            self.domains.insert(key, predicate);
            let head = PatternAtom { predicate, mode: Mode::Plain, columns: columns(&bound) };
            let rule = clause.rule;
            made.push(Clause { head, body: renamed, conditions: Vec::new(), variables: names, rule });
        }
        PatternAtom { predicate, mode: Mode::Plain, columns: columns(&variables) }
    }
}

/// A body with its variables numbered from the first on, with the new numbers and the names.
pub(crate) fn renumbered(body: &Body, names: &[Symbol]) -> (FxHashMap<usize, usize>, Vec<Symbol>, Body) {
    let mut numbers: FxHashMap<usize, usize> = FxHashMap::default();
    let mut kept: Vec<Symbol> = Vec::new();
    let renamed = body.renamed(&mut |variable| {
        *numbers.entry(variable).or_insert_with(|| {
            kept.push(names[variable]);
            kept.len() - 1
        })
    });
    (numbers, kept, renamed)
}
