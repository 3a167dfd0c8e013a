//! Writes clauses as an answer set program. Its four parts are the game itself; every state, as a choice among the fluents
//! that can ever hold; every joint move, as a choice among the moves that can ever be legal; and what those are: copies of
//! the rules that lead to them, in which `true` asks only whether a fluent can ever hold, and negations of what a state
//! or a move decides are left out.

use std::fmt::Write;

use groundrules_gdl::Game;
use groundrules_gdl::symbol::Symbol;
use groundrules_gdl::term::{Term, TermId};
use indexmap::IndexSet;
use rustc_hash::FxHashSet;

use super::{names, vocabulary};
use crate::clause::{Clause, Comparison, Mode, Pattern, PatternAtom, Predicate, Program};

/// Lines are broken before they are longer than this.
const WIDTH: usize = 100;

/// The program as text. The clauses must have no conditions beside their bodies.
pub(super) fn write(game: &Game, program: &Program) -> String {
    let writer = Writer { game, program };
    let mut text = String::from("% The game.\n");
    let given = program.clauses.iter().map(|clause| writer.sentence(clause));
    lay_out(given, &mut text);
    text.push_str("\n% Any state: a set of fluents that can ever hold.\n{ true(F) : base(F) }.\n");
    text.push_str("\n% Any joint move: one move that can ever be legal for each role.\n");
    text.push_str("1 = { does(R,M) : input(R,M) } :- role(R).\n");
    text.push_str("\n% What can ever hold: the rules for it without what a state or a move decides.\n");
    text.push_str("base(F) :- init(F).\n");
    let needed = needed(program);
    let copied = program.clauses.iter().filter(|clause| is_copied(&needed, clause));
    lay_out(copied.filter_map(|clause| writer.relaxed(clause)), &mut text);
    text
}

/// A fact or a rule, in words.
#[derive(PartialEq, Eq, Hash)]
struct Sentence {
    head: String,
    body: Vec<String>,
}

impl Sentence {
    fn predicate(&self) -> &str {
        self.head.split('(').next().unwrap_or_default()
    }
}

/// Writes every sentence once, facts of a predicate side by side.
fn lay_out(sentences: impl Iterator<Item = Sentence>, text: &mut String) {
    let unique: IndexSet<Sentence> = sentences.collect();
    // The predicate of the facts on the line that is open, and how long that line is.
    let mut line: Option<(&str, usize)> = None;
    for sentence in &unique {
        let (predicate, length) = (sentence.predicate(), sentence.head.len() + 1);
        if !sentence.body.is_empty() {
            text.push_str(if line.take().is_some() { "\n" } else { "" });
            lay_out_rule(sentence, text);
            continue;
        }
        let used = match line {
            Some((same, used)) if same == predicate && used + 1 + length <= WIDTH => {
                text.push(' ');
                used + 1
            }
            Some(_) => {
                text.push('\n');
                0
            }
            None => 0,
        };
        let _ = write!(text, "{}.", sentence.head);
        line = Some((predicate, used + length));
    }
    text.push_str(if line.is_some() { "\n" } else { "" });
}

/// Writes a rule in one line, or with its body on lines of their own.
fn lay_out_rule(sentence: &Sentence, text: &mut String) {
    let _ = write!(text, "{} :-", sentence.head);
    let total: usize = sentence.body.iter().map(|literal| literal.len() + 2).sum();
    let is_short = sentence.head.len() + 3 + total <= WIDTH;
    let mut used = WIDTH;
    for (place, literal) in sentence.body.iter().enumerate() {
        let end = if place + 1 == sentence.body.len() { '.' } else { ',' };
        if is_short || used + literal.len() + 2 <= WIDTH {
            let _ = write!(text, " {literal}{end}");
            used += literal.len() + 2;
        } else {
            let _ = write!(text, "\n    {literal}{end}");
            used = literal.len() + 5;
        }
    }
    text.push('\n');
}

