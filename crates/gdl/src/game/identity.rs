//! What a game is made of, as bytes: two games with the same bytes are the same to everything that takes a [`Game`],
//! comments and layout of their texts aside. It is what results that are kept on disk are found by.

use super::{Atom, Formula, Game, Literal, Test};
use crate::packed::Packer;
use crate::symbol::Symbol;
use crate::term::TermId;

impl Game {
    /// The names, terms, relations and rules as bytes, each with its number: what is computed of the game depends on nothing
    /// else.
    pub fn identity(&self) -> Vec<u8> {
        let mut out = Packer::new();
        let symbols = self.symbols();
        out.index(symbols.len());
        (0..symbols.len()).for_each(|index| out.text(symbols.spelling(Symbol::from_index(index))));
        self.terms.pack_from(0, &mut out);
        out.index(self.relation_count());
        for (_, relation) in self.relations() {
            out.index(relation.name.index());
            out.index(relation.arity);
        }
        out.index(self.rules.len());
        for rule in &self.rules {
            atom(&rule.head, &mut out);
            parts(&rule.body, &mut out);
        }
        terms(&self.roles, &mut out);
        out.number(self.verdict as u32);
        out.into_bytes()
    }
}

fn terms(terms: &[TermId], out: &mut Packer) {
    out.numbers(terms.iter().map(|term| term.as_u32()));
}

fn atom(atom: &Atom, out: &mut Packer) {
    out.index(atom.relation.index());
    terms(&atom.arguments, out);
}

/// Formulas nest as deep as a text may: a hundred at most.
fn parts(formulas: &[Formula], out: &mut Packer) {
    out.index(formulas.len());
    for formula in formulas {
        match formula {
            Formula::Literal(own) => {
                out.number(0);
                literal(own, out);
            }
            Formula::And(own) => {
                out.number(1);
                parts(own, out);
            }
            Formula::Or(own) => {
                out.number(2);
                parts(own, out);
            }
        }
    }
}

fn literal(literal: &Literal, out: &mut Packer) {
    out.number(u32::from(literal.positive));
    match &literal.test {
        Test::Atom(own) => {
            out.number(0);
            atom(own, out);
        }
        Test::Equal(pair) => {
            out.number(1);
            terms(pair, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Options, read};

    fn identity(text: &str) -> Vec<u8> {
        read(text.as_bytes(), &Options::default()).game.expect("a valid description").identity()
    }

    const LIGHT: &str = "(role you) (init off) (legal you push) (<= (next on) (true off) (does you push))
        (<= terminal (true on)) (<= (goal you 100) (true on))";

    #[test]
    fn comments_and_layout_do_not_matter() {
        let other = format!("; a light\n{}", LIGHT.replace(' ', "\n  "));
        assert_eq!(identity(LIGHT), identity(&other));
    }

    #[test]
    fn everything_else_does() {
        let others = [
            LIGHT.replace("100", "99"),
            LIGHT.replace("(init off)", "(init Off)"),
            LIGHT.replace("(true off) (does you push)", "(does you push) (true off)"),
            LIGHT.replace("(true off) (does you push)", "(or (true off) (does you push))"),
            LIGHT.replace("(true off) (does", "(not (true on)) (does"),
            LIGHT.replace("(true off) (does", "(distinct on off) (does"),
            format!("{LIGHT} (<= (goal you 0) (not (true on)))"),
        ];
        for other in others {
            assert_ne!(identity(LIGHT), identity(&other), "{other}");
        }
    }
}
