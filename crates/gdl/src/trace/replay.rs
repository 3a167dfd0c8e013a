//! The replay: an engine is driven by the recorded joint moves from its own first state, and what it sees is compared,
//! step by step: the fluents of every state, whether it is terminal, the legal moves where it is not and the goal values
//! where it is. Engines answer in words, through [`Plays`], so that one replay judges them all, whatever their states
//! are made of.

use std::collections::BTreeSet;
use std::fmt;

use super::{GoalValue, Match, RecordedState};
use crate::canonical;

/// Something that plays a game by its rules. Terms are given and taken as KIF; the order of fluents, moves and goal
/// values, and letter case, do not matter. What is listed for each role is in the order of the roles.
pub trait Plays {
    /// A state.
    type State: Clone;
    /// Why there is no answer.
    type Error: fmt::Display;

    /// The roles, in the order in which joint moves are given.
    fn roles(&mut self) -> Result<Vec<String>, Self::Error>;

    /// The first state.
    fn initial_state(&mut self) -> Result<Self::State, Self::Error>;

    /// The fluents that hold in a state.
    fn fluents(&mut self, state: &Self::State) -> Result<Vec<String>, Self::Error>;

    /// Whether the match is over.
    fn is_terminal(&mut self, state: &Self::State) -> Result<bool, Self::Error>;

    /// The legal moves of each role; asked of states that are not terminal.
    fn legal(&mut self, state: &Self::State) -> Result<Vec<Vec<String>>, Self::Error>;

    /// The goal values of each role; asked of terminal states. What is no whole number is none.
    fn goals(&mut self, state: &Self::State) -> Result<Vec<Vec<String>>, Self::Error>;

    /// The state after a joint move.
    fn next_state(&mut self, state: &Self::State, joint: &[String]) -> Result<Self::State, Self::Error>;
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
    /// The first difference.
    Differs(Difference),
    /// The engine had no answer.
    Stopped(E),
}

/// The first difference between an engine and a trace: what only one of them has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The number of the state, from 0; none when the two differ before the first.
    pub state: Option<usize>,
    /// What differs.
    pub what: What,
    /// What only the engine has, sorted.
    pub only_here: Vec<String>,
    /// What only the trace has, sorted.
    pub only_in_trace: Vec<String>,
}

/// What can differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The roles or their order: both lists are given whole.
    Roles,
    /// The fluents that hold.
    State,
    /// Whether the state is terminal.
    Terminal,
    /// The legal moves of a role.
    Moves(String),
    /// The goal values of a role.
    Goals(String),
    /// The move made by a role: the recorded one is not legal.
    Made(String),
    /// The joint move: it has not one move for each role.
    Joint,
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::Roles => f.write_str("the roles"),
            What::State => f.write_str("the state"),
            What::Terminal => f.write_str("the end"),
            What::Moves(role) => write!(f, "the moves of {role}"),
            What::Goals(role) => write!(f, "the goals of {role}"),
            What::Made(role) => write!(f, "the move made by {role}"),
            What::Joint => f.write_str("the joint move"),
        }
    }
}

/// The difference on one line, with the first few things on each side.
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(state) = self.state {
            write!(f, "state {state}: ")?;
        }
        let [here, there] = [&self.only_here, &self.only_in_trace].map(|texts| some_of(texts));
        write!(f, "{}: only here {here}; only in the trace {there}", self.what)
    }
}

/// Replays a recorded match and says what the first difference is.
pub fn replay<P: Plays>(engine: &mut P, recorded: &Match) -> Replay<P::Error> {
    let mut states = 0;
    let outcome = match compare(engine, recorded, &mut states) {
        Ok(()) => Outcome::Same,
        Err(Halt::Difference(difference)) => Outcome::Differs(difference),
        Err(Halt::Engine(error)) => Outcome::Stopped(error),
    };
    Replay { states, outcome }
}

enum Halt<E> {
    Difference(Difference),
    Engine(E),
}

impl<E> From<E> for Halt<E> {
    fn from(error: E) -> Self {
        Halt::Engine(error)
    }
}

impl<E> Halt<E> {
    fn difference(what: What, only_here: Vec<String>, only_in_trace: Vec<String>) -> Self {
        Halt::Difference(Difference { state: None, what, only_here, only_in_trace })
    }

    fn in_state(self, number: usize) -> Self {
        match self {
            Halt::Difference(difference) => {
                Halt::Difference(Difference { state: Some(number), ..difference })
            }
            other => other,
        }
    }
}

fn compare<P: Plays>(engine: &mut P, recorded: &Match, states: &mut usize) -> Result<(), Halt<P::Error>> {
    let roles = engine.roles()?;
    same_roles(&roles, &recorded.roles)?;
    let mut state = engine.initial_state()?;
    for (number, step) in recorded.steps.iter().enumerate() {
        compare_state(engine, &state, step, &recorded.roles).map_err(|halt| halt.in_state(number))?;
        *states += 1;
        let Some(joint) = &step.joint else { break };
        if joint.len() != roles.len() {
            return Err(Halt::difference(What::Joint, Vec::new(), joint.clone()).in_state(number));
        }
        if number + 1 < recorded.steps.len() {
            state = engine.next_state(&state, joint)?;
        }
    }
    Ok(())
}

