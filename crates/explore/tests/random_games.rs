//! `solve` against an independent brute force, on thousands of small random games with several roles, chance, simultaneous
//! moves, cycles, stuck states and goals that are not unique. The brute force works on the tables that the rules are written
//! from, and shares nothing with the crate.

mod support;

use std::collections::HashMap;
use std::fmt::Write;

use groundrules_explore::{Bounds, Fraction, Guarantees, Meaning, Solution, move_texts, solve};
use groundrules_machine::Compiled;
use groundrules_machine::engines::Engine;
use support::{game, threads};

/// Random numbers, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }

    fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }
}

/// A game as tables: the first state is the initial one.
struct Tables {
    players: usize,
    /// Whether there is one more role, the last, that moves by chance.
    chance: bool,
    states: Vec<State>,
}

struct State {
    /// The goals of each player, if the state is terminal.
    end: Option<Vec<Vec<i32>>>,
    /// How many moves each role has.
    moves: Vec<usize>,
    /// The successor for each joint move, the last role's moves fastest.
    next: Vec<usize>,
}

/// What may be in a random game.
#[derive(Clone, Copy)]
struct Shape {
    players: usize,
    chance: bool,
    simultaneous: bool,
    cycles: bool,
    faults: bool,
    constant_sum: bool,
}

fn random_game(random: &mut Random, shape: Shape) -> Tables {
    let count = 3 + random.below(7);
    let roles = shape.players + usize::from(shape.chance);
    let states = (0..count).map(|state| {
        if state + 1 == count || state > 0 && random.one_in(3) {
            let mut goals: Vec<Vec<i32>> =
                (0..shape.players).map(|_| vec![[0, 20, 50, 80, 100][random.below(5)]]).collect();
            if shape.constant_sum && shape.players == 2 {
                goals[1] = vec![100 - goals[0][0]];
            }
            if shape.faults && random.one_in(12) {
                let role = random.below(shape.players);
                goals[role] = if random.one_in(2) { Vec::new() } else { vec![10, 90] };
            }
            return State { end: Some(goals), moves: vec![0; roles], next: Vec::new() };
        }
        let mover = random.below(shape.players);
        let mut moves: Vec<usize> = (0..roles)
            .map(|role| {
                let is_nature = role == shape.players;
                let chooses = if is_nature { random.one_in(2) } else { shape.simultaneous || role == mover };
                if chooses { 1 + random.below(3) } else { 1 }
            })
            .collect();
        if shape.faults && random.one_in(15) {
            moves[random.below(roles)] = 0;
        }
        let joints: usize = moves.iter().product();
        let next = (0..joints).map(|_| {
            if shape.cycles { random.below(count) } else { state + 1 + random.below(count - state - 1) }
        });
        let next = next.collect();
        State { end: None, moves, next }
    });
    Tables { players: shape.players, chance: shape.chance, states: states.collect() }
}

impl Tables {
    fn roles(&self) -> Vec<String> {
        let players = (0..self.players).map(|player| format!("p{player}"));
        players.chain(self.chance.then(|| "random".to_owned())).collect()
    }

    fn to_kif(&self) -> String {
        let roles = self.roles();
        let mut text = roles.iter().map(|role| format!("(role {role}) ")).collect::<String>()
            + "(init (at 0)) (<= (goal p0 0) (true (at nowhere)))\n";
        for (number, state) in self.states.iter().enumerate() {
            for (role, &moves) in roles.iter().zip(&state.moves) {
                (0..moves).for_each(|made| {
                    writeln!(text, "(<= (legal {role} m{made}) (true (at {number})))").unwrap();
                });
            }
            for (joint, next) in state.next.iter().enumerate() {
                let does = roles.iter().zip(self.digits(number, joint));
                let does: String = does.map(|(role, made)| format!("(does {role} m{made}) ")).collect();
                writeln!(text, "(<= (next (at {next})) (true (at {number})) {does})").unwrap();
            }
            let Some(goals) = &state.end else { continue };
            writeln!(text, "(<= terminal (true (at {number})))").unwrap();
            for (role, goals) in roles.iter().zip(goals) {
                goals.iter().for_each(|goal| {
                    writeln!(text, "(<= (goal {role} {goal}) (true (at {number})))").unwrap();
                });
            }
        }
        text
    }

    fn digits(&self, state: usize, joint: usize) -> Vec<usize> {
        let mut left = joint;
        let mut digits: Vec<usize> = Vec::new();
        for &moves in self.states[state].moves.iter().rev() {
            digits.push(left % moves);
            left /= moves;
        }
        digits.reverse();
        digits
    }

