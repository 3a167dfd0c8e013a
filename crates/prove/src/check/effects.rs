//! Whether weighted sums are lowered by what joint moves do to groups of latches, and whether they can do nothing else.

use groundrules_gdl::canonical;
use groundrules_ground::ground_game::AtomKind;
use rustc_hash::{FxHashMap, FxHashSet};
use screwsat::solver::Lit;

use super::clauses::{Cnf, Frame};
use super::{Checker, Refusal};
use crate::certificate::{WrittenEffect, WrittenMeasure, WrittenProof};

/// The listed effects, with latches and moves by number.
pub(super) struct Effects<'m> {
    groups: Vec<Vec<usize>>,
    joints: Vec<Vec<usize>>,
    written: &'m [WrittenEffect],
}

fn not_proved(why: &str) -> Refusal {
    Refusal::NotProved(why.to_owned())
}

impl Checker<'_> {
    /// Reads the effects, and checks that each lowers the first sum that it may change.
    pub(super) fn effects<'m>(
        &self,
        measure: &'m WrittenMeasure,
        proof: &WrittenProof,
    ) -> Result<Effects<'m>, Refusal> {
        let groups: Result<Vec<Vec<usize>>, Refusal> =
            measure.groups.iter().map(|group| self.words.find_all(group)).collect();
        let groups = groups?;
        let mut seen = FxHashSet::default();
        for group in &groups {
            self.is_exclusive(group, proof)?;
            if !group.iter().all(|&latch| latch < self.rules.fluents() && seen.insert(latch)) {
                return Err(not_proved("a fluent is in two groups"));
            }
        }
        let mut sums: Vec<FxHashMap<usize, i128>> = Vec::new();
        for sum in &measure.sums {
            let mut weights = FxHashMap::default();
            for (text, weight) in sum {
                let latch = self.words.find_all(std::slice::from_ref(text))?[0];
                if !seen.contains(&latch) || weights.insert(latch, i128::from(*weight)).is_some() {
                    return Err(not_proved("a weight is about no group"));
                }
            }
            sums.push(weights);
        }
        for effect in &measure.effects {
            is_lowered(&groups, &sums, effect)?;
        }
        let numbers = self.moves();
        let joint = |effect: &WrittenEffect| -> Result<Vec<usize>, Refusal> {
            if effect.joint.len() != self.roles.len() {
                return Err(not_proved("a joint move has not a move for each role"));
            }
            let number = |(role, text): (usize, &String)| {
                let text = canonical(text).unwrap_or_default();
                numbers.get(&(role, text.clone())).copied().ok_or(Refusal::Unknown(text))
            };
            effect.joint.iter().enumerate().map(number).collect()
        };
        let joints: Result<_, Refusal> = measure.effects.iter().map(joint).collect();
        Ok(Effects { groups, joints: joints?, written: &measure.effects })
    }

    /// The moves by role and text.
    pub(super) fn moves(&self) -> FxHashMap<(usize, String), usize> {
        let ground = self.rules.ground;
        let named = ground.moves.iter().enumerate();
        let named = named.map(|(number, &(role, term))| {
            let text = ground.term(term);
            ((role, canonical(&text).unwrap_or(text)), number)
        });
        named.collect()
    }

    /// Adds clauses: the joint move is not listed, or does something that is not.
    pub(super) fn add_other_effects(
        &self,
        cnf: &mut Cnf,
        effects: &Effects<'_>,
        frame: &Frame,
        steps: &[Vec<Lit>],
    ) {
        let values = |cnf: &mut Cnf, latches: &[Lit]| -> Vec<Vec<Lit>> {
            let groups = effects.groups.iter().map(|group| {
                let mut own: Vec<Lit> = group.iter().map(|&latch| latches[latch]).collect();
                own.push(cnf.and(own.iter().map(|&lit| !lit).collect()));
                own
            });
            groups.collect()
        };
        let (before, after) = (values(cnf, &steps[0]), values(cnf, &steps[1]));
        let mut stays = Vec::new();
        for (before, after) in before.iter().zip(&after) {
            let same: Vec<Lit> = before.iter().zip(after).map(|(&a, &b)| cnf.and(vec![a, b])).collect();
            stays.push(cnf.or(same));
        }
        for (joint, effect) in effects.joints.iter().zip(effects.written) {
            let mut clause: Vec<Lit> =
                joint.iter().map(|&made| !self.rules.atom(frame, AtomKind::Does(made))).collect();
            let listed: FxHashMap<usize, _> = effect.groups.iter().map(|it| (it.0, it)).collect();
            for group in 0..effects.groups.len() {
                let Some((_, may_stay, pairs)) = listed.get(&group) else {
                    clause.push(!stays[group]);
                    continue;
                };
                let mut other = Vec::new();
                if *may_stay {
                    other.push(!stays[group]);
                }
                for &(from, to) in pairs {
                    let pair = cnf.and(vec![before[group][from as usize], after[group][to as usize]]);
                    other.push(!pair);
                }
                clause.push(cnf.and(other));
            }
            cnf.clause(clause);
        }
    }
}

/// Whether an effect lowers the first sum that it may change, whatever of it happens.
fn is_lowered(
    groups: &[Vec<usize>],
    sums: &[FxHashMap<usize, i128>],
    effect: &WrittenEffect,
) -> Result<(), Refusal> {
    let mut seen = FxHashSet::default();
    let is_known = |(group, _, pairs): &(usize, bool, Vec<(u32, u32)>)| {
        let values = groups.get(*group).map_or(0, |group| group.len() as u32 + 1);
        pairs.iter().all(|&(from, to)| from < values && to < values)
    };
    if !effect.groups.iter().all(|it| is_known(it) && seen.insert(it.0)) {
        return Err(not_proved("an effect is about no group, or twice about one"));
    }
    for sum in sums {
        let mut most = 0i128;
        for (group, may_stay, pairs) in &effect.groups {
            let weight = |value: u32| {
                let latch = groups[*group].get(value as usize);
                latch.and_then(|latch| sum.get(latch)).copied().unwrap_or(0)
            };
            let raises = pairs.iter().map(|&(from, to)| weight(to) - weight(from));
            most += raises.chain(may_stay.then_some(0)).max().unwrap_or(0);
        }
        match most {
            ..0 => return Ok(()),
            0 => {}
            1.. => break,
        }
    }
    Err(not_proved("a joint move lowers no sum"))
}
