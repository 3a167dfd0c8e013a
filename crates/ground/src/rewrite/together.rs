//! Static literals that are small only together. Each of them may be too large to enumerate and so be computed as it is
//! asked; but what satisfies all of them at once may be little: of nine marks each is exactly once among nine cells. Here
//! such literals of a body become one, with a table of its own. The rows are searched for under what the literals say
//! of each pair of their variables, which is a small table. What stays too large is left as it was.

use groundrules_gdl::Game;
use groundrules_gdl::symbol::Symbol;
use rustc_hash::FxHashMap;

use crate::clause::{Body, Clause, Mode, Pattern, PatternAtom, Predicate, PredicateId, Program, take_chosen};
use crate::error::{GroundError, Halt};
use crate::fixpoint::Saturation;
use crate::limits::SECONDS;
use crate::rewrite::diagram::{self, Diagram};
use crate::rewrite::project::{self, Depth, Order, renumbered};
use crate::store::Store;
use crate::table::Table;

/// How many rows the literals may have together, and how many may be tried to find them.
const MOST_ROWS: usize = 2_000_000;
const MOST_TRIES: u64 = 100_000_000;
/// How many variables the literals may have, and how many relations about some columns may be made for them.
const MOST_VARIABLES: usize = 20;
const MOST_PROJECTIONS: usize = 2_000;

/// What stands in the place of several literals.
#[derive(Clone)]
enum Instead {
    /// A table of their rows.
    Table(PredicateId),
    /// A chain of tables, each with the steps from one variable to the next.
    Chain(Vec<PredicateId>),
}

/// Puts one literal, or a chain of small ones, in the place of static literals that are too large one by one. The static
/// part is evaluated.
pub(crate) fn together(
    game: &Game,
    program: &mut Program,
    depth: Option<Depth>,
    store: &mut Store<'_>,
) -> Result<(), Halt> {
    if !store.lazy.is_lazy.contains(&true) {
        return Ok(());
    }
    let definitions = definitions(program);
    let mut known: FxHashMap<Body, Option<Instead>> = FxHashMap::default();
    let mut changed: Vec<(usize, Order)> = Vec::new();
    for index in 0..program.clauses.len() {
        let clause = &program.clauses[index];
        if !program.is_late(clause) || definitions.contains_key(&clause.head.predicate) {
            continue;
        }
        let mut clause = clause.clone();
        unfold(program, &definitions, &mut clause);
        let mut order = None;
        while let Some(chosen) = group(program, &clause, &known, store) {
            let body = chosen_body(&clause, &chosen);
            let (_, _, key) = renumbered(&body, &clause.variables);
            if !known.contains_key(&key) {
                let instead = find(game, program, &clause, &key, depth.is_some(), store)?;
                known.insert(key.clone(), instead);
            }
            if let Some(Some(instead)) = known.get(&key) {
                order.get_or_insert_with(Order::new).extend(replace(&mut clause, &chosen, instead));
            }
        }
        if let Some(order) = order {
            program.clauses[index] = clause;
            changed.push((index, order));
        }
    }
    if !changed.is_empty() {
        let clauses = take_out(&mut program.clauses, changed);
        let clauses = match depth {
            Some(depth) => project::project_clauses(program, clauses, depth),
            None => clauses.into_iter().map(|(clause, _)| clause).collect(),
        };
        program.clauses.extend(clauses);
        drop_unused(program);
    }
    store.add_predicates(program);
    Ok(())
}

/// The clauses at some places, each with what was noted for it.
fn take_out(clauses: &mut Vec<Clause>, noted: Vec<(usize, Order)>) -> Vec<(Clause, Order)> {
    let mut chosen = vec![false; clauses.len()];
    noted.iter().for_each(|(place, _)| chosen[*place] = true);
    take_chosen(clauses, &chosen).into_iter().zip(noted.into_iter().map(|(_, note)| note)).collect()
}

fn chosen_body(clause: &Clause, chosen: &[bool]) -> Body {
    let literals = clause.body.positive.iter().zip(chosen).filter(|(_, chosen)| **chosen);
    Body { positive: literals.map(|(atom, _)| atom.clone()).collect(), ..Body::default() }
}

