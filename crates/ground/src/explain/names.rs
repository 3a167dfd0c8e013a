//! Names that no rule makes, and what was probably meant by them.

use groundrules_gdl::Game;
use groundrules_gdl::game::RelationId;
use groundrules_gdl::nearest::nearest;
use groundrules_gdl::symbol::{Symbol, Symbols};

use super::answer::{Hint, ImpossibleAtom};
use super::question::Question;
use crate::functors::Makers;

/// The names that the rules of a game make.
pub(super) struct Names<'a> {
    pub(super) game: &'a Game,
    pub(super) makers: &'a Makers<'a>,
    /// The names of the game and of the question.
    pub(super) symbols: &'a Symbols,
}

impl Names<'_> {
    /// What there is to say about the name of a relation, or of its fluent or move, if no rule makes it with so many
    /// arguments.
    pub(super) fn unknown(&self, relation: RelationId, name: Symbol, arity: usize) -> Option<Hint> {
        let candidates = self.candidates(relation);
        if candidates.contains(&(name, arity)) {
            return None;
        }
        let spelled = self.symbols.spelling(name).to_string();
        if let Some(&(_, arity)) = candidates.iter().find(|(other, _)| *other == name) {
            return Some(Hint::Arity { name: spelled, arity });
        }
        let names = candidates.iter().map(|&(other, _)| self.symbols.folded(other));
        let found = nearest(self.symbols.folded(name), names).and_then(|it| self.symbols.find(it));
        let nearest = found.map(|it| self.symbols.spelling(it).to_string());
        Some(Hint::Unknown { name: spelled, nearest })
    }

    /// The names, with their numbers of arguments, that rules give to what a relation is about.
    fn candidates(&self, relation: RelationId) -> Vec<(Symbol, usize)> {
        match relation {
            RelationId::TRUE | RelationId::NEXT | RelationId::INIT => {
                self.makers.fluents().iter().copied().collect()
            }
            RelationId::DOES | RelationId::LEGAL => self.makers.moves().iter().copied().collect(),
            _ => {
                let relations = self.game.relations().filter(|(_, relation)| relation.defined.is_some());
                relations.map(|(_, relation)| (relation.name, relation.arity)).collect()
            }
        }
    }

    /// The answer for an atom whose relation stands nowhere in the description.
    pub(super) fn unknown_atom(&self, question: &Question) -> ImpossibleAtom {
        let atom = question.text();
        let functor = (question.name, question.arguments.len());
        let hint = if self.makers.fluents().contains(&functor) {
            Some(Hint::AskInstead { atom: format!("(true {atom})") })
        } else if self.makers.moves().contains(&functor) {
            let role = self.game.roles().first().map(|role| self.game.kif(role).to_string());
            Some(Hint::AskInstead { atom: format!("(legal {} {atom})", role.unwrap_or_default()) })
        } else {
            // Any relation that is about itself.
            self.unknown(RelationId::ROLE, functor.0, functor.1)
        };
        ImpossibleAtom { atom, failures: Vec::new(), more: 0, hint }
    }
}
