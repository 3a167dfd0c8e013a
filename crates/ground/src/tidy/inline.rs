//! Undoes projections that do not pay. A projected part has rules of its own. Where it saves no rules, because it has
//! one rule or is used once, its definition is inlined. Projection therefore remains only where it shrinks the game.

use groundrules_gdl::index::index32;
use groundrules_gdl::time::{Cancel, Cancelled};

use crate::draft::{Draft, Rules};
use crate::subsume::Bodies;

/// How an atom is defined and used.
#[derive(Clone, Copy, Debug, Default)]
struct Use {
    rules: u32,
    first_rule: u32,
    /// The longest body.
    longest: u32,
    positive: u32,
    negative: u32,
    /// Whether it stands in the body of a part: those are put back one after the other.
    is_nested: bool,
}

/// Puts definitions back until none is better put back. Says whether some rule came to nothing by that, so that more may
/// be decided now.
pub(crate) fn inline(draft: &mut Draft, cancel: &Cancel) -> Result<bool, Cancelled> {
    const MOST_PASSES: usize = 12;
    let mut is_less = false;
    for _ in 0..MOST_PASSES {
        let uses = uses(draft);
        cancel.check()?;
        let chosen = choose(draft, &uses);
        if !chosen.contains(&true) {
            break;
        }
        draft.rules = put_back(draft, &uses, &chosen, &mut is_less);
        cancel.check()?;
    }
    Ok(is_less)
}

fn part_index(draft: &Draft, atom: u32) -> Option<usize> {
    atom.checked_sub(draft.first_derived() + draft.first_part).map(|part| part as usize)
}

fn uses(draft: &Draft) -> Vec<Use> {
    let mut uses = vec![Use::default(); (draft.derived - draft.first_part) as usize];
    for (rule, (head, body)) in draft.rules.iter().enumerate() {
        if let Some(part) = part_index(draft, head) {
            if uses[part].rules == 0 {
                uses[part].first_rule = index32(rule, "ground rules");
            }
            uses[part].rules += 1;
            uses[part].longest = uses[part].longest.max(index32(body.len(), "literals"));
        }
        for &literal in body {
            if let Some(part) = part_index(draft, literal / 2) {
                if literal & 1 == 0 {
                    uses[part].positive += 1;
                } else {
                    uses[part].negative += 1;
                }
                uses[part].is_nested |= draft.is_part(head);
            }
        }
    }
    uses
}

impl Use {
    /// Whether putting the definition back makes no more rules, and not many more literals.
    fn pays(&self) -> bool {
        let (rules, uses) = (u64::from(self.rules), u64::from(self.positive));
        let negative = u64::from(self.negative);
        let as_positive = uses == 0 || rules * uses <= rules + uses;
        // Not one of several literals: none of them. Not several literals at once: no conjunction says that.
        let as_negative = negative == 0
            || self.longest == 1
                && (rules == 1 || negative == 1 || rules * negative <= 2 * (rules + negative));
        rules > 0 && as_positive && as_negative
    }
}

/// The parts to put back in one pass: none in the definition of another, and no two in one rule that both have several
/// rules.
fn choose(draft: &Draft, uses: &[Use]) -> Vec<bool> {
    let mut chosen: Vec<bool> = uses.iter().map(Use::pays).collect();
    // A part whose definition uses chosen parts waits for a later pass; so no circle is followed either.
    let mut is_waiting = vec![false; uses.len()];
    for (head, body) in draft.rules.iter() {
        if let Some(part) = part_index(draft, head) {
            let uses_chosen =
                |&literal: &u32| part_index(draft, literal / 2).is_some_and(|part| chosen[part]);
            is_waiting[part] |= body.iter().any(uses_chosen);
        }
    }
    chosen.iter_mut().zip(&is_waiting).for_each(|(chosen, waiting)| *chosen &= !waiting);
    for (_, body) in draft.rules.iter() {
        let mut multiplies = false;
        for &literal in body {
            if let Some(part) = part_index(draft, literal / 2)
                && chosen[part]
                && uses[part].rules > 1
                && literal & 1 == 0
            {
                chosen[part] = !std::mem::replace(&mut multiplies, true);
            }
        }
    }
    chosen
}

fn put_back(draft: &Draft, uses: &[Use], chosen: &[bool], is_less: &mut bool) -> Rules {
    let mut rules = Rules::like(&draft.rules);
    let mut bodies = Bodies::default();
    for (start, end) in draft.rules.runs() {
        let head = draft.rules.head(start);
        if part_index(draft, head).is_some_and(|part| chosen[part]) {
            continue;
        }
        let is_touched = |&literal: &u32| part_index(draft, literal / 2).is_some_and(|part| chosen[part]);
        if !(start..end).any(|rule| draft.rules.body(rule).iter().any(is_touched)) {
            (start..end).for_each(|rule| rules.push(head, draft.rules.body(rule)));
            continue;
        }
        bodies.restart(head);
        for rule in start..end {
            expand(draft, uses, chosen, draft.rules.body(rule), &mut bodies);
        }
        let before = rules.len();
        for body in bodies.finish() {
            rules.push(head, body);
            *is_less |= body.is_empty();
        }
        *is_less |= rules.len() == before;
    }
    rules
}

/// Writes a body with the definitions of chosen parts in the place of their atoms.
fn expand(draft: &Draft, uses: &[Use], chosen: &[bool], body: &[u32], bodies: &mut Bodies) {
    let part = |literal: u32| part_index(draft, literal / 2).filter(|&part| chosen[part]);
    let definition = |part: usize| {
        let first = uses[part].first_rule as usize;
        (first..first + uses[part].rules as usize).map(|rule| draft.rules.body(rule))
    };
    let several =
        body.iter().copied().filter(|literal| literal & 1 == 0).find_map(|literal| {
            part(literal).filter(|&part| uses[part].rules > 1).map(|part| (literal, part))
        });
    let choices: Vec<&[u32]> = several.map_or(vec![&[]], |(_, part)| definition(part).collect());
    for choice in choices {
        bodies.begin();
        for &literal in body {
            match part(literal) {
                _ if several.is_some_and(|(several, _)| several == literal) => {}
                None => bodies.add(literal),
                Some(part) if literal & 1 == 0 => {
                    definition(part).flatten().for_each(|&inner| bodies.add(inner));
                }
                Some(part) => definition(part).flatten().for_each(|&inner| bodies.add(inner ^ 1)),
            }
        }
        choice.iter().for_each(|&literal| bodies.add(literal));
        bodies.end();
    }
}