/// The predicates that what is next or legal rests on without negation.
fn needed(program: &Program) -> Vec<bool> {
    let mut needed = vec![false; program.predicates.len()];
    let mut by_head: Vec<Vec<&Clause>> = vec![Vec::new(); program.predicates.len()];
    let mut waiting: Vec<&Clause> = Vec::new();
    for clause in &program.clauses {
        by_head[clause.head.predicate.index()].push(clause);
        if matches!(clause.head.mode, Mode::Next | Mode::Legal) {
            waiting.push(clause);
        }
    }
    while let Some(clause) = waiting.pop() {
        let atoms = clause.body.positive.iter().filter(|atom| has_copy(program, atom));
        for index in atoms.map(|atom| atom.predicate.index()) {
            if !std::mem::replace(&mut needed[index], true) {
                waiting.extend(&by_head[index]);
            }
        }
    }
    needed
}

/// Whether an atom is of a relation that a state or a move decides.
fn has_copy(program: &Program, atom: &PatternAtom) -> bool {
    let predicate = program.predicates[atom.predicate.index()];
    program.is_dynamic(atom) && !matches!(predicate, Predicate::Fluent(..) | Predicate::Move(..))
}

fn is_copied(needed: &[bool], clause: &Clause) -> bool {
    matches!(clause.head.mode, Mode::Next | Mode::Legal) || needed[clause.head.predicate.index()]
}

struct Writer<'a> {
    game: &'a Game,
    program: &'a Program,
}

impl Writer<'_> {
    /// A clause as it is.
    fn sentence(&self, clause: &Clause) -> Sentence {
        let variables = variables(self.game, clause);
        let atom = |atom: &PatternAtom| self.atom(atom, vocabulary::keyword(atom.mode), false, &variables);
        let mut body: Vec<String> = clause.body.positive.iter().map(atom).collect();
        body.extend(clause.body.negative.iter().map(|negated| format!("not {}", atom(negated))));
        body.extend(clause.body.tests.iter().map(|test| self.test(test, &variables)));
        Sentence { head: atom(&clause.head), body }
    }

    /// A clause as to what can ever hold; none if it says nothing new.
    fn relaxed(&self, clause: &Clause) -> Option<Sentence> {
        let variables = variables(self.game, clause);
        let atom = |atom: &PatternAtom| {
            let keyword = vocabulary::possible_keyword(atom.mode);
            self.atom(atom, keyword, self.program.is_dynamic(atom), &variables)
        };
        let head = atom(&clause.head);
        let mut body: Vec<String> = clause.body.positive.iter().map(atom).collect();
        if body.contains(&head) {
            return None;
        }
        let known = clause.body.negative.iter().filter(|negated| !self.program.is_dynamic(negated));
        body.extend(known.map(|negated| format!("not {}", atom(negated))));
        body.extend(clause.body.tests.iter().map(|test| self.test(test, &variables)));
        let mut seen = FxHashSet::default();
        body.retain(|literal| seen.insert(literal.clone()));
        Some(Sentence { head, body })
    }

    /// An atom, if of a fluent or a move under a keyword; otherwise under its predicate or that of its copy.
    fn atom(&self, atom: &PatternAtom, keyword: &str, is_copy: bool, variables: &[String]) -> String {
        let predicate = self.program.predicates[atom.predicate.index()];
        let mut text = String::new();
        match predicate {
            Predicate::Fluent(name, _) => {
                let _ = write!(text, "{keyword}(");
                self.term(name, &atom.columns, variables, &mut text);
                text.push(')');
            }
            Predicate::Move(name, _) => {
                let (role, arguments) = atom.columns.split_at(1);
                let _ = write!(text, "{keyword}(");
                self.patterns(role, variables, &mut text);
                text.push(',');
                self.term(name, arguments, variables, &mut text);
                text.push(')');
            }
            _ => {
                let name =
                    vocabulary::predicate(self.game, predicate).expect("other predicates are written above");
                text.push_str(&if is_copy { vocabulary::copy(&name) } else { name });
                self.arguments(&atom.columns, variables, &mut text);
            }
        }
        text
    }

    fn test(&self, test: &Comparison, variables: &[String]) -> String {
        let mut text = String::new();
        self.pattern(&test.left, variables, &mut text);
        text.push_str(if test.equal { " = " } else { " != " });
        self.pattern(&test.right, variables, &mut text);
        text
    }

    /// A name applied to arguments, a constant if there are none.
    fn term(&self, name: Symbol, arguments: &[Pattern], variables: &[String], text: &mut String) {
        let name = self.game.symbols().folded(name);
        text.push_str(&if arguments.is_empty() { names::constant(name) } else { names::functor(name) });
        self.arguments(arguments, variables, text);
    }

    fn arguments(&self, arguments: &[Pattern], variables: &[String], text: &mut String) {
        if !arguments.is_empty() {
            text.push('(');
            self.patterns(arguments, variables, text);
            text.push(')');
        }
    }

    fn patterns(&self, patterns: &[Pattern], variables: &[String], text: &mut String) {
        for (place, pattern) in patterns.iter().enumerate() {
            text.push_str(if place == 0 { "" } else { "," });
            self.pattern(pattern, variables, text);
        }
    }

    /// Recursion is as deep as functions nest around a variable, which `clause` bounds.
    fn pattern(&self, pattern: &Pattern, variables: &[String], text: &mut String) {
        match pattern {
            Pattern::Ground(term) => self.ground(*term, text),
            Pattern::Variable(variable) => text.push_str(&variables[*variable]),
            Pattern::Function(name, arguments) => self.term(*name, arguments, variables, text),
        }
    }

    /// Terms without variables nest as deep as a description likes, so they are written without recursion.
    fn ground(&self, term: TermId, text: &mut String) {
        enum Piece {
            Term(TermId),
            Mark(char),
        }
        let (terms, symbols) = (self.game.terms(), self.game.symbols());
        let mut stack = vec![Piece::Term(term)];
        while let Some(step) = stack.pop() {
            match step {
                Piece::Mark(mark) => text.push(mark),
                Piece::Term(term) => match terms.get(term) {
                    Term::Constant(name) | Term::Variable(name) => {
                        text.push_str(&names::constant(symbols.folded(*name)));
                    }
                    Term::Function(name, arguments) => {
                        text.push_str(&names::functor(symbols.folded(*name)));
                        stack.push(Piece::Mark(')'));
                        for (place, &argument) in arguments.iter().enumerate().rev() {
                            let mark = if place == 0 { '(' } else { ',' };
                            stack.extend([Piece::Term(argument), Piece::Mark(mark)]);
                        }
                    }
                },
            }
        }
    }
}

