//! The guide as a book: its contents name every chapter, what chapters include is there, and links lead somewhere. mdBook itself renders it in
//! `./test` where it is installed; it reports none of these.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/src")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All files below a folder with an extension.
fn files(folder: &Path, extension: &str, found: &mut BTreeSet<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            files(&entry, extension, found);
        } else if entry.extension().is_some_and(|it| it == extension) {
            found.insert(entry);
        }
    }
}

/// The targets of links and pictures in a text, outside of code.
fn links(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        if is_code {
            continue;
        }
        // What stands between backticks is code too.
        let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        let targets = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        found.extend(targets.map(str::to_owned));
    }
    found
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => assert!(plain.pop(), "{}", path.display()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// A chapter as mdBook sees it: with what it includes.
fn chapter(path: &Path) -> String {
    let text = read(path);
    let folder = path.parent().expect("a folder");
    let lines = text.lines().map(|line| {
        let included = line.strip_prefix("{{#include ").and_then(|rest| rest.strip_suffix("}}"));
        included.map_or_else(|| line.to_owned(), |name| read(&folder.join(name)))
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_contents_name_every_chapter_once() {
    let root = plain(&source());
    let mut chapters = BTreeSet::new();
    files(&root, "md", &mut chapters);
    chapters.remove(&root.join("SUMMARY.md"));
    let listed: Vec<PathBuf> =
        links(&read(&root.join("SUMMARY.md"))).iter().map(|name| root.join(name)).collect();
    let once: BTreeSet<PathBuf> = listed.iter().cloned().collect();
    assert_eq!(once.len(), listed.len(), "a chapter is listed twice");
    assert_eq!(once, chapters);
}

#[test]
fn links_of_the_guide_lead_somewhere() {
    let root = plain(&source());
    let mut chapters = BTreeSet::new();
    files(&root, "md", &mut chapters);
    let mut count = 0;
    for path in &chapters {
        let folder = path.parent().expect("a folder");
        for link in links(&chapter(path)) {
            let target = link.split('#').next().unwrap_or_default();
            if target.is_empty() || target.contains("://") {
                continue;
            }
            count += 1;
            let found = plain(&folder.join(target));
            assert!(found.exists(), "{}: there is no {link}", path.display());
            assert!(found.starts_with(&root), "{}: {link} is outside of the book", path.display());
        }
    }
    assert!(count > 50, "{count}");
}

#[test]
fn links_are_found() {
    let text = "[a](b.md) and `[c](d)`, ![e](f.svg)\n```text\n[g](h)\n```\n[i](https://j)";
    assert_eq!(links(text), ["b.md", "f.svg", "https://j"]);
}

/// The plans of tournaments in the documentation are plans.
#[test]
fn tournaments_of_the_documentation_can_be_read() {
    let root = plain(&source());
    let docs = root.join("../..");
    let mut pages = BTreeSet::new();
    files(&plain(&docs), "md", &mut pages);
    let mut count = 0;
    for page in pages {
        let text = read(&page);
        for plan in text.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()) {
            if !plan.contains("[[player]]") && !plan.contains("games =") {
                continue;
            }
            count += 1;
            let folder = tempfile::tempdir().expect("a folder");
            std::fs::write(folder.path().join("plan.toml"), plan).expect("a file");
            let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_groundrules"));
            let output = program.current_dir(&folder).args(["tournament", "plan.toml", "--table"]).output();
            let output = output.expect("the program starts");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{}: {said}", page.display());
        }
    }
    assert!(count >= 2, "{count}");
}
