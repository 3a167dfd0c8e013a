//! Static relations that connect arguments which are independent of each other, once some hidden variables are known:
//!
//! ```text
//! (<= (alike ?p ?q ?r) (feature ?f) (has ?p ?f) (has ?q ?f) (has ?r ?f))
//! (<= line (true (cell 1 ?p)) (true (cell 2 ?q)) (true (cell 3 ?r)) (alike ?p ?q ?r))
//! ```
//!
//! As a table, `alike` has a row for every three pieces that have something in common, and the second rule an instance
//! for each. With the definition in the place of the literal, projection (`project`) cuts the body into a part for each
//! cell and feature: pieces × features instances instead of pieces to the power of three. Tables and their sizes are
//! known here; whether it pays is estimated from them.

use groundrules_gdl::symbol::Symbol;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::clause::{Body, Clause, Comparison, Pattern, PatternAtom, PredicateId, Program};
use crate::rewrite::project::{self, Depth};
use crate::store::Store;

/// A relation of fewer rows is not worth while.
const FEWEST_ROWS: usize = 256;
/// How many times smaller the definition must be.
const SMALLER: usize = 4;
/// The most rules of a relation that is replaced.
const MOST_RULES: usize = 16;
/// A clause of fewer variables has too few instances for its literals to be taken apart rule by rule.
const WIDE: usize = 8;
/// The most rules of a relation that is replaced because its rules fall apart: as many clauses come of one.
const MOST_ALTERNATIVES: usize = 4;

/// Puts definitions in the place of static literals where the parts that projection can then make are much smaller than
/// the relation.
pub(crate) fn unfold(program: &mut Program, depth: Depth, store: &mut Store<'_>) {
    let mut by_head: FxHashMap<PredicateId, Vec<usize>> = FxHashMap::default();
    for (place, clause) in program.clauses.iter().enumerate() {
        by_head.entry(clause.head.predicate).or_default().push(place);
    }
    let mut pays: FxHashMap<PredicateId, bool> = FxHashMap::default();
    let mut is_replaced = vec![false; program.clauses.len()];
    let mut unfolded = Vec::new();
    for (place, clause) in program.clauses.iter().enumerate() {
        if !program.is_dynamic(&clause.head) {
            continue;
        }
        let mut is_small = |predicate: PredicateId| {
            *pays.entry(predicate).or_insert_with(|| {
                let rules = by_head.get(&predicate).map_or(&[][..], Vec::as_slice);
                is_much_smaller(program, store, predicate, rules)
            })
        };
        let mut literals = 0..clause.body.positive.len();
        let found = { literals.clone() }
            .find(|&literal| is_separable(program, clause, literal, &mut is_small))
            .or_else(|| literals.find(|&literal| splits(program, store, clause, literal, &by_head, depth)));
        if let Some(literal) = found {
            is_replaced[place] = true;
            let rules = &by_head[&clause.body.positive[literal].predicate];
            let with = |&rule: &usize| (with_definition(clause, literal, &program.clauses[rule]), Vec::new());
            unfolded.extend(rules.iter().map(with));
        }
    }
    if unfolded.is_empty() {
        return;
    }
    let mut replaced = is_replaced.into_iter();
    program.clauses.retain(|_| !replaced.next().unwrap_or(false));
    let clauses = project::project_clauses(program, unfolded, depth);
    program.clauses.extend(clauses);
    store.add_predicates(program);
}

/// Whether the variables of a static literal meet nowhere else in its clause, and all but one can leave it.
fn is_separable(
    program: &Program,
    clause: &Clause,
    literal: usize,
    is_small: &mut impl FnMut(PredicateId) -> bool,
) -> bool {
    let atom = &clause.body.positive[literal];
    let variables = atom.variables();
    if program.is_dynamic(atom) || variables.len() < 2 || !has_distinct_variables(atom) {
        return false;
    }
    let meets = |of: Vec<usize>| of.iter().filter(|it| variables.contains(it)).count() > 1;
    let mut kept: Vec<usize> = clause.head.variables();
    clause.conditions.iter().for_each(|condition| condition.for_each_variable(&mut |it| kept.push(it)));
    kept.sort_unstable();
    kept.dedup();
    let others = clause.body.positive.iter().enumerate().filter(|&(place, _)| place != literal);
    let atoms = others.map(|(_, atom)| atom).chain(&clause.body.negative);
    !meets(kept)
        && !atoms.map(PatternAtom::variables).any(meets)
        && !clause.body.tests.iter().any(|test| meets(test.variables()))
        && is_small(atom.predicate)
}

