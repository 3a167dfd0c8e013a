//! Formatting: the whole text, the forms of a range, or what was just typed. The layout is that of `groundrules fmt`; a
//! text that cannot be laid out because of its faults is left as it is.

use groundrules_gdl::format::format;
use groundrules_gdl::{Edit, Limits, Span};

use crate::reading::Reading;
use crate::setting::lists_around;

/// The edit that lays the whole text out; nothing if it is faulty, or laid out already.
pub fn whole(reading: &Reading) -> Option<Edit> {
    let new = format(reading.text().as_bytes(), &Limits::default()).ok()?;
    smallest(reading.text(), &String::from_utf8(new).ok()?)
}

/// The edits that lay out the forms that touch a range.
pub fn range(reading: &Reading, range: std::ops::Range<usize>) -> Vec<Edit> {
    let tree = reading.tree();
    let spans = tree.forms().iter().map(|&form| tree.span(form));
    let touched = spans.filter(|span| {
        (span.start as usize) < range.end.max(range.start + 1) && range.start <= span.end as usize
    });
    touched.filter_map(|span| form(reading, span)).collect()
}

/// The edit that lays one form out.
fn form(reading: &Reading, span: Span) -> Option<Edit> {
    let new = format(reading.slice(span).as_bytes(), &Limits::default()).ok()?;
    let new = String::from_utf8(new).ok()?;
    let new = new.trim_end();
    let behind = reading.text()[span.end as usize..].split(['\n', '\r']).next().unwrap_or_default();
    // A comment that comes last must not swallow what stands behind the form.
    let ends_in_comment = new.lines().last().is_some_and(|line| line.contains(';'));
    if ends_in_comment && !behind.trim().is_empty() {
        return None;
    }
    (new != reading.slice(span)).then(|| Edit::replace(span, new))
}

/// The edits after a `)` was typed: the form that it closed is laid out.
pub fn after_close(reading: &Reading, offset: usize) -> Vec<Edit> {
    let tree = reading.tree();
    let closed = tree.forms().iter().map(|&form| tree.span(form)).find(|span| span.end as usize == offset);
    let starts_line = |span: &Span| {
        let before = reading.text()[..span.start as usize].rsplit(['\n', '\r']).next().unwrap_or_default();
        before.trim().is_empty()
    };
    closed.filter(starts_line).and_then(|span| form(reading, span)).into_iter().collect()
}

/// The edit after a line end was typed: the new line begins where the arguments of the list around it stand.
pub fn after_line_end(reading: &Reading, offset: usize) -> Option<Edit> {
    let text = reading.text();
    let start = text[..offset].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let spaces = text[start..].bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let wanted = " ".repeat(indent(reading, start));
    let span = Span::new(start, start + spaces);
    (reading.slice(span) != wanted).then(|| Edit::replace(span, wanted))
}

/// The column at which a line that begins at an offset should begin.
fn indent(reading: &Reading, start: usize) -> usize {
    const LONGEST_ALIGNED_NAME: usize = 12;
    const DEEPEST: usize = 60;
    let tree = reading.tree();
    let around = lists_around(tree, reading.text(), start);
    let Some(&(list, _)) = around.last() else { return 0 };
    let at = tree.span(list).start as usize;
    let line = reading.text()[..at].rsplit(['\n', '\r']).next().unwrap_or_default();
    let column = line.chars().count();
    let name = tree.children(list).first().filter(|&&name| !tree.is_list(name)).map(|&name| tree.span(name));
    let width = name.map(|span| reading.slice(span).chars().count());
    let step = match width {
        Some(width) if width <= LONGEST_ALIGNED_NAME => width + 2,
        Some(_) => 4,
        None => 1,
    };
    (column + step).min(DEEPEST)
}

/// The edit that changes only what differs between two texts.
pub(crate) fn smallest(old: &str, new: &str) -> Option<Edit> {
    if old == new {
        return None;
    }
    let same = |a: &mut dyn Iterator<Item = (char, char)>| -> usize {
        a.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
    };
    let before = same(&mut old.chars().zip(new.chars()));
    let behind = same(&mut old[before..].chars().rev().zip(new[before..].chars().rev()));
    let text = &new[before..new.len() - behind];
    Some(Edit::replace(Span::new(before, old.len() - behind), text))
}

/// A text on one line, cut where it is long.
pub(crate) fn one_line(text: &str) -> String {
    const LONGEST: usize = 80;
    let mut line = String::new();
    for word in text.split_whitespace() {
        if line.chars().count() + word.chars().count() > LONGEST {
            line.push('…');
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;
    use groundrules_gdl::fix::apply;

    fn applied(text: &str, edits: &[Edit]) -> String {
        String::from_utf8(apply(text.as_bytes(), edits)).expect("UTF-8")
    }

    #[test]
    fn only_what_differs_is_changed() {
        let text = "(role a)\n(<= p (q a))\n(role b)\n";
        let document = Document::new(text.to_owned());
        let edit = whole(document.reading()).expect("a change");
        assert_eq!(applied(text, std::slice::from_ref(&edit)), "(role a)\n(<= p\n    (q a))\n(role b)\n");
        assert!(edit.span.range().len() < 8, "{edit:?}");
        assert!(whole(Document::new("(p".to_owned()).reading()).is_none());
    }

    #[test]
    fn forms_of_a_range_are_laid_out() {
        let text = "( role a)\n( <= p (q a))\n( role b)\n";
        let document = Document::new(text.to_owned());
        assert_eq!(
            applied(text, &range(document.reading(), 12..13)),
            "( role a)\n(<= p\n    (q a))\n( role b)\n"
        );
        let text = "( p a ; c\n) (q)";
        let document = Document::new(text.to_owned());
        assert!(range(document.reading(), 0..3).is_empty(), "the comment would swallow the next form");
    }

    #[test]
    fn typing_is_laid_out() {
        let text = "(<= p (q a))";
        let document = Document::new(text.to_owned());
        assert_eq!(applied(text, &after_close(document.reading(), text.len())), "(<= p\n    (q a))");
        let text = "(<= p\n";
        let document = Document::new(text.to_owned());
        assert_eq!(
            applied(text, &[after_line_end(document.reading(), text.len()).expect("an edit")]),
            "(<= p\n    "
        );
        let text = "(<= p\n    (or (q a)\n";
        let document = Document::new(text.to_owned());
        let edit = after_line_end(document.reading(), text.len()).expect("an edit");
        assert_eq!(edit.text.len(), 8);
    }
}
