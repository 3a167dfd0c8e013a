//! Hints in the text that nobody wrote: how many instances a rule has, and how many values a variable.

use groundrules_gdl::Span;

use crate::grounding::Grounding;
use crate::names::{Name, Occurrence};
use crate::navigate::argument_at;
use crate::reading::Reading;
use crate::setting::is_rule;

/// Which hints are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The ground instances of each rule.
    pub instances: bool,
    /// The number of values of each variable, where it is bound.
    pub domains: bool,
}

impl Default for Wanted {
    fn default() -> Self {
        Wanted { instances: true, domains: false }
    }
}

/// A hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The offset behind which it is shown.
    pub at: u32,
    /// The hint.
    pub label: String,
    /// More about it.
    pub tooltip: String,
}

/// The hints for the forms that touch a range.
pub fn within(
    reading: &Reading,
    range: std::ops::Range<usize>,
    wanted: Wanted,
    grounding: Option<&Grounding>,
) -> Vec<Hint> {
    let tree = reading.tree();
    let mut hints = Vec::new();
    for (index, &form) in tree.forms().iter().enumerate() {
        let span = tree.span(form);
        let inside = (span.start as usize) < range.end && range.start <= span.end as usize;
        if !inside || !is_rule(tree, form) {
            continue;
        }
        if wanted.domains {
            hints.extend(domains(reading, index));
        }
        let count = grounding.filter(|_| wanted.instances).and_then(|known| known.instances(index));
        hints.extend(count.map(|count| instances(span, count)));
    }
    hints
}

fn instances(span: Span, count: u64) -> Hint {
    let label = match count {
        0 => "no instance".to_owned(),
        1 => "1 instance".to_owned(),
        _ => format!("{} instances", grouped(count)),
    };
    let tooltip = match count {
        0 => "No values satisfy the conditions, or nothing asks for what the rule says.".to_owned(),
        _ => "So many ground rules come from this one, before they are simplified.".to_owned(),
    };
    Hint { at: span.end, label, tooltip }
}

/// The values of each variable of a rule, at the first condition that binds it.
fn domains(reading: &Reading, form: usize) -> Vec<Hint> {
    let names = reading.names();
    let mut seen = rustc_hash::FxHashSet::default();
    let binding = names.of_form(form).iter().filter(|word: &&Occurrence| {
        matches!(names.name(word.name), Name::Variable(..)) && !word.in_head && !word.negated
    });
    binding
        .filter(|word| seen.insert(word.name))
        .filter_map(|word| {
            let argument = argument_at(reading, word.span)?;
            let count = reading.domains().values(argument).count();
            let label = format!(": {count} value{}", if count == 1 { "" } else { "s" });
            let tooltip = crate::signature::domain(reading, argument);
            (count > 0).then_some(Hint { at: word.span.end, label, tooltip })
        })
        .collect()
}

/// A number with its thousands apart.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;

    #[test]
    fn numbers_are_readable() {
        assert_eq!(
            [0, 999, 1_000, 5_478, 1_234_567].map(grouped),
            ["0", "999", "1,000", "5,478", "1,234,567"]
        );
    }

    #[test]
    fn variables_have_numbers_of_values() {
        let text = "(n 1) (n 2) (<= (p ?x) (n ?x) (not (q ?x)))";
        let document = Document::new(text.to_owned());
        let wanted = Wanted { domains: true, instances: true };
        let found = within(document.reading(), 0..text.len(), wanted, None);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].label, ": 2 values");
        assert!(within(document.reading(), 0..5, wanted, None).is_empty());
    }
}
