//! Converts the output of gringo to a draft. Fluents are the instances of `base` and moves those of `input`; of the
//! rules, those with heads of the game are kept. An atom that gringo found true after numbering it has a rule without a
//! body and counts as true. An atom without rules counts as false.

use std::io::BufRead;

use groundrules_gdl::Game;
use groundrules_gdl::game::RelationId;
use groundrules_gdl::term::{TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::error::GringoError;
use super::heard::{FxIndexSet, Heard, Told, What, by_head, count};
use crate::clause::{Mode, Predicate, Program};
use crate::draft::{Draft, Names, Rules, literal};
use crate::limits::Limits;
use crate::numbering;

/// A draft and what is needed to make a ground game of it.
pub(super) struct Answer {
    pub(super) draft: Draft,
    pub(super) names: Names,
    pub(super) roles: Vec<TermId>,
    pub(super) terms: Terms,
}

/// Reads an answer to the end.
pub(super) fn read(
    game: &Game,
    program: &Program,
    input: impl BufRead,
    limits: &Limits,
) -> Result<Answer, GringoError> {
    let mut heard = Heard::new(game);
    heard.listen(game, program, input, limits)?;
    let decided = heard.decided(game, &limits.cancel)?;
    let roles = in_order(game, &heard, &decided.roles);
    let mut maker = Maker::new(game, &heard, &roles, decided.numbers);
    for told in &heard.told {
        maker.place(told)?;
    }
    maker.place_parts();
    maker.draft.init = decided.init.iter().filter_map(|&fluent| maker.fluent(fluent)).collect();
    maker.draft.rules = maker.rules()?;
    let Maker { draft, names, .. } = maker;
    Ok(Answer { draft, names, roles, terms: heard.terms })
}

/// Who plays: those given by facts in the order of the description, then those that rules give, by name.
fn in_order(game: &Game, heard: &Heard, found: &[TermId]) -> Vec<TermId> {
    let mut roles = game.roles().to_vec();
    let mut others: Vec<TermId> = found.iter().copied().filter(|role| !roles.contains(role)).collect();
    others.sort_by_cached_key(|&role| heard.kif(game, role));
    others.dedup();
    roles.extend(others);
    roles
}

/// Gives atoms their numbers in the draft.
struct Maker<'h> {
    game: &'h Game,
    heard: &'h Heard,
    roles: &'h [TermId],
    /// The moves of the roles.
    moves: FxIndexSet<(TermId, TermId)>,
    draft: Draft,
    names: Names,
    /// From gringo's numbers to the draft's.
    atoms: FxHashMap<u32, u32>,
    /// Gringo's numbers of what it left open and is decided.
    decided: FxHashMap<u32, bool>,
    /// The parts of bodies, which come last.
    parts: Vec<&'h Told>,
    /// What holds without condition.
    facts: Vec<u32>,
}

impl<'h> Maker<'h> {
    fn new(game: &'h Game, heard: &'h Heard, roles: &'h [TermId], decided: FxHashMap<u32, bool>) -> Self {
        let place = |role: &TermId| roles.iter().position(|known| known == role);
        let names = Names {
            fluents: heard.fluents.iter().copied().collect(),
            moves: heard.moves.iter().filter_map(|(role, made)| Some((place(role)?, *made))).collect(),
            derived: Vec::new(),
        };
        let (fluents, moves) = (count(names.fluents.len()), count(names.moves.len()));
        Maker {
            game,
            heard,
            roles,
            moves: names.moves.iter().map(|&(role, made)| (roles[role], made)).collect(),
            draft: Draft { fluents, moves, ..Draft::default() },
            names,
            atoms: FxHashMap::default(),
            decided,
            parts: Vec::new(),
            facts: Vec::new(),
        }
    }

    fn fluent(&self, fluent: TermId) -> Option<u32> {
        self.heard.fluents.get_index_of(&fluent).map(count)
    }

    /// The number of an atom of a fluent or a move, if that is one that can ever occur.
    fn keyword_atom(&self, mode: Mode, arguments: &[TermId]) -> Option<u32> {
        let (fluents, moves) = (self.draft.fluents, self.draft.moves);
        let step = |role, made| self.moves.get_index_of(&(role, made)).map(count);
        match (mode, arguments) {
            (Mode::Plain, &[fluent]) => self.fluent(fluent),
            (Mode::Next, &[fluent]) => self.fluent(fluent).map(|it| fluents + moves + it),
            (Mode::Does, &[role, made]) => step(role, made).map(|it| fluents + it),
            (Mode::Legal, &[role, made]) => step(role, made).map(|it| 2 * fluents + moves + it),
            _ => None,
        }
    }

