//! The formula of a final state: the gates of one state, a variable per move made, and the constraints between them. The final state
//! and the moves of every match satisfy it, as far as the sampled exclusions hold; a model need not be a match. That all
//! matches have the same length is an assumption, dropped where it does not help.

use batsat::Lit;
use groundrules_machine::Move;
use groundrules_net::{Kind, Literal, Network};

use super::effects::{Effects, Fate};
use super::exclusion::Exclusion;
use super::pigeonholes::Pigeonholes;
use super::sat::{Patience, Sat};
use super::{Answer, UnorderedPlan};

/// The most moves times the length for which moves are counted.
const MOST_COUNTED: usize = 100_000;

/// The most pairs of moves that exclude each other.
const MOST_EXCLUDED: usize = 500_000;

/// How much it may take to know which fluents have to change, and how many conflicts for each of them.
const ASK_DECISIONS: u64 = 300_000;
const ASK_CONFLICTS: u64 = 2;

/// Every so many times that there was no answer the length of matches is not assumed.
const NOT_COUNTED: usize = 4;

/// After so many refused plans a goal is given up for the next lower one.
const PLANS_OF_A_GOAL: usize = 24;

/// Refused plans up to which the same moves with others may still be planned.
const LENIENT: usize = 8;

pub(super) struct Formula {
    sat: Sat,
    /// What says that the match is over with a goal, the highest first.
    goals: Vec<(i32, Lit)>,
    /// What says that a move is made.
    made: Vec<(Move, Lit)>,
    stay: Vec<Stay>,
    words: usize,
    /// What says that matches have their length, where that is not known otherwise.
    counted: Option<Lit>,
    /// Whether there may be plans that way, and how often there was no answer.
    may_count: bool,
    open: usize,
    /// For each move whether the last plan has it, and what says that its goal is reached.
    last: Option<(Vec<bool>, Lit)>,
    refused: usize,
}

/// A fluent that stays, once it is true or once it is false, and what says that it holds at the end.
struct Stay {
    fluent: usize,
    stays_true: bool,
    stays_false: bool,
    own: Lit,
}

/// Puts a formula together.
struct Writer<'a> {
    network: &'a Network,
    sat: Sat,
    /// For each node what says that it holds at the end.
    nodes: Vec<Option<Lit>>,
    open: Vec<usize>,
}

impl Writer<'_> {
    /// What says that a literal holds at the end.
    fn literal(&mut self, literal: Literal) -> Lit {
        let index = literal.node().index();
        let lit = match self.nodes[index] {
            Some(lit) => lit,
            None => {
                let lit = self.sat.fresh();
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
                self.sat.clause([!own]);
            }
            let Some(gate) = index.checked_sub(first) else { continue };
            let operands = self.network.operands(gate).to_vec();
            let operands: Vec<Lit> = operands.into_iter().map(|operand| self.literal(operand)).collect();
            // A conjunction is a disjunction the other way round.
            let sign = self.network.gate_kind(gate) == Kind::Or;
            operands.iter().for_each(|lit| self.sat.clause([!lit.apply_sign(sign), own.apply_sign(sign)]));
            self.sat.clause(operands.iter().map(|lit| lit.apply_sign(sign)).chain([!own.apply_sign(sign)]));
        }
    }
}

impl Formula {
    /// The formula of all ends from a state; nothing if it would be too large.
    pub(super) fn new(
        network: &Network,
        effects: &Effects,
        exclusion: &Exclusion,
        length: Option<usize>,
    ) -> Option<Formula> {
        if exclusion.pairs() > MOST_EXCLUDED {
            return None;
        }
        let nodes = vec![None; network.node_count()];
        let mut writer = Writer { network, sat: Sat::new(), nodes, open: Vec::new() };
        let over = writer.literal(network.outputs.terminal);
        let mut goals: Vec<(i32, Lit)> = Vec::new();
        for goal in &network.outputs.goals {
            let (own, both) = (writer.literal(goal.literal), writer.sat.fresh());
            writer.sat.clause([!both, over]);
            writer.sat.clause([!both, own]);
            goals.push((goal.value, both));
        }
        goals.sort_by_key(|&(value, _)| std::cmp::Reverse(value));
        let alive = (0..network.moves()).filter(|&number| exclusion.alive[number]);
        let made: Vec<(Move, Lit)> = alive.map(|number| (Move(number as u32), writer.sat.fresh())).collect();
        write_exclusion(&mut writer, exclusion, &made);
        let stay = write_effects(&mut writer, effects, exclusion, &made);
        writer.define();
        let mut formula = Formula {
            sat: writer.sat,
            goals,
            made,
            stay,
            words: network.fluents().div_ceil(64),
            counted: None,
            may_count: true,
            open: 0,
            last: None,
            refused: 0,
        };
        let wanted = formula.add_pigeonholes(network, effects, exclusion);
        formula.add_length(exclusion, length.filter(|&length| length > wanted));
        Some(formula)
    }

