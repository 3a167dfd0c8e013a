//! The register of all diagnostic codes: what `groundrules explain` knows. Each stage has its own; here they come together.

use crate::diagnostic::{Code, Severity};

/// What grounding says of a rule when it stops at a limit. The crates that ground report it; it stands here so that all
/// codes are in one register.
pub static GROUNDING_TOO_LARGE: Code = Code {
    id: "G701",
    severity: Severity::Warning,
    title: "a rule makes the grounding too large",
    explanation: "\
Grounding replaces the variables of every rule by all the values that they can have together. It stopped at a limit while
it worked on this rule. Variables that nothing connects multiply: bind them by a relation that relates them, or split the
rule so that each part has fewer variables. Programs that need a ground game cannot play the description in reasonable time
or memory. (No example: whether a rule is too large depends on the limits.)",
    wrong: "",
    right: "(role white)",
};

pub use crate::syntax::codes::INFIX;

/// All the codes there are, in the order of their identifiers.
pub fn all() -> Vec<&'static Code> {
    let reading =
        crate::syntax::CODES.iter().chain(&crate::game::CODES).chain(&crate::fragment::CODES).copied();
    let later = std::iter::once(&GROUNDING_TOO_LARGE);
    let mut codes: Vec<&'static Code> = reading.chain(crate::checks::codes()).chain(later).collect();
    codes.sort_by_key(|code| code.id);
    codes
}

/// The code with an identifier, letter case aside; the `G` may be left out.
pub fn find(id: &str) -> Option<&'static Code> {
    let number = id.strip_prefix(['G', 'g']).unwrap_or(id);
    all().into_iter().find(|code| code.id.strip_prefix('G') == Some(number))
}

#[cfg(test)]
mod tests {
    use crate::{Options, read};

    fn codes_of(text: &str) -> Vec<&'static str> {
        read(text.as_bytes(), &Options::default()).diagnostics.iter().map(|d| d.code.id).collect()
    }

    #[test]
    fn every_code_is_documented_by_examples_that_do_what_they_say() {
        for code in super::all() {
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
        let codes = super::all();
        assert!(codes.windows(2).all(|pair| pair[0].id < pair[1].id));
        assert!(super::find("g301").is_some() && super::find("301").is_some());
        assert!(super::find("G999").is_none());
    }
}
