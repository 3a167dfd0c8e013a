//! Looks an atom up in a ground game: whether it occurs, by which rules, and which similar atoms occur instead.

use groundrules_gdl::Game;
use groundrules_gdl::term::{Term, TermId, Terms};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::answer::{Answer, AskedFor, Hint, Presence, RuleAt};
use super::question::Question;
use super::{MOST_SHOWN, asking_rules};
use crate::ground_game::{AtomId, AtomKind, GroundGame};

/// An atom that can hold in a ground game.
#[derive(Clone, Copy)]
pub(super) struct Found {
    atom: AtomId,
    /// The atom whose rules say when it holds.
    maker: AtomId,
    /// Of a fluent, whether it holds at the beginning.
    at_first: Option<bool>,
}

impl Found {
    /// Looks an atom up. What stands there without ever being made does not count.
    pub(super) fn of(ground: &GroundGame, name: &str, arguments: &[TermId], from: &Terms) -> Option<Found> {
        let carried: Option<Vec<TermId>> =
            arguments.iter().map(|&term| carried(from, term, &ground.terms)).collect();
        let (atom, maker) = locate(ground, name, &carried?)?;
        let at_first = match ground.kind(atom) {
            AtomKind::True(fluent) => Some(ground.init.contains(&fluent)),
            _ => None,
        };
        let found = Found { atom, maker, at_first };
        let is_made = at_first == Some(true) || ground.rules().any(|(head, _)| head == maker);
        is_made.then_some(found)
    }

    /// Whether it holds in every state.
    pub(super) fn is_always(self, ground: &GroundGame) -> bool {
        let is_stated = ground.rules().any(|(head, body)| head == self.maker && body.is_empty());
        let is_choice = matches!(ground.kind(self.atom), AtomKind::Does(_));
        is_stated && self.at_first != Some(false) && !is_choice
    }

    /// How many rules say when it holds, and the first of them.
    pub(super) fn rules(self, ground: &GroundGame) -> (usize, Vec<String>) {
        let rules = || ground.rules().filter(|(head, _)| *head == self.maker);
        let first = rules().take(MOST_SHOWN).map(|(head, body)| ground.rule_kif(head, body));
        (rules().count(), first.collect())
    }

    /// The answer for an atom of a ground game.
    pub(super) fn answer(self, ground: &GroundGame) -> Answer {
        let (rules, first) = self.rules(ground);
        if self.is_always(ground) {
            return Answer::Always { is_kept: true, rule: ground.atom_kif(self.maker) };
        }
        let uses = |body: &[crate::ground_game::GroundLiteral]| body.iter().any(|it| it.atom() == self.atom);
        Answer::Present(Presence {
            written: ground.atom_kif(self.atom),
            rules_of: ground.atom_kif(self.maker),
            rules,
            first,
            used: ground.rules().filter(|(_, body)| uses(body)).count(),
            at_first: self.at_first,
        })
    }
}

/// The atom with a name and arguments, and the one whose rules say when it holds.
fn locate(ground: &GroundGame, name: &str, arguments: &[TermId]) -> Option<(AtomId, AtomId)> {
    let fluent = |term: TermId| ground.fluents.iter().position(|&it| it == term);
    let made = |role: TermId, term: TermId| {
        let role = ground.roles.iter().position(|&it| it == role)?;
        ground.moves.iter().position(|&it| it == (role, term))
    };
    let both = |atom, maker| Some((ground.atom(atom), ground.atom(maker)));
    let derived = || {
        let is_it = |(other, columns): &(String, Box<[TermId]>)| {
            other.eq_ignore_ascii_case(name) && **columns == *arguments
        };
        let kind = AtomKind::Derived(ground.derived.iter().position(is_it)?);
        both(kind, kind)
    };
    match (name.to_ascii_lowercase().as_str(), arguments) {
        ("true", &[term]) => fluent(term).and_then(|it| both(AtomKind::True(it), AtomKind::Next(it))),
        ("next", &[term]) => fluent(term).and_then(|it| both(AtomKind::Next(it), AtomKind::Next(it))),
        ("does", &[role, term]) => {
            made(role, term).and_then(|it| both(AtomKind::Does(it), AtomKind::Legal(it)))
        }
        ("legal", &[role, term]) => match made(role, term) {
            Some(it) => both(AtomKind::Legal(it), AtomKind::Legal(it)),
            // What is legal for somebody who does not play is an atom like others.
            None => derived(),
        },
        _ => derived(),
    }
}

/// The term of another table that is the same.
pub(super) fn carried(from: &Terms, term: TermId, to: &Terms) -> Option<TermId> {
    match from.get(term) {
        Term::Constant(_) | Term::Variable(_) => to.find(from.get(term)),
        // The nesting of a question is not limited.
        Term::Function(name, arguments) => stacker::maybe_grow(64 << 10, 1 << 20, || {
            let arguments: Option<Vec<TermId>> =
                arguments.iter().map(|&argument| carried(from, argument, to)).collect();
            to.find_function(*name, &arguments?)
        }),
    }
}

/// What of the question's relation is in a ground game; `idle` are the arguments that it leaves out.
pub(super) fn asked_for(game: &Game, ground: &GroundGame, question: &Question, idle: &[bool]) -> AskedFor {
    let name = question.name();
    let atoms: Vec<usize> =
        (0..ground.derived.len()).filter(|&it| ground.derived[it].0.eq_ignore_ascii_case(name)).collect();
    let rules = question.atom().map_or(Vec::new(), |atom| asking_rules(game, atom.relation));
    let places = (0..question.arguments.len()).filter(|&place| idle.get(place) != Some(&true));
    let hint = places.enumerate().find_map(|(column, place)| {
        let values = atoms.iter().filter_map(|&atom| ground.derived[atom].1.get(column).copied());
        let values: IndexSet<TermId, FxBuildHasher> = values.collect();
        let asked = carried(&question.terms, question.arguments[place], &ground.terms);
        let is_other = !values.is_empty() && !asked.is_some_and(|asked| values.contains(&asked));
        is_other.then(|| values_hint(name.to_string(), place + 1, values, &|value| ground.term(value)))
    });
    AskedFor {
        atoms: atoms.len(),
        first: { atoms.iter().take(MOST_SHOWN) }
            .map(|&atom| ground.atom_kif(ground.atom(AtomKind::Derived(atom))))
            .collect(),
        hint,
        rules: rules.iter().take(MOST_SHOWN).map(|&rule| RuleAt::of(game, rule)).collect(),
        more: rules.len().saturating_sub(MOST_SHOWN),
    }
}

/// Says which values an argument has.
pub(super) fn values_hint(
    name: String,
    argument: usize,
    values: IndexSet<TermId, FxBuildHasher>,
    text: &dyn Fn(TermId) -> String,
) -> Hint {
    const MOST_VALUES: usize = 8;
    let more = values.len().saturating_sub(MOST_VALUES);
    let only = values.into_iter().take(MOST_VALUES).map(text).collect();
    Hint::Values { name, argument, only, more }
}
