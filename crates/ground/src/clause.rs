//! The game's rules as clauses: no disjunction, variables numbered, and every fluent and move a predicate of its own.
//! `(true (cell ?x ?y b))` becomes the predicate `cell` with three columns, which is what makes joins fast. A variable
//! that stands for a whole fluent or move is replaced by each of the fluents or moves that the rules can make.

use groundrules_gdl::Game;
use groundrules_gdl::game::{Atom, Literal, RelationId, Rule, Test};
use groundrules_gdl::index::index32;
use groundrules_gdl::symbol::Symbol;
use groundrules_gdl::term::{Term, TermId};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::error::GroundError;
use crate::functors::Makers;

/// A predicate of the clauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PredicateId(pub(crate) u32);

impl PredicateId {
    /// The predicate's index.
    pub(crate) fn new(place: usize) -> Self {
        PredicateId(index32(place, "predicates"))
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a predicate stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Predicate {
    /// A relation of the description that is no keyword for fluents or moves.
    Relation(RelationId),
    /// A fluent by its name and number of arguments: what `init` and `next` make and `true` reads.
    Fluent(Symbol, usize),
    /// A move by its name and number of arguments, with the role as the first column: what `legal` makes and `does`
    /// reads.
    Move(Symbol, usize),
    /// A relation that is no part of the description: a part of some body, named by its number.
    Auxiliary(u32),
    /// Fluents or moves as whole terms, where a variable stands for one.
    Whole(Mode),
    /// What a variable of a part of a body may be, as the literal says that binds it in the rest of the body. It is found
    /// with the dynamic predicates and then only tested, like a static one; see `rewrite::project`.
    Domain(u32),
    /// What is asked of the predicate with this number; see `rewrite::demand`.
    Question(u32),
}

/// A term with numbered variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Pattern {
    Ground(TermId),
    Variable(usize),
    Function(Symbol, Box<[Pattern]>),
}

impl Pattern {
    /// Visits every variable, as often as it occurs.
    pub(crate) fn for_each_variable(&self, visit: &mut impl FnMut(usize)) {
        match self {
            Pattern::Ground(_) => {}
            Pattern::Variable(variable) => visit(*variable),
            Pattern::Function(_, arguments) => {
                arguments.iter().for_each(|part| part.for_each_variable(visit));
            }
        }
    }

    /// The pattern with other variables.
    pub(crate) fn renamed(&self, rename: &mut impl FnMut(usize) -> usize) -> Pattern {
        match self {
            Pattern::Ground(term) => Pattern::Ground(*term),
            Pattern::Variable(variable) => Pattern::Variable(rename(*variable)),
            Pattern::Function(name, arguments) => {
                Pattern::Function(*name, arguments.iter().map(|part| part.renamed(rename)).collect())
            }
        }
    }
}

/// Which keyword an atom stood under, where the predicate alone does not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Mode {
    Plain,
    Init,
    Next,
    Legal,
    Does,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PatternAtom {
    pub(crate) predicate: PredicateId,
    pub(crate) mode: Mode,
    pub(crate) columns: Box<[Pattern]>,
}

/// The variables that a visit meets, each once, in order.
fn each_once(visit: impl FnOnce(&mut dyn FnMut(usize))) -> Vec<usize> {
    let mut found = Vec::new();
    visit(&mut |variable| found.push(variable));
    found.sort_unstable();
    found.dedup();
    found
}

impl PatternAtom {
    /// The variables, each once, in order.
    pub(crate) fn variables(&self) -> Vec<usize> {
        each_once(|visit| self.for_each_variable(&mut |variable| visit(variable)))
    }

    /// Visits every variable, as often as it occurs.
    pub(crate) fn for_each_variable(&self, visit: &mut impl FnMut(usize)) {
        self.columns.iter().for_each(|column| column.for_each_variable(visit));
    }

