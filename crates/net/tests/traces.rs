//! Networks replay the public traces before they are simplified and after. Only games with few rules are played, since
//! networks are evaluated as a whole here; the engines' own tests play the others.

use std::convert::Infallible;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use groundrules_gdl::trace::{Match, Outcome, matches, replay};
use groundrules_gdl::{Options as ReadOptions, read};
use groundrules_ground::{GroundGame, Limits, Options as GroundOptions, ground};
use groundrules_net::{Literal, Network, Options, holds, simplify};
use groundrules_oracle::{Plays, skip};

/// A network that plays.
struct Player<'g> {
    game: &'g GroundGame,
    network: Network,
}

impl Player<'_> {
    fn holding(&self, literals: &[Literal], state: &[usize], joint: &[usize]) -> Vec<usize> {
        let values = self.network.evaluate(|fluent| state.contains(&fluent), |made| joint.contains(&made));
        (0..literals.len()).filter(|&index| holds(literals[index], &values)).collect()
    }

    fn text(&self, made: usize) -> String {
        self.game.term(self.game.moves[made].1)
    }
}

impl Plays for Player<'_> {
    type State = Vec<usize>;
    type Error = Infallible;

    fn roles(&mut self) -> Result<Vec<String>, Infallible> {
        Ok(self.game.roles.iter().map(|&role| self.game.term(role)).collect())
    }

    fn initial_state(&mut self) -> Result<Vec<usize>, Infallible> {
        Ok((0..self.network.fluents()).filter(|&fluent| self.network.init[fluent]).collect())
    }

    fn fluents(&mut self, state: &Vec<usize>) -> Result<Vec<String>, Infallible> {
        Ok(state.iter().map(|&fluent| self.game.term(self.game.fluents[fluent])).collect())
    }

    fn is_terminal(&mut self, state: &Vec<usize>) -> Result<bool, Infallible> {
        Ok(!self.holding(&[self.network.outputs.terminal], state, &[]).is_empty())
    }

    fn legal(&mut self, state: &Vec<usize>) -> Result<Vec<Vec<String>>, Infallible> {
        let mut lists = vec![Vec::new(); self.game.roles.len()];
        for made in self.holding(&self.network.outputs.legal, state, &[]) {
            lists[self.game.moves[made].0].push(self.text(made));
        }
        Ok(lists)
    }

    fn goals(&mut self, state: &Vec<usize>) -> Result<Vec<Vec<String>>, Infallible> {
        let goals = &self.network.outputs.goals;
        let literals: Vec<Literal> = goals.iter().map(|goal| goal.literal).collect();
        let mut lists = vec![Vec::new(); self.game.roles.len()];
        for goal in self.holding(&literals, state, &[]) {
            lists[goals[goal].role].push(goals[goal].value.to_string());
        }
        Ok(lists)
    }

    fn next_state(&mut self, state: &Vec<usize>, joint: &[String]) -> Result<Vec<usize>, Infallible> {
        let is_made = |made: &usize| joint[self.game.moves[*made].0].eq_ignore_ascii_case(&self.text(*made));
        let made: Vec<usize> = (0..self.game.moves.len()).filter(is_made).collect();
        Ok(self.holding(&self.network.outputs.next, state, &made))
    }
}

fn shared() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared")
}

/// A ground game with few rules.
fn small(name: &str) -> Option<GroundGame> {
    let text = fs::read(shared().join("games").join(format!("{name}.kif"))).ok()?;
    let game = read(&text, &ReadOptions::default()).game?;
    let mut limits = Limits::default();
    (limits.rules, limits.atoms, limits.tries) = (1_500, 5_000, 1_000_000);
    ground(&game, &GroundOptions { limits, ..GroundOptions::default() }).ok()
}

#[test]
fn traces_before_and_after() {
    let folder = shared().join("traces");
    let Ok(entries) = fs::read_dir(&folder) else {
        return skip(format_args!("there are no traces in {}", folder.display()));
    };
    let mut played = 0;
    for path in entries.map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_string_lossy().replace(".jsonl.gz", "");
        let Some(game) = small(&name) else { continue };
        let Some(Ok(recorded)): Option<Result<Match, _>> = matches(File::open(&path).unwrap()).next() else {
            continue;
        };
        let written = Network::of(&game).unwrap();
        let small = simplify(&written, &Options::default()).0;
        for (how, network) in [("before", written), ("after", small)] {
            let outcome = replay(&mut Player { game: &game, network }, &recorded).outcome;
            assert_eq!(outcome, Outcome::Same, "{name} {how}");
        }
        played += 1;
    }
    println!("{played} games");
    assert!(played >= 50, "only {played} games are small enough");
}
