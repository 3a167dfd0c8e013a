use super::*;
use crate::{Options, Syntax, read};

fn kif(text: &str) -> String {
    match to_kif(text.as_bytes(), &Limits::default()) {
        Ok(kif) => String::from_utf8(kif).unwrap(),
        Err(faults) => panic!("{:?}", faults.iter().map(|fault| &fault.message).collect::<Vec<_>>()),
    }
}

fn faults(text: &str) -> Vec<String> {
    to_kif(text.as_bytes(), &Limits::default()).unwrap_err().into_iter().map(|fault| fault.message).collect()
}

#[test]
fn clauses_with_and_without_full_stops() {
    assert_eq!(kif("role(white) role(black)."), "(role white)\n(role black)\n");
    assert_eq!(kif("terminal :- true(done).\nopen"), "(<= terminal\n    (true done))\nopen\n");
    assert_eq!(kif("p(X) <= q(X, _) , r(_)"), "(<= (p ?x)\n    (q ?x ?_1)\n    (r ?_2))\n");
    assert_eq!(kif("p(_1) :- q(_1, _)"), "(<= (p ?_1)\n    (q ?_1 ?_2))\n");
}

#[test]
fn operators_bind_as_in_prolog() {
    assert_eq!(
        kif("p :- a & b | c, ~d; X != y"),
        "(<= p\n    (or (and a b) (and c (not d)) (distinct ?x y)))\n"
    );
    assert_eq!(kif("p :- not(a & b) & (c | d)"), "(<= p\n    (not (and a b))\n    (or c d))\n");
    assert_eq!(
        kif(r"p :- \+ q('white', f(A)), A \= b"),
        "(<= p\n    (not (q white (f ?a)))\n    (distinct ?a b))\n"
    );
}

#[test]
fn comments_and_blank_lines_are_kept() {
    let text = "% A game\n/* two\n lines */\nrole(white). % first\n\n\np :- % why\n  q.\n% end";
    let expected = "; A game\n; two\n; lines\n(role white) ; first\n\n; why\n(<= p\n    q)\n; end\n";
    assert_eq!(kif(text), expected);
}

#[test]
fn faults_name_their_place_and_the_others_are_still_read() {
    let text = "role(white\nrole(black)\nrole()\np :- q(X) &\n";
    assert_eq!(
        faults(text),
        ["`,` or `)` was expected here, not `role`", "a name was expected here, not the end of the text"]
    );
    assert_eq!(faults("p('two words')"), ["this quoted name cannot be written in KIF"]);
    let deep = format!("p({}a{})", "f(".repeat(10_000), ")".repeat(10_000));
    assert!(faults(&deep)[0].contains("nested more than"));
}

#[test]
fn checks_point_into_the_infix_text() {
    let text = "role(you). init(step(1)). legal(you, wait). goal(you, 100).\nnext(step(N)) :- ~true(step(N)).\nterminal :- true(step(2)).";
    let options = Options { syntax: Syntax::Infix, ..Options::default() };
    let checked = read(text.as_bytes(), &options);
    let unsafe_variable = checked.diagnostics.iter().find(|d| d.code.id == "G301").unwrap();
    assert_eq!(&text[unsafe_variable.span().range()], "N");
}

#[test]
fn infix_texts_are_recognised_and_kif_is_not_taken_for_one() {
    for text in ["role(white).", "% a\n\nlegal(X, Y) :- p", "terminal :- p.", "/* x */ p(a)"] {
        assert!(looks_infix(text.as_bytes()).is_some(), "{text}");
        assert_eq!(crate::testing::codes(text), ["G112"], "{text}");
    }
    for text in ["(role white)", "role (white)", "p", "; role(x)\n(role x)", "#| role(x) |# (role x)", ""] {
        assert!(looks_infix(text.as_bytes()).is_none(), "{text}");
    }
}
