//! Recorded matches and their replay. A trace is what another program saw in a match; the replay drives an
//! engine by the recorded joint moves from the engine's own first state and compares what it sees, step by
//! step. What is compared: the fluents of every state, whether it is terminal, the legal moves where it is
//! not and the goal values where it is. The file format is one JSON object a line, one match each, the file
//! packed with gzip.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::{self, BufRead, BufReader, Read};

use flate2::read::MultiGzDecoder;
use serde::Deserialize;

use crate::plays::Plays;

/// A recorded match.
#[derive(Clone, Debug, Deserialize)]
pub struct Match {
    /// The name of the game.
    pub game: String,
    /// The roles in the order of the joint moves.
    pub roles: Vec<String>,
    /// What was seen.
    pub steps: Vec<Step>,
    /// How the match ended, in the recorder's words.
    pub end: String,
}

/// One state of a recorded match.
#[derive(Clone, Debug, Deserialize)]
pub struct Step {
    /// The fluents that hold.
    pub state: Vec<String>,
    /// The legal moves of each role.
    pub legal: BTreeMap<String, Vec<String>>,
    /// Whether the state is terminal.
    pub terminal: bool,
    /// The goal values of each role.
    pub goals: BTreeMap<String, Vec<GoalValue>>,
    /// The moves made, in the order of the roles; none in the last state.
    pub joint: Option<Vec<String>>,
}

/// A goal value; recorders write them as numbers or as strings.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum GoalValue {
    /// As a number.
    Number(i64),
    /// As a string.
    Text(String),
}

impl fmt::Display for GoalValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GoalValue::Number(value) => write!(f, "{value}"),
            GoalValue::Text(value) => f.write_str(value),
        }
    }
}

/// Reads a packed trace, match by match.
pub fn matches(packed: impl Read) -> impl Iterator<Item = io::Result<Match>> {
    let lines = BufReader::new(MultiGzDecoder::new(packed)).lines();
    lines.map(|line| serde_json::from_str(&line?).map_err(io::Error::other))
}

/// What came of a replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay<E> {
    /// How many states were compared without a difference.
    pub states: usize,
    /// Why it ended.
    pub outcome: Outcome<E>,
}

/// Why a replay ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome<E> {
    /// The whole match was compared, and is the same.
    Same,
    /// The first difference, in words.
    Differs(String),
    /// The engine had no answer.
    Stopped(E),
}

/// Replays a recorded match and says what the first difference is.
pub fn replay<P: Plays>(engine: &mut P, recorded: &Match) -> Replay<P::Error> {
    let mut states = 0;
    let outcome = match compare(engine, recorded, &mut states) {
        Ok(()) => Outcome::Same,
        Err(Halt::Difference(words)) => Outcome::Differs(words),
        Err(Halt::Engine(error)) => Outcome::Stopped(error),
    };
    Replay { states, outcome }
}

enum Halt<E> {
    Difference(String),
    Engine(E),
}

impl<E> From<E> for Halt<E> {
    fn from(error: E) -> Self {
        Halt::Engine(error)
    }
}

fn compare<P: Plays>(engine: &mut P, recorded: &Match, states: &mut usize) -> Result<(), Halt<P::Error>> {
    let roles = engine.roles()?;
    same_list("the roles", &roles, &recorded.roles)?;
    let mut state = engine.initial_state()?;
    for (number, step) in recorded.steps.iter().enumerate() {
        compare_state(engine, &state, step, &recorded.roles).map_err(|halt| match halt {
            Halt::Difference(words) => Halt::Difference(format!("state {number}: {words}")),
            other => other,
        })?;
        *states += 1;
        let Some(joint) = &step.joint else { break };
        if number + 1 < recorded.steps.len() {
            state = engine.next_state(&state, joint)?;
        }
    }
    Ok(())
}

fn compare_state<P: Plays>(
    engine: &mut P,
    state: &P::State,
    step: &Step,
    roles: &[String],
) -> Result<(), Halt<P::Error>> {
    same_set("the state", &engine.fluents(state)?, &step.state)?;
    let terminal = engine.is_terminal(state)?;
    if terminal != step.terminal {
        let words = |terminal: bool| if terminal { "terminal" } else { "not terminal" };
        let message = format!("it is {} here and {} in the trace", words(terminal), words(step.terminal));
        return Err(Halt::Difference(message));
    }
    let (what, ours) =
        if terminal { ("goals", engine.goals(state)?) } else { ("moves", engine.legal(state)?) };
    for (role, ours) in roles.iter().zip(ours) {
        let theirs: Vec<String> = if terminal {
            step.goals.get(role).into_iter().flatten().map(GoalValue::to_string).collect()
        } else {
            step.legal.get(role).cloned().unwrap_or_default()
        };
        same_set(&format!("the {what} of {role}"), &ours, &theirs)?;
    }
    Ok(())
}

