//! The rows of static relations: facts, and what rules make of them. Only rules without recursion and without negation are followed,
//! which is how descriptions write their tables of coordinates. Work is limited by a number of steps; what is too large has no rows.

use std::collections::{BTreeMap, BTreeSet};

use groundrules_gdl::Game;
use rustc_hash::FxHashMap;

use super::{Argument, Family, Pattern, Subject, bodies};

/// The most rows that are tried for one relation, and for all.
const MOST_STEPS: usize = 200_000;
const MOST_STEPS_IN_ALL: usize = 5 * MOST_STEPS;

/// The most literals of a rule, and the most relations that rest on one another: both are walked by recursion.
const LONGEST_BODY: usize = 20;
const DEEPEST: usize = 40;

/// Rows of folded words.
type Rows = BTreeSet<Vec<String>>;

/// A way to make a row: the head, and the relations that have to hold.
struct Clause {
    head: Vec<Argument>,
    body: Vec<(Family, Vec<Argument>)>,
}

/// The relations of a description that rules make of facts.
struct Statics {
    /// The ways of each relation; nothing for a relation with a rule that is not followed.
    clauses: BTreeMap<Family, Option<Vec<Clause>>>,
    /// The steps that are left for the relation at hand, and how deep it is.
    steps: usize,
    depth: usize,
    /// Rows that are known. A relation under way has none, so that recursion ends.
    known: FxHashMap<Family, Option<Rows>>,
}

/// The static relations with this number of arguments that are made by rules or facts without recursion and negation, and their rows.
pub(super) fn with_arity(game: &Game, arity: usize) -> Vec<(String, Vec<Vec<String>>)> {
    let mut statics = Statics { clauses: clauses(game), steps: 0, depth: 0, known: FxHashMap::default() };
    let mut left = MOST_STEPS_IN_ALL;
    let families: Vec<Family> = statics.clauses.keys().filter(|family| family.1 == arity).cloned().collect();
    let mut found = Vec::new();
    for family in families {
        let allowed = left.min(MOST_STEPS);
        statics.steps = allowed;
        let rows = statics.rows(&family);
        found.extend(rows.map(|rows| (family.0, rows.into_iter().collect())));
        left -= allowed - statics.steps;
    }
    found
}

fn clauses(game: &Game) -> BTreeMap<Family, Option<Vec<Clause>>> {
    let mut clauses: BTreeMap<Family, Option<Vec<Clause>>> = BTreeMap::new();
    for rule in game.rules() {
        let Some(head) = Pattern::of(game, &rule.head) else { continue };
        if head.subject != Subject::Relation {
            continue;
        }
        let made: Option<Vec<Clause>> = bodies(rule)
            .into_iter()
            .map(|body| {
                if body.len() > LONGEST_BODY {
                    return None;
                }
                let body: Option<Vec<(Family, Vec<Argument>)>> = body
                    .into_iter()
                    .map(|literal| {
                        let pattern = Pattern::of(game, literal.positive_atom()?)?;
                        let is_relation = pattern.subject == Subject::Relation;
                        is_relation.then(|| (pattern.family(), pattern.arguments))
                    })
                    .collect();
                Some(Clause { head: head.arguments.clone(), body: body? })
            })
            .collect();
        let entry = clauses.entry(head.family()).or_insert_with(|| Some(Vec::new()));
        match (entry.as_mut(), made) {
            (Some(known), Some(made)) => known.extend(made),
            _ => *entry = None,
        }
    }
    clauses
}

impl Statics {
    fn rows(&mut self, family: &Family) -> Option<Rows> {
        if let Some(known) = self.known.get(family) {
            return known.clone();
        }
        if self.depth == DEEPEST {
            return None;
        }
        self.known.insert(family.clone(), None);
        self.depth += 1;
        let clauses = self.clauses.remove(family).flatten();
        let rows = clauses.as_ref().and_then(|clauses| {
            let mut rows = Rows::new();
            for clause in clauses {
                self.join(clause, 0, &mut FxHashMap::default(), &mut rows)?;
            }
            Some(rows)
        });
        self.clauses.insert(family.clone(), clauses);
        self.depth -= 1;
        self.known.insert(family.clone(), rows.clone());
        rows
    }

