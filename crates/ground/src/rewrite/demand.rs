//! What is asked of each relation, as far as constants tell. `line` may be asked for `x` and `o` only, and `count` for
//! four corners of the board: then nothing else of it need be derived, static or not. A column counts as asked by
//! constants if in every literal that asks for the relation it holds a constant, a role, or what was asked so of
//! the head. The questions are found beforehand and then stand as one more literal in each clause of the relation.

use groundrules_gdl::game::RelationId;
use groundrules_gdl::index::index32;
use groundrules_gdl::term::TermId;
use rustc_hash::FxHashMap;

use crate::clause::{Body, Clause, Mode, Pattern, PatternAtom, Predicate, PredicateId, Program};
use crate::table::Table;

/// More questions than this about one relation are no restriction worth its price.
const MOST_QUESTIONS: u32 = 20_000;

/// Restricts relations to what is asked of them; gives the questions, each set as the table of a new predicate.
pub(crate) fn restrict(program: &mut Program, roles: &[TermId]) -> Vec<(PredicateId, Table)> {
    // Facts ask for nothing.
    let asks = |clause: &&Clause| clause.body != Body::default() || !clause.conditions.is_empty();
    let clauses: Vec<Clause> = program.clauses.iter().filter(asks).map(Clause::whole).collect();
    let is_role_known = !clauses.iter().any(|clause| is_role(program, &clause.head));
    let analysis = Analysis { program, clauses, roles: is_role_known.then_some(roles) };
    let mut too_many = vec![false; program.predicates.len()];
    let (asked, questions) = loop {
        let asked = analysis.asked_columns(&too_many);
        let questions = analysis.collect(&asked);
        let is_full = |table: &Option<Table>| table.as_ref().is_some_and(|it| it.len() >= MOST_QUESTIONS);
        if !questions.iter().any(is_full) {
            break (asked, questions);
        }
        too_many.iter_mut().zip(&questions).for_each(|(flag, table)| *flag |= is_full(table));
    };
    let mut tables = Vec::new();
    let mut literals: FxHashMap<usize, PredicateId> = FxHashMap::default();
    for (asked_of, table) in questions.into_iter().enumerate() {
        if let Some(table) = table {
            let number = index32(asked_of, "predicates");
            let predicate = program.predicate(Predicate::Question(number), table.arity());
            program.dynamic[predicate.index()] = false;
            literals.insert(asked_of, predicate);
            tables.push((predicate, table));
        }
    }
    for clause in &mut program.clauses {
        let index = clause.head.predicate.index();
        if let Some(&predicate) = literals.get(&index) {
            let columns = clause.head.columns.iter().zip(&asked[index]);
            let columns = columns.filter(|(_, asked)| **asked).map(|(column, _)| column.clone()).collect();
            clause.body.positive.push(PatternAtom { predicate, mode: Mode::Plain, columns });
        }
    }
    tables
}

fn is_role(program: &Program, atom: &PatternAtom) -> bool {
    program.predicates[atom.predicate.index()] == Predicate::Relation(RelationId::ROLE)
}

/// The clauses looked at, and the roles if they are all given as facts.
struct Analysis<'a> {
    program: &'a Program,
    clauses: Vec<Clause>,
    roles: Option<&'a [TermId]>,
}

