//! Holds ground games against the oracle: random matches are recorded once by the oracle, then every way to ground
//! the game has to see the same states, ends, moves and goals.

use std::fmt;

use groundrules_gdl::Game;
use groundrules_ground::{GroundError, GroundGame, Limits, Method, Options, Switch, Switches, ground};
use groundrules_oracle::{Budget, Oracle, OracleError, Plays, random_playout};

use crate::support::Player;

/// One way to ground a game.
pub(crate) type Grounder = Box<dyn Fn(&Game) -> Result<GroundGame, GroundError>>;

/// Every way to ground a game, by name. What is added here is tested on all the games.
pub(crate) fn configurations(limits: fn() -> Limits) -> Vec<(String, Grounder)> {
    let all = Switches::default();
    let mut table = vec![
        ("one step".to_owned(), Method::OneStep, all),
        ("iterative".to_owned(), Method::Iterative, all),
        ("as published".to_owned(), Method::OneStep, Switches::none()),
        ("iterative, as published".to_owned(), Method::Iterative, Switches::none()),
    ];
    table.extend(
        Switch::all()
            .map(|switch| (format!("without {}", switch.name()), Method::OneStep, all.without(switch))),
    );
    let grounder = |(name, method, switches)| {
        let grounder = move |game: &Game| ground(game, &Options { method, switches, limits: limits() });
        (name, Box::new(grounder) as Grounder)
    };
    table.into_iter().map(grounder).collect()
}

/// More than nearly all generated games need; what is larger is not worth the time.
pub(crate) fn small() -> Limits {
    let mut limits = Limits::default();
    (limits.rules, limits.atoms) = (50_000, 50_000);
    limits
}

const MATCHES: u64 = 3;
const STEPS: usize = 12;
const BUDGET: u64 = 2_000_000;

/// What there is to see in one state, and the moves made there if the match goes on.
pub(crate) struct Seen {
    fluents: Vec<String>,
    terminal: bool,
    legal: Vec<Vec<String>>,
    goals: Vec<Vec<String>>,
    joint: Option<Vec<String>>,
}

/// Random matches as the oracle plays them.
pub(crate) struct Record {
    roles: Vec<String>,
    matches: Vec<Vec<Seen>>,
}

impl Record {
    /// Lets the oracle play some matches.
    pub(crate) fn of(game: &Game) -> Result<Self, OracleError> {
        let mut oracle = Oracle::new(game, Budget::steps(BUDGET))?;
        let matches = (1..=MATCHES).map(|seed| one_match(&mut oracle, seed)).collect::<Result<_, _>>()?;
        Ok(Record { roles: Plays::roles(&mut oracle)?, matches })
    }

    /// How many moves were made in all the matches.
    pub(crate) fn steps(&self) -> usize {
        self.matches.iter().map(|seen| seen.len() - 1).sum()
    }

    /// How many matches were played.
    pub(crate) fn matches(&self) -> usize {
        self.matches.len()
    }

    /// Plays the matches again with a ground game, and says what the first difference is.
    pub(crate) fn compare(&self, ground: &GroundGame) -> Result<(), String> {
        let mut player = Player::new(ground).map_err(|error| error.to_string())?;
        let Ok(roles) = player.roles();
        same("the roles", &roles, &self.roles)?;
        for (number, seen) in self.matches.iter().enumerate() {
            replay(&mut player, seen).map_err(|words| format!("match {number}, {words}"))?;
        }
        Ok(())
    }
}

fn one_match(oracle: &mut Oracle, seed: u64) -> Result<Vec<Seen>, OracleError> {
    let playout = random_playout(oracle, seed, STEPS)?;
    let mut seen = Vec::new();
    for (step, state) in playout.states.iter().enumerate() {
        let joint = playout.joints.get(step);
        let joint = joint.map(|joint| joint.iter().map(|&made| oracle.kif(made)).collect());
        seen.push(look(oracle, state, joint.transpose()?)?);
    }
    Ok(seen)
}

fn look<P: Plays>(player: &mut P, state: &P::State, joint: Option<Vec<String>>) -> Result<Seen, P::Error> {
    Ok(Seen {
        fluents: sorted(player.fluents(state)?),
        terminal: player.is_terminal(state)?,
        legal: player.legal(state)?.into_iter().map(sorted).collect(),
        goals: player.goals(state)?.into_iter().map(sorted).collect(),
        joint,
    })
}

fn replay(player: &mut Player<'_>, seen: &[Seen]) -> Result<(), String> {
    let Ok(mut state) = player.initial_state();
    for (step, wanted) in seen.iter().enumerate() {
        let Ok(found) = look(player, &state, None);
        compare_state(&found, wanted).map_err(|words| format!("state {step}: {words}"))?;
        if let Some(joint) = &wanted.joint {
            let Ok(next) = player.next_state(&state, joint);
            state = next;
        }
    }
    Ok(())
}

fn compare_state(found: &Seen, wanted: &Seen) -> Result<(), String> {
    same("the fluents", &found.fluents, &wanted.fluents)?;
    same("the end", &found.terminal, &wanted.terminal)?;
    same("the moves", &found.legal, &wanted.legal)?;
    same("the goals", &found.goals, &wanted.goals)
}

fn same<T: PartialEq + fmt::Debug>(what: &str, found: &T, wanted: &T) -> Result<(), String> {
    if found == wanted { Ok(()) } else { Err(format!("{what}: {found:?}, by the oracle {wanted:?}")) }
}

fn sorted(mut list: Vec<String>) -> Vec<String> {
    list.sort();
    list
}