    /// The atom with other variables.
    pub(crate) fn renamed(&self, rename: &mut impl FnMut(usize) -> usize) -> PatternAtom {
        let columns = self.columns.iter().map(|column| column.renamed(rename)).collect();
        PatternAtom { predicate: self.predicate, mode: self.mode, columns }
    }
}

/// Two terms that must be equal, or must differ.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Comparison {
    pub(crate) left: Pattern,
    pub(crate) right: Pattern,
    pub(crate) equal: bool,
}

impl Comparison {
    /// The variables, each once, in order.
    pub(crate) fn variables(&self) -> Vec<usize> {
        each_once(|visit| self.for_each_variable(&mut |variable| visit(variable)))
    }

    /// Visits every variable, as often as it occurs.
    pub(crate) fn for_each_variable(&self, visit: &mut impl FnMut(usize)) {
        self.left.for_each_variable(visit);
        self.right.for_each_variable(visit);
    }
}

/// What must hold for a head to follow: all of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Body {
    pub(crate) positive: Vec<PatternAtom>,
    pub(crate) negative: Vec<PatternAtom>,
    pub(crate) tests: Vec<Comparison>,
}

impl Body {
    /// Whether it asks for nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.positive.is_empty() && self.negative.is_empty() && self.tests.is_empty()
    }

    /// Visits every variable, as often as it occurs.
    pub(crate) fn for_each_variable(&self, visit: &mut impl FnMut(usize)) {
        self.positive.iter().chain(&self.negative).for_each(|atom| atom.for_each_variable(visit));
        self.tests.iter().for_each(|test| test.for_each_variable(visit));
    }

    /// The body with other variables.
    pub(crate) fn renamed(&self, rename: &mut impl FnMut(usize) -> usize) -> Body {
        let test = |test: &Comparison, rename: &mut dyn FnMut(usize) -> usize| Comparison {
            left: test.left.renamed(&mut |variable| rename(variable)),
            right: test.right.renamed(&mut |variable| rename(variable)),
            equal: test.equal,
        };
        Body {
            positive: self.positive.iter().map(|atom| atom.renamed(rename)).collect(),
            negative: self.negative.iter().map(|atom| atom.renamed(rename)).collect(),
            tests: self.tests.iter().map(|comparison| test(comparison, rename)).collect(),
        }
    }

    /// Adds what another body asks for.
    pub(crate) fn append(&mut self, other: Body) {
        self.positive.extend(other.positive);
        self.negative.extend(other.negative);
        self.tests.extend(other.tests);
    }
}

/// A rule without disjunction.
#[derive(Clone, Debug)]
pub(crate) struct Clause {
    pub(crate) head: PatternAtom,
    pub(crate) body: Body,
    /// Parts of the body that are about the move alone, the move itself first; see `conditions`.
    pub(crate) conditions: Vec<Body>,
    /// The names of the variables; a variable that was taken apart has several numbers.
    pub(crate) variables: Vec<Symbol>,
    /// The rule of the description.
    pub(crate) rule: usize,
}

/// Takes the chosen items out of a list.
pub(crate) fn take_chosen<T>(list: &mut Vec<T>, chosen: &[bool]) -> Vec<T> {
    let mut chosen = chosen.iter();
    list.extract_if(.., |_| chosen.next().copied().unwrap_or(false)).collect()
}

impl Clause {
    /// Whether positive literals bind every variable. Checked games have no others; a join would take a variable without
    /// a value for whatever stood there before.
    fn is_safe(&self) -> bool {
        let mut bound = vec![false; self.variables.len()];
        self.body.positive.iter().for_each(|atom| atom.for_each_variable(&mut |it| bound[it] = true));
        bound.into_iter().all(|is_bound| is_bound)
    }

    /// The names of the variables that occur in the head or the body.
    pub(crate) fn variables_used(&self) -> Vec<Symbol> {
        let mut used = Vec::new();
        self.head.for_each_variable(&mut |it| used.push(self.variables[it]));
        self.body.for_each_variable(&mut |it| used.push(self.variables[it]));
        for condition in &self.conditions {
            condition.for_each_variable(&mut |it| used.push(self.variables[it]));
        }
        used
    }

