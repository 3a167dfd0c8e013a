//! Domains of arguments, the first half of arity normalisation. Arguments that share a variable belong to one domain. A
//! domain has the constants that can occur there and the functions, each with the domains of its arguments. The
//! arguments of `next`, `init` and `true` form one domain, and so do those of `legal` and `does`.
//!
//! A domain is flat if its terms have bounded depth: a value is then a fixed number of columns. A domain whose terms
//! can grow without bound contains itself, and a value is one interned term.
//!
//! Nothing here recurses along the nesting of terms. Hostile nesting makes domains coarser, never numerous.

use groundrules_gdl::Game;
use groundrules_gdl::components::Graph;
use groundrules_gdl::game::{Atom, RelationId, Rule, Test};
use groundrules_gdl::symbol::Symbol;
use groundrules_gdl::term::{Term, TermId};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::index::index32;

/// A name with a number of arguments.
pub(super) type Functor = (Symbol, usize);

/// The number of a domain.
pub(super) type DomainId = u32;

/// Up to which depth domains are distinguished, how many there may be, and how many columns a flat value may have.
const MOST_DEPTH: u32 = 16;
const MOST_DOMAINS: usize = 20_000;
const MOST_COLUMNS: usize = 32;

/// How a value of a domain is represented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Constants only: one column.
    Atomic,
    /// So many columns: the name, and the arguments padded with the empty symbol.
    Flat(usize),
    /// One interned term.
    Nested,
}

#[derive(Clone, Debug, Default)]
struct Domain {
    depth: u32,
    constants: IndexSet<Symbol, FxBuildHasher>,
    functions: IndexMap<Functor, Vec<DomainId>, FxBuildHasher>,
}

/// The domains of a game.
#[derive(Clone, Debug, Default)]
pub(super) struct Domains {
    parents: Vec<DomainId>,
    domains: Vec<Domain>,
    arguments: FxHashMap<(RelationId, usize), DomainId>,
    fluents: DomainId,
    /// The domain of every variable, by rule.
    variables: FxHashMap<(usize, Symbol), DomainId>,
    forms: Vec<Form>,
}

