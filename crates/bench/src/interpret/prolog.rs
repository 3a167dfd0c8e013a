//! A game as a Prolog program, translated the usual way: the state and the joint move are facts that are asserted and
//! retracted, each rule is a clause, legal moves and the next state are found by `findall`. Positive conditions keep
//! their order; negations and `distinct` wait until their variables are bound. Relations that depend on themselves are
//! tabled only when that is asked for: some descriptions would not terminate otherwise.
//!
//! The loop that plays and counts is Prolog, too: `playouts.pl`, which stands before the rules.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

use groundrules_gdl::dependency::Dependencies;
use groundrules_gdl::game::{Atom, Formula, Game, Literal, RelationId, Rule, Test};
use groundrules_gdl::symbol::Symbol;
use groundrules_gdl::term::{Term, TermId};

const PLAYOUTS: &str = include_str!("playouts.pl");

/// What is asked of a game in a playout.
const ASKED: [RelationId; 6] = [
    RelationId::ROLE,
    RelationId::INIT,
    RelationId::LEGAL,
    RelationId::NEXT,
    RelationId::GOAL,
    RelationId::TERMINAL,
];

/// Whether relations that depend on themselves are tabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recursion {
    /// As Prolog does it.
    Plain,
    /// Tabled.
    Tabled,
}

/// Writes the program.
pub(super) fn program(game: &Game, recursion: Recursion) -> String {
    let dependencies = Dependencies::of(game);
    let needed = needed(&dependencies);
    let tabled: Vec<RelationId> = match recursion {
        Recursion::Plain => Vec::new(),
        Recursion::Tabled => {
            needed.iter().copied().filter(|&relation| dependencies.is_recursive(relation)).collect()
        }
    };
    let mut text = format!("{PLAYOUTS}\n");
    for &relation in &tabled {
        let _ = writeln!(text, ":- table {}.", indicator(game, relation));
    }
    let changing = tabled.iter().copied().filter(|&relation| dependencies.is_dynamic(relation));
    let forget: Vec<String> =
        changing.map(|relation| format!("abolish_table_subgoals({})", any(game, relation))).collect();
    let forget = if forget.is_empty() { "true".to_owned() } else { forget.join(", ") };
    let _ = writeln!(text, "forget_after_moves :- {forget}.");
    for &relation in &needed {
        if relation == RelationId::TRUE || relation == RelationId::DOES {
            continue;
        }
        if game.rules_of(relation).next().is_none() {
            let _ = writeln!(text, ":- dynamic {}.", indicator(game, relation));
        }
        game.rules_of(relation).for_each(|(_, rule)| Clause::new(game).write(rule, &mut text));
    }
    text
}

/// The relations that the asked ones depend on, themselves included.
fn needed(dependencies: &Dependencies) -> BTreeSet<RelationId> {
    let mut needed = BTreeSet::new();
    let mut waiting = ASKED.to_vec();
    while let Some(relation) = waiting.pop() {
        if needed.insert(relation) {
            waiting.extend(dependencies.edges(relation).iter().map(|edge| edge.to));
        }
    }
    needed
}

/// A relation's name in Prolog: none of them is one of Prolog's own.
fn name(game: &Game, relation: RelationId) -> String {
    quoted(&format!("gdl_{}", game.symbols().folded(game.relation(relation).name)))
}

fn indicator(game: &Game, relation: RelationId) -> String {
    format!("{}/{}", name(game, relation), game.relation(relation).arity)
}

/// The relation applied to anything.
fn any(game: &Game, relation: RelationId) -> String {
    match game.relation(relation).arity {
        0 => name(game, relation),
        arity => format!("{}({})", name(game, relation), vec!["_"; arity].join(", ")),
    }
}

/// An atom of Prolog. Numbers are symbols in GDL, and stay so.
fn quoted(name: &str) -> String {
    let mut text = String::from("'");
    for c in name.chars() {
        match c {
            '\'' => text.push_str("\\'"),
            '\\' => text.push_str("\\\\"),
            c if c.is_control() => {
                let _ = write!(text, "\\x{:x}\\", c as u32);
            }
            c => text.push(c),
        }
    }
    text.push('\'');
    text
}

/// A clause as it is written: its variables have numbers.
struct Clause<'game> {
    game: &'game Game,
    variables: HashMap<Symbol, usize>,
}

