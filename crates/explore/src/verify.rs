//! Verdicts on the properties of a game, as the specification and Saffidine's paper define them: each holds, fails, or is open.
//! A property that a line of play refutes comes with a shortest such line; one that is open comes with the reason.
//!
//! A verdict rests on states that were seen: an incomplete search decides only what its findings prove.

use groundrules_machine::Compiled;

use crate::cycle::Lasso;
use crate::error::ExploreError;
use crate::findings::Finding;
use crate::lines::Line;
use crate::maximal_goal::{MaximalGoal, maximal_goals};
use crate::options::Options;
use crate::run::on_workers;
use crate::search::Explored;
use crate::symmetry::played;
use crate::values::NoValues;
use crate::worker::Worker;

/// A property of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Property {
    /// Every match ends.
    Termination,
    /// Every role has a legal move in every state that is not terminal.
    Playability,
    /// Every role has exactly one goal in every terminal state.
    Utility,
    /// For every role some line of play leads to its maximal goal.
    WeakWinnability,
    /// All four above.
    WellFormedness,
    /// Every role has exactly one goal everywhere, and it never falls.
    Monotonicity,
    /// Some role reaches its maximal goal whatever all others do.
    StrongWinnability,
}

impl Property {
    /// All of them, in the order of reports.
    pub const ALL: [Property; 7] = [
        Property::Termination,
        Property::Playability,
        Property::Utility,
        Property::WeakWinnability,
        Property::WellFormedness,
        Property::Monotonicity,
        Property::StrongWinnability,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Property::Termination => "termination",
            Property::Playability => "playability",
            Property::Utility => "utility structure",
            Property::WeakWinnability => "weak winnability",
            Property::WellFormedness => "well-formedness",
            Property::Monotonicity => "monotonicity",
            Property::StrongWinnability => "strong winnability",
        }
    }
}

/// Whether a property holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It holds.
    Holds,
    /// It does not.
    Fails,
    /// Neither was proved.
    Open,
}

/// A verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The property.
    pub property: Property,
    /// Whether it holds.
    pub outcome: Outcome,
    /// The reason; empty where the outcome needs none.
    pub why: String,
    /// A shortest line of play that shows that it fails.
    pub line: Option<Line>,
}

/// All verdicts, and the search behind them.
#[derive(Clone, Debug)]
pub struct Verification {
    /// One for each property, in the order of [`Property::ALL`].
    pub verdicts: Vec<Verdict>,
    /// What the search found.
    pub explored: Explored,
}

/// What is known before lines are looked for.
struct Draft {
    property: Property,
    outcome: Outcome,
    why: String,
    finding: Option<Finding>,
    /// What follows the line to the finding.
    tail: Line,
}

impl Draft {
    fn new(property: Property, outcome: Outcome, why: impl Into<String>) -> Self {
        Draft { property, outcome, why: why.into(), finding: None, tail: Vec::new() }
    }

    fn fails(property: Property, why: String, finding: &Finding) -> Self {
        Draft { finding: Some(finding.clone()), ..Draft::new(property, Outcome::Fails, why) }
    }
}

impl Verification {
    /// The verdict on a property.
    pub fn verdict(&self, property: Property) -> &Verdict {
        let found = self.verdicts.iter().find(|verdict| verdict.property == property);
        found.expect("there is a verdict on every property")
    }
}

/// Explores all states of a game, or as many as the budget allows, and gives a verdict on every property.
pub fn verify(game: &Compiled, options: &Options) -> Result<Verification, ExploreError> {
    let roles = game.batch()?.roles().clone();
    let maximal = maximal_goals(game.game(), &roles);
    let mut found = on_workers(game, options, "verify", move |worker| worker.verify(&roles, &maximal))?;
    if let Some(group) = &options.symmetry {
        for line in found.verdicts.iter_mut().filter_map(|verdict| verdict.line.as_mut()) {
            *line = played(game, group, line)?;
        }
    }
    Ok(found)
}

