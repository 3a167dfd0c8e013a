//! Arity normalisation and what else makes a flat program of a game: every function around arguments becomes columns,
//! padded with the empty symbol, one predicate is made for each fluent, a variable that stands for a whole fluent is
//! replaced by each fluent there is, and disjunctions that bind different variables are multiplied out.

use groundrules_gdl::Game;
use groundrules_gdl::game::{self, Formula, RelationId};
use groundrules_gdl::symbol::Symbol;
use groundrules_gdl::term::{Term, TermId};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::disjunction;
use super::domains::{DomainId, Domains, Form, Functor};
use super::groups;
use super::program::{Atom, Condition, Level, Meaning, Operand, Predicate, PredicateId, Program, Rule};
use super::terms::Terms;
use crate::MachineError;
use crate::index::index32;

/// How many rules one rule of the description may become.
pub(super) const MOST_RULES_OF_A_RULE: usize = 10_000;

/// How deep functions may nest around a variable.
const MOST_NESTING: u32 = 500;

/// Makes the flat program of a game, of the rules that a match asks for.
pub(super) fn flat_program(game: &Game) -> Result<Program, MachineError> {
    let rules = wanted_rules(game);
    let with_rules = |&number: &usize| (number, &game.rules()[number]);
    let domains = Domains::of(game, rules.iter().map(with_rules));
    let mut flattening = Flattening {
        game,
        domains,
        terms: Terms::new(),
        predicates: IndexMap::default(),
        rules: Vec::new(),
        interned: FxHashMap::default(),
    };
    flattening.name_roots();
    for &number in &rules {
        flattening.add_rule(number, &game.rules()[number])?;
    }
    let Flattening { domains, terms, predicates, rules, .. } = flattening;
    let mut predicates: Vec<Predicate> = predicates.into_values().collect();
    groups::find(&mut predicates, &rules);
    let rules = disjunction::multiply_out(rules, &predicates)?;
    let mut program = Program { predicates, rules: Vec::new(), domains, terms };
    rules.into_iter().for_each(|rule| place(rule, &mut program));
    Ok(program)
}

/// Puts a rule or a fact where it belongs.
fn place(rule: Rule, program: &mut Program) {
    let predicate = &mut program.predicates[rule.head.predicate];
    let row: Option<Vec<u32>> = rule
        .head
        .columns
        .iter()
        .map(|column| match column {
            Operand::Constant(value) => Some(*value),
            Operand::Variable(_) => None,
        })
        .collect();
    match row {
        Some(row) if rule.body.is_empty() => predicate.facts.push(row),
        _ => {
            predicate.rules.push(program.rules.len());
            program.rules.push(rule);
        }
    }
}

/// The rules of relations that a match asks for, directly or not.
fn wanted_rules(game: &Game) -> Vec<usize> {
    let mut wanted = FxHashSet::default();
    let mut pending = vec![
        RelationId::ROLE,
        RelationId::INIT,
        RelationId::LEGAL,
        RelationId::NEXT,
        RelationId::GOAL,
        RelationId::TERMINAL,
    ];
    let mut rules = Vec::new();
    while let Some(relation) = pending.pop() {
        if !wanted.insert(relation) {
            continue;
        }
        for (number, rule) in game.rules_of(relation) {
            rules.push(number);
            pending.extend(rule.literals().filter_map(|literal| Some(literal.atom()?.relation)));
        }
    }
    rules.sort_unstable();
    rules
}

/// A term of a rule, with variables replaced by fluents where they stand for whole ones.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Pattern {
    Ground(TermId),
    /// A variable; a part of a replaced one has its place beside the name.
    Variable(Symbol, usize),
    Function(Symbol, Vec<Pattern>),
    Constant(Symbol),
}

/// The fluents that variables are replaced by.
type Replacement = FxHashMap<Symbol, Functor>;

