//! The results of random playouts, summed for each state and role.

/// The results of playouts from some states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    roles: usize,
    /// For each state and role the sum of its goals.
    sums: Vec<i64>,
    /// For each state and role the playouts that ended with exactly one goal.
    counts: Vec<u64>,
    /// For each state and role its highest goal, and the number of the first playout that ended with it.
    best: Vec<Option<(i32, usize)>>,
    /// All joint moves made.
    pub states: u64,
    /// Playouts that reached the step limit.
    pub unfinished: u64,
    /// Playouts in which a role had no legal move.
    pub unplayable: u64,
}

impl Outcomes {
    /// The mean of a role's goals in the playouts from a state; `None` if it never had exactly one.
    pub fn mean(&self, state: usize, role: usize) -> Option<f64> {
        let place = state * self.roles + role;
        (self.counts[place] > 0).then(|| self.sums[place] as f64 / self.counts[place] as f64)
    }

    /// The sum of a role's goals, and how many playouts from a state ended with exactly one.
    pub fn sum(&self, state: usize, role: usize) -> (i64, u64) {
        let place = state * self.roles + role;
        (self.sums[place], self.counts[place])
    }

    /// The highest goal of a role in the playouts from a state, and the number of a playout that ended with it, as
    /// [`Batch::retrace`](crate::Batch::retrace) takes it.
    pub fn best(&self, state: usize, role: usize) -> Option<(i32, usize)> {
        self.best[state * self.roles + role]
    }

    /// Clears everything, for playouts from a number of states of a game with a number of roles.
    pub fn clear(&mut self, states: usize, roles: usize) {
        *self = Outcomes { roles, ..Outcomes::default() };
        self.sums.resize(states * roles, 0);
        self.counts.resize(states * roles, 0);
        self.best.resize(states * roles, None);
    }

    /// Counts a goal that was a role's only one at the end of a playout.
    pub fn add(&mut self, state: usize, number: usize, role: usize, goal: i32) {
        let place = state * self.roles + role;
        self.sums[place] += i64::from(goal);
        self.counts[place] += 1;
        // The first playout with the highest goal, in whatever order they end.
        let best = &mut self.best[place];
        if best.is_none_or(|(most, first)| goal > most || goal == most && number < first) {
            *best = Some((goal, number));
        }
    }
}
