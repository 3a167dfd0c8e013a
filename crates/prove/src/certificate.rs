//! Certificates: verdicts with their evidence in the game's own words, as JSON. [`check`](crate::check()) decides whether to believe one.

use groundrules_gdl::canonical;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::effects::Effect;
use crate::invariants::Invariant;
use crate::linear::Reasons;
use crate::playouts::Line;
use crate::state::StateLiteral;
use crate::subject::Subject;
use crate::termination::Measure;
use crate::verdict::{Answer, Claim, Proof, Verdict};

/// What the file says it is.
const FORMAT: &str = "groundrules certificate 1";

/// Verdicts on a game, with evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    format: String,
    /// The BLAKE3 digest of the description.
    pub description: String,
    /// The verdicts.
    pub verdicts: Vec<Certified>,
}

/// A verdict with its evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certified {
    /// The property.
    pub claim: String,
    /// Whether it holds.
    pub holds: bool,
    /// Why.
    pub evidence: Evidence,
}

/// Why a verdict is right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Evidence {
    /// An inductive invariant.
    Proof(WrittenProof),
    /// For each role that is judged, joint moves to its maximal goal.
    Lines(Vec<Vec<Vec<String>>>),
    /// Joint moves that show that the property fails.
    Line(Vec<Vec<String>>),
    /// A role that cannot win, and why.
    Impossible(String, WrittenProof),
}

/// A proof with latches as terms.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenProof {
    /// Of each of these groups at most one holds.
    pub at_most_one: Vec<Vec<String>>,
    /// Of each of these groups at least one holds.
    pub at_least_one: Vec<Vec<String>>,
    /// Of each of these lists one holds, or one of the second list does not.
    pub clauses: Vec<(Vec<String>, Vec<String>)>,
    /// Weighted sums that are always the same: groups of latches of which at most one holds, with their weights, and the total.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sums: Vec<WrittenSum>,
    /// No match has so many moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longer_than_all: Option<usize>,
    /// Why every match ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measure: Option<WrittenMeasure>,
}

/// A measure with latches as terms.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenMeasure {
    /// Rounds of groups: latches, and the class of each and of none.
    pub rounds: Vec<Vec<(Vec<String>, Vec<u32>)>>,
    /// Sums that no move raises that keeps all classes and the sums before: groups of latches with their weights.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub falling: Vec<Vec<Vec<(String, i64)>>>,
    /// So many moves in a row never keep all classes and sums; 0 if that is not asked for.
    pub stalled: usize,
    /// Weighted sums.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sums: Vec<Vec<(String, i64)>>,
    /// What moves turn on and off.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<(Vec<String>, Vec<String>)>,
    /// Groups of latches of which at most one holds, no latch in two of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Vec<String>>,
    /// What joint moves do to these groups.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<WrittenEffect>,
}

/// What a joint move does to groups.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenEffect {
    /// The moves, in the order of the roles.
    pub joint: Vec<String>,
    /// The groups that may change.
    pub groups: Vec<WrittenChange>,
}

/// The change of a group: its number, whether it may also stay, and its values before and after. A value is the place of a latch in the
/// group, or the number of latches for none of them.
pub type WrittenChange = (usize, bool, Vec<(u32, u32)>);

/// A weighted sum: groups of latches with their weights, and what the weights of those that hold add up to.
pub type WrittenSum = (Vec<Vec<(String, i64)>>, i64);

/// Why a text is no certificate.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// It is not one at all.
    #[error("this is not a certificate: {0}")]
    NotOne(String),
    /// It is about another description.
    #[error("the certificate is about another description")]
    OtherGame,
}

impl Certificate {
    /// The certificate of all verdicts that are decided. Claims that something holds eventually are left out.
    pub fn of(subject: &Subject, text: &[u8], verdicts: &[Verdict]) -> Certificate {
        let certified = verdicts.iter().filter_map(|verdict| {
            let is_checked = !matches!(verdict.claim, Claim::Eventually(_));
            let evidence = evidence(subject, &verdict.answer).filter(|_| is_checked)?;
            Some(Certified { claim: verdict.claim.to_string(), holds: verdict.holds()?, evidence })
        });
        Certificate {
            format: FORMAT.to_owned(),
            description: blake3::hash(text).to_string(),
            verdicts: certified.collect(),
        }
    }

    /// Reads a certificate for a description.
    pub fn read(json: &[u8], text: &[u8]) -> Result<Certificate, CertificateError> {
        let not_one = |why: String| CertificateError::NotOne(why);
        let own: Certificate = serde_json::from_slice(json).map_err(|error| not_one(error.to_string()))?;
        if own.format != FORMAT {
            return Err(not_one(format!("its format is `{}`, not `{FORMAT}`", own.format)));
        }
        if own.description != blake3::hash(text).to_string() {
            return Err(CertificateError::OtherGame);
        }
        Ok(own)
    }

