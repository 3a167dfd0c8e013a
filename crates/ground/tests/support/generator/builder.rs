//! The words of a game while it is made: sorts of terms, relations, fluents, moves, and the catalogue of what
//! conditions may ask for.

use std::collections::BTreeSet;

use groundrules_oracle::playout::Xorshift;

use super::description::{Description, Rule};

/// What a place is meant for. Variables are named by their sort; a sort's relation binds one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Letter,
    Number,
    /// Terms with functions.
    Shape,
    Role,
    /// Goal values.
    Worth,
}

impl Sort {
    pub(crate) const ALL: [Sort; 5] = [Sort::Letter, Sort::Number, Sort::Shape, Sort::Role, Sort::Worth];

    pub(crate) fn relation(self) -> &'static str {
        match self {
            Sort::Letter => "letter",
            Sort::Number => "number",
            Sort::Shape => "shape",
            Sort::Role => "role",
            Sort::Worth => "worth",
        }
    }

    /// The variable of this sort with a number.
    pub(crate) fn variable(self, number: usize) -> String {
        format!("?{}{number}", &self.relation()[..1])
    }

    /// The sort of a variable, by its name.
    pub(crate) fn of_variable(variable: &str) -> Option<Sort> {
        Sort::ALL.into_iter().find(|sort| variable[1..].starts_with(&sort.relation()[..1]))
    }
}

/// A name with what its places are for.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub(crate) name: String,
    pub(crate) sorts: Vec<Sort>,
}

impl Name {
    pub(crate) fn new(name: impl Into<String>, sorts: &[Sort]) -> Self {
        Name { name: name.into(), sorts: sorts.to_vec() }
    }

    /// The name applied to arguments.
    pub(crate) fn of(&self, arguments: &[String]) -> String {
        if arguments.is_empty() {
            self.name.clone()
        } else {
            format!("({} {})", self.name, arguments.join(" "))
        }
    }

    /// A different variable for every place, numbered from a number on.
    pub(crate) fn variables(&self, from: usize) -> Vec<String> {
        (from..).zip(&self.sorts).map(|(number, sort)| sort.variable(number)).collect()
    }
}

/// Under which word a condition asks for a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    Plain,
    True,
    Does,
    Legal,
    Base,
    Input,
}

/// What a condition may ask for.
#[derive(Clone, Debug)]
pub(crate) struct Readable {
    pub(crate) word: Word,
    pub(crate) name: Name,
}

/// A game while it is made.
pub(crate) struct Builder {
    random: Xorshift,
    rules: Vec<Rule>,
    shapes: BTreeSet<&'static str>,
    /// The terms of each sort, by the sort's place among all.
    elements: Vec<Vec<String>>,
    pub(crate) catalogue: Vec<Readable>,
    /// How many of the catalogue are static.
    pub(crate) statics: usize,
    pub(crate) fluents: Vec<Name>,
    pub(crate) moves: Vec<Name>,
    /// Whether `base` and `input` are given.
    pub(crate) hints: bool,
    /// How many relations were named.
    named: usize,
}

impl Builder {
    pub(crate) fn new(seed: u64) -> Self {
        Builder {
            random: Xorshift::new(seed),
            rules: Vec::new(),
            shapes: BTreeSet::new(),
            elements: vec![Vec::new(); Sort::ALL.len()],
            catalogue: Vec::new(),
            statics: 0,
            fluents: Vec::new(),
            moves: Vec::new(),
            hints: false,
            named: 0,
        }
    }

    /// The description; now and then its first state is empty.
    pub(crate) fn finish(mut self) -> Description {
        if self.chance(4) {
            self.note("no init");
            self.rules.retain(|rule| !rule.head.starts_with("(init "));
        }
        if self.chance(50) {
            self.note("rules in any order");
            self.shuffle();
        }
        Description { rules: self.rules, shapes: self.shapes }
    }

    /// Puts the rules in any order, those that name the roles apart.
    fn shuffle(&mut self) {
        let names_roles = |rule: &Rule| ["(role ", "(player "].iter().any(|word| rule.head.starts_with(word));
        let (mut rules, mut rest): (Vec<Rule>, Vec<Rule>) =
            std::mem::take(&mut self.rules).into_iter().partition(names_roles);
        while !rest.is_empty() {
            let choice = self.below(rest.len());
            rules.push(rest.swap_remove(choice));
        }
        self.rules = rules;
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.random.below(bound)
    }

    /// A number from one to another, both included.
    pub(crate) fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most - least + 1)
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    /// Notes that the game has a shape.
    pub(crate) fn note(&mut self, shape: &'static str) {
        self.shapes.insert(shape);
    }

    pub(crate) fn elements(&self, sort: Sort) -> &[String] {
        &self.elements[sort as usize]
    }

    pub(crate) fn set_elements(&mut self, sort: Sort, elements: &[&str]) {
        self.elements[sort as usize] = elements.iter().map(|&element| element.to_owned()).collect();
    }

    /// A term of a sort without variables.
    pub(crate) fn element(&mut self, sort: Sort) -> String {
        let choice = self.below(self.elements(sort).len());
        self.elements(sort)[choice].clone()
    }

    /// Terms without variables for all the places of a name.
    pub(crate) fn elements_for(&mut self, name: &Name) -> Vec<String> {
        name.sorts.iter().map(|&sort| self.element(sort)).collect()
    }

    pub(crate) fn fact(&mut self, fact: impl Into<String>) {
        self.rules.push(Rule { head: fact.into(), body: Vec::new() });
    }

    /// Adds a rule as it is.
    pub(crate) fn rule(&mut self, head: impl Into<String>, body: &[impl AsRef<str>]) {
        let body = body.iter().map(|literal| literal.as_ref().to_owned()).collect();
        self.rules.push(Rule { head: head.into(), body });
    }

    /// Lets conditions ask for a name from now on.
    pub(crate) fn publish(&mut self, word: Word, name: Name) {
        self.catalogue.push(Readable { word, name });
    }

    /// What the rules for a keyword may ask for: mostly everything so far, or else only what is static.
    pub(crate) fn basis(&mut self) -> Vec<Readable> {
        let count = if self.chance(15) { self.statics } else { self.catalogue.len() };
        self.catalogue[..count].to_vec()
    }

    /// A name for a relation that is not in use.
    pub(crate) fn fresh(&mut self, stem: &str, sorts: &[Sort]) -> Name {
        self.named += 1;
        Name::new(format!("{stem}{}", self.named), sorts)
    }

    /// Sorts for the places of a new name.
    pub(crate) fn sorts(&mut self, most: usize) -> Vec<Sort> {
        let places = self.between(0, most);
        (0..places)
            .map(|_| {
                self.pick(&[Sort::Letter, Sort::Letter, Sort::Number, Sort::Number, Sort::Shape, Sort::Role])
            })
            .collect()
    }
}
