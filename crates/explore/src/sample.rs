//! Statistical evidence where there are too many states: random playouts, and what they show. A violation that is found is
//! a fact, with the line of play; that none is found is evidence only, and its strength is given: if a random playout
//! showed a violation with a probability above the bound, that many playouts would have shown one, with 95 % confidence.

use groundrules_machine::playout::Choices;
use groundrules_machine::{Machine, MachineError, State};
use hashbrown::HashSet;

use crate::lines::Line;
use crate::verify::Property;

/// What random playouts showed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// Playouts played.
    pub playouts: u64,
    /// States seen, with repetitions.
    pub states: u64,
    /// Playouts that came to the limit of moves.
    pub unfinished: u64,
    /// Violations: for each property how many playouts showed one, and the shortest line of those.
    pub violations: Vec<Violation>,
    /// For each role the goals that were reached, ascending.
    pub goals: Vec<Vec<i32>>,
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

/// Plays random playouts. The same seed gives the same ones. `judged` tells whose goals count.
pub fn sample(
    machine: &mut dyn Machine,
    playouts: u64,
    max_steps: usize,
    seed: u64,
    judged: &[bool],
) -> Result<Sample, MachineError> {
    let roles = machine.roles().len();
    let mut sample = Sample { goals: vec![Vec::new(); roles], ..Sample::default() };
    for number in 0..playouts {
        let mut choices = Choices::new(seed, number);
        play(machine, &mut choices, max_steps, judged, &mut sample)?;
        sample.playouts += 1;
    }
    Ok(sample)
}

fn play(
    machine: &mut dyn Machine,
    choices: &mut Choices,
    max_steps: usize,
    judged: &[bool],
    sample: &mut Sample,
) -> Result<(), MachineError> {
    machine.reset();
    let roles = machine.roles().len();
    let (mut line, mut seen, mut state) = (Line::new(), HashSet::new(), State::default());
    let (mut before, mut is_monotone) = (vec![None; roles], true);
    let mut shown = Vec::new();
    loop {
        sample.states += 1;
        machine.save(&mut state);
        if !seen.insert(state.clone()) && !shown.contains(&Property::Termination) {
            shown.push(Property::Termination);
            sample.violation(Property::Termination, &line);
        }
        let is_over = machine.is_terminal()?;
        for role in (0..roles).filter(|&role| judged.get(role).copied().unwrap_or(true)) {
            let goals = machine.goals(role)?.to_vec();
            let goal = if let [goal] = goals[..] { Some(goal) } else { None };
            if is_monotone && (goal.is_none() || goal < before[role]) {
                is_monotone = false;
                sample.violation(Property::Monotonicity, &line);
            }
            before[role] = goal;
            if is_over {
                if goal.is_none() && !shown.contains(&Property::Utility) {
                    shown.push(Property::Utility);
                    sample.violation(Property::Utility, &line);
                }
                for goal in goals {
                    if let Err(place) = sample.goals[role].binary_search(&goal) {
                        sample.goals[role].insert(place, goal);
                    }
                }
            }
        }
        if is_over {
            return Ok(());
        }
        if line.len() >= max_steps {
            sample.unfinished += 1;
            return Ok(());
        }
        let mut joint = Vec::with_capacity(roles);
        for role in 0..roles {
            match choices.one_of(machine.legal(role)?) {
                Some(made) => joint.push(made),
                None => {
                    sample.violation(Property::Playability, &line);
                    return Ok(());
                }
            }
        }
        machine.advance(&joint)?;
        line.push(joint);
    }
}
