//! What is shown of a word under the mouse: its signature, what it is, where its rules are, what its arguments can be, and
//! the comment above its first rule.

use std::fmt::Write;

use groundrules_gdl::Span;
use groundrules_gdl::keyword::Keyword;

use crate::grounding::Grounding;
use crate::names::{Kind, Name, NameId, Occurrence};
use crate::reading::Reading;
use crate::signature;

/// A text about a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The word.
    pub span: Span,
    /// About it, as Markdown.
    pub markdown: String,
}

/// What to show of the word at an offset. `grounding` adds what only grounding knows.
pub fn at(reading: &Reading, offset: usize, grounding: Option<&Grounding>) -> Option<Hover> {
    let word = reading.names().at(offset)?;
    Some(Hover { span: word.span, markdown: about(reading, word, grounding) })
}

/// About a name, as Markdown.
pub fn about_name(reading: &Reading, id: NameId, grounding: Option<&Grounding>) -> String {
    let mut out = format!("```gdl\n{}\n```\n", signature::of(reading, id).label);
    let names = reading.names();
    if let Name::Keyword(keyword) = names.name(id) {
        let _ = writeln!(out, "{}", meaning(keyword));
        return out;
    }
    let _ = writeln!(out, "{}{}", signature::described(reading, id), rules(reading, id, grounding));
    for (place, domain) in signature::of(reading, id).domains.iter().enumerate() {
        if !domain.is_empty() {
            let _ = writeln!(out, "\n- argument {}: {domain}", place + 1);
        }
    }
    if let Some(comment) = comment_above(reading, id) {
        let _ = writeln!(out, "\n---\n{comment}");
    }
    out
}

fn about(reading: &Reading, word: &Occurrence, grounding: Option<&Grounding>) -> String {
    match reading.names().name(word.name) {
        Name::Variable(..) => about_variable(reading, word),
        _ => about_name(reading, word.name, grounding),
    }
}

fn about_variable(reading: &Reading, word: &Occurrence) -> String {
    let uses: Vec<&Occurrence> = reading.names().uses(word.name).collect();
    let times = match uses.len() {
        1 => "occurs once in its rule".to_owned(),
        count => format!("occurs {count} times in its rule"),
    };
    let mut out = format!("```gdl\n{}\n```\nvariable, {times}\n", reading.slice(word.span));
    let bound = uses.iter().filter(|word| !word.in_head && !word.negated);
    let places = bound.filter_map(|word| crate::navigate::argument_at(reading, word.span));
    let smallest = places
        .map(|argument| (reading.domains().values(argument).count(), argument))
        .filter(|&(count, _)| count > 0)
        .min_by_key(|&(count, _)| count);
    if let Some((_, argument)) = smallest {
        let _ = writeln!(out, "\n- values: {}", signature::domain(reading, argument));
    }
    out
}

/// How many rules and facts there are for a name, and what they come to.
fn rules(reading: &Reading, id: NameId, grounding: Option<&Grounding>) -> String {
    let names = reading.names();
    let (mut facts, mut rules) = (0, 0);
    let mut instances = 0;
    for word in names.uses(id).filter(|word| word.defines) {
        let form = reading.tree().forms()[word.form as usize];
        if crate::setting::is_rule(reading.tree(), form) {
            rules += 1;
        } else {
            facts += 1;
        }
        instances += grounding.and_then(|known| known.instances(word.form as usize)).unwrap_or(0);
    }
    let uses = names.uses(id).filter(|word| !word.defines).count();
    let mut parts = Vec::new();
    let several = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    if rules > 0 {
        parts.push(several(rules, "rule"));
    }
    if facts > 0 {
        parts.push(several(facts, "fact"));
    }
    parts.push(several(uses, "use"));
    if grounding.is_some() && instances > 0 {
        parts.push(format!("{instances} ground instance{}", if instances == 1 { "" } else { "s" }));
    }
    let mut text = format!(": {}", parts.join(", "));
    let has_rules = matches!(names.kind(id), Kind::Relation | Kind::Fluent | Kind::Move);
    if has_rules && rules + facts == 0 {
        text.push_str("; nothing defines it, so it never holds");
    }
    text
}

