//! How many gates this processor can evaluate at most: gates whose operands are in registers and that do not wait for each other. No
//! circuit can be faster, because a circuit has to read its operands, too.

use std::time::Duration;

use groundrules_gdl::time::thread_time;

use super::encode::Width;
use super::lower::Op;
use super::native::Code;
use super::path::Path;
use super::registers::{Register, VectorOp, VectorProgram, Where};
use super::vector::{Lanes256, Lanes512, Vector};

/// How many gates the code has: few enough to stay in the processor, and enough that calls do not count.
const GATES: usize = 2048;

/// How many times the code runs between two looks at the clock.
const RUNS: usize = 256;

/// Gates for each second of processor time on a path with machine code, each for as many lanes as a vector has. It is measured for
/// about so long. `None` where there is no such code, or no clock of processor time.
pub fn peak(path: Path, time: Duration) -> Option<f64> {
    match path {
        Path::Code256 => measure::<Lanes256>(Width::Bits256, time),
        Path::Code512 => measure::<Lanes512>(Width::Bits512, time),
        Path::Portable | Path::Interpreted256 | Path::Interpreted512 => None,
    }
}

fn measure<V: Vector>(width: Width, time: Duration) -> Option<f64> {
    let code = Code::compile(&program(width), width)?;
    let mut memory = [V::default(); 1];
    let mut gates = 0;
    let begun = thread_time()?;
    loop {
        for _ in 0..RUNS {
            code.run(0, &mut memory, &[]);
        }
        gates += RUNS * GATES;
        let used = thread_time()?.saturating_sub(begun);
        if used >= time {
            return Some(gates as f64 / used.as_secs_f64());
        }
    }
}

/// Gates that read two registers which nobody writes; each writes another one than those shortly before it.
fn program(width: Width) -> VectorProgram {
    let registers = width.registers() as Register;
    let gate = |index: usize| {
        let to = 2 + (index % usize::from(registers - 2)) as Register;
        match width {
            Width::Bits256 => VectorOp::Two { op: Op::And, to, a: 0, b: Where::Register(1) },
            Width::Bits512 => VectorOp::Three { table: 0xe8, to, b: 0, c: Where::Register(1) },
        }
    };
    VectorProgram { steps: (0..GATES).map(gate).collect(), ends: vec![GATES], places: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_code_has_a_peak() {
        for path in Path::ALL {
            let found = peak(path, Duration::from_millis(1));
            let is_code = matches!(path, Path::Code256 | Path::Code512);
            if !is_code || !path.is_available() {
                assert_eq!(found, None, "{path:?}");
            } else if let Some(gates) = found {
                assert!(gates > 1e6, "{path:?}: {gates} gates");
            }
        }
    }
}
