//! Which word names what. GDL has relations, functions and constants, each a name space of its own, and variables that
//! belong to their rule. Fluents, moves and roles are functions and constants by their use: what stands in `true` is a
//! fluent wherever else its name occurs.
//!
//! Words are told apart by where they stand, so names are known in a text that is not valid.

use groundrules_gdl::Span;
use groundrules_gdl::index::index32;
use groundrules_gdl::keyword::Keyword;
use groundrules_gdl::symbol::Symbol;
use groundrules_gdl::syntax::{NodeId, Tree};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::position::touches;
use crate::setting::{Setting, Slot, keyword, of_member};

/// What a word names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Name {
    /// A word that GDL gives a meaning to.
    Keyword(Keyword),
    /// A relation with its number of arguments.
    Relation(Symbol, usize),
    /// A function with its number of arguments.
    Function(Symbol, usize),
    /// A constant.
    Constant(Symbol),
    /// A variable of the form with this index.
    Variable(Symbol, u32),
}

/// What a name is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A keyword.
    Keyword,
    /// A relation of the description.
    Relation,
    /// What can hold in a state.
    Fluent,
    /// What a role can do.
    Move,
    /// A player.
    Role,
    /// A function in terms.
    Function,
    /// A constant in terms.
    Constant,
    /// A variable.
    Variable,
}

impl Kind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Keyword => "keyword",
            Kind::Relation => "relation",
            Kind::Fluent => "fluent",
            Kind::Move => "move",
            Kind::Role => "role",
            Kind::Function => "function",
            Kind::Constant => "constant",
            Kind::Variable => "variable",
        }
    }
}

/// A name of a [`Names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameId(u32);

impl NameId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) fn at(place: usize) -> Self {
        NameId(index32(place, "names"))
    }
}

/// A word of the text and what it names.
#[derive(Clone, Copy, Debug)]
pub struct Occurrence {
    /// Where it stands.
    pub span: Span,
    /// What it names.
    pub name: NameId,
    /// The index of the form in which it stands.
    pub form: u32,
    /// It is part of its form's head.
    pub in_head: bool,
    /// It is under a negation, or in `distinct`.
    pub negated: bool,
    /// It begins a head that says when the thing holds, is legal or is: a rule or fact for it.
    pub defines: bool,
    /// It is the relation of a head or a condition, not part of a term.
    pub(crate) is_atom: bool,
}

#[derive(Clone, Debug, Default)]
struct Uses {
    /// Indices of occurrences.
    occurrences: Vec<u32>,
    fluent: bool,
    moved: bool,
    role: bool,
}

/// The names of a description and where they stand.
#[derive(Clone, Debug, Default)]
pub struct Names {
    names: IndexMap<Name, Uses, FxBuildHasher>,
    occurrences: Vec<Occurrence>,
    /// The occurrences of each form, as a range.
    forms: Vec<std::ops::Range<usize>>,
}

impl Names {
    pub(crate) fn of(tree: &Tree) -> Self {
        let mut names = Names::default();
        for (index, &form) in tree.forms().iter().enumerate() {
            let first = names.occurrences.len();
            names.read_form(tree, form, index32(index, "forms"));
            names.forms.push(first..names.occurrences.len());
        }
        names
    }

    /// The words of the text in order.
    pub fn occurrences(&self) -> &[Occurrence] {
        &self.occurrences
    }

    /// The words of a form in order.
    pub fn of_form(&self, form: usize) -> &[Occurrence] {
        self.forms.get(form).map_or(&[], |range| &self.occurrences[range.clone()])
    }

    /// All the names, in the order in which they first occur.
    pub fn all(&self) -> impl Iterator<Item = (NameId, Name)> {
        self.names.keys().enumerate().map(|(index, &name)| (NameId::at(index), name))
    }

    /// How many names there are.
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// What an identifier stands for.
    pub fn name(&self, id: NameId) -> Name {
        self.names.get_index(id.index()).map_or(Name::Keyword(Keyword::Implies), |(&name, _)| name)
    }

    /// The identifier of a name that occurs.
    pub fn find(&self, name: Name) -> Option<NameId> {
        self.names.get_index_of(&name).map(NameId::at)
    }

