//! The next state: what moves change, and every usual way to say that the rest stays.

use super::body::sort_guard;
use super::builder::{Builder, Name, Readable, Sort, Word};

pub(crate) fn add(builder: &mut Builder) {
    let from = builder.catalogue.clone();
    for name in builder.fluents.clone() {
        if ["control", "step"].contains(&name.name.as_str()) {
            continue; // They have their own rules.
        }
        for _ in 0..builder.between(1, 2) {
            effect(builder, &name, &from);
        }
        for _ in 0..builder.between(0, 2) {
            Frame::of(builder, &name).add(builder, &from);
        }
        if builder.chance(20) {
            let arguments: Vec<String> = name.sorts.iter().map(|&sort| builder.term(sort)).collect();
            let count = builder.between(1, 3);
            let body = builder.body(&from, count);
            builder.safe_rule(&format!("(next {})", name.of(&arguments)), body, &from);
        }
    }
    if builder.chance(20) {
        kept_whole(builder);
    }
    let derived = from[builder.statics..].iter().filter(|one| one.word == Word::Plain);
    for readable in derived.cloned().collect::<Vec<_>>() {
        if builder.chance(50) {
            witness(builder, &readable.name);
        }
    }
}

/// Makes what a relation says visible in the next state: all of it, some of its places, or one atom.
fn witness(builder: &mut Builder, name: &Name) {
    let seen = Name::new(format!("saw_{}", name.name), &[]);
    let mut arguments = name.variables(0);
    let mut shown = arguments.clone();
    match builder.below(4) {
        0 => {
            let element = builder.elements_for(name);
            (arguments, shown) = (element, Vec::new());
        }
        1 => shown.truncate(1),
        _ => {}
    }
    let negated =
        shown.is_empty() && builder.chance(50) && arguments.iter().all(|term| !term.starts_with('?'));
    let atom = name.of(&arguments);
    let body = if negated { format!("(not {atom})") } else { atom };
    builder.rule(format!("(next {})", seen.of(&shown)), &[body]);
}

/// A move makes a fluent hold.
fn effect(builder: &mut Builder, name: &Name, from: &[Readable]) {
    let made = builder.pick(&builder.moves.clone());
    let theirs = made.variables(0);
    let mut arguments: Vec<String> = name.sorts.iter().map(|&sort| builder.term(sort)).collect();
    for (mine, other) in matching(name, &made) {
        if builder.chance(80) {
            arguments[mine].clone_from(&theirs[other]);
        }
    }
    let role = builder.term(Sort::Role);
    let mut body = vec![format!("(does {role} {})", made.of(&theirs))];
    if builder.chance(50) {
        body.push(builder.literal(from, 1));
    }
    builder.safe_rule(&format!("(next {})", name.of(&arguments)), body, from);
}

/// Places of the same sort in two names, each place once.
fn matching(one: &Name, other: &Name) -> Vec<(usize, usize)> {
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (mine, sort) in one.sorts.iter().enumerate() {
        let free = |place: &usize| pairs.iter().all(|pair| pair.1 != *place);
        if let Some(theirs) = (0..other.sorts.len()).filter(free).find(|&place| other.sorts[place] == *sort) {
            pairs.push((mine, theirs));
        }
    }
    pairs
}

/// A fluent that stays, and a move that it depends on.
struct Frame {
    fluent: String,
    name: Name,
    arguments: Vec<String>,
    made: Name,
    pairs: Vec<(usize, usize)>,
}

impl Frame {
    fn of(builder: &mut Builder, name: &Name) -> Self {
        let made = builder.pick(&builder.moves.clone());
        let arguments = name.variables(0);
        let pairs = matching(name, &made);
        Frame { fluent: name.of(&arguments), name: name.clone(), arguments, made, pairs }
    }

    fn add(&self, builder: &mut Builder, from: &[Readable]) {
        let holds = format!("(true {})", self.fluent);
        let (shape, conditions) = match builder.below(9) {
            0 | 1 => self.by_distinct(builder),
            2 => self.by_relation(builder),
            3 => self.by_negated_move(builder),
            4 => self.by_change(builder, from),
            5 | 6 => self.by_two_moves(builder),
            7 => ("frame: always", Vec::new()),
            _ => ("frame: in between", vec![builder.literal(from, 2)]),
        };
        builder.note("frame");
        builder.note(shape);
        let mut body = vec![holds];
        body.extend(conditions);
        if builder.chance(20) {
            body.reverse();
        }
        if builder.chance(15) {
            body.push(builder.literal(from, 1));
        }
        builder.safe_rule(&format!("(next {})", self.fluent), body, from);
    }

    fn does(&self, builder: &mut Builder, name: &Name, first: usize) -> String {
        let role = if builder.chance(60) { "?r9".to_owned() } else { builder.element(Sort::Role) };
        format!("(does {role} {})", name.of(&name.variables(first)))
    }

