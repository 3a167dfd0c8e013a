//! The report of a tournament: one HTML page that needs nothing else, and its pictures as files.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result};
use groundrules_host::tournament::{Finished, Row, Tournament};

use super::svg;
use super::svg::escaped;
use crate::output;

/// Writes what was asked for.
pub(super) fn write(
    tournament: &Tournament,
    title: &str,
    html: Option<&Path>,
    plots: Option<&Path>,
) -> Result<()> {
    if let Some(path) = html {
        output::write_file(path, page(tournament, title).as_bytes())?;
    }
    if let Some(folder) = plots {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        output::write_file(&folder.join("ratings.svg"), svg::ratings(tournament).as_bytes())?;
        output::write_file(&folder.join("cross-table.svg"), svg::cross_table(tournament).as_bytes())?;
    }
    Ok(())
}

const STYLE: &str = "\
body { font-family: sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
table { border-collapse: collapse } th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid #ddd }
th:first-child, td:first-child, td.words, th.words { text-align: left } svg { max-width: 100%; height: auto }
.given-up { color: #b00 }";

fn page(tournament: &Tournament, title: &str) -> String {
    let title = escaped(title);
    let (done, all) = (tournament.finished().len(), tournament.matches());
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{title}</title>\n\
         <style>\n{STYLE}\n</style></head>\n<body>\n<h1>{title}</h1>\n<p>{done} of {all} matches.</p>\n"
    );
    page += &table(&tournament.table());
    page += "<p>Ratings are those of the Bradley–Terry model on the scale of Elo; ± holds 95 % of the time.</p>\n";
    page += &svg::ratings(tournament);
    page += &svg::cross_table(tournament);
    page += &matches(tournament);
    page + "</body>\n</html>\n"
}

fn table(rows: &[Row]) -> String {
    let mut text = String::from("<table>\n<tr>");
    for heading in ["player", "rating", "±", "matches", "wins", "draws", "mean goal", "errors"] {
        let _ = write!(text, "<th>{heading}</th>");
    }
    text += "</tr>\n";
    for Row { player, matches, wins, draws, mean_goal, errors, rating, interval } in rows {
        let _ = writeln!(
            text,
            "<tr><td>{}</td><td>{rating:.0}</td><td>{interval:.0}</td><td>{matches}</td><td>{wins}</td>\
             <td>{draws}</td><td>{mean_goal:.1}</td><td>{errors}</td></tr>",
            escaped(player)
        );
    }
    text + "</table>\n"
}

/// The matches in the order in which they ended.
fn matches(tournament: &Tournament) -> String {
    let names: Vec<&str> = tournament.players().collect();
    let mut text = String::from(
        "<h2>Matches</h2>\n<table>\n<tr><th>game</th><th class=\"words\">players and goals</th><th>moves</th></tr>\n",
    );
    for finished in tournament.finished() {
        let game = tournament.game(&finished.key).unwrap_or(&finished.key);
        let _ = writeln!(
            text,
            "<tr><td>{}</td><td class=\"words\">{}</td><td>{}</td></tr>",
            escaped(game),
            seats(finished, &names),
            finished.steps
        );
    }
    text + "</table>\n"
}

fn seats(finished: &Finished, names: &[&str]) -> String {
    let name = |player: &usize| escaped(names.get(*player).copied().unwrap_or("?"));
    if let Some(why) = &finished.aborted {
        let players: Vec<String> = finished.players.iter().map(name).collect();
        return format!("{} <span class=\"given-up\">given up: {}</span>", players.join(", "), escaped(why));
    }
    let seat = |(player, goal): (&usize, &i32)| format!("{} {goal}", name(player));
    finished.players.iter().zip(&finished.goals).map(seat).collect::<Vec<_>>().join(", ")
}