/// The literals of a clause to be taken together: computed as they are asked, and sharing two variables or more. Those
/// that were tried in vain are not among them.
fn group(
    program: &Program,
    clause: &Clause,
    known: &FxHashMap<Body, Option<Instead>>,
    store: &Store<'_>,
) -> Option<Vec<bool>> {
    let literals = &clause.body.positive;
    let is_plain = |column: &Pattern| !matches!(column, Pattern::Function(..));
    let may = |atom: &PatternAtom| {
        store.is_lazy(atom.predicate.index())
            && !program.is_dynamic(atom)
            && atom.columns.iter().all(is_plain)
    };
    let variables: Vec<Vec<usize>> = literals.iter().map(PatternAtom::variables).collect();
    let shared = |a: usize, b: usize| variables[a].iter().filter(|it| variables[b].contains(it)).count();
    (0..literals.len()).filter(|&first| may(&literals[first])).find_map(|first| {
        let chosen: Vec<bool> = (0..literals.len())
            .map(|other| other == first || (may(&literals[other]) && shared(first, other) >= 2))
            .collect();
        let body = chosen_body(clause, &chosen);
        let (numbers, _, key) = renumbered(&body, &clause.variables);
        let fits = body.positive.len() >= 2 && numbers.len() <= MOST_VARIABLES;
        (fits && !matches!(known.get(&key), Some(None))).then_some(chosen)
    })
}

/// Writes out what satisfies some literals together, if that is little.
fn find(
    game: &Game,
    program: &mut Program,
    origin: &Clause,
    literals: &Body,
    may_chain: bool,
    store: &mut Store<'_>,
) -> Result<Option<Instead>, Halt> {
    let first = program.predicates.len();
    let mut search = Search { program, origin, projections: FxHashMap::default(), clauses: Vec::new() };
    let Some(table) = search.prepare(literals, store) else { return Ok(None) };
    let clauses = std::mem::take(&mut search.clauses);
    store.add_predicates(program);
    store.allow(MOST_ROWS, MOST_TRIES);
    let result = write_out(program, clauses, store);
    store.allow_all();
    let keeps = match result {
        Ok(()) => true,
        Err(Halt::Error(error)) if is_final(&error) => {
            return Err(Halt::Error(error));
        }
        // Nobody asked for all of it, so whatever is wrong with that may never matter.
        Err(_) => false,
    };
    for predicate in (first..program.predicates.len()).filter(|&it| !keeps || it != table.index()) {
        clear(predicate, store);
    }
    if !keeps {
        return Ok(None);
    }
    let name = literals.positive.first().and_then(|atom| match program.predicates[atom.predicate.index()] {
        Predicate::Relation(relation) => game.symbols().find(game.relation_name(relation)),
        _ => None,
    });
    let diagram = name.filter(|_| may_chain).and_then(|_| Diagram::of(&store.tables[table.index()]));
    let (Some(diagram), Some(name)) = (diagram, name) else { return Ok(Some(Instead::Table(table))) };
    clear(table.index(), store);
    Ok(Some(Instead::Chain(diagram::write_out(&diagram, name, program, store)?)))
}

/// Whether an error ends the whole grounding, not only what was tried.
fn is_final(error: &GroundError) -> bool {
    matches!(error, GroundError::Cancelled(_) | GroundError::Limit { what: SECONDS, .. })
}

fn clear(predicate: usize, store: &mut Store<'_>) {
    store.forget(store.tables[predicate].len());
    store.tables[predicate] = Table::new(store.tables[predicate].arity());
}

/// Fills the tables of clauses, the last of which rests on all others.
fn write_out(program: &Program, clauses: Vec<Clause>, store: &mut Store<'_>) -> Result<(), Halt> {
    let last = clauses.len() - 1;
    let program = Program { clauses, ..program.clone() };
    let decided = vec![true; program.predicates.len()];
    let all = [(0..last).collect(), vec![last]];
    all.into_iter().try_for_each(|clauses| {
        Saturation { program: &program, clauses, decided: decided.clone() }.run(store, None)
    })
}

/// What is needed to search for the rows.
struct Search<'p> {
    program: &'p mut Program,
    /// The clause that asks.
    origin: &'p Clause,
    /// What is known of some columns of a predicate.
    projections: FxHashMap<(PredicateId, Box<[usize]>), PredicateId>,
    clauses: Vec<Clause>,
}

