//! Hidden information over public descriptions in GDL-II: `check` explains it, and a role is shown its percepts and never the state, as
//! long as the match goes on.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use groundrules_oracle::skip;

/// The public descriptions with rules for `sees`.
fn descriptions() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/gdl2");
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    found.sort();
    found
}

/// What `step` prints to a role that makes random moves, and how it ends.
fn stepped(game: &Path, role: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_groundrules"))
        .args(["step".as_ref(), game.as_os_str(), "--as".as_ref(), role.as_ref()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let input = b"random\nstate\nlegal\ngoals\nhint\nundo\nrandom 2\nquit\n";
    child.stdin.take().expect("a pipe").write_all(input).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{}: {error}", game.display());
    assert!(error.contains("you are shown your percepts and moves only"), "{}: {error}", game.display());
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn roles_of_public_descriptions_are_shown_what_they_see() {
    let descriptions = descriptions();
    if descriptions.is_empty() {
        skip("there is no folder ../shared/gdl2");
        return;
    }
    let (mut hidden, mut shown) = (0, 0);
    for path in descriptions {
        let Ok(loaded) = groundrules::load(&path) else { continue };
        let notes = loaded.diagnostics.iter().filter(|diagnostic| diagnostic.code.id == "G517").count();
        assert_eq!(notes, usize::from(loaded.game.has_hidden_information()), "{}", path.display());
        if notes == 0 {
            continue;
        }
        hidden += 1;
        let compiled = loaded.compile();
        for role in compiled.roles().iter().filter(|role| *role != "random") {
            let text = stepped(&path, role);
            for state in text.split("state ").skip(1) {
                let first = state.lines().next().unwrap_or_default();
                let is_over = state.contains("the match is over");
                assert!(is_over || first.ends_with(", what you have seen:"), "{}: {text}", path.display());
                assert!(is_over || !state.contains("goal of "), "{}: {text}", path.display());
                shown += usize::from(!is_over);
            }
        }
    }
    assert!(hidden >= 10 && shown >= 30, "{hidden} {shown}");
}
