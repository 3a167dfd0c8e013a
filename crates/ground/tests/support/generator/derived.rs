//! Relations that rules derive: random ones, recursive ones, and those whose negation only their arguments put in
//! order.

use super::body::{sort_guard, variables};
use super::builder::{Builder, Name, Readable, Sort, Word};

/// What derives from the state alone.
pub(crate) fn of_state(builder: &mut Builder) {
    for _ in 0..builder.between(1, 3) {
        let from = builder.catalogue.clone();
        let name = define(builder, "state", &from);
        builder.publish(Word::Plain, name);
    }
    if builder.chance(35) {
        closure(builder);
    }
    if builder.chance(20) {
        mutual(builder);
    }
    if builder.chance(30) {
        double(builder);
    }
    if builder.chance(15) {
        alternating(builder);
    }
    if builder.chance(25) {
        chain(builder);
    }
    if builder.chance(20) {
        whole_fluents(builder);
    }
}

/// What derives from the moves as well.
pub(crate) fn of_moves(builder: &mut Builder) {
    for name in builder.moves.clone() {
        builder.publish(Word::Does, name);
    }
    if builder.chance(40) {
        of_keywords(builder);
    }
    for _ in 0..builder.below(3) {
        let from = builder.catalogue.clone();
        let name = define(builder, "moved", &from);
        builder.publish(Word::Plain, name);
    }
    if builder.chance(20) {
        let name = builder.fresh("busy", &[Sort::Role]);
        let noop = builder.pick(&["noop", "(go a)"]);
        builder.note("whole moves");
        builder.rule(
            name.of(&["?r0".to_owned()]),
            &["(does ?r0 ?m)".to_owned(), format!("(distinct ?m {noop})")],
        );
        builder.publish(Word::Plain, name);
    }
    if builder.chance(20) {
        closure(builder);
    }
}

/// A relation that only asks for `legal`, `goal` or `terminal`.
fn of_keywords(builder: &mut Builder) {
    let asked =
        builder.pick(&["(legal ?r0 ?m)", "(legal ?r0 noop)", "(goal ?r0 100)", "(goal ?r0 ?w0)", "terminal"]);
    let sorts: &[Sort] = if asked == "terminal" { &[] } else { &[Sort::Role] };
    let name = builder.fresh("asks", sorts);
    builder.rule(name.of(&name.variables(0)), &[asked]);
    let kept = Name::new("kept", sorts);
    builder.rule(format!("(next {})", kept.of(&kept.variables(0))), &[name.of(&name.variables(0))]);
    builder.note("keywords in bodies");
    builder.publish(Word::Plain, name);
}

/// Defines a relation by random rules, now and then recursive ones, and gives its name.
pub(crate) fn define(builder: &mut Builder, stem: &str, from: &[Readable]) -> Name {
    let sorts = builder.sorts(3);
    let name = builder.fresh(stem, &sorts);
    for number in 0..builder.between(1, 3) {
        let arguments = head_arguments(builder, &name);
        let head = name.of(&arguments);
        let count = builder.between(1, 3);
        let mut body = builder.body(from, count);
        if number > 0 && !sorts.is_empty() && builder.chance(40) {
            recursion(builder, &name, &mut body);
        }
        builder.safe_rule(&head, body, from);
    }
    name
}

/// Mostly variables, some of them the same, and a few other terms.
fn head_arguments(builder: &mut Builder, name: &Name) -> Vec<String> {
    name.sorts
        .iter()
        .map(|&sort| if builder.chance(70) { sort.variable(builder.number()) } else { builder.term(sort) })
        .collect()
}

/// Adds a literal of the relation itself, whose arguments something outside the recursion binds.
fn recursion(builder: &mut Builder, name: &Name, body: &mut Vec<String>) {
    builder.note("random recursion");
    let arguments: Vec<String> = name
        .sorts
        .iter()
        .map(|&sort| if builder.chance(75) { sort.variable(builder.number()) } else { builder.element(sort) })
        .collect();
    let literal = name.of(&arguments);
    body.extend(variables(&literal).iter().map(|variable| sort_guard(variable)));
    body.push(literal);
}

/// What can be reached from what holds, along a graph that may be static, may depend on the state and may have
/// cycles. Where it starts changes, so that it is not always found in the same order.
fn closure(builder: &mut Builder) {
    let sort = builder.pick(&[Sort::Letter, Sort::Number]);
    let name = builder.fresh("reached", &[sort]);
    let from = builder.catalogue.clone();
    let (here, there) = (sort.variable(0), sort.variable(1));
    let head = name.of(std::slice::from_ref(&here));
    let fluents: Vec<Readable> = from.iter().filter(|one| one.word == Word::True).cloned().collect();
    let start = builder.atom_about(&here, sort, &fluents);
    builder.rule(&head, &[start]);
    let link = if sort == Sort::Letter { "edge" } else { "succ" };
    let way = match builder.below(4) {
        0 => format!("({link} {there} {here})"),
        1 => format!("(distinct {here} {there})"),
        _ => format!("(or ({link} {here} {there}) ({link} {there} {here}))"),
    };
    let mut body = vec![sort_guard(&there), way, name.of(&[there])];
    if builder.chance(50) {
        body.push(builder.literal(&from, 1));
    }
    builder.safe_rule(&head, body, &from);
    builder.note("dynamic closure");
    builder.publish(Word::Plain, name);
}