/// The variables of a clause: their names with a capital letter where that will do, each name once.
fn variables(game: &Game, clause: &Clause) -> Vec<String> {
    let mut taken = FxHashSet::default();
    let mut named = Vec::with_capacity(clause.variables.len());
    for (number, &symbol) in clause.variables.iter().enumerate() {
        let given = game.symbols().folded(symbol).trim_start_matches(['?', '_']);
        let mut name: String = given.chars().filter(|it| it.is_ascii_alphanumeric() || *it == '_').collect();
        match name.get_mut(..1) {
            Some(first) if first.starts_with(|it: char| it.is_ascii_alphabetic()) => {
                first.make_ascii_uppercase();
            }
            _ => name.insert(0, 'V'),
        }
        if taken.contains(&name) {
            let _ = write!(name, "_{number}");
        }
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        named.push(name);
    }
    named
}

#[cfg(test)]
mod tests {
    use groundrules_gdl::{Options, read};

    use crate::Switches;
    use crate::methods::gringo::answer_set_program;

    fn written(text: &str, switches: Switches) -> String {
        let game = read(text.as_bytes(), &Options::default()).game.expect("a valid description");
        answer_set_program(&game, switches).expect("a program")
    }

    const FRAME: &str = "(role r) (init (at 1)) (succ 1 2) (succ 2 3) (goal r 100)";

