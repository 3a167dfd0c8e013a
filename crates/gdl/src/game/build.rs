//! From a tree to a [`Game`]: each form becomes a rule, negation is pushed down to the literals, and what the
//! language leaves open is settled (`(terminal)` is `terminal`, `(k)` in a term is `k`, `or` of nothing is false).
//! A form that cannot be read as a rule is reported and left out; the others are kept, so that one run finds all
//! the faults.

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::codes::{
    AND_IN_BODY, ARITY_CLASH, DUPLICATE_ROLE, EMPTY_BODY, KEYWORD_ARITY, KEYWORD_PLACE, NOT_A_RELATION,
    NOT_A_RULE, ONE_ELEMENT_TERM, SHORT_OR, TOO_MANY_CONNECTIVES, TWO_KINDS,
};
use super::{Atom, Formula, Game, Literal, Lost, Relation, RelationId, Rule, Test, relation_at};
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::fix::{Edit, Fix};
use crate::keyword::{Keyword, Place};
use crate::limits::Limits;
use crate::symbol::Symbol;
use crate::syntax::{NodeId, NodeKind, Tree};
use crate::term::{Term, TermId, Terms};
use crate::verdict::Verdict;

/// Makes a game of a tree. With `lenient`, a name may have several arities.
pub(crate) fn build(tree: Tree, limits: &Limits, lenient: bool, diagnostics: &mut Diagnostics) -> Game {
    let mut builder = Builder::new(tree, limits, diagnostics);
    for index in 0..builder.game.tree.forms().len() {
        let form = builder.game.tree.forms()[index];
        builder.uses.clear();
        builder.head_read = None;
        match builder.rule(form) {
            Some(rule) => builder.game.rules.push(rule),
            None => builder.note_lost(form),
        }
    }
    builder.index_rules();
    builder.collect_roles();
    builder.report_arity_clashes(lenient);
    builder.report_names_of_two_kinds();
    builder.game
}

/// The parts with those of the same connective taken apart.
fn flattened(is_and: bool, parts: Vec<Formula>) -> Vec<Formula> {
    let mut flat = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            Formula::And(inner) if is_and => flat.extend(inner),
            Formula::Or(inner) if !is_and => flat.extend(inner),
            other => flat.push(other),
        }
    }
    flat
}

/// What a name stands for. Each kind is a name space of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum NameKind {
    Relation,
    Function,
    Constant,
}

impl NameKind {
    fn word(self) -> &'static str {
        match self {
            NameKind::Relation => "relation",
            NameKind::Function => "function",
            NameKind::Constant => "constant",
        }
    }
}

struct Builder<'a> {
    game: Game,
    limits: &'a Limits,
    diagnostics: &'a mut Diagnostics,
    /// The keyword that each symbol is, by the symbol's index.
    keywords: Vec<Option<Keyword>>,
    /// The first use of a name as each kind, by the symbol's index.
    kinds: Vec<[Option<NodeId>; 3]>,
    /// The head of the form being read, once it is.
    head_read: Option<Atom>,
    /// The relations that the form being read asks for.
    uses: Vec<RelationId>,
    /// The scratch of [`Builder::term`].
    terms_made: Vec<TermId>,
}

