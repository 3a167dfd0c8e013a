//! Texts that are meant to do harm: each is answered with diagnostics, in time and memory proportional to its size.

use std::fmt::Write;

use groundrules_gdl::format::format;
use groundrules_gdl::{Checked, Limits, Options, Verdict, read};

fn check(text: &[u8]) -> Checked {
    read(text, &Options::default())
}

fn codes(checked: &Checked) -> Vec<&'static str> {
    let mut codes: Vec<_> = checked.diagnostics.iter().map(|diagnostic| diagnostic.code.id).collect();
    codes.dedup();
    codes
}

#[test]
fn a_million_parentheses() {
    let open = check("(".repeat(1_000_000).as_bytes());
    assert_eq!(codes(&open), ["G101", "G106"]);
    let close = check(")".repeat(1_000_000).as_bytes());
    assert_eq!(codes(&close), ["G102"]);
    assert_eq!(close.omitted["G102"], 1_000_000 - 100);
    assert!(format("(".repeat(1_000_000).as_bytes(), &Limits::default()).is_err());
}

#[test]
fn a_hundred_megabytes_in_one_symbol() {
    let mut text = b"(role ".to_vec();
    text.resize(100_000_000, b'a');
    text.push(b')');
    let checked = check(&text);
    assert!(codes(&checked).contains(&"G105"));
    assert!(checked.diagnostics[0].span().range().len() < 100, "the label does not cover it all");
}

#[test]
fn nul_bytes_and_broken_utf8() {
    assert_eq!(check(&[0; 10_000]).verdict, Verdict::NotGdl);
    assert_eq!(check(&[0xFF; 10_000]).verdict, Verdict::NotGdl);
    assert_eq!(check(b"").verdict, Verdict::NotGdl);
    assert_eq!(check(b"\xEF\xBB\xBF").verdict, Verdict::NotGdl);
}

#[test]
fn deep_terms_are_walked_without_recursion() {
    let nested = |depth: usize| format!("{}z{}", "(s ".repeat(depth), ")".repeat(depth));
    let text = format!(
        "(role r) (init (n {deep})) (legal r go) (goal r 100) (<= terminal (true (n z)))
         (<= (next (n ?x)) (true (n (s ?x))))",
        deep = nested(9_900)
    );
    let checked = check(text.as_bytes());
    assert_eq!(checked.verdict, Verdict::Bounded);
    let written = checked.game.expect("a valid game").to_kif();
    assert_eq!(check(written.as_bytes()).verdict, Verdict::Bounded);
    assert!(format(written.as_bytes(), &Limits::default()).is_ok());
    assert!(codes(&check(nested(10_001).as_bytes())).contains(&"G106"));
}

#[test]
fn deep_connectives_are_refused() {
    let text = format!("(<= p {}q{})", "(not ".repeat(5_000), ")".repeat(5_000));
    assert!(codes(&check(text.as_bytes())).contains(&"G213"));
}

#[test]
fn long_chains_of_rules() {
    let mut text = String::from("(p0 1)\n");
    for i in 1..100_000 {
        let _ = writeln!(text, "(<= (p{i} ?x) (p{} ?x))", i - 1);
    }
    let checked = check(text.as_bytes());
    assert_eq!(checked.figures.rules, 100_000);
    assert_eq!(checked.figures.recursion_groups, 0);
}

#[test]
fn a_rule_with_a_hundred_thousand_literals() {
    let mut text = String::from("(<= (p ?x0)");
    for i in 0..100_000 {
        let _ = write!(text, " (q ?x{i} ?x{}) (or (r ?x{i}) (not (r ?x{i})))", i + 1);
    }
    text.push(')');
    let checked = check(text.as_bytes());
    assert_eq!(checked.figures.largest_rule, 300_000);
    assert!(!codes(&checked).contains(&"G301"));
}

#[test]
fn floods_of_the_same_fault_are_counted() {
    let text = "(goal a b)\n".repeat(50_000);
    let checked = check(text.as_bytes());
    assert!(checked.diagnostics.len() < 1_000);
    assert_eq!(checked.omitted["G509"], 50_000 - 100);
}

#[test]
fn a_hundred_thousand_misspelled_relations() {
    let mut text = String::from("(relation-that-is-defined 1)\n");
    for i in 0..100_000 {
        let _ = writeln!(text, "(<= terminal (relation-{i}-that-is-not 1))");
    }
    let checked = check(text.as_bytes());
    assert_eq!(checked.omitted["G510"], 100_000 - 100);
}

