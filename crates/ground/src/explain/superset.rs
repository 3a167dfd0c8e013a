//! The supersets of what can hold, all of them complete, and the rules of the description read against them: how far
//! the body of a rule can be satisfied when its head is to be a given atom. Negation of what the state or the moves decide
//! never fails here, as in the fixpoints that fill the tables.

use groundrules_gdl::Game;
use groundrules_gdl::game::{Atom, Literal, RelationId, Rule, Test};
use groundrules_gdl::symbol::{Symbol, Symbols};
use groundrules_gdl::term::{Term, TermId};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::question::{Question, atom_text};
use crate::clause::{Body, Clause, Mode, Pattern, PatternAtom, Predicate, PredicateId, Program};
use crate::error::{GroundError, Halt};
use crate::functors::Makers;
use crate::join::{ALL, Join, Match, Sink};
use crate::options::{Options, Switch, Switches};
use crate::plan::{JoinPlan, Task, is_bound};
use crate::store::{Progress, Store};
use crate::table::Table;
use crate::{methods, passes, rewrite, roles, statics};

/// The tables of everything that may hold.
pub(super) struct Superset<'g, 'o> {
    pub(super) game: &'g Game,
    pub(super) program: Program,
    pub(super) store: Store<'o>,
    pub(super) makers: Makers<'g>,
    pub(super) symbols: Symbols,
    /// The program again, to read single rules with.
    scratch: Program,
    /// A table of who plays: nobody else moves.
    players: PredicateId,
}

/// The values of a rule's variables, as far as they have one.
pub(super) type Binding = IndexMap<Symbol, TermId, FxBuildHasher>;

/// A rule without disjunction whose head is to be a given atom.
pub(super) struct Reading<'g> {
    pub(super) rule: usize,
    clause: Clause,
    /// The literals as written, but none before its variables are bound.
    pub(super) literals: Vec<(&'g Literal, Place)>,
    head: Match,
    bound: Vec<bool>,
    /// The variable of the head that stands for a whole fluent or move, and its value.
    whole: Option<(Symbol, TermId)>,
}

/// Where a literal stands in the clause's body.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Positive(usize),
    Negative(usize),
    Test(usize),
}

