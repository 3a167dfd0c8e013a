//! The ground game as bytes, for those who keep it until the same description is met again. The bytes belong to a game:
//! its names and terms are not repeated. Bytes that are not those of a ground game of this game are refused, so that
//! whoever reads a ground game can rely on its numbers as if it had just been made.

use std::collections::HashMap;

use groundrules_gdl::Game;
use groundrules_gdl::packed::{Packer, Unpacker};
use groundrules_gdl::term::{TermId, Terms};

use crate::ground_game::{AtomId, AtomKind, GroundGame, GroundLiteral, MadeByRule};

impl GroundGame {
    /// The ground game of a game as bytes.
    pub fn pack(&self, game: &Game) -> Vec<u8> {
        let mut out = Packer::new();
        self.terms.pack_from(game.terms().len(), &mut out);
        pack_terms(&self.roles, &mut out);
        pack_terms(&self.fluents, &mut out);
        out.numbers(self.moves.iter().map(|&(role, _)| role as u32));
        out.numbers(self.moves.iter().map(|&(_, made)| made.as_u32()));
        self.pack_derived(&mut out);
        out.numbers(self.init.iter().map(|&fluent| fluent as u32));
        out.numbers(self.heads.iter().map(|head| head.0));
        out.numbers(self.literals.iter().map(|literal| literal.number()));
        out.numbers(self.ends.iter().copied());
        out.index(self.made_by_rule.len());
        for made in &self.made_by_rule {
            [made.atoms, made.rules, made.tried].into_iter().for_each(|number| out.long(number));
        }
        out.into_bytes()
    }

    /// The ground game of a game from what [`pack`](Self::pack) wrote; nothing if the bytes are others.
    pub fn unpack(game: &Game, bytes: &[u8]) -> Option<GroundGame> {
        let mut from = Unpacker::new(bytes);
        let (symbols, mut terms) = (game.symbols().clone(), game.terms().clone());
        terms.unpack(&symbols, &mut from)?;
        let roles = unpack_terms(&terms, &mut from)?;
        let fluents = unpack_terms(&terms, &mut from)?;
        let movers = from.numbers_below(roles.len())?.map(|role| role as usize);
        let moves = unpack_terms(&terms, &mut from)?;
        (movers.len() == moves.len()).then_some(())?;
        let mut ground = GroundGame {
            symbols,
            roles,
            moves: movers.zip(moves).collect(),
            derived: unpack_derived(&terms, &mut from)?,
            terms,
            init: from.numbers_below(fluents.len())?.map(|fluent| fluent as usize).collect(),
            fluents,
            heads: Vec::new(),
            ends: Vec::new(),
            literals: Vec::new(),
            made_by_rule: Vec::new(),
        };
        ground.unpack_rules(&mut from)?;
        ground.made_by_rule = unpack_made(&mut from)?;
        from.is_empty().then_some(ground)
    }

    /// The derived atoms; every name of a relation is written once.
    fn pack_derived(&self, out: &mut Packer) {
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let mut names: Vec<&str> = Vec::new();
        let relations: Vec<u32> = self
            .derived
            .iter()
            .map(|(name, _)| {
                *numbers.entry(name).or_insert_with(|| {
                    names.push(name);
                    names.len() as u32 - 1
                })
            })
            .collect();
        out.index(names.len());
        names.iter().for_each(|name| out.text(name));
        out.numbers(relations.into_iter());
        let mut end = 0;
        let ends: Vec<u32> = self
            .derived
            .iter()
            .map(|(_, arguments)| {
                end += arguments.len() as u32;
                end
            })
            .collect();
        let arguments: Vec<TermId> =
            self.derived.iter().flat_map(|(_, arguments)| arguments).copied().collect();
        pack_terms(&arguments, out);
        out.numbers(ends.into_iter());
    }

    fn unpack_rules(&mut self, from: &mut Unpacker<'_>) -> Option<()> {
        let atoms = self.atom_count();
        self.heads = from.numbers_below(atoms)?.map(AtomId).collect();
        let given = |head: &AtomId| matches!(self.kind(*head), AtomKind::True(_) | AtomKind::Does(_));
        (!self.heads.iter().any(given)).then_some(())?;
        self.literals = from.numbers_below(2 * atoms)?.map(GroundLiteral::of_number).collect();
        self.ends = from.ends(self.literals.len())?;
        (self.ends.len() == self.heads.len()).then_some(())
    }
}

fn pack_terms(terms: &[TermId], out: &mut Packer) {
    out.numbers(terms.iter().map(|term| term.as_u32()));
}

fn unpack_terms(terms: &Terms, from: &mut Unpacker<'_>) -> Option<Vec<TermId>> {
    from.numbers()?.map(|number| terms.at(number)).collect()
}

fn unpack_derived(terms: &Terms, from: &mut Unpacker<'_>) -> Option<Vec<(String, Box<[TermId]>)>> {
    let count = from.index()?;
    // Each takes a byte or more.
    let mut names = Vec::with_capacity(count.min(from.left()));
    for _ in 0..count {
        names.push(from.text()?);
    }
    let relations = from.numbers_below(names.len())?;
    let arguments = unpack_terms(terms, from)?;
    let ends = from.ends(arguments.len())?;
    (ends.len() == relations.len()).then_some(())?;
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let own = starts.zip(&ends).map(|(start, &end)| arguments[start as usize..end as usize].into());
    Some(relations.zip(own).map(|(relation, own)| (names[relation as usize].to_owned(), own)).collect())
}

fn unpack_made(from: &mut Unpacker<'_>) -> Option<Vec<MadeByRule>> {
    let count = from.index()?;
    (count <= from.left() / 24).then_some(())?;
    let made = |_| Some(MadeByRule { atoms: from.long()?, rules: from.long()?, tried: from.long()? });
    (0..count).map(made).collect()
}
