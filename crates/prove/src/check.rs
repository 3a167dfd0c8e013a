//! The checker of certificates. It shares nothing with the search for proofs but the ground game: it makes its own clauses from the ground
//! rules, asks another solver, and plays lines with the ground game's evaluator. What it does not understand it refuses.
//!
//! Rules that depend on each other are taken as their completion, which has more models than the least fixpoint: a proof that passes is
//! right, and one that needs the least fixpoint is refused.

mod claims;
mod clauses;
mod effects;
mod formula;
mod lines;
mod measure;
mod sums;

use std::time::Duration;

use groundrules_gdl::Game;
use groundrules_gdl::Roles;
use groundrules_gdl::goals::{StatedGoal, stated_goals};
use groundrules_ground::GroundGame;

use crate::certificate::{Certificate, Certified, Evidence, WrittenProof};
use crate::verdict::Claim;
use claims::{Bad, Words};
use clauses::{Cnf, Rules};
use formula::Formula;

/// Why a certificate is not believed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It is about something unknown.
    #[error("`{0}` is unknown")]
    Unknown(String),
    /// The evidence is not of a kind that could show the verdict.
    #[error("the evidence cannot show that {0}")]
    WrongEvidence(String),
    /// An invariant does not hold in the initial state.
    #[error("an invariant does not hold in the initial state")]
    NotInitial,
    /// The invariants do not exclude what must not happen, or do not prove each other.
    #[error("{0}")]
    NotProved(String),
    /// A line is not legal, or does not show what it should.
    #[error("a line of moves does not show it: {0}")]
    WrongLine(String),
    /// The solver had no answer in the time.
    #[error("it could not be checked within {0} s")]
    NoTime(u64),
}

/// What the checker knows of the game.
struct Checker<'g> {
    rules: Rules<'g>,
    roles: Roles,
    stated: Vec<StatedGoal>,
    words: Words,
    time: Duration,
}

/// Checks a certificate against a game; gives what was shown, and refuses at the first thing that is not.
pub fn check(
    game: &Game,
    ground: &GroundGame,
    certificate: &Certificate,
    time: Duration,
) -> Result<Vec<(String, bool)>, (String, Refusal)> {
    let roles = Roles::new(ground.roles.iter().map(|&role| ground.term(role)).collect());
    let stated = stated_goals(game, &roles);
    let rules = Rules::of(ground);
    let words = Words::of(ground, &rules, &roles, &stated);
    let checker = Checker { rules, roles, stated, words, time };
    let mut shown = Vec::new();
    for certified in &certificate.verdicts {
        match checker.verdict(certified) {
            Ok(()) => shown.push((certified.claim.clone(), certified.holds)),
            Err(refusal) => return Err((certified.claim.clone(), refusal)),
        }
    }
    Ok(shown)
}

/// What a certificate is about: a property, or a formula that holds always or never.
fn claim_of(text: &str) -> Option<Claim> {
    let formula = |word: &str| Some(text.strip_prefix(word)?.to_owned());
    let property = Claim::PROPERTIES.into_iter().find(|claim| claim.to_string() == text);
    property.or_else(|| formula("always ").map(Claim::Always)).or_else(|| formula("never ").map(Claim::Never))
}