    /// The clause with its conditions back in the body.
    pub(crate) fn whole(&self) -> Clause {
        let mut whole = self.clone();
        for condition in std::mem::take(&mut whole.conditions) {
            whole.body.append(condition);
        }
        whole
    }
}

/// The clauses of a game.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) predicates: IndexSet<Predicate, FxBuildHasher>,
    pub(crate) arities: Vec<usize>,
    /// Whether a predicate depends on the state or the moves.
    pub(crate) dynamic: Vec<bool>,
    pub(crate) clauses: Vec<Clause>,
    /// The fluents that never change; they count as static.
    pub(crate) constants: Vec<PredicateId>,
}

/// How many clauses a rule may become; beyond that its disjunctions are to blame.
const MOST_CLAUSES_OF_A_RULE: usize = 10_000;

impl Program {
    pub(crate) fn of(game: &Game) -> Result<Self, GroundError> {
        let mut program = Program {
            predicates: IndexSet::default(),
            arities: Vec::new(),
            dynamic: Vec::new(),
            clauses: Vec::new(),
            constants: Vec::new(),
        };
        let makers = Makers::of(game);
        for (index, rule) in game.rules().iter().enumerate() {
            if !is_wanted(game, rule) {
                continue;
            }
            if is_unwieldy(game, rule) {
                return Err(GroundError::Unwieldy { rule: index });
            }
            for body in
                rule.alternatives(MOST_CLAUSES_OF_A_RULE).ok_or(GroundError::Disjunctions { rule: index })?
            {
                program.add(game, &makers, index, rule, &body)?;
            }
        }
        program.define_wholes(&makers);
        program.find_dynamic();
        Ok(program)
    }

    /// Adds a clause, or one for each fluent or move that a bare variable in it can stand for.
    pub(crate) fn add(
        &mut self,
        game: &Game,
        makers: &Makers<'_>,
        index: usize,
        rule: &Rule,
        body: &[&Literal],
    ) -> Result<(), GroundError> {
        let mut pending = vec![Substitution::default()];
        let mut made = 0;
        while let Some(substitution) = pending.pop() {
            made += 1;
            if made > MOST_CLAUSES_OF_A_RULE {
                return Err(GroundError::Disjunctions { rule: index });
            }
            let mut reader = ClauseReader {
                game,
                program: self,
                substitution,
                numbers: FxHashMap::default(),
                names: Vec::new(),
            };
            match reader.read(rule, body, index) {
                Ok(clause) if !clause.is_safe() => return Err(GroundError::Unsafe { rule: index }),
                Ok(clause) => self.clauses.push(clause),
                Err(Bare(variable, kind)) => {
                    let choices = if kind == BareKind::Fluent { makers.fluents() } else { makers.moves() };
                    let given = reader.substitution;
                    pending.extend(choices.iter().map(|&choice| {
                        let mut substitution = given.clone();
                        substitution.insert(variable, choice);
                        substitution
                    }));
                }
            }
        }
        Ok(())
    }

