//! The rules of a game as formulas over what is true and what is done, ready to be written into a graph as often as it is
//! needed: with the fluents of one phase known, with the moves that were chosen, or with none.
//!
//! Formulas stand after what they mention, except inside a group that depends on itself, which is unrolled: its least
//! fixpoint is reached after as many rounds as it has members.

use groundrules_ground::GroundGame;
use groundrules_ground::ground_game::AtomKind;

use super::SlicedError;
use super::graph::{Graph, Literal};

/// A formula, wanted or not wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) formula: usize,
    pub(super) positive: bool,
}

/// What a formula says.
#[derive(Clone, Debug)]
pub(super) enum Formula {
    /// A fluent holds.
    True(usize),
    /// A move is made.
    Does(usize),
    /// All hold.
    All(Vec<Term>),
    /// At least one holds.
    Any(Vec<Term>),
}

/// A goal of a role.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    pub(super) role: usize,
    pub(super) value: i32,
    pub(super) formula: Term,
}

/// The rules of a game as formulas.
#[derive(Clone, Debug)]
pub(super) struct Logic {
    pub(super) roles: usize,
    /// Whose each move is.
    pub(super) mover: Vec<usize>,
    /// Which fluents hold at the beginning.
    pub(super) initially: Vec<bool>,
    pub(super) formulas: Vec<Formula>,
    /// For each move; nothing if it is never legal.
    pub(super) legal: Vec<Option<Term>>,
    /// For each fluent; nothing if it never holds next.
    pub(super) next: Vec<Option<Term>>,
    pub(super) terminal: Option<Term>,
    pub(super) goals: Vec<Goal>,
    /// The groups that depend on themselves, as ranges of formulas, with the number of rounds each needs.
    pub(super) loops: Vec<Loop>,
}

/// Formulas that depend on each other.
#[derive(Clone, Debug)]
pub(super) struct Loop {
    pub(super) range: std::ops::Range<usize>,
    pub(super) rounds: usize,
}

impl Logic {
    /// The formula's value in a graph, from values that were written.
    fn value(values: &[Option<Literal>], term: Term) -> Literal {
        values[term.formula].unwrap_or(Literal::FALSE).complement_if(!term.positive)
    }
}

/// Writes a game's formulas into a graph for given fluents and moves.
#[derive(Clone)]
pub(super) struct Writer<'l> {
    logic: &'l Logic,
    state: &'l [Literal],
    values: Vec<Option<Literal>>,
}

impl<'l> Writer<'l> {
    /// A writer for lanes in which the fluents are these values.
    pub(super) fn new(logic: &'l Logic, state: &'l [Literal]) -> Self {
        Writer { logic, state, values: vec![None; logic.formulas.len()] }
    }

    /// Writes what some formulas need. The moves may be left out if none of the formulas mentions one.
    pub(super) fn write(
        &mut self,
        graph: &mut Graph,
        wanted: impl IntoIterator<Item = Term>,
        does: &[Literal],
    ) -> Vec<Literal> {
        let wanted: Vec<Term> = wanted.into_iter().collect();
        for index in self.needed(&wanted) {
            if let Some(group) = self.logic.loops.iter().find(|group| group.range.contains(&index)) {
                self.write_loop(graph, group, does);
            } else {
                self.values[index] = Some(self.formula(graph, index, does));
            }
        }
        wanted.iter().map(|&term| Logic::value(&self.values, term)).collect()
    }

    /// The formulas not yet written that some rest on, in order.
    fn needed(&self, wanted: &[Term]) -> Vec<usize> {
        let mut is_needed = vec![false; self.values.len()];
        let mut pending: Vec<usize> = wanted.iter().map(|term| term.formula).collect();
        while let Some(index) = pending.pop() {
            if self.values[index].is_some() || std::mem::replace(&mut is_needed[index], true) {
                continue;
            }
            if let Formula::All(terms) | Formula::Any(terms) = &self.logic.formulas[index] {
                pending.extend(terms.iter().map(|term| term.formula));
            }
        }
        (0..is_needed.len()).filter(|&index| is_needed[index]).collect()
    }

