//! Real editors as clients of `groundrules lsp`, without a screen: Neovim and Emacs, with the settings that the documentation
//! gives. Each opens a description with a fault, sees the diagnostic, mends it, asks, renames and lays out. The scripts that
//! drive them are in the folder `editors`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use groundrules_oracle::skip;

const GAME: &str = "\
(role white)
(role white)
(init (step 1))
(succ 1 2)
(<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
(<= (legal ?r noop) (role ?r))
(<= terminal (true (step 2)))
(<= (goal ?r 50) (role ?r))
";

/// The settings for an editor, as the documentation gives them.
fn settings(heading: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/editors.md");
    let text = std::fs::read_to_string(path).expect("the documentation");
    let section = text.split("\n## ").find(|section| section.starts_with(heading)).expect("a section");
    let block = section.split("```").nth(1).expect("a block of settings");
    block.split_once('\n').expect("a language").1.to_owned()
}

/// A folder with the settings and a description.
struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    fn new(settings: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("settings"), settings).expect("settings");
        std::fs::write(folder.path().join("game.kif"), GAME).expect("a game");
        Desk { folder }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs an editor that finds the program in PATH; gives what it prints.
    fn run(&self, editor: &mut Command) -> String {
        let program = Path::new(env!("CARGO_BIN_EXE_groundrules"));
        let old = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(program.parent().expect("a folder").to_owned())
            .chain(std::env::split_paths(&old));
        let path = std::env::join_paths(folders).expect("a path");
        let output = editor
            .env("PATH", path)
            .env("HOME", self.folder.path())
            .env("XDG_CONFIG_HOME", self.folder.path())
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .output()
            .expect("the editor runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text + &String::from_utf8_lossy(&output.stderr)
    }
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/editors").join(name)
}

/// Whether a command runs to a good end.
fn works(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

#[test]
fn neovim_is_served() {
    if !works(Command::new("nvim").arg("--version")) {
        return skip(format_args!("Neovim is not installed"));
    }
    let desk = Desk::new(&settings("Neovim"));
    let said = desk.run(
        Command::new("nvim")
            .args(["--headless", "-u", "NONE", "-c"])
            .arg(format!("luafile {}", desk.file("settings").display()))
            .args(["-c", "filetype on", "-c"])
            .arg(format!("edit {}", desk.file("game.kif").display()))
            .arg("-c")
            .arg(format!("luafile {}", script("neovim.lua").display())),
    );
    for line in [
        "diagnostic 1 G212",
        "mended",
        "(step ?y) ``` fluent: 1 rule, 1 fact, 2 uses",
        "renamed (after 1 2)",
        "laid out (<= (next (step ?y))",
        "completion 6",
    ] {
        assert!(said.contains(line), "{line} is not in what Neovim says:\n{said}");
    }
}

#[test]
fn emacs_is_served() {
    if !works(Command::new("emacs").args(["--batch", "--eval", "(require 'eglot)"])) {
        return skip(format_args!("Emacs with eglot is not installed"));
    }
    let desk = Desk::new(&settings("Emacs"));
    let said = desk.run(
        Command::new("emacs")
            .args(["--batch", "-l"])
            .arg(desk.file("settings"))
            .arg("-l")
            .arg(script("emacs.el"))
            .arg(desk.file("game.kif")),
    );
    for line in [
        "diagnostic 1 groundrules [G212]: the role `white` is given twice",
        "mended",
        "renamed (after 1 2)",
        "laid out (<= (next (step ?y))",
    ] {
        assert!(said.contains(line), "{line} is not in what Emacs says:\n{said}");
    }
}
