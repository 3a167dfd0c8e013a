//! IC3, also called PDR: a proof that a bad state cannot be reached, or a line of moves to one.
//!
//! Level *i* is a set of clauses that hold in all states within *i* moves; each level implies the next. States from which a bad
//! one can be reached are excluded level by level, each time by a clause as general as the rules allow. When two levels are
//! equal, their clauses are an inductive invariant. Invariants that are already known strengthen every question.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use batsat::Lit;
use groundrules_gdl::index::index32;
use groundrules_net::Literal;

use crate::circuit::{Circuit, holds};
use crate::clock::Clock;
use crate::known::Known;
use crate::playouts::Line;
use crate::state::{Clause, StateLiteral};
use crate::step::Step;

/// A set of states: the latches that have these values.
type Cube = Vec<StateLiteral>;

/// What was found out about a bad state.
#[derive(Clone, Debug)]
pub(crate) enum Found {
    /// None can be reached: with the known invariants, and with the property itself, these clauses are inductive and exclude it.
    Holds(Vec<Clause>),
    /// One is reached by these moves.
    Fails(Line),
}

/// After so many temporary clauses the solver is made anew.
const MOST_TEMPORARY: usize = 4000;

/// After so many literals in a row that cannot be left out of a clause, the others stay.
const MOST_FAILURES: usize = 12;

struct Level {
    /// Assumed where the clauses of this level are.
    on: Lit,
    /// What is excluded up to this level and not beyond.
    cubes: Vec<Cube>,
}

/// States to be excluded, because a move leads to those of another obligation.
struct Obligation {
    cube: Cube,
    /// The obligation and the moves that lead to it; nothing where the states are bad themselves.
    then: Option<(usize, Vec<usize>)>,
}

/// The search for a proof. It can be interrupted, and goes on with all levels as they were.
pub(crate) struct Pdr<'c> {
    circuit: &'c Circuit,
    bad: Literal,
    known: Known,
    main: Step<'c>,
    main_bad: Lit,
    lift: Step<'c>,
    lift_bad: Lit,
    levels: Vec<Level>,
    temporary: usize,
    obligations: Vec<Obligation>,
    /// When the search has to stop for good.
    limit: Clock,
}

impl<'c> Pdr<'c> {
    pub(crate) fn new(circuit: &'c Circuit, bad: Literal, known: &Known, clock: &Clock) -> Self {
        let mut lift = Step::without_moves(circuit, clock);
        for role in 0..circuit.roles {
            let inputs: Vec<Lit> = circuit.inputs_of(role).map(|input| lift.input(input)).collect();
            if inputs.len() > 1 {
                lift.sat.at_most_one(&inputs);
            }
        }
        lift.assume(known);
        let lift_bad = lift.literal(bad);
        let (main, main_bad) = main_solver(circuit, bad, known, clock);
        let mut pdr = Pdr {
            circuit,
            bad,
            known: known.clone(),
            main,
            main_bad,
            lift,
            lift_bad,
            levels: Vec::new(),
            temporary: 0,
            obligations: Vec::new(),
            limit: clock.clone(),
        };
        pdr.add_level();
        pdr.add_level();
        pdr
    }

    /// How many levels there are beyond the first state.
    pub(crate) fn depth(&self) -> usize {
        self.levels.len() - 1
    }

    /// How many clauses the levels have.
    pub(crate) fn clauses(&self) -> usize {
        self.levels.iter().map(|level| level.cubes.len()).sum()
    }

    fn add_level(&mut self) {
        let on = self.main.sat.fresh();
        if self.levels.is_empty() {
            self.add_first_state(on);
        }
        self.levels.push(Level { on, cubes: Vec::new() });
    }

    fn add_first_state(&mut self, on: Lit) {
        for (latch, &value) in self.circuit.init().iter().enumerate() {
            self.main.add_now(&[StateLiteral::new(latch, value)], Some(!on));
        }
    }

    /// Goes on until there is an answer or no time.
    pub(crate) fn run(&mut self, clock: &Clock) -> Option<Found> {
        self.main.sat.set_clock(clock);
        self.lift.sat.set_clock(clock);
        let values = self.circuit.evaluate(self.circuit.init(), |_| false);
        if holds(self.bad, &values) {
            return Some(Found::Fails(Vec::new()));
        }
        loop {
            if clock.is_over() {
                return None;
            }
            if let Some(found) = self.exclude_bad(clock)? {
                return Some(found);
            }
            self.add_level();
            if let Some(found) = self.propagate(clock)? {
                return Some(found);
            }
        }
    }

    /// The assumptions that say that a state is in a level.
    fn in_level(&self, level: usize) -> Vec<Lit> {
        self.levels[level..].iter().map(|level| level.on).collect()
    }

