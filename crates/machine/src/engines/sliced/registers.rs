//! Register allocation for a list of gates, on a machine with some number of vector registers whose instructions may
//! read one operand from memory. When registers run out, the value with the furthest next use is evicted (Belady's
//! rule). It is spilled if memory does not hold it yet, and spill slots are reused after the last read.
//!
//! The result does not depend on the processor; `encode` turns it into bytes.

use crate::index::index32;

use super::lower::{GateList, Op, Operand};

/// A vector register.
pub(super) type Register = u8;

/// A vector in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In the memory of the lanes, by number: first the slots, then what is spilled.
    Memory(u32),
    /// Among the random vectors.
    Random(u32),
}

/// Where the last operand of an instruction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Where {
    Register(Register),
    Place(Place),
}

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VectorOp {
    Load(Register, Place),
    Store(Place, Register),
    Constant(Register, bool),
    Move(Register, Register),
    /// `to` becomes `op` of two operands.
    Two {
        op: Op,
        to: Register,
        a: Register,
        b: Where,
    },
    /// Bit `4·to + 2·b + c` of the table.
    Three {
        table: u8,
        to: Register,
        b: Register,
        c: Where,
    },
}

/// The instructions of a gate list, and how many places of memory they use.
#[derive(Clone, Debug)]
pub(super) struct VectorProgram {
    pub(super) steps: Vec<VectorOp>,
    /// Where each chunk ends. Registers hold nothing from one chunk to the next, so other lanes may run a chunk in
    /// between.
    pub(super) ends: Vec<usize>,
    pub(super) places: usize,
}

/// A chunk has about so many instructions: their decoded form stays in the processor while several vectors of lanes run
/// through them. Lists that are not much longer are not cut.
const CHUNK: usize = 2500;

/// How soon a value must be used again to be worth a register when an instruction could read it from memory.
const SOON: u32 = 24;

/// Allocates registers.
pub(super) fn allocate(list: &GateList, registers: usize) -> VectorProgram {
    let mut allocation = Allocation::new(list, registers);
    let mut stores = list.stores.iter().peekable();
    let mut ends = Vec::new();
    for index in 0..=list.gates.len() {
        allocation.now = number(index);
        let rest = list.gates.len() - index;
        let is_full = allocation.steps.len() >= ends.last().copied().unwrap_or(0) + CHUNK;
        if is_full && rest > CHUNK / 2 {
            allocation.flush();
            ends.push(allocation.steps.len());
        }
        while let Some(store) = stores.next_if(|store| store.after as usize <= index) {
            allocation.store(store.slot, store.value);
            allocation.release();
        }
        if let Some(gate) = list.gates.get(index) {
            match gate.op {
                Op::Table(table) => allocation.three(index, table, [gate.a, gate.b, gate.c]),
                Op::Not => allocation.not(index, gate.a),
                Op::Copy => allocation.copy(index, gate.a),
                op => allocation.two(index, op, gate.a, gate.b),
            }
            allocation.release();
        }
    }
    ends.push(allocation.steps.len());
    VectorProgram { steps: allocation.steps, ends, places: allocation.places }
}

fn number(index: usize) -> u32 {
    index32(index)
}

struct Allocation {
    steps: Vec<VectorOp>,
    /// What each register holds, by the value's number.
    held: Vec<Option<usize>>,
    /// A register that must not be given away for the moment.
    pinned: Vec<Register>,
    values: Vec<Value>,
    gates: usize,
    slots: usize,
    now: u32,
    free: Vec<u32>,
    /// Places that are free once the instruction that reads them is written.
    freed: Vec<u32>,
    places: usize,
}

#[derive(Clone, Default)]
struct Value {
    register: Option<Register>,
    home: Option<Place>,
    /// The gates that read it, the last one first; a store counts as the gate before which it happens.
    uses: Vec<u32>,
    /// Whether its place was taken from those for spilled values.
    is_spilled: bool,
}

impl Allocation {
    fn new(list: &GateList, registers: usize) -> Self {
        let (gates, slots) = (list.gates.len(), list.slots);
        let mut allocation = Allocation {
            steps: Vec::with_capacity(gates * 2),
            held: vec![None; registers],
            pinned: Vec::new(),
            values: vec![Value::default(); gates + slots + list.randoms],
            gates,
            slots,
            now: 0,
            free: Vec::new(),
            freed: Vec::new(),
            places: slots,
        };
        for slot in 0..slots {
            allocation.values[gates + slot].home = Some(Place::Memory(number(slot)));
        }
        for random in 0..list.randoms {
            allocation.values[gates + slots + random].home = Some(Place::Random(number(random)));
        }
        allocation.note_uses(list);
        allocation
    }