impl Checker<'_> {
    /// What violates a claim about a formula.
    fn violation(&self, claim: &Claim) -> Result<Formula, Refusal> {
        match claim {
            Claim::Always(text) => Ok(Formula::Not(Box::new(self.formula(text)?))),
            Claim::Never(text) => self.formula(text),
            other => Err(Refusal::Unknown(other.to_string())),
        }
    }

    fn verdict(&self, certified: &Certified) -> Result<(), Refusal> {
        let claim = claim_of(&certified.claim).ok_or_else(|| Refusal::Unknown(certified.claim.clone()))?;
        let wrong = || {
            let verb = if certified.holds { "holds" } else { "fails" };
            Refusal::WrongEvidence(format!("{} {verb}", certified.claim))
        };
        match (&claim, certified.holds, &certified.evidence) {
            (Claim::Termination, true, Evidence::Proof(proof)) => self.ends(proof),
            (Claim::WeakWinnability, true, Evidence::Lines(lines)) => self.wins(lines),
            (Claim::WeakWinnability, false, Evidence::Impossible(role, proof)) => {
                let role = self.roles.find(role).filter(|&role| self.stated[role].is_judged);
                self.excludes(proof, &Bad::Win(role.ok_or_else(wrong)?))
            }
            (Claim::Playability, true, Evidence::Proof(proof)) => self.excludes(proof, &Bad::Stuck),
            (Claim::Utility, true, Evidence::Proof(proof)) => self.excludes(proof, &Bad::NoUtility),
            (Claim::Monotonicity, true, Evidence::Proof(proof)) => self.excludes(proof, &Bad::NotMonotone),
            (Claim::Always(_) | Claim::Never(_), true, Evidence::Proof(proof)) => {
                self.excludes(proof, &Bad::Formula(self.violation(&claim)?))
            }
            (Claim::WeakWinnability, ..) => Err(wrong()),
            (_, false, Evidence::Line(line)) => self.refutes(&claim, line),
            _ => Err(wrong()),
        }
    }

    fn unsatisfiable(&self, cnf: &Cnf, otherwise: &str) -> Result<(), Refusal> {
        match cnf.is_satisfiable(self.time) {
            Some(false) => Ok(()),
            Some(true) => Err(Refusal::NotProved(otherwise.to_owned())),
            None => Err(Refusal::NoTime(self.time.as_secs())),
        }
    }

    /// Whether a proof shows that no bad state can be reached.
    fn excludes(&self, proof: &WrittenProof, bad: &Bad) -> Result<(), Refusal> {
        if proof.measure.is_some() {
            return Err(Refusal::WrongEvidence(
                "no bad state is reached: a measure shows something else".to_owned(),
            ));
        }
        if let Some(moves) = proof.longer_than_all {
            return self.no_match_longer(moves, Some(bad));
        }
        self.is_inductive(proof, Some(bad))
    }

    /// Whether the invariants hold at first and prove each other, and together with that no state is bad, that the next is not.
    fn is_inductive(&self, proof: &WrittenProof, bad: Option<&Bad>) -> Result<(), Refusal> {
        let invariants = self.words.invariants(proof)?;
        let first = self.words.first(&self.rules);
        if !invariants.iter().all(|clause| clause.iter().any(|&(latch, value)| first[latch] == value)) {
            return Err(Refusal::NotInitial);
        }
        let sums = self.sums(proof)?;
        if !sums.iter().all(|sum| sum.holds(&first)) {
            return Err(Refusal::NotInitial);
        }
        let mut cnf = Cnf::default();
        let latches: Vec<_> = first.iter().map(|&value| cnf.constant(value)).collect();
        let frame = self.rules.frame(&mut cnf, &latches[..self.rules.fluents()]);
        if let Some(bad) = bad {
            let bad = self.bad(&mut cnf, &frame, &latches, bad);
            cnf.clause(vec![bad]);
            self.unsatisfiable(&cnf, "the initial state violates it")?;
        }
        let mut cnf = Cnf::default();
        let latches = cnf.fresh_many(self.words.latches());
        let frame = self.rules.frame(&mut cnf, &latches[..self.rules.fluents()]);
        let next = self.words.next(&self.rules, &mut cnf, &frame, &self.stated);
        for clause in &invariants {
            let clause = clause.iter().map(|&(latch, value)| clauses::signed(latches[latch], value));
            cnf.clause(clause.collect());
        }
        self.assume_sums(&mut cnf, &sums, &latches)?;
        self.rules.add_legal_moves(&mut cnf, &frame);
        let mut broken = Vec::new();
        for sum in &sums {
            broken.push(sum.changes(&mut cnf, &latches, &next)?);
        }
        for clause in &invariants {
            let none = clause.iter().map(|&(latch, value)| clauses::signed(next[latch], !value)).collect();
            broken.push(cnf.and(none));
        }
        if let Some(bad) = bad {
            let now = self.bad(&mut cnf, &frame, &latches, bad);
            cnf.clause(vec![!now]);
            let after = self.rules.frame(&mut cnf, &next[..self.rules.fluents()]);
            broken.push(self.bad(&mut cnf, &after, &next, bad));
        }
        cnf.clause(broken);
        self.unsatisfiable(&cnf, "the invariants do not prove each other and the property")
    }
}
