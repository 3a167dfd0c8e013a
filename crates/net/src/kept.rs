//! A network as bytes, for those who keep it until the same game is met again. What follows from the ground game (who makes
//! which move, what holds at first) is not repeated. Bytes that are not those of a network over the ground game are refused.

use groundrules_gdl::packed::{Packer, Unpacker};
use groundrules_ground::GroundGame;

use crate::build::{init, movers, words};
use crate::gates::{Gates, Kind};
use crate::literal::Literal;
use crate::network::{Goal, Network, Outputs};

impl Network {
    /// The network as bytes.
    pub fn pack(&self) -> Vec<u8> {
        let mut out = Packer::new();
        self.gates.pack(&mut out);
        out.numbers(self.fixed.iter().map(|&(fluent, value)| (fluent as u32) << 1 | u32::from(value)));
        pack_literals(&self.outputs.next, &mut out);
        pack_literals(&self.outputs.legal, &mut out);
        out.number(self.outputs.terminal.0);
        let goals = &self.outputs.goals;
        out.numbers(goals.iter().map(|goal| goal.role as u32));
        out.numbers(goals.iter().map(|goal| goal.value.cast_unsigned()));
        out.numbers(goals.iter().map(|goal| goal.literal.0));
        out.numbers(self.labels.iter().map(|&(atom, _)| atom));
        out.numbers(self.labels.iter().map(|&(_, literal)| literal.0));
        out.into_bytes()
    }

    /// A network of a ground game from what [`pack`](Self::pack) wrote; nothing if the bytes are others.
    pub fn unpack(game: &GroundGame, bytes: &[u8]) -> Option<Network> {
        let mut from = Unpacker::new(bytes);
        let gates = Gates::unpack(game.fluents.len() + game.moves.len(), &mut from)?;
        let nodes = gates.nodes();
        let fixed = from.numbers_below(2 * game.fluents.len())?;
        let fixed = fixed.map(|fixed| (fixed as usize >> 1, fixed & 1 == 1)).collect();
        let outputs = Outputs {
            next: unpack_literals(game.fluents.len(), nodes, &mut from)?,
            legal: unpack_literals(game.moves.len(), nodes, &mut from)?,
            terminal: from.number().filter(|&literal| literal as usize >> 1 < nodes).map(Literal)?,
            goals: unpack_goals(game, nodes, &mut from)?,
        };
        let atoms = from.numbers_below(game.derived.len())?;
        let literals = unpack_literals(atoms.len(), nodes, &mut from)?;
        let network = Network {
            gates,
            roles: game.roles.len(),
            movers: movers(game),
            words: words(game),
            init: init(game),
            fixed,
            outputs,
            labels: atoms.zip(literals).collect(),
        };
        from.is_empty().then_some(network)
    }
}

fn pack_literals(literals: &[Literal], out: &mut Packer) {
    out.numbers(literals.iter().map(|literal| literal.0));
}

fn unpack_literals(count: usize, nodes: usize, from: &mut Unpacker<'_>) -> Option<Vec<Literal>> {
    let literals = from.numbers_below(2 * nodes)?;
    (literals.len() == count).then(|| literals.map(Literal).collect())
}

fn unpack_goals(game: &GroundGame, nodes: usize, from: &mut Unpacker<'_>) -> Option<Vec<Goal>> {
    let roles = from.numbers_below(game.roles.len())?;
    let values = from.numbers()?;
    let literals = unpack_literals(roles.len(), nodes, from)?;
    (values.len() == roles.len()).then_some(())?;
    let goals = roles.zip(values).zip(literals);
    Some(
        goals
            .map(|((role, value), literal)| Goal { role: role as usize, value: value.cast_signed(), literal })
            .collect(),
    )
}

impl Gates {
    fn pack(&self, out: &mut Packer) {
        out.flags((0..self.len()).map(|gate| self.kind(gate) == Kind::Or));
        out.numbers(
            (0..self.len())
                .flat_map(|gate| self.operands(gate))
                .map(|operand| operand.0)
                .collect::<Vec<_>>()
                .into_iter(),
        );
        let mut end = 0;
        let ends = (0..self.len()).map(|gate| {
            end += self.operands(gate).len() as u32;
            end
        });
        out.numbers(ends);
        out.numbers(self.components().iter().map(|range| range.start));
        out.numbers(self.components().iter().map(|range| range.end));
    }

    fn unpack(leaves: usize, from: &mut Unpacker<'_>) -> Option<Gates> {
        let kinds = from.flags()?.into_iter().map(|or| if or { Kind::Or } else { Kind::And }).collect();
        let operands = from.numbers()?.map(Literal).collect();
        let ends = from.numbers()?.collect();
        let (starts, stops) = (from.numbers()?, from.numbers()?);
        (starts.len() == stops.len()).then_some(())?;
        let components = starts.zip(stops).map(|(start, stop)| start..stop).collect();
        Gates::checked(leaves, kinds, ends, operands, components)
    }
}
