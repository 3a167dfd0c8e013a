//! Tests of lowering, allocation and encoding on random circuits. A simulator reads the bytes of the machine code back and
//! does what they say, so that code for processors that are not here is tested, too; where the processor is here, the code
//! itself runs as well.

use iced_x86::{Code, Decoder, DecoderOptions, Instruction, OpKind, Register};

use super::encode::{Width, encode};
use super::graph::{Graph, Literal, Source};
use super::lower::{Circuit, GateList};
use super::native;
use super::registers::allocate;
use super::tape::Tape;
use super::vector::{Lanes256, Lanes512, Vector};

const SLOTS: u32 = 12;
const RANDOMS: u32 = 5;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let word = self.0 ^ self.0 >> 29;
        word.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 7
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 11) as usize % bound
    }
}

/// A circuit with random gates over slots that it overwrites, some of them with each other's values.
fn random_circuit(random: &mut Random, gates: usize) -> Circuit {
    let mut graph = Graph::new();
    let mut literals = vec![Literal::FALSE];
    literals.extend((0..SLOTS).map(|slot| graph.input(Source::Slot(slot))));
    literals.extend((0..RANDOMS).map(|index| graph.input(Source::Random(index))));
    for _ in 0..gates {
        let recent = literals.len().min(60);
        let mut pick = |literals: &[Literal]| {
            let all = random.below(4) == 0;
            let from = if all { 0 } else { literals.len() - recent };
            literals[from + random.below(literals.len() - from)].complement_if(random.below(2) == 0)
        };
        let (a, b, c) = (pick(&literals), pick(&literals), pick(&literals));
        literals.push(match random.below(5) {
            0 => graph.and(a, b),
            1 => graph.or(a, b),
            2 => graph.xor(a, b),
            3 => graph.choose(a, b, c),
            _ => graph.full_adder(a, b, c).1,
        });
    }
    let outputs = (0..SLOTS + 6).map(|slot| {
        let literal = match random.below(3) {
            0 => literals[random.below(1 + (SLOTS + RANDOMS) as usize)],
            _ => literals[literals.len() - 1 - random.below(literals.len().min(40))],
        };
        (slot, literal.complement_if(random.below(2) == 0))
    });
    let outputs = outputs.collect();
    Circuit { graph, outputs, slots: (SLOTS + 6) as usize, randoms: RANDOMS as usize }
}

fn random_vectors<V: Vector>(random: &mut Random, count: usize) -> Vec<V> {
    let vector = |_| {
        let mut vector = V::default();
        vector.words_mut().iter_mut().for_each(|word| *word = random.next() ^ random.next() << 32);
        vector
    };
    (0..count).map(vector).collect()
}

/// The slots after a gate list was interpreted.
fn interpreted<V: Vector>(list: &GateList, slots: &[V], randoms: &[V]) -> Vec<V> {
    let tape = Tape::of(list);
    let mut memory = slots.to_vec();
    memory.resize(tape.places().max(slots.len()), V::default());
    tape.run(&mut memory, randoms);
    memory.truncate(slots.len());
    memory
}

/// The slots after the bytes of machine code were carried out by hand.
fn simulated<V: Vector>(list: &GateList, width: Width, slots: &[V], randoms: &[V]) -> Vec<V> {
    let steps = allocate(list, width.registers());
    let (bytes, starts) = encode(&steps, width).unwrap();
    assert_eq!(starts.len(), steps.ends.len());
    let mut memory = slots.to_vec();
    memory.resize(steps.places, V::default());
    let mut machine = Simulator { registers: vec![V::default(); 32], memory, randoms };
    let mut decoder = Decoder::new(64, &bytes, DecoderOptions::NONE);
    let mut instruction = Instruction::default();
    let mut returned = true;
    while decoder.can_decode() {
        if std::mem::take(&mut returned) {
            assert!(starts.contains(&decoder.position()), "code after a return");
            machine.registers.fill(V::filled(true));
        }
        decoder.decode_out(&mut instruction);
        returned = machine.carry_out(&instruction);
    }
    assert!(returned, "no return");
    machine.memory.truncate(slots.len());
    machine.memory
}

struct Simulator<'a, V> {
    registers: Vec<V>,
    memory: Vec<V>,
    randoms: &'a [V],
}

