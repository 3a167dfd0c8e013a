//! The program from the outside: transcripts of commands with what they print and how they end. The transcripts are
//! also examples; the README's are among them, so they stay true.

#[test]
fn transcripts() {
    // The README's commands are given from the root of the repository.
    std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .expect("the root of the repository");
    trycmd::TestCases::new()
        .case("crates/cli/tests/cmd/*.md")
        .case("crates/cli/tests/cmd/*.toml")
        .case("README.md")
        .case("docs/*.md")
        .run();
}
