//! Terms with variables, as the rules hold them, and what the variables stand for. A pattern is the list of
//! its names, variables and ground parts in the order of the text, so that matching and building are loops,
//! not recursions.

use groundrules_gdl::Game;
use groundrules_gdl::symbol::Symbol;
use groundrules_gdl::term::{Term, TermId};

use crate::ground::{Ground, GroundTerms};

/// One piece of a pattern.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Piece {
    /// A part without variables.
    Ground(Ground),
    /// A variable of the rule, by its number.
    Variable(usize),
    /// A function that holds a variable; its arguments follow.
    Function(Symbol, usize),
}

/// A term of a rule.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    pieces: Box<[Piece]>,
    /// The arguments of the outermost function that are no functions with variables themselves, with their
    /// places.
    inside: Box<[(usize, Piece)]>,
}

/// The variables of one rule: the number of each is its index here.
#[derive(Clone, Debug, Default)]
pub(crate) struct Variables(Vec<Symbol>);

impl Variables {
    fn number(&mut self, name: Symbol) -> usize {
        let known = self.0.iter().position(|&other| other == name);
        known.unwrap_or_else(|| {
            self.0.push(name);
            self.0.len() - 1
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

impl Pattern {
    /// Takes over a term of the game.
    pub(crate) fn of(game: &Game, term: TermId, terms: &mut GroundTerms, variables: &mut Variables) -> Self {
        let piece =
            |id: TermId, terms: &mut GroundTerms, variables: &mut Variables| match game.terms().get(id) {
                _ if game.terms().is_ground(id) => Piece::Ground(ground(game, id, terms)),
                Term::Variable(name) => Piece::Variable(variables.number(*name)),
                Term::Constant(name) => Piece::Function(*name, 0),
                Term::Function(name, arguments) => Piece::Function(*name, arguments.len()),
            };
        let mut pieces = Vec::new();
        let mut stack = vec![term];
        while let Some(id) = stack.pop() {
            let next = piece(id, terms, variables);
            pieces.push(next);
            if let Piece::Function(..) = next {
                stack.extend(game.terms().arguments(id).iter().rev());
            }
        }
        let arguments = game.terms().arguments(term).iter().enumerate();
        let inside = arguments.map(|(place, &id)| (place, piece(id, terms, variables)));
        let inside = inside.filter(|(_, piece)| !matches!(piece, Piece::Function(..))).collect();
        Pattern { pieces: pieces.into(), inside }
    }

    /// The first piece.
    pub(crate) fn head(&self) -> Option<Piece> {
        self.pieces.first().copied()
    }

    /// The plain arguments of the outermost function, with their places.
    pub(crate) fn inside(&self) -> &[(usize, Piece)] {
        &self.inside
    }

    /// The variables, with repetitions.
    pub(crate) fn variables(&self) -> impl Iterator<Item = usize> + '_ {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Variable(number) => Some(*number),
            _ => None,
        })
    }

    /// Makes the pattern equal to a term by binding variables; says whether that is possible. Where it is
    /// not, some variables may have been bound all the same: the caller takes them back.
    pub(crate) fn matches(&self, term: Ground, terms: &GroundTerms, bindings: &mut Bindings) -> bool {
        let mut pieces = self.pieces.iter();
        let mut waiting = std::mem::take(&mut bindings.waiting);
        waiting.clear();
        waiting.push(term);
        let fits = loop {
            let (Some(term), Some(piece)) = (waiting.pop(), pieces.next()) else { break true };
            let fits = match *piece {
                Piece::Ground(part) => part == term,
                Piece::Variable(number) => bindings.bind(number, term),
                Piece::Function(name, arity) => {
                    let (other, arguments) = terms.parts(term);
                    waiting.extend(arguments.iter().rev());
                    name == other && arity == arguments.len()
                }
            };
            if !fits {
                break false;
            }
        };
        bindings.waiting = waiting;
        fits
    }

    /// The term that the pattern stands for. `make` gives a function applied to arguments; none if it gives
    /// none, or if a variable is not bound.
    pub(crate) fn build(
        &self,
        bindings: &mut Bindings,
        mut make: impl FnMut(Symbol, &[Ground]) -> Option<Ground>,
    ) -> Option<Ground> {
        if let [Piece::Ground(term)] = *self.pieces {
            return Some(term);
        }
        let mut made = std::mem::take(&mut bindings.waiting);
        made.clear();
        // From the back, so that the arguments of a function are there when it comes.
        for piece in self.pieces.iter().rev() {
            let term = match *piece {
                Piece::Ground(part) => Some(part),
                Piece::Variable(number) => bindings.get(number),
                Piece::Function(name, arity) => {
                    let from = made.len().checked_sub(arity).expect("arguments come before their function");
                    made[from..].reverse();
                    let term = make(name, &made[from..]);
                    made.truncate(from);
                    term
                }
            };
            let Some(term) = term else {
                made.clear();
                break;
            };
            made.push(term);
        }
        let term = made.pop();
        bindings.waiting = made;
        term
    }
}

/// Copies a ground term of the game.
pub(crate) fn ground(game: &Game, term: TermId, terms: &mut GroundTerms) -> Ground {
    // The subterms, outer before inner and left before right; taken from the back, arguments come first.
    let mut order = Vec::new();
    let mut stack = vec![term];
    while let Some(id) = stack.pop() {
        order.push(id);
        stack.extend(game.terms().arguments(id).iter().rev());
    }
    let mut made: Vec<Ground> = Vec::new();
    for id in order.into_iter().rev() {
        let (Term::Constant(name) | Term::Variable(name) | Term::Function(name, _)) = game.terms().get(id);
        let arity = game.terms().arguments(id).len();
        let from = made.len().checked_sub(arity).expect("arguments come before their function");
        made[from..].reverse();
        let term = terms.intern(*name, &made[from..], game.symbols());
        made.truncate(from);
        made.push(term);
    }
    made[0]
}

/// What the variables of a rule stand for, with the order in which they were bound.
#[derive(Debug, Default)]
pub(crate) struct Bindings {
    values: Vec<Option<Ground>>,
    bound: Vec<usize>,
    /// The scratch of [`Pattern::matches`] and [`Pattern::build`].
    waiting: Vec<Ground>,
}

impl Bindings {
    /// So many variables, none of them bound.
    pub(crate) fn new(variables: usize) -> Self {
        Bindings { values: vec![None; variables], ..Bindings::default() }
    }

    pub(crate) fn get(&self, variable: usize) -> Option<Ground> {
        self.values[variable]
    }

    pub(crate) fn all_bound(&self, variables: &[usize]) -> bool {
        variables.iter().all(|&variable| self.values[variable].is_some())
    }

    /// Binds a variable; a bound one must have this value already.
    fn bind(&mut self, variable: usize, value: Ground) -> bool {
        if let Some(bound) = self.values[variable] {
            return bound == value;
        }
        self.values[variable] = Some(value);
        self.bound.push(variable);
        true
    }

    /// A mark to come back to.
    pub(crate) fn mark(&self) -> usize {
        self.bound.len()
    }

    /// Takes back what was bound since the mark.
    pub(crate) fn undo(&mut self, mark: usize) {
        self.bound.drain(mark..).for_each(|variable| self.values[variable] = None);
    }
}