fn open(property: Property, explored: &Explored) -> Option<Draft> {
    let stop = explored.stop.as_ref()?;
    Some(Draft::new(property, Outcome::Open, stop.to_string()))
}

fn holds(property: Property) -> Draft {
    Draft::new(property, Outcome::Holds, "")
}

fn name(roles: &[String], role: usize) -> &str {
    &roles[role]
}

fn playability(explored: &Explored, roles: &[String]) -> Draft {
    let property = Property::Playability;
    match &explored.findings.stuck {
        Some(found) => {
            let why = format!("{} has no legal move after {}", name(roles, found.role), moves(found.length));
            Draft::fails(property, why, found)
        }
        None => open(property, explored).unwrap_or_else(|| holds(property)),
    }
}

fn utility(explored: &Explored, roles: &[String]) -> Draft {
    let property = Property::Utility;
    match &explored.findings.no_utility {
        Some(found) => {
            let role = name(roles, found.role);
            let why =
                format!("{role} does not have exactly one goal at the end after {}", moves(found.length));
            Draft::fails(property, why, found)
        }
        None => open(property, explored).unwrap_or_else(|| holds(property)),
    }
}

fn monotonicity(explored: &Explored, roles: &[String]) -> Draft {
    let property = Property::Monotonicity;
    match &explored.findings.not_monotone {
        Some(found) => {
            let role = name(roles, found.role);
            let why = match found.joint {
                Some(_) => format!("the goal of {role} falls with move {}", found.length),
                None => format!("{role} does not have exactly one goal after {}", moves(found.length)),
            };
            Draft::fails(property, why, found)
        }
        None => open(property, explored).unwrap_or_else(|| holds(property)),
    }
}

fn moves(count: usize) -> String {
    format!("{count} move{}", if count == 1 { "" } else { "s" })
}

fn weak_winnability(explored: &Explored, roles: &[String], maximal: &[MaximalGoal]) -> Draft {
    let property = Property::WeakWinnability;
    let findings = &explored.findings;
    let mut missing = Vec::new();
    for (role, maximal) in maximal.iter().enumerate().filter(|(_, maximal)| maximal.is_judged) {
        // What is reached counts as the most only when all states were seen.
        let goal = match explored.stop {
            None => maximal.after(role, findings),
            Some(_) => maximal.stated(),
        };
        let is_reached = |goal| findings.reached.iter().any(|one| (one.role, one.goal) == (role, goal));
        if !goal.is_some_and(is_reached) {
            let goal = goal.map_or_else(|| "any goal".to_owned(), |goal| goal.to_string());
            missing.push(format!("no line of play gives {} {goal}", name(roles, role)));
        }
    }
    if missing.is_empty() {
        return holds(property);
    }
    open(property, explored).unwrap_or_else(|| Draft::new(property, Outcome::Fails, missing.join("; ")))
}

fn well_formedness(parts: &[Draft]) -> Draft {
    let property = Property::WellFormedness;
    let with = |outcome| -> Vec<&str> {
        parts.iter().filter(|part| part.outcome == outcome).map(|part| part.property.name()).collect()
    };
    let (failing, open) = (with(Outcome::Fails), with(Outcome::Open));
    if !failing.is_empty() {
        return Draft::new(property, Outcome::Fails, format!("not satisfied: {}", failing.join(", ")));
    }
    if !open.is_empty() {
        return Draft::new(property, Outcome::Open, format!("not known: {}", open.join(", ")));
    }
    holds(property)
}