    /// Says of every fluent or move that the rules can make that it is one as a whole term, where that is asked.
    fn define_wholes(&mut self, makers: &Makers<'_>) {
        for mode in [Mode::Plain, Mode::Next, Mode::Does, Mode::Legal] {
            let Some(whole) = self.predicates.get_index_of(&Predicate::Whole(mode)) else { continue };
            let whole = PredicateId::new(whole);
            let is_move = matches!(mode, Mode::Does | Mode::Legal);
            let asks = |clause: &&Clause| {
                let mut atoms = clause.body.positive.iter().chain(&clause.body.negative);
                atoms.any(|atom| atom.predicate == whole)
            };
            let Some((rule, name)) =
                self.clauses.iter().find(asks).and_then(|it| Some((it.rule, *it.variables.first()?)))
            else {
                continue;
            };
            for &(functor, arity) in if is_move { makers.moves() } else { makers.fluents() } {
                let role = usize::from(is_move);
                let columns: Box<[Pattern]> = (0..arity + role).map(Pattern::Variable).collect();
                let term = Pattern::Function(functor, columns[role..].into());
                let kind =
                    if is_move { Predicate::Move(functor, arity) } else { Predicate::Fluent(functor, arity) };
                let predicate = self.predicate(kind, arity + role);
                let head = columns[..role].iter().cloned().chain([term]).collect();
                self.clauses.push(Clause {
                    head: PatternAtom { predicate: whole, mode: Mode::Plain, columns: head },
                    body: Body {
                        positive: vec![PatternAtom { predicate, mode, columns }],
                        ..Body::default()
                    },
                    conditions: Vec::new(),
                    variables: vec![name; arity + role],
                    rule,
                });
            }
        }
    }

    /// The number of a predicate, which is added if it is new.
    pub(crate) fn predicate(&mut self, predicate: Predicate, arity: usize) -> PredicateId {
        let (index, is_new) = self.predicates.insert_full(predicate);
        if is_new {
            self.arities.push(arity);
            self.dynamic.push(true);
        }
        PredicateId::new(index)
    }

    /// A new predicate for a part of some body.
    pub(crate) fn part(&mut self, arity: usize) -> PredicateId {
        let count = self.predicates.iter().filter(|it| matches!(it, Predicate::Auxiliary(_))).count();
        self.predicate(Predicate::Auxiliary(index32(count, "predicates")), arity)
    }

    /// A new predicate for a part of some body that neither the state nor the moves decide.
    pub(crate) fn static_part(&mut self, arity: usize) -> PredicateId {
        let predicate = self.part(arity);
        self.dynamic[predicate.index()] = false;
        predicate
    }

    /// A new predicate for what some variables may be.
    pub(crate) fn domain(&mut self, arity: usize) -> PredicateId {
        let count = self.predicates.iter().filter(|it| matches!(it, Predicate::Domain(_))).count();
        let predicate = self.predicate(Predicate::Domain(index32(count, "predicates")), arity);
        self.dynamic[predicate.index()] = false;
        predicate
    }

