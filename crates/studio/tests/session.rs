//! A session as a page uses it: opening, faults and fixes, a match, playouts, thoughts, reasons, and what strangers send.

use std::sync::{Arc, Mutex};

use groundrules_gdl::time::Cancel;
use groundrules_studio::{Listener, Session};
use serde_json::{Value, json};

const TIC_TAC_TOE: &str = include_str!("../../../games/tic-tac-toe.kif");

fn ask(session: &mut Session, question: &Value) -> Result<Value, String> {
    let answer: Value = serde_json::from_str(&session.ask(&question.to_string())).expect("an answer is JSON");
    match answer.get("error").and_then(Value::as_str) {
        Some(error) => Err(error.to_owned()),
        None => Ok(answer["answer"].clone()),
    }
}

fn compiled(text: &str) -> (Session, Value) {
    let mut session = Session::default();
    ask(&mut session, &json!({ "do": "open", "text": text })).unwrap();
    let answer = ask(&mut session, &json!({ "do": "compile" })).unwrap();
    (session, answer)
}

#[test]
fn a_fault_is_shown_with_its_fix_and_mended_by_it() {
    let mut session = Session::default();
    let text = TIC_TAC_TOE.replace("(true (cell", "(treu (cell");
    // A character of two units before the fault shifts places as a browser counts them.
    let text = format!("; 𝄞\n{text}");
    let report = ask(&mut session, &json!({ "do": "open", "text": text })).unwrap();
    assert!(!report["diagnostics"].as_array().unwrap().is_empty());
    let units: Vec<u16> = text.encode_utf16().collect();
    let fixed = report["diagnostics"].as_array().unwrap().iter().find_map(|found| {
        let edit = found["fixes"][0]["edits"].as_array()?.first()?.clone();
        let place = |key: &str| usize::try_from(edit[key].as_u64().unwrap()).unwrap();
        Some(String::from_utf16(&units[place("from")..place("to")]).unwrap())
    });
    assert!(fixed.is_some_and(|word| word.contains("treu")), "{report}");
    assert!(ask(&mut session, &json!({ "do": "compile" })).is_err() || report["playable"] == true);
}

#[test]
fn hovering_tells_the_ground_instances_once_the_text_is_compiled() {
    let mut session = Session::default();
    ask(&mut session, &json!({ "do": "open", "text": TIC_TAC_TOE })).unwrap();
    let at = TIC_TAC_TOE.find("(<= (line").expect("a rule") + 5;
    let hover = |session: &mut Session| {
        ask(session, &json!({ "do": "hover", "at": at })).unwrap()["markdown"].as_str().unwrap().to_owned()
    };
    let before = hover(&mut session);
    assert!(before.contains("dynamic") && !before.contains("ground instance"), "{before}");
    ask(&mut session, &json!({ "do": "compile" })).unwrap();
    assert!(hover(&mut session).contains("ground instance"), "{}", hover(&mut session));
    // Another text has not been grounded.
    ask(&mut session, &json!({ "do": "open", "text": format!("{TIC_TAC_TOE};") })).unwrap();
    assert!(!hover(&mut session).contains("ground instance"));
}

#[test]
fn a_match_is_played_taken_back_and_replayed() {
    let (mut session, compiled) = compiled(TIC_TAC_TOE);
    assert_eq!(compiled["roles"], json!(["cross", "nought"]));
    assert!(compiled["state"]["svg"].as_str().unwrap().contains("data-cell=\"0.0\""));
    let moves = json!(["(place 2 2)", null]);
    let state = ask(&mut session, &json!({ "do": "advance", "moves": moves })).unwrap();
    assert_eq!((&state["step"], state["legal"][1].as_array().unwrap().len()), (&json!(1), 8));
    let error = ask(&mut session, &json!({ "do": "advance", "moves": [null, "(place 2 2)"] })).unwrap_err();
    assert_eq!(error, "(place 2 2) is not a legal move of nought here");
    let back = ask(&mut session, &json!({ "do": "go", "step": 0 })).unwrap();
    assert_eq!((&back["step"], &back["steps"]), (&json!(0), &json!(1)));
    let on = ask(&mut session, &json!({ "do": "go", "step": 1 })).unwrap();
    assert_eq!(on["fluents"], state["fluents"]);
    let line = json!([
        ["(place 1 1)", "noop"],
        ["noop", "(place 2 1)"],
        ["(place 1 2)", "noop"],
        ["noop", "(place 2 2)"],
        ["(place 1 3)", "noop"]
    ]);
    let end = ask(&mut session, &json!({ "do": "replay", "moves": line })).unwrap();
    assert_eq!((&end["terminal"], &end["goals"]), (&json!(true), &json!([[100], [0]])));
    assert!(ask(&mut session, &json!({ "do": "replay", "moves": [["(place 9 9)", "noop"]] })).is_err());
}