/// Whether the definition of a static literal lets projection cut its clause into much smaller ones: each of its rules
/// leaves some arguments independent of others, as each rule for different cells compares one coordinate.
fn splits(
    program: &Program,
    store: &Store<'_>,
    clause: &Clause,
    literal: usize,
    by_head: &FxHashMap<PredicateId, Vec<usize>>,
    depth: Depth,
) -> bool {
    let atom = &clause.body.positive[literal];
    let table = &store.tables[atom.predicate.index()];
    let rules = by_head.get(&atom.predicate).map_or(&[][..], Vec::as_slice);
    if clause.variables.len() < WIDE
        || program.is_dynamic(atom)
        || atom.columns.len() < 3
        || !has_distinct_variables(atom)
        || store.is_lazy(atom.predicate.index())
        || (table.len() as usize) < FEWEST_ROWS
        || !(1..=MOST_ALTERNATIVES).contains(&rules.len())
        || !rules.iter().all(|&rule| falls_apart(&program.clauses[rule], store))
    {
        return false;
    }
    let is_alone = |variable: &usize| Some((clause.variables[*variable], values_of(atom, *variable, store)?));
    let mut trial = program.without_clauses();
    let unfolded = rules.iter().map(|&rule| with_definition(clause, literal, &program.clauses[rule]));
    let unfolded = unfolded.map(|clause| (clause, Vec::new())).collect();
    let made = project::project_clauses(&mut trial, unfolded, depth);
    let names: Vec<Symbol> = atom.variables().iter().map(|&variable| clause.variables[variable]).collect();
    if made.iter().any(|clause| names.iter().all(|name| clause.variables_used().contains(name))) {
        return false;
    }
    let sizes: Vec<(Symbol, usize)> = atom.variables().iter().filter_map(is_alone).collect();
    // Every new clause must be rid of arguments enough to make up for the number of rules.
    made.iter().all(|clause| {
        let rid_of = sizes.iter().filter(|(name, _)| !clause.variables_used().contains(name));
        let saved: usize = rid_of.map(|(_, size)| size).product();
        saved >= SMALLER * rules.len()
    })
}

/// Whether a rule of a static relation has only arguments for variables, and not all of them depend on each other.
fn falls_apart(clause: &Clause, store: &Store<'_>) -> bool {
    let arguments = clause.head.variables().len();
    if !has_distinct_variables(&clause.head)
        || !clause.conditions.is_empty()
        || arguments < clause.variables.len()
        || clause
            .body
            .positive
            .iter()
            .any(|atom| atom.predicate == clause.head.predicate || store.is_lazy(atom.predicate.index()))
    {
        return false;
    }
    let mut block: Vec<usize> = (0..arguments).collect();
    let Body { positive, negative, tests } = &clause.body;
    let literals = positive.iter().chain(negative).map(PatternAtom::variables);
    for together in literals.chain(tests.iter().map(Comparison::variables)) {
        for pair in together.windows(2) {
            let (one, other) = (block[pair[0]], block[pair[1]]);
            block.iter_mut().filter(|it| **it == one).for_each(|it| *it = other);
        }
    }
    block.iter().any(|it| *it != block[0])
}

/// Whether all arguments of an atom are variables, no two of them the same.
fn has_distinct_variables(atom: &PatternAtom) -> bool {
    atom.columns.iter().all(|column| matches!(column, Pattern::Variable(_)))
        && atom.variables().len() == atom.columns.len()
}

/// Whether the rules of a static relation have few instances, argument by argument, compared with its rows.
fn is_much_smaller(program: &Program, store: &Store<'_>, predicate: PredicateId, rules: &[usize]) -> bool {
    let is_written_out = |predicate: PredicateId| !store.is_lazy(predicate.index());
    if rules.is_empty() || rules.len() > MOST_RULES || !is_written_out(predicate) {
        return false;
    }
    let rows = store.tables[predicate.index()].len() as usize;
    let mut instances = 0_usize;
    for &rule in rules {
        let clause = &program.clauses[rule];
        if rows < FEWEST_ROWS
            || !has_distinct_variables(&clause.head)
            || !clause.conditions.is_empty()
            || !clause.body.positive.iter().all(|atom| is_written_out(atom.predicate))
        {
            return false;
        }
        let Some(count) = instances_by_argument(clause, store) else { return false };
        instances = instances.saturating_add(count);
    }
    instances.saturating_mul(SMALLER) < rows
}

/// About how many instances a rule has when every literal with an argument of the head is instantiated by itself; `None`
/// if some literal connects two arguments.
fn instances_by_argument(clause: &Clause, store: &Store<'_>) -> Option<usize> {
    let arguments = clause.head.variables();
    let connects = |of: Vec<usize>| of.iter().filter(|it| arguments.contains(it)).count() > 1;
    let Body { positive, negative, tests } = &clause.body;
    if positive.iter().chain(negative).map(PatternAtom::variables).any(connects)
        || tests.iter().any(|test| connects(test.variables()))
    {
        return None;
    }
    let mut hidden = 1_usize;
    let mut visible = 0_usize;
    for variable in 0..clause.variables.len() {
        let values = positive.iter().filter_map(|atom| values_of(atom, variable, store)).min();
        match (arguments.contains(&variable), values) {
            (true, values) => visible = visible.saturating_add(values?),
            (false, Some(values)) => hidden = hidden.saturating_mul(values),
            (false, None) => {}
        }
    }
    Some(hidden.saturating_mul(visible))
}

