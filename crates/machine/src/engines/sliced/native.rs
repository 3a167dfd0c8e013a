//! What only the processor can say or do.
pub(super) fn has_256() -> bool {
    false
}
pub(super) fn has_512() -> bool {
    false
}
pub(super) fn has_code_256() -> bool {
    false
}
pub(super) fn has_code_512() -> bool {
    false
}