    /// The states that can be reached, each with the least number of moves to it.
    fn reachable(&self) -> HashMap<usize, usize> {
        let (mut depths, mut queue) = (HashMap::from([(0, 0)]), vec![0]);
        let mut at = 0;
        while at < queue.len() {
            let depth = depths[&queue[at]];
            for &next in &self.states[queue[at]].next {
                depths.entry(next).or_insert_with(|| {
                    queue.push(next);
                    depth + 1
                });
            }
            at += 1;
        }
        depths
    }

    /// The least number of moves to a state that rules the game out.
    fn first_fault(&self) -> Option<usize> {
        let is_fault = |state: &State| match &state.end {
            Some(goals) => goals.iter().any(|goals| goals.len() != 1),
            None => state.moves.contains(&0),
        };
        self.reachable()
            .into_iter()
            .filter(|&(state, _)| is_fault(&self.states[state]))
            .map(|(_, depth)| depth)
            .min()
    }

    fn has_cycle(&self) -> bool {
        // A path of as many moves as there are states comes to one of them twice.
        let mut at: Vec<usize> = vec![0];
        for _ in 0..self.states.len() {
            at = at.iter().flat_map(|&state| self.states[state].next.iter().copied()).collect();
            at.sort_unstable();
            at.dedup();
        }
        !at.is_empty()
    }

    fn is_simultaneous(&self) -> bool {
        let choosers = |state: &usize| {
            self.states[*state].moves[..self.players].iter().filter(|&&moves| moves > 1).count()
        };
        self.reachable().keys().any(|state| choosers(state) > 1)
    }

    /// For each own move and each choice of the other players the successors by nature's moves.
    fn outcomes(&self, state: usize, player: usize) -> Vec<Vec<Vec<usize>>> {
        let mut table: HashMap<(usize, Vec<usize>), Vec<usize>> = HashMap::new();
        for (joint, &next) in self.states[state].next.iter().enumerate() {
            let digits = self.digits(state, joint);
            let mut others = digits[..self.players].to_vec();
            let own = others.remove(player);
            table.entry((own, others)).or_default().push(next);
        }
        let mut rows: Vec<Vec<(Vec<usize>, Vec<usize>)>> = vec![Vec::new(); self.states[state].moves[player]];
        table.into_iter().for_each(|((own, others), next)| rows[own].push((others, next)));
        rows.iter_mut().for_each(|row| row.sort());
        rows.into_iter().map(|row| row.into_iter().map(|(_, next)| next).collect()).collect()
    }

    /// The maximin or, if the others move first, the minimax over a table of numbers.
    fn best<T: Copy>(table: &[Vec<T>], upper: bool, less: fn(T, T) -> bool) -> T {
        let min = |values: &mut dyn Iterator<Item = T>| {
            values.reduce(|a, b| if less(b, a) { b } else { a }).unwrap()
        };
        let max = |values: &mut dyn Iterator<Item = T>| {
            values.reduce(|a, b| if less(a, b) { b } else { a }).unwrap()
        };
        if upper {
            let columns = 0..table[0].len();
            min(&mut columns.map(|column| max(&mut table.iter().map(|row| row[column]))))
        } else {
            max(&mut table.iter().map(|row| min(&mut row.iter().copied())))
        }
    }

    /// The expected value in a game without cycles, as numerator and denominator.
    fn expected(&self, state: usize, player: usize, upper: bool) -> (i128, i128) {
        if let Some(goals) = &self.states[state].end {
            return (i128::from(goals[player][0]), 1);
        }
        let mean = |next: &Vec<usize>| {
            let sum = next.iter().map(|&next| self.expected(next, player, upper));
            let sum = sum.fold((0, 1), |(a, b), (c, d)| (a * d + c * b, b * d));
            let (a, b) = (sum.0, sum.1 * next.len() as i128);
            let common = (1..=b.min(1 << 20)).rev().find(|by| a % by == 0 && b % by == 0).unwrap();
            (a / common, b / common)
        };
        let table: Vec<Vec<(i128, i128)>> =
            self.outcomes(state, player).iter().map(|row| row.iter().map(mean).collect()).collect();
        Self::best(&table, upper, |(a, b), (c, d)| a * d < c * b)
    }