impl<V: Vector> Simulator<'_, V> {
    /// Carries out an instruction; says whether it was the return.
    fn carry_out(&mut self, instruction: &Instruction) -> bool {
        let binary = |join: fn(V, V) -> V| Some(join);
        let join = match instruction.code() {
            Code::Retnq => return true,
            Code::VEX_Vzeroupper => return false,
            Code::VEX_Vmovdqu_ymm_ymmm256
            | Code::VEX_Vmovdqu_ymmm256_ymm
            | Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512
            | Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm => {
                let value = self.read(instruction, 1);
                self.write(instruction, value);
                None
            }
            Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256 => {
                assert_eq!(instruction.op1_register(), instruction.op2_register());
                self.write(instruction, V::filled(true));
                None
            }
            Code::EVEX_Vpternlogq_zmm_k1z_zmm_zmmm512b64_imm8 => {
                let [a, b, c] = [0, 1, 2].map(|operand| self.read(instruction, operand));
                let value = by_table(instruction.immediate8(), a, b, c);
                self.write(instruction, value);
                None
            }
            Code::VEX_Vpand_ymm_ymm_ymmm256 | Code::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64 => binary(V::and),
            Code::VEX_Vpandn_ymm_ymm_ymmm256 | Code::EVEX_Vpandnq_zmm_k1z_zmm_zmmm512b64 => {
                binary(V::and_not)
            }
            Code::VEX_Vpor_ymm_ymm_ymmm256 | Code::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64 => binary(V::or),
            Code::VEX_Vpxor_ymm_ymm_ymmm256 | Code::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64 => binary(V::xor),
            other => panic!("an instruction that is never made: {other:?}"),
        };
        if let Some(join) = join {
            let value = join(self.read(instruction, 1), self.read(instruction, 2));
            self.write(instruction, value);
        }
        false
    }

    fn register(register: Register) -> usize {
        let first = if register.is_zmm() { Register::ZMM0 } else { Register::YMM0 };
        register as usize - first as usize
    }

    fn place(instruction: &Instruction) -> usize {
        assert!(!instruction.is_broadcast() && instruction.op_mask() == Register::None);
        let bytes = V::WORDS as u64 * 8;
        assert_eq!(instruction.memory_displacement64() % bytes, 0);
        (instruction.memory_displacement64() / bytes) as usize
    }

    fn read(&self, instruction: &Instruction, operand: u32) -> V {
        match (instruction.op_kind(operand), instruction.memory_base()) {
            (OpKind::Register, _) => self.registers[Self::register(instruction.op_register(operand))],
            (OpKind::Memory, Register::RDI) => self.memory[Self::place(instruction)],
            (OpKind::Memory, Register::RSI) => self.randoms[Self::place(instruction)],
            other => panic!("an operand that is never made: {other:?}"),
        }
    }

    fn write(&mut self, instruction: &Instruction, value: V) {
        match (instruction.op0_kind(), instruction.memory_base()) {
            (OpKind::Register, _) => self.registers[Self::register(instruction.op0_register())] = value,
            (OpKind::Memory, Register::RDI) => self.memory[Self::place(instruction)] = value,
            other => panic!("a result that is never made: {other:?}"),
        }
    }
}

fn by_table<V: Vector>(table: u8, a: V, b: V, c: V) -> V {
    let mut value = V::default();
    for word in 0..V::WORDS {
        for bit in 0..64 {
            let at = |vector: &V| vector.words()[word] >> bit & 1;
            let row = 4 * at(&a) + 2 * at(&b) + at(&c);
            value.words_mut()[word] |= u64::from(table >> row & 1) << bit;
        }
    }
    value
}

fn compare(gates: usize, seed: u64) {
    let mut random = Random(seed);
    let circuit = random_circuit(&mut random, gates);
    let (two, three) = (circuit.lower(), circuit.lower_to_three());
    assert!(
        three.gates.len() <= two.gates.len(),
        "{} gates, {} of three",
        two.gates.len(),
        three.gates.len()
    );
    let wide: Vec<Lanes512> = random_vectors(&mut random, two.slots);
    let wide_randoms = random_vectors(&mut random, two.randoms);
    let right = interpreted(&two, &wide, &wide_randoms);
    assert_eq!(interpreted(&three, &wide, &wide_randoms), right);
    assert_eq!(simulated(&two, Width::Bits512, &wide, &wide_randoms), right);
    assert_eq!(simulated(&three, Width::Bits512, &wide, &wide_randoms), right);
    let narrow: Vec<Lanes256> = random_vectors(&mut random, two.slots);
    let narrow_randoms = random_vectors(&mut random, two.randoms);
    let right = interpreted(&two, &narrow, &narrow_randoms);
    assert_eq!(simulated(&two, Width::Bits256, &narrow, &narrow_randoms), right);
    let steps = allocate(&two, native::module::REGISTERS);
    let mut memory = narrow.clone();
    memory.resize(steps.places, Lanes256::default());
    let by_module = native::module::interpreted(&steps, &memory, &narrow_randoms);
    assert_eq!(by_module[..narrow.len()], right);
    let steps = allocate(&two, Width::Bits256.registers());
    if let Some(code) = native::Code::compile(&steps, Width::Bits256) {
        let mut memory = narrow.clone();
        memory.resize(steps.places, Lanes256::default());
        (0..code.chunks()).for_each(|chunk| code.run(chunk, &mut memory, &narrow_randoms));
        assert_eq!(memory[..narrow.len()], right);
    }
    let steps = allocate(&three, Width::Bits512.registers());
    if let Some(code) = native::Code::compile(&steps, Width::Bits512) {
        let mut memory = wide.clone();
        memory.resize(steps.places, Lanes512::default());
        (0..code.chunks()).for_each(|chunk| code.run(chunk, &mut memory, &wide_randoms));
        assert_eq!(memory[..wide.len()], interpreted(&two, &wide, &wide_randoms));
    }
}

#[test]
fn small_circuits() {
    (0..60).for_each(|seed| compare(1 + seed as usize % 30, seed));
}

#[test]
fn circuits_that_need_many_registers() {
    (100..110).for_each(|seed| compare(400, seed));
}

#[test]
fn circuits_of_several_chunks() {
    (200..203).for_each(|seed| compare(6000, seed));
}
