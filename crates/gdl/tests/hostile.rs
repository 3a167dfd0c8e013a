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
