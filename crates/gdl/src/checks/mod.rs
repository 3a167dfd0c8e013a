//! What makes a description right. Each file is one check: its codes, their long texts, the check and its tests. A
//! check looks at a `Subject` and reports; it never changes the game and never depends on another check having
//! run. To add one: write the file, add its line to `CHECKS`.

mod base_input;
mod completeness;
mod dependence;
mod duplicates;
mod goals;
mod never_true;
mod recursion;
mod roles;
mod safety;
mod scope;
mod singletons;
mod stratification;
mod undefined;
mod unused;

use crate::dependency::Dependencies;
use crate::diagnostic::{Code, Diagnostics};
use crate::game::Game;
use crate::limits::Limits;

/// What a check looks at.
pub(crate) struct Subject<'a> {
    pub(crate) game: &'a Game,
    pub(crate) dependencies: &'a Dependencies,
    pub(crate) limits: &'a Limits,
    /// Read leniently: faults that do no harm here become warnings.
    pub(crate) lenient: bool,
    /// The most deeply nested term that any relation can hold is finite (see [`crate::fragment`]).
    pub(crate) bounded: bool,
}

pub(crate) use recursion::offending_arguments;

struct Check {
    codes: &'static [&'static Code],
    run: fn(&Subject<'_>, &mut Diagnostics),
}

static CHECKS: [Check; 13] = [
    safety::CHECK,
    singletons::CHECK,
    dependence::CHECK,
    stratification::CHECK,
    recursion::CHECK,
    completeness::CHECK,
    roles::CHECK,
    goals::CHECK,
    undefined::CHECK,
    never_true::CHECK,
    unused::CHECK,
    base_input::CHECK,
    duplicates::CHECK,
];

/// Runs every check.
pub(crate) fn run_all(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    for check in &CHECKS {
        (check.run)(subject, diagnostics);
    }
}

/// All the codes there are, in the order of their identifiers.
pub fn codes() -> Vec<&'static Code> {
    let reading = crate::syntax::CODES.iter().chain(&crate::game::CODES);
    let checking = CHECKS.iter().flat_map(|check| check.codes).chain(&crate::fragment::CODES);
    let mut codes: Vec<&'static Code> = reading.chain(checking).copied().collect();
    codes.sort_by_key(|code| code.id);
    codes
}

/// The code with an identifier, letter case aside.
pub fn find_code(id: &str) -> Option<&'static Code> {
    codes().into_iter().find(|code| code.id.eq_ignore_ascii_case(id))
}

#[cfg(test)]
mod tests {
    use crate::{Options, read};

    fn codes_of(text: &str) -> Vec<&'static str> {
        read(text.as_bytes(), &Options::default()).diagnostics.iter().map(|d| d.code.id).collect()
    }

    #[test]
    fn every_code_is_documented_by_examples_that_do_what_they_say() {
        for code in super::codes() {
            assert!(!code.title.is_empty() && code.explanation.len() > 40, "{} has no text", code.id);
            assert!(!codes_of(code.right).contains(&code.id), "the right example of {} gets it", code.id);
            if code.wrong.is_empty() {
                let excused =
                    code.explanation.contains("No example") || code.explanation.contains("cannot show");
                assert!(excused, "{} has no wrong example and no excuse", code.id);
            } else {
                assert!(
                    codes_of(code.wrong).contains(&code.id),
                    "the wrong example of {} does not get it",
                    code.id
                );
            }
        }
    }

    #[test]
    fn identifiers_are_unique() {
        let codes = super::codes();
        assert!(codes.windows(2).all(|pair| pair[0].id < pair[1].id));
        assert!(super::find_code("g301").is_some());
        assert!(super::find_code("G999").is_none());
    }
}