/// Two fluents that agree in all places but one: never both, if places are exclusive.
fn double(builder: &mut Builder) {
    let wide: Vec<Name> = builder.fluents.iter().filter(|name| !name.sorts.is_empty()).cloned().collect();
    if wide.is_empty() {
        return;
    }
    let fluent = builder.pick(&wide);
    let place = if builder.chance(70) { fluent.sorts.len() - 1 } else { builder.below(fluent.sorts.len()) };
    let one = fluent.variables(0);
    let mut other = one.clone();
    other[place] = fluent.sorts[place].variable(9);
    let mut kept = fluent.sorts.clone();
    kept.remove(place);
    let name = builder.fresh("double", &kept);
    let mut arguments = one.clone();
    arguments.remove(place);
    let body = [
        format!("(true {})", fluent.of(&one)),
        format!("(true {})", fluent.of(&other)),
        format!("(distinct {} {})", one[place], other[place]),
    ];
    builder.rule(name.of(&arguments), &body);
    builder.note("perhaps exclusive");
    builder.publish(Word::Plain, name);
}

/// Two relations that depend on each other.
fn mutual(builder: &mut Builder) {
    let (ping, pong) = (builder.fresh("ping", &[Sort::Number]), builder.fresh("pong", &[Sort::Number]));
    let from = builder.catalogue.clone();
    let (n0, n1) = (["?n0".to_owned()], ["?n1".to_owned()]);
    let (start, extra) = (builder.literal(&from, 1), builder.literal(&from, 1));
    builder.safe_rule(&ping.of(&n0), vec!["(number ?n0)".to_owned(), start], &from);
    let there = builder.pick(&["(succ ?n0 ?n1)", "(succ ?n1 ?n0)"]);
    builder.safe_rule(&ping.of(&n1), vec![there.to_owned(), pong.of(&n0)], &from);
    builder.safe_rule(&pong.of(&n0), vec!["(number ?n0)".to_owned(), ping.of(&n0), extra], &from);
    builder.note("mutual recursion");
    builder.publish(Word::Plain, ping);
    builder.publish(Word::Plain, pong);
}

/// A relation that negates itself one number further down, so that only its arguments put it in order.
fn alternating(builder: &mut Builder) {
    let name = builder.fresh("even", &[Sort::Number]);
    let dynamic: Vec<Readable> =
        builder.catalogue.iter().filter(|one| one.word == Word::True).cloned().collect();
    let Some(readable) = dynamic.first().cloned() else { return };
    let (n0, n1) = (["?n0".to_owned()], ["?n1".to_owned()]);
    let arguments = builder.elements_for(&readable.name);
    let state = builder.ask(&readable, &arguments);
    builder.rule(name.of(&["1".to_owned()]), std::slice::from_ref(&state));
    let negated = format!("(not {})", name.of(&n0));
    let body = vec!["(succ ?n0 ?n1)".to_owned(), negated, state];
    builder.rule(name.of(&n1), &body);
    builder.note("stratified by arguments");
    builder.publish(Word::Plain, name);
}

/// A chain of literals that share one variable each, and a second part of the body that shares none.
fn chain(builder: &mut Builder) {
    let name = builder.fresh("chain", &[Sort::Letter]);
    let from = builder.catalogue.clone();
    let with_letter: Vec<Readable> =
        from.iter().filter(|readable| readable.name.sorts.contains(&Sort::Letter)).cloned().collect();
    let mut body = Vec::new();
    for link in 0..builder.between(2, 3) {
        let readable = builder.pick(&with_letter);
        let (mut number, mut arguments) = (link, Vec::new());
        for &sort in &readable.name.sorts {
            let is_letter = sort == Sort::Letter;
            arguments.push(if is_letter { sort.variable(number) } else { sort.variable(10 * (link + 1)) });
            number += usize::from(is_letter);
        }
        body.push(builder.ask(&readable, &arguments));
    }
    body.push(builder.atom(&from).replace("?l", "?l3").replace("?n", "?n3").replace("?r", "?r3"));
    let end = Sort::Letter.variable(builder.below(3));
    builder.safe_rule(&name.of(&[end]), body, &from);
    builder.note("chain");
    builder.publish(Word::Plain, name);
}

/// Conditions on a fluent as a whole.
fn whole_fluents(builder: &mut Builder) {
    let fluent = builder.pick(&builder.fluents.clone());
    let term = fluent.of(&builder.elements_for(&fluent));
    let name = builder.fresh("whole", &[]);
    let test = builder.pick(&["distinct", "not (distinct"]);
    let closing = if test == "distinct" { ")" } else { "))" };
    builder.rule(&name.name, &["(true ?f)".to_owned(), format!("({test} ?f {term}{closing}")]);
    builder.note("whole fluents");
    builder.publish(Word::Plain, name);
}