impl<'g, 'o> Superset<'g, 'o> {
    /// Fills the tables. The terms of the question are among theirs.
    pub(super) fn of(
        game: &'g Game,
        options: &Options,
        question: &Question,
        watch: &'o mut dyn FnMut(Progress<'_>),
    ) -> Result<Self, GroundError> {
        let switches = options.switches.only(&[Switch::Constants]);
        let mut program = Program::of(game)?;
        passes::rewrite(game, &mut program, switches);
        let mut store = Store::new(game, &program, options.limits.clone(), watch);
        store.terms = question.terms.clone();
        statics::evaluate(&program, &mut store)?;
        let roles = roles(game, &program, &mut store)?;
        store.roles = roles.iter().copied().collect();
        methods::run(&mut program, options.method.with_tables().1, switches, &mut store)?;
        let mut players = Table::new(1);
        for &role in &roles {
            players.insert(&[role]);
        }
        let players = PredicateId(store.add_table(players));
        let scratch = Program { clauses: Vec::new(), ..program.clone() };
        let symbols = question.symbols.clone();
        Ok(Superset { game, program, store, makers: Makers::of(game), symbols, scratch, players })
    }

    /// The predicate of an atom, if any rule has it, and the atom's columns.
    pub(super) fn columns(&self, atom: &Atom) -> (Option<usize>, Vec<TermId>) {
        let terms = &self.store.terms;
        let last = atom.arguments.last().copied();
        let functor = last.and_then(|term| terms.functor(term));
        let (predicate, columns) = match (atom.relation, last, functor) {
            (RelationId::TRUE | RelationId::NEXT | RelationId::INIT, Some(term), Some((name, arity))) => {
                (Predicate::Fluent(name, arity), terms.arguments(term).to_vec())
            }
            (RelationId::DOES | RelationId::LEGAL, Some(term), Some((name, arity))) => {
                (Predicate::Move(name, arity), [&atom.arguments[..1], terms.arguments(term)].concat())
            }
            _ => (Predicate::Relation(atom.relation), atom.arguments.to_vec()),
        };
        (self.program.predicates.get_index_of(&predicate), columns)
    }

    /// Whether no state and no move decides an atom.
    pub(super) fn is_static(&self, atom: &Atom) -> bool {
        let is_state = matches!(
            atom.relation,
            RelationId::TRUE | RelationId::NEXT | RelationId::DOES | RelationId::LEGAL
        );
        let is_static = |predicate: usize| !self.program.dynamic[predicate];
        !is_state && self.columns(atom).0.is_some_and(is_static)
    }

    /// The arguments of a relation that never matter and are left out.
    pub(super) fn idle_arguments(&self, atom: &Atom, switches: Switches) -> Vec<bool> {
        match self.columns(atom).0 {
            Some(predicate) if switches.has(Switch::Arguments) => {
                rewrite::dropped_arguments(&self.program).swap_remove(predicate)
            }
            _ => Vec::new(),
        }
    }

    /// Whether some rule can make an atom.
    pub(super) fn may_hold(&mut self, atom: &Atom) -> Result<bool, GroundError> {
        if !self.moves_if_needed(atom) {
            return Ok(false);
        }
        for reading in self.readings(atom)? {
            if self.satisfy(&reading, reading.literals.len())?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the one who moves plays, if the atom says that somebody moves.
    pub(super) fn moves_if_needed(&self, atom: &Atom) -> bool {
        atom.relation != RelationId::DOES || self.store.roles.contains(&atom.arguments[0])
    }

    /// The rules whose heads fit an atom, in the order of the text.
    pub(super) fn readings(&mut self, atom: &Atom) -> Result<Vec<Reading<'g>>, GroundError> {
        let heads: &[RelationId] = match atom.relation {
            RelationId::TRUE => &[RelationId::INIT, RelationId::NEXT],
            RelationId::DOES => &[RelationId::LEGAL],
            _ => std::slice::from_ref(&atom.relation),
        };
        let game = self.game;
        let mut rules: Vec<(usize, &Rule)> = heads.iter().flat_map(|&head| game.rules_of(head)).collect();
        rules.sort_by_key(|(index, _)| *index);
        let may_fit = |(_, rule): &(usize, &Rule)| {
            let mut pairs = rule.head.arguments.iter().zip(&atom.arguments);
            pairs.all(|(head, asked)| head == asked || !game.terms().is_ground(*head))
        };
        let mut readings = Vec::new();
        for (index, rule) in rules.into_iter().filter(may_fit) {
            let bodies = rule.alternatives(usize::MAX).expect("the program was made of as many alternatives");
            for body in bodies {
                self.scratch.add(game, &self.makers, index, rule, &body)?;
                for clause in std::mem::take(&mut self.scratch.clauses) {
                    readings.extend(self.reading(atom, rule, &body, clause));
                }
            }
        }
        Ok(readings)
    }

    fn reading(&self, atom: &Atom, rule: &Rule, body: &[&'g Literal], clause: Clause) -> Option<Reading<'g>> {
        let (predicate, columns) = self.columns(atom);
        if predicate != Some(clause.head.predicate.index()) {
            return None;
        }
        let mut head = Match::new(clause.variables.len(), 0);
        let mut bound = vec![false; clause.variables.len()];
        let mut pairs = clause.head.columns.iter().zip(&columns);
        if !pairs.all(|(pattern, &term)| head.unify(pattern, term, &mut bound, &self.store)) {
            return None;
        }
        let last = rule.head.arguments.last().and_then(|&term| self.game.terms().variable(term));
        let whole = last.zip(atom.arguments.last().copied());
        let literals = in_order(body, &clause, bound.clone());
        Some(Reading { rule: clause.rule, clause, literals, head, bound, whole })
    }

    /// One way to satisfy the first literals of a rule.
    pub(super) fn satisfy(
        &mut self,
        reading: &Reading<'_>,
        literals: usize,
    ) -> Result<Option<Binding>, GroundError> {
        Ok(self.ways(reading, literals, 1)?.pop())
    }

    /// The first ways to satisfy the first literals of a rule, with different values for its variables.
    pub(super) fn ways(
        &mut self,
        reading: &Reading<'_>,
        literals: usize,
        most: usize,
    ) -> Result<Vec<Binding>, GroundError> {
        let body = self.body(reading, literals);
        let mut bound = reading.bound.clone();
        let decided = body.negative.iter().map(|atom| !self.program.is_dynamic(atom)).collect();
        let mut wanted = vec![false; bound.len()];
        body.positive.iter().for_each(|atom| atom.for_each_variable(&mut |it| wanted[it] = true));
        let task = Task { body: &body, bound: bound.clone(), wanted, first: None, decided };
        let plan = JoinPlan::of(&task, &mut self.store);
        plan.refresh(&mut self.store);
        self.store.begin(&reading.clause);
        let found = Match { values: reading.head.values.clone(), rows: vec![0; body.positive.len()] };
        let ranges = vec![ALL; body.positive.len()];
        let mut join = Join { body: &body, plan: &plan, ranges: &ranges, found, key: Vec::new() };
        let mut ways = Ways { found: Vec::new(), most };
        match join.run(&mut self.store, &mut ways) {
            // As many as were wanted.
            Err(Halt::TooMany) | Ok(_) => {}
            Err(Halt::Error(error)) => return Err(*error),
        }
        body.positive.iter().for_each(|atom| atom.for_each_variable(&mut |it| bound[it] = true));
        Ok(ways.found.iter().map(|values| binding(reading, values, &bound)).collect())
    }

    /// The first literals of a rule as a body.
    fn body(&self, reading: &Reading<'_>, literals: usize) -> Body {
        let whole = &reading.clause.body;
        let mut body = Body::default();
        for (_, place) in &reading.literals[..literals] {
            match *place {
                Place::Positive(index) => {
                    let atom = &whole.positive[index];
                    body.positive.extend(self.player(atom));
                    body.positive.push(atom.clone());
                }
                Place::Negative(index) => body.negative.push(whole.negative[index].clone()),
                Place::Test(index) => body.tests.push(whole.tests[index].clone()),
            }
        }
        body
    }

    /// The literal that says that the one who moves plays.
    fn player(&self, atom: &PatternAtom) -> Option<PatternAtom> {
        let is_whole = self.program.predicates[atom.predicate.index()] == Predicate::Whole(Mode::Does);
        let role = atom.columns.first().filter(|_| is_whole || atom.mode == Mode::Does)?;
        Some(PatternAtom { predicate: self.players, mode: Mode::Plain, columns: [role.clone()].into() })
    }

    /// A term of a rule with the values of the variables that have one. Recursion is as deep as functions nest around a
    /// variable, which is not deep in a rule that was made a clause.
    pub(super) fn substituted(&mut self, term: TermId, binding: &Binding) -> TermId {
        if self.store.terms.is_ground(term) {
            return term;
        }
        match self.store.terms.get(term).clone() {
            Term::Constant(_) => term,
            Term::Variable(name) => binding.get(&name).copied().unwrap_or(term),
            Term::Function(name, arguments) => {
                let arguments: Vec<TermId> =
                    arguments.iter().map(|&argument| self.substituted(argument, binding)).collect();
                self.store.terms.intern_function(name, &arguments)
            }
        }
    }

    /// An atom of a rule with the values of the variables that have one.
    pub(super) fn instance(&mut self, atom: &Atom, binding: &Binding) -> Atom {
        let arguments = atom.arguments.iter().map(|&term| self.substituted(term, binding)).collect();
        Atom { relation: atom.relation, arguments }
    }

    /// A literal of a rule as KIF, with the values of the variables that have one.
    pub(super) fn literal_text(&mut self, literal: &Literal, binding: &Binding) -> String {
        let (text, positive) = match &literal.test {
            Test::Atom(atom) => {
                let atom = self.instance(atom, binding);
                (self.text(&atom), literal.positive)
            }
            Test::Equal(pair) => {
                let pair = pair.map(|term| self.substituted(term, binding));
                (atom_text("distinct", &pair, &self.store.terms, &self.symbols), !literal.positive)
            }
        };
        if positive { text } else { format!("(not {text})") }
    }

    /// An atom as KIF.
    pub(super) fn text(&self, atom: &Atom) -> String {
        atom_text(self.game.relation_name(atom.relation), &atom.arguments, &self.store.terms, &self.symbols)
    }

    /// A term as KIF.
    pub(super) fn term_text(&self, term: TermId) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.store.terms.write_kif(term, &self.symbols, &mut text);
        text
    }
}

/// The literals of a body as written, but none before its variables are bound.
fn in_order<'g>(body: &[&'g Literal], clause: &Clause, mut bound: Vec<bool>) -> Vec<(&'g Literal, Place)> {
    let mut waiting: Vec<(&'g Literal, Place)> = Vec::new();
    let mut ordered = Vec::with_capacity(body.len());
    let (mut positive, mut negative, mut tests) = (0.., 0.., 0..);
    for &literal in body {
        let place = match (&literal.test, literal.positive) {
            (Test::Atom(_), true) => positive.next().map(Place::Positive),
            (Test::Atom(_), false) => negative.next().map(Place::Negative),
            (Test::Equal(_), _) => tests.next().map(Place::Test),
        };
        match place {
            Some(place @ Place::Positive(index)) => {
                clause.body.positive[index].for_each_variable(&mut |variable| bound[variable] = true);
                ordered.push((literal, place));
            }
            other => waiting.extend(other.map(|place| (literal, place))),
        }
        ordered.extend(waiting.extract_if(.., |(_, place)| is_ready(*place, &clause.body, &bound)));
    }
    // A checked rule binds every variable, so nothing is left.
    ordered.extend(waiting);
    ordered
}

fn is_ready(place: Place, body: &Body, bound: &[bool]) -> bool {
    let is_bound = |pattern: &Pattern| is_bound(pattern, bound);
    match place {
        Place::Positive(_) => true,
        Place::Negative(index) => body.negative[index].columns.iter().all(is_bound),
        Place::Test(index) => is_bound(&body.tests[index].left) && is_bound(&body.tests[index].right),
    }
}

/// The values that the variables of a rule have.
fn binding(reading: &Reading<'_>, values: &[TermId], bound: &[bool]) -> Binding {
    let variables = reading.clause.variables.iter().zip(values).zip(bound);
    let mut binding: Binding =
        variables.filter(|(_, bound)| **bound).map(|((&name, &value), _)| (name, value)).collect();
    // A variable that was taken apart has the values of its parts.
    binding.extend(reading.whole);
    binding
}

/// Keeps the first ways that are found.
struct Ways {
    found: Vec<Vec<TermId>>,
    most: usize,
}

impl Sink for Ways {
    fn wants(&mut self, _: &mut Store<'_>, _: &Match) -> bool {
        true
    }

    fn take(&mut self, _: &mut Store<'_>, found: &Match) -> Result<(), Halt> {
        self.found.push(found.values.clone());
        if self.found.len() < self.most { Ok(()) } else { Err(Halt::TooMany) }
    }
}
