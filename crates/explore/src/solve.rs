//! Values of the initial state, exact or named as bounds.
//!
//! - One role: the best goal and a shortest plan for it. Where there are too many states, puzzle solvers go on: the goal is exact if a
//!   proof says so, and a lower bound otherwise; the plan need not be a shortest one.
//! - Several roles: what each can guarantee against all others together. Where two roles take turns and their goals always add
//!   up to the same, and what they can guarantee does, too, that is the minimax value, and a line shows how it comes about.
//! - Nature, the role that moves by chance, has no value. The others' values are expectations, with all of its moves equally
//!   probable.
//! - Where roles choose at the same time, a role that chooses at random may guarantee more on average than by any single move.
//!   The value is between two bounds then: what it gets if the others know its move, and what it gets if it knows theirs.
//! - Where play may go on for ever, endless play forces nothing: it counts as less than any goal, and a role may be unable to
//!   force an end. With chance it counts as 0 (or the least goal, if that is less), and bounds are given.
//! - A game with a state in which a role has no legal move, or an end in which a role does not have exactly one goal, has no values:
//!   it is refused with a line of moves to that state. To a single role only its ends matter: it avoids being stuck.

use groundrules_gdl::Roles;
use groundrules_gdl::time::Instant;
use groundrules_machine::{Compiled, Move, Rows};
use hashbrown::HashSet;

use crate::budget::{Budget, Stop};
use crate::checkpoint::Checkpoints;
use crate::error::ExploreError;
use crate::findings::{Finding, GoalSums};
use crate::fraction::{Fraction, Rounding};
use crate::lines::Line;
use crate::maximal_goal::{MaximalGoal, maximal_goals};
use crate::minimax::{Minimax, minimax};
use crate::options::Options;
use crate::portfolio;
use crate::run::on_workers;
use crate::search::Explored;
use crate::values::Values;
use crate::worker::Worker;

/// The solution of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Solution {
    /// One role, and no chance.
    Plan {
        /// The best goal at the end of any line of play; `None` if no line ends.
        best: Option<i32>,
        /// A plan for it.
        plan: Line,
        /// Whether there is no shorter one.
        is_shortest: bool,
        /// No line leads to a higher goal than this, if that is known.
        upper: Option<i32>,
        /// Why it may not be the best, if it may not: it is a lower bound then.
        unless: Option<Stop>,
    },
    /// Several roles, or chance.
    Guaranteed(Guarantees),
    /// The game has no values: a role is stuck, or an end does not give it exactly one goal.
    Refused {
        /// What is wrong, in words.
        why: String,
        /// A shortest line of moves to the state where it is.
        line: Line,
    },
    /// It was not found.
    Open(String),
}

impl Solution {
    /// Whether its values are exact, and not bounds or missing.
    pub fn is_exact(&self) -> bool {
        match self {
            Solution::Plan { unless, .. } => unless.is_none(),
            Solution::Guaranteed(guarantees) => guarantees.exact,
            Solution::Refused { .. } | Solution::Open(_) => false,
        }
    }

    /// The line of moves that belongs to it; empty if there is none.
    pub fn line(&self) -> &[Vec<Move>] {
        match self {
            Solution::Plan { plan: line, .. } | Solution::Refused { line, .. } => line,
            Solution::Guaranteed(guarantees) => &guarantees.line,
            Solution::Open(_) => &[],
        }
    }
}

/// What each role can guarantee against all others together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guarantees {
    /// The value of each role; `None` for nature.
    pub values: Vec<Option<Bounds>>,
    /// Whether the bounds of every role are equal.
    pub exact: bool,
    /// What the values mean.
    pub meaning: Meaning,
    /// Whether nature takes part, so that the values are expectations.
    pub chance: bool,
    /// Whether two roles choose at the same time somewhere.
    pub simultaneous: bool,
    /// Whether play may go on for ever.
    pub endless: bool,
    /// Why some values are only bounds, where a budget ended the search for them.
    pub stop: Option<Stop>,
    /// Best play to the end of the game, where the meaning is minimax and there is no chance.
    pub line: Line,
}

/// Bounds on what a role can guarantee. `None` is less than any goal: the role cannot force an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// It can guarantee at least this.
    pub lower: Option<Fraction>,
    /// And at most this.
    pub upper: Option<Fraction>,
}

impl Bounds {
    /// The value, if it is exact. An inner `None` is less than any goal.
    pub fn exact(&self) -> Option<Option<Fraction>> {
        (self.lower == self.upper).then_some(self.lower)
    }
}

/// What it means that roles can guarantee goals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Two roles take turns, their goals always add up to the same, and so do their values: this is the value of the game.
    Minimax,
    /// Each value is what the role can be sure of, whatever all others do; together roles may do better.
    Guarantee,
}