    /// Where a name stands, in order.
    pub fn uses(&self, id: NameId) -> impl DoubleEndedIterator<Item = &Occurrence> {
        let uses = self.names.get_index(id.index()).map_or(&[][..], |(_, uses)| &uses.occurrences);
        uses.iter().map(|&index| &self.occurrences[index as usize])
    }

    /// What a name is used for. A name used in several ways is the first of role, fluent, move that it is.
    pub fn kind(&self, id: NameId) -> Kind {
        let Some((&name, uses)) = self.names.get_index(id.index()) else { return Kind::Constant };
        match name {
            Name::Keyword(_) => Kind::Keyword,
            Name::Relation(..) => Kind::Relation,
            Name::Variable(..) => Kind::Variable,
            _ if uses.role => Kind::Role,
            _ if uses.fluent => Kind::Fluent,
            _ if uses.moved => Kind::Move,
            Name::Function(..) => Kind::Function,
            Name::Constant(_) => Kind::Constant,
        }
    }

    /// The word at an offset; of two that touch there, the one that begins.
    pub fn at(&self, offset: usize) -> Option<&Occurrence> {
        let behind = self.occurrences.partition_point(|word| word.span.start as usize <= offset);
        let word = &self.occurrences[behind.checked_sub(1)?];
        touches(word.span, offset).then_some(word)
    }

    /// The symbol of a name; keywords have none.
    pub fn symbol(&self, id: NameId) -> Option<Symbol> {
        match self.name(id) {
            Name::Keyword(_) => None,
            Name::Relation(symbol, _) | Name::Function(symbol, _) | Name::Constant(symbol) => Some(symbol),
            Name::Variable(symbol, _) => Some(symbol),
        }
    }

    /// How a name is spelled first.
    pub fn spelling<'a>(&self, tree: &'a Tree, id: NameId) -> &'a str {
        match self.name(id) {
            Name::Keyword(keyword) => keyword.name(),
            Name::Relation(symbol, _) | Name::Function(symbol, _) | Name::Constant(symbol) => {
                tree.symbols.spelling(symbol)
            }
            Name::Variable(symbol, _) => tree.symbols.spelling(symbol),
        }
    }

    /// How many arguments a name takes, where that is fixed.
    pub fn arity(&self, id: NameId) -> Option<usize> {
        match self.name(id) {
            Name::Keyword(keyword) => keyword.arity(),
            Name::Relation(_, arity) | Name::Function(_, arity) => Some(arity),
            Name::Constant(_) => Some(0),
            Name::Variable(..) => None,
        }
    }

    fn read_form(&mut self, tree: &Tree, form: NodeId, index: u32) {
        let mut stack =
            vec![Step { node: form, setting: Setting::Form, part: Part::default(), callee: None }];
        while let Some(step) = stack.pop() {
            let members = tree.children(step.node);
            if !tree.is_list(step.node) {
                self.add(tree, &step, index);
                continue;
            }
            let part = step.part_inside(tree);
            for (place, &member) in members.iter().enumerate().rev() {
                let setting = of_member(tree, step.node, step.setting, place);
                let callee = (place == 0).then(|| members.len() - 1);
                let in_head = part.in_head || setting == Setting::Head;
                // Only the term right in the keyword's argument is the thing itself.
                let made_by = if callee.is_some() && matches!(setting, Setting::Term(_)) {
                    step.part.made_by
                } else {
                    part.made_by
                };
                let part = Part { in_head, made_by, ..part };
                stack.push(Step { node: member, setting, part, callee });
            }
        }
    }

    fn add(&mut self, tree: &Tree, step: &Step, form: u32) {
        let Some(symbol) = tree.word(step.node) else { return };
        let arity = step.callee.unwrap_or(0);
        let is_variable = tree.symbols.is_variable(symbol);
        let known = Keyword::named(tree.symbols.folded(symbol));
        let is_atom = matches!(step.setting, Setting::Form | Setting::Head | Setting::Body);
        let name = match (known, step.setting) {
            _ if is_variable => Name::Variable(symbol, form),
            (Some(keyword), Setting::Form | Setting::Arrow | Setting::Head | Setting::Body) => {
                Name::Keyword(keyword)
            }
            (None, Setting::Form | Setting::Arrow | Setting::Head | Setting::Body) => {
                Name::Relation(symbol, arity)
            }
            (_, Setting::Term(_)) if arity > 0 => Name::Function(symbol, arity),
            (_, Setting::Term(_)) => Name::Constant(symbol),
        };
        let entry = self.names.entry(name);
        let id = NameId::at(entry.index());
        let uses = entry.or_default();
        match step.setting {
            Setting::Term(Slot::Role) => uses.role = true,
            Setting::Term(Slot::Fluent) => uses.fluent = true,
            Setting::Term(Slot::Move) => uses.moved = true,
            _ => {}
        }
        uses.occurrences.push(index32(self.occurrences.len(), "words"));
        let in_head = step.part.in_head || step.setting == Setting::Form;
        let defines = match step.setting {
            Setting::Form => true,
            Setting::Head => true,
            Setting::Term(Slot::Fluent) => in_head && made(step, &[Keyword::Init, Keyword::Next]),
            Setting::Term(Slot::Move) => in_head && made(step, &[Keyword::Legal]),
            Setting::Term(Slot::Role) => in_head && made(step, &[Keyword::Role]),
            _ => false,
        };
        self.occurrences.push(Occurrence {
            span: tree.span(step.node),
            name: id,
            form,
            in_head,
            negated: step.part.negated,
            defines: defines && !is_variable,
            is_atom: is_atom && !is_variable,
        });
    }
}

