//! Takes moves apart into what they decide independently. Where a piece goes and which piece it is are two questions about
//! one move:
//!
//! ```text
//! next (at b red)  = does (go a b) & (at a red)  | does (go c b) & (at c red)  | …
//! next (at d red)  = does (go a d) & (at a red)  | does (go c d) & (at c red)  | …
//! ```
//!
//! A role makes one move, so the first is `to b & red goes`, the second `to d & red goes`, where `to b` is "some move of
//! the first row is made" and `red goes` is `from a & (at a red) | from c & (at c red) | …`. Instead of a gate for each
//! move and piece there is one for each place and piece.
//!
//! In general a term is a conjunction of a *guarded* literal, which holds only if one of some moves of a role is made, and
//! of a condition. Gates whose terms are guarded by different moves of a role form a family, by the conditions that they
//! have in common. A family is rewritten if that takes fewer gates, counted with two operands each. The result means the
//! same where each role makes at most one move. It suits those who evaluate all gates; who looks at one move at a time has
//! nothing to gain.

mod family;
mod guards;

use rustc_hash::FxHashMap;

use crate::gates::{Gates, Kind};
use crate::literal::Literal;
use crate::network::Network;
use crate::simplify::rebuild::{Pass, mapped, rebuild};
use family::Families;

/// A network that means the same in matches, with moves taken apart where that saves gates.
pub fn moves_apart(network: &Network) -> Network {
    let families = Families::of(network);
    if families.list.is_empty() {
        return network.clone();
    }
    let mut pass = Apart::new(network, families);
    rebuild(&network.gates, &network.roots(), &mut pass).network(network)
}

/// Rewrites families.
struct Apart<'n> {
    network: &'n Network,
    families: Families,
    /// For each gate of a family, the family and its place in it.
    places: FxHashMap<usize, (usize, usize)>,
    /// For each family, once it is made, whether the condition of the move that is made holds.
    made: Vec<Option<Literal>>,
}

impl<'n> Apart<'n> {
    fn new(network: &'n Network, families: Families) -> Self {
        let mut places = FxHashMap::default();
        for (number, family) in families.list.iter().enumerate() {
            let choices = family.choices.iter().enumerate();
            places.extend(choices.map(|(place, choice)| (choice.gate, (number, place))));
        }
        let made = vec![None; families.list.len()];
        Apart { network, families, places, made }
    }

    /// Whether the condition of the move that is made holds, whichever of the family's it is.
    fn condition(&mut self, number: usize, gates: &mut Gates, map: &[Literal]) -> Literal {
        if let Some(made) = self.made[number] {
            return made;
        }
        let mut terms = Vec::new();
        for (condition, guarded) in self.families.list[number].by_condition() {
            let new = |&literal: &Literal| mapped(literal, map);
            let mut operands: Vec<Literal> = condition.iter().map(new).collect();
            operands.push(gates.make(Kind::Or, &mut guarded.iter().map(new).collect()));
            terms.push(gates.make(Kind::And, &mut operands));
        }
        *self.made[number].insert(gates.make(Kind::Or, &mut terms))
    }
}

impl Pass for Apart<'_> {
    fn gate(
        &mut self,
        old: usize,
        kind: Kind,
        operands: &mut Vec<Literal>,
        gates: &mut Gates,
        map: &[Literal],
    ) -> Literal {
        let Some(&(number, place)) = self.places.get(&old) else { return gates.make(kind, operands) };
        let condition = self.condition(number, gates, map);
        let choice = &self.families.list[number].choices[place];
        let does = |&made: &u32| mapped(self.network.does(made as usize).literal(), map);
        let any = gates.make(Kind::Or, &mut choice.moves.iter().map(does).collect());
        let flip = choice.is_flipped;
        let mut new: Vec<Literal> =
            choice.others.iter().map(|&place| operands[place].complemented_if(flip)).collect();
        new.push(gates.make(Kind::And, &mut vec![any, condition]));
        gates.make(Kind::Or, &mut new).complemented_if(flip)
    }
}

#[cfg(test)]
mod tests {
    use groundrules_gdl::read;
    use groundrules_ground::ground;

    use super::*;
    use crate::network::holds;
    use crate::simplify::{Options, simplify};

    /// Pieces of six colours on eight places, moved by the first role; `second` are the rules of the second.
    fn network(second: &str) -> Network {
        let text = format!(
            "(role w) (role b) (place 1) (place 2) (place 3) (place 4) (place 5) (place 6)
            (place 7) (place 8) (init (at 1 red)) (init (at 2 blue)) (init (at 3 green)) (init (at 4 grey))
            (init (at 5 white)) (init (at 6 black))
            (<= (legal w (go ?x ?y)) (true (at ?x ?c)) (place ?y) (distinct ?x ?y))
            (<= (next (at ?y ?c)) (does ?r (go ?x ?y)) (true (at ?x ?c)))
            (<= (next (at ?x ?c)) (true (at ?x ?c)) (not (left ?x))) (<= (left ?x) (does ?r (go ?x ?y)))
            (<= terminal (true (at 6 red)) (true (at 6 blue))) (goal w 100) (goal b 0) {second}"
        );
        let game = read(text.as_bytes(), &groundrules_gdl::Options::default()).game.expect("valid");
        let ground = ground(&game, &groundrules_ground::Options::default()).expect("small");
        simplify(&Network::of(&ground).expect("stratified"), &Options::default()).0
    }

    /// Gates counted with two operands each.
    fn size(network: &Network) -> usize {
        network.operand_count() - network.gate_count()
    }

    #[test]
    fn where_a_piece_goes_and_which_piece_it_is_are_two_questions() {
        let plain = network("(legal b wait)");
        let apart = moves_apart(&plain);
        assert!(size(&apart) < size(&plain), "{} {}", size(&apart), size(&plain));
    }

    #[test]
    fn the_moves_of_two_roles_do_not_mix() {
        let second = "(<= (legal b (go ?x ?y)) (true (at ?x ?c)) (place ?y) (distinct ?x ?y))
            (<= (next (seen ?y ?c)) (does b (go ?x ?y)) (true (at ?x ?c)))";
        let plain = network(second);
        let apart = moves_apart(&plain);
        assert!(size(&apart) < size(&plain), "{} {}", size(&apart), size(&plain));
        let state = |fluent: usize| plain.init[fluent];
        for first in (0..plain.moves()).filter(|&number| plain.movers[number] == 0) {
            for second in (0..plain.moves()).filter(|&number| plain.movers[number] == 1) {
                let made = |number: usize| number == first || number == second;
                let (left, right) = (plain.evaluate(state, made), apart.evaluate(state, made));
                for fluent in 0..plain.fluents() {
                    let (old, new) = (plain.outputs.next[fluent], apart.outputs.next[fluent]);
                    assert_eq!(holds(old, &left), holds(new, &right), "{first} {second} {fluent}");
                }
            }
        }
    }
}