/// A solution, and the search behind it.
#[derive(Clone, Debug)]
pub struct Solved {
    /// The solution.
    pub solution: Solution,
    /// What the exploration found.
    pub explored: Explored,
    /// How many states alpha-beta search expanded, where that found it out.
    pub searched: Option<u64>,
}

/// How a game is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// All states are explored if there are few; a game of two roles with more states is searched if it can be, else explored.
    #[default]
    Auto,
    /// All states are explored.
    Explore,
    /// Alpha-beta search, for two roles that take turns and whose goals always add up to the same.
    Search,
}

/// The most states that are explored before alpha-beta search is tried.
const FEW_STATES: u64 = 1_000_000;

/// Solves a game by a method. [`solve`] says what is found out by exploring; alpha-beta search ([`minimax`]) finds
/// the same out without seeing all states.
pub fn solve_by(game: &Compiled, method: Method, options: &Options) -> Result<Solved, ExploreError> {
    let folder = options.checkpoints.as_ref().filter(|it| it.resume).map(|it| it.folder.as_path());
    let is_for_two = game.roles().len() == 2 && game.roles().nature().is_none();
    let may_search = is_for_two && options.cluster.is_none() && !folder.is_some_and(Checkpoints::has_states);
    match method {
        Method::Explore => return solve(game, options),
        Method::Search => {}
        Method::Auto if !may_search => return solve(game, options),
        Method::Auto => {
            let states = options.budget.states.map_or(FEW_STATES, |most| most.min(FEW_STATES));
            let budget = Budget { states: Some(states), ..options.budget };
            let first = Options { budget, checkpoints: None, ..options.clone() };
            let solved = solve(game, &first)?;
            let is_answered = !matches!(solved.solution, Solution::Open(_));
            let is_over = options.budget.states.is_some_and(|most| most <= FEW_STATES);
            if is_answered || is_over || !matches!(solved.explored.stop, Some(Stop::States(_))) {
                return Ok(solved);
            }
        }
    }
    match minimax(game, options)? {
        Ok(found) => Ok(searched(game, &found)),
        Err(_) if method == Method::Auto => solve(game, options),
        Err(why) => {
            let solution = Solution::Open(why);
            Ok(Solved { solution, explored: Explored::default(), searched: Some(0) })
        }
    }
}

/// What alpha-beta search found, as a solution. What is not known is bounded by the goals that the rules state.
fn searched(game: &Compiled, found: &Minimax) -> Solved {
    let maximal = maximal_goals(game.game(), game.roles());
    let most = |role: usize| maximal[role].stated();
    let (lower, upper) = (found.lower, found.upper);
    // What one role is held to, the other can force.
    let other = |bound: Option<i32>| i32::try_from(found.sum? - i64::from(bound?)).ok();
    let bounds = [(lower, upper.or(most(0))), (other(upper), other(lower).or(most(1)))];
    let bounds = bounds.map(|(lower, upper)| {
        let [lower, upper] = [lower, upper].map(|bound| bound.map(Fraction::from));
        upper.map(|upper| Bounds { lower, upper: Some(upper) })
    });
    let is_known = (found.lower, found.upper) != (None, None);
    let exact = found.stop.is_none();
    let solution = match bounds {
        [Some(one), Some(other)] if is_known => Solution::Guaranteed(Guarantees {
            values: vec![Some(one), Some(other)],
            exact,
            meaning: if exact { Meaning::Minimax } else { Meaning::Guarantee },
            chance: false,
            simultaneous: false,
            endless: false,
            stop: found.stop.clone(),
            line: found.line.clone(),
        }),
        _ => Solution::Open(found.stop.as_ref().map_or_else(String::new, ToString::to_string)),
    };
    Solved { solution, explored: Explored::default(), searched: Some(found.expanded) }
}

/// The maximal number of states visited to find a line of best play where a simple one repeats itself.
const LINE_EFFORT: usize = 1_000_000;

