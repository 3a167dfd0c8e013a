//! The one module with `unsafe` code: it runs generated machine code, and Rust functions compiled for wider vectors.
//!
//! Machine code: [`Code::compile`] encodes the instructions of a list of gates and records the highest places that they
//! access. [`Code::run`] asserts that its slices reach that far before it calls the code. The code has no jumps,
//! accesses only these places and the vector registers, which the System V convention lets the callee overwrite, and
//! returns (see `encode`). The mapping is written first and made executable afterwards, never both at once, and lives
//! as long as the code. Code is only made for features that this processor has.
//!
//! In a browser the code is a WebAssembly module made at run time (`module`, `browser`), called through the table of functions.
//!
//! Wider vectors: a function with a target feature is only called where the feature was detected. [`spread`](mod@spread) has
//! those that turn bits into bytes.

#![allow(unsafe_code)]

use super::encode::Width;
use super::registers::{Place, VectorOp, VectorProgram, Where};
use super::vector::Vector;

#[cfg(any(target_arch = "wasm32", test))]
pub(super) mod module;
#[cfg(target_arch = "wasm32")]
#[path = "native/browser.rs"]
mod platform;
mod spread;

pub(super) use spread::{find, spread, spread_byte};

/// Machine code for a gate list.
pub(super) struct Code {
    functions: platform::Functions,
    /// How many vectors of memory and of random bits the code reaches.
    memory: usize,
    randoms: usize,
    /// The bytes of one vector.
    vector: usize,
    bytes: usize,
}

impl Code {
    /// Makes machine code; `None` if this processor cannot run it, or the system does not allow code to be made.
    pub(super) fn compile(steps: &VectorProgram, width: Width) -> Option<Code> {
        let (available, vector) = match width {
            Width::Bits256 => (has_256(), 32),
            Width::Bits512 => (has_512(), 64),
        };
        if !available {
            return None;
        }
        let (bytes, starts) = platform::encode(steps, width)?;
        let (memory, randoms) = reach(&steps.steps);
        let functions = platform::Functions::new(&bytes, starts)?;
        Some(Code { functions, memory, randoms, vector, bytes: bytes.len() })
    }

    /// How many chunks the code has, which are to be run one after the other.
    #[inline]
    pub(super) fn chunks(&self) -> usize {
        self.functions.len()
    }

    /// How many bytes the code has.
    pub(super) fn len(&self) -> usize {
        self.bytes
    }

    /// Runs a chunk.
    ///
    /// # Panics
    ///
    /// If a slice is shorter than the code reaches, or vectors have another width than it was made for.
    #[inline]
    pub(super) fn run<V: Vector>(&self, chunk: usize, memory: &mut [V], random: &[V]) {
        assert!(
            memory.len() >= self.memory
                && random.len() >= self.randoms
                && size_of::<V>() == self.vector
                && chunk < self.chunks(),
            "machine code for {} vectors and {} random ones of {} bytes was given {} and {} of {}",
            self.memory,
            self.randoms,
            self.vector,
            memory.len(),
            random.len(),
            size_of::<V>(),
        );
        // SAFETY: the code was made for this processor's features, reads and writes `memory` below `self.memory` and
        // reads `random` below `self.randoms`, both checked above; vectors are plain words of exactly this width.
        unsafe { self.functions.call(chunk, memory.as_mut_ptr().cast(), random.as_ptr().cast()) }
    }
}

/// How many vectors of memory and of random bits some instructions reach.
fn reach(steps: &[VectorOp]) -> (usize, usize) {
    let (mut memory, mut randoms) = (0, 0);
    for &step in steps {
        let place = match step {
            VectorOp::Load(_, place) | VectorOp::Store(place, _) => Some(place),
            VectorOp::Two { b: Where::Place(place), .. } | VectorOp::Three { c: Where::Place(place), .. } => {
                Some(place)
            }
            _ => None,
        };
        match place {
            Some(Place::Memory(index)) => memory = memory.max(index as usize + 1),
            Some(Place::Random(index)) => randoms = randoms.max(index as usize + 1),
            None => {}
        }
    }
    (memory, randoms)
}

