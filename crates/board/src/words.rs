//! Fluents and moves as words: a name and its arguments, taken from KIF. Names compare without regard to letter case, so
//! every comparison here is made on folded words; the spelling is kept for what people read.

use crate::nested::Nested;

/// A fluent or a move: its name and its arguments, each as KIF.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Words<'text> {
    pub(crate) name: &'text str,
    pub(crate) arguments: Vec<&'text str>,
}

impl<'text> Words<'text> {
    /// Takes a term apart at its outermost parentheses. A word alone has no arguments.
    pub(crate) fn of(text: &'text str) -> Self {
        let text = text.trim();
        let inside = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
        let Some(inside) = inside else { return Words { name: text, arguments: Vec::new() } };
        let mut parts = split(inside);
        let name = if parts.is_empty() { "" } else { parts.remove(0) };
        Words { name, arguments: parts }
    }

    /// The same with the arguments of places in their stead: `(on (square a 1) white)` as if it were `(on a 1 white)`.
    pub(crate) fn flat(text: &'text str, nested: &Nested) -> Self {
        let mut words = Words::of(text);
        if !nested.is_empty() {
            let inside = words.arguments.iter().flat_map(|&argument| match nested.place(argument) {
                Some(place) => place.arguments,
                None => vec![argument],
            });
            words.arguments = inside.collect();
        }
        words
    }

    /// What identifies the family of terms: the folded name, and the number of arguments.
    pub(crate) fn family(&self) -> (String, usize) {
        (fold(self.name), self.arguments.len())
    }
}

/// A word as it is compared.
pub(crate) fn fold(word: &str) -> String {
    word.to_lowercase()
}

/// The fluents of a state that is written as one list, as match records have it: `((cell 1 1 b) (control white))`.
pub fn fluents_of(state: &str) -> Vec<String> {
    let state = state.trim();
    let inside = state.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(state);
    split(inside).into_iter().map(str::to_owned).collect()
}

/// The terms of a text, at the outermost level.
pub(crate) fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), None, 0_usize);
    for (at, byte) in text.bytes().enumerate() {
        let is_space = byte.is_ascii_whitespace();
        match byte {
            b'(' => {
                // A list also ends the word before it.
                if depth == 0
                    && let Some(first) = start.replace(at)
                {
                    parts.push(&text[first..at]);
                }
                depth += 1;
            }
            b')' => {
                depth = depth.saturating_sub(1);
                if depth == 0
                    && let Some(first) = start.take()
                {
                    parts.push(&text[first..=at]);
                }
            }
            _ if depth > 0 => {}
            _ if is_space => parts.extend(start.take().map(|first| &text[first..at])),
            _ => start = start.or(Some(at)),
        }
    }
    parts.extend(start.map(|first| &text[first..]));
    parts
}

/// The words of a camel-case or underscored name, folded: `blackPawn` and `black_pawn` are `black` and `pawn`.
pub(crate) fn name_parts(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        let splits = (c.is_uppercase() && was_lower) || matches!(c, '_' | '-' | '.');
        if splits {
            parts.push(String::new());
        }
        was_lower = c.is_lowercase() || c.is_ascii_digit();
        if !matches!(c, '_' | '-' | '.')
            && let Some(part) = parts.last_mut()
        {
            part.extend(c.to_lowercase());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_come_apart_at_the_outermost_parentheses() {
        let words = Words::of("(cell (pos 1 2) b)");
        assert_eq!((words.name, words.arguments), ("cell", vec!["(pos 1 2)", "b"]));
        assert_eq!(Words::of("noop").arguments.len(), 0);
        assert_eq!(Words::of("(f(g 1)x)").arguments, ["(g 1)", "x"]);
        assert_eq!(Words::of("()").name, "");
        assert_eq!(Words::of("(a))").name, "a)");
    }

    #[test]
    fn a_state_is_a_list_of_fluents() {
        assert_eq!(fluents_of("((cell 1 1 b) open (step 2))"), ["(cell 1 1 b)", "open", "(step 2)"]);
        assert!(fluents_of("()").is_empty());
    }

    #[test]
    fn names_have_parts() {
        assert_eq!(name_parts("whiteKing"), ["white", "king"]);
        assert_eq!(name_parts("mov_up"), ["mov", "up"]);
        assert_eq!(name_parts("bk"), ["bk"]);
    }
}