    fn note_uses(&mut self, list: &GateList) {
        let reads = list.gates.iter().enumerate();
        let reads =
            reads.flat_map(|(index, gate)| gate.operands().map(move |operand| (number(index), operand)));
        let stores = list.stores.iter().map(|store| (store.after, store.value));
        for (index, operand) in reads.chain(stores) {
            if let Some(value) = self.value(operand) {
                self.values[value].uses.push(index);
            }
        }
        for value in &mut self.values {
            value.uses.sort_unstable_by(|a, b| b.cmp(a));
        }
    }

    fn value(&self, operand: Operand) -> Option<usize> {
        match operand {
            Operand::Gate(gate) => Some(gate as usize),
            Operand::Slot(slot) => Some(self.gates + slot as usize),
            Operand::Random(random) => Some(self.gates + self.slots + random as usize),
            Operand::Constant(_) => None,
        }
    }

    /// The value that a gate reads.
    fn input(&self, operand: Operand) -> usize {
        self.value(operand).expect("constants are folded before gates are made")
    }

    fn next_use(&self, value: usize) -> Option<u32> {
        self.values[value].uses.last().copied()
    }

    /// One use less; what is not needed any more leaves its register and its place.
    fn used(&mut self, value: usize) {
        self.values[value].uses.pop();
        if self.values[value].uses.is_empty() {
            self.drop_register(value);
            if let (true, Some(Place::Memory(place))) =
                (self.values[value].is_spilled, self.values[value].home)
            {
                self.freed.push(place);
                self.values[value].is_spilled = false;
            }
        }
    }

    /// Makes places free whose last reader is written.
    fn release(&mut self) {
        self.free.append(&mut self.freed);
    }

    fn drop_register(&mut self, value: usize) {
        if let Some(register) = self.values[value].register.take() {
            self.held[register as usize] = None;
        }
    }

    /// A register that holds nothing, given to a value.
    fn take(&mut self, value: Option<usize>) -> Register {
        let register = match self.held.iter().position(Option::is_none) {
            Some(free) if !self.pinned.contains(&register_number(free)) => register_number(free),
            _ => self.evict(),
        };
        if let Some(value) = value {
            self.held[register as usize] = Some(value);
            self.values[value].register = Some(register);
        }
        register
    }

    fn evict(&mut self) -> Register {
        let mut best: Option<(u64, Register)> = None;
        for (index, held) in self.held.iter().enumerate() {
            let register = register_number(index);
            if self.pinned.contains(&register) {
                continue;
            }
            let Some(value) = *held else { return register };
            let distance = u64::from(self.next_use(value).unwrap_or(u32::MAX).saturating_sub(self.now)) + 1;
            // Dropping what memory holds anyway costs no store.
            let worth = if self.values[value].home.is_some() { 2 * distance } else { distance };
            if best.is_none_or(|(known, _)| worth > known) {
                best = Some((worth, register));
            }
        }
        let (_, register) = best.expect("an instruction pins fewer registers than there are");
        self.empty(register);
        register
    }

    /// Takes what a register holds to memory, if it is not there.
    fn empty(&mut self, register: Register) {
        let Some(value) = self.held[register as usize] else { return };
        if self.values[value].home.is_none() {
            let place = self.free.pop().unwrap_or_else(|| {
                self.places += 1;
                number(self.places - 1)
            });
            self.values[value].home = Some(Place::Memory(place));
            self.values[value].is_spilled = true;
            self.steps.push(VectorOp::Store(Place::Memory(place), register));
        }
        self.drop_register(value);
    }

    /// Empties all registers.
    fn flush(&mut self) {
        (0..self.held.len()).for_each(|index| self.empty(register_number(index)));
    }

    /// The register of a value, loaded if need be.
    fn load(&mut self, value: usize) -> Register {
        if let Some(register) = self.values[value].register {
            return register;
        }
        let home = self.home(value);
        let register = self.take(Some(value));
        self.steps.push(VectorOp::Load(register, home));
        register
    }

    /// Where a value is in memory that is in no register.
    fn home(&self, value: usize) -> Place {
        self.values[value].home.expect("a value is in a register or in memory until its last use")
    }

    /// Where an instruction reads a value from: memory only if it is not needed again soon.
    fn locate(&mut self, value: usize) -> Where {
        if let Some(register) = self.values[value].register {
            return Where::Register(register);
        }
        let uses = &self.values[value].uses;
        let again = uses.len().checked_sub(2).map(|place| uses[place]);
        match self.values[value].home {
            Some(home) if again.is_none_or(|again| again > self.now + SOON) => Where::Place(home),
            _ => Where::Register(self.load(value)),
        }
    }

    fn pin(&mut self, register: Register) {
        self.pinned.push(register);
    }