    fn place(&mut self, told: &'h Told) -> Result<(), GringoError> {
        let atom = match told.what {
            // What holds at first and who plays is settled, and no rule of the ground game.
            What::Under(Mode::Init) | What::Own(Predicate::Relation(RelationId::ROLE)) => return Ok(()),
            // What is legal for somebody who does not play is an atom that rules may ask for, and no more.
            What::Under(Mode::Legal) if !self.roles.contains(&told.arguments[0]) => {
                self.derived(String::from("legal"), &told.arguments)
            }
            What::Under(mode) => {
                let atom = self.keyword_atom(mode, &told.arguments);
                atom.ok_or_else(|| unexpected("something holds of which it was not said that it can"))?
            }
            What::Own(Predicate::Relation(relation)) => {
                let atom = self.derived(self.game.relation_name(relation).to_owned(), &told.arguments);
                let asked = [RelationId::GOAL, RelationId::TERMINAL, RelationId::SEES];
                self.draft.roots.extend(asked.contains(&relation).then_some(atom));
                atom
            }
            What::Own(_) => {
                self.parts.push(told);
                return Ok(());
            }
        };
        self.note(told, atom);
        Ok(())
    }

    fn place_parts(&mut self) {
        let prefix = numbering::free_prefix(self.game);
        self.draft.first_part = self.draft.derived;
        for told in std::mem::take(&mut self.parts) {
            let name = match told.what {
                What::Own(Predicate::Auxiliary(number)) => format!("{prefix}{number}"),
                What::Own(Predicate::Whole(mode)) => {
                    format!("{prefix}_{}", format!("{mode:?}").to_lowercase())
                }
                _ => continue,
            };
            let atom = self.derived(name, &told.arguments);
            self.note(told, atom);
        }
    }

    fn derived(&mut self, name: String, arguments: &[TermId]) -> u32 {
        self.names.derived.push((name, arguments.into()));
        self.draft.derived += 1;
        self.draft.first_derived() + self.draft.derived - 1
    }

    fn note(&mut self, told: &Told, atom: u32) {
        if told.number.is_none_or(|number| self.heard.always.contains(&number)) {
            self.facts.push(atom);
        }
        if let Some(number) = told.number {
            self.atoms.insert(number, atom);
        }
    }

    /// The rules of the game.
    fn rules(&self) -> Result<Rules, GringoError> {
        let defined: FxHashSet<u32> = self.heard.rules.iter().map(|(head, _)| head).collect();
        let mut rules = Rules::like(&self.heard.rules);
        self.facts.iter().for_each(|&atom| rules.push(atom, &[]));
        let mut made = Vec::new();
        for (head, body) in self.heard.rules.iter() {
            if let Some(&head) = self.atoms.get(&head)
                && self.body(body, &defined, &mut made)?
            {
                rules.push(head, &made);
            }
        }
        let is_given = |head: u32| head < self.draft.fluents + self.draft.moves;
        if rules.iter().any(|(head, _)| is_given(head)) {
            return Err(unexpected("a rule says what is true or done"));
        }
        Ok(by_head(&rules))
    }

    /// Writes a body in the draft's numbers, without what always holds; says whether it can hold at all.
    fn body(&self, body: &[u32], defined: &FxHashSet<u32>, made: &mut Vec<u32>) -> Result<bool, GringoError> {
        made.clear();
        for &given in body {
            let (number, positive) = (given / 2, given & 1 == 0);
            let holds = if self.heard.always.contains(&number) {
                true
            } else if let Some(&holds) = self.decided.get(&number) {
                holds
            } else if let Some(&atom) = self.atoms.get(&number) {
                made.push(literal(atom, positive));
                continue;
            } else if defined.contains(&number) || self.heard.sums.contains(&number) {
                return Err(unexpected("a rule of the game depends on an atom that is not part of it"));
            } else {
                false
            };
            if holds != positive {
                return Ok(false);
            }
        }
        // Different literals of a rule can have the same instance, and then also opposite ones.
        made.sort_unstable();
        made.dedup();
        Ok(made.windows(2).all(|pair| pair[0] ^ 1 != pair[1]))
    }
}

/// An answer that is well written and makes no sense.
fn unexpected(what: &str) -> GringoError {
    GringoError::Syntax { line: 0, what: what.to_owned() }
}

#[cfg(test)]
mod tests {
    use groundrules_gdl::{Options, read as read_game};

    use super::*;
    use crate::finish::finish;
    use crate::methods::gringo::clauses;
    use crate::options::Switches;

    /// The game as KIF that an answer stands for; the answer's frame is added.
    fn kif(description: &str, lines: &[&str], limits: &Limits) -> Result<String, GringoError> {
        let game = read_game(description.as_bytes(), &Options::default()).game.expect("a valid description");
        let program = clauses(&game, Switches::none()).expect("clauses");
        let text = format!("asp 1 0 0\n{}\n0\n", lines.join("\n"));
        let mut answer = read(&game, &program, text.as_bytes(), limits)?;
        let mut ground = finish(answer.draft, &mut answer.names, answer.roles);
        ground.symbols = game.symbols().clone();
        ground.terms = answer.terms;
        Ok(ground.to_kif())
    }

