//! Cheap consequences of a literal: the literals common to all rules of an atom that holds, the heads of rules with
//! this literal as their only condition, and the legality of a move that is made.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use groundrules_gdl::index::index32;

use crate::draft::Draft;

/// Facts that hold whenever a literal holds, in order.
pub(crate) struct Implied<'d> {
    draft: &'d Draft,
    first_rule: FxHashMap<u32, (u32, u32)>,
    /// The heads of rules that have a literal as their whole body.
    made: FxHashMap<u32, Vec<u32>>,
    known: FxHashMap<u32, Rc<[u32]>>,
    active: Vec<u32>,
}

/// No more facts than this are kept for one literal, and atoms with more rules than this are not looked into.
const MOST_FACTS: usize = 64;
const MOST_RULES: usize = 500;
/// How far what follows from what follows is looked at.
const MOST_NESTED: usize = 12;

impl<'d> Implied<'d> {
    pub(crate) fn of(draft: &'d Draft) -> Self {
        let index = |place: usize| index32(place, "ground rules");
        let runs = draft.rules.runs();
        let first_rule =
            runs.map(|(start, end)| (draft.rules.head(start), (index(start), index(end)))).collect();
        let mut made: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (head, body) in draft.rules.iter() {
            // What is next or legal says nothing about now.
            if let &[literal] = body
                && head >= draft.first_derived()
            {
                made.entry(literal).or_default().push(head << 1);
            }
        }
        Implied { draft, first_rule, made, known: FxHashMap::default(), active: Vec::new() }
    }

    /// What follows from all literals of a body, in order.
    pub(crate) fn of_body(&mut self, body: &[u32]) -> Vec<u32> {
        let mut facts = Vec::new();
        body.iter().for_each(|&literal| facts.extend_from_slice(&self.of_literal(literal)));
        facts.sort_unstable();
        facts.dedup();
        facts
    }

    fn of_literal(&mut self, literal: u32) -> Rc<[u32]> {
        if let Some(known) = self.known.get(&literal) {
            return Rc::clone(known);
        }
        if self.active.contains(&literal) || self.active.len() >= MOST_NESTED {
            return [literal].into();
        }
        self.active.push(literal);
        let mut facts = vec![literal];
        let atom = literal / 2;
        if literal & 1 == 0 {
            if let Some(legal) = self.draft.maker(atom).filter(|_| atom >= self.draft.fluents) {
                facts.extend(self.of_rules(legal));
            } else if atom >= self.draft.first_derived() {
                facts.extend(self.of_rules(atom));
            }
        } else {
            facts.extend(self.against_rules(atom));
        }
        for head in self.made.get(&literal).cloned().unwrap_or_default().into_iter().take(MOST_FACTS) {
            facts.extend_from_slice(&self.of_literal(head));
        }
        facts.sort_unstable();
        facts.dedup();
        self.active.pop();
        let facts: Rc<[u32]> = facts.into();
        // An answer cut short by a question further up is kept too: it is true, and asking again costs too much.
        self.known.insert(literal, Rc::clone(&facts));
        facts
    }

    /// What all rules of an atom have in common.
    fn of_rules(&mut self, atom: u32) -> Vec<u32> {
        let Some(&(start, end)) = self.first_rule.get(&atom) else { return Vec::new() };
        if (end - start) as usize > MOST_RULES {
            return Vec::new();
        }
        let mut common: Option<Vec<u32>> = None;
        for rule in start..end {
            let facts = self.of_body(self.draft.rules.body(rule as usize));
            let kept = match common {
                None => facts,
                Some(known) => known.into_iter().filter(|fact| facts.binary_search(fact).is_ok()).collect(),
            };
            if kept.is_empty() {
                return kept;
            }
            common = Some(kept);
        }
        common.unwrap_or_default()
    }

    /// What follows if no rule of an atom applies.
    fn against_rules(&self, atom: u32) -> Vec<u32> {
        let Some(&(start, end)) = self.first_rule.get(&atom) else { return Vec::new() };
        if atom < self.draft.first_derived() || (end - start) as usize > MOST_FACTS {
            return Vec::new();
        }
        let bodies = (start..end).map(|rule| self.draft.rules.body(rule as usize));
        bodies.filter_map(|body| if let &[literal] = body { Some(literal ^ 1) } else { None }).collect()
    }
}