#[test]
fn playouts_and_thoughts_come_in_slices() {
    let (mut session, _) = compiled(TIC_TAC_TOE);
    ask(&mut session, &json!({ "do": "run", "seed": 1, "maxSteps": 100 })).unwrap();
    let first = ask(&mut session, &json!({ "do": "run-slice", "millis": 5 })).unwrap();
    let second = ask(&mut session, &json!({ "do": "run-slice", "millis": 5 })).unwrap();
    assert!(second["playouts"].as_u64() > first["playouts"].as_u64());
    assert!((40.0..90.0).contains(&second["goals"][0]["mean"].as_f64().unwrap()));
    ask(&mut session, &json!({ "do": "think", "role": 0, "player": "mcts", "seed": 1 })).unwrap();
    let mut thought = Value::Null;
    // Tic-tac-toe is a draw, and the search proves it sooner or later.
    for _ in 0..2000 {
        thought = ask(&mut session, &json!({ "do": "think-slice", "millis": 20 })).unwrap();
        if thought["thoughts"]["known"] == true {
            break;
        }
    }
    assert_eq!(thought["thoughts"]["proved"], json!([50.0, 50.0]));
    assert_eq!(thought["thoughts"]["moves"].as_array().unwrap().len(), 9);
    ask(&mut session, &json!({ "do": "think", "role": 0, "player": "random" })).unwrap();
    assert!(ask(&mut session, &json!({ "do": "think-slice", "millis": 1 })).unwrap()["move"].is_string());
    assert!(ask(&mut session, &json!({ "do": "think", "role": 7, "player": "mcts" })).is_err());
    assert!(ask(&mut session, &json!({ "do": "think", "role": 0, "player": "oracle" })).is_err());
}

/// Five lamps in a row; a switch lights its own.
const LAMPS: &str = "(role you) (lamp 1) (lamp 2) (lamp 3) (lamp 4) (lamp 5)
    (<= (legal you (light ?l)) (lamp ?l) (not (true (lit ?l)))) (<= (next (lit ?l)) (does you (light ?l)))
    (<= (next (lit ?l)) (true (lit ?l))) (<= dark (lamp ?l) (not (true (lit ?l))))
    (<= terminal (not dark)) (<= (goal you 100) (not dark)) (<= (goal you 0) dark)";

#[test]
fn the_line_of_a_puzzle_is_thought_of() {
    let (mut session, _) = compiled(LAMPS);
    ask(&mut session, &json!({ "do": "think", "role": 0, "player": "mcts", "seed": 1 })).unwrap();
    let mut thought = Value::Null;
    for _ in 0..500 {
        thought = ask(&mut session, &json!({ "do": "think-slice", "millis": 20 })).unwrap();
        if thought["thoughts"]["known"] == true {
            break;
        }
    }
    let thoughts = &thought["thoughts"];
    assert_eq!(thoughts["found"], json!({ "goal": 100, "moves": 5, "best": true }), "{thoughts}");
    assert_eq!((&thoughts["value"], &thoughts["plies"]), (&json!(100.0), &json!(5)));
    assert_eq!(thoughts["line"][0][1], thought["move"]);
}