/// Explores all states of a game, or as many as the budget allows, and computes values of its initial state.
///
/// ```
/// use groundrules_explore::{Options, Solution, solve};
/// use groundrules_machine::Compiled;
///
/// // A coin is tossed for 100 or nothing; or the player stays with 20.
/// let text = "(role you) (role random) (init start)
///     (<= (legal you bet) (true start)) (<= (legal you stay) (true start))
///     (<= (legal random heads) (true start)) (<= (legal random tails) (true start))
///     (<= (next won) (does you bet) (does random heads)) (<= (next lost) (does you bet) (does random tails))
///     (<= (next stayed) (does you stay))
///     (<= terminal (not (true start))) (<= (goal random 0) (not (true start)))
///     (<= (goal you 100) (true won)) (<= (goal you 0) (true lost)) (<= (goal you 20) (true stayed))";
/// let game = groundrules_gdl::read(text.as_bytes(), &groundrules_gdl::Options::default()).game.expect("a game");
/// let solved = solve(&Compiled::new(game), &Options::default())?;
/// let Solution::Guaranteed(found) = solved.solution else { panic!("it has values") };
/// let value = found.values[0].expect("you are not nature").lower.expect("an end");
/// assert_eq!((value.to_string(), found.exact, found.values[1]), ("50".to_owned(), true, None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve(game: &Compiled, options: &Options) -> Result<Solved, ExploreError> {
    let roles = game.batch()?.roles().clone();
    let maximal = maximal_goals(game.game(), &roles);
    if !is_puzzle(&roles) || options.cluster.is_some() || options.checkpoints.is_some() {
        return on_workers(game, options, "solve", move |worker| worker.solve(&roles, &maximal));
    }
    let most = maximal[0].stated();
    let mut exploration = options.clone();
    exploration.budget.time = portfolio::exploration_time(options);
    let began = Instant::now();
    let solved = on_workers(game, &exploration, "solve", move |worker| worker.solve(&roles, &maximal))?;
    let solution = portfolio::improve(game, options, began.elapsed(), solved.solution, most);
    Ok(Solved { solution, ..solved })
}

/// Whether a game has one role and no chance.
fn is_puzzle(roles: &Roles) -> bool {
    roles.len() == 1 && roles.nature().is_none()
}

