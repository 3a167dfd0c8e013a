//! Quick fixes: those that the diagnostics bring along, those that need nothing but the shape of the text, and all the
//! safe ones at once.

mod bind;
mod distinct;

use std::sync::Arc;

use groundrules_gdl::fix::apply;
use groundrules_gdl::keyword::Keyword;
use groundrules_gdl::nearest::nearest;
use groundrules_gdl::syntax::{NodeId, Tree};
use groundrules_gdl::{Diagnostic, Edit, Fix, Span};

use crate::layout::smallest;
use crate::reading::Reading;
use crate::setting::{is_rule, keyword, lists_around};

pub use distinct::between_variables;

/// The ways to mend what a diagnostic of this reading is about, the most likely first.
pub fn of(reading: &Reading, diagnostic: &Diagnostic) -> Vec<Fix> {
    let own = match diagnostic.code.id {
        "G113" => close_comment(reading),
        "G114" => respell_level(reading, diagnostic.span()),
        "G203" => unwrap(reading, diagnostic.span()),
        "G204" => Some(Fix::new("remove the rule", vec![Edit::remove(diagnostic.span())])),
        "G509" => nearest_goal(reading, diagnostic.span()),
        "G510" => distinct::instead(reading, diagnostic.span()),
        "G515" => remove_fact(reading, diagnostic.span()),
        "G109" => respell(reading, diagnostic.span()),
        "G110" => name_variable(reading, diagnostic.span()),
        "G205" => replace_by_member(reading, diagnostic.span(), 1, "write the head alone"),
        "G206" => replace_by_member(reading, diagnostic.span(), 1, "write its argument alone"),
        "G207" => without_and(reading, diagnostic.span()),
        "G208" => replace_by_member(reading, diagnostic.span(), 0, "write it without parentheses"),
        _ => None,
    };
    let brought = diagnostic.fixes.iter().filter(|_| own.is_none()).cloned();
    let mut fixes: Vec<Fix> = own.clone().into_iter().chain(brought).collect();
    if diagnostic.code.id == "G301" {
        fixes.extend(bind::by_relation(reading, diagnostic.span()));
    }
    fixes.iter_mut().for_each(|fix| widen_removals(reading, fix));
    fixes
}

/// The edit that applies every safe fix, and those that become possible by it.
pub fn all_safe(reading: &Reading) -> Option<Edit> {
    const MOST_ROUNDS: usize = 20;
    let mut text = reading.text().to_owned();
    let mut now: Option<Reading> = None;
    for _ in 0..MOST_ROUNDS {
        let current = now.as_ref().unwrap_or(reading);
        let fixes = current
            .diagnostics()
            .iter()
            .filter_map(|found| of(current, found).into_iter().find(|fix| fix.safe));
        let edits = compatible(fixes);
        if edits.is_empty() {
            break;
        }
        text = String::from_utf8(apply(text.as_bytes(), &edits)).ok()?;
        now = Some(Reading::of(Arc::from(text.as_str())));
    }
    smallest(reading.text(), &text)
}

/// The edits of fixes that do not touch the same text; of two that do, the first.
fn compatible(fixes: impl Iterator<Item = Fix>) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    let overlap = |a: Span, b: Span| a.start <= b.end && b.start <= a.end;
    for fix in fixes {
        let free = fix.edits.iter().all(|new| edits.iter().all(|old| !overlap(old.span, new.span)));
        if free {
            edits.extend(fix.edits);
        }
    }
    edits
}

/// Writes the first spelling of a name wherever another one stands.
fn respell(reading: &Reading, span: Span) -> Option<Fix> {
    const MOST_EDITS: usize = 10_000;
    let (tree, names) = (reading.tree(), reading.names());
    let symbol = names.symbol(names.at(span.start as usize)?.name)?;
    let first = tree.symbols.spelling(symbol);
    let words = names.occurrences().iter().filter(|word| names.symbol(word.name) == Some(symbol));
    let others = words.filter(|word| reading.slice(word.span) != first);
    let edits = others.take(MOST_EDITS).map(|word| Edit::replace(word.span, first)).collect();
    Some(Fix::safe(format!("write `{first}` everywhere"), edits))
}