impl<'game> Clause<'game> {
    fn new(game: &'game Game) -> Self {
        Clause { game, variables: HashMap::new() }
    }

    fn write(mut self, rule: &Rule, text: &mut String) {
        let head = self.atom(&rule.head);
        let body = self.conjunction(&rule.body, &BTreeSet::new());
        let _ = match &body[..] {
            "true" => writeln!(text, "{head}."),
            body => writeln!(text, "{head} :- {body}."),
        };
    }

    /// A conjunction in an order in which every test finds its variables bound.
    fn conjunction(&mut self, parts: &[Formula], bound: &BTreeSet<Symbol>) -> String {
        let mut waiting: Vec<&Formula> = flat(parts);
        let mut bound = bound.clone();
        let mut goals = Vec::new();
        while !waiting.is_empty() {
            let ready = waiting.iter().position(|part| self.is_ready(part, &bound));
            // The checks refuse rules in which nothing is ready.
            let part = waiting.remove(ready.unwrap_or(0));
            goals.push(self.goal(part, &bound));
            self.bind(part, &mut bound);
        }
        if goals.is_empty() { "true".to_owned() } else { goals.join(", ") }
    }

    fn goal(&mut self, part: &Formula, bound: &BTreeSet<Symbol>) -> String {
        match part {
            Formula::Literal(literal) => self.literal(literal),
            Formula::And(parts) => format!("({})", self.conjunction(parts, bound)),
            Formula::Or(parts) if parts.is_empty() => "fail".to_owned(),
            Formula::Or(parts) => {
                let each = parts.iter().map(|part| self.conjunction(std::slice::from_ref(part), bound));
                format!("({})", each.collect::<Vec<_>>().join(" ; "))
            }
        }
    }

    fn literal(&mut self, literal: &Literal) -> String {
        match (&literal.test, literal.positive) {
            (Test::Atom(atom), true) => self.atom(atom),
            (Test::Atom(atom), false) => format!("\\+ {}", self.atom(atom)),
            (Test::Equal([left, right]), positive) => {
                let (left, right) = (self.term(*left), self.term(*right));
                format!("{left} {} {right}", if positive { "==" } else { "\\==" })
            }
        }
    }

    fn atom(&mut self, atom: &Atom) -> String {
        let mut text = name(self.game, atom.relation);
        for (number, &argument) in atom.arguments.iter().enumerate() {
            text.push_str(if number == 0 { "(" } else { ", " });
            text.push_str(&self.term(argument));
        }
        if !atom.arguments.is_empty() {
            text.push(')');
        }
        text
    }

    /// A term. Terms nest deep, so this does not recurse.
    fn term(&mut self, term: TermId) -> String {
        enum Piece {
            Term(TermId),
            Comma,
            Close,
        }
        let (mut text, mut steps) = (String::new(), vec![Piece::Term(term)]);
        while let Some(step) = steps.pop() {
            match step {
                Piece::Comma => text.push(','),
                Piece::Close => text.push(')'),
                Piece::Term(term) => match self.game.terms().get(term) {
                    Term::Constant(name) => text.push_str(&quoted(self.game.symbols().folded(*name))),
                    Term::Variable(name) => {
                        let next = self.variables.len();
                        let _ = write!(text, "V{}", self.variables.entry(*name).or_insert(next));
                    }
                    Term::Function(name, arguments) => {
                        text.push_str(&quoted(self.game.symbols().folded(*name)));
                        text.push('(');
                        steps.push(Piece::Close);
                        let each = arguments.iter().rev().flat_map(|&term| [Piece::Term(term), Piece::Comma]);
                        steps.extend(each);
                        // There is no comma before the first.
                        steps.pop();
                    }
                },
            }
        }
        text
    }

    /// Whether every test in a part finds its variables bound, by what stands before it or inside.
    fn is_ready(&self, part: &Formula, bound: &BTreeSet<Symbol>) -> bool {
        match part {
            Formula::Literal(literal) if literal.positive_atom().is_some() => true,
            Formula::Literal(literal) => self.variables_of(literal).is_subset(bound),
            Formula::Or(parts) => parts.iter().all(|part| self.is_ready(part, bound)),
            Formula::And(parts) => {
                let mut inside = bound.clone();
                parts.iter().for_each(|part| self.bind(part, &mut inside));
                parts.iter().all(|part| self.is_ready(part, &inside))
            }
        }
    }