    fn formula(&self, graph: &mut Graph, index: usize, does: &[Literal]) -> Literal {
        let literals = |terms: &[Term]| -> Vec<Literal> {
            terms.iter().map(|&term| Logic::value(&self.values, term)).collect()
        };
        match &self.logic.formulas[index] {
            Formula::True(fluent) => self.state[*fluent],
            Formula::Does(number) => does.get(*number).copied().unwrap_or(Literal::FALSE),
            Formula::All(terms) => graph.and_all(&literals(terms)),
            Formula::Any(terms) => graph.or_all(&literals(terms)),
        }
    }

    fn write_loop(&mut self, graph: &mut Graph, group: &Loop, does: &[Literal]) {
        if self.values[group.range.start].is_some() {
            return;
        }
        group.range.clone().for_each(|index| self.values[index] = Some(Literal::FALSE));
        for _ in 0..group.rounds {
            let before = self.values[group.range.clone()].to_vec();
            for index in group.range.clone() {
                self.values[index] = Some(self.formula(graph, index, does));
            }
            if before == self.values[group.range.clone()] {
                break;
            }
        }
    }
}

impl Logic {
    /// The rules of a ground game, as they are written.
    pub(super) fn of_ground(game: &GroundGame) -> Result<Self, SlicedError> {
        let order = atoms_in_order(game)?;
        let mut formulas = Vec::new();
        let mut formula_of = vec![usize::MAX; game.atom_count()];
        let mut bodies: Vec<Vec<Vec<(usize, bool)>>> = vec![Vec::new(); game.atom_count()];
        for (head, body) in game.rules() {
            bodies[head.index()]
                .push(body.iter().map(|literal| (literal.atom().index(), literal.is_positive())).collect());
        }
        let (fluents, moves) = (game.fluents.len(), game.moves.len());
        for atom in order {
            let mut any = Vec::new();
            if atom < fluents {
                formulas.push(Formula::True(atom));
            } else if atom < fluents + moves {
                formulas.push(Formula::Does(atom - fluents));
            } else {
                for body in &bodies[atom] {
                    let terms = body
                        .iter()
                        .map(|&(atom, positive)| Term { formula: formula_of[atom], positive })
                        .collect();
                    any.push(Term { formula: formulas.len(), positive: true });
                    formulas.push(Formula::All(terms));
                }
                formulas.push(Formula::Any(any));
            }
            formula_of[atom] = formulas.len() - 1;
        }
        let term = |kind| Term { formula: formula_of[game.atom(kind).index()], positive: true };
        let mut initially = vec![false; fluents];
        game.init.iter().for_each(|&fluent| initially[fluent] = true);
        let mut goals = Vec::new();
        let mut terminal = None;
        for (number, (name, arguments)) in game.derived.iter().enumerate() {
            let formula = term(AtomKind::Derived(number));
            if name.eq_ignore_ascii_case("terminal") {
                terminal = Some(formula);
            } else if name.eq_ignore_ascii_case("goal") {
                let role = game.roles.iter().position(|&role| role == arguments[0]);
                let value = game.term(arguments[1]).parse();
                if let (Some(role), Ok(value)) = (role, value) {
                    goals.push(Goal { role, value, formula });
                }
            }
        }
        Ok(Logic {
            roles: game.roles.len(),
            mover: game.moves.iter().map(|&(role, _)| role).collect(),
            initially,
            legal: (0..moves).map(|number| Some(term(AtomKind::Legal(number)))).collect(),
            next: (0..fluents).map(|fluent| Some(term(AtomKind::Next(fluent)))).collect(),
            terminal,
            goals,
            formulas,
            loops: Vec::new(),
        })
    }
}

fn atoms_in_order(game: &GroundGame) -> Result<Vec<usize>, SlicedError> {
    let count = game.atom_count();
    let mut waiting = vec![0_usize; count];
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (head, body) in game.rules() {
        for literal in body {
            waiting[head.index()] += 1;
            users[literal.atom().index()].push(head.index());
        }
    }
    let mut ready: Vec<usize> = (0..count).filter(|&atom| waiting[atom] == 0).collect();
    let mut order = Vec::new();
    while let Some(atom) = ready.pop() {
        order.push(atom);
        for &user in &users[atom] {
            waiting[user] -= 1;
            if waiting[user] == 0 {
                ready.push(user);
            }
        }
    }
    if order.len() == count { Ok(order) } else { Err(SlicedError::TooLarge { gates: 0 }) }
}
