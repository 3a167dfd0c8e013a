//! The circuit in AIGER, the format of hardware model checkers: binary, version 1.9, with symbols. A latch stands for each fluent and an
//! input for each move. One more latch holds once a joint move was not legal or was made after the end; a bad state counts only before.

use groundrules_net::{Kind, Literal, NodeId};
use rustc_hash::FxHashMap;

use crate::circuit::{Circuit, Node};
use crate::subject::Subject;

/// The most gates of a file.
const MOST_GATES: usize = 20_000_000;

/// Why a circuit cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "rules that depend on each other would be written out as more than {MOST_GATES} gates; AIGER has no fixpoints"
)]
pub struct TooLarge;

/// Gates with two operands each, in the numbers of AIGER: twice the variable, plus one for the complement.
struct Gates {
    first: u32,
    gates: Vec<(u32, u32)>,
    known: FxHashMap<(u32, u32), u32>,
}

impl Gates {
    fn and(&mut self, a: u32, b: u32) -> Result<u32, TooLarge> {
        let (a, b) = if a < b { (b, a) } else { (a, b) };
        Ok(match (a, b) {
            (_, 0) => 0,
            (a, 1) => a,
            (a, b) if a == b => a,
            (a, b) if a == b ^ 1 => 0,
            key => match self.known.get(&key) {
                Some(&known) => known,
                None if self.gates.len() >= MOST_GATES => return Err(TooLarge),
                None => {
                    let own = 2 * (self.first + self.gates.len() as u32);
                    self.gates.push(key);
                    self.known.insert(key, own);
                    own
                }
            },
        })
    }

    fn or(&mut self, a: u32, b: u32) -> Result<u32, TooLarge> {
        Ok(self.and(a ^ 1, b ^ 1)? ^ 1)
    }

    fn all(&mut self, kind: Kind, operands: impl Iterator<Item = u32>) -> Result<u32, TooLarge> {
        // A balanced tree keeps the circuit shallow.
        let flip = u32::from(kind == Kind::Or);
        let mut layer: Vec<u32> = operands.map(|operand| operand ^ flip).collect();
        while layer.len() > 1 {
            let pairs: Vec<Vec<u32>> = layer.chunks(2).map(<[u32]>::to_vec).collect();
            layer.clear();
            for pair in pairs {
                layer.push(if let [a, b] = pair[..] { self.and(a, b)? } else { pair[0] });
            }
        }
        Ok(layer.first().copied().unwrap_or(1) ^ flip)
    }
}

/// A game with one property as a file: `bad` says where the property is violated.
pub fn aiger(subject: &Subject, bad: Literal, name: &str) -> Result<Vec<u8>, TooLarge> {
    let circuit = &subject.circuit;
    let (inputs, latches) = (circuit.input_count() as u32, circuit.latch_count() as u32 + 1);
    let mut gates = Gates { first: 1 + inputs + latches, gates: Vec::new(), known: FxHashMap::default() };
    let values = write_gates(circuit, &mut gates)?;
    let value = |literal: Literal| values[literal.node().index()] ^ u32::from(literal.is_complemented());
    let broken = 2 * (inputs + latches);
    let legal = legal_moves(circuit, &mut gates, value)?;
    let still_broken = gates.or(broken, legal ^ 1)?;
    let bad = gates.and(value(bad), broken ^ 1)?;
    let mut next: Vec<u32> = (0..circuit.latch_count()).map(|latch| value(circuit.next(latch))).collect();
    next.push(still_broken);
    let count = gates.gates.len();
    let variables = (inputs + latches) as usize + count;
    let mut file = format!("aig {variables} {inputs} {latches} 0 {count} 1\n").into_bytes();
    for (latch, next) in next.iter().enumerate() {
        let reset = if circuit.init().get(latch) == Some(&true) { " 1" } else { "" };
        file.extend(format!("{next}{reset}\n").bytes());
    }
    file.extend(format!("{bad}\n").bytes());
    for (place, &(a, b)) in gates.gates.iter().enumerate() {
        let own = 2 * (gates.first + place as u32);
        write_number(&mut file, own - a);
        write_number(&mut file, a - b);
    }
    write_symbols(&mut file, subject, name);
    Ok(file)
}

/// The value of each node.
fn write_gates(circuit: &Circuit, gates: &mut Gates) -> Result<Vec<u32>, TooLarge> {
    let inputs = circuit.input_count() as u32;
    let mut values = vec![0u32; circuit.node_count()];
    let mut node = 0;
    while node < circuit.node_count() {
        let id = NodeId(node as u32);
        let component = circuit.component_of(id);
        let range = component.clone().map_or(node..node + 1, |it| it.start as usize..it.end as usize);
        // From all false, after as many rounds as there are gates, nothing changes any more.
        let rounds = if component.is_some() { range.len() } else { 1 };
        for _ in 0..rounds {
            let before: Vec<u32> = values[range.clone()].to_vec();
            for own in range.clone() {
                let id = NodeId(own as u32);
                let value = match circuit.node(id) {
                    Node::Constant => 0,
                    Node::Input(input) => 2 * (1 + input),
                    Node::Latch(latch) => 2 * (1 + inputs + latch),
                    Node::Gate(kind, ..) => {
                        let value = |literal: &Literal| {
                            values[literal.node().index()] ^ u32::from(literal.is_complemented())
                        };
                        let operands: Vec<u32> = circuit.operands(id).iter().map(value).collect();
                        gates.all(kind, operands.into_iter())?
                    }
                };
                values[own] = value;
            }
            if values[range.clone()] == before[..] {
                break;
            }
        }
        node = range.end;
    }
    Ok(values)
}

/// Holds where each role makes exactly one move, a legal one, and the match is not over.
fn legal_moves(
    circuit: &Circuit,
    gates: &mut Gates,
    value: impl Fn(Literal) -> u32,
) -> Result<u32, TooLarge> {
    let mut all = vec![value(circuit.terminal) ^ 1];
    for role in 0..circuit.roles {
        let (mut one, mut two) = (0, 0);
        for input in circuit.inputs_of(role) {
            let does = value(circuit.input_literal(input));
            let both = gates.and(one, does)?;
            two = gates.or(two, both)?;
            one = gates.or(one, does)?;
            all.push(gates.or(does ^ 1, value(circuit.legal[input]))?);
        }
        all.extend([one, two ^ 1]);
    }
    gates.all(Kind::And, all.into_iter())
}

/// Seven bits a byte, the lowest first.
fn write_number(file: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        file.push((number & 0x7F) as u8 | 0x80);
        number >>= 7;
    }
    file.push(number as u8);
}

fn write_symbols(file: &mut Vec<u8>, subject: &Subject, name: &str) {
    let mut line = |text: String| {
        file.extend(text.bytes());
        file.push(b'\n');
    };
    for (number, &(role, term)) in subject.ground.moves.iter().enumerate() {
        line(format!("i{number} (does {} {})", subject.roles[role], subject.ground.term(term)));
    }
    for latch in 0..subject.circuit.latch_count() {
        line(format!("l{latch} {}", subject.latch_text(latch)));
    }
    line(format!("l{} broken", subject.circuit.latch_count()));
    line(format!("b0 {name}"));
    line("c\ngroundrules".to_owned());
}
