//! Constant propagation on ground rules. An atom is always false if no chain of rules can derive it from the initial
//! state. It is always true if it follows unconditionally. Fluents that hold initially and support each other are
//! always true as well. Each decided atom may decide further literals and rules.

use groundrules_gdl::index::index32;
use groundrules_gdl::time::{Cancel, Cancelled};

use crate::draft::{Draft, Rules, literal};
use crate::subsume::Bodies;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Open,
    True,
    False,
}

/// Takes what is decided out of the rules. Says whether anything was.
pub(crate) fn settle(draft: &mut Draft, cancel: &Cancel) -> Result<bool, Cancelled> {
    let occurrences = Occurrences::of(draft);
    cancel.check()?;
    let possible = possible(draft, &occurrences);
    cancel.check()?;
    let mut state = State::new(draft, &occurrences);
    for (atom, is_possible) in possible.iter().enumerate() {
        if !is_possible {
            state.decide(number(atom), Fate::False);
        }
    }
    for fluent in kept_for_good(draft, cancel)? {
        state.decide(fluent, Fate::True);
        state.decide(draft.next(fluent), Fate::True);
    }
    for (rule, (head, body)) in draft.rules.iter().enumerate() {
        if body.is_empty() && state.is_alive[rule] {
            state.decide(head, Fate::True);
        }
    }
    cancel.check()?;
    state.propagate();
    cancel.check()?;
    let State { fates, is_alive, .. } = state;
    let before = (draft.rules.len(), draft.rules.literals());
    draft.rules = rebuilt(draft, &fates, &is_alive);
    draft.init.retain(|&fluent| fates[fluent as usize] != Fate::False);
    cancel.check()?;
    Ok(before != (draft.rules.len(), draft.rules.literals()))
}

/// The number of an atom, rule or literal.
fn number(place: usize) -> u32 {
    index32(place, "atoms, rules or literals")
}

/// For each literal the rules in whose bodies it stands.
struct Occurrences {
    starts: Vec<u32>,
    rules: Vec<u32>,
}

impl Occurrences {
    fn of(draft: &Draft) -> Self {
        let mut starts = vec![0u32; 2 * draft.atoms() + 1];
        for (_, body) in draft.rules.iter() {
            body.iter().for_each(|&literal| starts[literal as usize + 1] += 1);
        }
        for place in 1..starts.len() {
            starts[place] += starts[place - 1];
        }
        let mut rules = vec![0; draft.rules.literals()];
        let mut next = starts.clone();
        for (rule, (_, body)) in draft.rules.iter().enumerate() {
            for &literal in body {
                rules[next[literal as usize] as usize] = number(rule);
                next[literal as usize] += 1;
            }
        }
        Occurrences { starts, rules }
    }

    fn of_literal(&self, literal: u32) -> &[u32] {
        let literal = literal as usize;
        &self.rules[self.starts[literal] as usize..self.starts[literal + 1] as usize]
    }
}

/// The atoms that some chain of rules can make true, from the first state on, negation passed over.
fn possible(draft: &Draft, occurrences: &Occurrences) -> Vec<bool> {
    let mut possible = vec![false; draft.atoms()];
    let mut missing: Vec<u32> = Vec::with_capacity(draft.rules.len());
    let mut waiting: Vec<u32> = draft.init.clone();
    for (head, body) in draft.rules.iter() {
        let positive = body.iter().filter(|&&literal| literal & 1 == 0).count();
        missing.push(number(positive));
        if positive == 0 {
            waiting.push(head);
        }
    }
    while let Some(atom) = waiting.pop() {
        if std::mem::replace(&mut possible[atom as usize], true) {
            continue;
        }
        waiting.extend(draft.made_possible(atom));
        for &rule in occurrences.of_literal(literal(atom, true)) {
            missing[rule as usize] -= 1;
            if missing[rule as usize] == 0 {
                waiting.push(draft.rules.head(rule as usize));
            }
        }
    }
    possible
}

/// Fluents that hold at first and of which each is kept by a rule that needs nothing but such fluents.
fn kept_for_good(draft: &Draft, cancel: &Cancel) -> Result<Vec<u32>, Cancelled> {
    let mut kept = vec![false; draft.fluents as usize];
    draft.init.iter().for_each(|&fluent| kept[fluent as usize] = true);
    // Long chains of fluents that fall one after the other are not worth following to the end.
    const MOST_PASSES: usize = 50;
    for _ in 0..MOST_PASSES {
        cancel.check()?;
        let mut supported = vec![false; draft.fluents as usize];
        for (head, body) in draft.rules.iter() {
            let needs_kept =
                |&literal: &u32| literal & 1 == 0 && kept.get(literal as usize / 2) == Some(&true);
            if let Some(fluent) = draft.next_fluent(head)
                && body.iter().all(needs_kept)
            {
                supported[fluent as usize] = true;
            }
        }
        let before = kept.iter().filter(|&&kept| kept).count();
        kept.iter_mut().zip(&supported).for_each(|(kept, supported)| *kept &= supported);
        if before == kept.iter().filter(|&&kept| kept).count() {
            return Ok((0..draft.fluents).filter(|&fluent| kept[fluent as usize]).collect());
        }
    }
    Ok(Vec::new())
}

