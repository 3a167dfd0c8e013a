//! What may still come of a state, judged by the network alone: every fluent and every gate may be false, may be true, or
//! both, and what may be only grows from step to step. Whatever some match from the state comes to is among what may be, so
//! a goal that may not be is out of reach: that is a proof. The other way round nothing is proved.
//!
//! Many questions are asked at once, one a bit. A question may hold one fluent to the value that it has in its state: if
//! a goal is out of reach then, the fluent has to change on every way there. What to make of it is left to searches.

use std::sync::Arc;

use groundrules_net::{Kind, Literal, Network};

use crate::machine::Move;

/// Words of bits for a node.
const WORDS: usize = 4;

/// How many questions are asked at once.
pub const LANES: usize = WORDS * 64;

type Bits = [u64; WORDS];

/// In which lanes a node may be true and in which it may be false.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct May {
    hold: Bits,
    fail: Bits,
}

impl May {
    #[inline]
    fn of(self, literal: Literal) -> May {
        if literal.is_complemented() { May { hold: self.fail, fail: self.hold } } else { self }
    }
}

#[inline]
fn all(one: Bits, other: Bits) -> Bits {
    std::array::from_fn(|word| one[word] & other[word])
}

#[inline]
fn any(one: Bits, other: Bits) -> Bits {
    std::array::from_fn(|word| one[word] | other[word])
}

#[inline]
fn bit(bits: &Bits, lane: usize) -> bool {
    bits[lane / 64] >> (lane % 64) & 1 == 1
}

/// A question: a packed state with a bit for each fluent, and a fluent that keeps its value.
pub type Question<'a> = (&'a [u64], Option<usize>);

/// What may still come of states of one network.
#[derive(Clone)]
pub struct Relaxation {
    network: Arc<Network>,
    values: Vec<May>,
    /// For each fluent the lanes in which it keeps its value.
    held: Vec<Bits>,
    /// For each move whether it may be made at all.
    is_allowed: Vec<bool>,
}

/// Steps after which a question is given up: everything may come.
const MOST_STEPS: usize = 1000;

impl Relaxation {
    /// One that goes by a network, which may be one for legal play in reachable states.
    pub fn new(network: Arc<Network>) -> Self {
        let is_allowed = vec![true; network.moves()];
        // Most are never asked: there is one for every match.
        Relaxation { network, values: Vec::new(), held: Vec::new(), is_allowed }
    }

    /// From now on these moves are never made, and all others may be.
    pub fn forbid(&mut self, moves: &[Move]) {
        self.is_allowed.fill(true);
        for &Move(number) in moves {
            if let Some(is_allowed) = self.is_allowed.get_mut(number as usize) {
                *is_allowed = false;
            }
        }
    }

    /// How much work a step is, in operands.
    pub fn size(&self) -> usize {
        self.network.operand_count() + self.network.node_count()
    }