    /// That the move is about another place: in one coordinate, or in any of them.
    fn differs(&self, builder: &mut Builder, pairs: &[(usize, usize)], theirs: &[String]) -> Vec<String> {
        let tests: Vec<String> = pairs
            .iter()
            .map(|&(mine, other)| format!("(distinct {} {})", self.arguments[mine], theirs[other]))
            .collect();
        match tests.len() {
            0 | 1 => tests,
            _ if builder.chance(60) => vec![format!("(or {})", tests.join(" "))],
            _ if builder.chance(50) => tests[..1].to_vec(),
            _ => tests,
        }
    }

    fn by_distinct(&self, builder: &mut Builder) -> (&'static str, Vec<String>) {
        let mut body = vec![self.does(builder, &self.made, 4)];
        let pairs = &self.pairs[..self.pairs.len().min(2)];
        body.extend(self.differs(builder, pairs, &self.made.variables(4)));
        ("frame: by distinct", body)
    }

    fn by_relation(&self, builder: &mut Builder) -> (&'static str, Vec<String>) {
        let mut body = vec![self.does(builder, &self.made, 4)];
        let theirs = self.made.variables(4);
        for &(mine, other) in &self.pairs {
            let relation = match self.name.sorts[mine] {
                Sort::Letter => builder.pick(&["different", "edge"]),
                Sort::Number => builder.pick(&["succ", "less"]),
                Sort::Role => "follows",
                _ => "distinct",
            };
            body.push(format!("({relation} {} {})", self.arguments[mine], theirs[other]));
        }
        ("frame: by a static relation", body)
    }

    /// The move that is about the fluent's own place; other places are elements, or variables that sorts bind.
    fn own_move(&self, builder: &mut Builder) -> (String, Vec<String>) {
        let mut terms = Vec::new();
        let mut guards = Vec::new();
        for (place, &sort) in self.made.sorts.iter().enumerate() {
            let pair = self.pairs.iter().find(|pair| pair.1 == place);
            terms.push(match pair {
                Some(&(mine, _)) => self.arguments[mine].clone(),
                None if builder.chance(70) => builder.element(sort),
                None => {
                    guards.push(sort_guard(&sort.variable(4 + place)));
                    sort.variable(4 + place)
                }
            });
        }
        (self.made.of(&terms), guards)
    }

    fn by_negated_move(&self, builder: &mut Builder) -> (&'static str, Vec<String>) {
        let (term, mut body) = self.own_move(builder);
        if builder.chance(30) {
            for role in builder.elements(Sort::Role).to_vec() {
                body.push(format!("(not (does {role} {term}))"));
            }
        } else {
            let role = builder.term(Sort::Role);
            body.push(format!("(not (does {role} {term}))"));
        }
        ("frame: by a negated move", body)
    }

    fn by_change(&self, builder: &mut Builder, from: &[Readable]) -> (&'static str, Vec<String>) {
        let (term, guards) = self.own_move(builder);
        let places: Vec<usize> = self.pairs.iter().map(|pair| pair.0).collect();
        let sorts: Vec<Sort> = places.iter().map(|&place| self.name.sorts[place]).collect();
        let arguments: Vec<String> = places.iter().map(|&place| self.arguments[place].clone()).collect();
        let changed = builder.fresh("changed", &sorts);
        let mut body = vec![format!("(does ?r9 {term})")];
        body.extend(guards);
        if builder.chance(30) {
            body.push(builder.literal(from, 1));
        }
        builder.safe_rule(&changed.of(&arguments), body, from);
        ("frame: by what changed", vec![format!("(not {})", changed.of(&arguments))])
    }

    /// Moves of two roles, each elsewhere, or both about the same.
    fn by_two_moves(&self, builder: &mut Builder) -> (&'static str, Vec<String>) {
        let roles = builder.elements(Sort::Role).to_vec();
        let second =
            if builder.chance(70) { self.made.clone() } else { builder.pick(&builder.moves.clone()) };
        let first = if builder.chance(70) { 8 } else { 4 };
        let mut body = vec![
            format!("(does {} {})", roles[0], self.made.of(&self.made.variables(4))),
            format!("(does {} {})", roles[roles.len() - 1], second.of(&second.variables(first))),
        ];
        body.extend(self.differs(builder, &self.pairs, &self.made.variables(4)));
        let pairs = matching(&self.name, &second);
        body.extend(self.differs(builder, &pairs, &second.variables(first)));
        ("frame: by two moves", body)
    }
}

/// Whole fluents stay when they are on a list.
fn kept_whole(builder: &mut Builder) {
    builder.note("whole fluents");
    for name in builder.fluents.clone() {
        if builder.chance(50) {
            let head = format!("(sticky {})", name.of(&name.variables(0)));
            let guards: Vec<String> = name.variables(0).iter().map(|variable| sort_guard(variable)).collect();
            builder.rule(head, &guards);
        }
    }
    let kept = builder.element(Sort::Role);
    builder.rule(
        "(next ?f)",
        &["(true ?f)".to_owned(), "(sticky ?f)".to_owned(), format!("(does {kept} noop)")],
    );
    builder.publish(Word::Plain, Name::new("sticky", &[]));
}
