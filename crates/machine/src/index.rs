//! Checked conversions to the small numbers by which engines address their tables. The limits on ground games and networks
//! keep every table below them, so a number that does not fit is a fault of the program: it ends with a message, because
//! a wrong index would give wrong answers.

/// An index as 32 bits.
///
/// # Panics
///
/// If it does not fit.
#[inline]
pub(crate) fn index32(index: usize) -> u32 {
    u32::try_from(index).unwrap_or_else(|_| panic!("index {index} does not fit into 32 bits"))
}