impl Worker<'_> {
    /// One worker's part in solving a game.
    fn solve(&mut self, roles: &Roles, maximal: &[MaximalGoal]) -> Result<Solved, ExploreError> {
        self.judge(maximal);
        let explored = self.search()?;
        let is_puzzle = is_puzzle(roles);
        let solution = match self.refusal(&explored, roles, is_puzzle)? {
            Some(refused) => refused,
            None if is_puzzle => self.plan(&explored, maximal[0].stated())?,
            None => self.guaranteed(&explored, roles)?,
        };
        Ok(Solved { solution, explored, searched: None })
    }

    /// Why the game has no values, if it has none.
    fn refusal(
        &mut self,
        explored: &Explored,
        roles: &Roles,
        is_puzzle: bool,
    ) -> Result<Option<Solution>, ExploreError> {
        let findings = &explored.findings;
        let stuck = findings.stuck.as_ref().filter(|_| !is_puzzle);
        let stuck = stuck.map(|found| (found, "has no legal move, and the game is not over"));
        let goals = findings.no_utility.as_ref();
        let goals = goals.map(|found| (found, "does not have exactly one goal at the end"));
        let Some((found, what)) = [stuck, goals].into_iter().flatten().min() else { return Ok(None) };
        let why = format!("{} {what}", roles[found.role]);
        let line = self.line_to(found)?;
        Ok(Some(Solution::Refused { why, line }))
    }

    fn line_to(&mut self, found: &Finding) -> Result<Line, ExploreError> {
        Ok(self.lines(&[found])?.pop().expect("there is a line to every finding"))
    }

    fn plan(&mut self, explored: &Explored, most: Option<i32>) -> Result<Solution, ExploreError> {
        let Some(best) = explored.findings.reached.iter().max_by_key(|reached| reached.goal) else {
            let (plan, unless) = (Line::new(), explored.stop.clone());
            return Ok(Solution::Plan { best: None, plan, is_shortest: false, upper: most, unless });
        };
        let plan = self.line_to(&best.first)?;
        // There is nothing better than the most.
        let unless = explored.stop.clone().filter(|_| most != Some(best.goal));
        let upper = if unless.is_none() { Some(best.goal) } else { most };
        Ok(Solution::Plan { best: Some(best.goal), plan, is_shortest: true, upper, unless })
    }

    fn guaranteed(&mut self, explored: &Explored, roles: &Roles) -> Result<Solution, ExploreError> {
        if let Some(stop) = &explored.stop {
            return Ok(Solution::Open(stop.to_string()));
        }
        let nature = roles.nature();
        let players: Vec<usize> = (0..roles.len()).filter(|&role| Some(role) != nature).collect();
        let simultaneous = explored.findings.simultaneous;
        let mut values = vec![None; roles.len()];
        let mut forced = None;
        if let Some(nature) = nature {
            match self.expectations(explored, &players, nature)? {
                Err(why) => return Ok(Solution::Open(why.why().to_owned())),
                Ok(found) => {
                    for (&role, interval) in players.iter().zip(found) {
                        values[role] = Some(Bounds { lower: Some(interval.low), upper: Some(interval.high) });
                    }
                }
            }
        } else {
            match self.values(explored, simultaneous)? {
                Err(why) => return Ok(Solution::Open(why.why().to_owned())),
                Ok(found) => {
                    for (value, bounds) in values.iter_mut().zip(self.initial_values(&found)?) {
                        let [lower, upper] = bounds.map(|goal| goal.map(Fraction::from));
                        *value = Some(Bounds { lower, upper });
                    }
                    forced = Some(found);
                }
            }
        }
        let endless = self.has_cycle(explored)? != Some(false);
        let exact = values.iter().flatten().all(|bounds| bounds.exact().is_some());
        let meaning = meaning(explored, &values, exact);
        let line = match &forced {
            Some(forced) if meaning == Meaning::Minimax => self.best_line(forced)?,
            _ => Line::new(),
        };
        let chance = nature.is_some();
        Ok(Solution::Guaranteed(Guarantees {
            values,
            exact,
            meaning,
            chance,
            simultaneous,
            endless,
            stop: None,
            line,
        }))
    }

    /// A line from the initial state to an end in which every role always keeps what it can force: the first such moves, and if
    /// these go round in circles, a shortest such line. Nothing if that takes too much effort.
    fn best_line(&mut self, values: &Values) -> Result<Line, ExploreError> {
        if let Some(line) = self.first_line(values)? {
            return Ok(line);
        }
        Ok(self.shortest_line(values)?.unwrap_or_default())
    }

    /// A state by its row, and the successors in which every role can force what it can force in it.
    fn keeping(&mut self, row: &[u64], values: &Values) -> Result<Successors, ExploreError> {
        let mut rows = Rows::new(self.expander.width());
        rows.push(row);
        let own = self.ranks(&rows, values)?;
        let is_terminal = self.expander.look(&rows)?.is_terminal(0);
        let (mut next, mut joints) = (Rows::new(self.expander.width()), Vec::new());
        self.expander.successors(&rows, false, &mut |successors| {
            for (index, row) in successors.rows.iter().enumerate() {
                next.push(row);
                joints.push(successors.joint(index).to_vec());
            }
            Ok(())
        })?;
        let ranks = self.ranks(&next, values)?;
        let kept =
            ranks.chunks(own.len().max(1)).zip(joints).enumerate().filter(|(_, (ranks, _))| *ranks == own);
        let kept = kept.map(|(index, (_, joint))| (joint, next.row(index).to_vec())).collect();
        Ok(Successors { is_terminal, kept })
    }

    fn first_line(&mut self, values: &Values) -> Result<Option<Line>, ExploreError> {
        let (mut line, mut row) = (Line::new(), self.expander.initial().words().to_vec());
        let mut seen = HashSet::new();
        while seen.insert(row.clone()) {
            let Successors { is_terminal, kept } = self.keeping(&row, values)?;
            if is_terminal {
                return Ok(Some(line));
            }
            let (joint, next) =
                kept.into_iter().next().expect("where roles take turns, a move keeps all values");
            line.push(joint);
            row = next;
        }
        Ok(None)
    }

    fn shortest_line(&mut self, values: &Values) -> Result<Option<Line>, ExploreError> {
        let start = self.expander.initial().words().to_vec();
        // Each state with where it was come to from, and by which joint move.
        let mut states: Vec<(Vec<u64>, usize, Vec<Move>)> = vec![(start.clone(), 0, Vec::new())];
        let mut known: HashSet<Vec<u64>> = HashSet::from([start]);
        let mut at = 0;
        while at < states.len().min(LINE_EFFORT) {
            let row = states[at].0.clone();
            let Successors { is_terminal, kept } = self.keeping(&row, values)?;
            if is_terminal {
                let mut line = Line::new();
                while at != 0 {
                    line.push(states[at].2.clone());
                    at = states[at].1;
                }
                line.reverse();
                return Ok(Some(line));
            }
            for (joint, next) in kept {
                if known.insert(next.clone()) {
                    states.push((next, at, joint));
                }
            }
            at += 1;
        }
        Ok(None)
    }
}

/// The successors of a state in which every role can force as much.
struct Successors {
    is_terminal: bool,
    kept: Vec<(Vec<Move>, Vec<u64>)>,
}

/// What the values mean.
fn meaning(explored: &Explored, values: &[Option<Bounds>], exact: bool) -> Meaning {
    let players: Vec<&Bounds> = values.iter().flatten().collect();
    let (GoalSums::One(sum), [one, other]) = (explored.findings.sums, &players[..]) else {
        return Meaning::Guarantee;
    };
    let adds_up = |one: Fraction, other: Fraction| {
        let whole = one.add(other, Rounding::Down);
        (whole.numerator(), whole.denominator()) == (sum, 1)
    };
    match (one.lower, other.lower) {
        (Some(one), Some(other)) if exact && !explored.findings.simultaneous && adds_up(one, other) => {
            Meaning::Minimax
        }
        _ => Meaning::Guarantee,
    }
}
