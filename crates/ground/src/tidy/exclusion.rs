//! Mutual exclusion of fluents: a cell has one content, one player has the turn. Candidates are fluents that differ in
//! one argument, or all fluents of one name. Induction proves them: no two hold initially, and no two rules that make
//! two of them can apply together, assuming all candidates for the current state, that each role makes one move, and
//! that moves made are legal. Candidates that fail are dropped and the rest tried again, until the remaining ones prove
//! each other. Rules that need two mutually exclusive fluents are then dropped.

use groundrules_gdl::index::index32;

use super::implied::Implied;
use crate::draft::{Draft, Rules};

/// Larger drafts are left as they are: the proof would cost more than it saves.
const MOST_RULES: usize = 10_000;

/// The proof is tried only where it could drop more than one rule in so many.
const WORTH_ONE_IN: usize = 30;

/// How many pairs of rules are looked at in one round, and for one candidate.
const MOST_PAIRS: usize = 30_000;
const MOST_PAIRS_OF_A_GROUP: usize = 800;

/// Drops the rules that need what never holds together. Says whether there were any.
pub(crate) fn exclude(draft: &mut Draft) -> bool {
    if draft.rules.len() > MOST_RULES {
        return false;
    }
    let mut groups = Groups::of(draft);
    // Most games have hardly a rule that all candidates together would drop; then there is nothing to prove.
    let nothing = Facts::default();
    let is_suspect = |(_, body): (u32, &[u32])| groups.contradict(&Facts::of(draft, body.to_vec()), &nothing);
    let suspects = draft.rules.iter().filter(|&rule| is_suspect(rule)).count();
    if suspects * WORTH_ONE_IN <= draft.rules.len() {
        return false;
    }
    let mut implied = Implied::of(draft);
    let next_rules = next_rules(draft, &mut implied);
    while groups.drop_unproved(&next_rules) {}
    let mut rules = Rules::like(&draft.rules);
    for (head, body) in draft.rules.iter() {
        if !groups.contradict(&Facts::of(draft, implied.of_body(body)), &nothing) {
            rules.push(head, body);
        }
    }
    drop(implied);
    let changed = rules.len() < draft.rules.len();
    draft.rules = rules;
    changed
}

/// What follows from a body.
#[derive(Clone, Debug, Default)]
struct Facts {
    /// All literals, in order.
    literals: Vec<u32>,
    /// The fluents that hold and the moves that are made, by number.
    fluents: Vec<u32>,
    moves: Vec<u32>,
}

impl Facts {
    fn of(draft: &Draft, literals: Vec<u32>) -> Self {
        let positive = || literals.iter().filter(|&&literal| literal & 1 == 0).map(|literal| literal / 2);
        let moves = draft.fluents..draft.fluents + draft.moves;
        Facts {
            fluents: positive().filter(|&atom| atom < draft.fluents).collect(),
            moves: positive().filter(|atom| moves.contains(atom)).map(|atom| atom - draft.fluents).collect(),
            literals,
        }
    }

    fn has_opposite(&self, other: &Facts) -> bool {
        let (few, many) =
            if self.literals.len() < other.literals.len() { (self, other) } else { (other, self) };
        few.literals.iter().any(|literal| many.literals.binary_search(&(literal ^ 1)).is_ok())
    }
}

/// For each fluent, what follows from the body of each of its `next` rules.
fn next_rules(draft: &Draft, implied: &mut Implied<'_>) -> Vec<Vec<Facts>> {
    let mut rules = vec![Vec::new(); draft.fluents as usize];
    for (head, body) in draft.rules.iter() {
        if let Some(fluent) = draft.next_fluent(head) {
            rules[fluent as usize].push(Facts::of(draft, implied.of_body(body)));
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
    movers: Vec<Option<u32>>,
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
                of_fluent[fluent as usize].push(index32(group, "groups of fluents"));
            }
        }
        Groups { is_alive: vec![true; members.len()], members, of_fluent, movers: draft.movers.clone() }
    }

    /// Drops the groups of which two members may be made at once. Says whether there were any.
    fn drop_unproved(&mut self, next_rules: &[Vec<Facts>]) -> bool {
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

    fn is_proved(&self, group: usize, next_rules: &[Vec<Facts>]) -> bool {
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

    /// Whether two lists of facts cannot all hold at once.
    fn contradict(&self, a: &Facts, b: &Facts) -> bool {
        a.has_opposite(b)
            || a.has_opposite(a)
            || self.share(&a.fluents, &b.fluents, |one, other| self.exclude_each_other(one, other))
            || self.share(&a.moves, &b.moves, |one, other| one != other && self.has_same_mover(one, other))
    }

    /// Whether some two of two lists, or of the first alone, stand in a relation.
    fn share(&self, a: &[u32], b: &[u32], relation: impl Fn(u32, u32) -> bool) -> bool {
        a.iter().any(|&one| a.iter().chain(b).any(|&other| relation(one, other)))
    }

    fn exclude_each_other(&self, one: u32, other: u32) -> bool {
        let (a, b) = (&self.of_fluent[one as usize], &self.of_fluent[other as usize]);
        one != other && a.iter().any(|group| self.is_alive[*group as usize] && b.contains(group))
    }

    fn has_same_mover(&self, one: u32, other: u32) -> bool {
        let mover = |it: u32| self.movers.get(it as usize).copied().flatten();
        mover(one).is_some() && mover(one) == mover(other)
    }
}

#[cfg(test)]
mod tests {
    use groundrules_gdl::{Options as ReadOptions, read};

    use crate::{Options, Switch, Switches, ground};

    /// How many rules for `goal` a game has, with and without exclusion.
    fn goals(text: &str) -> [usize; 2] {
        let game = read(text.as_bytes(), &ReadOptions::default()).game.expect("a valid description");
        let all = Switches::default();
        [all, all.without(Switch::Exclusion)].map(|switches| {
            let options = Options { switches, ..Options::default() };
            let ground = ground(&game, &options).expect("a small game");
            ground.rules().filter(|(head, _)| ground.atom_kif(*head).starts_with("(goal")).count()
        })
    }

    const TURNS: &str = "(role x) (role o) (init (control x)) (init (cell b))
        (<= (next (control o)) (true (control x))) (<= (next (control x)) (true (control o)))
        (<= (legal ?r (mark ?r)) (true (control ?r)) (true (cell b)))
        (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
        (<= (legal ?r noop) (role ?r) (not (true (cell b))))
        (<= (next (cell ?r)) (does ?r (mark ?r)))
        (<= (next (cell b)) (true (cell b)) (does x noop) (does o noop))
        (<= (next (cell x)) (true (cell x))) (<= (next (cell o)) (true (cell o)))
        (<= terminal (true (cell x))) (<= (goal ?r 1) (role ?r))";

    #[test]
    fn one_token_and_one_thing_in_a_cell() {
        let both = "(<= (goal x 5) (true (control x)) (true (control o)))
            (<= (goal x 6) (true (cell x)) (true (cell o)))";
        assert_eq!(goals(&format!("{TURNS} {both}")), [2, 4]);
    }

    #[test]
    fn two_tokens_are_not_exclusive() {
        let both = "(init (control o)) (<= (goal x 5) (true (control x)) (true (control o)))";
        assert_eq!(goals(&format!("{TURNS} {both}")), [3, 3]);
    }
}
