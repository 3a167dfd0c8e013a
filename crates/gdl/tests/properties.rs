//! Properties over generated texts: what is written back reads as the same game, formatting keeps the forms and is
//! idempotent, and no damage to a valid file makes the reader panic or leave the text.

use groundrules_gdl::format::format;
use groundrules_gdl::syntax::{Tree, parse};
use groundrules_gdl::{Checked, Diagnostics, Limits, Options, read};
use proptest::prelude::*;

fn check(text: &[u8]) -> Checked {
    read(text, &Options::default())
}

fn tree(text: &[u8]) -> Tree {
    parse(text, &Limits::default(), &mut Diagnostics::new(10))
}

/// A term over a few names, as KIF.
fn term() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec!["a", "b", "1", "2", "?x", "?y", "noop"]).prop_map(str::to_owned);
    leaf.prop_recursive(3, 12, 3, |inner| {
        (prop::sample::select(vec!["f", "g", "cell"]), prop::collection::vec(inner, 1..4))
            .prop_map(|(name, arguments)| format!("({name} {})", arguments.join(" ")))
    })
}

fn atom(names: &'static [&'static str]) -> impl Strategy<Value = String> {
    (prop::sample::select(names), term(), term()).prop_map(|(name, first, second)| match name {
        "terminal" | "open" => name.to_owned(),
        "true" | "next" | "init" | "p" => format!("({name} {first})"),
        "role" => "(role a)".to_owned(),
        "goal" => "(goal a 100)".to_owned(),
        "does" | "legal" => format!("({name} a {first})"),
        _ => format!("({name} {first} {second})"),
    })
}

fn condition() -> impl Strategy<Value = String> {
    let literal = prop_oneof![
        6 => atom(&["true", "does", "p", "q", "open", "legal", "role"]),
        1 => (term(), term()).prop_map(|(left, right)| format!("(distinct {left} {right})")),
    ];
    literal.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|part| format!("(not {part})")),
            prop::collection::vec(inner.clone(), 0..4).prop_map(|parts| format!("(or {})", parts.join(" "))),
            prop::collection::vec(inner, 1..3).prop_map(|parts| format!("(and {})", parts.join(" "))),
        ]
    })
}

/// A rule whose variables are bound, by a relation made for that where nothing else does.
fn rule() -> impl Strategy<Value = String> {
    let head = atom(&["next", "legal", "goal", "terminal", "p", "q", "open"]);
    (head, prop::collection::vec(condition(), 0..4)).prop_map(|(head, body)| {
        let body = body.join(" ");
        let guard = |variable: &str| {
            let needed = head.contains(variable) || body.contains(variable);
            if needed { format!(" (domain {variable})") } else { String::new() }
        };
        format!("(<= {head} {body}{}{} (domain 1))", guard("?x"), guard("?y"))
    })
}

/// A description that is often valid: rules for what a game needs, then generated ones.
fn description() -> impl Strategy<Value = String> {
    let needed = "(role a) (init (cell 1 2)) (legal a noop) (goal a 50) (<= terminal (true (cell 2 2)))
                  (domain 1) (domain 2) (p 1) (q 1 2) (<= open (true (cell 1 2)))\n";
    prop::collection::vec(rule(), 0..5).prop_map(move |rules| format!("{needed}{}", rules.join("\n")))
}

/// White space and comments between tokens.
fn gap() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        " ",
        "\n",
        "\n\n\n",
        "\t",
        " ; note\n",
        "\n; alone\n",
        "\r\n",
        " ;;; x ) ( y\n ",
    ])
    .prop_map(str::to_owned)
}