impl Worker<'_> {
    /// One worker's part in verifying a game.
    fn verify(&mut self, roles: &[String], maximal: &[MaximalGoal]) -> Result<Verification, ExploreError> {
        self.judge(maximal);
        let explored = self.search()?;
        let mut drafts = vec![
            self.termination(&explored)?,
            playability(&explored, roles),
            utility(&explored, roles),
            weak_winnability(&explored, roles, maximal),
        ];
        drafts.push(well_formedness(&drafts));
        drafts.push(monotonicity(&explored, roles));
        drafts.push(self.strong_winnability(&explored, roles, maximal)?);
        let verdicts = self.with_lines(drafts)?;
        Ok(Verification { verdicts, explored })
    }

    fn termination(&mut self, explored: &Explored) -> Result<Draft, ExploreError> {
        let property = Property::Termination;
        if explored.is_graded() {
            return Ok(open(property, explored).unwrap_or_else(|| holds(property)));
        }
        let has_symmetry = self.has_symmetry;
        let fails = |lasso: Lasso| {
            let length = lasso.entry.depth + lasso.round.len();
            let shortest = if lasso.is_shortest { "" } else { " (there may be a shorter line)" };
            let (first, again) = (moves(lasso.entry.depth), moves(length));
            let why = if has_symmetry {
                format!(
                    "the state after {first}, or one symmetric to it, comes again after {again}{shortest}"
                )
            } else {
                format!("the state after {first} comes again after {again}{shortest}")
            };
            Draft { tail: lasso.round, ..Draft::fails(property, why, &lasso.entry) }
        };
        if let Some(lasso) = self.lasso(explored)? {
            return Ok(fails(lasso));
        }
        if let Some(draft) = open(property, explored) {
            return Ok(draft);
        }
        Ok(match self.has_cycle(explored)? {
            Some(true) => Draft::new(
                property,
                Outcome::Fails,
                "there is a cycle; the search for a line to it was given up",
            ),
            Some(false) => holds(property),
            None => Draft::new(property, Outcome::Open, "finding distant cycles needs all states in memory"),
        })
    }

    fn strong_winnability(
        &mut self,
        explored: &Explored,
        roles: &[String],
        maximal: &[MaximalGoal],
    ) -> Result<Draft, ExploreError> {
        let property = Property::StrongWinnability;
        if let Some(draft) = open(property, explored) {
            return Ok(draft);
        }
        let forced = match self.forced_goals(explored)? {
            Ok(forced) => forced,
            Err(why) => return Ok(Draft::new(property, Outcome::Open, why.why())),
        };
        let wins = |&role: &usize| {
            let goal = maximal[role].after(role, &explored.findings);
            maximal[role].is_judged && goal.is_some() && forced[role] == goal
        };
        let winners: Vec<&str> = (0..maximal.len()).filter(wins).map(|role| name(roles, role)).collect();
        Ok(if winners.is_empty() {
            Draft::new(property, Outcome::Fails, "no role can force its maximal goal")
        } else {
            Draft::new(property, Outcome::Holds, format!("{} can force it", winners.join(" and ")))
        })
    }

    /// What every role can force in the initial state. Alone a role can force whatever can be reached.
    fn forced_goals(
        &mut self,
        explored: &Explored,
    ) -> Result<Result<Vec<Option<i32>>, NoValues>, ExploreError> {
        if self.expander.roles() == 1 {
            let best = explored.findings.reached.iter().map(|reached| reached.goal).max();
            return Ok(Ok(vec![best]));
        }
        match self.values(explored, false)? {
            Ok(values) => Ok(Ok(self.initial_values(&values)?.into_iter().map(|[lower, _]| lower).collect())),
            Err(why) => Ok(Err(why)),
        }
    }

    /// Finds the lines of all drafts in one pass.
    fn with_lines(&mut self, drafts: Vec<Draft>) -> Result<Vec<Verdict>, ExploreError> {
        let findings: Vec<&Finding> = drafts.iter().filter_map(|draft| draft.finding.as_ref()).collect();
        let mut lines = self.lines(&findings)?.into_iter();
        let verdict = |draft: Draft| {
            let line =
                draft.finding.as_ref().map(|_| lines.next().expect("there is a line to every finding"));
            let line = line.map(|line| line.into_iter().chain(draft.tail).collect());
            Verdict { property: draft.property, outcome: draft.outcome, why: draft.why, line }
        };
        Ok(drafts.into_iter().map(verdict).collect())
    }
}