    /// Adds the rows of a clause whose relations before a place hold for the values that variables have. Nothing if there is too
    /// much to do, or a relation has no rows that are known.
    fn join(
        &mut self,
        clause: &Clause,
        at: usize,
        bound: &mut FxHashMap<String, String>,
        rows: &mut Rows,
    ) -> Option<()> {
        let Some((family, arguments)) = clause.body.get(at) else {
            let row: Option<Vec<String>> =
                clause.head.iter().map(|argument| value(argument, bound)).collect();
            rows.insert(row?);
            return Some(());
        };
        self.steps = self.steps.checked_sub(1)?;
        for row in self.rows(family)? {
            self.steps = self.steps.checked_sub(1)?;
            if let Some(new) = matched(arguments, &row, bound) {
                self.join(clause, at + 1, bound, rows)?;
                for name in new {
                    bound.remove(&name);
                }
            }
        }
        Some(())
    }
}

fn value(argument: &Argument, bound: &FxHashMap<String, String>) -> Option<String> {
    match argument {
        Argument::Value(key, _) => Some(key.clone()),
        Argument::Variable(name) => bound.get(name).cloned(),
        Argument::Other => None,
    }
}

/// Binds the variables of a pattern to the values of a row; gives those that were free, or nothing if the row does not fit.
fn matched(
    arguments: &[Argument],
    row: &[String],
    bound: &mut FxHashMap<String, String>,
) -> Option<Vec<String>> {
    let mut new: Vec<String> = Vec::new();
    for (argument, word) in arguments.iter().zip(row) {
        let fits = match (argument, value(argument, bound)) {
            (_, Some(known)) => known == *word,
            (Argument::Variable(name), None) => {
                bound.insert(name.clone(), word.clone());
                new.push(name.clone());
                true
            }
            _ => false,
        };
        if !fits {
            new.iter().for_each(|name| {
                bound.remove(name);
            });
            return None;
        }
    }
    Some(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str, arity: usize) -> Vec<String> {
        let rest =
            "(role you) (init a) (legal you go) (goal you 100) (<= terminal (true a)) (<= (next a) (true a))";
        let text = format!("{text} {rest}");
        let game = groundrules_gdl::read(text.as_bytes(), &groundrules_gdl::Options::default()).game;
        let all = with_arity(&game.expect("a description"), arity);
        let texts =
            all.iter().map(|(_, rows)| rows.iter().map(|row| row.join(" ")).collect::<Vec<_>>().join(", "));
        texts.filter(|rows| rows != "you 100").collect()
    }

    #[test]
    fn rules_without_recursion_are_followed() {
        let text = "(i 1) (i 2) (up 1 2) (<= (at ?x ?z) (i ?x) (up ?x ?z)) (<= (at 7 ?x) (i ?x))";
        assert_eq!(rows(text, 2), ["1 2, 7 1, 7 2", "1 2"]);
        assert_eq!(rows("(p 1 2 3) (<= (q ?x ?y ?x) (p ?x ?y ?z))", 3), ["1 2 3", "1 2 1"]);
    }

    #[test]
    fn recursion_negation_and_states_are_not_followed() {
        assert!(rows("(d 1) (<= (r ?x ?y) (r ?y ?x))", 2).is_empty());
        assert!(rows("(d 1) (<= (r ?x ?x) (d ?x) (not (e ?x))) (e 2)", 2).is_empty());
        assert!(rows("(d 1) (<= (r ?x ?x) (d ?x) (true a))", 2).is_empty());
        let digits: String = (0..30).map(|n| format!("(d {n})")).collect();
        let large = format!("{digits} (<= (r ?a ?b ?c ?e) (d ?a) (d ?b) (d ?c) (d ?e))");
        assert!(rows(&large, 4).is_empty(), "too much work");
    }
}
