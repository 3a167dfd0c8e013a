//! The relaxed reachability analysis of a network: every fluent and gate may be true, may be false, or both, and possible
//! values only accumulate from step to step. Whatever some match from a state reaches is among the possible values, so a goal
//! that is not possible is unreachable: that is a proof. The converse does not hold.
//!
//! Many queries are evaluated at once, one per lane. A query may hold a fluent at its value in the state: if a goal becomes
//! unreachable, the fluent has to change on every path to it, which makes the change a landmark in the planning literature's sense.

use std::sync::Arc;

use groundrules_machine::Move;
use groundrules_net::Network;

use crate::outlook::{Bits, May, Outlook, all, any, bit, not};

/// How many queries are asked at once.
pub const LANES: usize = crate::outlook::LANES;

/// A query: a packed state with a bit for each fluent, and a fluent that is held at its value.
pub type Query<'a> = (&'a [u64], Option<usize>);

/// Relaxed reachability in one network.
#[derive(Clone)]
pub struct Relaxation {
    outlook: Outlook,
    /// For each fluent the lanes in which it keeps its value.
    held: Vec<Bits>,
    /// For each move whether it may be made at all.
    is_allowed: Vec<bool>,
}

/// Steps after which an analysis is cut: everything counts as reachable.
const MOST_STEPS: usize = 1000;

impl Relaxation {
    /// The analysis of a network, which may be simplified for legal play in reachable states.
    pub fn new(network: Arc<Network>) -> Self {
        let is_allowed = vec![true; network.moves()];
        Relaxation { outlook: Outlook::new(network), held: Vec::new(), is_allowed }
    }

    /// The network.
    pub fn network(&self) -> &Arc<Network> {
        self.outlook.network()
    }

    /// From now on exactly these moves are excluded.
    pub fn forbid(&mut self, moves: &[Move]) {
        self.is_allowed.fill(true);
        for &Move(number) in moves {
            if let Some(is_allowed) = self.is_allowed.get_mut(number as usize) {
                *is_allowed = false;
            }
        }
    }

    /// The size of the network: its nodes and operands, which one step evaluates.
    pub fn size(&self) -> usize {
        let network = self.outlook.network();
        network.operand_count() + network.node_count()
    }

