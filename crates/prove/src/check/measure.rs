//! Whether every match ends: the classes of groups only go upwards, round by round, sums only fall, and at last no move keeps all of them; or
//! no match is as long as the certificate says.

use screwsat::solver::Lit;

use super::claims::Bad;
use super::clauses::{Cnf, Frame, signed};
use super::sums::Sum;
use super::{Checker, Refusal};
use crate::certificate::{WrittenMeasure, WrittenProof};

/// Chains of more moves are refused.
const LONGEST: usize = 2000;

type Group = (Vec<usize>, Vec<u32>);

impl Checker<'_> {
    pub(super) fn ends(&self, proof: &WrittenProof) -> Result<(), Refusal> {
        if let Some(moves) = proof.longer_than_all {
            return self.no_match_longer(moves, None);
        }
        let Some(measure) = &proof.measure else {
            return Err(Refusal::WrongEvidence("every match ends: there is no measure".to_owned()));
        };
        self.is_inductive(proof, None)?;
        let invariants = self.words.invariants(proof)?;
        let rounds = self.rounds(measure)?;
        let sums = self.sums(proof)?;
        for group in rounds.iter().flatten() {
            self.is_exclusive(&group.0, proof)?;
        }
        for (place, round) in rounds.iter().enumerate() {
            let (mut cnf, _, steps) = self.chain(&invariants, &sums, 1, (&rounds[..place], &[]))?;
            let mut down = Vec::new();
            for group in round {
                let (before, after) =
                    (classes(&mut cnf, group, &steps[0]), classes(&mut cnf, group, &steps[1]));
                for &(high, from) in &before {
                    for &(_, to) in after.iter().filter(|&&(low, _)| low < high) {
                        down.push(cnf.and(vec![from, to]));
                    }
                }
            }
            cnf.clause(down);
            self.unsatisfiable(&cnf, &format!("a group of round {} has no direction", place + 1))?;
        }
        let falling = self.falling(measure, proof)?;
        for (place, sum) in falling.iter().enumerate() {
            let (mut cnf, _, steps) = self.chain(&invariants, &sums, 1, (&rounds, &falling[..place]))?;
            let rises = sum.rises(&mut cnf, &steps[0], &steps[1])?;
            cnf.clause(vec![rises]);
            self.unsatisfiable(&cnf, "a sum that only falls may rise")?;
        }
        let moves = measure.stalled.clamp(1, LONGEST);
        let (mut cnf, frame, steps) = self.chain(&invariants, &sums, moves, (&rounds, &falling))?;
        if !measure.effects.is_empty() {
            let effects = self.effects(measure, proof)?;
            self.add_other_effects(&mut cnf, &effects, &frame, &steps);
        } else if !measure.sums.is_empty() {
            self.is_ranked(measure)?;
            self.add_other_changes(&mut cnf, measure, &steps)?;
        }
        self.unsatisfiable(&cnf, "a match may go on without progress")
    }

    /// Adds clauses: what changes is none of the changes that are listed.
    fn add_other_changes(
        &self,
        cnf: &mut Cnf,
        measure: &WrittenMeasure,
        steps: &[Vec<Lit>],
    ) -> Result<(), Refusal> {
        for change in &measure.changes {
            let (on, off) = (self.words.find_all(&change.0)?, self.words.find_all(&change.1)?);
            let mut other = Vec::new();
            let pairs = steps[0].iter().zip(&steps[1]).enumerate();
            for (fluent, (&before, &after)) in pairs.take(self.rules.fluents()) {
                let turned_on = cnf.and(vec![!before, after]);
                let turned_off = cnf.and(vec![before, !after]);
                other.push(signed(turned_on, !on.contains(&fluent)));
                other.push(signed(turned_off, !off.contains(&fluent)));
            }
            cnf.clause(other);
        }
        Ok(())
    }

    fn rounds(&self, measure: &WrittenMeasure) -> Result<Vec<Vec<Group>>, Refusal> {
        let group = |(latches, classes): &(Vec<String>, Vec<u32>)| {
            let latches = self.words.find_all(latches)?;
            if classes.len() != latches.len() + 1 {
                return Err(Refusal::NotProved("a group has not a class for each latch".to_owned()));
            }
            Ok((latches, classes.clone()))
        };
        measure.rounds.iter().map(|round| round.iter().map(group).collect()).collect()
    }

    /// Values of a group have a meaning only where at most one latch of it holds.
    pub(super) fn is_exclusive(&self, latches: &[usize], proof: &WrittenProof) -> Result<(), Refusal> {
        let is_known = || -> Result<bool, Refusal> {
            for group in &proof.at_most_one {
                let group = self.words.find_all(group)?;
                if latches.iter().all(|latch| group.contains(latch)) {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        if latches.len() == 1 || is_known()? {
            return Ok(());
        }
        Err(Refusal::NotProved("several latches of a group may hold".to_owned()))
    }

    /// Moves in a row from any state where the invariants hold, that keep the classes of rounds and some sums; with the first move.
    fn chain(
        &self,
        invariants: &[Vec<(usize, bool)>],
        sums: &[Sum],
        moves: usize,
        (rounds, falling): (&[Vec<Group>], &[Sum]),
    ) -> Result<(Cnf, Frame, Vec<Vec<Lit>>), Refusal> {
        let mut cnf = Cnf::default();
        let mut steps = vec![cnf.fresh_many(self.words.latches())];
        let mut first = None;
        for place in 0..moves.max(1) {
            let latches = steps[place].clone();
            for clause in invariants {
                cnf.clause(clause.iter().map(|&(latch, value)| signed(latches[latch], value)).collect());
            }
            self.assume_sums(&mut cnf, sums, &latches)?;
            let frame = self.rules.frame(&mut cnf, &latches[..self.rules.fluents()]);
            self.rules.add_legal_moves(&mut cnf, &frame);
            let next = self.words.next(&self.rules, &mut cnf, &frame, &self.stated);
            for group in rounds.iter().flatten() {
                let (before, after) = (classes(&mut cnf, group, &latches), classes(&mut cnf, group, &next));
                for ((_, before), (_, after)) in before.into_iter().zip(after) {
                    cnf.clause(vec![!before, after]);
                    cnf.clause(vec![before, !after]);
                }
            }
            for sum in falling {
                let changes = sum.changes(&mut cnf, &latches, &next)?;
                cnf.clause(vec![!changes]);
            }
            steps.push(next);
            first.get_or_insert(frame);
        }
        let first = first.expect("a chain has a move");
        Ok((cnf, first, steps))
    }

    /// Whether each change lowers the first sum that it changes.
    fn is_ranked(&self, measure: &WrittenMeasure) -> Result<(), Refusal> {
        for (on, off) in &measure.changes {
            let difference = |sum: &Vec<(String, i64)>| -> i128 {
                let weight = |text: &String| {
                    sum.iter()
                        .filter(|(own, _)| own == text)
                        .map(|&(_, weight)| i128::from(weight))
                        .sum::<i128>()
                };
                on.iter().map(weight).sum::<i128>() - off.iter().map(weight).sum::<i128>()
            };
            let first = measure.sums.iter().map(difference).find(|&difference| difference != 0);
            if first.is_none_or(|first| first > 0) {
                return Err(Refusal::NotProved("a change lowers no sum".to_owned()));
            }
        }
        Ok(())
    }

    /// Whether no match has so many moves, and if something is bad, none of those shorter reaches it.
    pub(super) fn no_match_longer(&self, moves: usize, bad: Option<&Bad>) -> Result<(), Refusal> {
        if moves > LONGEST {
            return Err(Refusal::NotProved(format!("chains of more than {LONGEST} moves are not checked")));
        }
        let mut cnf = Cnf::default();
        let first = self.words.first(&self.rules);
        let mut latches: Vec<Lit> = first.iter().map(|&value| cnf.constant(value)).collect();
        let mut so_far = cnf.constant(true);
        let mut reached = Vec::new();
        for _ in 0..moves {
            let frame = self.rules.frame(&mut cnf, &latches[..self.rules.fluents()]);
            if let Some(bad) = bad {
                let bad = self.bad(&mut cnf, &frame, &latches, bad);
                reached.push(cnf.and(vec![so_far, bad]));
            }
            let legal = self.rules.legal_moves(&mut cnf, &frame);
            so_far = cnf.and(vec![so_far, legal]);
            latches = self.words.next(&self.rules, &mut cnf, &frame, &self.stated);
        }
        cnf.clause(reached.into_iter().chain([so_far]).collect());
        self.unsatisfiable(&cnf, &format!("a match may have {moves} moves, or violates it before"))
    }
}

/// What says that a group is in each class, in the order of classes.
fn classes(cnf: &mut Cnf, group: &Group, latches: &[Lit]) -> Vec<(u32, Lit)> {
    let (members, class_of) = group;
    let mut numbers = class_of.clone();
    numbers.sort_unstable();
    numbers.dedup();
    let none = members.iter().map(|&latch| !latches[latch]).collect();
    let none = cnf.and(none);
    let mut found = Vec::new();
    for class in numbers {
        let mut inside: Vec<Lit> = (0..members.len())
            .filter(|&place| class_of[place] == class)
            .map(|place| latches[members[place]])
            .collect();
        if class_of[members.len()] == class {
            inside.push(none);
        }
        found.push((class, cnf.or(inside)));
    }
    found
}
