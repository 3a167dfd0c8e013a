//! Names as answer set programs can spell them. GDL allows nearly any character in a name; an identifier there begins
//! with a small letter, after underscores, and goes on with letters, digits, underscores and quotes. A name that is an
//! identifier of small letters stays itself, a number stays a number, and everything else becomes `_x` and the name, with
//! each character that does not fit as its code between quotes: `++` is `_x'2b''2b'`. No two names become the same.

use std::borrow::Cow;
use std::fmt::Write;

/// How an escaped name begins.
const MARK: &str = "_x";

/// A name as that of a function or predicate. Names are given as they are compared, in lower case.
pub(super) fn functor(name: &str) -> Cow<'_, str> {
    let begins_well = name.starts_with(|first: char| first.is_ascii_lowercase());
    // The word `not` is the only identifier that means something else.
    if begins_well && name.chars().all(stays) && name != "not" {
        return Cow::Borrowed(name);
    }
    let mut text = String::from(MARK);
    for character in name.chars() {
        if stays(character) {
            text.push(character);
        } else {
            // Writing to a string does not fail.
            let _ = write!(text, "'{:x}'", u32::from(character));
        }
    }
    Cow::Owned(text)
}

/// A name as that of a constant.
pub(super) fn constant(name: &str) -> Cow<'_, str> {
    if is_integer(name) { Cow::Borrowed(name) } else { functor(name) }
}

fn stays(character: char) -> bool {
    matches!(character, 'a'..='z' | '0'..='9' | '_')
}

/// Whether a name is a number as gringo writes it, and small enough for it to hold.
fn is_integer(name: &str) -> bool {
    let digits = name.strip_prefix('-').unwrap_or(name);
    let is_canonical = name == "0" || digits.starts_with(|first: char| matches!(first, '1'..='9'));
    is_canonical && name.parse::<i32>().is_ok()
}

/// The name that a function or predicate stands for, if it stands for one.
#[cfg(any(test, feature = "gringo"))]
pub(super) fn name_of_functor(text: &str) -> Option<Cow<'_, str>> {
    let Some(escaped) = text.strip_prefix(MARK) else {
        return (functor(text) == text).then_some(Cow::Borrowed(text));
    };
    let mut name = String::new();
    // Outside and inside of quotes in turn.
    for (place, part) in escaped.split('\'').enumerate() {
        if place % 2 == 0 {
            name.push_str(part);
        } else {
            name.push(char::from_u32(u32::from_str_radix(part, 16).ok()?)?);
        }
    }
    (functor(&name) == text).then_some(Cow::Owned(name))
}

/// The name that a constant stands for, if it stands for one.
#[cfg(any(test, feature = "gringo"))]
pub(super) fn name_of_constant(text: &str) -> Option<Cow<'_, str>> {
    if is_integer(text) {
        return Some(Cow::Borrowed(text));
    }
    // A number is never escaped where it can stand as it is.
    name_of_functor(text).filter(|name| !is_integer(name))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_that_fit_stay() {
        for name in ["cell", "x1", "a_b", "nota"] {
            assert_eq!((functor(name), constant(name)), (name.into(), name.into()));
        }
        for number in ["0", "7", "-5", "2147483647", "-2147483648"] {
            assert_eq!(constant(number), number);
            assert!(functor(number).starts_with("_x"));
        }
    }

    #[test]
    fn other_names_are_escaped() {
        let escaped = [
            ("++", "_x'2b''2b'"),
            ("01", "_x01"),
            ("-0", "_x'2d'0"),
            ("+1", "_x'2b'1"),
            ("not", "_xnot"),
            ("_x", "_x_x"),
            ("é", "_x'e9'"),
            ("2147483648", "_x2147483648"),
            ("a'b", "_xa'27'b"),
            ("", "_x"),
        ];
        for (name, text) in escaped {
            assert_eq!(constant(name), text);
            assert_eq!(name_of_constant(text).as_deref(), Some(name));
        }
    }

    #[test]
    fn texts_that_stand_for_no_name_are_told() {
        for text in ["", "Cell", "not", "_y", "_xcell", "_x'2B'", "_x'02b'", "_x'2b", "_x'", "_x'61'", "_x''"]
        {
            assert_eq!(name_of_functor(text), None, "{text}");
        }
        for text in ["01", "--1", "2147483648", "_x1", "_x-1"] {
            assert_eq!(name_of_constant(text), None, "{text}");
        }
    }

    /// Names as descriptions have them, and names that are hard to tell from escaped ones.
    fn name() -> impl Strategy<Value = String> {
        prop_oneof![any::<String>(), "[a-z0-9_'x+-]{0,8}", "-?[0-9]{1,11}", "_x[a-z0-9_']{0,6}", "not[a-z]?"]
            .prop_map(|name| name.to_lowercase())
    }

    fn is_identifier(text: &str) -> bool {
        let rest = text.trim_start_matches('_');
        rest.starts_with(|first: char| first.is_ascii_lowercase())
            && rest.chars().all(|it| it.is_ascii_alphanumeric() || matches!(it, '_' | '\''))
            && text != "not"
    }

    proptest! {
        #[test]
        fn every_name_comes_back(name in name()) {
            let (functor, constant) = (functor(&name), constant(&name));
            prop_assert_eq!(name_of_functor(&functor).unwrap(), name.as_str());
            prop_assert_eq!(name_of_constant(&constant).unwrap(), name.as_str());
            prop_assert!(is_identifier(&functor));
            prop_assert!(is_identifier(&constant) || name.parse::<i32>().is_ok());
        }

        #[test]
        fn no_two_names_are_written_alike(left in name(), right in name()) {
            prop_assert_eq!(functor(&left) == functor(&right), left == right);
            prop_assert_eq!(constant(&left) == constant(&right), left == right);
        }

        #[test]
        fn a_text_stands_for_one_name_or_none(text in "[_x'a-z0-9-]{0,10}") {
            if let Some(name) = name_of_constant(&text) {
                prop_assert_eq!(constant(&name), text.as_str());
            }
        }
    }
}
