//! The interpreter of a gate list: every gate's result has a place in memory, places are used again once nobody reads
//! them any more, and gates run one after the other. It is the portable path, and what the machine code is held against.

use super::lower::{GateList, Op, Operand};
use super::vector::Vector;

/// An instruction on places.
#[derive(Clone, Copy, Debug)]
struct Instruction {
    op: Op,
    to: u32,
    a: u32,
    b: u32,
    c: u32,
}

/// A gate list made ready to be interpreted.
#[derive(Clone, Debug)]
pub(super) struct Tape {
    instructions: Vec<Instruction>,
    /// Where the random vectors are put.
    first_random: usize,
    randoms: usize,
    places: usize,
}

/// The places of the constants, after the slots.
const CONSTANTS: usize = 2;

impl Tape {
    pub(super) fn of(list: &GateList) -> Self {
        let mut places = Places::new(list);
        let mut instructions = Vec::with_capacity(list.gates.len() + list.stores.len());
        let mut stores = list.stores.iter().peekable();
        for (index, gate) in list.gates.iter().enumerate() {
            while let Some(store) = stores.next_if(|store| store.after as usize <= index) {
                let from = places.of(store.value);
                instructions.push(Instruction { op: Op::Copy, to: store.slot, a: from, b: from, c: from });
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
            instructions.push(Instruction { op: gate.op, to, a, b, c });
        }
        for store in stores {
            let from = places.of(store.value);
            instructions.push(Instruction { op: Op::Copy, to: store.slot, a: from, b: from, c: from });
        }
        Tape {
            instructions,
            first_random: list.slots + CONSTANTS,
            randoms: list.randoms,
            places: places.count,
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
        for instruction in &self.instructions {
            let (a, b) = (memory[instruction.a as usize], memory[instruction.b as usize]);
            memory[instruction.to as usize] = match instruction.op {
                Op::And => a.and(b),
                Op::AndNot => a.and_not(b),
                Op::Or => a.or(b),
                Op::Xor => a.xor(b),
                Op::Not => a.xor(V::filled(true)),
                Op::Copy => a,
                Op::Table(table) => by_table(table, a, b, memory[instruction.c as usize]),
            };
        }
    }
}

/// A function of three values by its table: slow, and only for comparing.
fn by_table<V: Vector>(table: u8, a: V, b: V, c: V) -> V {
    (0..8_u8).filter(|row| table >> row & 1 == 1).fold(V::default(), |all, row| {
        let wanted = |value: V, bit: u8| if row >> bit & 1 == 1 { value } else { value.xor(V::filled(true)) };
        all.or(wanted(a, 2).and(wanted(b, 1)).and(wanted(c, 0)))
    })
}

fn gate_number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
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
        let read = list.gates.iter().flat_map(|gate| gate.operands());
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
