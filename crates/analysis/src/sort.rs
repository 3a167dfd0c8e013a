//! The clauses of a description in the order of a game's parts: roles, initial state, legal moves and so on, and all clauses
//! of one name together. Clauses that belong together keep their order, so roles do; comments move with the clause that they
//! stand above or behind. The order of clauses means nothing in GDL.

use groundrules_gdl::Edit;
use groundrules_gdl::codes::INFIX;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::layout::smallest;
use crate::names::NameId;
use crate::outline::section;
use crate::reading::Reading;
use crate::relations::head;

/// The edit that sorts the clauses; nothing if they are sorted, or the text is faulty or not in KIF.
pub fn clauses(reading: &Reading) -> Option<Edit> {
    reading.checked().game.as_ref()?;
    if reading.diagnostics().iter().any(|found| found.code.id == INFIX.id) {
        return None;
    }
    let (header, mut clauses, rest) = split(reading);
    clauses.sort_by_key(|clause| clause.key);
    let line_end = if reading.text().contains("\r\n") { "\r\n" } else { "\n" };
    let mut out = header.to_owned();
    for (index, clause) in clauses.iter().enumerate() {
        if index > 0 {
            let apart = clause.apart || clauses[index - 1].key.0 != clause.key.0;
            out.push_str(if apart { line_end } else { "" });
            out.push_str(line_end);
        }
        out.push_str(clause.text);
    }
    out.push_str(rest);
    smallest(reading.text(), &out)
}

struct Clause<'t> {
    /// The part of the game, and what it is about.
    key: (usize, usize),
    /// With the comments above and behind.
    text: &'t str,
    /// A blank line stands before it.
    apart: bool,
}

/// What stands above the first clause's own comment, the clauses, and what stands behind the last.
fn split(reading: &Reading) -> (&str, Vec<Clause<'_>>, &str) {
    let (tree, names, text) = (reading.tree(), reading.names(), reading.text());
    let mut about: IndexSet<(usize, Option<NameId>), FxBuildHasher> = IndexSet::default();
    let mut clauses: Vec<Clause<'_>> = Vec::new();
    let (mut header, mut done) = ("", 0);
    for (index, &form) in tree.forms().iter().enumerate() {
        let words = names.of_form(index);
        let relation = words.iter().find(|word| word.defines && word.is_atom && word.in_head);
        let part = relation.map_or(usize::MAX, |word| section(names.name(word.name)));
        let end = with_comment_behind(text, tree.span(form).end as usize);
        let mut own = &text[done..end];
        if clauses.is_empty() {
            let above = &text[..tree.span(form).start as usize];
            let cut = last_blank_line(above);
            (header, own) = (&text[..cut], &text[cut..end]);
        }
        let trimmed = own.trim_start();
        let apart = own[..own.len() - trimmed.len()].matches('\n').count() > 1;
        let key = (part, about.insert_full((part, head(words, names))).0);
        clauses.push(Clause { key, text: trimmed, apart });
        done = end;
    }
    (header, clauses, &text[done..])
}

/// The end of the line if nothing but a comment is left in it.
fn with_comment_behind(text: &str, end: usize) -> usize {
    let rest = text[end..].split(['\n', '\r']).next().unwrap_or_default();
    if rest.trim_start().starts_with(';') { end + rest.len() } else { end }
}

/// Behind the last blank line of a text; its beginning, if there is none.
fn last_blank_line(text: &str) -> usize {
    let mut cut = 0;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        at += line.len();
        if line.ends_with('\n') && line.trim().is_empty() {
            cut = at;
        }
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;
    use groundrules_gdl::fix::apply;

    fn sorted(text: &str) -> Option<String> {
        let edit = clauses(Document::new(text.to_owned()).reading())?;
        Some(String::from_utf8(apply(text.as_bytes(), &[edit])).expect("UTF-8"))
    }

    #[test]
    fn clauses_are_grouped_with_their_comments() {
        let text = "; a game\n\n; values\n(succ 1 2) ; one\n(goal a 100)\n(role a)\n; more\n(succ 2 3)\n\n(<= terminal\n    (true (step 3)))\n(init (step 1))\n(legal a go)\n(next (step 2))\n; the end\n";
        let expected = "; a game\n\n(role a)\n\n(init (step 1))\n\n(legal a go)\n\n(next (step 2))\n\n(goal a 100)\n\n(<= terminal\n    (true (step 3)))\n\n; values\n(succ 1 2) ; one\n; more\n(succ 2 3)\n; the end\n";
        assert_eq!(sorted(text).as_deref(), Some(expected));
        assert_eq!(sorted(expected), None, "sorting once is enough");
    }

    #[test]
    fn roles_keep_their_order_and_faulty_texts_stay() {
        let text = "(legal b x) (role b) (legal a x) (role a)";
        assert_eq!(
            sorted(&format!("{text} (goal a 1) (goal b 1) (init s) (<= terminal (true s))")).as_deref(),
            Some(
                "(role b)\n(role a)\n\n(init s)\n\n(legal b x)\n(legal a x)\n\n(goal a 1)\n(goal b 1)\n\n(<= terminal (true s))"
            )
        );
        assert_eq!(sorted("(legal a x) (role"), None);
    }
}
