//! Statistical evidence where there are too many states: random playouts, and what they show. A violation that is found is
//! a fact, with the line of play; that none is found is evidence only, and its strength is given: if a random playout
//! showed a violation with a probability above the bound, that many playouts would have shown one, with 95 % confidence.

use groundrules_machine::playout::Choices;
use groundrules_machine::{Compiled, Machine, MachineError, Move, State};
use hashbrown::HashSet;

use crate::error::ExploreError;
use crate::lines::Line;
use crate::maximal_goal::{MaximalGoal, maximal_goals};
use crate::verify::Property;

/// How many playouts are played, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleOptions {
    /// How many playouts.
    pub playouts: u64,
    /// The maximal number of joint moves of a playout.
    pub max_moves: usize,
    /// The seed; the same one gives the same playouts.
    pub seed: u64,
}

/// What random playouts showed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// Playouts played.
    pub playouts: u64,
    /// States seen, with repetitions.
    pub states: u64,
    /// Playouts that reached the step limit.
    pub unfinished: u64,
    /// Violations: for each property how many playouts showed one, and the shortest line of those.
    pub violations: Vec<Violation>,
    /// For each role the goals that were reached, ascending.
    pub goals: Vec<Vec<i32>>,
    /// The roles, without nature, that are not known to have reached their maximal goal: no playout reached it, or the rules do
    /// not state it.
    pub short_of_maximum: Vec<usize>,
}

/// What playouts showed of a property that fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The property.
    pub property: Property,
    /// How many playouts showed it.
    pub playouts: u64,
    /// The shortest line among them; there may be shorter ones.
    pub line: Line,
}

impl Sample {
    /// The probability that a random playout shows a violation is below this, with 95 % confidence, where none was seen.
    pub fn bound(&self) -> f64 {
        1.0 - 0.05_f64.powf(1.0 / self.playouts.max(1) as f64)
    }

    fn violation(&mut self, property: Property, line: &Line) {
        match self.violations.iter_mut().find(|violation| violation.property == property) {
            Some(known) => {
                known.playouts += 1;
                if line.len() < known.line.len() {
                    known.line.clone_from(line);
                }
            }
            None => self.violations.push(Violation { property, playouts: 1, line: line.clone() }),
        }
    }
}

/// Plays random playouts of a game.
pub fn sample(game: &Compiled, options: &SampleOptions) -> Result<Sample, ExploreError> {
    let mut machine = game.machine()?;
    let machine = &mut *machine;
    let maximal = maximal_goals(game.game(), machine.roles());
    let mut sample = Sample { goals: vec![Vec::new(); maximal.len()], ..Sample::default() };
    for number in 0..options.playouts {
        game.cancel().check()?;
        let choices = Choices::new(options.seed, number);
        let mut playout = Playout::new(machine, choices, &maximal, &mut sample);
        playout.play(options.max_moves)?;
        sample.playouts += 1;
    }
    let is_short = |&role: &usize| {
        let goal = maximal[role].stated();
        maximal[role].is_judged && !goal.is_some_and(|goal| sample.goals[role].contains(&goal))
    };
    sample.short_of_maximum = (0..maximal.len()).filter(is_short).collect();
    Ok(sample)
}

/// A playout under way, and what it has shown so far.
struct Playout<'a> {
    machine: &'a mut dyn Machine,
    choices: Choices,
    maximal: &'a [MaximalGoal],
    sample: &'a mut Sample,
    line: Line,
    seen: HashSet<State>,
    /// Each role's goal in the state before, if it had exactly one.
    before: Vec<Option<i32>>,
    /// The properties that this playout has shown to fail; each is counted once.
    failed: Vec<Property>,
}

impl<'a> Playout<'a> {
    fn new(
        machine: &'a mut dyn Machine,
        choices: Choices,
        maximal: &'a [MaximalGoal],
        sample: &'a mut Sample,
    ) -> Self {
        machine.reset();
        let (line, seen, failed) = (Line::new(), HashSet::new(), Vec::new());
        Playout { machine, choices, maximal, sample, line, seen, before: vec![None; maximal.len()], failed }
    }

    fn play(&mut self, max_moves: usize) -> Result<(), MachineError> {
        loop {
            self.note_state();
            let is_over = self.machine.is_terminal()?;
            self.note_goals(is_over)?;
            if is_over {
                return Ok(());
            }
            if self.line.len() >= max_moves {
                self.sample.unfinished += 1;
                return Ok(());
            }
            let Some(joint) = self.random_moves()? else {
                self.fails(Property::Playability);
                return Ok(());
            };
            self.machine.advance(&joint)?;
            self.line.push(joint);
        }
    }

    fn fails(&mut self, property: Property) {
        if !self.failed.contains(&property) {
            self.failed.push(property);
            self.sample.violation(property, &self.line);
        }
    }

    /// Counts the state; one that comes again shows that play may go on for ever.
    fn note_state(&mut self) {
        self.sample.states += 1;
        let mut state = State::default();
        self.machine.save(&mut state);
        if !self.seen.insert(state) {
            self.fails(Property::Termination);
        }
    }

    /// Looks at the goals of the roles that want something.
    fn note_goals(&mut self, is_over: bool) -> Result<(), MachineError> {
        for role in (0..self.maximal.len()).filter(|&role| self.maximal[role].is_judged) {
            let goals = self.machine.goals(role)?.to_vec();
            let goal = if let [goal] = goals[..] { Some(goal) } else { None };
            if goal.is_none() || goal < self.before[role] {
                self.fails(Property::Monotonicity);
            }
            self.before[role] = goal;
            if is_over {
                if goal.is_none() {
                    self.fails(Property::Utility);
                }
                let reached = &mut self.sample.goals[role];
                for goal in goals {
                    if let Err(place) = reached.binary_search(&goal) {
                        reached.insert(place, goal);
                    }
                }
            }
        }
        Ok(())
    }

    /// A random legal move for every role; `None` if one has none.
    fn random_moves(&mut self) -> Result<Option<Vec<Move>>, MachineError> {
        let mut joint = Vec::with_capacity(self.maximal.len());
        for role in 0..self.maximal.len() {
            match self.choices.one_of(self.machine.legal(role)?) {
                Some(made) => joint.push(made),
                None => return Ok(None),
            }
        }
        Ok(Some(joint))
    }
}