impl Analysis<'_> {
    /// Of each predicate which columns hold constants in every question.
    fn asked_columns(&self, too_many: &[bool]) -> Vec<Vec<bool>> {
        let kept = [RelationId::ROLE, RelationId::GOAL, RelationId::TERMINAL, RelationId::SEES];
        let may_be_asked = |predicate: &Predicate| match predicate {
            Predicate::Relation(relation) => !kept.contains(relation),
            Predicate::Auxiliary(_) => true,
            _ => false,
        };
        let given = self.program.predicates.iter().zip(&self.program.arities).zip(too_many);
        let mut asked: Vec<Vec<bool>> = given
            .map(|((predicate, &arity), too_many)| vec![may_be_asked(predicate) && !too_many; arity])
            .collect();
        loop {
            let mut changed = false;
            for clause in &self.clauses {
                let known = self.known_variables(clause, &asked[clause.head.predicate.index()]);
                for atom in clause.body.positive.iter().chain(&clause.body.negative) {
                    let columns = &mut asked[atom.predicate.index()];
                    for (is_asked, column) in columns.iter_mut().zip(&atom.columns) {
                        let is_known = match column {
                            Pattern::Ground(_) => true,
                            Pattern::Variable(variable) => known[*variable],
                            Pattern::Function(..) => false,
                        };
                        changed |= *is_asked && !is_known;
                        *is_asked &= is_known;
                    }
                }
            }
            if !changed {
                return asked;
            }
        }
    }

    /// The variables of a clause whose values are known from the question or are roles.
    fn known_variables(&self, clause: &Clause, asked: &[bool]) -> Vec<bool> {
        let mut known = vec![false; clause.variables.len()];
        for (column, _) in clause.head.columns.iter().zip(asked).filter(|(_, asked)| **asked) {
            if let Pattern::Variable(variable) = column {
                known[*variable] = true;
            }
        }
        for variable in self.role_variables(clause) {
            known[variable] = true;
        }
        known
    }

    fn role_variables(&self, clause: &Clause) -> Vec<usize> {
        let mut variables = Vec::new();
        if self.roles.is_some() {
            for atom in clause.body.positive.iter().filter(|atom| is_role(self.program, atom)) {
                atom.for_each_variable(&mut |variable| variables.push(variable));
            }
        }
        variables.sort_unstable();
        variables.dedup();
        variables
    }

    /// Follows the questions from clause to clause until no new one is met, or one relation is asked too much.
    fn collect(&self, asked: &[Vec<bool>]) -> Vec<Option<Table>> {
        let mut questions: Vec<Option<Table>> = asked
            .iter()
            .map(|columns| columns.iter().filter(|it| **it).count())
            .map(|count| (count > 0).then(|| Table::new(count)))
            .collect();
        let mut done: Vec<u32> = vec![0; self.clauses.len()];
        loop {
            let mut changed = false;
            for (index, clause) in self.clauses.iter().enumerate() {
                let head = clause.head.predicate.index();
                let rows = questions[head].as_ref().map_or(1, Table::len);
                let start = std::mem::replace(&mut done[index], rows);
                changed |= start < rows;
                for row in start..rows {
                    let question = questions[head].as_ref().map(|table| table.row(row).to_vec());
                    self.ask_all(clause, asked, question.as_deref(), &mut questions);
                }
            }
            let is_full = |table: &Option<Table>| table.as_ref().is_some_and(|it| it.len() >= MOST_QUESTIONS);
            if !changed || questions.iter().any(is_full) {
                return questions;
            }
        }
    }

    /// Writes down the questions that a clause asks when one about its head is to be answered.
    fn ask_all(
        &self,
        clause: &Clause,
        asked: &[Vec<bool>],
        question: Option<&[TermId]>,
        questions: &mut [Option<Table>],
    ) {
        let mut values: Vec<Option<TermId>> = vec![None; clause.variables.len()];
        let columns = clause.head.columns.iter().zip(&asked[clause.head.predicate.index()]);
        for ((column, _), &term) in columns.filter(|(_, asked)| **asked).zip(question.unwrap_or_default()) {
            let fits = match column {
                Pattern::Ground(ground) => *ground == term,
                Pattern::Variable(variable) => *values[*variable].get_or_insert(term) == term,
                // Too fine a point: the question is passed on as if it fitted.
                Pattern::Function(..) => true,
            };
            if !fits {
                return;
            }
        }
        let free: Vec<usize> =
            self.role_variables(clause).into_iter().filter(|&variable| values[variable].is_none()).collect();
        for_each_choice(&free, self.roles.unwrap_or_default(), &mut values, &mut |values| {
            for atom in clause.body.positive.iter().chain(&clause.body.negative) {
                let index = atom.predicate.index();
                let Some(table) = &mut questions[index] else { continue };
                let columns = atom.columns.iter().zip(&asked[index]).filter(|(_, asked)| **asked);
                let value = |(column, _): (&Pattern, &bool)| match column {
                    Pattern::Ground(term) => Some(*term),
                    Pattern::Variable(variable) => values[*variable],
                    Pattern::Function(..) => None,
                };
                if let Some(tuple) = columns.map(value).collect::<Option<Vec<TermId>>>()
                    && table.len() < MOST_QUESTIONS
                {
                    table.insert(&tuple);
                }
            }
        });
    }
}

/// Calls back with every way to give some variables roles.
fn for_each_choice(
    free: &[usize],
    roles: &[TermId],
    values: &mut Vec<Option<TermId>>,
    visit: &mut impl FnMut(&[Option<TermId>]),
) {
    let Some((&variable, rest)) = free.split_first() else { return visit(values) };
    for &role in roles {
        values[variable] = Some(role);
        for_each_choice(rest, roles, values, visit);
    }
    values[variable] = None;
}