#[test]
fn reasons_are_given_for_what_holds_and_for_what_does_not() {
    let (mut session, _) = compiled(TIC_TAC_TOE);
    ask(&mut session, &json!({ "do": "advance", "moves": ["(place 2 2)", null] })).unwrap();
    let why =
        |session: &mut Session, atom: &str| ask(session, &json!({ "do": "why", "atom": atom })).unwrap();
    let legal = why(&mut session, "(legal nought (place 1 1))");
    assert_eq!(legal["holds"], true);
    assert!(legal["proof"].to_string().contains("(true (cell 1 1 empty))"), "{legal}");
    let taken = why(&mut session, "(legal nought (place 2 2))");
    assert_eq!(taken["holds"], false);
    assert!(taken["proof"].to_string().contains("(true (cell 2 2 empty))"), "{taken}");
    assert!(why(&mut session, "(legal nought (place 9 9))")["text"].as_str().unwrap().len() > 10);
    let verified = ask(&mut session, &json!({ "do": "verify", "states": 100000 })).unwrap();
    assert_eq!(verified["verdicts"][0]["outcome"], "holds");
    let rules = ask(&mut session, &json!({ "do": "ground", "search": "terminal" })).unwrap();
    assert!(rules["found"].as_u64().unwrap() > 0);
    let network = ask(&mut session, &json!({ "do": "network", "atom": "terminal", "most": 30 })).unwrap();
    assert!(network["svg"].as_str().unwrap().starts_with("<svg"));
    let graph = ask(&mut session, &json!({ "do": "dependencies" })).unwrap();
    assert!(graph["edges"].as_array().unwrap().len() > 3);
    assert!(
        ask(&mut session, &json!({ "do": "atoms", "search": "legal" })).unwrap()["found"].as_u64().unwrap()
            > 9
    );
}

#[test]
fn long_tasks_tell_how_far_they_are() {
    let told = Arc::new(Mutex::new(Vec::<Value>::new()));
    let heard = Arc::clone(&told);
    let listener = Listener::new(move |text| heard.lock().unwrap().push(serde_json::from_str(text).unwrap()));
    let mut session = Session::new(Cancel::new(), listener);
    ask(&mut session, &json!({ "do": "open", "text": TIC_TAC_TOE })).unwrap();
    ask(&mut session, &json!({ "do": "compile" })).unwrap();
    let proved = ask(&mut session, &json!({ "id": 7, "do": "prove", "seconds": 60 })).unwrap();
    let outcome =
        |verdict: &Value| (verdict["property"].as_str().unwrap().to_owned(), verdict["outcome"].clone());
    let outcomes: Vec<(String, Value)> = proved["verdicts"].as_array().unwrap().iter().map(outcome).collect();
    assert_eq!(outcomes[0], ("well-formedness".to_owned(), json!("holds")), "{proved}");
    assert_eq!(outcomes[5], ("monotonicity".to_owned(), json!("fails")), "{proved}");
    let heard = std::mem::take(&mut *told.lock().unwrap());
    assert!(heard.iter().all(|message| message["id"] == 7), "{heard:?}");
    let verdicts: Vec<_> =
        heard.iter().filter(|message| message["progress"]["verdict"].is_object()).collect();
    assert_eq!(verdicts.len(), 5, "every verdict is told once");
    ask(&mut session, &json!({ "id": 8, "do": "verify", "states": 100_000 })).unwrap();
    let heard = told.lock().unwrap();
    assert!(
        heard.iter().any(|message| message["id"] == 8 && message["progress"]["states"].is_u64()),
        "{heard:?}"
    );
}

#[test]
fn a_proof_that_is_cancelled_leaves_its_questions_open() {
    let cancel = Cancel::new();
    let mut session = Session::new(cancel.clone(), Listener::default());
    ask(&mut session, &json!({ "do": "open", "text": TIC_TAC_TOE })).unwrap();
    ask(&mut session, &json!({ "do": "compile" })).unwrap();
    cancel.cancel();
    let proved = ask(&mut session, &json!({ "do": "prove", "seconds": 60 })).unwrap();
    assert_eq!(proved["verdicts"][0]["outcome"], "open", "{proved}");
}

#[test]
fn whatever_is_sent_gets_an_answer() {
    let mut session = Session::default();
    for question in [
        "",
        "{}",
        "[1]",
        "{\"do\":\"state\"}",
        "{\"do\":\"run-slice\",\"millis\":1}",
        "{\"do\":\"fly\"}",
        "\u{0}",
    ] {
        let answer: Value = serde_json::from_str(&session.ask(question)).expect("an answer is JSON");
        assert!(answer["error"].is_string(), "{question}: {answer}");
    }
    // A million parentheses.
    for text in ["(".repeat(1_000_000), ")".repeat(1_000_000), "(role ".repeat(300_000)] {
        let report = ask(&mut session, &json!({ "do": "open", "text": text })).unwrap();
        assert_eq!(report["playable"], false);
        assert!(ask(&mut session, &json!({ "do": "compile" })).is_err());
    }
    assert!(ask(&mut session, &json!({ "do": "open", "text": " ".repeat(9 << 20) })).is_err());
}
