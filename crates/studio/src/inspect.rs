//! A look inside: ground rules, values of atoms, the network as a picture.

use groundrules_machine::engines::Engine;
use groundrules_net::picture::Picture;
use serde_json::{Value, json};

use crate::limits::MOST_SHOWN;
use crate::session::{Answer, sentence};
use crate::table::Table;

/// The largest network that is drawn whole, in gates.
const MOST_GATES: usize = 60_000;

fn is_there(table: &Table) -> Result<(), String> {
    match table.compiled.decision() {
        decision if decision.engine == Engine::Tree => {
            Err(format!("the rules are interpreted, so there is no ground game: {}", decision.why))
        }
        _ => Ok(()),
    }
}

/// Whether a text has all of some words, in any letter case.
fn has_all(text: &str, words: &[String]) -> bool {
    let text = text.to_lowercase();
    words.iter().all(|word| text.contains(word))
}

fn words(search: &str) -> Vec<String> {
    search.split_whitespace().map(str::to_lowercase).collect()
}

/// Ground rules whose text has some words.
pub(crate) fn ground(table: &Table, search: &str) -> Answer {
    is_there(table)?;
    let ground = table.compiled.ground().map_err(sentence)?;
    let words = words(search);
    let (mut shown, mut found) = (Vec::new(), 0_usize);
    for (head, body) in ground.rules() {
        let text = ground.rule_kif(head, body);
        if has_all(&text, &words) {
            found += 1;
            if shown.len() < MOST_SHOWN {
                shown.push(text);
            }
        }
    }
    Ok(json!({ "rules": shown, "found": found, "all": ground.rules().len() }))
}

/// What holds now, and which moves are legal: atoms whose text has some words.
pub(crate) fn atoms(table: &mut Table, search: &str) -> Answer {
    let words = words(search);
    let mut atoms: Vec<(String, bool)> = Vec::new();
    let fluents = table.machine.fluents();
    let roles: Vec<String> = table.machine.roles().iter().cloned().collect();
    let mut legal: Vec<Vec<String>> = Vec::new();
    for role in 0..roles.len() {
        legal.push(table.legal(role)?);
    }
    if let Ok(ground) = is_there(table).and_then(|()| table.compiled.ground().map_err(sentence)) {
        for &(role, term) in &ground.moves {
            let text = ground.term(term);
            let is_legal = legal[role].contains(&text);
            atoms.push((format!("(legal {} {text})", roles[role]), is_legal));
        }
        for &fluent in &ground.fluents {
            let text = ground.term(fluent);
            let holds = fluents.binary_search(&text).is_ok();
            atoms.push((format!("(true {text})"), holds));
        }
    } else {
        let moves = roles
            .iter()
            .zip(&legal)
            .flat_map(|(role, moves)| moves.iter().map(move |text| format!("(legal {role} {text})")));
        atoms.extend(moves.map(|text| (text, true)));
        atoms.extend(fluents.iter().map(|fluent| (format!("(true {fluent})"), true)));
    }
    for (role, name) in roles.iter().enumerate() {
        let goals = table.machine.goals(role).map_err(sentence)?.to_vec();
        atoms.extend(goals.into_iter().map(|goal| (format!("(goal {name} {goal})"), true)));
    }
    atoms.push(("terminal".to_owned(), table.machine.is_terminal().map_err(sentence)?));
    atoms.retain(|(text, _)| has_all(text, &words));
    // What holds first, else as they are numbered.
    atoms.sort_by_key(|(_, holds)| !holds);
    let found = atoms.len();
    atoms.truncate(MOST_SHOWN);
    Ok(
        json!({ "found": found, "atoms": atoms.iter().map(|(text, holds)| json!([text, holds])).collect::<Vec<Value>>() }),
    )
}

/// The network around an atom.
pub(crate) fn network(table: &Table, atom: Option<&str>, most: usize) -> Answer {
    is_there(table)?;
    let (ground, network) =
        (table.compiled.ground().map_err(sentence)?, table.compiled.network().map_err(sentence)?);
    if network.gate_count() > MOST_GATES {
        return Err(format!(
            "the network has {} gates, and pictures are drawn up to {MOST_GATES}",
            network.gate_count()
        ));
    }
    let picture = Picture::of("network", &ground, &network);
    let all = picture.len();
    let most = most.clamp(1, MOST_SHOWN);
    let part = match atom.map(str::trim).filter(|atom| !atom.is_empty()) {
        Some(atom) => picture.around(atom, most).ok_or_else(|| {
            format!("{atom} is not in the network: what is constant, or just stays, is left out")
        })?,
        None if all <= most => picture,
        None => return Ok(json!({ "svg": null, "nodes": all, "gates": network.gate_count() })),
    };
    Ok(json!({ "svg": part.svg(), "nodes": all, "shown": part.len(), "gates": network.gate_count() }))
}
