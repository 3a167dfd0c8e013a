//! The greatest nesting depth of every argument, as a least fixpoint. A variable is as deep as the shallowest place that
//! binds it allows (the deepest, across the alternatives of an `or`); in a head it comes out deeper by the functions
//! around it there. If the depths settle, terms cannot grow without end; if one passes what any settled system could
//! reach, a cycle grows, and that cycle is the reason given. Negated literals and the values of constants are not looked
//! at, so "settles" is certain and "grows" is not: some description that would never really grow is not bounded here.

use std::collections::VecDeque;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::{NOT_BOUNDED, Position, places};
use crate::components::Graph;
use crate::diagnostic::Diagnostic;
use crate::game::{Formula, Game};
use crate::limits::{Budget, Exhausted};
use crate::span::Span;
use crate::symbol::Symbol;

/// Looks for an argument that grows without end, and explains it.
pub(super) fn growing_cycle(game: &Game, budget: &mut Budget) -> Result<Option<Diagnostic>, Exhausted> {
    let system = System::of(game);
    if system.constraints.iter().all(|constraint| constraint.depth == 0) {
        // No head puts a function around a variable.
        return Ok(None);
    }
    if system.no_cycle_grows() {
        return Ok(None);
    }
    Ok(system.solve(budget)?.map(|cycle| system.explain(game, &cycle)))
}

type PositionId = usize;

/// How deep the values of a variable can be, in terms of the positions that bind it.
#[derive(Clone, Debug)]
enum Bound {
    /// The variable stands so deep in the terms of a position.
    At(PositionId, u32),
    /// All of these bind it.
    Least(Vec<Bound>),
    /// One of these binds it.
    Greatest(Vec<Bound>),
}

/// A variable of a head: its position is at least `depth` deeper than the variable's values.
#[derive(Clone, Debug)]
struct Constraint {
    head: PositionId,
    depth: u32,
    bound: Bound,
    /// How many positions the bound looks at.
    size: u64,
    /// The rule and the variable; none for the links between a whole fluent and its arguments.
    origin: Option<(usize, Symbol)>,
}

struct System {
    positions: IndexSet<Position, FxBuildHasher>,
    floors: Vec<u32>,
    constraints: Vec<Constraint>,
}

/// One turn of a cycle that grows: the constraint and the position it took its value from.
struct Turn {
    constraint: usize,
    from: PositionId,
}

impl System {
    fn of(game: &Game) -> Self {
        let mut system =
            System { positions: IndexSet::default(), floors: Vec::new(), constraints: Vec::new() };
        for (index, rule) in game.rules().iter().enumerate() {
            let mut occurrences = Vec::new();
            for (position, term) in places(game, &rule.head) {
                let position = system.position(position);
                system.floors[position] = system.floors[position].max(game.terms().depth(term));
                game.terms()
                    .for_each_variable(term, |variable, depth| occurrences.push((position, variable, depth)));
            }
            if occurrences.is_empty() {
                continue;
            }
            let bounds = system.conjunction_bounds(game, &rule.body);
            let mut counts: FxHashMap<Symbol, u64> = FxHashMap::default();
            occurrences.iter().for_each(|&(_, variable, _)| *counts.entry(variable).or_default() += 1);
            for (head, variable, depth) in occurrences {
                // A variable that nothing binds is unsafe, and an error of its own.
                let Some(bound) = bounds.get(&variable) else { continue };
                let bound = system.shared(bound, counts[&variable], index, variable);
                system.constrain(head, depth, bound, Some((index, variable)));
            }
        }
        system.link_whole_terms();
        system
    }

    fn position(&mut self, position: Position) -> PositionId {
        let (id, new) = self.positions.insert_full(position);
        if new {
            self.floors.push(0);
        }
        id
    }

    /// The bound of a variable, or, where it is large and used often, a position that stands for it: a rule may repeat
    /// a variable thousands of times on both sides.
    fn shared(&mut self, bound: &Bound, uses: u64, rule: usize, variable: Symbol) -> Bound {
        const LARGE: u64 = 64;
        if bound.size() * uses <= LARGE {
            return bound.clone();
        }
        let before = self.positions.len();
        let value = self.position(Position::Variable(rule, variable));
        if value == before {
            self.constrain(value, 0, bound.clone(), None);
        }
        Bound::At(value, 0)
    }

    fn constrain(&mut self, head: PositionId, depth: u32, bound: Bound, origin: Option<(usize, Symbol)>) {
        let size = bound.size();
        self.constraints.push(Constraint { head, depth, bound, size, origin });
    }

    fn conjunction_bounds(&mut self, game: &Game, parts: &[Formula]) -> FxHashMap<Symbol, Bound> {
        let mut bounds: FxHashMap<Symbol, Bound> = FxHashMap::default();
        for part in parts {
            for (variable, bound) in self.bounds(game, part) {
                match bounds.get_mut(&variable) {
                    Some(Bound::Least(all)) => all.push(bound),
                    Some(one) => *one = Bound::Least(vec![one.clone(), bound]),
                    None => drop(bounds.insert(variable, bound)),
                }
            }
        }
        bounds
    }