impl<'a> Builder<'a> {
    fn new(mut tree: Tree, limits: &'a Limits, diagnostics: &'a mut Diagnostics) -> Self {
        let mut relations = indexmap::IndexMap::with_hasher(FxBuildHasher);
        for keyword in Keyword::RELATIONS {
            let arity = keyword.arity().expect("a relation has a fixed arity");
            let name = tree.symbols.intern(keyword.name());
            relations.insert((name, arity), Relation { name, arity, defined: None, used: None });
        }
        let symbol_count = tree.symbols.len();
        let name = |index| tree.symbols.folded(Symbol::from_index(index));
        let keywords = (0..symbol_count).map(|index| Keyword::named(name(index)));
        Builder {
            keywords: keywords.collect(),
            game: Game {
                terms: Terms::new(),
                relations,
                rules: Vec::new(),
                by_head: Vec::new(),
                roles: Vec::new(),
                lost: Lost::default(),
                verdict: Verdict::NotGdl, // until the checks have judged it
                tree,
            },
            limits,
            diagnostics,
            kinds: vec![[None; 3]; symbol_count],
            head_read: None,
            uses: Vec::new(),
            terms_made: Vec::new(),
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn keyword(&self, symbol: Symbol) -> Option<Keyword> {
        self.keywords[symbol.index()]
    }

    fn name(&self, symbol: Symbol) -> &str {
        self.game.symbols().spelling(symbol)
    }

    fn note_kind(&mut self, symbol: Symbol, kind: NameKind, node: NodeId) {
        self.kinds[symbol.index()][kind as usize].get_or_insert(node);
    }

    /// The word that a form, literal or term begins with, and where; none if it begins with anything else.
    fn head_word(&mut self, node: NodeId, what: &str) -> Option<(Symbol, NodeId)> {
        let tree = &self.game.tree;
        let head = match tree.children(node) {
            [] if tree.is_list(node) => return None, // `()`: the parser has said so
            [] => node,
            [head, ..] => *head,
        };
        let (span, word) = (tree.span(head), tree.word(head));
        match word {
            Some(symbol) if !self.game.symbols().is_variable(symbol) => Some((symbol, head)),
            Some(symbol) => {
                let message = format!("the variable `{}` stands where {what} must stand", self.name(symbol));
                let help = "GDL is first-order: only arguments may be variables";
                self.report(Diagnostic::new(&NOT_A_RELATION, span, message).help(help));
                None
            }
            None => {
                let message = format!("a list stands where {what} must stand");
                let help = "is there a pair of parentheses too many around it, or a `)` missing before it?";
                self.report(Diagnostic::new(&NOT_A_RELATION, span, message).help(help));
                None
            }
        }
    }

    /// What stands behind the head of a list; nothing behind a word.
    fn arguments(&self, node: NodeId) -> &[NodeId] {
        self.game.tree.children(node).get(1..).unwrap_or_default()
    }

    fn argument(&self, node: NodeId, index: usize) -> NodeId {
        self.arguments(node)[index]
    }

    fn rule(&mut self, form: NodeId) -> Option<Rule> {
        let is_implication = |symbol: Symbol| self.keyword(symbol) == Some(Keyword::Implies);
        let first = self.game.tree.children(form).first().copied();
        let leads = first.and_then(|first| self.game.tree.word(first)).is_some_and(is_implication);
        if !leads {
            let head = self.atom(form, Place::Head)?;
            return Some(Rule { head, body: Vec::new(), node: form, head_node: form });
        }
        let parts = self.arguments(form).len();
        if parts == 0 {
            let diagnostic = Diagnostic::new(&NOT_A_RULE, self.game.span(form), "this rule has no head");
            self.report(diagnostic.help("write `(<= head body …)`"));
            return None;
        }
        if parts == 1 {
            let diagnostic = Diagnostic::new(&EMPTY_BODY, self.game.span(form), "this rule has no body");
            self.report(diagnostic.help("it is read as a fact; write the head alone"));
        }
        let head_node = self.argument(form, 0);
        let head = self.atom(head_node, Place::Head);
        self.head_read.clone_from(&head);
        let conditions = self.formulas(form, 1..parts, true, 0);
        Some(Rule { head: head?, body: flattened(true, conditions?), node: form, head_node })
    }

    /// Reads several arguments as conditions. Each is read even when one is bad, so that all the faults are reported.
    fn formulas(
        &mut self,
        node: NodeId,
        arguments: std::ops::Range<usize>,
        positive: bool,
        depth: usize,
    ) -> Option<Vec<Formula>> {
        let mut formulas = Vec::with_capacity(arguments.len());
        let mut complete = true;
        for index in arguments {
            match self.formula(self.argument(node, index), positive, depth) {
                Some(formula) => formulas.push(formula),
                None => complete = false,
            }
        }
        complete.then_some(formulas)
    }

    fn formula(&mut self, node: NodeId, positive: bool, depth: usize) -> Option<Formula> {
        if depth > self.limits.connectives {
            let message =
                format!("`not`, `or` and `and` are nested more than {} deep", self.limits.connectives);
            self.report(Diagnostic::new(&TOO_MANY_CONNECTIVES, self.game.span(node), message));
            return None;
        }
        let (symbol, _) = self.head_word(node, "a relation")?;
        match self.keyword(symbol) {
            Some(Keyword::Not) => {
                self.expect_arity(Keyword::Not, node)?;
                self.formula(self.argument(node, 0), !positive, depth + 1)
            }
            Some(connective @ (Keyword::Or | Keyword::And)) => {
                self.connective(connective, node, positive, depth)
            }
            Some(Keyword::Distinct) => {
                self.expect_arity(Keyword::Distinct, node)?;
                let (left, right) = (self.term(self.argument(node, 0)), self.term(self.argument(node, 1)));
                let test = Test::Equal([left?, right?]);
                Some(Formula::Literal(Literal { test, positive: !positive, node }))
            }
            _ => {
                let test = Test::Atom(self.atom(node, Place::Body)?);
                Some(Formula::Literal(Literal { test, positive, node }))
            }
        }
    }

    /// `or` and `and`; under a negation each becomes the other (De Morgan).
    fn connective(
        &mut self,
        keyword: Keyword,
        node: NodeId,
        positive: bool,
        depth: usize,
    ) -> Option<Formula> {
        let count = self.arguments(node).len();
        self.advise_on_connective(keyword, node, count);
        let is_and = (keyword == Keyword::And) == positive;
        let mut parts = flattened(is_and, self.formulas(node, 0..count, positive, depth + 1)?);
        match parts.len() {
            1 => parts.pop(),
            _ if is_and => Some(Formula::And(parts)),
            _ => Some(Formula::Or(parts)),
        }
    }

    fn advise_on_connective(&mut self, keyword: Keyword, node: NodeId, arguments: usize) {
        let span = self.game.span(node);
        if keyword == Keyword::And {
            let diagnostic = Diagnostic::new(&AND_IN_BODY, span, "`and` is not part of GDL");
            self.report(diagnostic.help("it is understood here, but other programs take it for an unknown relation: list the literals without it"));
        } else if arguments < 2 {
            let meaning = if arguments == 0 { "is false" } else { "is its argument" };
            let message = format!("`or` with {arguments} argument{}", if arguments == 1 { "" } else { "s" });
            self.report(Diagnostic::new(&SHORT_OR, span, message).here(meaning));
        }
    }

    fn atom(&mut self, node: NodeId, place: Place) -> Option<Atom> {
        let (symbol, word) = self.head_word(node, "a relation")?;
        if let Some(keyword) = self.keyword(symbol) {
            self.expect_place(keyword, node, place)?;
            self.expect_arity(keyword, node)?;
        } else {
            self.note_kind(symbol, NameKind::Relation, word);
        }
        let count = self.arguments(node).len();
        let mut arguments = Vec::with_capacity(count);
        for index in 0..count {
            arguments.extend(self.term(self.argument(node, index)));
        }
        if arguments.len() < count {
            return None;
        }
        let relation = self.relation(symbol, count, node, place);
        Some(Atom { relation, arguments: arguments.into() })
    }

    fn relation(&mut self, name: Symbol, arity: usize, node: NodeId, place: Place) -> RelationId {
        let entry = self.game.relations.entry((name, arity));
        let id = relation_at(entry.index());
        let relation = entry.or_insert(Relation { name, arity, defined: None, used: None });
        match place {
            Place::Head => relation.defined.get_or_insert(node),
            Place::Body => {
                self.uses.push(id);
                relation.used.get_or_insert(node)
            }
        };
        id
    }

    fn expect_place(&mut self, keyword: Keyword, node: NodeId, place: Place) -> Option<()> {
        if keyword.may_stand(place) {
            return Some(());
        }
        let name = keyword.name();
        let (message, help) = match (keyword, place) {
            (Keyword::Implies, _) => (
                "a rule stands inside another rule".to_owned(),
                "`<=` stands only at the beginning of a rule; is a `)` missing before it?",
            ),
            (Keyword::Next, _) => {
                ("`next` stands in a body".to_owned(), "a body can ask what holds now: `(true f)`")
            }
            (Keyword::Init, _) => {
                ("`init` stands in a body".to_owned(), "a body can ask what holds now: `(true f)`")
            }
            (Keyword::True, _) => (
                "`true` stands in a head".to_owned(),
                "a rule can say what will hold: `(next f)`, or what holds first: `(init f)`",
            ),
            (Keyword::Does, _) => {
                ("`does` stands in a head".to_owned(), "a rule can say what may be done: `(legal r m)`")
            }
            (_, Place::Head) => (format!("`{name}` stands in a head"), "it has a meaning in bodies only"),
            (_, Place::Body) => (format!("`{name}` stands in a body"), "it has a meaning in heads only"),
        };
        let mut diagnostic = Diagnostic::new(&KEYWORD_PLACE, self.game.span(node), message).help(help);
        let meant: &[Keyword] = match (keyword, place) {
            (Keyword::Next | Keyword::Init, Place::Body) => &[Keyword::True],
            (Keyword::True, Place::Head) => &[Keyword::Next, Keyword::Init],
            (Keyword::Does, Place::Head) => &[Keyword::Legal],
            _ => &[],
        };
        if let Some(&word) = self.game.tree.children(node).first() {
            let fix = |meant: &Keyword| {
                let edit = Edit::replace(self.game.span(word), meant.name());
                Fix::new(format!("write `{}` instead", meant.name()), vec![edit])
            };
            diagnostic.fixes.extend(meant.iter().map(fix));
        }
        self.report(diagnostic);
        None
    }

    fn expect_arity(&mut self, keyword: Keyword, node: NodeId) -> Option<()> {
        let given = self.arguments(node).len();
        let expected = keyword.arity().unwrap_or(given);
        if given == expected {
            return Some(());
        }
        let plural = if expected == 1 { "" } else { "s" };
        let message = format!("`{}` takes {expected} argument{plural}, here it has {given}", keyword.name());
        let diagnostic = Diagnostic::new(&KEYWORD_ARITY, self.game.span(node), message);
        self.report(diagnostic.help(format!("write `{}`", keyword.usage())));
        None
    }

    /// Reads a term. Terms may nest as deep as the reader allows, so this walks with a stack of its own.
    fn term(&mut self, root: NodeId) -> Option<TermId> {
        enum Visit {
            Enter(NodeId),
            Apply(Symbol, usize),
        }
        if let NodeKind::Word(symbol) = self.game.tree.kind(root) {
            return Some(self.plain_term(symbol, root));
        }
        let base = self.terms_made.len();
        let mut steps = vec![Visit::Enter(root)];
        let mut complete = true;
        while let Some(step) = steps.pop() {
            match step {
                Visit::Apply(function, arity) => {
                    let from = self.terms_made.len().saturating_sub(arity).max(base);
                    let term = self.game.terms.intern_function(function, &self.terms_made[from..]);
                    self.terms_made.truncate(from);
                    self.terms_made.push(term);
                }
                Visit::Enter(node) => match self.game.tree.kind(node) {
                    NodeKind::Word(symbol) => {
                        let term = self.plain_term(symbol, node);
                        self.terms_made.push(term);
                    }
                    NodeKind::List { .. } => match self.head_word(node, "a function") {
                        None => complete = false,
                        Some((symbol, word)) if self.arguments(node).is_empty() => {
                            self.advise_on_one_element_term(symbol, node);
                            let term = self.plain_term(symbol, word);
                            self.terms_made.push(term);
                        }
                        Some((symbol, word)) => {
                            self.note_kind(symbol, NameKind::Function, word);
                            let arguments = self.arguments(node);
                            steps.push(Visit::Apply(symbol, arguments.len()));
                            steps.extend(arguments.iter().rev().map(|&argument| Visit::Enter(argument)));
                        }
                    },
                },
            }
        }
        let term = self.terms_made.pop();
        self.terms_made.truncate(base);
        term.filter(|_| complete)
    }

    fn plain_term(&mut self, symbol: Symbol, node: NodeId) -> TermId {
        if self.game.symbols().is_variable(symbol) {
            return self.game.terms.intern(Term::Variable(symbol));
        }
        self.note_kind(symbol, NameKind::Constant, node);
        self.game.terms.intern(Term::Constant(symbol))
    }

    fn advise_on_one_element_term(&mut self, symbol: Symbol, node: NodeId) {
        let name = self.name(symbol).to_owned();
        let message = format!("`({name})` in a term is the constant `{name}`");
        let diagnostic = Diagnostic::new(&ONE_ELEMENT_TERM, self.game.span(node), message);
        self.report(
            diagnostic.help(format!("write `{name}`: other programs take the two for different terms")),
        );
    }

    /// Remembers what a form that could not be read as a rule was about. A text can have very many.
    fn note_lost(&mut self, form: NodeId) {
        const MOST: usize = 10_000;
        if self.game.lost.uses.len() < MOST {
            self.game.lost.uses.append(&mut self.uses);
        }
        if let Some(head) = self.head_read.take() {
            self.game.lost.heads.extend(Some(head).filter(|_| self.game.lost.heads.len() < MOST));
            return;
        }
        let tree = &self.game.tree;
        let first = |node: NodeId| {
            tree.word(node).or_else(|| tree.children(node).first().and_then(|&head| tree.word(head)))
        };
        let is_rule = first(form).is_some_and(|word| self.keyword(word) == Some(Keyword::Implies));
        let head =
            if is_rule { self.arguments(form).first().and_then(|&head| first(head)) } else { first(form) };
        if !self.game.lost.unreadable_heads.contains(&head) && self.game.lost.unreadable_heads.len() < 100 {
            self.game.lost.unreadable_heads.push(head);
        }
    }

    fn index_rules(&mut self) {
        self.game.by_head = vec![Vec::new(); self.game.relations.len()];
        for (index, rule) in self.game.rules.iter().enumerate() {
            self.game.by_head[rule.head.relation.index()].push(index);
        }
    }

    fn collect_roles(&mut self) {
        let mut seen: FxHashMap<TermId, NodeId> = FxHashMap::default();
        let mut repeated = Vec::new();
        for rule in &self.game.rules {
            let fact = rule.is_fact() && rule.head.relation == RelationId::ROLE;
            if !fact || !self.game.terms.is_ground(rule.head.arguments[0]) {
                continue;
            }
            let role = rule.head.arguments[0];
            match seen.get(&role) {
                Some(&first) => repeated.push((first, rule.node, role)),
                None => {
                    seen.insert(role, rule.node);
                    self.game.roles.push(role);
                }
            }
        }
        for (first, again, role) in repeated {
            let message = format!("the role `{}` is given twice", self.game.kif(&role));
            let diagnostic = Diagnostic::new(&DUPLICATE_ROLE, self.game.span(again), message);
            let fix = Fix::safe("remove the second one", vec![Edit::remove(self.game.span(again))]);
            self.report(
                diagnostic.label(self.game.span(first), "first given here").help("remove one").fix(fix),
            );
        }
    }

    fn report_arity_clashes(&mut self, lenient: bool) {
        let mut first: FxHashMap<Symbol, RelationId> = FxHashMap::default();
        let mut clashes = Vec::new();
        for (id, relation) in self.game.relations() {
            match first.get(&relation.name) {
                Some(&other) => clashes.push((other, id)),
                None => drop(first.insert(relation.name, id)),
            }
        }
        for (first, second) in clashes {
            let (a, b) = (*self.game.relation(first), *self.game.relation(second));
            let place = |relation: Relation| relation.defined.or(relation.used);
            let (Some(at_first), Some(at_second)) = (place(a), place(b)) else { continue };
            let name = self.name(a.name).to_owned();
            let message = format!("`{name}` is used with {} and with {} arguments", a.arity, b.arity);
            let severity = if lenient { Severity::Warning } else { Severity::Error };
            let diagnostic = Diagnostic::new(&ARITY_CLASH, self.game.span(at_second), message)
                .severity(severity)
                .here(format!("{} here", b.arity))
                .label(self.game.span(at_first), format!("{} here", a.arity))
                .help("a relation has one arity; rename one of the two, or read with --lenient to take them apart by arity");
            self.report(diagnostic);
        }
    }

    fn report_names_of_two_kinds(&mut self) {
        for index in 0..self.kinds.len() {
            let kinds = [NameKind::Relation, NameKind::Function, NameKind::Constant];
            let uses: Vec<(NameKind, NodeId)> = kinds
                .into_iter()
                .filter_map(|kind| Some((kind, self.kinds[index][kind as usize]?)))
                .collect();
            let [(one, first), (two, second), ..] = uses[..] else { continue };
            let symbol = Symbol::from_index(index);
            let message = format!("`{}` is a {} and a {}", self.name(symbol), one.word(), two.word());
            let diagnostic = Diagnostic::new(&TWO_KINDS, self.game.span(second), message)
                .here(format!("a {} here", two.word()))
                .label(self.game.span(first), format!("a {} here", one.word()))
                .help("they are different things with one name; two names are easier to read");
            self.report(diagnostic);
        }
    }
}