#[test]
fn negation_cycles_over_large_tables_stop_within_the_budget() {
    let mut text = String::new();
    for i in 0..3_000 {
        let _ = writeln!(text, "(a {i} {}) (b {i} {})", i + 1, i + 1);
    }
    // The join over the tables has 27 billion instances; the check gives up and reports the cycle by name.
    text.push_str("(<= (p ?x) (a ?x ?y) (b ?u ?v) (a ?w ?z) (not (p ?v)))");
    assert!(codes(&check(text.as_bytes())).contains(&"G403"));
}

#[test]
fn depths_that_climb_slowly_stop_within_the_budget() {
    let mut text =
        String::from("(role r) (init (f0 z)) (legal r go) (goal r 100) (<= terminal (true (f0 end)))\n");
    for i in 0..3_000 {
        let _ = writeln!(text, "(<= (next (f{} (s ?x))) (true (f{i} ?x)))", (i + 1) % 3_000);
    }
    let checked = check(text.as_bytes());
    assert_eq!(checked.verdict, Verdict::Valid);
    assert!(codes(&checked).iter().any(|code| ["G601", "G602"].contains(code)));
}

/// A complete game around some rules.
fn game(rules: &str) -> String {
    format!("(role r) (init (count z)) (legal r go) (goal r 100) (<= terminal (true (count end)))\n{rules}")
}

#[test]
fn unification_that_goes_round_in_circles_ends() {
    let rules = "(d a) (<= (p ?z ?z ?u (f ?u ?u) ?v (f ?v ?v)) (d ?z) (d ?u) (d ?v) (d ?x) (d ?y)
                  (not (p ?x ?y ?x ?x ?y ?y)))";
    assert_ne!(check(game(rules).as_bytes()).figures.rules, 0);
}

#[test]
fn a_variable_repeated_thousands_of_times_on_both_sides() {
    let many = " ?x".repeat(20_000);
    let rules =
        format!("(<= (next (count (s ?n))) (true (count ?n))) (<= (h{many}) (w{many}) (true (count ?x)))");
    assert_eq!(check(game(&rules).as_bytes()).verdict, Verdict::Valid);
}

#[test]
fn twenty_thousand_variables_that_occur_once() {
    let mut rule = String::from("(<= p");
    for i in 0..20_000 {
        let letters: String = i.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect();
        let _ = write!(rule, " (q ?variable{letters}s)");
    }
    let checked = check(format!("{rule})").as_bytes());
    let found = checked.diagnostics.iter().filter(|found| found.code.id == "G302").count();
    assert!((1..=64).contains(&found), "{found}");
}

#[test]
fn a_fact_with_a_hundred_thousand_variables() {
    let mut fact = String::from("(p");
    for i in 0..100_000 {
        let _ = write!(fact, " ?x{i}");
    }
    assert_eq!(check(format!("{fact})").as_bytes()).omitted["G301"], 100_000 - 100);
}

#[test]
fn twenty_thousand_misspelled_fluents_and_roles() {
    let mut text = String::new();
    for i in 0..20_000 {
        let _ = writeln!(
            text,
            "(init (fluent{i} x)) (<= terminal (true (flxent{i} x))) (role player{i}) (legal plyer{i} go)"
        );
    }
    let checked = check(text.as_bytes());
    assert_eq!((checked.omitted["G511"], checked.omitted["G508"]), (19_900, 19_900));
}

#[test]
fn a_hundred_thousand_recursion_groups_through_negation() {
    let mut text = String::new();
    for i in 0..100_000 {
        let _ = writeln!(text, "(<= (p{i} a) (not (p{i} b)))");
    }
    assert!(codes(&check(text.as_bytes())).contains(&"G404"));
    let mut text: String = (0..40_000).map(|i| format!("(e {i} {})\n", i + 1)).collect();
    for i in 0..2_000 {
        let _ = writeln!(text, "(<= (p{i} ?x) (e ?x ?y) (not (p{i} ?y)))");
    }
    assert!(codes(&check(text.as_bytes())).contains(&"G403"), "the budget is spent before the last group");
}

#[test]
fn places_in_one_enormous_line() {
    let line = "(p ?x) (<= (q ?y) (not (r ?y))) é ".repeat(200_000);
    let lines = groundrules_gdl::Lines::new(line.as_bytes());
    let checked = check(line.as_bytes());
    for label in checked.diagnostics.iter().flat_map(|found| &found.labels) {
        assert!(lines.position(label.span.end).line <= 1);
    }
}

#[test]
fn messages_do_not_repeat_enormous_terms() {
    let text = format!("(<= terminal (true (f{})))", " a".repeat(500_000));
    let text = format!("(init (g 1)) {text}");
    assert!(check(text.as_bytes()).diagnostics.iter().all(|found| found.message.len() < 1_000));
}