/// What a keyword means.
pub fn meaning(keyword: Keyword) -> &'static str {
    match keyword {
        Keyword::Role => "`r` is a player. The order of the roles is the order of joint moves.",
        Keyword::Init => "`f` holds in the initial state.",
        Keyword::True => "`f` holds in the current state.",
        Keyword::Does => "The role `r` makes the move `m`.",
        Keyword::Next => "`f` holds in the next state. What no rule for `next` gives does not hold there.",
        Keyword::Legal => "The role `r` may make the move `m` in the current state.",
        Keyword::Goal => "The current state is worth `v`, from 0 to 100, to the role `r`.",
        Keyword::Terminal => "The match ends in the current state.",
        Keyword::Base => {
            "`f` may hold in some state. Groundrules takes it for a hint and computes its own set."
        }
        Keyword::Input => {
            "`m` may be a move of `r`. Groundrules takes it for a hint and computes its own set."
        }
        Keyword::Sees => "The role `r` perceives `p` after the joint move (GDL-II).",
        Keyword::Distinct => "`s` and `t` are different terms. It binds no variable.",
        Keyword::Not => "Negation as failure: `l` cannot be derived. Its variables must be bound elsewhere.",
        Keyword::Or => {
            "At least one of the conditions holds. A variable is bound only if each of them binds it."
        }
        Keyword::And => {
            "All the conditions hold. Not part of GDL: other programs take it for an unknown relation."
        }
        Keyword::Implies => "A rule: `head` holds if every condition of the body does.",
    }
}

/// The comment in the lines right above the first rule of a name, without its semicolons.
pub(crate) fn comment_above(reading: &Reading, id: NameId) -> Option<String> {
    let tree = reading.tree();
    let first = reading.names().uses(id).find(|word| word.defines)?;
    let mut start = tree.span(tree.forms()[first.form as usize]).start as usize;
    let comments = tree.comments();
    let mut behind = comments.partition_point(|comment| (comment.start as usize) < start);
    let mut lines = Vec::new();
    while let Some(index) = behind.checked_sub(1) {
        let comment = comments[index];
        let gap = reading.text().get(comment.end as usize..start)?;
        let line = reading.text()[..comment.start as usize].rsplit(['\n', '\r']).next().unwrap_or_default();
        let alone = line.trim().is_empty();
        if !alone || !gap.trim().is_empty() || gap.matches('\n').count() > 1 {
            break;
        }
        lines.push(reading.slice(comment).trim_start_matches(';').trim().to_owned());
        start = comment.start as usize - line.len();
        behind = index;
    }
    lines.reverse();
    let text = lines.join("\n").trim().to_owned();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;

    fn hover(text: &str, word: &str) -> String {
        let document = Document::new(text.to_owned());
        at(document.reading(), text.rfind(word).expect("the word"), None).expect("a text").markdown
    }

    #[test]
    fn relations_are_described() {
        let text = "; far away\n\n;; which squares\n; touch\n(adj 1 2)\n(adj 2 3)\n(<= terminal (adj ?x ?_y) (true ?x))";
        let shown = hover(text, "adj");
        assert!(shown.contains("(adj ?x ?_y)"), "{shown}");
        assert!(shown.contains("static relation: 2 facts, 1 use"), "{shown}");
        assert!(shown.contains("- argument 1: 1, 2"), "{shown}");
        assert!(shown.ends_with("---\nwhich squares\ntouch\n"), "{shown}");
    }

    #[test]
    fn what_nothing_defines_never_holds() {
        assert!(hover("(<= terminal (true (won a)))", "won").contains("it never holds"));
        assert!(hover("(<= terminal (true (won a)))", "true").contains("current state"));
    }

    #[test]
    fn variables_have_values() {
        let shown = hover("(n 1) (n 2) (<= (p ?x) (n ?x))", "?x");
        assert!(shown.contains("occurs 2 times") && shown.contains("values: 1, 2"), "{shown}");
    }
}
