//! Relations split by whether a derivation looks at an argument. Squares between two pieces may be empty, or one that is
//! to be passed over because its piece is about to move:
//!
//! ```text
//! (<= (clear ?x ?y ?i) (after ?x ?y) (square ?i))
//! (<= (clear ?x ?z ?i) (after ?x ?y) (true (cell ?y empty)) (clear ?y ?z ?i))
//! (<= (clear ?x ?z ?y) (after ?x ?y) (clear ?y ?z ?y))
//! ```
//!
//! Most derivations of `clear` never look at the last argument: they hold for every square. They get a relation without
//! it, and only the others, in which the square passed over is between the two, keep the argument:
//!
//! ```text
//! (<= (clear0 ?x ?y) (after ?x ?y))
//! (<= (clear0 ?x ?z) (after ?x ?y) (true (cell ?y empty)) (clear0 ?y ?z))
//! (<= (clear1 ?x ?z ?i) (after ?x ?y) (true (cell ?y empty)) (clear1 ?y ?z ?i))
//! (<= (clear1 ?x ?z ?y) (after ?x ?y) (clear0 ?y ?z) (square ?y))
//! (<= (clear1 ?x ?z ?y) (after ?x ?y) (clear1 ?y ?z ?y))
//! ```
//!
//! Whoever asks for `(clear ?x ?y ?i)` asks for `(clear0 ?x ?y)` and `(square ?i)`, or for `(clear1 ?x ?y ?i)`. Splits go
//! along whole chains of relations: what a piece threatens whatever is passed over, and what it threatens beyond the square
//! passed over.

use std::iter;

use groundrules_gdl::game::RelationId;
use groundrules_gdl::term::Terms;
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::values::Values;
use crate::clause::{Body, Clause, Pattern, PatternAtom, Predicate, PredicateId, Program};

/// An argument of fewer values stays.
const FEWEST_VALUES: usize = 8;
/// A relation of fewer other arguments is too small to be split.
const FEWEST_OTHERS: usize = 2;
/// The most relations that one is split into.
const MOST_VERSIONS: usize = 6;
/// The most clauses that come of one.
const MOST_CLAUSES: usize = 48;

/// Which columns of a predicate some of its derivations do not look at, and what their values must satisfy: static
/// literals, whose variables are numbers of columns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Shape {
    idle: Vec<usize>,
    domain: Vec<PatternAtom>,
}

/// The shapes of the derivations of each predicate. One that has only the empty shape is not split.
type Shapes = IndexMap<PredicateId, Vec<Shape>, FxBuildHasher>;

/// Splits relations where that can pay.
pub(crate) fn split(program: &mut Program, terms: &Terms) {
    let mut candidates = Candidates::of(program);
    if !is_any_idle(program, &candidates) {
        return;
    }
    let values = Values::of(program, terms);
    for (predicate, columns) in candidates.columns.iter_mut().enumerate() {
        for (column, may_be_idle) in columns.iter_mut().enumerate() {
            let count = values.count(PredicateId::new(predicate), column);
            *may_be_idle &= count.is_none_or(|count| count >= FEWEST_VALUES);
        }
    }
    let mut shapes = loop {
        match shapes(program, &candidates) {
            Err(TooMany(predicate)) => candidates.columns[predicate.index()].fill(false),
            Ok(shapes) if !keep_what_pays(program, &values, &shapes, &mut candidates) => break shapes,
            Ok(_) => {}
        }
    };
    if !is_any_split(&shapes) {
        return;
    }
    shapes.retain(|_, shapes| is_split(shapes));
    let clauses: Option<Vec<_>> =
        program.clauses.iter().map(|clause| alternatives(clause, &shapes)).collect();
    if let Some(clauses) = clauses {
        rewrite(program, &shapes, &candidates, clauses.into_iter().flatten());
    }
}

fn is_split(shapes: &[Shape]) -> bool {
    shapes.iter().any(|shape| !shape.idle.is_empty())
}

fn is_any_split(shapes: &Shapes) -> bool {
    shapes.values().any(|shapes| is_split(shapes))
}

/// Which columns may be missing from some derivations, and which predicates say what the values of such columns are.
struct Candidates {
    columns: Vec<Vec<bool>>,
    is_domain: Vec<bool>,
}

