//! The formula of an end: gates of one state, moves that were made in no order, and how they go together. Every match's end
//! and its moves satisfy it, where its length is as it says; not all that satisfies it is a match.

use std::cell::Cell;

use batsat::{Callbacks, ClauseKind, Lit, Solver, SolverInterface, SolverOpts, lbool};
use groundrules_net::{Kind, Literal, Network};

use crate::machine::Move;

use super::effects::{Effects, Fate};
use super::exclusion::Exclusion;
use super::{Answer, Plan, pigeonholes};

/// The most moves times the length for which moves are counted.
const MOST_COUNTED: usize = 300_000;

/// Fluents that are asked about whether they have to change, and conflicts for each of them.
const MOST_ASKED: usize = 2000;
const CHANGE_EFFORT: u64 = 2;

/// Stops the solver after so many conflicts.
#[derive(Default)]
struct Patience {
    left: Cell<u64>,
}

impl Callbacks for Patience {
    fn on_new_clause(&mut self, _: &[Lit], kind: ClauseKind) {
        if kind == ClauseKind::Learnt {
            self.left.set(self.left.get().saturating_sub(1));
        }
    }

    fn stop(&self) -> bool {
        self.left.get() == 0
    }
}

pub(super) struct Formula {
    solver: Solver<Patience>,
    /// What says that the match is over with a goal, the highest first.
    goals: Vec<(i32, Lit)>,
    /// What says that a move is made.
    made: Vec<(Move, Lit)>,
    /// Fluents that stay, once they are true or once they are false, and what says that they hold at the end.
    stay: Vec<(usize, bool, bool, Lit)>,
    words: usize,
    /// The last plan's moves.
    last: Vec<Lit>,
}

/// Puts a formula together.
struct Writer<'a> {
    network: &'a Network,
    solver: Solver<Patience>,
    /// For each node what says that it holds at the end.
    nodes: Vec<Option<Lit>>,
    open: Vec<usize>,
}

impl Writer<'_> {
    fn fresh(&mut self) -> Lit {
        Lit::new(self.solver.new_var_default(), true)
    }

    fn clause(&mut self, literals: impl IntoIterator<Item = Lit>) {
        let mut clause: Vec<Lit> = literals.into_iter().collect();
        self.solver.add_clause_reuse(&mut clause);
    }

    /// What says that a literal holds at the end.
    fn literal(&mut self, literal: Literal) -> Lit {
        let index = literal.node().index();
        let lit = match self.nodes[index] {
            Some(lit) => lit,
            None => {
                let lit = self.fresh();
                self.nodes[index] = Some(lit);
                self.open.push(index);
                lit
            }
        };
        if literal.is_complemented() { !lit } else { lit }
    }

    /// Writes down what nodes mean that were asked for.
    fn define(&mut self) {
        while let Some(index) = self.open.pop() {
            let Some(own) = self.nodes[index] else { continue };
            let first = self.network.node_count() - self.network.gate_count();
            if index == 0 {
                self.clause([!own]);
            }
            let Some(gate) = index.checked_sub(first) else { continue };
            let operands = self.network.operands(gate).to_vec();
            let operands: Vec<Lit> = operands.into_iter().map(|operand| self.literal(operand)).collect();
            // A conjunction is a disjunction the other way round.
            let sign = self.network.gate_kind(gate) == Kind::Or;
            operands.iter().for_each(|lit| self.clause([!lit.apply_sign(sign), own.apply_sign(sign)]));
            self.clause(operands.iter().map(|lit| lit.apply_sign(sign)).chain([!own.apply_sign(sign)]));
        }
    }

    /// Of these exactly so many hold: a counter that goes from one to the next.
    fn count(&mut self, literals: &[Lit], count: usize) {
        // Whether more than `place` of the first ones hold.
        let mut before: Vec<Lit> = Vec::new();
        for &lit in literals {
            let width = (before.len() + 1).min(count + 1);
            let now: Vec<Lit> = (0..width).map(|_| self.fresh()).collect();
            for (place, &own) in now.iter().enumerate() {
                let (old, less) = (before.get(place).copied(), place.checked_sub(1).map(|less| before[less]));
                // It was so before, or one less and this one holds.
                old.into_iter().for_each(|old| self.clause([!old, own]));
                self.clause([!lit, own].into_iter().chain(less.map(|less| !less)));
                self.clause([!own, lit].into_iter().chain(old));
                less.into_iter().for_each(|less| self.clause([!own, less].into_iter().chain(old)));
            }
            before = now;
        }
        match (count.checked_sub(1), before.get(count).copied()) {
            _ if before.len() < count => self.clause([]),
            (least, most) => {
                least.into_iter().for_each(|least| self.clause([before[least]]));
                most.into_iter().for_each(|most| self.clause([!most]));
            }
        }
    }
}

impl Formula {
    pub(super) fn new(
        network: &Network,
        effects: &Effects,
        exclusion: &Exclusion,
        length: Option<usize>,
    ) -> Formula {
        let solver = Solver::new(SolverOpts::default(), Patience::default());
        let nodes = vec![None; network.node_count()];
        let mut writer = Writer { network, solver, nodes, open: Vec::new() };
        let over = writer.literal(network.outputs.terminal);
        let mut goals: Vec<(i32, Lit)> = Vec::new();
        for goal in &network.outputs.goals {
            let (own, both) = (writer.literal(goal.literal), writer.fresh());
            writer.clause([!both, over]);
            writer.clause([!both, own]);
            goals.push((goal.value, both));
        }
        goals.sort_by_key(|&(value, _)| std::cmp::Reverse(value));
        let alive = (0..network.moves()).filter(|&number| exclusion.alive[number]);
        let made: Vec<(Move, Lit)> = alive.map(|number| (Move(number as u32), writer.fresh())).collect();
        write_exclusion(&mut writer, exclusion, &made);
        let stay = write_effects(&mut writer, effects, exclusion, &made);
        if let Some(length) = length
            && made.iter().all(|(made, _)| exclusion.once[made.0 as usize])
            && made.len() * length <= MOST_COUNTED
        {
            let literals: Vec<Lit> = made.iter().map(|&(_, lit)| lit).collect();
            writer.count(&literals, length);
        }
        writer.define();
        let words = network.fluents().div_ceil(64);
        let mut formula = Formula { solver: writer.solver, goals, made, stay, words, last: Vec::new() };
        formula.add_pigeonholes(network, effects, exclusion);
        formula
    }

