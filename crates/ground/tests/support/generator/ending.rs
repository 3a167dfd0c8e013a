//! When a match is over and what it is worth.

use super::builder::{Builder, Name, Sort, Word};

pub(crate) fn add(builder: &mut Builder) {
    terminal(builder);
    builder.publish(Word::Plain, Name::new("terminal", &[]));
    goals(builder);
    builder.publish(Word::Plain, Name::new("goal", &[Sort::Role, Sort::Worth]));
}

fn terminal(builder: &mut Builder) {
    if builder.chance(10) {
        builder.rule("terminal", &["(letter nowhere)"]);
        return;
    }
    let from = builder.catalogue.clone();
    if builder.chance(40) {
        let last = builder.elements(Sort::Number).last().cloned().unwrap_or_default();
        let mut body = vec![format!("(true (step {last}))")];
        if builder.chance(50) {
            body.push(builder.literal(&from, 1));
        }
        builder.safe_rule("terminal", body, &from);
    }
    if builder.chance(50) {
        // Most conditions hold at once, so more of them are asked for together.
        let body = builder.body(&from, 4);
        builder.safe_rule("terminal", body, &from);
    }
    builder.rule("terminal", &["(true over)"]);
}

fn goals(builder: &mut Builder) {
    let from = builder.basis();
    let role = if builder.chance(60) { "?r0".to_owned() } else { builder.element(Sort::Role) };
    let count = builder.between(1, 3);
    let body = builder.body(&from, count);
    builder.safe_rule(&format!("(goal {role} 100)"), body, &from);
    if builder.chance(60) {
        builder.note("stratified by arguments");
        builder.rule("(goal ?r0 0)", &["(role ?r0)", "(not (goal ?r0 100))"]);
    } else {
        let worth = builder.term(Sort::Worth);
        let body = builder.body(&from, 2);
        builder.safe_rule(&format!("(goal ?r0 {worth})"), body, &from);
    }
}