    /// The best goal that a player forces in a game without chance: by growing, for each goal, the set of states from which it
    /// can be forced.
    fn forced(&self, player: usize, upper: bool) -> Option<i32> {
        [100, 90, 80, 50, 20, 10, 0].into_iter().find(|&goal| {
            let mut wins = vec![false; self.states.len()];
            for _ in 0..=self.states.len() {
                for state in 0..self.states.len() {
                    wins[state] = match &self.states[state].end {
                        Some(goals) => goals[player].first().is_some_and(|&own| own >= goal),
                        None if self.states[state].next.is_empty() => false,
                        None => {
                            let table: Vec<Vec<bool>> = self
                                .outcomes(state, player)
                                .iter()
                                .map(|row| row.iter().map(|next| wins[next[0]]).collect())
                                .collect();
                            Self::best(&table, upper, |a, b| !a & b)
                        }
                    };
                }
            }
            wins[0]
        })
    }

    /// The expected value in any game, endless play counting as 0: approached from below.
    fn approached(&self, player: usize) -> f64 {
        let outcomes: Vec<_> = (0..self.states.len()).map(|state| self.outcomes(state, player)).collect();
        let mut values = vec![0.0; self.states.len()];
        for _ in 0..3000 {
            values = (0..self.states.len())
                .map(|state| match &self.states[state].end {
                    Some(goals) => goals[player].first().map_or(0.0, |&goal| f64::from(goal)),
                    None if self.states[state].next.is_empty() => 0.0,
                    None => {
                        let mean = |next: &Vec<usize>| {
                            next.iter().map(|&next| values[next]).sum::<f64>() / next.len() as f64
                        };
                        let table: Vec<Vec<f64>> =
                            outcomes[state].iter().map(|row| row.iter().map(mean).collect()).collect();
                        Self::best(&table, false, |a, b| a < b)
                    }
                })
                .collect();
        }
        values[0]
    }
}

/// The solution of a game, and the state in which its line ends.
fn solved(tables: &Tables, count: usize) -> (Solution, usize) {
    let game = game(&tables.to_kif());
    let game = Compiled::new(game).on(Engine::Tree);
    assert_eq!(game.roles()[..], tables.roles()[..]);
    let found = solve(&game, &threads(count)).expect("a solution");
    assert_eq!(found.explored.states() as usize, tables.reachable().len());
    let line = found.solution.line().iter().map(|joint| move_texts(&game, joint).expect("texts"));
    let end = end_of_line(tables, line.collect());
    (found.solution, end)
}

fn as_pair(value: Option<Fraction>) -> Option<(i128, i128)> {
    value.map(|value| (value.numerator().into(), value.denominator().into()))
}

/// Compares what was found for a player with the brute force. Says whether it is exact.
fn compare(tables: &Tables, found: &Guarantees, player: usize, bounds: &Bounds, text: &str) {
    if !found.chance {
        let [lower, upper] = [false, true].map(|upper| tables.forced(player, upper));
        let [own_lower, own_upper] = [bounds.lower, bounds.upper].map(as_pair);
        assert_eq!(own_lower, lower.map(|goal| (i128::from(goal), 1)), "{text}");
        assert_eq!(own_upper, upper.map(|goal| (i128::from(goal), 1)), "{text}");
    } else if !found.endless {
        let same = |value: Option<Fraction>, (a, b): (i128, i128)| {
            let (c, d) = as_pair(value).expect("a value");
            a * d == c * b
        };
        assert!(same(bounds.lower, tables.expected(0, player, false)), "{text}");
        assert!(same(bounds.upper, tables.expected(0, player, true)), "{text}");
    } else {
        let value = tables.approached(player);
        let [lower, upper] = [bounds.lower, bounds.upper].map(|value| value.expect("a bound").to_f64());
        assert!(lower <= value + 1e-6 && value <= upper + 1e-6, "{lower} {value} {upper} {text}");
        assert!(value - lower < 0.01, "{lower} {value}: {text}");
    }
}

/// Plays a line on the tables; gives the state that it ends in.
fn end_of_line(tables: &Tables, line: Vec<Vec<String>>) -> usize {
    line.into_iter().fold(0, |at, joint| {
        let state = &tables.states[at];
        let digits = joint.iter().map(|made| made[1..].parse::<usize>().expect("a number"));
        state.next[digits.zip(&state.moves).fold(0, |place, (digit, moves)| place * moves + digit)]
    })
}

