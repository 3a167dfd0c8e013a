//! The static part: roles, the terms of each sort, an order, a graph with its closure, negation and tests above them,
//! and a few relations of random rules.

use super::builder::{Builder, Name, Sort, Word};
use super::derived;

pub(crate) fn add(builder: &mut Builder) {
    roles(builder);
    letters(builder);
    numbers(builder);
    shapes(builder);
    builder.set_elements(Sort::Worth, &["0", "50", "100"]);
    for value in builder.elements(Sort::Worth).to_vec() {
        builder.fact(format!("(worth {value})"));
    }
    for sort in [Sort::Letter, Sort::Number, Sort::Shape, Sort::Role] {
        builder.publish(Word::Plain, Name::new(sort.relation(), &[sort]));
    }
    graph(builder);
    if builder.chance(50) {
        builder.rule("(different ?l0 ?l1)", &["(letter ?l0)", "(letter ?l1)", "(distinct ?l0 ?l1)"]);
        builder.publish(Word::Plain, Name::new("different", &[Sort::Letter, Sort::Letter]));
    }
    builder.statics = builder.catalogue.len();
    for _ in 0..builder.below(3) {
        let from = builder.catalogue.clone();
        let name = derived::define(builder, "fixed", &from);
        builder.publish(Word::Plain, name);
        builder.statics = builder.catalogue.len();
    }
}

fn roles(builder: &mut Builder) {
    let count = builder.between(1, 3);
    let names = &["anna", "bert", "cleo"][..count];
    builder.set_elements(Sort::Role, names);
    let by_rule = builder.chance(15);
    if by_rule {
        builder.note("roles by rules");
        builder.rule("(role ?r0)", &["(player ?r0)", "(not (absent ?r0))"]);
        builder.fact("(absent dora)");
        builder.fact("(player dora)");
    }
    let mut order = names.to_vec();
    if by_rule {
        order.reverse();
    }
    for (index, name) in order.iter().enumerate() {
        let given_by_rule = by_rule && (index > 0 || builder.chance(50));
        builder.fact(if given_by_rule { format!("(player {name})") } else { format!("(role {name})") });
    }
    for (index, name) in names.iter().enumerate() {
        builder.fact(format!("(follows {name} {})", names[(index + 1) % names.len()]));
    }
    builder.publish(Word::Plain, Name::new("follows", &[Sort::Role, Sort::Role]));
}

fn letters(builder: &mut Builder) {
    let count = builder.between(2, 4);
    // Sorts may have terms in common.
    let last = builder.pick(&["d", "d", "1", "anna"]);
    let letters = [&["a", "b", "c"][..count - 1], &[last]].concat();
    builder.set_elements(Sort::Letter, &letters);
    letters.iter().for_each(|letter| builder.fact(format!("(letter {letter})")));
}

fn numbers(builder: &mut Builder) {
    let count = builder.between(2, 4);
    let numbers = &["1", "2", "3", "4"][..count];
    builder.set_elements(Sort::Number, numbers);
    for pair in numbers.windows(2) {
        builder.fact(format!("(succ {} {})", pair[0], pair[1]));
    }
    if builder.chance(50) {
        builder.rule("(number ?n0)", &["(succ ?n0 ?n1)"]);
        builder.rule("(number ?n0)", &["(succ ?n1 ?n0)"]);
    } else {
        numbers.iter().for_each(|number| builder.fact(format!("(number {number})")));
    }
    builder.publish(Word::Plain, Name::new("succ", &[Sort::Number, Sort::Number]));
    if builder.chance(40) {
        builder.note("static recursion");
        builder.rule("(less ?n0 ?n1)", &["(succ ?n0 ?n1)"]);
        builder.rule("(less ?n0 ?n2)", &["(succ ?n0 ?n1)", "(less ?n1 ?n2)"]);
        builder.publish(Word::Plain, Name::new("less", &[Sort::Number, Sort::Number]));
    }
}

fn shapes(builder: &mut Builder) {
    let letter = builder.element(Sort::Letter);
    let nested = format!("(h {letter} 1)");
    if builder.chance(50) {
        builder.rule("(shape (g ?l0))", &["(letter ?l0)"]);
        let shapes: Vec<String> =
            builder.elements(Sort::Letter).iter().map(|letter| format!("(g {letter})")).collect();
        builder.set_elements(Sort::Shape, &shapes.iter().map(String::as_str).collect::<Vec<_>>());
    } else {
        let plain = format!("(g {letter})");
        builder.set_elements(Sort::Shape, &[&plain, &nested, "(g (k 2))"]);
        for shape in builder.elements(Sort::Shape).to_vec() {
            builder.fact(format!("(shape {shape})"));
        }
    }
}

/// A graph over the letters, perhaps with cycles, and what can be reached in it.
fn graph(builder: &mut Builder) {
    for _ in 0..builder.between(1, 4) {
        let (from, to) = (builder.element(Sort::Letter), builder.element(Sort::Letter));
        builder.fact(format!("(edge {from} {to})"));
    }
    builder.publish(Word::Plain, Name::new("edge", &[Sort::Letter, Sort::Letter]));
    if builder.chance(40) {
        builder.note("static recursion");
        builder.rule("(path ?l0 ?l1)", &["(edge ?l0 ?l1)"]);
        builder.rule("(path ?l0 ?l2)", &["(edge ?l0 ?l1)", "(path ?l1 ?l2)"]);
        builder.publish(Word::Plain, Name::new("path", &[Sort::Letter, Sort::Letter]));
        if builder.chance(50) {
            let body = ["(letter ?l0)", "(letter ?l1)", "(not (path ?l0 ?l1))"];
            builder.rule("(apart ?l0 ?l1)", &body);
            builder.publish(Word::Plain, Name::new("apart", &[Sort::Letter, Sort::Letter]));
        }
    }
}
