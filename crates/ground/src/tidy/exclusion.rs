//! Fluents that never hold together: a cell holds one thing, one player has the turn. Candidates are fluents that differ
//! in one argument, or all fluents of one name. They are proved by induction: no two hold at first, and no two rules that
//! make two of them can apply at once, given that all candidates hold now, that each role makes one move, and that a move
//! made is legal. Candidates that fail are dropped, and the rest is tried again, until all that are left prove each
//! other. Rules that need two fluents that never hold together are then dropped.

use rustc_hash::FxHashMap;

use super::implied::Implied;
use crate::draft::{Draft, Rules};

/// Larger drafts are left as they are: the proof would cost more than it saves.
const MOST_RULES: usize = 100_000;

/// How many pairs of rules are looked at in one round, and for one candidate.
const MOST_PAIRS: usize = 3_000_000;
const MOST_PAIRS_OF_A_GROUP: usize = 20_000;

/// Drops the rules that need what never holds together. Says whether there were any.
pub(crate) fn exclude(draft: &mut Draft) -> bool {
    if draft.rules.len() > MOST_RULES {
        return false;
    }
    let mut implied = Implied::of(draft);
    let next_rules = next_rules(draft, &mut implied);
    let mut groups = Groups::of(draft);
    while groups.drop_unproved(&next_rules) {}
    let mut rules = Rules::like(&draft.rules);
    for (head, body) in draft.rules.iter() {
        let facts = implied.of_body(body);
        if !groups.contradict(&facts, &[]) {
            rules.push(head, body);
        }
    }
    let changed = rules.len() < draft.rules.len();
    drop(implied);
    draft.rules = rules;
    changed
}

/// For each fluent, what follows from the body of each of its `next` rules.
fn next_rules(draft: &Draft, implied: &mut Implied<'_>) -> Vec<Vec<Vec<u32>>> {
    let mut rules = vec![Vec::new(); draft.fluents as usize];
    for (head, body) in draft.rules.iter() {
        if let Some(fluent) = draft.next_fluent(head) {
            rules[fluent as usize].push(implied.of_body(body));
        }
    }
    rules
}

/// Sets of fluents of which at most one holds, as far as is known.
struct Groups {
    members: Vec<Vec<u32>>,
    is_alive: Vec<bool>,
    /// The groups of each fluent.
    of_fluent: Vec<Vec<u32>>,
    fluents: u32,
    moves: u32,
    movers: Vec<u32>,
}

impl Groups {
    /// The candidates of which at most one holds at first.
    fn of(draft: &Draft) -> Self {
        let mut is_first = vec![false; draft.fluents as usize];
        draft.init.iter().for_each(|&fluent| is_first[fluent as usize] = true);
        let holds_once = |family: &&Vec<u32>| family.iter().filter(|&&it| is_first[it as usize]).count() <= 1;
        let members: Vec<Vec<u32>> = draft.families.iter().filter(holds_once).cloned().collect();
        let mut of_fluent = vec![Vec::new(); draft.fluents as usize];
        for (group, members) in members.iter().enumerate() {
            for &fluent in members {
                of_fluent[fluent as usize].push(u32::try_from(group).unwrap_or(u32::MAX));
            }
        }
        Groups {
            is_alive: vec![true; members.len()],
            members,
            of_fluent,
            fluents: draft.fluents,
            moves: draft.moves,
            movers: draft.movers.clone(),
        }
    }

    /// Drops the groups of which two members may be made at once. Says whether there were any.
    fn drop_unproved(&mut self, next_rules: &[Vec<Vec<u32>>]) -> bool {
        let mut pairs_left = MOST_PAIRS;
        let mut failed = Vec::new();
        for group in (0..self.members.len()).filter(|&group| self.is_alive[group]) {
            let made: usize = self.members[group].iter().map(|&it| next_rules[it as usize].len()).sum();
            let pairs = made * made / 2;
            if pairs > MOST_PAIRS_OF_A_GROUP || pairs > pairs_left || !self.is_proved(group, next_rules) {
                failed.push(group);
            }
            pairs_left = pairs_left.saturating_sub(pairs);
        }
        failed.iter().for_each(|&group| self.is_alive[group] = false);
        !failed.is_empty()
    }

    fn is_proved(&self, group: usize, next_rules: &[Vec<Vec<u32>>]) -> bool {
        let members = &self.members[group];
        members.iter().enumerate().all(|(place, &one)| {
            members[place + 1..].iter().all(|&other| {
                let mut pairs = next_rules[one as usize]
                    .iter()
                    .flat_map(|a| next_rules[other as usize].iter().map(move |b| (a, b)));
                pairs.all(|(a, b)| self.contradict(a, b))
            })
        })
    }

    /// Whether two lists of facts, each in order, cannot all hold at once.
    fn contradict(&self, a: &[u32], b: &[u32]) -> bool {
        let has_opposite =
            |fact: &u32| a.binary_search(&(fact ^ 1)).is_ok() || b.binary_search(&(fact ^ 1)).is_ok();
        if a.iter().any(has_opposite) || b.iter().any(has_opposite) {
            return true;
        }
        let mut held: FxHashMap<u32, u32> = FxHashMap::default();
        let mut moves: FxHashMap<u32, u32> = FxHashMap::default();
        a.iter().chain(b).filter(|&&fact| fact & 1 == 0).map(|fact| fact / 2).any(|atom| {
            if atom < self.fluents {
                let groups = self.of_fluent[atom as usize].iter();
                { groups }
                    .filter(|&&group| self.is_alive[group as usize])
                    .any(|&group| *held.entry(group).or_insert(atom) != atom)
            } else if atom < self.fluents + self.moves {
                let role = self.movers.get((atom - self.fluents) as usize);
                role.is_some_and(|&role| *moves.entry(role).or_insert(atom) != atom)
            } else {
                false
            }
        })
    }
}