fn check(tables: &Tables, count: usize) -> &'static str {
    let text = tables.to_kif();
    let (solution, end) = solved(tables, count);
    if let Some(depth) = tables.first_fault() {
        let Solution::Refused { line, .. } = &solution else { panic!("{solution:?} {text}") };
        assert_eq!(line.len(), depth, "{text}");
        let end = &tables.states[end];
        assert!(
            end.end
                .as_ref()
                .map_or(end.moves.contains(&0), |goals| goals.iter().any(|goals| goals.len() != 1))
        );
        return "refused";
    }
    let Solution::Guaranteed(found) = &solution else { panic!("{solution:?} {text}") };
    assert_eq!(found.endless, tables.has_cycle(), "{text}");
    assert_eq!(found.simultaneous, tables.is_simultaneous(), "{text}");
    assert_eq!(found.chance, tables.chance);
    assert_eq!(found.values.len(), tables.roles().len());
    for player in 0..tables.players {
        compare(tables, found, player, &found.values[player].expect("no nature"), &text);
    }
    assert!(found.values[tables.players..].iter().all(Option::is_none), "nature has no value");
    let all_exact = found.values.iter().flatten().all(|bounds| bounds.lower == bounds.upper);
    assert_eq!((found.exact, solution.is_exact()), (all_exact, all_exact));
    if found.meaning == Meaning::Minimax && !found.chance {
        let end = tables.states[end].end.as_ref().expect("the line ends the game");
        for (bounds, goals) in found.values.iter().zip(end) {
            assert_eq!(as_pair(bounds.expect("no nature").lower), Some((i128::from(goals[0]), 1)), "{text}");
        }
    }
    match (found.exact, found.meaning) {
        (true, Meaning::Minimax) => "minimax",
        (true, Meaning::Guarantee) => "guarantee",
        (false, _) => "bounds",
    }
}

#[test]
fn values_are_those_of_a_brute_force() {
    let mut random = Random(7);
    let mut kinds: HashMap<&str, usize> = HashMap::new();
    for number in 0..3000 {
        let mut bit = |chances| random.one_in(chances);
        let (chance, simultaneous, cycles) = (bit(2), bit(3), bit(2));
        let shape = Shape { players: 2, chance, simultaneous, cycles, faults: bit(4), constant_sum: bit(2) };
        let players = if chance { 1 + random.below(3) } else { 2 + random.below(2) };
        let tables = random_game(&mut random, Shape { players, ..shape });
        *kinds.entry(check(&tables, 1 + number % 2)).or_default() += 1;
    }
    for kind in ["refused", "minimax", "guarantee", "bounds"] {
        assert!(kinds.get(kind).is_some_and(|&count| count > 100), "{kinds:?}");
    }
}

#[test]
fn a_single_role_finds_the_best_end() {
    let mut random = Random(11);
    for _ in 0..500 {
        let cycles = random.one_in(2);
        let shape = Shape {
            players: 1,
            chance: false,
            simultaneous: false,
            cycles,
            faults: false,
            constant_sum: false,
        };
        let tables = random_game(&mut random, shape);
        let reached = tables.reachable();
        let ends =
            reached.keys().filter_map(|&state| tables.states[state].end.as_ref().map(|goals| goals[0][0]));
        let expected = ends.max();
        let (solution, end) = solved(&tables, 1);
        let Solution::Plan { best, unless: None, .. } = solution else { panic!("{solution:?}") };
        assert_eq!(best, expected);
        if let Some(best) = best {
            let end = tables.states[end].end.as_ref().expect("an end");
            assert_eq!(end[0], [best]);
        }
    }
}

/// A puzzle whose exploration stops at once is left to the solvers. What they call exact is, and bounds hold.
#[test]
fn a_single_role_with_too_many_states_gets_bounds_that_hold() {
    let mut random = Random(23);
    let mut exact = 0;
    for _ in 0..150 {
        let cycles = random.one_in(2);
        let shape = Shape {
            players: 1,
            chance: false,
            simultaneous: false,
            cycles,
            faults: false,
            constant_sum: false,
        };
        let tables = random_game(&mut random, shape);
        let reached = tables.reachable();
        let ends =
            reached.keys().filter_map(|&state| tables.states[state].end.as_ref().map(|goals| goals[0][0]));
        let expected = ends.max();
        let game = Compiled::new(game(&tables.to_kif())).on(Engine::Net);
        let mut options = threads(1);
        options.budget.states = Some(1);
        let solution = solve(&game, &options).expect("a solution").solution;
        let Solution::Plan { best, plan, upper, unless, .. } = &solution else { panic!("{solution:?}") };
        match unless {
            None => assert_eq!(*best, expected, "{}", tables.to_kif()),
            Some(_) => assert!(*best <= expected && upper.is_none_or(|upper| Some(upper) >= expected)),
        }
        exact += usize::from(unless.is_none());
        if let Some(best) = best {
            let line = plan.iter().map(|joint| move_texts(&game, joint).expect("texts"));
            let end = tables.states[end_of_line(&tables, line.collect())].end.as_ref().expect("an end");
            assert_eq!(end[0], [*best]);
        }
    }
    assert_eq!(exact, 150, "so few states are exhausted");
}