impl Candidates {
    fn of(program: &Program) -> Self {
        let kept = [RelationId::ROLE, RelationId::GOAL, RelationId::TERMINAL, RelationId::SEES];
        let predicates = program.predicates.iter().zip(&program.arities).zip(&program.dynamic);
        let may_be_split = |((predicate, &arity), &is_dynamic): ((&Predicate, &usize), &bool)| {
            let is_relation = matches!(predicate, Predicate::Relation(relation) if !kept.contains(relation));
            vec![is_relation && is_dynamic && arity > FEWEST_OTHERS; arity]
        };
        let columns = predicates.map(may_be_split).collect();
        let mut rules: Vec<(usize, Option<&Clause>)> = vec![(0, None); program.predicates.len()];
        for clause in &program.clauses {
            let (count, first) = &mut rules[clause.head.predicate.index()];
            *count += 1;
            first.get_or_insert(clause);
        }
        let is_domain = rules.iter().enumerate().map(|(index, &(count, first))| {
            let is_product = count == 1 && first.is_some_and(is_product);
            !program.dynamic[index] && (program.arities[index] <= 1 || is_product)
        });
        let is_domain = is_domain.collect();
        Candidates { columns, is_domain }
    }

    /// The columns of the head of a clause.
    fn of_head(&self, clause: &Clause) -> &[bool] {
        &self.columns[clause.head.predicate.index()]
    }
}

/// Whether the only rule of a static relation asks about each column by itself, so that the relation is all combinations of
/// what its columns can be. Successors are none.
fn is_product(rule: &Clause) -> bool {
    let Body { positive, negative, tests } = &rule.body;
    rule.head.variables().len() == rule.head.columns.len()
        && positive.iter().all(|atom| atom.columns.len() == 1)
        && negative.is_empty()
        && tests.is_empty()
}

/// Whether some clause does not look at a column of its head.
fn is_any_idle(program: &Program, candidates: &Candidates) -> bool {
    program.clauses.iter().any(|clause| {
        candidates.of_head(clause).contains(&true)
            && !take_idle(program, &mut clause.clone(), candidates).idle.is_empty()
    })
}

/// A predicate whose derivations have too many shapes, or are combined in too many ways.
struct TooMany(PredicateId);

/// Finds the shapes of all derivations, as a least fixpoint.
fn shapes(program: &Program, candidates: &Candidates) -> Result<Shapes, TooMany> {
    let mut shapes = Shapes::default();
    let is_candidate = |clause: &&Clause| candidates.of_head(clause).contains(&true);
    let clauses: Vec<&Clause> = program.clauses.iter().filter(is_candidate).collect();
    for clause in &clauses {
        shapes.entry(clause.head.predicate).or_default();
    }
    loop {
        let mut changed = false;
        for clause in &clauses {
            for (mut clause, _) in alternatives(clause, &shapes).ok_or(TooMany(clause.head.predicate))? {
                let shape = take_idle(program, &mut clause, candidates);
                let known = &mut shapes[&clause.head.predicate];
                if !known.contains(&shape) {
                    known.push(shape);
                    changed = true;
                    if known.len() > MOST_VERSIONS {
                        return Err(TooMany(clause.head.predicate));
                    }
                }
            }
        }
        if !changed {
            return Ok(shapes);
        }
    }
}

/// A literal of a body that stands for one version of its predicate: its place, and the version.
type Choice = (usize, usize);

/// The ways to choose a version for every positive literal of a predicate that is split, each as a clause whose literals lack
/// the idle columns and that asks for what their values must satisfy; `None` where there are too many.
fn alternatives(clause: &Clause, shapes: &Shapes) -> Option<Vec<(Clause, Vec<Choice>)>> {
    let mut made = vec![(clause.clone(), Vec::new())];
    for (place, atom) in clause.body.positive.iter().enumerate() {
        let Some(shapes) = shapes.get(&atom.predicate) else { continue };
        let with = |(clause, choices): &(Clause, Vec<Choice>)| -> Vec<(Clause, Vec<Choice>)> {
            let chosen = |(version, shape): (usize, &Shape)| {
                let mut clause = clause.clone();
                for literal in domain_of(shape, atom) {
                    if !clause.body.positive.contains(&literal) {
                        clause.body.positive.push(literal);
                    }
                }
                clause.body.positive[place].columns = without(&atom.columns, &shape.idle);
                let choices = choices.iter().copied().chain([(place, version)]).collect();
                (clause, choices)
            };
            shapes.iter().enumerate().map(chosen).collect()
        };
        made = made.iter().flat_map(with).collect();
        if made.len() > MOST_CLAUSES {
            return None;
        }
    }
    Some(made)
}

fn without(columns: &[Pattern], idle: &[usize]) -> Box<[Pattern]> {
    let kept = columns.iter().enumerate().filter(|(place, _)| !idle.contains(place));
    kept.map(|(_, column)| column.clone()).collect()
}