    /// Adds the variables that are bound after a part.
    fn bind(&self, part: &Formula, bound: &mut BTreeSet<Symbol>) {
        match part {
            Formula::Literal(literal) if literal.positive_atom().is_some() => {
                bound.extend(self.variables_of(literal));
            }
            Formula::Literal(_) => {}
            Formula::And(parts) => parts.iter().for_each(|part| self.bind(part, bound)),
            Formula::Or(parts) => {
                let each = parts.iter().map(|part| {
                    let mut bound = BTreeSet::new();
                    self.bind(part, &mut bound);
                    bound
                });
                bound.extend(each.reduce(|left, right| &left & &right).unwrap_or_default());
            }
        }
    }

    fn variables_of(&self, literal: &Literal) -> BTreeSet<Symbol> {
        let mut variables = BTreeSet::new();
        for &term in literal.terms() {
            self.game.terms().for_each_variable(term, |name, _| {
                variables.insert(name);
            });
        }
        variables
    }
}

/// The parts of a conjunction, conjunctions inside it taken apart.
fn flat(parts: &[Formula]) -> Vec<&Formula> {
    let mut all = Vec::new();
    for part in parts {
        match part {
            Formula::And(parts) => all.extend(flat(parts)),
            other => all.push(other),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use groundrules_gdl::{Options, read};

    use super::*;

    /// The clauses of a game, without what stands before them.
    fn clauses(text: &str, recursion: Recursion) -> String {
        let game = read(text.as_bytes(), &Options::default()).game.expect("a valid description");
        program(&game, recursion).strip_prefix(PLAYOUTS).expect("the loop first").trim().to_owned()
    }

    #[test]
    fn rules_are_clauses() {
        let text = "(role You) (init (cell 1 b)) (<= (legal you (mark ?x)) (true (cell ?x b))) (goal you 1)
            (<= (next (cell ?x o)) (does you (mark ?x))) (<= terminal (open)) (<= open (undefined ?x))";
        assert_eq!(
            clauses(text, Recursion::Plain),
            "forget_after_moves :- true.\n'gdl_role'('you').\n'gdl_init'('cell'('1','b')).\n\
             'gdl_next'('cell'(V0,'o')) :- 'gdl_does'('you', 'mark'(V0)).\n\
             'gdl_legal'('you', 'mark'(V0)) :- 'gdl_true'('cell'(V0,'b')).\n'gdl_goal'('you', '1').\n\
             'gdl_terminal' :- 'gdl_open'.\n'gdl_open' :- 'gdl_undefined'(V0).\n:- dynamic 'gdl_undefined'/1."
        );
    }

    #[test]
    fn tests_wait_for_their_variables() {
        let text = "(role you) (init (a 1)) (p 1) (legal you go) (goal you 1)
            (<= terminal (distinct ?x ?y) (p ?x) (or (not (true (a ?y))) (distinct ?x 2)) (true (a ?y)))";
        let clause = "'gdl_terminal' :- 'gdl_p'(V0), 'gdl_true'('a'(V1)), V0 \\== V1, \
                      (\\+ 'gdl_true'('a'(V1)) ; V0 \\== '2').";
        let written = clauses(text, Recursion::Plain);
        assert!(written.contains(clause), "{written}");
    }

    #[test]
    fn names_are_quoted() {
        assert_eq!(quoted("it's"), "'it\\'s'");
        assert_eq!(quoted("a\\b"), "'a\\\\b'");
        assert_eq!(quoted("\u{7}"), "'\\x7\\'");
    }

    #[test]
    fn what_depends_on_itself_is_tabled_when_asked_for() {
        let text = "(role you) (init (e a b)) (legal you go) (goal you 1) (f a b)
            (<= (q ?x ?y) (f ?x ?y)) (<= (q ?x ?z) (q ?x ?y) (f ?y ?z))
            (<= (e ?x ?y) (true (e ?x ?y))) (<= (r ?x ?y) (e ?x ?y)) (<= (r ?x ?z) (r ?x ?y) (e ?y ?z))
            (<= terminal (r a b) (q a b))";
        let tabled = clauses(text, Recursion::Tabled);
        assert!(tabled.contains(":- table 'gdl_r'/2.") && tabled.contains(":- table 'gdl_q'/2."), "{tabled}");
        assert!(
            tabled.contains("forget_after_moves :- abolish_table_subgoals('gdl_r'(_, _)).\n"),
            "{tabled}"
        );
    }
}