pub(super) use platform::{has_256, has_512, widely};

/// Work that is compiled once for each width of vectors: its `run` must be inlined always, as a closure would not be.
pub(super) trait Work {
    /// What it comes to.
    type Result;
    /// Does it.
    fn run(self) -> Self::Result;
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod platform {
    use memmap2::{Mmap, MmapMut};

    use super::super::encode::{self, Width};
    use super::super::registers::VectorProgram;
    use super::Work;

    /// The bytes of functions that carry out a program, and where each begins.
    pub(super) fn encode(steps: &VectorProgram, width: Width) -> Option<(Vec<u8>, Vec<usize>)> {
        encode::encode(steps, width).ok()
    }

    /// Code in memory that is executable and not writable, and where its functions begin.
    pub(in super::super) struct Functions {
        code: Mmap,
        starts: Vec<usize>,
    }

    impl Functions {
        /// Functions that begin at some places of these bytes.
        pub(super) fn new(bytes: &[u8], starts: Vec<usize>) -> Option<Functions> {
            if starts.iter().any(|&start| start >= bytes.len()) {
                return None;
            }
            let mut memory = MmapMut::map_anon(bytes.len()).ok()?;
            memory.copy_from_slice(bytes);
            Some(Functions { code: memory.make_exec().ok()?, starts })
        }

        pub(super) fn len(&self) -> usize {
            self.starts.len()
        }

        /// # Safety
        /// The code must be a function of two pointers that may be called with these.
        #[inline]
        pub(super) unsafe fn call(&self, number: usize, memory: *mut u8, random: *const u8) {
            let start = &raw const self.code[self.starts[number]];
            // SAFETY: a function begins there, and the mapping stays as long as `self`.
            let function: unsafe extern "sysv64" fn(*mut u8, *const u8) =
                unsafe { std::mem::transmute(start) };
            // SAFETY: by the caller.
            unsafe { function(memory, random) }
        }
    }

    pub(in super::super) fn has_256() -> bool {
        std::is_x86_feature_detected!("avx2")
            && std::is_x86_feature_detected!("popcnt")
            && std::is_x86_feature_detected!("bmi1")
    }

    pub(in super::super) fn has_512() -> bool {
        std::is_x86_feature_detected!("avx512f") && has_256()
    }

    #[target_feature(enable = "avx2,popcnt,bmi1")]
    fn with_256<W: Work>(work: W) -> W::Result {
        work.run()
    }

    #[target_feature(enable = "avx2,popcnt,bmi1,avx512f")]
    fn with_512<W: Work>(work: W) -> W::Result {
        work.run()
    }

    /// Does work compiled for vectors as wide as wanted and possible.
    #[inline]
    pub(in super::super) fn widely<W: Work>(words: usize, work: W) -> W::Result {
        match words {
            8.. if has_512() => {
                // SAFETY: the features were detected.
                unsafe { with_512(work) }
            }
            4.. if has_256() => {
                // SAFETY: the features were detected.
                unsafe { with_256(work) }
            }
            _ => work.run(),
        }
    }
}

#[cfg(not(any(all(target_arch = "x86_64", not(miri)), target_arch = "wasm32")))]
mod platform {
    use super::super::encode::Width;
    use super::super::registers::VectorProgram;

    pub(super) fn encode(_: &VectorProgram, _: Width) -> Option<(Vec<u8>, Vec<usize>)> {
        None
    }

    /// There is no code on this processor.
    pub(in super::super) enum Functions {}

    impl Functions {
        pub(super) fn new(_: &[u8], _: Vec<usize>) -> Option<Functions> {
            None
        }

        pub(super) fn len(&self) -> usize {
            match *self {}
        }

        pub(super) unsafe fn call(&self, _: usize, _: *mut u8, _: *const u8) {
            match *self {}
        }
    }

    pub(in super::super) fn has_256() -> bool {
        false
    }

    pub(in super::super) fn has_512() -> bool {
        false
    }

    pub(in super::super) fn widely<W: super::Work>(_: usize, work: W) -> W::Result {
        work.run()
    }
}