/// What the idle columns of an atom must satisfy.
fn domain_of<'a>(shape: &'a Shape, atom: &'a PatternAtom) -> impl Iterator<Item = PatternAtom> + 'a {
    shape.domain.iter().map(|literal| {
        let columns = literal.columns.iter().map(|column| match column {
            Pattern::Variable(place) => atom.columns[*place].clone(),
            ground => ground.clone(),
        });
        PatternAtom { columns: columns.collect(), ..literal.clone() }
    })
}

/// Takes out of a clause the columns of its head that it does not look at, and what their values must satisfy.
fn take_idle(program: &Program, clause: &mut Clause, candidates: &Candidates) -> Shape {
    let may_be_idle = candidates.of_head(clause);
    let mut place_of: Vec<Option<usize>> = vec![None; clause.variables.len()];
    let mut seen = vec![0_u32; clause.variables.len()];
    clause.head.for_each_variable(&mut |variable| seen[variable] += 1);
    for (place, column) in clause.head.columns.iter().enumerate() {
        if let Pattern::Variable(variable) = column
            && may_be_idle[place]
            && seen[*variable] == 1
        {
            place_of[*variable] = Some(place);
        }
    }
    let Body { positive, negative, tests } = &clause.body;
    let dynamic = positive.iter().filter(|atom| program.is_dynamic(atom)).chain(negative);
    dynamic.for_each(|atom| atom.for_each_variable(&mut |it| place_of[it] = None));
    tests.iter().for_each(|test| test.for_each_variable(&mut |it| place_of[it] = None));
    let is_inside = |atom: &PatternAtom, place_of: &[Option<usize>]| {
        let plain = atom.columns.iter().all(|column| !matches!(column, Pattern::Function(..)));
        plain
            && candidates.is_domain.get(atom.predicate.index()) == Some(&true)
            && atom.variables().iter().all(|&variable| place_of[variable].is_some())
    };
    loop {
        let before = place_of.clone();
        for atom in positive.iter().filter(|atom| !is_inside(atom, &before)) {
            atom.for_each_variable(&mut |variable| place_of[variable] = None);
        }
        if before == place_of {
            break;
        }
    }
    let mut shape = Shape { idle: place_of.iter().flatten().copied().collect(), domain: Vec::new() };
    if shape.idle.is_empty() {
        return shape;
    }
    shape.idle.sort_unstable();
    let is_domain = |atom: &mut PatternAtom| !atom.variables().is_empty() && is_inside(atom, &place_of);
    let mut name = |variable: usize| place_of[variable].unwrap_or_default();
    shape.domain =
        { clause.body.positive.extract_if(.., is_domain) }.map(|atom| atom.renamed(&mut name)).collect();
    shape.domain.sort_by_cached_key(|atom| format!("{atom:?}"));
    shape.domain.dedup();
    clause.head.columns = without(&clause.head.columns, &shape.idle);
    shape
}

/// Lets the columns stay that some negative literal may ask for outside of their domains, and those of shapes that save
/// nothing: static ones, and those of too few other columns. Says whether there were any.
fn keep_what_pays(
    program: &Program,
    values: &Values<'_>,
    shapes: &Shapes,
    candidates: &mut Candidates,
) -> bool {
    let mut changed = false;
    let dynamic = dynamic_shapes(program, shapes, candidates);
    let mut keep = |predicate: PredicateId, shape: &Shape| {
        for &place in &shape.idle {
            changed |= std::mem::replace(&mut candidates.columns[predicate.index()][place], false);
        }
    };
    for (&predicate, all) in shapes {
        let arity = program.arities[predicate.index()];
        let is_small = |shape: &&Shape| arity < FEWEST_OTHERS + shape.idle.len();
        let is_static = |shape: &&Shape| !dynamic.contains(&(predicate, (*shape).clone()));
        all.iter()
            .filter(|shape| is_small(shape) || is_static(shape))
            .for_each(|shape| keep(predicate, shape));
    }
    for clause in &program.clauses {
        for atom in &clause.body.negative {
            for shape in shapes.get(&atom.predicate).into_iter().flatten() {
                if !domain_of(shape, atom).all(|literal| values.holds_always(program, clause, &literal)) {
                    keep(atom.predicate, shape);
                }
            }
        }
    }
    changed
}

/// The shapes of derivations that the state or the moves decide in their last step.
fn dynamic_shapes(
    program: &Program,
    shapes: &Shapes,
    candidates: &Candidates,
) -> FxHashSet<(PredicateId, Shape)> {
    let mut dynamic = FxHashSet::default();
    for clause in &program.clauses {
        let reads =
            clause.body.positive.iter().chain(&clause.body.negative).any(|atom| program.is_dynamic(atom));
        if reads && candidates.of_head(clause).contains(&true) {
            for (mut clause, _) in alternatives(clause, shapes).unwrap_or_default() {
                let shape = take_idle(program, &mut clause, candidates);
                dynamic.insert((clause.head.predicate, shape));
            }
        }
    }
    dynamic
}

