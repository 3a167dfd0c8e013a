//! Writing a ground game as KIF, a description of its own. A ground game has far more literals than terms, so the whole
//! game is written from a table in which every fluent, move and derived atom is spelled once, one line at a time: the
//! text is never held in memory.

use std::fmt;

use groundrules_gdl::term::TermId;

use crate::ground_game::{AtomId, AtomKind, GroundGame, GroundLiteral};

impl GroundGame {
    /// The whole game as KIF, for `{}`. Written to a file or a buffer, it is streamed.
    pub fn kif(&self) -> Kif<'_> {
        Kif(self)
    }

    /// The whole game as KIF in one string.
    pub fn to_kif(&self) -> String {
        self.kif().to_string()
    }

    /// An atom as KIF.
    pub fn atom_kif(&self, atom: AtomId) -> String {
        let mut text = String::new();
        push_atom(self.kind(atom), &mut text, &|kind, out| self.spell(kind, out));
        text
    }

    /// A rule as KIF.
    pub fn rule_kif(&self, head: AtomId, body: &[GroundLiteral]) -> String {
        let mut text = String::new();
        self.push_rule(head, body, &mut text, &|kind, out| self.spell(kind, out));
        text
    }

    /// Appends what stands between the keyword of an atom and its closing parenthesis; of a derived atom everything.
    fn spell(&self, kind: AtomKind, out: &mut String) {
        match kind {
            AtomKind::True(fluent) | AtomKind::Next(fluent) => self.push_term(self.fluents[fluent], out),
            AtomKind::Does(number) | AtomKind::Legal(number) => {
                let (role, term) = self.moves[number];
                self.push_term(self.roles[role], out);
                out.push(' ');
                self.push_term(term, out);
            }
            AtomKind::Derived(number) => {
                let (name, arguments) = &self.derived[number];
                if arguments.is_empty() {
                    return out.push_str(name);
                }
                out.push('(');
                out.push_str(name);
                for &argument in arguments {
                    out.push(' ');
                    self.push_term(argument, out);
                }
                out.push(')');
            }
        }
    }

    fn push_term(&self, term: TermId, out: &mut String) {
        self.terms.write_kif(term, &self.symbols, out).expect("writing to a string does not fail");
    }

    fn push_rule(&self, head: AtomId, body: &[GroundLiteral], out: &mut String, spell: &impl Spell) {
        if body.is_empty() {
            return push_atom(self.kind(head), out, spell);
        }
        out.push_str("(<= ");
        push_atom(self.kind(head), out, spell);
        for literal in body {
            let (open, close) = if literal.is_positive() { (" ", "") } else { (" (not ", ")") };
            out.push_str(open);
            push_atom(self.kind(literal.atom()), out, spell);
            out.push_str(close);
        }
        out.push(')');
    }
}

/// What appends the inner text of an atom; see [`GroundGame::spell`].
trait Spell: Fn(AtomKind, &mut String) {}

impl<F: Fn(AtomKind, &mut String)> Spell for F {}

fn push_atom(kind: AtomKind, out: &mut String, spell: &impl Spell) {
    let keyword = match kind {
        AtomKind::True(_) => "(true ",
        AtomKind::Next(_) => "(next ",
        AtomKind::Does(_) => "(does ",
        AtomKind::Legal(_) => "(legal ",
        AtomKind::Derived(_) => return spell(kind, out),
    };
    out.push_str(keyword);
    spell(kind, out);
    out.push(')');
}

/// A ground game to be written as KIF; see [`GroundGame::kif`].
#[derive(Clone, Copy, Debug)]
pub struct Kif<'game>(&'game GroundGame);

