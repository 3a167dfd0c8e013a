//! A match as a page: every state as a picture, with the moves that led to it. The page is one file and needs nothing else;
//! arrow keys go through the match.

use std::fmt::Write;

use anyhow::{Result, bail};
use groundrules::board::{Last, fluents_of};
use groundrules_gdl::{Options, read};
use groundrules_host::manager::Record;

use crate::show::Show;

/// The page of a match.
pub(super) fn page(record: &Record) -> Result<String> {
    let first = record.first();
    let options = Options { lenient: true, ..Options::default() };
    let Some(game) = read(first.resume.rules.as_bytes(), &options).game else {
        bail!("the rules in the match file are not GDL");
    };
    let show = Show::of(&game);
    let public = record.public();
    let states: Vec<Vec<String>> = public["states"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|state| Some(fluents_of(state.as_str()?)))
        .collect();
    let moves = record.moves();
    let mut body = String::new();
    for (number, state) in states.iter().enumerate() {
        let made = number.checked_sub(1).and_then(|before| Some((moves.get(before)?, states.get(before)?)));
        let last = made.map(|(moves, before)| Last { moves, before });
        let caption = match made {
            None => "The initial state".to_owned(),
            Some((moves, _)) => {
                let said =
                    first.game_role_names.iter().zip(moves).map(|(role, made)| format!("{role} {made}"));
                format!("Step {number}: {}", said.collect::<Vec<_>>().join(", "))
            }
        };
        let hidden = if number == 0 { "" } else { " hidden" };
        let _ = writeln!(
            body,
            "<figure{hidden}>\n<figcaption>{}</figcaption>\n{}</figure>",
            escape(&caption),
            show.svg(state, last)
        );
    }
    let players = first.game_role_names.iter().zip(&first.player_names_from_host);
    let mut lines: Vec<String> = players.map(|(role, player)| format!("{role}: {player}")).collect();
    if let Some(goals) = public["goalValues"].as_array() {
        for (line, goal) in lines.iter_mut().zip(goals) {
            let _ = write!(line, ", goal {goal}");
        }
    }
    Ok(document(&format!("{} ({})", first.game_name, first.match_id), &lines, &body))
}

fn document(title: &str, lines: &[String], body: &str) -> String {
    let items: String = lines.iter().map(|line| format!("<li>{}</li>", escape(line))).collect();
    let title = escape(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n<style>\n\
         body {{ font-family: system-ui, sans-serif; margin: 2rem auto; max-width: 64rem; padding: 0 1rem; background: #fff; color: #24292f }}\n\
         ul {{ list-style: none; padding: 0 }}\nfigure {{ margin: 1rem 0 }}\nfigcaption {{ margin-bottom: .5rem; font-weight: 600 }}\n\
         svg {{ max-width: 100%; height: auto }}\nbutton {{ font: inherit; padding: .3rem .9rem }}\n\
         @media (prefers-color-scheme: dark) {{ body {{ background: #0d1117; color: #e6edf3 }} }}\n</style>\n</head>\n<body>\n\
         <h1>{title}</h1>\n<ul>{items}</ul>\n\
         <p><button id=\"back\" aria-label=\"the state before\">←</button> <button id=\"on\" aria-label=\"the next state\">→</button> \
         <span id=\"at\"></span></p>\n{body}\
         <script>\n\
         const states = [...document.querySelectorAll('figure')]; let at = 0;\n\
         function show(n) {{ at = Math.max(0, Math.min(states.length - 1, n)); states.forEach((s, i) => s.hidden = i !== at);\n\
           document.getElementById('at').textContent = at + ' of ' + (states.length - 1); }}\n\
         document.getElementById('back').onclick = () => show(at - 1); document.getElementById('on').onclick = () => show(at + 1);\n\
         document.addEventListener('keydown', e => {{ const step = {{ ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: states.length - 1 }}[e.key];\n\
           if (step !== undefined) {{ show(step); e.preventDefault(); }} }});\n\
         show(0);\n</script>\n</body>\n</html>\n"
    )
}

/// A text as HTML has it.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