/// How many values a literal can give a variable, if the variable is one of its arguments.
fn values_of(atom: &PatternAtom, variable: usize, store: &Store<'_>) -> Option<usize> {
    let column = atom.columns.iter().position(|column| *column == Pattern::Variable(variable))?;
    let table = &store.tables[atom.predicate.index()];
    let values: FxHashSet<_> = (0..table.len()).map(|row| table.row(row)[column]).collect();
    Some(values.len())
}

/// A clause with the body of a definition in the place of a literal.
fn with_definition(clause: &Clause, literal: usize, definition: &Clause) -> Clause {
    let mut clause = clause.clone();
    let atom = clause.body.positive.remove(literal);
    let mut numbers: FxHashMap<usize, usize> = FxHashMap::default();
    for (inner, outer) in definition.head.columns.iter().zip(&atom.columns) {
        if let (Pattern::Variable(inner), Pattern::Variable(outer)) = (inner, outer) {
            numbers.insert(*inner, *outer);
        }
    }
    let variables = &mut clause.variables;
    let body = definition.body.renamed(&mut |variable| {
        *numbers.entry(variable).or_insert_with(|| {
            variables.push(definition.variables[variable]);
            variables.len() - 1
        })
    });
    clause.body.append(body);
    clause
}

#[cfg(test)]
mod tests {
    use groundrules_gdl::read;

    use crate::{Options, Switch, Switches, ground};

    /// Three cells of thirty pieces, and a relation between three pieces.
    fn rules(relation: &str, switches: Switches) -> usize {
        let pieces: String = (0..30).map(|it| format!("(piece {it}) (has {it} {})", it % 3)).collect();
        let text = format!(
            "(role r) (feature 0) (feature 1) (feature 2) (place 1) (place 2) (place 3) {pieces}
            (<= (legal r (put ?x ?p)) (place ?x) (piece ?p))
            (<= (next (cell ?x ?p)) (does r (put ?x ?p))) (<= (next (cell ?x ?p)) (true (cell ?x ?p)))
            (<= terminal (true (cell 1 ?p)) (true (cell 2 ?q)) (true (cell 3 ?s)) (related ?p ?q ?s))
            (goal r 100) {relation}"
        );
        let game = read(text.as_bytes(), &groundrules_gdl::Options::default()).game.expect("valid");
        ground(&game, &Options { switches, ..Options::default() }).expect("small").rules().len()
    }

    #[test]
    fn only_relations_of_independent_arguments_are_replaced() {
        let (all, without) = (Switches::default(), Switches::default().without(Switch::Unfolding));
        let alike = "(<= (related ?p ?q ?s) (feature ?f) (has ?p ?f) (has ?q ?f) (has ?s ?f))";
        assert!(rules(alike, without) > 3000 && rules(alike, all) < 1000);
        let differ =
            "(<= (related ?p ?q ?s) (piece ?p) (piece ?q) (piece ?s) (distinct ?p ?q) (distinct ?q ?s))";
        assert_eq!(rules(differ, all), rules(differ, without));
    }

    /// Some place is attacked from another one than that which is captured, whatever move was made.
    #[test]
    fn rules_that_fall_apart_are_put_in_their_place() {
        let text = "(role r) (n 1) (n 2) (n 3) (n 4) (n 5) (m 1) (m 2) (init (cell 1 1)) (init (king 1 1))
            (<= (legal r (move ?a ?b ?x ?y)) (m ?a) (m ?b) (n ?x) (n ?y))
            (<= (next (cell ?x ?y)) (does r (move ?a ?b ?x ?y)))
            (<= (next (king ?k ?l)) (n ?k) (n ?l) (does r (move ?a ?b ?x ?y)) (not (attacked ?x ?y ?k ?l ?a ?b)))
            (<= (attacked ?c ?d ?x ?y ?a ?b) (other ?c ?d ?u ?v) (from ?u ?v ?x ?y ?a ?b))
            (<= (from ?u ?v ?x ?y ?a ?b) (true (cell ?u ?v)) (true (king ?x ?y)) (m ?a) (m ?b)
                (not (true (cell ?a ?b))))
            (<= (other ?c ?d ?u ?v) (n ?c) (n ?d) (n ?u) (n ?v) (distinct ?c ?u))
            (<= (other ?c ?d ?u ?v) (n ?c) (n ?d) (n ?u) (n ?v) (distinct ?d ?v))
            (<= terminal (true (cell 5 5))) (goal r 100)";
        let game = read(text.as_bytes(), &groundrules_gdl::Options::default()).game.expect("valid");
        let rules = |switches| {
            ground(&game, &Options { switches, ..Options::default() }).expect("small").rules().len()
        };
        let (all, without) =
            (rules(Switches::default()), rules(Switches::default().without(Switch::Unfolding)));
        assert!(3 * all < 2 * without, "{all} {without}");
    }
}