impl fmt::Display for Kif<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let game = self.0;
        let texts = Texts::of(game);
        for &role in &game.roles {
            writeln!(f, "(role {})", game.term(role))?;
        }
        let mut line = String::new();
        let mut declare = |keyword: &str, text: &str| {
            line.clear();
            for part in ["(", keyword, " ", text, ")\n"] {
                line.push_str(part);
            }
            f.write_str(&line)
        };
        (0..game.fluents.len()).try_for_each(|fluent| declare("base", texts.fluents.get(fluent)))?;
        (0..game.moves.len()).try_for_each(|number| declare("input", texts.moves.get(number)))?;
        game.init.iter().try_for_each(|&fluent| declare("init", texts.fluents.get(fluent)))?;
        for (head, body) in game.rules() {
            line.clear();
            game.push_rule(head, body, &mut line, &|kind, out| out.push_str(texts.get(kind)));
            line.push('\n');
            f.write_str(&line)?;
        }
        Ok(())
    }
}

/// The inner texts of all atoms, each written once.
struct Texts {
    fluents: Spellings,
    moves: Spellings,
    derived: Spellings,
}

impl Texts {
    fn of(game: &GroundGame) -> Self {
        let spell = |kind: AtomKind, out: &mut String| game.spell(kind, out);
        Texts {
            fluents: Spellings::of(game.fluents.len(), |it, out| spell(AtomKind::True(it), out)),
            moves: Spellings::of(game.moves.len(), |it, out| spell(AtomKind::Does(it), out)),
            derived: Spellings::of(game.derived.len(), |it, out| spell(AtomKind::Derived(it), out)),
        }
    }

    fn get(&self, kind: AtomKind) -> &str {
        match kind {
            AtomKind::True(fluent) | AtomKind::Next(fluent) => self.fluents.get(fluent),
            AtomKind::Does(number) | AtomKind::Legal(number) => self.moves.get(number),
            AtomKind::Derived(number) => self.derived.get(number),
        }
    }
}

/// Texts one behind the other in one string.
struct Spellings {
    text: String,
    /// Where each text begins, and the end of the last one.
    bounds: Vec<usize>,
}

impl Spellings {
    fn of(count: usize, spell: impl Fn(usize, &mut String)) -> Self {
        let (mut text, mut bounds) = (String::new(), Vec::with_capacity(count + 1));
        bounds.push(0);
        for number in 0..count {
            spell(number, &mut text);
            bounds.push(text.len());
        }
        Spellings { text, bounds }
    }

    fn get(&self, number: usize) -> &str {
        &self.text[self.bounds[number]..self.bounds[number + 1]]
    }
}

#[cfg(test)]
mod tests {
    use groundrules_gdl::{Options as ReadOptions, read};

    use crate::{Options, ground};

    #[test]
    fn what_is_written_is_a_description_and_its_own_grounding() {
        let text = "(role r) (role s) (init (at 1)) (succ 1 2) (succ 2 3) (legal s (wait a)) (legal r go)
            (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y) (does r go) (not (true (at 3))))
            (<= terminal (true (at 3))) (<= (goal ?r 100) (role ?r) (true (at 3)))";
        let game = read(text.as_bytes(), &ReadOptions::default()).game.expect("a valid description");
        let first = ground(&game, &Options::default()).expect("a small game");
        let written = first.to_kif();
        for line in ["(base (at 1))", "(input s (wait a))", "(init (at 1))", "(legal r go)"] {
            assert!(written.lines().any(|it| it == line), "{line} in {written}");
        }
        assert!(
            written.contains("(<= (next (at 2)) (true (at 1)) (not (true (at 3))) (does r go))"),
            "{written}"
        );
        for (head, body) in first.rules() {
            assert!(written.lines().any(|line| line == first.rule_kif(head, body)));
        }
        let again = read(written.as_bytes(), &ReadOptions::default()).game.expect("a valid description");
        let again = ground(&again, &Options::default()).expect("a small game").to_kif();
        let sorted = |text: &str| text.lines().map(str::to_owned).collect::<std::collections::BTreeSet<_>>();
        assert_eq!(sorted(&again), sorted(&written));
    }
}
