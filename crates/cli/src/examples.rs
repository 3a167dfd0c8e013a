//! The commands that help texts and documentation show are commands that the program takes. Transcripts run what ends by itself; here
//! every other one is parsed at least: servers, hosts, long measurements.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{CommandFactory, Parser};

use super::Arguments;

/// The words of a command as a shell takes it apart, up to a comment, a pipe or a redirection. In help texts a comment begins after
/// two spaces.
fn words(line: &str, is_help: bool) -> Vec<String> {
    let (mut words, mut word, mut quote): (Vec<String>, Option<String>, Option<char>) =
        (Vec::new(), None, None);
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            (c, Some(_)) => word.get_or_insert_default().push(c),
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            ('|' | '>' | '<', None) => break,
            ('#' | '&', None) if word.is_none() => break,
            (' ', None) => {
                words.extend(word.take());
                if is_help && rest.peek() == Some(&' ') {
                    break;
                }
            }
            (c, None) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// What is wrong with a command line, if anything is. A word in capitals stands for a value. In a sentence, what has to follow may be
/// left out.
fn fault(words: &[String], is_sentence: bool) -> Option<String> {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    let error = Arguments::try_parse_from(words).err()?;
    let stands_for_value = match error.get(ContextKind::InvalidValue) {
        Some(ContextValue::String(value)) => value.chars().all(|c| c.is_ascii_uppercase()),
        _ => false,
    };
    let is_well = match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => true,
        ErrorKind::MissingRequiredArgument | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            is_sentence
        }
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => stands_for_value,
        _ => false,
    };
    (!is_well).then(|| format!("{}: {error}", words.join(" ")))
}

/// The lines of a text that are commands of this program, those that go on in the next line joined.
fn commands(text: &str) -> Vec<String> {
    let joined = text.replace("\\\n", " ");
    let lines = joined.lines().map(|line| line.trim().trim_start_matches("$ "));
    lines.filter(|line| line.starts_with("groundrules ")).map(str::to_owned).collect()
}

/// Adds the examples of a command and of those below it.
fn examples(command: &mut clap::Command, found: &mut Vec<String>) {
    let help = command.get_after_help().or(command.get_after_long_help()).map(ToString::to_string);
    let text = help.unwrap_or_default();
    found.extend(text.split_once("Examples:").map(|(_, examples)| commands(examples)).unwrap_or_default());
    command.get_subcommands_mut().for_each(|command| examples(command, found));
}

#[test]
fn examples_of_help_texts_are_taken() {
    let mut found = Vec::new();
    examples(&mut Arguments::command(), &mut found);
    assert!(found.len() > 80, "{}", found.len());
    let faults: Vec<String> = found.iter().filter_map(|line| fault(&words(line, true), false)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// All Markdown files below a folder.
fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if path.is_dir() {
            pages(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

#[test]
fn commands_of_the_documentation_are_taken() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found =
        vec![root.join("README.md"), root.join("CONTRIBUTING.md"), root.join("crates/python/README.md")];
    pages(&root.join("docs"), &mut found);
    let (mut count, mut faults) = (0, Vec::new());
    for page in found {
        let text = fs::read_to_string(&page).expect("a page");
        // Blocks of shell commands, and commands in sentences that have no gaps.
        let blocks = text.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
        let prose: String = text.split("```").step_by(2).collect();
        let spans = prose.split('`').skip(1).step_by(2).filter(|span| !span.contains(['[', '…', '\n']));
        let lines = blocks.flat_map(commands).map(|line| (line, false));
        for (line, is_sentence) in lines.chain(spans.flat_map(commands).map(|line| (line, true))) {
            count += 1;
            let fault = fault(&words(&line, false), is_sentence);
            faults.extend(fault.map(|fault| format!("{}: {fault}", page.display())));
        }
    }
    assert!(count > 60, "{count}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn commands_are_taken_apart() {
    assert_eq!(words("groundrules net a --given '(control white)' -o b.svg    when it is", true).len(), 7);
    assert_eq!(words("groundrules serve            # the best player", false), ["groundrules", "serve"]);
    assert_eq!(words("groundrules man | man -l -", false), ["groundrules", "man"]);
    assert_eq!(commands("$ groundrules host a \\\n  --games 2\nother"), ["groundrules host a    --games 2"]);
    let is_taken = |line: &str, is_sentence: bool| fault(&words(line, false), is_sentence).is_none();
    assert!(is_taken("groundrules perft GAME DEPTH", false) && is_taken("groundrules verify", true));
    assert!(
        !is_taken("groundrules run nim --playuots 3", true) && !is_taken("groundrules nosuchcommand", true)
    );
    assert!(!is_taken("groundrules verify", false) && !is_taken("groundrules perft nim deep", true));
}
