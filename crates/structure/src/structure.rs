//! All that is found about a game but its symmetries.

use groundrules_ground::GroundGame;
use groundrules_net::{NetError, Network, Options, simplify, specialise, turns};

use crate::dependence::{Clock, Subgame, clock, irrelevant, subgames};
use crate::latches::{Latch, Staying, latches};

/// The structure of a game.
#[derive(Clone, Debug)]
pub struct Structure {
    /// Who moves when.
    pub turns: TurnOrder,
    /// The fluents that depend on the number of steps alone.
    pub clock: Clock,
    /// The fluents that change one way only.
    pub latches: Vec<Latch>,
    /// Whether a match that has come to a terminal state could never leave it: everything that makes the end is latched.
    pub end_stays: bool,
    /// The goals, by role and value, that a role keeps once it has them.
    pub goals_that_stay: Vec<(usize, i32)>,
    /// The fluents that influence neither an end nor a goal nor a legal move.
    pub irrelevant_fluents: Vec<usize>,
    /// The moves that influence nothing, such as waiting.
    pub idle_moves: Vec<usize>,
    /// The parts that have nothing to do with each other; one where the game does not fall apart.
    pub subgames: Vec<Subgame>,
}

/// Who moves when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnOrder {
    /// One fluent of a set always holds, and tells who can have a choice.
    ByFluent(Vec<Whose>),
    /// No such set was found; these roles can have a choice in some state.
    Unknown(Vec<usize>),
}

/// The roles that can have a choice where a fluent holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Whose {
    /// The fluent.
    pub fluent: usize,
    /// The roles.
    pub roles: Vec<usize>,
}

impl TurnOrder {
    /// Whether one role at most has a choice at any time, as far as is known.
    pub fn is_alternating(&self) -> bool {
        match self {
            TurnOrder::ByFluent(turns) => turns.iter().all(|turn| turn.roles.len() <= 1),
            TurnOrder::Unknown(roles) => roles.len() <= 1,
        }
    }
}

impl Structure {
    /// The structure of a ground game.
    pub fn of(game: &GroundGame) -> Result<Structure, NetError> {
        let (network, _) = simplify(&Network::of(game)?, &Options::default());
        Ok(Structure::of_network(game, &network))
    }

    /// The same from the game's network, which must be one for legal play and reachable states.
    pub fn of_network(game: &GroundGame, network: &Network) -> Structure {
        let staying = Staying::of(network);
        let goals = network.outputs.goals.iter();
        let goals_that_stay = goals
            .filter(|goal| goal.literal.constant() != Some(false) && staying.stays(goal.literal))
            .map(|goal| (goal.role, goal.value))
            .collect();
        let (irrelevant_fluents, idle_moves) = irrelevant(network);
        Structure {
            turns: turn_order(game, network),
            clock: clock(network),
            latches: latches(network),
            end_stays: staying.stays(network.outputs.terminal),
            goals_that_stay,
            irrelevant_fluents,
            idle_moves,
            subgames: subgames(network),
        }
    }
}

/// Who can have a choice: the roles with more than one move that may be legal.
fn choosers(network: &Network) -> Vec<usize> {
    let count = |role: usize| {
        let may_be = |&number: &usize| network.outputs.legal[number].constant() != Some(false);
        let own = |&number: &usize| network.movers[number] as usize == role;
        (0..network.moves()).filter(own).filter(may_be).count()
    };
    (0..network.roles).filter(|&role| count(role) > 1).collect()
}

fn turn_order(game: &GroundGame, network: &Network) -> TurnOrder {
    let given = |set: &[usize], turn: usize| {
        let assumed: Vec<(usize, bool)> = set.iter().map(|&fluent| (fluent, fluent == turn)).collect();
        specialise(network, &assumed, &Options::default())
    };
    let orders = turns(game, network).into_iter().map(|set| {
        let whose = |&fluent: &usize| Whose { fluent, roles: choosers(&given(&set, fluent)) };
        set.iter().map(whose).collect::<Vec<Whose>>()
    });
    // The set that leaves the fewest choices at once is the one that tells whose turn it is.
    let choices =
        |order: &Vec<Whose>| order.iter().map(|turn| turn.roles.len().saturating_sub(1)).sum::<usize>();
    let all = choosers(network);
    let best = orders
        .min_by_key(choices)
        .filter(|order| all.len() > 1 && order.iter().any(|turn| turn.roles.len() < all.len()));
    best.map_or(TurnOrder::Unknown(all), TurnOrder::ByFluent)
}
