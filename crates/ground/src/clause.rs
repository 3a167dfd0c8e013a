//! The game's rules as clauses: no disjunction, variables numbered, and every fluent and move a predicate of its own.
//! `(true (cell ?x ?y b))` becomes the predicate `cell` with three columns, which is what makes joins fast. A variable
//! that stands for a whole fluent or move is replaced by each of the fluents or moves that the rules can make.

use groundrules_gdl::Game;
use groundrules_gdl::game::{Atom, Literal, RelationId, Rule, Test};
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
}

/// A term with numbered variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Pattern {
    Ground(TermId),
    Variable(usize),
    Function(Symbol, Box<[Pattern]>),
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

#[derive(Clone, Debug)]
pub(crate) struct PatternAtom {
    pub(crate) predicate: PredicateId,
    pub(crate) mode: Mode,
    pub(crate) columns: Box<[Pattern]>,
}

/// A rule without disjunction.
#[derive(Clone, Debug)]
pub(crate) struct Clause {
    pub(crate) head: PatternAtom,
    pub(crate) positive: Vec<PatternAtom>,
    pub(crate) negative: Vec<PatternAtom>,
    /// Two terms and whether they must be equal.
    pub(crate) tests: Vec<(Pattern, Pattern, bool)>,
    pub(crate) variables: usize,
    /// The rule of the description.
    pub(crate) rule: usize,
}

/// The clauses of a game.
pub(crate) struct Program {
    pub(crate) predicates: IndexSet<Predicate, FxBuildHasher>,
    pub(crate) clauses: Vec<Clause>,
}

/// How many clauses a rule may become; beyond that its disjunctions are to blame.
const MOST_CLAUSES_OF_A_RULE: usize = 10_000;

impl Program {
    pub(crate) fn of(game: &Game) -> Result<Self, GroundError> {
        let mut program = Program { predicates: IndexSet::default(), clauses: Vec::new() };
        let makers = Makers::of(game);
        for (index, rule) in game.rules().iter().enumerate() {
            if is_unwieldy(game, rule) {
                return Err(GroundError::Unwieldy { rule: index });
            }
            for body in
                rule.alternatives(MOST_CLAUSES_OF_A_RULE).ok_or(GroundError::Disjunctions { rule: index })?
            {
                program.add(game, &makers, index, rule, &body)?;
            }
        }
        Ok(program)
    }

    /// Adds a clause, or one for each fluent or move that a bare variable in it can stand for.
    fn add(
        &mut self,
        game: &Game,
        makers: &Makers,
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
            let mut reader =
                ClauseReader { game, program: self, substitution, numbers: FxHashMap::default(), count: 0 };
            match reader.read(rule, body, index) {
                Ok(clause) => self.clauses.push(clause),
                Err(Bare(variable, kind)) => {
                    let choices = if kind == BareKind::Fluent { &makers.fluents } else { &makers.moves };
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

    pub(crate) fn predicate(&mut self, predicate: Predicate) -> PredicateId {
        PredicateId(u32::try_from(self.predicates.insert_full(predicate).0).unwrap_or(u32::MAX))
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
    count: usize,
}

impl ClauseReader<'_> {
    fn read(&mut self, rule: &Rule, body: &[&Literal], index: usize) -> Result<Clause, Bare> {
        let (mut positive, mut negative, mut tests) = (Vec::new(), Vec::new(), Vec::new());
        for literal in body {
            match (&literal.test, literal.positive) {
                (Test::Atom(atom), true) => positive.push(self.atom(atom)?),
                (Test::Atom(atom), false) => negative.push(self.atom(atom)?),
                (Test::Equal([left, right]), equal) => {
                    tests.push((self.pattern(*left), self.pattern(*right), equal));
                }
            }
        }
        let head = self.atom(&rule.head)?;
        Ok(Clause { head, positive, negative, tests, variables: self.count, rule: index })
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
            let columns = atom.arguments.iter().map(|&argument| self.pattern(argument)).collect();
            let predicate = self.program.predicate(Predicate::Relation(atom.relation));
            return Ok(PatternAtom { predicate, mode, columns });
        };
        let term = atom.arguments[atom.arguments.len() - 1];
        let role = (kind == BareKind::Move).then(|| self.pattern(atom.arguments[0]));
        let (functor, inner) = self.taken_apart(term, kind)?;
        let predicate = match kind {
            BareKind::Fluent => Predicate::Fluent(functor.0, functor.1),
            BareKind::Move => Predicate::Move(functor.0, functor.1),
        };
        let columns = role.into_iter().chain(inner).collect();
        Ok(PatternAtom { predicate: self.program.predicate(predicate), mode, columns })
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
            self.count += 1;
            self.count - 1
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