impl Domains {
    /// Finds the domains of some of the rules.
    pub(super) fn of<'r>(game: &Game, rules: impl Iterator<Item = (usize, &'r Rule)>) -> Self {
        let mut domains = Domains::default();
        domains.fluents = domains.fresh(0);
        for relation in [RelationId::ROLE, RelationId::LEGAL, RelationId::DOES, RelationId::GOAL] {
            let role = domains.argument(relation, 0);
            let first = domains.argument(RelationId::ROLE, 0);
            domains.join(role, first);
        }
        let (legal, does) = (domains.argument(RelationId::LEGAL, 1), domains.argument(RelationId::DOES, 1));
        domains.join(legal, does);
        let mut seen = FxHashSet::default();
        for (number, rule) in rules {
            domains.add_rule(game, number, rule, &mut seen);
        }
        domains.choose_forms();
        domains
    }

    fn add_rule(
        &mut self,
        game: &Game,
        number: usize,
        rule: &Rule,
        seen: &mut FxHashSet<(DomainId, TermId)>,
    ) {
        self.add_atom(game, number, &rule.head, seen);
        for literal in rule.literals() {
            match &literal.test {
                Test::Atom(atom) => self.add_atom(game, number, atom, seen),
                Test::Equal([left, right]) => {
                    let domain = self.fresh(0);
                    self.add_term(game, number, domain, *left, seen);
                    self.add_term(game, number, domain, *right, seen);
                }
            }
        }
    }

    fn add_atom(
        &mut self,
        game: &Game,
        number: usize,
        atom: &Atom,
        seen: &mut FxHashSet<(DomainId, TermId)>,
    ) {
        for (place, &term) in atom.arguments.iter().enumerate() {
            let domain = self.argument(atom.relation, place);
            self.add_term(game, number, domain, term, seen);
        }
    }

    fn add_term(
        &mut self,
        game: &Game,
        number: usize,
        domain: DomainId,
        term: TermId,
        seen: &mut FxHashSet<(DomainId, TermId)>,
    ) {
        let mut pending = vec![(domain, term)];
        while let Some((domain, term)) = pending.pop() {
            let domain = self.find(domain);
            if game.terms().is_ground(term) && !seen.insert((domain, term)) {
                continue;
            }
            match game.terms().get(term) {
                Term::Constant(name) => drop(self.domains[domain as usize].constants.insert(*name)),
                Term::Variable(name) => {
                    let variable = *self.variables.entry((number, *name)).or_insert(domain);
                    self.join(domain, variable);
                }
                Term::Function(name, arguments) => {
                    let parts = self.parts(domain, (*name, arguments.len()));
                    pending.extend(parts.into_iter().zip(arguments.iter().copied()));
                }
            }
        }
    }

    /// The domains of the arguments of a function in a domain.
    fn parts(&mut self, domain: DomainId, functor: Functor) -> Vec<DomainId> {
        let domain = self.find(domain);
        if let Some(parts) = self.domains[domain as usize].functions.get(&functor) {
            return parts.clone();
        }
        let depth = self.domains[domain as usize].depth + 1;
        let fresh = |domains: &mut Self| match depth > MOST_DEPTH || domains.domains.len() > MOST_DOMAINS {
            true => domain,
            false => domains.fresh(depth),
        };
        let parts: Vec<DomainId> = (0..functor.1).map(|_| fresh(self)).collect();
        self.domains[domain as usize].functions.insert(functor, parts.clone());
        parts
    }

    fn fresh(&mut self, depth: u32) -> DomainId {
        let new: DomainId = index32(self.parents.len());
        self.parents.push(new);
        self.domains.push(Domain { depth, ..Domain::default() });
        new
    }

    fn find(&self, mut domain: DomainId) -> DomainId {
        while self.parents[domain as usize] != domain {
            domain = self.parents[domain as usize];
        }
        domain
    }

    fn join(&mut self, left: DomainId, right: DomainId) {
        let mut pending = vec![(left, right)];
        while let Some((left, right)) = pending.pop() {
            let (left, right) = (self.find(left), self.find(right));
            if left == right {
                continue;
            }
            let size = |domain: DomainId| {
                let domain = &self.domains[domain as usize];
                domain.constants.len() + domain.functions.len()
            };
            let (small, large) = if size(left) < size(right) { (left, right) } else { (right, left) };
            self.parents[small as usize] = large;
            let small = std::mem::take(&mut self.domains[small as usize]);
            let large = &mut self.domains[large as usize];
            large.depth = large.depth.min(small.depth);
            large.constants.extend(small.constants);
            for (functor, parts) in small.functions {
                match large.functions.get(&functor) {
                    Some(known) => pending.extend(known.iter().copied().zip(parts)),
                    None => drop(large.functions.insert(functor, parts)),
                }
            }
        }
    }

    /// The domain of an argument of a relation.
    pub(super) fn argument(&mut self, relation: RelationId, place: usize) -> DomainId {
        if matches!(relation, RelationId::TRUE | RelationId::NEXT | RelationId::INIT) {
            return self.find(self.fluents);
        }
        let domain = match self.arguments.get(&(relation, place)) {
            Some(&domain) => domain,
            None => {
                let domain = self.fresh(0);
                self.arguments.insert((relation, place), domain);
                domain
            }
        };
        self.find(domain)
    }

    /// The domain of an argument of a relation that has one.
    pub(super) fn argument_of(&self, relation: RelationId, place: usize) -> DomainId {
        self.arguments.get(&(relation, place)).map_or(0, |&domain| self.find(domain))
    }

    /// The domain of a variable of a rule.
    pub(super) fn variable(&self, rule: usize, name: Symbol) -> Option<DomainId> {
        self.variables.get(&(rule, name)).map(|&domain| self.find(domain))
    }

    /// The domain of fluents.
    pub(super) fn fluents(&self) -> DomainId {
        self.find(self.fluents)
    }

    /// The constants of a domain; a constant's number is its place, from 1 on.
    pub(super) fn constants(&self, domain: DomainId) -> &IndexSet<Symbol, FxBuildHasher> {
        &self.domains[self.find(domain) as usize].constants
    }

    /// The functions of a domain; numbered after the constants.
    pub(super) fn functions(&self, domain: DomainId) -> &IndexMap<Functor, Vec<DomainId>, FxBuildHasher> {
        &self.domains[self.find(domain) as usize].functions
    }

    /// The domains of the arguments of a function in a domain, if it can stand there.
    pub(super) fn arguments_of(&self, domain: DomainId, functor: Functor) -> Option<Vec<DomainId>> {
        let parts = self.functions(domain).get(&functor)?;
        Some(parts.iter().map(|&part| self.find(part)).collect())
    }

    /// How a value of a domain is represented.
    pub(super) fn form(&self, domain: DomainId) -> Form {
        self.forms[self.find(domain) as usize]
    }

    /// How many columns a value of a domain has.
    pub(super) fn width(&self, domain: DomainId) -> usize {
        match self.form(domain) {
            Form::Flat(width) => width,
            Form::Atomic | Form::Nested => 1,
        }
    }

    /// How many different values each column of a domain can have, the empty symbol included.
    pub(super) fn sizes(&self, domain: DomainId) -> Vec<u64> {
        let domain = self.find(domain);
        let names = self.constants(domain).len() + self.functions(domain).len() + 1;
        match self.form(domain) {
            Form::Nested => vec![1 << 32],
            Form::Atomic => vec![names as u64],
            // As deep as the width at most.
            Form::Flat(width) => {
                let mut sizes = vec![1; width];
                sizes[0] = names as u64;
                for parts in self.functions(domain).values() {
                    let parts = parts.iter().flat_map(|&part| self.sizes(part));
                    sizes[1..].iter_mut().zip(parts).for_each(|(size, part)| *size = part.max(*size));
                }
                sizes
            }
        }
    }

    fn is_root(&self, domain: usize) -> bool {
        self.parents[domain] as usize == domain
    }

    /// Whether fluents as such are values somewhere: an argument, or nested in a term.
    fn fluents_are_values(&self) -> bool {
        let fluents = self.fluents();
        let mut nested = self.domains.iter().flat_map(|domain| domain.functions.values().flatten());
        self.arguments.values().any(|&domain| self.find(domain) == fluents)
            || nested.any(|&part| self.find(part) == fluents)
    }

    fn choose_forms(&mut self) {
        for domain in 0..self.parents.len() {
            self.parents[domain] = self.find(self.parents[domain]);
        }
        let mut edges = Vec::new();
        for (number, domain) in self.domains.iter().enumerate() {
            let parts = domain.functions.values().flatten();
            edges.extend(parts.map(|&part| (number, self.find(part) as usize)));
        }
        // Parts come before the domains that hold them.
        let graph = Graph::from_edges(self.domains.len(), edges);
        let groups = graph.components();
        let is_nested = |domain: usize| groups.is_cyclic(groups.of(domain));
        let mut nested: Vec<bool> = (0..self.domains.len()).map(is_nested).collect();
        let order: Vec<usize> = groups.iter().flatten().map(|&member| member as usize).collect();
        self.measure(&order, &mut nested);
        // What is inside an interned term is interned.
        let fluents = if self.fluents_are_values() { None } else { Some(self.fluents() as usize) };
        for &domain in order.iter().rev() {
            if nested[domain] && Some(domain) != fluents {
                for &part in self.domains[domain].functions.values().flatten() {
                    nested[self.find(part) as usize] = true;
                }
            }
        }
        self.measure(&order, &mut nested);
    }

    /// Sets the forms, parts first; what would be too wide is nested.
    fn measure(&mut self, order: &[usize], nested: &mut [bool]) {
        self.forms = vec![Form::Atomic; self.domains.len()];
        for &domain in order {
            if !self.is_root(domain) || self.domains[domain].functions.is_empty() {
                continue;
            }
            let of_function =
                |parts: &Vec<DomainId>| parts.iter().map(|&part| self.width(part)).sum::<usize>();
            let widest = self.domains[domain].functions.values().map(of_function).max().unwrap_or(0);
            nested[domain] |= widest >= MOST_COLUMNS;
            self.forms[domain] = if nested[domain] { Form::Nested } else { Form::Flat(widest + 1) };
        }
    }
}
