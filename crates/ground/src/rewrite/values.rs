//! What the columns of predicates can hold, judged column by column: a superset that is found without any join. It answers
//! cheaply whether a variable can only have the values of some static relation.

use groundrules_gdl::symbol::Symbol;
use groundrules_gdl::term::{Term, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::clause::{Clause, Pattern, PatternAtom, Predicate, PredicateId, Program};

/// A column of more constants is taken to hold anything.
const MOST_CONSTANTS: usize = 4_096;
/// What nests deeper is taken to be anything.
const MOST_NESTING: usize = 3;

/// What a column, or an argument in it, can be.
#[derive(Clone, Debug, Default)]
struct Column {
    anything: bool,
    constants: FxHashSet<TermId>,
    functions: FxHashMap<(Symbol, usize), Vec<Column>>,
}

impl Column {
    fn anything() -> Self {
        Column { anything: true, ..Column::default() }
    }

    /// Adds what another column can be. Says whether some of it is new.
    fn add(&mut self, other: &Column, nesting: usize) -> bool {
        if self.anything {
            return false;
        }
        if other.anything || nesting > MOST_NESTING {
            *self = Column::anything();
            return true;
        }
        let before = self.constants.len();
        self.constants.extend(&other.constants);
        let mut changed = self.constants.len() > before;
        for (&(name, arity), parts) in &other.functions {
            let known = self.functions.entry((name, arity)).or_insert_with(|| {
                changed = true;
                vec![Column::default(); arity]
            });
            for (known, part) in known.iter_mut().zip(parts) {
                changed |= known.add(part, nesting + 1);
            }
        }
        if self.constants.len() > MOST_CONSTANTS {
            *self = Column::anything();
        }
        changed
    }

    /// The constants, if it can be nothing else.
    fn only_constants(&self) -> Option<&FxHashSet<TermId>> {
        (!self.anything && self.functions.is_empty()).then_some(&self.constants)
    }
}

/// What the columns of every predicate can hold.
pub(super) struct Values<'a> {
    terms: &'a Terms,
    of: Vec<Vec<Column>>,
}

impl<'a> Values<'a> {
    pub(super) fn of(program: &Program, terms: &'a Terms) -> Self {
        let given = program.predicates.iter().zip(&program.arities);
        let before = given.map(|(predicate, &arity)| match predicate {
            Predicate::Whole(_) => vec![Column::anything(); arity],
            _ => vec![Column::default(); arity],
        });
        let mut values = Values { terms, of: before.collect() };
        let (facts, rules): (Vec<&Clause>, Vec<&Clause>) =
            program.clauses.iter().partition(|clause| clause.variables.is_empty());
        for fact in facts {
            values.add(fact);
        }
        loop {
            let mut changed = false;
            for clause in &rules {
                changed |= values.add(clause);
            }
            if !changed {
                return values;
            }
        }
    }

    /// Adds what a clause can give the columns of its head. Says whether some of it is new.
    fn add(&mut self, clause: &Clause) -> bool {
        let new: Vec<Column> =
            clause.head.columns.iter().map(|pattern| self.of_pattern(clause, pattern)).collect();
        let mut changed = false;
        for (known, new) in self.of[clause.head.predicate.index()].iter_mut().zip(&new) {
            changed |= known.add(new, 0);
        }
        changed
    }

    fn of_pattern(&self, clause: &Clause, pattern: &Pattern) -> Column {
        match pattern {
            Pattern::Ground(term) => self.of_term(*term),
            Pattern::Variable(variable) => self.of_variable(clause, *variable),
            Pattern::Function(name, arguments) => {
                let parts = arguments.iter().map(|part| self.of_pattern(clause, part)).collect();
                let functions = [((*name, arguments.len()), parts)].into_iter().collect();
                Column { functions, ..Column::default() }
            }
        }
    }

    /// Recursion is as deep as a term nests, at most as deep as is told apart.
    fn of_term(&self, term: TermId) -> Column {
        if self.terms.depth(term) as usize > MOST_NESTING {
            return Column::anything();
        }
        match self.terms.get(term) {
            Term::Function(name, arguments) => {
                let parts: Vec<Column> = arguments.iter().map(|&part| self.of_term(part)).collect();
                let functions = [((*name, parts.len()), parts)].into_iter().collect();
                Column { functions, ..Column::default() }
            }
            _ => Column { constants: [term].into_iter().collect(), ..Column::default() },
        }
    }

    /// What a variable of a clause can be.
    fn of_variable(&self, clause: &Clause, variable: usize) -> Column {
        let mut places: Vec<&Column> = Vec::new();
        for atom in &clause.body.positive {
            for (pattern, column) in atom.columns.iter().zip(&self.of[atom.predicate.index()]) {
                if !find(pattern, column, variable, &mut places) {
                    return Column::default();
                }
            }
        }
        places.retain(|place| !place.anything);
        let Some(&smallest) = places.iter().min_by_key(|it| (it.functions.len(), it.constants.len())) else {
            return Column::anything();
        };
        let mut smallest = smallest.clone();
        smallest.constants.retain(|term| places.iter().all(|place| place.constants.contains(term)));
        smallest
    }

    /// How many constants a column can be, if it can be nothing else.
    pub(super) fn count(&self, predicate: PredicateId, column: usize) -> Option<usize> {
        self.of[predicate.index()][column].only_constants().map(FxHashSet::len)
    }

    /// Whether an atom of one column holds whenever the positive literals of a clause do: it stands among them, or the
    /// facts of its predicate, of which there are no other rules, include whatever its column can be.
    pub(super) fn holds_always(&self, program: &Program, clause: &Clause, atom: &PatternAtom) -> bool {
        if clause.body.positive.contains(atom) {
            return true;
        }
        let [pattern] = &atom.columns[..] else { return false };
        let mut rules = program.clauses.iter().filter(|it| it.head.predicate == atom.predicate);
        if rules.any(|rule| !matches!(rule.head.columns[0], Pattern::Ground(_)) || !rule.body.is_empty()) {
            return false;
        }
        let Some(facts) = self.of[atom.predicate.index()][0].only_constants() else { return false };
        let asked = self.of_pattern(clause, pattern);
        asked.only_constants().is_some_and(|asked| asked.is_subset(facts))
    }
}

/// Finds what a variable can be where it stands in a pattern. Says whether anything in the column can fit the pattern.
fn find<'c>(pattern: &Pattern, column: &'c Column, variable: usize, places: &mut Vec<&'c Column>) -> bool {
    match pattern {
        _ if column.anything => true,
        Pattern::Variable(it) => {
            if *it == variable {
                places.push(column);
            }
            true
        }
        Pattern::Function(name, arguments) => {
            let Some(parts) = column.functions.get(&(*name, arguments.len())) else { return false };
            let mut fits = true;
            for (pattern, part) in arguments.iter().zip(parts) {
                fits &= find(pattern, part, variable, places);
            }
            fits
        }
        Pattern::Ground(_) => true,
    }
}