/// Gives the variable `?` a name that its rule does not use.
fn name_variable(reading: &Reading, span: Span) -> Option<Fix> {
    let (tree, names) = (reading.tree(), reading.names());
    let word = names.at(span.start as usize)?;
    let form = names.of_form(word.form as usize);
    let is_free = |name: &str| {
        let symbol = tree.symbols.find(name);
        form.iter().all(|word| names.symbol(word.name) != symbol || symbol.is_none())
    };
    let numbered = (1..1_000).map(|number| format!("?x{number}"));
    let name =
        ["?x", "?y", "?z"].map(str::to_owned).into_iter().chain(numbered).find(|name| is_free(name))?;
    let edits = names.uses(word.name).map(|word| Edit::replace(word.span, name.as_str())).collect();
    Some(Fix::safe(format!("call it `{name}`"), edits))
}

/// Ends a block comment where the text ends.
fn close_comment(reading: &Reading) -> Option<Fix> {
    let end = u32::try_from(reading.text().trim_end().len()).ok()?;
    Some(Fix::new("close the comment at the end of the text", vec![Edit::insert(end, " |#")]))
}

/// Writes the level that a comment probably means.
fn respell_level(reading: &Reading, span: Span) -> Option<Fix> {
    const BEFORE: &str = "groundrules:";
    let comment = reading.slice(span);
    let words = comment.find(BEFORE)? + BEFORE.len();
    let name = comment[words..].split_whitespace().next()?;
    let meant = nearest(name, ["allow", "warn", "deny"].into_iter()).filter(|&meant| meant != name)?;
    let start = span.start as usize + words + comment[words..].find(name)?;
    let edit = Edit::replace(Span::new(start, start + name.len()), meant);
    Some(Fix::new(format!("write `{meant}`"), vec![edit]))
}

/// Takes away parentheses around a single list: `((p a))`.
fn unwrap(reading: &Reading, inner: Span) -> Option<Fix> {
    let tree = reading.tree();
    let around = lists_around(tree, reading.text(), inner.start as usize);
    let &(outer, _) = around.iter().rev().find(|&&(list, _)| tree.span(list) != inner)?;
    let single = tree.children(outer).len() == 1;
    if single {
        replace_by_member(reading, tree.span(outer), 0, "remove the parentheses around it")
    } else {
        None
    }
}

/// The nearest value that a goal may have, for a number or a word that is none.
fn nearest_goal(reading: &Reading, span: Span) -> Option<Fix> {
    let number: f64 = match reading.slice(span).to_lowercase().as_str() {
        "win" | "won" | "wins" => 100.0,
        "draw" | "tie" => 50.0,
        "lose" | "lost" | "loss" | "loses" => 0.0,
        other => other.parse().ok().filter(|number: &f64| number.is_finite())?,
    };
    let value = format!("{:.0}", number.clamp(0.0, 100.0).abs());
    Some(Fix::new(format!("write `{value}`"), vec![Edit::replace(span, value)]))
}

/// Removes the fact that stands at a span.
fn remove_fact(reading: &Reading, span: Span) -> Option<Fix> {
    let tree = reading.tree();
    let is_fact = tree.forms().iter().any(|&form| tree.span(form) == span);
    is_fact.then(|| Fix::new("remove the fact", vec![Edit::remove(span)]))
}

/// The list that stands exactly at a span, and the list around it.
fn list_at(reading: &Reading, span: Span) -> Option<(NodeId, Option<NodeId>)> {
    let around = lists_around(reading.tree(), reading.text(), span.start as usize + 1);
    let at = around.iter().rposition(|&(list, _)| reading.tree().span(list) == span)?;
    Some((around[at].0, at.checked_sub(1).map(|outer| around[outer].0)))
}

fn holds_comment(tree: &Tree, span: Span) -> bool {
    let comments = tree.comments();
    let first = comments.partition_point(|comment| comment.start < span.start);
    comments.get(first).is_some_and(|comment| comment.start < span.end)
}

fn replace_by_member(reading: &Reading, span: Span, member: usize, title: &str) -> Option<Fix> {
    let tree = reading.tree();
    let (list, _) = list_at(reading, span)?;
    let kept = tree.span(*tree.children(list).get(member)?);
    // A comment between the parentheses would be lost.
    let lost = [Span { start: span.start, end: kept.start }, Span { start: kept.end, end: span.end }];
    if lost.iter().any(|&part| holds_comment(tree, part)) {
        return None;
    }
    Some(Fix::safe(title, lost.map(Edit::remove).to_vec()))
}