    /// The certificate as JSON.
    pub fn to_json(&self) -> String {
        // Strings, numbers and lists are always JSON.
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }
}

fn evidence(subject: &Subject, answer: &Answer) -> Option<Evidence> {
    let line = |line: &Line| -> Vec<Vec<String>> {
        let text = |&made: &u32| subject.ground.term(subject.ground.moves[made as usize].1);
        line.iter().map(|joint| joint.iter().map(text).collect()).collect()
    };
    Some(match answer {
        Answer::Proved(proof) => Evidence::Proof(written(subject, proof)),
        Answer::Shown(lines) => Evidence::Lines(lines.iter().map(line).collect()),
        Answer::Refuted(refuted) => Evidence::Line(line(refuted)),
        Answer::Impossible(role, proof) => {
            Evidence::Impossible(subject.roles[*role].clone(), written(subject, proof))
        }
        Answer::Open(_) => return None,
    })
}

fn written(subject: &Subject, proof: &Proof) -> WrittenProof {
    let names = |latches: &[usize]| -> Vec<String> {
        latches.iter().map(|&latch| subject.latch_text(latch)).collect()
    };
    let mut written = WrittenProof { longer_than_all: proof.longer_than_all, ..WrittenProof::default() };
    for invariant in &proof.invariants {
        match invariant {
            Invariant::AtMostOne(latches) => written.at_most_one.push(names(latches)),
            Invariant::AtLeastOne(latches) => written.at_least_one.push(names(latches)),
            Invariant::Clause(clause) => {
                let with = |value: bool| -> Vec<String> {
                    let own = clause.iter().filter(|literal| literal.is_positive() == value);
                    own.map(|literal: &StateLiteral| subject.latch_text(literal.latch())).collect()
                };
                written.clauses.push((with(true), with(false)));
            }
            Invariant::Sum(sum) => {
                let term = |&(latch, weight): &(usize, i64)| (subject.latch_text(latch), weight);
                let groups = sum.groups.iter().map(|group| group.iter().map(term).collect());
                written.sums.push((groups.collect(), sum.total));
            }
        }
    }
    written.measure = proof.measure.as_ref().map(|measure| written_measure(subject, measure));
    written
}

fn written_measure(subject: &Subject, measure: &Measure) -> WrittenMeasure {
    let names = |latches: &[usize]| -> Vec<String> {
        latches.iter().map(|&latch| subject.latch_text(latch)).collect()
    };
    let mut written = WrittenMeasure {
        rounds: measure
            .rounds
            .iter()
            .map(|round| round.iter().map(|it| (names(&it.latches), it.classes.clone())).collect())
            .collect(),
        stalled: measure.stalled,
        ..WrittenMeasure::default()
    };
    let term = |&(latch, weight): &(usize, i64)| (subject.latch_text(latch), weight);
    let falling = measure.falling.iter();
    written.falling = falling
        .map(|sum| sum.groups.iter().map(|group| group.iter().map(term).collect()).collect())
        .collect();
    let Some(ranking) = &measure.ranking else { return written };
    let sum = |sum: &Vec<(usize, i64)>| {
        sum.iter().map(|&(latch, weight)| (subject.latch_text(latch), weight)).collect()
    };
    written.sums = ranking.sums.iter().map(sum).collect();
    match &ranking.reasons {
        Reasons::Changes(changes) => {
            written.changes = changes.iter().map(|change| (names(&change.on), names(&change.off))).collect();
        }
        Reasons::Effects(groups, effects) => {
            written.groups = groups.iter().map(|group| names(group)).collect();
            written.effects = effects.iter().map(|effect| written_effect(subject, effect)).collect();
        }
    }
    written
}

fn written_effect(subject: &Subject, effect: &Effect) -> WrittenEffect {
    let mut joint = effect.joint.clone();
    joint.sort_unstable_by_key(|&made| subject.circuit.movers[made]);
    let groups = effect.groups.iter();
    WrittenEffect {
        joint: joint.iter().map(|&made| subject.ground.term(subject.ground.moves[made].1)).collect(),
        groups: groups.map(|(group, all)| (*group, all.may_stay, all.pairs.clone())).collect(),
    }
}

/// Looks latches up by their texts.
pub(crate) fn numbers(texts: impl Iterator<Item = String>) -> FxHashMap<String, usize> {
    let named = texts.enumerate();
    named.map(|(number, text)| (canonical(&text).unwrap_or(text), number)).collect()
}
