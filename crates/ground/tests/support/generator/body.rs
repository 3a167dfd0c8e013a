//! Conditions: literals over the catalogue with variables that meet, disjunctions, tests, and the guards that bind
//! what no positive literal binds.

use super::builder::{Builder, Readable, Sort, Word};

/// The variables in a text, each once.
pub(crate) fn variables(text: &str) -> Vec<String> {
    let words = text.split(['(', ')', ' ']).filter(|word| word.starts_with('?'));
    let mut found: Vec<String> = Vec::new();
    for word in words {
        if !found.iter().any(|known| known == word) {
            found.push(word.to_owned());
        }
    }
    found
}

/// Whether a literal binds its variables wherever it stands.
fn binds(literal: &str) -> bool {
    !["(not ", "(distinct ", "(or "].iter().any(|word| literal.starts_with(word))
}

impl Builder {
    /// A term for a place: mostly a variable that other places share.
    pub(crate) fn term(&mut self, sort: Sort) -> String {
        let number = self.number();
        match (self.below(100), sort) {
            (..65, Sort::Letter | Sort::Number | Sort::Role) | (..45, Sort::Shape) | (..20, Sort::Worth) => {
                sort.variable(number)
            }
            (45..60, Sort::Shape) => format!("(g {})", Sort::Letter.variable(number)),
            (60..70, Sort::Shape) => {
                format!("(h {} {})", Sort::Letter.variable(number), Sort::Number.variable(0))
            }
            // A place may meet a variable of another sort; they have terms in common.
            (95.., Sort::Letter) => Sort::Number.variable(number),
            (95.., Sort::Number) => Sort::Letter.variable(number),
            _ => self.element(sort),
        }
    }

    /// The number of a variable: low ones more often, so that they meet.
    pub(crate) fn number(&mut self) -> usize {
        self.below(3).min(self.below(3))
    }

    /// A condition that asks for something with some arguments; the role of a move comes first.
    pub(crate) fn ask(&mut self, readable: &Readable, arguments: &[String]) -> String {
        let inner = readable.name.of(arguments);
        match readable.word {
            Word::Plain => inner,
            Word::True => format!("(true {inner})"),
            Word::Base => format!("(base {inner})"),
            Word::Does | Word::Legal | Word::Input => {
                let role = self.term(Sort::Role);
                let word = match readable.word {
                    Word::Does => "does",
                    Word::Legal => "legal",
                    _ => "input",
                };
                format!("({word} {role} {inner})")
            }
        }
    }

    /// An atom over some of the catalogue.
    pub(crate) fn atom(&mut self, from: &[Readable]) -> String {
        let readable = self.readable(from);
        let arguments: Vec<String> = readable.name.sorts.iter().map(|&sort| self.term(sort)).collect();
        self.ask(&readable, &arguments)
    }

    /// Something to ask for: more often than not it is about the state or the moves.
    fn readable(&mut self, from: &[Readable]) -> Readable {
        let statics = self.statics.min(from.len());
        let choice = if from.len() > statics && self.chance(65) {
            statics + self.below(from.len() - statics)
        } else {
            self.below(statics)
        };
        from[choice].clone()
    }

    fn test(&mut self) -> String {
        let sort = self.pick(&[Sort::Letter, Sort::Number, Sort::Shape, Sort::Role]);
        let (left, right) = (self.term(sort), self.term(sort));
        format!("(distinct {left} {right})")
    }

    /// A literal, in which disjunctions may nest so deep.
    pub(crate) fn literal(&mut self, from: &[Readable], depth: usize) -> String {
        match self.below(100) {
            ..52 => self.atom(from),
            52..72 => format!("(not {})", self.atom(from)),
            72..82 => self.test(),
            82..86 => format!("(not {})", self.test()),
            _ if depth == 0 => self.atom(from),
            86..96 => self.either(from, depth - 1),
            _ => format!("(not {})", self.either(from, depth - 1)),
        }
    }

    /// A disjunction; an alternative is now and then a conjunction.
    fn either(&mut self, from: &[Readable], depth: usize) -> String {
        let count = if self.chance(5) { self.below(2) } else { self.between(2, 3) };
        let mut text = "(or".to_owned();
        for _ in 0..count {
            let first = self.literal(from, depth);
            text += &if self.chance(15) {
                format!(" (and {first} {})", self.literal(from, depth))
            } else {
                format!(" {first}")
            };
        }
        text + ")"
    }

    /// A body with so many literals.
    pub(crate) fn body(&mut self, from: &[Readable], count: usize) -> Vec<String> {
        (0..count).map(|_| self.literal(from, 2)).collect()
    }

    /// Adds a rule, with guards for the variables that nothing binds. What is bound by hand is trusted.
    pub(crate) fn safe_rule(&mut self, head: &str, body: Vec<String>, from: &[Readable]) {
        let whole = format!("{head} {}", body.join(" "));
        let mut body = body;
        for variable in variables(&whole) {
            let bound = body.iter().any(|literal| binds(literal) && variables(literal).contains(&variable));
            if !bound {
                let guard = self.guard(&variable, from);
                let place = self.below(body.len() + 1);
                body.insert(place, guard);
            }
        }
        self.rule(head, &body);
    }

    /// A condition that binds a variable: its sort, something that speaks about the sort, or one of two such.
    fn guard(&mut self, variable: &str, from: &[Readable]) -> String {
        let sort = Sort::of_variable(variable).unwrap_or(Sort::Letter);
        match self.below(100) {
            ..65 => sort_guard(variable),
            65..90 => self.atom_about(variable, sort, from),
            _ => {
                let (one, other) =
                    (self.atom_about(variable, sort, from), self.atom_about(variable, sort, from));
                // Only this variable is bound by both, so the others have to be elements.
                if variables(&format!("{one} {other}")).len() == 1 {
                    self.note("a disjunction that binds");
                    format!("(or {one} {other})")
                } else {
                    sort_guard(variable)
                }
            }
        }
    }

    /// A positive atom with a variable in one place of its sort; the other places are elements or unique variables.
    pub(crate) fn atom_about(&mut self, variable: &str, sort: Sort, from: &[Readable]) -> String {
        let fitting: Vec<Readable> = from
            .iter()
            .filter(|readable| readable.word != Word::Input && readable.name.sorts.contains(&sort))
            .cloned()
            .collect();
        if fitting.is_empty() {
            return sort_guard(variable);
        }
        let readable = self.pick(&fitting);
        let place = readable.name.sorts.iter().position(|&other| other == sort).unwrap_or(0);
        let loose = self.chance(40);
        let mut arguments: Vec<String> = readable.name.variables(10);
        for (index, &other) in readable.name.sorts.iter().enumerate() {
            if !loose {
                arguments[index] = self.element(other);
            }
        }
        variable.clone_into(&mut arguments[place]);
        self.ask(&readable, &arguments)
    }
}

/// The condition that a variable is of its sort.
pub(crate) fn sort_guard(variable: &str) -> String {
    let sort = Sort::of_variable(variable).unwrap_or(Sort::Letter);
    format!("({} {variable})", sort.relation())
}
