//! Misspelled variables: a variable that occurs once in its rule matches anything, which is usually meant. It is reported
//! where its name is nearly that of another variable of the rule.

use super::{Check, Subject, safety::variables};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use crate::fix::{Edit, Fix};
use crate::game::{Game, Rule};
use crate::nearest::nearest;
use crate::span::Span;
use crate::symbol::Symbol;
use rustc_hash::FxHashMap;

pub(super) const CHECK: Check = Check { codes: &[&SINGLETON], run };

static SINGLETON: Code = Code {
    id: "G302",
    severity: Severity::Warning,
    title: "a variable is probably misspelled",
    explanation: "\
A variable that occurs only once in a rule matches anything. That is usually meant (\"whoever moved\"), but it is also
what a misspelled variable looks like. This one has nearly the name of another variable of the rule. Where it is meant,
begin the name with `?_`, and nothing is reported.",
    wrong: "(<= (next (cell ?x ?y ?mark)) (true (cell ?x ?y ?mark)) (does ?player wait) (busy ?plyer))",
    right: "(<= (next (cell ?x ?y ?mark)) (true (cell ?x ?y ?mark)) (does ?player wait) (busy ?player))",
};

/// A rule can have very many variables; so many are compared with so many others.
const MOST_COMPARED: usize = 64;

fn run(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    for rule in subject.game.rules() {
        if !rule.is_fact() {
            check_rule(subject.game, rule, diagnostics);
        }
    }
}

fn check_rule(game: &Game, rule: &Rule, diagnostics: &mut Diagnostics) {
    let mut counts: FxHashMap<Symbol, (usize, bool)> = FxHashMap::default();
    let mut order = Vec::new();
    let mut count = |symbol: Symbol, binding: bool| {
        let entry = counts.entry(symbol).or_insert_with(|| {
            order.push(symbol);
            (0, false)
        });
        *entry = (entry.0 + 1, entry.1 || binding);
    };
    variables(game, &rule.head.arguments).into_iter().for_each(|variable| count(variable, false));
    for literal in rule.literals() {
        let binding = literal.positive_atom().is_some();
        variables(game, literal.terms()).into_iter().for_each(|variable| count(variable, binding));
    }
    // A lone variable that nothing binds is unsafe, and reported as that.
    let is_singleton = |symbol: &Symbol| {
        let (count, bound) = counts[symbol];
        count == 1 && bound && !game.symbols().folded(*symbol).starts_with("?_")
    };
    for symbol in order.iter().copied().filter(is_singleton).take(MOST_COMPARED) {
        if diagnostics.is_full(&SINGLETON) {
            return;
        }
        if let Some(meant) = meant(game, symbol, &order) {
            diagnostics.push(diagnostic(game, rule, symbol, meant, &order));
        }
    }
}

/// The variable that was probably meant.
fn meant<'g>(game: &'g Game, symbol: Symbol, all: &[Symbol]) -> Option<&'g str> {
    let name = game.symbols().spelling(symbol);
    let others = all.iter().take(MOST_COMPARED).filter(|other| **other != symbol);
    nearest(
        name,
        others.map(|&other| game.symbols().spelling(other)).filter(|other| !is_variant(name, other)),
    )
}

/// Whether two names are alike on purpose: short ones such as `?x1` and `?x2`, and those that differ in a number, in their
/// first or in their last letter, such as `?xnew` and `?ynew`.
fn is_variant(one: &str, other: &str) -> bool {
    const SHORT: usize = 4;
    let bare = |name: &str| name.trim_start_matches('?').to_lowercase();
    let (one, other) = (bare(one), bare(other));
    let letters = |name: &str| name.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    let but_first = |name: &str| name.chars().skip(1).collect::<String>();
    let but_last = |name: &str| name.chars().take(name.chars().count().saturating_sub(1)).collect::<String>();
    one.chars().count().min(other.chars().count()) < SHORT
        || letters(&one) == letters(&other)
        || [but_first(&one), but_last(&one)].contains(&other)
        || [but_first(&other), but_last(&other)].contains(&one)
        || but_first(&one) == but_first(&other)
        || but_last(&one) == but_last(&other)
}

fn diagnostic(game: &Game, rule: &Rule, symbol: Symbol, meant: &str, all: &[Symbol]) -> Diagnostic {
    let name = game.symbols().spelling(symbol);
    let place = first_places(game, rule, &[symbol]).next().unwrap_or(game.span(rule.node));
    let message = format!("the variable `{name}` occurs only once in this rule");
    let mut diagnostic = Diagnostic::new(&SINGLETON, place, message)
        .help(format!("did you mean `{meant}`?"))
        .help("if that is meant, begin the name with `?_`")
        .fix(Fix::new(format!("write `{meant}`"), vec![Edit::replace(place, meant)]));
    diagnostic.fixes.extend(mark_as_meant(game, symbol, place, all));
    diagnostic
}

/// Begins a variable's name with `?_`, unless the rule has a variable of that name.
fn mark_as_meant(game: &Game, symbol: Symbol, span: Span, all: &[Symbol]) -> Option<Fix> {
    let name = game.symbols().spelling(symbol);
    let marked = format!("?_{}", name.get(1..)?);
    let taken = game.symbols().find(&marked).is_some_and(|other| all.contains(&other));
    (!taken).then(|| Fix::new(format!("write `{marked}`"), vec![Edit::replace(span, marked)]))
}

/// Where some variables of a rule first stand.
fn first_places(game: &Game, rule: &Rule, variables: &[Symbol]) -> impl Iterator<Item = Span> {
    let mut places: Vec<Option<Span>> = vec![None; variables.len()];
    for node in game.tree().descendants(rule.node) {
        let word = game.tree().word(node);
        if let Some(index) = variables.iter().position(|&variable| Some(variable) == word) {
            places[index].get_or_insert(game.span(node));
        }
    }
    places.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use crate::testing::{help, messages};

    #[test]
    fn a_likely_slip_is_reported() {
        for slip in ["?plyer", "?palyer", "?plaxer", "?playyer"] {
            let text = format!("(<= (p ?player) (q ?player) (r {slip}))");
            assert_eq!(
                messages(&text, "G302"),
                [format!("the variable `{slip}` occurs only once in this rule")]
            );
            assert_eq!(help(&text, "G302")[0], "did you mean `?player`?");
        }
    }

    #[test]
    fn what_is_likely_meant_is_not() {
        for other in ["?x", "?y", "?player2", "?players", "?slayer", "?_plyer", "?mark"] {
            let text = format!("(<= (p ?player) (q ?player ?x ?x) (r {other}))");
            assert!(messages(&text, "G302").is_empty(), "{other}");
        }
    }
}
