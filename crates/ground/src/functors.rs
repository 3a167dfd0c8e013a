//! The fluents and moves that a variable can stand for. `(legal ?r ?m) <- (candidate ?r ?m)` allows every move that the
//! rules for `candidate` derive. A dataflow analysis propagates the functors of each argument of each relation through
//! the rules to a fixpoint. Terms nested inside other terms are merged into one set, because a superset suffices.

use std::cell::OnceCell;

use groundrules_gdl::Game;
use groundrules_gdl::game::{Atom, RelationId, Rule};
use groundrules_gdl::symbol::Symbol;
use groundrules_gdl::term::{Term, TermId};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// Names with their numbers of arguments.
pub(crate) type Functors = IndexSet<(Symbol, usize), FxBuildHasher>;

/// The names that can stand in the arguments of relations.
#[derive(Default)]
struct Flow {
    arguments: FxHashMap<(RelationId, usize), Functors>,
    nested: Functors,
}

/// The fluents and the moves that the rules can make; found when first asked for, since few games need to know.
pub(crate) struct Makers<'g> {
    game: &'g Game,
    found: OnceCell<Found>,
}

struct Found {
    fluents: Functors,
    moves: Functors,
}

impl<'g> Makers<'g> {
    pub(crate) fn of(game: &'g Game) -> Self {
        Makers { game, found: OnceCell::new() }
    }

    pub(crate) fn fluents(&self) -> &Functors {
        &self.found().fluents
    }

    pub(crate) fn moves(&self) -> &Functors {
        &self.found().moves
    }

    fn found(&self) -> &Found {
        self.found.get_or_init(|| {
            let mut flow = Flow::default();
            while flow.pass(self.game) {}
            let mut taken =
                |relation, argument| flow.arguments.remove(&(relation, argument)).unwrap_or_default();
            Found { fluents: taken(RelationId::TRUE, 0), moves: taken(RelationId::DOES, 1) }
        })
    }
}

/// The argument that an argument of a head fills: what `next` and `init` make, `true` reads; what is `legal`, `does` reads.
fn read_as(relation: RelationId) -> RelationId {
    match relation {
        RelationId::INIT | RelationId::NEXT => RelationId::TRUE,
        RelationId::LEGAL => RelationId::DOES,
        other => other,
    }
}

impl Flow {
    /// Follows every rule once; says whether anything was new.
    fn pass(&mut self, game: &Game) -> bool {
        let mut grown = false;
        for rule in game.rules() {
            let relation = read_as(rule.head.relation);
            for (index, &term) in rule.head.arguments.iter().enumerate() {
                let (top, inner) = self.of_term(game, rule, term);
                let argument = self.arguments.entry((relation, index)).or_default();
                grown |= top.into_iter().fold(false, |grown, functor| argument.insert(functor) | grown);
                grown |= inner.into_iter().fold(false, |grown, functor| self.nested.insert(functor) | grown);
            }
        }
        grown
    }

    /// The names that can stand at the top of a head's term, and those that can stand inside it.
    fn of_term(&self, game: &Game, rule: &Rule, term: TermId) -> (Functors, Functors) {
        let (mut top, mut inner) = (Functors::default(), Functors::default());
        let mut stack = vec![(term, true)];
        while let Some((term, is_top)) = stack.pop() {
            let target = if is_top { &mut top } else { &mut inner };
            match game.terms().get(term) {
                Term::Variable(variable) => target.extend(self.of_variable(game, rule, *variable)),
                _ => target.extend(game.terms().functor(term)),
            }
            stack.extend(game.terms().arguments(term).iter().map(|&argument| (argument, false)));
        }
        (top, inner)
    }

    /// The names that a variable can stand for, by the argument that allows the fewest in each literal.
    fn of_variable(&self, game: &Game, rule: &Rule, variable: Symbol) -> Functors {
        let none = Functors::default();
        let of_atom = |atom: &Atom| {
            let mut best: Option<&Functors> = None;
            for (index, &term) in atom.arguments.iter().enumerate() {
                game.terms().for_each_variable(term, |found, depth| {
                    if found == variable {
                        let here = self.arguments.get(&(read_as(atom.relation), index)).unwrap_or(&none);
                        let here = if depth == 0 { here } else { &self.nested };
                        best = Some(best.filter(|best| best.len() <= here.len()).unwrap_or(here));
                    }
                });
            }
            best.cloned()
        };
        // Inside a disjunction a literal need not hold, so all of them count together.
        let sets: Vec<Functors> =
            rule.literals().filter_map(|literal| literal.positive_atom()).filter_map(of_atom).collect();
        sets.into_iter().flatten().collect()
    }
}