    /// Excludes all bad states from the last level.
    fn exclude_bad(&mut self, clock: &Clock) -> Option<Option<Found>> {
        loop {
            if clock.is_over() {
                return None;
            }
            let top = self.depth();
            let mut assumed = self.in_level(top);
            assumed.push(self.main_bad);
            if !self.main.sat.ask(&assumed)? {
                return Some(None);
            }
            let state = self.main.state();
            let reason = self.lift_bad;
            let cube = self.lifted(&state, &[], [!reason])?;
            self.obligations = vec![Obligation { cube, then: None }];
            if let Some(found) = self.discharge(top, clock)? {
                return Some(Some(found));
            }
        }
    }

    /// Excludes the states of all obligations, those of low levels first.
    fn discharge(&mut self, top: usize, clock: &Clock) -> Option<Option<Found>> {
        let mut queue = BinaryHeap::from([Reverse((top, 0, 0))]);
        let mut order = 0usize;
        while let Some(Reverse((level, _, id))) = queue.pop() {
            if clock.is_over() {
                return None;
            }
            let cube = self.obligations[id].cube.clone();
            if self.includes_first(&cube) {
                return Some(Some(Found::Fails(self.line(id))));
            }
            if self.is_excluded(&cube, level) {
                continue;
            }
            self.make_anew_if_worn(clock);
            order = order.wrapping_sub(1);
            match self.ask_step(&cube, level - 1, true)? {
                None => {
                    let (state, moves) = (self.main.state(), self.main.moves());
                    let before = self.predecessors(&state, &moves, &cube)?;
                    self.obligations.push(Obligation { cube: before, then: Some((id, moves)) });
                    queue.push(Reverse((level - 1, order, self.obligations.len() - 1)));
                    queue.push(Reverse((level, order, id)));
                }
                Some(core) => {
                    let mut cube = self.generalised(core, level - 1)?;
                    let mut to = level;
                    while to < self.depth() {
                        match self.ask_step(&cube, to, true)? {
                            Some(core) => cube = core,
                            None => break,
                        }
                        to += 1;
                    }
                    self.exclude(cube, to);
                    if to < self.depth() {
                        queue.push(Reverse((to + 1, order, id)));
                    }
                }
            }
        }
        Some(None)
    }

    /// Whether a move leads from a level into a cube, from outside the cube if so wanted. If not, the part of the cube that
    /// this rests on.
    fn ask_step(&mut self, cube: &Cube, level: usize, from_outside: bool) -> Option<Option<Cube>> {
        let mut assumed = self.in_level(level);
        // All levels that moves are asked from exclude the bad states already.
        assumed.extend([self.main.step, !self.main_bad]);
        let mut temporary = None;
        if from_outside {
            let on = self.main.sat.fresh();
            let clause: Vec<StateLiteral> = cube.iter().map(|&literal| !literal).collect();
            self.main.add_now(&clause, Some(!on));
            assumed.push(on);
            temporary = Some(on);
        }
        let targets: Vec<Lit> = cube.iter().map(|&literal| self.main.next(literal)).collect();
        assumed.extend(&targets);
        let answer = self.main.sat.ask(&assumed);
        let core = match answer {
            Some(false) => {
                let core = self.main.sat.core();
                let kept = cube.iter().zip(&targets).filter(|(_, target)| core.contains(target));
                Some(self.apart_from_first(kept.map(|(&literal, _)| literal).collect(), cube))
            }
            _ => None,
        };
        if let Some(on) = temporary {
            self.temporary += 1;
            self.main.sat.clause([!on]);
        }
        answer.map(|_| core)
    }

    /// A cube must not have the first state in it: a literal of the original one that excludes it is put back.
    fn apart_from_first(&self, mut cube: Cube, original: &Cube) -> Cube {
        if self.includes_first(&cube) {
            let apart = original.iter().find(|literal| !literal.holds(self.circuit.init()));
            cube.extend(apart);
            cube.sort_unstable();
        }
        cube
    }

    fn includes_first(&self, cube: &Cube) -> bool {
        cube.iter().all(|literal| literal.holds(self.circuit.init()))
    }

    /// Leaves out literals as long as no move leads from the level into the larger set.
    fn generalised(&mut self, mut cube: Cube, level: usize) -> Option<Cube> {
        let (mut place, mut failures) = (0, 0);
        while place < cube.len() && cube.len() > 1 && failures < MOST_FAILURES {
            let mut smaller = cube.clone();
            smaller.remove(place);
            if self.includes_first(&smaller) {
                place += 1;
                continue;
            }
            match self.ask_step(&smaller, level, true)? {
                Some(core) => {
                    // What came before the place was needed, and still is.
                    let tried = cube[..place].iter().filter(|literal| core.contains(literal)).count();
                    cube = core;
                    place = tried;
                    failures = 0;
                }
                None => {
                    place += 1;
                    failures += 1;
                }
            }
        }
        Some(cube)
    }

    fn is_excluded(&self, cube: &Cube, level: usize) -> bool {
        let is_subset = |smaller: &Cube| smaller.iter().all(|literal| cube.contains(literal));
        self.levels[level..].iter().any(|level| level.cubes.iter().any(is_subset))
    }

