//! The table of a tournament: what each player came to, the best first.

use serde::Serialize;

use super::Finished;
use super::rating::{Compared, Rating, rate};

/// What a player came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The player.
    pub player: String,
    /// How many matches it finished; a match that it played against itself counts for each role.
    pub matches: usize,
    /// How often its goal was higher than everybody else's, or 100 where it was alone.
    pub wins: usize,
    /// How often it shared the highest goal.
    pub draws: usize,
    /// The mean of its goals.
    pub mean_goal: f64,
    /// Answers that did not come, were no legal moves, or had no connection.
    pub errors: usize,
    /// The rating; 1500 is the mean. By matches with several players only.
    pub rating: f64,
    /// Half the width of the rating's interval.
    pub interval: f64,
}

/// What a player scored against another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Score {
    /// Points: 1 for a higher goal, a half for the same.
    pub points: f64,
    /// How often they met; twice in a match in which each has two roles.
    pub meetings: usize,
}

/// What every player scored against every other.
pub(crate) fn cross_table(players: usize, finished: &[Finished]) -> Vec<Vec<Score>> {
    let mut table = vec![vec![Score::default(); players]; players];
    for Compared { players: [one, other], score } in comparisons(finished) {
        for (row, column, points) in [(one, other, score), (other, one, 1.0 - score)] {
            if let Some(cell) = table.get_mut(row).and_then(|row| row.get_mut(column)) {
                cell.points += points;
                cell.meetings += 1;
            }
        }
    }
    table
}

/// The table of the matches that were finished.
pub(crate) fn table(players: &[String], finished: &[Finished]) -> Vec<Row> {
    let ratings = rate(players.len(), &comparisons(finished));
    let mut rows: Vec<Row> = players
        .iter()
        .zip(ratings)
        .enumerate()
        .map(|(player, (name, rating))| row(player, name, rating, finished))
        .collect();
    rows.sort_by(|a, b| b.rating.total_cmp(&a.rating).then(b.mean_goal.total_cmp(&a.mean_goal)));
    rows
}

fn row(player: usize, name: &str, rating: Rating, finished: &[Finished]) -> Row {
    let (mut matches, mut wins, mut draws, mut goals, mut errors) = (0, 0, 0, 0.0, 0);
    for played in finished {
        errors += (0..played.players.len())
            .filter(|&role| played.players[role] == player)
            .map(|role| played.errors.get(role).copied().unwrap_or(0))
            .sum::<usize>();
        for (role, &goal) in played.goals.iter().enumerate() {
            if played.players.get(role) != Some(&player) {
                continue;
            }
            let others =
                played.goals.iter().enumerate().filter(|&(other, _)| other != role).map(|(_, goal)| *goal);
            let best = others.max();
            matches += 1;
            goals += f64::from(goal);
            wins += usize::from(best.map_or(goal == 100, |best| goal > best));
            draws += usize::from(best == Some(goal));
        }
    }
    let mean_goal = if matches == 0 { 0.0 } else { goals / matches as f64 };
    let Rating { elo, interval } = rating;
    Row { player: name.to_owned(), matches, wins, draws, mean_goal, errors, rating: elo, interval }
}

/// Every two different players of a match, compared by their goals.
fn comparisons(finished: &[Finished]) -> Vec<Compared> {
    let mut all = Vec::new();
    for Finished { players, goals, .. } in finished {
        let seats: Vec<(usize, i32)> = players.iter().copied().zip(goals.iter().copied()).collect();
        for (at, &(one, goal)) in seats.iter().enumerate() {
            for &(other, its) in
                seats.get(at + 1..).unwrap_or_default().iter().filter(|(other, _)| *other != one)
            {
                let score = match goal.cmp(&its) {
                    std::cmp::Ordering::Greater => 1.0,
                    std::cmp::Ordering::Equal => 0.5,
                    std::cmp::Ordering::Less => 0.0,
                };
                all.push(Compared { players: [one, other], score });
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(players: &[usize], goals: &[i32]) -> Finished {
        Finished {
            key: String::new(),
            players: players.to_vec(),
            goals: goals.to_vec(),
            errors: vec![0; players.len()],
            steps: 1,
            aborted: None,
        }
    }

    #[test]
    fn the_best_comes_first() {
        let names = ["weak".to_owned(), "strong".to_owned()];
        let played = [
            finished(&[0, 1], &[0, 100]),
            finished(&[1, 0], &[100, 0]),
            finished(&[0, 1], &[50, 50]),
            finished(&[0], &[100]),
            finished(&[0, 0], &[100, 0]),
            Finished { aborted: Some("why".into()), errors: vec![0, 3], ..finished(&[1, 0], &[]) },
        ];
        let rows = table(&names, &played);
        assert_eq!(
            (rows[0].player.as_str(), rows[0].matches, rows[0].wins, rows[0].draws),
            ("strong", 3, 2, 1)
        );
        assert_eq!(
            (rows[1].player.as_str(), rows[1].matches, rows[1].wins, rows[1].draws),
            ("weak", 6, 2, 1)
        );
        assert_eq!((rows[0].mean_goal, rows[1].mean_goal), (250.0 / 3.0, 250.0 / 6.0));
        assert!(rows[0].rating > 1500.0 && rows[1].rating < 1500.0);
        assert_eq!((rows[0].errors, rows[1].errors), (0, 3));
        let cross = cross_table(2, &played);
        assert_eq!(cross[1][0], Score { points: 2.5, meetings: 3 });
        assert_eq!(cross[0][1], Score { points: 0.5, meetings: 3 });
        assert_eq!(cross[0][0], Score::default());
    }
}