fn compare_state<P: Plays>(
    engine: &mut P,
    state: &P::State,
    step: &RecordedState,
    roles: &[String],
) -> Result<(), Halt<P::Error>> {
    same_set(What::State, &compared_set(&engine.fluents(state)?), &compared_set(&step.state))?;
    let terminal = engine.is_terminal(state)?;
    if terminal != step.terminal {
        let words = |terminal: bool| vec![if terminal { "terminal" } else { "not terminal" }.to_owned()];
        return Err(Halt::difference(What::Terminal, words(terminal), words(step.terminal)));
    }
    if terminal {
        compare_goals(engine, state, step, roles)
    } else {
        compare_moves(engine, state, step, roles)
    }
}

fn compare_goals<P: Plays>(
    engine: &mut P,
    state: &P::State,
    step: &RecordedState,
    roles: &[String],
) -> Result<(), Halt<P::Error>> {
    for (role, ours) in roles.iter().zip(engine.goals(state)?) {
        let theirs: Vec<String> =
            step.goals.get(role).into_iter().flatten().map(GoalValue::to_string).collect();
        same_set(What::Goals(role.clone()), &goal_set(&ours), &goal_set(&theirs))?;
    }
    Ok(())
}

fn compare_moves<P: Plays>(
    engine: &mut P,
    state: &P::State,
    step: &RecordedState,
    roles: &[String],
) -> Result<(), Halt<P::Error>> {
    for (number, (role, ours)) in roles.iter().zip(engine.legal(state)?).enumerate() {
        let ours = compared_set(&ours);
        let made = step.joint.as_ref().and_then(|joint| joint.get(number));
        let is_legal = made.is_none_or(|made| ours.contains(&compared(made)));
        // Some recorders leave legal moves out.
        if !step.legal.is_empty() {
            let theirs = compared_set(step.legal.get(role).map_or(&[], Vec::as_slice));
            same_set(What::Moves(role.clone()), &ours, &theirs)?;
        }
        if !is_legal {
            return Err(Halt::difference(
                What::Made(role.clone()),
                Vec::new(),
                made.cloned().into_iter().collect(),
            ));
        }
    }
    Ok(())
}

/// A text as it is compared: terms by their canonical spelling. What is not a term stays as it is, and so differs from
/// every term.
fn compared(text: &str) -> String {
    canonical(text).unwrap_or_else(|| text.to_owned())
}

fn compared_set(texts: &[String]) -> BTreeSet<String> {
    texts.iter().map(|text| compared(text)).collect()
}

/// Goal values are whole numbers; `07` is 7, and what is no number is no value.
fn goal_set(texts: &[String]) -> BTreeSet<String> {
    texts.iter().filter_map(|text| text.parse::<i64>().ok()).map(|value| value.to_string()).collect()
}

fn same_roles<E>(ours: &[String], theirs: &[String]) -> Result<(), Halt<E>> {
    let fold = |texts: &[String]| texts.iter().map(|text| compared(text)).collect::<Vec<_>>();
    if fold(ours) == fold(theirs) {
        return Ok(());
    }
    Err(Halt::difference(What::Roles, ours.to_vec(), theirs.to_vec()))
}

fn same_set<E>(what: What, ours: &BTreeSet<String>, theirs: &BTreeSet<String>) -> Result<(), Halt<E>> {
    if ours == theirs {
        return Ok(());
    }
    let only = |left: &BTreeSet<String>, right: &BTreeSet<String>| left.difference(right).cloned().collect();
    Err(Halt::difference(what, only(ours, theirs), only(theirs, ours)))
}

/// The first few of some texts, and how many more there are.
fn some_of(texts: &[String]) -> String {
    let shown = texts.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
    match texts.len() {
        0 => "nothing".to_owned(),
        1..=5 => shown,
        more => format!("{shown} and {} more", more - 5),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_does_not_count() {
        assert_eq!(compared("( Cell (K)  1 )"), "(cell k 1)");
        assert_eq!(compared("(f (g (k)) h)"), "(f (g k) h)");
    }

    #[test]
    fn what_is_no_term_is_unlike_every_term() {
        assert_ne!(compared("((f) 1)"), compared("(f 1)"));
        assert_eq!(compared("((f) 1)"), compared("((f) 1)"));
    }

    #[test]
    fn goals_are_numbers() {
        assert_eq!(goal_set(&["07".to_owned(), "7".to_owned(), "draw".to_owned()]), ["7".to_owned()].into());
    }

    #[test]
    fn long_differences_are_cut() {
        let many: Vec<String> = (0..9).map(|n| n.to_string()).collect();
        let difference =
            Difference { state: Some(3), what: What::State, only_here: many, only_in_trace: Vec::new() };
        assert_eq!(
            difference.to_string(),
            "state 3: the state: only here 0, 1, 2, 3, 4 and 4 more; only in the trace nothing"
        );
    }
}