    /// Says of groups of moves that one of each is made, for the highest goal that there may be. Gives how many moves are
    /// needed for it at least.
    fn add_pigeonholes(&mut self, network: &Network, effects: &Effects, exclusion: &Exclusion) -> usize {
        let Some(&(_, is_reached)) = self.goals.first() else { return 0 };
        let changing = self.changing(is_reached, exclusion);
        let Pigeonholes { wanted, groups } = Pigeonholes::new(network, effects, exclusion, &changing);
        for group in groups {
            let own =
                |&(Move(number), lit): &(Move, Lit)| group.binary_search(&number).is_ok().then_some(lit);
            self.sat.clause(self.made.iter().filter_map(own).chain([!is_reached]));
        }
        wanted
    }

    /// Fluents that stay and have to change for a goal. Every end that is found on the way shows which ones do not.
    fn changing(&mut self, is_reached: Lit, exclusion: &Exclusion) -> Vec<usize> {
        let Formula { sat, stay, .. } = self;
        let mut is_open = vec![true; stay.len()];
        let patience = Patience::default();
        patience.decisions.set(ASK_DECISIONS);
        let ask = |sat: &mut Sat, literals: &[Lit], is_open: &mut [bool]| {
            patience.conflicts.set(ASK_CONFLICTS);
            let answer = sat.ask(literals, &patience);
            if answer == Some(true) {
                for (stay, is_open) in stay.iter().zip(is_open) {
                    *is_open &= sat.holds(stay.own) != exclusion.now[stay.fluent];
                }
            }
            answer
        };
        ask(sat, &[is_reached], &mut is_open);
        let mut changing = Vec::new();
        for (place, Stay { fluent, own, .. }) in stay.iter().enumerate() {
            let unchanged = own.apply_sign(exclusion.now[*fluent]);
            if is_open[place] && ask(sat, &[is_reached, unchanged], &mut is_open) == Some(false) {
                changing.push(*fluent);
            }
        }
        changing
    }

    /// Counts moves, if matches have this length and every move is made once at most.
    fn add_length(&mut self, exclusion: &Exclusion, length: Option<usize>) {
        if let Some(length) = length
            && self.made.iter().all(|(made, _)| exclusion.once[made.0 as usize])
            && self.made.len().saturating_mul(length) <= MOST_COUNTED
        {
            let literals: Vec<Lit> = self.made.iter().map(|&(_, lit)| lit).collect();
            self.counted = Some(self.sat.count(&literals, length));
        }
    }

    /// A plan for a goal above a bound. Where it takes long, the length of matches is not assumed every time.
    pub(super) fn plan(&mut self, above: i32, effort: u64) -> Answer {
        let patience = Patience::default();
        patience.conflicts.set(effort);
        // A way down without conflicts may decide on every variable.
        patience.decisions.set(2 * self.sat.variables() + effort * 100);
        while let Some(&(goal, is_reached)) = self.goals.first().filter(|(goal, _)| *goal > above) {
            let is_assumed = self.may_count && !(self.open + 1).is_multiple_of(NOT_COUNTED);
            let counted = self.counted.filter(|_| is_assumed);
            let literals: Vec<Lit> = [is_reached].into_iter().chain(counted).collect();
            match self.sat.ask(&literals, &patience) {
                Some(true) => return Answer::Plan(self.read(goal, is_reached)),
                None => {
                    self.open += 1;
                    return Answer::Open;
                }
                Some(false) if counted.is_some() => self.may_count = false,
                Some(false) => {
                    self.goals.remove(0);
                    (self.may_count, self.open) = (true, 0);
                }
            }
        }
        Answer::None
    }

