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
        .case("docs/guide/src/*.md")
        .case("docs/guide/src/*/*.md")
        .run();
}

/// The guide's reference has a page for each command, made of what `--help` prints. The transcripts above keep the text true.
#[test]
fn the_reference_has_every_command() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let guide = root.join("docs/guide/src");
    let summary = std::fs::read_to_string(guide.join("SUMMARY.md")).expect("the guide's contents");
    let help =
        std::process::Command::new(env!("CARGO_BIN_EXE_groundrules")).arg("--help").output().expect("help");
    let help = String::from_utf8(help.stdout).expect("text");
    let commands =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // A description that goes on in a further line is indented by more than a name.
    let names =
        commands.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    let names: Vec<&str> = names.filter(|&name| name != "help").collect();
    assert!(names.len() > 15, "{help}");
    for name in names {
        let page = std::fs::read_to_string(guide.join(format!("reference/{name}.md")));
        let page = page.unwrap_or_else(|_| panic!("docs/guide/src/reference/{name}.md is missing"));
        assert!(page.contains(&format!("$ groundrules {name} --help\n")), "{name}");
        assert!(summary.contains(&format!("(reference/{name}.md)")), "SUMMARY.md does not list {name}");
    }
}

/// The README shows a game of one's own in five commands. Each of them works as it stands there.
#[test]
fn the_five_commands_of_the_readme() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).expect("the README");
    let section = readme.split("## Your own game in five commands").nth(1).expect("the section");
    let block = section.split("```").nth(1).expect("a block of commands");
    let commands: Vec<&str> = block.lines().filter(|line| line.starts_with("groundrules ")).collect();
    assert_eq!(commands.len(), 5, "{block}");
    let folder = tempfile::tempdir().expect("a folder");
    for command in commands {
        let words = command.split('#').next().unwrap_or_default().split_whitespace().skip(1);
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_groundrules"))
            .args(words)
            .current_dir(folder.path())
            .stdin(std::process::Stdio::null())
            .output()
            .expect("the program");
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