    fn exclude(&mut self, cube: Cube, level: usize) {
        for lower in &mut self.levels[1..=level] {
            lower.cubes.retain(|other| !cube.iter().all(|literal| other.contains(literal)));
        }
        let clause: Vec<StateLiteral> = cube.iter().map(|&literal| !literal).collect();
        self.main.add_now(&clause, Some(!self.levels[level].on));
        self.levels[level].cubes.push(cube);
    }

    /// Moves clauses to the next level where they hold there too. Two equal levels are a proof.
    fn propagate(&mut self, clock: &Clock) -> Option<Option<Found>> {
        for level in 1..self.depth() {
            for cube in self.levels[level].cubes.clone() {
                self.make_anew_if_worn(clock);
                // A smaller one may have replaced it.
                if self.levels[level].cubes.contains(&cube)
                    && let Some(core) = self.ask_step(&cube, level, false)?
                {
                    self.exclude(core, level + 1);
                }
            }
            if self.levels[level].cubes.is_empty() {
                let cubes = self.levels[level..].iter().flat_map(|level| &level.cubes);
                let clauses = cubes.map(|cube| cube.iter().map(|&literal| !literal).collect()).collect();
                return Some(Some(Found::Holds(clauses)));
            }
        }
        Some(None)
    }

    /// All states around a state from which the same moves are legal and lead into the cube.
    fn predecessors(&mut self, state: &[bool], moves: &[usize], cube: &Cube) -> Option<Cube> {
        let mut reasons: Vec<Lit> = Vec::new();
        for &literal in cube {
            let next = self.lift.next(literal);
            reasons.push(!next);
        }
        for &made in moves {
            let legal = self.lift.literal(self.circuit.legal[made]);
            reasons.push(!legal);
        }
        let terminal = self.lift.literal(self.circuit.terminal);
        reasons.push(terminal);
        self.lifted(state, moves, reasons)
    }

    /// The part of a state that, with some moves, excludes all of these reasons.
    fn lifted(
        &mut self,
        state: &[bool],
        moves: &[usize],
        reasons: impl IntoIterator<Item = Lit>,
    ) -> Option<Cube> {
        let on = self.lift.sat.fresh();
        self.lift.sat.clause([!on].into_iter().chain(reasons));
        let mut assumed = vec![on];
        assumed.extend(moves.iter().map(|&made| self.lift.input(made)));
        // What holds says more than what does not: it comes first, and much of the rest follows from it.
        let of = |value: bool| {
            (0..state.len())
                .filter(move |&latch| state[latch] == value)
                .map(move |latch| StateLiteral::new(latch, value))
        };
        let literals: Vec<StateLiteral> = of(true).chain(of(false)).collect();
        assumed.extend(literals.iter().map(|&literal| self.lift.now(literal)));
        let answer = self.lift.sat.ask(&assumed);
        self.temporary += 1;
        let mut cube: Cube = match answer? {
            // The state itself excludes them, so this does not happen; the whole state is always right.
            true => literals,
            false => {
                let core = self.lift.sat.core();
                literals.into_iter().filter(|&literal| core.contains(&self.lift.now(literal))).collect()
            }
        };
        self.lift.sat.clause([!on]);
        cube.sort_unstable();
        Some(cube)
    }

    /// The moves from the first state through an obligation to a bad state.
    fn line(&self, first: usize) -> Line {
        let mut line = Vec::new();
        let mut id = first;
        while let Some((next, moves)) = &self.obligations[id].then {
            let by_role = |role: usize| {
                let own = moves.iter().find(|&&made| self.circuit.movers[made] as usize == role);
                index32(*own.expect("every role moves in a step"), "inputs")
            };
            line.push((0..self.circuit.roles).map(by_role).collect());
            id = *next;
        }
        line
    }

    fn make_anew_if_worn(&mut self, clock: &Clock) {
        if self.temporary < MOST_TEMPORARY {
            return;
        }
        self.temporary = 0;
        self.lift.sat.tidy();
        (self.main, self.main_bad) = main_solver(self.circuit, self.bad, &self.known, &self.limit);
        self.main.sat.set_clock(clock);
        for level in 0..self.levels.len() {
            let on = self.main.sat.fresh();
            self.levels[level].on = on;
            if level == 0 {
                self.add_first_state(on);
            }
            for cube in &self.levels[level].cubes {
                let clause: Vec<StateLiteral> = cube.iter().map(|&literal| !literal).collect();
                self.main.add_now(&clause, Some(!on));
            }
        }
    }
}

fn main_solver<'c>(circuit: &'c Circuit, bad: Literal, known: &Known, clock: &Clock) -> (Step<'c>, Lit) {
    let mut main = Step::new(circuit, clock);
    main.assume(known);
    let bad = main.literal(bad);
    (main, bad)
}