/// A node that is to be looked at.
struct Step {
    node: NodeId,
    setting: Setting,
    part: Part,
    /// It begins a list with so many arguments.
    callee: Option<usize>,
}

#[derive(Clone, Copy, Default)]
struct Part {
    in_head: bool,
    negated: bool,
    /// The keyword whose argument this is.
    made_by: Option<Keyword>,
}

impl Step {
    /// What holds for the members of a list.
    fn part_inside(&self, tree: &Tree) -> Part {
        let keyword = keyword(tree, self.node);
        match self.setting {
            Setting::Form if keyword == Some(Keyword::Implies) => self.part,
            Setting::Form => Part { in_head: true, made_by: keyword, ..self.part },
            Setting::Head | Setting::Body => Part {
                negated: self.part.negated ^ (keyword == Some(Keyword::Not))
                    || keyword == Some(Keyword::Distinct),
                made_by: keyword,
                ..self.part
            },
            Setting::Arrow | Setting::Term(_) => Part { made_by: None, ..self.part },
        }
    }
}

fn made(step: &Step, by: &[Keyword]) -> bool {
    step.part.made_by.is_some_and(|keyword| by.contains(&keyword))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;

    fn described(text: &str) -> Vec<String> {
        let document = Document::new(text.to_owned());
        let reading = document.reading();
        let names = reading.names();
        let describe = |word: &Occurrence| {
            let flags = [(word.defines, "!"), (word.negated, "~")];
            let flags: String = flags.iter().filter(|(on, _)| *on).map(|(_, mark)| *mark).collect();
            format!("{}:{}{flags}", reading.slice(word.span), names.kind(word.name).word())
        };
        names.occurrences().iter().map(describe).collect()
    }

    #[test]
    fn words_are_told_apart_by_where_they_stand() {
        assert_eq!(
            described("(<= (next (cell ?x b)) (does red (mark ?x)) (not (p ?x)))"),
            [
                "<=:keyword",
                "next:keyword!",
                "cell:fluent!",
                "?x:variable",
                "b:constant",
                "does:keyword",
                "red:role",
                "mark:move",
                "?x:variable",
                "not:keyword~",
                "p:relation~",
                "?x:variable~"
            ]
        );
        assert_eq!(described("(role red) terminal"), ["role:keyword!", "red:role!", "terminal:keyword!"]);
        assert_eq!(described("(p red (f a)) (role red)")[..3], ["p:relation!", "red:role", "f:function"]);
        assert_eq!(described("(legal red noop)")[2], "noop:move!");
        assert_eq!(described("(<= (legal red noop) (true (q a)))")[5..7], ["q:fluent", "a:constant"]);
    }

    #[test]
    fn variables_belong_to_their_rule() {
        let document = Document::new("(<= (p ?x) (q ?x)) (<= (r ?x) (q ?x))".to_owned());
        let names = document.reading().names();
        let first = names.at(7).expect("a word").name;
        assert_eq!(names.uses(first).count(), 2);
    }

    #[test]
    fn a_broken_text_has_names() {
        assert_eq!(described("(<= (p ?x) (q")[1..], ["p:relation!", "?x:variable", "q:relation"]);
        assert!(described("((((").is_empty());
    }
}