    /// Finds out which predicates depend on the state or the moves. `goal`, `terminal` and `sees` count as if they did:
    /// a ground game keeps them.
    pub(crate) fn find_dynamic(&mut self) {
        let constants = &self.constants;
        let kept = [RelationId::GOAL, RelationId::TERMINAL, RelationId::SEES];
        let given = self.predicates.iter().enumerate().map(|(index, predicate)| match predicate {
            Predicate::Relation(relation) => kept.contains(relation),
            Predicate::Fluent(..) => !constants.iter().any(|constant| constant.index() == index),
            Predicate::Move(..) => true,
            _ => false,
        });
        self.dynamic = given.collect();
        let reads = |clause: &Clause, dynamic: &[bool]| {
            let mut atoms = clause.body.positive.iter().chain(&clause.body.negative);
            clause.head.mode != Mode::Init && atoms.any(|atom| dynamic[atom.predicate.index()])
        };
        loop {
            let mut changed = false;
            for clause in &self.clauses {
                let head = clause.head.predicate.index();
                let is_domain = matches!(self.predicates[head], Predicate::Domain(_));
                if !self.dynamic[head] && !is_domain && reads(clause, &self.dynamic) {
                    self.dynamic[head] = true;
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// A program of the same predicates, to try clauses out.
    pub(crate) fn without_clauses(&self) -> Program {
        Program {
            predicates: self.predicates.clone(),
            arities: self.arities.clone(),
            dynamic: self.dynamic.clone(),
            clauses: Vec::new(),
            constants: self.constants.clone(),
        }
    }

    /// The program with all conditions back in the bodies.
    pub(crate) fn whole(&self) -> Program {
        Program { clauses: self.clauses.iter().map(Clause::whole).collect(), ..self.clone() }
    }

    /// Whether a clause is applied together with what the state or the moves decide.
    pub(crate) fn is_late(&self, clause: &Clause) -> bool {
        let is_domain = matches!(self.predicates[clause.head.predicate.index()], Predicate::Domain(_));
        is_domain || self.is_dynamic(&clause.head)
    }

    /// Whether an atom depends on the state or the moves.
    pub(crate) fn is_dynamic(&self, atom: &PatternAtom) -> bool {
        self.dynamic[atom.predicate.index()] && atom.mode != Mode::Init
    }
}

/// `base` and `input` are never trusted: what they would say is computed. Where a body asks for them they are relations
/// like others.
fn is_wanted(game: &Game, rule: &Rule) -> bool {
    match rule.head.relation {
        relation @ (RelationId::BASE | RelationId::INPUT) => game.relation(relation).used.is_some(),
        _ => true,
    }
}

/// Whether a rule would make later steps recurse too deep: joins go as deep as a body has literals, matching as deep
/// as functions nest around a variable.
fn is_unwieldy(game: &Game, rule: &Rule) -> bool {
    const MOST_LITERALS: usize = 1_000;
    const MOST_NESTING: u32 = 200;
    let deep = |&term: &TermId| !game.terms().is_ground(term) && game.terms().depth(term) > MOST_NESTING;
    rule.literals().count() > MOST_LITERALS
        || rule.head.arguments.iter().any(deep)
        || rule.literals().any(|literal| literal.terms().iter().any(deep))
}

/// A variable that stands for a whole fluent or move.
struct Bare(Symbol, BareKind);

#[derive(Clone, Copy, PartialEq, Eq)]
enum BareKind {
    Fluent,
    Move,
}

/// Variables that stand for a function applied to fresh variables.
type Substitution = FxHashMap<Symbol, (Symbol, usize)>;

struct ClauseReader<'a> {
    game: &'a Game,
    program: &'a mut Program,
    substitution: Substitution,
    /// The number of each variable; a fresh one has its place among the arguments beside the name.
    numbers: FxHashMap<(Symbol, usize), usize>,
    names: Vec<Symbol>,
}

impl ClauseReader<'_> {
    fn read(&mut self, rule: &Rule, body: &[&Literal], index: usize) -> Result<Clause, Bare> {
        let mut parts = Body::default();
        let taken_apart = rule.head.arguments.last().and_then(|&term| self.game.terms().variable(term));
        for literal in body {
            match (&literal.test, literal.positive) {
                (Test::Atom(atom), true) => parts.positive.push(self.asked(atom, taken_apart)?),
                (Test::Atom(atom), false) => parts.negative.push(self.asked(atom, None)?),
                (Test::Equal([left, right]), equal) => {
                    let (left, right) = (self.pattern(*left), self.pattern(*right));
                    parts.tests.push(Comparison { left, right, equal });
                }
            }
        }
        let head = self.atom(&rule.head)?;
        Ok(Clause {
            head,
            body: parts,
            conditions: Vec::new(),
            variables: std::mem::take(&mut self.names),
            rule: index,
        })
    }

    /// An atom of a body. A variable that stands for a whole fluent or move is taken apart only if the head needs that:
    /// under a negation it may also stand for a term that is none, of which the negation holds, and beside other literals
    /// one literal is better than one for every name.
    fn asked(&mut self, atom: &Atom, taken_apart: Option<Symbol>) -> Result<PatternAtom, Bare> {
        let mode = match atom.relation {
            RelationId::TRUE => Mode::Plain,
            RelationId::NEXT => Mode::Next,
            RelationId::DOES => Mode::Does,
            RelationId::LEGAL => Mode::Legal,
            _ => return self.atom(atom),
        };
        let term = atom.arguments[atom.arguments.len() - 1];
        match self.game.terms().variable(term) {
            Some(variable) if taken_apart != Some(variable) && !self.substitution.contains_key(&variable) => {
                let columns: Box<[Pattern]> =
                    atom.arguments.iter().map(|&argument| self.pattern(argument)).collect();
                let predicate = self.program.predicate(Predicate::Whole(mode), columns.len());
                Ok(PatternAtom { predicate, mode: Mode::Plain, columns })
            }
            _ => self.atom(atom),
        }
    }

    fn atom(&mut self, atom: &Atom) -> Result<PatternAtom, Bare> {
        let (mode, kind) = match atom.relation {
            RelationId::INIT => (Mode::Init, Some(BareKind::Fluent)),
            RelationId::NEXT => (Mode::Next, Some(BareKind::Fluent)),
            RelationId::TRUE => (Mode::Plain, Some(BareKind::Fluent)),
            RelationId::LEGAL => (Mode::Legal, Some(BareKind::Move)),
            RelationId::DOES => (Mode::Does, Some(BareKind::Move)),
            _ => (Mode::Plain, None),
        };
        let Some(kind) = kind else {
            let columns: Box<[Pattern]> =
                atom.arguments.iter().map(|&argument| self.pattern(argument)).collect();
            let predicate = self.program.predicate(Predicate::Relation(atom.relation), columns.len());
            return Ok(PatternAtom { predicate, mode, columns });
        };
        let term = atom.arguments[atom.arguments.len() - 1];
        let role = (kind == BareKind::Move).then(|| self.pattern(atom.arguments[0]));
        let (functor, inner) = self.taken_apart(term, kind)?;
        let predicate = match kind {
            BareKind::Fluent => Predicate::Fluent(functor.0, functor.1),
            BareKind::Move => Predicate::Move(functor.0, functor.1),
        };
        let columns: Box<[Pattern]> = role.into_iter().chain(inner).collect();
        Ok(PatternAtom { predicate: self.program.predicate(predicate, columns.len()), mode, columns })
    }

    fn taken_apart(&mut self, term: TermId, kind: BareKind) -> Result<((Symbol, usize), Vec<Pattern>), Bare> {
        let game = self.game;
        match game.terms().get(term) {
            Term::Constant(name) => Ok(((*name, 0), Vec::new())),
            Term::Function(name, arguments) => Ok((
                (*name, arguments.len()),
                arguments.iter().map(|&argument| self.pattern(argument)).collect(),
            )),
            Term::Variable(variable) => match self.substitution.get(variable).copied() {
                None => Err(Bare(*variable, kind)),
                Some((name, arity)) => {
                    let fresh =
                        (1..=arity).map(|place| Pattern::Variable(self.number(*variable, place))).collect();
                    Ok(((name, arity), fresh))
                }
            },
        }
    }

    fn number(&mut self, variable: Symbol, place: usize) -> usize {
        *self.numbers.entry((variable, place)).or_insert_with(|| {
            self.names.push(variable);
            self.names.len() - 1
        })
    }

    /// Recursion is as deep as functions nest around a variable, which [`is_unwieldy`] bounds.
    fn pattern(&mut self, term: TermId) -> Pattern {
        let game = self.game;
        if game.terms().is_ground(term) {
            return Pattern::Ground(term);
        }
        match game.terms().get(term) {
            Term::Constant(_) => Pattern::Ground(term),
            Term::Variable(variable) => match self.substitution.get(variable).copied() {
                None => Pattern::Variable(self.number(*variable, 0)),
                // The name was found as a constant of the rules.
                Some((name, 0)) => game
                    .terms()
                    .find(&Term::Constant(name))
                    .map_or_else(|| Pattern::Function(name, Box::default()), Pattern::Ground),
                Some((name, arity)) => {
                    let fresh = (1..=arity).map(|place| Pattern::Variable(self.number(*variable, place)));
                    Pattern::Function(name, fresh.collect())
                }
            },
            Term::Function(name, arguments) => {
                Pattern::Function(*name, arguments.iter().map(|&argument| self.pattern(argument)).collect())
            }
        }
    }
}
