//! Singleton variables: one that occurs once in its rule constrains nothing, which is either meant or a typing error.

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
    severity: Severity::Note,
    title: "a variable occurs only once",
    explanation: "\
A variable that stands only once in a rule matches anything. That is often meant (\"whoever moved\"), but it is also
what a misspelled variable looks like: when the name is near that of another variable of the rule, this is a warning.
Where it is meant, begin the name with `?_`, and nothing is said.",
    wrong: "(<= (next (cell ?x ?y ?mark)) (true (cell ?x ?y ?mark)) (does ?player wait))",
    right: "(<= (next (cell ?x ?y ?mark)) (true (cell ?x ?y ?mark)) (does ?_player wait))",
};

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
    let singletons: Vec<Symbol> = order.iter().copied().filter(is_singleton).collect();
    if !singletons.is_empty() && !diagnostics.is_full(&SINGLETON) {
        diagnostics.push(diagnostic(game, rule, &singletons, &order));
    }
}

fn diagnostic(game: &Game, rule: &Rule, singletons: &[Symbol], all: &[Symbol]) -> Diagnostic {
    /// A rule can have very many; this many are named, and compared with this many others.
    const MOST: usize = 8;
    const MOST_COMPARED: usize = 64;
    let name = |symbol: &Symbol| game.symbols().spelling(*symbol);
    let named = &singletons[..singletons.len().min(MOST)];
    let spans: Vec<Span> = first_places(game, rule, named).collect();
    let mut places = spans.iter().copied();
    let names: Vec<String> = named.iter().map(|symbol| format!("`{}`", name(symbol))).collect();
    let message = match (&names[..], singletons.len() - named.len()) {
        ([one], 0) => format!("the variable {one} occurs only once in this rule"),
        (several, 0) => format!("the variables {} occur only once in this rule", several.join(", ")),
        (several, more) => {
            format!("the variables {} and {more} more occur only once in this rule", several.join(", "))
        }
    };
    let mut diagnostic = Diagnostic::new(&SINGLETON, places.next().unwrap_or(game.span(rule.node)), message);
    for place in places {
        diagnostic = diagnostic.label(place, "");
    }
    let mut marks = Vec::new();
    for (symbol, &span) in named.iter().zip(&spans) {
        marks.extend(mark_as_meant(game, *symbol, span, all));
        // Short names such as ?x1 and ?x2 are alike on purpose.
        let others = all
            .iter()
            .take(MOST_COMPARED)
            .filter(|other| *other != symbol && name(other).len() > 4)
            .map(name);
        if let Some(meant) = nearest(name(symbol), others).filter(|_| name(symbol).len() > 4) {
            let help = format!("did you mean `{meant}` instead of `{}`?", name(symbol));
            let fix = Fix::new(format!("write `{meant}`"), vec![Edit::replace(span, meant)]);
            diagnostic = diagnostic.severity(Severity::Warning).help(help).fix(fix);
        }
    }
    diagnostic.fixes.extend(marks);
    diagnostic.help("if that is meant, begin the name with `?_`")
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
    use crate::diagnostic::Severity;
    use crate::testing::{check, messages};

    #[test]
    fn a_likely_slip_is_a_warning() {
        let severity =
            |text| check(text).diagnostics.iter().find(|d| d.code.id == "G302").map(|d| d.severity);
        assert_eq!(severity("(<= (p ?player) (q ?player) (r ?plyer))"), Some(Severity::Warning));
        assert_eq!(severity("(<= (p ?x1) (q ?x1 ?x2))"), Some(Severity::Note));
    }

    #[test]
    fn one_note_a_rule_names_them_all() {
        let found = messages("(<= (p ?x) (q ?x ?y ?z))", "G302");
        assert_eq!(found, ["the variables `?y`, `?z` occur only once in this rule"]);
        assert!(messages("(<= (p ?x) (q ?x ?_y) (r ?x (f ?x)))", "G302").is_empty());
    }
}