    /// The plan that the solver found.
    fn read(&mut self, goal: i32, is_reached: Lit) -> UnorderedPlan {
        let is_made: Vec<bool> = self.made.iter().map(|&(_, lit)| self.sat.holds(lit)).collect();
        let made = self.made.iter().zip(&is_made).filter(|(_, is_made)| **is_made);
        let moves = made.map(|(&(made, _), _)| made).collect();
        let (mut never_true, mut never_false) = (vec![0; self.words], vec![0; self.words]);
        for &Stay { fluent, stays_true, stays_false, own } in &self.stay {
            let bit = 1_u64 << (fluent % 64);
            match self.sat.holds(own) {
                false if stays_true => never_true[fluent / 64] |= bit,
                true if stays_false => never_false[fluent / 64] |= bit,
                _ => {}
            }
        }
        self.last = Some((is_made, is_reached));
        UnorderedPlan { goal, moves, never_true, never_false }
    }

    /// The last plan is not planned again for its goal; after some of them, nor are more moves than that.
    pub(super) fn refuse(&mut self) {
        let Some((is_made, is_reached)) = self.last.take() else { return };
        (self.refused, self.open) = (self.refused + 1, 0);
        let is_lenient = self.refused <= LENIENT || !is_made.contains(&true);
        let literals =
            self.made.iter().zip(&is_made).filter_map(|(&(_, lit), &is_made)| {
                (is_made || is_lenient).then_some(lit.apply_sign(!is_made))
            });
        self.sat.clause(literals.chain([!is_reached]));
        if self.refused.is_multiple_of(PLANS_OF_A_GOAL) {
            self.goals.retain(|&(_, goal)| goal != is_reached);
            (self.may_count, self.open) = (true, 0);
        }
    }
}

/// Moves that exclude each other are not both made.
fn write_exclusion(writer: &mut Writer<'_>, exclusion: &Exclusion, made: &[(Move, Lit)]) {
    for (place, &(Move(one), lit)) in made.iter().enumerate() {
        for &(Move(other), other_lit) in &made[place + 1..] {
            if exclusion.excludes(one as usize, other as usize) {
                writer.sat.clause([!lit, !other_lit]);
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
) -> Vec<Stay> {
    let network = writer.network;
    let mut by_number = vec![None; network.moves()];
    made.iter().for_each(|&(Move(number), lit)| by_number[number as usize] = Some(lit));
    let mut stay = Vec::new();
    for (fluent, fate) in effects.fates.iter().enumerate() {
        let own = writer.literal(network.fluent(fluent).literal());
        if let Some(value) = exclusion.fixed[fluent] {
            writer.sat.clause([own.apply_sign(value)]);
            continue;
        }
        let (stays_true, stays_false) = (fate.stays_true(), fate.stays_false());
        if stays_true || stays_false {
            stay.push(Stay { fluent, stays_true, stays_false, own });
        }
        write_cause(writer, fate, exclusion.now[fluent], own, &by_number);
    }
    for &(Move(number), lit) in made {
        for &(fluent, value) in &effects.sure[number as usize] {
            let own = writer.literal(network.fluent(fluent as usize).literal());
            writer.sat.clause([!lit, own.apply_sign(value)]);
        }
    }
    stay
}

/// What is otherwise at the end than now was made so by a move, if moves alone can.
fn write_cause(writer: &mut Writer<'_>, fate: &Fate, now: bool, own: Lit, by_number: &[Option<Lit>]) {
    let (by, anyway) = if now { (&fate.undone_by, fate.goes) } else { (&fate.made_by, fate.comes) };
    if !anyway {
        let moves = by.iter().filter_map(|&made| by_number[made as usize]);
        writer.sat.clause(moves.chain([own.apply_sign(now)]));
    }
}