struct Flattening<'g> {
    game: &'g Game,
    domains: Domains,
    terms: Terms,
    predicates: IndexMap<Meaning, Predicate, FxBuildHasher>,
    rules: Vec<Rule>,
    interned: FxHashMap<(DomainId, TermId), u32>,
}

/// A rule while it is flattened.
struct Draft<'r> {
    number: usize,
    replacement: &'r Replacement,
    /// The first of the flat variables of each variable.
    variables: FxHashMap<(Symbol, usize), u32>,
    count: u32,
}

impl Draft<'_> {
    fn fresh(&mut self, many: usize) -> u32 {
        let first = self.count;
        self.count += index32(many);
        first
    }
}

impl Flattening<'_> {
    fn add_rule(&mut self, number: usize, rule: &game::Rule) -> Result<(), MachineError> {
        let terms = self.game.terms();
        let too_deep = |&term: &TermId| !terms.is_ground(term) && terms.depth(term) > MOST_NESTING;
        if rule.head.arguments.iter().any(too_deep)
            || rule.literals().any(|literal| literal.terms().iter().any(too_deep))
        {
            let relation = self.game.relation_name(rule.head.relation).to_owned();
            return Err(MachineError::TooDeep { relation, depth: MOST_NESTING });
        }
        for replacement in self.replacements(rule)? {
            let mut draft =
                Draft { number, replacement: &replacement, variables: FxHashMap::default(), count: 0 };
            let mut body = Vec::new();
            let head = self.atom(&rule.head, &mut draft, &mut body);
            self.conjunction(&rule.body, &mut draft, &mut body);
            let Some(head) = head else { continue };
            self.rules.push(Rule { head, body, variables: draft.count });
        }
        Ok(())
    }

    /// Every way to replace the variables that stand for whole fluents.
    fn replacements(&self, rule: &game::Rule) -> Result<Vec<Replacement>, MachineError> {
        let is_fluent = |atom: &&game::Atom| {
            matches!(atom.relation, RelationId::TRUE | RelationId::NEXT | RelationId::INIT)
        };
        let atoms = std::iter::once(&rule.head).chain(rule.literals().filter_map(|literal| literal.atom()));
        let terms = self.game.terms();
        let bare: FxHashSet<Symbol> =
            atoms.filter(is_fluent).filter_map(|atom| terms.variable(atom.arguments[0])).collect();
        let mut bare: Vec<Symbol> = bare.into_iter().collect();
        bare.sort_unstable();
        let fluents = self.fluents();
        let mut replacements = vec![Replacement::default()];
        for variable in bare {
            if replacements.len().saturating_mul(fluents.len()) > MOST_RULES_OF_A_RULE {
                let relation = self.game.relation_name(rule.head.relation).to_owned();
                return Err(MachineError::TooManyRules { relation, rules: MOST_RULES_OF_A_RULE });
            }
            let with = |given: Replacement| {
                fluents.iter().map(move |&fluent| {
                    let mut replacement = given.clone();
                    replacement.insert(variable, fluent);
                    replacement
                })
            };
            replacements = replacements.into_iter().flat_map(with).collect();
        }
        Ok(replacements)
    }

    fn fluents(&self) -> Vec<Functor> {
        let fluents = self.domains.fluents();
        let constants = self.domains.constants(fluents).iter().map(|&name| (name, 0));
        constants.chain(self.domains.functions(fluents).keys().copied()).collect()
    }

    /// The predicates that are asked for whether rules name them or not.
    fn name_roots(&mut self) {
        for relation in
            [RelationId::ROLE, RelationId::LEGAL, RelationId::DOES, RelationId::GOAL, RelationId::TERMINAL]
        {
            self.predicate(Meaning::Relation(relation));
        }
        for fluent in self.fluents() {
            for meaning in [Meaning::True(fluent), Meaning::Init(fluent), Meaning::Next(fluent)] {
                self.predicate(meaning);
            }
        }
    }

    fn predicate(&mut self, meaning: Meaning) -> PredicateId {
        if let Some(known) = self.predicates.get_index_of(&meaning) {
            return known;
        }
        let symbols = self.game.symbols();
        let (name, domains) = match meaning {
            Meaning::Relation(relation) => {
                let arity = self.game.relation(relation).arity;
                let domains = (0..arity).map(|place| self.domains.argument(relation, place)).collect();
                (self.game.relation_name(relation).to_owned(), domains)
            }
            Meaning::True(fluent) | Meaning::Init(fluent) | Meaning::Next(fluent) => {
                let keyword = match meaning {
                    Meaning::Init(_) => "init",
                    Meaning::Next(_) => "next",
                    _ => "true",
                };
                let domains = self.domains.arguments_of(self.domains.fluents(), fluent).unwrap_or_default();
                (format!("{keyword} {}", symbols.spelling(fluent.0)), domains)
            }
        };
        let sizes = domains.iter().flat_map(|&domain| self.domains.sizes(domain)).collect();
        let predicate = Predicate {
            meaning,
            name,
            sizes,
            level: Level::Static,
            rules: Vec::new(),
            facts: Vec::new(),
            group: 0,
            is_recursive: false,
            is_negated: false,
        };
        self.predicates.insert_full(meaning, predicate).0
    }

    fn conjunction(&mut self, parts: &[Formula], draft: &mut Draft<'_>, body: &mut Vec<Condition>) {
        for part in parts {
            match part {
                Formula::Literal(literal) => self.literal(literal, draft, body),
                Formula::And(parts) => self.conjunction(parts, draft, body),
                Formula::Or(parts) => {
                    let alternatives = parts.iter().map(|part| {
                        let mut alternative = Vec::new();
                        self.conjunction(std::slice::from_ref(part), draft, &mut alternative);
                        alternative
                    });
                    let alternatives = alternatives.collect();
                    body.push(Condition::Or(alternatives));
                }
            }
        }
    }

    fn literal(&mut self, literal: &game::Literal, draft: &mut Draft<'_>, body: &mut Vec<Condition>) {
        match &literal.test {
            game::Test::Atom(atom) => match self.atom(atom, draft, body) {
                Some(atom) => body.push(Condition::Atom { atom, positive: literal.positive }),
                None => body.extend((literal.positive).then(|| Condition::Or(Vec::new()))),
            },
            game::Test::Equal([left, right]) => {
                let (left, right) = (self.pattern(*left, draft), self.pattern(*right, draft));
                let mut pairs = Vec::new();
                let may_be_equal = self.compare(&left, &right, draft, &mut pairs, body);
                match (may_be_equal, literal.positive) {
                    (true, equal) => body.push(Condition::Compare { pairs, equal }),
                    (false, true) => body.push(Condition::Or(Vec::new())),
                    (false, false) => {}
                }
            }
        }
    }

    /// A flat atom; `None` if its fluent cannot exist.
    fn atom(&mut self, atom: &game::Atom, draft: &mut Draft<'_>, body: &mut Vec<Condition>) -> Option<Atom> {
        let patterns: Vec<Pattern> =
            atom.arguments.iter().map(|&argument| self.pattern(argument, draft)).collect();
        let fluent = match atom.relation {
            RelationId::TRUE => Meaning::True,
            RelationId::INIT => Meaning::Init,
            RelationId::NEXT => Meaning::Next,
            relation => {
                let predicate = self.predicate(Meaning::Relation(relation));
                let mut columns = Vec::new();
                for (place, pattern) in patterns.iter().enumerate() {
                    let domain = self.domains.argument(relation, place);
                    columns.extend(self.columns(pattern, domain, draft, body));
                }
                return Some(Atom { predicate, columns });
            }
        };
        let (functor, parts) = self.taken_apart(patterns.first()?)?;
        let domains = match functor.1 {
            0 => Vec::new(),
            _ => self.domains.arguments_of(self.domains.fluents(), functor)?,
        };
        let mut columns = Vec::new();
        for (part, &domain) in parts.iter().zip(&domains) {
            columns.extend(self.columns(part, domain, draft, body));
        }
        Some(Atom { predicate: self.predicate(fluent(functor)), columns })
    }

    /// The name and the arguments of a term; a variable has none.
    fn taken_apart(&self, pattern: &Pattern) -> Option<(Functor, Vec<Pattern>)> {
        match pattern {
            Pattern::Constant(name) => Some(((*name, 0), Vec::new())),
            Pattern::Function(name, parts) => Some(((*name, parts.len()), parts.clone())),
            Pattern::Variable(..) => None,
            Pattern::Ground(term) => {
                let functor = self.game.terms().functor(*term)?;
                let parts = self.game.terms().arguments(*term).iter().map(|&part| Pattern::Ground(part));
                Some((functor, parts.collect()))
            }
        }
    }

    /// Recursion is as deep as functions nest around a variable, which is limited.
    fn pattern(&self, term: TermId, draft: &Draft<'_>) -> Pattern {
        let terms = self.game.terms();
        match terms.get(term) {
            Term::Constant(name) => Pattern::Constant(*name),
            _ if terms.is_ground(term) => Pattern::Ground(term),
            Term::Variable(name) => match draft.replacement.get(name) {
                None => Pattern::Variable(*name, 0),
                Some(&(fluent, 0)) => Pattern::Constant(fluent),
                Some(&(fluent, arity)) => {
                    let parts = (1..=arity).map(|place| Pattern::Variable(*name, place));
                    Pattern::Function(fluent, parts.collect())
                }
            },
            Term::Function(name, arguments) => {
                let parts = arguments.iter().map(|&argument| self.pattern(argument, draft));
                Pattern::Function(*name, parts.collect())
            }
        }
    }

    /// The columns of a term in a domain. Where the domain is nested, functions around variables become conditions.
    fn columns(
        &mut self,
        pattern: &Pattern,
        domain: DomainId,
        draft: &mut Draft<'_>,
        body: &mut Vec<Condition>,
    ) -> Vec<Operand> {
        let width = self.domains.width(domain);
        if let Pattern::Variable(name, place) = pattern {
            let first = match draft.variables.get(&(*name, *place)) {
                Some(&first) => first,
                None => {
                    let first = draft.fresh(width);
                    draft.variables.insert((*name, *place), first);
                    first
                }
            };
            return (first..).take(width).map(Operand::Variable).collect();
        }
        if self.domains.form(domain) == Form::Nested {
            return vec![self.nested(pattern, domain, draft, body)];
        }
        let (functor, parts) = self.taken_apart(pattern).expect("variables are taken above");
        let mut columns = vec![Operand::Constant(self.name_number(domain, functor))];
        let domains = self.domains.arguments_of(domain, functor).unwrap_or_default();
        for (part, &domain) in parts.iter().zip(&domains) {
            columns.extend(self.columns(part, domain, draft, body));
        }
        columns.resize(width, Operand::Constant(0));
        columns
    }

    /// The number of a name in a domain: constants first, then functions.
    fn name_number(&self, domain: DomainId, functor: Functor) -> u32 {
        super::text::name_number(&self.domains, domain, functor)
            .expect("a domain has every name of its arguments")
    }

    fn nested(
        &mut self,
        pattern: &Pattern,
        domain: DomainId,
        draft: &mut Draft<'_>,
        body: &mut Vec<Condition>,
    ) -> Operand {
        match pattern {
            Pattern::Ground(term) => Operand::Constant(self.intern(*term, domain)),
            Pattern::Constant(name) => {
                let name = self.name_number(domain, (*name, 0));
                Operand::Constant(self.terms.intern(domain, name, &[], &[]))
            }
            Pattern::Variable(..) => panic!("`columns` takes variables itself"),
            Pattern::Function(name, arguments) => {
                let functor = (*name, arguments.len());
                let domains = self.domains.arguments_of(domain, functor).unwrap_or_default();
                let parts: Vec<Operand> = arguments
                    .iter()
                    .zip(&domains)
                    .flat_map(|(part, &domain)| self.columns(part, domain, draft, body))
                    .collect();
                let nested = domains.iter().map(|&part| self.domains.form(part) == Form::Nested).collect();
                let whole = Operand::Variable(draft.fresh(1));
                let name = self.name_number(domain, functor);
                body.push(Condition::Compose { whole, domain, name, parts, nested });
                whole
            }
        }
    }

    /// Interns a ground term of a nested domain, its parts first.
    fn intern(&mut self, term: TermId, domain: DomainId) -> u32 {
        let mut pending = vec![(domain, term)];
        while let Some(&(domain, term)) = pending.last() {
            let functor = self.game.terms().functor(term).expect("a ground term has no variables");
            let domains = self.domains.arguments_of(domain, functor).unwrap_or_default();
            let arguments = self.game.terms().arguments(term);
            let is_nested = |&domain: &DomainId| self.domains.form(domain) == Form::Nested;
            let missing: Vec<(DomainId, TermId)> = domains
                .iter()
                .copied()
                .zip(arguments.iter().copied())
                .filter(|&(domain, part)| is_nested(&domain) && !self.interned.contains_key(&(domain, part)))
                .collect();
            if !missing.is_empty() {
                pending.extend(missing);
                continue;
            }
            let values: Vec<u32> = domains
                .iter()
                .zip(arguments)
                .map(|(&domain, &part)| match self.interned.get(&(domain, part)) {
                    Some(&value) if is_nested(&domain) => value,
                    _ => {
                        let functor = self.game.terms().functor(part);
                        self.name_number(domain, functor.expect("a ground term has no variables"))
                    }
                })
                .collect();
            let nested: Vec<bool> = domains.iter().map(is_nested).collect();
            let name = self.name_number(domain, functor);
            let number = self.terms.intern(domain, name, &values, &nested);
            self.interned.insert((domain, term), number);
            pending.pop();
        }
        self.interned[&(domain, term)]
    }

    /// The pairs of operands that must be equal for two terms to be; false if they cannot be.
    fn compare(
        &mut self,
        left: &Pattern,
        right: &Pattern,
        draft: &mut Draft<'_>,
        pairs: &mut Vec<(Operand, Operand)>,
        body: &mut Vec<Condition>,
    ) -> bool {
        let variable = [left, right].into_iter().find_map(|pattern| match pattern {
            Pattern::Variable(name, place) => Some((*name, *place)),
            _ => None,
        });
        if let Some((name, place)) = variable {
            let Some(domain) = self.domain_of(name, place, draft) else { return true };
            let left = self.columns(left, domain, draft, body);
            let right = self.columns(right, domain, draft, body);
            pairs.extend(left.into_iter().zip(right));
            return true;
        }
        if let (Pattern::Ground(left), Pattern::Ground(right)) = (left, right) {
            return left == right;
        }
        match (self.taken_apart(left), self.taken_apart(right)) {
            (Some((left, left_parts)), Some((right, right_parts))) => {
                left == right
                    && left_parts
                        .iter()
                        .zip(&right_parts)
                        .all(|(left, right)| self.compare(left, right, draft, pairs, body))
            }
            _ => false,
        }
    }

    fn domain_of(&self, name: Symbol, place: usize, draft: &Draft<'_>) -> Option<DomainId> {
        match draft.replacement.get(&name) {
            None => self.domains.variable(draft.number, name),
            Some(&functor) => {
                let parts = self.domains.arguments_of(self.domains.fluents(), functor)?;
                parts.get(place.checked_sub(1)?).copied()
            }
        }
    }
}