    fn bounds(&mut self, game: &Game, part: &Formula) -> Vec<(Symbol, Bound)> {
        match part {
            Formula::And(parts) => self.conjunction_bounds(game, parts).into_iter().collect(),
            Formula::Or(alternatives) => {
                let each: Vec<FxHashMap<Symbol, Bound>> = alternatives
                    .iter()
                    .map(|part| self.conjunction_bounds(game, std::slice::from_ref(part)))
                    .collect();
                let Some((first, others)) = each.split_first() else { return Vec::new() };
                let in_all = |variable: &Symbol| {
                    let rest: Option<Vec<Bound>> =
                        others.iter().map(|other| other.get(variable).cloned()).collect();
                    Some(Bound::Greatest([vec![first[variable].clone()], rest?].concat()))
                };
                first.keys().filter_map(|variable| Some((*variable, in_all(variable)?))).collect()
            }
            Formula::Literal(literal) => {
                let mut bounds = Vec::new();
                for (position, term) in
                    literal.positive_atom().map_or_else(Vec::new, |atom| places(game, atom))
                {
                    let position = self.position(position);
                    game.terms().for_each_variable(term, |variable, depth| {
                        bounds.push((variable, Bound::At(position, depth)));
                    });
                }
                bounds
            }
        }
    }

    /// Where a bare variable stands for a whole fluent or move, that place and the arguments of each fluent or move
    /// hold parts of the same terms.
    fn link_whole_terms(&mut self) {
        let all: Vec<Position> = self.positions.iter().copied().collect();
        for whole in [Position::Fluent(None, 0), Position::Move(None, 0)] {
            let Some(whole_id) = self.positions.get_index_of(&whole) else { continue };
            for (id, part) in all.iter().enumerate() {
                let related = match (whole, part) {
                    (Position::Fluent(..), Position::Fluent(functor, _)) => functor.is_some(),
                    (Position::Move(..), Position::Move(functor, _)) => functor.is_some(),
                    _ => false,
                };
                if related {
                    self.constrain(whole_id, 1, Bound::At(id, 0), None);
                    self.constrain(id, 0, Bound::At(whole_id, 1), None);
                }
            }
        }
    }

    /// Whether already the shape shows that depths settle, which it does for nearly every game: taken in the order of
    /// their dependencies, no group of positions that feed each other has to take a value in deeper than it gave it out.
    fn no_cycle_grows(&self) -> bool {
        let (mut edges, mut by_head) = (Vec::new(), vec![Vec::new(); self.positions.len()]);
        for (index, constraint) in self.constraints.iter().enumerate() {
            by_head[constraint.head].push(index);
            constraint.bound.for_each_position(&mut |from| edges.push((constraint.head, from)));
        }
        let graph = Graph::from_edges(self.positions.len(), edges);
        let groups = graph.components();
        for (number, members) in groups.iter().enumerate() {
            let settles = |constraint: &Constraint| {
                constraint.bound.settles(&|from, depth| groups.of(from) < number || constraint.depth <= depth)
            };
            let constraints = members.iter().flat_map(|&member| &by_head[member as usize]);
            if !constraints.into_iter().all(|&index| settles(&self.constraints[index])) {
                return false;
            }
        }
        true
    }

    /// Raises the depths to their least fixpoint, or finds a cycle that never settles.
    fn solve(&self, budget: &mut Budget) -> Result<Option<Vec<Turn>>, Exhausted> {
        let mut users = vec![Vec::new(); self.positions.len()];
        for (index, constraint) in self.constraints.iter().enumerate() {
            constraint.bound.for_each_position(&mut |position| users[position].push(index));
        }
        // A settled depth is reached by a chain that passes each position at most once.
        let growth = u64::from(self.constraints.iter().map(|constraint| constraint.depth).max().unwrap_or(0));
        let floor = u64::from(self.floors.iter().copied().max().unwrap_or(0));
        let ceiling = floor + growth * (self.positions.len() as u64 + 1);
        let mut depths: Vec<u64> = self.floors.iter().copied().map(u64::from).collect();
        let mut raised_by: Vec<Option<Turn>> = self.positions.iter().map(|_| None).collect();
        let mut queue: VecDeque<usize> = (0..self.constraints.len()).collect();
        let mut queued = vec![true; self.constraints.len()];
        while let Some(index) = queue.pop_front() {
            queued[index] = false;
            let constraint = &self.constraints[index];
            budget.spend(constraint.size)?;
            let (value, from) = constraint.bound.value(&depths);
            let depth = value + u64::from(constraint.depth);
            if depth <= depths[constraint.head] {
                continue;
            }
            depths[constraint.head] = depth;
            raised_by[constraint.head] = Some(Turn { constraint: index, from });
            if depth > ceiling {
                return Ok(Some(self.cycle_at(constraint.head, raised_by)));
            }
            for &user in &users[constraint.head] {
                if !std::mem::replace(&mut queued[user], true) {
                    queue.push_back(user);
                }
            }
        }
        Ok(None)
    }