    #[test]
    fn the_four_parts_of_a_small_game() {
        let text = format!(
            "{FRAME} (<= (legal r (go ?y)) (near ?y)) (<= (near ?y) (true (at ?x)) (succ ?x ?y))
            (<= (next (at ?y)) (does r (go ?y)) (not (true (at 3))) (not (succ ?y 1)))
            (<= (next (at ?x)) (true (at ?x)) (not (near 2)) (distinct ?x 1)) (<= terminal (true (at 3)))"
        );
        let expected = "\
% The game.
role(r).
init(at(1)).
succ(1,2). succ(2,3).
goal(r,100).
legal(r,go(Y)) :- near(Y).
near(Y) :- true(at(X)), succ(X,Y).
next(at(Y)) :- does(r,go(Y)), not true(at(3)), not succ(Y,1).
next(at(X)) :- true(at(X)), not near(2), X != 1.
terminal :- true(at(3)).

% Any state: a set of fluents that can ever hold.
{ true(F) : base(F) }.

% Any joint move: one move that can ever be legal for each role.
1 = { does(R,M) : input(R,M) } :- role(R).

% What can ever hold: the rules for it without what a state or a move decides.
base(F) :- init(F).
input(r,go(Y)) :- near'static(Y).
near'static(Y) :- base(at(X)), succ(X,Y).
base(at(Y)) :- input(r,go(Y)), not succ(Y,1).
";
        assert_eq!(written(&text, Switches::none()), expected);
    }

    #[test]
    fn the_savings_of_the_paper() {
        let text = "(role r) (init (cell 1 x)) (init (cell 2 b)) (<= (legal r (mark ?x)) (true (cell ?x b)))
            (<= (line ?m) (true (cell 1 ?m)) (true (cell 2 ?m))) (<= terminal (line x)) (<= terminal (line o))
            (<= (goal r 100) (line x)) (<= (next (cell ?x x)) (does r (mark ?x)))
            (<= (reach ?x ?z) (true (cell ?x ?y)) (d ?y) (true (cell ?z b))) (d b) (d x)
            (<= (legal r (both ?x ?z)) (reach ?x ?z))";
        let all = written(text, Switches::default());
        assert!(all.contains("line(M) :- true(cell(1,M)), true(cell(2,M)), asked"), "{all}");
        assert!(all.contains("'(x). asked") && all.contains("'(o)."), "{all}");
        assert!(all.contains("aux0'(X) :- true(cell(X,Y)), d(Y)."), "{all}");
        assert!(all.contains("aux0''static(X) :- base(cell(X,Y)), d(Y)."), "{all}");
        let none = written(text, Switches::none());
        assert!(!none.contains("asked") && !none.contains("aux"), "{none}");
    }

    #[test]
    fn the_descriptions_own_base_and_input_are_relations_like_others() {
        let text =
            format!("{FRAME} (legal r go) terminal (base (at 9)) (<= (next ?f) (base ?f)) (input r no)");
        let text = written(&text, Switches::none());
        assert!(text.contains("base'given(at(9)).\nnext(at(F)) :- base'given(at(F))."), "{text}");
        assert!(text.contains("base(at(F)) :- base'given(at(F))."), "{text}");
        assert!(!text.contains("no)"), "{text}");
    }

    #[test]
    fn lines_are_short_and_names_strange() {
        let facts: String = (0..100).map(|number| format!("(number {number}) ")).collect();
        let body = " (number ?x)(number ?X2)(number ?3)".repeat(5);
        let text =
            format!("{FRAME} (legal r go) {facts} (<= terminal {body} (distinct ?x ?X2) (true (at +)))");
        let text = written(&text, Switches::none());
        assert!(text.lines().all(|line| line.len() <= super::WIDTH), "{text}");
        assert!(text.lines().count() < 40, "{text}");
        assert!(text.contains("number(V3)") && text.contains("true(at(_x'2b'))"), "{text}");
    }

    #[test]
    fn deep_terms_are_written_without_recursion() {
        let deep = format!("{}z{}", "(s ".repeat(5_000), ")".repeat(5_000));
        let text = written(&format!("{FRAME} (legal r {deep}) terminal"), Switches::default());
        assert!(text.contains(&format!("legal(r,{}z{}).", "s(".repeat(5_000), ")".repeat(5_000))));
    }
}