/// A term in the one spelling by which terms are compared: in lower case, and `(k)` is `k`.
fn canonical(text: &str) -> String {
    let mut terms: Vec<&str> = Vec::new();
    let folded = text.to_lowercase().replace('(', " ( ").replace(')', " ) ");
    for word in folded.split_whitespace() {
        match terms[..] {
            [.., "(", _] if word == ")" => drop(terms.remove(terms.len() - 2)),
            _ => terms.push(word),
        }
    }
    terms.join(" ").replace("( ", "(").replace(" )", ")")
}

fn same_list<E>(what: &str, ours: &[String], theirs: &[String]) -> Result<(), Halt<E>> {
    let fold = |texts: &[String]| texts.iter().map(|text| canonical(text)).collect::<Vec<_>>();
    if fold(ours) == fold(theirs) {
        return Ok(());
    }
    Err(Halt::Difference(format!(
        "{what} are {} here and {} in the trace",
        ours.join(", "),
        theirs.join(", ")
    )))
}

fn same_set<E>(what: &str, ours: &[String], theirs: &[String]) -> Result<(), Halt<E>> {
    let ours: BTreeSet<String> = ours.iter().map(|text| canonical(text)).collect();
    let theirs: BTreeSet<String> = theirs.iter().map(|text| canonical(text)).collect();
    if ours == theirs {
        return Ok(());
    }
    let only_here = ours.difference(&theirs);
    let only_there = theirs.difference(&ours);
    let words =
        format!("{what}: only here {}; only in the trace {}", some_of(only_here), some_of(only_there));
    Err(Halt::Difference(words))
}

/// The first few of some texts, and how many more there are.
fn some_of<'a>(texts: impl Iterator<Item = &'a String>) -> String {
    let texts: Vec<&str> = texts.map(String::as_str).collect();
    let shown = texts.iter().take(5).copied().collect::<Vec<_>>().join(", ");
    match texts.len() {
        0 => "nothing".to_owned(),
        1..=5 => shown,
        more => format!("{shown} and {} more", more - 5),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use groundrules_gdl::limits::Budget;
    use groundrules_gdl::{Options, read};

    use super::*;
    use crate::error::OracleError;
    use crate::oracle::Oracle;

    const GAME: &str = "(role You) (init (n 1)) (init (k)) (s 1 2) (s 2 3) (legal you stay)
                        (<= (legal you up) (true (n ?_x)))
                        (<= (next (n ?y)) (true (n ?x)) (s ?x ?y)) (<= terminal (true (n 3))) (goal you 9)";
    const LINE: &str = r#"{"game":"g","playout":0,"roles":["you"],"end":"terminal","steps":[
        {"state":["(k)","(N 1)"],"legal":{"you":["up","stay"]},"terminal":false,"goals":{"you":[1]},
         "joint":["up"]},
        {"state":["(n 2)"],"legal":{"you":["stay","up"]},"terminal":false,"goals":{},"joint":["UP"]},
        {"state":["(n 3)"],"legal":{},"terminal":true,"goals":{"you":["9"]}}]}"#;

    fn replayed(line: &str, steps: u64) -> Replay<OracleError> {
        let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(line.replace('\n', "").as_bytes()).unwrap();
        let recorded = matches(&packer.finish().unwrap()[..]).next().unwrap().unwrap();
        let game = read(GAME.as_bytes(), &Options::default()).game.unwrap();
        let mut oracle = Oracle::new(&game, Budget::steps(10_000)).unwrap();
        oracle.refill(Budget::steps(steps));
        replay(&mut oracle, &recorded)
    }

    fn difference(from: &str, to: &str) -> String {
        assert!(LINE.contains(from), "{from}");
        match replayed(&LINE.replacen(from, to, 1), 10_000).outcome {
            Outcome::Differs(words) => words,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_match_that_is_the_same() {
        assert_eq!(replayed(LINE, 10_000), Replay { states: 3, outcome: Outcome::Same });
    }

    #[test]
    fn the_first_difference_is_told() {
        assert_eq!(
            difference(r#"["(n 2)"]"#, r#"["(n 4)"]"#),
            "state 1: the state: only here (n 2); only in the trace (n 4)"
        );
        let moves = difference(r#"["up","stay"]"#, r#"["up"]"#);
        assert_eq!(moves, "state 0: the moves of you: only here stay; only in the trace nothing");
        assert_eq!(
            difference(r#"["9"]"#, "[8, 9]"),
            "state 2: the goals of you: only here nothing; only in the trace 8"
        );
        assert_eq!(difference("true", "false"), "state 2: it is terminal here and not terminal in the trace");
        assert_eq!(difference(r#"["you"]"#, r#"["me"]"#), "the roles are You here and me in the trace");
    }

    #[test]
    fn a_spent_budget_is_no_difference() {
        let stopped = replayed(LINE, 100);
        assert!(matches!(stopped.outcome, Outcome::Stopped(OracleError::OutOfSteps { .. })), "{stopped:?}");
    }

    #[test]
    fn spelling_does_not_count() {
        assert_eq!(canonical("( Cell (K)  1 )"), "(cell k 1)");
        assert_eq!(canonical("(f (g (k)) h)"), "(f (g k) h)");
    }
}