/// Decisions and what follows from them.
struct State<'d> {
    draft: &'d Draft,
    occurrences: &'d Occurrences,
    is_first: Vec<bool>,
    fates: Vec<Fate>,
    is_alive: Vec<bool>,
    /// How many literals of each rule are open, and how many rules each head has left.
    open: Vec<u32>,
    left: Vec<u32>,
    waiting: Vec<u32>,
}

impl<'d> State<'d> {
    fn new(draft: &'d Draft, occurrences: &'d Occurrences) -> Self {
        let mut is_first = vec![false; draft.fluents as usize];
        draft.init.iter().for_each(|&fluent| is_first[fluent as usize] = true);
        let mut left = vec![0; draft.atoms()];
        draft.rules.iter().for_each(|(head, _)| left[head as usize] += 1);
        State {
            draft,
            occurrences,
            is_first,
            fates: vec![Fate::Open; draft.atoms()],
            is_alive: vec![true; draft.rules.len()],
            open: draft.rules.iter().map(|(_, body)| number(body.len())).collect(),
            left,
            waiting: Vec::new(),
        }
    }

    fn decide(&mut self, atom: u32, fate: Fate) {
        if self.fates[atom as usize] == Fate::Open {
            self.fates[atom as usize] = fate;
            self.waiting.push(atom);
        }
    }

    fn propagate(&mut self) {
        while let Some(atom) = self.waiting.pop() {
            let is_true = self.fates[atom as usize] == Fate::True;
            for &rule in self.occurrences.of_literal(literal(atom, is_true)) {
                self.satisfy(rule as usize);
            }
            for &rule in self.occurrences.of_literal(literal(atom, !is_true)) {
                self.kill(rule as usize);
            }
            self.follow(atom, is_true);
        }
    }

    /// A literal of a rule always holds.
    fn satisfy(&mut self, rule: usize) {
        self.open[rule] -= 1;
        if self.open[rule] == 0 && self.is_alive[rule] {
            self.decide(self.draft.rules.head(rule), Fate::True);
        }
    }

    /// A rule can never apply.
    fn kill(&mut self, rule: usize) {
        if std::mem::replace(&mut self.is_alive[rule], false) {
            let head = self.draft.rules.head(rule);
            self.left[head as usize] -= 1;
            if self.left[head as usize] == 0 {
                self.decide(head, Fate::False);
            }
        }
    }

    /// What a `next` or `legal` says about the `true` or `does` that it makes possible.
    fn follow(&mut self, atom: u32, is_true: bool) {
        let Some(made) = self.draft.made_possible(atom) else { return };
        let holds_first = self.is_first.get(made as usize).copied();
        match (is_true, holds_first) {
            // A move that is always legal need not be made.
            (true, None) => {}
            (true, Some(true)) => self.decide(made, Fate::True),
            (false, None | Some(false)) => self.decide(made, Fate::False),
            (true, Some(false)) | (false, Some(true)) => {}
        }
    }
}

/// The rules without what is decided; what always holds and is asked for has one rule without a body. Where bodies became
/// shorter, one may now say more than another.
fn rebuilt(draft: &Draft, fates: &[Fate], is_alive: &[bool]) -> Rules {
    let mut rules = Rules::like(&draft.rules);
    let mut bodies = Bodies::default();
    let is_open = |&&literal: &&u32| fates[literal as usize / 2] == Fate::Open;
    for (start, end) in draft.rules.runs() {
        let head = draft.rules.head(start);
        let alive = || (start..end).filter(|&rule| is_alive[rule]).map(|rule| draft.rules.body(rule));
        match fates[head as usize] {
            Fate::True => rules.push(head, &[]),
            Fate::False => {}
            Fate::Open if alive().all(|body| body.iter().all(|literal| is_open(&literal))) => {
                alive().for_each(|body| rules.push(head, body));
            }
            Fate::Open => {
                bodies.restart(head);
                for body in alive() {
                    bodies.begin();
                    body.iter().filter(is_open).for_each(|&literal| bodies.add(literal));
                    bodies.end();
                }
                bodies.finish().for_each(|body| rules.push(head, body));
            }
        }
    }
    rules
}