/// Takes `and` away: in a body and in another `and` its conditions stand by themselves; under `not` they become an `or` of
/// negations.
fn without_and(reading: &Reading, span: Span) -> Option<Fix> {
    let tree = reading.tree();
    let (list, outer) = list_at(reading, span)?;
    let outer = outer?;
    let conditions = tree.children(list).get(1..)?;
    let (first, last) = (tree.span(*conditions.first()?), tree.span(*conditions.last()?));
    if holds_comment(tree, Span { start: span.start, end: first.start })
        || holds_comment(tree, Span { start: last.end, end: span.end })
    {
        return None;
    }
    match keyword(tree, outer)? {
        Keyword::Implies | Keyword::And => {
            let lost =
                [Span { start: span.start, end: first.start }, Span { start: last.end, end: span.end }];
            Some(Fix::safe("list the conditions without `and`", lost.map(Edit::remove).to_vec()))
        }
        Keyword::Not if conditions.len() > 1 && !holds_comment(tree, span) => {
            let negated: Vec<String> = conditions
                .iter()
                .map(|&condition| format!("(not {})", reading.slice(tree.span(condition))))
                .collect();
            let text = format!("(or {})", negated.join(" "));
            Some(Fix::safe("write an `or` of negations", vec![Edit::replace(tree.span(outer), text)]))
        }
        Keyword::Or => split_rule(reading, outer),
        _ => None,
    }
}

/// One rule for each alternative of an `or` that stands in a rule's body by itself.
fn split_rule(reading: &Reading, or: NodeId) -> Option<Fix> {
    const MOST: usize = 20;
    let tree = reading.tree();
    let &form = tree.forms().iter().find(|&&form| tree.children(form).contains(&or))?;
    let (rule, alternatives) = (tree.span(form), tree.children(or).get(1..)?);
    if !is_rule(tree, form) || alternatives.len() > MOST || holds_comment(tree, rule) {
        return None;
    }
    let before = reading.slice(Span { start: rule.start, end: tree.span(or).start });
    let behind = reading.slice(Span { start: tree.span(or).end, end: rule.end });
    let rules = alternatives.iter().map(|&alternative| {
        let conditions: Vec<&str> = match keyword(tree, alternative) {
            Some(Keyword::And) => {
                tree.children(alternative).iter().skip(1).map(|&it| reading.slice(tree.span(it))).collect()
            }
            _ => vec![reading.slice(tree.span(alternative))],
        };
        format!("{before}{}{behind}", conditions.join(" "))
    });
    let text = rules.collect::<Vec<_>>().join("\n");
    Some(Fix::new("write a rule for each alternative", vec![Edit::replace(rule, text)]))
}

