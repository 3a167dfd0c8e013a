//! The server through the protocol: every question has an answer, and bad questions have an error.

mod support;

use serde_json::{Value, json};
use support::{Client, at, position};

const URI: &str = "file:///game.kif";
const GAME: &str = "\
; who plays
(role white)
(role black)
(succ 1 2)
(succ 2 3)
(init (step 1))
(init (control white))
(<= (legal ?r noop)
    (role ?r))
(<= (next (step ?y))
    (true (step ?x))
    (succ ?x ?y))
(<= terminal
    (true (step 3)))
(<= (goal ?r 50)
    (role ?r))
";

fn opened() -> Client {
    let mut client = Client::new();
    client.open(URI, GAME);
    client
}

/// Parameters for the first place of a word.
fn word(word: &str) -> Value {
    at(URI, GAME, GAME.find(word).expect("the word"))
}

fn with(mut params: Value, key: &str, value: Value) -> Value {
    params[key] = value;
    params
}

#[test]
fn diagnostics_have_codes_places_and_fixes() {
    let mut client = Client::new();
    let text = "(role white)\n(role white)\n(<= (next x) (tru x))\n";
    client.open(URI, text);
    let found = client.diagnostics(URI, 1);
    let twice = found.iter().find(|found| found["code"] == "G212").expect("the role given twice");
    assert_eq!(twice["range"]["start"]["line"], 1);
    assert_eq!(twice["relatedInformation"][0]["location"]["range"]["start"]["line"], 0);
    let range = json!({ "start": position(text, 13), "end": position(text, 13) });
    let params = json!({ "textDocument": { "uri": URI }, "range": range, "context": { "diagnostics": [] } });
    let actions = client.ask("textDocument/codeAction", params);
    let titles: Vec<&str> =
        actions.as_array().unwrap().iter().filter_map(|action| action["title"].as_str()).collect();
    assert_eq!(
        titles,
        ["remove the second one", "explain G212: a role is given twice", "apply all safe fixes"]
    );
    let edit = &actions[0]["edit"]["changes"][URI][0];
    assert_eq!(edit["range"]["end"]["line"], 2, "the line goes with the fact");
    let explained = client
        .ask("workspace/executeCommand", json!({ "command": "groundrules.explain", "arguments": ["G212"] }));
    assert!(explained.as_str().unwrap().contains("role"));
}