    /// For each question the highest goal that the role may still get at an end of the match; nothing if it may get none.
    pub fn most(&mut self, role: usize, questions: &[Question<'_>]) -> Vec<Option<i32>> {
        questions.chunks(LANES).flat_map(|chunk| self.most_of_some(role, chunk)).collect()
    }

    fn most_of_some(&mut self, role: usize, questions: &[Question<'_>]) -> Vec<Option<i32>> {
        let is_settled = self.settle(questions);
        let goals = self.network.outputs.goals.iter().filter(|goal| goal.role == role);
        if !is_settled {
            let most = goals.map(|goal| goal.value).max();
            return vec![most; questions.len()];
        }
        let over = self.may(self.network.outputs.terminal).hold;
        let mut most = vec![None; questions.len()];
        for goal in goals {
            let reached = all(over, self.may(goal.literal).hold);
            for (lane, most) in most.iter_mut().enumerate().filter(|&(lane, _)| bit(&reached, lane)) {
                debug_assert!(lane < LANES);
                *most = (*most).max(Some(goal.value));
            }
        }
        most
    }

    /// Lets what may be grow until it does not any more; says whether that came to an end.
    fn settle(&mut self, questions: &[Question<'_>]) -> bool {
        self.stand(questions);
        // The first time tells which moves are legal; nothing is next while none may be made.
        self.evaluate();
        self.allow_moves();
        for _ in 0..MOST_STEPS {
            self.evaluate();
            let grew = self.go_on();
            if !(self.allow_moves() || grew) {
                return true;
            }
        }
        false
    }

    /// Each lane in its state, no move made.
    fn stand(&mut self, questions: &[Question<'_>]) {
        let fluents = self.network.fluents();
        self.values.resize(self.network.node_count(), May::default());
        self.held.clear();
        self.held.resize(fluents, Bits::default());
        for (lane, held) in
            questions.iter().enumerate().filter_map(|(lane, (_, held))| Some((lane, (*held)?)))
        {
            if let Some(held) = self.held.get_mut(held) {
                held[lane / 64] |= 1 << (lane % 64);
            }
        }
        self.values[0] = May { hold: Bits::default(), fail: [!0; WORDS] };
        let first = questions.first().map_or(&[][..], |(state, _)| state);
        let is_one_state = questions.iter().all(|(state, _)| std::ptr::eq(*state, first));
        for fluent in 0..fluents {
            if is_one_state {
                let value = first.get(fluent / 64).copied().unwrap_or(0) >> (fluent % 64) & 1;
                let hold = [value.wrapping_neg(); WORDS];
                self.values[1 + fluent] = May { hold, fail: hold.map(|word| !word) };
                continue;
            }
            let mut hold = Bits::default();
            for (lane, (state, _)) in questions.iter().enumerate() {
                let value = state.get(fluent / 64).copied().unwrap_or(0) >> (fluent % 64) & 1;
                hold[lane / 64] |= value << (lane % 64);
            }
            self.values[1 + fluent] = May { hold, fail: hold.map(|word| !word) };
        }
        for number in 0..self.network.moves() {
            self.values[1 + fluents + number] = May { hold: Bits::default(), fail: [!0; WORDS] };
        }
    }

    #[inline]
    fn may(&self, literal: Literal) -> May {
        self.values[literal.node().index()].of(literal)
    }

    /// The gates, from what may be of fluents and moves.
    fn evaluate(&mut self) {
        let network = self.network.clone();
        let first = network.node_count() - network.gate_count();
        let mut components = network.components().iter().peekable();
        let mut gate = 0;
        while gate < network.gate_count() {
            let own = components.next_if(|range| range.start as usize == gate);
            let end = own.map_or(gate + 1, |range| range.end as usize);
            if own.is_some() {
                // Gates that depend on each other hold if they must, and here may if they may by way of the others; that
                // they fail is not looked into.
                self.values[first + gate..first + end].fill(May { hold: Bits::default(), fail: [!0; WORDS] });
            }
            let mut changed = true;
            while std::mem::take(&mut changed) {
                for member in gate..end {
                    let mut value = self.gate(&network, member);
                    if own.is_some() {
                        value.fail = [!0; WORDS];
                        changed |= self.values[first + member] != value;
                    }
                    self.values[first + member] = value;
                }
            }
            gate = end;
        }
    }

    #[inline]
    fn gate(&self, network: &Network, gate: usize) -> May {
        let operands = network.operands(gate).iter().map(|&operand| self.may(operand));
        match network.gate_kind(gate) {
            Kind::And => {
                let start = May { hold: [!0; WORDS], fail: Bits::default() };
                operands.fold(start, |value, operand| May {
                    hold: all(value.hold, operand.hold),
                    fail: any(value.fail, operand.fail),
                })
            }
            Kind::Or => {
                let start = May { hold: Bits::default(), fail: [!0; WORDS] };
                operands.fold(start, |value, operand| May {
                    hold: any(value.hold, operand.hold),
                    fail: all(value.fail, operand.fail),
                })
            }
        }
    }

    /// Moves that may be legal may be made; says whether there are new ones.
    fn allow_moves(&mut self) -> bool {
        let mut grew = false;
        for number in (0..self.network.moves()).filter(|&number| self.is_allowed[number]) {
            let legal = self.may(self.network.outputs.legal[number]).hold;
            let value = &mut self.values[1 + self.network.fluents() + number];
            let hold = any(value.hold, legal);
            grew |= hold != value.hold;
            value.hold = hold;
        }
        grew
    }

    /// What may be next may be; says whether that is more than before.
    fn go_on(&mut self) -> bool {
        let mut grew = false;
        for fluent in 0..self.network.fluents() {
            let (next, held) = (self.may(self.network.outputs.next[fluent]), self.held[fluent]);
            let value = &mut self.values[1 + fluent];
            let free = held.map(|word| !word);
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

    use super::*;
    use crate::engines::Engine;
    use crate::engines::pair::Pair;

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
    fn what_is_out_of_reach_is_told() {
        let game = read(COLOURS.as_bytes(), &Options::default()).game.expect("a valid description");
        let Pair { mut machine, relaxation, .. } = Engine::Sliced.pair(&game, &[]).expect("a playable game");
        let mut relaxation = relaxation.expect("a network");
        let mut start = crate::State::default();
        machine.save(&mut start);
        let questions: Vec<Question<'_>> = (0..start.words().len() * 64)
            .map(|fluent| (start.words(), Some(fluent)))
            .chain([(start.words(), None)])
            .collect();
        let most = relaxation.most(0, &questions);
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
            let mut state = crate::State::default();
            machine.save(&mut state);
            assert_eq!(relaxation.most(0, &[(state.words(), None)]), [Some(goal)], "{move_text}");
        }
    }
}
