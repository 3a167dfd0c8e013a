//! The ways to run a gate list. All give the same answers bit for bit; they differ in speed and in what the processor must
//! be able to do.

use super::native::{has_256, has_512};

/// A way to run gate lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Path {
    /// An interpreter in plain Rust.
    Portable,
    /// The interpreter on 256-bit vectors (AVX2).
    Interpreted256,
    /// The interpreter on 512-bit vectors (AVX-512).
    Interpreted512,
    /// Machine code on 256-bit vectors (AVX2).
    Code256,
    /// Machine code on 512-bit vectors (AVX-512).
    Code512,
}

impl Path {
    /// Every path.
    pub const ALL: [Path; 5] =
        [Path::Portable, Path::Interpreted256, Path::Interpreted512, Path::Code256, Path::Code512];

    /// Whether this processor can.
    pub fn is_available(self) -> bool {
        match self {
            Path::Portable => true,
            Path::Interpreted256 | Path::Code256 => has_256(),
            Path::Interpreted512 | Path::Code512 => has_512(),
        }
    }

    /// How many words of lanes an instruction of the path works on.
    pub(super) fn words(self) -> usize {
        match self {
            Path::Portable => 1,
            Path::Interpreted256 | Path::Code256 => 4,
            Path::Interpreted512 | Path::Code512 => 8,
        }
    }

    /// Whether lanes come in vectors of 256. Interpreters take 512 at once, whatever the instructions do.
    pub(super) fn is_narrow(self) -> bool {
        self == Path::Code256
    }

    /// The fastest path of this processor for a circuit with so many gates.
    pub fn best(gates: usize) -> Path {
        let paths = if gates <= MOST_CODE {
            [Path::Code512, Path::Code256]
        } else {
            [Path::Interpreted512, Path::Interpreted256]
        };
        paths.into_iter().find(|path| path.is_available()).unwrap_or(Path::Portable)
    }
}

/// Above so many gates code is not made: see docs/sliced.md for what was measured.
const MOST_CODE: usize = 4_000_000;
