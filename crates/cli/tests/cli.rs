//! The program from the outside: transcripts of commands with what they print and how they end. The transcripts are
//! also examples; the README's are among them, so they stay true.

#[test]
fn transcripts() {
    trycmd::TestCases::new().case("tests/cmd/*.md").case("../../README.md").run();
}