#[test]
fn edits_change_what_is_reported() {
    let mut client = opened();
    assert_eq!(client.diagnostics(URI, 1).len(), 0, "{:?}", client.notes);
    let place = position(GAME, GAME.find("succ ?x").unwrap());
    let end = position(GAME, GAME.find("succ ?x").unwrap() + 4);
    let change = json!({ "range": { "start": place, "end": end }, "text": "suc" });
    client.tell(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": URI, "version": 2 }, "contentChanges": [change] }),
    );
    let codes: Vec<Value> = client.diagnostics(URI, 2).iter().map(|found| found["code"].clone()).collect();
    assert!(codes.contains(&json!("G510")), "{codes:?}");
    client.tell("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    assert!(client.try_ask("textDocument/hover", word("succ")).is_err());
}

#[test]
fn places_are_known() {
    let mut client = opened();
    let hover = client.ask("textDocument/hover", word("step ?x"));
    assert!(
        hover["contents"]["value"].as_str().unwrap().contains("fluent: 1 rule, 1 fact, 2 uses"),
        "{hover}"
    );
    assert_eq!(client.ask("textDocument/definition", word("succ ?x")).as_array().unwrap().len(), 2);
    let params = with(word("succ ?x"), "context", json!({ "includeDeclaration": false }));
    assert_eq!(client.ask("textDocument/references", params).as_array().unwrap().len(), 1);
    assert_eq!(client.ask("textDocument/documentHighlight", word("?x")).as_array().unwrap().len(), 2);
    assert_eq!(
        client.ask("textDocument/linkedEditingRange", word("?x"))["ranges"].as_array().unwrap().len(),
        2
    );
    let params =
        json!({ "textDocument": { "uri": URI }, "positions": [position(GAME, GAME.find("?y").unwrap())] });
    assert!(client.ask("textDocument/selectionRange", params)[0]["parent"]["parent"].is_object());
    let item = client.ask("textDocument/prepareCallHierarchy", word("step ?y"));
    let params = json!({ "item": item[0] });
    let calls = client.ask("callHierarchy/outgoingCalls", params.clone());
    let names: Vec<&str> =
        calls.as_array().unwrap().iter().filter_map(|call| call["to"]["name"].as_str()).collect();
    assert_eq!(names, ["true", "(step ?y)", "(succ ?x ?y)"]);
    assert!(!client.ask("callHierarchy/incomingCalls", params).as_array().unwrap().is_empty());
    let help = client.ask("textDocument/signatureHelp", word("?y))\n    (true"));
    assert_eq!(help["signatures"][0]["label"], "(step ?y)");
}

#[test]
fn what_may_follow_is_offered() {
    let mut client = opened();
    let items = client.ask("textDocument/completion", word("step ?x"))["items"].clone();
    assert_eq!(items[0]["label"], "control");
    assert_eq!(items[1]["label"], "step");
    assert_eq!(items[1]["textEdit"]["newText"], "step ${1:?y}");
}

#[test]
fn the_whole_is_drawn() {
    let mut client = opened();
    let of = json!({ "textDocument": { "uri": URI } });
    let symbols = client.ask("textDocument/documentSymbol", of.clone());
    let names: Vec<&str> =
        symbols.as_array().unwrap().iter().filter_map(|symbol| symbol["name"].as_str()).collect();
    assert_eq!(
        names,
        ["roles", "initial state", "legal moves", "state transition", "goals", "terminal", "relations"]
    );
    assert_eq!(client.ask("workspace/symbol", json!({ "query": "ST" }))[0]["name"], "step");
    let tokens = client.ask("textDocument/semanticTokens/full", of.clone());
    let data = tokens["data"].as_array().unwrap();
    assert_eq!(data.len() % 5, 0);
    assert_eq!(data[..5], [0, 0, 11, 9, 0], "the comment comes first");
    let range = json!({ "start": { "line": 1, "character": 0 }, "end": { "line": 2, "character": 0 } });
    let params = with(of.clone(), "range", range.clone());
    assert_eq!(
        client.ask("textDocument/semanticTokens/range", params.clone())["data"].as_array().unwrap().len(),
        10
    );
    assert_eq!(client.ask("textDocument/foldingRange", of.clone()).as_array().unwrap().len(), 4);
    assert_eq!(client.ask("textDocument/inlayHint", params), json!([]));
    assert_eq!(client.ask("textDocument/codeLens", of)[0]["command"]["title"], "bounded GDL");
}

#[test]
fn texts_are_changed() {
    let mut client = opened();
    let options = json!({ "tabSize": 4, "insertSpaces": true });
    let params = json!({ "textDocument": { "uri": URI }, "options": options });
    assert_eq!(client.ask("textDocument/formatting", params.clone()), json!([]));
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    assert_eq!(client.ask("textDocument/rangeFormatting", with(params, "range", range)), json!([]));
    let params = with(with(word("    (true (step ?x))"), "ch", json!("\n")), "options", options);
    assert_eq!(client.ask("textDocument/onTypeFormatting", params), json!([]));
    assert_eq!(client.ask("textDocument/prepareRename", word("succ"))["placeholder"], "succ");
    let renamed = client.ask("textDocument/rename", with(word("succ"), "newName", json!("after")));
    assert_eq!(renamed["changes"][URI].as_array().unwrap().len(), 3);
    let refused = client.try_ask("textDocument/rename", with(word("succ"), "newName", json!("step")));
    assert_eq!(refused.unwrap_err(), "there is a fluent called `step` already");
    assert!(client.try_ask("textDocument/prepareRename", word("role")).is_err());
}

#[test]
fn symbols_of_the_folder_are_found() {
    let folder = concat!("file://", env!("CARGO_MANIFEST_DIR"), "/../../games");
    let mut client = Client::in_folder(&json!({ "background": false }), &json!(folder));
    let found = client.ask("workspace/symbol", json!({ "query": "xplayer" }));
    assert_eq!(found, json!([]), "no game of the library has it");
    client.open(&format!("{folder}/tic-tac-toe.kif"), "(role xplayer)");
    let found = client.ask("workspace/symbol", json!({ "query": "XPlayer" }));
    assert_eq!(found.as_array().unwrap().len(), 1, "what is open comes before the file: {found}");
    let found = client.ask("workspace/symbol", json!({ "query": "turn" }));
    let files: Vec<&str> =
        found.as_array().unwrap().iter().filter_map(|it| it["location"]["uri"].as_str()).collect();
    assert!(files.len() > 5 && files.iter().any(|uri| uri.ends_with("connect-four.kif")), "{files:?}");
}

#[test]
fn actions_can_be_asked_for_by_kind() {
    let mut client = Client::new();
    let text =
        GAME.replace("(succ 1 2)\n", "(succ 1 2)\n(<= (far ?x ?y)\n    (succ ?x ?z)\n    (succ ?z ?y))\n");
    client.open(URI, &text);
    let mut titles = |only: Value, word: &str| -> Vec<String> {
        let place = position(&text, text.find(word).unwrap());
        let params = json!({ "textDocument": { "uri": URI }, "range": { "start": place, "end": place },
            "context": { "diagnostics": [], "only": only } });
        let actions = client.ask("textDocument/codeAction", params);
        actions.as_array().unwrap().iter().map(|it| it["title"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(titles(json!(["source"]), "?y"), ["sort the clauses by the parts of a game"]);
    assert_eq!(titles(json!(["source.fixAll"]), "?y"), [""; 0]);
    assert_eq!(
        titles(json!(["refactor"]), "?x"),
        ["add `(distinct ?x ?z)`", "add `(distinct ?x ?y)`"],
        "both can be 2"
    );
}

#[test]
fn slow_knowledge_arrives() {
    let mut client = Client::with(&json!({ "commands": ["groundrules.play"] }));
    client.open(URI, GAME);
    let of = json!({ "textDocument": { "uri": URI } });
    let titles = loop {
        client.await_request("workspace/codeLens/refresh");
        let lenses = client.ask("textDocument/codeLens", of.clone());
        let titles: Vec<String> = lenses
            .as_array()
            .unwrap()
            .iter()
            .map(|lens| lens["command"]["title"].as_str().unwrap().to_owned())
            .collect();
        if titles.iter().any(|title| title.ends_with("states per second")) {
            break titles;
        }
    };
    assert_eq!(titles[0], "play");
    assert!(titles.contains(&"3 states".to_owned()), "{titles:?}");
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let hints = client.ask("textDocument/inlayHint", with(of, "range", range));
    assert!(hints.as_array().unwrap().len() >= 4, "{hints}");
}

#[test]
fn a_rule_that_explodes_is_warned_of() {
    let mut client = Client::with(&json!({ "backgroundSeconds": 1 }));
    let facts: String = (0..60).map(|number| format!("(n {number})\n")).collect();
    let text = format!(
        "(role a)\n{facts}(init (at 0))\n(<= (legal a (go ?a ?b ?c ?d)) (n ?a) (n ?b) (n ?c) (n ?d))
         (<= (next (at ?a)) (does a (go ?a ?b ?c ?d)))\n(<= terminal (true (at 7)))\n(goal a 100)\n"
    );
    client.open(URI, &text);
    client.diagnostics(URI, 1);
    let found = client.diagnostics(URI, 1);
    let warning = found.iter().find(|found| found["code"] == "G701").expect("a warning");
    assert_eq!(warning["range"]["start"]["line"], 62, "{warning}");
    assert!(warning["message"].as_str().unwrap().contains("?a has 60 values"), "{warning}");
}

#[test]
fn bad_questions_have_errors_and_bad_places_answers() {
    let mut client = opened();
    assert!(client.try_ask("textDocument/hover", json!({ "textDocument": 7 })).is_err());
    assert!(client.try_ask("textDocument/hover", Value::Null).is_err());
    assert!(client.try_ask("no/such/method", json!({})).unwrap_err().contains("not known"));
    assert!(client.try_ask("workspace/executeCommand", json!({ "command": "rm" })).is_err());
    client.tell("textDocument/didChange", json!({ "nonsense": true }));
    client.tell("textDocument/didOpen", json!([]));
    client.tell("$/whatever", json!({}));
    let far = json!({ "textDocument": { "uri": URI }, "position": { "line": 4_000_000_000u32, "character": 4_000_000_000u32 } });
    assert_eq!(client.ask("textDocument/hover", far.clone()), Value::Null);
    client.ask("textDocument/completion", far);
    let backwards = json!({ "start": { "line": 9, "character": 9 }, "end": { "line": 0, "character": 0 } });
    let change = json!({ "range": backwards, "text": "x" });
    client.tell(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": URI, "version": 7 }, "contentChanges": [change] }),
    );
    client.diagnostics(URI, 7);
}

#[test]
fn huge_and_hostile_texts_are_survived() {
    let mut client = Client::new();
    let texts = [
        "(".repeat(100_000),
        ")".repeat(100_000),
        "(p a)\n".repeat(50_000),
        format!("{}x{}", "(f ".repeat(9_000), ")".repeat(9_000)),
        "\u{0}\u{FEFF}\u{200B}(role \u{1D11E})".to_owned(),
        "x".repeat(17 << 20),
    ];
    for (index, text) in texts.iter().enumerate() {
        let uri = format!("file:///{index}.kif");
        client.open(&uri, text);
        client.diagnostics(&uri, 1);
        let of = json!({ "textDocument": { "uri": uri } });
        let middle =
            json!({ "textDocument": { "uri": uri }, "position": { "line": 0, "character": 30_000 } });
        for method in [
            "textDocument/hover",
            "textDocument/completion",
            "textDocument/definition",
            "textDocument/signatureHelp",
        ] {
            client.ask(method, middle.clone());
        }
        for method in [
            "textDocument/documentSymbol",
            "textDocument/foldingRange",
            "textDocument/semanticTokens/full",
            "textDocument/codeLens",
        ] {
            client.ask(method, of.clone());
        }
    }
}
