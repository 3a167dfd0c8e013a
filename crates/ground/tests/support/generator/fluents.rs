//! The fluents and the first state: cells, tokens, counters, flags and others, some of them looking exclusive without
//! being so. `base` and `input` are sometimes given, and not always right.

use super::builder::{Builder, Name, Sort, Word};

pub(crate) fn add(builder: &mut Builder) {
    builder.hints = builder.chance(25);
    for (percent, kind) in [(60, cell as fn(&mut Builder)), (50, control), (60, step), (30, flag)] {
        if builder.chance(percent) {
            kind(builder);
        }
    }
    for number in 0..builder.between(1, 2) {
        other(builder, number);
    }
    if builder.chance(20) {
        builder.note("moves in fluents");
        builder.rule("(next (last ?r0 ?m))", &["(does ?r0 ?m)"]);
        if builder.chance(30) {
            builder.rule("(legal ?r0 ?m)", &["(true (last ?r0 ?m))"]);
        }
        builder.fact(format!("(init (last {} noop))", builder.elements(Sort::Role)[0]));
    }
    if builder.chance(5) {
        builder.note("a name with two arities");
        builder.fluents.push(Name::new("other0", &[Sort::Number, Sort::Number, Sort::Letter]));
    }
    if builder.hints {
        hints(builder);
    }
    for name in builder.fluents.clone() {
        builder.publish(Word::True, name.clone());
        if builder.hints {
            builder.publish(Word::Base, name);
        }
    }
}

/// A place with a value; at times a place begins with two.
fn cell(builder: &mut Builder) {
    let sorts: &[Sort] = if builder.chance(50) {
        &[Sort::Letter, Sort::Number]
    } else {
        &[Sort::Letter, Sort::Number, Sort::Number]
    };
    let name = Name::new("cell", sorts);
    let value = builder.element(Sort::Number);
    let places = if sorts.len() == 2 { "?l0" } else { "?l0 ?n0" };
    match builder.below(3) {
        0 => {
            let guard = if sorts.len() == 2 { "(letter ?l0)" } else { "(number ?n0)" };
            builder.rule(format!("(init (cell {places} {value}))"), &["(letter ?l0)", guard]);
        }
        1 => {
            let from = builder.catalogue[..builder.statics].to_vec();
            let body = builder.body(&from, 2);
            builder.note("init by rules");
            builder.safe_rule(&format!("(init (cell {places} {value}))"), body, &from);
        }
        _ => {}
    }
    for _ in 0..builder.below(3) {
        let fluent = name.of(&builder.elements_for(&name));
        builder.fact(format!("(init {fluent})"));
    }
    builder.fluents.push(name);
}

/// A token that goes round; two of them now and then.
fn control(builder: &mut Builder) {
    let first = builder.elements(Sort::Role)[0].clone();
    builder.fact(format!("(init (control {first}))"));
    if builder.chance(25) {
        let second = builder.element(Sort::Role);
        builder.fact(format!("(init (control {second}))"));
        builder.note("perhaps two tokens");
    }
    let body: &[&str] = match builder.below(4) {
        0 | 1 => &["(true (control ?r0))", "(follows ?r0 ?r1)"],
        2 => &["(true (control ?r0))", "(follows ?r0 ?r1)", "(not (does ?r0 noop))"],
        _ => &["(role ?r1)", "(not (true (control ?r1)))"],
    };
    builder.rule("(next (control ?r1))", body);
    builder.fluents.push(Name::new("control", &[Sort::Role]));
}

/// A counter, which runs out or stays at its end.
fn step(builder: &mut Builder) {
    builder.fact("(init (step 1))");
    builder.rule("(next (step ?n1))", &["(true (step ?n0))", "(succ ?n0 ?n1)"]);
    if builder.chance(50) {
        let last = builder.elements(Sort::Number).last().cloned().unwrap_or_default();
        builder.rule(format!("(next (step {last}))"), &[format!("(true (step {last}))")]);
    }
    builder.note("counter");
    builder.fluents.push(Name::new("step", &[Sort::Number]));
}

fn flag(builder: &mut Builder) {
    if builder.chance(50) {
        builder.fact("(init flag)");
    }
    builder.fluents.push(Name::new("flag", &[]));
}

/// A fluent of any sorts that begins anyhow.
fn other(builder: &mut Builder, number: usize) {
    let sorts = builder.sorts(3);
    let name = Name::new(format!("other{number}"), &sorts);
    for _ in 0..builder.below(4) {
        let fluent = name.of(&builder.elements_for(&name));
        builder.fact(format!("(init {fluent})"));
    }
    if builder.chance(25) {
        let from = builder.catalogue[..builder.statics].to_vec();
        let arguments: Vec<String> = sorts.iter().map(|&sort| builder.term(sort)).collect();
        let body = builder.body(&from, 1);
        builder.note("init by rules");
        builder.safe_rule(&format!("(init {})", name.of(&arguments)), body, &from);
    }
    builder.fluents.push(name);
}

/// Gives `base` and `input`: whole, in part, or with more than there is.
fn hints(builder: &mut Builder) {
    for name in builder.fluents.clone() {
        hint(builder, &name, "base");
    }
    for name in builder.moves.clone() {
        hint(builder, &name, "input ?r9");
    }
    if builder.chance(40) {
        builder.fact("(base (unheard of))");
        builder.fact("(input anna unheard)");
        builder.note("hints too large");
        builder.rule("(missing ?f)", &["(base ?f)", "(not (true ?f))"]);
        builder.rule("(next (missed ?f))", &["(missing ?f)"]);
        builder.rule("(next (undone ?r0 ?m))", &["(input ?r0 ?m)", "(not (does ?r0 ?m))"]);
    }
    if builder.chance(25) {
        builder.note("rules from hints");
        builder.rule("(next ?f)", &["(base ?f)", "(does ?r0 noop)"]);
        builder.rule("(legal ?r0 ?m)", &["(role ?r0)", "(input ?r0 ?m)"]);
    }
    if builder.chance(40) {
        builder.note("whole fluents in hints");
        builder.rule("(listed ?f)", &["(base ?f)", "(true ?f)"]);
        builder.rule("(next (noted ?f))", &["(listed ?f)"]);
    }
}

fn hint(builder: &mut Builder, name: &Name, word: &str) {
    let from = builder.catalogue[..builder.statics].to_vec();
    if builder.chance(60) {
        builder.safe_rule(&format!("({word} {})", name.of(&name.variables(0))), Vec::new(), &from);
    } else {
        builder.note("hints too small");
        let term = name.of(&builder.elements_for(name));
        builder.safe_rule(&format!("({word} {term})"), Vec::new(), &from);
    }
}
