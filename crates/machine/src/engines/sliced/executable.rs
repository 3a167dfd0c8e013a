//! Circuits prepared to run on one of the paths.

use super::encode::Width;
use super::native::{Code, Work, widely};
use super::path::Path;
use super::plan::Part;
use super::registers::allocate;
use super::tape::Tape;
use super::vector::Vector;

/// Gate lists that can be run.
pub(super) struct Executable {
    pub(super) path: Path,
    programs: Vec<Program>,
    /// For each program that is repeated until nothing changes, the slot that says in which lanes something did.
    repeats: Vec<Option<u32>>,
    /// How many vectors of memory the programs need.
    pub(super) places: usize,
}

enum Program {
    Tape(Tape),
    Code(Code),
}

impl Executable {
    /// Makes circuits ready. Where the system does not allow code to be made, they are interpreted.
    pub(super) fn new(parts: &[Part], path: Path) -> Self {
        let (path, programs) = match path {
            Path::Code256 => match codes(parts, Width::Bits256) {
                Some(codes) => (path, codes),
                None => (Path::Interpreted256, tapes(parts)),
            },
            Path::Code512 => match codes(parts, Width::Bits512) {
                Some(codes) => (path, codes),
                None => (Path::Interpreted512, tapes(parts)),
            },
            Path::Portable | Path::Interpreted256 | Path::Interpreted512 => (path, tapes(parts)),
        };
        let places = programs.iter().map(|(_, places)| *places).max().unwrap_or(0);
        let repeats = parts.iter().map(|part| part.repeat).collect();
        let programs = programs.into_iter().map(|(program, _)| program).collect();
        Executable { path, programs, repeats, places }
    }

    /// How many chunks a part has. To run a part is to run its chunks in order; other lanes may come in between.
    #[inline]
    pub(super) fn chunks(&self, part: usize) -> usize {
        match &self.programs[part] {
            Program::Tape(_) => 1,
            Program::Code(code) => code.chunks(),
        }
    }

    /// Whether it is worth while to let several vectors of lanes run a chunk before the next.
    pub(super) fn is_long(&self) -> bool {
        (0..self.programs.len()).any(|part| self.chunks(part) > 1)
    }

    /// Whether a part is to be repeated, by what it left.
    #[inline]
    pub(super) fn goes_on<V: Vector>(&self, part: usize, memory: &[V]) -> bool {
        self.repeats[part].is_some_and(|slot| !memory[slot as usize].is_empty())
    }

    /// Runs the gates of a part, as often as it is to be repeated.
    #[inline]
    pub(super) fn run<V: Vector>(&self, part: usize, memory: &mut [V], random: &[V]) {
        loop {
            (0..self.chunks(part)).for_each(|chunk| self.run_chunk(part, chunk, memory, random));
            if !self.goes_on(part, memory) {
                return;
            }
        }
    }

    /// Runs the gates of a part's chunk.
    #[inline]
    pub(super) fn run_chunk<V: Vector>(&self, part: usize, chunk: usize, memory: &mut [V], random: &[V]) {
        match &self.programs[part] {
            Program::Code(code) => code.run(chunk, memory, random),
            Program::Tape(tape) => widely(self.path.words(), Interpretation { tape, memory, random }),
        }
    }

    /// How many bytes of machine code there are.
    pub(super) fn code_bytes(&self) -> usize {
        let bytes = |program: &Program| match program {
            Program::Tape(_) => 0,
            Program::Code(code) => code.len(),
        };
        self.programs.iter().map(bytes).sum()
    }
}

struct Interpretation<'a, V> {
    tape: &'a Tape,
    memory: &'a mut [V],
    random: &'a [V],
}

impl<V: Vector> Work for Interpretation<'_, V> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        self.tape.run(self.memory, self.random);
    }
}

fn tapes(parts: &[Part]) -> Vec<(Program, usize)> {
    let tapes = parts.iter().map(|part| Tape::of(&part.gates));
    tapes
        .map(|tape| {
            let places = tape.places();
            (Program::Tape(tape), places)
        })
        .collect()
}

fn codes(parts: &[Part], width: Width) -> Option<Vec<(Program, usize)>> {
    let compile = |part: &Part| {
        let steps = match width {
            Width::Bits256 => allocate(&part.gates, width.registers()),
            Width::Bits512 => allocate(&part.circuit.lower_to_three(), width.registers()),
        };
        Some((Program::Code(Code::compile(&steps, width)?), steps.places))
    };
    parts.iter().map(compile).collect()
}
