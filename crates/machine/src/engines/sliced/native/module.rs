//! Encodes instructions as a WebAssembly module: where machine code cannot be made (in a browser), a module made at run time is as
//! good. A vector of 256 lanes is two halves of 128, and a function works on one half: it takes the addresses of that half in the
//! lanes' memory and in the random vectors, and accesses only what the instructions name. The host compiles the module.

use wasm_encoder::{
    CodeSection, EntityType, ExportKind, ExportSection, Function, FunctionSection, ImportSection,
    InstructionSink, MemArg, MemArgTarget, MemoryType, Module, TypeSection, ValType,
};

use super::super::lower::Op;
use super::super::registers::{Place, VectorOp, VectorProgram, Where};

/// The bytes from one vector to the next, and the bytes of a half.
pub(crate) const STRIDE: u64 = 32;
pub(crate) const HALF: usize = 16;

/// The registers of the programs that modules are made from: of the host's sixteen, some hold addresses of its own and operands.
pub(crate) const REGISTERS: usize = 13;

/// The parameters of a function, by number: the lanes' memory and the random vectors. Registers come behind them.
const MEMORY: u32 = 0;
const RANDOM: u32 = 1;
const FIRST: u32 = 2;

/// The name under which the memory is imported, from the module `host`.
pub(crate) const MEMORY_NAME: &str = "memory";

/// The name of the function for a chunk.
pub(crate) fn function_name(chunk: usize) -> String {
    format!("f{chunk}")
}

/// A module with a function for each chunk of some instructions; `None` if one has no counterpart.
pub(crate) fn module(steps: &VectorProgram) -> Option<Vec<u8>> {
    let mut types = TypeSection::new();
    types.ty().function([ValType::I32, ValType::I32], []);
    let mut imports = ImportSection::new();
    let memory =
        MemoryType { minimum: 1, maximum: None, memory64: false, shared: false, page_size_log2: None };
    imports.import("host", MEMORY_NAME, EntityType::Memory(memory));
    let (mut functions, mut exports, mut code) =
        (FunctionSection::new(), ExportSection::new(), CodeSection::new());
    let mut start = 0;
    for (chunk, &end) in steps.ends.iter().enumerate() {
        functions.function(0);
        exports.export(&function_name(chunk), ExportKind::Func, u32::try_from(chunk).ok()?);
        code.function(&function(&steps.steps[start..end])?);
        start = end;
    }
    let mut module = Module::new();
    module.section(&types).section(&imports).section(&functions).section(&exports).section(&code);
    Some(module.finish())
}

fn function(steps: &[VectorOp]) -> Option<Function> {
    let registers = u32::try_from(REGISTERS).ok()?;
    let mut function = Function::new([(registers, ValType::V128)]);
    let mut out = function.instructions();
    for &step in steps {
        instruction(&mut out, step)?;
    }
    out.end();
    Some(function)
}

fn instruction(out: &mut InstructionSink<'_>, step: VectorOp) -> Option<()> {
    let local = |register: u8| FIRST + u32::from(register);
    match step {
        VectorOp::Load(to, place) => {
            load(out, place)?;
            out.local_set(local(to));
        }
        VectorOp::Store(place, from) => {
            let (base, at) = address(place)?;
            out.local_get(base).local_get(local(from)).v128_store(at);
        }
        VectorOp::Move(to, from) => {
            out.local_get(local(from)).local_set(local(to));
        }
        VectorOp::Constant(to, value) => {
            out.v128_const(if value { -1 } else { 0 }).local_set(local(to));
        }
        VectorOp::Two { op, to, a, b } => {
            let operand = |out: &mut InstructionSink<'_>| match b {
                Where::Register(b) => {
                    out.local_get(local(b));
                    Some(())
                }
                Where::Place(b) => load(out, b),
            };
            // Here `and not` means the second operand and not the first one; WebAssembly has it the other way round.
            if op == Op::AndNot {
                operand(out)?;
                out.local_get(local(a)).v128_andnot();
            } else {
                out.local_get(local(a));
                operand(out)?;
                match op {
                    Op::And => out.v128_and(),
                    Op::Or => out.v128_or(),
                    Op::Xor => out.v128_xor(),
                    _ => return None,
                };
            }
            out.local_set(local(to));
        }
        VectorOp::Three { .. } => return None,
    }
    Some(())
}

fn load(out: &mut InstructionSink<'_>, place: Place) -> Option<()> {
    let (base, at) = address(place)?;
    out.local_get(base).v128_load(at);
    Some(())
}

/// The parameter that a place is relative to, and how far behind it it is; `None` if that is too far.
fn address(place: Place) -> Option<(u32, MemArg)> {
    let (base, index) = match place {
        Place::Memory(index) => (MEMORY, index),
        Place::Random(index) => (RANDOM, index),
    };
    let offset = u64::from(index) * STRIDE;
    u32::try_from(offset).ok()?;
    Some((base, MemArg { offset, align: 4, target: MemArgTarget::Memory(0), ordering: None }))
}

/// Runs a program by an interpreter of WebAssembly: the module means what the instructions do.
#[cfg(test)]
pub(crate) fn interpreted<V: super::super::vector::Vector>(
    steps: &VectorProgram,
    memory: &[V],
    random: &[V],
) -> Vec<V> {
    use wasmi::{Config, Engine, Linker, Memory, MemoryType, Module, Store};
    let bytes = module(steps).expect("a program of two operands");
    let mut config = Config::default();
    config.wasm_simd(true);
    let engine = Engine::new(&config);
    let module = Module::new(&engine, &bytes[..]).expect("a valid module");
    let mut store = Store::new(&engine, ());
    let words = |vectors: &[V]| -> Vec<u8> {
        vectors.iter().flat_map(|vector| vector.words().iter().flat_map(|word| word.to_le_bytes())).collect()
    };
    let (lanes, chance) = (words(memory), words(random));
    let pages = u32::try_from((lanes.len() + chance.len()) / 65_536 + 1).expect("few pages");
    let shared = Memory::new(&mut store, MemoryType::new(pages, None)).expect("memory");
    shared.write(&mut store, 0, &lanes).expect("room");
    shared.write(&mut store, lanes.len(), &chance).expect("room");
    let mut linker = Linker::new(&engine);
    linker.define("host", MEMORY_NAME, shared).expect("one memory");
    let instance = linker.instantiate_and_start(&mut store, &module).expect("an instance");
    for chunk in 0..steps.ends.len() {
        let function =
            instance.get_typed_func::<(i32, i32), ()>(&store, &function_name(chunk)).expect("a function");
        for half in [0, HALF] {
            let at = |place: usize| i32::try_from(place).expect("little memory");
            function.call(&mut store, (at(half), at(lanes.len() + half))).expect("no trap");
        }
    }
    let mut after = vec![0; lanes.len()];
    shared.read(&store, 0, &mut after).expect("room");
    let mut result = memory.to_vec();
    for (word, bytes) in result.iter_mut().flat_map(V::words_mut).zip(after.chunks(8)) {
        *word = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
    }
    result
}
