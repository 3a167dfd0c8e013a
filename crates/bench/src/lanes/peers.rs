//! Figures of other programs, which were measured elsewhere: a small file with a line for each.

use std::path::Path;

use anyhow::{Context, Result, anyhow};
use serde::{Serialize, Serializer};

use crate::run::measure::Played;

/// What a program does so often a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Unit {
    States,
    Playouts,
}

impl Unit {
    /// The same of what was measured here.
    pub(super) fn of(self, played: &Played) -> f64 {
        match self {
            Unit::States => played.states_per_second(),
            Unit::Playouts => played.playouts_per_second(),
        }
    }
}

/// A figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Figure {
    pub(super) game: String,
    pub(super) program: String,
    pub(super) unit: Unit,
    pub(super) per_second: f64,
}

/// All the figures.
#[derive(Default)]
pub(super) struct Peers {
    figures: Vec<Figure>,
}

impl Serialize for Peers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.figures.serialize(serializer)
    }
}

impl Peers {
    /// Reads a file.
    pub(super) fn read(path: &Path) -> Result<Peers> {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        Peers::parse(&text).with_context(|| format!("{} is no file of figures", path.display()))
    }

    fn parse(text: &str) -> Result<Peers> {
        let lines = text.lines().map(str::trim).enumerate();
        let figures =
            lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).map(|(at, line)| {
                figure(line).ok_or_else(|| {
                    anyhow!("line {} is not GAME,PROGRAM,UNIT,FIGURE with states or playouts as UNIT", at + 1)
                })
            });
        Ok(Peers { figures: figures.collect::<Result<_>>()? })
    }

    /// The programs, in the order of the file.
    pub(super) fn programs(&self) -> Vec<&str> {
        let mut programs: Vec<&str> = Vec::new();
        for figure in &self.figures {
            if !programs.contains(&figure.program.as_str()) {
                programs.push(&figure.program);
            }
        }
        programs
    }

    /// A program's best figure for a game.
    pub(super) fn figure(&self, game: &str, program: &str) -> Option<&Figure> {
        let own = self.figures.iter().filter(|figure| figure.game == game && figure.program == program);
        own.max_by(|a, b| a.per_second.total_cmp(&b.per_second))
    }
}

fn figure(line: &str) -> Option<Figure> {
    let [game, program, unit, per_second] = line.split(',').map(str::trim).collect::<Vec<_>>()[..] else {
        return None;
    };
    let unit = match unit {
        "states" => Unit::States,
        "playouts" => Unit::Playouts,
        _ => return None,
    };
    let per_second = per_second.parse().ok().filter(|figure: &f64| figure.is_finite() && *figure > 0.0)?;
    Some(Figure { game: game.to_owned(), program: program.to_owned(), unit, per_second })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_and_the_best_counts() {
        let text = "# by hand\n\nhex,A,states,100\nhex, B ,playouts,2e3\nhex,B,playouts,5e3\n";
        let peers = Peers::parse(text).unwrap();
        assert_eq!(peers.programs(), ["A", "B"]);
        let best = peers.figure("hex", "B").unwrap();
        assert_eq!((best.unit, best.per_second), (Unit::Playouts, 5000.0));
        assert!(peers.figure("chess", "A").is_none());
    }

    #[test]
    fn what_is_no_figure_is_named_by_its_line() {
        for bad in ["hex,A,moves,1", "hex,A,states", "hex,A,states,-1", "hex,A,states,x", "hex,A,states,1,2"]
        {
            let error = Peers::parse(&format!("hex,A,states,1\n{bad}\n")).err().unwrap();
            assert!(error.to_string().starts_with("line 2 "), "{error}");
        }
    }
}