    /// For each query an upper bound on the role's goal at any terminal state that is reachable; nothing if none is.
    pub fn most(&mut self, role: usize, queries: &[Query<'_>]) -> Vec<Option<i32>> {
        queries.chunks(LANES).flat_map(|chunk| self.most_of_some(role, chunk)).collect()
    }

    fn most_of_some(&mut self, role: usize, queries: &[Query<'_>]) -> Vec<Option<i32>> {
        let is_settled = self.settle(queries);
        let outputs = &self.outlook.network().outputs;
        let goals = outputs.goals.iter().filter(|goal| goal.role == role);
        if !is_settled {
            let most = goals.map(|goal| goal.value).max();
            return vec![most; queries.len()];
        }
        let over = self.outlook.may(outputs.terminal).hold;
        let mut most = vec![None; queries.len()];
        for goal in goals {
            let reached = all(over, self.outlook.may(goal.literal).hold);
            for (lane, most) in most.iter_mut().enumerate().filter(|&(lane, _)| bit(&reached, lane)) {
                debug_assert!(lane < LANES);
                *most = (*most).max(Some(goal.value));
            }
        }
        most
    }

    /// Iterates to the fixpoint; returns whether it was reached.
    fn settle(&mut self, queries: &[Query<'_>]) -> bool {
        self.stand(queries);
        // The first time tells which moves are legal; nothing is next while none may be made.
        self.outlook.evaluate();
        self.allow_moves();
        for _ in 0..MOST_STEPS {
            self.outlook.evaluate();
            let grew = self.go_on();
            if !(self.allow_moves() || grew) {
                return true;
            }
        }
        false
    }

    /// Loads each lane with its state and no move.
    fn stand(&mut self, queries: &[Query<'_>]) {
        let fluents = self.outlook.network().fluents();
        self.held.clear();
        self.held.resize(fluents, Bits::default());
        for (lane, held) in queries.iter().enumerate().filter_map(|(lane, (_, held))| Some((lane, (*held)?)))
        {
            if let Some(held) = self.held.get_mut(held) {
                held[lane / 64] |= 1 << (lane % 64);
            }
        }
        self.outlook.fill(May::FALSE, May::FALSE);
        let first = queries.first().map_or(&[][..], |(state, _)| state);
        let is_one_state = queries.iter().all(|(state, _)| std::ptr::eq(*state, first));
        for fluent in 0..fluents {
            if is_one_state {
                let value = first.get(fluent / 64).copied().unwrap_or(0) >> (fluent % 64) & 1;
                *self.outlook.fluent(fluent) = May::known(Bits::default().map(|_: u64| value.wrapping_neg()));
                continue;
            }
            let mut hold = Bits::default();
            for (lane, (state, _)) in queries.iter().enumerate() {
                let value = state.get(fluent / 64).copied().unwrap_or(0) >> (fluent % 64) & 1;
                hold[lane / 64] |= value << (lane % 64);
            }
            *self.outlook.fluent(fluent) = May::known(hold);
        }
    }

    /// Makes possible the moves that may be legal; returns whether there are new ones.
    fn allow_moves(&mut self) -> bool {
        let network = Arc::clone(self.outlook.network());
        let mut grew = false;
        for number in (0..network.moves()).filter(|&number| self.is_allowed[number]) {
            let legal = self.outlook.may(network.outputs.legal[number]).hold;
            let value = self.outlook.made(number);
            let hold = any(value.hold, legal);
            grew |= hold != value.hold;
            value.hold = hold;
        }
        grew
    }

    /// Adds the possible next values; returns whether any is new.
    fn go_on(&mut self) -> bool {
        let network = Arc::clone(self.outlook.network());
        let mut grew = false;
        for fluent in 0..network.fluents() {
            let (next, free) = (self.outlook.may(network.outputs.next[fluent]), not(self.held[fluent]));
            let value = self.outlook.fluent(fluent);
            let new = May {
                hold: any(value.hold, all(next.hold, free)),
                fail: any(value.fail, all(next.fail, free)),
            };
            grew |= new != *value;
            *value = new;
        }
        grew
    }
}

#[cfg(test)]
mod tests {
    use groundrules_gdl::{Options, read};
    use groundrules_machine::{Compiled, State};

    use super::*;

    /// Two cells to colour differently; the second may only be red.
    const COLOURS: &str = "(role you) (cell a) (cell b) (colour red) (colour blue)
        (<= (init (blank ?c)) (cell ?c))
        (<= (legal you (paint ?c ?x)) (true (blank ?c)) (can ?c ?x) (not (used ?x)))
        (can a red) (can a blue) (can b red)
        (<= (used ?x) (true (painted ?c ?x)))
        (<= (next (painted ?c ?x)) (does you (paint ?c ?x)))
        (<= (next (painted ?c ?x)) (true (painted ?c ?x)))
        (<= (next (blank ?c)) (true (blank ?c)) (not (changed ?c)))
        (<= (changed ?c) (does you (paint ?c ?x)))
        (legal you stop) (<= (next over) (does you stop))
        (<= some (true (blank ?c)))
        (<= terminal (not some)) (<= terminal (true over))
        (<= (goal you 100) (not some)) (<= (goal you 20) some)";

    #[test]
    fn unreachable_goals_are_proved() {
        let game = read(COLOURS.as_bytes(), &Options::default()).game.expect("a valid description");
        let compiled = Compiled::new(game);
        let mut machine = compiled.machine().expect("a playable game");
        let mut relaxation = Relaxation::new(compiled.network().expect("a network"));
        let mut start = State::default();
        machine.save(&mut start);
        let queries: Vec<Query<'_>> = (0..start.words().len() * 64)
            .map(|fluent| (start.words(), Some(fluent)))
            .chain([(start.words(), None)])
            .collect();
        let most = relaxation.most(0, &queries);
        assert_eq!(most.last(), Some(&Some(100)));
        let blanks = machine.fluents().iter().filter(|fluent| fluent.starts_with("(blank")).count();
        assert_eq!(blanks, 2);
        assert!(
            most.iter().filter(|&&most| most == Some(20)).count() >= blanks,
            "blank cells have to be painted"
        );
        for (move_text, goal) in [("(paint a red)", 20), ("(paint a blue)", 100)] {
            machine.reset();
            let made = machine.find_move(0, move_text).expect("a move");
            machine.advance(&[made]).expect("a next state");
            let mut state = State::default();
            machine.save(&mut state);
            assert_eq!(relaxation.most(0, &[(state.words(), None)]), [Some(goal)], "{move_text}");
        }
    }
}
