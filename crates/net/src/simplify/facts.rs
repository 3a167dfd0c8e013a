//! What holds in every legal match: each role makes exactly one move, and it is a legal one. So two moves of a role are
//! never made together, one of them is always made, and wherever a move is made all that its legality asks for holds.
//! Only networks for legal play may be simplified by that.

use rustc_hash::FxHashMap;

use crate::gates::{Gates, Kind};
use crate::literal::{Literal, NodeId};
use crate::network::{Network, NodeKind};
use crate::simplify::rebuild::{Pass, mapped, rebuild, uses};

/// How deep to look for what a move's legality implies, and for what a made move decides.
const DEPTH: usize = 4;
/// The most literals that one move's legality is known to imply.
const MOST_IMPLIED: usize = 64;

/// Uses the facts.
pub(crate) fn run(network: &Network) -> Network {
    let roots = network.roots();
    let mut pass = Facts::new(network, uses(&network.gates, &roots));
    rebuild(&network.gates, &roots, &mut pass).network(network)
}

struct Facts<'n> {
    network: &'n Network,
    uses: Vec<u32>,
    /// The moves of each role that can be legal.
    possible: Vec<Vec<usize>>,
    /// For each move what holds when it is legal, computed when first asked for.
    implied: Vec<Option<Box<[Literal]>>>,
}

impl<'n> Facts<'n> {
    fn new(network: &'n Network, uses: Vec<u32>) -> Self {
        let mut possible = vec![Vec::new(); network.roles];
        for (number, &role) in network.movers.iter().enumerate() {
            if network.outputs.legal[number] != Literal::FALSE {
                possible[role as usize].push(number);
            }
        }
        Facts { network, uses, possible, implied: vec![None; network.moves()] }
    }

    fn moved(&self, literal: Literal) -> Option<usize> {
        match self.network.kind(literal.node()) {
            NodeKind::Move(number) => Some(number),
            _ => None,
        }
    }

    /// What holds when a move is legal, sorted.
    fn implied(&mut self, number: usize) -> &[Literal] {
        let network = self.network;
        self.implied[number].get_or_insert_with(|| {
            let mut known = vec![network.outputs.legal[number]];
            let mut next = 0;
            while next < known.len() && known.len() < MOST_IMPLIED {
                if let Some((Kind::And, gate)) = network.gates.seen(known[next]) {
                    let complemented = known[next].is_complemented();
                    let operands = network.operands(gate).iter();
                    known.extend(operands.map(|operand| operand.complemented_if(complemented)));
                }
                next += 1;
            }
            known.sort_unstable();
            known.dedup();
            known.into()
        })
    }

    /// What an old literal is worth when a move is made.
    fn when_made(&mut self, number: usize, literal: Literal) -> Option<bool> {
        if let Some(other) = self.moved(literal) {
            let same_role = self.network.movers[other] == self.network.movers[number];
            return same_role.then_some((other == number) != literal.is_complemented());
        }
        let implied = self.implied(number);
        if implied.binary_search(&literal).is_ok() {
            return Some(true);
        }
        implied.binary_search(&!literal).is_ok().then_some(false)
    }

    /// An old literal rebuilt under the assumption that a move is made; shared gates are left alone.
    fn remade(
        &mut self,
        number: usize,
        literal: Literal,
        depth: usize,
        made: (&mut Gates, &[Literal]),
    ) -> Literal {
        if let Some(value) = self.when_made(number, literal) {
            return Literal::from(value);
        }
        let (gates, map) = made;
        let whole = mapped(literal, map);
        let Some(gate) = self.network.gates.gate_of(literal.node()) else { return whole };
        if depth == 0 || self.uses[gate] != 1 || self.network.gates.is_in_component(gate) {
            return whole;
        }
        let operands = self.network.operands(gate).iter();
        let mut operands: Vec<Literal> =
            operands.map(|&operand| self.remade(number, operand, depth - 1, (gates, map))).collect();
        gates.make(self.network.gate_kind(gate), &mut operands).complemented_if(literal.is_complemented())
    }

    /// The role's moves that are not excluded, if these are fewer than those that are. `excluded` are moves of one role,
    /// ascending as operands are.
    fn others(&self, excluded: &[usize]) -> Option<Vec<usize>> {
        let role = self.network.movers[*excluded.first()?];
        let possible = &self.possible[role as usize];
        let is_left = |number: &&usize| excluded.binary_search(number).is_err();
        (possible.len() < 2 * excluded.len()).then(|| possible.iter().filter(is_left).copied().collect())
    }
}

impl Pass for Facts<'_> {
    fn leaf(&mut self, leaf: NodeId) -> Literal {
        let Some(number) = self.moved(leaf.literal()) else { return leaf.literal() };
        match &self.possible[self.network.movers[number] as usize][..] {
            &[only] => Literal::from(only == number),
            _ if self.network.outputs.legal[number] == Literal::FALSE => Literal::FALSE,
            _ => leaf.literal(),
        }
    }

    fn gate(
        &mut self,
        old: usize,
        kind: Kind,
        operands: &mut Vec<Literal>,
        gates: &mut Gates,
        map: &[Literal],
    ) -> Literal {
        // An Or is the complement of an And of complements.
        let flip = kind == Kind::Or;
        let seen: Vec<Literal> =
            self.network.operands(old).iter().map(|operand| operand.complemented_if(flip)).collect();
        let made = seen.iter().find(|operand| !operand.is_complemented() && self.moved(**operand).is_some());
        if let Some(made) = made.and_then(|&made| self.moved(made)) {
            let does = self.network.does(made).literal();
            let mut remade: Vec<Literal> = vec![mapped(does, map)];
            for &operand in seen.iter().filter(|&&operand| operand != does) {
                remade.push(self.remade(made, operand, DEPTH, (gates, map)));
            }
            return gates.make(Kind::And, &mut remade).complemented_if(flip);
        }
        let mut excluded: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for number in seen.iter().filter_map(|&operand| self.moved(operand)) {
            excluded.entry(self.network.movers[number]).or_default().push(number);
        }
        for excluded in excluded.into_values() {
            if let Some(others) = self.others(&excluded) {
                let gone = |operand: Literal| {
                    self.moved(operand).is_some_and(|number| excluded.binary_search(&number).is_ok())
                };
                let mut places = seen.iter();
                operands.retain(|_| places.next().is_none_or(|&operand| !gone(operand)));
                let does = |number: &usize| mapped(self.network.does(*number).literal(), map);
                let some = gates.make(Kind::Or, &mut others.iter().map(does).collect());
                operands.push(some.complemented_if(flip));
                break; // The places are not those of the old operands any more; the next round does the rest.
            }
        }
        gates.make(kind, operands)
    }
}
