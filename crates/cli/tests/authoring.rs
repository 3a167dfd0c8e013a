//! What an author and somebody who installs the program see: a new game, checking while files change, lint levels,
//! completions, manual pages, the version; and the report of a tournament.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn program(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_groundrules"));
    command.current_dir(folder);
    command
}

fn groundrules(folder: &Path, arguments: &[&str]) -> Output {
    program(folder).args(arguments).output().expect("the program starts")
}

fn text(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8(both).expect("UTF-8")
}

#[test]
fn a_new_game_is_clean_well_formed_and_can_be_played() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    assert!(text(&groundrules(folder, &["new", "mygame"])).starts_with("wrote mygame.kif"));
    let checked = groundrules(folder, &["check", "--json", "--deny", "all", "mygame.kif"]);
    let object: Value = serde_json::from_slice(&checked.stdout).expect("JSON");
    assert_eq!((checked.status.code(), &object["diagnostics"]), (Some(0), &Value::Array(vec![])));
    assert_eq!(groundrules(folder, &["fmt", "--check", "mygame.kif"]).status.code(), Some(0));
    let verified = groundrules(folder, &["verify", "mygame.kif", "--threads", "1"]);
    assert_eq!(verified.status.code(), Some(0), "{}", text(&verified));
    let played = groundrules(folder, &["run", "mygame.kif", "--playouts", "100", "--threads", "1"]);
    assert_eq!(played.status.code(), Some(0), "{}", text(&played));

    let again = groundrules(folder, &["new", "mygame.kif"]);
    assert_eq!(again.status.code(), Some(2));
    assert_eq!(
        text(&again),
        "groundrules: mygame.kif exists already: take another name, or replace it with --force\n"
    );
    assert!(groundrules(folder, &["new", "mygame.kif", "--force"]).status.success());
}

#[test]
fn a_file_is_checked_again_when_it_changes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.kif");
    std::fs::write(&file, "(role you").unwrap();
    let mut watching = program(folder.path())
        .args(["check", "--watch", "game.kif"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let mut lines = BufReader::new(watching.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
    let first = lines.find(|line| line.starts_with("game.kif: "));
    std::fs::write(&file, "; nothing at all").unwrap();
    let second = lines.find(|line| line.contains("the description holds no rule"));
    watching.kill().expect("it was running");
    watching.wait().expect("it has ended");
    assert!(first.is_some_and(|line| line.contains("not GDL")));
    assert!(second.is_some());
    let stdin = groundrules(folder.path(), &["check", "--watch", "-"]);
    assert_eq!(stdin.status.code(), Some(2));
}

#[test]
fn completions_and_manual_pages_know_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let help = text(&groundrules(folder.path(), &["--help"]));
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands: Vec<&str> =
        commands.map_while(|line| line.split_whitespace().next()).filter(|name| *name != "help").collect();
    assert!(commands.len() > 20, "{commands:?}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = text(&groundrules(folder.path(), &["completions", shell]));
        let missing: Vec<&&str> = commands.iter().filter(|name| !script.contains(**name)).collect();
        assert!(missing.is_empty(), "{shell}: {missing:?}");
    }
    assert!(groundrules(folder.path(), &["man", "pages"]).status.success());
    let page = |name: &str| std::fs::read_to_string(folder.path().join("pages").join(name)).expect(name);
    assert!(page("groundrules.1").contains(".TH groundrules 1"));
    commands.iter().for_each(|name| assert!(!page(&format!("groundrules-{name}.1")).is_empty()));
    assert!(text(&groundrules(folder.path(), &["man"])).contains(".SH SYNOPSIS"));
}

#[test]
fn the_version_names_the_commit_where_it_is_known() {
    let version = text(&groundrules(Path::new("."), &["--version"]));
    let version = version.trim_end().strip_prefix("groundrules ").expect(&version);
    let (number, commit) = version.split_once(' ').unwrap_or((version, "(unknown)"));
    assert_eq!(number, env!("CARGO_PKG_VERSION"));
    assert!(commit.starts_with('(') && commit.ends_with(')') && commit.len() > 8, "{commit}");
}

#[test]
fn a_tournament_is_watched_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let plan = "games = ['nim']\nstart-clock = 5\nplay-clock = 5\nfolder = 'cup'\n\
                [[player]]\nname = 'a <b>'\nplayer = 'random'\n[[player]]\nplayer = 'legal'\n";
    std::fs::write(folder.join("cup.toml"), plan).unwrap();
    let played = groundrules(folder, &["tournament", "cup.toml", "--html", "cup.html", "--plots", "plots"]);
    let told = text(&played);
    assert!(played.status.success(), "{told}");
    assert!(told.contains("1 of 2: nim: "), "{told}");
    let page = std::fs::read_to_string(folder.join("cup.html")).unwrap();
    for part in
        ["<h1>cup</h1>", "2 of 2 matches", "Ratings over time", "Cross table", "a &lt;b&gt;", "<td>nim</td>"]
    {
        assert!(page.contains(part), "{part} in {page}");
    }
    assert!(!page.contains("a <b>"));
    for name in ["ratings.svg", "cross-table.svg"] {
        let picture = std::fs::read_to_string(folder.join("plots").join(name)).unwrap();
        assert!(picture.starts_with("<svg") && picture.ends_with("</svg>\n"), "{name}");
    }

    // The table can be read while another process has the journal, and the plan may be given by another path.
    let journal = std::fs::File::open(folder.join("cup/results.jsonl")).unwrap();
    journal.lock().unwrap();
    let table = groundrules(folder, &["tournament", "./cup.toml", "--table"]);
    assert!(table.status.success() && text(&table).starts_with("2 of 2 matches\n"), "{}", text(&table));
    let refused = text(&groundrules(folder, &["tournament", "cup.toml"]));
    assert!(refused.contains("another process plays the tournament in cup: `--table` shows"), "{refused}");
    drop(journal);
    let absolute = folder.join("cup.toml");
    let again = groundrules(Path::new("/"), &["tournament", absolute.to_str().unwrap(), "--quiet", "--json"]);
    let object: Value = serde_json::from_slice(&again.stdout).expect("JSON");
    assert_eq!((&object["finished"], &object["played"][0]["game"]), (&2.into(), &"nim".into()));
}
