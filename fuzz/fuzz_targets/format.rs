//! Formatting any text that can be read gives the same forms and as many comments, and formatting again changes
//! nothing.

#![no_main]

use groundrules_gdl::format::format;
use groundrules_gdl::syntax::{Tree, parse};
use groundrules_gdl::{Diagnostics, Limits};
use libfuzzer_sys::fuzz_target;

fn tree(text: &[u8]) -> Tree {
    parse(text, &Limits::default(), &mut Diagnostics::new(1))
}

fuzz_target!(|text: &[u8]| {
    let Ok(once) = format(text, &Limits::default()) else { return };
    let (before, after) = (tree(text), tree(&once));
    assert!(before.same_forms(&after));
    assert_eq!(before.comments().len(), after.comments().len());
    assert_eq!(format(&once, &Limits::default()).as_deref(), Ok(&once[..]));
});
