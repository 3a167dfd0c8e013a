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
    /// How many gates each program has, on this path.
    gates: Vec<usize>,
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
        let places = programs.iter().map(|made| made.places).max().unwrap_or(0);
        let repeats = parts.iter().map(|part| part.repeat).collect();
        let gates = programs.iter().map(|made| made.gates).collect();
        let programs = programs.into_iter().map(|made| made.program).collect();
        Executable { path, programs, repeats, gates, places }
    }

    /// How many gates a part has on this path: gates of three inputs count as one where there are such.
    pub(super) fn gates(&self, part: usize) -> usize {
        self.gates[part]
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

/// A program as it was made.
struct Prepared {
    program: Program,
    gates: usize,
    places: usize,
}

fn tapes(parts: &[Part]) -> Vec<Prepared> {
    let prepared = |part: &Part| {
        let tape = Tape::of(&part.gates);
        Prepared { gates: part.gates.gates.len(), places: tape.places(), program: Program::Tape(tape) }
    };
    parts.iter().map(prepared).collect()
}

fn codes(parts: &[Part], width: Width) -> Option<Vec<Prepared>> {
    let compile = |part: &Part| {
        let three;
        let list = match width {
            Width::Bits256 => &part.gates,
            Width::Bits512 => {
                three = part.circuit.lower_to_three();
                &three
            }
        };
        let steps = allocate(list, width.registers());
        let program = Program::Code(Code::compile(&steps, width)?);
        Some(Prepared { program, gates: list.gates.len(), places: steps.places })
    };
    parts.iter().map(compile).collect()
}
