//! What a description looks like in numbers.

use serde::Serialize;

use crate::dependency::Dependencies;
use crate::game::{Formula, Game, RelationId, Rule};
use crate::roles::Roles;
use crate::span::Span;

/// Counts that tell what kind of game a description is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Figures {
    /// The roles given by facts, in the order of the text.
    pub roles: Vec<String>,
    /// Whether rules give further roles, which only evaluation finds.
    pub roles_by_rule: bool,
    /// Rules and facts together.
    pub rules: usize,
    /// Those without a condition.
    pub facts: usize,
    /// Relations that the description defines or uses, keywords apart.
    pub relations: usize,
    /// Those that do not depend on the state or on moves.
    pub static_relations: usize,
    /// Those that do.
    pub dynamic_relations: usize,
    /// The number of literals in the largest rule.
    pub largest_rule: usize,
    /// Where the largest rule stands.
    pub largest_rule_span: Option<Span>,
    /// Groups of relations that depend on each other.
    pub recursion_groups: usize,
    /// Negated literals, `distinct` apart.
    pub negations: usize,
    /// Uses of `or`.
    pub disjunctions: usize,
    /// How deep terms nest.
    pub deepest_term: u32,
    /// Different fluents by name and arity.
    pub fluents: usize,
    /// Different moves by name and arity.
    pub moves: usize,
    /// Whether `base` is given.
    pub base_given: bool,
    /// Whether `input` is given.
    pub input_given: bool,
    /// Whether the description hides information: it has a rule for `sees`.
    pub imperfect_information: bool,
    /// Whether one of the roles is `random`.
    pub random_role: bool,
}

impl Figures {
    /// Counts a game.
    pub fn of(game: &Game, dependencies: &Dependencies) -> Self {
        let own = || game.relations().filter(|(id, _)| id.keyword().is_none());
        let dynamic_relations = own().filter(|&(id, _)| dependencies.is_dynamic(id)).count();
        let largest =
            game.rules().iter().map(|rule| (rule.literals().count(), rule)).max_by_key(|&(size, _)| size);
        let defined = |id: RelationId| game.relation(id).defined.is_some();
        let roles = Roles::of(game);
        Figures {
            rules: game.rules().len(),
            facts: game.rules().iter().filter(|rule| rule.is_fact()).count(),
            relations: own().count(),
            static_relations: own().count() - dynamic_relations,
            dynamic_relations,
            largest_rule: largest.map_or(0, |(size, _)| size),
            largest_rule_span: largest.map(|(_, rule)| game.span(rule.node)),
            recursion_groups: dependencies.recursion_groups(),
            negations: game.rules().iter().map(negations).sum(),
            disjunctions: game.rules().iter().flat_map(|rule| &rule.body).map(disjunctions).sum(),
            deepest_term: deepest_term(game),
            fluents: functors(game, &[RelationId::INIT, RelationId::NEXT], 0),
            moves: functors(game, &[RelationId::LEGAL], 1),
            base_given: defined(RelationId::BASE),
            input_given: defined(RelationId::INPUT),
            imperfect_information: defined(RelationId::SEES),
            random_role: roles.nature().is_some(),
            roles_by_rule: game.rules_of(RelationId::ROLE).any(|(_, rule)| !rule.is_fact()),
            roles: roles.into(),
        }
    }
}

fn negations(rule: &Rule) -> usize {
    rule.literals().filter(|literal| literal.atom().is_some() && !literal.positive).count()
}

fn disjunctions(part: &Formula) -> usize {
    match part {
        Formula::Literal(_) => 0,
        Formula::And(parts) => parts.iter().map(disjunctions).sum(),
        Formula::Or(parts) => 1 + parts.iter().map(disjunctions).sum::<usize>(),
    }
}

fn deepest_term(game: &Game) -> u32 {
    let arguments = game.rules().iter().flat_map(|rule| {
        let body = rule.literals().flat_map(|literal| literal.terms().to_vec());
        rule.head.arguments.iter().copied().chain(body).collect::<Vec<_>>()
    });
    arguments.map(|argument| game.terms().depth(argument)).max().unwrap_or(0)
}

fn functors(game: &Game, relations: &[RelationId], argument: usize) -> usize {
    let heads = game.rules().iter().filter(|rule| relations.contains(&rule.head.relation));
    let functors = heads.filter_map(|rule| game.terms().functor(rule.head.arguments[argument]));
    functors.collect::<rustc_hash::FxHashSet<_>>().len()
}
