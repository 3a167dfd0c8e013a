//! Clicking plays every legal move: in public games, from states along random matches, each legal move is reached by clicks on the
//! cells that it names, by a choice where clicks leave several, or by its button if it names no cell.

use std::fs;
use std::path::Path;

use groundrules_studio::Session;
use serde_json::{Value, json};

/// How many games, and how many states of each.
const GAMES: usize = 60;
const STATES: usize = 5;

/// The largest description that is tried here, in bytes: the others take long to compile.
const LARGEST: u64 = 12_000;

fn ask(session: &mut Session, question: &Value) -> Result<Value, String> {
    let answer: Value = serde_json::from_str(&session.ask(&question.to_string())).expect("an answer is JSON");
    match answer.get("error").and_then(Value::as_str) {
        Some(error) => Err(error.to_owned()),
        None => Ok(answer["answer"].clone()),
    }
}

/// How a move is reached.
#[derive(Debug, PartialEq, Eq)]
enum Reached {
    Clicks,
    Choice,
    Button,
}

/// Clicks as a person would, on the first of the cells that will do.
fn reach(session: &mut Session, role: usize, made: &Value, pick: usize) -> Reached {
    let clicks = made["clicks"].as_array().expect("clicks");
    if clicks.is_empty() {
        return Reached::Button;
    }
    let mut cells: Vec<Value> = Vec::new();
    for (number, click) in clicks.iter().enumerate() {
        let alternatives = click.as_array().expect("cells");
        cells.push(alternatives[pick % alternatives.len()].clone());
        let found = ask(session, &json!({ "do": "click", "role": role, "cells": cells })).expect("a click");
        let lists = |key: &str| found[key].as_array().is_some_and(|moves| moves.contains(&made["text"]));
        match found["outcome"].as_str() {
            Some("move") if found["move"] == made["text"] => return Reached::Clicks,
            Some("choose") if lists("moves") => return Reached::Choice,
            Some("more") if number + 1 == clicks.len() && lists("complete") => return Reached::Choice,
            Some("more") if number + 1 < clicks.len() => {
                assert_eq!(found["clicked"], json!(cells), "{made}: earlier clicks were forgotten");
            }
            _ => panic!("{made}: clicks {cells:?} came to {found}"),
        }
    }
    panic!("{made} needs more than its clicks");
}

#[test]
fn clicking_plays_every_legal_move() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/games");
    let Ok(entries) = fs::read_dir(&folder) else {
        return groundrules_oracle::skip("the public games are not there");
    };
    let mut files: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| {
        let is_small = fs::metadata(file).is_ok_and(|about| about.len() <= LARGEST);
        is_small && file.extension().is_some_and(|extension| extension == "kif")
    });
    files.sort();
    // Spread over the collection, so that families of alike games do not fill the test.
    let step = (files.len() / GAMES).max(1);
    let (mut games, mut by_clicks, mut by_choice, mut by_button) = (0, 0, 0, 0);
    for file in files.iter().step_by(step) {
        let text = String::from_utf8_lossy(&fs::read(file).expect("a description")).into_owned();
        let mut session = Session::default();
        ask(&mut session, &json!({ "do": "open", "text": text })).expect("a report");
        let Ok(mut state) =
            ask(&mut session, &json!({ "do": "compile" })).map(|compiled| compiled["state"].clone())
        else {
            continue;
        };
        games += 1;
        for number in 0..STATES {
            let legal = state["legal"].as_array().expect("roles").clone();
            let mut joint = Vec::new();
            for (role, moves) in legal.iter().enumerate() {
                let moves = moves.as_array().expect("moves");
                for made in moves.iter().take(60) {
                    match reach(&mut session, role, made, number) {
                        Reached::Clicks => by_clicks += 1,
                        Reached::Choice => by_choice += 1,
                        Reached::Button => by_button += 1,
                    }
                }
                joint.push(
                    moves
                        .get((7 * number + 3) % moves.len().max(1))
                        .map_or(Value::Null, |made| made["text"].clone()),
                );
            }
            if state["terminal"] == true || joint.contains(&Value::Null) {
                break;
            }
            let Ok(next) = ask(&mut session, &json!({ "do": "advance", "moves": joint })) else { break };
            state = next;
        }
    }
    println!("{games} games: {by_clicks} moves by clicks, {by_choice} by a choice, {by_button} by a button");
    assert!(games >= 50, "only {games} games were tried");
    assert!(by_clicks > 1000, "{by_clicks} moves by clicks");
}
