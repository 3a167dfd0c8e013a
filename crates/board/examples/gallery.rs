//! Draws a state of each game that is given by a description and its recorded matches, as text on standard output and as SVG
//! in a folder: `gallery FOLDER GAMES TRACES [NAME…]`.

use std::error::Error;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use groundrules_board::{Last, Layout, TextStyle};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [folder, games, traces, names @ ..] = &words[..] else {
        return Err("usage: gallery FOLDER GAMES TRACES [NAME…]".into());
    };
    fs::create_dir_all(folder)?;
    let mut paths: Vec<PathBuf> = fs::read_dir(games)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "kif"));
    paths.sort();
    for path in paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if names.is_empty() || names.contains(&name) {
            draw(&name, &path, Path::new(folder), Path::new(traces))?;
        }
    }
    Ok(())
}

fn draw(name: &str, path: &Path, folder: &Path, traces: &Path) -> Result<(), Box<dyn Error>> {
    let options = groundrules_gdl::Options { lenient: true, ..Default::default() };
    let Some(game) = groundrules_gdl::read(&fs::read(path)?, &options).game else {
        println!("== {name}: not GDL");
        return Ok(());
    };
    let layout = Layout::of_game(&game);
    let Some((before, moves, state)) = state(&traces.join(format!("{name}.jsonl.gz")))? else {
        println!("== {name}: no trace");
        return Ok(());
    };
    let last = Last { moves: &moves, before: &before };
    let picture = layout.picture(&state, Some(last));
    let style = TextStyle { most_listed: Some(12), ..TextStyle::default() };
    println!("== {name}  {moves:?}\n{}", picture.text(&style));
    fs::write(folder.join(format!("{name}.svg")), picture.svg())?;
    Ok(())
}

/// The fluents before a move in the middle of the first match, the move, and the fluents after it.
#[allow(clippy::type_complexity)]
fn state(path: &Path) -> Result<Option<(Vec<String>, Vec<String>, Vec<String>)>, Box<dyn Error>> {
    let Ok(file) = fs::File::open(path) else { return Ok(None) };
    let mut line = String::new();
    BufReader::new(flate2::read::GzDecoder::new(file)).read_line(&mut line)?;
    let trace: serde_json::Value = serde_json::from_str(&line)?;
    let Some(steps) = trace["steps"].as_array() else { return Ok(None) };
    let texts = |value: &serde_json::Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(|text| Some(text.as_str()?.to_owned())).collect()
    };
    let at = (steps.len() * 2 / 3).min(steps.len().saturating_sub(2));
    Ok(match (steps.get(at), steps.get(at + 1)) {
        (Some(before), Some(after)) => {
            Some((texts(&before["state"]), texts(&before["joint"]), texts(&after["state"])))
        }
        (Some(only), None) => Some((Vec::new(), Vec::new(), texts(&only["state"]))),
        _ => None,
    })
}
