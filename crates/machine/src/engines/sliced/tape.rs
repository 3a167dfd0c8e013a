//! The interpreter of a gate list: every gate's result has a place in memory, places are used again once nobody reads
//! them any more, and gates run one after the other. Gates near each other are sorted so that many of one kind follow each
//! other: what kind it is, is then asked once for all of them. It is the portable path, and what the machine code is held
//! against.

use crate::index::index32;

use super::lower::{Gate, GateList, Op, Operand};
use super::vector::Vector;

/// An instruction on places.
#[derive(Clone, Copy, Debug)]
struct Instruction {
    to: u32,
    a: u32,
    b: u32,
    c: u32,
}

/// A gate list prepared for interpretation.
#[derive(Clone, Debug)]
pub(super) struct Tape {
    instructions: Vec<Instruction>,
    /// What they compute, and how many in a row compute that.
    runs: Vec<(Op, u32)>,
    /// Where the random vectors are put.
    first_random: usize,
    randoms: usize,
    places: usize,
}

/// The places of the constants, after the slots.
const CONSTANTS: usize = 2;

impl Tape {
    pub(super) fn of(list: &GateList) -> Self {
        let list = &sorted(list);
        let mut tape = Tape {
            instructions: Vec::with_capacity(list.gates.len() + list.stores.len()),
            runs: Vec::new(),
            first_random: list.slots + CONSTANTS,
            randoms: list.randoms,
            places: 0,
        };
        let mut places = Places::new(list);
        let mut stores = list.stores.iter().peekable();
        for (index, gate) in list.gates.iter().enumerate() {
            while let Some(store) = stores.next_if(|store| store.after as usize <= index) {
                let from = places.of(store.value);
                tape.push(Op::Copy, Instruction { to: store.slot, a: from, b: from, c: from });
                places.release(store.value);
            }
            let (a, b, c) = (places.of(gate.a), places.of(gate.b), places.of(gate.c));
            gate.operands().for_each(|operand| places.release(operand));
            // A result that goes nowhere but into its slot, at once, is computed there.
            let direct = stores.peek().filter(|store| {
                store.after as usize == index + 1
                    && store.value == Operand::Gate(gate_number(index))
                    && places.uses[index] == 1
            });
            let to = if let Some(store) = direct {
                let slot = store.slot;
                stores.next();
                slot
            } else {
                places.take(index)
            };
            tape.push(gate.op, Instruction { to, a, b, c });
        }
        for store in stores {
            let from = places.of(store.value);
            tape.push(Op::Copy, Instruction { to: store.slot, a: from, b: from, c: from });
        }
        tape.places = places.count;
        tape
    }

    fn push(&mut self, op: Op, instruction: Instruction) {
        self.instructions.push(instruction);
        match self.runs.last_mut() {
            Some((last, count)) if *last == op => *count += 1,
            _ => self.runs.push((op, 1)),
        }
    }

    /// How many places the memory must have.
    pub(super) fn places(&self) -> usize {
        self.places
    }