impl Search<'_> {
    /// Makes the clauses that find the rows; gives the predicate that will have them.
    fn prepare(&mut self, literals: &Body, store: &Store<'_>) -> Option<PredicateId> {
        let (numbers, names, _) = renumbered(literals, &[*self.origin.variables.first()?; MOST_VARIABLES]);
        let count = numbers.len();
        let mut body = Body::default();
        for a in 0..count {
            for b in a + 1..count {
                body.positive.extend(self.pair(literals, a, b, &names, store)?);
            }
        }
        body.positive.extend(literals.positive.iter().cloned());
        Some(self.define((0..count).collect(), body, &names))
    }

    /// What the literals with two variables say about them.
    fn pair(
        &mut self,
        literals: &Body,
        a: usize,
        b: usize,
        names: &[Symbol],
        store: &Store<'_>,
    ) -> Option<Option<PatternAtom>> {
        let mut body = Body::default();
        for atom in &literals.positive {
            let variables = atom.variables();
            if variables.contains(&a) && variables.contains(&b) {
                let keeps = |column: &Pattern| match column {
                    Pattern::Variable(variable) => [a, b].contains(variable),
                    _ => true,
                };
                body.positive.push(self.projected(atom, keeps, store)?);
            }
        }
        if body.positive.is_empty() {
            return Some(None);
        }
        let predicate = self.define(vec![a, b], body, names);
        let columns = [a, b].into_iter().map(Pattern::Variable).collect();
        Some(Some(PatternAtom { predicate, mode: Mode::Plain, columns }))
    }

    /// Adds a clause for a new predicate of some variables.
    fn define(&mut self, variables: Vec<usize>, body: Body, names: &[Symbol]) -> PredicateId {
        let predicate = self.program.static_part(variables.len());
        let columns = variables.into_iter().map(Pattern::Variable).collect();
        let head = PatternAtom { predicate, mode: Mode::Plain, columns };
        let (variables, rule) = (names.to_vec(), self.origin.rule);
        self.clauses.push(Clause { head, body, conditions: Vec::new(), variables, rule });
        predicate
    }

    /// What a literal says about some of its columns, as a literal; `None` if that takes too many relations.
    fn projected(
        &mut self,
        atom: &PatternAtom,
        keeps: impl Fn(&Pattern) -> bool,
        store: &Store<'_>,
    ) -> Option<PatternAtom> {
        let kept: Box<[usize]> = (0..atom.columns.len()).filter(|&it| keeps(&atom.columns[it])).collect();
        let columns = kept.iter().map(|&column| atom.columns[column].clone()).collect();
        let key = (atom.predicate, kept);
        if let Some(&predicate) = self.projections.get(&key) {
            return Some(PatternAtom { predicate, mode: Mode::Plain, columns });
        }
        if self.projections.len() >= MOST_PROJECTIONS {
            return None;
        }
        let predicate = self.program.static_part(key.1.len());
        self.projections.insert(key.clone(), predicate);
        let is_defining = |clause: &&Clause| clause.head.predicate == atom.predicate;
        let clauses: Vec<Clause> = self.program.clauses.iter().filter(is_defining).cloned().collect();
        for clause in clauses {
            let projected = self.projected_clause(&clause, predicate, &key.1, store)?;
            self.clauses.push(projected);
        }
        Some(PatternAtom { predicate, mode: Mode::Plain, columns })
    }

    /// A clause with some columns of its head, and of the literals that are computed as they are asked only what matters.
    fn projected_clause(
        &mut self,
        clause: &Clause,
        predicate: PredicateId,
        kept: &[usize],
        store: &Store<'_>,
    ) -> Option<Clause> {
        let mut projected = clause.clone();
        projected.head = PatternAtom {
            predicate,
            mode: Mode::Plain,
            columns: kept.iter().map(|&column| clause.head.columns[column].clone()).collect(),
        };
        let mut uses = vec![0; clause.variables.len()];
        projected.head.for_each_variable(&mut |variable| uses[variable] += 1);
        clause.body.for_each_variable(&mut |variable| uses[variable] += 1);
        for place in 0..clause.body.positive.len() {
            let atom = &clause.body.positive[place];
            if store.is_lazy(atom.predicate.index()) {
                let matters = |column: &Pattern| !matches!(column, Pattern::Variable(it) if uses[*it] == 1);
                projected.body.positive[place] =
                    stacker::maybe_grow(128 << 10, 2 << 20, || self.projected(atom, matters, store))?;
            }
        }
        Some(projected)
    }
}

