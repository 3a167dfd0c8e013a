//! The moves: their names, when they are legal, and whatever there is to do for a role that has nothing to do.

use super::builder::{Builder, Name, Readable, Sort, Word};

/// Chooses the names of the moves; `noop` is the first.
pub(crate) fn name(builder: &mut Builder) {
    builder.moves.push(Name::new("noop", &[]));
    for stem in &["go", "put", "turn"][..builder.between(1, 3)] {
        let sorts = match builder.below(5) {
            0 => vec![],
            1 => vec![Sort::Letter],
            2 => vec![Sort::Letter, Sort::Number],
            _ => builder.sorts(3),
        };
        builder.moves.push(Name::new(*stem, &sorts));
    }
}

/// Adds the rules for `legal`.
pub(crate) fn add_legal(builder: &mut Builder) {
    let from = builder.basis();
    let names: Vec<Name> = builder.moves.iter().skip(1).cloned().collect();
    for name in names {
        for _ in 0..builder.between(1, 2) {
            legal(builder, &name, &from);
        }
    }
    idle(builder);
    if builder.chance(20) {
        never_legal(builder);
    }
    for name in builder.moves.clone() {
        builder.publish(Word::Legal, name.clone());
        if builder.hints {
            builder.publish(Word::Input, name);
        }
    }
}

fn legal(builder: &mut Builder, name: &Name, from: &[Readable]) {
    let arguments: Vec<String> = if builder.chance(60) {
        name.variables(0)
    } else {
        name.sorts.iter().map(|&sort| builder.term(sort)).collect()
    };
    let role = if builder.chance(70) { "?r0".to_owned() } else { builder.element(Sort::Role) };
    let count = builder.below(3);
    let mut body = builder.body(from, count);
    if builder.chance(35) && builder.fluents.iter().any(|fluent| fluent.name == "control") {
        body.push(format!("(true (control {role}))"));
    }
    if role == "?r0" {
        let guard = if builder.chance(10) { "(letter ?r0)" } else { "(role ?r0)" };
        body.push(guard.to_owned());
    }
    let term = name.of(&arguments);
    if builder.chance(15) {
        builder.note("legal from a helper");
        let helper = builder.fresh("option", &[]).name;
        builder.safe_rule(&format!("({helper} {role} {term})"), body, from);
        let mut last = helper;
        for _ in 0..builder.below(3) {
            let next = builder.fresh("option", &[]).name;
            builder.rule(format!("({next} ?r0 ?m)"), &[format!("({last} ?r0 ?m)")]);
            last = next;
        }
        builder.rule("(legal ?r0 ?m)", &[format!("({last} ?r0 ?m)")]);
    } else {
        builder.safe_rule(&format!("(legal {role} {term})"), body, from);
    }
}

/// When `noop` is legal: always, out of turn, when something else is not legal, or hardly ever.
fn idle(builder: &mut Builder) {
    let has_control = builder.fluents.iter().any(|fluent| fluent.name == "control");
    match builder.below(100) {
        ..50 => builder.rule("(legal ?r0 noop)", &["(role ?r0)"]),
        50..60 => {
            for role in builder.elements(Sort::Role).to_vec() {
                builder.fact(format!("(legal {role} noop)"));
            }
        }
        60..75 if has_control => {
            builder.rule("(legal ?r0 noop)", &["(role ?r0)", "(not (true (control ?r0)))"]);
        }
        60..95 => {
            let names: Vec<Name> = builder.moves.iter().skip(1).cloned().collect();
            let name = builder.pick(&names);
            let term = name.of(&builder.elements_for(&name));
            builder.note("stratified by arguments");
            let body = ["(role ?r0)".to_owned(), format!("(not (legal ?r0 {term}))")];
            builder.rule("(legal ?r0 noop)", &body);
        }
        _ => builder.rule("(legal ?r0 noop)", &["(role ?r0)", "(true (step 2))"]),
    }
}

/// A move with rules that never apply.
fn never_legal(builder: &mut Builder) {
    let name = Name::new("fly", &[Sort::Letter]);
    let reason = builder.pick(&["(true (wings ?l0))", "(distinct ?l0 ?l0)", "(or)"]);
    builder.rule("(legal ?r0 (fly ?l0))", &["(role ?r0)", "(letter ?l0)", reason]);
    builder.note("never legal");
    builder.moves.push(name);
}
