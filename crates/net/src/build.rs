//! Builds the network that the rules describe: an Or over the rules of each head, an And over the literals of each
//! rule.

use std::sync::Arc;

use groundrules_gdl::components::{Components, Graph};
use groundrules_gdl::index::index32;
use groundrules_gdl::term::TermId;
use groundrules_gdl::time::{Cancel, Cancelled};
use groundrules_ground::GroundGame;
use groundrules_ground::ground_game::{AtomId, AtomKind, GroundLiteral};
use rustc_hash::FxHashMap;

use crate::cycles::{Operand, System};
use crate::gates::{Gates, Kind};
use crate::literal::{Literal, NodeId};
use crate::network::{Goal, Network, Outputs};

/// Why there is no network for a ground game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetError {
    /// Some atoms depend on their own negation, so the rules do not say what holds.
    #[error("{atom} depends on its own negation")]
    NotStratified {
        /// One of the atoms.
        atom: String,
    },
    /// Somebody cancelled it.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// There are more atoms and literals than the numbers of a network reach.
    #[error("a ground game with {atoms} atoms and {literals} literals is too large for a network")]
    TooLarge {
        /// The number of atoms.
        atoms: usize,
        /// How many literals the rules have.
        literals: usize,
    },
}

/// The most atoms and literals: passes may make some gates of each, and a literal needs one more bit.
const MOST: usize = 1 << 28;

impl Network {
    /// Builds the network of a ground game as its rules are written. [`simplify`](crate::simplify()) makes it small.
    pub fn of(game: &GroundGame) -> Result<Network, NetError> {
        Network::of_cancellable(game, &Cancel::new())
    }

    /// The network of a ground game, unless it is cancelled before it is complete.
    pub fn of_cancellable(game: &GroundGame, cancel: &Cancel) -> Result<Network, NetError> {
        let (atoms, literals) = (game.atom_count(), game.rules().map(|(_, body)| body.len()).sum());
        if atoms + literals + game.rules().len() > MOST {
            return Err(NetError::TooLarge { atoms, literals });
        }
        let mut builder = Builder::new(game);
        builder.run(cancel)?;
        Ok(builder.finish())
    }
}

struct Builder<'g> {
    game: &'g GroundGame,
    /// The rules' bodies in groups by head, and where each head's group ends.
    bodies: Vec<&'g [GroundLiteral]>,
    ends: Vec<u32>,
    gates: Gates,
    /// For each atom what says that it holds.
    values: Vec<Literal>,
}

impl<'g> Builder<'g> {
    fn new(game: &'g GroundGame) -> Self {
        let leaves = game.fluents.len() + game.moves.len();
        let mut values = vec![Literal::FALSE; game.atom_count()];
        for (atom, value) in values.iter_mut().enumerate().take(leaves) {
            *value = NodeId::new(1 + atom).literal();
        }
        let (bodies, ends) = by_head(game);
        Builder { game, bodies, ends, gates: Gates::new(leaves), values }
    }

    fn bodies(&self, atom: u32) -> &[&'g [GroundLiteral]] {
        let start = if atom == 0 { 0 } else { self.ends[atom as usize - 1] as usize };
        &self.bodies[start..self.ends[atom as usize] as usize]
    }

    fn run(&mut self, cancel: &Cancel) -> Result<(), NetError> {
        let mut graph = Graph::default();
        for atom in 0..index32(self.values.len(), "atoms") {
            let literals = self.bodies(atom).iter().copied().flatten();
            graph.push(literals.map(|literal| number(literal.atom())));
        }
        cancel.check()?;
        let components = graph.components();
        for (number, members) in components.iter().enumerate() {
            if number.is_multiple_of(1 << 10) {
                cancel.check()?;
            }
            match members {
                &[single] if !components.is_cyclic(number) => self.single(single),
                _ => self.cycle(members, &components)?,
            }
        }
        Ok(())
    }

    fn single(&mut self, atom: u32) {
        let count = self.bodies(atom).len();
        if count == 0 {
            return; // A fluent, a move, or something that never holds.
        }
        let mut rules = Vec::with_capacity(count);
        let mut body = Vec::new();
        for index in 0..count {
            let literals = self.bodies(atom)[index];
            body.clear();
            body.extend(
                literals.iter().map(|literal| {
                    self.values[literal.atom().index()].complemented_if(!literal.is_positive())
                }),
            );
            rules.push(self.gates.make(Kind::And, &mut body));
        }
        self.values[atom as usize] = self.gates.make(Kind::Or, &mut rules);
    }