    const GAME: &str = "(role r) (init (p 1)) (<= (legal r (go ?x)) (true (p ?x))) (legal s (go 1)) (goal r 7)
        (<= (next (p ?x)) (does r (go ?x)) (not (q ?x))) (<= (q ?x) (true (p ?x)) (legal s (go ?x)) (not stop))
        (<= stop (true (p 7))) (<= terminal (q ?x))";

    const NAMES: [&str; 9] = [
        "4 7 role(r) 0",
        "4 10 init(p(1)) 0",
        "4 10 base(p(1)) 0",
        "4 14 input(r,go(1)) 0",
        "4 14 input(s,go(1)) 0",
        "4 10 true(p(1)) 1 2",
        "4 13 does(r,go(1)) 1 3",
        "4 10 next(p(1)) 1 4",
        "4 9 goal(r,7) 0",
    ];

    fn answer(rules: &[&str]) -> Result<String, GringoError> {
        kif(GAME, &[rules, &NAMES].concat(), &Limits::default())
    }

    #[test]
    fn rules_of_the_game_become_ground_rules() {
        let text = answer(&[
            // A fact with a number, which the text of the atom need not tell.
            "1 0 1 1 0 0",
            "1 1 2 2 3 0 0",
            "1 0 1 4 0 3 3 -5 1",
            "1 0 1 4 0 2 3 -1",
            "1 0 1 4 0 4 3 2 3 -2",
            "1 0 1 5 0 2 2 -6",
            // Nothing defines atom 6.
            "1 0 1 4 0 2 3 6",
            "1 0 1 7 0 3 2 2 2",
            "1 0 1 9 1 1 2 2 1 3 1",
            "4 4 q(1) 1 5",
            "4 14 legal(s,go(1)) 0",
            "4 14 legal(r,go(1)) 1 7",
        ]);
        let expected = "(role r)\n(base (p 1))\n(input r (go 1))\n(init (p 1))\n\
            (<= (next (p 1)) (does r (go 1)) (not (q 1)))\n(<= (legal r (go 1)) (true (p 1)))\n\
            (<= (q 1) (true (p 1)))\n(legal s (go 1))\n(goal r 7)\n";
        assert_eq!(text.unwrap(), expected);
    }

    #[test]
    fn answers_that_make_no_sense_are_refused() {
        let unexpected: [&[&str]; 6] = [
            &["1 0 1 2 0 1 3"],
            &["1 0 1 2 0 0"],
            &["1 0 1 8 0 1 2", "1 0 1 4 0 1 8"],
            &["1 0 1 8 1 1 1 2 1", "1 0 1 4 0 1 8"],
            &["4 10 next(p(7)) 1 9"],
            &["4 4 z(1) 1 9"],
        ];
        for rules in unexpected {
            assert!(matches!(answer(rules), Err(GringoError::Syntax { .. })), "{rules:?}");
        }
    }

    #[test]
    fn what_holds_at_first_must_be_decided() {
        let undecided = ["4 10 init(p(7)) 1 8", "1 0 1 8 0 1 -9", "1 0 1 9 0 1 -8"];
        assert!(matches!(answer(&undecided), Err(GringoError::Undecided { atom }) if atom == "(init (p 7))"));
        let decided = ["4 10 init(p(7)) 1 8", "4 10 base(p(7)) 1 8", "1 0 1 8 0 1 -9", "1 0 1 9 0 1 -10"];
        assert!(!answer(&decided).unwrap().contains("(init (p 7))"));
        let with_fact = [&decided[..], &["1 0 1 10 0 0"]].concat();
        assert!(answer(&with_fact).unwrap().contains("(init (p 7))"));
    }

    #[test]
    fn limits_are_kept() {
        let few = |change: fn(&mut Limits)| {
            let mut limits = Limits::default();
            change(&mut limits);
            let rules = ["1 0 1 4 0 2 3 -5", "1 0 1 4 0 2 3 5"];
            kif(GAME, &[&rules[..], &NAMES].concat(), &limits)
        };
        assert!(few(|_| {}).is_ok());
        assert!(matches!(few(|it| it.rules = 1), Err(GringoError::Limit { what: "ground rules", limit: 1 })));
        assert!(matches!(few(|it| it.atoms = 5), Err(GringoError::Limit { what: "atoms", limit: 5 })));
        assert!(matches!(few(|it| it.bytes = 500), Err(GringoError::Limit { what: "bytes", limit: 500 })));
    }
}