/// Puts the versions in the place of the predicates that are split.
fn rewrite(
    program: &mut Program,
    shapes: &Shapes,
    candidates: &Candidates,
    clauses: impl Iterator<Item = (Clause, Vec<Choice>)>,
) {
    let mut versions: IndexMap<PredicateId, Vec<PredicateId>, FxBuildHasher> = IndexMap::default();
    for (&predicate, shapes) in shapes {
        let arity = program.arities[predicate.index()];
        let parts = shapes.iter().map(|shape| program.part(arity - shape.idle.len())).collect();
        versions.insert(predicate, parts);
    }
    program.clauses = Vec::new();
    for (mut clause, choices) in clauses {
        for (place, version) in choices {
            let atom = &mut clause.body.positive[place];
            atom.predicate = versions[&atom.predicate][version];
        }
        let head = clause.head.predicate;
        if let Some(known) = shapes.get(&head) {
            let shape = take_idle(program, &mut clause, candidates);
            let version = known.iter().position(|it| *it == shape).expect("all shapes were found");
            clause.head.predicate = versions[&head][version];
        }
        let negative = std::mem::take(&mut clause.body.negative);
        clause.body.negative =
            negative.into_iter().flat_map(|atom| refuted(atom, shapes, &versions)).collect();
        program.clauses.push(clause);
    }
    program.find_dynamic();
}

/// The literals that refute all versions of a predicate.
fn refuted(
    atom: PatternAtom,
    shapes: &Shapes,
    versions: &IndexMap<PredicateId, Vec<PredicateId>, FxBuildHasher>,
) -> Vec<PatternAtom> {
    let Some(shapes) = shapes.get(&atom.predicate) else { return iter::once(atom).collect() };
    let version = |(&predicate, shape): (&PredicateId, &Shape)| PatternAtom {
        predicate,
        mode: atom.mode,
        columns: without(&atom.columns, &shape.idle),
    };
    versions[&atom.predicate].iter().zip(shapes).map(version).collect()
}

#[cfg(test)]
mod tests {
    use groundrules_gdl::read;

    use crate::{Options, Switch, Switches, ground};

    /// A line of squares on which a king is seen past the square that a guard leaves; `asked` is that square, as legality
    /// asks for it.
    fn rules(asked: &str, switches: Switches) -> usize {
        let squares: String = (1..=12).map(|it| format!("(sq {it}) (after {it} {})", it + 1)).collect();
        let text = format!(
            "(role w) {squares} (init (cell 1 k)) (init (cell 3 g)) (init (cell 8 r))
            (<= (clear ?x ?y ?i) (after ?x ?y) (sq ?i))
            (<= (clear ?x ?z ?i) (after ?x ?y) (not (true (cell ?y g))) (clear ?y ?z ?i))
            (<= (clear ?x ?z ?y) (after ?x ?y) (clear ?y ?z ?y))
            (<= (hit ?k ?i) (true (cell ?a r)) (clear ?k ?a ?i))
            (<= (legal w (m ?x ?y)) (true (cell ?x g)) (sq ?y) (true (cell ?k k)) (not (hit ?k {asked})))
            (legal w stay)
            (<= (next (cell ?y g)) (does w (m ?x ?y)))
            (<= (next (cell ?x ?c)) (true (cell ?x ?c)) (does w stay))
            (<= (next (cell ?y r)) (true (cell ?x r)) (after ?x ?y) (sq ?y))
            (<= (next (cell ?x r)) (true (cell ?y r)) (after ?x ?y) (sq ?x))
            (<= (next (cell ?y k)) (true (cell ?x k)) (after ?x ?y) (sq ?y))
            (<= terminal (not (true (cell 1 g)))) (goal w 100)"
        );
        let game = read(text.as_bytes(), &groundrules_gdl::Options::default()).game.expect("valid");
        ground(&game, &Options { switches, ..Options::default() }).expect("small").rules().len()
    }

    #[test]
    fn derivations_that_do_not_look_lose_the_argument() {
        let (all, without) = (Switches::default(), Switches::default().without(Switch::Splitting));
        assert!(
            3 * rules("?x", all) < 2 * rules("?x", without),
            "{} {}",
            rules("?x", all),
            rules("?x", without)
        );
    }

    #[test]
    fn what_may_be_asked_outside_of_the_domain_stays() {
        let (all, without) = (Switches::default(), Switches::default().without(Switch::Splitting));
        assert_eq!(rules("none", all), rules("none", without));
    }
}