    /// Says of groups of moves that one of each is made, for the highest goal that there may be.
    fn add_pigeonholes(&mut self, network: &Network, effects: &Effects, exclusion: &Exclusion) {
        let Some(&(_, is_reached)) = self.goals.first() else { return };
        let Formula { solver, stay, .. } = self;
        let mut has_to_change = |&(fluent, _, _, own): &(usize, bool, bool, Lit)| {
            solver.cb_mut().left.set(CHANGE_EFFORT);
            let answer = solver.solve_limited(&[is_reached, own.apply_sign(exclusion.now[fluent])]);
            (answer == lbool::FALSE).then_some(fluent)
        };
        let changing: Vec<usize> = stay.iter().take(MOST_ASKED).filter_map(&mut has_to_change).collect();
        for group in pigeonholes::groups(network, effects, exclusion, &changing) {
            let own =
                |&(Move(number), lit): &(Move, Lit)| group.binary_search(&number).is_ok().then_some(lit);
            let mut clause: Vec<Lit> = self.made.iter().filter_map(own).chain([!is_reached]).collect();
            self.solver.add_clause_reuse(&mut clause);
        }
    }

    pub(super) fn plan(&mut self, above: i32, effort: u64) -> Answer {
        self.solver.cb_mut().left.set(effort);
        while let Some(&(goal, is_reached)) = self.goals.first().filter(|(goal, _)| *goal > above) {
            let answer = self.solver.solve_limited(&[is_reached]);
            if answer == lbool::TRUE {
                return Answer::Plan(self.read(goal));
            }
            if answer != lbool::FALSE {
                return Answer::Open;
            }
            self.goals.remove(0);
        }
        Answer::None
    }

    /// The plan that the solver found.
    fn read(&mut self, goal: i32) -> Plan {
        let holds = |lit: Lit| self.solver.value_lit(lit) == lbool::TRUE;
        let made: Vec<(Move, Lit)> = self.made.iter().filter(|&&(_, lit)| holds(lit)).copied().collect();
        let (mut never_true, mut never_false) = (vec![0; self.words], vec![0; self.words]);
        for &(fluent, stays_true, stays_false, lit) in &self.stay {
            let bit = 1_u64 << (fluent % 64);
            match holds(lit) {
                false if stays_true => never_true[fluent / 64] |= bit,
                true if stays_false => never_false[fluent / 64] |= bit,
                _ => {}
            }
        }
        self.last = made.iter().map(|&(_, lit)| !lit).collect();
        Plan { goal, moves: made.into_iter().map(|(made, _)| made).collect(), never_true, never_false }
    }

    pub(super) fn refuse(&mut self) {
        let mut clause = std::mem::take(&mut self.last);
        self.solver.add_clause_reuse(&mut clause);
    }
}

/// Moves that exclude each other are not both made.
fn write_exclusion(writer: &mut Writer<'_>, exclusion: &Exclusion, made: &[(Move, Lit)]) {
    for (place, &(Move(one), lit)) in made.iter().enumerate() {
        for &(Move(other), other_lit) in &made[place + 1..] {
            if exclusion.excludes(one as usize, other as usize) {
                writer.clause([!lit, !other_lit]);
            }
        }
    }
}

/// Fluents that stay are at the end as moves make them, and only so. Gives those that are not known yet.
fn write_effects(
    writer: &mut Writer<'_>,
    effects: &Effects,
    exclusion: &Exclusion,
    made: &[(Move, Lit)],
) -> Vec<(usize, bool, bool, Lit)> {
    let network = writer.network;
    let mut by_number = vec![None; network.moves()];
    made.iter().for_each(|&(Move(number), lit)| by_number[number as usize] = Some(lit));
    let mut stay = Vec::new();
    for (fluent, fate) in effects.fates.iter().enumerate() {
        let own = writer.literal(network.fluent(fluent).literal());
        if let Some(value) = exclusion.fixed[fluent] {
            writer.clause([own.apply_sign(value)]);
            continue;
        }
        let (stays_true, stays_false) = (fate.stays_true(), fate.stays_false());
        if stays_true || stays_false {
            stay.push((fluent, stays_true, stays_false, own));
        }
        write_cause(writer, fate, exclusion.now[fluent], own, &by_number);
    }
    for &(Move(number), lit) in made {
        for &(fluent, value) in &effects.sure[number as usize] {
            let own = writer.literal(network.fluent(fluent as usize).literal());
            writer.clause([!lit, own.apply_sign(value)]);
        }
    }
    stay
}

/// What is otherwise at the end than now was made so by a move, if moves alone can.
fn write_cause(writer: &mut Writer<'_>, fate: &Fate, now: bool, own: Lit, by_number: &[Option<Lit>]) {
    let (by, anyway) = if now { (&fate.undone_by, fate.goes) } else { (&fate.made_by, fate.comes) };
    if !anyway {
        let moves = by.iter().filter_map(|&made| by_number[made as usize]);
        writer.clause(moves.chain([own.apply_sign(now)]));
    }
}
