//! Verdicts on the properties of a game, in the words of the specification and of Saffidine's paper: each holds, fails, or
//! is open. What fails by a line of play has a shortest one; what is open says why.
//!
//! Nothing is claimed that was not seen: with states left that were not looked at, only what was found counts.

use crate::budget::Budget;
use crate::checkpoint::Checkpoint;
use crate::cycle::Lasso;
use crate::error::ExploreError;
use crate::findings::Finding;
use crate::lines::Line;
use crate::search::{Explored, Position, Worker};
use crate::target::Target;
use crate::values::NoValues;

/// A property of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Property {
    /// Play never goes on for ever.
    Termination,
    /// Every role has a legal move wherever play is not over.
    Playability,
    /// Every role has exactly one goal wherever play is over.
    Utility,
    /// For every role some line of play leads to its maximal goal.
    WeakWinnability,
    /// The four before together.
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

/// What is known of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It holds.
    Holds,
    /// It does not.
    Fails,
    /// Neither was found out.
    Open,
}

/// A verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The property.
    pub property: Property,
    /// What is known of it.
    pub outcome: Outcome,
    /// Why, in words; nothing where the outcome says it all.
    pub why: String,
    /// A shortest line of play that shows that it fails.
    pub line: Option<Line>,
}

/// All verdicts, and what they rest on.
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

/// Explores a game and gives the verdicts; one worker's part. `roles` are the roles' names, `targets` what they want.
pub fn verify(
    worker: &mut Worker<'_>,
    roles: &[String],
    targets: &[Target],
    budget: &Budget,
    resumed: Option<Position>,
    checkpoint: Option<&mut Checkpoint>,
) -> Result<Verification, ExploreError> {
    worker.judge(targets);
    let explored = worker.search(budget, resumed, checkpoint)?;
    let mut drafts = vec![
        worker.termination(&explored)?,
        playability(&explored, roles),
        utility(&explored, roles),
        weak_winnability(&explored, roles, targets),
    ];
    drafts.push(well_formedness(&drafts));
    drafts.push(monotonicity(&explored, roles));
    drafts.push(worker.strong_winnability(&explored, roles, targets)?);
    let verdicts = worker.with_lines(drafts)?;
    Ok(Verification { verdicts, explored })
}

fn open(property: Property, explored: &Explored) -> Option<Draft> {
    let stop = explored.stop.as_ref()?;
    Some(Draft::new(property, Outcome::Open, stop.to_string()))
}

fn holds(property: Property) -> Draft {
    Draft::new(property, Outcome::Holds, "")
}

fn name(roles: &[String], role: usize) -> &str {
    roles.get(role).map_or("?", String::as_str)
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

fn weak_winnability(explored: &Explored, roles: &[String], targets: &[Target]) -> Draft {
    let property = Property::WeakWinnability;
    let findings = &explored.findings;
    let mut missing = Vec::new();
    for (role, target) in targets.iter().enumerate().filter(|(_, target)| target.is_judged) {
        let goal = target.goal(role, findings);
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
        return Draft::new(property, Outcome::Fails, format!("for want of {}", failing.join(", ")));
    }
    if !open.is_empty() {
        return Draft::new(property, Outcome::Open, format!("not known: {}", open.join(", ")));
    }
    holds(property)
}

impl Worker<'_> {
    fn termination(&mut self, explored: &Explored) -> Result<Draft, ExploreError> {
        let property = Property::Termination;
        if explored.is_graded() {
            return Ok(open(property, explored).unwrap_or_else(|| holds(property)));
        }
        let fails = |lasso: Lasso| {
            let length = lasso.entry.depth + lasso.round.len();
            let shortest = if lasso.is_shortest { "" } else { " (there may be a shorter line)" };
            let why = format!(
                "the state after {} comes again after {}{shortest}",
                moves(lasso.entry.depth),
                moves(length)
            );
            Draft { tail: lasso.round, ..Draft::fails(property, why, &lasso.entry) }
        };
        if let Some(lasso) = self.lasso(explored)? {
            return Ok(fails(lasso));
        }
        if let Some(draft) = open(property, explored) {
            return Ok(draft);
        }
        Ok(match self.has_cycle(explored)? {
            Some(true) => {
                Draft::new(property, Outcome::Fails, "there is a cycle; a line to it was too far to find")
            }
            Some(false) => holds(property),
            None => Draft::new(property, Outcome::Open, "looking for cycles needs all states in memory"),
        })
    }

    fn strong_winnability(
        &mut self,
        explored: &Explored,
        roles: &[String],
        targets: &[Target],
    ) -> Result<Draft, ExploreError> {
        let property = Property::StrongWinnability;
        if let Some(draft) = open(property, explored) {
            return Ok(draft);
        }
        let forced = match self.forced_goals(explored)? {
            Ok(forced) => forced,
            Err(why) => return Ok(Draft::new(property, Outcome::Open, no_values(why))),
        };
        let wins = |&role: &usize| {
            let goal = targets[role].goal(role, &explored.findings);
            targets[role].is_judged && goal.is_some() && forced.get(role) == Some(&goal)
        };
        let winners: Vec<&str> = (0..targets.len()).filter(wins).map(|role| name(roles, role)).collect();
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
        match self.values(explored)? {
            Ok(values) => self.initial_values(&values).map(Ok),
            Err(why) => Ok(Err(why)),
        }
    }

    /// Finds the lines of all drafts in one pass.
    fn with_lines(&mut self, drafts: Vec<Draft>) -> Result<Vec<Verdict>, ExploreError> {
        let findings: Vec<&Finding> = drafts.iter().filter_map(|draft| draft.finding.as_ref()).collect();
        let mut lines = self.lines(&findings)?.into_iter();
        let verdict = |draft: Draft| {
            let line = draft.finding.as_ref().and_then(|_| lines.next());
            let line = line.map(|line| line.into_iter().chain(draft.tail).collect());
            Verdict { property: draft.property, outcome: draft.outcome, why: draft.why, line }
        };
        Ok(drafts.into_iter().map(verdict).collect())
    }
}

/// Why there are no values, in words.
pub(crate) fn no_values(why: NoValues) -> &'static str {
    match why {
        NoValues::TooManyGoals => "there are more than 254 different goals",
        NoValues::NotInMemory => "finding what can be forced needs all states in memory",
        NoValues::Cancelled => "the time was over before it was known what can be forced",
    }
}