    /// Runs the gates. The memory has the slots first and at least [`places`](Self::places) places.
    #[inline(always)]
    pub(super) fn run<V: Vector>(&self, memory: &mut [V], random: &[V]) {
        let first = self.first_random;
        memory[first - 2] = V::filled(false);
        memory[first - 1] = V::filled(true);
        memory[first..first + self.randoms].copy_from_slice(&random[..self.randoms]);
        let mut rest = &self.instructions[..];
        for &(op, count) in &self.runs {
            let (now, later) = rest.split_at(count as usize);
            rest = later;
            match op {
                Op::And => run_of(memory, now, V::and),
                Op::AndNot => run_of(memory, now, V::and_not),
                Op::Or => run_of(memory, now, V::or),
                Op::Xor => run_of(memory, now, V::xor),
                Op::Not => run_of(memory, now, |a, _| a.xor(V::filled(true))),
                Op::Copy => run_of(memory, now, |a, _| a),
                Op::Table(table) => {
                    for one in now {
                        let [a, b, c] = [one.a, one.b, one.c].map(|place| memory[place as usize]);
                        memory[one.to as usize] = by_table(table, a, b, c);
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn run_of<V: Vector>(memory: &mut [V], instructions: &[Instruction], join: impl Fn(V, V) -> V) {
    for one in instructions {
        memory[one.to as usize] = join(memory[one.a as usize], memory[one.b as usize]);
    }
}

/// Gates further apart than this keep their order, so that results are used while they are in the cache.
const WINDOW: usize = 512;

/// The same gates in another order: in each window by how deep they are in it, then by kind.
fn sorted(list: &GateList) -> GateList {
    let mut depth = vec![0_u32; list.gates.len()];
    let mut order: Vec<usize> = (0..list.gates.len()).collect();
    for window in order.chunks_mut(WINDOW) {
        let first = window[0];
        for &index in window.iter() {
            let inside = list.gates[index].operands().filter_map(|operand| match operand {
                Operand::Gate(gate) if gate as usize >= first => Some(depth[gate as usize] + 1),
                _ => None,
            });
            depth[index] = inside.max().unwrap_or(0);
        }
        let kind = |index: usize| match list.gates[index].op {
            Op::And => 0,
            Op::AndNot => 1,
            Op::Or => 2,
            Op::Xor => 3,
            Op::Not => 4,
            Op::Copy => 5,
            Op::Table(table) => 6 + u32::from(table),
        };
        // Every other level backwards, so that the last kind of one level is the first of the next.
        let key = |&index: &usize| {
            let kind = kind(index);
            (depth[index], if depth[index].is_multiple_of(2) { kind } else { u32::MAX - kind })
        };
        window.sort_by_key(key);
    }
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(new, &old)| place[old] = gate_number(new));
    let moved = |operand: Operand| match operand {
        Operand::Gate(gate) => Operand::Gate(place[gate as usize]),
        other => other,
    };
    let gate = |&old: &usize| {
        let Gate { op, a, b, c } = list.gates[old];
        Gate { op, a: moved(a), b: moved(b), c: moved(c) }
    };
    let mut new = GateList {
        gates: order.iter().map(gate).collect(),
        stores: Vec::new(),
        slots: list.slots,
        randoms: list.randoms,
    };
    let values: Vec<(u32, Operand)> =
        list.stores.iter().map(|store| (store.slot, moved(store.value))).collect();
    new.schedule_stores(&values);
    new
}

/// A function of three values by its table: slow, and only for comparing.
fn by_table<V: Vector>(table: u8, a: V, b: V, c: V) -> V {
    (0..8_u8).filter(|row| table >> row & 1 == 1).fold(V::default(), |all, row| {
        let wanted = |value: V, bit: u8| if row >> bit & 1 == 1 { value } else { value.xor(V::filled(true)) };
        all.or(wanted(a, 2).and(wanted(b, 1)).and(wanted(c, 0)))
    })
}

fn gate_number(index: usize) -> u32 {
    index32(index)
}

/// Gives places to results and takes them back.
struct Places {
    slots: usize,
    /// Where each gate's result is.
    of_gate: Vec<u32>,
    /// How often each gate's result is still read.
    uses: Vec<u32>,
    free: Vec<u32>,
    count: usize,
}

impl Places {
    fn new(list: &GateList) -> Self {
        let mut uses = vec![0; list.gates.len()];
        let read = list.gates.iter().flat_map(Gate::operands);
        for operand in read.chain(list.stores.iter().map(|store| store.value)) {
            if let Operand::Gate(gate) = operand {
                uses[gate as usize] += 1;
            }
        }
        Places {
            slots: list.slots,
            of_gate: vec![0; list.gates.len()],
            uses,
            free: Vec::new(),
            count: list.slots + CONSTANTS + list.randoms,
        }
    }

    fn of(&self, operand: Operand) -> u32 {
        match operand {
            Operand::Slot(slot) => slot,
            Operand::Constant(value) => gate_number(self.slots + usize::from(value)),
            Operand::Random(index) => gate_number(self.slots + CONSTANTS) + index,
            Operand::Gate(gate) => self.of_gate[gate as usize],
        }
    }

    fn release(&mut self, operand: Operand) {
        if let Operand::Gate(gate) = operand {
            self.uses[gate as usize] -= 1;
            if self.uses[gate as usize] == 0 {
                self.free.push(self.of_gate[gate as usize]);
            }
        }
    }

    fn take(&mut self, gate: usize) -> u32 {
        let place = self.free.pop().unwrap_or_else(|| {
            self.count += 1;
            gate_number(self.count - 1)
        });
        self.of_gate[gate] = place;
        place
    }
}
