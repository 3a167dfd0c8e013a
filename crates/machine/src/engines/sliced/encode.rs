//! Encodes instructions as machine code: AVX2 on 256-bit registers, or AVX-512 on 512-bit registers. Each chunk is a
//! function of two pointers, to the lanes' memory and to the random vectors, in the registers of the System V calling
//! convention. It accesses only the memory that the instructions name, uses only these and the vector registers, and
//! has no jumps.

use iced_x86::{Code, Encoder, IcedError, Instruction, MemoryOperand, Register};

use super::lower::Op;
use super::registers::{Place, VectorOp, VectorProgram, Where};

/// How wide the registers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    Bits256,
    Bits512,
}

impl Width {
    /// The number of registers.
    pub(super) fn registers(self) -> usize {
        match self {
            Width::Bits256 if cfg!(target_arch = "wasm32") => 13,
            Width::Bits256 => 16,
            Width::Bits512 => 32,
        }
    }

    /// The bytes of a register.
    fn bytes(self) -> i64 {
        match self {
            Width::Bits256 => 32,
            Width::Bits512 => 64,
        }
    }

    fn register(self, number: u8) -> Register {
        match self {
            Width::Bits256 => Register::YMM0 + u32::from(number),
            Width::Bits512 => Register::ZMM0 + u32::from(number),
        }
    }

    fn place(self, place: Place) -> MemoryOperand {
        let (base, index) = match place {
            Place::Memory(index) => (Register::RDI, index),
            Place::Random(index) => (Register::RSI, index),
        };
        MemoryOperand::with_base_displ(base, i64::from(index) * self.bytes())
    }
}

/// The bytes of functions that carry out the chunks of some instructions, and where each function begins.
pub(super) fn encode(steps: &VectorProgram, width: Width) -> Result<(Vec<u8>, Vec<usize>), IcedError> {
    let mut encoder = Encoder::try_with_capacity(64, steps.steps.len() * 10)?;
    let (mut starts, mut length) = (Vec::new(), 0);
    let mut start = 0;
    for &end in &steps.ends {
        starts.push(length);
        for &step in &steps.steps[start..end] {
            length += encoder.encode(&instruction(step, width)?, 0)?;
        }
        length += encoder.encode(&Instruction::with(Code::VEX_Vzeroupper), 0)?;
        length += encoder.encode(&Instruction::with(Code::Retnq), 0)?;
        start = end;
    }
    Ok((encoder.take_buffer(), starts))
}

fn instruction(step: VectorOp, width: Width) -> Result<Instruction, IcedError> {
    let register = |number| width.register(number);
    match step {
        VectorOp::Load(to, place) => Instruction::with2(load(width), register(to), width.place(place)),
        VectorOp::Store(place, from) => Instruction::with2(store(width), width.place(place), register(from)),
        VectorOp::Move(to, from) => Instruction::with2(load(width), register(to), register(from)),
        VectorOp::Constant(to, value) => constant(register(to), value, width),
        VectorOp::Two { op, to, a, b } => match b {
            Where::Register(b) => Instruction::with3(two(op, width), register(to), register(a), register(b)),
            Where::Place(b) => Instruction::with3(two(op, width), register(to), register(a), width.place(b)),
        },
        VectorOp::Three { table, to, b, c } => {
            let code = Code::EVEX_Vpternlogq_zmm_k1z_zmm_zmmm512b64_imm8;
            let table = i32::from(table);
            match c {
                Where::Register(c) => Instruction::with4(code, register(to), register(b), register(c), table),
                Where::Place(c) => Instruction::with4(code, register(to), register(b), width.place(c), table),
            }
        }
    }
}

fn load(width: Width) -> Code {
    match width {
        Width::Bits256 => Code::VEX_Vmovdqu_ymm_ymmm256,
        Width::Bits512 => Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512,
    }
}

fn store(width: Width) -> Code {
    match width {
        Width::Bits256 => Code::VEX_Vmovdqu_ymmm256_ymm,
        Width::Bits512 => Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm,
    }
}

fn constant(to: Register, value: bool, width: Width) -> Result<Instruction, IcedError> {
    match (width, value) {
        (Width::Bits256, false) => Instruction::with3(two(Op::Xor, width), to, to, to),
        (Width::Bits256, true) => Instruction::with3(Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, to, to, to),
        (Width::Bits512, _) => {
            let table = if value { 0xff } else { 0 };
            Instruction::with4(Code::EVEX_Vpternlogq_zmm_k1z_zmm_zmmm512b64_imm8, to, to, to, table)
        }
    }
}

fn two(op: Op, width: Width) -> Code {
    match (op, width) {
        (Op::And, Width::Bits256) => Code::VEX_Vpand_ymm_ymm_ymmm256,
        (Op::AndNot, Width::Bits256) => Code::VEX_Vpandn_ymm_ymm_ymmm256,
        (Op::Or, Width::Bits256) => Code::VEX_Vpor_ymm_ymm_ymmm256,
        (Op::And, Width::Bits512) => Code::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64,
        (Op::AndNot, Width::Bits512) => Code::EVEX_Vpandnq_zmm_k1z_zmm_zmmm512b64,
        (Op::Or, Width::Bits512) => Code::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64,
        // The allocation makes no other instruction of two operands.
        (_, Width::Bits256) => Code::VEX_Vpxor_ymm_ymm_ymmm256,
        (_, Width::Bits512) => Code::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64,
    }
}