/// Puts what was found in the place of the chosen literals. Gives the variables of a chain in the order in which parts
/// are to be made around them: from its beginning on, step by step.
fn replace(clause: &mut Clause, chosen: &[bool], instead: &Instead) -> Order {
    let taken = Body { positive: take_chosen(&mut clause.body.positive, chosen), ..Body::default() };
    let (numbers, _, _) = renumbered(&taken, &clause.variables);
    let mut variables: Vec<usize> = numbers.keys().copied().collect();
    variables.sort_unstable_by_key(|variable| numbers[variable]);
    let literal = |predicate: PredicateId, variables: &[usize]| PatternAtom {
        predicate,
        mode: Mode::Plain,
        columns: variables.iter().copied().map(Pattern::Variable).collect(),
    };
    let steps = match instead {
        Instead::Table(predicate) => {
            clause.body.positive.push(literal(*predicate, &variables));
            return Vec::new();
        }
        Instead::Chain(steps) => steps,
    };
    // What joins two steps is a variable of its own.
    let first = clause.variables.len();
    let joints: Vec<usize> = (first..first + steps.len().saturating_sub(1)).collect();
    for (place, (&predicate, &variable)) in steps.iter().zip(&variables).enumerate() {
        let before = place.checked_sub(1).and_then(|before| joints.get(before));
        let around: Vec<usize> =
            before.into_iter().chain([&variable]).chain(joints.get(place)).copied().collect();
        clause.body.positive.push(literal(predicate, &around));
        if place < joints.len() {
            clause.variables.push(clause.variables[variable]);
        }
    }
    let before = std::iter::once(None).chain(joints.into_iter().map(Some));
    before.zip(variables).map(|(before, variable)| before.into_iter().chain([variable]).collect()).collect()
}

/// The clauses of the parts that can be put in the parts' places.
fn definitions(program: &Program) -> FxHashMap<PredicateId, usize> {
    let mut count: FxHashMap<PredicateId, usize> = FxHashMap::default();
    program.clauses.iter().for_each(|clause| *count.entry(clause.head.predicate).or_default() += 1);
    let is_part = |head: &PatternAtom| {
        matches!(program.predicates[head.predicate.index()], Predicate::Auxiliary(_))
            && program.is_dynamic(head)
    };
    let clauses = program.clauses.iter().enumerate();
    clauses
        .filter(|(_, it)| is_part(&it.head) && it.conditions.is_empty() && count[&it.head.predicate] == 1)
        .map(|(place, clause)| (clause.head.predicate, place))
        .collect()
}

/// Puts the bodies of parts back in the place of the parts: they were made without knowing what is small together.
fn unfold(program: &Program, definitions: &FxHashMap<PredicateId, usize>, clause: &mut Clause) {
    const MOST_LITERALS: usize = 100;
    while clause.body.positive.len() < MOST_LITERALS {
        let mut literals = clause.body.positive.iter().enumerate();
        let found = literals.find_map(|(place, atom)| Some((place, *definitions.get(&atom.predicate)?)));
        let Some((place, part)) = found else { return };
        let part = &program.clauses[part];
        let atom = clause.body.positive.remove(place);
        let mut numbers: FxHashMap<usize, usize> = FxHashMap::default();
        for (inner, outer) in part.head.columns.iter().zip(&atom.columns) {
            if let (Pattern::Variable(inner), Pattern::Variable(outer)) = (inner, outer) {
                numbers.insert(*inner, *outer);
            }
        }
        let body = part.body.renamed(&mut |variable| {
            *numbers.entry(variable).or_insert_with(|| {
                clause.variables.push(part.variables[variable]);
                clause.variables.len() - 1
            })
        });
        clause.body.append(body);
    }
}

/// Drops the clauses of parts that no clause asks for any more.
fn drop_unused(program: &mut Program) {
    loop {
        let mut is_used = vec![false; program.predicates.len()];
        for clause in &program.clauses {
            let bodies = std::iter::once(&clause.body).chain(&clause.conditions);
            for atom in bodies.flat_map(|body| body.positive.iter().chain(&body.negative)) {
                is_used[atom.predicate.index()] |= atom.predicate != clause.head.predicate;
            }
        }
        let before = program.clauses.len();
        let predicates = &program.predicates;
        program.clauses.retain(|clause| {
            let head = clause.head.predicate.index();
            is_used[head] || !matches!(predicates[head], Predicate::Auxiliary(_))
        });
        if program.clauses.len() == before {
            return;
        }
    }
}