/// The text with its spaces replaced by the gaps.
fn respaced(text: &str, gaps: &[String]) -> String {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let mut gaps = gaps.iter().cycle();
    spaced
        .split_whitespace()
        .flat_map(|token| [token.to_owned(), gaps.next().cloned().unwrap_or_default()])
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_game_written_back_is_the_same_game(text in description()) {
        let checked = check(text.as_bytes());
        if let Some(game) = checked.game {
            let written = game.to_kif();
            let again = check(written.as_bytes());
            prop_assert_eq!(again.verdict, checked.verdict);
            prop_assert_eq!(again.figures.rules, checked.figures.rules);
            prop_assert_eq!(again.figures.roles, checked.figures.roles);
            prop_assert_eq!(again.game.map(|game| game.to_kif()), Some(written));
        }
    }

    #[test]
    fn layout_does_not_change_what_is_said(text in description(), gaps in prop::collection::vec(gap(), 1..9)) {
        let spread = respaced(&text, &gaps);
        prop_assert!(tree(text.as_bytes()).same_forms(&tree(spread.as_bytes())));
        let (one, other) = (check(text.as_bytes()), check(spread.as_bytes()));
        let said = |checked: &Checked| -> Vec<(&str, String)> {
            let mut said: Vec<_> = checked.diagnostics.iter().map(|d| (d.code.id, d.message.clone())).collect();
            said.sort();
            said
        };
        prop_assert_eq!(said(&one), said(&other));
        prop_assert_eq!(one.verdict, other.verdict);
    }

    #[test]
    fn formatting_keeps_forms_and_comments_and_is_idempotent(
        text in description(),
        gaps in prop::collection::vec(gap(), 1..9),
    ) {
        let spread = respaced(&text, &gaps);
        let once = format(spread.as_bytes(), &Limits::default()).expect("generated texts are balanced");
        prop_assert!(tree(spread.as_bytes()).same_forms(&tree(&once)));
        prop_assert_eq!(tree(spread.as_bytes()).comments().len(), tree(&once).comments().len());
        prop_assert_eq!(format(&once, &Limits::default()), Ok(once));
    }

    #[test]
    fn any_bytes_are_read(text in prop::collection::vec(any::<u8>(), 0..400)) {
        let checked = check(&text);
        for label in checked.diagnostics.iter().flat_map(|diagnostic| &diagnostic.labels) {
            prop_assert!(label.span.start <= label.span.end && label.span.end as usize <= text.len());
        }
    }

    #[test]
    fn damaged_games_are_read(
        choice in any::<prop::sample::Index>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..4u8, any::<u8>()), 1..12),
    ) {
        let games = library();
        let mut text = games[choice.index(games.len())].clone();
        for (place, kind, byte) in edits {
            if text.is_empty() {
                break;
            }
            let at = place.index(text.len());
            match kind {
                0 => text[at] = byte,
                1 => drop(text.remove(at)),
                2 => text.insert(at, *b"()?; \n".get(byte as usize % 6).unwrap_or(&b'(')),
                _ => text.truncate(at.max(text.len() / 2)),
            }
        }
        let checked = check(&text);
        for label in checked.diagnostics.iter().flat_map(|diagnostic| &diagnostic.labels) {
            prop_assert!(label.span.end as usize <= text.len());
        }
        if let Ok(once) = format(&text, &Limits::default()) {
            prop_assert!(tree(&text).same_forms(&tree(&once)));
        }
    }
}

#[test]
fn many_generated_descriptions_are_valid() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut sample = || description().new_tree(&mut runner).expect("a description").current();
    let valid = (0..300).filter(|_| check(sample().as_bytes()).verdict.is_valid()).count();
    assert!(valid > 100, "only {valid} of 300: the properties of valid games would be tested too rarely");
}

/// The games of the repository that are small enough to damage many times.
fn library() -> &'static [Vec<u8>] {
    static GAMES: std::sync::OnceLock<Vec<Vec<u8>>> = std::sync::OnceLock::new();
    GAMES.get_or_init(|| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games");
        let files = std::fs::read_dir(folder).expect("the folder of games");
        let mut paths: Vec<_> = files.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "kif"));
        paths.sort();
        let mut games: Vec<Vec<u8>> = paths.iter().filter_map(|path| std::fs::read(path).ok()).collect();
        games.retain(|game| game.len() < 8_000);
        assert!(games.len() >= 20, "the library is here");
        games
    })
}