    /// Atoms that depend on each other.
    fn cycle(&mut self, members: &[u32], components: &Components<'_>) -> Result<(), NetError> {
        let mut system = System::default();
        // In the system the gates of the rules come first, then those of the atoms.
        let rules: usize = members.iter().map(|&atom| self.bodies(atom).len()).sum();
        let place = |index: usize| index32(rules + index, "rules and atoms of a cycle");
        let places: FxHashMap<u32, u32> =
            members.iter().enumerate().map(|(index, &atom)| (atom, place(index))).collect();
        for &atom in members {
            for body in self.bodies(atom) {
                let own = components.of(atom as usize);
                let inside = |literal: &&GroundLiteral| components.of(literal.atom().index()) == own;
                if body.iter().filter(inside).any(|literal| !literal.is_positive()) {
                    return Err(self.not_stratified(atom));
                }
                system.push(Kind::And, body.iter().map(|&literal| self.operand(literal, &places)));
            }
        }
        let mut rules = 0..;
        for &atom in members {
            let own = rules.by_ref().take(self.bodies(atom).len());
            system.push(Kind::Or, own.map(Operand::Member));
        }
        let values = system.solve(&mut self.gates, true);
        for &atom in members {
            self.values[atom as usize] = values[places[&atom] as usize];
        }
        Ok(())
    }

    fn operand(&self, literal: GroundLiteral, places: &FxHashMap<u32, u32>) -> Operand {
        if let Some(&place) = places.get(&number(literal.atom())) {
            return Operand::Member(place);
        }
        let value = self.values[literal.atom().index()];
        Operand::Outside(value.complemented_if(!literal.is_positive()))
    }

    fn not_stratified(&self, atom: u32) -> NetError {
        let is_it = |&(head, _): &(AtomId, &[GroundLiteral])| number(head) == atom;
        let head = self.game.rules().find(is_it);
        NetError::NotStratified { atom: head.map_or(String::new(), |(head, _)| self.game.atom_kif(head)) }
    }

    fn finish(mut self) -> Network {
        let game = self.game;
        let (outputs, labels) = self.outputs();
        self.gates.forget_hashes();
        Network {
            gates: self.gates,
            roles: game.roles.len(),
            movers: movers(game),
            words: words(game),
            init: init(game),
            fixed: Vec::new(),
            outputs,
            labels,
        }
    }

    fn outputs(&self) -> (Outputs, Vec<(u32, Literal)>) {
        let game = self.game;
        let value = |kind| self.values[game.atom(kind).index()];
        let (mut terminal, mut goals, mut labels) = (Literal::FALSE, Vec::new(), Vec::new());
        for (index, (name, arguments)) in game.derived.iter().enumerate() {
            let literal = value(AtomKind::Derived(index));
            labels.push((index32(index, "derived atoms"), literal));
            if name.eq_ignore_ascii_case("terminal") && arguments.is_empty() {
                terminal = literal;
            } else if name.eq_ignore_ascii_case("goal")
                && let [role, value] = arguments[..]
                && let Some(role) = game.roles.iter().position(|&other| other == role)
                && let Ok(value) = game.term(value).parse()
            {
                goals.push(Goal { role, value, literal });
            }
        }
        goals.sort_by_key(|goal| (goal.role, goal.value));
        let outputs = Outputs {
            next: (0..game.fluents.len()).map(|fluent| value(AtomKind::Next(fluent))).collect(),
            legal: (0..game.moves.len()).map(|number| value(AtomKind::Legal(number))).collect(),
            terminal,
            goals,
        };
        (outputs, labels)
    }
}

/// What holds at first.
pub(crate) fn init(game: &GroundGame) -> Vec<bool> {
    let mut init = vec![false; game.fluents.len()];
    game.init.iter().for_each(|&fluent| init[fluent] = true);
    init
}

/// The role of each move.
pub(crate) fn movers(game: &GroundGame) -> Vec<u32> {
    game.moves.iter().map(|&(role, _)| index32(role, "roles")).collect()
}

/// The words of each move.
pub(crate) fn words(game: &GroundGame) -> Arc<[Box<[u32]>]> {
    game.moves.iter().map(|&(_, made)| words_of(game, made)).collect()
}

/// The words of a move. Terms and names are numbered apart from each other, and only words at the same place are compared.
fn words_of(game: &GroundGame, made: TermId) -> Box<[u32]> {
    let (name, arguments) = game.parts(made);
    let arguments = arguments.iter().map(|argument| argument.index());
    [name].into_iter().chain(arguments).map(|word| index32(word, "names and terms")).collect()
}

fn number(atom: AtomId) -> u32 {
    index32(atom.index(), "atoms")
}

/// The rules' bodies in groups by head, and where each head's group ends.
fn by_head(game: &GroundGame) -> (Vec<&[GroundLiteral]>, Vec<u32>) {
    let mut ends = vec![0u32; game.atom_count()];
    game.rules().for_each(|(head, _)| ends[head.index()] += 1);
    let mut end = 0;
    for count in &mut ends {
        end += *count;
        *count = end - *count; // where the group begins, for now
    }
    let mut bodies: Vec<&[GroundLiteral]> = vec![&[]; end as usize];
    for (head, body) in game.rules() {
        let place = &mut ends[head.index()];
        bodies[*place as usize] = body;
        *place += 1;
    }
    (bodies, ends)
}
