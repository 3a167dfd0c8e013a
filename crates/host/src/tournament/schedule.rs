//! Who plays whom at what: a round robin. In every round of every game each group of players meets in every order of roles
//! that gives each player each role once. The schedule depends on the plan alone, so a tournament that was killed finds
//! its place again.

/// One match of a tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// The match's name, and that of its file.
    pub key: String,
    /// The round, from 0.
    pub round: usize,
    /// The game's number.
    pub game: usize,
    /// The players' numbers in the order of the roles.
    pub players: Vec<usize>,
}

/// The matches of a tournament, round by round.
///
/// `roles` has the number of roles of each game. A game with more roles than there are players is played with the players
/// repeated.
pub(crate) fn schedule(rounds: usize, roles: &[usize], players: usize) -> Vec<Pairing> {
    let mut all = Vec::new();
    for round in 0..rounds {
        for (game, &roles) in roles.iter().enumerate() {
            for table in tables(roles, players) {
                let names: Vec<String> = table.iter().map(usize::to_string).collect();
                let key = format!("r{round}.g{game}.p{}", names.join("-"));
                all.push(Pairing { key, round, game, players: table });
            }
        }
    }
    all
}

/// The tables of one round of a game: every group of players, turned through the roles.
fn tables(roles: usize, players: usize) -> Vec<Vec<usize>> {
    if roles == 0 || players == 0 {
        return Vec::new();
    }
    let groups = match roles <= players {
        true => groups(roles, players),
        false => vec![(0..roles).map(|role| role % players).collect()],
    };
    let turned = groups.iter().flat_map(|group| {
        (0..group.len()).map(|turn| {
            let mut table = group.clone();
            table.rotate_left(turn);
            table
        })
    });
    let mut tables: Vec<Vec<usize>> = turned.collect();
    tables.dedup();
    tables
}

/// All the groups of so many among the players, in order.
fn groups(size: usize, players: usize) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..size {
        groups = groups
            .into_iter()
            .flat_map(|group| {
                let first = group.last().map_or(0, |&last| last + 1);
                (first..players).map(move |next| [group.clone(), vec![next]].concat())
            })
            .collect();
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_meets_everybody_in_both_roles() {
        assert_eq!(tables(2, 3), [[0, 1], [1, 0], [0, 2], [2, 0], [1, 2], [2, 1]]);
        assert_eq!(tables(1, 3), [[0], [1], [2]]);
        assert_eq!(tables(3, 3), [[0, 1, 2], [1, 2, 0], [2, 0, 1]]);
        assert_eq!(tables(3, 2), [[0, 1, 0], [1, 0, 0], [0, 0, 1]]);
        assert_eq!(tables(2, 1), [[0, 0]]);
        assert!(tables(0, 2).is_empty() && tables(2, 0).is_empty());
    }

    #[test]
    fn keys_are_names_of_their_own() {
        let all = schedule(3, &[1, 2, 4], 4);
        let mut keys: Vec<&str> = all.iter().map(|pairing| pairing.key.as_str()).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!((all.len(), keys.len()), (3 * (4 + 12 + 4), 3 * (4 + 12 + 4)));
        assert_eq!(all[0].key, "r0.g0.p0");
        assert_eq!(all[4].key, "r0.g1.p0-1");
    }
}
