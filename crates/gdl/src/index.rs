//! Indexes in four bytes. Terms, atoms, rules and gates are numbered by `u32`, which halves the memory of the large
//! tables. Limits on input (see [`Limits`](crate::Limits) and those of later stages) stop long before these numbers run
//! out; [`index32`] ends the program with a message where an invariant of the program itself was broken, because an index
//! that wraps or sticks would give wrong answers.

/// Indexes are smaller than this: the largest values of `u32` are left to sentinels.
pub const END: usize = (u32::MAX - 1) as usize;

/// An index, or a count, in four bytes.
///
/// # Panics
///
/// If it is [`END`] or larger; `what` says of what there are too many.
#[inline]
#[track_caller]
pub fn index32(index: usize, what: &str) -> u32 {
    match u32::try_from(index) {
        Ok(short) if index < END => short,
        _ => too_many(index, what),
    }
}

#[cold]
#[track_caller]
fn too_many(index: usize, what: &str) -> ! {
    panic!("{index} {what} are too many: the limit is {END}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_kept() {
        assert_eq!((index32(0, "things"), index32(END - 1, "things")), (0, u32::MAX - 2));
    }

    #[test]
    #[should_panic(expected = "4294967294 things are too many: the limit is 4294967294")]
    fn what_does_not_fit_ends_the_program() {
        index32(END, "things");
    }
}