    fn two(&mut self, gate: usize, op: Op, a: Operand, b: Operand) {
        let (mut a, mut b) = (self.input(a), self.input(b));
        let is_in_register = |allocation: &Self, value: usize| allocation.values[value].register.is_some();
        if op != Op::AndNot && !is_in_register(self, a) && is_in_register(self, b) {
            std::mem::swap(&mut a, &mut b);
        }
        let first = self.load(a);
        self.pin(first);
        let second = if a == b { Where::Register(first) } else { self.locate(b) };
        if let Where::Register(register) = second {
            self.pin(register);
        }
        self.used(a);
        self.used(b);
        self.pinned.clear();
        // The second operand may still be in a register that was just given up: the result is written after it is read.
        let to = self.take(Some(gate));
        self.steps.push(VectorOp::Two { op, to, a: first, b: second });
    }

    fn not(&mut self, gate: usize, a: Operand) {
        let a = self.input(a);
        let place = self.locate(a);
        if let Where::Register(register) = place {
            self.pin(register);
        }
        let ones = self.take(None);
        self.steps.push(VectorOp::Constant(ones, true));
        self.pinned.clear();
        self.used(a);
        self.hold(gate, ones);
        self.steps.push(VectorOp::Two { op: Op::Xor, to: ones, a: ones, b: place });
    }

    fn hold(&mut self, gate: usize, register: Register) {
        self.held[register as usize] = Some(gate);
        self.values[gate].register = Some(register);
    }

    fn copy(&mut self, gate: usize, a: Operand) {
        let a = self.input(a);
        let from = self.locate(a);
        if let Where::Register(register) = from {
            self.pin(register);
        }
        let to = self.take(Some(gate));
        self.pinned.clear();
        self.steps.push(match from {
            Where::Register(register) => VectorOp::Move(to, register),
            Where::Place(place) => VectorOp::Load(to, place),
        });
        self.used(a);
    }

    fn store(&mut self, slot: u32, value: Operand) {
        let place = Place::Memory(slot);
        let Some(value) = self.value(value) else {
            let register = self.take(None);
            self.steps.push(VectorOp::Constant(register, value == Operand::Constant(true)));
            self.steps.push(VectorOp::Store(place, register));
            return;
        };
        let register = self.load(value);
        self.steps.push(VectorOp::Store(place, register));
        if self.values[value].home.is_none() {
            self.values[value].home = Some(place);
        }
        self.used(value);
    }

    fn three(&mut self, gate: usize, table: u8, operands: [Operand; 3]) {
        let values = operands.map(|operand| self.input(operand));
        let order = self.order_of_three(values);
        let table = permuted(table, order);
        let [a, b, c] = order.map(|index| values[index]);
        let to = self.first_of_three(gate, a);
        self.pin(to);
        let second = self.load(b);
        self.pin(second);
        let third = if c == b { Where::Register(second) } else { self.locate(c) };
        for value in [b, c] {
            self.used(value);
        }
        self.pinned.clear();
        self.hold(gate, to);
        self.steps.push(VectorOp::Three { table, to, b: second, c: third });
    }

    /// Puts first the operand that is best overwritten, and last the one that is best read from memory.
    fn order_of_three(&self, values: [usize; 3]) -> [usize; 3] {
        let rank = |index: usize| {
            let value = &self.values[values[index]];
            let dies = value.uses.len() == 1;
            match (value.register.is_some(), dies) {
                (true, true) => 0,
                (false, true) => 1,
                (false, false) => 2,
                (true, false) => 3,
            }
        };
        let mut order = [0, 1, 2];
        order.sort_by_key(|&index| rank(index));
        // Of the other two the one in memory is read from there.
        if self.values[values[order[1]]].register.is_none() {
            order.swap(1, 2);
        }
        order
    }

    /// The register that holds the first operand and will hold the result.
    fn first_of_three(&mut self, gate: usize, a: usize) -> Register {
        let dies = self.values[a].uses.len() == 1;
        match (self.values[a].register, dies) {
            (Some(register), true) => {
                self.used(a);
                // Nobody may take it before the result is there.
                self.hold(gate, register);
                register
            }
            (Some(register), false) => {
                self.pin(register);
                let to = self.take(Some(gate));
                self.steps.push(VectorOp::Move(to, register));
                self.used(a);
                to
            }
            (None, _) => {
                let home = self.home(a);
                let to = self.take(Some(gate));
                self.steps.push(VectorOp::Load(to, home));
                self.used(a);
                to
            }
        }
    }
}

fn register_number(index: usize) -> Register {
    u8::try_from(index).expect("a vector register")
}

/// The table of the same function with its operands in another order.
fn permuted(table: u8, order: [usize; 3]) -> u8 {
    let mut new = 0;
    for row in 0..8_u8 {
        // In the new row, operand `order[k]` of the old table is bit 2 - k.
        let mut old_row = 0;
        for (place, &operand) in order.iter().enumerate() {
            old_row |= (row >> (2 - place) & 1) << (2 - operand);
        }
        new |= (table >> old_row & 1) << row;
    }
    new
}