    /// Follows the raising constraints back until a position comes round.
    fn cycle_at(&self, start: PositionId, mut raised_by: Vec<Option<Turn>>) -> Vec<Turn> {
        let mut order = vec![start];
        let mut seen_at = vec![None; self.positions.len()];
        seen_at[start] = Some(0);
        loop {
            let Some(turn) = &raised_by[order[order.len() - 1]] else { return Vec::new() };
            if let Some(first) = seen_at[turn.from] {
                return order[first..].iter().filter_map(|&position| raised_by[position].take()).collect();
            }
            seen_at[turn.from] = Some(order.len());
            order.push(turn.from);
        }
    }

    fn explain(&self, game: &Game, cycle: &[Turn]) -> Diagnostic {
        let steps: Vec<(&Turn, (usize, Symbol))> =
            cycle.iter().filter_map(|turn| Some((turn, self.constraints[turn.constraint].origin?))).collect();
        let growing = steps.iter().find(|(turn, _)| self.constraints[turn.constraint].depth > 0);
        let Some(&(turn, (rule, variable))) = growing.or(steps.first()) else {
            return Diagnostic::new(&NOT_BOUNDED, Span::default(), "terms may grow without end");
        };
        let name = game.symbols().spelling(variable);
        let rule = &game.rules()[rule];
        let place = |node| game.tree().occurrences(node, variable).next().unwrap_or(game.span(node));
        let grown = self.words(game, self.constraints[turn.constraint].head);
        let message = format!("{grown} may grow without end: the general recursion restriction is broken");
        let mut diagnostic = Diagnostic::new(&NOT_BOUNDED, place(rule.head_node), message)
            .here(format!("`{name}` is wrapped in a function here"));
        let source = rule.literals().find(|literal| {
            let atom = literal.positive_atom();
            atom.is_some_and(|atom| {
                places(game, atom).iter().any(|(p, _)| self.positions.get_index_of(p) == Some(turn.from))
            })
        });
        if let Some(literal) = source {
            diagnostic = diagnostic.label(
                place(literal.node),
                format!("`{name}` comes from {} here", self.words(game, turn.from)),
            );
        }
        if steps.len() > 1 {
            let way: Vec<String> = steps.iter().rev().map(|(turn, _)| self.words(game, turn.from)).collect();
            let back = way.first().cloned().unwrap_or_default();
            diagnostic = diagnostic.help(format!("the values go round: {} → {back}", way.join(" → ")));
        }
        diagnostic.help(format!(
            "to bound it, add a positive literal of a finite relation that has `{name}` as an argument"
        ))
    }

    fn words(&self, game: &Game, position: PositionId) -> String {
        let name = |symbol| game.symbols().spelling(symbol).to_owned();
        match self.positions.get_index(position) {
            Some(&Position::Argument(relation, index)) => {
                format!("argument {} of `{}`", index + 1, game.relation_name(relation))
            }
            Some(&Position::Fluent(Some((symbol, _)), index)) => {
                format!("argument {} of the fluent `{}`", index + 1, name(symbol))
            }
            Some(&Position::Move(Some((symbol, _)), index)) => {
                format!("argument {} of the move `{}`", index + 1, name(symbol))
            }
            Some(&Position::Variable(_, symbol)) => format!("the variable `{}`", name(symbol)),
            Some(Position::Fluent(None, _)) => "the fluent".to_owned(),
            Some(Position::Move(None, _)) | None => "the move".to_owned(),
        }
    }
}

impl Bound {
    /// The greatest depth of the variable's values and the position that decides it.
    fn value(&self, depths: &[u64]) -> (u64, PositionId) {
        let by_value = |&(value, _): &(u64, PositionId)| value;
        match self {
            Bound::At(position, depth) => (depths[*position].saturating_sub(u64::from(*depth)), *position),
            Bound::Least(parts) => {
                parts.iter().map(|part| part.value(depths)).min_by_key(by_value).unwrap_or((0, 0))
            }
            Bound::Greatest(parts) => {
                parts.iter().map(|part| part.value(depths)).max_by_key(by_value).unwrap_or((0, 0))
            }
        }
    }

    /// Whether the bound settles when `fine` says of which positions, read at which depth, that they do.
    fn settles(&self, fine: &impl Fn(PositionId, u32) -> bool) -> bool {
        match self {
            Bound::At(position, depth) => fine(*position, *depth),
            Bound::Least(parts) => parts.iter().any(|part| part.settles(fine)),
            Bound::Greatest(parts) => parts.iter().all(|part| part.settles(fine)),
        }
    }

    /// How many positions it looks at.
    fn size(&self) -> u64 {
        let mut size = 0;
        self.for_each_position(&mut |_| size += 1);
        size
    }

    fn for_each_position(&self, visit: &mut impl FnMut(PositionId)) {
        match self {
            Bound::At(position, _) => visit(*position),
            Bound::Least(parts) | Bound::Greatest(parts) => {
                parts.iter().for_each(|part| part.for_each_position(visit));
            }
        }
    }
}