/// A removed form takes its line with it, where nothing else stands in that line.
fn widen_removals(reading: &Reading, fix: &mut Fix) {
    let text = reading.text();
    for edit in fix.edits.iter_mut().filter(|edit| edit.text.is_empty()) {
        let range = edit.span.range();
        let is_form = reading.tree().forms().iter().any(|&form| reading.tree().span(form) == edit.span);
        if !is_form {
            continue;
        }
        let before = text[..range.start].rsplit(['\n', '\r']).next().unwrap_or_default();
        let behind = text[range.end..].split(['\n', '\r']).next().unwrap_or_default();
        if before.trim().is_empty() && behind.trim().is_empty() {
            let end = range.end + behind.len();
            let line_end =
                text[end..].bytes().take(2).take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
            let line_end = if text[end..].starts_with("\r\n") { line_end } else { line_end.min(1) };
            edit.span = Span::new(range.start - before.len(), end + line_end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;

    pub(super) fn fixed(text: &str, code: &str) -> String {
        let document = Document::new(text.to_owned());
        let reading = document.reading();
        let found = reading.diagnostics().iter().find(|found| found.code.id == code).expect("the diagnostic");
        let fixes = of(reading, found);
        let fix = fixes.first().unwrap_or_else(|| panic!("no fix for {code} in {text}"));
        String::from_utf8(apply(text.as_bytes(), &fix.edits)).expect("UTF-8")
    }

    #[test]
    fn the_shape_is_mended() {
        assert_eq!(fixed("(<= (p a))", "G205"), "(p a)");
        assert_eq!(fixed("(<= p (or (q a)))", "G206"), "(<= p (q a))");
        assert_eq!(fixed("(<= p (and (q a) r))", "G207"), "(<= p (q a) r)");
        assert_eq!(fixed("(<= p (not (and q r)))", "G207"), "(<= p (or (not q) (not r)))");
        assert_eq!(fixed("(<= p (or q (and r s)) t)", "G207"), "(<= p q t)\n(<= p r s t)");
        assert_eq!(fixed("(p (k))", "G208"), "(p k)");
        assert_eq!(fixed(";; groundrules: alow G513\n(p k)", "G114"), ";; groundrules: allow G513\n(p k)");
        assert_eq!(fixed("(<= (busy ?) (true (at ? ?x)))", "G110"), "(<= (busy ?y) (true (at ?y ?x)))");
    }

    #[test]
    fn what_is_too_much_goes() {
        assert_eq!(fixed("(<= terminal ((true (step 9))))", "G203"), "(<= terminal (true (step 9)))");
        assert_eq!(fixed("(p a)\n(<=)\n(p b)", "G204"), "(p a)\n(p b)");
        assert_eq!(fixed("(role a) (goal a 150)", "G509"), "(role a) (goal a 100)");
        assert_eq!(fixed("(role a) (goal a Draw)", "G509"), "(role a) (goal a 50)");
        assert_eq!(fixed("(role a) (goal a -3)", "G509"), "(role a) (goal a 0)");
        assert_eq!(fixed("(p a)\n#| never closed\n", "G113"), "(p a)\n#| never closed |#\n");
    }

    /// Codes whose right text only the author knows, at least in the example.
    const UNKNOWABLE: [&str; 34] = [
        "G114", "G301", "G104", "G105", "G106", "G108", "G111", "G112", "G115", "G201", "G209", "G210",
        "G213", "G214", "G401", "G402", "G403", "G404", "G405", "G501", "G502", "G503", "G504", "G505",
        "G506", "G507", "G511", "G512", "G516", "G517", "G601", "G602", "G701", "G508",
    ];

    #[test]
    fn every_code_whose_right_text_is_known_has_a_fix() {
        let mut missing = Vec::new();
        for code in groundrules_gdl::codes::all().iter().filter(|code| !code.wrong.is_empty()) {
            let document = Document::new(code.wrong.to_owned());
            let reading = document.reading();
            let fixes = reading
                .diagnostics()
                .iter()
                .filter(|found| found.code.id == code.id)
                .map(|found| of(reading, found));
            if fixes.flatten().next().is_none() && !UNKNOWABLE.contains(&code.id) {
                missing.push(code.id);
            }
        }
        assert!(missing.is_empty(), "no fix for the wrong examples of {missing:?}");
    }

    #[test]
    fn fixes_take_the_diagnostic_away() {
        for code in groundrules_gdl::codes::all() {
            let document = Document::new(code.wrong.to_owned());
            let reading = document.reading();
            for found in reading.diagnostics() {
                for fix in of(reading, found) {
                    let text = String::from_utf8(apply(code.wrong.as_bytes(), &fix.edits)).expect("UTF-8");
                    let after = Document::new(text.clone());
                    let count = |reading: &Reading| {
                        reading.diagnostics().iter().filter(|other| other.code.id == found.code.id).count()
                    };
                    assert!(
                        count(after.reading()) < count(reading),
                        "{}: `{}` in {:?} gives {text:?}",
                        found.code.id,
                        fix.title,
                        code.wrong
                    );
                }
            }
        }
    }

    #[test]
    fn spellings_are_mended_everywhere() {
        assert_eq!(
            fixed("(role White) (p white) (q WHITE) (r white)", "G109"),
            "(role White) (p White) (q White) (r White)"
        );
    }

    #[test]
    fn a_removed_fact_takes_its_line_along() {
        assert_eq!(fixed("(p 1)\n  (p 1)\n(p 2)\n", "G211"), "(p 1)\n(p 2)\n");
        assert_eq!(fixed("(p 1)\r\n(p 1)\r\n(p 2)", "G211"), "(p 1)\r\n(p 2)");
        assert_eq!(fixed("(p 1) (p 1)\n(p 2)\n", "G211"), "(p 1) \n(p 2)\n");
    }

    #[test]
    fn all_safe_fixes_go_together() {
        let text =
            "(role White)\n(role white)\n(<= (p a))\n(<= q (or (and (r white) (s (k)))))\n(r White) (s k)\n";
        let document = Document::new(text.to_owned());
        let edit = all_safe(document.reading()).expect("an edit");
        let text = String::from_utf8(apply(text.as_bytes(), &[edit])).expect("UTF-8");
        assert_eq!(text, "(role White)\n(p a)\n(<= q (r White) (s k))\n(r White) (s k)\n");
    }
}
